"""Functions written for a column's values, as expressions over the original table."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from rewright.lake.api import Lake
from rewright.lake.catalog.model import Column, Values
from rewright.lake.noise.sandbox import SandboxError
from rewright.lake.noise.written import can_be_mapped, written_expression

RAW = ["12 kg", "7,5 kg", "it's none", "3kg"]


@pytest.fixture
def town(bakery_lake: Lake) -> Column:
    column = bakery_lake.index.tables["bk_shop"].column("Town")
    assert column is not None
    return column


def values(*raw: str, complete: bool = True) -> Values:
    return Values(tuple((value, 1) for value in raw), complete, np.array([], dtype=np.uint64))


def cleaned(expression: str | None) -> list[object]:
    assert expression is not None
    with duckdb.connect() as connection:
        rows = connection.execute(
            f'SELECT {expression} FROM (SELECT unnest(?) AS "Town")', [[*RAW, "unseen"]]
        ).fetchall()
    return [value for (value,) in rows]


def test_numbers(town: Column) -> None:
    source = "def f(v):\n    return float(re.sub('[^0-9,]', '', v).replace(',', '.'))"
    assert cleaned(written_expression(town, values(*RAW), source)) == [12.0, 7.5, None, 3.0, None]


def test_texts_keep_what_the_function_fails_on(town: Column) -> None:
    source = "def f(v):\n    return v.split('kg')[0].strip() + '\\'s' if 'kg' in v else None"
    assert cleaned(written_expression(town, values(*RAW), source)) == ["12's", "7,5's", "it's none", "3's", "unseen"]  # fmt: skip


def test_truth_values(town: Column) -> None:
    source = "def f(v):\n    return 'kg' in v"
    assert cleaned(written_expression(town, values(*RAW), source)) == [True, True, False, True, None]


def test_what_changes_nothing_is_no_cleaning(town: Column) -> None:
    assert written_expression(town, values(*RAW), "def f(v):\n    return v") is None
    failing = "def f(v):\n    return v[99]"
    assert written_expression(town, values(*RAW), failing) is None


def test_hostile_functions_are_refused(town: Column) -> None:
    for source in ("def f(v):\n    return open(v).read()", "def f(v):\n    while True:\n        pass"):
        with pytest.raises(SandboxError):
            written_expression(town, values(*RAW), source)


def test_only_what_is_known_wholly_is_mapped(town: Column) -> None:
    assert can_be_mapped(town, values(*RAW))
    assert not can_be_mapped(town, values(*RAW, complete=False))
    assert not can_be_mapped(town, values())
    assert not can_be_mapped(town, values(*map(str, range(2000))))
