"""Doubts: what one role saw against a rewrite, and until when that rewrite is not served to that role.

A doubt affects no other role: someone who makes a replacement fail, or run slowly, in their own sessions
harms only themselves. Must not know who examines doubts, or what becomes of the rewrite.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from sqlalchemy import Connection, Engine, delete, select

from rewright.store import revision, schema
from rewright.store.connection import transaction, upsert
from rewright.store.records import Doubt, DoubtKind

T = schema.DOUBTS
# seconds for which an unexamined doubt stands, the first time; twice as long each time
STANDS = 600.0
# after an examination that found nothing, the first time; four times as long each time
SETTLED = 5.0
# a doubt lasts a day at most, however often it is confirmed
LONGEST = 86_400.0
# seconds without a doubt after which the next one counts as the first
FORGIVEN = 86_400.0


@dataclass(frozen=True, slots=True)
class Doubts:
    """The doubts of one store, one for each rewrite and role. Every method raises StoreUnavailable."""

    engine: Engine

    def add(
        self, rewrite_id: int, role: str, kind: DoubtKind, sqlstate: str = "", *, now: float | None = None
    ) -> Doubt:
        """``role`` saw the rewrite fail (with ``sqlstate``), or lose."""
        now = time.time() if now is None else now
        with transaction(self.engine, write=True) as connection:
            before = _load(connection, rewrite_id, role)
            fresh = before is None or now - before.until > FORGIVEN
            count = 1 if before is None or fresh else before.count + 1
            doubt = Doubt(rewrite_id, role, kind, sqlstate, count, now, now + _growing(STANDS, 2, count))
            _save(connection, doubt)
            revision.bump(connection)
        return doubt

    def settle(self, rewrite_id: int, role: str, *, now: float | None = None) -> None:
        """It could not be reproduced: the rewrite is served to the role again, soon or, if that happens
        often, later.
        """
        now = time.time() if now is None else now
        with transaction(self.engine, write=True) as connection:
            doubt = _load(connection, rewrite_id, role)
            if doubt is not None:
                until = now + _growing(SETTLED, 4, doubt.count)
                _save(connection, replace(doubt, until=until))
                revision.bump(connection)

    def forget(self, rewrite_id: int, role: str | None = None) -> None:
        """It was none: the original does the same. ``role`` None: of all roles."""
        statement = delete(T).where(T.c.rewrite_id == rewrite_id)
        with transaction(self.engine, write=True) as connection:
            connection.execute(statement if role is None else statement.where(T.c.role == role))
            revision.bump(connection)

    def of(self, rewrite_id: int) -> Sequence[Doubt]:
        """All that were ever raised and not forgotten."""
        with transaction(self.engine, write=False) as connection:
            rows = connection.execute(select(T).where(T.c.rewrite_id == rewrite_id)).mappings()
            return [Doubt(**row) for row in rows]

    def standing(self, *, now: float | None = None) -> Sequence[Doubt]:
        """Those that keep a rewrite from a role now."""
        statement = select(T).where(T.c.until > (time.time() if now is None else now))
        with transaction(self.engine, write=False) as connection:
            return [Doubt(**row) for row in connection.execute(statement).mappings()]


def _growing(first: float, factor: int, count: int) -> float:
    return float(min(first * factor ** min(count - 1, 20), LONGEST))


def _load(connection: Connection, rewrite_id: int, role: str) -> Doubt | None:
    statement = select(T).where(T.c.rewrite_id == rewrite_id, T.c.role == role)
    row = connection.execute(statement).mappings().first()
    return None if row is None else Doubt(**row)


def _save(connection: Connection, doubt: Doubt) -> None:
    row = asdict(doubt)
    statement = upsert(connection)(T).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=["rewrite_id", "role"], set_=row))
