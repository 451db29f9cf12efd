"""`How much did repairs cost?`, `how much has each member been fined?`: what is added up.

Owns putting the one number that is meant right behind the question's first words. Must not know measures.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed
from rewright.sql.algebra import TableRef

_COMPARES = {
    ">",
    "<",
    ">=",
    "<=",
    "=",
    "between",
    "comparative",
    "more",
    "fewer",
    "difference",
    "average of all",
}
_MEASURES = {"avg", "max", "min", "median", "top", "bottom", "count", "ratio", "share", "percent"}
_MONEY = frozenset(listed("amount price total revenue cost fee paid sum value charge fare"))
_ONE_NUMBER, _ONE_AMOUNT = 0.95, 0.9


def how_much(links: list[Link], scope: Scope) -> list[Link]:
    """The links, with the number that is meant behind `how much` where only one may be."""
    # a comparison or another measure brings its own number, and `how much` only asks for it
    if (
        len(links) < 2
        or links[0].word != "how much"
        or {link.mark for link in links} & (_COMPARES | _MEASURES)
    ):
        return links
    numbers = [at for at, link in enumerate(links) if at and _is_number(link)]
    # the number stands behind the first words already
    if numbers[:1] == [1]:
        return links
    # one number in all of the question: it is what `how much` is of, wherever it stands
    if len(numbers) == 1:
        said = links[numbers[0]]
        said.glued, said.preposition = True, ""
        scope.doubt("what is to be added up", _ONE_NUMBER)
        return [links[0], said, *links[1 : numbers[0]], *links[numbers[0] + 1 :]]
    amount = _only_amount(links, scope) if not numbers else None
    if amount is None:
        return links
    scope.doubt("what is to be added up", _ONE_AMOUNT)
    named = Link(
        amount.name, "column", columns=(amount,), fits={(amount.table, amount.name): 1.0}, glued=True
    )
    return [links[0], named, *links[1:]]


def _is_number(link: Link) -> bool:
    return link.mark == "column" and all(c.kind == "number" and not c.key for c in link.columns)


def _only_amount(links: Sequence[Link], scope: Scope) -> ColumnContext | None:
    """The only money that the rows spoken of hold, by their own name or by what was done."""
    found = [c for table in _spoken(links, scope) for c in _money(table, scope)]
    return found[0] if len(found) == 1 else None


def _spoken(links: Sequence[Link], scope: Scope) -> list[TableContext]:
    refs = list(dict.fromkeys(ref for link in links for ref in _tables(link)))
    return [scope.context.table(ref) for ref in refs]


def _tables(link: Link) -> list[TableRef]:
    if link.mark in {"table", "relation"} and link.tables:
        # a word's tables in order of likelihood: only the first is meant here
        return [link.tables[0].ref]
    owners = {c.table for c in link.columns} if link.mark in {"relation", "column"} else set()
    return list(owners) if len(owners) == 1 else []


def _money(table: TableContext, scope: Scope) -> list[ColumnContext]:
    return [
        c
        for c in table.columns
        if c.kind == "number" and not c.key and set(scope.words(c)) & _MONEY and not scope.context.refers(c)
    ]
