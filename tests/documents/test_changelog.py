"""CHANGELOG.md: what is not released yet has Keep a Changelog's sections, one line an entry."""

from __future__ import annotations

from pathlib import Path

import pytest

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def misplaced(text: str) -> list[str]:
    """The lines below [Unreleased] that are neither an entry nor the head of a section, each once."""
    below = text.partition("## [Unreleased]\n")[2].partition("\n## ")[0]
    lines = [line for line in below.splitlines() if line]
    heads = {f"### {name}" for name in SECTIONS}
    seen: set[str] = set()
    found = []
    for line in lines:
        if (line.startswith("#") and (line not in heads or line in seen)) or not line.startswith(("- ", "#")):
            found.append(line)
        seen.add(line)
    return found


def test_what_is_not_released_has_one_line_an_entry() -> None:
    assert misplaced(CHANGELOG.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("below", "found"),
    [
        ("### Added\n\n- One.\n- Two.\n", []),
        ("### Added\n\n- One that\n  goes on.\n", ["  goes on."]),
        ("### Checker\n\n- One.\n", ["### Checker"]),
        ("### Added\n\n- One.\n\n### Added\n\n- Two.\n", ["### Added"]),
        ("### Added\n\n- One.\n\n## [0.1.0]\n\nProse.\n", []),
    ],
)
def test_what_is_misplaced(below: str, found: list[str]) -> None:
    assert misplaced(f"# Changelog\n\n## [Unreleased]\n\n{below}") == found
