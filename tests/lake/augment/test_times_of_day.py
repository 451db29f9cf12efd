"""Days of a base table beside texts of a day and a time of it, of which there are several."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pytest

from rewright.lake.augment.api import BaseSpec, augment
from rewright.lake.embedding import CachedEmbedder

from .searching import Tables, indexed


def _tables(form: str) -> Tables:
    chance = random.Random(8)
    days = [date(2022, 9, 1) + timedelta(days=n) for n in chance.sample(range(600), 250)]
    rain = {day: chance.gauss(0, 1) for day in days}
    return {
        "shows": (["day", "sold"], [[f"{d:%Y-%m-%d}", round(400 - 50 * rain[d] + chance.gauss(0, 20), 1)] for d in days]),
        "gauges": (
            ["measured_at", "rain"],
            [
                [f"{day.strftime(form)} {hour}:00", round(3 + rain[day] + chance.gauss(0, 0.2), 2)]
                for day in days
                for hour in (16, 18, 20)
            ],
        ),
    }  # fmt: skip


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %b %Y", "%Y-%m-%d"])
def test_a_day_meets_the_times_of_it(tmp_path: Path, embedder: CachedEmbedder, form: str) -> None:
    with indexed(tmp_path, embedder, _tables(form)) as lake:
        found = augment(lake, BaseSpec("shows", "sold"))
        assert [a.table for a in found.added if a.recommended] == ["gauges"]
        assert found.r2_after > 0.7
        assert found.added[0].coverage == 1.0
