"""Which dates and moments stay within their type where they are moved, cut or converted, by what is known of
the rows (hazards M6, M7).

    date_trunc('month', at) … WHERE at >= '2018-01-01'    no month begins before there are months
    at + interval '90 days' … WHERE at < now()            no moment of our age leaves its type by days

A timestamp goes from 4713 BC to 294276 AD, a date further (manual, table 8.9). Whatever compares with a
constant of the years 1000 to 8999, or with the server's own time, is thousands of years from there, so that
the roundings and spans below, of some centuries at most, need no further bookkeeping. Infinite moments stay
what they are; two of them have no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rewright.sql.algebra import (
    And,
    Call,
    Cast,
    Coalesce,
    Column,
    Const,
    Expr,
    FromItem,
    InList,
    IsDistinct,
    Join,
    Op,
    Query,
    Select,
    ValueFunction,
)
from rewright.sql.comparisons import FLIPPED
from rewright.sql.walk import SUBQUERIES, all_exprs, conjuncts, free_rels, from_rels, leaves

if TYPE_CHECKING:
    from rewright.sql.facts.guards import Known

_MOMENTS = frozenset({"date", "timestamp", "timestamptz"})
# units that a moment is cut to, a century at most before it
_UNITS = frozenset(
    {"second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century"}
)
_NOW = frozenset({"now", "transaction_timestamp", "statement_timestamp"})
_TODAY = frozenset({"current_date", "current_timestamp", "localtimestamp"})
_WRITTEN = re.compile(r"[1-8]\d{3}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([+-]\d\d(:?\d\d)?)?)?")
# a number and its unit, or hours with a colon: read alike under every IntervalStyle but for signs
_SPAN = re.compile(r"([+-]?)(?:(\d{1,6})(?:\.\d+)? ?([a-z]*)|\d{1,4}(?::\d\d){1,2}(?:\.\d{1,6})?)(?: +|$)")
# of one unit and longer than none, read alike under every IntervalStyle
STEP = re.compile(r"[1-9]\d{0,3} ?(day|week|month|mon|year|hour|minute|second)s?")
# how many of a unit make at most a century
_IN_A_CENTURY = {
    "year": 100, "mon": 1200, "month": 1200, "week": 5000, "day": 36_500, "hour": 800_000, "min": 10**6,
    "minute": 10**6, "sec": 10**6, "second": 10**6, "": 100,
}  # fmt: skip
_MOST_DAYS = 36_500
# parts of a span, which is that many centuries at most
_MOST_PARTS = 3
# centuries by which steps down to the column lead away from it: on both sides of a comparison, and of what is
# computed of the column, they come to less than the 57 between the year 1000 and the first moment
_FURTHEST = 12
# what `cost_qual_eval` counts for at least one operator
_COSTLY = (Op, Call, InList, IsDistinct, *SUBQUERIES)


class _Reach(NamedTuple):
    """Whether a moment, where it is one, is known not to be early and not to be late in its type. An infinite
    one is at that end.
    """

    not_early: bool = False
    not_late: bool = False


_NOTHING, _NEAR = _Reach(), _Reach(True, True)


class _Span(NamedTuple):
    """Whether a span may go forward and backward, and how many centuries at most."""

    forward: bool
    backward: bool
    centuries: int = 1

    def reversed(self) -> _Span:
        return _Span(self.backward, self.forward, self.centuries)


def stays_in_time(expr: Expr, known: Known) -> bool:
    """Whether evaluating a date, a moment or so many times a span (not what it is made of) gives a value of
    its type wherever ``known`` holds.
    """
    match expr:
        case Call(args=(_, moment)) if _is_cut(expr):
            # one with a zone reads its name
            reach = _reach(moment, known)
            # in a zone a late moment is first one of a later year
            return reach.not_early and (reach.not_late or moment.type.name == "timestamp")
        case Op(op, (left, right)) if op.is_builtin and op.name in {"+", "-"}:
            return _has_sum(op.name, left, right, known)
        case Op(op, (_, _)) if op.is_builtin and op.name == "*" and expr.type.name == "interval":
            return _span(expr) is not None
        case Cast(arg) if _is_conversion(expr):
            reach = _reach(arg, known)
            kinds = arg.type.name, expr.type.name
            # every moment has a day, and the first day begins with the first moment
            if kinds in {("timestamp", "date"), ("date", "timestamp")}:
                return reach.not_late or kinds[1] == "date"
            return reach == _NEAR
        case _:
            return False


def is_series(call: Call) -> bool:
    """Whether a call of generate_series gives moments between two that are written out, by a step of one unit
    that is longer than none: it fails for none.
    """
    if not (call.func.is_builtin and call.func.name == "generate_series" and len(call.args) == 3):
        return False
    first, last, step = call.args
    ends = all(_is_moment(x) and _by_itself(x) == _NEAR for x in (first, last))
    # of `interval '5 hours' day` nothing is left
    plain = step.type.name == "interval" and step.type.typmod == -1
    return ends and plain and STEP.fullmatch(_text(step) or "") is not None


def is_near(expr: Expr, known: Known) -> bool:
    """Whether a moment, where it is one, is known to be far from the ends of its type."""
    return _is_moment(expr) and _reach(expr, known) == _NEAR


def bounds(query: Query) -> tuple[Expr, ...]:
    """The conditions of a block that bound its moments and are asked before anything that is computed of
    these: comparisons of a column with a constant in WHERE, or in ON of an inner join.

    They are asked at the scan of the column's rows, where conditions are sorted by what they cost
    (`order_qual_clauses`), and these cost one operator. An index that is asked another condition before has
    computed its expressions when the rows were stored. A comparison of a row around the block is asked where
    the two are joined: behind what a join computes of that row.
    """
    if not isinstance(query, Select):
        return ()
    rels = from_rels(query.from_)
    # what a subquery beside it shows may be a column of the rows around, too
    own = {item.rel for item in leaves(query.from_) if free_rels(item) <= rels}
    asked = (c for part in (query.where, *_joined(query.from_)) for c in conjuncts(part))
    return tuple(c for c in asked if (column := _compared_column(c)) is not None and column.rel in own)


def may_come_first(condition: Expr) -> bool:
    """Whether a condition that computes something costs no more than a comparison (IS NULL costs nothing)."""
    costly = list(islice((e for e in all_exprs(condition) if isinstance(e, _COSTLY)), 2))
    # a subquery is joined to the rows that are left, or costs more than they do
    return len(costly) < 2 and not any(isinstance(e, SUBQUERIES) for e in costly)


def _joined(items: Iterable[FromItem]) -> Iterator[Expr]:
    for item in items:
        if isinstance(item, Join) and item.kind == "inner":
            yield from (item.on,) if item.on is not None else ()
            yield from _joined((item.left, item.right))


def _compared_column(condition: Expr) -> Column | None:
    """The column that a condition compares with a constant, both moments."""
    match condition:
        case Op(op, (Column() as column, other)) | Op(op, (other, Column() as column)):
            read = other.arg if isinstance(other, Cast) and other.arg.type.name == "unknown" else other
            compares = op.is_builtin and op.btree != "" and _is_moment(column) and _is_moment(other)
            return column if compares and isinstance(read, Const) else None
        case _:
            return None


def _has_sum(name: str, left: Expr, right: Expr, known: Known) -> bool:
    if _is_moment(left) and _is_moment(right) and name == "-":
        # between moments that are both there, and near, lies a span
        return _reach(left, known) == _reach(right, known) == _NEAR
    found = _moved(name, left, right)
    if found is None:
        return False
    moment, span = found
    reach = _reach(moment, known)
    # a date is made a moment before a span is added to it, which the last dates are not
    by = left if moment is right else right
    late = span.forward or (moment.type.name == "date" and by.type.name == "interval")
    return (reach.not_late or not late) and (reach.not_early or not span.backward)


def _moved(name: str, left: Expr, right: Expr) -> tuple[Expr, _Span] | None:
    """The moment of a sum with a span that is written out, and by how much it goes forward and backward."""
    for moment, by in ((left, right), (right, left)):
        # no moment is taken from a span
        if _is_moment(moment) and (span := _span(by)) is not None and (moment is left or name == "+"):
            return moment, span if name == "+" else span.reversed()
    return None


def _span(expr: Expr) -> _Span | None:
    """A span that is written out, of some centuries at most; None for others."""
    times, expr = _times(expr)
    text = _text(expr)
    if text is None or not expr.type.is_builtin:
        return None
    if expr.type.name == "int4" and times == 1:
        few = text.lstrip("-").isdigit() and abs(int(text)) <= _MOST_DAYS
        return _Span(not text.startswith("-"), text.startswith("-")) if few else None
    if expr.type.name != "interval" or not text:
        return None
    parts, at = list[re.Match[str]](), 0
    while at < len(text):
        part = _SPAN.match(text.lower(), at)
        if part is None or not _is_short(part, times):
            return None
        parts.append(part)
        at = part.end()
    # of one unit it is as its sign says; of several all of them may be negative
    few = len(parts) <= _MOST_PARTS
    return _Span(True, any(p[1] == "-" for p in parts), len(parts)) if few else None


def _times(expr: Expr) -> tuple[int, Expr]:
    """A span and how often it is taken: `30 * interval '1 day'`."""
    if isinstance(expr, Op) and expr.op.is_builtin and expr.op.name == "*" and len(expr.args) == 2:
        number, span = expr.args if expr.args[1].type.name == "interval" else expr.args[::-1]
        text = _text(number)
        if span.type.name == "interval" and text is not None and re.fullmatch(r"\d{1,6}", text):
            return int(text), span
    return 1, expr


def _is_short(part: re.Match[str], times: int) -> bool:
    if part[2] is None:
        return times == 1
    unit = part[3] if part[3] in _IN_A_CENTURY else part[3].removesuffix("s")
    # a fraction of a unit is less than one more
    number = int(part[2]) + ("." in part[0])
    return unit in _IN_A_CENTURY and number * times <= _IN_A_CENTURY[unit]


def _reach(expr: Expr, known: Known) -> _Reach:
    """What is known of a moment, infinite ones included."""
    expr = _core(expr)
    found = _NEAR if expr in known.near else _by_itself(expr)
    if found == _NEAR or not isinstance(expr, Column):
        return found
    for condition, true in known.conditions:
        for bound in _bounds(condition, expr) if true else ():
            found = _Reach(found.not_early or bound.not_early, found.not_late or bound.not_late)
    return found


def _by_itself(expr: Expr, within: int = _FURTHEST) -> _Reach:
    """What is known of a moment without columns, made of others in some centuries."""
    core, left = _stripped(expr, within)
    match core:
        case Call(func) if func.is_builtin and func.name in _NOW:
            return _NEAR
        case ValueFunction(name) if name in _TODAY:
            return _NEAR
        case Coalesce(args) if all(_by_itself(x, left) == _NEAR for x in args):
            return _NEAR
        case plain:
            text = _text(plain)
            return _NEAR if text is not None and _WRITTEN.fullmatch(text) else _NOTHING


def _core(expr: Expr) -> Expr:
    """What a moment is made of by conversions, roundings and spans of some centuries in all."""
    return _stripped(expr, _FURTHEST)[0]


def _stripped(expr: Expr, within: int) -> tuple[Expr, int]:
    """The same, and how many of the centuries are left."""
    while True:
        match expr:
            case Cast(below) if _is_conversion(expr):
                step = 1
            case Call(args=(_, below, *_)) if _is_cut(expr) or _is_in_zone(expr):
                step = 1
            case Op(op, (left, right)) if op.is_builtin and (found := _moved(op.name, left, right)):
                below, step = found[0], found[1].centuries
            case _:
                return expr, within
        if step > within:
            return expr, within
        expr, within = below, within - step


def _bounds(condition: Expr, expr: Expr) -> Iterator[_Reach]:
    """What a condition that holds says of a column by constants."""
    match condition:
        case And(args):
            for arg in args:
                yield from _bounds(arg, expr)
        case Op(op, (left, right)) if op.is_builtin and op.name in FLIPPED:
            yield from _compared(op.name, left, right, expr)
            yield from _compared(FLIPPED[op.name], right, left, expr)
        case InList(op, left, items, False) if op.is_builtin and op.name == "=":
            if all(any(r == _NEAR for r in _compared("=", left, item, expr)) for item in items):
                yield _NEAR


def _compared(name: str, left: Expr, right: Expr, expr: Expr) -> Iterator[_Reach]:
    """What "left name right" says where the left side is made of the column."""
    year = _year_of(left)
    moment = left if year is None else year
    if not _is_moment(moment) or _core(moment) != expr:
        return
    near = _is_year(right) if year is not None else _is_moment(right) and _by_itself(right) == _NEAR
    if near and name != "<>":
        yield _Reach(name in {"=", ">", ">="}, name in {"=", "<", "<="})


def _year_of(expr: Expr) -> Expr | None:
    """The moment whose year it is."""
    match expr:
        case Call(func, (field, moment)) if func.is_builtin and func.name in {"extract", "date_part"}:
            return moment if _text(field) == "year" else None
        case Cast(arg) if expr.type.is_builtin and expr.type.name in {"int4", "int8", "numeric", "float8"}:
            # a year is a whole number, and stays one
            return _year_of(arg) if expr.type.typmod == -1 else None
        case _:
            return None


def _is_year(expr: Expr) -> bool:
    text = _text(expr)
    return text is not None and re.fullmatch(r"[1-8]\d{3}", text) is not None


def _text(expr: Expr) -> str | None:
    """A constant as it is written: what is read as another type is read when the query is planned."""
    if isinstance(expr, Cast) and isinstance(expr.arg, Const) and expr.type.is_builtin:
        expr = expr.arg
    return expr.value if isinstance(expr, Const) and expr.type.is_builtin else None


def _is_moment(expr: Expr) -> bool:
    return expr.type.is_builtin and expr.type.name in _MOMENTS


def _is_conversion(expr: Cast) -> bool:
    """Whether a date or moment becomes another kind of such: a zone or a rounding moves it by days."""
    return _is_moment(expr) and _is_moment(expr.arg) and expr.method in {"func", "typmod"}


def _is_cut(expr: Call) -> bool:
    # in a zone it is cut there
    if not (expr.func.is_builtin and expr.func.name == "date_trunc" and len(expr.args) in {2, 3}):
        return False
    unit, moment = expr.args[:2]
    return _is_moment(moment) and isinstance(unit, Const) and unit.value in _UNITS


def _is_in_zone(expr: Call) -> bool:
    """Whether it is a moment in a zone that is named: `at AT TIME ZONE 'UTC'`. A span may be a zone, too, and
    of any size.
    """
    if not (expr.func.is_builtin and expr.func.name == "timezone" and len(expr.args) == 2):
        return False
    return expr.args[0].type.name in {"text", "unknown"} and _is_moment(expr.args[1])
