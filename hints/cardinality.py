"""Where the planner is wrong: estimates against what happened, per scan and join.

Reads executed plans. A node that was not run to its end (under a LIMIT, in a semi-join, below a merge join
that stopped early) tells less than the truth and is left out of what is learnt. Must not know hints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rewright.hints.levels import Names, level_aliases
from rewright.sql.plans import Node, Plan

# how far from the estimate the likely row count must be to doubt it
DOUBT = 3.0
# operators that read all of their input before they give the first row
_BLOCKING = frozenset({"Sort", "Aggregate", "Hash", "Materialize", "WindowAgg", "SetOp"})


@dataclass(frozen=True, slots=True)
class Estimate:
    """One nameable node: rows expected and rows seen, both in all (not per loop)."""

    aliases: frozenset[str]
    operator: str
    estimated: float
    actual: float
    is_join: bool

    @property
    def q_error(self) -> float:
        # below one row all estimates are alike
        a, b = max(self.estimated, 1.0), max(self.actual, 1.0)
        return max(a / b, b / a)


@dataclass(slots=True)
class Knowledge:
    """True row counts by set of aliases, gathered over executed plans of one query."""

    rows: dict[frozenset[str], float] = field(default_factory=dict)

    def learn(self, estimates: list[Estimate]) -> bool:
        """Take them in; whether something new was among them."""
        before = len(self.rows)
        for estimate in estimates:
            # The first count stays: all plans of one query over the same data give the same.
            self.rows.setdefault(estimate.aliases, estimate.actual)
        return len(self.rows) > before


def estimates_of(plan: Plan, names: Names) -> list[Estimate]:
    """Estimate against actual for each node that ran once to its end, lowest first."""
    return list(_estimates(plan.root, names, complete=True))


def _estimates(node: Node, names: Names, *, complete: bool) -> Iterator[Estimate]:
    for child in node.children:
        # a sort above reads all of its input even where its own rows are not all taken
        inside = complete if child.operator not in _BLOCKING else True
        yield from _estimates(child, names, complete=inside and _runs_to_end(node, child))
    actual = node.actual
    # Of a node that is repeated, EXPLAIN shows the mean of its loops, rounded.
    if not complete or actual is None or actual.loops != 1 or not (node.is_join or node.alias):
        return
    aliases = level_aliases(node, names)
    if aliases:
        yield Estimate(aliases, node.operator, node.rows, actual.rows, node.is_join)


def _runs_to_end(parent: Node, child: Node) -> bool:
    if parent.operator == "Limit":
        return False
    # A merge join stops when one side ends: the other one has not given all its rows, unless it was read
    # before.
    if parent.operator == "Merge Join":
        return child.operator in {"Sort", "Materialize"}
    if child.relationship == "Inner" and parent.operator == "Nested Loop":
        # a semi-join stops at the first match, as does an inner side with unique keys
        return parent.join_type not in {"Semi", "Anti"} and not parent.inner_unique
    return True


def wrong_joins(
    plan: Plan, names: Names, known: Mapping[frozenset[str], float], threshold: float
) -> list[tuple[Node, frozenset[str], float]]:
    """Joins of a (not executed) plan whose estimate contradicts what is known: (node, aliases, true rows),
    lowest first.
    """
    found = []
    # lowest first: a correction below changes the estimates above
    for node in reversed(plan.joins):
        aliases = level_aliases(node, names)
        if aliases is None or aliases not in known:
            continue
        true = known[aliases]
        a, b = max(node.rows, 1.0), max(true, 1.0)
        if max(a / b, b / a) >= threshold:
            found.append((node, aliases, true))
    return found


@dataclass(frozen=True, slots=True)
class Judgement:
    """An estimate that is doubted without having been run: rows ``low`` to ``high`` may be true, for
    ``reason``.

    ``source``: statistics, or model.
    """

    aliases: frozenset[str]
    operator: str
    estimated: float
    low: float
    high: float
    reason: str
    source: str

    @property
    def likely(self) -> float:
        """The middle of the range on a logarithmic scale: it is wrong by the same factor on both sides at
        most.
        """
        return max(1.0, math.sqrt(max(self.low, 1.0) * max(self.high, 1.0)))

    @property
    def unreasonable(self) -> bool:
        # the middle of the range may be far from the estimate even where its edge is not
        return not (self.low <= self.estimated <= self.high) or self.likely >= DOUBT * max(
            self.estimated, 1.0
        )


def supposed(judgements: Sequence[Judgement], plan: Plan, names: Names) -> dict[frozenset[str], float]:
    """Row counts that follow from judgements: of what was judged, and of the plan's joins above it, which are
    scaled by as much as their inputs.
    """
    factor: dict[frozenset[str], float] = {}
    for one in judgements:
        if one.unreasonable:
            # the first judgement of a node, statistics before a model
            factor.setdefault(one.aliases, one.likely / max(one.estimated, 1.0))
    rows = {one.aliases: one.likely for one in judgements if one.aliases in factor}
    for node in plan.joins:
        aliases = level_aliases(node, names)
        # what is inside another node's aliases scales it, each judgement once
        inside = [f for known, f in factor.items() if aliases and known < aliases]
        if aliases and aliases not in rows and inside:
            rows[aliases] = max(1.0, node.rows * math.prod(inside))
    return rows
