"""318 pairs of rewrites for speed over four schemas, by somebody who had seen neither laws nor earlier pairs: the
mistakes that people, ORMs and models make, and what they do right. None of the 207 that differ is proved without
a reservation that blocks; by the prover alone, their first run found one that was (hc-01).

How many are refuted and proved: ``python -m bench.hostile --set slips``. citext stands as a type that nothing is
known of.
"""

from __future__ import annotations

from typing import Any

import pytest

from bench.hostile import FOLDER, documents
from tests.equivalence.test_breadth import PATIENT, is_proved

_CITEXT = ("CREATE EXTENSION IF NOT EXISTS citext;", "CREATE TYPE citext AS (value text);")
PAIRS: list[dict[str, Any]] = [
    {**pair, "schema_sql": pair["schema_sql"].replace(*_CITEXT)} for pair in documents(FOLDER / "slips")
]
DIFFERENT = [pair for pair in PAIRS if not pair["equal"]]
EQUAL = [pair for pair in PAIRS if pair["equal"]]
_PARTS = 4


def test_there_are_as_many() -> None:
    assert (len(PAIRS), len(DIFFERENT)) == (318, 207)
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS)
    assert len({pair["schema_sql"] for pair in PAIRS}) == 4


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(_PARTS))
def test_none_that_differs_is_proved(part: int) -> None:
    ours = DIFFERENT[part::_PARTS]
    wrong = [p["id"] for n, p in enumerate(ours) if is_proved(p, turned=bool(n % 2))]
    assert wrong == []


def test_most_that_are_equal_are() -> None:
    """Four in five are (docs/checker-figures.md); a half of a sample is asked for."""
    equal = EQUAL[::10]
    assert sum(is_proved(pair, turned=False, seconds=PATIENT) for pair in equal) >= len(equal) // 2
