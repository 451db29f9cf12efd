"""`rewright hint` and `rewright hintplan` on the real extension."""

from __future__ import annotations

import json

import psycopg
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from tests.rewright.json_page import documented

pytestmark = pytest.mark.server


def run(*words):
    return CliRunner().invoke(rewright, list(words))


def test_hint_explains_itself(skewed, tmp_path):
    file = tmp_path / "q.sql"
    file.write_text(
        "select count(*), sum(length(b.x)) from a join b on b.a_id = a.id"
        " where upper(a.x) = 'A' and lower(a.y) = 'b' and upper(b.x) = 'A' and lower(b.y) = 'b';"
    )
    done = run("hint", "--dsn", skewed, "--json", str(file))
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert "HashJoin(a b)" in document["hints"]
    assert document["seconds_after"] < document["seconds_before"]
    assert document["estimates"]


def test_hintplan_check_says_whether_it_works(skewed):
    done = run("hintplan", "check", skewed, "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["works"] is True
    assert set(document) == documented("rewright hintplan check --json") - {"embedded"}


def test_hint_table_row_hints_the_query(skewed, tmp_path):
    with psycopg.connect(skewed, autocommit=True) as connection:
        connection.execute("create extension if not exists pg_hint_plan")
    file = tmp_path / "q.sql"
    file.write_text("select count(*) from a join b on b.a_id = a.id")
    done = run("hintplan", "table", skewed, str(file), "--hints", "MergeJoin(a b)")
    assert done.exit_code == 0, done.output
    told = run("hintplan", "table", skewed, str(file), "--hints", "MergeJoin(a b)", "--json")
    document = json.loads(told.stdout)
    assert set(document) == documented("rewright hintplan table --json")
    assert document["statement"] == done.stdout.strip()
    with psycopg.connect(skewed, autocommit=True) as connection:
        connection.execute(done.stdout.encode())
        connection.execute("load 'pg_hint_plan'")
        connection.execute("set compute_query_id = on")
        connection.execute("set pg_hint_plan.enable_hint_table = on")
        plan = connection.execute(f"explain {file.read_text()}".encode()).fetchall()
        connection.execute("truncate hint_plan.hints")
    assert any("Merge Join" in line for (line,) in plan)


def test_a_server_that_is_down_is_a_failure_not_a_traceback(tmp_path):
    file = tmp_path / "q.sql"
    file.write_text("select 1")
    done = run("hint", "--dsn", "postgresql://127.0.0.1:1/x?connect_timeout=2", str(file))
    assert done.exit_code == 1
    assert "Traceback" not in done.output


def test_no_run_judges_and_prices(skewed, tmp_path):
    file = tmp_path / "q.sql"
    file.write_text(
        "select count(*) from a join b on b.a_id = a.id where upper(a.x) = 'A' and lower(a.y) = 'b' and upper(b.x) = 'A';"
        " delete from a; select 1 from nowhere"
    )
    log = tmp_path / "server.log"
    log.write_text("nothing of use\n")
    done = run("hint", "--dsn", skewed, "--json", "--no-run", "--log", str(log), str(file))
    assert done.exit_code == 0, done.output
    first, second, third = json.loads(done.stdout)
    assert first["measured"] is False
    assert first["judgements"]
    assert first["seconds_before"] is None
    assert second["reason"] == "only a SELECT gets hints"
    assert "nowhere" in third["reason"]
    assert "no executed plans" in done.stderr
    told = run("hint", "--dsn", skewed, "--no-run", str(file))
    assert "-- 2: delete from a" in told.stdout
    assert "doubted without a run" in told.stdout
