"""Decides whether a statement may be replaced at all: one function, which returns a readable reason or None
(hazards M5-M15, F4, F7).

A first prefilter by text and catalog: what is refused here is never shown to a rule, a model or the checker.
The checker refuses more, with the bound trees at hand; passing this prefilter promises nothing. LIMIT over
ties is a reservation of a proof (`tie-order`), no refusal. Pure: no server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pglast import ast

from rewright.rewrite.agents.guard import effects, parse_one
from rewright.sql.algebra import Volatility
from rewright.sql.catalog import Catalog, Table
from rewright.sql.parsing import nodes_of
from rewright.sql.records import FunctionInfo

_SYSTEM_COLUMNS = frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"})
_SYSTEM_SCHEMAS = frozenset({"pg_catalog", "information_schema", "pg_toast"})
# STABLE or IMMUTABLE by declaration, but their value shows the text, the plan or the session
_TELLTALE = frozenset({"current_query", "pg_backend_pid", "txid_current", "pg_current_xact_id", "pg_sleep"})


def eligible(
    sql: str,
    catalog: Catalog,
    search_path: Sequence[str] = ("public",),
    filtered: frozenset[tuple[str, str]] | None = None,
) -> str | None:
    """Why ``sql`` may not be replaced, or None.

    ``filtered``: tables of which the account that measures sees some rows only, by row-level security; None:
    not known, so all that have it. Whether a client's role may be served is decided in its session
    (`rewright.proxy.serving.guard`).
    """
    statement = parse_one(sql)
    if isinstance(statement, str):
        return statement
    nodes = list(nodes_of(statement))
    return next(
        filter(
            None,
            (
                # the cheapest and commonest refusals first; none needs a server
                effects(nodes),
                _functions(nodes, catalog, search_path),
                _columns(nodes),
                _tables(nodes, catalog, search_path, filtered),
            ),
        ),
        None,
    )


def _functions(nodes: Sequence[Any], catalog: Catalog, path: Sequence[str]) -> str | None:
    for node in nodes:
        if isinstance(node, ast.FuncCall):
            names = [str(part.sval) for part in node.funcname or ()]
            found = _candidates(names, catalog, path)
            if names[-1] in _TELLTALE:
                return f"function {names[-1]}() tells what runs"
            # volatile: each evaluation counts, and a rewrite evaluates more or less often
            if any(f.volatility is Volatility.VOLATILE for f in found):
                return f"volatile function {names[-1]}()"
            # a name in pg_catalog that the catalog's copy does not list is a function of a newer server, or a
            # typo: the server knows
            if not found and names[:1] != ["pg_catalog"]:
                return f"unknown function {names[-1]}()"
    return None


def _candidates(names: Sequence[str], catalog: Catalog, path: Sequence[str]) -> list[FunctionInfo]:
    """All overloads that the name may mean: one volatile one is enough to refuse."""
    schemas = [names[0]] if len(names) > 1 else ["pg_catalog", *path]
    return catalog.functions_named(names[-1], schemas)


def _columns(nodes: Sequence[Any]) -> str | None:
    for node in nodes:
        if isinstance(node, ast.ColumnRef) and node.fields:
            last = node.fields[-1]
            # where a row is stored, or by whom, changes with what else the statement reads; no rule keeps it
            if isinstance(last, ast.String) and last.sval in _SYSTEM_COLUMNS:
                return f"system column {last.sval}"
    return None


def _tables(
    nodes: Sequence[Any], catalog: Catalog, path: Sequence[str], filtered: frozenset[tuple[str, str]] | None
) -> str | None:
    ctes = {node.ctename for node in nodes if isinstance(node, ast.CommonTableExpr)}
    reads = _reads(nodes)
    for node in nodes:
        # a name without schema that a CTE has is that CTE, wherever it stands
        if not isinstance(node, ast.RangeVar) or (not node.schemaname and node.relname in ctes):
            continue
        schemas = (node.schemaname,) if node.schemaname else tuple(path)
        table = catalog.find_table(str(node.relname), schemas)
        if table is None:
            return f"unknown table {node.relname}"
        key = (table.ref.schema, table.ref.name)
        # which tables are filtered for this account is not known: all that have policies are
        whole = filtered is not None and key not in filtered
        if reason := _table(table, node, catalog, frozenset(), reads, whole=whole):
            return reason
    return None


@dataclass(frozen=True, slots=True)
class _Reads:
    """Which columns a statement may read: by name, all of tables with some alias, all of some nodes, all
    there are.
    """

    names: frozenset[str]
    aliases: frozenset[str]
    whole: frozenset[int]
    everything: bool

    def column(self, name: str, node: ast.RangeVar) -> bool:
        starred = self.everything or id(node) in self.whole or _alias(node) in self.aliases
        return starred or name in self.names


def _reads(nodes: Sequence[Any]) -> _Reads:
    names: set[str] = set()
    aliases: set[str] = set()
    whole: set[int] = set()
    # every alias and every table without one: a column reference may name the whole row
    rows = {_alias(node) for node in nodes if isinstance(node, ast.RangeVar)}
    for node in nodes:
        if isinstance(node, ast.JoinExpr):
            # USING reads both tables' columns without a ColumnRef
            names |= {str(part.sval) for part in node.usingClause or ()}
        elif isinstance(node, ast.SelectStmt) and any(_is_star(t) for t in node.targetList or ()):
            # `*` reads all columns of the tables of its own FROM, not of subqueries in it
            whole |= {id(table) for table in _joined(node.fromClause or ())}
        elif isinstance(node, ast.ColumnRef) and node.fields:
            *before, last = (str(f.sval) if isinstance(f, ast.String) else None for f in node.fields)
            if last is None:
                aliases |= {b for b in before[-1:] if b is not None}
            # a row as one value
            # `t` alone, where t is a range variable and not `s.t`, a column of that name
            elif last in rows and not (before and before[-1] in rows):
                aliases.add(last)
            else:
                names.add(last)
    # NATURAL joins by whatever columns have one name
    natural = any(isinstance(node, ast.JoinExpr) and node.isNatural for node in nodes)
    return _Reads(frozenset(names), frozenset(aliases), frozenset(whole), natural)


def _is_star(target: Any) -> bool:
    value = target.val
    return isinstance(value, ast.ColumnRef) and [type(f) for f in value.fields or ()] == [ast.A_Star]


def _joined(items: Iterable[Any]) -> Iterator[ast.RangeVar]:
    """The tables of a FROM clause, those of subqueries within aside."""
    for item in items:
        if isinstance(item, ast.RangeVar):
            yield item
        elif isinstance(item, ast.JoinExpr):
            yield from _joined((item.larg, item.rarg))


def _alias(node: ast.RangeVar) -> str:
    return str(node.alias.aliasname if node.alias else node.relname)


def _table(
    table: Table,
    node: ast.RangeVar,
    catalog: Catalog,
    seen: frozenset[str],
    reads: _Reads,
    *,
    whole: bool = False,
) -> str | None:
    """``whole``: the account that measures sees all rows in spite of row-level security."""
    name = f"{table.ref.schema}.{table.ref.name}"
    # system catalogs change under the server's feet, and their rows depend on who asks
    if table.ref.schema in _SYSTEM_SCHEMAS:
        return f"system catalog {table.ref.name}"
    # another session, ours among them, has no such table, or another
    if table.temporary:
        return f"temporary table {name}"
    if table.row_security and not whole:
        return f"row-level security on {name}"
    if table.kind == "foreign":
        return f"foreign table {name}"
    # a parent's scan reads its children, whose keys and CHECKs are their own
    if table.kind == "table" and (table.has_children or table.parents):
        return f"inheritance on {name}"
    # conditions must not come to see the rows that the view hides: nothing is moved there
    if table.security_barrier:
        return f"security barrier view {name}"
    # a virtual column is computed when it is read, and may fail then
    virtual = [c.name for c in table.columns if c.generated == "virtual" and reads.column(c.name, node)]
    if virtual:
        return f"virtual generated column {virtual[0]} of {name}"
    # a view that reads itself (recursive) is looked at once
    if table.kind == "view" and table.definition and name not in seen:
        inner = parse_one(table.definition.strip().rstrip(";"))
        # a definition that does not parse is told by the binder
        if not isinstance(inner, str):
            return _within_view(inner, catalog, seen | {name})
    return None


def _within_view(query: ast.SelectStmt, catalog: Catalog, seen: frozenset[str]) -> str | None:
    """What a view hides. Definitions from the server qualify what is not on the path, so all schemas are
    tried.
    """
    nodes = list(nodes_of(query))
    reads = _reads(nodes)
    if reason := effects(nodes) or _functions(nodes, catalog, catalog.schemas) or _columns(nodes):
        return f"{reason} in a view"
    for node in nodes:
        if isinstance(node, ast.RangeVar):
            schemas = (node.schemaname,) if node.schemaname else tuple(catalog.schemas)
            table = catalog.find_table(str(node.relname), schemas)
            if table is not None and (reason := _table(table, node, catalog, seen, reads)):
                return reason
    return None
