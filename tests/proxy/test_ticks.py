"""What is done again and again for sessions that do nothing: little, and never too late."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rewright.proxy.config import DatabaseConfig, Limits, ListenConfig, ProxyConfig
from rewright.proxy.connection import Connection
from rewright.proxy.server import Proxy, until_next_tick
from rewright.proxy.wire import frontend as f
from tests.proxy.test_interceptor import OTHER, REWRITE, SLOW, World


def proxy_of(world: World, *others: World, **limits: Any) -> tuple[Proxy, list[Connection]]:
    """A worker that is not running, with these sessions."""
    config = ProxyConfig(
        listen=ListenConfig(port=0),
        databases={"*": DatabaseConfig("*", dsn="host=127.0.0.1")},
        limits=Limits(**limits),
    )
    proxy = Proxy(config)
    made = []
    for one in (world, *others):
        connection = Connection.__new__(Connection)
        connection.proxy, connection.session, connection.interceptor = proxy, one.session, one.interceptor
        connection.client = None
        made.append(connection)
        proxy._connections[cast("asyncio.Task[None]", object())] = connection
    return proxy, made


@pytest.mark.parametrize(("took", "seconds"), [(0.0, 0.05), (0.0004, 0.05), (0.0015, 0.15), (3.0, 0.25)])
def test_the_more_sessions_there_are_the_less_often(took: float, seconds: float) -> None:
    assert until_next_tick(took) == pytest.approx(seconds)


def test_nothing_is_called_for_an_idle_session(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    world.send(f.Query(OTHER))
    _, (connection,) = proxy_of(world)
    called: list[str] = []
    noting = SimpleNamespace(
        lookups=world.interceptor.lookups,
        look_again=lambda: called.append("look again"),
        slow=SimpleNamespace(tick=lambda _now: called.append("slow")),
    )
    monkeypatch.setattr(connection, "interceptor", noting)
    connection.tick(0.0, world.index.version)
    assert not called
    world.session.client_data(f.Query(OTHER).encode())
    connection.tick(0.0, world.index.version + 1)
    assert called == ["look again", "slow"]


def test_a_prepared_statement_gains_its_rewrite_without_a_word_of_the_client() -> None:
    world = World()
    world.index.replace(())
    world.prepared(SLOW)
    assert world.ran() == SLOW
    _, (connection,) = proxy_of(world)
    world.index.replace([REWRITE])
    connection.tick(0.0, world.index.version)
    world.prepared(SLOW)
    assert world.ran() == b"select fast"


def test_nobody_is_looked_at_while_too_much_is_held_and_everybody_again_afterwards() -> None:
    world, idle = World(), World()
    proxy, _ = proxy_of(world, idle, total_buffer=8)
    proxy._bound_memory()
    assert world.session.client.looking
    query = f.Query(SLOW).encode()
    world.session.client_data(query[:12])
    proxy._bound_memory()
    assert not world.session.client.looking
    assert not idle.session.client.looking
    world.session.client_data(query[12:])
    proxy._bound_memory()
    assert world.session.client.looking
    assert idle.session.client.looking
