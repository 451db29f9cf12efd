"""Statements that DuckDB cannot say, run by PostgreSQL on rows that DuckDB fetches: which rows, and what is
done with them.

Two ways, the cheaper first. *Finished*: DuckDB joins, filters and groups; PostgreSQL evaluates the select
list, order and limit over what comes of it. *Copied*: DuckDB fetches the columns and rows of each table that
the statement reads, and the statement runs unchanged on them. Owns both plans; must not know how they are
run. docs/decisions/0380-what-postgresql-runs-itself.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewright.engines.duckdb.dialect.aggregates import SPLIT
from rewright.engines.duckdb.dialect.catalog import Analyser, Catalog, TableColumn
from rewright.engines.duckdb.dialect.duckdb_printer import DuckdbPrinter, Level
from rewright.engines.duckdb.dialect.expressions import type_of
from rewright.engines.duckdb.dialect.fates import Fate, fate_of
from rewright.engines.duckdb.dialect.postgres_printer import PostgresPrinter
from rewright.engines.duckdb.dialect.queries import QueryPrinter, constant_limit, leaving, shown
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import HELD, NotTranslated
from rewright.engines.duckdb.quoting import quoted

_SESSION_WORDS = frozenset(str(number) for number in range(9, 15))
"""CURRENT_USER and its like (SQLValueFunctionOp): a lake's statements run under a role of the lake's own."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """Rows that DuckDB gives, to stand in a temporary table: its name, columns (name, declared type, OID) and
    the query.
    """

    table: str
    columns: tuple[tuple[str, str, int], ...]
    query: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What PostgreSQL runs (``text``, with the client's parameters) once the rows are there; ``reason``: what
    DuckDB cannot say.
    """

    fetches: tuple[Fetch, ...]
    text: str
    parameters: tuple[int, ...]
    reason: str
    copied: bool

    def told(self) -> str:
        """For EXPLAIN and NOTICEs."""
        if self.copied:
            return f"run by PostgreSQL on rows fetched from the lake, because of {self.reason}"
        return f"finished by PostgreSQL, because of {self.reason}"


# --- finished ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Leaves:
    """What DuckDB gives, each expression once: its words and type."""

    catalog: Catalog
    printer: DuckdbPrinter
    found: dict[str, tuple[str, int]] = field(default_factory=dict)

    def of(self, node: Node) -> str | None:
        """The column that holds an expression's value; None: PostgreSQL makes it of its parts.

        Parts of expressions are columns, aggregates and subqueries alone: others might raise in DuckDB where
        a CASE keeps PostgreSQL from them.
        """
        if node["kind"] == "AGGREF" and (split := self._split(node)) is not None:
            return split
        # what else it is made of PostgreSQL evaluates: see above
        if node["kind"] not in {"VAR", "AGGREF", "SUBLINK", "WINDOWFUNC"}:
            return None
        oid = type_of(node)
        if oid not in HELD:
            raise NotTranslated(f"values of type {self.catalog.types.get(oid, oid)}")
        return self._column(self.printer.sql(node), oid)

    def whole(self, node: Node) -> str | None:
        """The column that holds a whole item of the select list; None: DuckDB cannot say it."""
        # a constant is PostgreSQL's anyway; a clock read by DuckDB would not agree with those PostgreSQL
        # reads
        if self.printer.is_constant(node) or node["kind"] in {"PARAM", "SQLVALUEFUNCTION"}:
            return None
        try:
            oid = type_of(node)
            return self._column(self.printer.sql(node), oid) if oid in HELD else None
        # HELD only: values of other types would not arrive as they are
        except NotTranslated:
            return None

    def _column(self, words: str, oid: int) -> str:
        name, _ = self.found.setdefault(words, (f"c{len(self.found) + 1}", oid))
        return f"q.{name}"

    def _split(self, node: Node) -> str | None:
        """An average of whole numbers or numerics: sum and count from DuckDB, PostgreSQL's own division."""
        function = self.catalog.functions[int(node["aggfnoid"])]
        if function.signature not in SPLIT:
            return None
        # sum(bigint) is numeric in PostgreSQL; 38 digits are the most that DuckDB has
        total, count = (
            (
                self.printer.aggregated(node, words)
                for words in ("CAST(sum({0}) AS DECIMAL(38,0))", "count({0})")
            )
            if "numeric" not in function.signature
            else (self.printer.aggregated(node, words) for words in ("sum({0})", "count({0})"))
        )
        # a group without values: sum is NULL and count 0, and avg is NULL without a division by zero
        return f"({self._column(total, 1700)} / nullif({self._column(count, 20)}, 0)::numeric)"


