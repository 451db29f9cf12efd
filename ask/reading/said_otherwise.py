"""Words of the grammar that columns are called by, too: a `total` before a measure, `happened in each`.

Owns taking them for what they say there. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.reading.extremes import MOST
from rewright.ask.reading.lexicon import RELATING, TIME_UNITS
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed

_MADE = frozenset(
    listed("built made founded opened published released started launched created held hosted aired issued")
)


def totals_said(links: Sequence[Link]) -> None:
    """`the total capacity of the nurseries`, where invoices have a total: the sum of another number."""
    for total, measured in pairwise(links):
        # a column cut to `top` is the word of the grammar before a number
        if total.mark == "column" and total.word == "top" and measured.mark == "number":
            total.mark, total.columns, total.fits = (
                "first",
                (),
                {},
            )  # `top 3 sectors`, of sectors with a top_m
        numbers = [c for c in measured.columns if c.kind == "number" and not c.key]
        if total.mark != "column" or total.word != "total" or measured.mark != "column" or not numbers:
            continue
        # a total of the same table (total, total_tax) may be part of the measure's own name
        if measured.glued and not {c.table for c in total.columns} & {c.table for c in measured.columns}:
            total.mark, total.columns, total.fits = "sum", (), {}


def verbs_before_groups(links: Sequence[Link], scope: Scope) -> None:
    """`how many incidents happened in each town`, `which vendor built the most lifts`: nothing is asked
    of the date at which they did.
    """
    for at, (verb, behind) in enumerate(pairwise(links)):
        dated = bool(verb.columns) and all(c.kind == "date" or "year" in scope.words(c) for c in verb.columns)
        rows = links[at + 2] if at + 2 < len(links) else None
        most = behind.word in MOST and rows is not None and rows.mark == "table" and at > 0
        # `built the most lifts`: the rows behind are counted, so the verb asks for no date
        relates = verb.word in RELATING if behind.mark == "each" else most and verb.word in _MADE
        if verb.mark == "column" and dated and relates:
            verb.mark, verb.columns = "relation", ()


def times_of_rows(links: Sequence[Link], scope: Scope) -> None:
    """`in which month do most incidents happen`, where only invoices have a month: that of the incidents."""
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    spoken |= {
        c.table
        for link in links
        if link.mark in {"column", "value"} and not _is_time(link)
        for c in (*link.columns, *(c for c, _ in link.values))
    }
    # rows that are spoken of have a time of their own; without one the named month stays
    dates = [c for ref in spoken for c in scope.times(scope.context.table(ref)) if c.kind == "date"]
    for link in links:
        if _is_time(link) and dates and not {c.table for c in link.columns} & spoken:
            link.mark, link.columns, link.fits = "unit", (), {}


def _is_time(link: Link) -> bool:
    return link.mark == "column" and link.word in TIME_UNITS
