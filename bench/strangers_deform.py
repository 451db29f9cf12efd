"""How a stranger keeps a table: other names, two files for one, a file for each class, years as columns,
codes, damage.

Owns the deformations; each keeps what the table means, so that the answers over the original stay right.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.strangers_lakes import Asked

_MOST_PARTS = 6
_CODED_MOST = 12


@dataclass(slots=True)
class Made:
    """The files a table became and what was done (the thesis's seven types)."""

    files: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)


def deformed(db: Any, table: Asked, folder: Path, rng: random.Random) -> Made:
    """Write the table's files."""
    made = Made(tags={"Name Mismatch"})
    style = rng.choice(_STYLES)
    name = _table_name(table.name, rng)
    work = f"{table.name}__lake"
    source = f"{table.name}__wide" if table.wide else table.name
    db.execute(f'CREATE TABLE "{work}" AS SELECT * FROM "{source}"')
    if table.wide:
        made.tags.add("Union")
    elif table.pivot:
        _pivot(db, table, work)
        made.tags.add("Union")
    else:
        if rng.random() < 0.3 and _coded(db, table, work, folder, name, rng, made):
            made.tags.add("Missing Table")
        if rng.random() < 0.5:
            _damage(db, table, work, rng, made)
    shape = "whole" if table.wide or table.pivot else rng.choice(["whole", "whole", "split", "parted"])
    held = set(_columns(db, work))
    cats = [c.name for c in table.of("cat") if c.name in held and _told_by_name(db, work, c.name)]
    if shape == "parted" and cats:
        _parted(db, work, folder, name, rng.choice(cats), style, made)
    elif shape == "split":
        _split(db, table, work, folder, name, style, rng, made)
    else:
        _write(db, f'SELECT * FROM "{work}"', folder, name, style, made)
    return made


def _pivot(db: Any, table: Asked, work: str) -> None:
    key, year, value = table.pivot
    others = ", ".join(f'"{c.name}"' for c in table.of("cat") if c.name != key)
    group = f'"{key}"' + (f", {others}" if others else "")
    part = f'"{year}"' if table.column(year).kind == "year" else f'year("{year}")'
    db.execute(
        f'CREATE OR REPLACE TABLE "{work}" AS PIVOT (SELECT {group}, {part} AS "{year}", "{value}" FROM "{table.name}") '
        f'ON "{year}" USING sum("{value}") GROUP BY {group}'
    )


def _coded(db: Any, table: Asked, work: str, folder: Path, name: str, rng: random.Random, made: Made) -> bool:
    """A class kept as a code, with a file that says what the codes mean."""
    options = [c for c in table.of("cat") if 3 <= _distinct(db, work, c.name) <= _CODED_MOST]
    if not options:
        return False
    column = rng.choice(options)
    values = [
        r[0]
        for r in db.execute(f'SELECT DISTINCT "{column.name}" FROM "{work}" WHERE 1=1 ORDER BY 1').fetchall()
    ]
    if None in values or any(len(str(v)) < 3 for v in values):
        return False
    short = re.sub(r"\W+", "_", column.name).strip("_").lower()
    coded = f"{name}_{short}_codes"
    db.execute(f'CREATE OR REPLACE TABLE "{work}__codes" (code INTEGER, "{short}_name" VARCHAR)')
    db.executemany(
        f'INSERT INTO "{work}__codes" VALUES (?, ?)', [(10 + 5 * i, v) for i, v in enumerate(values)]
    )
    db.execute(f"COPY \"{work}__codes\" TO '{folder / coded}.csv' (HEADER)")
    made.files.append(coded)
    listed = ", ".join(
        f'k.code AS "{c}_code"' if c == column.name else f't."{c}"' for c in _columns(db, work)
    )
    db.execute(
        f'CREATE OR REPLACE TABLE "{work}" AS SELECT {listed} FROM "{work}" t JOIN "{work}__codes" k ON k."{short}_name" = t."{column.name}"'
    )
    return True


