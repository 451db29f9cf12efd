"""AUGMENT through real clients: rows in both protocols, EXPLAIN, views, rights, cancelling."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.fixtures.lake_server import served_lake
from tests.proxy.waiting import Stopwatch

pytestmark = pytest.mark.server
COLUMNS = [
    "rank", "table", "join_path", "added_columns", "r2_before", "r2_after", "interval", "leakage", "evidence",
]  # fmt: skip


def make_files(folder: Path) -> None:
    """Sales of shops, streets that explain them, a copy of the target, and noise."""
    chance = random.Random(3)
    folder.mkdir()
    shops = [f"S{i * 37 + 1009}" for i in range(150)]
    signal = [chance.gauss(0, 1) for _ in shops]
    revenue = [round(20 + 4 * s + chance.gauss(0, 1), 3) for s in signal]
    files = {
        "sales": ("shop,revenue", [f"{k},{y}" for k, y in zip(shops, revenue, strict=True)]),
        "streets": ("shop,footfall", [f"{k},{round(100 + 9 * s, 3)}" for k, s in zip(shops, signal, strict=True)]),
        "ledger": ("shop,cents", [f"{k},{round(100 * y)}" for k, y in zip(shops, revenue, strict=True)]),
        "weather": ("shop,wind", [f"{k},{round(chance.gauss(3, 1), 3)}" for k in shops]),
    }  # fmt: skip
    for name, (header, rows) in files.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *rows]) + "\n")


@pytest.fixture(scope="module")
def dsn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("augment")
    make_files(home / "files")
    with served_lake(home) as found:
        yield found


@pytest.fixture
def lake(dsn: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def simple(dsn: str) -> Iterator[psycopg.Connection]:
    """A client that sends simple queries."""
    with psycopg.connect(dsn, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        yield connection


@pytest.mark.parametrize("binary", [False, True])
def test_rows_say_what_helps_and_what_gives_the_target_away(lake: psycopg.Connection, binary: bool) -> None:
    cursor = lake.execute("AUGMENT TABLE sales TARGET revenue TABLES 3 BUDGET '60s';", binary=binary)
    assert [column.name for column in cursor.description or ()] == COLUMNS
    rows = cursor.fetchall()
    assert rows[0][:2] == (1, "streets")
    assert "footfall" in rows[0][3]
    assert rows[0][5] > rows[0][4] + 0.5
    assert any(row[0] is None and row[1] == "ledger" and "copy of the target" in row[7] for row in rows)


def test_the_simple_protocol_gives_the_same(simple: psycopg.Connection, lake: psycopg.Connection) -> None:
    text = "/* which? */ augment table sales target revenue on (shop)"
    assert simple.execute(text).fetchall() == lake.execute(text, prepare=True).fetchall()


def test_explain_shows_the_sql_and_it_runs(lake: psycopg.Connection) -> None:
    lines = [line for (line,) in lake.execute("EXPLAIN AUGMENT TABLE sales TARGET revenue").fetchall()]
    sql = "\n".join(lines[lines.index("SQL:") + 1 :])
    assert "LEFT JOIN" in sql
    assert any("Left out: ledger.cents" in line for line in lines)


def test_a_view_is_its_makers_alone_and_goes_when_dropped(lake: psycopg.Connection, dsn: str) -> None:
    made = lake.execute("CREATE VIEW Sales_Plus AS AUGMENT TABLE sales TARGET revenue")
    assert made.statusmessage == "CREATE VIEW"
    rows = lake.execute("SELECT * FROM sales_plus WHERE revenue > %s", [20.0]).fetchall()
    assert len(rows[0]) == 3
    assert lake.execute("select count(*), count(shop) from sales_plus s join sales using (shop)").fetchone() == (150, 150)  # fmt: skip
    with pytest.raises(psycopg.errors.DuplicateTable):
        lake.execute("CREATE VIEW sales_plus AS AUGMENT TABLE sales TARGET revenue")
    lake.execute("CREATE OR REPLACE VIEW sales_plus AS AUGMENT TABLE sales TARGET revenue")
    with pytest.raises(psycopg.errors.DuplicateTable):
        lake.execute("CREATE VIEW streets AS AUGMENT TABLE sales TARGET revenue")
    with psycopg.connect(dsn, user="bob", autocommit=True) as other:
        with pytest.raises(psycopg.errors.UndefinedTable):
            other.execute("select footfall from sales_plus where zyx = 3")
        with pytest.raises(psycopg.errors.UndefinedTable):
            other.execute("drop view sales_plus")
    assert lake.execute("DROP VIEW sales_plus").statusmessage == "DROP VIEW"
    assert lake.execute("DROP VIEW IF EXISTS sales_plus").statusmessage == "DROP VIEW"


def test_searches_are_remembered_for_who_made_them(lake: psycopg.Connection, dsn: str) -> None:
    lake.execute("AUGMENT TABLE sales TARGET revenue").fetchall()
    told = lake.execute(
        "SELECT gain, recommended FROM rewright.augmentations WHERE base_table = 'sales' AND added_table = 'streets'"
    ).fetchall()
    assert told
    assert told[0][0] > 0.5
    with psycopg.connect(dsn, user="bob", autocommit=True) as other:
        assert other.execute("SELECT count(*) FROM rewright.augmentations").fetchone() == (0,)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("AUGMENT TABLE nothing TARGET revenue", "42P01"),
        ("AUGMENT TABLE sales TARGET nothing", "42703"),
        ("AUGMENT TABLE sales", "42601"),
        ("AUGMENT TABLE sales TARGET shop", "22023"),
        ("AUGMENT TABLE sales TARGET revenue TABLES 0", "22023"),
        ("AUGMENT TABLE sales TARGET revenue TABLES 5 TABLES 6", "42601"),
        ("AUGMENT TABLE sales TARGET revenue SELECTOR enrich", "0A000"),
        ("AUGMENT TABLE sales TARGET revenue WHERE (shop IN (SELECT content FROM read_text('/etc/passwd')))", "42501"),
        ("AUGMENT TABLE sales TARGET revenue WHERE (getenv('HOME') = 'x')", "42883"),
        ("AUGMENT TABLE sales TARGET revenue WHERE (1 = 1) UNION SELECT 1, 2", "42601"),
        ("AUGMENT TABLE sales TARGET revenue; DROP TABLE sales", "42601"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told(lake: psycopg.Connection, text: str, state: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        lake.execute(text.encode()).fetchall()
    assert caught.value.sqlstate == state
    assert lake.execute("select count(*) from sales").fetchone() == (150,)


def test_an_error_fails_the_block(lake: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.InFailedSqlTransaction), lake.transaction():  # noqa: PT012
        with pytest.raises(psycopg.Error):
            lake.execute("AUGMENT TABLE sales TARGET nothing")
        lake.execute("AUGMENT TABLE sales TARGET revenue")


def test_a_budget_that_ends_says_what_was_not_tried(lake: psycopg.Connection) -> None:
    told: list[str] = []
    lake.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
    assert lake.execute("AUGMENT TABLE sales TARGET revenue BUDGET '0s'").fetchall() == []
    assert any("not tried" in line and "streets" in line for line in told)


def test_cancelled_it_ends_within_a_second(lake: psycopg.Connection) -> None:
    timer = threading.Timer(0.05, lake.cancel_safe)
    timer.start()
    with Stopwatch() as watch:
        try:
            lake.execute("AUGMENT TABLE sales TARGET revenue HOPS 4").fetchall()
        except psycopg.errors.QueryCanceled:
            cancelled = True
        else:
            cancelled = False
    assert not cancelled or watch.seconds < 1.05
    timer.join()
    assert lake.execute("select count(*) from sales").fetchone() == (150,)


def _listed(connection: psycopg.Connection) -> list[str]:
    """What psql's \\dv lists."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relkind = 'v' AND pg_catalog.pg_table_is_visible(c.oid)"
        " AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) ORDER BY 1"
    )
    return [name for (name,) in rows.fetchall()]


