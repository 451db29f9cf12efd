"""An intent in plain words, for the person who asked."""

from __future__ import annotations

from typing import assert_never

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
    Intent,
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

_FUNCTIONS = {
    "count": "the number",
    "avg": "the average",
    "median": "the median",
    "sum": "the sum",
    "min": "the lowest",
    "max": "the highest",
}

_PARTS = {"weekday": "day of the week (1 for Monday)"}


def plain(intent: Intent) -> str:
    """`the number of rows of orders; for each customers.name; orders.price > 10; the first 3 by ...`."""
    said = [", ".join(map(expression, intent.outputs))]
    if intent.groups and not intent.best_of:
        said.append("for each " + ", ".join(map(expression, intent.groups)))
    said += [condition(c) for c in (*intent.where, *intent.having)]
    if intent.best_of:
        (by_what, which), groups = intent.order[0], ", ".join(map(expression, intent.best_of))
        end = "highest" if which == "desc" else "lowest"
        # ranked within groups the rows are told in the order of their places
        first = f"the {end}" if intent.limit == 1 else f"the {intent.limit} {end}"
        ties = ", ties are all shown" if intent.ties else ""
        said.append(f"of each {groups} {first} by {expression(by_what)}{ties}")
    elif intent.order:
        by = ", ".join(
            f"{'highest' if way == 'desc' else 'lowest'} {expression(e)} first" for e, way in intent.order
        )
        said.append(
            (f"{_place(intent)}, {'ties are all shown, ' * intent.ties}" if intent.limit else "all, ") + by
        )
    if intent.distinct:
        said.append("each once")
    if intent.every:
        said.append("those that have none of it too")
    if intent.exists:
        said.insert(0, "whether there is any")
    return "; ".join(dict.fromkeys(said))


def _place(intent: Intent) -> str:
    behind = f" after the first {intent.skipped}" if intent.skipped else ""
    return f"the first {intent.limit}{behind}"


def _column(column: ColumnContext) -> str:
    # schema names are left out: they say nothing to who asks
    return f"{column.table.name}.{column.name}"


def expression(what: Expression) -> str:
    match what:
        case Column(column):
            return _column(column)
        case Part(column, unit):
            return f"the {_PARTS.get(unit, unit)} of {_column(column)}"
        case Aggregate("count", TableRef() as of, _, where):
            return f"the number of rows of {of.name}" + _where(where)
        # counted columns are always counted by their different values
        case Aggregate("count", of, _, where):
            return f"the number of different {_column(of)}" + _where(where)  # type: ignore[arg-type] # only a count is of a table
        case Aggregate(function, of, _, where, zero):
            none = ", 0 where it is missing," if zero else ""
            return f"{_FUNCTIONS[function]} of {_column(of)}{none}" + _where(where)  # type: ignore[arg-type] # only a count is of a table
        case Ratio(top, below, percent):
            return f"{expression(top)} / {expression(below)}" + " as a percentage" * percent
        case Portion(of, percent):
            return f"{expression(of)} as a {'percentage' if percent else 'share'} of all"
        case Difference(left, right):
            return f"{expression(left)} - {expression(right)}"
        case Product(left, right):
            return f"{_column(left)} * {_column(right)}"
        case Span(start, end, unit):
            return f"the time from {_column(start)} to {_column(end)}" + (f" in {unit}s" if unit else "")
        case Gap(column, within, unit):
            same = f" of the same {_column(within)}" if within is not None else ""
            return f"the time from a {_column(column)}{same} to the next" + (f" in {unit}s" if unit else "")
        case Age(column):
            return f"the age in years by {_column(column)}"
        case Measured(function, of):
            return f"{_FUNCTIONS[function]} of {expression(of)}"
        case Rounded(of, digits):
            return f"{expression(of)} rounded to {digits} digits"
        case Converted(of, _, unit):
            return f"{expression(of)} in {unit}"
        case Running(of, by):
            return f"{expression(of)} added up by {expression(by)}"
        case Change(of, by, _, percent):
            return (
                f"the change of {expression(of)} against the {expression(by)} before"
                + " in percent" * percent
            )
        case Rank(of, way):
            return f"the rank by {expression(of)}, the {'highest' if way == 'desc' else 'lowest'} first"
        case Followers(key):
            return f"the number of rows of {key.table.name} that refer to it by {key.name}"
        case Named(column, _, name):
            return f"{_column(column)} of {name}"
        case _:
            assert_never(what)


def _where(where: tuple[Condition, ...]) -> str:
    return f" where {' and '.join(map(condition, where))}" if where else ""


def condition(what: Condition) -> str:
    match what:
        case Compared(left, operator, "average", within):
            whose = "all" if within is None else f"those of the same {_column(within)}"
            return f"{expression(left)} {operator} the average of {whose}"
        case Compared(left, _, "all"):
            return f"{expression(left)} is that of all there are"
        case Compared(left, operator, right):
            return f"{expression(left)} {operator} {right}"
        case Ranged(left, low, high):
            return f"{expression(left)} from {low} to {high}"
        case OneOf(column, values, negated):
            return f"{_column(column)} is {'not ' * negated}{' or '.join(values)}"
        case Spelled(column, pattern, negated):
            return f"{_column(column)} is {'not ' * negated}like {pattern}"
        case During(column, moment):
            return f"{_column(column)} {moment.said}"
        case Known(column, negated):
            # `is not known` for null; a flag is said to be true or not
            return f"{_column(column)} is {'not ' * negated}{'true' if column.kind == 'boolean' else 'known'}"
        case Without(kept, gone, where):
            return f"{kept.name} without any row of {gone.name}" + _where(where)
        case With(kept, found, where):
            return f"{kept.name} with a row of {found.name}" + _where(where)
        case Many(kept, found, operator, ColumnContext() as column, where):
            return f"{kept.name} with {operator} {_column(column)} rows of {found.name}" + _where(where)
        case Many(kept, found, operator, TableRef() as other, where):
            return f"{kept.name} with rows of {found.name} {operator} those of {other.name}" + _where(where)
        case Many(kept, found, operator, number, where):
            return f"{kept.name} with {operator} {number} rows of {found.name}" + _where(where)
        # the referred row is of the same table and told by more than its key
        case Refers(column, one, where, more) if one.table == column.table and not one.unique:
            told = " and ".join(map(condition, (where, *more)))
            return f"the row that the {one.name} of one refers to where {told}"
        case Refers(column, _, where):
            return f"{_column(column)} refers to one where {condition(where)}"
        case Versus(left, operator, right):
            return f"{_column(left)} {operator} {_column(right)}"
        case Beside(left, operator, right):
            return f"{_column(left)} {operator} {expression(right)}"
        case Above(column, operator, by, _):
            return f"{_column(column)} {operator} that of the row {_column(by)} refers to"
        case AnyOf(conditions):
            # parts of an `or` stand alone in their line, so they need no brackets
            return " or ".join(map(condition, conditions))
        case _:
            assert_never(what)
