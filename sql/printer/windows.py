"""Windows and their frames as text. Must not know calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rewright.sql.algebra import Expr, Frame, SortKey, Window
from rewright.sql.printer.levels import OTHER


class Printer(Protocol):
    """What is needed of the expressions' printer."""

    def text(self, expr: Expr, level: int = ...) -> str: ...

    def items(self, exprs: Sequence[Expr]) -> str: ...

    def sort_keys(self, keys: Sequence[SortKey]) -> str: ...


def window_text(printer: Printer, window: Window) -> str:
    parts = []
    if window.partition_by:
        parts.append(f"PARTITION BY {printer.items(window.partition_by)}")
    if window.order_by:
        parts.append(f"ORDER BY {printer.sort_keys(window.order_by)}")
    # the default frame: RANGE UNBOUNDED PRECEDING, which needs no words
    if window.frame != Frame():
        parts.append(_frame(printer, window.frame))
    return " ".join(parts)


def _frame(printer: Printer, frame: Frame) -> str:
    start = _bound(printer, frame.start, frame.start_offset)
    end = _bound(printer, frame.end, frame.end_offset)
    exclude = {
        "": "",
        "current": " EXCLUDE CURRENT ROW",
        "group": " EXCLUDE GROUP",
        "ties": " EXCLUDE TIES",
    }[frame.exclude]
    return f"{frame.mode.upper()} BETWEEN {start} AND {end}{exclude}"


def _bound(printer: Printer, word: str, offset: Expr | None) -> str:
    if word == "current":
        return "CURRENT ROW"
    if offset is not None:
        # the offset ends before PRECEDING: operators of any level need no parentheses but BETWEEN's AND
        return f"{printer.text(offset, OTHER)} {word.upper()}"
    return word.replace("_", " ").upper()
