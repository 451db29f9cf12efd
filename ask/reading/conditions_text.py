"""Expressions and conditions as PostgreSQL's text.

Owns quoting, and what a condition looks like on columns of each kind. Must not know the rest of the query.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from typing import assert_never

from rewright.ask.context import ColumnContext, Context, Join, is_text
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
    Function,
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
from rewright.ask.reading.intent_parts import tables_of
from rewright.ask.reading.joins import Step, Unclear, direct, path
from rewright.ask.reading.moment import Moment
from rewright.ask.reading.rows import key_of
from rewright.sql.algebra import TableRef
from rewright.sql.printer.names import quote_ident, quote_literal

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
"""How many seconds a unit of a span has."""


# how far a period is from the one before it: numbers for what `_part` gives as numbers
_STEPS = {
    "year": "1",
    "decade": "10",
    "day": "1",
    **{unit: f"interval '1 {unit}'" for unit in ("hour", "week", "month")},
    "quarter": "interval '3 months'",
}


_BELOW = "below"
"""What rows are called that refer to others of their table."""


class Spelling:
    """``once``: tables whose rows are counted by their key, as joins repeat them. ``apart``: measures that
    are subqueries of their own.
    """

    def __init__(self, context: Context, roles: Sequence[str] = (), said: Sequence[TableRef] = ()) -> None:
        self.context = context
        self.roles = roles
        self.said = said
        self.once: set[TableRef] = set()
        self.apart: dict[Aggregate, str] = {}

    def table(self, ref: TableRef) -> str:
        return f"{quote_ident(ref.schema)}.{quote_ident(ref.name)}"

    def column(self, column: ColumnContext) -> str:
        name = f"{quote_ident(column.table.name)}.{quote_ident(column.name)}"
        # in JSON and the like compared as text: the operators of the type itself may not exist
        return f"{name}::{column.type}" if column.as_text else name

    def tables(self, root: TableRef, steps: Sequence[Step]) -> str:
        joined = "".join(f" join {self.table(s.new)} on {self.meets(s.join)}" for s in steps)
        return self.table(root) + joined

    def meets(self, join: Join) -> str:
        """That a row meets the one it refers to."""
        return " and ".join(f"{self.column(many)} = {self.column(one)}" for many, one in join.pairs)

    # -- expressions

    def expression(self, what: Expression) -> str:
        match what:
            case Column(column):
                return self.column(column)
            case Part(column, unit):
                return self._part(column, unit)
            case Aggregate():
                return self._aggregate(what)
            case Ratio(top, below, percent):
                times = "100.0 * " if percent else ""
                # integer division would round a share to 0; a whole of 0 has no share
                return f"{times}{self.expression(top)}::float8 / nullif({self.expression(below)}, 0)"
            case Portion(of, percent):
                times, part = "100.0 * " if percent else "", self.expression(of)
                return f"{times}{part}::float8 / nullif(sum({part}) over (), 0)"
            case Difference(left, right):
                return f"({self.expression(left)} - {self.expression(right)})"
            case Product(left, right):
                return f"({self.column(left)} * {self.column(right)})"
            case Span(start, end, unit):
                return self._span(start, end, unit)
            case Gap(column, within, unit):
                return self._gap(column, within, unit)
            case Age(column):
                # age() counts completed years, a difference of years would be one too many before the
                # birthday
                return f"extract(year from age(current_date, {self.column(column)}))"
            case Measured(function, of):
                return _called(function, self.expression(of))
            # round(float8, int) does not exist in PostgreSQL
            case Rounded(of, digits):
                return f"round(({self.expression(of)})::numeric, {digits})"
            case Converted(of, factor):
                over = f" / {factor.denominator}.0" if factor.denominator != 1 else ""
                # multiplied first: as integers, 90 * 1 / 60.0 keeps its fraction
                by = f" * {factor.numerator}" if factor.numerator != 1 else ""
                return f"({self.expression(of)}{by}{over})"
            case Running(of, by, within):
                return f"sum({self.expression(of)}) over {self._window(by, within)}"
            case Change():
                return self._change(what)
            case Rank(of, way):
                # nulls last, or rows without a value would share the first rank
                return f"rank() over (order by {self.expression(of)} {way} nulls last)"
            case Named(column, by, name):
                row = f"{self.column(by)} = {quote_literal(name)}"
                return f"(select {self.column(column)} from {self.table(column.table)} where {row})"
            case Followers(key, one):
                held = f"{_BELOW}.{quote_ident(key.name)} = {self.column(one)}"
                return f"(select count(*) from {self.table(key.table)} as {_BELOW} where {held})"
            case _:
                assert_never(what)

    def called(self, function: Function, of: str) -> str:
        """A function of a text."""
        return _called(function, of)

    def _part(self, column: ColumnContext, unit: str) -> str:
        if unit == "year":
            return f"extract(year from {self.column(column)})"
        if unit == "decade":
            # extract(decade) is the year divided by ten
            return f"extract(decade from {self.column(column)}) * 10"
        if unit == "weekday":
            return f"extract(isodow from {self.column(column)})"
        if unit == "day":
            return f"{self.column(column)}::date"
        return f"date_trunc('{unit}', {self.column(column)})"

    def _span(self, start: ColumnContext, end: ColumnContext, unit: str) -> str:
        # date - date is an integer of days, timestamp - timestamp an interval: what follows differs
        days = start.type == end.type == "date"
        return self._in_units(f"{self.column(end)} - {self.column(start)}", unit, days=days)

    def _gap(self, column: ColumnContext, within: ColumnContext | None, unit: str) -> str:
        same = () if within is None else (Column(within),)
        before = f"lag({self.column(column)}) over {self._window(Column(column), same)}"
        return self._in_units(f"{self.column(column)} - {before}", unit, days=column.type == "date")

    def _in_units(self, apart: str, unit: str, *, days: bool) -> str:
        """Dates are days apart; what holds a time of day is apart by an interval."""
        # a whole number of days needs no conversion
        if days and unit in {"", "day"}:
            return f"({apart})"
        if not unit:
            return f"({apart})"
        seconds = f"({apart}) * 86400" if days else f"extract(epoch from {apart})"
        return f"({seconds} / {SECONDS[unit]}.0)"

    def _window(self, by: Expression, within: Sequence[Expression]) -> str:
        parted = f"partition by {', '.join(map(self.expression, within))} " if within else ""
        return f"({parted}order by {self.expression(by)})"

    def _change(self, what: Change) -> str:
        now, window = self.expression(what.of), self._window(what.by, what.within)
        before = f"lag({now}) over {window}"
        change = f"{now} - {before}"
        if what.percent:
            change = f"100.0 * ({change})::float8 / nullif({before}, 0)"
        step = _STEPS.get(what.by.unit) if isinstance(what.by, Part) else None
        if step is None:
            return change
        # the row before is the month before only where that month has rows; else there is nothing to compare
        by = self.expression(what.by)
        return f"case when lag({by}) over {window} = {by} - {step} then {change} end"

    def _aggregate(self, what: Aggregate) -> str:
        if what in self.apart:
            return self.apart[what]
        if isinstance(what.of, TableRef):
            inner = "*"
            if what.of in self.once or what.distinct:
                key = key_of(self.context.table(what.of))
                # joins repeat the table's rows, so only its key counts each once
                if key is None:
                    raise Unclear(f"{what.of.name} has no key by which its rows could be counted once")
                inner = f"distinct {self.column(key)}"
        else:
            # `zero`: an average over all of them takes those without a value as 0
            value = f"coalesce({self.column(what.of)}, 0)" if what.zero else self.column(what.of)
            inner = f"{'distinct ' * what.distinct}{value}"
        text = _called(what.function, inner)
        if what.where:
            # FILTER, not WHERE: beside it others of the same query count all rows
            text += f" filter (where {' and '.join(map(self.condition, what.where))})"
        return text

    # -- conditions

    def condition(self, what: Condition) -> str:
        match what:
            case Compared():
                return self._compared(what)
            case Ranged(left, low, high):
                return f"{self.expression(left)} between {low} and {high}"
            case OneOf(column, values, negated):
                return self._one_of(column, values, negated=negated)
            case Spelled(column, pattern, negated):
                return f"{self._text(column)} {'not ' * negated}ilike {quote_literal(pattern)}"
            case During():
                return self._during(what)
            case Known(column, negated):
                # a column of yes or no: null is neither, so `not x` leaves it out as `x` does
                if column.kind == "boolean":
                    return f"{'not ' * negated}{self.column(column)}"
                return f"{self.column(column)} is {'' if negated else 'not '}null"
            case Without(kept, gone, where):
                return f"not {self._rows_of(kept, gone, where)}"
            case With(kept, found, where):
                return self._rows_of(kept, found, where)
            case Many():
                return self._many(what)
            case Refers(column, one, where, more):
                # joins along the way from the referred row to where the condition is; IN keeps rows single
                steps = path(self.context, one.table, [where.column.table], self.roles, self.said)[0]
                rows = f"select {self.column(one)} from {self.tables(one.table, steps)}"
                tests = " and ".join(map(self.condition, (where, *more)))
                return f"{self.column(column)} in ({rows} where {tests})"
            case Versus(left, operator, right):
                return f"{self.column(left)} {operator} {self.column(right)}"
            case Beside(left, operator, right):
                return f"{self.column(left)} {operator} {self.expression(right)}"
            # the other row of the same table needs another name, or both sides would be one row
            case Above(column, operator, by, one):
                own = f"select other.{quote_ident(column.name)} from {self.table(column.table)} as other"
                return (
                    f"{self.column(column)} {operator} "
                    f"({own} where other.{quote_ident(one.name)} = {self.column(by)})"
                )
            case AnyOf(conditions):
                return f"({' or '.join(map(self.condition, conditions))})"
            case _:
                assert_never(what)

    def _compared(self, what: Compared) -> str:
        left = self.expression(what.left)
        # a number is compared in the unit of the span; anything else is an interval literal
        if isinstance(what.left, Span) and not what.right.isdigit():
            return f"{left} {what.operator} interval {quote_literal(what.right)}"
        if (
            what.right == "all"
            and isinstance(what.left, Aggregate)
            and isinstance(what.left.of, ColumnContext)
        ):
            # `all` of them: each value of the column has to be among the group's
            of = what.left.of
            return f"{left} = (select count(distinct {quote_ident(of.name)}) from {self.table(of.table)})"
        if what.right != "average":
            return f"{left} {what.operator} {what.right}"
        # only a plain column has one average over its table
        if not isinstance(what.left, Column):
            raise Unclear("it is not clear what is compared with its average")
        column = what.left.column
        average = f"select avg({quote_ident(column.name)}) from {self.table(column.table)}"
        # an alias, as the outer row has the same table name
        if what.within is not None:
            own = quote_ident(what.within.name)
            average = f"select avg(own.{quote_ident(column.name)}) from {self.table(column.table)} as own"
            average += f" where own.{own} = {self.column(what.within)}"
        return f"{left} {what.operator} ({average})"

    def _text(self, column: ColumnContext) -> str:
        """The column, one of an enumerated type as the text that it is compared with."""
        # an enumerated type refuses texts that are no label of it, even in a comparison
        enumerated = column.kind == "text" and not is_text(column.type) and bool(column.values)
        return f"{self.column(column)}::text" if enumerated else self.column(column)

    def _one_of(self, column: ColumnContext, values: Sequence[str], *, negated: bool) -> str:
        spelled = [v if column.kind == "number" else quote_literal(v) for v in values]
        # what is no label of its type would be an error
        name = self.column(column) if set(values) <= set(column.values) else self._text(column)
        if len(spelled) == 1:
            return f"{name} {'<>' if negated else '='} {spelled[0]}"
        return f"{name} {'not ' * negated}in ({', '.join(spelled)})"

    def _during(self, what: During) -> str:
        column, moment = what.column, what.moment
        name = self.column(column)
        if moment.of_each_day:
            return self._of_each_day(column, moment)
        if column.type == "date" and "localtimestamp" in f"{moment.start} {moment.end}":
            raise Unclear(f"{column.name} holds days, of which none is {moment.said}")
        if column.kind == "date":
            # of a month without a year: of every year, which no range of dates can say
            if moment.start is None and moment.end is None and moment.month:
                return f"extract(month from {name}) = {moment.month}"
            # half-open, so that a timestamp late on the last day is in it
            tests = [f"{name} >= {moment.start}"] if moment.start else []
            tests += [f"{name} < {moment.end}"] if moment.end else []
            return " and ".join(tests)
        # a text of months is compared by name: `in April` of a column with `Apr`
        if column.kind == "text" and moment.month:
            return f"{name} = {quote_literal(_month_as(column, moment.month))}"
        # a column of years can only hold a time that begins and ends with a year
        if column.kind == "number" and moment.years is not None and (moment.whole_years or moment.month):
            low, high = moment.years
            if low == high:
                return f"{name} = {low}"
            tests = [f"{name} >= {low}"] if low is not None else []
            return " and ".join([*tests, *([f"{name} <= {high}"] if high is not None else [])])
        # what is left is a column of month numbers
        if column.kind == "number" and moment.month:
            return f"{name} = {moment.month}"
        raise Unclear(f"it is not clear when {moment.said} is")

    def _of_each_day(self, column: ColumnContext, moment: Moment) -> str:
        name = self.column(column)
        if moment.weekdays:
            return f"extract(isodow from {name}) in ({', '.join(map(str, moment.weekdays))})"
        # time and timetz have no date to cast away
        time = name if column.type in {"time", "timetz"} else f"{name}::time"
        tests = [f"{time} {operator} time '{at}'" for operator, at in moment.clock]
        # from 10 pm to 2 am is late on one day or early on the next
        return f"({' or '.join(tests)})" if moment.over_midnight else " and ".join(tests)

    def _rows_of(self, kept: TableRef, of: TableRef, where: Sequence[Condition]) -> str:
        steps = direct(self.context, kept, of, self.roles, self.said)
        return f"exists (select {self._belonging(steps, kept, where)})"

    def _belonging(self, steps: Sequence[Step], kept: TableRef, where: Sequence[Condition]) -> str:
        first, rest = steps[0], steps[1:]
        tests = [self.meets(first.join), *map(self.condition, where)]
        beyond = self._beyond(kept, [step.new for step in steps], where)
        return f"from {self.tables(first.new, [*rest, *beyond])} where {' and '.join(tests)}"

    def _beyond(self, kept: TableRef, reached: list[TableRef], where: Sequence[Condition]) -> list[Step]:
        """The joins from the last of the tables to those that the conditions are of. Raises Unclear."""
        found = list[Step]()
        for table in dict.fromkeys(t for condition in where for t in tables_of(condition)):
            if table in reached:
                # beyond the last table only parents are joined: a second multiplying step would test another
                # row
                continue
            for step in direct(self.context, reached[-1], table, self.roles, self.said):
                # back to the outer row or to many rows: the condition would be said of others than those
                # absent
                if step.new == kept or step.multiplies:
                    raise Unclear(f"it is not clear how {table.name} is said of what is not there")
                if step.new not in (s.new for s in found):
                    found.append(step)
        return found

    def _many(self, what: Many) -> str:
        match what.number:
            case ColumnContext() as column:
                than = self.column(column)
            case TableRef() as other:
                than = self._counted(what.kept, other, ())
            case number:
                than = number
        return f"{self._counted(what.kept, what.found, what.where)} {what.operator} {than}"

    def _counted(self, kept: TableRef, found: TableRef, where: Sequence[Condition]) -> str:
        steps = direct(self.context, kept, found, self.roles, self.said)
        key = key_of(self.context.table(found))
        # a way that ends at a parent meets it once for each row between: only a key counts it once
        if key is None and not steps[-1].multiplies:
            raise Unclear(f"{found.name} has no key by which its rows could be counted once")
        counted = "*" if key is None or steps[-1].multiplies else f"distinct {self.column(key)}"
        return f"(select count({counted}) {self._belonging(steps, kept, where)})"


def _called(function: Function, of: str) -> str:
    return (
        f"percentile_cont(0.5) within group (order by {of})" if function == "median" else f"{function}({of})"
    )


def _month_as(column: ColumnContext, month: int) -> str:
    """A month as the column writes it: `April`, `Apr`, `04`."""
    forms = [calendar.month_name[month], calendar.month_abbr[month], f"{month:02}", str(month)]
    # a spelling that the column holds; without samples the full name, which at worst finds nothing
    held = {v.lower(): v for v in column.values}
    return next((held[f.lower()] for f in forms if f.lower() in held), forms[0])
