"""Names taken apart, values said otherwise."""

from __future__ import annotations

import pytest

from lake import names
from lake.api import Lake
from lake.resolve.values import SURE, ValueMatcher


@pytest.mark.parametrize(
    ("word", "by", "found"),
    [
        ("poptotal", ("total", "population"), {"total", "population"}),
        ("percollege", ("college", "percent"), {"college", "percent"}),
        ("libprice", ("library", "price"), {"library", "price"}),
        ("popcorn", ("population", "country"), set()),
        ("weather", ("weight", "other"), set()),
        ("price", ("price",), set()),
    ],
)
def test_words_run_together(word: str, by: tuple[str, ...], found: set[str]) -> None:
    assert set(names.pieces(word, by)) == found


def test_a_qualifier_alone_explains_nothing() -> None:
    assert names.pieces("totalcount", ("price", "total", "count"), needed=("price",)) == ()
    assert set(names.pieces("poptotal", ("population", "total"), needed=("population",))) == {
        "population",
        "total",
    }


def test_skeletons() -> None:
    assert names.skeleton_of("hwy", "highway")
    assert names.skeleton_of("flg", "flag")
    assert names.skeleton_of("nm", "name")
    assert not names.skeleton_of("cat", "category")
    assert not names.skeleton_of("wy", "highway")
    assert not names.skeleton_of("st", "statistics")


@pytest.mark.parametrize(
    ("held", "asked"),
    [
        ("F", "women"), ("M", "male"), ("USA", "United States"), ("UK", "Great Britain"), ("CA", "California"),
        ("CA", "Canada"), ("Q1", "first quarter"), ("10th grade", "grade 10"), ("1st", "first class"), ("carni", "carnivore"),
        ("BLK", "black"), ("Rom-Com", "Romantic Comedy"), ("R&D", "Research and Development"), ("XL", "extra large"),
        ("United States of America", "US"), ("Thur", "Thursday"), ("Beyoncé", "beyonce"),
    ],
)  # fmt: skip
def test_the_same_value_in_other_words(bakery_lake: Lake, held: str, asked: str) -> None:
    matcher = ValueMatcher(bakery_lake.index, semantic=False)
    assert matcher._score(held, asked).score >= SURE


@pytest.mark.parametrize(
    ("held", "asked"),
    [
        ("France", "Germany"),
        ("F", "male"),
        ("Q1", "second quarter"),
        ("red", "green"),
        ("CA", "Texas"),
    ],
)
def test_other_values(bakery_lake: Lake, held: str, asked: str) -> None:
    matcher = ValueMatcher(bakery_lake.index, semantic=False)
    assert matcher._score(held, asked).score < SURE
