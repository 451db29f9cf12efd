"""What went wrong on a water board's lake at first sight: clients as of a month beside those of today, grouped
digits with a unit, a status that is a digit, German compounds, a year's file that is written otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.lake import names
from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.noise.numbers import notation_of
from tests.lake.asking import asked, rows_of, table

_STATES = ("open", "paid", "reminded", "annulled")


@pytest.fixture
def works(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    """A brick works: members in two regions, waste, invoices, and levels of its pond by year."""
    members = {
        region: [f"{90_000 + 7 * i + start},Member {start + i},Town {i % 4}" for i in range(30)]
        for region, start in (("west", 0), ("east", 500))
    }
    for region, rows in members.items():
        table(tmp_path, f"members_{region}", "MNo,Name,Town", rows)
    older = [row.replace("Town 1", "Town 3") for row in members["west"][:25]]
    table(tmp_path, "members_west_Stand2021-06", "MNo,Name,Town", older)
    waste = [f"{i},Kiln {i % 3},{_grouped(310 + i * 97)} kg" for i in range(40)]
    table(tmp_path, "waste", "no,kiln,broken", waste)
    invoices = [
        {"inv": 7000 + i, "mno": 90_000 + 7 * (i % 30), "net": 100 + i, "stat": str(1 + i % 4)}
        for i in range(80)
    ]
    (tmp_path / "invoices.json").write_text(json.dumps(invoices))
    codes = [f"Status,{i},{state}" for i, state in enumerate(_STATES, 1)]
    table(tmp_path, "codes", "Field,Code,Meaning", [*codes, "Kind,A,brick", "Kind,B,tile", "Kind,C,slab"])
    (tmp_path / "pond").mkdir()
    for year, head in (
        (2021, "Station,Measured on,Level in cm"),
        *((y, "St,Day,cm") for y in (2022, 2023, 2024)),
    ):
        rows = [f"S{i % 4},{year}-0{1 + i % 9}-11,{100 + i}" for i in range(20)]
        table(tmp_path / "pond", f"pond_{year}", head, rows)
    with open_lake(tmp_path, embedder=embedder) as lake:
        yield lake


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", ".")


def test_a_state_of_a_month_is_no_part(works: Lake) -> None:
    answer = asked(works, "SELECT town, COUNT(*) AS n FROM members GROUP BY town ORDER BY town")
    assert sum(n for _, n in rows_of(answer)) == 60


def test_points_group_where_whole_numbers_stand_beside_them(works: Lake) -> None:
    answer = asked(works, "SELECT SUM(broken_kg) AS broken FROM waste")
    assert rows_of(answer) == [(sum(310 + i * 97 for i in range(40)),)]


@pytest.mark.parametrize(
    ("values", "grouped"),
    [
        ("960 kg|2.327 kg|1.525 kg|1.840 kg", True),
        # all of three digits behind the point, and none without one: grams, for all anybody knows
        ("2.327 kg|1.525 kg|1.840 kg", False),
        ("960 kg|2.327 kg|1.525 kg|1.84 kg", False),
        ("9600 kg|2.327 kg|1.525 kg|1.840 kg", False),
    ],
)
def test_what_a_column_says_of_its_points(values: str, *, grouped: bool) -> None:
    assert notation_of("mass", [(value, 1) for value in values.split("|")]).dot_groups is grouped


def test_a_status_that_is_a_digit_is_found_by_its_word(works: Lake) -> None:
    answer = asked(works, "SELECT COUNT(*) AS n FROM invoices WHERE invoice_status = 'reminded'")
    assert rows_of(answer) == [(20,)]
    assert answer.resolution.confidence >= 0.7


def test_compounds_end_in_words_of_both_languages() -> None:
    assert names.words("rechnungsstatus") == ("invoice", "status")
    assert names.words("artikelname") == ("article", "name")
    assert names.words("personalnummer") == ("staff", "number")


@pytest.mark.parametrize(
    ("condition", "sure"),
    [
        ("", False),
        ("WHERE year IN (2021, 2022)", False),
        ("WHERE year >= 2020", False),
        ("WHERE year = 2022", True),
    ],
)
def test_a_year_that_is_written_otherwise_is_a_doubt(works: Lake, condition: str, *, sure: bool) -> None:
    answer = asked(works, f"SELECT COUNT(*) AS n, MAX(cm) AS highest FROM pond {condition}")
    assert (answer.resolution.confidence >= 0.7) is sure


def test_rows_of_a_state_need_a_condition_that_says_it(works: Lake) -> None:
    every = asked(works, "SELECT mno, net FROM invoices")
    some = asked(works, "SELECT mno, net FROM overdue_invoices")
    assert every.resolution.confidence >= 0.7 > some.resolution.confidence
