"""What several tests of `rewright serve` stand on."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from tests.rewright.serving import SAMPLE


@pytest.fixture(scope="module")
def sample(scratch_server: ScratchServer) -> Iterator[str]:
    """A database in the shape of the demo's, and smaller."""
    name = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(name), autocommit=True) as connection:
        connection.execute(SAMPLE)
        connection.execute("vacuum analyze")
    yield name
    scratch_server.drop_database(name)
