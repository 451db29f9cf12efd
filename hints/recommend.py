"""The recommender: the smallest set of hints that makes the planner right.

QUITE §6 asks a model whether estimates look reasonable and which join methods fit; here the query is
executed, so the true row counts are known. First the joins' row counts are corrected, lowest first, until the
planner's new plan holds no known error (true cardinalities usually let it find the plan itself: Leis et al.,
VLDB 2015); then methods where a nested loop still stands on a wrong input (a scan's estimate cannot be
corrected by Rows), join order and methods of a plan that was found faster with a switch turned off, and the
CTE keywords. Every set is planned, executed within the best time so far, made smaller, and validated
(`rewright.hints.validate`).

Where the query may not be run, row counts come from logged executions and from judgements over the
statistics, and plans are compared by their price under those (`rewright.hints.pricing`). A model's dialogue
(`rewright.hints.dialogue`) only adds candidates.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rewright.engines.postgres.hinting import HintingSession
from rewright.hints.advice import Advice, advise
from rewright.hints.aliases import same_query, unique_aliases
from rewright.hints.base import HintSet, SetHint
from rewright.hints.cardinality import Estimate, estimates_of, supposed
from rewright.hints.levels import is_select, names_of
from rewright.hints.obedience import complaints
from rewright.hints.options import Options
from rewright.hints.pricing import price
from rewright.hints.result import Recommendation
from rewright.hints.search import Found, Source, minimal, obeyed, search, search_by_price
from rewright.hints.statistics import judge
from rewright.hints.trial import Planned, Trial
from rewright.hints.validate import Outcome, validate
from rewright.sql.plans import Plan

__all__ = ["Options", "Recommendation", "advised", "recommend"]

# of the time for advice, what the one execution may take
_RUN_SHARE = 0.5
# how many of the fastest sets are validated before giving up
TRIED = 4


def recommend(
    session: HintingSession,
    text: str,
    options: Options | None = None,
    *,
    strategy: Source | None = None,
    logged: Sequence[Plan] = (),
) -> Recommendation:
    """Hints for one SELECT, validated; never raises for a query that cannot be helped.

    ``session`` belongs to the optimiser and is read-only. ``strategy``: one more source of candidates (a
    model's dialogue); ``logged``: executed plans of the same statement, newest first, from a log.
    """
    options = options or Options()
    started = time.monotonic()
    text = _named_apart(session, text.strip().rstrip(";"))
    trial = Trial(session, text, options.run_seconds, started + options.budget_seconds, options.allow)
    # counts of a log are as good as those of a run
    for plan in logged:
        trial.known.learn(estimates_of(plan, trial.names))
    done = _recommend(session, trial, options, (strategy,) if strategy else (), logged)
    return replace(done, spent_seconds=time.monotonic() - started)


def advised(session: HintingSession, text: str, options: Options | None = None) -> tuple[Advice, ...]:
    """What would make the planner right or spare it work, without a search for hints: the query is executed
    once, where it may be.

    Never raises for a query that cannot be helped.
    """
    options = options or Options()
    until = time.monotonic() + options.budget_seconds
    named = _named_apart(session, text.strip().rstrip(";"))
    # what is slow is what is asked about: its run must leave time to try indexes
    limit = min(options.run_seconds, _RUN_SHARE * options.budget_seconds)
    trial = Trial(session, named, limit, until, options.allow)
    base = trial.plan(HintSet())
    # what the server refuses, or writes, gets no advice
    if base is None or not is_select(trial.text):
        return ()
    # where it may not run, statistics have to say what they leave open
    if not options.execute or trial.seconds(base, patience=1.0) is None:
        _judged(session, trial, base)
    estimates, executed = _table(trial, base)
    return advise(session, executed or base.plan, estimates, trial.judgements, trial.text, trial.deadline)


def _recommend(
    session: HintingSession,
    trial: Trial,
    options: Options,
    sources: Sequence[Source],
    logged: Sequence[Plan],
) -> Recommendation:
    base = trial.plan(HintSet())
    if refusal := _refusal(session, trial, base):
        return Recommendation(trial.text, HintSet(), refusal)
    assert base is not None
    nothing = Recommendation(trial.text, HintSet(), "no hint made it faster", cost_before=base.plan.cost)
    # where nothing may be run, or it would take too long, estimates have to do
    if not options.execute or base.plan.cost > options.max_cost:
        return _by_price(session, trial, options, base, nothing, sources, logged)
    seconds = trial.seconds(base, patience=1.0)
    # Stopped before its end it has taught no row counts: what the statistics leave open takes their place.
    if seconds is None:
        _judged(session, trial, base)
    found = search(trial, base, seconds, options, sources)
    estimates, executed = _table(trial, base)
    nothing = replace(
        nothing,
        estimates=estimates,
        judgements=trial.judgements,
        seconds_before=seconds,
        stopped_at=None if seconds is not None else trial.limit,
        advice=advise(
            session, executed or base.plan, estimates, trial.judgements, trial.text, trial.deadline
        ),
    )
    if seconds is None:
        nothing = replace(nothing, reason=f"neither it nor any plan tried ended within {trial.limit:.0f} s")
    return _validated(trial, options, base, nothing, found)


def _validated(
    trial: Trial, options: Options, base: Planned, nothing: Recommendation, found: Iterable[Found]
) -> Recommendation:
    """The best set that proves to be faster; ``nothing``, with the reason, where there is none."""
    seconds = nothing.seconds_before
    for candidate in sorted(found, key=lambda f: f.figure)[:TRIED]:
        # hints that change nothing are dropped: fewer of them stay right for longer when data change
        smallest = _smallest(trial, obeyed(trial, candidate, base), options)
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


def _by_price(
    session: HintingSession,
    trial: Trial,
    options: Options,
    base: Planned,
    nothing: Recommendation,
    sources: Sequence[Source],
    logged: Sequence[Plan],
) -> Recommendation:
    """Without running anything: sets that are obeyed and cheaper under what is known or supposed of row
    counts.
    """
    _judged(session, trial, base)
    estimates = tuple(e for plan in logged[:1] for e in estimates_of(plan, trial.names))
    seen = next(iter(logged), base.plan)
    before = price(base.plan, trial.names, trial.rows)
    nothing = replace(
        nothing,
        reason="it was not run, and nothing known of its row counts makes another plan cheaper",
        cost_before=before,
        estimates=estimates,
        judgements=trial.judgements,
        advice=advise(session, seen, estimates, trial.judgements, trial.text, trial.deadline),
    )
    for candidate in sorted(search_by_price(trial, base, options, sources), key=lambda f: f.figure)[:TRIED]:
        smallest = _smallest(trial, obeyed(trial, candidate, base, execute=False), options)
        planned = smallest.planned
        why = complaints(smallest.hints, planned.plan, planned.report, base.plan, trial.names)
        after = price(planned.plan, trial.names, trial.rows)
        # obeyed, and cheaper even under the row counts that speak against the planner
        if not why and after <= before * (1 - options.min_gain):
            return replace(
                nothing,
                hints=smallest.hints,
                reason="cheaper under the row counts of the log"
                if logged
                else "cheaper under the row counts that the statistics leave open; not run",
                reasons=smallest.reasons,
                cost_after=after,
            )
    return nothing


def _smallest(trial: Trial, found: Found, options: Options) -> Found:
    if not options.settings:
        # settings reach the whole query, and are not wanted everywhere
        bare = HintSet(tuple(hint for hint in found.hints if not isinstance(hint, SetHint)))
        planned = trial.plan(bare)
        found = replace(found, hints=bare, planned=planned) if planned else found
    return minimal(trial, found) if options.small else found


def _judged(session: HintingSession, trial: Trial, base: Planned) -> None:
    trial.judgements = judge(session, base.plan, trial.names)
    trial.supposed.update(supposed(trial.judgements, base.plan, trial.names))


def _named_apart(session: HintingSession, text: str) -> str:
    """The text with unique aliases, where it is certain that nothing else changes; else as it is."""
    if not names_of(text).repeated:
        return text
    made = unique_aliases(text)
    if made is None or made == text:
        return text
    return made if same_query(text, made, session.catalog, session.search_path()) else text


def _refusal(session: HintingSession, trial: Trial, base: Planned | None) -> str:
    # Somebody has chosen hints for it already, and pg_hint_plan reads one comment only.
    if "/*+" in trial.text:
        return "the text already holds a hint comment"
    if not is_select(trial.text):
        return "only a SELECT gets hints"
    if base is None:
        return (
            f"the server does not plan it: {trial.refused}"
            if trial.refused
            else "the server does not plan it"
        )
    if not trial.names.relations:
        return "there is nothing to join"
    if _calls_user_code(session, trial.names.functions):
        return "it calls functions whose own queries the hints would reach"
    return ""


def _calls_user_code(session: HintingSession, functions: frozenset[str]) -> bool:
    """Functions in SQL or procedural languages plan queries of their own, under the same hints."""
    rows = session.ask(
        "select 1 from pg_proc p join pg_language l on l.oid = p.prolang"
        " where p.proname = any(%s) and l.lanname not in ('internal', 'c') and p.pronamespace <> "
        "'pg_catalog'::regnamespace limit 1",
        [sorted(functions)],
    )
    return bool(rows)


def _table(trial: Trial, base: Planned) -> tuple[tuple[Estimate, ...], Plan | None]:
    """Estimate against actual: of the plan as it is, else of any that could be executed."""
    # another plan's row counts are the same query's
    executed = trial.executed.get(base.plan.shape) or next(iter(trial.executed.values()), None)
    return (tuple(estimates_of(executed, trial.names)) if executed else ()), executed
