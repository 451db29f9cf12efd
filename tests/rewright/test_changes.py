"""Every single change of a schema under served rewrites: what changes an answer, or a fact that a proof rests
on, is noticed.

The guard runs as it does in a client's session, right after the change; then rows come in that the change may
have let in, and both texts are run. What nothing depends on must end no rewrite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.proxy.ports import Guard
from rewright.proxy.serving import guard as serving
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.wiring.guards import capture
from tests.rewright.changes import PAIRS, RESTS_ON, RESTS_ON_KEYS, ROWS, SCHEMA, Change, changes

pytestmark = pytest.mark.server

# a list of changes for every column has some that make no sense for one of them
REFUSALS = (
    psycopg.errors.FeatureNotSupported,
    psycopg.errors.InvalidTableDefinition,
    psycopg.errors.NotNullViolation,
    psycopg.errors.WrongObjectType,
)
PATH = ("first", "public")
CHANGES = tuple(changes())


@dataclass(frozen=True, slots=True)
class Served:
    """A rewrite as it is served."""

    original: str
    replacement: str
    proof: Proof
    guard: Guard


@dataclass(frozen=True, slots=True)
class World:
    connection: psycopg.Connection[Any]
    catalog: Catalog
    served: Mapping[str, Served]


@pytest.fixture(scope="module")
def world(scratch_server: ScratchServer, module_database: str) -> Iterator[World]:
    dsn = scratch_server.dsn(module_database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.prepare_threshold = None  # psycopg's own prepared statements take others with them
        connection.execute(SCHEMA.encode())
        catalog = snapshot(connection)
        with Session(make_conninfo(dsn, options=f"-c search_path={','.join(PATH)}")) as session:
            served = {name: serve(session, catalog, name, *pair) for name, pair in PAIRS.items()}
        pgconn = connection.pgconn
        pgconn.prepare(b"guard", serving.guard_sql(()).encode(), serving.PARAM_TYPES)
        yield World(connection, catalog, served)
        connection.execute("drop owned by other_owner, reader; drop role other_owner, reader")


def serve(session: Session, catalog: Catalog, name: str, original: str, replacement: str) -> Served:
    proof = proof_of(catalog, original, replacement)
    assert proof is not None, name
    keys = any(a.kind == "foreign key" for a in proof.assumptions)
    assert keys == (name in RESTS_ON_KEYS)
    kind, begins = RESTS_ON.get(name, ("", ""))
    assert not kind or any(a.kind == kind and a.name.startswith(begins) for a in proof.assumptions), name
    guard = capture(session, original, replacement, catalog, foreign_keys=keys, looked_at=1 if keys else 0)
    return Served(original, replacement, proof, guard)


def proof_of(catalog: Catalog, original: str, replacement: str) -> Proof | None:
    first, second = (bind(text, catalog, search_path=PATH) for text in (original, replacement))
    found = prove(first, second, catalog, deadline_seconds=20)
    return found if isinstance(found, Proof) else None


def objection(connection: psycopg.Connection[Any], guard: Guard) -> str:
    """What the guard says in this session; "" when the replacement would run."""
    result = connection.pgconn.exec_prepared(b"guard", serving.arguments(guard))
    assert result.ntuples == 1, result.error_message
    values = [result.get_value(0, column) for column in range(result.nfields)]
    return serving.objection(serving.GuardRow.read(values, 0), guard, in_block=False)


def still_proved(catalog: Catalog, one: Served) -> bool:
    """By the same proof, or by another where names have changed."""
    try:
        first, second = (bind(t, catalog, search_path=PATH) for t in (one.original, one.replacement))
        stands = check_proof(one.proof, first, second, catalog) is None
        return stands or proof_of(catalog, one.original, one.replacement) is not None
    except (BindError, Unsupported):
        return False


def answer(connection: psycopg.Connection[Any], text: str) -> Any:
    """The bag of rows, or that it is an error."""
    try:
        with connection.transaction():
            cursor = connection.execute(text.encode())
            columns = tuple((c.name, c.type_code) for c in cursor.description or ())
            return columns, Counter(cursor.fetchall())
    except psycopg.Error as error:
        return error.sqlstate


def let_in(connection: psycopg.Connection[Any]) -> int:
    """Try all rows; how many came in."""
    came = 0
    for row in ROWS:
        try:
            with connection.transaction():
                connection.execute(row.encode())
            came += 1
        except psycopg.Error:
            continue
    return came


@dataclass(slots=True)
class Seen:
    """What became of one change. ``changed``: the snapshot of the schema is another; not if the server
    refuses to change it.
    """

    noticed: set[str]
    complaints: list[str]
    changed: bool = False


def seen(world: World, change: Change) -> Seen:
    connection, found = world.connection, list[str]()
    # what was written before does not count as the transaction's own any more
    connection.execute("select pg_stat_force_next_flush()")
    with connection.transaction():
        # so that the session forgets all it knows of the tables at the end: after writes to a catalog it does
        # not by itself
        connection.execute(
            "update pg_class set reltuples = reltuples where relnamespace = 'public'::regnamespace"
        )
        try:
            with connection.transaction():
                connection.execute(change.sql.encode())
        except REFUSALS:
            return Seen(set(), [])
        said = {name: objection(connection, one.guard) for name, one in world.served.items()}
        unnoticed = {name: one for name, one in world.served.items() if not said[name]}
        if change.quiet:
            found += [f"{name} ends: {why}" for name, why in said.items() if why]
        catalog = snapshot(connection)
        changed = catalog.digest() != world.catalog.digest()
        if changed:
            fallen = _fallen(world, catalog, unnoticed)
            found += [f"{name} is not noticed: the proof falls" for name in fallen]
        let_in(connection)
        for name, one in unnoticed.items():
            if answer(connection, one.original) != answer(connection, one.replacement):
                found.append(f"{name} is not noticed: the answers differ")
        raise psycopg.Rollback
    return Seen(set(said) - set(unnoticed), found, changed)


def _fallen(world: World, catalog: Catalog, unnoticed: Mapping[str, Served]) -> Iterator[str]:
    for name, one in unnoticed.items():
        runs = not isinstance(answer(world.connection, one.original), str)
        if runs and not still_proved(catalog, one):
            yield name


def test_there_are_enough_changes() -> None:
    assert len({change.sql for change in CHANGES}) >= 250


def test_as_it_is_everything_is_served_and_no_row_tells(world: World) -> None:
    assert seen(world, Change("nothing", "select 1", quiet=True)) == Seen(set(), [])


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", CHANGES, ids=[change.name[:60] for change in CHANGES])
def test_a_change_is_noticed_by_whom_it_concerns(world: World, change: Change) -> None:
    found = seen(world, change)
    assert found.complaints == []
    if found.changed and not change.quiet and not change.missed:
        assert found.noticed
