"""Words of the grammar that columns are called by, too: a `total` before a measure, `happened in each`.

Owns taking them for what they say there. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.reading.lexicon import RELATING
from rewright.ask.reading.link import Link


def totals_said(links: Sequence[Link]) -> None:
    """`the total capacity of the nurseries`, where invoices have a total: the sum of another number."""
    for total, measured in pairwise(links):
        numbers = [c for c in measured.columns if c.kind == "number" and not c.key]
        if total.mark != "column" or total.word != "total" or measured.mark != "column" or not numbers:
            continue
        if measured.glued and not {c.table for c in total.columns} & {c.table for c in measured.columns}:
            total.mark, total.columns, total.fits = "sum", (), {}


def verbs_before_groups(links: Sequence[Link]) -> None:
    """`how many incidents happened in each town`: nothing is asked of the date at which they did."""
    for verb, behind in pairwise(links):
        dated = bool(verb.columns) and all(c.kind == "date" for c in verb.columns)
        if verb.mark == "column" and behind.mark == "each" and dated and verb.word in RELATING:
            verb.mark, verb.columns, verb.fits = "relation", (), {}
