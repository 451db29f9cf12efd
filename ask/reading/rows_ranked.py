"""Whose rows are ranked where no table is named: `who has the highest salary?`, `which engineer has the
highest salary?`.

Owns putting the table of what is ranked beside the words that ask for its rows. Must not know how rows are
ranked.
"""

from __future__ import annotations

from rewright.ask.context import TableContext
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope

_RANKS = {"top", "bottom"}
_WHICH = {("which",), ("what",)}
_WORTH = 0.95
_KINDS_OF_PEOPLE = 0.92


def rows_ranked(links: list[Link], scope: Scope) -> list[Link]:
    """The links, with the rows of the only column that may be ranked: of people whom `who` asks for, of a
    kind that a value names right behind `which`.
    """
    at = next((i for i, link in enumerate(links) if link.mark in _RANKS), None)
    if at is None or at + 1 >= len(links) or any(link.mark in {"table", "each"} for link in links):
        return links
    ranked = links[at + 1]
    owners = {c.table for c in ranked.columns if c.kind in {"number", "date"} and not c.key}
    if ranked.mark != "column" or not ranked.glued or len(owners) != 1:
        return links
    rows = scope.context.table(next(iter(owners)))
    before = [link for link in links[:at] if link.mark != "relation"]
    named = Link(rows.ref.name, "table", (rows,), fits={rows.ref: 1.0})
    if not before and scope.roles[:1] == ("who",) and _are_people(rows, scope):
        scope.doubt("whose rows are ranked", _WORTH)
        return [named, *links]
    value = before[0] if len(before) == 1 else None
    if value is None or value.mark != "value" or scope.roles[:1] not in _WHICH:
        return links
    if scope.roles[1:2] != (value.word.split()[0],):
        return links
    held = {c.table for c, _ in value.values}
    if len(held) != 1 or next(iter(held)) not in scope.told_by(rows.ref):
        return links
    scope.doubt("whose rows are ranked", _KINDS_OF_PEOPLE)
    named.glued = True
    place = links.index(value) + 1
    return [*links[:place], named, *links[place:]]


def _are_people(rows: TableContext, scope: Scope) -> bool:
    label = scope.label(rows)
    return all(c.kind == "text" and scope.words(c)[-1] == "name" for c in label)
