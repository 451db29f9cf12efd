"""Whether a gain that only EXPLAIN shows may be believed.

Estimates are wrong in ways that are known. Pages read by an index count as random reads each time, also of
a subquery that runs for each row and finds them in memory; a LIMIT is expected to find its rows early,
wherever they are; subqueries in a join's filter may not be counted; recursions have a fixed number of rows.
Owns what a plan costs where these do not hold. Must not know servers or runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rewright.rewrite.agents.report import nodes
from rewright.rewrite.model import Candidate, Explained
from rewright.rewrite.ports import Database, DatabaseError

# times the gain that a run must show: estimates err more
ESTIMATED = 2.0
_CHEAPER = 0.95
"""The share of their price at which pages are counted to learn what they cost: near enough to one that the
server keeps its plan.
"""
# what makes two plans one: a plan that changes with the price of pages cannot be compared with itself
_SHAPE = ("Node Type", "Join Type", "Strategy", "Relation Name", "Index Name", "Plan Rows")


@dataclass(frozen=True, slots=True)
class Estimates:
    """Judges gains by the plans of ``database``. ``original`` is the text that is to be replaced; ``gain``:
    the least share by which a candidate must be cheaper.
    """

    original: str
    database: Database
    gain: float

    def believed(self, candidate: Candidate, before: Explained, after: Explained) -> bool:
        """Whether the candidate is also cheaper at its most expensive, and where all pages are in memory. A
        candidate whose steps estimates misjudge has no gain that they could show.
        """
        # a blind rule's gain is not in the estimates: what they show of it is chance
        if candidate.cost is None and candidate.source == "rules":
            return False
        if not self._cheaper(before.cost, late_cost(after)):
            return False
        ours = self._in_memory(self.original, before, lambda known: known.cost)
        theirs = self._in_memory(candidate.sql, after, late_cost)
        # where pages cheaper give another plan nothing is known of it: the first comparison stands
        return ours is None or theirs is None or self._cheaper(ours, theirs)

    def _cheaper(self, before: float, after: float) -> bool:
        return after <= (1.0 - self.gain) * before

    def _in_memory(self, sql: str, usual: Explained, price: Callable[[Explained], float]) -> float | None:
        """What the plan costs without its pages; None where it is another plan when they cost less. A plan's
        cost is linear in the price of a page.
        """
        try:
            cheaper = self.database.explain_with_pages(sql, _CHEAPER)
        except DatabaseError:
            return None
        if _shape(cheaper.plan) != _shape(usual.plan):
            return None
        # linear in the price: what 5 % less saves, times twenty, is what all pages cost
        pages = (price(usual) - price(cheaper)) / (1.0 - _CHEAPER)
        return max(price(usual) - pages, 0.0)


def _shape(plan: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(node.get(name) for name in _SHAPE) for node in nodes(plan)]


def late_cost(known: Explained) -> float:
    """What a plan costs if LIMITs that run again and again, over rows that a filter leaves, find their rows
    only at the end, and subqueries in a join's filter run for each row of its larger input.
    """
    return known.cost + sum(
        times * (_not_early(node) * (times > 1) + _not_counted(node))
        for node, times in _repeated(known.plan, 1.0)
    )


def _repeated(node: Mapping[str, Any], times: float) -> Iterator[tuple[Mapping[str, Any], float]]:
    """All nodes, each with how often it is expected to run."""
    yield node, times
    inputs = _inputs(node)
    for child in node.get("Plans", ()):
        kind = child.get("Parent Relationship")
        again = 1.0
        # the inner side runs once for each row of the outer one
        if kind == "Inner" and node.get("Node Type") == "Nested Loop":
            again = _rows(inputs[0])
        # a subplan runs for each row of the node that it hangs on; an InitPlan once
        elif kind == "SubPlan":
            again = _rows(node)
        yield from _repeated(child, times * max(again, 1.0))


def _inputs(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [n for n in node.get("Plans", ()) if n.get("Parent Relationship") not in {"SubPlan", "InitPlan"}]


def _rows(node: Mapping[str, Any]) -> float:
    return float(node.get("Plan Rows", 1))


def _total(node: Mapping[str, Any]) -> float:
    return float(node.get("Total Cost", 0.0))


def _not_early(node: Mapping[str, Any]) -> float:
    """The part of its input's cost that a LIMIT over filtered rows is expected not to need."""
    inputs = _inputs(node)
    if node.get("Node Type") != "Limit" or not inputs:
        return 0.0
    # without a filter below the first rows are as good as any: the LIMIT does stop early
    if not any("Filter" in n for n in nodes(inputs[0]) if n.get("Parent Relationship") != "SubPlan"):
        return 0.0
    # what stopping early is expected to save
    return max(_total(inputs[0]) - _total(node), 0.0)


def _not_counted(node: Mapping[str, Any]) -> float:
    """What subqueries in a join's filter cost beyond what is in the join's total (see `Plan.work`)."""
    inputs = _inputs(node)
    again = [
        n
        for n in node.get("Plans", ())
        if n.get("Parent Relationship") == "SubPlan"
        # a SubPlan is counted where it is named in the filter; elsewhere it is in the node's own total
        and f"({n.get('Subplan Name')})" in node.get("Join Filter", "")
    ]
    if len(inputs) < 2 or not again:
        return 0.0
    # the filter may be asked of each row of the larger input, or of each that comes out
    runs = max(_rows(n) for n in (node, *inputs))
    return max(sum(map(_total, inputs)) + runs * sum(map(_total, again)) - _total(node), 0.0)
