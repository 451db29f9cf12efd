"""Conditions of a question, kind after kind.

Owns the order in which one kind may hide another. Each pass takes its links; what it cannot place raises
Unclear.
"""

from __future__ import annotations

from rewright.ask.reading.absences import without
from rewright.ask.reading.comparisons import comparisons
from rewright.ask.reading.defined import defined
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.either import either
from rewright.ask.reading.patterns import spellings
from rewright.ask.reading.timing import moments
from rewright.ask.reading.values import booleans, values


def conditions(draft: Draft) -> None:
    """All conditions of the draft's links, in the order in which one may hide another."""
    defined(draft)
    spellings(draft)
    comparisons(draft)
    moments(draft)
    without(draft)
    either(draft)
    values(draft)
    booleans(draft)
