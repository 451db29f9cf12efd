"""Reading the SQL fixtures of rules, and running pairs of queries on small databases.

A fixture file is a list of cases: ``-- case: words`` and a query that the rule must rewrite, ``-- nothing: why`` and one
that it must leave alone, ``-- without GUARD`` and one that it would wrongly rewrite with that guard switched off.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psycopg

from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

FOLDER = Path(__file__).parent / "fixtures"
SCHEMA = (FOLDER / "schema.sql").read_text()
DATA = (FOLDER / "data.sql").read_text()
# (rows, seed); the first leaves every table empty
DATABASES = ((0, 0.1), (3, 0.2), (12, 0.3), (12, 0.4), (40, 0.5))
HEADER = re.compile(r"^-- (case:|nothing:|without) (.*)$")


@dataclass(frozen=True, slots=True)
class Case:
    rule: str
    kind: Literal["case", "nothing", "without"]
    words: str
    sql: str


def catalog() -> Catalog:
    return catalog_from_ddl(SCHEMA)


def cases(rule: str) -> list[Case]:
    """The cases of one rule's file; none when there is no file."""
    path = FOLDER / f"{rule}.sql"
    if not path.exists():
        return []
    found: list[Case] = []
    kind, words = "", ""
    for line in path.read_text().splitlines():
        header = HEADER.match(line)
        if header:
            kind, words = header[1].rstrip(":"), header[2]
        elif line.strip():
            assert kind, f"{path.name}: SQL without a header"
            found.append(Case(rule, kind, words, line.rstrip().rstrip(";")))  # type: ignore[arg-type]
    return found


def fill(connection: psycopg.Connection[Any], rows: int, seed: float) -> None:
    connection.execute(f"truncate {', '.join(t.ref.name for t in catalog().relations)} cascade")
    if rows:
        connection.execute(DATA.format(n=rows, seed=seed))


def answer(connection: psycopg.Connection[Any], sql: str) -> tuple[Any, Counter[str]]:
    """Column names and types, and the bag of rows (as text, so that 1.0 and 1.00 differ)."""
    cursor = connection.execute(sql)
    assert cursor.description is not None
    columns = [(c.name, c.type_code, c.precision, c.scale, c.internal_size) for c in cursor.description]
    return columns, Counter(repr(r) for r in cursor.fetchall())
