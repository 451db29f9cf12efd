"""Advice besides hints: what would make them unnecessary. Said, never done.

A DBA prefers the cause: fresh statistics, extended statistics for columns that go together, statistics on an
expression, an index.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewright.engines.postgres.hinting import HintingSession
from rewright.hints.cardinality import Estimate, Judgement
from rewright.hints.conditions import Condition, read_condition
from rewright.hints.hypothetical import Hypothetical, missing
from rewright.hints.indexes import Index, is_asked_again, keys_of_scan, quoted, settled, wanted, whole
from rewright.hints.statistics import read_table
from rewright.sql.plans import Node, Plan


@dataclass(frozen=True, slots=True)
class Advice:
    """A statement to consider, with the reason."""

    statement: str
    reason: str


# q-error from which on an estimate is a reason to look for its cause
WRONG = 3.0
# an index is advised where a scan throws away so many rows, and keeps less than one in _KEPT_SHARE
_UNINDEXED_ROWS = 20_000
_KEPT_SHARE = 50
# a table that is read again and again from this many rows on
_SCANNED = 1_000


def advise(
    session: HintingSession,
    plan: Plan,
    estimates: Sequence[Estimate],
    judgements: Sequence[Judgement] = (),
    text: str = "",
    until: float = math.inf,
) -> tuple[Advice, ...]:
    """Advice for the scans of a plan whose estimates were wrong, or are doubted; at most one of a kind a
    table.

    With ``text``, indexes are tried with HypoPG where that is installed, until ``until`` on the monotonic
    clock, and left out if the planner would not use them.
    """
    wrong = {e.aliases: _was(e) for e in estimates if not e.is_join and e.q_error >= WRONG}
    measured = {e.aliases for e in estimates}
    for one in judgements:
        # what a scan gave when it ran is worth more than what it may give
        if one.aliases in measured:
            continue
        wrong.setdefault(one.aliases, f"may give up to {one.high:,.0f}")
    statistics: list[Advice] = []
    for node in plan.walk():
        if node.relation and (happened := wrong.get(frozenset({node.alias}))):
            statistics += _statistics(session, node, happened)
    kept = [*dict.fromkeys(statistics), *_indexes(session, plan, text, until)]
    # reversed twice: of two pieces of advice with one statement the first stays
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
    # one column of its own has statistics already: they are wrong for another reason
    elif len(columns) > 1:
        yield Advice(
            f"CREATE STATISTICS (dependencies, mcv) ON {', '.join(map(quoted, columns))} FROM {table}; "
            f"ANALYZE {table}",
            f"{what}; the columns of its filter go together, their selectivities were multiplied",
        )


def _conditions(node: Node) -> list[Condition]:
    roles = ("Filter", "Index Cond", "Recheck Cond")
    return [c for role in roles for c in read_condition(node.condition(role))]


def _indexes(session: HintingSession, plan: Plan, text: str, until: float) -> Iterator[Advice]:
    """Indexes that the planner would take, by HypoPG; those that the plan itself is evidence of where it is
    not installed.
    """
    # without a text there is nothing to plan again
    schema = session.extension_schema("hypopg") if text else None
    if schema is None:
        yield from _evident(session, plan)
        return
    seen = {one.statement: one.reason for one in _evident(session, plan)}
    trial = Hypothetical(session, schema, text, until)
    candidates = [made for index in wanted(plan) if (made := settled(index, session.catalog)) is not None]
    found = trial.helpful(plan, missing(session, candidates))
    if found is None:
        return
    # HypoPG knows no partitioned tables: what was tried on each partition is named for them all
    named = tuple(dict.fromkeys(whole(index, session.catalog) for index in found.indexes))
    those = "it" if len(named) == 1 else f"these {len(named)} indexes"
    for index in named:
        why = seen.get(index.statement, f"rows of {index.relation} are looked for by {', '.join(index.keys)}")
        yield Advice(
            index.statement,
            f"{why}; with {those} the plan costs {found.after:,.0f} instead of {found.before:,.0f} (HypoPG)",
        )


def _evident(session: HintingSession, plan: Plan) -> Iterator[Advice]:
    """For a sequential scan that throws nearly everything away, or is repeated for each row outside."""
    for node in plan.walk():
        # an index scan that throws much away has its index
        if node.operator == "Seq Scan" and node.relation:
            why = _waste(session, node)
            index = settled(Index(node.schema, node.relation, keys_of_scan(node)), session.catalog)
            if why and index is not None and index.keys and missing(session, [index]):
                yield Advice(whole(index, session.catalog).statement, why)


def _waste(session: HintingSession, node: Node) -> str:
    """What a scan reads in vain, in words; empty where that is not much, or not known."""
    if node.actual is not None:
        removed, kept = node.actual.rows_removed, node.actual.rows
        # so much is thrown away, and so little kept, that an index pays
        much = removed * node.actual.loops > _UNINDEXED_ROWS and kept * _KEPT_SHARE < removed
        return f"{removed:,.0f} rows of {node.relation} were read to keep {kept:,.0f}" if much else ""
    known = read_table(session, node.schema or "public", node.relation)
    again = is_asked_again(node)
    # asked again for each row outside, a small table is worth an index, too
    if known is None or known.rows < max(_SCANNED if again else _UNINDEXED_ROWS, node.rows * _KEPT_SHARE):
        return ""
    what = f"{known.rows:,.0f} rows of {node.relation} would be read to keep about {node.rows:,.0f}"
    return f"for each row outside {what}" if again else what


def _qualified(node: Node) -> str:
    return ".".join(quoted(part) for part in (node.schema, node.relation) if part)
