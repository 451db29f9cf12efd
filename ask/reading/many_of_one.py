"""Rows of which each belongs to one row of what is counted: `the neighbourhood with the most shops`, where a
row says the neighbourhood of one shop.

Owns grouping them by what they are called, which several rows share, and not by their key, of which each has
one. Must not know the grammar; raises Unclear.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.ask.context import ColumnContext
from rewright.ask.reading.intent import Aggregate, Column, Compared, Expression, Intent
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import direct
from rewright.ask.reading.rows import key_of
from rewright.ask.reading.scope import Scope
from rewright.sql.algebra import TableRef


def by_shared_names(intent: Intent, scope: Scope) -> Intent:
    """The intent, grouped by names alone where each key would be counted with one row."""
    counted = set(_counted(intent))
    keys = [e for e in intent.groups if isinstance(e, Column) and _one_each(e.column, intent, counted, scope)]
    return replace(intent, groups=tuple(e for e in intent.groups if e not in keys)) if keys else intent


def _counted(intent: Intent) -> Iterator[TableRef]:
    """The tables whose rows are counted, shown, ordered by or compared."""
    compared = [c.left for c in intent.having if isinstance(c, Compared)]
    measured: list[Expression] = [*intent.outputs, *(e for e, _ in intent.order), *compared]
    for expression in measured:
        for one in aggregates_of(expression):
            if isinstance(one, Aggregate) and one.function == "count" and isinstance(one.of, TableRef):
                yield one.of


def _one_each(key: ColumnContext, intent: Intent, counted: set[TableRef], scope: Scope) -> bool:
    """Whether a row of the key's table has one row at most of all that is counted, and another group that
    several of its rows share.
    """
    table = scope.context.table(key.table)
    # a key that is shown is asked for, and then each row stands for itself
    if key != key_of(table) or Column(key) in intent.outputs or not counted or key.table in counted:
        return False
    shared = [
        e.column
        for e in intent.groups
        if isinstance(e, Column) and e.column.table == key.table and e.column != key and not e.column.unique
    ]
    # without another group the key is all that tells the groups
    return bool(shared) and not any(
        step.multiplies for of in counted for step in direct(scope.context, key.table, of, scope.roles)
    )
