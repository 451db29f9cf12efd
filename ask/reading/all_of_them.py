"""`the number of orders for all customers`: those that have none are shown too, where there are such.

Owns that reading of `for all`; `for each` leaves them out. Must not know SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from rewright.ask.context import Context
from rewright.ask.reading.intent import Aggregate, Intent
from rewright.ask.reading.intent_parts import aggregates_of, tables_of
from rewright.ask.reading.link import Link
from rewright.sql.algebra import TableRef


def all_of_them(intent: Intent, links: Sequence[Link], context: Context) -> Intent:
    """The intent with the groups that have nothing to measure, where all of them are asked for."""
    # links are told apart by identity: `orders` may stand twice, and only one of them behind `for all`
    said = {id(b) for a, b in pairwise(links) if a.word == "for all" and b.mark == "table"}
    asked = {t.ref for link in links if id(link) in said for t in link.tables[:1]}
    owners = {t for e in intent.groups for t in tables_of(e)}
    # a condition or a limit would already leave groups out, which no longer are all
    plain = not (intent.having or intent.limit or intent.best_of or intent.where)
    if len(owners) != 1 or not owners <= asked or not plain:
        return intent
    measures = [m for e in intent.outputs for m in aggregates_of(e)]
    measured = {
        m.of if isinstance(m.of, TableRef) else m.of.table for m in measures if isinstance(m, Aggregate)
    }
    missing = any(_some_have_none(next(iter(owners)), table, context) for table in measured - owners)
    return replace(intent, every=True) if missing else intent


def _some_have_none(one: TableRef, many: TableRef, context: Context) -> bool:
    """Whether rows of the one table are referred to by none of the other, as far as was read."""
    rows = context.table(one).rows
    # a join over several columns says nothing of how many different rows are referred to
    found = [j for j in context.joins if j.one.table == one and j.many.table == many and not j.more]
    return len(found) == 1 and found[0].many.distinct < rows
