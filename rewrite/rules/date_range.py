"""A date part or a truncated moment compared with a constant is a half-open range of the column itself.

    SELECT * FROM visit v WHERE date_trunc('month', v.at) = timestamp '2000-03-01'
    -->
    SELECT * FROM visit v WHERE v.at >= timestamp '2000-03-01' AND v.at < timestamp '2000-04-01'

For ``at::date``, ``date(at)``, ``date_trunc(unit, at)`` and ``extract(year FROM at)`` with every comparison
and with IN, and for a year with a month. Statistics and indexes of the column then count. Columns of date and
timestamp only: with a time zone the range would depend on the session. Years 1 to 9998. Hazards 16.

Calcite: DateRangeRules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.conditions import in_conditions, turned
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.constants import Value, constant, value
from rewright.sql.walk import conjoin, conjuncts

# A range of moments; None is open
Range = tuple[datetime | None, datetime | None]
# what a column is cut to
Part = tuple[a.Column, str]

MONTHS = {"year": 12, "quarter": 3, "month": 1}
HOURS = {"week": 168, "day": 24, "hour": 1}
# outside of these Python's datetime has no next year or month to name
FIRST, LAST = datetime.fromisoformat("0001-01-01"), datetime.fromisoformat("9999-01-01")
# more OR arms than an index is scanned for with a gain
MOST_RANGES = 4


@rule(SELECT, guards=("constant-is-a-start",), known_as="DateRangeRules", priority=84, category="predicate")
def date_range(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # year and month first: by itself `month = 3` is no range
    merged = replace(block, where=conjoin(_months(conjuncts(block.where))))
    made = in_conditions(merged, lambda e: _range(e, ctx))
    if made is None and merged.where == block.where:
        return
    yield Rewrite(
        made or merged, "a part of a date compared with a constant is a range of dates", literal=True
    )


def _range(expr: a.Expr, ctx: Context) -> a.Expr | None:
    if isinstance(expr, a.InList):
        return _ranges(expr, ctx)
    found = turned(expr)
    part = _part(found[1]) if found is not None else None
    if found is None or part is None:
        return None
    start = _moment(part, value(found[2]))
    return None if start is None else _between(part[0], _bounds(part[1], found[0], start, ctx))


def _ranges(expr: a.InList, ctx: Context) -> a.Expr | None:
    part = _part(expr.left)
    # NOT IN would be the gaps between the ranges
    if part is None or expr.all or expr.op.name != "=" or not expr.op.is_builtin:
        return None
    items = [constant(i) for i in expr.items]
    moments = [_moment(part, value(i)) if i is not None else None for i in items]
    found = [_bounds(part[1], "=", m, ctx) if m is not None else None for m in moments]
    whole = _joined(r for r in found if r is not None)
    # one item that is no start of a unit leaves the list as it is
    if None in found or len(whole) > MOST_RANGES:
        return None
    arms = [arm for r in whole if (arm := _between(part[0], r)) is not None]
    if len(arms) != len(whole) or not arms:
        return None
    return arms[0] if len(arms) == 1 else a.Or(tuple(arms))


def _joined(ranges: Iterable[Range]) -> list[Range]:
    """Ranges in order, with neighbours made one."""
    made: list[Range] = []
    for low, high in sorted(set(ranges), key=lambda r: r[0] or FIRST):
        if made and made[-1][1] == low:
            made[-1] = (made[-1][0], high)
        else:
            made.append((low, high))
    return made


def _part(expr: a.Expr) -> Part | None:
    """The column and the unit it is cut to."""
    # a timestamptz's day depends on the session's TimeZone: zone_range adds wider bounds there
    if isinstance(expr, a.Cast) and not expr.implicit and expr.type.name == "date":
        return _of(expr.arg, "day", {"timestamp"})
    if not isinstance(expr, a.Call) or not expr.func.is_builtin:
        return None
    name, args = expr.func.name, expr.args
    if name == "date" and len(args) == 1:
        return _of(args[0], "day", {"timestamp"})
    unit = args[0].value if args and isinstance(args[0], a.Const) else None
    # an interval or a unit that is computed has no fixed length
    if name == "date_trunc" and len(args) == 2 and unit in MONTHS | HOURS:
        return _of(args[1], str(unit), {"timestamp"})
    if name in {"extract", "date_part"} and len(args) == 2 and unit == "year":
        return _of(args[1], "number", {"timestamp", "date"})
    return None


def _of(expr: a.Expr, unit: str, types: set[str]) -> Part | None:
    plain = isinstance(expr, a.Column) and expr.type.is_builtin and expr.type.name in types
    return (expr, unit) if plain and isinstance(expr, a.Column) else None


def _moment(part: Part, found: Value | None) -> datetime | None:
    """The constant as a moment; a number as the start of that year."""
    if part[1] == "number":
        # extract gives a numeric: `= 2000.5` is met by no moment, and years below 1 are BC
        if not isinstance(found, Decimal) or found != found.to_integral_value() or not 1 <= found < 9999:
            return None
        return FIRST.replace(year=int(found))
    return found if isinstance(found, datetime) and FIRST < found < LAST - timedelta(days=366) else None


def _bounds(unit: str, operator: str, moment: datetime, ctx: Context) -> Range | None:
    """Where ``cut to unit operator moment`` holds."""
    start = _floor("year" if unit == "number" else unit, moment)
    after = _next("year" if unit == "number" else unit, start)
    exact = start == moment
    match operator:
        case "=":
            # `date_trunc('month', at) = '2000-03-05'` is met by nothing: contradiction's task
            return (start, after) if ctx.holds("constant-is-a-start", exact) else None
        case ">=":
            # from the middle of a unit on: only the units that begin later are not before it
            return (start if exact else after), None
        case ">":
            return after, None
        case "<":
            return None, (start if exact else after)
        case "<=":
            return None, after
        # <> would be two ranges with OR, which no index serves better
        case _:
            return None


def _floor(unit: str, moment: datetime) -> datetime:
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in MONTHS:
        months = MONTHS[unit]
        return midnight.replace(day=1, month=(moment.month - 1) // months * months + 1)
    if unit == "week":
        return midnight - timedelta(days=moment.weekday())
    return midnight if unit == "day" else midnight.replace(hour=moment.hour)


def _next(unit: str, start: datetime) -> datetime:
    if unit in HOURS:
        return start + timedelta(hours=HOURS[unit])
    month = start.month - 1 + MONTHS[unit]
    return start.replace(year=start.year + month // 12, month=month % 12 + 1)


# a comparison that the catalog does not offer for the column's type leaves all as it was
def _between(column: a.Column, bounds: Range | None) -> a.Expr | None:
    if bounds is None:
        return None
    low, high = bounds
    parts = [compare(">=", column, _const(column, low))] if low is not None else []
    parts += [compare("<", column, _const(column, high))] if high is not None else []
    return conjoin(p for p in parts if p is not None) if None not in parts else None


def _const(column: a.Column, moment: datetime) -> a.Const:
    if column.type.name == "date":
        return a.Const(moment.date().isoformat(), column.type)
    # six digits or none, as the server prints moments, so that equal texts are equal constants
    text = moment.isoformat(" ", "microseconds").rstrip("0") if moment.microsecond else moment.isoformat(" ")
    return a.Const(text, column.type.without_typmod())


def _months(preds: tuple[a.Expr, ...]) -> tuple[a.Expr, ...]:
    """``year = y AND month = m`` of one column as the range of that month."""
    years = {c: (p, n) for p in preds if (f := _numbered(p, "year")) is not None for c, n in [f]}
    kept = list(preds)
    for pred in preds:
        found = _numbered(pred, "month")
        # a month without a year, or a month 13, is no one range
        if found is None or found[0] not in years or not 1 <= found[1] <= 12:
            continue
        year_pred, year = years[found[0]]
        start = FIRST.replace(year=year, month=found[1])
        both = _between(found[0], (start, _next("month", start)))
        # a second month beside the same year finds it used up already
        if both is not None and pred in kept and year_pred in kept:
            kept = [both if p == year_pred else p for p in kept if p != pred]
    return tuple(kept)


def _numbered(pred: a.Expr, unit: str) -> tuple[a.Column, int] | None:
    """``extract(unit FROM column) = n``."""
    found = turned(pred)
    if found is None or found[0] != "=" or not isinstance(found[1], a.Call):
        return None
    call, number = found[1], value(found[2])
    if call.func.name not in {"extract", "date_part"} or not call.func.is_builtin or len(call.args) != 2:
        return None
    cut, column = call.args
    if not isinstance(cut, a.Const) or cut.value != unit or not isinstance(column, a.Column):
        return None
    if column.type.name not in {"date", "timestamp"} or not isinstance(number, Decimal):
        return None
    # years and months alike: a year from 1 to 9998, a month is looked at above
    whole = number == number.to_integral_value() and 1 <= number < 9999
    return (column, int(number)) if whole else None
