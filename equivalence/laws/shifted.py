"""Comparisons of a column and a constant from which a constant step on the column has been taken over.

    published + 7 > date '2024-01-10'      -->   published > date '2024-01-03'
    at - interval '2 hours' < timestamp '2024-01-01 10:00'   -->   at < timestamp '2024-01-01 12:00'
    price * 2 > 10                         -->   price > 5

Only where the arithmetic can't raise an error on any stored row: the column's CHECKs keep it inside the
calendar or the integers, its type is narrower than the result's, or it is numeric(p, s). Bounds on both sides
keep infinite dates out, too. Hours and days are of one length for timestamps without a zone; months never
are. Must not know rules or provers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, localcontext
from typing import Any

from rewright.equivalence.laws.forms import Form, Walk
from rewright.equivalence.prover.checks import quoted
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.build import compare
from rewright.sql.catalog import Catalog
from rewright.sql.constants import constant, value
from rewright.sql.facts import Assumption
from rewright.sql.facts.assumptions import usable_checks
from rewright.sql.walk import conjuncts, walk

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
_INTEGERS = {"int2": 15, "int4": 31, "int8": 63}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?")
_INTERVAL = re.compile(r"([+-]?\d{1,9}) ?(second|minute|hour|day|week)s?")
# of a factor, besides the 2000 that a column may have
_MOST_DIGITS = 10_000
# a quotient that would be rounded is none
_EXACTLY = Context(prec=200, traps=[Inexact, InvalidOperation, DivisionByZero])
Bounds = tuple[Any, Any]


def without_shifts(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without such steps."""
    return _WithoutShifts(catalog).form(query)


class _WithoutShifts(Walk):
    def form(self, query: a.Query) -> Form:
        self._scans = {n.rel: n for n in walk(query) if isinstance(n, a.Scan)}
        return super().form(query)

    def changed(self, node: a.Node) -> a.Node:
        if not (
            isinstance(node, a.Op)
            and node.op.is_builtin
            and node.op.name in _MIRRORED
            and len(node.args) == 2
        ):
            return node
        left, right, name = *node.args, node.op.name
        # 3 < n + 1 is n + 1 > 3
        if _written(left) is not None:
            left, right, name = right, left, _MIRRORED[name]
        if not (isinstance(left, a.Op) and left.op.is_builtin and len(left.args) == 2):
            return node
        made = self._moved(left, _written(right))
        return node if made is None else (compare(name, *made) or node)

    def _moved(self, step: a.Op, bound: a.Const | None) -> tuple[a.Expr, a.Expr] | None:
        """The column, and the constant that it reaches where the step from it reaches ``bound``."""
        column, by, sign = *step.args, step.op.name
        # 7 + published is published + 7; 7 - published turns the order round, and is left alone
        if isinstance(by, a.Column) and sign in {"+", "*"}:
            column, by = by, column
        limit = None if bound is None else value(bound)
        if not isinstance(column, a.Column) or bound is None or limit is None:
            return None
        if sign == "*":
            return self._scaled(column, by, bound, limit)
        if sign not in {"+", "-"}:
            return None
        return self._by_date(column, by, sign, limit) or self._by_step(column, by, sign, step, bound, limit)

    def _scaled(
        self, column: a.Column, by: a.Expr, bound: a.Const, limit: Any
    ) -> tuple[a.Expr, a.Expr] | None:
        known = constant(by)
        factor = None if known is None else value(known)
        declared = column.type.is_builtin and column.type.name == "numeric" and column.type.typmod >= 0
        # numeric without (p, s) may be infinite or round its products; by a factor below 0 the comparison
        # turns round
        if not declared or not isinstance(factor, Decimal) or not isinstance(limit, Decimal) or factor <= 0:
            return None
        if bound.type.name != "numeric" or known is None or known.type.name != "numeric":
            return None
        # behind 16383 decimals a product would be rounded, and beyond 131072 digits there is none
        if len(known.value or "") > _MOST_DIGITS:
            return None
        try:
            with localcontext(_EXACTLY):
                # 10 / 3 has no exact quotient, and the comparison stays
                return column, a.Const(format(limit / factor, "f"), bound.type)
        except ArithmeticError:
            return None

    def _by_date(self, column: a.Column, by: a.Expr, sign: str, limit: Any) -> tuple[a.Expr, a.Expr] | None:
        """``d - date '2024-01-01' > 10``: a number of days, which infinite dates have none of."""
        start = constant(by)
        if sign != "-" or column.type.name != "date" or start is None or start.type.name != "date":
            return None
        first = value(start)
        # date - date of an infinite date is an error: both bounds must be known
        if not isinstance(first, datetime) or not isinstance(limit, Decimal) or self._bounds(column) is None:
            return None
        return _constant(column, lambda: first + timedelta(days=int(limit)), start)

    def _by_step(
        self, column: a.Column, by: a.Expr, sign: str, step: a.Op, bound: a.Const, limit: Any
    ) -> tuple[a.Expr, a.Expr] | None:
        length: Any = _step(column, by)
        # a whole number of steps from a number, a span of time from a moment
        if length is None or type(limit) is not (Decimal if isinstance(length, int) else datetime):
            return None
        # a date compared with a timestamp goes by another operator
        if column.type.name in {"date", "timestamp"} and bound.type != column.type:
            return None
        if not self._stays_inside(column, step, length if sign == "+" else -length):
            return None
        return _constant(column, lambda: limit - length if sign == "+" else limit + length, bound)

    def _stays_inside(self, column: a.Column, step: a.Op, by: Any) -> bool:
        """Whether the step leads from every stored value to one of the type."""
        exponent = _INTEGERS.get(step.type.name)
        if exponent is not None and column.type.name in _INTEGERS:
            # an int4 column plus a constant in int8 can't overflow, whatever is stored
            most = 1 << _INTEGERS[column.type.name]
            if -(1 << exponent) <= -most + by and most - 1 + by < 1 << exponent:
                return True
        elif exponent is not None:
            # a numeric step to an integer would be rounded
            return False
        known = self._bounds(column)
        if known is None:
            return False
        try:
            ends = [end + by for end in known]
        except OverflowError:
            return False
        return exponent is None or all(-(1 << exponent) <= end < 1 << exponent for end in ends)

    def _bounds(self, column: a.Column) -> Bounds | None:
        """The least and the greatest value that CHECKs let a stored column have."""
        # the column of a subquery has what its expression gives, not what a table's CHECK lets in
        scan = self._scans.get(column.rel)
        if scan is None or not self.catalog.has_table(scan.table):
            return None
        lows: list[tuple[Any, Assumption]] = []
        highs: list[tuple[Any, Assumption]] = []
        for check, assumption in usable_checks(self.catalog, scan):
            for name, end in self._ends(scan, check.text, column.pos):
                if name in {">", ">="}:
                    lows.append((end, assumption))
                if name in {"<", "<="}:
                    highs.append((end, assumption))
        # one bound alone leaves infinite dates, and the numbers at the type's other end
        if not lows or not highs:
            return None
        self.rest_on((lows[0][1], highs[0][1]))
        return lows[0][0], highs[0][0]

    def _ends(self, scan: a.Scan, check: str, pos: int) -> list[tuple[str, Any]]:
        """The comparisons of the column with constants that a CHECK is a conjunction of."""
        try:
            query = bind(f"select 1 from {quoted(scan.table)} where ({check})", self.catalog)
        except (BindError, Unsupported):
            # a CHECK that this binder does not read bounds nothing that is known
            return []
        found: list[tuple[str, Any]] = []
        for p in conjuncts(query.where) if isinstance(query, a.Select) else ():
            if not (isinstance(p, a.Op) and p.op.is_builtin and len(p.args) == 2):
                continue
            left, right, name = *p.args, p.op.name
            if isinstance(right, a.Column):
                # `check (10 < n)` bounds n from below
                left, right, name = right, left, _MIRRORED.get(name, "")
            known = _written(right)
            # a bound in another type than the column's is compared in a wider one
            end = None if known is None or known.type.name != left.type.name else value(known)
            if isinstance(left, a.Column) and left.pos == pos and end is not None:
                found.append((name, int(end) if isinstance(end, Decimal) and end == int(end) else end))
        return found


