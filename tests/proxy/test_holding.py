"""Answers that are held back until they are whole, without a server: whatever happens on the way, the client
gets one answer, and that is the original's wherever the replacement's is not whole.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewright.proxy.machine.held import HeldAnswer
from rewright.proxy.serving import holding
from rewright.proxy.serving.holding import FIRST_SECONDS, MOST_SECONDS, Holding
from rewright.proxy.wire import backend as b
from rewright.proxy.wire import frontend as f
from tests.proxy.fake_server import ONE_COLUMN, FakeServer
from tests.proxy.test_interceptor import FAST, OTHER, REWRITE, SLOW, World
from tests.proxy.test_session import (
    DONE,
    GONE,
    GUARDED,
    NO_PARAMETERS,
    PREPARED,
    READY,
    TEXT,
    Play,
    cancelled_whole,
    feed,
    kinds,
)
from tests.proxy.test_session import (
    OTHER as FAILURE,
)
from tests.proxy.test_session import REWRITE as PLAYED

HELD = replace(REWRITE, unreserved=False, held=True)
ROW = b.DataRow((b"1",)).encode()
CANCELLED = b.error("57014", "canceling statement due to user request")
LIMIT = 1000


def running(*, way: str = "simple", limit: int = LIMIT, held: bool = True, hinted: bool = False) -> Play:
    """The replacement of a held rewrite was sent. ``way``: simple; synced, with a Sync behind the Execute; or
    flushed, without.
    """
    play = Play(replace(PLAYED, held=held, hinted=hinted))
    play.interceptor.holding = Holding(lambda: limit)
    if way == "simple":
        play.client(f.Query(TEXT))
        play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
        play.server(*GUARDED)
    else:
        play.client(f.Parse(b"s", TEXT), f.Sync())
        play.server(b.PARSE_COMPLETE, READY)
        end = f.Sync() if way == "synced" else f.Flush()
        play.client(f.Bind(b"", b"s"), f.Execute(b""), end)
        play.server(b.BIND_COMPLETE, NO_PARAMETERS, ONE_COLUMN)
        verified = (*PREPARED, b.BIND_COMPLETE, b.DataRow((TEXT,)), DONE, b.CLOSE_COMPLETE)
        play.server(*GUARDED, *verified)
    play.to_server.clear()
    return play


WAYS = ("simple", "synced", "flushed")


def ended(play: Play, way: str, *last: bytes) -> bytes:
    """What the client gets for the last messages of the original, or of a replacement that is served."""
    if way == "flushed":
        shown = play.server(*last)
        play.client(f.Sync())
        return shown + play.server(READY)
    return play.server(*last, READY)


def original_runs(play: Play, way: str) -> None:
    """Behind the end of the replacement the server gets the client's own statement, and nothing else."""
    if way == "simple":
        assert play.server(READY) == b""
        assert bytes(play.to_server) == f.Query(TEXT).encode()
        assert play.server(ONE_COLUMN) == b""
    else:
        if way == "flushed":
            assert bytes(play.to_server) == f.SYNC
        play.to_server.clear()
        assert play.server(READY) == b""
        sent = bytes(play.to_server)
        assert kinds(sent) in {b"BES", b"BEH"}
        assert f.Bind(b"", b"s").encode() in sent
        assert play.server(b.BIND_COMPLETE) == b""


# --- whole, or not at all -------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_shown_before_the_end(way: str) -> None:
    play = running(way=way)
    notice = b.notice("as it goes")
    for piece in (ROW, notice, ROW + ROW):
        assert play.server(piece) == b""
    assert play.session.held_bytes >= len(ROW + notice + ROW + ROW)
    assert ended(play, way, DONE) == ROW + notice + ROW + ROW + DONE + READY
    assert play.session.held_bytes == 0
    assert play.session.is_idle
    assert play.interceptor.measuring.last.route == "replacement"


@pytest.mark.parametrize("rows", [0, 1, 20])
@pytest.mark.parametrize("way", WAYS)
def test_an_error_at_any_place_leads_to_the_original(way: str, rows: int) -> None:
    play = running(way=way)
    assert play.server(*[ROW] * rows, b.notice("no"), FAILURE) == b""
    original_runs(play, way)
    assert ended(play, way, ROW, DONE) == ROW + DONE + READY
    assert play.session.is_idle
    last = play.interceptor.measuring.last
    assert (last.route, last.reason) == ("fallback", "failed")


