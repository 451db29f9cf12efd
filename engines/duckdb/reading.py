"""How a file becomes a DuckDB scan: dialect, header, types, encodings, raggedness.

Owns the robust reading of CSV, Parquet and JSON. Must not know the catalog. A file that cannot be read raises
`Unreadable` with the reason; the caller reports it and goes on.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from rewright.engines.duckdb.quoting import literal, quoted

TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
JSON_SUFFIXES = (".json", ".ndjson", ".jsonl")
SUFFIXES = (*TEXT_SUFFIXES, ".parquet", *JSON_SUFFIXES)
_NUMBER = re.compile(r"^\s*[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?\s*%?$")
_DATE = re.compile(r"^\s*\d{4}-\d{1,2}-\d{1,2}|^\s*\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_HEAD_BYTES = 65536
_LONGEST_TYPE = 20_000
_DEEPEST = 40
_SAMPLED_ROWS = 500_000
"""Rows of a large file by which the types of its columns are settled first: to look at all keeps all in
memory.
"""


class Unreadable(Exception):
    """The file is not a table we can read; the message says why."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A table expression over one file and its columns (name, DuckDB type); `notes`
    says what was repaired.
    """

    sql: str
    columns: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


def scan_of(connection: Any, path: Path, *, into: str = "") -> Scan:
    """The scan of a file, tried from strict to lenient. `into`: a temporary table to hold its rows, read once
    for both.

    Without `into` the file is taken to be large: the types of its columns are settled by its beginning, if
    the rest agrees.

    :raises Unreadable: empty, binary, or not parseable at all.
    :raises duckdb.OutOfMemoryException: the rows do not fit into memory.
    """
    name = path.name.lower().removesuffix(".gz")
    if path.stat().st_size == 0:
        raise Unreadable("the file is empty")
    if name.endswith(".parquet"):
        return _loaded(connection, _described(connection, f"read_parquet({file_literal(path)})", ()), into)
    if name.endswith(JSON_SUFFIXES):
        scan = _described(
            connection, f"read_json({file_literal(path)}, auto_detect=true, sample_size=-1)", ()
        )
        return _loaded(connection, scan, into)
    return _csv(connection, path, into)


def scan_expression(connection: Any, sql: str, notes: tuple[str, ...] = (), *, into: str = "") -> Scan:
    """The scan of a table expression of ours, for what no file's name says how to read. `into` as in
    `scan_of`.

    :raises Unreadable: it does not run.
    :raises duckdb.OutOfMemoryException: the rows do not fit into memory.
    """
    try:
        return _loaded(connection, _described(connection, sql, notes), into)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise Unreadable(str(error).splitlines()[0][:300]) from error


def head_columns(path: Path) -> list[str]:
    """The names in the header of a delimited text in UTF-8; without a header those that its columns get.

    :raises OSError, EOFError: it cannot be read.
    """
    with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    _, rows = lines_of(head.decode("utf-8-sig", errors="replace"), path)
    if not rows:
        return []
    return (
        [cell.strip() for cell in rows[0]]
        if _has_header(rows)
        else [f"column{i}" for i in range(len(rows[0]))]
    )


def _loaded(connection: Any, scan: Scan, into: str) -> Scan:
    if into:
        try:
            connection.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS SELECT * FROM {scan.sql}")
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise Unreadable(str(error).splitlines()[0][:300]) from error
    return scan


def _csv(connection: Any, path: Path, into: str) -> Scan:
    packed = path.name.lower().endswith(".gz")
    with gzip.open(path) if packed else path.open("rb") as file:
        try:
            head = file.read(_HEAD_BYTES)
        except (OSError, EOFError) as error:
            raise Unreadable(str(error)) from error
    encoding, notes = _encoding(head)
    if b"\0" in head and encoding != "utf-16":
        raise Unreadable("the file is binary")
    text = head.decode({"latin-1": "latin-1", "utf-16": "utf-16"}.get(encoding, "utf-8"), errors="replace")
    delimiter, rows = lines_of(text, path)
    header = not rows or _has_header(rows)
    if not header:
        notes = (*notes, "no header line: columns named column0, column1, …")
    base = f"header={str(header).lower()}, sample_size=-1, strict_mode=false"
    if delimiter:
        base += f", delim={_quote(delimiter)}, quote='\"', escape='\"'"
    if encoding != "utf-8":
        base += f", encoding='{encoding}'"
    begun = base.replace("sample_size=-1", f"sample_size={_SAMPLED_ROWS}")
    unquoted = base.replace("quote='\"', escape='\"'", "quote='', escape=''")
    tries: tuple[tuple[str, tuple[str, ...]], ...] = (
        *(() if into else ((begun, ()),)),
        (base, ()),
        (f"{base}, null_padding=true", ("ragged lines padded with NULL",)),
        (f"{base}, null_padding=true, ignore_errors=true", ("lines that could not be read were left out",)),
        (f"{base}, null_padding=true, ignore_errors=true, all_varchar=true", ("all columns read as text",)),
        (
            f"{unquoted}, null_padding=true, ignore_errors=true, all_varchar=true",
            ("quotes do not close: read as characters, all columns as text",),
        ),
    )
    last: Exception | None = None
    for options, extra in tries:
        try:
            return _sniffed(connection, path, options, (*notes, *extra), into)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            last = error
    raise Unreadable(str(last).splitlines()[0][:300])


def _sniffed(connection: Any, path: Path, options: str, notes: tuple[str, ...], into: str) -> Scan:
    try:
        prompt = connection.execute(
            f"SELECT Prompt FROM sniff_csv({file_literal(path)}, {options})"
        ).fetchone()[0]
        sql = prompt.strip().removeprefix("FROM ").removesuffix(";")
        # the prompt names the file it found, not the pattern that means it alone
        sql = sql.replace("'" + str(path).replace("'", "''") + "'", file_literal(path))
        return _read(connection, sql, notes, into)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:
        return _read(connection, f"read_csv({file_literal(path)}, {options})", notes, into)


def _read(connection: Any, sql: str, notes: tuple[str, ...], into: str) -> Scan:
    """The scan, once every column of every row has been read."""
    if into:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS SELECT * FROM {sql}")
        return replace(_described(connection, into, notes), sql=sql)
    described = _described(connection, sql, notes)
    connection.execute(f"SELECT count(*), {_touch(described)} FROM {sql}").fetchall()
    return described


def _touch(scan: Scan) -> str:
    """An expression that makes the reader convert every column."""
    return ", ".join(f"count({quoted(name)})" for name, _ in scan.columns)


def _described(connection: Any, sql: str, notes: tuple[str, ...]) -> Scan:
    try:
        rows = connection.execute(f"DESCRIBE SELECT * FROM {sql}").fetchall()
    except duckdb.Error as error:
        if sql.startswith("read_csv"):
            raise
        raise Unreadable(str(error).splitlines()[0][:300]) from error
    if not rows:
        raise Unreadable("no columns")
    if any(len(row[1]) > _LONGEST_TYPE or row[1].count("[]") > _DEEPEST for row in rows):
        # planning a cast of such a type takes for ever
        raise Unreadable("nested too deeply")
    return Scan(sql, tuple((row[0], row[1]) for row in rows), notes)


def _encoding(head: bytes) -> tuple[str, tuple[str, ...]]:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", ("read as UTF-16",)
    for cut in range(4):
        try:
            head[: len(head) - cut].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return "utf-8", ()
    return "latin-1", ("not UTF-8: read as Latin-1",)


def lines_of(text: str, path: Path) -> tuple[str, list[list[str]]]:
    """The delimiter that splits the first lines most evenly, and those lines."""
    lines = text.splitlines()
    if len(text) >= _HEAD_BYTES // 4 and len(lines) > 1:
        lines = lines[:-1]
    best: tuple[float, str, list[list[str]]] = (-1.0, "," if path.suffix != ".tsv" else "\t", [])
    for delimiter in (",", "\t", ";", "|"):
        rows = [row for row in csv.reader(io.StringIO("\n".join(lines[:200])), delimiter=delimiter) if row]
        if not rows:
            continue
        width, count = Counter(len(row) for row in rows).most_common(1)[0]
        value = count / len(rows) * (min(width, 12) if width > 1 else 0.0)
        if value > best[0]:
            best = (value, delimiter, rows)
    return best[1], best[2]


def _has_header(rows: list[list[str]]) -> bool:
    """A first line with numbers or dates where the following lines have them too is data, unless its numbers
    are years.
    """
    first, rest = rows[0], rows[1:40]
    if not rest or len({cell.strip().lower() for cell in first}) < len(first):
        return not rest or not any(_is_data(cell) for cell in first)
    numeric = [i for i, cell in enumerate(first) if _is_data(cell)]
    years = [i for i in numeric if re.fullmatch(r"(?:1[5-9]|20|21)\d\d", first[i].strip())]
    if not numeric or (len(years) == len(numeric) and len(years) > 1):
        return True
    agreeing = [
        i for i in numeric if sum(i < len(row) and _is_data(row[i]) for row in rest) >= 0.8 * len(rest)
    ]
    return not agreeing


def _is_data(cell: str) -> bool:
    return bool(_NUMBER.match(cell) or _DATE.match(cell))


def _quote(value: str) -> str:
    return "'\\t'" if value == "\t" else literal(value)


def file_literal(path: Path) -> str:
    """The path as a literal that means this file alone: a `*` in its name is no pattern."""
    plain = re.sub(r"[*?\[]", r"[\g<0>]", str(path))
    return literal(plain)
