"""Results of explorations as a prompt shows them: up to 30 rows as they are, more as ten rows and figures
(APEX-SQL, section 4.3.4).

Owns that text. Where values are hidden there are only counts and kinds. Must not know what was explored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.ask.disclosure import Disclosure, kind_of
from rewright.ask.execution import Rows
from rewright.ask.quoting import MARK, one_line

WITHHELD = (
    "Values are withheld here, counts too: of a result you see how many rows it has and each column's kind, "
    "number of distinct values and share of NULLs. So select the rows themselves: whether rows with a "
    "condition exist, whether a join finds partners."
)
"""What a model is told of explorations where values are hidden."""
WHOLE = 30
SAMPLE = 10
LONGEST_LINE = 400


def compress(rows: Rows, disclosure: Disclosure, *, whole: int = WHOLE) -> str:
    """The text of a result; every line that holds data is marked as such."""
    count = (
        f"{'more than ' if rows.truncated else ''}{len(rows.rows)} row{'' if len(rows.rows) == 1 else 's'}"
    )
    names = ", ".join(one_line(name, 60) for name in rows.columns)
    if not rows.rows:
        return f"no rows ({names})"
    if disclosure.hides:
        return "\n".join([f"{count} (values are withheld)", *_figures(rows)])
    shown = rows.rows if len(rows.rows) <= whole else rows.rows[:SAMPLE]
    lines = [f"{count} ({names})", *(_line(row, disclosure) for row in shown)]
    if len(shown) < len(rows.rows):
        lines[0] += f", the first {SAMPLE}:"
        lines += _figures(rows)
    return "\n".join(lines)


def _line(row: Sequence[Any], disclosure: Disclosure) -> str:
    cells = ", ".join(disclosure.cell(value) for value in row)
    return MARK + (cells if len(cells) <= LONGEST_LINE else cells[: LONGEST_LINE - 1] + "…")


def _figures(rows: Rows) -> list[str]:
    lines = []
    for at, name in enumerate(rows.columns):
        values = [row[at] for row in rows.rows]
        held = [value for value in values if value is not None]
        kinds = "/".join(dict.fromkeys(map(kind_of, held))) or "nothing but NULL"
        distinct = len({repr(value) for value in held})
        nulls = round(100 * (len(values) - len(held)) / len(values))
        lines.append(f"column {one_line(name, 60)}: {kinds}, {distinct} distinct, {nulls} % NULL")
    return lines
