"""Reading the SQL fixtures of rules, and running pairs of queries on small databases.

A fixture file is a list of cases: ``-- case: words`` and a query that the rule must rewrite, ``-- nothing:
why`` and one that it must leave alone, ``-- without GUARD`` and one that it would wrongly rewrite with that
guard switched off.

Each case is followed by everything that the rule makes of it: ``-- gives: why``, the constraints it rests on,
and the printed query. ``python -m tests.rewrite.sqlfixtures`` (``make fixtures``) writes these outputs anew;
read the difference before committing it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import psycopg

from rewright.rewrite.rules import RULES, Rule
from rewright.rewrite.rules.apply import Applied, applications
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql

FOLDER = Path(__file__).parent / "fixtures"
SCHEMA = (FOLDER / "schema.sql").read_text()
DATA = (FOLDER / "data.sql").read_text()
# (rows, seed); the first leaves every table empty
DATABASES = ((0, 0.1), (3, 0.2), (12, 0.3), (12, 0.4), (40, 0.5))
HEADER = re.compile(r"^-- (case:|nothing:|without|gives:) (.*)$")


@dataclass(frozen=True, slots=True)
class Output:
    """What a rule makes of a query. ``why``: its reason, and after bars what it rests on."""

    why: str
    sql: str


@dataclass(frozen=True, slots=True)
class Case:
    rule: str
    kind: Literal["case", "nothing", "without"]
    words: str
    sql: str
    gives: tuple[Output, ...] = ()


@cache
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
        sql = line.rstrip().rstrip(";")
        if header:
            kind, words = header[1].rstrip(":"), header[2]
        elif not sql:
            continue
        elif kind == "gives":
            found[-1] = replace(found[-1], gives=(*found[-1].gives, Output(words, sql)))
        else:
            assert kind, f"{path.name}: SQL without a header"
            found.append(Case(rule, kind, words, sql))  # type: ignore[arg-type]
    return found


def outputs(sql: str, rule: Rule) -> tuple[Output, ...]:
    """Everything that a rule makes of a query, in the order in which it does."""
    made = applications(bind(sql, catalog()), catalog(), [rule])
    return tuple(Output(_reason(a), to_sql(a.query)) for a in made)


def _reason(made: Applied) -> str:
    """The rule's reason, the constraints it rests on, and whether it holds for these constants only."""
    rests_on = sorted(made.rewrite.assumptions)
    parts = [made.rewrite.why]
    parts += [f"rests on {', '.join(rests_on)}"] if rests_on else []
    parts += ["for these constants"] if made.rewrite.literal else []
    return " | ".join(parts)


def written(rule: Rule) -> str:
    """The rule's fixture file with the outputs that it gives now."""
    lines = []
    for case in cases(rule.name):
        colon = "" if case.kind == "without" else ":"
        lines += [f"-- {case.kind}{colon} {case.words}", f"{case.sql};"]
        if case.kind == "case":
            for output in outputs(case.sql, rule):
                lines += [f"-- gives: {output.why}", f"{output.sql};"]
    return "\n".join(lines) + "\n"


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


if __name__ == "__main__":
    for each in RULES:
        (FOLDER / f"{each.name}.sql").write_text(written(each))
