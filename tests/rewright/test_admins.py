"""Who decides: judged by the session's role at that moment, in both protocols, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from rewright.config.model import Config, StoreSection
from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.auth.scram import Verifier
from rewright.proxy.config import AuthConfig, DatabaseConfig, UserConfig
from rewright.proxy.ports import LastQuery, Ports, SessionView, SettingsView
from rewright.proxy.serving.identity import Admins, Login
from rewright.store.api import Store, open_store
from rewright.store.records import LogEntry
from rewright.wiring.answers import make
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config

VIEW = SessionView("app", "?", "psql", "127.0.0.1", 1, SettingsView(), LastQuery())


def rights(login: Login, current: str) -> tuple[str, bool, bool]:
    seen = login.seen_as(VIEW, current)
    return seen.role, seen.is_admin, seen.may_pause


def test_rights_are_those_of_the_current_role() -> None:
    listed = Admins(frozenset({"here"}), frozenset({"boss"}))
    own = Login("boss", "", lambda: listed)
    assert rights(own, "boss") == ("boss", True, True)
    assert rights(own, "here") == ("here", True, False)
    assert rights(own, "joe") == ("joe", False, False)
    assert rights(own, "") == ("", False, False)
    # several clients share a role of the server, which may even be called like an admin
    shared = Login("boss", "app", lambda: listed)
    assert rights(shared, "app") == ("boss", True, True)
    assert rights(shared, "boss") == ("", False, False)
    assert rights(Login("joe", "boss", lambda: listed), "boss") == ("joe", False, False)


ROLES = """
drop role if exists dba, joe, team;
create role dba login superuser password 'x'; create role joe login password 'x'; create role team;
grant team to joe; grant joe to dba;
grant connect on database postgres to joe;  -- a checker on the same server may have closed it to others
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(str(tmp_path_factory.mktemp("admins") / "store.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def ports(store: Store) -> Ports:
    answers = make(store, Config(store=StoreSection(url=str(store.engine.url.database))))
    return Ports(answers=answers, settings=RULES)


@pytest.fixture(scope="module")
def proxy(
    scratch_server: ScratchServer, module_database: str, ports: Ports, store: Store
) -> Iterator[RunningProxy]:
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as connection:
        connection.execute(ROLES)
    parts = config(f"host=127.0.0.1 port={scratch_server.port}", admins=frozenset({"dba"}))
    databases = {
        "*": parts.databases["*"],
        module_database: replace(parts.databases["*"], name=module_database, admins=frozenset({"team"})),
    }
    for role in ("dba", "joe", "team"):
        store.log.add([LogEntry(1.0, module_database, role=role, query=f"select '{role}'")])
    with RunningProxy(replace(parts, databases=databases), ports) as running:
        yield running
    assert not running.problems


def connected(proxy: RunningProxy, database: str, user: str, **more: object) -> psycopg.Connection:
    return psycopg.connect(
        f"host=127.0.0.1 port={proxy.port} dbname={database} user={user} password=x sslmode=disable",
        autocommit=True,
        **more,  # type: ignore[arg-type]
    )


def may(connection: psycopg.Connection, procedure: str, **more: object) -> bool:
    """Rewrite 99 does not exist, which only who may decide is told."""
    try:
        connection.execute(f"call rewright.{procedure}", **more)  # type: ignore[arg-type]
    except psycopg.errors.InsufficientPrivilege:
        return False
    except psycopg.errors.NoDataFound:
        return True
    return True


def texts(connection: psycopg.Connection) -> set[str]:
    found = connection.execute("select query from rewright.log where query like 'select ''%'").fetchall()
    return {str(text) for (text,) in found}


@pytest.mark.server
@pytest.mark.parametrize("prepare", [None, True])
def test_set_role_takes_rights_and_gives_them(
    proxy: RunningProxy, module_database: str, prepare: bool | None
) -> None:
    call = {"params": (99,), "prepare": prepare} if prepare else {}
    reject = "reject(%s)" if prepare else "reject(99)"
    with connected(proxy, module_database, "dba") as connection:
        assert may(connection, reject, **call)
        assert len(texts(connection)) == 3
        connection.execute("set role joe")
        assert not may(connection, reject, **call)
        assert not may(connection, "pause()")
        assert texts(connection) == {"select 'joe'"}
        with connection.transaction():
            connection.execute("set local role team")
            assert may(connection, reject, **call) if prepare is None else True
        connection.execute("reset role")
        assert may(connection, reject, **call)
        connection.execute("set session authorization joe")
        assert not may(connection, reject, **call)
    with connected(proxy, module_database, "joe") as connection:
        assert not may(connection, reject, **call)
        connection.execute("set role team")  # an admin of this database
        assert may(connection, reject, **call)
        assert not may(connection, "pause()")
    with connected(proxy, "postgres", "joe") as connection:
        connection.execute("set role team")
        assert not may(connection, reject, **call)


def ordinary_in_a_pipeline(connection: psycopg.Connection) -> None:
    with connection.pipeline() as pipeline:
        connection.execute("set role joe")
        connection.execute("call rewright.reject(%s)", [99])
        pipeline.sync()


@pytest.mark.server
def test_in_blocks_and_pipelines(proxy: RunningProxy, module_database: str) -> None:
    with connected(proxy, module_database, "dba") as connection:
        connection.execute("begin")
        connection.execute("set local role joe")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("call rewright.reject(99)")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("call rewright.reject(99)")
        connection.execute("rollback")
        assert may(connection, "reject(99)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ordinary_in_a_pipeline(connection)
        connection.execute("reset role")
        with connection.pipeline():
            found = connection.execute("select count(*) from rewright.log")
            other = connection.execute("select 7")
            assert (found.fetchone(), other.fetchone()) == ((3,), (7,))
        assert connection.execute("select 1").fetchone() == (1,)


@pytest.mark.server
def test_clients_that_share_a_role(
    scratch_server: ScratchServer, module_database: str, proxy: RunningProxy, ports: Ports
) -> None:
    """Their own names are listed, and count as long as they have not taken another role."""
    verifier = str(Verifier.of_password("x"))
    users = {name: UserConfig(verifier, "dba", "x") for name in ("boss", "guest")}
    parts = config(f"host=127.0.0.1 port={scratch_server.port}", admins=frozenset({"boss"}))
    file = replace(
        parts, auth=AuthConfig("file", users), databases={"*": DatabaseConfig("*", parts.databases["*"].dsn)}
    )
    with RunningProxy(file, ports) as running:
        with connected(running, module_database, "boss") as connection:
            assert may(connection, "reject(99)")
            connection.execute("set role joe")
            assert not may(connection, "reject(99)")
            assert texts(connection) == set() or texts(connection) == {"<insufficient privilege>"}
        with connected(running, module_database, "guest") as connection:
            assert not may(connection, "reject(99)")
