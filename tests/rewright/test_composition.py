"""The rewriter is put together in one place, whoever uses it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPOSED = "rewrite/adapters/live.py"
PARTS = frozenset({"Rewriter", "ChainChecker", "RuleProposer", "TemplateScoper"})


def makers() -> Iterator[tuple[str, str]]:
    """(file, part) of each call in the product that makes a part of the rewriter."""
    for folder in ("rewrite/adapters", "rewright", "lake", "ask", "console"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            # reading the syntax of a file takes long, and most do not name a part
            for node in ast.walk(ast.parse(text)) if any(part in text for part in PARTS) else ():
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PARTS:
                    yield path.relative_to(ROOT).as_posix(), node.func.id


def test_only_one_file_makes_the_rewriters_parts() -> None:
    assert set(makers()) == {(COMPOSED, part) for part in PARTS}


def test_a_relay_loads_neither_rules_nor_checker() -> None:
    """A worker is back within a moment after it was killed: it loads what it serves with, not what finds it."""
    code = (
        "import sys, rewright.processes.worker; print([m for m in sys.modules if m.startswith('rewright.')])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = set(ast.literal_eval(told))
    assert "rewright.proxy.relay" in loaded
    assert not loaded & {
        "rewright.rewrite.api",
        "rewright.equivalence.api",
        "rewright.ask.api",
        "rewright.lake.api",
    }
