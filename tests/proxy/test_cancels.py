"""The order of things in a cancel: marked, got by the server, stopped, answered; whichever worker got it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from rewright.proxy.cancel import CancelTable, WorkerMail
from rewright.proxy.server import UNKNOWN_CANCELS, Proxy
from rewright.proxy.upstream import parse_dsn
from rewright.proxy.wire.startup import CancelRequest
from tests.proxy.running import config

REQUEST = CancelRequest(4711, b"\x01\x02\x03\x04")


class _World:
    """One worker's table with a session whose server takes its time, and another worker's mail."""

    def __init__(self) -> None:
        self.happened: list[str] = []
        self.table = CancelTable()

    def mark(self) -> None:
        self.happened.append("marked")

    def stop(self) -> None:
        self.happened.append("stopped")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readexactly(len(REQUEST.encode())) == REQUEST.encode()
        await asyncio.sleep(0.2)
        self.happened.append("server has it")
        writer.close()


async def _here(world: _World, _run_dir: Path) -> bool:
    return await world.table.cancel(REQUEST)


async def _at_another_worker(world: _World, run_dir: Path, *, silent: bool = False) -> bool:
    none_of_mine = CancelTable()
    mails = [
        WorkerMail(str(run_dir), name, table.cancel)
        for name, table in (("a", none_of_mine), ("b", world.table), ("c", CancelTable()))
    ]
    for mail in mails:
        await mail.open()
    (run_dir / "dead.cancel").touch()  # of a worker that was killed
    try:
        if not silent:
            assert not await mails[0].pass_on(CancelRequest(4711, b"nobody's"))
        async with asyncio.timeout(15):
            return await mails[0].pass_on(REQUEST)
    finally:
        for mail in mails:
            await mail.close()


async def _while_a_third_says_nothing(world: _World, run_dir: Path) -> bool:
    """A worker that hangs does not keep the canceller of another one's session waiting."""
    hung = await asyncio.start_unix_server(
        lambda _reader, _writer: asyncio.sleep(60), str(run_dir / "0.cancel")
    )
    try:
        return await _at_another_worker(world, run_dir, silent=True)
    finally:
        hung.close()


async def _played(way: Any, run_dir: Path) -> list[str]:
    world = _World()
    server = await asyncio.start_server(world.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    world.table.add(
        (REQUEST.pid, REQUEST.key), parse_dsn(f"host=127.0.0.1 port={port} sslmode=disable"), world
    )
    played: Coroutine[Any, Any, bool] = way(world, run_dir)
    if await played:
        world.happened.append("answered")
    server.close()
    return world.happened


@pytest.mark.parametrize("way", [_here, _at_another_worker, _while_a_third_says_nothing])
def test_a_cancel_is_answered_when_the_server_has_it(way: Any, tmp_path: Path) -> None:
    assert asyncio.run(_played(way, tmp_path)) == ["marked", "server has it", "stopped", "answered"]


def test_a_session_is_stopped_where_the_server_is_gone(tmp_path: Path) -> None:
    async def play() -> list[str]:
        world = _World()
        server = await asyncio.start_server(world.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        world.table.add(
            (REQUEST.pid, REQUEST.key), parse_dsn(f"host=127.0.0.1 port={port} sslmode=disable"), world
        )
        assert await world.table.cancel(REQUEST)
        return world.happened

    assert asyncio.run(play()) == ["marked", "stopped"]


def test_keys_of_nobody_keep_few_servers_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Known keys do not wait for them."""
    under_way: list[int] = [0]
    most: list[int] = [0]

    async def slowly(_request: CancelRequest, _target: object) -> None:
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        await asyncio.sleep(0.05)
        under_way[0] -= 1

    async def flood() -> bool:
        proxy = Proxy(config("host=127.0.0.1 port=1"))
        world = _World()
        server = await asyncio.start_server(world.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        target = parse_dsn(f"host=127.0.0.1 port={port} sslmode=disable")
        proxy.cancels.add((REQUEST.pid, REQUEST.key), target, world)
        strangers = [asyncio.create_task(proxy.cancel(CancelRequest(n, b"none"))) for n in range(200)]
        await asyncio.sleep(0)
        await proxy.cancel(REQUEST)
        early = not all(task.done() for task in strangers)
        await asyncio.gather(*strangers)
        server.close()
        return early

    monkeypatch.setattr("rewright.proxy.server.forward", slowly)
    assert asyncio.run(flood())
    assert 0 < most[0] <= UNKNOWN_CANCELS
