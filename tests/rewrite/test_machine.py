"""The machine as playbooks: `>>` a result goes in, `<<` a command comes out."""

from __future__ import annotations

import itertools

import pytest

from rewright.rewrite.machine.states import (
    TRANSITIONS,
    Command,
    Decide,
    Decided,
    Finish,
    Reason,
    Reasoned,
    Result,
    Signal,
    State,
    Stopped,
    Verified,
    Verify,
    advance,
    begin,
)
from rewright.rewrite.model import Candidate, Checked, Evidence, Weighed

A, B = Candidate("select 1"), Candidate("select 2")
CHECKED = Checked(A, Evidence("proved"))


def weighed(ratio: float, *, measured: bool = True, checked: Checked = CHECKED) -> Weighed:
    times = (1.0, ratio) if measured else (None, None)
    return Weighed(checked, 100.0, 100.0 * ratio, *times)


FAST, SLOW = weighed(0.2), weighed(0.8)
FOUND, NOTHING = Reasoned((A, B)), Reasoned((), "no opportunity was found")
PASSED, REJECTED = Verified((CHECKED,)), Verified((), ("refuted: they differ",))
GOOD = Decided((FAST,), FAST, satisfied=True)
MEDIOCRE = Decided((SLOW,), SLOW, satisfied=False, advice=("read the manual",))
USELESS = Decided((SLOW,), None, satisfied=False)
NO_GAIN = "no verified candidate is better by enough"


def play(rounds: int, *script: tuple[Result, Command]) -> None:
    run, command = begin(rounds)
    assert command == Reason(1)
    for result, expected in script:
        run, command = advance(run, result)
        assert command == expected
    assert isinstance(command, Finish)
    assert run.state is State.TERMINATION


def test_straight_through() -> None:
    play(
        2,
        (FOUND, Verify((A, B), last=False)),
        (PASSED, Decide((CHECKED,), last=False)),
        (GOOD, Finish(FAST, "")),
    )


def test_early_stop_without_an_opportunity() -> None:
    play(1, (NOTHING, Finish(None, "no opportunity was found")))


def test_a_first_round_that_finds_nothing_asks_what_is_known() -> None:
    nobody_knows, advised = (
        Decided((), None, satisfied=True),
        Decided((), None, satisfied=False, advice=("read",)),
    )
    play(2, (NOTHING, Decide((), last=False)), (nobody_knows, Finish(None, "no opportunity was found")))
    play(
        2,
        (NOTHING, Decide((), last=False)),
        (advised, Reason(2, (), ("read",))),
        (FOUND, Verify((A, B))),
        (PASSED, Decide((CHECKED,))),
        (GOOD, Finish(FAST, "")),
    )
    play(
        2,
        (NOTHING, Decide((), last=False)),
        (advised, Reason(2, (), ("read",))),
        (NOTHING, Finish(None, "no opportunity was found")),
    )


def test_back_from_verification_with_the_complaints() -> None:
    play(
        2,
        (FOUND, Verify((A, B), last=False)),
        (REJECTED, Reason(2, ("refuted: they differ",))),
        (FOUND, Verify((A, B))),
        (PASSED, Decide((CHECKED,))),
        (GOOD, Finish(FAST, "")),
    )


def test_verification_fails_in_the_last_round() -> None:
    play(1, (FOUND, Verify((A, B))), (REJECTED, Finish(None, "no candidate was shown to be the same query")))


@pytest.mark.parametrize(
    ("complaints", "reason"),
    [
        (("refuted: they differ",), "no candidate was shown to be the same query"),
        (
            ("bare_column: not faster when it was run", "unknown: "),
            "no candidate was shown to be the same query (1 more was not faster)",
        ),
        (
            ("bare_column: not faster when it was run",) * 2,
            "no candidate was faster when it was run (2 tried)",
        ),
    ],
)
def test_the_reason_tells_what_is_slow_from_what_is_not_shown(
    complaints: tuple[str, ...], reason: str
) -> None:
    play(1, (FOUND, Verify((A, B))), (Verified((), complaints), Finish(None, reason)))


def test_back_from_decision_with_advice_and_the_better_of_two_rounds_wins() -> None:
    play(
        2,
        (FOUND, Verify((A, B), last=False)),
        (PASSED, Decide((CHECKED,), last=False)),
        (MEDIOCRE, Reason(2, (), ("read the manual",))),
        (FOUND, Verify((A, B))),
        (PASSED, Decide((CHECKED,))),
        (GOOD, Finish(FAST, "")),
    )


