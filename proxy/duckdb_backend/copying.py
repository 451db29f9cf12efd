"""COPY ... TO STDOUT of a lake's rows: options, and the three formats.

Owns COPY's file formats (PostgreSQL manual, reference page COPY, "File Formats"). Must not know sessions or
DuckDB.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pglast import ast

from rewright.proxy.duckdb_backend import values
from rewright.proxy.ports import ResultColumn, SqlError
from rewright.proxy.wire.framing import message

Format = Literal["text", "csv", "binary"]
DONE = message(b"c")
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_TRAILER = struct.pack("!h", -1)
_ESCAPES = str.maketrans(
    {"\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
)


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """``force_quote`` None: every column; empty: none."""

    format: Format = "text"
    delimiter: str = "\t"
    null: str = "\\N"
    header: bool = False
    quote: str = '"'
    escape: str = '"'
    force_quote: tuple[str, ...] | None = ()


def options_of(elements: Iterable[Any]) -> CopyOptions:
    """The options of a parsed COPY. Raises SqlError as PostgreSQL would; 0A000 for
    what only a server can do.
    """
    given: dict[str, Any] = {}
    for element in elements:
        if element.defname in given:
            raise SqlError("42601", "conflicting or redundant options")
        given[element.defname] = element.arg
    form = str(_text(given.pop("format", None)) or "text").lower()
    if form not in {"text", "csv", "binary"}:
        raise SqlError("22023", f'COPY format "{form}" not recognized')
    csv = form == "csv"
    delimiter = _one(given.pop("delimiter", None), "," if csv else "\t", "delimiter")
    null = _text(given.pop("null", None))
    header = _flag(given.pop("header", _MISSING))
    quote = _one(given.pop("quote", None), '"', "quote")
    escape = _one(given.pop("escape", None), quote, "escape")
    force = given.pop("force_quote", ())
    if (encoding := _text(given.pop("encoding", None))) and encoding.replace("-", "").lower() not in {
        "utf8",
        "unicode",
    }:
        raise SqlError("0A000", "COPY over a lake writes UTF8 only")
    if given:
        raise SqlError("0A000", f"COPY over a lake does not take the option {min(given)}")
    return CopyOptions(
        form,  # type: ignore[arg-type] # checked above to be text or csv
        delimiter,
        ("" if csv else "\\N") if null is None else null,
        header,
        quote,
        escape,
        None if isinstance(force, ast.A_Star) else tuple(str(name.sval) for name in force or ()),
    )


def response(options: CopyOptions, columns: int) -> bytes:
    """CopyOutResponse."""
    code = 1 if options.format == "binary" else 0
    return message(b"H", struct.pack(f"!bh{columns}h", code, columns, *([code] * columns)))


class Writer:
    """One COPY: what ``encode`` made of rows is ``written``, then comes ``end``. The binary head travels with
    the first row, as the server sends it.
    """

    def __init__(self, options: CopyOptions, columns: Sequence[ResultColumn]) -> None:
        self._options = options
        self.encode = CopyEncoder(options, tuple(columns))
        self._head = _SIGNATURE if options.format == "binary" else b""

    def written(self, data: bytes) -> bytes:
        if self._head and data:
            # The first CopyData message is opened, since the head stands in the same message as the first
            # row.
            (size,) = struct.unpack_from("!i", data, 1)
            first, rest = data[5 : size + 1], data[size + 1 :]
            data, self._head = _data(self._head + first) + rest, b""
        return data

    def end(self) -> bytes:
        """What comes behind the last row, CopyDone included."""
        return (_data(self._head + _TRAILER) if self._options.format == "binary" else b"") + DONE


def heading(options: CopyOptions, columns: Sequence[ResultColumn]) -> bytes:
    """The line of names, where one is asked for."""
    if options.format == "binary" or not options.header:
        return b""
    return _data(_line(options, [column.name for column in columns], [False] * len(columns)))


@dataclass(frozen=True, slots=True)
class CopyEncoder:
    """Rows as CopyData messages."""

    options: CopyOptions
    columns: tuple[ResultColumn, ...]

    def __call__(self, rows: Sequence[tuple[object, ...]]) -> bytes:
        oids = [column.type_oid for column in self.columns]
        if self.options.format == "binary":
            return b"".join(_data(_binary(row, oids)) for row in rows)
        quoted = self.options.force_quote
        forced = [quoted is None or column.name in quoted for column in self.columns]
        return b"".join(_data(_line(self.options, _texts(row, oids), forced)) for row in rows)


def _texts(row: Sequence[object], oids: Sequence[int]) -> list[str | None]:
    return [None if v is None else values.to_text(v, oid) for v, oid in zip(row, oids, strict=True)]


def _binary(row: Sequence[object], oids: Sequence[int]) -> bytes:
    parts = [struct.pack("!h", len(row))]
    for value, oid in zip(row, oids, strict=True):
        encoded = values.encode(value, oid, 1)
        parts.append(struct.pack("!i", -1) if encoded is None else struct.pack("!i", len(encoded)) + encoded)
    return b"".join(parts)


def _line(options: CopyOptions, cells: Sequence[str | None], forced: Sequence[bool]) -> bytes:
    write: Callable[[CopyOptions, str, bool, bool], str] = _csv if options.format == "csv" else _escaped
    single = len(cells) == 1
    line = options.delimiter.join(
        options.null if cell is None else write(options, cell, force, single)
        for cell, force in zip(cells, forced, strict=True)
    )
    return (line + "\n").encode("utf-8", "replace")


def _escaped(options: CopyOptions, cell: str, force: bool, single: bool) -> str:
    del force, single
    cell = cell.translate(_ESCAPES)
    # the delimiter's own escape; tab has one already
    return cell if options.delimiter == "\t" else cell.replace(options.delimiter, "\\" + options.delimiter)


def _csv(options: CopyOptions, cell: str, force: bool, single: bool) -> str:
    needs = (
        force
        or cell == options.null
        # Alone on its line it would read as the end of the data.
        or (single and cell == "\\.")
        or any(character in cell for character in (options.delimiter, options.quote, "\n", "\r"))
    )
    if not needs:
        return cell
    # Where they are the same, doubling the quote below is the escape already.
    if options.escape != options.quote:
        cell = cell.replace(options.escape, options.escape * 2)
    return options.quote + cell.replace(options.quote, options.escape + options.quote) + options.quote


def _data(payload: bytes) -> bytes:
    return message(b"d", payload)


_MISSING = object()


def _text(value: Any) -> str | None:
    if value is None:
        return None
    for name in ("sval", "ival", "boolval"):
        if hasattr(value, name):
            return str(getattr(value, name))
    return str(value)


def _flag(value: Any) -> bool:
    """An option without a value is on."""
    if value is _MISSING:
        return False
    word = "true" if value is None else str(_text(value)).lower()
    if word in {"true", "on", "1"}:
        return True
    if word in {"false", "off", "0"}:
        return False
    raise SqlError("42601", f"header requires a Boolean value, not {word}")


def _one(value: Any, default: str, what: str) -> str:
    text = _text(value)
    if text is None:
        return default
    if len(text.encode()) != 1 or text in "\r\n":
        raise SqlError("0A000", f"COPY {what} must be a single one-byte character")
    return text
