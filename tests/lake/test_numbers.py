"""Numbers as people write them: read alike in Python and in the SQL that cleans a column."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

from rewright.lake.api import open_lake
from rewright.lake.catalog.model import Column, Family, Noise, Values
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.noise.clean import clean_expression
from rewright.lake.noise.detect import meaning_of, noise_of
from rewright.lake.noise.numbers import notation_of, number_of, one_unit, unit_of
from rewright.lake.resolve.dimensions import dimension_score
from tests.lake.asking import asked, table

COLUMNS: tuple[tuple[str, tuple[str, ...], tuple[float | None, ...]], ...] = (
    ("weight", ("14.0 kg", "9.8 kg", "12 kg"), (14.0, 9.8, 12.0)),
    ("temp", ("21.3 °C", "-4 °C", "5°C"), (21.3, -4.0, 5.0)),
    ("balance", ("(53,465)", "1,200", "(5)", "7"), (-53465, 1200, -5, 7)),
    ("delta", ("120-", "55", "1,000-"), (-120, 55, -1000)),
    ("profit", ("-$991", "$1,234", "$5"), (-991, 1234, 5)),
    ("share", ("0,508", "1,25", "12,345"), (0.508, 1.25, 12.345)),
    ("mixed", ("0.485", "0,488", "12.5"), (0.485, 0.488, 12.5)),
    ("price", ("1.234,50 €", "12,00 €", "1.000 €"), (1234.5, 12.0, 1000.0)),
    ("rate", ("90 %", "5%", "12.5 %"), (0.9, 0.05, 0.125)),
    ("rate_pct", ("90 %", "5%", "12.5 %"), (90, 5, 12.5)),
    ("turnout", ("84.24 %", "59.8", "88.47"), (84.24, 59.8, 88.47)),
    ("people", ("1 234", "12 000 000", "5"), (1234, 12000000, 5)),
    ("score", ("n/a", "5", "1,000", "7 pts"), (None, 5, 1000, 7)),
    ("speed", ("5 km/h", "7 km/h", "9 km/h"), (5, 7, 9)),
)


def column_of(name: str, texts: tuple[str, ...]) -> tuple[Column, Values]:
    counts = tuple((text, 3) for text in texts)
    noise = noise_of(counts, 3 * len(texts))
    column = Column(
        "t", name, 0, "VARCHAR", Family.TEXT, meaning_of(Family.TEXT, noise), 3 * len(texts), 0, len(texts), None, None, texts, noise
    )  # fmt: skip
    return column, Values(counts, complete=True, sketch=np.zeros(0, dtype=np.uint64))


@pytest.mark.parametrize(("name", "texts", "numbers"), COLUMNS, ids=[c[0] for c in COLUMNS])
def test_a_column_is_read_alike_by_python_and_sql(
    name: str, texts: tuple[str, ...], numbers: tuple[float | None, ...]
) -> None:
    column, values = column_of(name, texts)
    notation = notation_of(name, values.counts)
    assert tuple(number_of(text, notation) for text in texts) == pytest.approx(numbers)
    expression = clean_expression(column, values)
    with duckdb.connect() as db:
        db.execute(f'CREATE TABLE t AS SELECT unnest(?) AS "{name}"', [list(texts)])
        assert tuple(row[0] for row in db.execute(f"SELECT {expression} FROM t").fetchall()) == pytest.approx(
            numbers
        )


@pytest.mark.parametrize(
    "texts",
    [
        ("12 Main St", "4 High St", "7 Mill Lane", "8 Old Rd"),
        ("1896 Summer", "1994 Winter", "1900 Summer"),
        ("1st", "2nd", "3rd"),
        ("G01", "G02", "A10"),
        ("1.2.3", "1.3.0", "2.0.1"),
        ("10.0.0.1", "10.2.3.4", "10.0.9.9"),
        ("5 km", "300 m", "2 km"),
    ],
)
def test_texts_that_begin_with_a_number_are_none(texts: tuple[str, ...]) -> None:
    column, _ = column_of("text", texts)
    assert not {Noise.NUMBERS, Noise.FORMATTED} & set(column.noise)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("90 min", "min"), ("$186.00", "$"), ("-$9", "$"), ("18.9 °C", "°c"), ("68 %", "%"), ("1.234,50 EUR", "eur"),
        ("US$ 5", "us$"), ("USD 7", "usd"), ("5 km/h", "km/h"), ("12", ""), ("(5)", ""), ("Main St", ""),
    ],
)  # fmt: skip
def test_the_unit_a_number_is_written_with(text: str, unit: str) -> None:
    assert unit_of(text) == unit


@pytest.mark.parametrize(
    ("asked", "texts", "fits"),
    [
        ("duration_minutes", ("90 min", "75 min", "102 min"), 1),
        ("running_time", ("1 h", "2 h", "3 h"), 1),
        ("weight", ("90 min", "75 min", "102 min"), -1),
        ("unit_price", ("$1.50", "$2.00", "$9.99"), 1),
        ("population", ("$1.50", "$2.00", "$9.99"), 0),
        ("weight", ("3", "4", "5"), 0),
    ],
)
def test_a_column_holds_what_its_values_are_written_in(asked: str, texts: tuple[str, ...], fits: int) -> None:
    """`rt` says nothing; `90 min` in it says that it is a duration."""
    column, _ = column_of("rt", texts)
    assert np.sign(dimension_score(asked, column)) == fits


@pytest.mark.parametrize(
    ("text", "number"), [("04.10.2013", None), ("1.234.567", 1234567), ("1,23,456", 123456), ("1.2.3", None)]
)
def test_a_day_is_no_number_in_groups(text: str, number: float | None) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("texts", "meaning"),
    [
        (("04.10.2013", "02.08.2009", "13.03.2017"), Family.DATE),
        (("2013-10-04", "2009-08-02", "2017-03-13"), Family.TEXT),
    ],
)
def test_days_that_are_all_written_in_one_way_are_days(texts: tuple[str, ...], meaning: Family) -> None:
    """As in a workbook or a database, whose texts nobody else reads as days; ISO's sort as they stand."""
    assert meaning_of(Family.TEXT, noise_of([(text, 1) for text in texts], len(texts))) is meaning


