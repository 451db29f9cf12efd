"""The tutorial, run from top to bottom as a newcomer would, but for the installation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rewright.engines.postgres.installation import find_installation
from rewright.engines.postgres.scratch import ScratchServer, free_port

pytestmark = [pytest.mark.server, pytest.mark.timeout(280), pytest.mark.long]
TREE = Path(__file__).resolve().parents[2]
PAGE = (TREE / "docs" / "guide" / "tutorial.md").read_text()


def commands() -> str:
    """All blocks but that of the installation, as one script."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 7
    assert PAGE.count("```sh setup") == 1
    return "set -eu\n" + "\n".join(blocks)


def test_every_step(tmp_path: Path) -> None:
    script = tmp_path / "tutorial.sh"
    script.write_text(commands())
    bin_of_ours = tmp_path / "bin"
    bin_of_ours.mkdir()
    program = bin_of_ours / "rewright"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from rewright.cli import main; main()" "$@"\n')
    program.chmod(0o755)
    # a server of its own: the role that the page creates is for a whole server
    with ScratchServer() as server:
        address = server.address
        environment = {
            **os.environ,
            "PATH": f"{bin_of_ours}:{find_installation().program('psql').parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(TREE),
            "HOME": str(tmp_path),
            "PGHOST": "127.0.0.1",
            "PGPORT": str(address.port),
            "PGUSER": "postgres",
            "PGPASSWORD": address.passwords["postgres"],
            "PROXY_PORT": str(free_port()),
            "CONSOLE_PORT": str(free_port()),
        }
        done = subprocess.run(
            ["bash", str(script)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=260,
            check=False,
        )
    log = (tmp_path / "serve.log").read_text() if (tmp_path / "serve.log").exists() else ""
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{log}"
    assert re.search(r"replacement \| rewrite 1 ", done.stdout), f"{done.stdout}\n{log}"
    assert "proved" in done.stdout
    assert "reject" not in done.stderr
