"""Real clients through the relay, without anything to rewrite: all is as it is directly."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pg8000.native
import psycopg
import pytest

from rewright.engines.postgres.installation import find_installation
from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.config import Limits
from rewright.proxy.ports import Ports
from rewright.proxy.serving.index import RewriteIndex
from rewright.proxy.wire import frontend
from rewright.proxy.wire.startup import CancelRequest, StartupMessage
from tests.proxy.rules import RULES
from tests.proxy.running import LOOPS, RunningProxy, config
from tests.proxy.serving_world import Reports
from tests.proxy.waiting import Stopwatch, cancelled_when, queries_running, until

pytestmark = pytest.mark.server


@pytest.fixture(scope="module", params=LOOPS)
def proxy(request: pytest.FixtureRequest, scratch_server: ScratchServer) -> Iterator[RunningProxy]:
    """With every port filled, so that the whole session machine is at work."""
    ports = Ports(lookup=RewriteIndex(), reporter=Reports(), settings=RULES)
    dsn = f"host=127.0.0.1 port={scratch_server.port}"
    with RunningProxy(config(dsn), ports, loop=request.param) as running:
        yield running
    assert not running.problems


@pytest.fixture
def dsn(proxy: RunningProxy, scratch_server: ScratchServer, module_database: str) -> str:
    return scratch_server.dsn(module_database).replace(f":{scratch_server.port}/", f":{proxy.port}/")


def environment(dsn: str) -> dict[str, str]:
    url = urlsplit(dsn)
    return os.environ | {
        "PGHOST": "127.0.0.1",
        "PGPORT": str(url.port),
        "PGUSER": str(url.username),
        "PGPASSWORD": str(url.password),
        "PGDATABASE": url.path[1:],
        "PGSSLMODE": "prefer",
    }


def program(name: str) -> str:
    return str(find_installation().program(name))


def psql(dsn: str, script: str, *options: str) -> str:
    command = [program("psql"), "-X", "-v", "ON_ERROR_STOP=0", *options]
    done = subprocess.run(
        command,
        input=script,
        env=environment(dsn),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout


PSQL_SCRIPT = r"""
drop table if exists t cascade;
create table t (id int primary key, name text not null default 'x', at timestamptz);
\d t
\dt
\df pg_sleep
\l
insert into t values (1, 'one'), (2, 'two');
select * from t order by id \gx
select 1/0;
selec 1;
begin;
declare c cursor for select * from t order by id;
fetch 1 from c;
move 1 in c;
fetch 1 from c;
commit;
select 'select ' || id from t order by id \gexec
\copy t from stdin
3	three	\N
4	four	\N
\.
\copy t to stdout
copy (select id from t order by id) to stdout (format csv, header);
copy t from stdin;
not a number	x
\.
listen news;
notify news, 'hello';
prepare p as select * from t where id = $1;
execute p(2);
deallocate p;
select $1::int + 1 \bind 41 \g
\parse s1
select 3 \;
select 2 \; select 3;
set extra_float_digits = 0;
show extra_float_digits;
do $$begin raise notice 'a notice'; raise warning 'a warning'; end$$;
select * from generate_series(1, 3) \watch i=0.01 c=2
\set FETCH_COUNT 2
select * from generate_series(1, 5);
create function f(int) returns int language sql as 'select $1 + 1';
\sf f
drop function f;
"""


def test_psql_output_is_the_same(dsn: str, scratch_server: ScratchServer, module_database: str) -> None:
    def output(where: str) -> list[str]:
        text = psql(where, PSQL_SCRIPT)
        moving = ("Time", "PID", "with payload", " (every ")
        return [line for line in text.splitlines() if not any(word in line for word in moving)]

    psql(dsn, "create table if not exists t ()")
    direct = output(scratch_server.dsn(module_database))
    assert output(dsn) == direct
    assert any("division by zero" in line for line in direct)


def test_notifications_arrive_while_idle(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as listener, psycopg.connect(dsn, autocommit=True) as sender:
        listener.execute("listen news")
        threading.Timer(0.2, lambda: sender.execute("notify news, 'hello'")).start()
        note = next(listener.notifies(timeout=60, stop_after=1))
        assert (note.channel, note.payload) == ("news", "hello")


def test_pg_dump_is_identical(dsn: str, scratch_server: ScratchServer, module_database: str) -> None:
    psql(dsn, "create table if not exists d as select i, md5(i::text) from generate_series(1, 1000) i")

    def dump(where: str) -> bytes:
        command = [program("pg_dump"), "--restrict-key=abc"]
        return subprocess.run(command, env=environment(where), capture_output=True, check=True).stdout

    assert dump(dsn) == dump(scratch_server.dsn(module_database))


def test_copy_both_ways(dsn: str) -> None:
    rows = [(n, "x" * (n % 1000), None if n % 3 else b"\0\1\2") for n in range(3000)]
    with psycopg.connect(dsn) as connection:
        connection.execute("create temp table c (a int, b text, d bytea)")
        cursor = connection.cursor()
        with cursor.copy("copy c from stdin (format binary)") as copy:
            copy.set_types(["int4", "text", "bytea"])
            for row in rows:
                copy.write_row(row)
        with cursor.copy("copy (select * from c order by a) to stdout (format binary)") as copy:
            copy.set_types(["int4", "text", "bytea"])
            assert list(copy.rows()) == rows
        with pytest.raises(psycopg.errors.BadCopyFileFormat), cursor.copy("copy c from stdin") as copy:
            copy.write("1\n")
        connection.rollback()
        assert connection.execute("select 1").fetchone() == (1,)


def test_copy_stopped_by_the_client(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create temp table c (a int)")

        def changes_its_mind() -> None:
            with connection.cursor().copy("copy c from stdin") as copy:
                copy.write("1\n")
                raise RuntimeError("changed my mind")

        with pytest.raises(RuntimeError):
            changes_its_mind()
        assert connection.execute("select count(*) from c").fetchone() == (0,)


def script(dsn: str, code: str) -> str:
    """Run code in another process: libpq's blocking calls keep the interpreter's
    lock, which the proxy needs.
    """
    prelude = "import psycopg, sys, time\nconnection = psycopg.connect(sys.argv[1], autocommit=True)\n"
    prelude += "pgconn = connection.pgconn\npgconn.nonblocking = 0\n"
    done = subprocess.run(
        [sys.executable, "-c", prelude + code, dsn], capture_output=True, text=True, timeout=60, check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_libpq_copy_with_a_sync_too_many(dsn: str) -> None:
    """libpq sends Sync with the Execute of COPY FROM STDIN and again after CopyDone: the server ignores the
    first.
    """
    code = """
