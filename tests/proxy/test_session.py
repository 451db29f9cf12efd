"""The session machine as a transcript, and fuzzed: no byte changed, none lost, no crash."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewright.proxy.interceptor import Identity, SessionInterceptor
from rewright.proxy.metrics import Metrics
from rewright.proxy.ports import Guard, Ports, ServedRewrite
from rewright.proxy.serving import refusing
from rewright.proxy.serving.guard import GuardRow
from rewright.proxy.serving.index import RewriteIndex
from rewright.proxy.serving.settings import Settings
from rewright.proxy.session import Session
from rewright.proxy.wire import backend as b
from rewright.proxy.wire import frontend as f
from rewright.proxy.wire.framing import message
from tests.proxy.fake_server import guard_row as guard_row_of
from tests.proxy.fake_server import settings_row
from tests.proxy.rules import RULES
from tests.proxy.serving_world import Reports
from tests.proxy.test_wire import BACKEND, FRONTEND


class Play:
    """``>>`` bytes from a side, ``<<`` what went out since."""

    def __init__(
        self, *rewrites: ServedRewrite, settings_known: bool = True, interceptor: bool = True
    ) -> None:
        self.to_server = bytearray()
        self.to_client = bytearray()
        # what the server had got when the end of the client's bytes came behind it
        self.ends: list[bytes] = []
        self.session = Session(
            self.to_server.extend,
            self.to_client.extend,
            end_server=lambda: self.ends.append(bytes(self.to_server)),
        )
        if interceptor:
            index = RewriteIndex()
            index.replace(rewrites)
            ports = Ports(lookup=index, reporter=Reports(), settings=RULES)
            self.interceptor = SessionInterceptor(
                self.session,
                ports,
                Identity("db", "u", "x"),
                Metrics(),
                Settings(RULES),
                self.session.clock,
            )
            self.interceptor.in_force.stale = not settings_known
            self.session.attach(self.interceptor)

    def client(self, *messages: f.FrontendMessage) -> bytes:
        """What the server gets for them."""
        self.to_server.clear()
        self.session.client_data(b"".join(m.encode() for m in messages))
        return bytes(self.to_server)

    def server(self, *messages: b.BackendMessage | bytes) -> bytes:
        """What the client gets for them."""
        self.to_client.clear()
        self.session.server_data(b"".join(m if isinstance(m, bytes) else m.encode() for m in messages))
        return bytes(self.to_client)


READY = b.ReadyForQuery().encode()
DONE = b.CommandComplete(b"SELECT 1").encode()
ERROR = b.error("42601", "syntax error")
TEXT = b"select slow"
REWRITE = ServedRewrite(1, "db", TEXT.decode(), "select fast", Guard((), (), digest="d"))


def kinds(stream: bytes) -> bytes:
    found, at = b"", 0
    while at < len(stream):
        found += stream[at : at + 1]
        at += int.from_bytes(stream[at + 1 : at + 5], "big") + 1
    return found


def guard_row(mode: bytes | None = None, digest: bytes = b"d") -> bytes:
    return guard_row_of(mode, digest)


ONE_COLUMN = b.RowDescription((b.Column(b"x", 23),)).encode()
NO_PARAMETERS = b.ParameterDescription(()).encode()
# a private statement: what there may be of its name is closed first
PREPARED = (b.CLOSE_COMPLETE, b.PARSE_COMPLETE)


def test_an_idle_session_takes_little_memory() -> None:
    """The guard alone is 10 KB: it is one text for all sessions."""
    Play(), Play(settings_known=False)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    plays = [Play() for _ in range(50)]
    size = (tracemalloc.get_traced_memory()[0] - before) / len(plays)
    tracemalloc.stop()
    assert size < 14_000


def test_a_text_that_comes_byte_by_byte_is_joined_once() -> None:
    play = Play(REWRITE)
    query = f.Query(b"select '" + b"x" * 800_000 + b"'").encode()
    began = time.thread_time()
    for at in range(len(query) - 1):
        play.session.client_data(query[at : at + 1])
    # joined with each byte that is 320 GB of copies
    assert time.thread_time() - began < 4
    assert not play.to_server
    assert play.session.held_bytes == len(query) - 1
    play.session.client_data(query[-1:])
    assert play.to_server == query
    assert play.session.held_bytes == 0


def test_the_end_of_a_client_takes_along_what_is_kept() -> None:
    play = Play(REWRITE)
    for byte in b"Q\0\0\1\0select":
        play.session.client_data(bytes([byte]))
    play.session.client_eof()
    assert play.ends == [b"Q\0\0\1\0select"]


def test_plain_query_passes_as_it_came() -> None:
    play = Play(REWRITE)
    query = f.Query(b"select 1")
    assert play.client(query) == query.encode()
    assert play.session.cycles.pending == 1
    assert play.server(ONE_COLUMN, DONE, READY) == ONE_COLUMN + DONE + READY
    assert play.session.is_idle


def test_simple_query_with_a_rewrite() -> None:
    play = Play(REWRITE)
    assert kinds(play.client(f.Query(TEXT))) == b"PBDCH"
    assert play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE) == b""
    play.to_server.clear()
    agreed = (*PREPARED, *PREPARED, NO_PARAMETERS, ONE_COLUMN, b.BIND_COMPLETE)
    shown = play.server(
        *agreed, b.BIND_COMPLETE, guard_row(), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE
    )
    assert shown == ONE_COLUMN
    assert kinds(bytes(play.to_server)) == b"ES"
    row = b.DataRow((b"1",)).encode()
    assert play.server(row, DONE, READY) == row + DONE + READY
    assert play.session.is_idle


def test_guard_that_disagrees_leads_to_the_original() -> None:
    play = Play(REWRITE)
    play.client(f.Query(TEXT))
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
    play.to_server.clear()
    agreed = (*PREPARED, *PREPARED, NO_PARAMETERS, ONE_COLUMN, b.BIND_COMPLETE)
    play.server(
        *agreed, b.BIND_COMPLETE, guard_row(digest=b"other"), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE
    )
    assert bytes(play.to_server) == f.Execute(b"").encode() + f.SYNC
    assert play.server(DONE, READY) == DONE + READY


def test_cancel_between_guard_and_execution_starts_nothing() -> None:
    play = Play(REWRITE)
    play.client(f.Query(TEXT))
    play.session.cancel()
    play.to_server.clear()
    assert play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE) == b""
    assert bytes(play.to_server) == f.Execute(b"rewright:none").encode() + f.SYNC
    shown = play.server(b.error("34000", "portal does not exist"), READY)
    assert b"57014" in shown
    assert shown.endswith(READY)
    assert play.session.is_idle


def test_cancelled_guard_is_not_followed_by_the_original() -> None:
    play = Play(REWRITE)
    play.client(f.Query(TEXT))
    play.to_server.clear()
    cancelled = b.error("57014", "canceling statement due to user request")
    assert play.server(b.PARSE_COMPLETE, cancelled) == cancelled
    assert bytes(play.to_server) == f.SYNC
    assert play.server(READY) == READY


def test_failing_private_message_is_taken_back() -> None:
    play = Play(REWRITE)
    play.client(f.Query(TEXT))
    play.to_server.clear()
    assert play.server(ERROR) == b""
    assert bytes(play.to_server) == f.SYNC
    play.to_server.clear()
    assert play.server(READY) == b""
    assert bytes(play.to_server) == f.Query(TEXT).encode()
    assert play.server(ERROR, READY) == ERROR + READY
    assert play.session.is_idle


def test_replacement_that_fails_before_a_row() -> None:
    play = Play(REWRITE)
    play.client(f.Parse(b"s", TEXT), f.Sync())
    play.server(b.PARSE_COMPLETE, READY)
    sent = play.client(f.Bind(b"", b"s"), f.Execute(b""), f.Sync())
    assert kinds(sent) == b"BDH"
    assert play.server(b.BIND_COMPLETE) == b.BIND_COMPLETE
    play.server(NO_PARAMETERS, ONE_COLUMN)
    play.to_server.clear()
    verified = (*PREPARED, b.BIND_COMPLETE, b.DataRow((TEXT,)), DONE, b.CLOSE_COMPLETE)
    agreed = (*PREPARED, *PREPARED, NO_PARAMETERS, ONE_COLUMN, b.BIND_COMPLETE)
    play.server(*agreed, b.BIND_COMPLETE, guard_row(), DONE, b.CLOSE_COMPLETE, *verified)
    assert kinds(bytes(play.to_server)) == b"ES"
    play.to_server.clear()
    assert play.server(b.error("22012", "division by zero"), READY) == b""
    assert kinds(bytes(play.to_server)) == b"BES"
    assert play.server(b.BIND_COMPLETE, DONE, READY) == DONE + READY
    assert play.session.is_idle


def test_settings_are_read_before_the_first_query() -> None:
    play = Play(settings_known=False)
    asked = play.client(f.Query(b"select 1"))
    assert kinds(asked) == b"CPBECCS"
    assert b"pg_constraint" not in asked  # not the guard, which takes milliseconds to plan
    play.to_server.clear()
    reply = (
        *PREPARED,
        b.BIND_COMPLETE,
        settings_row(b"off"),
        DONE,
        b.CLOSE_COMPLETE,
        b.CLOSE_COMPLETE,
        READY,
    )
    assert play.server(*reply) == b""
    assert bytes(play.to_server) == f.Query(b"select 1").encode()
    assert play.interceptor.in_force.view.mode == "off"
    assert play.server(DONE, READY) == DONE + READY
    assert play.session.is_idle


SETTINGS_READ = (
    *PREPARED,
    b.BIND_COMPLETE,
    guard_row(),
    DONE,
    b.CLOSE_COMPLETE,
    b.CLOSE_COMPLETE,
    READY,
)


def test_query_cancelled_while_settings_are_read() -> None:
    play = Play(settings_known=False)
    play.client(f.Query(b"select 7"))
    play.session.cancel()
    play.to_server.clear()
    assert play.server(*SETTINGS_READ) == b""
    assert kinds(bytes(play.to_server)) == b"Q"
    assert b"select 7" not in play.to_server
    shown = play.server(b.error("22012", "division by zero"), READY)
    assert b"57014" in shown
    assert shown.endswith(READY)
    assert play.session.is_idle


def test_parse_goes_on_though_cancelled_while_settings_are_read() -> None:
    """As on a server, to which the cancel of a statement that does not run yet means nothing."""
    play = Play(settings_known=False)
    parse = f.Parse(b"s", b"select 1")
    play.client(parse, f.Sync())
    play.session.cancel()
    play.to_server.clear()
    assert play.server(*SETTINGS_READ) == b""
    assert bytes(play.to_server) == parse.encode() + f.SYNC
    assert play.server(b.PARSE_COMPLETE, READY) == b.PARSE_COMPLETE + READY
    assert play.session.is_idle


def test_query_without_its_end_goes_as_it_came() -> None:
    play = Play(settings_known=False)
    bad = message(b"Q", b"select 1")
    play.to_server.clear()
    play.session.client_data(bad)
    assert bytes(play.to_server) == bad


def test_statement_whose_parse_failed_is_not_trusted() -> None:
    play = Play(REWRITE)
    play.client(f.Parse(b"s", TEXT), f.Sync())
    play.server(ERROR, READY)
    sent = play.client(f.Bind(b"", b"s"), f.Execute(b""), f.Sync())
    assert kinds(sent) == b"BES"


def test_name_parsed_twice_is_not_trusted() -> None:
    play = Play(REWRITE)
    play.client(f.Parse(b"s", b"select other"), f.Sync())
    play.server(b.PARSE_COMPLETE, READY)
    play.client(f.Parse(b"s", TEXT), f.Sync())
    play.server(ERROR, READY)
    assert kinds(play.client(f.Bind(b"", b"s"), f.Execute(b""), f.Sync())) == b"BES"


def test_deallocate_makes_names_unknown() -> None:
    play = Play(REWRITE)
    play.client(f.Parse(b"s", TEXT), f.Sync())
    play.server(b.PARSE_COMPLETE, READY)
    play.client(f.Query(b"deallocate s; prepare s as select 2"))
    play.server(b.CommandComplete(b"DEALLOCATE"), b.CommandComplete(b"PREPARE"), READY)
    assert kinds(play.client(f.Bind(b"", b"s"), f.Execute(b""), f.Sync())) == b"BES"


def test_pipelined_messages_wait_for_their_turn() -> None:
    play = Play(REWRITE)
    first = f.Query(b"insert into t values (1)")
    assert play.client(first, f.Query(TEXT), f.Query(b"select 3")) == first.encode()
    play.to_server.clear()
    assert play.server(b.CommandComplete(b"INSERT 0 1"), READY)[-6:] == READY
    assert kinds(bytes(play.to_server)) == b"PBDCH"


def test_losing_track_while_a_client_is_held_ends_the_session() -> None:
    """Its message is in our hands: silence would be a hang."""
    play = Play(REWRITE)
    ended: list[bool] = []
    play.session.on_broken = lambda: ended.append(True)
    play.client(f.Query(TEXT))
    assert b"FATAL" in play.server(READY)
    assert ended == [True]


def prepared() -> Play:
    """A session with the statement ``s`` that has a rewrite."""
    play = Play(REWRITE)
    play.client(f.Parse(b"s", TEXT), f.Sync())
    play.server(b.PARSE_COMPLETE, READY)
    return play


def test_failed_cycle_behind_the_one_that_was_waited_for() -> None:
    """One piece ends a cycle and tells that the next has failed: the server skips, private messages would
    hang.
    """
    play = prepared()
    first = f.Query(b"select 1")
    rest = (f.Bind(b"", b"s"), f.Execute(b""), f.Sync())
    failing = f.Parse(b"", b"selec")
    assert play.client(first, failing, *rest) == b"".join(m.encode() for m in (first, failing, rest[0]))
    play.to_server.clear()
    assert play.server(DONE, READY, ERROR) == DONE + READY + ERROR
    assert bytes(play.to_server) == rest[1].encode() + f.SYNC
    assert play.server(READY) == READY
    assert play.session.is_idle
    assert kinds(play.client(f.Query(TEXT))) == b"PBDCH"


def test_answers_of_the_cycle_before_are_not_counted() -> None:
    """One piece ends a pipelined cycle; the replies of the next are all still to come."""
    play = prepared()
    play.client(f.Query(b"select 1"), f.Bind(b"", b"s"), f.Execute(b""), f.Sync())
    assert play.server(ONE_COLUMN, DONE, READY) == ONE_COLUMN + DONE + READY
    assert play.server(b.BIND_COMPLETE, NO_PARAMETERS, ONE_COLUMN) == b.BIND_COMPLETE


def test_served_query_behind_one_that_fell_back() -> None:
    """Each with its Sync, sent at once: the second waits for the end of the first, and begins then."""
    play = prepared()
    execute = (f.Bind(b"", b"s"), f.Execute(b""), f.Sync())
    play.client(*execute, *execute)
    play.server(b.BIND_COMPLETE, NO_PARAMETERS, ONE_COLUMN)
    verified = (*PREPARED, b.BIND_COMPLETE, b.DataRow((TEXT,)), DONE, b.CLOSE_COMPLETE)
    agreed = (*PREPARED, *PREPARED, NO_PARAMETERS, ONE_COLUMN, b.BIND_COMPLETE)
    play.server(*agreed, b.BIND_COMPLETE, guard_row(), DONE, b.CLOSE_COMPLETE, *verified)
    play.to_server.clear()
    assert play.server(b.error("22012", "division by zero"), READY) == b""
    assert kinds(bytes(play.to_server)) == b"BESB"
    play.to_server.clear()
    assert play.server(b.BIND_COMPLETE, DONE, READY) == DONE + READY
    assert play.to_server
    assert play.server(b.BIND_COMPLETE) == b.BIND_COMPLETE


def test_query_that_the_server_skips() -> None:
    """Behind an error the server skips to the next Sync, also a Query: its end would
    be waited for in vain.
    """
    for late in (False, True):
        play = prepared()
        failing, query = f.Parse(b"", b"selec"), f.Query(b"select 1")
        if late:
            play.client(failing)
            play.server(ERROR)
            assert play.client(query) == query.encode()
        else:
            play.client(failing, query)
            play.server(ERROR)
        play.client(f.Sync())
        play.server(READY)
        execute = (f.Bind(b"", b"s"), f.Execute(b""), f.Sync())
        assert play.client(*execute) == b"".join(m.encode() for m in execute)
        play.server(b.BIND_COMPLETE, DONE, READY)


def test_giving_up_loses_no_message() -> None:
    """One that waited for the open cycles is sent as it came."""
    play = prepared()
    copying, later = f.Query(b"copy t from stdin"), f.Query(TEXT)
    assert (
        play.client(copying, f.Query(b"select 2"), later) == copying.encode() + f.Query(b"select 2").encode()
    )
    play.to_server.clear()
    play.server(b.Opaque(b"W", b"\0\0\0"))
    assert play.session.relay_only
    assert bytes(play.to_server) == later.encode()


def test_texts_pass_unseen_while_memory_is_short() -> None:
    play = Play(REWRITE)
    play.session.client.looking = False
    query = f.Query(TEXT).encode()
    assert play.client(f.Query(TEXT)) == query
    play.server(DONE, READY)
    play.session.client.looking = True
    assert play.client(f.Query(TEXT)) != query


@given(st.lists(FRONTEND, max_size=12), st.lists(st.integers(1, 40), min_size=1))
def test_relay_changes_no_byte_from_the_client(sent: list[f.FrontendMessage], cuts: list[int]) -> None:
    stream = b"".join(m.encode() for m in sent)
    for interceptor in (False, True):
        play = Play(interceptor=interceptor)
        feed(play.session.client_data, stream, cuts)
        assert bytes(play.to_server) == stream


@given(st.lists(BACKEND, max_size=12), st.lists(st.integers(1, 40), min_size=1))
def test_relay_changes_no_byte_from_the_server(sent: list[b.BackendMessage], cuts: list[int]) -> None:
    stream = b"".join(m.encode() for m in sent)
    play = Play()
    feed(play.session.server_data, stream, cuts)
    assert bytes(play.to_client) == stream


@given(st.binary(max_size=400), st.lists(st.integers(1, 40), min_size=1))
def test_garbage_passes(stream: bytes, cuts: list[int]) -> None:
    """Bytes that are no messages go through, but for the beginning of one that may still become one."""
    for side in ("client", "server"):
        play = Play()
        feed(play.session.client_data if side == "client" else play.session.server_data, stream, cuts)
        sent = bytes(play.to_server if side == "client" else play.to_client)
        rest = play.session.client.rest if side == "client" else play.session.server.rest
        assert sent + rest == stream


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), min_size=1))
def test_garbage_in_the_middle_of_serving(stream: bytes, cuts: list[int]) -> None:
    """Whatever the server sends while a guard is under way: the session may end, but by no mistake of ours
    (that would be raised).
    """
    play = Play(REWRITE)
    play.client(f.Query(TEXT))
    feed(play.session.server_data, stream, cuts)


def test_a_mistake_of_ours_ends_the_session_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    play = Play(REWRITE)
    told: list[Exception] = []
    play.session.on_fault = told.append
    monkeypatch.setattr(GuardRow, "read", lambda *_: 1 / 0)
    play.client(f.Query(TEXT))
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
    shown = play.server(*AGREED, guard_row(), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE)
    assert b"the proxy lost track of the session" in shown
    assert [type(fault) for fault in told] == [ZeroDivisionError]
    assert play.session.relay_only.startswith("internal error")


def test_a_mistake_of_ours_fails_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    play = Play(REWRITE)
    monkeypatch.setattr(GuardRow, "read", lambda *_: 1 / 0)
    play.client(f.Query(TEXT))
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
    with pytest.raises(ZeroDivisionError):
        play.server(*AGREED, guard_row(), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE)


def feed(take: object, stream: bytes, cuts: list[int]) -> None:
    turn = 0
    while stream:
        size = cuts[turn % len(cuts)]
        take(stream[:size])  # type: ignore[operator]
        stream, turn = stream[size:], turn + 1


# --- the end of what the client sends -------------------------------------------------------------------


def ending(*rewrites: ServedRewrite) -> tuple[Play, list[bytes]]:
    """A play, and what the server had got when the end came behind it."""
    play = Play(*rewrites)
    return play, play.ends


def test_an_end_goes_on_at_once() -> None:
    play, ends = ending()
    play.client(f.Query(b"select 1"))
    assert play.session.client_eof()
    assert ends == [f.Query(b"select 1").encode()]
    assert play.server(DONE, READY) == DONE + READY
    assert play.session.farewell() == b""


def test_an_end_waits_for_a_replacement() -> None:
    play, ends = ending(REWRITE)
    play.client(f.Query(TEXT), f.Query(b"select 2"))
    assert play.session.client_eof()
    assert ends == []
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
    agreed = (*PREPARED, *PREPARED, NO_PARAMETERS, ONE_COLUMN, b.BIND_COMPLETE)
    play.to_server.clear()
    play.server(*agreed, b.BIND_COMPLETE, guard_row(), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE)
    assert ends == []
    row = b.DataRow((b"1",)).encode()
    assert play.server(row, DONE, READY) == row + DONE + READY
    assert len(ends) == 1
    assert ends[0].endswith(f.SYNC + f.Query(b"select 2").encode())
    assert play.server(ONE_COLUMN, row, DONE, READY) == ONE_COLUMN + row + DONE + READY


def test_who_is_only_relayed_keeps_every_byte() -> None:
    """Found by coverage: a fatal word of the server made a session that had given up
    look at headers again.
    """
    play = Play()
    fatal = b.error("57P01", "terminating", severity="FATAL")
    play.session.client_data(b"\0")
    play.session.client_data(b"D\0\0\0\7Pp\0")
    assert play.session.relay_only
    play.session.server_data(fatal[:10])
    play.session.server_data(fatal[10:])
    query = f.Query(b"select 1").encode()
    play.session.client_data(query[:3])
    play.session.client_data(query[3:])
    assert bytes(play.to_server) == b"\0D\0\0\0\7Pp\0" + query


def test_a_huge_error_is_not_waited_for() -> None:
    play = Play()
    play.client(f.Query(b"select 1"))
    huge = b.error("57014", "x" * (5 << 20))
    for at in range(0, len(huge), 65536):
        assert play.server(huge[at : at + 65536]) == huge[at : at + 65536]
    assert play.server(READY) == READY
    assert play.session.is_idle


# --- a cancel that comes while something of ours fails --------------------------------------------------

AGREED = (*PREPARED, *PREPARED, NO_PARAMETERS, ONE_COLUMN, b.BIND_COMPLETE, b.BIND_COMPLETE)
GUARDED = (*AGREED, guard_row(), b.CommandComplete(b"SELECT 1"), b.CLOSE_COMPLETE)
GONE = b.error("34000", "portal does not exist")
OTHER = b.error("22012", "division by zero")


def cancelled_whole(play: Play, *last: bytes) -> None:
    """The client hears 57014 and the end of its cycle, and the session goes on."""
    shown = b"".join(last)
    assert b"C57014\0" in shown
    assert kinds(shown)[-2:] == b"EZ"
    assert not play.session.relay_only
    assert play.session.is_idle
    assert play.client(f.Query(b"select 1")) == f.Query(b"select 1").encode()


def test_cancel_while_a_failed_guard_is_taken_back() -> None:
    play = Play(REWRITE)
    play.client(f.Query(TEXT))
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ERROR)
    play.session.cancel()
    play.server(READY)
    assert bytes(play.to_server).endswith(f.Query(refusing.FAILING).encode())
    cancelled_whole(play, play.server(OTHER, READY))


def test_cancel_when_a_replacement_has_failed() -> None:
    play = Play(REWRITE)
    play.client(f.Query(TEXT))
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, ONE_COLUMN, b.CLOSE_COMPLETE)
    play.server(*GUARDED)
    play.session.cancel()
    assert play.server(OTHER, READY) == b""
    assert bytes(play.to_server).endswith(f.Execute(b"rewright:none").encode() + f.SYNC)
    cancelled_whole(play, play.server(GONE, READY))


@pytest.mark.parametrize("synced", [True, False])
def test_cancel_when_a_prepared_replacement_has_failed(synced: bool) -> None:
    play = prepared()
    assert kinds(play.client(f.Bind(b"", b"s"), f.Execute(b""))) == b"BDH"
    play.to_server.clear()
    play.server(b.BIND_COMPLETE, NO_PARAMETERS, ONE_COLUMN)
    assert kinds(bytes(play.to_server)) == b"CPCPDBBECCPBECH"
    if synced:
        play.client(f.Sync())
    play.to_server.clear()
    again = (*PREPARED, b.BIND_COMPLETE, b.DataRow((TEXT,)), DONE, b.CLOSE_COMPLETE)
    play.server(*GUARDED, *again)
    assert kinds(bytes(play.to_server)) == (b"ES" if synced else b"EH")
    play.session.cancel()
    if synced:
        assert play.server(OTHER, READY) == b""
        cancelled_whole(play, play.server(GONE, READY))
        return
    assert play.server(OTHER) == b""
    assert play.server(READY) == b""
    first = play.server(GONE)
    play.client(f.Sync())
    cancelled_whole(play, first, play.server(READY))


def test_nothing_is_served_behind_a_query_without_a_sync() -> None:
    """The server is in a state of its own until the next Sync, which a private Sync would end."""
    play = Play(REWRITE)
    extended = (f.Parse(b"", b"select 1"), f.Bind(b"", b""), f.Execute(b""))
    query = f.Query(TEXT)
    sent = b"".join(m.encode() for m in (*extended, query, query))
    assert play.client(*extended, query, query) == sent
    play.server(b.PARSE_COMPLETE, b.BIND_COMPLETE, DONE, DONE, READY, DONE, READY)
    assert play.client(query) == query.encode()
    play.server(DONE, READY)
    assert play.client(f.Sync()) == f.SYNC
    play.server(READY)
    assert kinds(play.client(query)) == b"PBDCH"