@pytest.mark.parametrize("way", WAYS)
def test_an_error_of_both_is_the_originals(way: str) -> None:
    play = running(way=way)
    assert play.server(ROW, FAILURE) == b""
    original_runs(play, way)
    own = b.error("22003", "out of range")
    shown = play.server(own)
    if way == "flushed":
        play.client(f.Sync())
    assert shown + play.server(READY) == own + READY
    assert play.session.is_idle


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [LIMIT + 1, 300])
def test_an_answer_that_is_too_large_is_the_originals(way: str, size: int) -> None:
    play = running(way=way)
    wide = b.DataRow((b"x" * size,)).encode()
    for _ in range(5):
        assert play.server(wide) == b""
        assert play.session.held_bytes <= LIMIT
    assert play.to_server == b""  # it is not disturbed
    assert play.server(DONE) == b""
    original_runs(play, way)
    assert ended(play, way, wide, DONE) == wide + DONE + READY
    assert play.session.is_idle
    last = play.interceptor.measuring.last
    assert (last.route, last.reason) == ("fallback", "too large")
    # from now on the original runs at once
    query = f.Query(TEXT)
    assert play.client(query) == query.encode()
    play.server(ONE_COLUMN, DONE, READY)
    assert (play.interceptor.measuring.last.route, play.interceptor.measuring.last.reason) == (
        "original",
        "too large",
    )


@pytest.mark.parametrize("way", WAYS)
def test_an_error_behind_what_was_too_large(way: str) -> None:
    play = running(way=way)
    assert play.server(b.DataRow((b"x" * LIMIT,)), ROW, FAILURE) == b""
    original_runs(play, way)
    assert ended(play, way, ROW, DONE) == ROW + DONE + READY
    assert play.session.is_idle


def test_copied_rows_are_held_back() -> None:
    for last in (FAILURE, DONE):
        play = running()
        begin, row, end = b"H\0\0\0\7\0\0\0", f.CopyData(b"row").encode(), b"c\0\0\0\4"
        assert play.server(begin, row, row) == b""
        if last is DONE:
            assert play.server(end, last, READY) == begin + row + row + end + last + READY
        else:
            assert play.server(last) == b""
            original_runs(play, "simple")
            assert play.server(begin, row, end, DONE, READY) == begin + row + end + DONE + READY
        assert play.session.is_idle


def test_what_pg_hint_plan_says_is_kept_from_the_client() -> None:
    play = running(hinted=True)
    play.server(ROW, b.notice("pg_hint_plan: used hint"))
    assert play.server(DONE, READY) == ROW + DONE + READY


# --- cancels, timeouts, ends ----------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [1, LIMIT])
@pytest.mark.parametrize("by_the_client", [True, False])
def test_a_cancel_or_timeout_ends_the_statement(way: str, size: int, *, by_the_client: bool) -> None:
    """With the error alone: the original may have been stopped before its first row."""
    play = running(way=way)
    assert play.server(b.DataRow((b"x" * size,)), ROW) == b""
    if by_the_client:
        play.session.cancel()
    shown = play.server(CANCELLED)
    assert kinds(bytes(play.to_server)) == b"" if way != "flushed" else b"H"
    if way == "flushed":
        play.client(f.Sync())
    shown += play.server(READY)
    assert shown == CANCELLED + READY
    cancelled_whole(play, shown)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("last", [FAILURE, DONE])
def test_behind_a_cancel_the_original_does_not_run(way: str, last: bytes) -> None:
    """The replacement failed, or gave too much, when the cancel had come."""
    play = running(way=way)
    play.server(b.DataRow((b"x" * LIMIT,)), ROW)
    play.session.cancel()
    assert play.server(last) == b""
    if way == "flushed":
        assert play.server(READY) == b""
        shown = play.server(GONE)
        play.client(f.Sync())
    else:
        assert play.server(READY) == b""
        shown = play.server(GONE)
    assert TEXT not in play.to_server
    cancelled_whole(play, shown, play.server(READY))


def test_a_cancel_that_comes_too_late_changes_nothing() -> None:
    play = running()
    play.server(ROW)
    play.session.cancel()
    assert play.server(DONE, READY) == ROW + DONE + READY
    assert play.session.is_idle


@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_ends_the_session_is_heard_at_once(way: str) -> None:
    play = running(way=way)
    goodbye = b.error("57P01", "terminating connection", severity="FATAL")
    play.server(ROW)
    assert play.server(goodbye) == goodbye
    assert play.session.farewell() == b""
    assert play.session.held_bytes <= len(f.Flush().encode())


