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
from tests.lake.asking import asked, columns_of, rows_of, table

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
        (2021, "Station,Measured on,Level in cm,Observer"),
        *((y, "St,Day,cm") for y in (2022, 2023, 2024)),
    ):
        # with a column more it is not known which is which
        more = ",Ada" if year == 2021 else ""
        rows = [f"S{i % 4},{year}-0{1 + i % 9}-11,{100 + i}{more}" for i in range(20)]
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
    assert "nothing says which rows of invoices are overdue" in some.resolution.doubts


def test_a_table_may_be_called_by_the_state_of_its_rows(tmp_path: Path, embedder: CachedEmbedder) -> None:
    table(tmp_path, "sales", "item,price", [f"Item {i % 9},{5 + i % 7}" for i in range(40)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(lake, "SELECT item, SUM(price) AS total FROM sold_items GROUP BY item")
    assert not answer.resolution.doubts


def test_a_label_of_another_name_is_not_what_a_few_codes_stand_for(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    """The states of cases are A, B and C, and so are three of the grades of paper."""
    cases = [f"{1000 + i},{'ABC'[i % 3]},2024-01-{1 + i % 28:02d}" for i in range(120)]
    table(tmp_path, "cases", "case_id,state,opened", cases)
    table(tmp_path, "paper_grades", "grade,grade_name", ["A,fine", "B,medium", "C,coarse", "D,rough"])
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(lake, "SELECT case_id, state_name FROM cases")
    assert columns_of(answer)["state_name"] == "cases.state"


@pytest.mark.parametrize(
    ("column", "codes", "sure"),
    [
        ("state", "ABC", False),
        ("status", "ABC", False),
        # called as its table
        ("region", "ABC", True),
        # all of a longer list
        ("status", "ABCDEF", True),
    ],
)
def test_a_few_codes_that_agree_by_chance_are_not_told_surely(
    tmp_path: Path, embedder: CachedEmbedder, column: str, codes: str, *, sure: bool
) -> None:
    people = [f"{i + 500},Cust {i},{codes[i % len(codes)]},Town {i % 9}" for i in range(90)]
    table(tmp_path, "customers", f"cust_no,name,{column},city", people)
    listed = ["A,Alba", "B,Bern", "C,Cork", "D,Dorn", "E,Enns", "F,Faro"]
    table(tmp_path, "regions", "code,name", listed[: max(4, len(codes))])
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(lake, f"SELECT name, city, {column}_name FROM customers")
    assert columns_of(answer)[f"{column}_name"] == "regions.name"
    assert (answer.resolution.confidence > 0.6) is sure


def test_what_codes_stand_for_is_called_as_they_are(tmp_path: Path, embedder: CachedEmbedder) -> None:
    people = [f"{500 + i},Cust {i},{['CA', 'NV', 'OR'][i % 3]}" for i in range(60)]
    table(tmp_path, "customers", "cust_no,name,state", people)
    table(tmp_path, "ship_zones", "zone,zone_label", ["CA,Canada", "NV,Nova", "OR,Orient"])
    table(tmp_path, "us_codes", "code,descr", ["CA,California", "NV,Nevada", "OR,Oregon", "OH,Ohio"])
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(lake, "SELECT state_name, COUNT(*) AS n FROM customers GROUP BY state_name")
    assert columns_of(answer)["state_name"] == "us_codes.descr"
