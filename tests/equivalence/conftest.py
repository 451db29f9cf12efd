from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Verdict

SCHEMA = """
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a, v int, w int not null);
create table n (k int, v int, g int);
create table m (k int, v int, g int);
"""

Check = Callable[..., Verdict]


@pytest.fixture(scope="module")
def rows_on_server(
    request: pytest.FixtureRequest, scratch_server: ScratchServer, module_database: str
) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A database with the module's SCHEMA and ROWS."""
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute((request.module.SCHEMA + request.module.ROWS).encode())
        yield connection


@pytest.fixture(scope="module")
def search_only(scratch_server: ScratchServer) -> Iterator[Check]:
    """check(q1, q2, schema=SCHEMA) by running alone, no prover."""
    checkers: dict[str, Checker] = {}
    options = Options(prover=False, databases=900, seconds=8)

    def check(q1: str, q2: str, schema: str = SCHEMA) -> Verdict:
        if schema not in checkers:
            checkers[schema] = Checker(scratch=scratch_server, options=options, schema_sql=schema)
        return checkers[schema].check(q1, q2)

    yield check
    for checker in checkers.values():
        checker.close()
