"""Pairs of queries as lake benchmarks keep them: as asked of names that do not exist, and what answers them.

Owns a pair's text in `bench/strange/*.txt` (`-- difficulty; tags`, then as asked, then over the clean tables)
and its record in the files that `rewright bench lake --pairs` reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from rewright.lake.batch import plain

Told = tuple[str, list[str], str, str]
"""(difficulty, tags, as asked, over the clean tables)."""
_TABLE = re.compile(r'\b(?:FROM|JOIN|UNPIVOT) "?([\w.]+)')


def told_pair(head: str, lines: Iterator[str]) -> Told:
    """The pair whose first line, behind its dashes, is ``head``; its two queries are the next lines."""
    difficulty, tags = head.split(";")
    return difficulty.strip(), [tag.strip() for tag in tags.split(",")], next(lines), next(lines)


def told_lines(text: str) -> Iterator[str]:
    """Its lines without comments and empty ones."""
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def record(
    db: Any,
    name: str,
    lake: str,
    pair: Told,
    files: Mapping[str, Collection[str]] | None = None,
) -> dict[str, Any]:
    """A pair with the answer that ``db``, which holds the clean tables, gives.

    ``files``: what a clean table is kept as, where that is not one file of its name.

    :raises ValueError: nothing answers it, so that any wrong condition would, too.
    """
    difficulty, tags, asked, golden = pair
    found = db.execute(golden)
    columns = [column[0] for column in found.description]
    rows = [[plain(value) for value in row] for row in found.fetchall()]
    if not rows:
        raise ValueError(f"no rows: {golden}")
    tables = db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    kept: dict[str, Collection[str]] = {table: [table] for (table,) in tables} | dict(files or {})
    # `EXTRACT(YEAR FROM day)` names no table
    used = [table for table in _TABLE.findall(golden) if table in kept]
    return {
        "id": name,
        "lake": lake,
        "user_query": asked,
        "golden_query": golden,
        "difficulty_tags": tags,
        "difficulty": difficulty,
        "required_tables": sorted({file for table in used for file in kept[table]}),
        "ordered": "ORDER BY" in golden,
        "result_columns": columns,
        "result_rows": rows,
    }
