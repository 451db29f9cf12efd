"""The life of a rewrite: the one table of what may become of it. Nothing else may live here.

States and words are those of the documentation (docs/reference/relations.md). Must not know how rewrites are
kept or who asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class State(StrEnum):
    PROPOSED = "proposed"
    ACTIVE = "active"
    PINNED = "pinned"
    RETIRED = "retired"
    REJECTED = "rejected"


class Level(StrEnum):
    """The verdict's kind: how strong the evidence of sameness is."""

    PROVED = "proved"
    TESTED = "tested"
    JUDGED = "judged"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Action(StrEnum):
    ACTIVATE = "activate"  # the evidence reaches the configured trust
    APPROVE = "approve"  # a person
    REJECT = "reject"  # a person
    PIN = "pin"  # a person
    RETIRE = "retire"  # a person, a failure, a schema fact gone, superseded
    EXPIRE = "expire"  # slower than the original in practice
    PROPOSE = "propose"  # found again with new evidence


TRANSITIONS: Mapping[tuple[State, Action], State] = {
    (State.PROPOSED, Action.ACTIVATE): State.ACTIVE,
    (State.PROPOSED, Action.APPROVE): State.ACTIVE,
    (State.PROPOSED, Action.REJECT): State.REJECTED,
    (State.PROPOSED, Action.PIN): State.PINNED,
    (State.PROPOSED, Action.RETIRE): State.RETIRED,
    (State.PROPOSED, Action.EXPIRE): State.RETIRED,
    (State.PROPOSED, Action.PROPOSE): State.PROPOSED,
    (State.ACTIVE, Action.ACTIVATE): State.ACTIVE,
    (State.ACTIVE, Action.APPROVE): State.ACTIVE,
    (State.ACTIVE, Action.REJECT): State.REJECTED,
    (State.ACTIVE, Action.PIN): State.PINNED,
    (State.ACTIVE, Action.RETIRE): State.RETIRED,
    (State.ACTIVE, Action.EXPIRE): State.RETIRED,
    (State.PINNED, Action.APPROVE): State.PINNED,
    (State.PINNED, Action.ACTIVATE): State.PINNED,
    (State.PINNED, Action.REJECT): State.REJECTED,
    (State.PINNED, Action.PIN): State.PINNED,
    (State.PINNED, Action.RETIRE): State.RETIRED,
    # no (PINNED, EXPIRE): a pinned rewrite is not retired for slowness
    (State.RETIRED, Action.APPROVE): State.ACTIVE,
    (State.RETIRED, Action.REJECT): State.REJECTED,
    (State.RETIRED, Action.PIN): State.PINNED,
    (State.RETIRED, Action.RETIRE): State.RETIRED,
    (State.RETIRED, Action.PROPOSE): State.PROPOSED,
    # what a person rejected only a person brings back
    (State.REJECTED, Action.APPROVE): State.ACTIVE,
    (State.REJECTED, Action.PIN): State.PINNED,
    (State.REJECTED, Action.REJECT): State.REJECTED,
}

SERVED_STATES = frozenset({State.ACTIVE, State.PINNED})
BY_PEOPLE = frozenset({Action.APPROVE, Action.PIN})
TRUST_ORDER = (Level.PROVED, Level.TESTED, Level.JUDGED)


class IllegalTransition(Exception):
    """The rewrite is in a state in which this cannot be done to it."""


def next_state(state: State, action: Action, level: Level) -> State:
    """Where ``action`` leads from ``state``; raises IllegalTransition.

    >>> next_state(State.PROPOSED, Action.APPROVE, Level.TESTED)
    <State.ACTIVE: 'active'>
    """
    after = TRANSITIONS.get((state, action))
    if after is None:
        raise IllegalTransition(f"cannot {action} a rewrite that is {state}")
    if after in SERVED_STATES and level is Level.REFUTED:
        raise IllegalTransition("a refuted rewrite is never active")
    return after


def allowed(state: State, action: Action, level: Level) -> bool:
    """Whether `next_state` would lead anywhere.

    >>> allowed(State.PROPOSED, Action.APPROVE, Level.REFUTED)
    False
    """
    try:
        next_state(state, action, level)
    except IllegalTransition:
        return False
    return True


def reaches(level: Level, trust: Level) -> bool:
    """Whether evidence of kind ``level`` is at least as strong as ``trust``."""
    return level in TRUST_ORDER[: TRUST_ORDER.index(trust) + 1] if trust in TRUST_ORDER else False