@pytest.mark.parametrize(
    "units", [{"m", "mm"}, {"m", "min"}, {"m", "ms"}, {"g", "gb"}, {"l", "lb"}, {"kw", "kwh"}]
)
def test_signs_of_other_units_are_not_one(units: set[str]) -> None:
    assert not one_unit(units)


@pytest.mark.parametrize(
    "units", [{"d", "day", "days"}, {"h", "hr", "hrs", "hours"}, {"kg", "kg."}, {"m", "meters"}, {"", "km"}]
)
def test_forms_of_one_unit_are(units: set[str]) -> None:
    assert one_unit(units)


@pytest.mark.parametrize(
    ("texts", "total"),
    [
        (("USD 5", "USD -7", "USD 12", "USD 3", "USD -20", "USD 8", "USD 9", "USD 10"), 20),
        (("€ 5", "€ −7", "€ 12", "€ 3", "€ −20", "€ 8", "€ 9", "€ 10"), 20),
        (("5", "(7)", "12", "3", "(20)", "8", "9", "10"), 20),
    ],
)
def test_signs_behind_the_money_are_read(
    texts: tuple[str, ...], total: int, tmp_path: Path, embedder: CachedEmbedder
) -> None:
    table(tmp_path, "accounts", "account_id,balance", [f"{i},{text}" for i, text in enumerate(texts)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        found = asked(lake, "SELECT sum(balance) AS total FROM accounts")
        assert found.rows is not None
        assert [int(row[0]) for row in found.rows.rows] == [total]
