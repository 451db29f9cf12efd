"""The table of lives, as a whole."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewright.store.life import (
    SERVED_STATES,
    TRANSITIONS,
    Action,
    IllegalTransition,
    Level,
    State,
    next_state,
    reaches,
)

STEPS = st.lists(st.sampled_from(list(Action)), max_size=20)


@given(STEPS)
def test_refuted_is_never_served(actions: list[Action]) -> None:
    state = State.PROPOSED
    for action in actions:
        try:
            state = next_state(state, action, Level.REFUTED)
        except IllegalTransition:
            continue
        assert state not in SERVED_STATES


def test_slowness_does_not_retire_what_is_pinned() -> None:
    with pytest.raises(IllegalTransition):
        next_state(State.PINNED, Action.EXPIRE, Level.PROVED)


def test_only_people_bring_back_what_was_rejected() -> None:
    back = {
        action
        for action in Action
        if TRANSITIONS.get((State.REJECTED, action), State.REJECTED) is not State.REJECTED
    }
    assert back == {Action.APPROVE, Action.PIN}


@pytest.mark.parametrize("state", list(State))
def test_people_can_always_reject(state: State) -> None:
    assert next_state(state, Action.REJECT, Level.PROVED) is State.REJECTED


def test_trust_is_an_order() -> None:
    served = {(level, trust) for level, trust in itertools.product(Level, Level) if reaches(level, trust)}
    assert (Level.PROVED, Level.JUDGED) in served
    assert (Level.JUDGED, Level.TESTED) not in served
    assert not any(level in {Level.UNKNOWN, Level.REFUTED} for level, _ in served)
