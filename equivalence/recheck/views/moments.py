"""Bounds of a moment that say nothing beside a condition on its local date, month or year.

A local time is less than seven days from UTC in every time zone (the server takes zones of up to 167:59:59).
So a condition on the local date of a timestamptz holds only between two moments that no setting moves, and
one on a timestamp's only between two moments; bounds further out are left out. to_char writes years before
Christ as those after: what it writes may also be of a moment before the year 1. Must not know the other
forms.

A date that is cut or written becomes a moment first, its midnight in the session's zone, which is less than a
week from its midnight in UTC; the moment's own local time is less than a week from it again. Making the
moment may fail for the latest dates and the earliest, so bounds have to let all of them through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.types import SqlType
from rewright.sql.walk import as_product, bottom_up, conjoin, conjuncts

_WEEK, _DAY = timedelta(days=7), timedelta(days=1)
# the longest that each unit lasts, in days
_UNITS = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1, "hour": 1}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
# names that every server knows: another may be refused, on rows that a bound keeps from it
_ZONES = frozenset({
    "UTC", "GMT", "Etc/UTC", "Europe/London", "Europe/Paris", "Europe/Berlin", "Europe/Madrid", "Europe/Rome",
    "Europe/Vienna", "Europe/Zurich", "Europe/Amsterdam", "Europe/Moscow", "America/New_York",
    "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Toronto", "America/Sao_Paulo",
    "Asia/Dubai", "Asia/Kolkata", "Asia/Singapore", "Asia/Hong_Kong", "Asia/Shanghai", "Asia/Seoul",
    "Asia/Tokyo", "Australia/Sydney", "Pacific/Auckland",
})  # fmt: skip
_TEXT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?"
    r"([+-][0-9]{2}(:[0-9]{2})?)?"
)
_TOKENS = re.compile(r"YYYY|MM|DD|[-/. _:]")
_FIRST, _LAST = datetime.fromisoformat("1000-01-01"), datetime.fromisoformat("9900-01-01")
# no moment written as a year before Christ is later than this, in any zone
_CHRIST = datetime.fromisoformat("0001-01-08")
# nor any date of which one is, whose moment is up to a week later; moments can be made of dates until the
# other one
_CHRIST_DATE, _LATE_DATE = datetime.fromisoformat("0001-01-15"), datetime.fromisoformat("9999-12-31")


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a column lies if a condition is TRUE: from ``low`` on, before ``high``; or ``ancient``."""

    column: a.Column
    low: datetime | None
    high: datetime | None
    ancient: bool = False


def moments(query: a.Query, changes: Changes) -> a.Query:
    del changes

    def change(node: a.Node) -> a.Node:
        if not isinstance(node, a.Select) or node.where is None:
            return node
        spans = [s for p in as_product(node)[1] if (s := _span(p)) is not None]
        kept = [p for p in conjuncts(node.where) if not _idle(p, spans)]
        return node if len(kept) == len(conjuncts(node.where)) else replace(node, where=conjoin(kept))

    return bottom_up(query, change)


# --------------------------------------------------------------------------- what says nothing


def _idle(pred: a.Expr, spans: Sequence[_Span]) -> bool:
    # only what was written by to_char, or a date, has the OR of this form
    if isinstance(pred, a.Or):
        return any(s.ancient and _beyond_ancient(pred, s) for s in spans)
    return any(not s.ancient and _beyond(pred, s) for s in spans)


def _beyond(pred: a.Expr, span: _Span) -> bool:
    """Whether a condition compares the column with a moment outside of the span."""
    if (
        not isinstance(pred, a.Op)
        or not pred.op.is_builtin
        or len(pred.args) != 2
        or pred.args[0] != span.column
    ):
        return False
    bound = _bound(pred.args[1], span.column.type)
    if bound is None:
        return False
    # at > '2024-01-01' says nothing where at >= '2024-01-02' is known; at the bound itself `>` would
    if pred.op.name in {">", ">="}:
        return span.low is not None and (bound < span.low or (bound == span.low and pred.op.name == ">="))
    return pred.op.name in {"<", "<="} and span.high is not None and bound >= span.high


