"""Tables for a terminal: columns as wide as what they hold, the last one cut where the line ends. Must not
know commands.
"""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence

import click

_GAP = "  "
_NARROWEST = 12


def on_terminal() -> bool:
    """Whether a person reads stdout; programs are given plain lines."""
    return sys.stdout.isatty()


def echo_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their names, as wide as the terminal at most."""
    first, *rest = lines_of(names, rows, shutil.get_terminal_size().columns)
    click.secho(first, bold=True)
    for line in rest:
        click.echo(line)


def lines_of(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The names, then a line for each row. Texts are hostile: what steers a terminal is left out.

    >>> list(lines_of(["a", "query"], [["12", "select 1"], ["3", "select two, three"]], 20))
    ['a   query', '12  select 1', '3   select two, thr…']
    """
    table = [[_printable(cell) for cell in row] for row in (names, *rows)]
    columns = [max(_width(row[n]) for row in table) for n in range(len(names) - 1)]
    left = max(width - sum(columns) - len(_GAP) * len(columns), _NARROWEST)
    for row in table:
        cells = [cell + " " * (size - _width(cell)) for cell, size in zip(row, columns, strict=False)]
        yield _GAP.join([*cells, _cut(row[-1], left)]).rstrip()


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _width(text: str) -> int:
    """Columns of a terminal."""
    return sum(_of(c) for c in text)


def _of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(text: str, width: int) -> str:
    if _width(text) <= width:
        return text
    kept, used = [], 1
    for character in text:
        used += _of(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + "…"
