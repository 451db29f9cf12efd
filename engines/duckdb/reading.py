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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from rewright.engines.duckdb.grouped_digits import as_whole_numbers, grouped_columns, whole_numbers
from rewright.engines.duckdb.long_numbers import with_all_digits
from rewright.engines.duckdb.quoting import literal, quoted

TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
JSON_SUFFIXES = (".json", ".ndjson", ".jsonl")
SUFFIXES = (*TEXT_SUFFIXES, ".parquet", *JSON_SUFFIXES)
# 1,234.5 and 1.234,5, also with a percent sign
_NUMBER = re.compile(r"^\s*[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?\s*%?$")
# 2024-03-01, 1.3.2024 or 3/1/24, whatever follows
_DATE = re.compile(r"^\s*\d{4}-\d{1,2}-\d{1,2}|^\s*\d{1,2}[./]\d{1,2}[./]\d{2,4}")
# 64 KiB decide encoding, delimiter and header
_HEAD_BYTES = 65536
# characters of the lines above a header that are noted
_TITLE = 120
# characters of DuckDB's name of a type: a JSON object with thousands of keys
_LONGEST_TYPE = 20_000
# levels of lists
_DEEPEST = 40
_MOST_TITLES, _LEAST_BELOW, _WIDER = 8, 3, 0.9
"""Titles above a header at most; rows below it at least, and the share of these that fill several cells."""
# columns that are numbered one after the other, at least
_LEAST_COUNTED = 4
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
    # .csv.gz is read as .csv: DuckDB unpacks by the name
    name = path.name.lower().removesuffix(".gz")
    if path.stat().st_size == 0:
        raise Unreadable("the file is empty")
    if name.endswith(".parquet"):
        # no variants to try: a Parquet file holds its types
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
    rows = rows[titles_above(rows) :]
    if not rows:
        return []
    if pair := names_over_two_rows(rows):
        return pair
    return (
        [cell.strip() for cell in rows[0]]
        if _has_header(rows)
        else [f"column{i}" for i in range(len(rows[0]))]
    )


def _loaded(connection: Any, scan: Scan, into: str) -> Scan:
    if into:
        try:
            connection.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS SELECT * FROM {scan.sql}")
        # out of memory is no property of the file: the caller may read it as a view instead
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise Unreadable(str(error).splitlines()[0][:300]) from error
    return scan


def _csv(connection: Any, path: Path, into: str) -> Scan:
    encoding, notes, text = _head(path)
    delimiter, rows = lines_of(text, path)
    titles = titles_above(rows)
    above = " / ".join(cell.strip() for row in rows[:titles] for cell in row if cell.strip())[:_TITLE]
    rows = rows[titles:]
    pair = names_over_two_rows(rows)
    rows = rows[2 * bool(pair) :]
    # an empty file of whitespace has no line to judge
    header = not pair and (not rows or _has_header(rows))
    if not header and not pair:
        notes = (*notes, "no header line: columns named column0, column1, …")
    base = f"header={str(header).lower()}, sample_size=-1, strict_mode=false"
    if delimiter:
        base += f", delim={_quote(delimiter)}, quote='\"', escape='\"'"
    if encoding != "utf-8":
        base += f", encoding='{encoding}'"
    base += _beginning(text, delimiter, titles + 2 * bool(pair))
    begins = header and not titles and _begins_with(text, delimiter, rows)
    if titles:
        # what stands there may say in what the numbers below are counted
        notes = (*notes, f"lines above the header left out: {above}")
    if pair:
        base += f", names=[{', '.join(map(literal, pair))}]"
        notes = (*notes, "two lines of names read as one")
    last: Exception | None = None
    for options, extra in _tries(base, large=not into):
        try:
            found = _sniffed(connection, path, options, (*notes, *extra), into)
            if begins and re.search(r", skip=[1-9]", found.sql):
                # the reader left out all lines above one that is as wide as the widest
                sql = _as_texts(path, delimiter, rows)
                return _read(connection, sql, (*notes, "ragged lines padded with NULL"), into)
            if exact := with_all_digits(connection, found.sql, found.columns, rows[header:]):
                told = f"all digits of {', '.join(exact[1])} kept"
                found = _read(connection, exact[0], (*found.notes, told), into)
            grouped = [found.columns[i][0] for i in grouped_columns(rows[header:]) if i < len(found.columns)]
            return _with_thousands(connection, found, grouped, into) if grouped else found
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            last = error
    raise Unreadable(str(last).splitlines()[0][:300])


