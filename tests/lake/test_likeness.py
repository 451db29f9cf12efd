"""Two names by their words: synonyms, heads and qualifiers, runs of shortened words."""

from __future__ import annotations

import pytest

from rewright.lake import names
from rewright.lake.resolve.contracted import contracted
from rewright.lake.resolve.likeness import lexical
from rewright.lake.synonyms import NEAR, SAME, Synonyms


def alike(asked: str, held: str) -> float:
    return lexical(names.words(asked), names.words(held))


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("wage_paid", "salary", "age"),
        ("number_of_makers", "manufacturers", "number_of_doors"),
        ("stock_symbol", "Ticker", "stock"),
        ("seat_of_government", "capital_city", "seat"),
        ("city_population", "pop", "city_name"),
        ("bean_owner", "owne", "farm_name"),
        ("growing_nation", "cntry_of_orig", "farm_name"),
        ("unemployment_1975", "unem75", "unem74"),
        ("father_s_education", "feduc", "educ"),
        ("natural_log_of_sales", "lsales", "sales"),
        ("music_style", "genre", "music"),
        ("time_in_air", "air_time", "time"),
    ],
)
def test_the_right_name_is_more_alike(asked: str, right: str, wrong: str) -> None:
    assert alike(asked, right) > alike(asked, wrong) + 0.05


@pytest.mark.parametrize(("a", "b"), [("wage", "salary"), ("home_club", "home_team"), ("price", "price")])
def test_likeness_is_the_same_both_ways(a: str, b: str) -> None:
    assert alike(a, b) == pytest.approx(alike(b, a))
    assert alike(a, b) >= SAME - 1e-9


def test_what_shares_nothing_is_not_alike() -> None:
    assert alike("binding", "altitude") == 0.0
    assert alike("contests", "contestants") < alike("contests", "competitions")


@pytest.mark.parametrize(
    ("run", "by", "made_of"),
    [
        ("feduc", ("father", "education"), ("father", "education")),
        ("exppp", ("expenditure", "per", "pupil"), ("expenditure", "per", "pupil")),
        ("annhr", ("annual", "hour", "worked"), ("annual", "hour")),
        ("sprdcvr", ("spread", "covered"), ("spread", "covered")),
        ("stage", ("student", "age"), ()),  # a word of its own
        ("feduc", ("education", "father"), ()),  # out of order
        ("hg", ("home", "goal"), ()),  # first letters alone are initials
        ("xeduc", ("father", "education"), ()),
    ],
)
def test_runs_of_shortened_words(run: str, by: tuple[str, ...], made_of: tuple[str, ...]) -> None:
    assert contracted(run, by) == made_of


def test_a_long_run_is_read_in_no_time() -> None:
    assert contracted("a" * 14, tuple("a" * n for n in range(14, 2, -1))) != ("a",)


def test_synonyms_go_both_ways_and_the_nearer_counts() -> None:
    synonyms = Synonyms(str.split)
    assert synonyms.of(("wage",))["salary",] == synonyms.of(("salary",))["wage",] == SAME
    assert synonyms.of(("income",))["wage",] == NEAR
    assert not synonyms.of(("no such word",))
