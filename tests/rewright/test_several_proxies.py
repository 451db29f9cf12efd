"""Several proxies on one store in PostgreSQL: what one finds, and what a person says to one, reaches all
within a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Guard, ServedRewrite
from rewright.store.api import Store, open_store
from rewright.store.life import Action, Level
from rewright.store.records import NewRewrite
from rewright.wiring.feed import POLL_SECONDS, StoreFeed
from rewright.wiring.served import guard_document
from tests.rewright.serving import QUERY, Running, connect, last, wait

pytestmark = [pytest.mark.server, pytest.mark.timeout(280), pytest.mark.long]
# a relay may be looking at the store at this moment; what it missed it finds at the next look
LOOKS = 2
GUARD = Guard(
    original=(), replacement=(), below=(), functions=(), operators=(), search_path=None, digest="that of the catalog"
)  # fmt: skip
PROVED = NewRewrite(
    database="app", template_key="key", template="select 1", original="select 1", replacement="select 1", scope="any",
    level=Level.PROVED, guard=guard_document(GUARD),
)  # fmt: skip


@pytest.fixture
def proxies(scratch_server: ScratchServer, sample: str, database: str) -> Iterator[list[Running]]:
    """Three; the first has an optimiser."""
    upstream = scratch_server.dsn(sample).rsplit("/", 1)[0]
    given = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--upstream", upstream]
    given += ["--store", scratch_server.dsn(database)]
    with ExitStack() as stack:
        started = []
        for number in range(3):
            environment = {"REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream} if number == 0 else {}
            started.append(Running(given, environment))
            stack.callback(started[-1].stop)
        wait(lambda: "optimiser_jobs_received_total 0.0" in started[0].get("/metrics"))
        yield started


def test_two_looks_at_the_store_are_enough_and_take_less_than_a_second(
    scratch_server: ScratchServer, database: str
) -> None:
    """The second that is promised, counted in looks: how long one takes is up to the machine."""
    assert LOOKS * POLL_SECONDS < 1
    with ExitStack() as stack:
        relays = [stack.enter_context(looking(scratch_server.dsn(database))) for _ in range(3)]
        person = stack.enter_context(open_store(scratch_server.dsn(database)))
        rewrite = person.rewrites.add(PROVED)
        for act, obeyed in (
            (
                lambda: person.rewrites.act(rewrite.id, Action.APPROVE, reason="", by="joe"),
                lambda one: one.serves,
            ),
            (lambda: person.switches.set_paused(True, by="joe"), lambda one: one.feed.paused),
            (lambda: person.switches.set_paused(False, by="joe"), lambda one: not one.feed.paused),
            (
                lambda: person.rewrites.act(rewrite.id, Action.REJECT, reason="", by="joe"),
                lambda one: not one.serves,
            ),
        ):
            act()
            before = [one.looks for one in relays]
            wait(
                lambda before=before: all(
                    one.looks >= n + LOOKS for one, n in zip(relays, before, strict=True)
                )
            )
            assert [bool(obeyed(one)) for one in relays] == [True] * 3


class Relay:
    """The part of a relay that looks at the store; ``looks`` counts those that are over."""

    def __init__(self, store: Store) -> None:
        self.looks, self.serves = 0, False
        self.feed = StoreFeed(store, self._publish, accept=frozenset())
        look = self.feed.poll

        def counted() -> None:
            look()
            self.looks += 1

        self.feed.poll = counted  # type: ignore[method-assign]

    def _publish(self, rewrites: Iterable[ServedRewrite]) -> None:
        self.serves = bool(list(rewrites))


@contextmanager
def looking(url: str) -> Iterator[Relay]:
    with open_store(url) as store:
        relay = Relay(store)
        relay.feed.start()
        try:
            yield relay
        finally:
            relay.feed.stop()


def test_what_one_knows_all_know(proxies: list[Running], scratch_server: ScratchServer, sample: str) -> None:
    with ExitStack() as stack:
        sessions = [stack.enter_context(connect(one, scratch_server, sample)) for one in proxies]
        for session in sessions:
            session.execute("set rewright.trust = 'tested'")
            session.execute("set rewright.min_duration = '20ms'")
        first, second, third = sessions

        first.execute(QUERY)
        # to find it takes what the machine has to give
        wait(lambda: is_served(first), 200)
        wait(lambda: all(map(is_served, sessions)))

        second.execute("call rewright.pause()")
        wait(lambda: not any(map(is_served, sessions)))
        third.execute("call rewright.resume()")
        wait(lambda: all(map(is_served, sessions)))

        (found,) = third.execute("select id from rewright.rewrites where state = 'active'").fetchall()
        second.execute(f"call rewright.reject({int(found[0])})".encode())
        wait(lambda: not any(map(is_served, sessions)))
        third.execute(QUERY)
        assert last(third).startswith("original")
        third.execute(f"call rewright.approve({int(found[0])})".encode())
        wait(lambda: all(map(is_served, sessions)))
        third.execute(QUERY)
        assert last(third).startswith("replacement")

        wait(lambda: count(first) == 3)


def is_served(session: psycopg.Connection[Any]) -> bool:
    """As EXPLAIN says, which runs neither."""
    lines = [str(line) for (line,) in session.execute(f"explain {QUERY}".encode())]
    return any("rewrite " in line for line in lines)


def count(session: psycopg.Connection[Any]) -> int:
    """Sessions of all proxies, as any of them shows them."""
    return len(session.execute("select pid from rewright.clients").fetchall())
