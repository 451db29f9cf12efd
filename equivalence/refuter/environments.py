"""The sessions and collations in which a pair is run: what queries depend on besides the data.

Owns which environments say something about a pair. Must not know servers beyond the names of settings.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rewright.equivalence.generator.odd_midnights import SKIPPED_DAY, Beside, odd_midnights
from rewright.equivalence.generator.schema import Shape
from rewright.equivalence.isolation import ScreenedQuery

_TEMPORAL = frozenset({"date", "timestamp", "time", "interval"})
# what asks for a moment's day or local time, or counts days
_LOCAL = re.compile(r"date|day|timestamp\b|trunc|extract|to_char|interval|at\s+time\s+zone")
# what writes values as texts
_WRITES = re.compile(r"text|varchar|char|concat|format|string|json|\|\|")
_NAMES_TIME = re.compile(r"date|time|interval|age\(|\bnow\b|current_")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_COMPARES = re.compile(r"order\s+by|[<>]|between|\b(?:min|max|greatest|least)\b|within\s+group")
# cases of letters beyond ASCII
_FOLDS = re.compile(r"\b(?:lower|upper|initcap|casefold)\s*\(|\bilike\b|~\*")
# words are searched as the session's configuration makes them, unless the query names one
_SEARCHES = re.compile(r"to_ts(?:vector|query)")
PLAIN_COLLATION = "C"


@dataclass(frozen=True, slots=True)
class Environment:
    """Settings of the session; ``linguistic``: in a database whose collation is not
    the order of code points; ``beside``: values in which the zone shows, by the names of their types.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    linguistic: bool = False
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def time_zone(self) -> str:
        return self.settings.get("timezone", "UTC")


PLAIN = Environment()
SUMMER_TIME = Environment(
    {"timezone": "America/New_York", "datestyle": "SQL, DMY", "intervalstyle": "iso_8601"}
)
ODD_OFFSET = Environment(
    {"timezone": "Asia/Kathmandu", "datestyle": "German, DMY", "intervalstyle": "sql_standard"}
)
EUROPE = Environment({"timezone": "Europe/Berlin"})
LINGUISTIC = Environment(linguistic=True)
WORDS_AS_THEY_ARE = Environment({"default_text_search_config": "pg_catalog.simple"})
# floats and bytes are written otherwise
WRITTEN = Environment({"extra_float_digits": "0", "bytea_output": "escape"})


def _changes_clocks(text: str) -> bool:
    """Whether clocks are changed in Europe on that day or one beside it: on the last Sundays of March and of
    October.
    """
    try:
        day = dt.date.fromisoformat(text)
        around = [day + dt.timedelta(days=n) for n in (-1, 0, 1)]
    except (ValueError, OverflowError):
        return False
    return any(d.month in {3, 10} and d.day > 24 and d.isoweekday() == 7 for d in around)


def environments_for(
    shape: Shape, used: Iterable[int], queries: Iterable[ScreenedQuery]
) -> tuple[Environment, ...]:
    """Those besides PLAIN in which the queries could answer otherwise."""
    columns = [column for index in used for column in shape.tables[index].columns]
    families, bases = {c.family for c in columns}, {c.base for c in columns}
    text = " ".join(query.text.lower() for query in queries)
    found: list[Environment] = []
    if families & _TEMPORAL or _NAMES_TIME.search(text):
        found += [SUMMER_TIME, ODD_OFFSET]
        # where a day of the queries has 23 or 25 hours
        found += [EUROPE] if any(map(_changes_clocks, _DAY.findall(text))) else []
    if "timestamptz" in bases and (bases & {"date", "timestamp"} or _LOCAL.search(text)):
        found.append(_where(odd_midnights(_DAY.findall(text))))
    if {"timestamptz", "date"} <= bases:
        found.append(_where(SKIPPED_DAY))
    if bases & {"float4", "float8", "bytea"} and _WRITES.search(text):
        found.append(WRITTEN)
    if _SEARCHES.search(text):
        found.append(WORDS_AS_THEY_ARE)
    if "text" in families and (_COMPARES.search(text) or _FOLDS.search(text)):
        found.append(LINGUISTIC)
    return tuple(found)


def _where(beside: Beside) -> Environment:
    return Environment({"timezone": beside.zone}, beside=beside.texts)
