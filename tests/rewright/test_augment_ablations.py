"""The ablations of the selectors that ask a model, as the command that a stranger with a model runs: a process
of its own, over litellm's own path to a server on this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.conftest import Stub, imported, stub  # noqa: F401 - fixtures
from tests.rewright.test_lake_augment import make_files
from tests.rewright.test_lake_augment_models import suggestion

pytestmark = pytest.mark.long

VARIANTS = (
    "with history", "without history", "enrich", "30 tables, 1 sets", "100 tables, 10 sets",
    "2000 tokens, greedy", "20000 tokens, value-per-token",
)  # fmt: skip
CASE = {
    "id": "B1",
    "base_table": "sales",
    "target": "revenue",
    "base_key": ["shop"],
    "base_features": [],
    "row_filter": "",
}


def test_history_sets_and_budgets_are_measured_with_a_configured_model(stub: Stub, tmp_path: Path) -> None:  # noqa: F811
    stub.answer = suggestion
    make_files(tmp_path / "lakeB")
    (tmp_path / "augment_dev.json").write_text(json.dumps({"no_hop": [CASE]}))
    (tmp_path / "rewright.toml").write_text(f'[models]\nlake = "openai/stub"\napi_base = "{stub.url}"\n')
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "bench.augment_ablations", "--data", str(tmp_path), "--out", str(out)]
    command += ["--config", str(tmp_path / "rewright.toml"), *(x for v in VARIANTS for x in ("--only", v))]
    environment = {**os.environ, "OPENAI_API_KEY": "none", "HOME": str(tmp_path)}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = {row["variant"]: row for row in json.loads(out.read_text())}
    assert list(rows) == list(VARIANTS)
    for name, row in rows.items():
        assert row["r2"] > row["baseline"] + 0.5, name
        assert row["tokens"] > 0, name
    assert rows["2000 tokens, greedy"]["tokens"] <= 2_000
    assert stub.requests


def test_without_a_model_the_command_says_so(tmp_path: Path) -> None:
    make_files(tmp_path / "lakeB")
    (tmp_path / "augment_dev.json").write_text(json.dumps({"no_hop": [CASE]}))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("REWRIGHT_")}
    done = subprocess.run(
        [sys.executable, "-m", "bench.augment_ablations", "--data", tmp_path],
        cwd=Path(__file__).parents[2],
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert "no model is configured for the role lake" in done.stderr
