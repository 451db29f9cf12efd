"""`rewright rewrite` as people run it."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.engines.postgres.scratch import ScratchServer
from tests.rewrite.test_postgres import SETUP, SLOW

pytestmark = [pytest.mark.server, pytest.mark.long]


@pytest.fixture(scope="module")
def dsn(scratch_server: ScratchServer, module_database: str) -> str:
    dsn = scratch_server.dsn(module_database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(SETUP)
    return dsn


def test_one_statement_one_document_several_an_array_and_a_report(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REWRIGHT_VERIFY__TIMEOUT", "4s")
    (tmp_path / "a.sql").write_text(f"{SLOW};\nselect random() from part; delete from part;")
    report = tmp_path / "out.html"
    done = CliRunner().invoke(
        rewright,
        [
            "rewrite",
            "--dsn",
            dsn,
            "--json",
            "--trust",
            "tested",
            "--report",
            str(report),
            str(tmp_path / "a.sql"),
        ],
        catch_exceptions=False,
    )
    assert done.exit_code == 0, done.stderr
    documents = json.loads(done.stdout)
    assert [d["rewritten"] is not None for d in documents] == [True, False, False]
    assert documents[2]["reason"] == "not rewritten: not a SELECT"
    assert documents[0]["seconds_after"] < documents[0]["seconds_before"]
    assert "<h2>a.sql:1</h2>" in report.read_text()
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select count(*) from part").fetchone() == (400,)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "give a file"),
        (["nowhere.sql"], 2, "nowhere.sql"),
        (["--top", "3"], 1, "pg_stat_statements"),
    ],
)
def test_what_cannot_be_done_is_said(dsn: str, arguments: list[str], code: int, said: str) -> None:
    done = CliRunner().invoke(rewright, ["rewrite", "--dsn", dsn, *arguments])
    assert done.exit_code == code
    assert said in done.stderr
