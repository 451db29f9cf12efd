"""What people look for in the store: pages of it, filtered and sorted, and sums by day. Only reads.

Texts are searched in templates, which hold no literals: a user who may not see literals can't find them by
searching either. Must not know how anything is shown.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Engine,
    Integer,
    RowMapping,
    Table,
    false,
    func,
    select,
)

from rewright.store import schema
from rewright.store.connection import transaction
from rewright.store.journal import entries_of
from rewright.store.life import Action, Level, State
from rewright.store.records import AskSeen, LogEntry, QuerySeen, Resolution, Rewrite
from rewright.store.rows import record_of, rewrite_of

DAY = 86_400
_LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants to see. ``text``: all of its words are in the template; ``values``: column → the
    value it must have.

    ``sort``: a column, ``-`` before it for the largest first; an unknown one counts as none.
    """

    text: str = ""
    values: Mapping[str, str] | None = None
    sort: str = ""
    offset: int = 0
    limit: int = 50


class Became(StrEnum):
    """What a question led to."""

    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"
    NOTHING = "no query"


def became(one: AskSeen) -> Became:
    """Of one question. Where texts are not kept, the reason is not known: then there is no query."""
    if one.error:
        return Became.FAILED
    if one.refused:
        return Became.REFUSED
    return Became.ANSWERED if one.sql else Became.NOTHING


@dataclass(frozen=True, slots=True)
class Day:
    """``start``: seconds since the epoch, midnight UTC. ``saved_ms``: by the medians of both sides as they
    are now.
    """

    start: int
    served: int
    saved_ms: float


