"""What people read of a recommendation."""

from __future__ import annotations

import pytest

from rewright.hints.text_report import lines_of_document


@pytest.mark.parametrize(
    ("after", "line"),
    [(0.5, "time:  > 60 s (cancelled) -> 0.500 s"), (None, "time:  > 60 s (cancelled)")],
)
def test_a_query_that_was_cancelled(after: float | None, line: str) -> None:
    found = {"seconds_before": None, "seconds_after": after, "stopped_at": 60.0}
    assert line in list(lines_of_document(found))
