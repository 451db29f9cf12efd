"""What a recommendation holds, and its JSON form."""

from __future__ import annotations

from dataclasses import dataclass

from rewright.hints.advice import Advice
from rewright.hints.base import HintSet
from rewright.hints.cardinality import Estimate, Judgement


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What was found for one query. ``hints`` is empty when nothing helps, with the ``reason``. The hints are
    for
    ``text``: the query, its aliases made unique where they repeat.

    ``seconds_before`` is None when the query was not run to its end (``stopped_at``: the limit it ran into).
    ``estimates`` compare the planner's row counts with the true ones on the original plan (or on one that
    could be run); ``judgements`` are doubts without a run. Costs are in the planner's units; where nothing
    was run they are prices under the row counts that are known or supposed.
    """

    text: str
    hints: HintSet
    reason: str
    reasons: tuple[str, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    cost_before: float = 0.0
    cost_after: float | None = None
    seconds_before: float | None = None
    seconds_after: float | None = None
    stopped_at: float | None = None
    advice: tuple[Advice, ...] = ()
    spent_seconds: float = 0.0

    @property
    def measured(self) -> bool:
        return self.seconds_after is not None

    def to_json(self) -> dict[str, object]:
        return {
            "hints": str(self.hints),
            "comment": self.hints.comment(),
            "measured": self.measured,
            "reason": self.reason,
            "reasons": list(self.reasons),
            "estimates": [
                {
                    "relations": sorted(e.aliases),
                    "operator": e.operator,
                    "estimated": e.estimated,
                    "actual": e.actual,
                    "q_error": round(e.q_error, 2),
                }
                for e in self.estimates
            ],
            "judgements": [
                {
                    "relations": sorted(j.aliases),
                    "operator": j.operator,
                    "estimated": j.estimated,
                    "low": round(j.low, 1),
                    "high": round(j.high, 1),
                    "reason": j.reason,
                    "source": j.source,
                }
                for j in self.judgements
            ],
            "cost_before": self.cost_before,
            "cost_after": self.cost_after,
            "seconds_before": self.seconds_before,
            "seconds_after": self.seconds_after,
            "stopped_at": self.stopped_at,
            "advice": [{"statement": a.statement, "reason": a.reason} for a in self.advice],
            "seconds": round(self.spent_seconds, 3),
        }
