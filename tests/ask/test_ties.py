"""`FETCH FIRST … WITH TIES` on a lake, whose engine lacks it."""

from __future__ import annotations

import duckdb
import pytest

from rewright.ask.sources.ties import places_for_ties


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select name from kiln order by heat desc nulls last fetch first 1 rows with ties", {"a", "b"}),
        ("select name from kiln order by heat desc nulls last offset 2 fetch first 1 rows with ties", {"c"}),
        ("select name, heat from kiln order by heat fetch first 1 rows with ties", {"d"}),
        ("select k.name, k.name from kiln k order by k.heat fetch first 2 rows with ties", {"c", "d"}),
        (
            "select town from kiln group by town order by count(*) desc fetch first 1 rows with ties",
            {"Bow", "Chelsea"},
        ),
        (
            "select town, max(heat) as top from kiln group by town order by 2 desc fetch first 1 rows with ties",
            {"Bow"},
        ),
        (
            "select town, -max(heat) as heat from kiln group by town order by heat fetch first 1 rows with ties",
            {"Bow"},
        ),
    ],
)
def test_rows_that_tie_are_kept(sql: str, rows: set[str]) -> None:
    with duckdb.connect() as database:
        database.execute("create table kiln (name text, town text, heat int)")
        database.execute(
            "insert into kiln values ('a','Bow',9),('b','Bow',9),('c','Chelsea',7),('d','Chelsea',5)"
        )
        found = database.execute(places_for_ties(sql)).fetchall()
    assert {row[0] for row in found} == rows


@pytest.mark.parametrize(
    ("bounds", "rows"),
    [
        ("fetch first 2 rows with ties", [1, 1]),
        ("offset 1 fetch first 1 rows with ties", [1]),
        # as PostgreSQL skips rows, not values
        ("offset 1 fetch first 2 rows with ties", [1, 2, 2]),
        ("offset 2 fetch first 1 rows with ties", [2, 2]),
        ("offset 2 fetch first 2 rows with ties", [2, 2]),
        ("offset 9 fetch first 2 rows with ties", []),
    ],
)
def test_an_offset_skips_rows(bounds: str, rows: list[int]) -> None:
    with duckdb.connect() as database:
        database.execute("create table kiln as select unnest([3, 1, 2, 1, 2]) as heat")
        found = database.execute(places_for_ties(f"select heat from kiln order by heat {bounds}")).fetchall()
    assert [row[0] for row in found] == rows


@pytest.mark.parametrize(
    "sql",
    [
        "select name from kiln order by heat limit 3",
        "select distinct heat from kiln order by heat desc limit 1",
        "select count(*) from kiln",
        "select * from kiln order by heat fetch first 1 rows with ties",
        "select name from kiln union select town from kiln order by 1 fetch first 2 rows with ties",
        "values (1), (2) order by 1 fetch first 1 rows with ties",
    ],
)
def test_what_has_no_ties_stays(sql: str) -> None:
    assert places_for_ties(sql) == sql
