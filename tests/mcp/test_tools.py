"""The tools as an agent calls them: the SDK's client over memory, stdin and stdout, and HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from rewright.engines.postgres.scratch import ScratchServer
from rewright.mcp.server import make_server
from rewright.mcp.summaries import summary_of
from rewright.mcp.tools import Targets, Tools

pytestmark = [pytest.mark.server, pytest.mark.long]

SCHEMA = "create table t (a int primary key, b int);"
TOKEN = "a token of more than sixteen"
SLOW = """select sum(l.price) from line l join part p on p.id = l.part
          where l.qty < (select 0.2 * avg(x.qty) from line x where x.part = p.id)"""


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def document(result: Any) -> Any:
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


@pytest.fixture(scope="module")
def shop(scratch_server: ScratchServer, module_database: str) -> str:
    """A database on which SLOW takes long: its aggregate is computed once for each line."""
    dsn = scratch_server.dsn(module_database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table part (id int primary key)")
        connection.execute("create table line (part int not null, qty int not null, price int not null)")
        connection.execute("insert into part select generate_series(1, 200)")
        connection.execute("insert into line select g % 200 + 1, g % 50, g from generate_series(1, 20000) g")
        connection.execute("analyze")
    return dsn


async def call(targets: Targets, name: str, **arguments: Any) -> Any:
    async with Client(make_server(targets)) as client:
        return await client.call_tool(name, arguments)


def test_every_tool_says_what_it_is_for_and_that_it_only_reads() -> None:
    async def listed() -> Any:
        async with Client(make_server(Targets())) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in run(listed())}
    assert set(tools) == {
        "verify", "explain_counterexample", "rewrite", "hint", "plan", "top_queries", "lake_tables", "lake_query", "augment", "ask",
    }  # fmt: skip
    assert all(len(tool.description) > 40 and tool.annotations.read_only_hint for tool in tools.values())


def test_a_proof_is_told_with_what_it_rests_on() -> None:
    found = run(
        call(
            Targets(),
            "verify",
            original="select distinct a, b from t",
            candidate="select a, b from t",
            schema_sql=SCHEMA,
        )
    )
    told = document(found)
    assert told["verdict"] == "proved"
    assert "They are the same query. This holds as long as the schema says" in told["meaning"]


def test_a_counterexample_can_be_run() -> None:
    arguments = {
        "original": "select a, b from t",
        "candidate": "select a, b from t where b > 0",
        "schema_sql": SCHEMA,
    }
    told = document(run(call(Targets(), "explain_counterexample", **arguments)))
    assert told["explanation"].startswith("on a database of")
    assert "insert into" in told["counterexample"]["script"].lower()


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("verify", {"original": "select a", "candidate": "select a"}, "give schema_sql"),
        ("rewrite", {"query": "select 1"}, "start the server with --dsn"),
        ("plan", {"query": "select 1"}, "start the server with --dsn"),
        ("lake_query", {"query": "select 1"}, "start the server with --lake"),
        ("augment", {"table": "t", "target": "a"}, "start the server with --lake"),
        ("verify", {"original": "select 1"}, "candidate"),
        ("rewrite", {"query": "select 1", "trust": "judged"}, "trust"),
        ("rewrite", {"query": "select 1", "seconds": 1e9}, "seconds"),
        ("verify", {"original": "x" * 200_001, "candidate": "y", "schema_sql": SCHEMA}, "longer than"),
    ],
)
def test_wrong_calls_are_told_what_is_wrong(name: str, arguments: dict[str, Any], told: str) -> None:
    found = run(call(Targets(), name, **arguments))
    assert found.is_error
    assert told in found.content[0].text


class Noting:
    """In place of processes: what would be run, and for how long at most."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], float]] = []

    async def document(self, words: list[str], *, seconds: float, **_: Any) -> Any:
        self.calls.append((words, seconds))
        return {}


@pytest.mark.parametrize("name", ["hint", "rewrite"])
def test_a_search_gets_the_calls_time_and_is_ended_later(name: str) -> None:
    children: Any = Noting()
    tools = Tools(Targets(dsn="postgresql://nowhere"), children)
    run(tools.hint("select 1", 90) if name == "hint" else tools.rewrite("select 1", "proved", "explain", 90))
    ((words, seconds),) = children.calls
    assert words[words.index("--budget") + 1] == "90s"
    assert seconds > 90


