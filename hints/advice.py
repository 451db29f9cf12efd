"""Advice besides hints: what would make them unnecessary. Said, never done.

A DBA prefers the cause: fresh statistics, extended statistics for columns that go together, statistics on an
expression, an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.session import SessionError
from rewright.hints.cardinality import Estimate, Judgement
from rewright.hints.conditions import Condition, read_condition
from rewright.hints.statistics import read_table
from rewright.sql.plans import Node, Plan


@dataclass(frozen=True, slots=True)
class Advice:
    """A statement to consider, with the reason."""

    statement: str
    reason: str


WRONG = 3.0
_UNINDEXED_ROWS = 20_000
_KEPT_SHARE = 50


def advise(
    session: HintingSession,
    plan: Plan,
    estimates: Sequence[Estimate],
    judgements: Sequence[Judgement] = (),
    text: str = "",
) -> tuple[Advice, ...]:
    """Advice for the scans of a plan whose estimates were wrong, or are doubted; at most one of a kind a
    table.

    With ``text``, an index is tried with HypoPG where that is installed, and left out if the planner would
    not use it.
    """
    wrong = {e.aliases: _was(e) for e in estimates if not e.is_join and e.q_error >= WRONG}
    measured = {e.aliases for e in estimates}
    for one in judgements:
        # what a scan gave when it ran is worth more than what it may give
        if one.aliases in measured:
            continue
        wrong.setdefault(one.aliases, f"may give up to {one.high:,.0f}")
    statistics: list[Advice] = []
    indexes: list[Advice] = []
    for node in plan.walk():
        if node.relation and (happened := wrong.get(frozenset({node.alias}))):
            statistics += _statistics(session, node, happened)
        if node.relation:
            indexes += _indexes(node)
    kept = [*dict.fromkeys(statistics), *_that_help(session, plan, text, [*dict.fromkeys(indexes)])]
    return tuple({one.statement: one for one in reversed(kept)}.values())[::-1]


def _was(estimate: Estimate) -> str:
    return f"gave {estimate.actual:,.0f}"


def _statistics(session: HintingSession, node: Node, happened: str) -> Iterator[Advice]:
    if "SubPlan" in node.condition("Filter"):
        return  # no statistics foretell what a subquery gives for each row
    table = _qualified(node)
    what = f"{node.relation} was expected to give {node.rows:,.0f} rows and {happened}"
    known = read_table(session, node.schema or "public", node.relation)
    if known is not None and known.stale:
        yield Advice(f"ANALYZE {table}", f"{what}; it has changed much since its statistics were gathered")
        return
    conditions = _conditions(node)
    expressions = sorted({f"({c.expression})" for c in conditions if c.expression})
    columns = sorted({c.column for c in conditions if c.column})
    if expressions:
        yield Advice(
            f"CREATE STATISTICS ON {', '.join(expressions)} FROM {table}; ANALYZE {table}",
            f"{what}; PostgreSQL has no statistics on the expressions it is filtered by",
        )
    elif len(columns) > 1:
        yield Advice(
            f"CREATE STATISTICS (dependencies, mcv) ON {', '.join(map(_name, columns))} FROM {table}; "
            f"ANALYZE {table}",
            f"{what}; the columns of its filter go together, their selectivities were multiplied",
        )


def _conditions(node: Node) -> list[Condition]:
    roles = ("Filter", "Index Cond", "Recheck Cond")
    return [c for role in roles for c in read_condition(node.condition(role))]


def _indexes(node: Node) -> Iterator[Advice]:
    """A sequential scan that throws nearly everything away, or is repeated."""
    if node.operator != "Seq Scan" or node.actual is None:
        return
    removed, kept = node.actual.rows_removed, node.actual.rows
    keys = _index_keys(read_condition(node.condition("Filter")))
    if keys and removed * node.actual.loops > _UNINDEXED_ROWS and kept * _KEPT_SHARE < removed:
        yield Advice(
            f"CREATE INDEX ON {_qualified(node)} ({', '.join(keys)})",
            f"{removed:,.0f} rows of {node.relation} were read to keep {kept:,.0f}",
        )


def _index_keys(conditions: Sequence[Condition]) -> list[str]:
    """Equalities first, then one range: what follows a range in a B-tree does not narrow the search."""
    equal = [c for c in conditions if c.operator == "="]
    ranges = [c for c in conditions if c.operator in {"<", ">", "<=", ">="}][:1]
    keys = [_name(c.column) if c.column else f"({c.expression})" for c in (*equal, *ranges)]
    return list(dict.fromkeys(keys))


def _that_help(session: HintingSession, plan: Plan, text: str, indexes: Sequence[Advice]) -> Iterator[Advice]:
    """The indexes that the planner would use, by HypoPG; all of them where it is not installed."""
    schema = session.extension_schema("hypopg") if indexes and text else None
    if schema is None:
        yield from indexes
        return
    for one in indexes:
        cost = _cost_with(session, schema, text, one.statement)
        if cost is not None and cost < plan.cost:
            yield replace(
                one,
                reason=(
                    f"{one.reason}; with it the plan costs {cost:,.0f} instead of {plan.cost:,.0f} (HypoPG)"
                ),
            )


def _cost_with(session: HintingSession, schema: str, text: str, statement: str) -> float | None:
    """The plan's cost with a hypothetical index; None when it can't be made or isn't used."""
    try:
        ((name,),) = session.ask(
            f"select indexname::text from {schema}.hypopg_create_index(%s::text)", [statement]
        )
        with_index, _ = session.plan(text)
    except SessionError:
        return None
    finally:
        session.ask(f"select {schema}.hypopg_reset()")
    return with_index.cost if any(node.index == name for node in with_index.walk()) else None


def _qualified(node: Node) -> str:
    return ".".join(_name(part) for part in (node.schema, node.relation) if part)


def _name(name: str) -> str:
    return name if re.fullmatch(r"[a-z_][a-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'
