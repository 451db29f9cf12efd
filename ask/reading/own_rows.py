"""What is said of a row beside a measure of it: `the average amount per treatment`, of treatments with an
amount; groups by a column of yes or no; keys that rows lack.

Owns marking these before the passes. Must not know what a question asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.link import Link

_ENDS = {"stop", "comma", "order", "desc", "asc", "moment"}


def own_rows(links: Sequence[Link]) -> list[Link]:
    """The links without the rows that a measure is of, each row by itself being no group."""
    _flags_grouped_by(links)
    _lacked_keys(links)
    left = set[int]()
    for at in range(len(links) - 3):
        measure, column, per, rows = links[at : at + 4]
        behind = links[at + 4] if at + 4 < len(links) else None
        # a sum per row would be another thing than its average, so only averages lose their rows
        if measure.mark == "avg" and column.mark == "column" and _per_row(column, per, rows):
            # something more behind (`per treatment and doctor`) groups after all
            ended = behind is None or behind.mark in _ENDS or behind.mark == "each"
            left |= {at + 2, at + 3} if ended else set()
    return [link for at, link in enumerate(links) if at not in left]


def _per_row(column: Link, per: Link, rows: Link) -> bool:
    owners = {c.table for c in column.columns}
    own = rows.mark == "table" and owners == {t.ref for t in rows.tables[:1]}
    # `per treatments` is no English for a rate, and a plural groups
    return per.mark == "each" and per.word == "per" and own and not rows.word.endswith("s")


def _flags_grouped_by(links: Sequence[Link]) -> None:
    """`by state and furnished`: grouped by whether they are, not those alone that are."""
    for at in range(2, len(links)):
        flag, before = links[at], links[at - 1]
        behind = links[at + 1].mark if at + 1 < len(links) else "stop"
        grouped = before.mark in {"column", "unit", "table"} and links[at - 2].mark == "each"
        if grouped and flag.added and _is_flag(flag) and behind in _ENDS:
            flag.mark = "flag"


def _is_flag(link: Link) -> bool:
    return link.mark == "column" and bool(link.columns) and all(c.kind == "boolean" for c in link.columns)


def _lacked_keys(links: Sequence[Link]) -> None:
    """`buildings that have no caretaker`, of a caretaker_id, where a job is called caretaker too."""
    for lacking, what in pairwise(links):
        # the whole name of a key that some rows lack; a partial one may be the job after all
        keys: tuple[ColumnContext, ...] = tuple(c for c in what.columns if what.fit(c) >= 1.0 and c.nulls)
        if lacking.mark == "without" and what.mark == "value" and len(keys) == 1 and what.text.islower():
            what.mark, what.columns, what.values = "column", keys, ()
