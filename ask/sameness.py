"""Compares answers: by their rows, and by the checker.

Owns both comparisons. Must not know where queries come from.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from rewright.ask.execution import Rows
from rewright.ask.ports import Comparison, Difference
from rewright.equivalence.verdicts import Proved, Refuted, Verdict

_PLACES = 6


def same_rows(first: Rows, second: Rows) -> bool:
    """The same rows as often each, columns in their order; numbers alike whatever their type. Cut results are
    told apart by what they show.
    """
    if len(first.columns) != len(second.columns) or first.truncated != second.truncated:
        return False
    return Counter(map(_plain, first.rows)) == Counter(map(_plain, second.rows))


def _plain(row: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(_value(value) for value in row)


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return repr(value) if value is None or isinstance(value, bool) else f"t:{value}"
    # -0.0 and 0.0 are one value
    return f"n:{round(float(value), _PLACES) + 0.0:.{_PLACES}f}"


class Checks(Protocol):
    """`rewright.equivalence.api.Checker`, which takes long to import, and not every question needs it."""

    def check(self, original: str, candidate: str) -> Verdict: ...


@dataclass(slots=True)
class CheckerComparer:
    """The checker behind the port. A proof that leaves something open besides order and float's last digits
    does not count.
    """

    checker: Checks

    def compare(self, first: str, second: str) -> Comparison:
        verdict = self.checker.check(first, second)
        if isinstance(verdict, Proved) and set(verdict.modulo) <= {"float-order", "tie-order"}:
            return Comparison("same")
        if isinstance(verdict, Refuted):
            example = verdict.counterexample
            # rows in another order are no other answer by themselves
            if example.kind == "order":
                return Comparison("open")
            return Comparison("differ", Difference(example.setup, example.original, example.candidate))
        return Comparison("open")