def finished(query: Node, printer: QueryPrinter, parameters: tuple[int, ...], reason: str) -> Plan:
    """:raises NotTranslated: what stands below the select list cannot be said either."""
    # their results are made of rows or groups that only exist inside of DuckDB's query
    if query["setOperations"] is not None or query["hasWindowFuncs"] == "true" or query["groupingSets"]:
        raise NotTranslated(reason)
    # functions of sets in the select list are PostgreSQL's here, so they are no reason to refuse
    printer.refused(query | {"hasTargetSRFs": "false"})
    level = Level(query["rtable"] or [])
    having = query["havingQual"]
    # HAVING in DuckDB's words where it can be said there: fewer rows are fetched
    try:
        ctes, body = printer.begun(query, level)
        having = None
    except NotTranslated:
        # else PostgreSQL applies it as WHERE, over the fetched aggregates
        ctes, body = printer.begun(query | {"havingQual": None}, level)
    leaves = _Leaves(printer.catalog, printer.printer([level]))
    outer = PostgresPrinter(printer.catalog, leaves.of)
    targets = {one["ressortgroupref"]: one["expr"] for one in query["targetList"]}

    def told(node: Node) -> str:
        return leaves.whole(node) or outer.sql(node)

    items = [f"{told(one['expr'])} AS c{i}" for i, one in enumerate(shown(query), 1)]
    order = [
        f"{told(targets[one['tleSortGroupRef']])} "
        f"{leaves.printer.direction(one, targets[one['tleSortGroupRef']])}"
        for one in query["sortClause"] or []
    ]
    # WITH TIES (limitOption 1) needs PostgreSQL's own order over all the rows
    if query["limitOption"] == "1" and query["limitCount"] is not None:
        raise NotTranslated(reason)
    limits = "".join(
        f" {word} {outer.sql(query[name])}"
        for word, name in (("LIMIT", "limitCount"), ("OFFSET", "limitOffset"))
        if query[name] is not None
    )
    distinct = _distinct(query, told)
    kept = f" WHERE {outer.sql(having)}" if having is not None else ""
    # SELECT 1 FROM t reads no column and still has a row for each row
    columns = leaves.found or {"1": ("c1", 23)}
    inner = ", ".join(f"{leaving(words, oid)} AS {name}" for words, (name, oid) in columns.items())
    fetched = tuple((name, printer.catalog.types[oid], oid) for name, oid in columns.values())
    text = (
        f"SELECT {distinct}{', '.join(items)} FROM pg_temp.q{kept}"
        + (f" ORDER BY {', '.join(order)}" if order else "")
        + limits
    )
    sql = f"{ctes}SELECT {inner}{body}{_pushed_limit(query) if having is None else ''}"
    return Plan((Fetch("q", fetched, sql),), text, parameters, reason, copied=False)


def _distinct(query: Node, told: Callable[[Node], str]) -> str:
    if not query["distinctClause"]:
        return ""
    if query["hasDistinctOn"] != "true":
        return "DISTINCT "
    targets = {one["ressortgroupref"]: one["expr"] for one in query["targetList"]}
    return (
        "DISTINCT ON ("
        + ", ".join(told(targets[o["tleSortGroupRef"]]) for o in query["distinctClause"])
        + ") "
    )


def _pushed_limit(query: Node) -> str:
    """Rows that are not shown need not be fetched, where neither an order nor what comes of them decides
    which they are.
    """
    # an order, DISTINCT or functions of sets come after the fetch: any row may be among the first
    count, offset = constant_limit(query["limitCount"]), constant_limit(query["limitOffset"])
    free = not query["sortClause"] and not query["distinctClause"] and query["hasTargetSRFs"] == "false"
    if count is None or not free or (offset is None and query["limitOffset"] is not None):
        return ""
    return f" LIMIT {count + (offset or 0)}"


# --- copied -----------------------------------------------------------------------------------------------


def copied(
    text: str,
    query: Node,
    analyser: Analyser,
    printer: QueryPrinter,
    parameters: tuple[int, ...],
    reason: str,
) -> Plan:
    """:raises NotTranslated: what the statement calls is not run for a lake's clients."""
    refused(query, analyser.catalog)
    wanted: dict[int, set[int]] = {}
    references: dict[int, int] = {}
    for one in _queries(query):
        for entry in one["rtable"] or []:
            if entry["rtekind"] == "0":
                permissions = one["rteperminfos"][int(entry["perminfoindex"]) - 1]
                # selectedCols counts from FirstLowInvalidHeapAttributeNumber, -7 (sysattr.h); 0 there is the
                # whole row
                wanted.setdefault(int(entry["relid"]), set()).update(
                    n - 7 for n in permissions["selectedCols"]
                )
                references[int(entry["relid"])] = references.get(int(entry["relid"]), 0) + 1
    # a table read once: a condition of one of two references would take rows from the other
    pushed = _filters(query, printer, {oid for oid, number in references.items() if number == 1})
    fetches = []
    for oid, attributes in wanted.items():
        schema, name = analyser.relation(oid)
        # temporary tables bear the plain name, which a table of another schema cannot share
        if schema != "public" and not schema.startswith("pg_temp"):
            raise NotTranslated("tables of another database together with " + reason)
        fetches.append(
            _whole(name, analyser.columns(oid), attributes, pushed.get(oid, ""), printer.source(oid))
        )
    return Plan(tuple(fetches), text, parameters, reason, copied=True)


