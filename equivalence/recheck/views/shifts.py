"""Comparisons of a step from a column with a constant, as comparisons of the column with another constant.

    d + 7 > date '2024-01-10'   is   d > date '2024-01-03'

A step is one to one and keeps order. It must not fail on any stored row, which CHECKs or the width of the
column's type show; bounds on both sides also keep infinite dates and timestamps out. Days and hours are of
one length where there is no time zone. Must not know the other forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from rewright.equivalence.prover.checks import quoted
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.build import compare
from rewright.sql.facts import usable_checks
from rewright.sql.types import SqlType
from rewright.sql.walk import bottom_up, conjuncts, walk

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
_BITS = {"int2": 15, "int4": 31, "int8": 63}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?")
_LENGTH = re.compile(r"([+-]?[0-9]{1,9}) ?(second|minute|hour|day|week)s?")
_DECIMAL = re.compile(r"-?[0-9]{1,60}(\.[0-9]{1,60})?")
# a year that is written with four figures, before and after
_FIRST, _LAST = datetime.fromisoformat("1000-01-01"), datetime.fromisoformat("9999-12-31 23:59:59")


def shifts(query: a.Query, changes: Changes) -> a.Query:
    scans = {n.rel: n for n in walk(query) if isinstance(n, a.Scan)}
    law = _Shifts(scans, changes)
    return bottom_up(query, law.changed)


@dataclass(frozen=True, slots=True)
class _Shifts:
    scans: dict[int, a.Scan]
    changes: Changes

    def changed(self, node: a.Node) -> a.Node:
        if not isinstance(node, a.Op) or not node.op.is_builtin or node.op.name not in _TURNED:
            return node
        if len(node.args) != 2:
            return node
        step, limit, name = *node.args, node.op.name
        # 3 < n + 1 is turned round
        if _value(step) is not None:
            step, limit, name = limit, step, _TURNED[name]
        if not isinstance(step, a.Op) or not step.op.is_builtin or len(step.args) != 2:
            return node
        column, by, sign = *step.args, step.op.name
        # 7 + n and 2 * n; of n - 7 the order of the operands matters
        if isinstance(by, a.Column) and sign in {"+", "*"}:
            column, by = by, column
        reached = _value(limit)
        if not isinstance(column, a.Column) or reached is None:
            return node
        other = self._start(column, by, sign, step.type, limit.type, reached)
        made = None if other is None else compare(name, column, other)
        return node if made is None else made

    def _start(
        self, column: a.Column, by: a.Expr, sign: str, given: SqlType, of: SqlType, reached: Any
    ) -> a.Const | None:
        """The constant from which the step leads to ``reached``, where all stored values may step."""
        if sign == "*":
            return _divided(column, by, of, reached)
        if sign not in {"+", "-"}:
            return None
        kind = column.type.name
        if sign == "-" and kind == "date" and by.type == SqlType("date"):
            first, inside = _value(by), self._bounds(column)
            if not isinstance(first, datetime) or not isinstance(reached, int) or inside is None:
                # an infinite date has no distance in days
                return None
            return _written(lambda: first + timedelta(days=reached), SqlType("date"))
        length = _length(kind, by)
        if length is None or isinstance(reached, Fraction):
            return None
        # a date is compared with a timestamp by another operator
        if kind in {"date", "timestamp"} and (of != column.type or not isinstance(reached, datetime)):
            return None
        if kind in _BITS and not isinstance(reached, int):
            return None
        away = length if sign == "+" else -length
        if not self._may_step(column, away, given):
            return None
        return _written(lambda: reached - away, of)

    def _may_step(self, column: a.Column, away: Any, given: SqlType) -> bool:
        if column.type.name in _BITS:
            if given.name not in _BITS or not given.is_builtin:
                return False
            most, width = 1 << _BITS[given.name], 1 << _BITS[column.type.name]
            # the wider type holds the sum of any stored value
            if -most <= away - width and width - 1 + away < most:
                return True
            known = self._bounds(column)
            return known is not None and all(-most <= end + away < most for end in known)
        known = self._bounds(column)
        try:
            # years of four figures, or texts and order part
            return known is not None and all(_FIRST <= end + away <= _LAST for end in known)
        except OverflowError:
            return False

    # ------------------------------------------------------------ what is stored

    def _bounds(self, column: a.Column) -> tuple[Any, Any] | None:
        """Between which values CHECKs keep the column, where there is one on either side."""
        scan = self.scans.get(column.rel)
        catalog = self.changes.catalog
        # columns of subqueries are under no CHECK
        if scan is None or not catalog.has_table(scan.table):
            return None
        least: list[tuple[Any, Any]] = []
        most: list[tuple[Any, Any]] = []
        for check, constraint in usable_checks(catalog, scan):
            for name, end in self._ends(scan, check.text, column):
                (least if name in {">", ">="} else most).append((end, constraint))
        # one bound leaves the other end open, where infinite dates are
        if not least or not most:
            return None
        self.changes.rest_on(frozenset({least[0][1], most[0][1]}))
        return least[0][0], most[0][0]

    def _ends(self, scan: a.Scan, check: str, column: a.Column) -> list[tuple[str, Any]]:
        """The comparisons of the column with constants, of which a CHECK is a conjunction."""
        try:
            # a CHECK that is not read bounds nothing
            query = bind(f"select 1 from {quoted(scan.table)} where ({check})", self.changes.catalog)
        except (BindError, Unsupported):
            return []
        if not isinstance(query, a.Select) or len(query.from_) != 1 or not isinstance(query.from_[0], a.Scan):
            return []
        if query.from_[0].table != scan.table:
            return []
        found: list[tuple[str, Any]] = []
        for p in conjuncts(query.where):
            if not isinstance(p, a.Op) or not p.op.is_builtin or len(p.args) != 2:
                continue
            left, right, name = *p.args, p.op.name
            if isinstance(right, a.Column):
                left, right, name = right, left, _TURNED.get(name, "")
            end = _value(right)
            own = isinstance(left, a.Column) and (left.pos, left.type) == (column.pos, column.type)
            # a date compared with a timestamp in the CHECK is compared after a cast
            alike = right.type.name == column.type.name or {right.type.name, column.type.name} <= _BITS.keys()
            if own and alike and end is not None and name in {"<", "<=", ">", ">="}:
                found.append((name, end))
        return found


# --------------------------------------------------------------------------- constants


def _value(x: a.Expr) -> int | Fraction | datetime | None:
    """A whole or decimal number, a day or a moment that is written out."""
    if isinstance(x, a.Cast) and isinstance(x.arg, a.Const) and x.arg.value is not None:
        source, target = x.arg.type, x.type
        # an implicit cast between integers, or to numeric, keeps the number
        if x.implicit and source.name in _BITS and target.name in {*_BITS, "numeric"}:
            return _read(x.arg.value, target)
        plain = source.name == "unknown" and x.method == "io" and target.is_builtin and target.typmod == -1
        return _read(x.arg.value, target) if plain and target.name == "timestamp" else None
    # a modifier on a constant has rounded or cut it
    if not isinstance(x, a.Const) or x.value is None or not x.type.is_builtin or x.type.typmod != -1:
        return None
    return _read(x.value, x.type)


def _read(text: str, type_: SqlType) -> int | Fraction | datetime | None:
    if type_.name in _BITS:
        return int(text)
    if type_.name == "numeric" and _DECIMAL.fullmatch(text):
        return Fraction(text)
    shape = {"date": _DATE, "timestamp": _MOMENT}.get(type_.name)
    if shape is None or not shape.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _length(kind: str, by: a.Expr) -> int | timedelta | None:
    """How far a constant leads from values of a type."""
    number = _value(by)
    if by.type.name in _BITS and isinstance(number, int):
        if kind in _BITS:
            return number
        return (
            timedelta(days=number)
            # a million days lead out of any calendar
            if kind == "date" and by.type.name == "int4" and abs(number) < 10**6
            else None
        )
    # months have several lengths, and timestamptz days, too
    if kind != "timestamp" or not isinstance(by, a.Cast) or not isinstance(by.arg, a.Const):
        return None
    plain = by.type == SqlType("interval") and by.arg.type.name == "unknown"
    found = _LENGTH.fullmatch((by.arg.value or "").strip().lower()) if plain else None
    with suppress(OverflowError):
        return None if found is None else timedelta(**{f"{found[2]}s": int(found[1])})
    return None


def _divided(column: a.Column, by: a.Expr, of: SqlType, reached: Any) -> a.Const | None:
    """Products of numeric(p, s) are exact, and a factor above 0 keeps order."""
    factor = _value(by)
    declared = column.type.is_builtin and column.type.name == "numeric" and column.type.typmod >= 0
    # by 0 all values become one; by less than 0 the order turns round
    if not declared or not isinstance(factor, Fraction) or not isinstance(reached, Fraction) or factor <= 0:
        return None
    if of.name != "numeric" or by.type.name != "numeric":
        return None
    start = reached / factor
    # a quotient with more decimals than these is taken for one that never ends
    for places in range(40):
        scaled = start * 10**places
        if scaled.denominator == 1:
            figures = str(abs(scaled.numerator)).rjust(places + 1, "0")
            text = f"{figures[:-places]}.{figures[-places:]}" if places else figures
            return a.Const(f"-{text}" if start < 0 else text, of)
    return None


def _written(made: Callable[[], Any], type_: SqlType) -> a.Const | None:
    try:
        found = made()
    except OverflowError:
        return None
    if isinstance(found, datetime):
        # a date must come out as a date: hours left over would be cut off
        if not _FIRST <= found <= _LAST or (type_.name == "date" and found.time() != datetime.min.time()):
            return None
        return a.Const(found.date().isoformat() if type_.name == "date" else found.isoformat(" "), type_)
    top = 1 << _BITS.get(type_.name, 0)
    return a.Const(str(found), type_) if type_.name in _BITS and -top <= found < top else None
