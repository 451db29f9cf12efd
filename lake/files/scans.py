"""The table expression of a unit: its one file, or all of its files as one, united by the names of their
columns.

Owns what becomes of columns that files do not share: one that is missing is NULL, types are widened, and the
notes say so. Must not know which files belong together.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import duckdb

from rewright.engines.duckdb.quoting import literal, quoted
from rewright.engines.duckdb.reading import Scan, Unreadable, file_literal, scan_expression, scan_of
from rewright.lake.files.pieces import Piece, Unit

_SINGLY = 64
"""As many files are read each by its own scan; of more the first says how all are read."""
_MISSING = frozenset({"", "__HIVE_DEFAULT_PARTITION__"})


def scan_of_unit(connection: Any, unit: Unit, *, into: str = "") -> Scan:
    """The scan of a table. `into`: as for `scan_of`.

    :raises Unreadable: a file is no table.
    :raises duckdb.OutOfMemoryException: the rows do not fit into memory.
    """
    if len(unit.pieces) == 1 and not unit.marks:
        return _scan(connection, unit.pieces[0], into)
    marks = _marks(unit)
    same = len({(piece.path.suffix, bool(piece.sql)) for piece in unit.pieces}) == 1
    if len(unit.pieces) > _SINGLY and same and not unit.pieces[0].sql:
        sql, notes = _together(connection, unit, marks)
    else:
        sql, notes = _one_by_one(connection, unit, marks)
    told = dict.fromkeys([f"{len(unit.files)} files", *notes, *(n for p in unit.pieces for n in p.notes)])
    return scan_expression(connection, sql, tuple(told)[:20], into=into)


def _scan(connection: Any, piece: Piece, into: str) -> Scan:
    if piece.sql:
        return scan_expression(connection, piece.sql, piece.notes, into=into)
    found = scan_of(connection, piece.path, into=into)
    return Scan(found.sql, found.columns, (*piece.notes, *found.notes))


def _one_by_one(connection: Any, unit: Unit, marks: Sequence[dict[str, str]]) -> tuple[str, list[str]]:
    scans: list[tuple[Scan, dict[str, str]]] = []
    notes: list[str] = []
    for piece, mark in zip(unit.pieces, marks, strict=True):
        try:
            scans.append((_scan(connection, piece, "_part"), mark))
        except Unreadable as error:
            # a header alone is no fault; anything else would leave rows out without a word
            if piece.original.stat().st_size:
                raise Unreadable(f"{piece.original.name}: {error}") from error
            notes.append(f"{piece.original.name} is empty")
    if not scans:
        raise Unreadable("all files are empty")
    names, notes_of_names = _names(scans)
    types, notes_of_types = _types(connection, scans)
    arms = [f"SELECT {_columns(scan, mark, names, types)} FROM {scan.sql}" for scan, mark in scans]
    connection.execute("DROP TABLE IF EXISTS _part")
    return f"({' UNION ALL BY NAME '.join(arms)})", [*notes, *notes_of_names, *notes_of_types]


def _columns(scan: Scan, mark: dict[str, str], names: dict[str, str], types: dict[str, str]) -> str:
    """A part's columns under the common names and types, what its path tells first."""
    taken = {name.lower() for name in mark}
    told = [f"{value} AS {quoted(name)}" for name, value in mark.items()]
    for name, type_ in scan.columns:
        # a column of a file that is called as a part of the path: the path goes first, as in Hive
        if name.lower() in taken:
            continue
        wanted = types.get(name.lower(), type_)
        read = quoted(name) if wanted == type_ else f"CAST({quoted(name)} AS {wanted})"
        told.append(f"{read} AS {quoted(names[name.lower()])}")
    return ", ".join(told)


def _names(scans: Sequence[tuple[Scan, dict[str, str]]]) -> tuple[dict[str, str], list[str]]:
    """A spelling for each name, the first one's, and what is said of columns that are not in all files."""
    names: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for scan, _ in scans:
        for name, _ in scan.columns:
            names.setdefault(name.lower(), name)
            seen[name.lower()] += 1
    few = [
        f"{names[k]} is in {n} of {len(scans)} files, NULL in the others"
        for k, n in seen.items()
        if n < len(scans)
    ]
    return names, few


