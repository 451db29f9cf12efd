"""What went wrong on a forest office's lake at first sight: two plans in one header, names a letter short of
another word, days and kinds that a table calls its own way.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.engines.duckdb.errors import LakeError
from rewright.lake import names
from rewright.lake.api import open_lake
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.resolve.contracted import contracted
from rewright.lake.resolve.dimensions import named_by_unit
from rewright.lake.resolve.likeness import lexical
from rewright.wiring.lake_answers import answered, served
from tests.lake.asking import asked, columns_of, table


def test_each_measure_under_years_is_a_column(tmp_path: Path, embedder: CachedEmbedder) -> None:
    header = "team,plan_2022,plan_2023,plan_2024,spent_2022,spent_2023,spent_2024,left_2023"
    rows = [f"{t},{i},{10 + i},{20 + i},{30 + i},{40 + i},,9" for i, t in enumerate(("red", "blue", "green"))]
    table(tmp_path, "budget", header, rows)
    with open_lake(tmp_path, embedder=embedder) as lake:
        united = lake.index.unions["budget_by_year"]
        assert [c.name for c in united.table.columns] == ["year", "team", "left_2023", "plan", "spent"]
        found = lake.query("SELECT year, plan, spent FROM budget_by_year WHERE team = 'blue' ORDER BY year")
        assert found.rows is not None
        assert found.rows.rows == [(2022, 1, 31), (2023, 11, 41), (2024, 21, None)]


def test_one_letter_is_not_left_out_of_a_word() -> None:
    assert lexical(names.words("hunters"), names.words("harvest_untern")) < 0.5
    assert contracted("pname", ["player", "name"]) == ("player", "name")


def test_a_table_of_a_form_is_about_its_thing() -> None:
    assert names.without_form(names.words("accident_log")) == ("accident",)
    assert names.without_form(names.words("journal")) == ("journal",)


@pytest.mark.parametrize(("wanted", "held"), [("volume", "mc"), ("price_per_m3", "eur_mc"), ("area", "ha")])
def test_a_unit_may_be_a_measures_name(wanted: str, held: str) -> None:
    assert named_by_unit(wanted, held)


@pytest.mark.parametrize(
    ("wanted", "held"), [("volume", "ha"), ("volume", "eur_mc"), ("area", "har"), ("price", "mc")]
)
def test_a_unit_is_not_the_name_of_another_measure(wanted: str, held: str) -> None:
    assert not named_by_unit(wanted, held)


def test_days_kinds_and_names_of_a_table_of_its_own_words(tmp_path: Path, embedder: CachedEmbedder) -> None:
    kinds = ("slip", "cut", "fall")
    rows = [f"{i},2024-0{1 + i % 9}-1{i % 9},{kinds[i % 3]},T{i % 4}" for i in range(40)]
    table(tmp_path, "acc_log", "No,Occurred,What,tr", rows)
    trees = ("spruce,Picea abies", "beech,Fagus sylvatica", "oak,Quercus robur", "pine,Pinus sylvestris")
    table(tmp_path, "tr", "tr,common,scientific", [f"T{i},{tree}" for i, tree in enumerate(trees)])
    table(tmp_path, "tanked", "mid,dat,typ", [f"{i},2023-05-1{i % 9},x{i}" for i in range(40)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        found = asked(lake, "SELECT count(*) AS n FROM accidents WHERE accident_date >= '2024-05-01'")
        assert columns_of(found) == {"accident_date": "acc_log.Occurred"}
        found = asked(lake, "SELECT species_name FROM tree_species")
        assert columns_of(found) == {"species_name": "tr.common"}


def test_what_nothing_fits_is_said_at_any_confidence(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    table(tmp_path / "files", "towns", "town,people", [f"Town {i},{i * 100}" for i in range(30)])
    query = "SELECT town FROM towns WHERE protected = 'yes' AND employed = 'no'"
    with (
        open_lake(tmp_path / "files") as lake,
        served(lake) as dsn,
        pytest.raises(LakeError, match="nothing in the lake fits column"),
    ):
        answered(lake, dsn, query, "resolve", 0.0)


def test_numbers_under_years_of_another_table_are_not_surely_what_is_asked(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    table(
        tmp_path,
        "quota",
        "kind,2021,2022,2023",
        [f"{kind},{i},{i + 1},{i + 2}" for i, kind in enumerate("abcd")],
    )
    table(tmp_path, "towns", "town,people", [f"Town {i},{i * 100}" for i in range(30)])
    query = "SELECT year, SUM(damage) AS damage FROM bark_beetle_damage GROUP BY year ORDER BY year"
    with open_lake(tmp_path, embedder=embedder) as lake:
        assert asked(lake, query).resolution.confidence < 0.7
        same = asked(lake, "SELECT year, SUM(quota) AS quota FROM quotas GROUP BY year ORDER BY year")
        assert same.resolution.confidence >= 0.7
