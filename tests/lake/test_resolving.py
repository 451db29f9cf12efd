"""Queries over imagined schemas and the answers they must get."""

from __future__ import annotations

from typing import Any

import pytest

from rewright.engines.duckdb.errors import LakeError, NotResolved
from rewright.lake import names
from rewright.lake.api import Lake
from rewright.lake.resolve.likeness import head_of


def rows(lake: Lake, sql: str) -> list[tuple[Any, ...]]:
    answer = lake.query(sql, "resolve")
    assert answer.rows is not None, answer.resolution
    return answer.rows.rows


def test_what_binds_is_answered_as_written(bakery_lake: Lake) -> None:
    answer = bakery_lake.query("SELECT count(*) AS n FROM bk_shop")
    assert answer.resolution.kind == "bound"
    assert answer.rows is not None
    assert answer.rows.rows == [(8,)]


def test_renamed_table_and_columns(bakery_lake: Lake) -> None:
    found = rows(
        bakery_lake,
        "SELECT city, opening_year FROM bakery_shops WHERE opening_year > 1990 ORDER BY opening_year",
    )
    assert found == [("Eastlow", 1992), ("Farrowgate", 1995), ("Glenholt", 1998), ("Hartswell", 2001)]


def test_the_clients_column_names_are_kept(bakery_lake: Lake) -> None:
    answer = bakery_lake.query("SELECT city, opening_year FROM bakery_shops", "resolve")
    assert answer.rows is not None
    assert answer.rows.columns == ("city", "opening_year")


@pytest.mark.parametrize("name", [" ", "   ", "%", "___"])
def test_a_name_without_words_means_nothing(bakery_lake: Lake, name: str) -> None:
    with pytest.raises((NotResolved, LakeError)):
        bakery_lake.query(f'SELECT city, "{name}" FROM bakery_shops', "resolve")


@pytest.mark.parametrize("name", ["", " ", "___"])
def test_a_name_without_words_has_neither_head_nor_unit(name: str) -> None:
    assert head_of(names.words(name)) == ("___" if name == "___" else "")
    assert names.measure_of(name) is None
    assert names.without_unit(name) == ""


def test_missing_table_is_joined(bakery_lake: Lake) -> None:
    found = rows(
        bakery_lake,
        "SELECT pastry_name, SUM(quantity) AS sold FROM pastry_sales GROUP BY pastry_name ORDER BY pastry_name",
    )
    expected = bakery_lake.execute(
        'SELECT p."Name", SUM(s."Qty") FROM bk_sale s JOIN bk_pastry p ON s."PastryId" = p."PastryId" GROUP BY 1 ORDER BY 1'
    )
    assert found == expected.rows


def test_wrong_key_is_replaced(bakery_lake: Lake) -> None:
    found = rows(
        bakery_lake,
        "SELECT s.town, COUNT(*) AS n FROM shops s JOIN sales t ON s.code = t.shop_ref GROUP BY s.town ORDER BY s.town",
    )
    expected = bakery_lake.execute(
        'SELECT s."Town", COUNT(*) FROM bk_shop s JOIN bk_sale t ON s."ShopId" = t."ShopId" GROUP BY 1 ORDER BY 1'
    )
    assert found == expected.rows


def test_years_of_a_survey_are_united(bakery_lake: Lake) -> None:
    found = rows(
        bakery_lake,
        "SELECT survey_year, COUNT(*) AS n FROM taste_surveys WHERE survey_year IN (2019, 2023) GROUP BY survey_year ORDER BY survey_year",
    )
    assert found == [(2019, 8), (2023, 8)]


def test_truth_values_and_codes_are_corrected(bakery_lake: Lake) -> None:
    answer = bakery_lake.query("SELECT name FROM pastries WHERE vegan = TRUE ORDER BY name", "resolve")
    assert answer.rows is not None
    assert answer.rows.rows == [("Honey cake",), ("Oat biscuit",), ("Seed roll",)]
    assert answer.resolution.corrections


def test_obsolete_table_is_left_out(bakery_lake: Lake) -> None:
    found = rows(
        bakery_lake,
        "SELECT b.full_name FROM bakers b JOIN genders g ON b.gender_id = g.id WHERE g.gender = 'F' ORDER BY b.full_name",
    )
    assert found == [("Ida Quill",), ("Kara Voss",), ("Mina Sallow",)]


@pytest.mark.parametrize(
    "joined",
    ["JOIN bakers b ON a.home_shop = b.home_shop WHERE", ", bakers b WHERE a.home_shop = b.home_shop AND"],
)
def test_a_table_joined_with_itself(bakery_lake: Lake, joined: str) -> None:
    found = rows(
        bakery_lake,
        f"SELECT a.full_name, b.full_name AS colleague FROM bakers a {joined} "
        "a.full_name < b.full_name AND b.gender = 'F' ORDER BY a.full_name, b.full_name",
    )
    expected = bakery_lake.execute(
        'SELECT a."FullName", b."FullName" FROM bk_baker a JOIN bk_baker b ON a."HomeShopId" = b."HomeShopId" '
        'WHERE a."FullName" < b."FullName" AND b."Gender" = \'F\' ORDER BY 1, 2'
    )
    assert expected.rows
    assert found == expected.rows


