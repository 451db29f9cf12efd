"""Names are put into the client's own tree; a change that nobody declared is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pglast.parser import parse_sql

from rewright.lake.api import Lake, open_lake
from rewright.lake.resolve.marks import marked
from rewright.lake.resolve.resolution import OwnWords
from rewright.lake.resolve.words_kept import NotRestored, added_only, difference, words_of


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    folder: Path = tmp_path_factory.mktemp("shop")
    (folder / "products.csv").write_text(
        "product_id,product_name,unit_price,category_id,added_on\n"
        "1,Saw,12.3456,1,2024-01-05\n2,Axe,7.5,1,2024-02-06\n3,Pen,1.25,2,2023-03-07\n4,Ink,3.3,2,2023-07-08\n"
    )
    (folder / "categories.csv").write_text("category_id,category_name\n1,Tools\n2,Paper\n")
    with open_lake(folder, catalog=folder.parent / "shop.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (
            "select Round(avg(Price)::numeric, 4) m from goods",
            "SELECT round(CAST(avg(products.unit_price) AS numeric), 4) AS m FROM products AS products",
        ),
        # the name of an output is no column of a real table
        (
            "select lower(g.name) as product_name, count(*) from goods g group by product_name",
            "SELECT lower(g.product_name) AS product_name, count(*) FROM products AS g GROUP BY 1",
        ),
        # a condition of an outer join stays in it
        (
            "select g.name, k.name from goods g left join kinds k on g.kind_id = k.id and k.name = 'tools'",
            (
                "SELECT g.product_name AS name, k.category_name AS name FROM products AS g LEFT JOIN categories AS k "
                "ON g.category_id = k.category_id AND k.category_name = 'Tools'"
            ),
        ),
        # a join written in WHERE, beside a subquery
        (
            "select g.name from goods g, kinds k where g.kind_id = k.id and price > (select avg(price) from goods)",
            (
                "SELECT g.product_name AS name FROM products AS g INNER JOIN categories AS k "
                "ON g.category_id = k.category_id WHERE g.unit_price > (SELECT avg(products.unit_price) FROM products AS products)"
            ),
        ),
        # a column of a CTE is not the real table's of that name
        (
            "with x as (select max(price) as unit_price from goods) select name from goods, x where price = unit_price",
            (
                "WITH x AS (SELECT max(products.unit_price) AS unit_price FROM products AS products) "
                "SELECT products.product_name AS name FROM products AS products CROSS JOIN x "
                "WHERE products.unit_price = x.unit_price"
            ),
        ),
        (
            "select Name from goods where Name like 's%' order by 1 fetch first 2 rows with ties",
            (
                "SELECT products.product_name AS name FROM products AS products WHERE products.product_name ILIKE 's%' "
                "ORDER BY 1 FETCH FIRST 2 ROWS WITH TIES"
            ),
        ),
    ],
)
def test_the_tree_is_the_clients(lake: Lake, query: str, told: str) -> None:
    own = lake.query(query, "resolve").resolution.own
    assert isinstance(own, OwnWords), own
    assert parse_sql(own.text) == parse_sql(told)


@pytest.mark.parametrize(
    "query",
    [
        "select g.name, k.name from goods g right join kinds k on g.kind_id = k.id",
        "select g.name, k.name from goods g full join kinds k on g.kind_id = k.id",
        "select name, i from goods, generate_series(1, 2) i",
        "select name from goods tablesample system (50)",
    ],
)
def test_forms_that_are_not_written_are_refused(lake: Lake, query: str) -> None:
    try:
        own = lake.query(query, "resolve").resolution.own
    except NotRestored as error:
        own = error
    assert isinstance(own, NotRestored)
    assert own.sqlstate == "0A000"


def test_marks_stand_around_columns_and_compared_literals() -> None:
    query = "select 'é', t.a from t where b in (1, -2) and c = date '2024-01-01' and d between 3 and e"
    text = marked(query)
    assert text is not None
    assert "rw_select_0(), 'é'" in text
    assert "date '2024-01-01'" in text
    assert text.count("rw_leaf_") == 5 + 3


@pytest.mark.parametrize(
    ("after", "word"),
    [
        ("select avg(a::real) from t", "a query with"),
        ("select sum(a::numeric(8,2)) from t", "a query with"),
        ("select avg(a::numeric(8,3)) from t", "a query with"),
        ("select avg(distinct a::numeric(8,2)) from t", "a query with"),
        ("select avg(a::numeric(8,2)) from t limit 1", "a query with"),
        ("select avg(b::numeric(8,2)) as x from other o", ""),
    ],
)
def test_words_that_change_are_told(after: str, word: str) -> None:
    before = words_of(parse_sql("select avg(a::numeric(8,2)) from t")[0].stmt)
    told = difference(before, words_of(parse_sql(after)[0].stmt), words_of(()), words_of(()))
    assert told.startswith(word) if word else told == ""


@pytest.mark.parametrize("made", ["a + 1", "lower(a)", "a::int", "a::varchar(3)", "a > b", "(select 1)"])
def test_the_resolver_puts_nothing_else(made: str) -> None:
    with pytest.raises(NotRestored):
        added_only(parse_sql(f"select {made} from t")[0].stmt)
