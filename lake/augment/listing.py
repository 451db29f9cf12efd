"""A report as rows of a table: what AUGMENT answers in SQL and the command prints.

Owns the columns and what stands in them. Must not know the wire or the terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.lake.augment.api import Added, Report

COLUMNS = (
    "rank", "table", "join_path", "added_columns", "r2_before", "r2_after", "interval", "leakage", "evidence",
)  # fmt: skip
_WIDEST = 60


def rows(report: Report) -> list[tuple[object, ...]]:
    """A row for each table of the best set, in its order; then one without a rank for each other table that
    gives the target away.
    """
    listed = [_row(report, rank, added) for rank, added in enumerate(report.added, 1)]
    shown = {added.table for added in report.added}
    others = dict.fromkeys(leak.table for leak in report.leaks if leak.table not in shown)
    return listed + [
        (None, table, "", "", None, None, "", _leakage(report, table), "left out: leakage")
        for table in others
    ]


def _row(report: Report, rank: int, added: Added) -> tuple[object, ...]:
    return (
        rank,
        added.table,
        added.join_path,
        ", ".join(added.columns),
        round(added.r2_before, 6),
        round(added.r2_after, 6),
        f"[{added.low:.4f}, {added.high:.4f}]",
        _leakage(report, added.table),
        added.evidence(),
    )


def ended(report: Report) -> str:
    """What a budget that ended left out."""
    if not report.not_tried:
        return "the budget ended: all joins had been looked at, but others may help beside those chosen"
    many = len(report.not_tried)
    return f"the budget ended: {many} {'join was' if many == 1 else 'joins were'} not tried"


def _leakage(report: Report, table: str) -> str:
    return "; ".join(f"{leak.column}: {leak.reason}" for leak in report.leaks if leak.table == table)


def lines(report: Report) -> list[str]:
    """The rows as text in aligned columns, long cells cut."""
    cells = [COLUMNS, *([_cell(value) for value in row] for row in rows(report))]
    widths = [max(len(row[i]) for row in cells) for i in range(len(COLUMNS))]
    told = [_line(row, widths) for row in cells]
    return [told[0], "-+-".join("-" * width for width in widths), *told[1:]]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
