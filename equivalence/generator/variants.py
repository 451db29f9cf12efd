"""Values made of the queries' constants that two ways to ask the same take for different ones.

    'ruby rails'        the words the other way round, and with one between: found together, and no phrase
    20                  two ranges with 20 in the gap between them: within the whole and within neither
    '1 year'            365 days, which are more than a year and have fewer seconds than one
    '$.owner.name'      documents along the path, with an array on the way: paths look into it, -> does not

Texts of PostgreSQL's input functions; which of them a type takes, the server says. Must not know columns.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

_WORD = re.compile(r"\w+")
# of so many words and constants
_MOST_WORDS, _MOST_CONSTANTS, _MOST_KEYS = 4, 5, 4
# a jsonpath, its keys (not what is called on them) and the numbers in its filters
_PATH = re.compile(r"\s*(?:lax\s|strict\s)?\s*\$")
_KEY = re.compile(r"\.\s*\"?([A-Za-z_]\w*)\"?(?!\w*\s*\()")
_NUMBER = re.compile(r"-?\b\d{1,9}(?:\.\d{1,6})?\b")
# days that a month or a year may have, as they are compared, counted on a calendar and turned into seconds
_DAYS = {"mon": (28, 30, 31), "year": (360, 365, 366)}
_LONGEST = 10**12
_MOST_DIGITS = 4


def of_words(strings: Iterable[str]) -> list[str]:
    """The words of a constant each alone and in the plural, the other way round, and with another between."""
    found: list[str] = []
    for text in strings:
        words = _WORD.findall(text)
        if len(words) <= _MOST_WORDS:
            found += [" ".join(words[::-1]), " x ".join(words), *words, *(f"{word}s" for word in words)]
    return list(dict.fromkeys(found))


def with_gaps(numbers: Iterable[str]) -> list[str]:
    """Multiranges before and after a number that leave it out."""
    found: list[str] = []
    for text in list(numbers)[:_MOST_CONSTANTS]:
        with contextlib.suppress(InvalidOperation):
            n = Decimal(text)
            found += [f"{{[{n - 2:f},{n - 1:f}],[{n + 1:f},{n + 2:f}]}}"] if abs(n) < _LONGEST else []
    return found


def with_gaps_of_days(days: Iterable[str]) -> list[str]:
    """Multiranges before and after a day, as ISO writes it, that leave it out."""
    found: list[str] = []
    for text in list(days)[:_MOST_CONSTANTS]:
        with contextlib.suppress(ValueError, OverflowError):
            day, one = dt.date.fromisoformat(text), dt.timedelta(days=1)
            found.append(f"{{[{day - 2 * one},{day - one}],[{day + one},{day + 2 * one}]}}")
    return found


def as_long(intervals: Iterable[str], numbers: Iterable[str]) -> list[str]:
    """Days in place of a constant's months and years, and numbers as seconds."""
    found: list[str] = []
    for text in intervals:
        count, _, unit = text.strip().lower().partition(" ")
        days = _DAYS.get("mon" if unit.startswith("mon") else unit.rstrip("s"), ())
        if count.lstrip("-").isdigit() and len(count) <= _MOST_DIGITS:
            found += [f"{int(count) * one} days" for one in days]
    return found + [f"{n} seconds" for n in list(numbers)[:_MOST_CONSTANTS]]


def along_paths(strings: Iterable[str]) -> list[str]:
    """JSON documents that a constant's path leads through: to a number of its filters, one more, their texts,
    null and nothing; and with an array in place of what stands at each of its keys.
    """
    found: list[str] = []
    for text in strings:
        keys = _KEY.findall(text)[:_MOST_KEYS] if _PATH.match(text) else []
        if not keys:
            continue
        numbers = [float(n) if "." in n else int(n) for n in _NUMBER.findall(text)][:2]
        ends: list[Any] = [1, "x", None, *(end for n in numbers for end in (n, n + 1, n - 1, str(n + 1)))]
        documents = (document for end in ends for document in _nested(keys, end))
        found += [json.dumps(document) for document in documents]
    return list(dict.fromkeys(found))


def _nested(keys: list[str], end: Any) -> Iterator[Any]:
    """``{k: {l: end}}``, then the same with an array around what one of the keys holds, and around all."""
    for place in range(len(keys) + 2):
        value: Any = end
        for level in range(len(keys), -1, -1):
            value = [value] if level == place else value
            value = {keys[level - 1]: value} if level else value
        yield value