def test_a_worse_second_round_does_not_lose_the_first() -> None:
    for second in (NOTHING, Stopped("out of time")):
        play(
            2,
            (FOUND, Verify((A, B), last=False)),
            (PASSED, Decide((CHECKED,), last=False)),
            (MEDIOCRE, Reason(2, (), ("read the manual",))),
            (second, Finish(SLOW, "")),
        )


def test_of_two_rounds_that_are_about_as_fast_the_stronger_evidence_wins() -> None:
    open_one = Checked(B, Evidence("proved", modulo=("errors",)))
    for ratio, taken in ((0.75, False), (0.4, True)):
        run, _ = begin(3)
        after = weighed(ratio, checked=open_one)
        for result in (FOUND, PASSED, MEDIOCRE, FOUND, PASSED, Decided((after,), after, satisfied=True)):
            run, command = advance(run, result)
        assert command == Finish(after if taken else SLOW, "")


def test_decision_finds_no_gain_until_the_rounds_are_spent() -> None:
    play(
        2,
        (FOUND, Verify((A, B), last=False)),
        (PASSED, Decide((CHECKED,), last=False)),
        (USELESS, Reason(2)),
        (FOUND, Verify((A, B))),
        (PASSED, Decide((CHECKED,))),
        (USELESS, Finish(None, NO_GAIN)),
    )


@pytest.mark.parametrize("before", [(), (FOUND,), (FOUND, PASSED)])
def test_stopped_anywhere_the_original_stands(before: tuple[Result, ...]) -> None:
    run, _ = begin(2)
    for result in before:
        run, _ = advance(run, result)
    _, command = advance(run, Stopped("out of time"))
    assert command == Finish(None, "out of time")


def test_an_estimate_never_overrules_a_measurement() -> None:
    guess = weighed(0.01, measured=False)
    for first, second in itertools.permutations((SLOW, guess)):
        run, _ = begin(2)
        for result in (FOUND, PASSED, Decided((first,), first, satisfied=False), FOUND, PASSED):
            run, _ = advance(run, result)
        _, command = advance(run, Decided((second,), second, satisfied=False))
        assert command == Finish(SLOW, "")


def test_what_may_only_be_proposed_never_overrules_what_may_be_served() -> None:
    proved, tested = (
        Decided((SLOW,), SLOW, satisfied=False),
        Decided((FAST,), FAST, satisfied=False, servable=False),
    )
    for first, second in itertools.permutations((proved, tested)):
        run, _ = begin(2)
        for result in (FOUND, PASSED, first, FOUND, PASSED):
            run, _ = advance(run, result)
        _, command = advance(run, second)
        assert command == Finish(SLOW, "")


def test_every_edge_is_in_the_table_and_leads_to_an_end() -> None:
    for state in set(State) - {State.TERMINATION}:
        assert TRANSITIONS[state, Signal.STOPPED] is State.TERMINATION
    assert not any(state is State.TERMINATION for state, _ in TRANSITIONS)


@pytest.mark.parametrize(
    ("state", "results"), [("reasoning", (PASSED, GOOD)), ("verification", (FOUND, GOOD))]
)
def test_a_result_of_another_state_is_refused(state: str, results: tuple[Result, ...]) -> None:
    run, _ = begin(2)
    if state == "verification":
        run, _ = advance(run, FOUND)
    for result in results:
        with pytest.raises(ValueError, match="does not belong"):
            advance(run, result)


def test_any_sequence_ends_within_the_rounds() -> None:
    choices: dict[State, tuple[Result, ...]] = {
        State.REASONING: (FOUND, NOTHING, Stopped("x")),
        State.VERIFICATION: (PASSED, REJECTED),
        State.DECISION: (GOOD, MEDIOCRE, USELESS),
    }
    for rounds in (1, 2, 3):
        ends = 0
        open_runs = [begin(rounds)[0]]
        while open_runs:
            run = open_runs.pop()
            for result in choices[run.state]:
                after, command = advance(run, result)
                assert after.round <= rounds
                if isinstance(command, Finish):
                    ends += 1
                else:
                    open_runs.append(after)
        assert ends > 3


def test_what_a_proof_leaves_open_is_said_in_words() -> None:
    proved = Evidence("proved", "tried", modulo=("errors", "float-order"))
    said = proved.shortfall("proved", frozenset({"float-order"}))
    assert "stop with an error where the other does not (errors)" in said
    assert "float" not in said
    assert Evidence("tested", "tried").shortfall("proved", frozenset()) == (
        "the best replacement is tested, proved is asked for"
    )
