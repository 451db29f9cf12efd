"""Rewright in front of a pooler that gives each transaction another connection of the server.

What is prepared for one session is then met by another: names must never stand for two texts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Ports, ServedStatement
from tests.proxy.bouncers import running_bouncer
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import (
    BY_ID,
    FROM_ORIGINAL,
    FROM_REPLACEMENT,
    ORIGINAL,
    SCHEMA,
    Reports,
    index_for,
)

pytestmark = pytest.mark.server


@dataclass
class Pooled:
    """A proxy before PgBouncer before a database with rewrites."""

    dsn: str
    reports: Reports

    def served(self) -> int:
        return sum(isinstance(r, ServedStatement) and r.route == "replacement" for r in self.reports.all)


@pytest.fixture
def pooled(scratch_server: ScratchServer, database: str) -> Iterator[Pooled]:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
    reports = Reports()
    ports = Ports(lookup=index_for(scratch_server.dsn(database), database), reporter=reports, settings=RULES)
    password = scratch_server.address.passwords["postgres"]
    with (
        running_bouncer(scratch_server.port, password, mode="transaction") as bouncer,
        RunningProxy(config(f"host=127.0.0.1 port={bouncer.port}"), ports) as proxy,
    ):
        yield Pooled(f"host=127.0.0.1 port={proxy.port} user=postgres dbname={database}", reports)
    assert not proxy.problems


def test_sessions_that_share_connections_get_their_own_answers(pooled: Pooled) -> None:
    wrong: list[object] = []

    def ask(number: int) -> None:
        with psycopg.connect(pooled.dsn, autocommit=True, prepare_threshold=None) as connection:
            for turn in range(25):
                key = 1 + (number + turn) % 9
                try:
                    one = psycopg.ClientCursor(connection).execute(ORIGINAL).fetchall()
                    other = psycopg.RawCursor(connection).execute(BY_ID, [key]).fetchall()
                    connection.execute("begin")
                    connection.execute("select 1")
                    connection.execute("commit")
                except psycopg.Error as error:
                    wrong.append((number, turn, error))
                    continue
                if one not in (FROM_ORIGINAL, FROM_REPLACEMENT):
                    wrong.append((number, turn, one))
                if other not in ([(key, key * 10)], [(key, 1_000_000 + key * 10)]):
                    wrong.append((number, turn, key, other))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:3]
    assert pooled.served()
