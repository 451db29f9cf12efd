"""What went wrong on a zoo's lake at first sight: units in names, sums of whole numbers, days in digits, keys that
say what a table holds, and answers told surely for which no name spoke.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.lake import names
from rewright.lake.api import Lake, open_lake
from rewright.lake.catalog.model import Family
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.resolve.dimensions import asks_money
from rewright.lake.resolve.likeness import head_of, lexical
from tests.lake.asking import asked, columns_of, table


@pytest.mark.parametrize(
    ("wanted", "held"), [("amount", "amount_eur"), ("cost", "cost_chf"), ("total_cost", "cost_usd")]
)
def test_a_unit_of_money_is_no_word_of_a_name(wanted: str, held: str) -> None:
    assert lexical(names.words(wanted), names.words(held)) > 0.8
    assert head_of(names.words(held)) in names.words(wanted)


def test_a_unit_alone_is_a_name() -> None:
    assert lexical(("euro",), ("euro",)) == 1.0
    assert lexical(("amount",), ("euro",)) == 0.0


def test_money_is_told_from_other_amounts() -> None:
    assert asks_money("turnover")
    assert asks_money("total_price")
    assert not asks_money("amount")
    assert not asks_money("weight")


@pytest.fixture
def office(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    """A shop's tills, its cases with days in digits, and transfers that another language names."""
    tills = [f"{1 + i % 4},2024-03-{1 + i % 28:02d},{100 + 7.35 * i:.2f},{20 + i % 31}" for i in range(80)]
    table(tmp_path, "pos", "shop_no,biz_date,gross_eur,n_receipts", tills)
    cases = [
        f"K{i},{2023 + i % 2}{1 + i % 12:02d}{1 + i % 28:02d},{i % 3},{i % 5},{i % 7}" for i in range(60)
    ]
    table(tmp_path, "vorgang", "case_no,dt,art_nr,n_m,n_f", cases)
    staff = [f"{i},Name{chr(65 + i)},{1 + i:02d}-05-20{10 + i}" for i in range(12)]
    table(tmp_path, "pers", "persnr,achternaam,in_dienst", staff)
    log = [f"{i},{i % 12},{1 + i % 28:02d}-03-2024" for i in range(50)]
    table(tmp_path, "meldingen", "melding,persnr,datum", log)
    with open_lake(tmp_path, embedder=embedder) as lake:
        yield lake


def test_what_is_rounded_to_fractions_is_no_count(office: Lake) -> None:
    found = columns_of(asked(office, "SELECT round(sum(turnover), 2) AS turnover FROM pos"))
    assert found["turnover"] == "pos.gross_eur"


def test_whole_numbers_may_be_days(office: Lake) -> None:
    column = office.index.tables["vorgang"].column("dt")
    assert column is not None
    assert (column.family, column.meaning) == (Family.INTEGER, Family.DATE)
    answer = asked(office, "SELECT count(*) FROM cases WHERE case_date BETWEEN '2023-01-01' AND '2023-12-31'")
    assert answer.rows is not None
    assert answer.rows.rows == [(30,)]


def test_days_in_digits_are_compared_as_they_stand_where_they_are_so_asked(office: Lake) -> None:
    assert office.query("SELECT count(*) FROM vorgang WHERE dt < 20240101").rows.rows == [(30,)]
    answer = asked(office, "SELECT count(*) FROM cases WHERE case_date < 20240101")
    assert answer.rows is not None
    assert answer.rows.rows == [(30,)]


