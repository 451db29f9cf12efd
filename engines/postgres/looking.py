"""Statements that look for a stored row that breaks a declared fact: the transaction and the limits they
run in.

Owns what is asked first and when it ends. Must not know what is looked for, nor who relies on the answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg

from rewright.engines.postgres.gate import Refused, admit
from rewright.sql.marks import marked

Found = TypeVar("Found")

# names come out qualified, policies raise an error where they would hide rows, and no bound is believed
_SETTINGS = {"search_path": "", "row_security": "off", "constraint_exclusion": "off"}


@dataclass(frozen=True, slots=True)
class Kept:
    """No row breaks it. ``snapshot``: ``pg_snapshot_xmax`` of the state that was looked at."""

    snapshot: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A row breaks it, or (``seen`` False) it could not be looked at; ``reason`` is for people and shows no
    value.

    ``lasting``: another try will hardly do better.
    """

    reason: str
    seen: bool
    lasting: bool = True


BREAKS = Broken("a stored row breaks it", seen=True)
GONE = Broken("it is not there any more", seen=False)


@dataclass(slots=True)
class Look:
    """One transaction that looks, until ``ends`` (`time.monotonic`)."""

    connection: psycopg.Connection[Any]
    ends: float

    def row(self, statement: str, *, hash_bounds: bool = False) -> tuple[Any, ...] | None:
        """The statement's first row. Raises Refused, psycopg.Error."""
        # planning reads statistics of the tables' indexes, whose expressions may be somebody's functions
        admitted = admit(self.connection, statement, ("pg_catalog",), hash_bounds=hash_bounds)
        left = max(int((self.ends - time.monotonic()) * 1000), 1)
        self._set({**admitted.settings, "statement_timeout": f"{left}ms"})
        text = marked(admitted.text).encode()
        row: tuple[Any, ...] | None = self.connection.execute(text).fetchone()
        self._set(_SETTINGS)
        return row

    def begin(self) -> None:
        # each statement sees what is committed when it begins: the gate the catalog as the planner does,
        # and the number at the end is no older than the rows that were looked at
        self.connection.execute("set transaction isolation level read committed, read only")
        left = max(int((self.ends - time.monotonic()) * 1000), 1)
        self._set({**_SETTINGS, "statement_timeout": f"{left}ms"})

    def snapshot(self) -> int:
        row = self.connection.execute("select pg_snapshot_xmax(pg_current_snapshot())::text::int8").fetchone()
        assert row is not None
        return int(row[0])

    def _set(self, settings: dict[str, str]) -> None:
        for setting, value in settings.items():
            self.connection.execute("select pg_catalog.set_config(%s, %s, true)", [setting, value])


def within(
    connection: psycopg.Connection[Any], seconds: float, body: Callable[[Look], Found]
) -> Found | Broken:
    """What ``body`` finds, in a read-only transaction of its own, outside of any other, for at most
    ``seconds``.

    Never raises for what the server says: that is what `Broken` holds.
    """
    if seconds <= 0:
        return Broken("there was no time to look at its rows", seen=False, lasting=False)
    look = Look(connection, time.monotonic() + seconds)
    try:
        with connection.transaction():
            look.begin()
            return body(look)
    except Refused as refused:
        return Broken(f"its rows may not be looked at: {refused}", seen=False)
    except psycopg.errors.QueryCanceled:
        return Broken(f"looking at its rows took longer than {seconds:.1f} s", seen=False)
    except psycopg.Error as error:
        said = error.diag.message_primary or type(error).__name__
        return Broken(f"its rows could not be looked at: {said}", seen=False, lasting=not connection.closed)
