"""What a session waits for and its client cancels: the session is told once,
whatever the task had come to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from rewright.proxy.connection import Connection
from rewright.proxy.ports import SqlError


class _Session:
    """Notes what it is told."""

    cancelled = False

    def __init__(self) -> None:
        self.told: list[object] = []

    def cancel(self) -> None:
        self.cancelled = True

    def effect_done(self, result: object) -> None:
        self.told.append(result.sqlstate if isinstance(result, SqlError) else result)


def _connection() -> tuple[Any, _Session]:
    connection: Any = Connection.__new__(Connection)
    session = _Session()
    connection.session, connection.client, connection.effect, connection.address = session, None, None, ""
    connection.marked = None
    return connection, session


def _cancel(connection: Any) -> None:
    connection.mark()
    connection.stop()


async def _asked() -> str:
    await asyncio.sleep(0.01)
    return "answer"


async def _before_it_began() -> list[object]:
    connection, session = _connection()
    connection._start_effect(_asked, None)
    _cancel(connection)
    await asyncio.sleep(0.05)
    return session.told


async def _while_it_waits_twice() -> list[object]:
    connection, session = _connection()
    connection._start_effect(_asked, None)
    await asyncio.sleep(0)
    _cancel(connection)
    _cancel(connection)
    await asyncio.sleep(0.05)
    return session.told


async def _when_it_is_over() -> list[object]:
    connection, session = _connection()
    connection._start_effect(_asked, None)
    await asyncio.sleep(0.05)
    _cancel(connection)
    await asyncio.sleep(0.05)
    return session.told


async def _not_what_was_begun_since() -> list[object]:
    """The cancel meant a statement that has ended while the cancel was on its way to the server."""
    connection, session = _connection()
    connection._start_effect(_asked, None)
    connection.mark()
    await asyncio.sleep(0.05)
    connection._start_effect(_asked, None)
    connection.stop()
    await asyncio.sleep(0.05)
    return session.told


@pytest.mark.parametrize(
    ("play", "told"),
    [
        (_not_what_was_begun_since, ["answer", "answer"]),
        (_before_it_began, ["57014"]),
        (_while_it_waits_twice, ["57014"]),
        (_when_it_is_over, ["answer"]),
    ],
)
def test_a_cancel_is_told_once(play: Any, told: list[object]) -> None:
    played: Coroutine[Any, Any, list[object]] = play()
    assert asyncio.run(played) == told
