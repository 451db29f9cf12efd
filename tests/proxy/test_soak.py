"""The short form of `make soak`: parts and connections killed under traffic, every answer compared."""

from __future__ import annotations

import pytest

from tests.conformance.soak import soak

pytestmark = [pytest.mark.server, pytest.mark.timeout(240), pytest.mark.long]


def test_seconds_of_it() -> None:
    soaking, problems = soak(seconds=12, rate=15, seed=1)
    assert not problems
    assert sum(soaking.tally.answers.values()) > 10
    assert soaking.tally.kills
    kinds = soaking.tally.by_kind()
    assert {"slow", "joined", "distinct", "other"} >= set(kinds)
    assert all(counts["asked"] >= counts["compared"] >= counts["replaced"] for counts in kinds.values())
    assert sum(counts["compared"] for counts in kinds.values()) > 10
