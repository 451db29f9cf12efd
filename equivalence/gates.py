"""A replacement that looks at the rows first: it stops before its first row unless columns keep promises
(`promises`) on which its proof rests.

    SELECT … WHERE 1 / (1 - (SELECT count(*) FROM (SELECT FROM public.loans
        WHERE NOT (lent_on BETWEEN '1000-01-01' AND '9000-01-01') LIMIT 1) AS rewright_looked)) = 1 AND …

A condition of no column is asked once, before any row of its block is made: the planner puts a gate above
all that the block reads (`create_gating_plan`, pseudoconstant quals). The look and the answer are of one
snapshot, so that the promises hold of every row that is read. Where they do not, the statement fails with a
division by zero and has answered nothing: whoever serves it runs the original. It is written for the block at
the top alone, whose rows are the answer's. Must not know provers or who serves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from pglast import ast, enums
from pglast.error import Error as PglastError
from pglast.stream import RawStream

from rewright.equivalence.promises import Promise, of_column
from rewright.equivalence.verdicts import Proved
from rewright.sql.catalog import Catalog
from rewright.sql.parsing import TooDeep, nodes_of, parse
from rewright.sql.records import Table

GATED = "gated"
# what the rows are called that are looked at: a text without it has no gate
MARK = "rewright_looked"


def gated(sql: str, promises: Collection[Promise]) -> str | None:
    """The query behind a look at the rows of each table that promises something; None where its form has no
    place for one.
    """
    select = _select(sql)
    if select is None or not promises or MARK in sql:
        return None
    before = str(RawStream()(select))
    select.whereClause = _all((*_looks(promises), *_conditions(select)))
    text = str(RawStream()(select))
    # what is printed is read as it was meant, or is not used
    found = _split(text, lambda table: [p for p in promises if (p.schema, p.table) == table])
    return text if found == (before, frozenset(promises)) else None


def split(sql: str, catalog: Catalog) -> tuple[str, frozenset[Promise]] | None:
    """The query behind its gate, and what the gate sees to; None where there is none, or another one than
    `gated` writes.
    """
    if MARK not in sql:
        return None
    tables = {(t.ref.schema, t.ref.name): t for t in catalog.relations}

    def could(table: tuple[str, str]) -> list[Promise]:
        return list(_of_table(tables[table])) if table in tables else []

    return _split(sql, could)


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
    promises: set[Promise] = set()
    rest = []
    for condition in _conditions(select):
        text = str(RawStream()(condition))
        if MARK not in text:
            rest.append(condition)
            continue
        found = _seen_to(condition, text, could)
        if not found:
            return None
        promises |= found
    select.whereClause = _all(rest)
    behind = str(RawStream()(select))
    return None if MARK in behind or not promises else (behind, frozenset(promises))


def _select(sql: str) -> Any:
    """The one SELECT of a text, with a FROM clause of its own; None for anything else."""
    try:
        statements = parse(sql)
    except (PglastError, TooDeep, RecursionError):
        return None
    tree: Any = statements[0].stmt if len(statements) == 1 else None
    plain = isinstance(tree, ast.SelectStmt) and tree.op == enums.SetOperation.SETOP_NONE
    return tree if plain and not tree.valuesLists and tree.fromClause else None


def _conditions(select: Any) -> list[Any]:
    where = select.whereClause
    if where is None:
        return []
    joined = isinstance(where, ast.BoolExpr) and where.boolop == enums.BoolExprType.AND_EXPR
    return list(where.args) if joined else [where]


def _all(conditions: Iterable[Any]) -> Any:
    found = tuple(conditions)
    if len(found) < 2:
        return found[0] if found else None
    return ast.BoolExpr(boolop=enums.BoolExprType.AND_EXPR, args=found)


def _looks(promises: Iterable[Promise]) -> Iterator[Any]:
    """One look at each table."""
    for relation, found in groupby(sorted(promises, key=_order), key=lambda p: p.relation):
        broken = " or ".join(p.broken for p in found)
        rows = f"(select from {relation} where {broken} limit 1) as {MARK}"
        # with a row that breaks a promise the divisor is 0; nothing here can be computed before the look
        yield _condition(f"1 / (1 - (select count(*) from {rows})) = 1")


def _order(promise: Promise) -> tuple[str, ...]:
    return promise.relation, promise.column, promise.condition


def _seen_to(condition: Any, text: str, could: Any) -> set[Promise]:
    """What a condition sees to that is written as a look is, and nothing else; else nothing."""
    tables = {(n.schemaname or "", n.relname) for n in nodes_of(condition) if isinstance(n, ast.RangeVar)}
    if len(tables) != 1:
        return set()
    (table,) = tables
    found = {p for p in could(table) if _as_printed(p.broken) in text}
    looks = [str(RawStream()(x)) for x in _looks(found)]
    return found if looks == [text] else set()


def _as_printed(condition: str) -> str:
    return str(RawStream()(_condition(condition)))


def _condition(text: str) -> Any:
    """A condition as a tree, by itself."""
    return parse(f"select from x where {text}")[0].stmt.whereClause