def _written(expr: a.Expr) -> a.Const | None:
    """A constant, also a moment that is written without its seconds."""
    match expr:
        case a.Cast(a.Const(str(text), source), target, method="io") if source.name == "unknown":
            # a moment without a zone that every session reads alike
            plain = target.is_builtin and target.name == "timestamp" and target.typmod == -1
            if plain and _MOMENT.fullmatch(text):
                return a.Const(datetime.fromisoformat(text).isoformat(" "), target)
    return constant(expr)


def _step(column: a.Column, by: a.Expr) -> int | timedelta | None:
    """How far a constant leads from a value of the column; whole numbers from whole numbers."""
    known = constant(by)
    number = None if known is None else value(known)
    if isinstance(number, Decimal) and known is not None and known.type.name in _INTEGERS:
        if column.type.name in _INTEGERS:
            return int(number)
        # a fraction of a day is no step of a date
        return timedelta(days=int(number)) if column.type.name == "date" else None
    match by:
        case a.Cast(a.Const(str(text), source), target) if source.name == "unknown" and target.typmod == -1:
            found = _INTERVAL.fullmatch(text.strip().lower())
            # months are of several lengths, and a day of a timestamptz is of 23 to 25 hours
            if target.name == "interval" and column.type.name == "timestamp" and found is not None:
                with suppress(OverflowError):
                    return timedelta(**{f"{found[2]}s": int(found[1])})
    return None


def _constant(column: a.Column, made: Callable[[], Any], like: a.Const) -> tuple[a.Expr, a.Expr] | None:
    try:
        at = made()
    except OverflowError:
        return None
    if isinstance(at, datetime):
        # four figures, as ISO writes them and each DateStyle reads them
        if at.year < 1000:
            return None
        text = at.date().isoformat() if like.type.name == "date" else at.isoformat(" ")
        return column, a.Const(text, like.type)
    # the bound itself may be out of its type: n - 1 > 2147483647 would ask n > 2147483648
    exponent = _INTEGERS.get(like.type.name)
    fits = exponent is not None and -(1 << exponent) <= at < 1 << exponent
    return (column, a.Const(str(int(at)), like.type)) if fits else None
