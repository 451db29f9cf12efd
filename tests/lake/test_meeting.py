"""The inverted index of sketches finds the columns that comparing each pair would find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rewright.lake.joins.meeting import Meeting
from rewright.lake.joins.scores import overlap


@pytest.mark.parametrize("seed", range(4))
def test_those_that_share_a_value_are_found(seed: int) -> None:
    chance = np.random.default_rng(seed)
    sketches = {
        (f"t{i}", "c"): np.unique(chance.integers(1, 400, chance.integers(0, 40)).astype(np.uint64))
        for i in range(60)
    }
    meeting = Meeting(sketches)
    for mine in sketches.values():
        compared = [key for key, other in sketches.items() if overlap(mine, other, 40, 40).jaccard > 0]
        assert meeting.of(mine) == compared


def test_nothing_meets_nothing() -> None:
    empty: Any = np.zeros(0, dtype=np.uint64)
    assert Meeting({}).of(np.asarray([3], dtype=np.uint64)) == []
    assert Meeting({("t", "c"): empty}).of(empty) == []
    assert (
        Meeting({("t", "c"): np.asarray([1, 2], dtype=np.uint64)}).of(np.asarray([3], dtype=np.uint64)) == []
    )
