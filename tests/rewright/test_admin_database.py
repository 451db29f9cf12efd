"""The admin database: what it shows and does, for whom, in both protocols, and while the server is down."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pg8000.dbapi
import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer, free_port
from rewright.proxy.admin.commands import Commands
from rewright.proxy.admin.protocol import READY, AdminProtocol
from rewright.proxy.answers.relations import BY_NAME
from rewright.proxy.auth.scram import Verifier
from rewright.proxy.ports import LastQuery, SessionView, SettingsView, SqlError
from rewright.proxy.wire.framing import Framer, ProtocolViolation
from rewright.proxy.wire.frontend import Bind, Close, Describe, Execute, Parse, Query, Sync, Terminate
from tests.rewright.serving import Running, wait

VIEW = SessionView("rewright", "boss", "psql", "127.0.0.1", 0, SettingsView(), LastQuery())


# --- the protocol, without sockets -----------------------------------------------------------------


class Actions:
    """What commands do, written down."""

    version = "1.2"

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []
        self.here = [(7, "app"), (8, "app"), (7, "shop")]

    def rows(self, relation: str, _session: SessionView) -> list[dict[str, Any]]:
        if relation != "clients":
            return []
        names = dict.fromkeys((column.name for column in BY_NAME["clients"].columns), None)
        return [{**names, "pid": pid, "database": database} for pid, database in self.here]

    def config(self) -> list[tuple[str, str, str, str, str]]:
        raise ValueError("a mistake of ours")

    def databases(self) -> list[tuple[str, str, str, int]]:
        return [("app", "postgres", "db:5432", 10), ("*", "postgres", "db:5432", 0)]

    def pause(self, paused: bool, by: str) -> None:
        self.done.append(("pause", paused, by))

    async def reload(self) -> None:
        raise SqlError("F0000", "wrong")

    async def kill(self, pid: int, database: str) -> bool:
        self.done.append(("kill", pid, database))
        return (pid, database) in self.here or (not database and pid in dict(self.here))


class Talk:
    """A client's messages in, (type, payload) of the replies out."""

    def __init__(self) -> None:
        self.actions = Actions()
        self.faults: list[Exception] = []
        self.protocol = AdminProtocol(Commands(self.actions).match, lambda: VIEW, self.faults.append)

    def say(self, *messages: Any) -> list[tuple[bytes, bytes]]:
        async def play() -> bytes:
            said = b""
            for message in messages:
                for kind, body in Framer().feed(message.encode()):
                    said += await self.protocol.take(kind, body)
            return said

        return list(Framer().feed(asyncio.run(play())))

    def kinds(self, *messages: Any) -> str:
        return b"".join(kind for kind, _ in self.say(*messages)).decode()

    def error(self, text: str) -> str:
        """The SQLSTATE."""
        (kind, body), ready = self.say(Query(text.encode()))
        assert kind == b"E"
        assert ready[0] == b"Z"
        return {f[:1]: f[1:] for f in body.split(b"\0") if f}[b"C"].decode()


def test_simple_queries() -> None:
    talk = Talk()
    assert talk.kinds(Query(b"show version; -- of ours")) == "TDCZ"
    assert talk.kinds(Query(b" ")) == talk.kinds(Query(b"-- nothing")) == "IZ"
    assert talk.kinds(Query(b"SHOW help")).count("D") > 10
    assert talk.kinds(Query(b"begin"), Query(b"set a = 1"), Query(b"commit")) == "CZCZCZ"
    assert talk.say(Query(b"pause"))[0] == (b"C", b"PAUSE\0")
    assert talk.say(Query(b"RESUME;"))[0] == (b"C", b"RESUME\0")
    assert talk.actions.done == [("pause", True, "boss"), ("pause", False, "boss")]
    for text in ("show everything", "select 1", "pause app", "kill", "kill app", "drop table x", "show"):
        assert talk.error(text) == "42601"
    assert talk.error("reload") == "F0000"
    assert not talk.faults
    assert talk.error("show config") == "XX000"
    assert len(talk.faults) == 1


def test_kill_means_one_session() -> None:
    talk = Talk()
    assert talk.error("kill 7") == "42725"
    assert talk.error("kill 9") == "P0002"
    assert talk.error("kill 4294967296") == "P0002"
    assert talk.kinds(Query(b"KILL 8")) == talk.kinds(Query(b'kill 7 "shop"')) == "CZ"
    assert talk.actions.done == [("kill", 9, ""), ("kill", 8, ""), ("kill", 7, "shop")]


def test_connections_of_each_database() -> None:
    rows = [body for kind, body in Talk().say(Query(b"show databases")) if kind == b"D"]
    assert [row.endswith(count) for row, count in zip(rows, (b"2", b"1"), strict=True)] == [True, True]