def test_psql_lists_a_view_with_its_columns_for_its_maker(lake: psycopg.Connection, dsn: str) -> None:
    lake.execute("CREATE VIEW sales_listed AS AUGMENT TABLE sales TARGET revenue")
    assert _listed(lake) == ["sales_listed"]
    columns = lake.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
        " WHERE attrelid = 'sales_listed'::regclass AND attnum > 0 ORDER BY attnum"
    ).fetchall()
    assert columns == [
        ("shop", "text"),
        ("revenue", "double precision"),
        ("streets.footfall", "double precision"),
    ]
    rows = lake.execute("TABLE sales_listed").fetchall()
    assert len(rows) == 150
    with psycopg.connect(dsn, user="bob", autocommit=True) as other:
        assert _listed(other) == []
        # nothing can be read where views are listed
        with pytest.raises(psycopg.Error):
            other.execute("SELECT * FROM ann.sales_listed").fetchall()
    with psycopg.connect(dsn, autocommit=True) as again:
        assert _listed(again) == ["sales_listed"]
    lake.execute("DROP VIEW sales_listed")
    assert _listed(lake) == []


@pytest.mark.parametrize("mode", ["bind", "resolve"])
def test_a_dropped_views_name_means_no_other_table(lake: psycopg.Connection, mode: str) -> None:
    lake.execute(f"SET rewright.lake = {mode}")
    lake.execute("CREATE OR REPLACE VIEW sales_extra AS AUGMENT TABLE sales TARGET revenue")
    assert len(lake.execute("SELECT * FROM sales_extra LIMIT 1").fetchall()[0]) == 3
    lake.execute("DROP VIEW sales_extra")
    for text in (
        "SELECT * FROM sales_extra",
        "SELECT revenue FROM Sales_Extra",
        "EXPLAIN SELECT count(*) FROM sales_extra",
    ):
        with pytest.raises(psycopg.errors.UndefinedTable) as caught:
            lake.execute(text).fetchall()
        assert "dropped" in (caught.value.diag.message_hint or "")
    lake.execute("CREATE VIEW sales_extra AS AUGMENT TABLE sales TARGET revenue")
    assert lake.execute("SELECT count(*) FROM sales_extra").fetchone() == (150,)
    lake.execute("DROP VIEW sales_extra")
    lake.execute("SET rewright.lake = bind")
