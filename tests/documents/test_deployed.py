"""Files for other programs: what can be checked of them without a container runtime, a cluster or root."""

from __future__ import annotations

import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.documents.pages import PAGES, TREE, Block, blocks
from tests.documents.schemas import COMPOSE, KUBERNETES
from tests.documents.world import PROGRAM
from tests.proxy.waiting import until

DOCKER = TREE / "docker"
UNIT = TREE / "docs" / "guide" / "rewright.service"
SOCKET_UNIT = UNIT.with_suffix(".socket")


def wrong(document: Any, schema: Any) -> list[str]:
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def kubernetes(document: Any) -> list[str]:
    return wrong(document, KUBERNETES[document["kind"]])


@pytest.mark.parametrize("file", sorted(DOCKER.glob("compose*.yaml")), ids=lambda path: str(path.name))
def test_compose_files_are_what_compose_reads(file: Path) -> None:
    document = yaml.safe_load(file.read_text())
    assert wrong(document, COMPOSE) == []
    document["services"]["pgbouncer" if "pgbouncer" in file.name else "db"]["image_"] = "postgres"
    assert len(wrong(document, COMPOSE)) == 1


def test_manifests_are_what_kubernetes_takes() -> None:
    documents = list(yaml.safe_load_all((DOCKER / "kubernetes" / "rewright.yaml").read_text()))
    assert len(documents) == 5
    assert [problem for document in documents for problem in kubernetes(document)] == []
    # the schema refuses what is none
    documents[1]["spec"]["template"]["spec"]["containers"][0]["redinessProbe"] = {}
    documents[1]["spec"]["replicas"] = "two"
    assert len(kubernetes(documents[1])) == 2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_files_for_docker_that_pages_name_exist(page: Path) -> None:
    for name in re.findall(r"\bdocker/[\w./-]*\w", page.read_text(encoding="utf-8")):
        assert (TREE / name).exists(), name


def test_the_unit() -> None:
    """systemd reads it without a complaint, but for a program and an account that are not here."""
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(UNIT.read_text())
    assert unit["Service"]["Type"] == "notify"
    assert " serve --config " in unit["Service"]["ExecStart"]
    assert complaints(UNIT) == []


def test_the_unit_of_the_socket() -> None:
    """It goes by the service's name, which makes systemd give it to the service, and says what it is for."""
    unit = ConfigParser(strict=False, interpolation=None)
    unit.read_string(SOCKET_UNIT.read_text())
    assert unit["Socket"]["FileDescriptorName"] == "clients"
    assert "accept" not in unit["Socket"]
    assert complaints(UNIT, SOCKET_UNIT) == []


def complaints(*units: Path) -> list[str]:
    """What systemd says of units, where it is there, but for a program that is not."""
    analyser = shutil.which("systemd-analyze")
    if analyser is None:
        return []
    command = [analyser, "verify", "--man=no", *map(str, units)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if "rewright." in line]
    return [line for line in said if "is not executable" not in line]


@pytest.mark.parametrize("block", blocks("text", "logrotate"), ids=str)
def test_logs_go_on_in_a_file_that_was_truncated(block: Block, tmp_path: Path) -> None:
    """What `copytruncate` does, to a log that is appended to as the page says."""
    page = (TREE / block.page).read_text()
    (file,) = re.findall(r"^(/\S+) \{$", block.text, re.MULTILINE)
    assert f"2>>{file}" in page
    assert "copytruncate" in block.text.split()
    program, log = tmp_path / "rewright", tmp_path / "rewright.log"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    command = f"exec {program} serve --upstream postgresql://127.0.0.1:1 --listen 127.0.0.1:0 --http '' --store {tmp_path}/store.db 2>>{log}"
    process = subprocess.Popen(["sh", "-c", command], cwd=tmp_path)
    try:
        until(lambda: log.exists() and "listening" in log.read_text())
        log.write_text("")
    finally:
        process.terminate()
        assert process.wait(60) == 0
    assert "proxy.stopped" in log.read_text()
    assert "\0" not in log.read_text()
    if (rotate := shutil.which("logrotate")) is not None:
        (tmp_path / "conf").write_text(block.text)
        subprocess.run([rotate, "--debug", str(tmp_path / "conf")], check=True, capture_output=True)
