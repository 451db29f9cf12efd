"""The deterministic search for hint sets: which are tried, in which order, on what grounds.

Owns the sources of candidates (corrected row counts, methods, what a faster plan did, CTE keywords, caches)
and the greedy walk over them. Must not know how a set is validated or told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rewright.hints import moves
from rewright.hints.base import Hint, HintSet, HintSyntaxError, Leading, Materialize
from rewright.hints.ctes import cte_references
from rewright.hints.moves import Move
from rewright.hints.names import UnwritableName
from rewright.hints.obedience import complaints, obeyed_part
from rewright.hints.options import Options
from rewright.hints.pricing import price
from rewright.hints.trial import Planned, Trial

# seconds from which other plans are looked for by turning switches off
WORTH_EXPLORING = 0.05

# what is turned off together, to see other plans: teaches row counts when the planner's own plan cannot be
# run to its end, and shows orders and methods to imitate. Joins only: the time of a plan that no join hint
# brings
# about would be the limit of those that can be
SWITCHES: tuple[tuple[str, ...], ...] = (
    ("enable_nestloop",),
    ("enable_hashjoin",),
    ("enable_mergejoin",),
    ("enable_nestloop", "enable_mergejoin"),
    ("enable_material",),
    ("enable_memoize",),
)
# and where scan hints are asked for
SCAN_SWITCHES: tuple[tuple[str, ...], ...] = (
    ("enable_bitmapscan",),
    ("enable_indexscan", "enable_bitmapscan"),
)

# the fastest plans seen that are imitated
IMITATED = 3

Candidate = tuple[HintSet, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Found:
    """A set that was planned. ``figure``: what it is ranked by, seconds of its execution or its price."""

    hints: HintSet
    reasons: tuple[str, ...]
    planned: Planned
    figure: float


Source = Callable[[Trial, Planned, Found | None, Options], Iterator[Candidate]]


def search(
    trial: Trial, base: Planned, base_seconds: float | None, options: Options, extra: Sequence[Source] = ()
) -> list[Found]:
    """Sets that were executed and beat the query as it is."""
    # A query that was stopped took longer than its limit: any plan that ends before it is faster.
    threshold = base_seconds if base_seconds is not None else options.run_seconds
    found: list[Found] = []
    sources: list[Source] = [_cte_candidates]
    if trial.session.support.extension:
        sources = [
            _cte_candidates,
            _correct_rows,
            _fix_methods,
            *extra,
            _imitate_explored,
            _cte_candidates,
            _memoize,
        ]
        # a query this short is not worth a run of each other plan
        if base.plan.joins and (base_seconds is None or base_seconds > WORTH_EXPLORING):
            _explore(trial, SWITCHES + (SCAN_SWITCHES if options.scans else ()))
    for source in sources:
        # Each source builds on the best that those before it have found.
        best = min(found, key=lambda f: f.figure, default=None)
        for hints, reasons in source(trial, best.planned if best else base, best, options):
            if trial.out_of_time:
                return found
            planned = trial.plan(hints)
            # Hints that leave the plan as it is are no advice, whatever time a second run of it takes.
            if planned is None or planned.plan.shape == base.plan.shape:
                continue
            seconds = trial.seconds(planned)
            if seconds is not None and seconds < threshold:
                found.append(Found(hints, reasons, planned, seconds))
    return found


def search_by_price(
    trial: Trial, base: Planned, options: Options, extra: Sequence[Source] = ()
) -> list[Found]:
    """Sets whose plan is cheaper than the query's own under the row counts that are known or supposed;
    nothing runs.
    """
    limit = price(base.plan, trial.names, trial.rows)
    found: list[Found] = []
    sources: list[Source] = [_cte_candidates]
    if trial.session.support.extension:
        # nothing is explored by price: estimates of other plans hold the same errors
        sources = [_correct_rows, _fix_methods, *extra, _cte_candidates]
    for source in sources:
        best = min(found, key=lambda f: f.figure, default=None)
        for hints, reasons in source(trial, best.planned if best else base, best, options):
            planned = trial.plan(hints)
            if trial.out_of_time or planned is None or planned.plan.shape == base.plan.shape:
                continue
            cost = price(planned.plan, trial.names, trial.rows)
            # the limit is the original's price under the same row counts
            if cost < limit * (1 - options.min_gain):
                found.append(Found(hints, reasons, planned, cost))
    return found


def extend(best: Found | None, found: Iterable[Move], trial: Trial) -> Candidate | None:
    """The best set so far with these moves in it."""
    hints = best.hints if best else HintSet(moves.companions(trial.names))
    reasons = best.reasons if best else ()
    moved = False
    for move in found:
        try:
            hints = hints.with_hint(move.hint)
        # A name with a quote or a control character cannot be written in a hint: the other moves remain.
        except (HintSyntaxError, UnwritableName):
            continue
        reasons = (*reasons, move.reason)
        moved = True
    return (moves.with_collapse_limits(hints), reasons) if moved else None


def _explore(trial: Trial, switches: Sequence[Sequence[str]]) -> None:
    for off in switches:
        # each switch costs a run at least
        if not trial.out_of_time:
            trial.explore(dict.fromkeys(off, "off"))


def _correct_rows(trial: Trial, base: Planned, best: Found | None, options: Options) -> Iterator[Candidate]:
    """Correct known errors, re-plan, learn the new plan's row counts, and so on."""
    current, plan = best, base.plan
    for _ in range(options.rounds):
        candidate = extend(
            current, moves.row_corrections(plan, trial.names, trial.rows, verb=trial.verb), trial
        )
        if candidate is None:
            return
        yield candidate
        # corrected once, the planner shows other joins, whose rows may be wrong as well
        planned = trial.plan(candidate[0])
        if planned is None:
            return
        current, plan = Found(*candidate, planned, 0.0), planned.plan


