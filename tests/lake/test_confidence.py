"""Confidence tells what is there from what is not."""

from __future__ import annotations

import pytest

from rewright.lake.api import Lake


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT nope FROM bk_shop",
        "SELECT nope FROM shops",
        "SELECT moon_phase, town FROM shops",
        "SELECT warranty_months FROM pastries",
        "SELECT blood_type, COUNT(*) AS n FROM patients GROUP BY blood_type",
        "SELECT name FROM pastries WHERE allergen = 'peanut'",
    ],
)
def test_what_is_absent_is_not_believed(bakery_lake: Lake, sql: str) -> None:
    assert bakery_lake.query(sql, "resolve").resolution.confidence < 0.7


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT city, opening_year FROM bakery_shops",
        "SELECT pastry_name, SUM(quantity) AS sold FROM pastry_sales GROUP BY pastry_name",
        "SELECT full_name FROM bakers WHERE gender = 'F'",
    ],
)
def test_what_is_there_is_believed(bakery_lake: Lake, sql: str) -> None:
    assert bakery_lake.query(sql, "resolve").resolution.confidence >= 0.7


def test_the_evidence_is_told(bakery_lake: Lake) -> None:
    told = bakery_lake.query("SELECT nope FROM shops", "resolve").resolution.to_json()["evidence"]
    assert told["worst_name"] < 0.5
    assert told["columns"] == pytest.approx(1 / 6, abs=1e-3)
