"""Names taken apart, values said otherwise."""

from __future__ import annotations

import pytest

from rewright.lake import names
from rewright.lake.api import Lake
from rewright.lake.catalog.model import Noise
from rewright.lake.foreign import english
from rewright.lake.foreign_words import FURTHER
from rewright.lake.noise.detect import noise_of
from rewright.lake.noise.values import truth
from rewright.lake.resolve.likeness import completed, lexical
from rewright.lake.resolve.values import SURE, ValueMatcher
from rewright.lake.shortened import known


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


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Geburtsdatum", "birth date"),
        ("bestellpositionen", "order item"),
        ("KdNr", "customer number"),
        ("nombre_tienda", "name shop"),
        ("Straße", "straße"),
        ("prix", "prix"),
        ("artist", "artist"),
    ],
)
def test_names_in_other_languages(name: str, told: str) -> None:
    assert names.expanded(name) == told


def test_english_compounds_are_left_alone() -> None:
    for word in ("understatement", "warehouse", "territory", "lagertha", "orthogonal", "monthly"):
        assert english(word) == word


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        (("hg",), ("home", "goals"), True),
        (("hg",), ("home", "team", "goals"), False),
        (("a",), ("area",), False),
    ],
)
def test_initials_of_names(a: tuple[str, ...], b: tuple[str, ...], *, alike: bool) -> None:
    assert (lexical(a, b) >= 0.75) is alike
    assert (lexical(b, a) >= 0.75) is alike


def test_units_of_names() -> None:
    assert names.measure_of("secs") == ("time", 1.0)
    assert names.measure_of("duration_minutes") == ("time", 60.0)


@pytest.mark.parametrize("value", ["12,50", "1.234,50", "1,234.50", "$3.20", "3,5 €"])
def test_formatted_numbers(value: str) -> None:
    assert noise_of([(value, 5), ("7,25" if "," in value else "$7.25", 5)], 10) == (Noise.FORMATTED,)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("gehaelter", "salary"), ("gaeste", "guest"), ("haltestellen", "stop"), ("rotordurchmesser", "rotor diameter"),
        ("nennleistung", "rated power"), ("geburtsort", "birth place"), ("depenses", "expense"), ("encuestados", "respondent"),
        ("fatturato", "revenue"), ("werkgelegenheid", "employment"),
    ],
)  # fmt: skip
def test_words_of_other_languages(word: str, told: str) -> None:
    assert english(word) == told


@pytest.mark.parametrize(
    "word", ["revenue", "altitude", "longitude", "parties", "branches", "eleven", "fallen", "listen"]
)
def test_english_words_stay(word: str) -> None:
    """`revenu`, `altitud`, `eleve` and others are foreign words that look like parts of these."""
    assert english(word) == word


def test_no_foreign_word_is_an_english_one_that_data_are_named_by() -> None:
    foreign = {word for line in FURTHER.split("\n") for word in line.split()[1:]}
    assert not {word for word in foreign if known(word)}
    assert len(foreign) > 2000


def test_a_foreign_word_has_one_meaning() -> None:
    told: dict[str, set[str]] = {}
    for line in FURTHER.strip().split("\n"):
        meaning, *foreign = line.split()
        for word in foreign:
            told.setdefault(word, set()).add(meaning)
    assert {word: meanings for word, meanings in told.items() if len(meanings) > 1} == {}


def test_digits_with_zeros_in_front_are_codes() -> None:
    """`0742` is no number that somebody typed with signs: what it is compared with keeps its zeros."""
    assert noise_of((("0742", 1), ("0763", 1), ("5812", 1)), 3) == ()
    assert noise_of((("$742", 1), ("$0.63", 1), ("$5812", 1)), 3) == (Noise.FORMATTED,)


@pytest.mark.parametrize(
    ("asked", "held", "told"),
    [
        ("acquisition_channel", "acq_src", "acquisition source"),
        ("employment", "emp", None),
        ("release_year", "rel_yr", "release year"),
        ("price", "weight", None),
        ("portable", "port", None),
    ],
)
def test_shortened_words_are_written_out_as_asked(asked: str, held: str, told: str | None) -> None:
    """Where a name has other words beside the shortened ones: those alone are compared by their letters."""
    assert completed(asked, held) == told


@pytest.mark.parametrize(
    ("text", "told"), [("ja", True), ("Sí", True), ("nein", False), ("Não", False), ("jain", None)]
)
def test_truth_values_of_other_languages(text: str, told: bool | None) -> None:
    assert truth(text) is told


@pytest.mark.parametrize(
    ("table", "own"),
    [
        ("box_cntr_mst", "cntr_mst"),
        ("standings_2016", "standings_2016"),
        ("bat_all", "bat_all"),
        ("calls", "calls"),
    ],
)
def test_a_place_before_a_name_is_left_out_where_a_name_is_left(table: str, own: str) -> None:
    assert names.without_place(table)[0] == own