@pytest.mark.parametrize(
    ("name", "query", "told"),
    [
        ("plan", "select nothing", "nothing"),
        ("plan", "drop table part", "it is not a SELECT"),
        ("plan", "select 1; drop table part", ""),
        ("hint", "delete from part", ""),
    ],
)
def test_hostile_texts_change_nothing(shop: str, name: str, query: str, told: str) -> None:
    found = run(call(Targets(dsn=shop), name, query=query))
    assert told in found.content[0].text
    with psycopg.connect(shop) as connection:
        assert connection.execute("select count(*) from part").fetchone() == (200,)


def test_an_analysed_statement_that_writes_is_refused(shop: str) -> None:
    found = run(call(Targets(dsn=shop), "plan", query="insert into part values (999)", analyze=True))
    assert found.is_error
    assert "it is not a SELECT" in found.content[0].text


def test_a_plan_tells_rows_and_time(shop: str) -> None:
    told = document(run(call(Targets(dsn=shop), "plan", query="select count(*) from line", analyze=True)))
    assert told["tree"]["actual_rows"] == 1
    assert told["seconds"] > 0


def test_an_agent_takes_a_slow_query_to_a_verified_rewrite(shop: str) -> None:
    async def conversation() -> tuple[Any, Any]:
        async with Client(make_server(Targets(dsn=shop))) as client:
            plan = document(await client.call_tool("plan", {"query": SLOW}))
            assert plan["cost"] > 10_000
            done = document(await client.call_tool("rewrite", {"query": SLOW, "seconds": 30}))
            own = done["rewritten"]
            checked = document(await client.call_tool("verify", {"original": SLOW, "candidate": own}))
            faster = document(await client.call_tool("plan", {"query": own, "analyze": True}))
            return checked, (plan, faster)

    checked, (plan, faster) = run(conversation())
    assert checked["verdict"] == "proved", checked
    assert faster["cost"] < plan["cost"] / 10


def test_a_cancelled_call_ends_its_process(shop: str) -> None:
    async def cancelled() -> float:
        async with Client(make_server(Targets(dsn=shop))) as client:
            endless = "select count(*) as endless from line a, line b, line c"
            arguments = {"query": endless, "analyze": True, "seconds": 300}
            task = asyncio.create_task(client.call_tool("plan", arguments))
            await asyncio.to_thread(_await, lambda: _running(shop))
            task.cancel()
            began = time.monotonic()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(_await, lambda: not _running(shop))
            return time.monotonic() - began

    assert run(cancelled()) < 15


def _await(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.05)


def _running(dsn: str) -> bool:
    with psycopg.connect(dsn) as connection:
        found = connection.execute(
            "select from pg_stat_activity"
            " where state = 'active' and pid <> pg_backend_pid() and query like '%as endless%'"
        )
        return found.fetchone() is not None


def test_a_lake_is_queried_by_imagined_names(tmp_path: Path) -> None:
    (tmp_path / "vessels.csv").write_text("vessel_id,vessel_name\n1,Aurora\n2,Borealis\n")
    targets = Targets(lake=str(tmp_path))
    tables = document(run(call(targets, "lake_tables")))
    assert "vessels" in json.dumps(tables)
    told = document(
        run(call(targets, "lake_query", query="select vessel_name from vessels order by 1", rows=1))
    )
    assert (told["rows"], told["row_count"], told["truncated"]) == ([["Aurora"]], 2, True)


def test_of_many_tables_those_with_the_searched_words_are_told(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"part_{number:02}.csv").write_text("a,b\n1,2\n")
    (tmp_path / "zebra_counts.csv").write_text("day,zebras\n2024-01-01,3\n")
    (tmp_path / "zoo.csv").write_text("zebras,lions\n3,2\n")
    targets = Targets(lake=str(tmp_path))
    everything = document(run(call(targets, "lake_tables", tables=5)))
    assert [len(everything["tables"]), everything["table_count"], everything["truncated"]] == [5, 42, True]
    searched = document(run(call(targets, "lake_tables", search="Zebra, lion?")))
    assert [table["table"] for table in searched["tables"]] == ["zebra_counts", "zoo"]
    assert not searched["truncated"]
    # the way to the folder has no part in it
    assert not document(run(call(targets, "lake_tables", search=tmp_path.name)))["tables"]
    assert not document(run(call(targets, "lake_tables", search="giraffe")))["tables"]


