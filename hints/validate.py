"""Validation: a hint set is kept only if it was obeyed, changes nothing but time, and saves enough of it.

Runs alternate between the query as it is and with hints, medians are compared, and a query that was stopped
at its limit counts with that limit (a lower bound). A statement that errors or times out with hints is a
refusal.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from rewright.engines.postgres.session import Run, SessionError
from rewright.hints.base import HintSet
from rewright.hints.obedience import complaints
from rewright.hints.trial import Planned, Trial

# seconds: less is noise, and not worth a hint that ages
WORTH_SAVING = 0.010
# below this share of the time the gain is no noise
CLEAR = 0.75


@dataclass(frozen=True, slots=True)
class Outcome:
    """Median seconds of both; ``seconds_before`` None when the query never ended."""

    seconds_before: float | None
    seconds_after: float


def validate(
    trial: Trial, hints: HintSet, base: Planned, base_seconds: float | None, min_gain: float, repeats: int
) -> Outcome | str:
    """The outcome, or why the set is refused."""
    planned = trial.plan(hints)
    if planned is None:
        return "the server does not plan it with these hints"
    if disobeyed := complaints(hints, planned.plan, planned.report, base.plan, trial.names):
        return "; ".join(disobeyed)
    if not trial.allow():
        return "no more runs are allowed"
    # a clear loser is stopped; a short original leaves room for noise
    limit = trial.limit if base_seconds is None else max(2 * base_seconds, 0.2)
    hinted: list[Run] = []
    plain: list[Run] = []
    try:
        for round_ in range(2):
            for turn in range(max(1, repeats)):
                hinted.append(trial.session.run(planned.text, stop_after=limit))
                # an original of many seconds is run once
                if base_seconds is not None and (turn + round_ == 0 or base_seconds < 5):
                    plain.append(trial.session.run(trial.text, stop_after=4 * limit))
            if not plain or _median(hinted) < CLEAR * _median(plain) or trial.out_of_time:
                break  # a small gain is looked at twice
    except SessionError as error:
        return f"the server refused it: {error}"
    # stopped, its duration says nothing
    if not all(run.finished for run in hinted + plain):
        return "it ran into the time limit"
    # hints change plans, never answers; a table may have been written to
    if len({run.digest for run in hinted + plain}) > 1:
        return "the answers differ between runs"
    after = _median(hinted)
    before = _median(plain) if plain else None
    # the original never ended within its limit: it takes longer than that
    bound = before if before is not None else trial.limit
    if after > bound * (1 - min_gain) or bound - after < WORTH_SAVING:
        return f"it saves less than {min_gain:.0%}: {bound:.3f} s to {after:.3f} s"
    if _costs_as_much_cpu(plain, hinted, min_gain):
        return (
            "the time it saves is not seen in the server's CPU time: noise, or work moved to other processors"
        )
    return Outcome(before, after)


def _median(runs: list[Run]) -> float:
    return statistics.median(run.duration for run in runs)


def _costs_as_much_cpu(plain: list[Run], hinted: list[Run], min_gain: float) -> bool:
    """Where the server is here its CPU time is known, which other load does not stretch."""
    before, after = ([run.cpu for run in runs if run.cpu is not None] for runs in (plain, hinted))
    # CPU times of some runs cannot be compared
    if not before or len(before) < len(plain) or len(after) < len(hinted):
        return False
    return statistics.median(after) > (1 - min_gain) * statistics.median(before)
