"""SQL as it is read: formatted, its placeholders short, two texts side by side with what differs. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pglast

from rewright.sql.placeholders import HOLE
from rewright.sql.redaction import with_marks, without_literals

Kind: TypeAlias = Literal["same", "changed", "removed", "added"]
# formatting takes time in proportion: longer texts are shown as they were sent
_LONGEST = 50_000
# numbers that no statement's own parameters have
_BASE = 40_000
# the number that stands for a constant
_WITHHELD = 9_999
_MARKED = re.compile(rf"\${_BASE // 10_000}(\d{{4}})\b")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of two texts beside each other; None: that text has no such line."""

    kind: Kind
    left: str | None
    right: str | None


def formatted(text: str, *, literals: bool = True) -> str:
    r"""A statement over several lines, a template's holes as ``:1``; as it is where it can't be parsed.

    Without ``literals`` a constant that the template kept reads ``?``.

    >>> formatted("select a from t where b = ⟦1:n⟧ limit 5", literals=False)
    'SELECT a\nFROM t\nWHERE b = :1\nLIMIT ?'
    """
    shown = text if literals else without_literals(text)
    spelled = HOLE.sub(lambda hole: f"${_BASE + int(hole[1])}" if int(hole[1]) < _WITHHELD else hole[0], text)
    # with a parameter for each constant, so that it can still be parsed
    parsed = spelled if literals else with_marks(spelled, f"${_BASE + _WITHHELD}", "'?'")
    if parsed is None or len(spelled) > _LONGEST:
        return shown
    try:
        pretty = pglast.prettify(parsed)
    except Exception:  # noqa: BLE001  (the printer has statements that it can't print: a page shows them as they are)
        return HOLE.sub(lambda hole: f":{hole[1]}", shown)
    return _MARKED.sub(lambda mark: "?" if int(mark[1]) == _WITHHELD else f":{int(mark[1])}", pretty)


def side_by_side(before: str, after: str) -> Sequence[Line]:
    """Two formatted texts, line by line."""
    left, right = before.splitlines(), after.splitlines()
    # lines that are equal but for their indentation are the same line moved
    matcher = difflib.SequenceMatcher(
        None, [one.strip() for one in left], [one.strip() for one in right], False
    )
    lines: list[Line] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        old, new = left[i1:i2], right[j1:j2]
        if kind == "equal":
            lines += [Line("same", a, b) for a, b in zip(old, new, strict=True)]
            continue
        paired = min(len(old), len(new))
        lines += [Line("changed", old[n], new[n]) for n in range(paired)]
        lines += [Line("removed", one, None) for one in old[paired:]]
        lines += [Line("added", None, one) for one in new[paired:]]
    return lines


def one_line(text: str, longest: int = 160) -> str:
    """The beginning of a text on one line, a template's holes as ``:1``."""
    flat = HOLE.sub(lambda hole: f":{hole[1]}", " ".join(text[: longest * 4].split()))
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