def test_of_a_wide_table_the_first_columns_are_told() -> None:
    columns = [{"name": f"c{n}", "type": "BIGINT", "noise": []} for n in range(300)]
    (told,) = summary_of([{"table": "t", "file": "/lake/t.csv", "columns": columns}], "/lake", "", 5)[
        "tables"
    ]
    assert (len(told["columns"]), told["column_count"]) == (100, 300)
    assert (told["file"], told["columns"][0]) == ("t.csv", {"name": "c0", "type": "BIGINT"})


def test_columns_that_predict_are_found_in_a_lake(tmp_path: Path) -> None:
    numbers = [(n * 7919) % 101 for n in range(120)]
    visits = "\n".join(f"{n},{3 * number + 40 * (n % 2)}" for n, number in enumerate(numbers))
    (tmp_path / "towns.csv").write_text(f"town_id,visits\n{visits}\n")
    hotels = "\n".join(f"{n},{number}" for n, number in enumerate(numbers))
    (tmp_path / "hotels.csv").write_text(f"town_id,beds\n{hotels}\n")
    targets = Targets(lake=str(tmp_path))
    told = document(run(call(targets, "augment", table="towns", target="visits")))
    (added,) = told["tables"]
    assert (added["table"], added["added_columns"]) == ("hotels", ["hotels.beds"])
    assert told["r2_after"] > told["r2_before"] + 0.5
    assert "hotels" in told["sql"]
    unknown = run(call(targets, "augment", table="--lake=/", target="visits"))
    assert unknown.is_error
    assert "--lake=/" in unknown.content[0].text


def test_a_question_is_answered_or_says_what_was_unclear(tmp_path: Path) -> None:
    (tmp_path / "vessels.csv").write_text("vessel_id,vessel_name\n1,Aurora\n2,Borealis\n")
    targets = Targets(lake=str(tmp_path))
    told = document(run(call(targets, "ask", question="How many vessels are there?")))
    assert (told["rows"], told["refused"]) == ([[2]], False)
    assert told["sql"].startswith("select count(*)")
    refused = document(run(call(targets, "ask", question="--help me with elephants")))
    assert refused["refused"]
    assert refused["sql"] is None
    assert "start the server with" in run(call(Targets(), "ask", question="why?")).content[0].text


def test_over_stdin_and_stdout() -> None:
    async def over_stdio() -> Any:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "rewright", "mcp"], env=dict(os.environ)
        )
        async with Client(stdio_client(server)) as client:
            arguments = {"original": "select a from t", "candidate": "select a from t", "schema_sql": SCHEMA}
            return await client.call_tool("verify", arguments)

    assert document(run(over_stdio()))["verdict"] == "proved"


@pytest.fixture
def address() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = dict(os.environ) | {"REWRIGHT_MCP_TOKEN": TOKEN}
    words = [sys.executable, "-m", "rewright", "mcp", "--http", f"127.0.0.1:{port}"]
    with subprocess.Popen(words, env=environment) as server:
        while server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
        server.terminate()


def test_over_http_with_a_token(address: str) -> None:
    import httpx2

    async def over_http(token: str, host: str | None = None) -> Any:
        headers = {"Authorization": f"Bearer {token}"} | ({"Host": host} if host else {})
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return await client.list_tools()

    assert len(run(over_http(TOKEN)).tools) == 10
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert httpx2.post(address, json=body).status_code == 401
    assert httpx2.post(address, json=body, headers={"Authorization": f"Bearer {TOKEN}x"}).status_code == 401
    rebound = {"Authorization": f"Bearer {TOKEN}", "Host": "evil.example.com"}
    assert httpx2.post(address, json=body, headers=rebound).status_code in {403, 421}


def test_http_where_somebody_listens_already() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [sys.executable, "-m", "rewright", "mcp", "--http", address],
            env=os.environ | {"REWRIGHT_MCP_TOKEN": TOKEN}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr.strip()) == (
        1,
        f"rewright: cannot listen on {address}: Address already in use",
    )


def test_http_without_a_token_does_not_start() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "REWRIGHT_MCP_TOKEN"}
    done = subprocess.run(
        [sys.executable, "-m", "rewright", "mcp", "--http", "127.0.0.1:0"],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "HTTP needs a token" in done.stderr
