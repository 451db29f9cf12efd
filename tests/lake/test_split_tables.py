"""Tables split in two, and tables of classes that there are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from rewright.lake.api import Lake

_ROWS = 40


def write_lake(folder: Path) -> None:
    kinds = ["maple", "birch", "", "oak"]
    first = [f"{500 + i},2024-{i % 12 + 1:02d}-03,{kinds[i % 4]}" for i in range(_ROWS)]
    second = [f"{500 + i},{i * 7 % 31},{i % 5}" for i in range(_ROWS)]
    other = [f"{500 + i},{i}" for i in range(_ROWS)]
    (folder / "plantings.csv").write_text("\n".join(["plnt_no,date,species", *first]) + "\n")
    (folder / "plantings_detail.csv").write_text("\n".join(["plnt_no,total_volume,gap", *second]) + "\n")
    (folder / "lamps.csv").write_text("\n".join(["plnt_no,volt", *other]) + "\n")
    (folder / "regions.csv").write_text("code,region_name\n1,North\n2,South\n3,East\n")
    people = ["id,area", *(f"{i},{name}" for i, name in enumerate(["Europe", "Northern Europe", "Asia"] * 5))]
    (folder / "people.csv").write_text("\n".join(people) + "\n")


def rows(lake: Lake, sql: str) -> list[tuple[Any, ...]]:
    answer = lake.query(sql, "resolve")
    assert answer.rows is not None
    return answer.rows.rows


def test_halves_have_a_key_and_the_beginning_of_their_names_in_common(lake: Lake) -> None:
    assert set(lake.index.halves) == {"plantings", "plantings_detail"}
    x, y = lake.index.halves["plantings"]["plantings_detail"]
    assert (x.key, y.key) == (("plantings", "plnt_no"), ("plantings_detail", "plnt_no"))


def test_a_table_that_is_only_looked_at_has_its_halves(lake: Lake) -> None:
    known = lake.index.halves
    detail = lake.index.tables["plantings_detail"]
    columns = tuple(replace(column, table="plantings_notes") for column in detail.columns)
    values = {column.name: lake.index.values(column) for column in detail.columns}
    seen = lake.index.with_table(replace(detail, name="plantings_notes", columns=columns), values)
    assert set(seen.halves["plantings"]) == {"plantings_detail", "plantings_notes"}
    assert lake.index.halves is known
    assert set(known["plantings"]) == {"plantings_detail"}


def test_columns_of_both_halves(lake: Lake) -> None:
    told = rows(lake, "SELECT SUM(units) AS n FROM tree_plantings WHERE tree_species = 'oak'")
    assert told == rows(
        lake,
        "SELECT SUM(total_volume) AS n FROM plantings JOIN plantings_detail USING (plnt_no) WHERE species = 'oak'",
    )


def test_an_inner_join_with_a_missing_table_of_classes_leaves_out_rows_without_one(lake: Lake) -> None:
    written = "SELECT s.name AS species, COUNT(*) AS n FROM plantings p {} JOIN species s ON p.species_id = s.id GROUP BY s.name"
    assert {kind for kind, _ in rows(lake, written.format(""))} == {"maple", "birch", "oak"}
    assert {kind for kind, _ in rows(lake, written.format("LEFT"))} == {"maple", "birch", "oak", None}


def test_a_class_in_the_other_half_leaves_out_rows_without_one_too(lake: Lake) -> None:
    sql = (
        "SELECT d.name AS tree, SUM(f.volume) AS total FROM plantings_detail f "
        "JOIN species d ON f.species_id = d.id GROUP BY d.name"
    )
    assert {row[0] for row in rows(lake, sql)} == {"maple", "birch", "oak"}


def test_the_value_itself_is_meant_not_one_that_contains_it(lake: Lake) -> None:
    assert rows(lake, "SELECT COUNT(*) AS n FROM persons WHERE world_area = 'europe'") == [(5,)]
