"""What was learned: resolutions of lake queries, lessons; and the switches people set."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from sqlalchemy import Engine, insert, select, update

from rewright.sql.redaction import scrubbed, values_in, without_literals
from rewright.store import revision, schema
from rewright.store.connection import transaction, upsert
from rewright.store.errors import NotFound
from rewright.store.records import Lesson, Options, Resolution
from rewright.store.rows import record_of


@dataclass(frozen=True, slots=True)
class Resolutions:
    """How lake queries were resolved; accepted ones are used again without asking."""

    engine: Engine
    options: Options = field(default_factory=Options)

    def add(self, resolution: Resolution) -> Resolution:
        row = asdict(resolution) | {"at": resolution.at or time.time()}
        del row["id"]
        if not self.options.literals:
            values = values_in(resolution.query) | values_in(resolution.resolved)
            row |= {name: without_literals(row[name]) for name in ("query", "resolved")}
            row |= {name: scrubbed(row[name], values) for name in ("mapping", "evidence")}
        with transaction(self.engine, write=True) as connection:
            number = connection.execute(insert(schema.RESOLUTIONS).values(row)).inserted_primary_key
            assert number is not None
            revision.bump(connection)
        return Resolution(**row, id=int(number[0]))

    def accept(self, resolution_id: int, *, database: str | None = None) -> Resolution:
        """``database``: only one of this database. Raises NotFound."""
        table = schema.RESOLUTIONS
        with transaction(self.engine, write=True) as connection:
            if not 0 < resolution_id < 2**63:
                raise NotFound(f"no resolution {resolution_id}")
            statement = update(table).where(table.c.id == resolution_id).values(accepted=True)
            if database is not None:
                statement = statement.where(table.c.database == database)
            if connection.execute(statement).rowcount == 0:
                raise NotFound(f"no resolution {resolution_id}")
            revision.bump(connection)
            row = connection.execute(select(table).where(table.c.id == resolution_id)).mappings().one()
            return record_of(Resolution, row)

    def read(
        self, *, database: str | None = None, accepted: bool | None = None, limit: int = 1000
    ) -> Sequence[Resolution]:
        """The newest first."""
        table = schema.RESOLUTIONS
        statement = select(table).order_by(table.c.id.desc()).limit(limit)
        if database is not None:
            statement = statement.where(table.c.database == database)
        if accepted is not None:
            statement = statement.where(table.c.accepted == accepted)
        with transaction(self.engine, write=False) as connection:
            rows = connection.execute(statement).mappings()
            return [record_of(Resolution, row) for row in rows]


@dataclass(frozen=True, slots=True)
class Lessons:
    """Texts that later runs may use, with the evidence they rest on."""

    engine: Engine

    def add(self, lesson: Lesson) -> Lesson:
        row = asdict(lesson) | {"at": lesson.at or time.time()}
        del row["id"]
        with transaction(self.engine, write=True) as connection:
            number = connection.execute(insert(schema.LESSONS).values(row)).inserted_primary_key
            assert number is not None
            revision.bump(connection)
        return Lesson(**row, id=int(number[0]))

    def read(
        self, *, kind: str | None = None, subject: str | None = None, limit: int = 1000
    ) -> Sequence[Lesson]:
        """The newest first."""
        table = schema.LESSONS
        statement = select(table).order_by(table.c.id.desc()).limit(limit)
        if kind is not None:
            statement = statement.where(table.c.kind == kind)
        if subject is not None:
            statement = statement.where(table.c.subject == subject)
        with transaction(self.engine, write=False) as connection:
            rows = connection.execute(statement).mappings()
            return [record_of(Lesson, row) for row in rows]


@dataclass(frozen=True, slots=True)
class Switches:
    """What holds for all proxies on this store, across restarts."""

    engine: Engine

    def paused(self) -> bool:
        """Whether serving replacements is paused everywhere."""
        return self.get("paused") == "on"

    def set_paused(self, paused: bool, *, by: str = "") -> None:
        self.set("paused", "on" if paused else "off", by=by)

    def get(self, name: str) -> str | None:
        table = schema.SWITCHES
        with transaction(self.engine, write=False) as connection:
            value = connection.execute(select(table.c.value).where(table.c.name == name)).scalar()
            return None if value is None else str(value)

    def set(self, name: str, value: str, *, by: str = "") -> None:
        row = {"name": name, "value": value, "changed_by": by, "changed_at": time.time()}
        with transaction(self.engine, write=True) as connection:
            statement = upsert(connection)(schema.SWITCHES).values(row)
            connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=row))
            revision.bump(connection)
