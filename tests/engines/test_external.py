"""A throw-away server of somebody else's."""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.external import ExternalScratch
from rewright.engines.postgres.installation import ServerUnavailable
from rewright.engines.postgres.scratch import ScratchServer

pytestmark = pytest.mark.server


def test_it_is_used_and_left_as_it_was(scratch_server: ScratchServer) -> None:
    def state() -> list[tuple[object, ...]]:
        with psycopg.connect(scratch_server.dsn()) as connection:
            asked = "select rolname from pg_roles where rolname like 'rewright%' union all select datname from pg_database"
            return connection.execute(asked).fetchall()

    before = state()
    server = ExternalScratch(scratch_server.dsn())
    name = server.create_database()
    with psycopg.connect(server.unprivileged_dsn(name)) as connection:
        connection.execute("create table t (a int)")
        assert connection.execute("select current_setting('is_superuser')").fetchone() == ("off",)
    dropped = server.create_database("dropped_at_once")
    server.drop_database(dropped)
    server.stop()
    assert state() == before


def test_an_ordinary_role_will_not_do(scratch_server: ScratchServer, database: str) -> None:
    with pytest.raises(ServerUnavailable, match="superuser"):
        ExternalScratch(scratch_server.unprivileged_dsn(database))
    with pytest.raises(ServerUnavailable):
        ExternalScratch("postgresql://nobody@127.0.0.1:1/none")
