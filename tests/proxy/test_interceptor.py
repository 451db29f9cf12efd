"""What a session's next execution runs, and what SHOW rewright.last says of it, whatever happened before."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from rewright.proxy.interceptor import Identity, SessionInterceptor
from rewright.proxy.metrics import Metrics
from rewright.proxy.ports import (
    Answer,
    Guard,
    LastQuery,
    LocalRows,
    Outcome,
    Ports,
    ResultColumn,
    ServedRewrite,
    SessionView,
    SlowQuery,
)
from rewright.proxy.serving.index import RewriteIndex
from rewright.proxy.serving.settings import Settings
from rewright.proxy.serving.slow_texts import PER_SECOND
from rewright.proxy.session import Session
from rewright.proxy.texts import _SETTINGS_CHANGE, _plain_texts, _touches_state
from rewright.proxy.wire import backend as b
from rewright.proxy.wire import frontend as f
from rewright.proxy.wire.tables import Q
from tests.proxy.fake_server import FakeServer
from tests.proxy.rules import RULES
from tests.proxy.serving_world import Reports

SLOW, FAST, OTHER = b"select slow", b"select fast", b"select other"
SHOW = b"show rewright.last"
REWRITE = ServedRewrite(1, "db", SLOW.decode(), FAST.decode(), Guard((), (), digest="d"), unreserved=True)


@dataclass
class Switch:
    paused: bool = False


class ShowLast:
    """The answer to SHOW rewright.last; remembers what it was told."""

    redirects = False
    rights = False
    columns = (ResultColumn("rewright.last"),)
    parameters = ()
    keywords: frozenset[bytes] = frozenset()

    def __init__(self) -> None:
        self.last = LastQuery()

    def match(self, text: str) -> Answer | None:
        return self if text.encode() == SHOW else None

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        del parameters
        self.last = session.last
        return LocalRows(self.columns, ((session.last.route,),), "SHOW")


class World:
    """A client, the session under test, and a server; each call ends when nothing is under way."""

    def __init__(self) -> None:
        self.server = FakeServer()
        self.index = RewriteIndex()
        self.index.replace([REWRITE])
        self.switch = Switch()
        self.show = ShowLast()
        self.to_server = bytearray()
        self.to_client = bytearray()
        self.effects: list[Callable[[], Any]] = []
        self.session = Session(
            self.to_server.extend,
            self.to_client.extend,
            effect=lambda factory, _limit: self.effects.append(factory),
        )
        self.reports = Reports()
        ports = Ports(
            lookup=self.index, reporter=self.reports, answers=self.show, pause=self.switch, settings=RULES
        )
        identity = Identity("db", "u", "x")
        self.interceptor = SessionInterceptor(
            self.session, ports, identity, Metrics(), Settings(RULES), self.session.clock
        )
        self.session.attach(self.interceptor)
        self.names: set[bytes] = set()

    @property
    def slow(self) -> list[str]:
        """Texts that were reported."""
        return [report.text for report in self.reports.all if isinstance(report, SlowQuery)]

    def send(self, *messages: f.FrontendMessage) -> bytes:
        """What the client gets."""
        self.to_client.clear()
        self.session.client_data(b"".join(message.encode() for message in messages))
        while self.to_server or self.effects:
            sent = bytes(self.to_server)
            self.to_server.clear()
            if sent:
                self.session.server_data(self.server.feed(sent))
            if self.effects:
                self._run(self.effects.pop())
        assert not self.session.relay_only
        return bytes(self.to_client)

    def _run(self, effect: Callable[[], Any]) -> None:
        try:
            effect().send(None)
        except StopIteration as done:
            self.session.effect_done(done.value)

    def simple(self, text: bytes) -> None:
        self.send(f.Query(text))

    def prepared(self, text: bytes) -> None:
        """As drivers do: prepared once, then only bound."""
        name = b"s_" + text.replace(b" ", b"_")
        if name not in self.names:
            self.names.add(name)
            self.send(f.Parse(name, text), f.Sync())
        self.send(f.Bind(b"", name), f.Execute(b""), f.Sync())

    def unnamed(self, text: bytes) -> None:
        self.send(f.Parse(b"", text), f.Bind(b"", b""), f.Describe(b"P", b""), f.Execute(b""), f.Sync())

    def ran(self) -> bytes:
        return self.server.ran[-1]

    def last(self, how: Callable[[World, bytes], None]) -> LastQuery:
        how(self, SHOW)
        return self.show.last


WAYS = (World.simple, World.prepared, World.unnamed)


def test_rejected_rewrite_of_a_prepared_statement() -> None:
    world = World()
    for _ in range(2):
        world.prepared(SLOW)
        assert world.ran() == FAST
        assert world.last(World.prepared).route == "replacement"
    world.index.replace(())
    assert world.last(World.prepared).route == "replacement"  # that one was
    world.prepared(SLOW)
    assert world.ran() == SLOW
    assert world.last(World.prepared).route == "original"


def test_names_that_became_unknown_are_told_of_rightly() -> None:
    world = World()
    world.prepared(SLOW)
    assert world.last(World.simple).route == "replacement"
    world.simple(b"prepare p as select 1")
    world.prepared(SLOW)
    assert world.ran() == SLOW
    assert world.last(World.simple) == LastQuery("original", None, "no rewrite is known")


@pytest.mark.parametrize("send", [World.simple, World.prepared, World.unnamed])
def test_a_slow_query_can_be_asked_about(
    send: Callable[[World, bytes], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its text, until something else is executed, in whatever protocol; a quick one leaves nothing to ask
    about.
    """
    world = World()
    send(world, OTHER)
    assert world.last(World.simple).text == ""
    slow_after = world.session.server.slow_after
    # read again with the settings
    monkeypatch.setattr(world.interceptor.in_force, "_set_slow_after", lambda: None)
    world.session.server.slow_after = -1.0
    send(world, OTHER)
    monkeypatch.undo()
    world.session.server.slow_after = slow_after
    assert {route: sum(one.counts) for route, one in world.interceptor.metrics.seconds.items()} == {"slow": 1}
    last = world.last(World.simple)
    assert (last.route, last.reason, last.text) == ("original", "no rewrite is known", OTHER.decode())
    send(world, OTHER)
    assert world.last(World.simple).text == ""


