"""The images' steps: every RUN line is a script of ours; those that can be executed here are."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import psycopg
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def pins(lock: Path) -> dict[str, frozenset[str]]:
    """The hashes of each ``name==version``."""
    stanzas = re.findall(r"^(\S+==\S+)((?: *\\\n +--hash=\S+)+)", lock.read_text(), re.MULTILINE)
    return {pin: frozenset(re.findall(r"--hash=(\S+)", hashes)) for pin, hashes in stanzas}


def test_the_image_holds_what_runs_and_not_what_tests() -> None:
    image, everything = pins(DOCKER / "requirements.lock"), pins(DOCKER.parent / "requirements.lock")
    assert image.items() <= everything.items()
    project = tomllib.loads((DOCKER.parent / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    heavy = {"bench", "plots", "embeddings-torch", "spark"}
    wanted = [
        *project["project"]["dependencies"],
        *(w for x, ws in extras.items() if x not in heavy for w in ws),
    ]
    names = {pin.partition("==")[0].lower() for pin in image}
    assert {canonicalize_name(Requirement(one).name) for one in wanted} <= names
    assert not names & {
        "cython",
        "hypothesis",
        "moto",
        "mypy",
        "playwright",
        "pytest",
        "scikit-learn",
        "sphinx",
    }


def said(file: Path, instruction: str) -> str:
    """What follows an instruction of a Dockerfile's last stage."""
    stage = file.read_text().rpartition("\nFROM ")[2]
    (found,) = re.findall(rf"^{instruction} (.*)$", stage, re.MULTILINE)
    return str(found)


@pytest.mark.server
def test_the_service_runs_as_its_files_say(
    scratch_server: ScratchServer, database: str, tmp_path: Path
) -> None:
    """The image's variables and command with Compose's variables and secrets, until the image's health check
    passes; ports, the server's name and the secrets' folder are this test's.
    """
    file = DOCKER / "Dockerfile"
    service = yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]["rewright"]
    assert f" {said(file, 'USER')}\n" in (DOCKER / "account.sh").read_text()
    (home,) = re.findall(r"--home-dir (\S+)", (DOCKER / "account.sh").read_text())
    assert said(file, "WORKDIR") == home
    assert [volume.partition(":")[2] for volume in service["volumes"]] == [f"{home}/.local/state/rewright"]
    clients, pages = free_port(), free_port()
    for secret in service["secrets"]:
        (tmp_path / secret).write_text("a password\n")
    (tmp_path / "optimiser_dsn").write_text(scratch_server.dsn(database) + "\n")
    given = dict(one.split("=", 1) for one in shlex.split(said(file, "ENV"))) | service["environment"]
    text = json.dumps({name: value for name, value in given.items() if name != "PATH"})
    for before, after in [("0.0.0.0:6432", f"127.0.0.1:{clients}"), ("0.0.0.0:6480", f"127.0.0.1:{pages}"),
                          ("@db/", "@127.0.0.1/"), ("//db/app", f"//127.0.0.1:{scratch_server.port}/{database}"),
                          ("/run/secrets", str(tmp_path)), ("__APP__", f"__{database.upper()}__")]:  # fmt: skip
        text = text.replace(before, after)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(tmp_path), **json.loads(text)}
    command, check = (
        json.loads(said(file, "CMD")),
        json.loads(said(file, "HEALTHCHECK").partition(" CMD ")[2]),
    )
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)

    def healthy() -> bool:
        assert process.poll() is None
        asked = [word.replace("6480", str(pages)) for word in check]
        return subprocess.run(asked, env=environment, capture_output=True, check=False).returncode == 0

    try:
        until(healthy)
        with psycopg.connect(
            host="127.0.0.1", port=clients, dbname=database, user="postgres",
            password=scratch_server.address.passwords["postgres"],
        ) as connection:  # fmt: skip
            assert connection.execute("show rewright.mode").fetchone() == ("apply",)
    finally:
        process.terminate()
        log = process.communicate(timeout=60)[1]
    assert process.returncode == 0
    assert (tmp_path / ".local" / "state" / "rewright" / "store.db").exists()
    # as lines of JSON, which the image asks for
    assert any(json.loads(line)["event"] == "proxy.listening" for line in log.splitlines() if line[:1] == "{")


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
