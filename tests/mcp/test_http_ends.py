"""A server over HTTP ends when it is told to, whatever its clients still hold open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import click
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette

from rewright.mcp import http
from tests.proxy.waiting import until

pytestmark = [pytest.mark.server, pytest.mark.timeout(120)]
TOKEN = "a token of more than sixteen"
SECONDS = 20
"""Within which the process ends: it grants its clients a few, and starts and stops Python."""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_signal_is_heeded_as_soon_as_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for that line may end the server at once; the interpreter's own handler could lose the signal."""
    handlers = []

    def told(*_: object, **__: object) -> None:
        handlers.append(signal.getsignal(signal.SIGINT))
        signal.raise_signal(signal.SIGINT)

    class Tools:
        def streamable_http_app(self, **_: object) -> Starlette:
            return Starlette()

    monkeypatch.setattr(click, "echo", told)
    http.serve(Tools(), TOKEN, ("127.0.0.1", 0))
    assert handlers
    assert handlers[0] is not signal.default_int_handler


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_call_under_way_ends_with_the_server(sent: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "numbers.csv").write_text("n\n" + "\n".join(map(str, range(9999))))
    port = _free_port()
    words = [sys.executable, "-m", "rewright", "mcp", "--lake", str(tmp_path), "--http", f"127.0.0.1:{port}"]
    environment = {**os.environ, "REWRIGHT_MCP_TOKEN": TOKEN}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        assert "listening" in server.stderr.readline()

        async def one_endless_call() -> None:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=None) as http,
                Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
            ):
                endless = {"query": "select count(*) from numbers a, numbers b, numbers c", "seconds": 300}
                call = asyncio.create_task(client.call_tool("lake_query", endless))
                await asyncio.to_thread(until, lambda: call.done() or _queries(tmp_path))
                server.send_signal(sent)
                await asyncio.to_thread(server.wait, SECONDS)
                await call

        try:
            # what a client is told when its server goes depends on the moment
            with pytest.raises((MCPError, ExceptionGroup)):
                asyncio.run(one_endless_call())
            assert server.poll() is not None
        finally:
            server.kill()
        # a query's process is gone with the server that started it
        until(lambda: not _queries(tmp_path))
        assert "Traceback" not in server.stderr.read()


def _queries(lake: Path) -> list[str]:
    """Command lines of the processes that query this lake."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            lines.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return [line for line in lines if f"lake query {lake}" in line]