def test_extended_queries() -> None:
    talk = Talk()
    show = Parse(b"s", b"show help")
    assert talk.kinds(show, Describe(b"S", b"s"), Sync()) == "1tTZ"
    assert talk.kinds(show, Sync()) == "EZ"
    assert (
        talk.kinds(Bind(b"p", b"s"), Describe(b"P", b"p"), Execute(b"p", 2), Execute(b"p", 2)) == "2TDDsDDs"
    )
    assert talk.kinds(Execute(b"p"))[-1:] == "C"
    assert talk.kinds(Execute(b"p"), Sync()) == "CZ"
    assert talk.kinds(Execute(b"p"), Bind(b"q", b"s"), Sync()) == "EZ"  # portals end with their transaction
    assert talk.kinds(Close(b"S", b"s"), Bind(b"", b"s"), Query(b"show version")) == "3ETDCZ"
    assert talk.kinds(Parse(b"", b""), Bind(b"", b""), Describe(b"P", b""), Execute(b""), Sync()) == "12nIZ"
    assert talk.kinds(Parse(b"", b"pause"), Bind(b"", b""), Describe(b"P", b""), Sync()) == "12nZ"
    assert talk.actions.done == []
    assert talk.kinds(Parse(b"", b"show version"), Bind(b"", b"", (), (b"1",)), Sync()) == "1EZ"
    assert talk.kinds(Terminate()) == ""
    assert talk.protocol.ended


def test_what_no_client_should_send() -> None:
    talk = Talk()
    for kind, body in ((b"p", b"x"), (b"d", b"x"), (b"B", b"x"), (b"?", b"")):
        with pytest.raises(ProtocolViolation):
            asyncio.run(talk.protocol.take(kind, body))
    assert asyncio.run(talk.protocol.take(b"F", b"")).endswith(READY)


# --- a proxy as people start it --------------------------------------------------------------------

pytestmark = pytest.mark.timeout(280)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("admin")


@pytest.fixture(scope="module")
def running(scratch_server: ScratchServer, sample: str, home: Path) -> Iterator[Running]:
    users = [f'[{name}]\nverifier = "{Verifier.of_password(name)}"\n' for name in ("boss", "joe")]
    (home / "users.toml").write_text("".join(users))
    write(home, scratch_server, sample)
    started = Running(["--config", str(home / "rewright.toml")], {})
    try:
        yield started
    finally:
        started.stop()


def write(home: Path, server: ScratchServer, sample: str, more: str = "") -> None:
    (home / "rewright.toml").write_text(f"""
[listen]
address = "127.0.0.1:0"
workers = 2
[http]
address = "127.0.0.1:0"
[store]
url = "{home / "store.db"}"
[serve]
run_dir = "{home / "run"}"
[auth]
users = "{home / "users.toml"}"
[admins]
roles = ["boss", "postgres"]
[databases.{sample}]
dsn = "host=127.0.0.1 port={server.port}"
[databases.dead]
dsn = "host=127.0.0.1 port={free_port()}"
{more}""")


def admin(running: Running, user: str = "boss", **more: Any) -> psycopg.Connection[Any]:
    return psycopg.connect(
        host="127.0.0.1",
        port=running.port,
        user=user,
        dbname="rewright",
        **({"autocommit": True, "password": user} | more),
    )


def client(running: Running, server: ScratchServer, database: str) -> psycopg.Connection[Any]:
    password = server.address.passwords["postgres"]
    return psycopg.connect(
        host="127.0.0.1", port=running.port, user="postgres", password=password, dbname=database
    )


@pytest.mark.server
def test_psql(running: Running) -> None:
    """As a person would, while no server is asked for anything."""
    script = "show version;\nshow pools;\nshow nothing;\nshow databases;\n\\conninfo\n"
    environment = {**os.environ, "PGPASSWORD": "boss"}
    dsn = f"host=127.0.0.1 port={running.port} user=boss dbname=rewright"
    done = subprocess.run(
        ["psql", "-X", dsn], input=script, env=environment, capture_output=True, text=True, check=True
    )
    assert "rewright 0." in done.stdout
    assert "cl_active" in done.stdout
    assert "max_connections" in done.stdout
    assert "ERROR:  there is no SHOW nothing" in done.stderr


