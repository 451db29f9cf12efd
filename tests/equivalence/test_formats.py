"""Periods named by dates as `to_char` writes them."""

from __future__ import annotations

from datetime import datetime

import pytest

from rewright.equivalence.laws.formats import named_period


@pytest.mark.parametrize(
    ("form", "text", "first", "after"),
    [
        ("YYYY", "2024", "2024-01-01", "2025-01-01"),
        ("YYYY-MM", "2024-12", "2024-12-01", "2025-01-01"),
        ("YYYYMM", "202402", "2024-02-01", "2024-03-01"),
        ("DD.MM.YYYY", "29.02.2024", "2024-02-29", "2024-03-01"),
    ],
)
def test_a_period_is_read(form: str, text: str, first: str, after: str) -> None:
    assert named_period(form, text) == (datetime.fromisoformat(first), datetime.fromisoformat(after))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("YYYY-MM", "2024-13"),
        ("YYYY-MM", "2024-2"),
        ("YYYY-MM", "0024-02"),
        ("YYYY-DD", "2024-02"),
        ("YYYY-MM-MM", "2024-02-02"),
        ("YYYY Mon", "2024 Feb"),
        ("FMYYYY", "2024"),
        ("YYYY-MM-DD", "2023-02-29"),
    ],
)
def test_what_names_no_single_period_is_not_read(form: str, text: str) -> None:
    assert named_period(form, text) is None