def _with_thousands(connection: Any, scan: Scan, columns: Sequence[str], into: str) -> Scan:
    """The scan with these columns' points read as groups of thousands, where every row allows it."""
    texts = scan.sql
    for column in columns:
        # the reader's types stand in its call, as sniff_csv wrote it
        texts = texts.replace(f"{literal(column)}: 'DOUBLE'", f"{literal(column)}: 'VARCHAR'", 1)
    columns = [c for c in columns if f"{literal(c)}: 'VARCHAR'" in texts]
    if not columns:
        return scan
    try:
        if not as_whole_numbers(connection, texts, columns):
            return scan
        notes = (*scan.notes, f"points group the digits of {', '.join(columns)}")
        return _read(connection, whole_numbers(texts, columns), notes, into)
    except duckdb.OutOfMemoryException:
        raise
    except (duckdb.Error, Unreadable):
        return scan


def _head(path: Path) -> tuple[str, tuple[str, ...], str]:
    """Encoding, what is to be noted of it, and the beginning of a delimited text."""
    packed = path.name.lower().endswith(".gz")
    with gzip.open(path) if packed else path.open("rb") as file:
        try:
            head = file.read(_HEAD_BYTES)
        except (OSError, EOFError) as error:
            raise Unreadable(str(error)) from error
    encoding, notes = _encoding(head)
    # NUL bytes are every other one in UTF-16
    if b"\0" in head and encoding != "utf-16":
        raise Unreadable("the file is binary")
    known = {"latin-1": "latin-1", "utf-16": "utf-16"}.get(encoding, "utf-8")
    return encoding, notes, head.decode(known, errors="replace")