def _whole(
    name: str, columns: Sequence[TableColumn], attributes: set[int], condition: str, source: str
) -> Fetch:
    """A table with all its columns, so that every name means what it meant; those
    that are not read are NULL.
    """
    everything = 0 in attributes
    # number 0 stands for a whole row, such as t.* of a join or row_to_json(t)
    items = [
        leaving(f"r.{quoted(one.name)}", one.oid) if everything or number in attributes else "NULL"
        for number, one in enumerate(columns, 1)
    ]
    named = ", ".join(f"{item} AS c{i}" for i, item in enumerate(items, 1))
    kept = tuple((one.name, one.type, one.oid) for one in columns)
    return Fetch(name, kept, f"SELECT {named} FROM {source} AS r{condition}")


def _filters(query: Node, printer: QueryPrinter, once: set[int]) -> Mapping[int, str]:
    """Conditions on one table alone that hold for every row of the result, in DuckDB's words."""
    found: dict[int, list[str]] = {}
    # tables directly in FROM: below a join that pads, a condition of WHERE need not hold of the table's rows
    tables = {
        int(item["rtindex"]) for item in query["jointree"]["fromlist"] or [] if item["kind"] == "RANGETBLREF"
    }
    quals = query["jointree"]["quals"]
    parts = (
        quals["args"]
        if quals is not None and quals["kind"] == "BOOLEXPR" and quals["boolop"] == "and"
        # one condition or none
        else [quals]
    )
    for part in parts:
        if part is None:
            continue
        # a column of an outer query (varlevelsup), a parameter or subquery is not known while the table is
        # fetched
        numbers = {(int(v["varno"]), v["varlevelsup"]) for v in _nodes(part, "VAR")}
        if len(numbers) != 1 or any(_nodes(part, kind) for kind in ("SUBLINK", "PARAM")):
            continue
        ((number, up),) = numbers
        entry = query["rtable"][number - 1]
        if up != "0" or number not in tables or entry["rtekind"] != "0" or int(entry["relid"]) not in once:
            continue
        level = Level(query["rtable"], {number: ("r", printer.column_names(int(entry["relid"])))})
        try:
            found.setdefault(int(entry["relid"]), []).append(printer.printer([level]).sql(part))
        # what can't be said is left out: PostgreSQL applies the whole WHERE again
        except NotTranslated:
            continue
    return {oid: " WHERE " + " AND ".join(parts) for oid, parts in found.items() if parts}


def refused(query: Node, catalog: Catalog) -> None:
    """What no statement of a lake's clients may do, whoever runs it.

    :raises NotTranslated: it is not a plain query, or calls what is refused.
    """
    for node in _all(query):
        kind = node.get("kind")
        if kind == "QUERY" and (
            # FOR UPDATE locks rows, and what a lake shows are copies
            node["commandType"] != "1" or node["rowMarks"] or node["hasModifyingCTE"] == "true"
        ):
            raise NotTranslated("FOR UPDATE or a statement that is no query")
        if kind == "RANGETBLENTRY" and node.get("tablesample") is not None:
            raise NotTranslated("TABLESAMPLE")
        if kind == "SQLVALUEFUNCTION" and node["op"] in _SESSION_WORDS:
            raise NotTranslated("CURRENT_USER and its like")
        called = node.get("funcid") or node.get("aggfnoid") or node.get("winfnoid")
        # opno names an operator, whose function decides
        if "opno" in node and node["opno"] in catalog.operators:
            called = catalog.operators[int(node["opno"])].function
        # 0: an operator without a function, as in a row comparison
        if called is not None and int(called):
            function = catalog.functions.get(int(called))
            if function is None or fate_of(function) is Fate.REFUSED:
                raise NotTranslated(function.signature if function else "a function that is not built in")


def _queries(query: Node) -> Iterator[Node]:
    for node in _all(query):
        if node.get("kind") == "QUERY":
            yield node


def _nodes(root: Node, kind: str) -> list[Node]:
    return [node for node in _all(root) if node.get("kind") == kind]


# a stack of its own: trees may be nested deeper than Python's recursion goes
def _all(root: Any) -> Iterator[Node]:
    left = [root]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield one
            left += one.values()
        elif isinstance(one, list):
            left += one
