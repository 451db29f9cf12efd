"""Statements answered by the proxy itself, in both protocols, in pipelines and failed transactions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import psycopg
import pytest

from rewright.config.model import Config
from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import LocalRows, Outcome, Ports, Redirect, ResultColumn, SessionView, SqlError
from rewright.store.api import open_store
from rewright.store.records import LogEntry
from rewright.wiring.answers import make
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.waiting import cancelled_when

pytestmark = pytest.mark.server

WHEN = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
COLUMNS = (
    ResultColumn("n", 20),
    ResultColumn("word", 25),
    ResultColumn("yes", 16),
    ResultColumn("share", 701),
    ResultColumn("at", 1184),
)
ROWS = ((1, "one", True, 0.5, WHEN), (2, None, False, -1.25, None), (3, "drei", None, None, WHEN))


# slow answers that were asked for
begun: list[str] = []


@dataclass(frozen=True)
class Fixed:
    """An answer by its text."""

    text: str
    redirects: bool = False
    rights: bool = False
    parameters: tuple[int, ...] = ()

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return () if "call" in self.text else COLUMNS

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        del parameters
        if "forbidden" in self.text:
            raise SqlError("42501", f"not for {session.role}", hint="ask an admin")
        if "broken" in self.text:
            raise RuntimeError("a bug")
        if "slow" in self.text:
            begun.append(self.text)
            await asyncio.sleep(300)
        if self.redirects:
            return Redirect("select 7 as seven", tag="ASKED", notices=("asked",))
        if "call" in self.text:
            return LocalRows((), tag="CALL")
        return LocalRows(COLUMNS, ROWS, notices=("a word",) if "notice" in self.text else ())


class Answers:
    keywords = frozenset({b"ask", b"call"})

    def match(self, text: str) -> Fixed | None:
        if text.startswith("ask"):
            return Fixed(text, redirects=True)
        return Fixed(text) if "rewright." in text and not text.startswith(("set", "show")) else None


@pytest.fixture(scope="module")
def dsn(scratch_server: ScratchServer) -> Iterator[str]:
    ports = Ports(answers=Answers(), settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}"), ports) as proxy:
        yield scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
    assert not proxy.problems


@pytest.mark.parametrize("how", ["simple", "extended", "prepared", "binary"])
def test_rows(dsn: str, how: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("set timezone = 'UTC'")
        cursor = (
            psycopg.ClientCursor(connection) if how == "simple" else connection.cursor(binary=how == "binary")
        )
        for _ in range(3):
            cursor.execute("select * from rewright.log", prepare=how == "prepared")
            assert cursor.fetchall() == list(ROWS)
            assert cursor.statusmessage == "SELECT 3"
            assert [c.name for c in cursor.description or ()] == [c.name for c in COLUMNS]
        assert connection.execute("select 1").fetchone() == (1,)


def test_asyncpg(dsn: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(dsn)
        for _ in range(2):
            assert [tuple(r) for r in await connection.fetch("select * from rewright.log")] == list(ROWS)
        async with connection.transaction():
            seen = [r["n"] async for r in connection.cursor("select * from rewright.log", prefetch=2)]
        assert seen == [1, 2, 3]
        await connection.close()

    asyncio.run(run())


def test_errors_call_and_notices(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        notices: list[str | None] = []
        connection.add_notice_handler(lambda d: notices.append(d.message_primary))
        for make in (psycopg.ClientCursor, psycopg.Cursor):
            cursor = make(connection)
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="not for postgres") as caught:
                cursor.execute("select forbidden from rewright.log")
            assert caught.value.diag.message_hint == "ask an admin"
            with pytest.raises(psycopg.errors.InternalError_, match="see the log"):
                cursor.execute("select broken from rewright.log")
            cursor.execute("call rewright.approve(1)")
            assert (cursor.statusmessage, cursor.description) == ("CALL", None)
            cursor.execute("select notice from rewright.log")
            assert len(cursor.fetchall()) == 3
            cursor.execute("ask 'seven'")
            assert (cursor.fetchall(), cursor.statusmessage) == ([(7,)], "ASKED")
        assert notices == ["a word", "asked"] * 2


def test_failed_transaction(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        for make in (psycopg.ClientCursor, psycopg.Cursor):
            with pytest.raises(psycopg.errors.DivisionByZero):
                connection.execute("select 1/0")
            for text in (
                "select * from rewright.log",
                "select forbidden from rewright.log",
                "call rewright.approve(1)",
            ):
                with pytest.raises(psycopg.errors.InFailedSqlTransaction):
                    make(connection).execute(text)
            connection.rollback()
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                make(connection).execute("select forbidden from rewright.log")
            with pytest.raises(psycopg.errors.InFailedSqlTransaction):
                connection.execute("select 1")
            connection.rollback()


def test_pipeline(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection, connection.pipeline() as pipeline:
        one = connection.execute("select 1")
        log = connection.execute("select n from rewright.log")
        two = connection.execute("select 2")
        asked = connection.execute("ask 'x'")
        assert (one.fetchall(), len(log.fetchall()), two.fetchall(), asked.fetchall()) == (
            [(1,)],
            3,
            [(2,)],
            [(7,)],
        )

        def refused() -> None:
            connection.execute("select forbidden from rewright.log")
            connection.execute("select 3")
            pipeline.sync()

        # psycopg may read the error while it still sends
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            refused()
        with contextlib.suppress(psycopg.errors.PipelineAborted):
            pipeline.sync()
        assert connection.execute("select 4").fetchall() == [(4,)]


def test_cancel_of_a_slow_answer(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for make in (psycopg.ClientCursor, psycopg.Cursor):
            begun.clear()
            with (
                cancelled_when(connection, lambda: begun),
                pytest.raises(psycopg.errors.QueryCanceled),
            ):
                make(connection).execute("select slow from rewright.log")
            assert connection.execute("select 1").fetchone() == (1,)


def test_parameters(scratch_server: ScratchServer, tmp_path: Path) -> None:
    """As drivers send them: with and without types, as text and as binary, too many and too few."""
    with open_store(str(tmp_path / "store.db")) as store:
        store.log.add([LogEntry(at=1000.0, database="postgres", role="postgres", query="select 'mine'")])
        ports = Ports(answers=make(store, Config()), settings=RULES)
        with RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}"), ports) as proxy:
            dsn = scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
            with psycopg.connect(dsn, autocommit=True) as connection:
                for binary in (False, True):
                    cursor = connection.cursor(binary=binary)
                    for value, column in (("select 'mine'", "query"), (1, "id"), (["postgres"], "role")):
                        compared = "any(%b)" if binary else "any(%s)"
                        right = compared if isinstance(value, list) else "%b" if binary else "%s"
                        text = f"select id from rewright.log where {column} = {right}"
                        assert cursor.execute(text.encode(), [value]).fetchall() == [(1,)]
                with pytest.raises(psycopg.errors.UndefinedParameter):
                    psycopg.ClientCursor(connection).execute("select id from rewright.log where id = $1")
                raw = connection.pgconn.exec_params(
                    b"select id from rewright.log where id = $1", [b"1", b"2"]
                )
                assert raw.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"08P01"
                raw = connection.pgconn.exec_params(b"select id from rewright.log where id = $1", [b"x"])
                assert raw.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"22P02"
                assert connection.execute("select 1").fetchone() == (1,)

            async def run() -> None:
                connection = await asyncpg.connect(dsn)
                found = await connection.fetch(
                    "select id from rewright.log where query = $1 limit $2", "select 'mine'", 5
                )
                assert [tuple(row) for row in found] == [(1,)]
                await connection.close()

            asyncio.run(run())
        assert not proxy.problems


@pytest.mark.parametrize(("admins", "told"), [((), False), (("postgres",), True)])
def test_what_is_wrong_with_the_store_is_told_to_admins(
    scratch_server: ScratchServer, tmp_path: Path, admins: tuple[str, ...], told: bool
) -> None:
    """Its errors may name files of the machine, or where a server is."""
    with open_store(str(tmp_path / "store.db")) as store:
        settings = replace(config(f"host=127.0.0.1 port={scratch_server.port}"), admins=frozenset(admins))
        with RunningProxy(settings, Ports(answers=make(store, Config()), settings=RULES)) as proxy:
            dsn = scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
            with psycopg.connect(dsn, autocommit=True) as connection:
                connection.execute("select count(*) from rewright.log")
                store.close()
                (tmp_path / "store.db").write_bytes(b"no store")
                with pytest.raises(psycopg.errors.IoError, match="cannot be read") as raised:
                    connection.execute("select count(*) from rewright.log")
                assert ("not a database" in str(raised.value)) == told
