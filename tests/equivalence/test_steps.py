"""176 small steps of 48 rewrites over six schemas, by people who had seen neither laws nor earlier pairs: what a
model answers when it is asked to go one step at a time. All are equal.

How many are proved: ``python -m bench.hostile --set steps``.
"""

from __future__ import annotations

import pytest

from bench.hostile import FOLDER, documents
from tests.equivalence.test_breadth import PATIENT, is_proved

PAIRS = list(documents(FOLDER / "steps"))


def test_there_are_as_many() -> None:
    assert len(PAIRS) == len({pair["id"] for pair in PAIRS}) == 176
    assert all(pair["equal"] for pair in PAIRS)


@pytest.mark.long
def test_most_are_proved() -> None:
    """Four in five are (docs/checker-figures.md); a half of a sample is asked for."""
    some = PAIRS[::16]
    assert sum(is_proved(pair, turned=False, seconds=PATIENT) for pair in some) >= len(some) // 2
