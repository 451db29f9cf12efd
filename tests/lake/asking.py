"""What tests ask of the lake that their file writes: the fixture `lake` opens what its `write_lake(folder)` wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rewright.lake.api import Lake
from rewright.lake.resolve.resolution import Answer


def table(
    folder: Path, name: str, header: str, rows: Iterable[str | Sequence[object]], above: str = ""
) -> None:
    """Write ``name``.csv; a row is a line, or its values."""
    lines = [row if isinstance(row, str) else ",".join(map(str, row)) for row in rows]
    (folder / f"{name}.csv").write_text(above + "\n".join([header, *lines]) + "\n", encoding="utf-8")


def asked(lake: Lake, sql: str) -> Answer:
    """The answer, which has rows."""
    answer = lake.query(sql, "resolve")
    assert answer.rows is not None
    return answer


def rows_of(answer: Answer) -> list[tuple[object, ...]]:
    assert answer.rows is not None
    return [tuple(row) for row in answer.rows.rows]


def columns_of(answer: Answer) -> dict[str, str]:
    """What each column that was asked for was taken for."""
    return {m.column: f"{m.real_table}.{m.real_column}" for m in answer.resolution.columns}
