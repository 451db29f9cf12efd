"""Whether a reading gives nothing though its tables hold rows: seldom what is asked, often a wrong condition
or join.

Owns that doubt of the deterministic reader's. Runs the query within tight limits, as the asking role; what
fails or takes long tells nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.ask.answer import Answer
from rewright.ask.execution import ExecutionError
from rewright.ask.outcome import Alternative, Event
from rewright.ask.safety import Refused
from rewright.ask.sources.api import Source

WORTH = 0.8
"""A reading with no other doubt stays above the default threshold, one with another grave doubt does not."""
_SECONDS = 0.5
_WHY = "not sure enough of this reading: it gives nothing, though there are rows"


def doubted(answer: Answer, source: Source, threshold: float) -> Answer:
    """The answer, or its refusal where it gives nothing and was not sure enough to do so."""
    # sure enough even with this doubt: nothing need be run
    if not answer.sql or answer.confidence * WORTH >= threshold or _on_empty_tables(answer, source):
        return answer
    try:
        found = source.run(answer.sql, rows=2, seconds=_SECONDS)
    except (Refused, ExecutionError):
        return answer
    if any(_says_something(value) for row in found.rows for value in row):
        return answer
    sure = round(answer.confidence * WORTH, 3)
    unsure = Alternative(answer.sql, answer.reading, sure)
    step = Event("doubted", "reader", f"that it gives nothing ({WORTH:.2f})")
    return replace(
        answer,
        sql="",
        refused=_WHY,
        confidence=sure,
        alternatives=(unsure, *answer.alternatives),
        trajectory=(*answer.trajectory, step),
    )


def _on_empty_tables(answer: Answer, source: Source) -> bool:
    """Whether a table that is spoken of is empty: then nothing is what there is."""
    spoken = set(answer.linked.tables)
    return any(t.ref.name in spoken and not t.rows for t in source.context.tables)


def _says_something(value: Any) -> bool:
    """All but NULL and a number that is 0; `false` answers a question."""
    return isinstance(value, bool) or (value is not None and value != 0)
