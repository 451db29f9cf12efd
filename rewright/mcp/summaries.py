"""A lake's tables as an agent may read them: few enough for its context, those that it asked for first.

Owns which tables are told and how briefly. Must not read the lake.
"""

from __future__ import annotations

import re
from typing import Any

MAX_COLUMNS = 100
"""Columns of one table that are told; the number of all of them is told in any case."""


def summary_of(tables: list[dict[str, Any]], folder: str, search: str, most: int) -> dict[str, Any]:
    """At most ``most`` of ``tables`` (what ``rewright lake tables --json`` prints). Files are named from
    ``folder`` on, the lake's own.

    ``search``: words, of which a table needs one in its name, its file or a column to be told; those with
    most of them come first. None: all tables, by name. ``table_count`` counts those that meet the search,
    ``truncated`` tells whether some of them are left out.
    """
    words = re.findall(r"\w+", search.lower())
    found = [(_score(table, words), table) for table in (_brief(one, folder) for one in tables)]
    # without words every table is met
    met = [table for score, table in sorted(found, key=_best_first) if score or not words]
    return {
        "tables": [_narrow(table) for table in met[:most]],
        "table_count": len(met),
        "truncated": len(met) > most,
    }


def _best_first(scored: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    score, table = scored
    return -score, table["table"]


def _score(table: dict[str, Any], words: list[str]) -> int:
    """How many words it has; one in the table's own name counts twice."""
    own = table["table"].lower()
    everything = " ".join([own, table["file"], *(column["name"] for column in table["columns"])]).lower()
    return sum((word in everything) + (word in own) for word in words)


def _brief(table: dict[str, Any], folder: str) -> dict[str, Any]:
    """Without what is empty, and without the way to the lake."""
    told = _not_empty(table)
    # the way to the lake is nobody's business but the server's
    told["file"] = table["file"].removeprefix(folder).lstrip("/")
    told["columns"] = [_not_empty(column) for column in table["columns"]]
    return told


def _not_empty(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if value != []}


def _narrow(table: dict[str, Any]) -> dict[str, Any]:
    """With the first columns only."""
    columns = table["columns"]
    if len(columns) <= MAX_COLUMNS:
        return table
    return table | {"columns": columns[:MAX_COLUMNS], "column_count": len(columns)}
