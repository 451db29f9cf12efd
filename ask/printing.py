"""Prints answers on a terminal: the query and its meaning on stderr, the rows on stdout.

Owns the layout. Nothing a cell, a question or a model says may steer the terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.answer import Answer
from rewright.ask.outcome import Alternative
from rewright.ask.sessions import detail, plain
from rewright.ask.shown import one_line
from rewright.terminal import echo

_CELL = 60


def print_answer(answer: Answer) -> None:
    if answer.sql:
        echo(f"SQL: {one_line(answer.sql)}", err=True)
    if answer.reading:
        echo(f"read as: {plain(answer.reading)} (confidence {answer.confidence:.2f})", err=True)
    if answer.refused or answer.error:
        echo(f"not answered: {plain(answer.refused or answer.error)}", err=True)
        if said := detail(answer):
            echo(said, err=True)
        return
    echo(" | ".join(map(plain, answer.columns)))
    for row in answer.rows:
        echo(" | ".join("" if value is None else _cell(value) for value in row))
    if answer.truncated:
        echo(f"(the first {len(answer.rows)} rows)", err=True)


def print_choices(readings: Sequence[Alternative]) -> None:
    for number, one in enumerate(readings, 1):
        echo(f"{number}. {plain(one.reading)} (confidence {one.confidence:.2f})", err=True)
        echo(f"   {one_line(one.sql)}", err=True)
        if one.difference is not None:
            echo(f"   parts from the first on: {plain('; '.join(one.difference.setup))}", err=True)


def _cell(value: object) -> str:
    """One line, no control characters."""
    text = "".join(ch if ch.isprintable() else " " for ch in str(value))
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