@pytest.mark.parametrize("send", [World.simple, World.unnamed])
def test_of_an_overloaded_server_a_text_is_reported_some_times_a_second(
    send: Callable[[World, bytes], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts that differ in digits alone are one; another one is reported all the same."""
    world = World()
    monkeypatch.setattr(world.interceptor.in_force, "_set_slow_after", lambda: None)
    now = [1000.0]
    monkeypatch.setattr(world.interceptor.slow, "_clock", lambda: now[0])
    send(world, OTHER)
    world.session.server.slow_after = -1.0
    for number in range(3 * PER_SECOND):
        send(world, OTHER + str(number % 7).encode())
    assert len(world.slow) == PER_SECOND
    assert world.interceptor.metrics.reports_dropped == 2 * PER_SECOND
    send(world, b"select something else")
    assert world.slow[-1] == "select something else"
    now[0] += 1.0
    send(world, OTHER)
    assert world.slow[-1] == OTHER.decode()


def test_how_a_slow_query_ended_is_not_how_a_quick_one_before_it_did(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What failed is not optimised."""
    world = World()
    monkeypatch.setattr(world.interceptor.in_force, "_set_slow_after", lambda: None)
    world.simple(b"select 1 / 0")
    world.session.server.slow_after = -1.0
    for text in (OTHER, b"select 2 / 0", OTHER):
        world.simple(text)
    told = [(one.state, one.sqlstate) for one in world.reports.all if isinstance(one, SlowQuery)]
    assert told == [("finished", ""), ("failed", "22012"), ("finished", "")]


@pytest.mark.parametrize(
    ("said", "by_the_client", "state"),
    [
        ("canceling statement due to user request", False, "cancelled"),
        ("canceling statement due to statement timeout", False, "timed out"),
        # the words of another lc_messages: nothing is guessed
        ("storniere Anfrage wegen Benutzeraufforderung", False, "cancelled or timed out"),
        ("annulation de la requête à la demande de l'utilisateur", True, "cancelled"),
    ],
)
def test_what_stopped_a_slow_query_is_told_in_any_language(
    monkeypatch: pytest.MonkeyPatch, said: str, state: str, *, by_the_client: bool
) -> None:
    world = World()
    monkeypatch.setattr(world.interceptor.in_force, "_set_slow_after", lambda: None)
    world.simple(b"select 1")
    world.session.server.slow_after = -1.0

    def stop(_text: bytes) -> bytes:
        if by_the_client:
            world.session.cancel()
        return b.error("57014", said)

    monkeypatch.setattr(world.server, "_query", stop)
    world.simple(OTHER)
    assert [one.state for one in world.reports.all if isinstance(one, SlowQuery)] == [state]


def test_mode_is_read_again_before_a_prepared_statement() -> None:
    world = World()
    world.prepared(SLOW)
    world.simple(b"set rewright.mode = off")
    world.prepared(SLOW)
    assert world.ran() == SLOW
    assert world.last(World.prepared).reason in {"mode", "rewright.mode"}
    world.simple(b"reset rewright.mode")
    world.prepared(SLOW)
    assert world.ran() == FAST
    assert world.last(World.prepared).route == "replacement"


def test_a_wrong_setting_that_came_otherwise_is_warned_of_once() -> None:
    world = World()
    world.server.mode = b"loud"  # as ALTER ROLE would leave it
    got = world.send(f.Query(SLOW))
    assert world.ran() == FAST
    assert got.count(b'VWARNING\0C22023\0Minvalid value for parameter "rewright.mode": "loud"') == 1
    assert b"WARNING" not in world.send(f.Query(SLOW))


@pytest.mark.parametrize("event", ["rejected", "parsed anew", "closed", "off"])
def test_fetching_goes_on_where_it_began(event: str) -> None:
    """A portal that began with the replacement ends with it: the original would give the first rows again."""
    world = World()
    world.simple(b"begin")
    world.send(f.Parse(b"s" * (event == "closed"), SLOW))
    name = b"s" * (event == "closed")
    world.send(f.Bind(b"c", name), f.Execute(b"c", 1), f.Sync())
    assert world.ran() == FAST
    if event == "rejected":
        world.index.replace(())
        world.prepared(OTHER)
    elif event == "parsed anew":
        world.unnamed(OTHER)
    elif event == "closed":
        world.send(f.Close(b"S", b"s"), f.Sync())
    else:
        world.simple(b"set rewright.mode = off")
        world.unnamed(SLOW)
        assert world.ran() == SLOW
    got = world.send(f.Execute(b"c", 0), f.Sync())
    assert world.ran() == FAST
    assert got.count(FAST) == 2


def test_fetching_the_original_does_not_turn_to_the_replacement() -> None:
    world = World()
    world.simple(b"begin")
    world.switch.paused = True
    world.send(f.Parse(b"s", SLOW), f.Bind(b"c", b"s"), f.Execute(b"c", 1), f.Sync())
    assert world.ran() == SLOW
    world.switch.paused = False
    assert world.send(f.Execute(b"c"), f.Sync()).count(SLOW) == 2
    world.prepared(SLOW)
    assert world.ran() == FAST


def test_a_statement_behind_an_open_portal_loses_its_rewrite_too() -> None:
    world = World()
    world.simple(b"begin")
    world.send(f.Parse(b"s", SLOW), f.Bind(b"c", b"s"), f.Close(b"S", b"s"), f.Sync())
    world.index.replace(())
    world.send(f.Execute(b"c"), f.Sync())
    assert world.ran() == SLOW
    assert world.last(World.simple).route == "original"


@pytest.mark.parametrize("seed", range(60))
def test_whatever_happened_before(seed: int) -> None:
    """Any order of switching, rejecting and executing: the next execution is right, and so is SHOW
    rewright.last.
    """
    dice = random.Random(seed)
    world = World()
    story: list[str] = []
    for _ in range(80):
        step = dice.choice(["run", "run", "run", "other", "index", "pause", "mode", "block"])
        how = dice.choice(WAYS)
        story.append(f"{step} {how.__name__}")
        if step == "run":
            how(world, SLOW)
            served = world.server.mode in {None, b"apply"} and bool(world.index.find("db", SLOW, ()))
            assert world.ran() == (FAST if served and not world.switch.paused else SLOW), story
        elif step == "other":
            how(world, OTHER)
            assert world.ran() == OTHER
        elif step == "index":
            world.index.replace(dice.choice([(), [REWRITE], [replace(REWRITE, id=2)]]))
        elif step == "pause":
            world.switch.paused = not world.switch.paused
        elif step == "mode":
            world.simple(
                dice.choice(
                    [b"set rewright.mode = off", b"set rewright.mode = apply", b"reset rewright.mode"]
                )
            )
            continue
        else:
            world.simple(b"commit" if world.server.block else b"begin")
            continue
        if step in {"run", "other"} and dice.random() < 0.7:
            shown = world.last(dice.choice(WAYS))
            assert (shown.route == "replacement") == (world.ran() == FAST), story


WORDS = (
    "select",
    "re1set",
    "reset",
    "all",
    "a2ll",
    "set_config",
    "re",
    "wright",
    "7",
    "discard",
    "'x'",
    "1",
    "SET",
    "prepare",
)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_known_to_be_plain_is(seed: int) -> None:
    """Texts are told by what is left of them without digits: none may hide a word of interest from the
    interceptor.
    """
    chance = random.Random(seed)
    interceptor = World().interceptor
    for _ in range(40):
        text = chance.choice((" ", "", "9")).join(chance.choices(WORDS, k=chance.randint(1, 4))).encode()
        interceptor.in_force.stale = False
        interceptor.passes(Q, f.Query(text).encode(), 0, len(text) + 6)
        assert interceptor.in_force.stale == bool(_SETTINGS_CHANGE.search(text.lower())), text
        for left in _plain_texts:
            assert not _touches_state(left.lower())
            assert b"rewright" not in left
