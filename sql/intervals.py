"""Bounds of sums, differences and products of whole numbers.

Must not know expressions.
"""

from __future__ import annotations

from collections.abc import Sequence

Bounds = tuple[int, int]


def combined(op: str, known: Sequence[Bounds | None]) -> Bounds | None:
    """The least and the largest result of ``op`` over operands within ``known``, as mathematics has it; None:
    not known.
    """
    match op, known:
        case _, known if None in known:
            return None
        case "-", [(low, high)]:
            return -high, -low
        case "+", [one]:
            return one
        case "+", [(low, high), (least, most)]:
            return low + least, high + most
        case "-", [(low, high), (least, most)]:
            return low - most, high - least
        case "*", [(low, high), (least, most)]:
            corners = [x * y for x in (low, high) for y in (least, most)]
            return min(corners), max(corners)
    return None
