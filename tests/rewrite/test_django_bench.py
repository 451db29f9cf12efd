"""The benchmark of the report in Django: what it compares with is the same query, and differing rows are told."""

from __future__ import annotations

import psycopg
import pytest

from bench.django_bench import BY_HAND, INDEXES, REPORT, same_rows, told
from bench.unseen_data import databases


@pytest.mark.server
def test_the_query_by_hand_gives_the_reports_rows() -> None:
    with (
        databases(0.02, schemas=("shop",)) as dsns,
        psycopg.connect(dsns["shop"], autocommit=True) as connection,
    ):
        connection.execute(INDEXES)
        rows = connection.execute(REPORT.encode()).fetchall()
        expected = connection.execute(BY_HAND).fetchall()
    assert len(rows) > 100
    assert same_rows(rows, expected)
    assert not same_rows(rows[1:], expected)


def test_what_is_told() -> None:
    found = {
        "before_seconds": 60.1, "stopped": True, "found": True, "waited_seconds": 9.0, "verdict": "proved",
        "after_seconds": [0.3, 0.1, 0.2], "after_right": True, "rows": 4088, "relies_on": [],
    }  # fmt: skip
    assert told(found).splitlines() == [
        "original: stopped after 60.1 s",
        "served: 0.200 s, median of 3; proved",
        "there after 9 s",
        "the same 4,088 rows: True",
        "relies on: nothing",
    ]
    assert told(found | {"found": False}) == "original: stopped after 60.1 s; nothing was found in 9 s"
