"""Codes of several parts, of which the first are a key: `N1` of `N1 4AB`, `DE-BY` of `DE-BY-123`.

Owns which columns hold such codes, and the SQL of their first parts. Must not know tables beyond a column, or
scores: whether another column holds these parts is asked of the lake.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from rewright.engines.duckdb.quoting import literal
from rewright.lake.catalog.model import Column, Family

PartKind = Literal["part 1", "part 2", "part 3"]
PARTS: dict[PartKind, int] = {"part 1": 1, "part 2": 2, "part 3": 3}
"""A key of so many first parts."""
_FEWEST = 3
"""Values that a column must have, at least."""
_LONGEST = 40
_MOST_PARTS = 6


def part_kinds(column: Column) -> list[PartKind]:
    """As which of its first parts a column's codes may be keys; none: they are no codes of several parts."""
    return [kind for kind, parts in PARTS.items() if parts < _parts_of_codes(column)]


def is_cut(column: Column, kind: PartKind) -> bool:
    """Has each of its codes more parts than those of the kind?"""
    return PARTS[kind] < _parts_of_codes(column)


def is_whole(column: Column, kind: PartKind) -> bool:
    """Are its texts no longer than so many parts?"""
    if column.family is not Family.TEXT or not column.samples:
        return False
    return all(len(_split(value)) <= PARTS[kind] for value in _known(column))


def first_parts(text: str, kind: PartKind) -> str:
    """SQL of a text's first parts."""
    part, between = r"[\pL\pN\pM]+", r"[^\pL\pN\pM]+"
    pattern = literal(f"^(?:{between})?{part}(?:{between}{part}){{0,{PARTS[kind] - 1}}}")
    return f"regexp_extract(CAST({text} AS VARCHAR), {pattern})"


def _parts_of_codes(column: Column) -> int:
    """How many parts each of its codes has at least; 0: what it holds are no codes."""
    if column.family is not Family.TEXT or column.digits or column.distinct < _FEWEST:
        return 0
    return _fewest_parts(_known(column))


@lru_cache(maxsize=4096)
def _fewest_parts(values: tuple[str, ...]) -> int:
    if len(values) < _FEWEST or not all(map(_is_code, values)):
        return 0
    found = [len(_split(value)) for value in values]
    return min(found) if max(found) <= _MOST_PARTS else 0


def _is_code(value: str) -> bool:
    """Has it a digit, and no more than a code has?"""
    return len(value) <= _LONGEST and any(c.isdigit() for c in value)


def _known(column: Column) -> tuple[str, ...]:
    return tuple(v for v in (column.minimum, column.maximum, *column.samples) if v and v.strip())


def _split(value: str) -> list[str]:
    return re.findall(r"[^\W_]+", value)