def test_few_numbers_are_no_days(tmp_path: Path, embedder: CachedEmbedder) -> None:
    table(tmp_path, "parts", "part,weight", [f"2023010{i},{i}" for i in range(1, 5)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        assert [c.meaning for c in lake.index.tables["parts"].columns] == [Family.INTEGER, Family.INTEGER]


def test_a_table_is_called_as_its_key(office: Lake) -> None:
    answer = asked(office, "SELECT count(*) FROM cases")
    assert '"vorgang"' in answer.resolution.sql


def test_letters_count_what_begins_with_them(office: Lake) -> None:
    found = columns_of(asked(office, "SELECT sum(males) AS males, sum(females) AS females FROM cases"))
    assert (found["males"], found["females"]) == ("vorgang.n_m", "vorgang.n_f")


def test_keys_are_not_added_up(tmp_path: Path, embedder: CachedEmbedder) -> None:
    for year in (2022, 2023):
        rows = [f"{year % 10 * 40 + i},{i % 5},{12 + i % 40}" for i in range(30)]
        table(tmp_path, f"visitas_{year}", "id_visita,id_colegio,ninos", rows)
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(
            lake, "SELECT year, sum(visitors) AS visitors FROM attendance GROUP BY year ORDER BY year"
        )
        assert columns_of(answer)["visitors"].endswith(".ninos") or answer.resolution.confidence < 0.7
        assert columns_of(asked(lake, "SELECT count(visit_id) AS n FROM visits"))["visit_id"].endswith(
            ".id_visita"
        )


def test_a_tables_only_day_is_the_one(office: Lake) -> None:
    answer = asked(office, "SELECT last_name, hire_date FROM employees ORDER BY hire_date LIMIT 1")
    assert columns_of(answer)["hire_date"] == "pers.in_dienst"


def test_signs_are_findings(tmp_path: Path, embedder: CachedEmbedder) -> None:
    table(tmp_path, "samples", "sample,result", [f"S{i},{'+' if i % 3 else '-'}" for i in range(30)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(lake, "SELECT count(*) FROM samples WHERE result = 'positive'")
        assert answer.rows is not None
        assert answer.rows.rows == [(20,)]
        answer = asked(lake, "SELECT count(*) FROM samples WHERE result = 'neg'")
        assert answer.rows is not None
        assert answer.rows.rows == [(10,)]


def test_who_writes_a_columns_name_means_it(tmp_path: Path, embedder: CachedEmbedder) -> None:
    table(tmp_path, "tanks", "tank,tank_name", ["B1,Reef", "B2,Lagoon", "B3,Cave", "B4,Amazon"])
    table(
        tmp_path,
        "readings",
        "tank,day,oxygen",
        [f"B{1 + i % 4},2024-01-{1 + i % 28:02d},{60 + i % 9}" for i in range(80)],
    )
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(
            lake,
            "SELECT tank, count(*) FROM water_readings WHERE oxygen_level < 64 GROUP BY tank ORDER BY tank",
        )
        assert answer.rows is not None
        assert [row[0] for row in answer.rows.rows] == ["B1", "B2", "B3", "B4"]


def test_a_tables_state_of_a_year_is_no_other_table(tmp_path: Path, embedder: CachedEmbedder) -> None:
    rows = [f"{1000 + 7 * i},N{i},{10 + i}" for i in range(60)]
    table(tmp_path, "stock", "ano,call_name,weight", rows)
    table(tmp_path, "stock_2019", "ano,call_name,weight", [f"{1000 + 7 * i},N{i},{5 + i}" for i in range(40)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        assert lake.index.copies == {"stock_2019": "stock"}
        assert '"stock"' in asked(lake, "SELECT avg(weight) FROM animal_stock").resolution.sql
        assert '"stock_2019"' in asked(lake, "SELECT avg(weight) FROM animal_stock_2019").resolution.sql


@pytest.mark.parametrize(
    "query",
    [
        "SELECT s.section_name, k.last_name FROM sections s JOIN keepers k ON s.head_id = k.keeper_id",
        "SELECT z.zoo_name, count(*) AS sent FROM transfers t JOIN zoos z ON t.from_zoo_id = z.zoo_id GROUP BY z.zoo_name",
    ],
)
def test_names_of_anything_are_not_told_surely(query: str, tmp_path: Path, embedder: CachedEmbedder) -> None:
    table(tmp_path, "prg", "prg,title,sp", [f"P{i},Title {i},S{i}" for i in range(6)])
    table(tmp_path, "tax", "sp,name", [f"S{i},kind {i}" for i in range(6)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        assert asked(lake, query).resolution.confidence < 0.7


def test_of_a_folder_not_a_part_alone(tmp_path: Path, embedder: CachedEmbedder) -> None:
    for place in ("north", "south"):
        (tmp_path / "orders").mkdir(exist_ok=True)
        more = ",discount" if place == "south" else ""
        rows = "".join(f"{i},C{i},{i}{',1' if more else ''}\n" for i in range(20))
        (tmp_path / "orders" / f"{place}.csv").write_text(f"no,customer,total{more}\n{rows}")
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(lake, "SELECT sum(total) FROM orders")
        whole = answer.rows is not None and answer.rows.rows == [(380,)]
        assert whole or answer.resolution.confidence < 0.7