def test_a_server_that_is_gone() -> None:
    play = running()
    play.server(ROW)
    assert b"C08006" in play.session.farewell()


def test_a_session_that_is_lost_keeps_nothing() -> None:
    play = running()
    play.server(ROW)
    assert b"the proxy lost track" in play.server(READY)
    assert play.session.held_bytes == 0


def test_what_the_client_sends_meanwhile_waits() -> None:
    play = running(way="synced")
    assert play.client(f.Query(OTHER), f.Terminate()) == b""
    play.session.client_eof()
    assert play.server(ROW) == b""
    assert play.to_server == b""
    assert play.server(DONE, READY) == ROW + DONE + READY
    assert kinds(bytes(play.to_server)) == b"QX"
    assert play.ends == [bytes(play.to_server)]


def test_replies_are_counted_right_behind_a_fallback() -> None:
    """A client that has not sent its Sync yet goes on in the same cycle."""
    for held in (True, False):
        play = running(way="flushed", held=held)
        play.server(FAILURE)
        original_runs(play, "flushed")
        assert play.server(ROW, DONE) == ROW + DONE
        cycles = play.session.cycles
        assert (cycles.since, cycles.answered, cycles.failed) == (b"BE", 2, False)


# --- what is not held back ------------------------------------------------------------------------------


def declined(world: World) -> tuple[bytes, str]:
    return world.ran(), world.interceptor.measuring.last.reason


def held_world(limit: int = LIMIT) -> World:
    world = World()
    world.index.replace([HELD])
    world.interceptor.holding = Holding(lambda: limit)
    return world


def test_portions_come_from_the_original() -> None:
    world = held_world()
    world.send(f.Parse(b"", SLOW), f.Bind(b"", b""), f.Execute(b"", 1), f.Sync())
    assert world.ran() == SLOW
    world.send(f.Query(b"begin"))
    world.index.replace([REWRITE])
    world.send(f.Parse(b"", SLOW), f.Bind(b"", b""), f.Execute(b"", 1), f.Sync())
    assert world.ran() == FAST


def test_blocks_run_the_original() -> None:
    world = held_world()
    # whatever else is said of it
    world.index.replace([replace(HELD, unreserved=True)])
    for how in (World.simple, World.prepared, World.unnamed):
        how(world, SLOW)
        assert world.ran() == FAST
        world.simple(b"begin")
        how(world, SLOW)
        assert declined(world) == (SLOW, "block")
        world.simple(b"commit")


def test_where_nothing_is_held_back_the_first_message_decides() -> None:
    for how in (World.simple, World.prepared, World.unnamed):
        world = held_world(limit=0)
        how(world, SLOW)
        assert world.ran() == FAST
    # a person who approved it has no reason to be refused portions
    world.send(f.Parse(b"", SLOW), f.Bind(b"", b""), f.Execute(b"", 1), f.Sync())
    assert world.ran() == FAST


def test_without_hold_the_first_message_decides() -> None:
    play = running(held=False)
    assert play.server(ROW) == ROW
    assert play.server(FAILURE, READY) == FAILURE + READY


# --- what is remembered ---------------------------------------------------------------------------------


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_answers_that_were_too_large_are_remembered() -> None:
    clock, limit = Clock(), [LIMIT]
    held = Holding(lambda: limit[0], clock)
    held.outgrown(HELD, LIMIT)
    assert held.room_for(HELD) == 0
    # another rewrite, this one changed, or more room
    assert held.room_for(replace(HELD, id=2)) == LIMIT
    assert held.room_for(replace(HELD, replacement="select faster")) == LIMIT
    limit[0] = LIMIT + 1
    assert held.room_for(HELD) == LIMIT + 1
    limit[0] = 0
    assert held.room_for(HELD) == held.room_for(replace(HELD, id=2)) == 0


def test_they_are_tried_again_ever_more_seldom() -> None:
    clock = Clock()
    held = Holding(lambda: LIMIT, clock)
    seconds = FIRST_SECONDS
    for _ in range(12):
        held.outgrown(HELD, LIMIT)
        clock.now += seconds - 1
        assert not held.room_for(HELD)
        clock.now += 1
        assert held.room_for(HELD)
        seconds = min(2 * seconds, MOST_SECONDS)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "MAX_REMEMBERED", 3)
    held = Holding(lambda: LIMIT)
    for number in range(1, 6):
        held.outgrown(replace(HELD, id=number), LIMIT)
    assert [held.room_for(replace(HELD, id=number)) for number in range(1, 6)] == [LIMIT, LIMIT, 0, 0, 0]


