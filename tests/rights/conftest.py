"""One database with a table that somebody owns, a client who may create in one schema, and the optimiser's
role.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.engines.postgres.scratch import ScratchServer
from tests.rights.ways import TOOLS

OPTIMISER, CLIENT = "optimiser_of_tests", "alice"
SETUP = """
create table public.acct (id int primary key, email text not null, region text, v varchar);
insert into public.acct select g, 'u' || g, 'r' || g % 3, 'x' from generate_series(1, 300) g;
analyze public.acct;
create schema s2;
"""


@dataclass(frozen=True, slots=True)
class World:
    """``optimiser``: a DSN of the role with more rights; ``admin``: a superuser's connection."""

    optimiser: str
    admin: psycopg.Connection[tuple[object, ...]]
    database: str

    def as_client(self, script: str) -> None:
        """Run ``script`` with alice's rights, by the simple protocol."""
        self.admin.execute(f"set session authorization {CLIENT}".encode())
        try:
            self.admin.execute(script.encode())
        finally:
            self.admin.execute(b"reset session authorization")

    def afresh(self) -> None:
        """Nothing in alice's schema but her tools."""
        self.admin.execute(
            f"drop schema s2 cascade; create schema s2; grant usage, create on schema s2 to {CLIENT};"
            f" grant select on public.acct to {CLIENT}".encode()
        )
        self.as_client(TOOLS)


@pytest.fixture(scope="module")
def world(scratch_server: ScratchServer, module_database: str) -> Iterator[World]:
    password = secrets.token_hex(16)
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as admin:
        for role in (OPTIMISER, CLIENT):
            admin.execute(f"create role {role} login password '{password}'".encode())
        admin.execute(f"grant pg_read_all_data to {OPTIMISER}".encode())
        admin.execute(SETUP.encode())
        dsn = make_conninfo(scratch_server.dsn(module_database), user=OPTIMISER, password=password)
        yield World(dsn, admin, module_database)
        admin.execute(b"rollback")
        for role in (OPTIMISER, CLIENT):
            admin.execute(f"drop owned by {role} cascade; drop role {role}".encode())
