"""Advice besides hints: what would make them unnecessary. Said, never done.

A DBA prefers the cause: fresh statistics, extended statistics for columns that go together, statistics on an expression, an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.postgres.hinting import HintingSession
from hints.cardinality import Estimate
from sql.plans import Node, Plan


@dataclass(frozen=True, slots=True)
class Advice:
    """A statement to consider, with the reason."""

    statement: str
    reason: str


WRONG = 3.0
_COMPARISON = re.compile(r"\(\(?(?:\w+\.)?(\w+)\)?(?:::\w+)? (?:=|~~|<|>|<=|>=|<>) ")
_EXPRESSION = re.compile(
    r"\((\(?(?:\w+\([^()]*\)|\([^()]+ (?:->>|->|%|\+|-|\*|/|\|\|) [^()]+\)))(?:::\w+)? (?:=|<|>|<=|>=|<>) "
)
_UNINDEXED_ROWS = 20_000


def advise(session: HintingSession, plan: Plan | None, estimates: Sequence[Estimate]) -> tuple[Advice, ...]:
    """Advice for the scans of an executed plan whose estimates were wrong; at most one of a kind a table."""
    if plan is None:
        return ()
    wrong = {e.aliases for e in estimates if not e.is_join and e.q_error >= WRONG}
    found: list[Advice] = []
    for node in plan.walk():
        if node.relation and frozenset({node.alias}) in wrong:
            found += _statistics(session, node)
        if node.relation:
            found += _indexes(node)
    return tuple(dict.fromkeys(found))


def _statistics(session: HintingSession, node: Node) -> Iterator[Advice]:
    table = _qualified(node)
    actual = node.actual.rows if node.actual else 0
    what = f"{node.relation} was expected to give {node.rows:,.0f} rows and gave {actual:,.0f}"
    if _stale(session, node):
        yield Advice(f"ANALYZE {table}", f"{what}; it has changed much since its statistics were gathered")
        return
    filter_text = node.condition("Filter") or node.condition("Index Cond")
    expressions = sorted({f"({m})" for m in _EXPRESSION.findall(filter_text)})
    columns = sorted(set(_COMPARISON.findall(filter_text)))
    if expressions:
        yield Advice(
            f"CREATE STATISTICS ON {', '.join(expressions)} FROM {table}; ANALYZE {table}",
            f"{what}; PostgreSQL has no statistics on the expressions it is filtered by",
        )
    elif len(columns) > 1:
        yield Advice(
            f"CREATE STATISTICS (dependencies, mcv) ON {', '.join(columns)} FROM {table}; ANALYZE {table}",
            f"{what}; the columns of its filter go together, their selectivities were multiplied",
        )


def _stale(session: HintingSession, node: Node) -> bool:
    rows = session.ask(
        "select n_mod_since_analyze > 0.1 * greatest(n_live_tup, 1) from pg_stat_all_tables where schemaname = %s and relname = %s",
        [node.schema or "public", node.relation],
    )
    return bool(rows and rows[0][0])


def _indexes(node: Node) -> Iterator[Advice]:
    """A sequential scan that throws nearly everything away, or is repeated."""
    if node.operator != "Seq Scan" or node.actual is None:
        return
    removed, kept = node.actual.rows_removed, node.actual.rows
    columns = sorted(set(_COMPARISON.findall(node.condition("Filter"))))
    if columns and removed * node.actual.loops > _UNINDEXED_ROWS and kept * 50 < removed:
        yield Advice(
            f"CREATE INDEX ON {_qualified(node)} ({', '.join(columns)})",
            f"{removed:,.0f} rows of {node.relation} were read to keep {kept:,.0f}",
        )


def _qualified(node: Node) -> str:
    names = [part for part in (node.schema, node.relation) if part]
    return ".".join(
        n if re.fullmatch(r"[a-z_][a-z0-9_]*", n) else '"' + n.replace('"', '""') + '"' for n in names
    )
