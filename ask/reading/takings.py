"""Revenue that no column holds: `revenue per buyer`, of sales with a number of jars and a price of each, or
of passes that were sold, each at its price.

Owns finding the numbers and putting what they make in the word's place. Must not know measures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, stem

_TAKINGS = frozenset(listed("revenue revenues turnover takings proceeds"))
# a word `price` at the end: `price_list_id` has none
_PRICE = frozenset(listed("price"))
_MANY = frozenset(listed("quantity qty pieces units amount count number"))
_HELD = frozenset(listed("revenue turnover takings proceeds amount total sum paid payment income earnings"))
_WORKED_OUT = 0.88
_EACH_ROW = 0.88
_LEADS = {"sum", "how much"}


def takings(links: list[Link], scope: Scope) -> list[Link]:
    """The links, the word for revenue as the sum of a quantity times its price, where only one pair is."""
    at = next((i for i, link in enumerate(links) if link.word in _TAKINGS), None)
    if (
        at is None
        or links[at].mark not in {"table", "unknown"}
        # a name of a table or column that fits nearly whole is revenue of its own
        or max(links[at].fits.values(), default=0) > 0.95
    ):
        return links
    pairs = [pair for table in scope.context.tables for pair in _pairs(table, scope)]
    if not pairs:
        return _of_each_row(links, at, scope)
    # any column of money that came in makes a made-up product the worse guess
    if len(pairs) != 1 or any(_holds_it(table, scope) for table in scope.context.tables):
        return links
    scope.doubt("that revenue is a quantity times its price", _WORKED_OUT)
    # `total revenue` has its measure before it; a bare `revenue` gets one
    led = at > 0 and (links[at - 1].mark in _LEADS or links[at - 1].mark == "avg")
    before = links[:at] if led else [*links[:at], Link("total", "sum")]
    many, price = (_said(column) for column in pairs[0])
    return [*before, many, Link("times", "product"), price, *links[at + 1 :]]


def _holds_it(table: TableContext, scope: Scope) -> bool:
    """Whether a number of its rows is called by a word for money that came in."""
    return any(_HELD & set(scope.words(c)) for c in table.columns if c.kind == "number")


def _of_each_row(links: list[Link], at: int, scope: Scope) -> list[Link]:
    """`revenue from passes`, of passes sold to guests at a price: each row is what was sold once."""
    spoken = [link for link in links if link.mark in {"table", "value"} and link is not links[at]]
    held = {t.ref for link in spoken for t in link.tables[:1]} | {
        c.table for link in spoken for c, _ in link.values
    }
    sold = [table for table in map(scope.context.table, held) if _is_sold(table, scope)]
    if len(sold) != 1:
        return links
    # the price is read as it stands: the passes after this add it up
    price = next(c for c in sold[0].columns if _is_price(c, scope))
    scope.doubt("that revenue is what the rows cost", _EACH_ROW)
    led = at > 0 and (links[at - 1].mark in _LEADS or links[at - 1].mark == "avg")
    before = links[:at] if led else [*links[:at], Link("total", "sum")]
    return [*before, _said(price), *links[at + 1 :]]


def _is_sold(table: TableContext, scope: Scope) -> bool:
    """Whether rows are sales, not what is sold: they refer to others, nothing refers to them, and they have a
    date, one price, and no number of pieces.
    """
    joins = [j for j in scope.context.joins if table.ref in {j.many.table, j.one.table}]
    leaf = (
        bool(joins)
        and not _holds_it(table, scope)
        # rows that others refer to are what is sold (products), and come once however often they sell
        and all(j.many.table == table.ref != j.one.table for j in joins)
    )
    prices = [c for c in table.columns if _is_price(c, scope)]
    many = any(set(scope.words(c)) & _MANY for c in table.columns if c.kind == "number" and not c.key)
    # a number of pieces would have to be multiplied, which the other form does
    return leaf and len(prices) == 1 and not many and any(c.kind == "date" for c in table.columns)


def _is_price(column: ColumnContext, scope: Scope) -> bool:
    return (
        column.kind == "number"
        and not column.key
        and scope.words(column) in {("price",), ("fare",), ("fee",)}
    )


def _said(column: ColumnContext) -> Link:
    fits: dict[object, float] = {(column.table, column.name): 1.0}
    return Link(column.name, "column", columns=(column,), fits=fits, glued=True)


def _pairs(table: TableContext, scope: Scope) -> Iterator[tuple[ColumnContext, ColumnContext]]:
    """A quantity and the price of one of them: `quantity` and `unit_price`, `jars` and `jar_price`."""
    prices = [c for c in table.columns if c.kind == "number" and set(scope.words(c)[-1:]) & _PRICE]
    # two prices (cost, sale) in a row: which one the pieces were sold at is not known
    if len(prices) != 1:
        return
    things = {stem(w) for w in scope.words(prices[0])} - set(map(stem, (*_PRICE, "unit")))
    for column in _counts(table, scope):
        own = {stem(w) for w in scope.words(column)}
        # `jars` and `jar_price` name the same thing; a bare price needs a column of quantity
        if own & things or (not things and own & set(map(stem, _MANY))):
            yield column, prices[0]


def _counts(table: TableContext, scope: Scope) -> Sequence[ColumnContext]:
    refers = scope.context.refers
    return [
        c
        for c in table.columns
        if c.kind == "number" and not c.key and not refers(c) and not set(scope.words(c)) & _PRICE
    ]
