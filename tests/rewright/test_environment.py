"""What stands in the environment for psql says nothing of Rewright's own sessions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rewright.cli import settle_environment

FOR_PSQL = {"PGTZ": "Asia/Tokyo", "PGDATESTYLE": "SQL, DMY", "PGGEQO": "off", "PGCLIENTENCODING": "LATIN1"}


def test_variables_of_sessions_are_taken_out_and_others_stay() -> None:
    environment = {**FOR_PSQL, "PGHOST": "here", "PGOPTIONS": "-c a.b=c"}
    settle_environment(environment)
    assert environment == {"PGHOST": "here", "PGOPTIONS": "-c a.b=c", "PGCLIENTENCODING": "UTF8"}


@pytest.mark.server
def test_a_lake_answers_alike_whatever_psql_was_told(tmp_path: Path) -> None:
    """A filter of other letters found nothing, and moments had another zone."""
    (tmp_path / "towns.csv").write_text(
        "city,founded\nZürich,1218-03-04 10:00:00\nBern,1191-01-01 00:00:00\n"
    )
    query = "select founded::timestamptz::text as founded from towns where city = 'Zürich'"
    done = subprocess.run(
        [sys.executable, "-m", "rewright", "lake", "query", str(tmp_path), query, "--json"],
        env=os.environ | FOR_PSQL,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["rows"] == [["1218-03-04 10:00:00+00"]]
