"""The table of a session's phases, as it is printed, and each of its transitions driven through a session."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from rewright.proxy.machine.phases import TRANSITIONS, Event, Life, Phase, printed
from rewright.proxy.wire import backend as b
from rewright.proxy.wire import frontend as f
from tests.proxy.test_session import (
    AGREED,
    DONE,
    ERROR,
    ONE_COLUMN,
    READY,
    REWRITE,
    TEXT,
    Play,
    guard_row,
)

PAGE = Path(__file__).parents[2] / "docs" / "proxy.md"

OTHER = f.Query(b"insert into t values (1)")
# a ReadyForQuery that answers nothing, and one that is no message at all
STRANGE = b.ReadyForQuery().encode()
MALFORMED = b"Z\0\0\0\x09IIIII"
GOODBYE = b.error("57P01", "terminating connection due to administrator command", severity="FATAL")


def forwarding() -> Play:
    return Play(REWRITE)


def waiting() -> Play:
    """A query with a rewrite came while another was running."""
    play = forwarding()
    play.client(OTHER, f.Query(TEXT))
    return play


def waiting_in_a_pipeline() -> Play:
    """An Execute with a rewrite came in a cycle of which the server has not told yet whether it failed."""
    play = forwarding()
    play.client(f.Parse(b"s", TEXT), f.Sync())
    play.server(b.PARSE_COMPLETE, READY)
    play.client(OTHER, f.Bind(b"", b"s"), f.Execute(b""))
    return play


def exchanging() -> Play:
    play = forwarding()
    play.client(f.Query(TEXT))
    return play


def running() -> Play:
    """The guard agreed, and the replacement was sent."""
    play = exchanging()
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
    play.server(*AGREED, guard_row(), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE)
    return play


def row(play: Play) -> None:
    play.server(b.DataRow((b"1",)))


def lose(play: Play) -> None:
    """Something that the protocol does not explain."""
    play.server(MALFORMED)


def say_goodbye(play: Play) -> None:
    """The client ends the session before something strange comes."""
    play.client(f.Terminate())
    play.server(MALFORMED)


def end(play: Play) -> None:
    """The server says goodbye, or the client did, before something strange comes."""
    play.server(GOODBYE)
    play.server(MALFORMED)


def skip(play: Play) -> None:
    """The cycle turns out to have failed."""
    play.session.cycles.failed = True
    play.session.cycles.pending = 0
    play.session.rested()


def decline(play: Play) -> None:
    """The guard does not agree: the original is executed."""
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
    play.server(*AGREED, guard_row(digest=b"other"), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE)


def run(play: Play) -> None:
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
    play.server(*AGREED, guard_row(), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE)


Drive = Callable[[Play], object]
# from where, what happens, and every step that it takes
WAYS: tuple[tuple[Callable[[], Play], Drive, tuple[Event, ...]], ...] = (
    (forwarding, lambda play: play.client(OTHER, f.Query(TEXT)), (Event.SPECIAL,)),
    (forwarding, lambda play: play.client(f.Query(TEXT)), (Event.SPECIAL, Event.BEGUN)),
    (forwarding, lose, (Event.LOST,)),
    (forwarding, end, (Event.ENDS,)),
    (forwarding, say_goodbye, (Event.ENDS,)),
    (waiting, lambda play: play.server(DONE, READY), (Event.BEGUN,)),
    (waiting_in_a_pipeline, skip, (Event.SKIPPED,)),
    (waiting, lose, (Event.LOST,)),
    (waiting, end, (Event.ENDS,)),
    (exchanging, run, (Event.RUN,)),
    (exchanging, decline, (Event.ENDED,)),
    (exchanging, lose, (Event.LOST,)),
    (exchanging, end, (Event.ENDS,)),
    (running, row, (Event.DECIDED, Event.ENDED)),
    (running, lambda play: play.server(ERROR), (Event.DECIDED,)),
    (running, lose, (Event.LOST,)),
    (running, end, (Event.ENDS,)),
)


def test_the_table_is_that_of_the_page() -> None:
    """Whoever changes it says so there."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("```text\nforwarding")
    table, _, _ = rest.partition("\n```")
    assert printed() == f"forwarding{table}"


@pytest.mark.parametrize(("start", "drive", "expected"), WAYS)
def test_each_transition_is_what_the_session_does(
    start: Callable[[], Play],
    drive: Drive,
    expected: tuple[Event, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play = start()
    began = play.session.life.phase
    taken: list[Event] = []
    step = Life.step

    def noting(life: Life, event: Event) -> None:
        taken.append(event)
        step(life, event)

    monkeypatch.setattr(Life, "step", noting)
    drive(play)
    assert tuple(taken) == expected
    phase = began
    for event in expected:
        phase = TRANSITIONS[phase][event]
    assert play.session.life.phase is phase


def test_every_transition_is_driven() -> None:
    driven = set()
    for start, _, events in WAYS:
        phase = start().session.life.phase
        for event in events:
            driven.add((phase, event))
            phase = TRANSITIONS[phase][event]
    assert driven == {(phase, event) for phase, events in TRANSITIONS.items() for event in events}


def test_a_client_is_told_only_of_a_session_that_did_not_end_anyway() -> None:
    for start, told in ((exchanging, True), (running, True), (forwarding, False), (waiting, False)):
        play = start()
        shown = play.server(MALFORMED)
        assert (b"the proxy lost track" in shown) is told
        assert play.session.life.phase is (Phase.BROKEN if told else Phase.PASSING_THROUGH)
        play = start()
        assert b"the proxy lost track" not in play.server(GOODBYE, MALFORMED)


@pytest.mark.parametrize("phase", Phase)
def test_what_the_table_does_not_have_is_a_mistake(phase: Phase) -> None:
    for event in Event:
        life = Life()
        life.phase = phase
        if event not in TRANSITIONS[phase]:
            with pytest.raises(KeyError):
                life.step(event)


def test_nothing_leads_back_from_the_end() -> None:
    left = itertools.chain.from_iterable(TRANSITIONS[p] for p in (Phase.PASSING_THROUGH, Phase.BROKEN))
    assert not list(left)


def test_a_session_that_gave_up_takes_everything_without_another_step() -> None:
    for start in (forwarding, waiting, exchanging, running):
        play = start()
        lose(play)
        phase = play.session.life.phase
        play.client(f.Query(TEXT), f.Sync())
        play.server(STRANGE, MALFORMED, GOODBYE)
        play.session.effect_done(None)
        play.session.cancel()
        assert play.session.life.phase is phase
