"""Where words stand beside their nouns: kinds that stand for their rows, what is told of a measured noun, the
places of an order.

Owns moving them to where the passes look for them. Must not know what a question asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed

_CLASSES = frozenset(listed("kind type category class group grade tier sort family"))
_ORDINALS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}
_RATES = frozenset({"rate", "rates", "quota", "quotas"})
_COMPARED = frozenset((">", "<", ">=", "<=", "=", "!=", "between", "than"))
_MEASURES = {"avg", "sum", "min", "max", "median", "top", "bottom", "first", "last", "count"}


def ordinals(links: Sequence[Link]) -> None:
    """`the second highest price`: how many are passed over."""
    for ordinal, best in pairwise(links):
        if best.mark in {"top", "bottom"} and best.glued and ordinal.word in _ORDINALS:
            ordinal.mark, ordinal.number = "nth", str(_ORDINALS[ordinal.word])


def floors(links: list[Link]) -> list[Link]:
    """`on the third floor`, of a number: the floor that is 3."""
    for at, (ordinal, noun) in enumerate(pairwise(links)):
        # `first` is an order of rows elsewhere, a floor here
        number = _ORDINALS.get(ordinal.word) or (1 if ordinal.word == "first" else 0)
        held = (
            noun.mark == "column"
            and noun.glued
            and all(c.kind == "number" and not c.key for c in noun.columns)
        )
        if (
            number
            and held
            and ordinal.mark in {"unread", "first"}
            and ordinal.preposition in {"on", "in", "of", "for"}
        ):
            equal = [Link("=", "="), Link(ordinal.text, "number", number=str(number))]
            return [*links[:at], noun, *equal, *links[at + 2 :]]
    return links


def numbered(links: list[Link], scope: Scope) -> list[Link]:
    """`5 star ratings`, of ratings with a number of stars: those with 5."""
    for at, (number, unit) in enumerate(pairwise(links)):
        before = links[at - 1].mark if at else ""
        held = tuple(c for c in unit.columns if c.kind == "number" and not c.key)
        # `5 star ratings`: glued, as `5, stars` are two things of a list
        if number.mark != "number" or unit.mark != "column" or len(held) != 1 or not unit.glued:
            continue
        noun = links[at + 2] if at + 2 < len(links) else None
        rows = noun is not None and noun.mark == "table" and noun.glued and not unit.word.endswith("s")
        told = rows and noun is not None and noun.tables[0].ref == held[0].table
        # a table said by the column's own words (`ratings` for `rating`) would be the column again
        named = scope.said_table(unit) is not None and unit.word.split()[-1] not in scope.words(held[0])
        # behind a comparison the number is a bound: `more than 5 stars`
        if before in {"first", "last", "top", "bottom", *_COMPARED} or not (told or named):
            continue
        table = scope.context.table(held[0].table)
        rest = links[at + (3 if told else 2) :]
        unit.columns, unit.fits = held, {}
        return [*links[:at], Link(table.ref.name, "table", (table,)), unit, Link("=", "="), number, *rest]
    return links


def rows_of_kinds(links: list[Link], scope: Scope) -> list[Link]:
    """`names of all catamarans`, `how many dogs`, of a table of kinds to which only one other refers: its
    rows of that kind.
    """
    # a named table settles whose rows are meant
    if any(link.mark == "table" for link in links):
        return links
    for at, (before, kind) in enumerate(pairwise(links)):
        columns = list(dict.fromkeys(c for c, _ in kind.values))
        opens = before.mark in {"count", "label", "return", "top", "bottom"}
        if kind.mark != "value" or not opens or not kind.text.islower() or len(columns) != 1:
            continue
        # a kind is unique in a table of kinds; any other value may stand in many rows already
        if kind.preposition not in {"", "of"} or not columns[0].unique:
            continue
        # two tables that refer to the kinds: rows of which is not said
        refer = {j.many.table for j in scope.context.joins if j.one.table == columns[0].table}
        if len(refer) == 1 and columns[0].table not in refer:
            table = scope.context.table(refer.pop())
            scope.doubt("rows told by their kind", 0.95)
            return [*links[: at + 2], Link(table.ref.name, "table", (table,), glued=True), *links[at + 2 :]]
    return links


def kinds(links: list[Link], scope: Scope) -> list[Link]:
    """`the cheapest malt`, of ingredients of the kind malt: the rows of that kind."""
    if any(link.mark in {"table", "count"} for link in links):
        return links
    for at, (ranked, value) in enumerate(pairwise(links)):
        columns = list(dict.fromkeys(c for c, _ in value.values))
        if ranked.mark not in {"top", "bottom", "label"} or value.mark != "value" or len(columns) != 1:
            continue
        if scope.words(columns[0])[-1] in _CLASSES:
            table = scope.context.table(columns[0].table)
            noun = Link(table.ref.name, "table", (table,), glued=True)
            scope.doubt("rows told by their kind", 0.95)
            return [*links[: at + 2], noun, *links[at + 2 :]]
    return links


def rates(links: list[Link], scope: Scope) -> list[Link]:
    """`pass rate`, `no-show rate`: a share of rows, and not the one column that is called a rate elsewhere.

    Raises Unclear: which rows are the whole is not said.
    """
    for told, rate in pairwise(links):
        if told.mark not in {"column", "value"} or rate.mark != "column" or not rate.glued:
            continue
        held = [*told.columns, *(c for c, _ in told.values)]
        # a flag or a value says of a row yes or no, so its rate needs a whole; a number may be a rate itself
        is_told = told.mark == "value" or all(c.kind == "boolean" for c in held)
        named = any(set(told.word.split()) & set(scope.words(c)) for c in rate.columns)
        near = {c.table for c in held} & {c.table for c in rate.columns}
        if rate.word in _RATES and is_told and held and not named and not near:
            raise Unclear(f"it is not clear of what {told.text} {rate.text} is a share")
    return links


def attributes_behind(links: list[Link]) -> list[Link]:
    """`the average billable hours` as `the average hours, billable ones`: nouns stand beside measures."""
    for at in range(1, len(links) - 1):
        measure, flag, noun = links[at - 1 : at + 2]
        told = flag.mark in {"done", "undone", "defined"} or (
            flag.mark == "column" and all(c.kind == "boolean" for c in flag.columns)
        )
        if told and measure.mark in _MEASURES and noun.glued and noun.mark in {"column", "table"}:
            # swapped, so that the measure meets its noun and the flag becomes a condition behind it
            links[at], links[at + 1] = noun, flag
            flag.glued = False
    return links
