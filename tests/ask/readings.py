"""What tests of the reader assert: parts of the query that a question is read as, or a refusal."""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.reading.api import Reader, Reading, Refusal

THRESHOLD = 0.75
"""The confidence below which nothing is run."""


def assert_read(reader: Reader, question: str, parts: Sequence[str], without: str = "") -> Reading:
    """The question is read, surely enough, and its query has the parts and not what is excluded."""
    found = reader.read(question)
    assert isinstance(found, Reading), found.why
    said = found.sql + found.sql.replace("public.", "")
    assert [part for part in parts if part not in said] == [], found.sql
    assert not without or without not in found.sql, found.sql
    assert found.confidence >= THRESHOLD, (found.doubts, found.sql)
    return found


def assert_refused(reader: Reader, question: str) -> None:
    """The question has no reading, or none that is sure enough."""
    found = reader.read(question)
    assert isinstance(found, Refusal) or found.confidence < THRESHOLD, found.sql
