"""Names and values in the manner of strangers: other languages, initials, codes, units, uneven parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake.small_lakes import foreign_shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, embedder: CachedEmbedder) -> Iterator[Lake]:
    folder: Path = foreign_shop(tmp_path_factory.mktemp("shop"))
    with open_lake(folder, catalog=tmp_path_factory.mktemp("catalog") / "shop.db", embedder=embedder) as lake:
        yield lake


def rows(lake: Lake, sql: str) -> list[tuple[Any, ...]]:
    answer = lake.query(sql, "resolve")
    assert answer.rows is not None
    return answer.rows.rows


def test_german_names(shop: Lake) -> None:
    told = rows(shop, "SELECT last_name FROM customers WHERE birth_date < '1951-12-31' ORDER BY last_name")
    assert told == [("Anna Vogt",), ("Ben Lang",)]


def test_spanish_names_and_values(shop: Lake) -> None:
    assert rows(shop, "SELECT city FROM stores WHERE store_name = 'north'") == [("León",)]


def test_parts_of_a_union_are_cleaned_alike(shop: Lake) -> None:
    assert rows(shop, "SELECT COUNT(*) AS n FROM orders WHERE payment_status = 'paid'") == [(60,)]


def test_decimal_commas_are_numbers_where_they_are_added(shop: Lake) -> None:
    parts = [
        shop.execute(f"SELECT sum(CAST(replace(Betrag, ',', '.') AS DOUBLE)) FROM bestellungen_{p}").rows
        for p in ("alt", "neu")
    ]
    assert rows(shop, "SELECT SUM(amount) AS total FROM orders")[0][0] == pytest.approx(
        sum(p[0][0] for p in parts)
    )


def test_a_key_is_the_one_the_join_was_written_with(shop: Lake) -> None:
    told = rows(
        shop,
        "SELECT u.name, e.full_name AS head FROM units u JOIN employees e ON u.head_id = e.id ORDER BY u.name",
    )
    assert told == [("Bakery", "Lea"), ("Counter", "Nia"), ("Kitchen", "Ida")]


def test_a_word_stands_for_its_code(shop: Lake) -> None:
    assert rows(shop, "SELECT COUNT(*) AS n FROM players WHERE position = 'goalkeeper'") == [(6,)]


def test_a_filter_in_another_unit(shop: Lake) -> None:
    assert rows(shop, "SELECT COUNT(*) AS n FROM players WHERE playing_minutes > 100") == [(13,)]


def test_a_table_joined_twice_by_two_keys(shop: Lake) -> None:
    told = rows(
        shop,
        "SELECT h.club_name AS home, a.club_name AS away, m.home_goals FROM matches m JOIN clubs h ON m.home_club_id = h.id "
        "JOIN clubs a ON m.away_club_id = a.id WHERE m.away_goals = 5 ORDER BY m.home_goals",
    )
    assert told == [(c, "Mar", i) for i, c in enumerate(("Northport", "Milano", "Rhein", "Sud", "Kingsway"))]