def _beyond_ancient(pred: a.Or, span: _Span) -> bool:
    """Whether the alternatives are the span's and all that is before Christ. Any other might fail: leaving it
    out would hide that.
    """
    of_date = span.column.type.name == "date"
    ancient = _sides(pred, "<")
    late = _sides(pred, ">=") if of_date else []
    # years before Christ are written like those after: the bound must let all of them through
    before = any(b >= (_CHRIST_DATE if of_date else _CHRIST) for b in _bounds(ancient, span))
    # dates that no moment can be made of come late, and must get through to fail
    after = not of_date or any(b <= _LATE_DATE for b in _bounds(late, span))
    # what is neither before Christ nor late must be the span's own
    others = [x for x in pred.args if x not in ancient and x not in late]
    spanned = all(all(_beyond(p, span) for p in conjuncts(x)) for x in others)
    return (
        before and after and bool(others) and spanned and all(_is_bound(x, span) for x in (*ancient, *late))
    )


def _sides(pred: a.Or, name: str) -> list[a.Op]:
    return [x for x in pred.args if isinstance(x, a.Op) and x.op.name == name and x.op.is_builtin]


def _bounds(ops: Sequence[a.Op], span: _Span) -> Iterator[datetime]:
    for x in ops:
        found = _bound(x.args[1], span.column.type) if len(x.args) == 2 and x.args[0] == span.column else None
        if found is not None:
            yield found


def _is_bound(x: a.Op, span: _Span) -> bool:
    return x.args[:1] == (span.column,) and _bound(x.args[-1], span.column.type) is not None


def _bound(x: a.Expr, type_: SqlType) -> datetime | None:
    """A moment that means the same in every session: of timestamptz one in UTC."""
    text = _written(x)
    if text is None or x.type.name != type_.name or not x.type.is_builtin or x.type.typmod != -1:
        return None
    # another distance from UTC would have to be taken off
    if type_.name == "timestamptz" and not text.endswith("+00"):
        return None
    found = _TEXT.fullmatch(text)
    # a timestamp with a zone in its text ignores the zone; a date with a time in its text is cut
    if found is None or (type_.name == "timestamp" and found[5]) or (type_.name == "date" and found[2]):
        return None
    try:
        return datetime.fromisoformat(f"{found[1]}{found[2] or ''}")
    except ValueError:
        return None


def _written(x: a.Expr) -> str | None:
    """A constant's text, read as the type by the server or already."""
    if (
        isinstance(x, a.Cast)
        and x.method == "io"
        and isinstance(x.arg, a.Const)
        and x.arg.type.name == "unknown"
    ):
        return x.arg.value
    return x.value if isinstance(x, a.Const) else None


# --------------------------------------------------------------------------- what a condition says


def _span(pred: a.Expr) -> _Span | None:
    if isinstance(pred, a.InList):
        one: bool = not pred.all and pred.op.name == "=" and pred.op.is_builtin and bool(pred.items)
        # NOT IN says nothing of where a moment lies
        found = [_of(pred.left, "=", x) for x in pred.items] if one else []
        known = [s for s in found if s is not None and s.low is not None and s.high is not None]
        # one item without bounds, and the list has none
        if not known or len(known) < len(found):
            return None
        return replace(
            known[0], low=min(s.low for s in known if s.low), high=max(s.high for s in known if s.high)
        )
    if (
        not isinstance(pred, a.Op)
        or not pred.op.is_builtin
        or len(pred.args) != 2
        or pred.op.name not in _TURNED
    ):
        return None
    left, right = pred.args
    return _of(left, pred.op.name, right) or _of(right, _TURNED[pred.op.name], left)


def _of(part: a.Expr, name: str, const: a.Expr) -> _Span | None:
    cut = _cut(part)
    if cut is None:
        return None
    moment, unit = cut
    day = _day(moment, part)
    column = moment if day is None else day
    # a computed value is bounded by nothing that an index or another condition knows
    if not isinstance(column, a.Column) or not column.type.is_builtin:
        return None
    text = _written(const)
    zoned = moment.type.name == "timestamptz"
    # of a timestamp only the text and what date_trunc gives; ranges of its own are compared as they are
    if text is None or not (zoned or (moment.type.name == "timestamp" and unit.startswith("as "))):
        return None
    if unit.startswith("as "):
        period = _period(unit[3:], text) if name == "=" and const.type.name == "text" else None
    elif const.type.name != part.type.name:
        return None  # compared by way of the session's zone, or of numbers
    else:
        period = _year(text) if unit == "number" else _around(text, _UNITS.get(unit, 0))
    if period is None:
        return None
    # an open range of dates would reach those of which no moment can be made
    if day is not None and name != "=":
        return None
    apart = (_WEEK if day is None else 2 * _WEEK) if zoned else timedelta(0)
    low = None if name in {"<", "<="} else period[0] - apart
    high = None if name in {">", ">="} else period[1] + apart
    return _Span(column, low, high, day is not None or unit.startswith("as "))