connection.execute("create temp table c (a int)")
pgconn.send_query_params(b"copy c from stdin", None)
pgconn.get_result()
pgconn.put_copy_data(b"1\\n2\\n")
pgconn.put_copy_end()
while pgconn.get_result() is not None:
    pass
print(connection.execute("select count(*) from c").fetchone(), connection.execute("select 5", prepare=True).fetchone())
"""
    assert script(dsn, code) == "(2,) (5,)\n"


def test_pipeline_with_an_error_in_the_middle(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection, connection.pipeline() as pipeline:
        first = connection.execute("select 1")
        connection.execute("select 1/0")

        def asked_on() -> None:
            # psycopg reads what has come by then, which may be the error
            connection.execute("select 3")
            pipeline.sync()

        with pytest.raises(psycopg.errors.DivisionByZero):
            asked_on()
        with contextlib.suppress(psycopg.errors.PipelineAborted):
            pipeline.sync()
        assert first.fetchone() == (1,)
        assert connection.execute("select 4").fetchone() == (4,)


def test_parameters_reach_the_server(dsn: str) -> None:
    with psycopg.connect(
        dsn, application_name="näme", options="-c extra_float_digits=1 -c search_path=pg_catalog"
    ) as connection:
        assert connection.execute("show extra_float_digits").fetchone() == ("1",)
        assert connection.execute("show search_path").fetchone() == ("pg_catalog",)
        assert connection.info.parameter_status("application_name")
        connection.execute("set timezone = 'Asia/Kolkata'")
        assert connection.info.parameter_status("TimeZone") == "Asia/Kolkata"


def test_protocol_versions(dsn: str, proxy: RunningProxy) -> None:
    for version in ("3.0", "3.2", "latest"):
        found = subprocess.run(
            [program("psql"), "-X", "-A", "-t", "-c", "select 1", f"{dsn}?max_protocol_version={version}"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert found.stdout == "1\n"
    with socket.create_connection(("127.0.0.1", proxy.port)) as raw:
        raw.settimeout(5)
        unknown = StartupMessage(3, 9, ((b"user", b"postgres"), (b"_pq_.x", b"1")))
        raw.sendall(unknown.encode())
        assert raw.recv(1) == b"v"
    with socket.create_connection(("127.0.0.1", proxy.port)) as raw:
        raw.settimeout(5)
        raw.sendall(StartupMessage(2, 0, ((b"user", b"postgres"),)).encode())
        assert raw.recv(1) == b"E"


def test_wrong_password_and_database(dsn: str, scratch_server: ScratchServer) -> None:
    url = urlsplit(dsn)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(dsn, password="wrong")
    with pytest.raises(psycopg.OperationalError, match='database "nowhere" does not exist'):
        psycopg.connect(dsn.replace(url.path, "/nowhere"))


def test_upstream_down() -> None:
    with RunningProxy(config("host=127.0.0.1 port=1")) as proxy:
        with pytest.raises(psycopg.OperationalError, match="could not connect to the PostgreSQL server"):
            psycopg.connect(f"host=127.0.0.1 port={proxy.port} user=x")
        assert proxy.proxy.metrics.refused["57P03"] == 1


def test_clients_with_several_hosts_go_on_to_the_next(scratch_server: ScratchServer) -> None:
    with RunningProxy(config("host=127.0.0.1 port=1")) as proxy:
        dsn = scratch_server.dsn()
        both = psycopg.conninfo.make_conninfo(
            dsn, host="127.0.0.1,127.0.0.1", port=f"{proxy.port},{scratch_server.port}"
        )
        with psycopg.connect(both) as connection:
            assert connection.info.port == scratch_server.port


def test_too_many_clients(scratch_server: ScratchServer) -> None:
    base = f"host=127.0.0.1 port={scratch_server.port}"
    with RunningProxy(config(base, limits=Limits(max_connections=1))) as proxy:
        here = scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
        with psycopg.connect(here), pytest.raises(psycopg.OperationalError, match="too many clients"):
            psycopg.connect(here)
        until(lambda: not proxy.proxy.metrics.connections)
        psycopg.connect(here).close()


def test_server_ends_the_session(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as one, psycopg.connect(dsn, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s)", [one.info.backend_pid])
        with pytest.raises(psycopg.errors.AdminShutdown):
            one.execute("select 1")


def test_drain_says_why(scratch_server: ScratchServer) -> None:
    running = RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}"))
    with running as proxy:
        here = scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
        connection = psycopg.connect(here, autocommit=True)
        assert connection.execute("select 1").fetchone() == (1,)
    with pytest.raises(psycopg.errors.AdminShutdown):
        connection.execute("select 1")


def test_who_is_not_logged_in_does_not_hold_up_the_end(scratch_server: ScratchServer) -> None:
    """A client that has connected and says nothing, one in the middle of its password."""
    limits = Limits(drain_grace=60.0)
    proxy = RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}", limits=limits))
    silent, asked = socket.socket(), socket.socket()
    with silent, asked, proxy:
        for client in (silent, asked):
            client.settimeout(20)
            client.connect(("127.0.0.1", proxy.port))
        startup = b"\x00\x03\x00\x00user\x00postgres\x00database\x00postgres\x00\x00"
        asked.sendall((len(startup) + 4).to_bytes(4, "big") + startup)
        assert asked.recv(1) == b"R"  # a password is asked for
        until(lambda: len(proxy.proxy._connections) == 2)
        with Stopwatch() as watch:
            asyncio.run_coroutine_threadsafe(proxy.proxy.drain(limits.drain_grace), proxy.loop).result(120)
        assert watch.seconds < 20
        heard = b""
        while piece := asked.recv(1000):
            heard += piece
        assert b"C57P03\0Mthe proxy is shutting down\0" in heard
        assert silent.recv(1) == b""


def test_hosts_are_tried_in_turn(scratch_server: ScratchServer) -> None:
    base = f"host=127.0.0.1,127.0.0.1 port=1,{scratch_server.port}"
    with RunningProxy(config(base)) as proxy:
        here = scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
        with psycopg.connect(here) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


# --- cancel ---------------------------------------------------------------------------------------


def test_cancel(dsn: str, scratch_server: ScratchServer) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        with (
            cancelled_when(connection, lambda: queries_running(scratch_server.dsn(), "pg_sleep(31)")),
            pytest.raises(psycopg.errors.QueryCanceled, match="user request"),
        ):
            connection.execute("select pg_sleep(31)")
        assert connection.execute("select 1").fetchone() == (1,)
        connection.cancel_safe()
        assert connection.execute("select 2").fetchone() == (2,)


def test_ctrl_c_in_psql(dsn: str, scratch_server: ScratchServer) -> None:
    child = subprocess.Popen(
        [program("psql"), "-X", "-c", "select pg_sleep(32)"],
        env=environment(dsn),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    until(lambda: queries_running(scratch_server.dsn(), "pg_sleep(32)"))
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert "canceling statement due to user request" in errors


def test_cancel_with_a_wrong_key_is_ignored(dsn: str, proxy: RunningProxy) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        result: list[object] = []
        worker = threading.Thread(
            target=lambda: result.append(connection.execute("select pg_sleep(0.5)").fetchone())
        )
        worker.start()
        time.sleep(0.1)
        with socket.create_connection(("127.0.0.1", proxy.port)) as raw:
            raw.sendall(CancelRequest(connection.info.backend_pid, b"abcd").encode())
            assert raw.recv(1) == b""
        worker.join()
        assert result == [("",)]


# --- large and slow -------------------------------------------------------------------------------


def test_slow_reader_does_not_fill_memory(dsn: str, proxy: RunningProxy) -> None:
    code = """
