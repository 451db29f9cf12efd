"""docs/reference/json.md names every field of our documents, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from rewright.cli.documents import acceptance_document, decision_document, log_document, rewrite_document
from rewright.store.life import State
from rewright.store.records import LogEntry, NewRewrite, Resolution, Rewrite

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
PROPOSAL = NewRewrite("app", "k", "t", "o", "r")
REWRITE = Rewrite(1, PROPOSAL, State.PROPOSED, False, "", "", 0.0, 0.0)


def documented(title: str) -> set[str]:
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_log() -> None:
    assert documented("rewright log --json") == set(log_document(LogEntry(at=0.0, database="app")))


def test_show() -> None:
    assert documented("rewright show ID --json") == set(rewrite_document(REWRITE, []))


def test_decisions() -> None:
    assert documented("rewright approve ID --json") == set(decision_document(REWRITE))
    assert documented("rewright accept ID --json") == set(acceptance_document(Resolution("lake", "a", "b")))