def _fix_methods(trial: Trial, base: Planned, best: Found | None, options: Options) -> Iterator[Candidate]:
    """Nested loops on inputs that are larger than planned; again on the plan that comes out."""
    current, plan = best, base.plan
    for _ in range(options.rounds):
        candidate = extend(
            current, moves.better_methods(plan, trial.names, trial.rows, verb=trial.verb), trial
        )
        if candidate is None:
            return
        yield candidate
        planned = trial.plan(candidate[0])
        # the same plan again: there is nothing more to move
        if planned is None or planned.plan.shape == plan.shape:
            return
        current, plan = Found(*candidate, planned, 0.0), planned.plan


def _imitate_explored(
    trial: Trial, base: Planned, best: Found | None, options: Options
) -> Iterator[Candidate]:
    """Methods, and methods with order, of the fastest plan that was executed under a switch."""
    done = sorted(trial.executed.values(), key=lambda plan: plan.execution_seconds or 0.0)
    for better in done[:IMITATED]:
        found = list(moves.imitate(better, base.plan, trial.names))
        # methods alone first: they need fewer hints than methods with an order
        methods = [move for move in found if type(move.hint).__name__ == "JoinHint"]
        choices = [methods, found]
        if options.scans:
            choices.append([*found, *moves.scan_moves(better, base.plan, trial.names)])
        for chosen in choices:
            # Alone as well: the hints of the best set may keep the planner from the plan that is imitated.
            for start in (None, best):
                candidate = extend(start, chosen, trial)
                if candidate:
                    yield candidate


def _cte_candidates(
    trial: Trial, base: Planned, best: Found | None, _options: Options
) -> Iterator[Candidate]:
    references = cte_references(trial.text)
    for move in moves.cte_moves(references, base.plan):
        candidate = extend(best, [move], trial) if best else (HintSet((move.hint,)), (move.reason,))
        if candidate:
            yield candidate
    # two CTEs may only gain together
    if len(references) > 1:
        every = list(moves.cte_moves(references, base.plan))
        if len(every) > 1:
            yield HintSet(tuple(move.hint for move in every)), tuple(move.reason for move in every)


def _memoize(trial: Trial, base: Planned, best: Found | None, _options: Options) -> Iterator[Candidate]:
    candidate = extend(best, moves.memoize_moves(base.plan, trial.names, trial.rows), trial)
    if candidate:
        yield candidate


def obeyed(trial: Trial, found: Found, base: Planned, *, execute: bool = True) -> Found:
    """The same plan asked for outright, where the hints found it only by repelling
    the planner from others.
    """
    planned = found.planned
    if not complaints(found.hints, planned.plan, planned.report, base.plan, trial.names):
        return found
    # keywords are no hints of the extension and stay whatever the plan is
    kept = [hint for hint in found.hints if isinstance(hint, Materialize)]
    pinned = moves.with_collapse_limits(
        HintSet((*moves.companions(trial.names), *kept, *moves.pin(planned.plan, trial.names)))
    )
    # first the hints that show, then everything pinned: fewer hints age better
    for hints in (obeyed_part(found.hints, planned.plan, trial.names), pinned):
        again = trial.plan(hints)
        if again is None or complaints(hints, again.plan, again.report, base.plan, trial.names):
            continue
        # not executed: the price decides, within a tenth of what was found
        if not execute:
            cost = price(again.plan, trial.names, trial.rows)
            if cost <= found.figure * 1.1:
                return Found(hints, found.reasons, again, cost)
            continue
        seconds = trial.seconds(again)
        # A tenth and five milliseconds are the noise between two runs of one plan.
        if seconds is not None and seconds <= 1.1 * found.figure + 0.005:
            return Found(hints, found.reasons, again, seconds)
    return found


def minimal(trial: Trial, found: Found) -> Found:
    """Drop every hint without which the same plan comes out."""
    hints = found.hints
    for hint in sorted(found.hints, key=_dispensable):
        smaller = hints.without(hint)
        planned = trial.plan(smaller)
        # without it the same plan comes out: it decided nothing
        if planned and planned.plan.shape == found.planned.plan.shape:
            hints = smaller
    planned = trial.plan(hints)
    assert planned is not None
    return Found(hints, reasons_for(hints, found.reasons), planned, found.figure)


def _dispensable(hint: Hint) -> int:
    """Rows age worst and go first; a keyword on a CTE needs no extension and stays."""
    order = ("Rows", "MemoizeHint", "Leading", "JoinHint", "SetHint", "Materialize")
    return order.index(type(hint).__name__) if type(hint).__name__ in order else 0


def reasons_for(hints: HintSet, reasons: Sequence[str]) -> tuple[str, ...]:
    """Reasons that speak of relations the remaining hints name; an order's where an order remains."""
    words = [", ".join(sorted(getattr(hint, "aliases", ()))) for hint in hints]
    words += [hint.cte for hint in hints if isinstance(hint, Materialize)]
    if any(isinstance(hint, Leading) for hint in hints):
        words.append("join order")
    said = [re.compile(rf"(?<!\w){re.escape(word)}(?!\w)") for word in words if word]
    kept = tuple(r for r in dict.fromkeys(reasons) if any(one.search(r) for one in said))
    # no reason names what is left: all are told
    return kept or tuple(dict.fromkeys(reasons))
