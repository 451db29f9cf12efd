"""The same conversation over stdin and stdout and over HTTP: a call, wrong calls, one that is cancelled, both
resources; and an agent that decides by what it is told.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import httpx2
import psycopg
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from rewright.engines.postgres.scratch import ScratchServer
from rewright.store.api import open_store
from rewright.store.life import Level
from rewright.store.records import LogEntry, NewRewrite

pytestmark = [pytest.mark.server, pytest.mark.timeout(280), pytest.mark.long]

TOKEN = "a token of more than sixteen"
SLOW = """select sum(l.price) from line l join part p on p.id = l.part
          where l.qty < (select 0.2 * avg(x.qty) from line x where x.part = p.id)"""
ENDLESS = "select count(*) as endless from line a, line b, line c"
ASLEEP = "select pg_sleep(300) as endless"
AT_ONCE = 4
Connect: TypeAlias = Callable[[], Any]


@pytest.fixture(scope="module")
def environment(
    scratch_server: ScratchServer, module_database: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """A database on which SLOW takes long, and a store with one rewrite and one entry of the log."""
    dsn = scratch_server.dsn(module_database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table part (id int primary key)")
        connection.execute("create table line (part int not null, qty int not null, price int not null)")
        connection.execute("insert into part select generate_series(1, 200)")
        connection.execute("insert into line select g % 200 + 1, g % 50, g from generate_series(1, 20000) g")
        connection.execute("analyze")
    url = str(tmp_path_factory.mktemp("mcp") / "store.db")
    with open_store(url) as store:
        new = NewRewrite("app", "k", "select 1", "select 1", "select 2", level=Level.TESTED)
        number = store.rewrites.add(new).id
        store.log.add([LogEntry(at=1.0, database="app", query="select 1", rewrite_id=number)])
    return {**os.environ, "REWRIGHT_DSN": dsn, "REWRIGHT_STORE__URL": url, "REWRIGHT_MCP_TOKEN": TOKEN}


@pytest.fixture(scope="module", params=["stdio", "http"])
def connect(
    request: pytest.FixtureRequest, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Connect]:
    """Opens a client; the server is one process as people start it."""
    words = ["-m", "rewright", "mcp", "--lake", str(tmp_path_factory.mktemp("lake"))]
    if request.param == "stdio":
        server = StdioServerParameters(command=sys.executable, args=words, env=environment)
        yield lambda: Client(stdio_client(server))
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words += ["--http", f"127.0.0.1:{port}"]
    with subprocess.Popen([sys.executable, *words], env=environment) as process:
        _await(lambda: process.poll() is not None or _listens(port))

        @asynccontextmanager
        async def over_http() -> AsyncIterator[Any]:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=None) as http,
                Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
            ):
                yield client

        yield over_http
        process.terminate()


def test_calls_resources_and_a_cancelled_call(connect: Connect, environment: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connect() as client:
            asked = {"original": "select a from t", "candidate": "select a + 0 from t"}
            schema = {"schema_sql": "create table t (a int primary key)"}
            verdict = _document(await client.call_tool("verify", {**asked, **schema}))
            assert verdict["verdict"] == "proved", verdict
            await _wrong_calls(client)
            ((entry, *_), one) = await _resources(client)
            assert entry["query"] == "select 1"
            assert (one["id"], one["verdict"], one["replacement"]) == (entry["rewrite"], "tested", "select 2")
            await _cancelled(client, environment["REWRIGHT_DSN"])
            # the session lives on
            assert _document(await client.call_tool("plan", {"query": SLOW}))["cost"] > 10_000

    asyncio.run(conversation())


async def _wrong_calls(client: Any) -> None:
    for name, arguments, told in (
        ("verify", {"original": "select 1"}, "candidate"),
        ("verify", {"original": "selec 1", "candidate": "select 1", "schema_sql": ""}, "syntax error"),
        ("plan", {"query": "select * from nothing_here"}, "nothing_here"),
        ("plan", {"query": "delete from line"}, "SELECT"),
    ):
        answer = await client.call_tool(name, arguments)
        assert told in answer.content[0].text, (name, answer.content)


async def _resources(client: Any) -> tuple[Any, Any]:
    log = json.loads((await client.read_resource("rewright://log")).contents[0].text)
    one = json.loads(
        (await client.read_resource(f"rewright://rewrites/{log[0]['rewrite']}")).contents[0].text
    )
    with pytest.raises(Exception, match="4711"):
        await client.read_resource("rewright://rewrites/4711")
    return log, one


async def _cancelled(client: Any, dsn: str) -> None:
    call = client.call_tool("plan", {"query": ENDLESS, "analyze": True, "seconds": 300})
    task = asyncio.create_task(call)
    await asyncio.to_thread(_await, lambda: _running(dsn))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(_await, lambda: not _running(dsn))


def test_nobody_waits_for_anothers_endless_queries(connect: Connect, environment: dict[str, str]) -> None:
    """Two clients: one runs as many queries as may run; the other is answered, and told what it waits for."""
    dsn = environment["REWRIGHT_DSN"]

    async def conversation() -> None:
        async with connect() as one, connect() as other:
            endless = {"query": ASLEEP, "analyze": True, "seconds": 300}
            calls = [asyncio.create_task(one.call_tool("plan", endless)) for _ in range(AT_ONCE)]
            await asyncio.to_thread(_await, lambda: _running(dsn) == AT_ONCE)
            asked = {"original": "select 1", "candidate": "select 1", "schema_sql": ""}
            async with asyncio.timeout(60):
                assert _document(await other.call_tool("verify", asked))["verdict"] == "proved"
            refused = await one.call_tool("lake_query", {"query": "select 1", "seconds": 1})
            assert f"not started within 1 s: {AT_ONCE} calls are running" in refused.content[0].text
            # the end of one call is nobody else's
            calls[0].cancel()
            await asyncio.to_thread(_await, lambda: _running(dsn) == AT_ONCE - 1)
            finite = await other.call_tool("plan", {"query": "select count(*) from line", "analyze": True})
            assert _document(finite)["cost"] > 1
            assert not any(call.done() for call in calls[1:])
            for call in calls[1:]:
                call.cancel()
            await asyncio.to_thread(_await, lambda: _running(dsn) == 0)

    asyncio.run(conversation())


def test_an_agent_decides_by_what_it_is_told(connect: Connect) -> None:
    """It looks for what is slow, tries a query of its own, believes the refutation, and takes what is proved."""

    async def conversation() -> list[str]:
        done = list[str]()
        async with connect() as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"plan", "verify", "rewrite"} <= names
            plan = _document(await client.call_tool("plan", {"query": SLOW}))
            if plan["cost"] < 1000:
                return ["nothing to do"]
            done.append("slow")
            # what an agent without a checker would send: the average of all lines, not of the part's own
            guess = SLOW.replace(" where x.part = p.id", "")
            checked = _document(await client.call_tool("verify", {"original": SLOW, "candidate": guess}))
            done.append(checked["verdict"])
            candidate = guess
            if checked["verdict"] != "proved":
                found = _document(await client.call_tool("rewrite", {"query": SLOW, "seconds": 60}))
                candidate = found["rewritten"] or found["proposed"]
                again = await client.call_tool("verify", {"original": SLOW, "candidate": candidate})
                done.append(_document(again)["verdict"])
            if done[-1] == "proved":
                faster = _document(await client.call_tool("plan", {"query": candidate}))
                done.append("faster" if faster["cost"] < plan["cost"] / 10 else "no faster")
        return done

    assert asyncio.run(conversation()) == ["slow", "refuted", "proved", "faster"]


def _document(result: Any) -> Any:
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


def _await(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _running(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        found = connection.execute(
            "select from pg_stat_activity where state = 'active' and backend_type = 'client backend'"
            " and pid <> pg_backend_pid() and query like '%as endless%'"
        )
        return len(found.fetchall())
