"""Questions in plain language: what was asked and what became of it, whose queries people found right, and
the lessons learned.

Owns how they are kept. Must not know how a question is read.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlalchemy import Engine, RowMapping, delete, func, insert, select, update

from rewright.sql.redaction import WITHHELD, without_literals
from rewright.store import revision, schema
from rewright.store.connection import transaction, upsert
from rewright.store.errors import NotFound, StoreError
from rewright.store.records import AskLesson, AskSeen, Options, QuestionValidated
from rewright.store.rows import record_of, without_nul

# numbers beyond it fit into no column
_LARGEST = 2**63


def normalized(question: str) -> str:
    """What of a question counts when it is looked for again.

    >>> normalized("  How many   Museums? ")
    'how many museums'
    """
    return " ".join(question.casefold().split()).rstrip(" ?.!")


@dataclass(frozen=True, slots=True)
class Asks:
    """One row for each question that was asked."""

    engine: Engine
    options: Options = field(default_factory=Options)

    def add(self, asked: AskSeen) -> int:
        """Its number."""
        row = asdict(asked) | {"at": asked.at or time.time()}
        del row["id"]
        if not self.options.literals:
            # a question is free text: any word of it may be somebody's
            row |= {
                "question": WITHHELD,
                "reading": "",
                "refused": "",
                "error": "",
                "trajectory": None,
                "key": "",
            }
            row |= {name: without_literals(row[name]) if row[name] else "" for name in ("sql", "corrected")}
        row = {name: self._clean(value) for name, value in row.items()}
        with transaction(self.engine, write=True) as connection:
            number = connection.execute(insert(schema.ASKS).values(row)).inserted_primary_key
            assert number is not None
            return int(number[0])

    def again(self, key: str, *, since: float) -> AskSeen | None:
        """The newest answered one of that key that is not older."""
        table = schema.ASKS
        statement = (
            select(table)
            .where(table.c.key == key, table.c.sql != "", table.c.at >= since)
            .order_by(table.c.id.desc())
            .limit(1)
        )
        with transaction(self.engine, write=False) as connection:
            row = connection.execute(statement).mappings().first()
            return None if row is None or not key else _asked(row)

    def get(self, number: int, *, database: str | None = None) -> AskSeen:
        """``database``: only one of this database. Raises NotFound."""
        table = schema.ASKS
        statement = select(table).where(table.c.id == number)
        if database is not None:
            statement = statement.where(table.c.database == database)
        with transaction(self.engine, write=False) as connection:
            # the column holds 64 bits: SQLite raises OverflowError for more
            row = connection.execute(statement).mappings().first() if 0 < number < _LARGEST else None
            if row is None:
                raise NotFound(f"no question {number}")
            return _asked(row)

    def read(self, *, database: str | None = None, limit: int = 1000) -> Sequence[AskSeen]:
        """The newest first."""
        table = schema.ASKS
        statement = select(table).order_by(table.c.id.desc()).limit(limit)
        if database is not None:
            statement = statement.where(table.c.database == database)
        with transaction(self.engine, write=False) as connection:
            return [_asked(row) for row in connection.execute(statement).mappings()]

    def correct(self, number: int, sql: str, *, by: str, database: str | None = None) -> QuestionValidated:
        """Keep a person's query for it, for that question from now on. Raises NotFound, StoreError."""
        if not self.options.literals:
            raise StoreError("[store] literals is off: neither questions nor their queries are kept")
        asked = self.get(number, database=database)
        table = schema.ASKS
        with transaction(self.engine, write=True) as connection:
            connection.execute(
                # without its key it is not answered from this row again
                update(table).where(table.c.id == number).values(corrected=sql, corrected_by=by, key="")
            )
        found = QuestionValidated(
            asked.database, asked.question, sql, reading="as a person corrected it", validated_by=by
        )
        return ValidatedQuestions(self.engine, self.options).add(found)

    def _clean(self, value: Any) -> Any:
        return without_nul(value, self.options.text_limit) if isinstance(value, str) else value


def _asked(row: RowMapping) -> AskSeen:
    return record_of(AskSeen, row)


