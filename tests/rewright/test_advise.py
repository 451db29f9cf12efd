"""Advice that is proposed: a constraint that unlocks a proof, looked for in the rows; an index; nothing is
changed.
"""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.engines.postgres.scratch import ScratchServer
from rewright.wiring.advising import Adviser

pytestmark = pytest.mark.server

SETUP = """
create table customer (c_id int primary key, name text);
create table orders (o_id int primary key, customer int, note text, total int not null);
insert into customer select i, 'c' || i from generate_series(1, 3000) i;
insert into orders select i, 1 + i % 2000, case when i % 2 = 0 then 'x' end, i % 7000 from generate_series(1, 30000) i;
analyze;
"""
NOT_IN = "select c.c_id from customer c where c.c_id not in (select o.{} from orders o)"


@pytest.fixture(scope="module")
def dsn(scratch_server: ScratchServer, module_database: str) -> str:
    plain = scratch_server.dsn(module_database)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(SETUP)
    # a hash table of the subquery does not fit
    return psycopg.conninfo.make_conninfo(plain, options="-c work_mem=64kB")


def advise(dsn: str, path: Path, *more: str) -> list[dict]:
    done = CliRunner().invoke(rewright, ["advise", str(path), "--dsn", dsn, "--json", *more])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.long
def test_a_constraint_that_would_unlock_a_proof(dsn: str, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_text(NOT_IN.format("customer"))
    (document,) = advise(dsn, file)
    (advice,) = [a for a in document["advice"] if a["kind"] == "constraint"]
    assert advice["statements"] == ["ALTER TABLE public.orders ALTER COLUMN customer SET NOT NULL"]
    assert advice["kept"] is True
    assert advice["cost_after"] < 0.9 * advice["cost_before"]
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("update orders set customer = null where o_id = 1")
        try:
            (document,) = advise(dsn, file)
            (advice,) = [a for a in document["advice"] if a["kind"] == "constraint"]
            assert advice["kept"] is False
            (document,) = advise(dsn, file, "--no-run")
            assert [a["kept"] for a in document["advice"] if a["kind"] == "constraint"] == [None]
        finally:
            connection.execute("update orders set customer = 2 where o_id = 1")


def test_nothing_is_unlocked_where_the_constraint_is_there(dsn: str, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_text(NOT_IN.format("total"))
    (document,) = advise(dsn, file)
    assert [a for a in document["advice"] if a["kind"] == "constraint"] == []


def test_an_index_for_a_scan_that_throws_nearly_all_away(dsn: str, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_text("select count(*) from orders where total = 77")
    (document,) = advise(dsn, file)
    assert [a["statements"] for a in document["advice"] if a["kind"] == "index"] == [
        ["CREATE INDEX ON public.orders (total)"]
    ]
    said = CliRunner().invoke(rewright, ["advise", str(file), "--dsn", dsn]).output
    assert "CREATE INDEX ON public.orders (total);" in said


def test_what_may_not_be_planned_is_told(dsn: str, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_text("select nosuch from orders; delete from orders")
    documents = advise(dsn, file)
    assert [d["advice"] for d in documents] == [[], []]
    assert all(d["reason"] for d in documents)


def test_a_rewrite_report_says_what_would_help_where_nothing_is_rewritten(dsn: str, tmp_path: Path) -> None:
    file, report = tmp_path / "q.sql", tmp_path / "out.html"
    file.write_text("select count(*) from orders where total = 77; delete from orders")
    done = CliRunner().invoke(
        rewright,
        ["rewrite", str(file), "--dsn", dsn, "--json", "--report", str(report)],
    )
    assert done.exit_code == 0, done.output
    first, second = json.loads(done.stdout)
    assert [a["statements"] for a in first["advice"]] == [["CREATE INDEX ON public.orders (total)"]]
    assert second["advice"] == []
    page = report.read_text()
    assert "What would help besides" in page
    assert "<code>CREATE INDEX ON public.orders (total)</code>" in page


def test_an_adviser_puts_it_in_one_line_and_outlives_a_lost_session(dsn: str) -> None:
    with Adviser(dsn, 5.0, 5.0, own=False) as adviser:
        said = adviser.words("select count(*) from orders where total = 77", execute=True)
        assert said == "would help: CREATE INDEX ON public.orders (total)"
        assert adviser.words("select c_id from customer where c_id = 3", execute=True) == ""
    with Adviser("postgresql://127.0.0.1:1/nowhere", 5.0, 5.0, own=False) as adviser:
        assert adviser.words("select 1", execute=False) == ""


OF_LINES = """
create table basket (id int primary key, placed date not null);
create table line (basket int not null, qty int not null, total int not null, due timestamp not null,
  sent timestamp not null);
insert into basket select i, '2024-01-01' from generate_series(1, 4000) i;
insert into line select 1 + i % 4000, 1 + i % 9, i % 700, timestamp '2024-01-01' + i * interval '1 minute',
  timestamp '2024-01-01' + i * interval '1 minute' + i % 40 * interval '1 minute' from generate_series(1, 40000) i;
analyze basket, line;
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("computed", "check"),
    [
        ("sum(l.total / l.qty)", "qty > 0"),
        (
            "sum(1) filter (where l.sent > l.due + interval '10 minutes')",
            "due BETWEEN '1000-01-01' AND '9000-01-01'",
        ),
    ],
)
def test_a_check_that_would_keep_arithmetic_from_failing(
    dsn: str, tmp_path: Path, computed: str, check: str
) -> None:
    file = tmp_path / "q.sql"
    file.write_text(
        f"select b.id, (select {computed} from line l where l.basket = b.id) from basket b where b.id < 3000"
    )
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(OF_LINES)
        try:
            (document,) = advise(dsn, file)
            (advice,) = [a for a in document["advice"] if a["kind"] == "constraint"]
            assert advice["statements"] == [f"ALTER TABLE public.line ADD CHECK ({check})"]
            assert advice["kept"] is True
            # what is proposed can be run, and there is nothing to propose then
            connection.execute(advice["statements"][0])
            (document,) = advise(dsn, file)
            assert [a for a in document["advice"] if a["kind"] == "constraint"] == []
        finally:
            connection.execute("drop table basket, line")