def _day(moment: a.Expr, part: a.Expr) -> a.Column | None:
    """The column of dates whose midnight ``moment`` is, where ``part`` is cut of it in the same zone."""
    # timestamp(0) rounds to another midnight
    if not isinstance(moment, a.Cast) or moment.type.typmod != -1 or not moment.type.is_builtin:
        return None
    if not isinstance(part, a.Call) or len(part.args) != 2 or moment not in part.args:
        return None
    column = moment.arg
    if part.func.name not in {"date_trunc", "to_char"} or not isinstance(column, a.Column):
        return None
    return column if column.type.is_builtin and column.type.name == "date" else None


def _cut(x: a.Expr) -> tuple[a.Expr, str] | None:
    """The moment of which something is a part, and which part."""
    if (
        isinstance(x, a.Cast)
        and x.type == SqlType("date")
        and x.arg.type.name in {"timestamp", "timestamptz"}
    ):
        return _local(x.arg), "day"
    if not isinstance(x, a.Call) or not x.func.is_builtin:
        return None
    # the unit is a constant, or the cut could be any
    word = _written(x.args[0]) if x.args and x.args[0].type.name == "text" else None
    match x.func.name, len(x.args):
        case "date", 1:
            return _local(x.args[0]), "day"
        case "date_trunc", 2 if word in _UNITS:
            return _local(x.args[1]), str(word)
        case "date_trunc", 3 if word in _UNITS and _written(x.args[2]) in _ZONES:
            return x.args[1], str(word)
        case "extract" | "date_part", 2 if word == "year":
            return _local(x.args[1]), "number"
        case "to_char", 2 if x.args[1].type.name == "text" and _written(x.args[1]) is not None:
            return _local(x.args[0]), f"as {_written(x.args[1])}"
        case "timezone", 2:
            # AT TIME ZONE by itself is compared as a moment, not cut
            return (_local(x), "") if _local(x) != x else None
    return None


def _local(x: a.Expr) -> a.Expr:
    """The moment of which something is the local time in a zone."""
    if isinstance(x, a.Call) and x.func.is_builtin and x.func.name == "timezone" and len(x.args) == 2:
        zone, moment = x.args
        # an unknown zone is an error on some rows only
        if moment.type.name == "timestamptz" and zone.type.name == "text" and _written(zone) in _ZONES:
            return moment
    return x


def _around(text: str, days: int) -> tuple[datetime, datetime] | None:
    """The day that a constant's text names and what a unit that starts on it may last, with a day on either
    side for the constant's own zone and for clocks that are changed.
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    try:
        day = datetime.fromisoformat(found[1])
    except ValueError:
        return None
    # between these years four figures are enough before and after
    return (day - _DAY, day + timedelta(days=days) + 2 * _DAY) if _FIRST <= day <= _LAST else None


def _year(text: str) -> tuple[datetime, datetime] | None:
    # other years are out of the range in which moments are bounded
    if not re.fullmatch(r"[1-9][0-9]{3}", text) or int(text) >= _LAST.year:
        return None
    return _FIRST.replace(year=int(text)), _FIRST.replace(year=int(text) + 1)


def _period(form: str, text: str) -> tuple[datetime, datetime] | None:
    """The year, month or day that to_char writes in a form of figures."""
    tokens = _TOKENS.findall(form)
    figures = sorted(t for t in tokens if len(t) > 1)
    if "".join(tokens) != form or figures not in (["YYYY"], ["MM", "YYYY"], ["DD", "MM", "YYYY"]):
        return None
    found: dict[str, int] = {"MM": 1, "DD": 1}
    for token, said in _split(tokens, text):
        # a sign of the format must be there in the text
        if len(token) == 1 and said != token:
            return None
        if len(token) > 1:
            # '٣' is a decimal digit to Python
            if not said.isdecimal() or not said.isascii() or len(said) != len(token):
                return None
            found[token] = int(said)
    # a text that is longer than its format was not written by it
    if sum(map(len, tokens)) != len(text) or not _FIRST.year <= found["YYYY"] < _LAST.year:
        return None
    try:
        start = datetime.fromisoformat(f"{found['YYYY']:04}-{found['MM']:02}-{found['DD']:02}")
    except ValueError:
        return None
    if "DD" in figures:
        return start, start + _DAY
    if "MM" in figures:
        return start, (start + timedelta(days=31)).replace(day=1)
    return start, start.replace(year=start.year + 1)


def _split(tokens: Sequence[str], text: str) -> Iterator[tuple[str, str]]:
    at = 0
    for token in tokens:
        yield token, text[at : at + len(token)]
        at += len(token)
