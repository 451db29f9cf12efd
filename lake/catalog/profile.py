"""Profiling one table: load it once (or, where it is large, read it again for each count), look for noise.

Owns what a profile says. Must not know where profiles are kept, nor how is counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb

from rewright.engines.duckdb.reading import Unreadable
from rewright.lake.catalog.counting import Counted, counted, family_of
from rewright.lake.catalog.model import Column, Family, Noise, Table, Values
from rewright.lake.catalog.sampling import sampled
from rewright.lake.files.pieces import Unit
from rewright.lake.files.scans import scan_of_unit
from rewright.lake.noise.detect import days_in_digits, meaning_of, noise_of
from rewright.lake.noise.numbers import notation_of, number_of

_COPY = "_profiled"
# files up to this size are copied into memory first; larger ones are read again for each figure
_COPY_BYTES = 256 << 20


def digest_of(path: Path) -> str:
    """A content hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def profile(connection: Any, name: str, unit: Unit, digest: str) -> tuple[Table, dict[str, Values]]:
    """Profile one table.

    :raises Unreadable: it is no table.
    """
    if unit.stamp()[0] <= _COPY_BYTES:
        with suppress(duckdb.OutOfMemoryException):
            # packed files may be many times as large as they look
            return _profiled(connection, name, unit, digest, _COPY)
        connection.execute(f"DROP TABLE IF EXISTS {_COPY}")
    try:
        return _profiled(connection, name, unit, digest, "")
    except duckdb.OutOfMemoryException as error:
        raise Unreadable(str(error).splitlines()[0][:300]) from error


def _profiled(
    connection: Any, name: str, unit: Unit, digest: str, copy: str
) -> tuple[Table, dict[str, Values]]:
    """`copy`: the table to hold the file's rows; none: they are read again for each count.

    :raises duckdb.OutOfMemoryException: the copy does not fit.
    """
    size, changed = unit.stamp()
    scan = scan_of_unit(connection, unit, into=copy)
    try:
        rows, found = (
            counted(connection, copy, scan.columns) if copy else sampled(connection, scan.sql, scan.columns)
        )
        if copy:
            connection.execute(f"DROP TABLE IF EXISTS {copy}")
    except duckdb.Error as error:
        # The caller tries again without a copy, which takes longer and little memory.
        if copy and isinstance(error, duckdb.OutOfMemoryException):
            raise
        raise Unreadable(str(error).splitlines()[0][:300]) from error
    columns = tuple(_column(name, i, *scan.columns[i], rows, one) for i, one in enumerate(found))
    table = Table(name, unit.place, size, changed, digest, scan.sql, rows, columns, scan.notes, unit.files)
    return table, {column.name: one.values for column, one in zip(columns, found, strict=True)}


def _column(table: str, position: int, name: str, type_name: str, rows: int, found: Counted) -> Column:
    family = family_of(type_name)
    noise: tuple[Noise, ...] = ()
    if family is Family.TEXT:
        noise = noise_of(found.values.counts, found.filled)
    elif family is Family.INTEGER:
        noise = days_in_digits(found.values.counts)
    low, high = found.low, found.high
    # The least and the greatest of the texts are those of their order as texts: `9` is after `10`.
    if Noise.NUMBERS in noise or Noise.FORMATTED in noise:
        low, high = _bounds(name, found.values)
    return Column(
        table,
        name,
        position,
        type_name,
        family,
        meaning_of(family, noise),
        rows,
        rows - found.filled,
        found.distinct,
        _short(low),
        _short(high),
        tuple(_short(v) or "" for v, _ in found.values.counts[:12]),
        noise,
        family is Family.TEXT and _digits(found.values),
    )


def _digits(found: Values) -> bool:
    # the most frequent values stand for all
    told = [value for value, _ in found.counts[:50]]
    return bool(told) and sum(value.replace(".", "", 1).lstrip("-").isdigit() for value in told) >= 0.8 * len(
        told
    )


def _bounds(name: str, found: Values) -> tuple[str, str]:
    notation = notation_of(name, found.counts)
    numbers = [number for value, _ in found.counts if (number := number_of(value, notation)) is not None]
    return f"{min(numbers):.15g}", f"{max(numbers):.15g}"


def _short(value: str | None) -> str | None:
    return value[:200] if value is not None else None


def profiled_copy(
    connection: Any, name: str, copy: str, columns: Sequence[tuple[str, str]]
) -> tuple[Table, dict[str, Values]]:
    """Profile rows that stand in `connection` as the table `copy`, under another name; `columns`: names and
    types.

    :raises duckdb.Error: they cannot be counted.
    """
    rows, found = counted(connection, copy, list(columns))
    made = tuple(_column(name, i, *columns[i], rows, one) for i, one in enumerate(found))
    table = Table(name, Path(), 0, 0, "", copy, rows, made)
    return table, {column.name: one.values for column, one in zip(made, found, strict=True)}
