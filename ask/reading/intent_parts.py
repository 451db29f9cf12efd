"""What an expression or a condition of an intent reads and measures.

Owns walking them. Must not know a question, nor SQL's text.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.intent import (
    Above,
    Age,
    Aggregate,
    AnyOf,
    Beside,
    Change,
    Column,
    Compared,
    Condition,
    Converted,
    Difference,
    During,
    Expression,
    Followers,
    Gap,
    Known,
    Many,
    Measured,
    Named,
    OneOf,
    Part,
    Portion,
    Product,
    Ranged,
    Rank,
    Ratio,
    Refers,
    Rounded,
    Running,
    Span,
    Spelled,
    Versus,
    With,
    Without,
)
from rewright.sql.algebra import TableRef


def columns_of(what: Expression | Condition) -> tuple[ColumnContext, ...]:
    """The columns that an expression or a condition reads in the rows of the query (not in its own
    subqueries).
    """
    match what:
        case (
            Column(column)
            | Part(column, _)
            | OneOf(column)
            | Spelled(column)
            | During(column, _)
            | Known(column)
            | Refers(column)
            | Beside(column)
            | Above(column)
        ):
            return (column,)
        case Aggregate(_, of, _, where):
            own = (of,) if isinstance(of, ColumnContext) else ()
            return (*own, *(c for w in where for c in columns_of(w)))
        case Ratio(a, b) | Difference(a, b):
            return (*columns_of(a), *columns_of(b))
        case (
            Measured(_, of) | Rounded(of) | Converted(of) | Running(of) | Change(of) | Portion(of) | Rank(of)
        ):
            return columns_of(of)
        case Span(start, end) | Product(start, end):
            return (start, end)
        case Age(column) | Followers(_, column):
            return (column,)
        case Gap(column, within):
            return (column,) if within is None else (column, within)
        case Compared(left) | Ranged(left):
            return columns_of(left)
        case AnyOf(conditions):
            return tuple(c for w in conditions for c in columns_of(w))
        case Versus(left, _, right):
            return (left, right)
        case Without() | With() | Many() | Named():
            return ()


def tables_of(what: Expression | Condition) -> tuple[TableRef, ...]:
    """The tables it needs in the query, in order."""
    found = [c.table for c in columns_of(what)]
    match what:
        # rows that are counted need their table in FROM though no column of it is read
        case Aggregate(_, TableRef() as of, _, _):
            found.insert(0, of)
        case Ratio(a, b) | Difference(a, b):
            found = [*tables_of(a), *tables_of(b)]
        case (
            Measured(_, of) | Rounded(of) | Converted(of) | Running(of) | Change(of) | Portion(of) | Rank(of)
        ):
            found = list(tables_of(of))
        case Compared(left) | Ranged(left):
            found = list(tables_of(left))
        # EXISTS refers to the kept row, which must be there to be tested
        case Without(kept) | With(kept) | Many(kept):
            found.append(kept)
        case _:
            pass
    return tuple(dict.fromkeys(found))


def aggregates_of(what: Expression) -> tuple[Aggregate | Measured, ...]:
    match what:
        case Aggregate() | Measured():
            return (what,)
        case Rounded(of) | Converted(of) | Running(of) | Change(of) | Portion(of) | Rank(of):
            return aggregates_of(of)
        case Ratio(a, b) | Difference(a, b):
            return (*aggregates_of(a), *aggregates_of(b))
        case _:
            return ()