@pytest.mark.server
def test_drivers(running: Running) -> None:
    where = {
        "host": "127.0.0.1",
        "port": running.port,
        "user": "boss",
        "password": "boss",
        "database": "rewright",
    }
    with admin(running, autocommit=False) as connection:
        assert connection.execute("show version").fetchone() is not None
        connection.commit()
        binary = connection.cursor(binary=True).execute("show stats").fetchall()
        assert binary == connection.execute("show stats").fetchall()

    async def play() -> Any:
        session = await asyncpg.connect(**where)
        try:
            statement = await session.prepare("show clients")
            return await statement.fetch(), await session.fetch("show config")
        finally:
            await session.close()

    _, settings = asyncio.run(play())
    assert {"key": "listen.workers", "value": "2", "default": "1"}.items() <= next(
        dict(row).items() for row in settings if row["key"] == "listen.workers"
    )
    with pg8000.dbapi.connect(**where) as session:
        cursor = session.cursor()
        cursor.execute("show version")
        assert cursor.fetchall()[0][0].startswith("rewright ")


@pytest.mark.server
def test_who_gets_in(running: Running) -> None:
    for user, password, said in (
        ("joe", "joe", "is not an admin of every database"),
        ("boss", "wrong", "password authentication failed"),
        ("postgres", "postgres", "password authentication failed"),
    ):
        with pytest.raises(psycopg.OperationalError, match=said):
            admin(running, user, password=password)


@pytest.mark.server
def test_sessions_of_every_database_and_worker(
    running: Running, scratch_server: ScratchServer, sample: str
) -> None:
    sessions = [client(running, scratch_server, sample) for _ in range(6)]
    pids = {session.info.backend_pid for session in sessions}
    with admin(running) as console:

        def shown(what: str) -> set[int]:
            cursor = console.execute(f"show {what}".encode())
            assert cursor.description is not None
            at = [column.name for column in cursor.description].index("pid")
            return {row[at] for row in cursor.fetchall()}

        for what in ("clients", "servers"):
            wait(lambda what=what: shown(what) == pids)
        found = console.execute(
            "select database, role, state from rewright.clients where pid = %s", [min(pids)]
        )
        assert found.fetchall() == [(sample, "postgres", "idle")]
        victim = sessions.pop()
        console.execute(f"kill {victim.info.backend_pid}".encode())
        with pytest.raises(psycopg.OperationalError, match="administrator command"):
            victim.execute("select 1")
        with pytest.raises(psycopg.errors.NoDataFound):
            console.execute(f"kill {victim.info.backend_pid}".encode())
        for session in sessions:
            assert session.execute("select 1").fetchone() == (1,)
            session.close()
        wait(lambda: not shown("clients"))


@pytest.mark.server
def test_pause_is_the_pause_of_everything(running: Running) -> None:
    with admin(running) as console:
        console.execute("pause")
        wait(lambda: 'rewright_paused{worker="0"} 1.0' in running.get("/metrics"))
        console.execute("resume")
        wait(lambda: 'rewright_paused{worker="0"} 0.0' in running.get("/metrics"))


@pytest.mark.server
def test_reload_says_what_is_wrong(
    running: Running, scratch_server: ScratchServer, sample: str, home: Path
) -> None:
    with admin(running) as console:
        for wrong in ("[limits]\nidle_timeout = 'soon'", "[databases.new]\ndsn = 'sslmode=sometimes'"):
            write(home, scratch_server, sample, wrong)
            with pytest.raises(psycopg.errors.ConfigFileError, match="nothing has changed"):
                console.execute("reload")
        for idle in ("7s", "8s"):
            write(home, scratch_server, sample, f"[limits]\nidle_timeout = '{idle}'")
            console.execute("reload")
            rows = {key: (value, when) for key, value, _, _, when in console.execute("show config")}
            assert rows["limits.idle_timeout"] == (idle, "at once")
        write(home, scratch_server, sample)
        console.execute("reload")


@pytest.mark.server
def test_an_admin_of_before(running: Running, scratch_server: ScratchServer, sample: str, home: Path) -> None:
    with admin(running) as console:
        write(home, scratch_server, sample)
        text = (home / "rewright.toml").read_text()
        (home / "rewright.toml").write_text(text.replace('"boss", ', ""))
        console.execute("reload")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            console.execute("show pools")
        (home / "rewright.toml").write_text(text)
        running.process.send_signal(1)
        wait(lambda: "config.reloaded" in "".join(running.said[-20:]))
        wait(lambda: _allowed(console))


def _allowed(console: psycopg.Connection[Any]) -> bool:
    try:
        console.execute("show pools")
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


@pytest.mark.server
def test_no_server_is_needed(running: Running) -> None:
    """Its databases are down, and nobody else gets in."""
    with pytest.raises(psycopg.OperationalError, match="could not connect"):
        psycopg.connect(host="127.0.0.1", port=running.port, user="boss", password="boss", dbname="dead")
    with admin(running) as console:
        assert ("dead",) in [row[:1] for row in console.execute("show databases").fetchall()]
