"""The images' steps: every RUN line is a script of ours; those that can be executed here are."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest
import yaml

from rewright.engines.postgres.installation import find_installation
from rewright.engines.postgres.scratch import ScratchServer, free_port
from tests.proxy.bouncers import prepares, program
from tests.proxy.waiting import until

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


@pytest.mark.parametrize("file", sorted(DOCKER.glob("compose*.yaml")), ids=lambda path: str(path.name))
def test_compose_files_name_what_exists(file: Path) -> None:
    """Every Dockerfile, PgBouncer file, secret and service that one names; those of the first file count for
    its variants.
    """
    base = yaml.safe_load((DOCKER / "compose.yaml").read_text())
    made = yaml.safe_load(file.read_text())
    services = base["services"] | made["services"]
    for service in made["services"].values():
        if "build" in service:
            assert (DOCKER.parent / service["build"]["dockerfile"]).exists()
        if ini := service.get("environment", {}).get("PGBOUNCER_INI"):
            assert (DOCKER / "pgbouncer" / ini).exists()
        assert set(service.get("depends_on", {})) <= set(services)
        secrets = {one if isinstance(one, str) else one["source"] for one in service.get("secrets", [])}
        assert secrets <= set(base["secrets"])


@pytest.mark.server
@pytest.mark.parametrize(
    "file", sorted((DOCKER / "pgbouncer").glob("*.ini")), ids=lambda path: str(path.name)
)
def test_pgbouncers_files_work(file: Path, scratch_server: ScratchServer) -> None:
    """With this machine's PgBouncer and server: the login and what it runs at connect."""
    port, password = free_port(), scratch_server.address.passwords["postgres"]
    with tempfile.TemporaryDirectory(prefix="rewright-bouncer-") as made:
        home = Path(made)
        home.chmod(0o777)
        (home / "users.txt").write_text(f'"postgres" "{password}"\n')
        text = re.sub(r"host=\w+ port=\d+", f"host=127.0.0.1 port={scratch_server.port}", file.read_text())
        text = text.replace("listen_addr = *", "listen_addr = 127.0.0.1").replace("6543", str(port))
        text = text.replace("/tmp/users.txt", str(home / "users.txt"))
        if not prepares():
            text = re.sub(r"^max_prepared_statements.*$", "", text, flags=re.MULTILINE)
        (home / "bouncer.ini").write_text(text)
        account = "nobody" if os.geteuid() == 0 else None
        process = subprocess.Popen(
            [program(), "-q", str(home / "bouncer.ini")], user=account, stderr=subprocess.DEVNULL
        )

        def answers() -> bool:
            assert process.poll() is None
            try:
                with psycopg.connect(
                    f"host=127.0.0.1 port={port} dbname=postgres user=postgres", password=password
                ) as one:
                    return one.execute("select 1").fetchone() == (1,)
            except psycopg.OperationalError:
                return False

        try:
            until(answers)
        finally:
            process.terminate()
            process.wait(30)
