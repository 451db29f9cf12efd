"""Keeping the store bounded: old and surplus rows are deleted. Must not know what rows mean."""

from __future__ import annotations

import time
from collections.abc import Mapping

from sqlalchemy import Connection, Engine, Table, delete, select

from rewright.store import schema
from rewright.store.connection import transaction
from rewright.store.life import State
from rewright.store.records import Retention

DEAD_STATES = (State.RETIRED.value, State.REJECTED.value)


def prune(engine: Engine, retention: Retention) -> Mapping[str, int]:
    """Delete what ``retention`` no longer allows; returns the rows deleted by table.

    Rewrites that are served, or wait to be decided, are never deleted here.
    """
    horizon = time.time() - retention.days * 86_400
    deleted: dict[str, int] = {}
    with transaction(engine, write=True) as connection:
        deleted["log"] = _prune(connection, schema.LOG, "at", horizon, retention.log_rows)
        deleted["events"] = _prune(connection, schema.EVENTS, "at", horizon, retention.event_rows)
        deleted["asks"] = _prune(connection, schema.ASKS, "at", horizon, retention.ask_rows)
        deleted["queries"] = _prune(connection, schema.QUERIES, "last_at", horizon, retention.query_rows)
        deleted["resolutions"] = _too_many(connection, schema.RESOLUTIONS, retention.resolution_rows)
        deleted["augmentations"] = _too_many(connection, schema.AUGMENTATIONS, retention.augmentation_rows)
        deleted["rewrites"] = _dead_rewrites(connection, retention.dead_rewrites)
        deleted["timings"] = _orphans(connection, schema.TIMINGS)
        deleted["doubts"] = _orphans(connection, schema.DOUBTS)
        deleted["served"] = _orphans(connection, schema.SERVED)
    _give_back_space(engine)
    return deleted


def _prune(connection: Connection, table: Table, at: str, horizon: float, rows: int) -> int:
    old = connection.execute(delete(table).where(table.c[at] < horizon)).rowcount
    return old + _too_many(connection, table, rows)


def _too_many(connection: Connection, table: Table, rows: int) -> int:
    last = connection.execute(select(table.c.id).order_by(table.c.id.desc()).offset(rows).limit(1)).scalar()
    return 0 if last is None else connection.execute(delete(table).where(table.c.id <= last)).rowcount


def _dead_rewrites(connection: Connection, keep: int) -> int:
    table = schema.REWRITES
    dead = (
        select(table.c.id)
        .where(table.c.state.in_(DEAD_STATES))
        .order_by(table.c.changed_at.desc())
        .offset(keep)
        .limit(1_000_000)
    )
    return connection.execute(delete(table).where(table.c.id.in_(dead))).rowcount


def _orphans(connection: Connection, table: Table) -> int:
    alive = select(schema.REWRITES.c.id)
    return connection.execute(delete(table).where(table.c.rewrite_id.not_in(alive))).rowcount


def _give_back_space(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        with transaction(engine, write=True) as connection:
            cursor = connection.connection.cursor()
            # it works while it is read from
            cursor.execute("pragma incremental_vacuum(1000)")
            cursor.fetchall()
            cursor.close()
