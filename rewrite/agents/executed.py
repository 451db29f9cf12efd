"""What the operators of both plans really did: one run of each under EXPLAIN ANALYZE after the decision,
where runs are allowed and there is time.

Nothing is decided by these runs. Must not know agents or the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rewright.rewrite.agents.report import resources, tree
from rewright.rewrite.model import Deadline, Settings, Weighed
from rewright.rewrite.ports import DatabaseError, Inspector

# the share of the time left that one of the two may take
_SHARE = 0.25
# reading the clock at every row may make a plan that many times slower (manual, 14.1.2)
_INSTRUMENTED = 3.0
# seconds that a short one may take, whatever was measured of it
_LEAST = 0.2


def with_executed_plans(
    sql: str, best: Weighed, inspector: Inspector, settings: Settings, deadline: Deadline
) -> Mapping[str, Any]:
    """The report of ``best`` with executed plans in the place of those that were only made; the original's
    only where ``measure`` lets it run. A plan whose run does not end in time stays as it was.
    """
    plans: dict[str, Mapping[str, Any]] = {}
    for side, text, seconds in (
        ("after", best.checked.candidate.sql, best.seconds_after),
        ("before", sql, best.seconds_before if settings.measure == "both" else None),
    ):
        if (found := _executed(text, seconds, inspector, settings, deadline)) is not None:
            plans[side] = found
    return _put_in(best.report, plans)


def _executed(
    text: str, seconds: float | None, inspector: Inspector, settings: Settings, deadline: Deadline
) -> Mapping[str, Any] | None:
    # an unknown time may be an hour
    if seconds is None or settings.measure not in {"run", "both"} or deadline.passed:
        return None
    allowed = min(settings.run_timeout, deadline.left() * _SHARE)
    # one that would not end is not begun
    if seconds >= allowed:
        return None
    try:
        found = inspector.executed(text, min(allowed, _INSTRUMENTED * seconds + _LEAST))
    except DatabaseError:
        return None
    return None if found is None else found.plan


def _put_in(report: Mapping[str, Any], plans: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    if not plans or "plan" not in report:
        return report
    trees = {**report["plan"]["trees"], **{side: tree(plan) for side, plan in plans.items()}}
    used = {**report["resources"], **{side: resources(plan) for side, plan in plans.items()}}
    return {**report, "plan": {**report["plan"], "trees": trees}, "resources": used}
