"""A base table in a PostgreSQL database beside the lake."""

from __future__ import annotations

import random
from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.duckdb.beside import Beside
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.postgres.scratch import ScratchServer
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, augment
from rewright.lake.embedding import CachedEmbedder

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def lake(
    tmp_path_factory: pytest.TempPathFactory,
    embedder: CachedEmbedder,
    scratch_server: ScratchServer,
    module_database: str,
) -> Iterator[Lake]:
    """Orders of customers in PostgreSQL, what explains them in the lake; and a view that runs its owner's
    function.
    """
    home = tmp_path_factory.mktemp("outside")
    folder = home / "lake"
    folder.mkdir()
    chance = random.Random(7)
    customers = [f"C{i * 37 + 1009}" for i in range(120)]
    signal = [chance.gauss(0, 1) for _ in customers]
    with psycopg.connect(scratch_server.dsn(), dbname=module_database, autocommit=True) as connection:
        connection.execute("create table orders (customer text, worth numeric(10, 3), placed date)")
        with connection.cursor() as cursor, cursor.copy("copy orders from stdin") as copied:
            for c, s in zip(customers, signal, strict=True):
                copied.write_row((c, round(20 + 4 * s + chance.gauss(0, 1), 3), "2024-05-06"))
        connection.execute("create role mallory; create schema hers authorization mallory; set role mallory")
        connection.execute(
            "create function hers.told() returns int language plpgsql stable as 'begin raise exception ''LEAKED''; end'"
        )
        connection.execute("create view hers.shown as select 'C1' as customer, hers.told() as worth")
    rows = {
        "incomes": ("customer,income", [f"{c},{round(100 + 9 * s, 3)}" for c, s in zip(customers, signal, strict=True)]),
        "weather": ("customer,wind", [f"{c},{round(chance.gauss(3, 1), 3)}" for c in customers]),
    }  # fmt: skip
    for name, (header, lines) in rows.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
    dsn = psycopg.conninfo.make_conninfo(scratch_server.dsn(), dbname=module_database)
    with open_lake(folder, catalog=home / "c.db", embedder=embedder, beside=[Beside("app", dsn)]) as opened:
        yield opened


@pytest.mark.parametrize("name", ["app.orders", "app.public.orders"])
def test_it_is_augmented_and_the_sql_reads_it_where_it_is(lake: Lake, name: str) -> None:
    report = augment(lake, BaseSpec(name, "worth"))
    assert [added.table for added in report.added if added.recommended] == ["incomes"]
    assert report.rows == 120
    assert '"orders"' in report.sql
    assert len(lake.execute(report.sql).rows) == 120
    assert lake.index.table(name) is None


def test_what_the_account_may_not_run_is_not_read(lake: Lake) -> None:
    with pytest.raises(LakeError) as caught:
        augment(lake, BaseSpec("app.hers.shown", "worth"))
    assert caught.value.sqlstate == "42501"
    assert "LEAKED" not in str(caught.value)


@pytest.mark.parametrize("name", ["app.nothing", "nowhere.orders", 'app"; drop table x.y'])
def test_what_is_not_there_is_told(lake: Lake, name: str) -> None:
    with pytest.raises(LakeError) as caught:
        augment(lake, BaseSpec(name, "worth"))
    assert caught.value.sqlstate in {"42P01", "42601"}
