"""Whoever silences a checker says why: `# type: ignore[code] # reason`, `# noqa: CODE - reason`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SILENCED = re.compile(r"type: ignore|noqa")
_WITH_REASON = re.compile(
    r"(type: ignore\[[a-z, -]+\]\s+#\s*|noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*\s+(--?\s+|\())(?!noqa|type:)\w*[A-Za-z_`\[*].*\s"
)


def sources() -> Iterator[Path]:
    """Every module of the product, whose folders are links to those beside the package, and of the benchmarks."""
    for folder in [*sorted((ROOT / "rewright").iterdir()), ROOT / "bench"]:
        if folder.suffix == ".py":
            yield folder
        elif folder.is_dir():
            yield from sorted(folder.resolve().rglob("*.py"))
    yield ROOT / "setup.py"


def without_reason(text: str) -> list[str]:
    """The comments of a module that silence a checker and do not say why."""
    if not _SILENCED.search(text):
        return []
    return [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
        and _SILENCED.search(token.string)
        and not _WITH_REASON.search(token.string)
    ]


def test_each_exception_has_a_reason() -> None:
    paths = list(sources())
    assert len(paths) > 900
    bare = {str(path): found for path in paths if (found := without_reason(path.read_text(encoding="utf-8")))}
    assert bare == {}


@pytest.mark.parametrize(
    ("comment", "fits"),
    [
        ("# type: ignore", False),
        ("# type: ignore[arg-type]", False),
        ("# type: ignore[arg-type]  # noqa: E501", False),
        ("# type: ignore[arg-type] # checked above", True),
        ("# noqa", False),
        ("# noqa: S311", False),
        ("# noqa: S311 -", False),
        ("# noqa: S311 - test data", True),
        ("# noqa: BLE001, S110 -- one pair must not end the others", True),
        ("# noqa: S704  (numbers and words of this file)", True),
    ],
)
def test_what_counts_as_a_reason(comment: str, fits: bool) -> None:
    assert (without_reason(f"x = 1  {comment}\n") == []) is fits
