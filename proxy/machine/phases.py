"""The phases of an established session, in one table; docs and tests print it.

Only what may be in which phase, and what leads from one to another. Must not know what is done on the way.

- FORWARDING: whole pieces go both ways; messages of interest are looked at as they pass.
- WAITING: an exchange is to take a message over, and open cycles have to end first. The client is held back.
- EXCHANGING: an exchange has the client's message in its hands and talks to the server. The client is held
  back.
- RUNNING: a replacement was sent; its first message decides whether it is served. The client's Sync goes
  along.
- PASSING_THROUGH: nothing is looked at any more; the session is a relay.
- BROKEN: the client was told that its session is lost, because a message of its was in the hands of an
  exchange.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Phase(Enum):
    FORWARDING = "forwarding"
    WAITING = "waiting"
    EXCHANGING = "exchanging"
    RUNNING = "running"
    PASSING_THROUGH = "passing through"
    BROKEN = "broken"


class Event(Enum):
    """``LOST``: something that the protocol does not explain, or a mistake of ours, while both ends go on;
    ``ENDS``: the same once the server or the client has said that the session ends, so that nobody need be
    told.
    """

    SPECIAL = "a message for an exchange"
    BEGUN = "no cycle is open: the exchange begins"
    SKIPPED = "the cycle failed: the server skips the message"
    RUN = "a replacement is sent"
    DECIDED = "it is served, or swallowed"
    ENDED = "the exchange is over"
    LOST = "lost track"
    ENDS = "the session ends"


TRANSITIONS: Mapping[Phase, Mapping[Event, Phase]] = {
    Phase.FORWARDING: {
        Event.SPECIAL: Phase.WAITING,
        Event.LOST: Phase.PASSING_THROUGH,
        Event.ENDS: Phase.PASSING_THROUGH,
    },
    Phase.WAITING: {
        Event.BEGUN: Phase.EXCHANGING,
        Event.SKIPPED: Phase.FORWARDING,
        Event.LOST: Phase.PASSING_THROUGH,
        Event.ENDS: Phase.PASSING_THROUGH,
    },
    Phase.EXCHANGING: {
        Event.RUN: Phase.RUNNING,
        Event.ENDED: Phase.FORWARDING,
        Event.LOST: Phase.BROKEN,
        Event.ENDS: Phase.PASSING_THROUGH,
    },
    Phase.RUNNING: {
        Event.DECIDED: Phase.EXCHANGING,
        Event.LOST: Phase.BROKEN,
        Event.ENDS: Phase.PASSING_THROUGH,
    },
    # Nothing leads back: what was not looked at may have changed anything that is known of the session.
    Phase.PASSING_THROUGH: {},
    Phase.BROKEN: {},
}
_HOLDING = frozenset({Phase.WAITING, Phase.EXCHANGING, Phase.RUNNING})
_EXCHANGING = frozenset({Phase.EXCHANGING, Phase.RUNNING})


class Life:
    """Where the session stands. ``fatal``: the server or the client has said that it ends, or we have told
    the client.
    """

    __slots__ = ("fatal", "phase", "reason")

    def __init__(self) -> None:
        self.phase = Phase.FORWARDING
        self.fatal = False
        # why nothing is looked at any more; empty: all is
        self.reason = ""

    def step(self, event: Event) -> None:
        """Raises KeyError for what may not happen in the phase: a mistake of ours."""
        self.phase = TRANSITIONS[self.phase][event]

    def lose(self, reason: str) -> None:
        """From here on nothing is looked at."""
        self.reason = reason
        self.step(Event.ENDS if self.fatal else Event.LOST)

    def gave_up(self) -> bool:
        """Whether nothing is looked at any more."""
        return bool(self.reason)

    @property
    def holding(self) -> bool:
        """The client is held back."""
        return self.phase in _HOLDING

    @property
    def exchanging(self) -> bool:
        """A message of the client is in the hands of an exchange."""
        return self.phase in _EXCHANGING


def printed() -> str:
    """The table as lines of text."""
    return "\n".join(
        f"{phase.value:16} {event.value:46} {after.value}"
        for phase, events in TRANSITIONS.items()
        for event, after in events.items()
    )
