"""A replacement that looks at the rows first: it stops before its first row unless columns keep promises
(`promises`) on which its proof rests.

    SELECT … OFFSET 0 / (1 - (SELECT count(*) FROM (SELECT FROM public.loans
        WHERE NOT (lent_on BETWEEN '1000-01-01' AND '9000-01-01') LIMIT 1) AS rewright_looked))

How many rows are left out is computed once, before the block is asked for a row (`recompute_limits`), also
where the planner knows that it has none: a condition of no column in WHERE is dropped there, with all that
the block reads. The look and the answer are of one snapshot, so that the promises hold of every row that is
read. Where they do not, the statement fails with a division by zero and has answered nothing: whoever serves
it runs the original. It is written at the top alone, of a block or a set operation, whose rows are the
answer's. Must not know provers or who serves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from typing import Any

from pglast import ast
from pglast.enums.primnodes import BoolExprType
from pglast.error import Error as PglastError
from pglast.stream import RawStream

from rewright.equivalence.promises import Promise, is_looked_at, of_column
from rewright.equivalence.verdicts import Proved
from rewright.sql.algebra import FunctionRef, OperatorRef
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.parsing import TooDeep, nodes_of, parse
from rewright.sql.records import Table
from rewright.sql.walk import walk

GATED = "gated"
# what the rows are called that are looked at: a text without it has no gate
MARK = "rewright_looked"
# texts that are parsed and nested too deep to be printed, or hold what the printer does not know
_UNPRINTED = (RecursionError, NotImplementedError)


def gated(sql: str, promises: Collection[Promise]) -> str | None:
    """The query behind a look at the rows of each table that promises something; None where its form has no
    place for one.
    """
    select = _select(sql)
    if select is None or not promises or MARK in sql:
        return None
    own = select.limitOffset
    # one that is computed may be of any type
    if own is not None and not _is_written_out(own):
        return None
    with suppress(*_UNPRINTED):
        before = str(RawStream()(select))
        select.limitOffset = _looks(promises, own)
        text = str(RawStream()(select))
        # what is printed is read as it was meant, or is not used
        found = _split(text, lambda table: [p for p in promises if (p.schema, p.table) == table])
        return text if found == (before, frozenset(promises)) else None
    return None


def split(
    sql: str, catalog: Catalog, path: Sequence[str] = ("public",)
) -> tuple[str, frozenset[Promise]] | None:
    """The query behind its gate, and what the gate sees to; None where there is none, or another one than
    `gated` writes, also where its words mean another's operators or functions by this search path.
    """
    if MARK not in sql:
        return None
    tables = {(t.ref.schema, t.ref.name): t for t in catalog.relations if is_looked_at(t)}

    def could(table: tuple[str, str]) -> list[Promise]:
        return list(_of_table(tables[table])) if table in tables else []

    with suppress(*_UNPRINTED):
        found = _split(sql, could)
        return found if found is not None and _means_the_servers(found[1], catalog, path) else None
    return None


def behind_gate(proved: Proved, kept: Collection[Promise]) -> Proved:
    """The verdict on the replacement with its look at the rows. What it looks for is no fact of the schema
    that others would have to watch.
    """
    seen_to = {promise.fact for promise in kept}
    return replace(
        proved,
        assumptions=tuple(x for x in proved.assumptions if x not in seen_to),
        modulo=tuple(sorted({*proved.modulo, GATED})),
    )


def _of_table(table: Table) -> Iterator[Promise]:
    for column in table.columns:
        yield from of_column(table, column)


def _split(sql: str, could: Any) -> tuple[str, frozenset[Promise]] | None:
    select = _select(sql)
    if select is None:
        return None
    looks = select.limitOffset
    if looks is None:
        return None
    *found, first = _terms(looks)
    own = first if _is_written_out(first) else None
    select.limitOffset = own
    behind = str(RawStream()(select))
    if MARK in behind:
        return None
    promises = frozenset(p for look in (*found, first) for p in _seen_to(look, could))
    # nothing else is in it, nor in another order
    if not promises or str(RawStream()(_looks(promises, own))) != str(RawStream()(looks)):
        return None
    return behind, promises


def _select(sql: str) -> Any:
    """The one SELECT of a text, or set operation of such; None for anything else."""
    try:
        statements = parse(sql)
    except (PglastError, TooDeep, RecursionError):
        return None
    tree: Any = statements[0].stmt if len(statements) == 1 else None
    return tree if isinstance(tree, ast.SelectStmt) and not tree.valuesLists else None


def _is_written_out(offset: Any) -> bool:
    """Whether it is a number of rows as it is written."""
    number = offset.val if isinstance(offset, ast.A_Const) else None
    return isinstance(number, ast.Integer) and (number.ival or 0) >= 0


def _terms(looks: Any) -> Iterator[Any]:
    """What a sum is made of, from its end."""
    while isinstance(looks, ast.A_Expr) and looks.lexpr and [n.sval for n in looks.name or ()] == ["+"]:
        yield looks.rexpr
        looks = looks.lexpr
    yield looks


def _looks(promises: Iterable[Promise], own: Any = None) -> Any:
    """A sum that is 0, or the query's ``own`` number of rows to leave out: one look at each table."""
    terms = [] if own is None else [str(RawStream()(own))]
    for relation, found in groupby(sorted(promises, key=_order), key=lambda p: p.relation):
        broken = " or ".join(p.broken for p in found)
        rows = f"(select from {relation} where {broken} limit 1) as {MARK}"
        # with a row that breaks a promise the divisor is 0; nothing here can be computed before the look
        terms.append(f"0 / (1 - (select count(*) from {rows}))")
    select: Any = parse(f"select {' + '.join(terms)}")[0].stmt
    return select.targetList[0].val


def _means_the_servers(promises: Iterable[Promise], catalog: Catalog, path: Sequence[str]) -> bool:
    """Whether every operator and function in the looks is PostgreSQL's own: `numeric > integer` is first one
    that somebody made of just these types.
    """
    text = str(RawStream()(_looks(promises)))
    try:
        query = bind(f"select {text}", catalog, search_path=path)
    except (BindError, Unsupported):
        return False
    meant = [x for node in walk(query) for x in (getattr(node, "op", None), getattr(node, "func", None))]
    return all(x.is_builtin for x in meant if isinstance(x, OperatorRef | FunctionRef))


def _order(promise: Promise) -> tuple[str, ...]:
    return promise.relation, promise.column, promise.condition


def _seen_to(look: Any, could: Any) -> set[Promise]:
    """What a look may see to: what its one table could promise and is asked for."""
    tables = {(n.schemaname or "", n.relname) for n in nodes_of(look) if isinstance(n, ast.RangeVar)}
    if len(tables) != 1:
        return set()
    (table,) = tables
    asked = {arm for n in nodes_of(look) if isinstance(n, ast.SelectStmt) for arm in _arms(n.whereClause)}
    return {p for p in could(table) if asked.issuperset(_arms(_condition(p.broken)))}


def _condition(text: str) -> Any:
    tree: Any = parse(f"select from x where {text}")[0].stmt
    return tree.whereClause


def _arms(condition: Any) -> Iterator[str]:
    """What an OR is made of, as it is printed."""
    if isinstance(condition, ast.BoolExpr) and condition.boolop == BoolExprType.OR_EXPR:
        for one in condition.args or ():
            yield from _arms(one)
    elif condition is not None:
        yield str(RawStream()(condition))