def _parted(
    db: Any, work: str, folder: Path, name: str, by: str, style: Callable[[str], str], made: Made
) -> None:
    """A file for each class, which is told by the file's name alone."""
    for (value,) in db.execute(f'SELECT DISTINCT "{by}" FROM "{work}" ORDER BY 1').fetchall():
        if value is None:
            continue
        part = f"{name}_{value}"
        where = str(value).replace("'", "''")
        _write(
            db,
            f'SELECT * EXCLUDE ("{by}") FROM "{work}" WHERE "{by}" = \'{where}\'',
            folder,
            part,
            style,
            made,
        )
    made.tags.add("Union")


def _split(
    db: Any,
    table: Asked,
    work: str,
    folder: Path,
    name: str,
    style: Callable[[str], str],
    rng: random.Random,
    made: Made,
) -> None:
    """Two files of one table, with a number for each row in both."""
    columns = _columns(db, work)
    first = {c.name for c in table.of("label", "key")}
    rest = [c for c in columns if c not in first]
    rng.shuffle(rest)
    away = set(rest[: max(1, len(rest) // 2)])
    key = f"{re.sub(r'[^a-z]', '', name.lower())[:4]}_no"
    db.execute(
        f'CREATE OR REPLACE TABLE "{work}" AS SELECT 1000 + row_number() OVER () AS "{key}", * FROM "{work}"'
    )
    left = ", ".join(f'"{c}"' for c in [key, *(c for c in columns if c not in away)])
    right = ", ".join(f'"{c}"' for c in [key, *(c for c in columns if c in away)])
    _write(db, f'SELECT {left} FROM "{work}"', folder, name, style, made)
    _write(
        db,
        f'SELECT {right} FROM "{work}"',
        folder,
        f"{name}_{rng.choice(['more', 'detail', 'attr', 'ext'])}",
        style,
        made,
    )
    made.tags |= {"Missing Table", "Key Mismatch"}


def _write(db: Any, sql: str, folder: Path, name: str, style: Callable[[str], str], made: Made) -> None:
    renamed: dict[str, str] = {}
    for column in [d[0] for d in db.execute(f"{sql} LIMIT 0").description]:
        told = style(column)
        renamed[column] = told if told.lower() not in {v.lower() for v in renamed.values()} else column
    listed = ", ".join(f'"{old}" AS "{new}"' for old, new in renamed.items())
    db.execute(f"COPY (SELECT {listed} FROM ({sql})) TO '{folder / name}.csv' (HEADER)")
    made.files.append(name)


# --- damage ---


def _damage(db: Any, table: Asked, work: str, rng: random.Random, made: Made) -> None:
    held = _columns(db, work)
    told = [c for c in table.columns if c.name in held and c.kind in {"num", "date", "bool", "cat"}]
    told = [c for c in told if c.kind != "cat" or _frequent(db, work, c.name)]
    for column in rng.sample(told, min(2, len(told))):
        ref = f'"{column.name}"'
        row = f"(hash(rowid, {rng.randrange(1 << 30)}) % 10)"
        match column.kind:
            case "num":
                written = _number(db, work, ref, row, rng)
            case "date":
                written = f"CASE WHEN {row} < 5 THEN strftime({ref}, '%Y-%m-%d') WHEN {row} < 8 THEN strftime({ref}, '%d.%m.%Y') ELSE strftime({ref}, '%d %b %Y') END"
            case "bool":
                written = f"CASE WHEN {ref} THEN list_element(['yes', 'Y', 'TRUE'], CAST({row} % 3 + 1 AS INTEGER)) WHEN NOT {ref} THEN list_element(['no', 'N', 'FALSE'], CAST({row} % 3 + 1 AS INTEGER)) END"
            case _:
                written = f"CASE WHEN {row} < 6 THEN {ref} WHEN {row} < 8 THEN upper({ref}) WHEN {row} < 9 THEN '  ' || {ref} ELSE lower({ref}) END"
        db.execute(f'CREATE OR REPLACE TABLE "{work}" AS SELECT * REPLACE ({written} AS {ref}) FROM "{work}"')
        made.tags.add("Noise in the table")


def _number(db: Any, work: str, ref: str, row: str, rng: random.Random) -> str:
    """A number as somebody types it; what is written reads back as the same number."""
    low, high, whole = db.execute(
        f'SELECT min({ref}), max({ref}), bool_and({ref} = round({ref})) FROM "{work}"'
    ).fetchone()
    plain = f"CAST(CAST({ref} AS BIGINT) AS VARCHAR)" if whole else f"CAST({ref} AS VARCHAR)"
    options = [f"{plain} || ' {rng.choice(['kg', 'cm', 'pts', 'units', 'h'])}'"]
    if high is not None and high >= 1000 and whole:
        grouped = f"format('{{:,d}}', CAST(abs({ref}) AS BIGINT))"
        options = [
            f"CASE WHEN {ref} < 0 THEN '(' || {grouped} || ')' ELSE {grouped} END",
            f"CASE WHEN {ref} < 0 THEN '-$' ELSE '$' END || {grouped}",
        ]
    elif not whole:
        options.append(f"replace({plain}, '.', ',')")
        options.append(f"CASE WHEN {row} < 7 THEN {plain} ELSE replace({plain}, '.', ',') END")
    if low is not None and low < 0 and not whole:
        options.append(f"CASE WHEN {ref} < 0 THEN '(' || CAST(abs({ref}) AS VARCHAR) || ')' ELSE {plain} END")
    return f"CASE WHEN {ref} IS NULL THEN 'n/a' ELSE {rng.choice(options)} END"


# --- names ---


def _words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+", " ", name)
    return [word for word in spaced.split() if word]


def _shortened(word: str) -> str:
    if len(word) <= 4:
        return word
    return word[0] + re.sub(r"[aeiou]", "", word[1:])[:4] if len(word) > 6 else word[:4]


_STYLES: tuple[Callable[[str], str], ...] = (
    lambda name: name,
    lambda name: "".join(w.lower() if i == 0 else w.capitalize() for i, w in enumerate(_words(name))),
    lambda name: " ".join(w.capitalize() for w in _words(name)),
    lambda name: "_".join(_shortened(w.lower()) for w in _words(name)),
    lambda name: "_".join(w.upper() for w in _words(name)),
)


def _table_name(name: str, rng: random.Random) -> str:
    short = "_".join(_shortened(w) for w in _words(name))
    camel = "".join(w.capitalize() for w in _words(name))
    return rng.choice([name, name, camel, short, f"{name}_export", f"tbl{camel}", f"{name}_v2"])


def _columns(db: Any, table: str) -> list[str]:
    return [d[0] for d in db.execute(f'SELECT * FROM "{table}" LIMIT 0').description]


def _told_by_name(db: Any, table: str, column: str) -> bool:
    """Few classes, each a word, so that a file's name can tell all of it."""
    values = [row[0] for row in db.execute(f'SELECT DISTINCT "{column}" FROM "{table}"').fetchall()]
    return 2 <= len(values) <= _MOST_PARTS and all(
        v is not None and re.fullmatch(r"[A-Za-z]{3,}", v) for v in values
    )


def _frequent(db: Any, table: str, column: str) -> bool:
    """Classes of enough rows that most of each keep their spelling."""
    (least,) = db.execute(
        f'SELECT min(n) FROM (SELECT count(*) AS n FROM "{table}" GROUP BY "{column}")'
    ).fetchone()
    return bool(least >= 12)


def _distinct(db: Any, table: str, column: str) -> int:
    return int(db.execute(f'SELECT count(DISTINCT "{column}") FROM "{table}"').fetchone()[0])