def _tries(base: str, *, large: bool) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Options of read_csv with what is to be noted, from strict to lenient: each step gives up more of what
    the file may have meant.
    """
    # a large file: the first half million rows tell types, and the rest is read to see whether it agrees
    begun = base.replace("sample_size=-1", f"sample_size={_SAMPLED_ROWS}")
    # a file whose quotes do not pair up: reading them as characters loses no line
    unquoted = base.replace("quote='\"', escape='\"'", "quote='', escape=''")
    return (
        *(((begun, ()),) if large else ()),
        (base, ()),
        (f"{base}, null_padding=true", ("ragged lines padded with NULL",)),
        (f"{base}, null_padding=true, ignore_errors=true", ("lines that could not be read were left out",)),
        (f"{base}, null_padding=true, ignore_errors=true, all_varchar=true", ("all columns read as text",)),
        (
            f"{unquoted}, null_padding=true, ignore_errors=true, all_varchar=true",
            ("quotes do not close: read as characters, all columns as text",),
        ),
    )


def _sniffed(connection: Any, path: Path, options: str, notes: tuple[str, ...], into: str) -> Scan:
    try:
        prompt = connection.execute(
            f"SELECT Prompt FROM sniff_csv({file_literal(path)}, {options})"
        ).fetchone()[0]
        # sniff_csv's Prompt is the call of read_csv with everything it found
        sql = prompt.strip().removeprefix("FROM ").removesuffix(";")
        # the prompt names the file it found, not the pattern that means it alone
        sql = sql.replace("'" + str(path).replace("'", "''") + "'", file_literal(path))
        return _read(connection, _short_years_as_text(sql), notes, into)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:
        return _read(connection, f"read_csv({file_literal(path)}, {options})", notes, into)


def _short_years_as_text(sql: str) -> str:
    """The call of read_csv with days whose years have two digits left as texts.

    DuckDB takes the first form that fits, and reads `29/05/24` as a day of 2029. What such texts mean is
    found over the whole column when they are cleaned.
    """
    for kind in ("date", "timestamp"):
        short = rf", {kind}format='[^']*%y[^']*'"
        if re.search(short, sql):
            sql = re.sub(short, "", sql)
            sql = re.sub(rf"(?<=: )'{kind.upper()}'(?=[,}}])", "'VARCHAR'", sql)
    return sql


# errors of conversion come while rows are read, not when the scan is described
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
        # what is no CSV has no further variant to try
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
    # byte order marks of UTF-16
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", ("read as UTF-16",)
    # the head may end within a character, which has at most four bytes
    for cut in range(4):
        try:
            head[: len(head) - cut].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return "utf-8", ()
    # each byte is a character in Latin-1, so that it always decodes
    return "latin-1", ("not UTF-8: read as Latin-1",)


def lines_of(text: str, path: Path) -> tuple[str, list[list[str]]]:
    """The delimiter that splits the first lines most evenly, and those lines."""
    lines = text.splitlines()
    # the last line of a head is cut somewhere
    if len(text) >= _HEAD_BYTES // 4 and len(lines) > 1:
        lines = lines[:-1]
    best: tuple[float, str, list[list[str]]] = (-1.0, "," if path.suffix != ".tsv" else "\t", [])
    # by the share of lines with the most frequent width, wider lines being the better sign, up to 12 columns
    for delimiter in (",", "\t", ";", "|"):
        rows = [row for row in csv.reader(io.StringIO("\n".join(lines[:200])), delimiter=delimiter) if row]
        if not rows:
            continue
        width, count = Counter(len(row) for row in rows).most_common(1)[0]
        value = count / len(rows) * (min(width, 12) if width > 1 else 0.0)
        if value > best[0]:
            best = (value, delimiter, rows)
    return best[1], best[2]


def titles_above(rows: Sequence[Sequence[str]]) -> int:
    """How many rows stand above the header: words in the first cell alone, in a table that is wider.

    Where all columns are texts nothing else tells a title from a header.

    >>> titles_above([["Extract", ""], ["code", "name"], ["A", "Ash"], ["B", "Birch"]])
    1
    """
    filled = [[bool(cell.strip()) for cell in row] for row in rows]
    above = 0
    while above < min(_MOST_TITLES, len(filled)) and filled[above][0] and sum(filled[above]) == 1:
        above += 1
    rest = filled[above:]
    if not above or len(rest) < _LEAST_BELOW or not all(rest[0]) or len(rest[0]) < 2:
        return 0
    # a list of names with few remarks beside them has such rows further down, too
    return above if sum(sum(row) > 1 for row in rest) >= _WIDER * len(rest) else 0


def names_over_two_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    """The columns' names where a row of groups stands above the row of names; none where one row names them.

    >>> rows = [["Gate", "Morning", "Morning"], ["No", "In", "Out"], *(["1", "2", "3"],) * 3]
    >>> names_over_two_rows(rows)
    ['Gate No', 'Morning In', 'Morning Out']
    """
    if len(rows) < 2 + _LEAST_BELOW or len({len(row) for row in rows[:3]}) > 1 or len(rows[0]) < _LEAST_BELOW:
        return []
    above, below, rest = rows[0], [cell.strip() for cell in rows[1]], rows[2:40]
    if not above[0].strip() or not all(below) or any(_is_data(cell) for cell in (*above, *below)):
        return []
    told: list[str] = []
    group = ""
    for over, under in zip(above, below, strict=True):
        group = over.strip() or group
        told.append(under if group.lower() == under.lower() else f"{group} {under}")
    groups = {cell.strip().lower() for cell in above}
    several = len({name.lower() for name in told}) == len(told) > len(groups)
    data = any(all(i < len(row) and _is_data(row[i]) for row in rest) for i in range(len(below)))
    return told if several and data else []


def _beginning(text: str, delimiter: str, rows: int) -> str:
    """Options that leave out the lines of the first rows: as comments where they are marked so."""
    above = _lines_above(text, delimiter, rows) if rows else None
    if above is None:
        return ""
    lines = [line for line in text.splitlines()[:above] if line.strip()]
    elsewhere = any("#" in line and not line.startswith("#") for line in text.splitlines())
    if all(line.startswith("#") for line in lines) and not elsewhere:
        return ", comment='#'"
    # what the reader takes for comments is not left out twice
    return f", skip={above}, comment=''"


def _as_texts(path: Path, delimiter: str, rows: Sequence[Sequence[str]]) -> str:
    """The call of read_csv for a text whose first line names its columns; longer lines get further ones."""
    names = [cell.strip() for cell in rows[0]]
    names += [f"column{i}" for i in range(len(names), max(map(len, rows)))]
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    return (
        f"read_csv({file_literal(path)}, auto_detect=false, delim={_quote(delimiter)}, quote='\"', "
        f"escape='\"', header=true, skip=0, null_padding=true, ignore_errors=true, columns={{{columns}}})"
    )


def _begins_with(text: str, delimiter: str, rows: Sequence[Sequence[str]]) -> bool:
    """Is the first line the header, as wide as most rows?"""
    if not rows or len(rows[0]) < 2 or not all(cell.strip() for cell in rows[0]):
        return False
    first = next(csv.reader([text.splitlines()[0]], delimiter=delimiter), [])
    width, _ = Counter(map(len, rows)).most_common(1)[0]
    return first == rows[0] and len(first) == width


def _lines_above(text: str, delimiter: str, titles: int) -> int | None:
    """How many lines of the text the titles take, empty ones among them; None: a cell goes over lines."""
    told = 0
    for number, line in enumerate(text.splitlines()):
        if line.count('"') % 2:
            return None
        if told == titles:
            return number
        told += bool(next(csv.reader([line], delimiter=delimiter), []))
    return None


def _has_header(rows: list[list[str]]) -> bool:
    """A first line with numbers or dates where the following lines have them too is data, unless its numbers
    are years, or those of months, weeks or days: 1, 2, 3, 4.
    """
    first, rest = rows[0], rows[1:40]
    # equal names twice are hardly a header, unless no cell looks like data
    if not rest or len({cell.strip().lower() for cell in first}) < len(first):
        return not rest or not any(_is_data(cell) for cell in first)
    numeric = [i for i, cell in enumerate(first) if _is_data(cell)]
    # a table of years across: 2019, 2020, 2021 are names of columns
    years = [i for i in numeric if re.fullmatch(r"(?:1[5-9]|20|21)\d\d", first[i].strip())]
    if not numeric or (len(years) == len(numeric) and len(years) > 1):
        return True
    if _counts_up([first[i] for i in numeric]) and not any(_counts_up(row[numeric[0] :]) for row in rest):
        return True
    agreeing = [
        # four of five rows agree: some cells are empty or marks such as n/a
        i
        for i in numeric
        if sum(i < len(row) and _is_data(row[i]) for row in rest) >= 0.8 * len(rest)
    ]
    return not agreeing


def _counts_up(cells: Sequence[str]) -> bool:
    """Whole numbers, each the next one after that before it."""
    numbers = [int(cell) for cell in map(str.strip, cells) if cell.isascii() and cell.isdigit()]
    return (
        len(numbers) == len(cells) >= _LEAST_COUNTED
        and numbers[0] <= 1
        and all(b == a + 1 for a, b in pairwise(numbers))
    )


def _is_data(cell: str) -> bool:
    return bool(_NUMBER.match(cell) or _DATE.match(cell))


def _quote(value: str) -> str:
    return "'\\t'" if value == "\t" else literal(value)


def file_literal(path: Path) -> str:
    """The path as a literal that means this file alone: a `*` in its name is no pattern."""
    plain = re.sub(r"[*?\[]", r"[\g<0>]", str(path))
    return literal(plain)
