"""Numbers that say how many there are: `flights with no stops`, of flights with a number of stops.

Owns what having some and having none means where no row lacks the number: more than 0, and 0. Must not know
the grammar.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.ask.context import ColumnContext, Context
from rewright.ask.reading.intent import (
    Aggregate,
    AnyOf,
    Column,
    Compared,
    Condition,
    Expression,
    Intent,
    Known,
    Ratio,
    With,
    Without,
)


def none_or_some(intent: Intent, context: Context) -> Intent:
    """The intent, numbers that no row lacks compared with 0 where it asks whether there is one."""

    def plainly(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(_compared(condition, context) for condition in conditions)

    def inside(expression: Expression) -> Expression:
        match expression:
            case Aggregate():
                return replace(expression, where=plainly(expression.where))
            case Ratio(top, below):
                return replace(expression, top=inside(top), below=inside(below))
            case _:
                return expression

    outputs = tuple(map(inside, intent.outputs))
    order = tuple((inside(by), way) for by, way in intent.order)
    return replace(intent, outputs=outputs, order=order, where=plainly(intent.where))


def _compared(condition: Condition, context: Context) -> Condition:
    # a number in every row is never null: without this `with no stops` would find nothing
    match condition:
        case Known(column, negated) if _counts(column, context):
            return Compared(Column(column), "=" if negated else ">", "0")
        case AnyOf(conditions):
            return AnyOf(tuple(_compared(c, context) for c in conditions))
        case With(where=where) | Without(where=where):
            return replace(condition, where=tuple(_compared(c, context) for c in where))
        case _:
            return condition


def _counts(column: ColumnContext, context: Context) -> bool:
    """A number that is in every row and that tells no row."""
    # 0 of a key or reference would be a row, not a count
    told = column.key or column.unique or context.refers(column)
    return column.kind == "number" and not column.nulls and not told
