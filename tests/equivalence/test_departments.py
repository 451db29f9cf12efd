"""505 hostile pairs over eleven schemas, by somebody who had seen neither laws nor earlier pairs: none of the 318
that differ is proved without a reservation that blocks.

How many of the equal ones are proved: ``python -m bench.hostile --set departments``. citext stands as a type
that nothing is known of; btree_gist adds none.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from bench.hostile import FOLDER, documents
from tests.equivalence.test_breadth import PATIENT, is_proved

pytestmark = pytest.mark.long

_EXTENSION = re.compile(r"CREATE EXTENSION IF NOT EXISTS (\w+);")
_STANDS_FOR = {"citext": "CREATE TYPE citext AS (value text);", "btree_gist": ""}
PAIRS: list[dict[str, Any]] = [
    {**pair, "schema_sql": _EXTENSION.sub(lambda e: _STANDS_FOR[e[1]], pair["schema_sql"])}
    for pair in documents(FOLDER / "departments")
]
DIFFERENT = [pair for pair in PAIRS if not pair["equal"]]
EQUAL = [pair for pair in PAIRS if pair["equal"]]
_PARTS = 6


def test_there_are_as_many() -> None:
    assert (len(PAIRS), len(DIFFERENT)) == (505, 318)
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS)
    assert len({pair["schema_sql"] for pair in PAIRS}) == 11


@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", range(_PARTS))
def test_none_that_differs_is_proved(part: int) -> None:
    ours = DIFFERENT[part::_PARTS]
    wrong = [p["id"] for n, p in enumerate(ours) if is_proved(p, turned=bool(n % 2))]
    assert wrong == []


def test_some_that_are_equal_are() -> None:
    """About four in ten of all are (docs/checker-figures.md); a third of a sample is asked for."""
    equal = EQUAL[::12]
    assert sum(is_proved(pair, turned=False, seconds=PATIENT) for pair in equal) >= len(equal) // 3