def _types(connection: Any, scans: Sequence[tuple[Scan, dict[str, str]]]) -> tuple[dict[str, str], list[str]]:
    """The type of each column whose files differ, a column without values left out,
    and what is said of them.
    """
    told: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for scan, _ in scans:
        for name, type_ in scan.columns:
            told[name.lower()][type_].append(f"SELECT {quoted(name)} AS c FROM {scan.sql}")
    found: dict[str, str] = {}
    notes = []
    for name, types in told.items():
        if len(types) == 1:
            continue
        # a column without values is read as text, which says nothing of its type
        filled = {t: n for t, n in types.items() if t != "VARCHAR" or _holds(connection, n)}
        found[name] = _widest(connection, list(filled or types))
        if len(filled) > 1:
            notes.append(f"{name} is {' and '.join(sorted(filled))} by file: read as {found[name]}")
    return found, notes


def _holds(connection: Any, selects: Sequence[str]) -> bool:
    return any(
        connection.execute(
            f"SELECT count(c) FROM (SELECT c FROM ({select}) WHERE c IS NOT NULL LIMIT 1)"
        ).fetchone()[0]
        for select in selects
    )


def _widest(connection: Any, types: Sequence[str]) -> str:
    """The type that holds the values of all: DuckDB's own rule for a union, VARCHAR where it has none."""
    arms = " UNION ALL ".join(f"SELECT CAST(NULL AS {type_}) AS c" for type_ in types)
    # DuckDB would cast these without a word, and change how values are written
    if {"DATE", "TIMESTAMP"} < set(types) or any(t == "BOOLEAN" for t in types):
        return "VARCHAR"
    try:
        return str(connection.execute(f"DESCRIBE {arms}").fetchone()[1])
    except duckdb.Error:
        return "VARCHAR"


def _together(connection: Any, unit: Unit, marks: Sequence[dict[str, str]]) -> tuple[str, list[str]]:
    """Many files of a kind by DuckDB's own reader, which unites them by name."""
    listed = ", ".join(file_literal(piece.path) for piece in unit.pieces)
    name = unit.pieces[0].path.name.lower().removesuffix(".gz")
    if name.endswith(".parquet"):
        read = f"read_parquet([{listed}], union_by_name=true, filename='_file')"
    elif name.endswith((".csv", ".tsv", ".txt")):
        read = f"read_csv([{listed}], union_by_name=true, sample_size=-1, filename='_file')"
    else:
        read = (
            f"read_json([{listed}], union_by_name=true, auto_detect=true, sample_size=-1, filename='_file')"
        )
    columns = list(marks[0])
    rows = ", ".join(
        f"({literal(str(piece.path))}, {', '.join(mark[c] for c in columns)})"
        for piece, mark in zip(unit.pieces, marks, strict=True)
    )
    names = ", ".join(quoted(column) for column in columns)
    described = connection.execute(f"DESCRIBE SELECT * FROM {read}").fetchall()
    own = [
        quoted(row[0]) for row in described if row[0].lower() not in {"_file", *(c.lower() for c in columns)}
    ]
    select = ", ".join([*(f"m.{quoted(c)}" for c in columns), *(f"t.{name}" for name in own)])
    sql = f"(SELECT {select} FROM {read} t JOIN (VALUES {rows}) m(_path, {names}) ON t._file = m._path)"
    return sql, ["united by the names of their columns"]


def _marks(unit: Unit) -> list[dict[str, str]]:
    """What the paths tell of each piece, as SQL: whole numbers and dates where all are."""
    names = list(dict.fromkeys(name for marks in unit.marks for name, _ in marks))
    found: list[dict[str, str]] = [{} for _ in unit.pieces]
    for name in names:
        values = [dict(marks).get(name, "") for marks in unit.marks]
        type_ = _mark_type([value for value in values if value not in _MISSING])
        for i, value in enumerate(values):
            found[i][name] = f"CAST({'NULL' if value in _MISSING else literal(value)} AS {type_})"
    return found


def _mark_type(values: Sequence[str]) -> str:
    # 007 is a code; 01 to 12 are months
    if values and all(re.fullmatch(r"-?(?:0|[1-9]\d{0,17})|0\d", value) for value in values):
        return "BIGINT"
    if values and all(
        re.fullmatch(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", value) for value in values
    ):
        return "DATE"
    return "VARCHAR"
