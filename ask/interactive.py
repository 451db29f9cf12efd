"""A conversation on a terminal: questions that follow up one another, and their queries, shown and edited by
hand.

Owns its few commands. Must not know how a question is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import click

from rewright.ask.answer import Answer, chosen_among
from rewright.ask.api import Asker
from rewright.ask.printing import print_answer, print_choices

HELP = (
    "A question, or: \\e edits the last query and runs it again, "
    "\\c shows the readings there are and takes one, \\q ends."
)


def converse(
    asker: Asker,
    *,
    read: Callable[[str], str] = input,
    edit: Callable[[str], str | None] = click.edit,
) -> None:
    """Until the end of the input, or the word for it. ``edit`` gives a text back as a person changed it,
    None: unchanged.
    """
    click.echo(HELP, err=True)
    last: Answer | None = None
    while True:
        try:
            said = read("ask> ").strip()
        except (EOFError, KeyboardInterrupt):
            click.echo(err=True)
            return
        if said == "\\q":
            return
        if not said:
            continue
        try:
            last = _turn(asker, said, last, read, edit) or last
        except KeyboardInterrupt:
            click.echo("cancelled", err=True)


def _turn(
    asker: Asker,
    said: str,
    last: Answer | None,
    read: Callable[[str], str],
    edit: Callable[[str], str | None],
) -> Answer | None:
    """What came of one line; None: nothing that another line could take up."""
    if not said.startswith("\\"):
        answer = asker.ask(said)
    elif last is None:
        click.echo("there is no question yet", err=True)
        return None
    elif said == "\\e":
        answer = asker.edited(last, (edit(_editable(last)) or _editable(last)).strip())
    elif said == "\\c":
        found = _taken(asker, last, read)
        if found is None:
            return None
        answer = found
    else:
        click.echo(HELP, err=True)
        return None
    print_answer(answer)
    return _with_query(answer, last)


def _editable(answer: Answer) -> str:
    """The query that ran, or that would have."""
    return answer.sql or next((one.sql for one in answer.alternatives), "")


def _with_query(answer: Answer, last: Answer | None) -> Answer:
    """A refusal without any query leaves the query before it to be edited."""
    kept = last is not None and bool(_editable(last)) and not _editable(answer)
    return last if kept and last is not None else answer


def _taken(asker: Asker, last: Answer, read: Callable[[str], str]) -> Answer | None:
    if not last.readings:
        click.echo("there is no reading", err=True)
        return None
    print_choices(last.readings)
    try:
        said = read("which> ").strip()
    except EOFError:
        # nothing is chosen; the next line's end ends the conversation
        click.echo(err=True)
        return None
    chosen = chosen_among(last, int(said)) if said.isdecimal() else None
    if chosen is None:
        return None
    return asker.edited(replace(last, reading=chosen.reading, confidence=chosen.confidence), chosen.sql)