def test_parts_of_dates(bakery_lake: Lake) -> None:
    found = rows(
        bakery_lake,
        "SELECT sale_year, COUNT(*) AS n FROM sales WHERE sale_year >= 2021 GROUP BY sale_year ORDER BY sale_year",
    )
    expected = bakery_lake.execute(
        'SELECT EXTRACT(YEAR FROM "SoldOn"), COUNT(*) FROM bk_sale GROUP BY 1 ORDER BY 1'
    )
    assert found == expected.rows


def test_correlated_subqueries_stay_correlated(bakery_lake: Lake) -> None:
    found = rows(
        bakery_lake,
        "SELECT s.town, (SELECT COUNT(*) FROM sales t WHERE t.shop_ref = s.code) AS n FROM shops s ORDER BY s.town",
    )
    expected = bakery_lake.execute(
        'SELECT s."Town", COUNT(*) FROM bk_shop s JOIN bk_sale t ON s."ShopId" = t."ShopId" GROUP BY 1 ORDER BY 1'
    )
    assert found == expected.rows
    assert rows(
        bakery_lake,
        "SELECT COUNT(*) AS n FROM shops s WHERE NOT EXISTS (SELECT 1 FROM bakers b WHERE b.home_shop = s.code)",
    ) == [(4,)]


def test_what_the_lake_does_not_hold_is_refused(bakery_lake: Lake) -> None:
    with pytest.raises(NotResolved) as caught:
        bakery_lake.query("SELECT orbital_period FROM exoplanets WHERE telescope = 'Kepler'", threshold=0.7)
    assert caught.value.sqlstate == "42P01"
    assert caught.value.hint.startswith("closest:")


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE bk_shop",
        "COPY bk_shop TO '/tmp/x.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "INSERT INTO bk_shop VALUES (1)",
    ],
)
def test_nothing_is_written_and_nothing_else_read(bakery_lake: Lake, sql: str) -> None:
    with pytest.raises(LakeError):
        bakery_lake.query(sql, "resolve")


def test_noise_is_cleaned_in_the_query(harbour_lake: Lake) -> None:
    found = rows(
        harbour_lake,
        "SELECT flag_state, COUNT(*) AS n, SUM(tonnage) AS t FROM vessels WHERE insured = TRUE GROUP BY flag_state ORDER BY flag_state",
    )
    expected: dict[str, list[int]] = {}
    for i in range(60):
        if i % 6 < 3:
            flag = ("Norway", "Chile", "Malta")[i % 3]
            told = expected.setdefault(flag, [0, 0])
            told[0] += 1
            told[1] += 1100 + 37 * i
    assert found == [(flag, *told) for flag, told in sorted(expected.items())]


def test_mixed_dates_compare_as_dates(harbour_lake: Lake) -> None:
    found = rows(
        harbour_lake,
        "SELECT COUNT(*) AS n FROM ships WHERE arrived >= '2020-03-15' AND arrived < '2020-03-20'",
    )
    assert found == [(sum(1 for i in range(60) if 15 <= 1 + i % 28 < 20),)]


def test_accepted_resolutions_bind_afterwards(tmp_path: Any, embedder: Any) -> None:
    from rewright.lake.api import open_lake
    from tests.lake.small_lakes import bakery

    with open_lake(bakery(tmp_path), catalog=tmp_path / ".catalog" / "c.db", embedder=embedder) as lake:
        sql = (
            "SELECT b.full_name, s.town FROM bakers b JOIN shops s ON b.shop_ref = s.id ORDER BY b.full_name"
        )
        resolved = lake.query(sql)
        lake.accept(resolved.resolution)
        again = lake.query(sql)
        assert again.resolution.kind == "bound"
        assert again.rows is not None
        assert resolved.rows is not None
        assert again.rows.rows == resolved.rows.rows


def test_a_subquery_is_joined_as_it_was_written(bakery_lake: Lake) -> None:
    real = bakery_lake.execute(
        'SELECT p."Town" AS city, s.n FROM bk_shop p JOIN (SELECT "ShopId", count(*) AS n FROM bk_sale GROUP BY 1) s '
        'ON s."ShopId" = p."ShopId" ORDER BY 1'
    )
    for sql in (
        (
            "WITH sold AS (SELECT shop_id, COUNT(*) AS n FROM sales GROUP BY shop_id) "
            "SELECT s.city, sold.n FROM sold JOIN shops s ON sold.shop_id = s.id ORDER BY s.city"
        ),
        (
            "SELECT s.city, sold.n FROM shops s JOIN (SELECT shop_id, COUNT(*) AS n FROM sales GROUP BY shop_id) sold "
            "ON sold.shop_id = s.id ORDER BY s.city"
        ),
    ):
        answer = bakery_lake.query(sql, "resolve")
        assert answer.rows is not None
        assert answer.rows.rows == real.rows, answer.resolution.sql
