"""Bringing a store to the current version, whoever wrote it before.

Owns the ordered list of steps; a step once released never changes. Must not know what the tables
are for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import BigInteger, Column, Connection, MetaData, Table, insert, inspect, select, text, update

from rewright.store import schema
from rewright.store.errors import StoreTooNew

Step = Callable[[Connection], None]

# two proxies starting at once on one PostgreSQL
# any number, the same for all versions of Rewright
ADVISORY_LOCK = 7_393_746_201

_VERSION = Table("schema_version", MetaData(), Column("version", BigInteger, nullable=False))


def _first_tables(connection: Connection) -> None:
    # create_all leaves what is there alone
    schema.METADATA.create_all(connection)
    connection.execute(insert(schema.REVISION).values(name="store", value=0))


def _doubts(connection: Connection) -> None:
    schema.METADATA.create_all(connection)
    # asked first: SQLite has no ADD COLUMN IF NOT EXISTS
    if "role" not in {column["name"] for column in inspect(connection).get_columns("timings")}:
        connection.execute(text("alter table timings add column role text not null default ''"))


def _states_of_sessions(connection: Connection) -> None:
    there = {column["name"] for column in inspect(connection).get_columns("sessions")}
    for name in ("state", "server"):
        if name not in there:
            connection.execute(text(f"alter table sessions add column {name} text not null default ''"))


def _served_by_day(connection: Connection) -> None:
    schema.METADATA.create_all(connection)
    # an index with another set of columns takes its place
    connection.execute(text("drop index if exists log_by_time"))
    for index in schema.LOG.indexes:
        index.create(connection, checkfirst=True)


def _questions_and_augmentations(connection: Connection) -> None:
    schema.METADATA.create_all(connection)


def _lessons_of_roles(connection: Connection) -> None:
    """Whose question taught the lessons before is not known: they count for nobody."""
    if "role" not in {column["name"] for column in inspect(connection).get_columns("ask_lessons")}:
        connection.execute(text("alter table ask_lessons add column role text not null default ''"))


STEPS: Sequence[Step] = (
    _first_tables,
    _doubts,
    _states_of_sessions,
    _served_by_day,
    _questions_and_augmentations,
    _lessons_of_roles,
)


def migrate(connection: Connection) -> int:
    """Run the missing steps in the caller's transaction; returns the version reached.

    Raises StoreTooNew when the store was written by a later version.
    """
    if connection.dialect.name == "postgresql":
        # held to the end of the transaction; on SQLite BEGIN IMMEDIATE does the same
        connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
    version = _current(connection)
    # older programs would write rows without the new columns
    if version > len(STEPS):
        raise StoreTooNew(f"the store has version {version}, this Rewright knows up to {len(STEPS)}")
    for step in STEPS[version:]:
        step(connection)
    if version < len(STEPS):
        connection.execute(update(_VERSION).values(version=len(STEPS)))
    return len(STEPS)


def _current(connection: Connection) -> int:
    if not inspect(connection).has_table(_VERSION.name):
        _VERSION.create(connection)
        # a new store begins at version 0, so that all steps run
        connection.execute(insert(_VERSION).values(version=0))
        return 0
    return int(connection.execute(select(_VERSION.c.version)).scalar_one())
