"""The change feed: one counter that moves with every change a relay must learn of.

A relay polls the counter (one row) several times a second and reloads what it serves when it moved.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, select, update

from rewright.store import schema
from rewright.store.connection import transaction


def bump(connection: Connection) -> None:
    """Part of the transaction that changes something: nobody sees one without the other."""
    connection.execute(
        update(schema.REVISION)
        .where(schema.REVISION.c.name == "store")
        .values(value=schema.REVISION.c.value + 1)
    )


def current(engine: Engine) -> int:
    """The counter; raises StoreUnavailable."""
    with transaction(engine, write=False) as connection:
        statement = select(schema.REVISION.c.value).where(schema.REVISION.c.name == "store")
        return int(connection.execute(statement).scalar_one())
