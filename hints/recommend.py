"""The deterministic recommender: the smallest set of hints that makes the planner right.

QUITE §6 asks a model whether estimates look reasonable and which join methods fit; here the query is executed,
so the true row counts are known. First the joins' row counts are corrected, lowest first, until the planner's new
plan holds no known error (true cardinalities usually let it find the plan itself: Leis et al., VLDB 2015);
then methods where a nested loop still stands on a wrong input (a scan's estimate cannot be corrected by Rows),
join order and methods of a plan that was found faster with a switch turned off, and the CTE keywords.
Every set is planned, executed within the best time so far, made smaller, and validated (`hints.validate`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from engines.postgres.hinting import HintingSession
from hints import moves
from hints.advice import Advice, advise
from hints.aliases import same_query, unique_aliases
from hints.base import Hint, HintSet, HintSyntaxError, Materialize
from hints.cardinality import Estimate, estimates_of
from hints.ctes import cte_references
from hints.levels import names_of
from hints.moves import Move
from hints.names import UnwritableName
from hints.obedience import complaints, obeyed_part
from hints.trial import Planned, Trial
from hints.validate import Outcome, validate
from sql.plans import Plan

# what is turned off, one at a time, to see other plans: teaches row counts when the planner's own
# plan cannot be run to its end
# seconds from which other plans are looked for by turning switches off
WORTH_EXPLORING = 0.05

# how many of the fastest sets are validated before giving up
TRIED = 4

SWITCHES = ("enable_nestloop", "enable_hashjoin", "enable_mergejoin", "enable_material", "enable_memoize")


@dataclass(frozen=True, slots=True)
class Options:
    """Limits of one recommendation. Seconds throughout.

    ``run_seconds``: what one execution may take; ``budget_seconds``: all of it; ``min_gain``: the share of time that
    hints must save; ``repeats``: timed runs each in the validation; ``execute``: False plans only (cost decides).
    """

    run_seconds: float = 30.0
    budget_seconds: float = 120.0
    min_gain: float = 0.10
    repeats: int = 3
    rounds: int = 8
    execute: bool = True


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What was found for one query. ``hints`` is empty when nothing helps, with the ``reason``. The hints are for
    ``text``: the query, its aliases made unique where they repeat.

    ``seconds_before`` is None when the query was stopped at its limit. ``estimates`` compare the planner's
    row counts with the true ones on the original plan (or on one that could be run).
    """

    text: str
    hints: HintSet
    reason: str
    reasons: tuple[str, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    cost_before: float = 0.0
    cost_after: float | None = None
    seconds_before: float | None = None
    seconds_after: float | None = None
    advice: tuple[Advice, ...] = ()
    spent_seconds: float = 0.0

    def to_json(self) -> dict[str, object]:
        return {
            "hints": str(self.hints),
            "comment": self.hints.comment(),
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
            "cost_before": self.cost_before,
            "cost_after": self.cost_after,
            "seconds_before": self.seconds_before,
            "seconds_after": self.seconds_after,
            "advice": [{"statement": a.statement, "reason": a.reason} for a in self.advice],
            "seconds": round(self.spent_seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class _Found:
    hints: HintSet
    reasons: tuple[str, ...]
    planned: Planned
    seconds: float


def recommend(session: HintingSession, text: str, options: Options | None = None) -> Recommendation:
    """Hints for one SELECT, validated; never raises for a query that cannot be helped.

    ``session`` belongs to the optimiser and is read-only.
    """
    options = options or Options()
    started = time.monotonic()
    text = _named_apart(session, text.strip().rstrip(";"))
    trial = Trial(session, text, options.run_seconds, started + options.budget_seconds)
    done = _recommend(session, trial, options)
    return replace(done, spent_seconds=time.monotonic() - started)


def _recommend(session: HintingSession, trial: Trial, options: Options) -> Recommendation:
    base = trial.plan(HintSet())
    if refusal := _refusal(session, trial, base):
        return Recommendation(trial.text, HintSet(), refusal)
    assert base is not None
    nothing = Recommendation(trial.text, HintSet(), "no hint made it faster", cost_before=base.plan.cost)
    if not options.execute:
        return replace(nothing, reason="estimates are only judged when the query may be run")
    seconds = trial.seconds(base, patience=1.0)
    found = _search(trial, base, seconds, options)
    estimates, executed = _table(trial, base)
    nothing = replace(
        nothing, estimates=estimates, seconds_before=seconds, advice=advise(session, executed, estimates)
    )
    for candidate in sorted(found, key=lambda f: f.seconds)[:TRIED]:
        smallest = _minimal(trial, _obeyed(trial, candidate, base))
        outcome = validate(trial, smallest.hints, base, seconds, options.min_gain, options.repeats)
        if isinstance(outcome, Outcome):
            return replace(
                nothing,
                hints=smallest.hints,
                reason="validated",
                reasons=smallest.reasons,
                cost_after=smallest.planned.plan.cost,
                seconds_before=outcome.seconds_before,
                seconds_after=outcome.seconds_after,
            )
        nothing = replace(nothing, reason=f"hints were tried and refused: {outcome}")
    return nothing


def _named_apart(session: HintingSession, text: str) -> str:
    """The text with unique aliases, where it is certain that nothing else changes; else as it is."""
    if not names_of(text).repeated:
        return text
    made = unique_aliases(text)
    if made is None or made == text:
        return text
    path = [str(schema) for (schema,) in session.fetch("select unnest(current_schemas(false))::text")]
    return made if same_query(text, made, session.catalog, path) else text


def _refusal(session: HintingSession, trial: Trial, base: Planned | None) -> str:
    if "/*+" in trial.text:
        return "the text already holds a hint comment"
    if base is None:
        return "the server does not plan it"
    if not trial.names.relations:
        return "there is nothing to join"
    if _calls_user_code(session, trial.names.functions):
        return "it calls functions whose own queries the hints would reach"
    return ""


def _calls_user_code(session: HintingSession, functions: frozenset[str]) -> bool:
    """Functions in SQL or procedural languages plan queries of their own, under the same hints."""
    rows = session.ask(
        "select 1 from pg_proc p join pg_language l on l.oid = p.prolang"
        " where p.proname = any(%s) and l.lanname not in ('internal', 'c') and p.pronamespace <> 'pg_catalog'::regnamespace limit 1",
        [sorted(functions)],
    )
    return bool(rows)


# --------------------------------------------------------------------------- search


def _search(trial: Trial, base: Planned, base_seconds: float | None, options: Options) -> list[_Found]:
    """Sets that were executed and beat the query as it is."""
    threshold = base_seconds if base_seconds is not None else options.run_seconds
    found: list[_Found] = []
    sources: list[_Source] = [_cte_candidates]
    if trial.session.support.extension:
        sources = [_cte_candidates, _correct_rows, _fix_methods, _imitate_explored, _cte_candidates, _memoize]
        if base.plan.joins and (base_seconds is None or base_seconds > WORTH_EXPLORING):
            _explore(trial)
    for source in sources:
        best = min(found, key=lambda f: f.seconds, default=None)
        for hints, reasons in source(trial, best.planned if best else base, best, options):
            if trial.out_of_time:
                return found
            planned = trial.plan(hints)
            if planned is None or planned.plan.shape == base.plan.shape:
                continue
            seconds = trial.seconds(planned)
            if seconds is not None and seconds < threshold:
                found.append(_Found(hints, reasons, planned, seconds))
    return found


_Candidate = tuple[HintSet, tuple[str, ...]]
_Source = Callable[[Trial, Planned, "_Found | None", Options], Iterator[_Candidate]]


def _extend(best: _Found | None, found: Iterable[Move], trial: Trial) -> _Candidate | None:
    """The best set so far with these moves in it."""
    hints = best.hints if best else HintSet(moves.companions(trial.names))
    reasons = best.reasons if best else ()
    moved = False
    for move in found:
        try:
            hints = hints.with_hint(move.hint)
        except (HintSyntaxError, UnwritableName):
            continue
        reasons = (*reasons, move.reason)
        moved = True
    return (moves.with_collapse_limits(hints), reasons) if moved else None


def _explore(trial: Trial) -> None:
    for switch in SWITCHES:
        if not trial.out_of_time:
            trial.explore({switch: "off"})


def _correct_rows(trial: Trial, base: Planned, best: _Found | None, options: Options) -> Iterator[_Candidate]:
    """Correct known errors, re-plan, learn the new plan's row counts, and so on."""
    current, plan = best, base.plan
    for _ in range(options.rounds):
        candidate = _extend(current, moves.row_corrections(plan, trial.names, trial.known.rows), trial)
        if candidate is None:
            return
        yield candidate
        planned = trial.plan(candidate[0])
        if planned is None:
            return
        current, plan = _Found(*candidate, planned, 0.0), planned.plan


def _fix_methods(trial: Trial, base: Planned, best: _Found | None, options: Options) -> Iterator[_Candidate]:
    """Nested loops on inputs that are larger than planned; again on the plan that comes out."""
    current, plan = best, base.plan
    for _ in range(options.rounds):
        candidate = _extend(current, moves.better_methods(plan, trial.names, trial.known.rows), trial)
        if candidate is None:
            return
        yield candidate
        planned = trial.plan(candidate[0])
        if planned is None or planned.plan.shape == plan.shape:
            return
        current, plan = _Found(*candidate, planned, 0.0), planned.plan


def _imitate_explored(
    trial: Trial, base: Planned, best: _Found | None, _options: Options
) -> Iterator[_Candidate]:
    """Methods, and methods with order, of the fastest plan that was executed under a switch."""
    done = sorted(trial.executed.values(), key=lambda plan: plan.execution_seconds or 0.0)
    for better in done[:2]:
        found = list(moves.imitate(better, base.plan, trial.names))
        methods = [move for move in found if type(move.hint).__name__ == "JoinHint"]
        for chosen in (methods, found):
            for start in (None, best):
                candidate = _extend(start, chosen, trial)
                if candidate:
                    yield candidate


def _cte_candidates(
    trial: Trial, base: Planned, best: _Found | None, _options: Options
) -> Iterator[_Candidate]:
    references = cte_references(trial.text)
    for move in moves.cte_moves(references, base.plan):
        candidate = _extend(best, [move], trial) if best else (HintSet((move.hint,)), (move.reason,))
        if candidate:
            yield candidate
    if len(references) > 1:
        every = list(moves.cte_moves(references, base.plan))
        if len(every) > 1:
            yield HintSet(tuple(move.hint for move in every)), tuple(move.reason for move in every)


def _memoize(trial: Trial, base: Planned, best: _Found | None, _options: Options) -> Iterator[_Candidate]:
    candidate = _extend(best, moves.memoize_moves(base.plan, trial.names, trial.known.rows), trial)
    if candidate:
        yield candidate


def _obeyed(trial: Trial, found: _Found, base: Planned) -> _Found:
    """The same plan asked for outright, where the hints found it only by repelling the planner from others."""
    planned = found.planned
    if not complaints(found.hints, planned.plan, planned.report, base.plan, trial.names):
        return found
    kept = [hint for hint in found.hints if isinstance(hint, Materialize)]
    pinned = moves.with_collapse_limits(
        HintSet((*moves.companions(trial.names), *kept, *moves.pin(planned.plan, trial.names)))
    )
    for hints in (obeyed_part(found.hints, planned.plan, trial.names), pinned):
        again = trial.plan(hints)
        if again is None or complaints(hints, again.plan, again.report, base.plan, trial.names):
            continue
        seconds = trial.seconds(again)
        if seconds is not None and seconds <= 1.1 * found.seconds + 0.005:
            return _Found(hints, found.reasons, again, seconds)
    return found


def _minimal(trial: Trial, found: _Found) -> _Found:
    """Drop every hint without which the same plan comes out."""
    hints = found.hints
    for hint in sorted(found.hints, key=_dispensable):
        smaller = hints.without(hint)
        planned = trial.plan(smaller)
        if planned and planned.plan.shape == found.planned.plan.shape:
            hints = smaller
    planned = trial.plan(hints)
    assert planned is not None
    kept = (
        tuple(dict.fromkeys(found.reasons)) if len(hints) == len(found.hints) else _reasons_for(hints, found)
    )
    return _Found(hints, kept, planned, found.seconds)


def _dispensable(hint: Hint) -> int:
    """Rows age worst and go first; a keyword on a CTE needs no extension and stays."""
    order = ("Rows", "MemoizeHint", "Leading", "JoinHint", "SetHint", "Materialize")
    return order.index(type(hint).__name__) if type(hint).__name__ in order else 0


def _reasons_for(hints: HintSet, found: _Found) -> tuple[str, ...]:
    """Reasons that speak of relations the remaining hints name."""
    words = [", ".join(sorted(getattr(hint, "aliases", ()))) for hint in hints]
    words += [hint.cte for hint in hints if isinstance(hint, Materialize)]
    kept = tuple(r for r in dict.fromkeys(found.reasons) if any(w and w in r for w in words))
    return kept or tuple(dict.fromkeys(found.reasons))


def _table(trial: Trial, base: Planned) -> tuple[tuple[Estimate, ...], Plan | None]:
    """Estimate against actual: of the plan as it is, else of any that could be executed."""
    executed = trial.executed.get(base.plan.shape) or next(iter(trial.executed.values()), None)
    return (tuple(estimates_of(executed, trial.names)) if executed else ()), executed