pgconn.send_query(b"select repeat('x', 1000) from generate_series(1, 200000)")
pgconn.set_single_row_mode()
time.sleep(1.5)
rows = 0
while (result := pgconn.get_result()) is not None:
    rows += result.ntuples
print(rows)
"""
    largest: list[int] = []

    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            clients = [c.client for c in list(proxy.proxy._connections.values())]
            largest.extend(
                c.transport.get_write_buffer_size() for c in clients if c is not None and not c.lost
            )
            time.sleep(0.1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert script(dsn, code) == "200000\n"
    done.set()
    watcher.join()
    assert 0 < max(largest) < 2 << 20


def test_huge_values_and_texts(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        blob = os.urandom(6 << 20)
        assert connection.execute("select %s::bytea", [blob], binary=True).fetchone() == (blob,)
        text = "select '" + "y" * (3 << 20) + "'"
        assert len(psycopg.ClientCursor(connection).execute(text).fetchone()[0]) == 3 << 20  # type: ignore[index]
        assert connection.execute("select 1").fetchone() == (1,)


def test_strange_bytes_get_the_servers_answer(dsn: str) -> None:
    code = """
result = pgconn.exec_(b"select '\\xff\\xfe'")
print(result.error_field(psycopg.pq.DiagnosticField.SQLSTATE), connection.execute("select 1").fetchone())
"""
    assert script(dsn, code) == "b'22021' (1,)\n"


def test_malformed_message_gets_the_servers_answer(
    proxy: RunningProxy, scratch_server: ScratchServer
) -> None:
    for bad in (b"Q\0\0\0\3", b"~\0\0\0\4", b"Q\xff\xff\xff\xff", b"B\0\0\0\5\0"):
        with psycopg.connect(
            scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
        ) as connection:
            with socket.socket(fileno=os.dup(connection.pgconn.socket)) as raw:
                raw.setblocking(True)
                raw.settimeout(5)
                raw.sendall(bad + frontend.SYNC)
                assert raw.recv(1) in (b"E", b"")
            connection.close()


def test_client_vanishes_mid_message(proxy: RunningProxy, scratch_server: ScratchServer) -> None:
    for _ in range(5):
        connection = psycopg.connect(
            scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
        )
        with socket.socket(fileno=os.dup(connection.pgconn.socket)) as raw:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.send(b"Q\0\0\1\0select")
        connection.close()
    until(lambda: not proxy.proxy.metrics.connections)
    assert not [t for t in asyncio.all_tasks(proxy.loop) if (t.get_name() or "").startswith("client")]


# --- other drivers --------------------------------------------------------------------------------


def test_asyncpg(dsn: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(dsn)
        assert await connection.fetchval("select $1::int + 1", 41) == 42
        assert await connection.fetchval("select $1::numeric[]", [1, 2]) == [1, 2]
        async with connection.transaction():
            async for row in connection.cursor("select i from generate_series(1, 200) i", prefetch=50):
                assert row["i"] > 0
        await connection.execute("create temp table a (i int, t text)")
        await connection.copy_records_to_table("a", records=[(n, str(n)) for n in range(500)])
        out = io.BytesIO()
        await connection.copy_from_query("select count(*) from a", output=out)
        assert out.getvalue() == b"500\n"
        with pytest.raises(asyncpg.DivisionByZeroError):
            await connection.fetch("select 1/0")
        await connection.executemany("insert into a values ($1, $2)", [(n, "x") for n in range(100)])
        with pytest.raises(asyncio.TimeoutError):
            await connection.fetch("select pg_sleep(10)", timeout=0.3)
        await connection.reset()
        await connection.close()
        for _ in range(10):  # cancels that come before, in or after what they mean
            connection = await asyncpg.connect(dsn)
            with pytest.raises(asyncio.TimeoutError):
                await connection.fetch("select pg_sleep(1)", timeout=1e-10)
            assert await connection.fetchval("select 1") == 1
            await connection.close()

    asyncio.run(run())


def test_pg8000(dsn: str) -> None:
    url = urlsplit(dsn)
    with psycopg.connect(dsn, autocommit=True) as connecting:
        # pg8000 takes no fewer iterations than the standard says
        connecting.execute("drop role if exists driver; set scram_iterations = 4096")
        connecting.execute("create role driver login password 'secret'")
    connection = pg8000.native.Connection("driver", "127.0.0.1", url.path[1:], int(url.port or 0), "secret")
    assert connection.run("select :x::int + 1", x=41) == [[42]]
    statement = connection.prepare("select :x::text")
    assert [statement.run(x=str(n)) for n in range(3)] == [[["0"]], [["1"]], [["2"]]]
    with pytest.raises(pg8000.exceptions.DatabaseError):
        connection.run("select 1/0")
    out = io.BytesIO()
    connection.run("copy (select 1) to stdout", stream=out)
    assert out.getvalue() == b"1\n"
    connection.close()


def test_psycopg_async(dsn: str) -> None:
    async def run() -> None:
        async with await psycopg.AsyncConnection.connect(dsn) as connection:
            async with connection.cursor(name="c") as cursor:
                await cursor.execute("select i from generate_series(1, 1000) i")
                assert len(await cursor.fetchall()) == 1000
            assert (await (await connection.execute("select 1")).fetchone()) == (1,)

    asyncio.run(run())


def test_threads(dsn: str) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with psycopg.connect(dsn, autocommit=True) as connection:
                for n in range(50):
                    assert connection.execute("select %s::int, %s::int", [number, n]).fetchone() == (
                        number,
                        n,
                    )
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_home_is_clean() -> None:
    assert not list(Path.cwd().glob("*.cancel"))
