"""The guide to asking questions, run from top to bottom over the demo's data, but for the demo's start."""

from __future__ import annotations

import re
import subprocess
from importlib import resources
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.installation import find_installation
from rewright.engines.postgres.scratch import ScratchServer
from tests.rewright.asking_world import asking_world

pytestmark = pytest.mark.server
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "asking.md").read_text()


def test_every_statement(scratch_server: ScratchServer, database: str, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sql( refused)?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 7
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(resources.files("rewright.demo").joinpath("sample.sql").read_bytes())
    script = "".join(
        f"\\set ON_ERROR_STOP {'off' if refused else 'on'}\n{statements}" for refused, statements in blocks
    )
    with asking_world(scratch_server, database, tmp_path) as world:
        # one session: its questions follow up one another
        done = subprocess.run(
            [str(find_installation().program("psql")), "-X", "-A", "-t", world.dsn()],
            input=script, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("ERROR:") == 1, done.stderr
    assert "volcano" in done.stderr
    assert done.stdout.count("ASIA|18") == 4, "for each region (twice), what about Asia, and as corrected"
    assert "NATION 03" in done.stdout
    assert "count(distinct s_suppkey)" in done.stdout
