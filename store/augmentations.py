"""Searches for tables that predict a column better: what each table was worth; and the views that users made
over lakes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlalchemy import Engine, insert, select, update

from rewright.store import revision, schema
from rewright.store.connection import transaction, upsert
from rewright.store.errors import LiteralsForbidden
from rewright.store.records import Augmentation, Options
from rewright.store.rows import record_of

_GONE = ""
"""The definition of a view that was dropped."""


@dataclass(frozen=True, slots=True)
class Augmentations:
    """What helped for which target, by the role that searched."""

    engine: Engine
    options: Options = field(default_factory=Options)

    def add(self, found: Sequence[Augmentation]) -> None:
        """The tables of one search."""
        if not found:
            return
        rows = [self._row(one) for one in found]
        with transaction(self.engine, write=True) as connection:
            connection.execute(insert(schema.AUGMENTATIONS), rows)

    def read(
        self, *, database: str | None = None, role: str | None = None, limit: int = 1000
    ) -> Sequence[Augmentation]:
        """The newest first."""
        table = schema.AUGMENTATIONS
        statement = select(table).order_by(table.c.id.desc()).limit(limit)
        if database is not None:
            statement = statement.where(table.c.database == database)
        if role is not None:
            statement = statement.where(table.c.role == role)
        with transaction(self.engine, write=False) as connection:
            found = [record_of(Augmentation, row) for row in connection.execute(statement).mappings()]
        return [replace(one, columns=tuple(one.columns)) for one in found]

    def _row(self, one: Augmentation) -> dict[str, Any]:
        # a feature's name may hold a value of the table: `kind (= church)`
        columns = list(one.columns) if self.options.literals else []
        row = asdict(one) | {"at": one.at or time.time(), "columns": columns}
        del row["id"]
        return row


@dataclass(frozen=True, slots=True)
class LakeViews:
    """Views over a lake: name in lower case -> SQL, each for the role that made it.

    A view that was dropped leaves its name, so that a query of it is not taken for one of something alike.
    """

    engine: Engine
    options: Options = field(default_factory=Options)

    def put(self, database: str, role: str, name: str, definition: str) -> None:
        """Make it, or put it in the place of the one of that name.

        Raises LiteralsForbidden: a definition holds values, and none may be kept.
        """
        if not self.options.literals:
            raise LiteralsForbidden("a view's definition holds values, and [store] literals is off")
        key = {"database": database, "role": role, "name": name.lower()}
        row = key | {"definition": definition, "at": time.time()}
        with transaction(self.engine, write=True) as connection:
            statement = upsert(connection)(schema.LAKE_VIEWS).values(row)
            connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=row))
            revision.bump(connection)

    def drop(self, database: str, role: str, name: str) -> bool:
        """False: there was none."""
        table = schema.LAKE_VIEWS
        with transaction(self.engine, write=True) as connection:
            found = connection.execute(
                update(table)
                .where(
                    table.c.database == database,
                    table.c.role == role,
                    table.c.name == name.lower(),
                    table.c.definition != _GONE,
                )
                .values(definition=_GONE, at=time.time())
            )
            revision.bump(connection)
            return bool(found.rowcount)

    def read(self, database: str, role: str) -> Mapping[str, str]:
        """The role's views."""
        return self.both(database, role)[0]

    def both(self, database: str, role: str) -> tuple[Mapping[str, str], frozenset[str]]:
        """The role's views, and the names of those that it has dropped and not made again."""
        table = schema.LAKE_VIEWS
        statement = select(table.c.name, table.c.definition).where(
            table.c.database == database, table.c.role == role
        )
        with transaction(self.engine, write=False) as connection:
            found = {str(name): str(definition) for name, definition in connection.execute(statement)}
        there = {name: sql for name, sql in found.items() if sql != _GONE}
        return there, frozenset(found.keys() - there.keys())
