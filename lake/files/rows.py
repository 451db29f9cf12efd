"""Rows that Python read (of a sheet, of a database) as a file that DuckDB reads with the types they had.

Owns the file's form, lines of JSON, and the types. Must not know where rows come from.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from rewright.engines.duckdb.quoting import literal

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?")
_INT64 = 2**63


def write_rows(header: Sequence[str], rows: Iterable[Sequence[Any]], target: Path) -> str:
    """Write the rows and return the table expression that reads them. Names are made distinct, whatever their
    case.
    """
    columns = distinct([str(name).strip() for name in header])
    kinds: list[set[str]] = [set() for _ in columns]
    with target.open("w", encoding="utf-8") as out:
        for row in rows:
            line = {}
            for i, name in enumerate(columns):
                value, kind = _plain(row[i] if i < len(row) else None)
                if kind:
                    kinds[i].add(kind)
                line[name] = value
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    listed = ", ".join(f"{literal(name)}: {literal(_type(kinds[i]))}" for i, name in enumerate(columns))
    return (
        f"read_json({literal(str(target))}, columns={{{listed}}}, format='newline_delimited', "
        f"maximum_object_size=268435456)"
    )


def distinct(header: Sequence[str]) -> list[str]:
    """The names, a number behind those that come again; nameless columns by their place."""
    taken: set[str] = set()
    found = []
    for i, name in enumerate(header):
        base = name or f"column{i}"
        name = base
        number = 1
        while name.lower() in taken:
            name = f"{base}_{number}"
            number += 1
        taken.add(name.lower())
        found.append(name)
    return found


def _plain(value: Any) -> tuple[Any, str]:
    """The value as JSON has it, and its kind; empty: no value."""
    match value:
        case None:
            return None, ""
        case bool():
            return value, "BOOLEAN"
        case int():
            return (value, "BIGINT") if -_INT64 <= value < _INT64 else (str(value), "VARCHAR")
        case float() | Decimal():
            number = float(value)
            return (number, "DOUBLE") if math.isfinite(number) else (None, "")
        case dt.datetime():
            # sheets have no dates without a time: midnight is a date
            if value.time() == dt.time(0):
                return value.date().isoformat(), "DATE"
            return value.isoformat(" "), "TIMESTAMP"
        case dt.date():
            return value.isoformat(), "DATE"
        case bytes():
            return value.hex(), "VARCHAR"
        case _:
            text = str(value)
            return text, "DATE" if _DATE.fullmatch(text) else "TIMESTAMP" if _TIME.fullmatch(
                text
            ) else "VARCHAR"


def _type(kinds: set[str]) -> str:
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds and kinds <= {"BIGINT", "DOUBLE"}:
        return "DOUBLE"
    if kinds and kinds <= {"DATE", "TIMESTAMP"}:
        return "TIMESTAMP"
    return "VARCHAR"
