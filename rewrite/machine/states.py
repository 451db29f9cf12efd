"""The machine: Reasoning, Verification, Decision, Termination (QUITE §4.2, Algorithm 1). Pure: results in,
commands out.

What may live in this file: the states, the signals, the one table of transitions, and the fold of a result
over a run. No clock, no model, no server, no text of SQL is looked at here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import assert_never

from rewright.rewrite.model import Candidate, Checked, Weighed
from rewright.rewrite.weighing import as_good, standing


class State(Enum):
    REASONING = "reasoning"
    VERIFICATION = "verification"
    DECISION = "decision"
    TERMINATION = "termination"


class Signal(Enum):
    FOUND = "candidates were found"
    NOTHING = "no opportunity was found"
    PASSED = "a candidate passed verification"
    SATISFIED = "a candidate is good enough"
    STUCK = "nothing was found, but what is known was not looked up yet"
    AGAIN = "another round may help"
    SPENT = "no round is left"
    STOPPED = "out of time, or an agent failed"


TRANSITIONS: dict[tuple[State, Signal], State] = {
    (State.REASONING, Signal.FOUND): State.VERIFICATION,
    (State.REASONING, Signal.STUCK): State.DECISION,
    (State.REASONING, Signal.NOTHING): State.TERMINATION,
    (State.REASONING, Signal.STOPPED): State.TERMINATION,
    (State.VERIFICATION, Signal.PASSED): State.DECISION,
    (State.VERIFICATION, Signal.AGAIN): State.REASONING,
    (State.VERIFICATION, Signal.SPENT): State.TERMINATION,
    (State.VERIFICATION, Signal.STOPPED): State.TERMINATION,
    (State.DECISION, Signal.SATISFIED): State.TERMINATION,
    (State.DECISION, Signal.AGAIN): State.REASONING,
    (State.DECISION, Signal.SPENT): State.TERMINATION,
    (State.DECISION, Signal.STOPPED): State.TERMINATION,
}


# --------------------------------------------------------------------------- what agents report


@dataclass(frozen=True, slots=True)
class Reasoned:
    """New candidates, best first. None: no opportunity is left, the run ends early. ``notes``: what went
    wrong with a model.
    """

    candidates: tuple[Candidate, ...]
    reason: str = ""
    notes: tuple[str, ...] = ()


# of a candidate that was run and therefore not checked
NOT_FASTER = "not faster when it was run"


@dataclass(frozen=True, slots=True)
class Fallen:
    """What came of one candidate that did not pass. ``slower``: it ran, and no faster than the original.

    ``estimated``: its estimated cost as a share of the original's, where both are known.
    """

    candidate: Candidate
    complaint: str
    slower: bool = False
    estimated: float | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """Candidates that are the same query by the checker, why the others are not (a message each), and which
    they are.
    ``notes``: what went wrong with a model.
    """

    passed: tuple[Checked, ...]
    complaints: tuple[str, ...] = ()
    fallen: tuple[Fallen, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decided:
    """``best``: better by enough, or None. ``satisfied``: no further round is worth its time. ``ask``: a
    model may be asked in the rounds that follow, since nothing that may be served gains yet. ``servable``:
    whether the best may be served, and not only proposed.
    """

    weighed: tuple[Weighed, ...]
    best: Weighed | None
    satisfied: bool
    advice: tuple[str, ...] = ()
    ask: bool = True
    servable: bool = True


@dataclass(frozen=True, slots=True)
class Stopped:
    """Time is up, or an agent failed: the best that is verified and weighed stands, else the original."""

    reason: str


Result = Reasoned | Verified | Decided | Stopped


# --------------------------------------------------------------------------- what the machine asks for


@dataclass(frozen=True, slots=True)
class Reason:
    """``ask``: whether a model may be asked."""

    round: int
    complaints: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    ask: bool = True


@dataclass(frozen=True, slots=True)
class Verify:
    """``last``: no round follows in which others may be found."""

    candidates: tuple[Candidate, ...]
    last: bool = True


@dataclass(frozen=True, slots=True)
class Decide:
    """``last``: as for `Verify`."""

    checked: tuple[Checked, ...]
    last: bool = True


@dataclass(frozen=True, slots=True)
class Finish:
    """The end: ``best`` or, where it is None, the original, and why. ``notes``: what
    went wrong with a model.
    """

    best: Weighed | None
    reason: str
    notes: tuple[str, ...] = ()


Command = Reason | Verify | Decide | Finish


@dataclass(frozen=True, slots=True)
class Run:
    """Where a run stands. ``round`` counts from 1 to ``rounds`` (T_max). ``servable``: of the best."""

    rounds: int
    state: State = State.REASONING
    round: int = 1
    best: Weighed | None = None
    servable: bool = True
    candidates: int = 0
    passed: int = 0
    complaints: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    reason: str = ""
    ask: bool = True
    notes: tuple[str, ...] = ()


def begin(rounds: int) -> tuple[Run, Command]:
    """A new run and its first command."""
    return Run(max(1, rounds)), Reason(1)


def advance(run: Run, result: Result) -> tuple[Run, Command]:
    """The run after ``result``, and what is to be done next.

    Raises ValueError when the result is not one of the run's state: a bug of the driver.
    """
    signal = _signal(run, result)
    key = (run.state, signal)
    # each state takes its own kind of result, or that it stopped
    if key not in TRANSITIONS:
        raise ValueError(f"{type(result).__name__} does not belong to the state {run.state.value}")
    run = _absorb(run, result)
    after = TRANSITIONS[key]
    if after is State.REASONING:
        # only the way back to Reasoning begins a round
        run = replace(run, round=run.round + 1)
    run = replace(run, state=after)
    return run, _command(run, result)


def _signal(run: Run, result: Result) -> Signal:
    match result:
        case Reasoned(candidates=candidates):
            if candidates:
                return Signal.FOUND
            # a first round that fails leads to Decision, which looks up what is known
            return Signal.STUCK if run.round == 1 < run.rounds else Signal.NOTHING
        case Verified(passed=passed):
            return Signal.PASSED if passed else _again(run)
        case Decided(satisfied=satisfied):
            return Signal.SATISFIED if satisfied else _again(run)
        case Stopped():
            return Signal.STOPPED
        case _:
            assert_never(result)


def _again(run: Run) -> Signal:
    return Signal.AGAIN if run.round < run.rounds else Signal.SPENT


def _absorb(run: Run, result: Result) -> Run:
    if isinstance(result, Reasoned | Verified):
        # the same complaint of a model in two rounds is told once
        run = replace(run, notes=tuple(dict.fromkeys((*run.notes, *result.notes))))
    match result:
        case Reasoned():
            if result.candidates:
                # whatever was wrong before, there are candidates again
                return replace(run, candidates=run.candidates + len(result.candidates), reason="")
            # a later round that finds nothing new ends the run for the reason that called for it
            return replace(run, reason=run.reason or result.reason or "no opportunity was found")
        case Verified():
            reason = "" if result.passed else _none_passed(result.complaints)
            return replace(
                run, passed=run.passed + len(result.passed), complaints=result.complaints, reason=reason
            )
        case Decided():
            best, servable = _better((run.best, run.servable), (result.best, result.servable))
            # nothing was weighed now, but candidates were found before: they did not gain
            found = result.weighed or run.candidates
            reason = "" if best else "no verified candidate is better by enough" if found else run.reason
            # once a servable result is there, no model is asked in any later round
            ask = run.ask and result.ask
            return replace(run, best=best, servable=servable, advice=result.advice, reason=reason, ask=ask)
        case Stopped():
            return replace(run, reason=result.reason)
        case _:
            assert_never(result)


def _none_passed(complaints: Sequence[str]) -> str:
    """What to tell people. Candidates that ran and were not faster need no proof, and are not said to lack
    one.
    """
    idle = sum(c.endswith(NOT_FASTER) for c in complaints)
    if idle and idle == len(complaints):
        return f"no candidate was faster when it was run ({idle} tried)"
    others = f" ({idle} more {'was' if idle == 1 else 'were'} not faster)" if idle else ""
    return f"no candidate was shown to be the same query{others}"


def _better(
    old: tuple[Weighed | None, bool], new: tuple[Weighed | None, bool]
) -> tuple[Weighed | None, bool]:
    """The bests of two rounds, each with whether it may be served: what may be is never overruled by what may
    only be proposed, a measurement never by an estimate, nor by a worse measurement. Of two that are about as
    good the one with the stronger evidence stays.
    """
    before, after = old[0], new[0]
    if before is None or after is None:
        return new if before is None else old
    if old[1] != new[1]:
        return old if old[1] else new
    if before.measured != after.measured:
        return old if before.measured else new
    # without figures of both there is no reason to change
    if before.ratio is None or after.ratio is None:
        return old
    faster, slower = (after, before) if after.ratio < before.ratio else (before, after)
    stronger = standing(slower.checked.evidence) < standing(faster.checked.evidence)
    best = slower if stronger and as_good(slower, faster) else faster
    return new if best is after else old


def _command(run: Run, result: Result) -> Command:
    match run.state:
        case State.REASONING:
            return Reason(run.round, run.complaints, run.advice, run.ask)
        case State.VERIFICATION:
            assert isinstance(result, Reasoned)
            return Verify(result.candidates, run.round >= run.rounds)
        case State.DECISION:
            assert isinstance(result, Reasoned | Verified)
            # from Reasoning with nothing found: Decision looks up advice
            return Decide(result.passed if isinstance(result, Verified) else (), run.round >= run.rounds)
        case State.TERMINATION:
            # the reason is for what was not found
            return Finish(run.best, run.reason if run.best is None else "", run.notes)
        case _:
            assert_never(run.state)
