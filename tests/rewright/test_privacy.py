"""What one user sends is shown to no other: not by SQL, in logs, metrics or pages, nor kept where literals
may not be.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from rewright import logs
from rewright.engines.postgres.scratch import ScratchServer
from rewright.processes.jobs import Job, redacted
from rewright.proxy.answers.relations import RELATIONS
from rewright.sql.redaction import scrubbed, values_in, without_literals, without_values
from rewright.wiring.reporting import normalized
from tests.rewright.serving import Running, wait

pytestmark = pytest.mark.long

MARK = "SECRET-PASSPORT-123"
NUMBER = "987654321987"
LINES = "select count(*), sum(l_quantity) from lineitem where l_orderkey > 5"
# by simple Query; `{mark}` and `{number}` where values stand
TEXTS = [
    f"{LINES} and l_partkey::text <> '{{mark}}'",
    f"{LINES} and l_partkey not in ({{number}}, 7)",
    f"{LINES} and l_partkey::text in ('a', '{{mark}}')",
    f"{LINES} and l_partkey::text not like '%{{mark}}%'",
    f"{LINES} and l_partkey::text <> $x${{mark}}$x$",
    f"{LINES} and l_partkey::text <> E'{{mark}}\\n'",
    f"{LINES} and l_partkey::text <> U&'{{mark}}'",
    f"{LINES} /* {{mark}} */",
    f"{LINES} -- {{mark}} {{number}}",
    f"{LINES} and exists (select 1 from part where p_brand <> '{{mark}}' and p_partkey = l_partkey)",
    "select distinct l_orderkey, '{mark}' as c from lineitem where l_orderkey <> {number} order by 1",
    # these fail
    f"{LINES} and current_date > date '{{mark}}'",
    f"{LINES} and l_partkey = '{{mark}}'::int",
    f"{LINES} and l_partkey / (l_partkey - l_partkey) > {{number}} and l_partkey::text <> '{{mark}}'",
    "select p_brand::int from part, lineitem where p_brand <> '{mark}'",
    f"{LINES} and no_such_column = '{{mark}}'",
    f"{LINES} and '{{mark}}",
    f"{LINES} and pg_sleep(5) is not null and '{{mark}}' <> ''",
    "select set_config('rewright.mode', '{mark}', true)",
    f"explain (rewrite) {LINES} and l_partkey = '{{mark}}'::int",
    "select * from rewright.log where query = '{mark}' and no_such = 1",
    "ask '{mark}'",
]


def marked(text: str) -> str:
    return text.replace("{mark}", MARK).replace("{number}", NUMBER)


def leaks(text: str) -> list[str]:
    """The lines that tell."""
    found = [MARK, NUMBER, "SECRET", "PASSPORT-123"]
    return [line for line in text.splitlines() if any(one in line for one in found)]


class World:
    def __init__(self, running: Running, server: ScratchServer, database: str, store: Path) -> None:
        self.running, self.server, self.database, self.store = running, server, database, store

    def connect(self, role: str) -> psycopg.Connection[Any]:
        return psycopg.connect(
            f"postgresql://{role}:x@127.0.0.1:{self.running.port}/{self.database}", autocommit=True
        )

    def kept(self) -> str:
        """Every row of every table of the store."""
        with contextlib.closing(sqlite3.connect(self.store)) as connection:
            tables = [
                row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")
            ]
            return "\n".join(
                f"{table}: {row}"
                for table in tables
                for row in connection.execute(f'select * from "{table}"')
            )


@pytest.fixture(scope="module")
def roles(scratch_server: ScratchServer, sample: str) -> Iterator[tuple[str, str]]:
    names = ("alice_" + sample, "bob_" + sample)
    with psycopg.connect(scratch_server.dsn(sample), autocommit=True) as connection:
        for name in names:
            connection.execute(sql.SQL("create role {} login password 'x'").format(sql.Identifier(name)))
            connection.execute(sql.SQL("grant select on part, lineitem to {}").format(sql.Identifier(name)))
        yield names
        for name in names:
            connection.execute(sql.SQL("drop owned by {0}; drop role {0}").format(sql.Identifier(name)))


@pytest.fixture(scope="module", params=[True, False], ids=["literals kept", "literals not kept"])
def world(
    request: pytest.FixtureRequest,
    scratch_server: ScratchServer,
    sample: str,
    roles: tuple[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    directory = tmp_path_factory.mktemp("privacy")
    upstream = scratch_server.dsn(sample).rsplit("/", 1)[0]
    started = Running(
        [
            "--listen",
            "127.0.0.1:0",
            "--http",
            "127.0.0.1:0",
            "--store",
            str(directory / "store.db"),
            "--upstream",
            upstream,
        ],
        {
            "REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream,
            "REWRIGHT_STORE__LITERALS": "true" if request.param else "false",
            "REWRIGHT_LOG__LEVEL": "debug",
            # what is looked at is what a job says of a text, not how far it got
            "REWRIGHT_OPTIMISER__BUDGET": "300ms",
        },
    )
    try:
        wait(lambda: "optimiser_jobs_received_total 0.0" in started.get("/metrics"))
        world = World(started, scratch_server, sample, directory / "store.db")
        send(world, roles[0])
        yield world
    finally:
        started.stop()


def send(world: World, role: str) -> None:
    """Everything that alice does; what comes of it is waited for."""
    with world.connect(role) as connection:
        connection.execute("set rewright.min_duration = '0ms'; set statement_timeout = '2s'")
        for text in TEXTS:
            for cursor in (psycopg.ClientCursor(connection), connection.cursor()):
                with contextlib.suppress(psycopg.Error):
                    cursor.execute(marked(text).encode())
        for query, value in (
            (f"{LINES} and l_partkey::text <> %s", MARK),
            (f"{LINES} and l_partkey::int8 <> %s::int8", NUMBER),
            (f"{LINES} and l_partkey = %s::text::int", MARK),
        ):
            for binary in (True, False):
                with contextlib.suppress(psycopg.Error):
                    connection.execute(query.encode(), [value], prepare=True, binary=binary)

    def figures() -> dict[str, float]:
        lines = [
            line.rsplit(" ", 1)
            for line in world.running.get("/metrics").splitlines()
            if not line.startswith("#")
        ]
        return {name: float(value) for name, value in lines}

    def is_done() -> bool:
        now = figures()
        done = sum(value for name, value in now.items() if name.startswith("rewright_optimiser_jobs_total"))
        return now["rewright_optimiser_jobs_waiting"] == 0 and done >= 8

    wait(is_done, 200)


@pytest.mark.server
@pytest.mark.timeout(280)
def test_relations_hide_what_others_sent(world: World, roles: tuple[str, str]) -> None:
    with world.connect(roles[1]) as connection:
        for relation in RELATIONS:
            rows = connection.execute(f"select * from rewright.{relation.name}".encode()).fetchall()
            assert leaks("\n".join(map(str, rows))) == [], relation.name
        if world.kept().count(MARK):
            assert connection.execute("select count(*) from rewright.log").fetchone() != (0,)
        # the same template, other values
        heard: list[str] = []
        connection.add_notice_handler(
            lambda said: heard.append(f"{said.message_primary} {said.message_detail}")
        )
        for text in TEXTS:
            other = text.replace("{mark}", "other").replace("{number}", "8")
            connection.execute("set rewright.notice = on; set statement_timeout = '1s'")
            for asked in (other, f"explain {other}", "show rewright.last", "select * from rewright.queries"):
                try:
                    heard += map(str, connection.execute(asked.encode()).fetchall())
                except psycopg.Error as error:
                    heard.append(
                        f"{error} {error.diag.message_detail} {error.diag.message_hint} {error.diag.context}"
                    )
            assert leaks("\n".join(heard)) == [], text
        for text in TEXTS[:3]:
            other = text.replace("{mark}", "other").replace("{number}", "8")
            rows = connection.execute(f"explain (rewrite, format json) {other}".encode()).fetchall()
            assert leaks("\n".join(map(str, rows))) == []


@pytest.mark.server
@pytest.mark.timeout(280)
def test_alice_sees_her_own(world: World, roles: tuple[str, str]) -> None:
    with world.connect(roles[0]) as connection:
        rows = connection.execute("select query from rewright.log").fetchall()
        assert rows
        assert bool(leaks("\n".join(map(str, rows)))) == (MARK in world.kept())


@pytest.mark.server
@pytest.mark.timeout(280)
def test_logs_and_metrics_tell_nothing(world: World) -> None:
    assert leaks("".join(world.running.said)) == []
    assert leaks(world.running.get("/metrics")) == []
    assert leaks(world.running.get("/healthz")) == []
    assert any("optimiser." in line for line in world.running.said)


@pytest.mark.server
@pytest.mark.timeout(280)
@pytest.mark.parametrize("suffix", ["", ".json"])
def test_pages_tell_nothing(world: World, suffix: str) -> None:
    pages = ["/log", "/rewrites", "/queries", "/resolutions"]
    rewrites = json.loads(world.running.get("/rewrites.json"))["rewrites"]
    pages += [f"/rewrites/{one['id']}" for one in rewrites]
    for page in pages:
        assert leaks(world.running.get(f"{page}{suffix}")) == [], page


@pytest.mark.server
@pytest.mark.timeout(280)
def test_a_store_without_literals_keeps_none(world: World, request: pytest.FixtureRequest) -> None:
    kept = world.kept()
    assert "lineitem" in kept
    if "not kept" in request.node.name:
        assert leaks(kept) == []
    else:
        assert leaks(kept)


# --- the pieces -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS)
def test_normalized_texts_hold_no_values(text: str) -> None:
    assert leaks(normalized(marked(text))) == []
    assert leaks(without_literals(marked(text))) == []


def test_texts_too_long_to_be_read_are_withheld() -> None:
    assert leaks(normalized(f"select '{'x' * 300_000}{MARK}'")) == []
    assert leaks(normalized(f"select '{MARK} and no end")) == []


@pytest.mark.parametrize(
    "message",
    [
        f'invalid input syntax for type date: "{MARK}"',
        f"the literal {MARK.lower()} is not of its type",
        f"value {NUMBER} is out of range",
        f"Lit({MARK!r}), Lit({NUMBER})",
    ],
)
def test_reasons_hold_no_values(message: str) -> None:
    text = f"select a from t where b = '{MARK}' and c = {NUMBER}"
    job = Job("app", text, (), 0.1, "alice", "", False, False)
    said = redacted(message, job)
    assert MARK.lower() not in said.lower()
    assert NUMBER not in said
    assert without_values("42P01 and 5 of 15", {"5"}) == "42P01 and ? of 15"


def test_documents_hold_no_values() -> None:
    document = {
        "sql": f"select a from t where b = '{MARK}' -- for {MARK}",
        "plan": {"Filter": f"(b = '{MARK}'::text)", "Plan Rows": 5},
        "rows": [[MARK, int(NUMBER[:5])], ["x", None]],
        "steps": [f"Lit {MARK}", "it's not SQL"],
    }
    found = json.dumps(scrubbed(document))
    assert leaks(found) == []
    assert '"Plan Rows": 5' in found
    assert MARK in values_in(f"select '{MARK}'")


def test_exceptions_are_logged_without_their_messages(capsys: pytest.CaptureFixture[str]) -> None:
    import structlog

    before = structlog.get_config()
    import sys
    import threading

    hooks = sys.excepthook, threading.excepthook
    try:
        logs.set_up("json", "info", "test")
        try:
            try:
                raise KeyError(MARK)
            except KeyError as error:
                raise ValueError(f"wrong: {MARK}") from error
        except ValueError as error:
            structlog.get_logger().warning("optimiser.failed", exc_info=error)
        thread = threading.Thread(target=lambda: {}[MARK])
        thread.start()
        thread.join()
    finally:
        sys.excepthook, threading.excepthook = hooks
        structlog.configure(**before)
        structlog.contextvars.clear_contextvars()
    said = capsys.readouterr().err
    assert leaks(said) == []
    assert "ValueError" in said
    assert said.count("KeyError") == 2
    assert "test_privacy.py" in said