@dataclass(frozen=True, slots=True)
class ValidatedQuestions:
    """Questions and the queries that people found right for them."""

    engine: Engine
    options: Options = field(default_factory=Options)

    def add(self, found: QuestionValidated) -> QuestionValidated:
        """The same question again replaces the former."""
        row = asdict(found) | {"at": found.at or time.time(), "normalized": normalized(found.question)}
        del row["id"]
        row = {
            name: without_nul(v, self.options.text_limit) if isinstance(v, str) else v
            for name, v in row.items()
        }
        table = schema.VALIDATED_QUESTIONS
        with transaction(self.engine, write=True) as connection:
            statement = upsert(connection)(table).values(row)
            connection.execute(
                statement.on_conflict_do_update(index_elements=["database", "normalized"], set_=row)
            )
            revision.bump(connection)
        kept = self.find(found.database, found.question)
        assert kept is not None
        return kept

    def find(self, database: str, question: str) -> QuestionValidated | None:
        table = schema.VALIDATED_QUESTIONS
        statement = select(table).where(
            table.c.database == database, table.c.normalized == normalized(question)
        )
        with transaction(self.engine, write=False) as connection:
            row = connection.execute(statement).mappings().first()
            return None if row is None else record_of(QuestionValidated, row)

    def read(self, *, database: str | None = None, limit: int = 1000) -> Sequence[QuestionValidated]:
        """Oldest first."""
        table = schema.VALIDATED_QUESTIONS
        statement = select(table).order_by(table.c.id).limit(limit)
        if database is not None:
            statement = statement.where(table.c.database == database)
        with transaction(self.engine, write=False) as connection:
            return [record_of(QuestionValidated, row) for row in connection.execute(statement).mappings()]

    def remove(self, number: int, *, database: str | None = None) -> None:
        """Raises NotFound."""
        table = schema.VALIDATED_QUESTIONS
        statement = delete(table).where(table.c.id == number)
        if database is not None:
            statement = statement.where(table.c.database == database)
        with transaction(self.engine, write=True) as connection:
            gone = connection.execute(statement).rowcount if 0 < number < _LARGEST else 0
            if gone == 0:
                raise NotFound(f"no validated question {number}")
            revision.bump(connection)


@dataclass(frozen=True, slots=True)
class AskLessons:
    """Lessons of stages, by database; removed ones stay in the list."""

    engine: Engine

    def propose(self, lesson: AskLesson) -> AskLesson:
        """One of the same role with the same stage and text is given back as it is."""
        table = schema.ASK_LESSONS
        same = select(table).where(
            table.c.database == lesson.database,
            table.c.role == lesson.role,
            table.c.stage == lesson.stage,
            table.c.text == lesson.text,
        )
        with transaction(self.engine, write=True) as connection:
            row = connection.execute(same).mappings().first()
            if row is not None:
                return record_of(AskLesson, row)
            values = asdict(lesson) | {"at": lesson.at or time.time()}
            del values["id"]
            number = connection.execute(insert(table).values(values)).inserted_primary_key
            assert number is not None
            return replace(lesson, id=int(number[0]), at=float(str(values["at"])))

    def change(
        self, number: int, status: str, *, reason: str = "", by: str = "", database: str | None = None
    ) -> AskLesson:
        """Adopt or remove one: a new version of its database's instructions. Raises NotFound."""
        table = schema.ASK_LESSONS
        with transaction(self.engine, write=True) as connection:
            row = (
                connection.execute(select(table).where(table.c.id == number)).mappings().first()
                if 0 < number < _LARGEST
                else None
            )
            if row is None or (database is not None and row["database"] != database):
                raise NotFound(f"no lesson {number}")
            newest = connection.execute(
                select(func.max(table.c.version)).where(table.c.database == row["database"])
            ).scalar()
            connection.execute(
                update(table)
                .where(table.c.id == number)
                .values(status=status, reason=reason, changed_by=by, version=int(newest or 0) + 1)
            )
            revision.bump(connection)
            changed = connection.execute(select(table).where(table.c.id == number)).mappings().one()
            return record_of(AskLesson, changed)

    def read(
        self, *, database: str | None = None, role: str | None = None, limit: int = 1000
    ) -> Sequence[AskLesson]:
        """Oldest first."""
        table = schema.ASK_LESSONS
        statement = select(table).order_by(table.c.id).limit(limit)
        if database is not None:
            statement = statement.where(table.c.database == database)
        if role is not None:
            statement = statement.where(table.c.role == role)
        with transaction(self.engine, write=False) as connection:
            return [record_of(AskLesson, row) for row in connection.execute(statement).mappings()]
