"""The demo's server, database and roles. Must not know the proxy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources

import psycopg
from psycopg import sql

from rewright.engines.postgres.scratch import ScratchServer

DATABASE = "tpch"
USER = "demo"
OPTIMISER = "rewright_optimiser"
# a server that one may look around in, not a throw-away one
SETTINGS = {"autovacuum": "on", "shared_buffers": "128MB", "io_method": "worker", "jit": "on"}

GRANTS = (
    "grant usage on schema public to {role}",
    "grant select on all tables in schema public to {role}",
)


@dataclass(frozen=True, slots=True)
class World:
    """``upstream`` is the DSN for the proxy, ``optimiser`` that of the optimiser's role; ``user`` logs in
    with its name as password.
    """

    upstream: str
    optimiser: str
    user: str
    database: str
    psql: str


@contextmanager
def world() -> Iterator[World]:
    """A running server with the sample; raises ServerUnavailable."""
    from rewright.engines.postgres.installation import find_installation

    with ScratchServer(SETTINGS) as server:
        server.create_database(DATABASE)
        with psycopg.connect(server.dsn(DATABASE, unix=True), autocommit=True) as connection:
            for role in (USER, OPTIMISER):
                connection.execute(
                    sql.SQL("create role {} login password {}").format(
                        sql.Identifier(role), sql.Literal(role)
                    )
                )
            # the sample itself is made by its owner; both roles only read it
            connection.execute(resources.files("rewright.demo").joinpath("sample.sql").read_bytes())
            for role in (USER, OPTIMISER):
                for grant in GRANTS:
                    connection.execute(sql.SQL(grant).format(role=sql.Identifier(role)))
            # without statistics the planner would choose other plans than it will tomorrow
            connection.execute("vacuum analyze")
        yield World(
            upstream=f"postgresql://127.0.0.1:{server.port}",
            optimiser=f"postgresql://{OPTIMISER}:{OPTIMISER}@127.0.0.1:{server.port}",
            user=USER,
            database=DATABASE,
            psql=str(find_installation().program("psql")),
        )