# --- memory ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [100, 20_000, 400_000, 5_000_000])
def test_no_more_is_in_memory_than_may_be(width: int) -> None:
    """Whatever the size of the rows, and of the pieces they come in; one larger than the limit is never put
    together.
    """
    limit, piece = 1 << 20, 65_536
    play = running(limit=limit)
    wide = b.DataRow((b"x" * width,)).encode()
    stream = wide * max(3, 3 * limit // len(wide))
    view = memoryview(stream)
    tracemalloc.start()
    for at in range(0, len(stream), piece):
        play.session.server_data(bytes(view[at : at + piece]))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < limit + min(width, limit) + 4 * piece
    assert play.session.held_bytes == 0
    assert play.server(DONE) == b""
    original_runs(play, "simple")


def test_a_large_value_is_joined_once() -> None:
    play = running(limit=64 << 20)
    wide = b.DataRow((b"x" * (16 << 20),)).encode()
    tracemalloc.start()
    for at in range(0, len(wide), 1024):
        play.session.server_data(wide[at : at + 1024])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 3.5 * len(wide)
    assert play.server(DONE, READY) == wide + DONE + READY


def test_held_pieces_are_given_in_order() -> None:
    held = HeldAnswer(6)
    for piece in (b"ab", b"c", b"def"):
        assert held.has_room(len(piece))
        held.keep(piece)
    assert held.size == 6
    assert held.take() == [b"ab", b"c", b"def"]
    assert (held.size, held.take()) == (0, [])
    held.keep(b"1234567")
    assert held.outgrown
    held.keep(b"1")
    assert held.take() == []


# --- anything at all ------------------------------------------------------------------------------------

ROWS = st.lists(st.integers(0, 400).map(lambda size: b.DataRow((b"r" * size,)).encode()), max_size=12)
CUTS = st.lists(st.integers(1, 700), min_size=1, max_size=8)


def through(world: World, sent: bytes, cuts: list[int]) -> bytes:
    """What the client gets, both sides' bytes coming in pieces."""
    feed(world.session.client_data, sent, cuts)
    while world.to_server:
        asked = bytes(world.to_server)
        world.to_server.clear()
        feed(world.session.server_data, world.server.feed(asked), cuts)
    assert not world.session.relay_only
    return bytes(world.to_client)


@given(
    rows=ROWS,
    fails=st.booleans(),
    own_fails=st.booleans(),
    way=st.sampled_from(WAYS),
    cuts=CUTS,
    more=st.booleans(),
)
def test_the_client_sees_what_the_original_does(
    rows: list[bytes], *, fails: bool, own_fails: bool, way: str, cuts: list[int], more: bool
) -> None:
    """Both give the same rows; the replacement may fail behind them, and does where the original does."""
    error = b.error("22012", "division by zero")
    own = b"".join(rows) + (error if own_fails else DONE)
    other = b"".join(rows) + (error if fails or own_fails else DONE)
    execution: list[f.FrontendMessage] = [f.Bind(b"", b""), f.Execute(b"")]
    messages: dict[str, list[f.FrontendMessage]] = {
        "simple": [f.Query(SLOW)],
        "synced": [f.Parse(b"", SLOW), *execution, f.Sync()],
        "flushed": [f.Parse(b"", SLOW), *execution, f.Flush(), f.Sync()],
    }
    behind: list[f.FrontendMessage] = [f.Query(OTHER), *messages["synced"], f.Query(SLOW)] if more else []
    sent = b"".join(one.encode() for one in (*messages[way], *behind))
    direct = FakeServer(answers={SLOW: own}).feed(sent)
    world = held_world()
    # so that nothing but the query comes through below
    world.send(f.Query(OTHER))
    world.to_client.clear()
    world.server.answers = {SLOW: own, FAST: other}
    assert through(world, sent, cuts) == direct
    assert world.session.is_idle
    assert world.session.held_bytes == 0


@given(
    st.binary(max_size=300),
    st.lists(st.integers(1, 40), min_size=1),
    st.lists(st.sampled_from([ROW, DONE, FAILURE, READY])),
)
def test_garbage_while_an_answer_is_held(stream: bytes, cuts: list[int], before: list[bytes]) -> None:
    """The session may end, but by no mistake of ours (that would be raised)."""
    for way in WAYS:
        play = running(way=way)
        feed(play.session.server_data, b"".join(before) + stream, cuts)