@dataclass(frozen=True, slots=True)
class Browsing:
    """Every method is one transaction and raises StoreUnavailable."""

    engine: Engine

    def rewrites(self, asked: Asked) -> tuple[Sequence[Rewrite], int]:
        """A page, the newest change first unless sorted, and how many there are in all."""
        table = schema.REWRITES
        with transaction(self.engine, write=False) as connection:
            rows, total = _page(connection, table, asked, table.c.changed_at.desc())
        return [rewrite_of(row) for row in rows], total

    def waiting(self, limit: int = 10) -> tuple[Sequence[Rewrite], int]:
        """Proposed rewrites that a person may approve, the newest change first, and how many there are.

        One that was refuted can't be approved: it is kept so that it is not tried again.
        """
        table = schema.REWRITES
        wanted = (table.c.state == State.PROPOSED.value, table.c.level != Level.REFUTED.value)
        with transaction(self.engine, write=False) as connection:
            rows, total = _page(connection, table, Asked(limit=limit), table.c.changed_at.desc(), *wanted)
        return [rewrite_of(row) for row in rows], total

    def slower(self, limit: int = 5) -> Sequence[Rewrite]:
        """Rewrites that are retired because they were slower than the original, the newest first."""
        table, events = schema.REWRITES, schema.EVENTS
        # the last change of its life: one that a person retired later was not slow
        last = (
            select(events.c.step)
            .where(events.c.rewrite_id == table.c.id, events.c.step.in_([one.value for one in Action]))
            .order_by(events.c.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        wanted = (table.c.state == State.RETIRED.value, last == Action.EXPIRE.value)
        statement = select(table).where(*wanted).order_by(table.c.changed_at.desc()).limit(limit)
        with transaction(self.engine, write=False) as connection:
            return [rewrite_of(row) for row in connection.execute(statement).mappings()]

    def resolutions(self, asked: Asked, *, search: bool) -> tuple[Sequence[Resolution], int]:
        """A page, the newest first unless sorted, and how many there are. ``search``: as of `asks`; also for
        what the query was resolved to.
        """
        table = schema.RESOLUTIONS
        words = table.c.query + " " + table.c.resolved if search else None
        with transaction(self.engine, write=False) as connection:
            rows, total = _page(connection, table, asked, table.c.id.desc(), words_in=words)
        return [record_of(Resolution, row) for row in rows], total

    def queries(self, asked: Asked) -> tuple[Sequence[QuerySeen], int]:
        """A page, those that took the most time in all first unless sorted, and how many there are."""
        table = schema.QUERIES
        with transaction(self.engine, write=False) as connection:
            rows, total = _page(connection, table, asked, table.c.total_ms.desc())
        return [record_of(QuerySeen, row) for row in rows], total

    def log(self, asked: Asked, *, after_id: int = 0) -> tuple[Sequence[LogEntry], int]:
        """A page, the newest first, of entries numbered above ``after_id``, and how many there are."""
        table = schema.LOG
        with transaction(self.engine, write=False) as connection:
            rows, total = _page(connection, table, asked, table.c.id.desc(), table.c.id > after_id)
            return entries_of(connection, rows), total

    def asks(self, asked: Asked, *, search: bool) -> tuple[Sequence[AskSeen], int]:
        """A page of questions, the newest first unless sorted, and how many there are. ``became`` may be
        asked for, too.

        ``search``: whether words are looked for in the questions; otherwise a text that is given finds
        nothing.
        """
        table = schema.ASKS
        wanted = _became(str((asked.values or {}).get("became", "")))
        words = table.c.question if search else None
        with transaction(self.engine, write=False) as connection:
            rows, total = _page(connection, table, asked, table.c.id.desc(), *wanted, words_in=words)
        return [record_of(AskSeen, row) for row in rows], total

    def unimproved(self, limit: int = 10) -> Sequence[QuerySeen]:
        """The templates that took the most time and have no rewrite."""
        table = schema.QUERIES
        statement = (
            select(table).where(table.c.status != "rewritten").order_by(table.c.total_ms.desc()).limit(limit)
        )
        with transaction(self.engine, write=False) as connection:
            return [record_of(QuerySeen, row) for row in connection.execute(statement).mappings()]

    def routes(self, days: int = 1) -> Mapping[str, int]:
        """Entries of the log of the last ``days`` by route."""
        table = schema.LOG
        statement = (
            select(table.c.route, func.count())
            .where(table.c.at >= time.time() - days * DAY)
            .group_by(table.c.route)
        )
        with transaction(self.engine, write=False) as connection:
            return {str(route): int(count) for route, count in connection.execute(statement)}

    def saved(self, days: int = 30) -> Sequence[Day]:
        """Replacements served on each of the last ``days`` days, today last, and the time they saved."""
        today = int(time.time()) // DAY
        served, rewrites = schema.SERVED, schema.REWRITES
        # a side that has not been measured yet saves nothing
        gain = func.coalesce(rewrites.c.original_ms - rewrites.c.replacement_ms, 0)
        statement = (
            select(served.c.day, func.sum(served.c.count), func.sum(served.c.count * gain))
            .join(rewrites, rewrites.c.id == served.c.rewrite_id)
            .where(served.c.day > today - days)
            .group_by(served.c.day)
        )
        with transaction(self.engine, write=False) as connection:
            found = {int(day): (int(count), float(ms)) for day, count, ms in connection.execute(statement)}
        span = range(today - days + 1, today + 1)
        return [Day(day * DAY, *found.get(day, (0, 0.0))) for day in span]

    def spent(self, days: int = 1) -> tuple[int, float]:
        """(tokens, money) that models took in the last ``days``, as the steps of jobs tell."""
        table = schema.EVENTS
        tokens, money = (
            func.coalesce(func.sum(table.c.detail[name].as_float()), 0) for name in ("tokens", "money")
        )
        statement = select(tokens, money).where(
            table.c.at >= time.time() - days * DAY,
            table.c.step.in_(("reasoning", "verification", "decision")),
        )
        with transaction(self.engine, write=False) as connection:
            row = connection.execute(statement).one()
        return int(row[0]), float(row[1])


def _page(
    connection: Connection,
    table: Table,
    asked: Asked,
    otherwise: ColumnElement[Any],
    *also: ColumnElement[bool],
    words_in: ColumnElement[Any] | None = None,
) -> tuple[Sequence[RowMapping], int]:
    """The rows of a page, ordered by ``otherwise`` where the sort says nothing, and how many there are.

    ``words_in``: where words are looked for; default: in the template, if there is one.
    """
    searched = table.c.get("template") if words_in is None else words_in
    wanted = [*also, *_conditions(table, asked, searched)]
    order = _order(table, asked.sort)
    statement = (
        select(table).where(*wanted).order_by(*([] if order is None else [order]), otherwise, table.c.id)
    )
    # both come from the address of a page, which anybody may edit
    statement = statement.offset(max(asked.offset, 0)).limit(min(max(asked.limit, 1), 1000))
    total = int(connection.execute(select(func.count()).select_from(table).where(*wanted)).scalar_one())
    # a search that finds nothing has read every text once by now
    rows = connection.execute(statement).mappings().all() if total > max(asked.offset, 0) else ()
    return rows, total


def _became(name: str) -> Sequence[ColumnElement[bool]]:
    """The same as `became`, in SQL."""
    of = schema.ASKS.c
    conditions: Mapping[str, Sequence[ColumnElement[bool]]] = {
        Became.FAILED: (of.error != "",),
        Became.REFUSED: (of.error == "", of.refused != ""),
        Became.ANSWERED: (of.error == "", of.refused == "", of.sql != ""),
        Became.NOTHING: (of.error == "", of.refused == "", of.sql == ""),
    }
    return conditions.get(name, (false(),)) if name else ()


def _conditions(
    table: Table, asked: Asked, searched: ColumnElement[Any] | None
) -> Sequence[ColumnElement[bool]]:
    words = asked.text[:_LONGEST_SEARCH].split()
    found: list[ColumnElement[bool]] = [
        false() if searched is None else searched.icontains(word, autoescape=True) for word in words
    ]
    for name, value in (asked.values or {}).items():
        if value and name in table.c:
            found.append(_equal(table.c[name], value))
    return found


def _equal(column: ColumnElement[Any], value: str) -> ColumnElement[bool]:
    if isinstance(column.type, Boolean):
        return column == (value == "yes") if value in {"yes", "no"} else false()
    if not isinstance(column.type, Integer):
        return column == value
    # what is no number of 64 bits would be an error of the database, and finds nothing
    number = value.isascii() and value.isdigit() and len(value) < 19
    return column == int(value) if number else false()


def _order(table: Table, sort: str) -> ColumnElement[Any] | None:
    name = sort.removeprefix("-")
    if name not in table.c:
        return None
    column = table.c[name]
    return column.desc().nulls_last() if sort.startswith("-") else column.asc().nulls_last()
