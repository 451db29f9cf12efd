"""Whose rows are ranked where no table is named: `who has the highest salary?`, `which engineer has the
highest salary?`.

Owns putting the table of what is ranked beside the words that ask for its rows. Must not know how rows are
ranked.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.extremes import MOST
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import is_a_sum
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed

_RANKS = {"top", "bottom"}
_WHICH = {("which",), ("what",)}
_WORTH = 0.95
_PAYS = frozenset(listed("paid pay pays spent spend spends"))
_MONEY = frozenset(listed("amount price total cost fee paid fare charge"))
_KINDS_OF_PEOPLE = 0.92


def rows_ranked(links: list[Link], scope: Scope) -> list[Link]:
    """The links, with the rows of the only column that may be ranked: of people whom `who` asks for, of a
    kind that a value names right behind `which`.
    """
    at = next((i for i, link in enumerate(links) if link.mark in _RANKS), None)
    # a table or a group that is named says itself whose rows are ranked
    if at is None or at + 1 >= len(links) or any(link.mark in {"table", "each"} for link in links):
        return links
    ranked = links[at + 1]
    owners = {c.table for c in ranked.columns if c.kind in {"number", "date"} and not c.key}
    # columns of several tables leave open whose they are, as would a superlative apart from its noun
    if ranked.mark != "column" or not ranked.glued or len(owners) != 1:
        return links
    rows = scope.context.table(next(iter(owners)))
    before = [link for link in links[:at] if link.mark != "relation"]
    named = Link(rows.ref.name, "table", (rows,), fits={rows.ref: 1.0})
    if not before and scope.roles[:1] == ("who",) and (people := _people_of(rows, scope)) is not None:
        scope.doubt("whose rows are ranked", _WORTH)
        return [Link(people.ref.name, "table", (people,), fits={people.ref: 1.0}), *links]
    value = before[0] if len(before) == 1 else None
    # anything between `which` and the superlative but one value is another form
    if value is None or value.mark != "value" or scope.roles[:1] not in _WHICH:
        return links
    if scope.roles[1:2] != (value.word.split()[0],):
        return links
    held = {c.table for c, _ in value.values}
    # the ranked rows must lead to the value's, or it is a kind of something else
    if len(held) != 1 or next(iter(held)) not in scope.told_by(rows.ref):
        return links
    scope.doubt("whose rows are ranked", _KINDS_OF_PEOPLE)
    named.glued = True
    place = links.index(value) + 1
    return [*links[:place], named, *links[place:]]


def _people_of(rows: TableContext, scope: Scope) -> TableContext | None:
    """The rows themselves, or the only people whom they refer to: `who worked the most hours`, of shifts."""
    if _are_people(rows, scope):
        return rows
    referred = {j.one.table for j in scope.context.joins if j.many.table == rows.ref}
    people = [t for t in map(scope.context.table, referred) if _are_people(t, scope)]
    # rows that refer to two kinds of people (a buyer, a seller) do not say who did it
    return people[0] if len(people) == 1 else None


def most_paid(links: list[Link], scope: Scope) -> list[Link]:
    """`which client paid the most`: the only money in rows that lead to clients, added up for each."""
    for at in range(2, len(links)):
        rows, verb, most = links[at - 2 : at + 1]
        behind = links[at + 1] if at + 1 < len(links) else None
        # what follows may be the measure: `paid the most tax`
        ends = behind is None or behind.mark in {"stop", "moment", "comma"} or bool(behind.preposition)
        if rows.mark != "table" or verb.word not in _PAYS or most.mark not in _RANKS or not ends:
            continue
        held = _paid_by(rows.tables[0], scope)
        # two kinds of money: what was paid is not sure
        if most.word not in MOST or len(held) != 1:
            continue
        told = [c for c in verb.columns if c.table == held[0].table and c != held[0]]
        # a nullable date of paying or a flag says which rows are paid: then it stays as a condition
        done = [c for c in told if (c.kind == "date" and c.nulls) or c.kind == "boolean"]
        verb.mark, verb.columns = ("done", (done[0],)) if done else ("relation", ())
        named = Link(
            held[0].name, "column", columns=(held[0],), fits={(held[0].table, held[0].name): 1.0}, glued=True
        )
        scope.doubt("what was paid", _WORTH)
        return [*links[: at + 1], named, *links[at + 1 :]]
    return links


def _paid_by(rows: TableContext, scope: Scope) -> list[ColumnContext]:
    """The money in what leads to these rows; that of bills and payments before prices of other things."""
    found = [
        (is_a_sum(t), c)
        for t in scope.context.tables
        if t != rows and rows.ref in scope.told_by(t.ref)
        for c in _sums(t, scope)
    ]
    # bills and payments are money paid; a price of other rows may never have been
    return [c for sums, c in found if sums] or [c for _, c in found]


def _sums(table: TableContext, scope: Scope) -> list[ColumnContext]:
    """Money in rows that lead to others: what was paid for them."""
    numbers = (c for c in table.columns if c.kind == "number" and not c.key and not scope.context.refers(c))
    return [c for c in numbers if set(scope.words(c)) & _MONEY]


def _are_people(rows: TableContext, scope: Scope) -> bool:
    label = scope.label(rows)
    # rows called by a name are people here; a title or number names things
    return all(c.kind == "text" and scope.words(c)[-1] == "name" for c in label)
