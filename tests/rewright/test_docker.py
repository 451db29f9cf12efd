"""The images' steps: every RUN line is a script of ours; those that can be executed here are."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.installation import find_installation
from rewright.engines.postgres.scratch import ScratchServer

DOCKER = Path(__file__).resolve().parents[2] / "docker"
SCRIPTS = sorted(DOCKER.glob("*.sh"))


@pytest.mark.parametrize("file", sorted(DOCKER.glob("Dockerfile*")), ids=lambda path: str(path.name))
def test_run_lines_are_scripts_that_exist(file: Path) -> None:
    runs = re.findall(r"^RUN (.*)$", file.read_text(), re.MULTILINE)
    assert runs
    for line in runs:
        script = re.fullmatch(r"sh \S*/(\w[\w-]*\.sh)( \S+)*", line)
        assert script is not None, line
        assert (DOCKER / script[1]).exists()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.name))
def test_scripts_parse(script: Path) -> None:
    subprocess.run(["sh", "-n", str(script)], check=True)


@pytest.mark.server
def test_the_optimisers_role(scratch_server: ScratchServer, database: str, tmp_path: Path) -> None:
    """The script for the database's first start, but for the extension, which this server may not have."""
    secret = tmp_path / "password"
    secret.write_text("it's a secret\n")
    text = (DOCKER / "create-roles.sh").read_text().replace("/run/secrets/optimiser_password", str(secret))
    text = text.replace("create extension if not exists pg_hint_plan;", "")
    address = scratch_server.address
    environment = {
        **os.environ,
        "PATH": f"{find_installation().program('psql').parent}:{os.environ['PATH']}",
        "POSTGRES_USER": "postgres",
        "POSTGRES_DB": database,
        "PGHOST": str(address.socket_dir),
        "PGPORT": str(address.port),
    }
    try:
        subprocess.run(["sh", "-c", text], env=environment, check=True, capture_output=True)
        with psycopg.connect(
            host="127.0.0.1",
            port=address.port,
            dbname=database,
            user="rewright_optimiser",
            password="it's a secret",
        ) as connection:
            assert connection.execute("show default_transaction_read_only").fetchone() == ("on",)
    finally:
        with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
            connection.execute("drop role if exists rewright_optimiser")
