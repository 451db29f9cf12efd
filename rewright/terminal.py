"""Text, JSON and tables for whoever reads stdout, a person at a terminal or a program; and what stdin holds.

Texts of clients, files and models are hostile: what steers a terminal never reaches one. Must not know
commands.
"""

from __future__ import annotations

import json
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence

import click

_GAP = "  "
_LAYOUT = frozenset("\n\t")
_NARROWEST = 12


def on_terminal() -> bool:
    """Whether a person reads stdout; programs are given plain lines."""
    return sys.stdout.isatty()


def or_stdin(_context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """For an argument that may be long, or that other users of the machine must not see: ``-`` stands for
    what stdin holds.
    """
    if value != "-":
        return value
    try:
        return sys.stdin.buffer.read().decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise click.BadParameter("what stdin holds is not UTF-8", param=parameter) from error


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text as it is to a program, `readable` to a person."""
    stream = sys.stderr if err else sys.stdout
    click.echo(readable(text) if stream.isatty() else text, nl=nl, err=err)


def readable(text: str) -> str:
    r"""With a blank for each character that shows nothing: what steers a terminal, turns the direction of
    writing, or hides.

    >>> readable("select 1 -- \x1b[2J\n")
    'select 1 --  [2J\n'
    """
    return "".join(c if c.isprintable() or c in _LAYOUT else " " for c in text)


def echo_json(document: object, *, indent: int | None = 2) -> None:
    """Print one document; what is no JSON type as text. Characters that show nothing are escaped, which is
    the same JSON.
    """
    text = json.dumps(document, ensure_ascii=False, default=str, indent=indent)
    click.echo("".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in text))


def echo_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their names, as wide as the terminal at most."""
    first, *rest = lines_of(names, rows, shutil.get_terminal_size().columns)
    click.secho(first, bold=True)
    for line in rest:
        click.echo(line)


def lines_of(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The names, then a line for each row, each text on one line and `readable`.

    >>> list(lines_of(["a", "query"], [["12", "select 1"], ["3", "select two, three"]], 20))
    ['a   query', '12  select 1', '3   select two, thr…']
    """
    table = [[" ".join(readable(cell).split()) for cell in row] for row in (names, *rows)]
    # the last column takes what is left of the line
    columns = [max(_width(row[n]) for row in table) for n in range(len(names) - 1)]
    left = max(width - sum(columns) - len(_GAP) * len(columns), _NARROWEST)
    for row in table:
        # combining marks and wide characters make letters and columns differ
        cells = [cell + " " * (size - _width(cell)) for cell, size in zip(row, columns, strict=False)]
        yield _GAP.join([*cells, _cut(row[-1], left)]).rstrip()


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def _width(text: str) -> int:
    """Columns of a terminal."""
    return sum(_of(c) for c in text)


def _of(character: str) -> int:
    # it stands over the letter before
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
