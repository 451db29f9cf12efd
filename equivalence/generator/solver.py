"""Conjuncts of a flattened query as a problem for z3, and its models as cells.

Owns the encoding: integers as Int, numerics as hundredths, dates as days, timestamps as seconds, texts as
places in a sorted list of candidates, NULL as a flag beside each value. A conjunct that does not
translate is left out. Must not know rows or tables beyond their columns.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import z3

from rewright.engines import clock
from rewright.equivalence.generator.flatten import Flat, resolve
from rewright.equivalence.generator.pools import Pool
from rewright.equivalence.generator.schema import ColumnShape, Shape
from rewright.sql import walk
from rewright.sql.algebra import (
    Aggregate,
    And,
    Case,
    Cast,
    Coalesce,
    Column,
    Const,
    Expr,
    InList,
    IsBool,
    IsNull,
    Not,
    Op,
    Or,
    WindowCall,
)
from rewright.sql.types import SqlType

# (range variable, column) -> text, None for NULL
Model = dict[tuple[int, int], str | None]

_EPOCH = dt.date(2000, 1, 1)
_START = dt.datetime(2000, 1, 1)  # noqa: DTZ001 - timestamps without time zone
_RANGES = {"int2": 32_000, "int4": 2_000_000_000, "int8": 4_000_000_000_000}
_TIMEOUT_MS = 400
_MAX_CONJUNCTS = 60
_SECONDS = 86_400
# times another value that is averaged with it
_APART = 4
_INTERVAL = re.compile(r"^(-?\d+) (day|days|mon|mons|month|months|year|years)$")


class Untranslatable(Exception):
    """The expression has no place in the encoding."""


@dataclass(frozen=True, slots=True)
class Value:
    """A z3 number, the kind of thing it counts, and when it is NULL (None: never)."""

    term: Any
    kind: str  # int, cent (hundredths), day, second, text, bool
    null: Any = None


class Problem:
    """All conjuncts of one query over its range variables."""

    def __init__(self, shape: Shape, pools: Sequence[Sequence[Pool]], flat: Flat) -> None:
        self.shape, self.pools, self.flat = shape, pools, flat
        texts = {v for table in pools for pool in table for v in (*pool.near, *pool.family)}
        self.texts = sorted(texts)
        self.place = {text: i for i, text in enumerate(self.texts)}
        self.cells: dict[tuple[int, int], tuple[Value, ColumnShape]] = {}
        self.bounds: list[Any] = []
        self.conjuncts: list[Any] = []
        for conjunct in flat.conjuncts[:_MAX_CONJUNCTS]:
            try:
                self.conjuncts.append(self._truth(conjunct, wanted=True))
                self.conjuncts += self._far_apart(conjunct)
            except (Untranslatable, ValueError, ArithmeticError, z3.Z3Exception):
                # one conjunct that is not read makes the problem looser, not wrong
                continue
        self.bounds += list(self._keys())

    def models(self, deadline: float) -> Iterator[Model]:
        """First as many conjuncts true as possible, then each of them in turn not true."""
        solver = z3.Solver()
        solver.set("timeout", int(clock.stretched(_TIMEOUT_MS)))
        solver.set("random_seed", 7)
        solver.add(*self.bounds)
        kept: list[Any] = []
        for conjunct in self.conjuncts:
            if clock.now() > deadline:
                return
            solver.push()
            solver.add(conjunct)
            # in their order, so that the most important ones, as written first, are kept
            if solver.check() == z3.sat:
                kept.append(conjunct)
            else:
                solver.pop()
        if solver.check() == z3.sat:
            yield self._model(solver.model())
        for left_out in kept:
            # one condition after the other fails, so that rows just outside of it are there, too
            if clock.now() > deadline:
                return
            other = z3.Solver()
            other.set("timeout", int(clock.stretched(_TIMEOUT_MS)))
            other.add(*self.bounds, *(c for c in kept if c is not left_out), z3.Not(left_out))
            if other.check() == z3.sat:
                yield self._model(other.model())

    def _model(self, model: Any) -> Model:
        found: Model = {}
        for key, (value, column) in self.cells.items():
            if value.null is not None and z3.is_true(model.eval(value.null, model_completion=True)):
                found[key] = None
                continue
            number = model.eval(value.term, model_completion=True).as_long()
            found[key] = self._text(number, value.kind, column)
        return found

    def _text(self, number: int, kind: str, column: ColumnShape) -> str:
        match kind:
            case "cent":
                return str(Decimal(number) / 100) if column.family != "int" else str(number // 100)
            case "day":
                return str(_EPOCH + dt.timedelta(days=number))
            case "second":
                return str(_START + dt.timedelta(seconds=number))
            case "text":
                return self.texts[number]
            case "bool":
                return "t" if number else "f"
            case _:
                return str(number)

    # -- cells

    def _cell(self, rel: int, position: int) -> Value:
        key = (rel, position)
        if key in self.cells:
            return self.cells[key][0]
        ref = self.flat.scans.get(rel)
        index = self.shape.find(ref.schema, ref.name) if ref is not None else None
        # a table that the shape does not have (a CTE, a function)
        if index is None:
            raise Untranslatable
        column = self.shape.tables[index].columns[position]
        # a generated column is not filled by whoever makes rows
        if column.generated:
            raise Untranslatable
        term = z3.Int(f"c{rel}_{position}")
        null = z3.Bool(f"n{rel}_{position}") if column.nullable else None
        kind = self._bound(term, column, self.pools[index][position])
        self.cells[key] = (Value(term, kind, null), column)
        return self.cells[key][0]

    def _bound(self, term: Any, column: ColumnShape, pool: Pool) -> str:
        match column.family:
            case "int":
                limit = _RANGES.get(column.base, 32_000)
                self.bounds += [term >= -limit, term <= limit]
                return "int"
            case "numeric" | "float":
                self.bounds += [term >= -(10**9), term <= 10**9]
                return "cent"
            case "date":
                self.bounds += [term >= -70_000, term <= 70_000]
                return "day"
            case "timestamp":
                self.bounds += [term >= -70_000 * _SECONDS, term <= 70_000 * _SECONDS]
                return "second"
            case "bool":
                self.bounds += [term >= 0, term <= 1]
                return "bool"
            case "text" | "enum":
                places = sorted({self.place[v] for v in (*pool.near, *pool.family)})
                # no candidate texts: nothing that could be ordered
                if not places:
                    raise Untranslatable
                self.bounds.append(z3.Or(*(term == p for p in places)))
                return "text"
            case _:
                raise Untranslatable

    def _keys(self) -> Iterator[Any]:
        """Two range variables over one table with the same key are the same row."""
        rels = sorted({rel for rel, _ in self.cells})
        for n, left in enumerate(rels):
            for right in rels[n + 1 :]:
                if self.flat.scans[left] != self.flat.scans[right]:
                    continue
                index = self.shape.find(self.flat.scans[left].schema, self.flat.scans[left].name)
                assert index is not None
                for key in self.shape.tables[index].keys:
                    if all((r, i) in self.cells for r in (left, right) for i in key.columns):
                        yield z3.Implies(
                            z3.And(*(self._equal(left, right, i) for i in key.columns)),
                            z3.And(
                                *(
                                    self._equal(left, right, i)
                                    for r, i in list(self.cells)
                                    if r == left and (right, i) in self.cells
                                )
                            ),
                        )

    def _equal(self, left: int, right: int, position: int) -> Any:
        return self.cells[left, position][0].term == self.cells[right, position][0].term

    # -- truth

    def _truth(self, expr: Expr, *, wanted: bool) -> Any:
        """That ``expr`` is true (``wanted``) or false: in both cases not NULL."""
        expr = resolve(expr, self.flat)
        match expr:
            case And(args=args):
                parts = [self._truth(a, wanted=wanted) for a in args]
                return z3.And(*parts) if wanted else z3.Or(*parts)
            case Or(args=args):
                parts = [self._truth(a, wanted=wanted) for a in args]
                return z3.Or(*parts) if wanted else z3.And(*parts)
            case Not(arg=arg):
                return self._truth(arg, wanted=not wanted)
            case IsNull(arg=arg, negated=negated):
                value = self._value(arg)
                null = value.null if value.null is not None else z3.BoolVal(False)
                return null if wanted != negated else z3.Not(null)
            case IsBool(arg=arg, test="true", negated=False):
                return self._truth(arg, wanted=wanted)
            case InList(left=left, items=items, all=all_, op=op):
                parts = [self._compare(op.name, left, item, wanted=wanted) for item in items]
                return z3.And(*parts) if all_ == wanted else z3.Or(*parts)
            case Op(op=op, args=(left, right)):
                return self._compare(op.name, left, right, wanted=wanted)
            case Const(value=text):
                return z3.BoolVal((text in {"t", "true"}) == wanted)
            # an expression of another kind is no condition
            case _:
                value = self._value(expr)
                if value.kind != "bool":
                    raise Untranslatable
                return _known(value, value.term == (1 if wanted else 0))

    def _far_apart(self, conjunct: Expr) -> Iterator[Any]:
        """Of a value beside an average: that it is several times as great, or as small. The value's own row
        may be among those that are averaged.
        """
        if not isinstance(conjunct, Op) or conjunct.op.name.rstrip("=") not in {"<", ">"}:
            return
        if not any(
            isinstance(n, Aggregate | WindowCall) and n.func.name == "avg" for n in walk.walk(conjunct)
        ):
            return
        a, b = _same_kind(*(self._value(arg) for arg in conjunct.args))
        low, high = (a, b) if conjunct.op.name.startswith("<") else (b, a)
        yield z3.And(low.term > 0, high.term > _APART * low.term)

    def _compare(self, name: str, left: Expr, right: Expr, *, wanted: bool) -> Any:
        # patterns are tried on the candidate texts
        if name in {"~~", "!~~", "~~*", "!~~*"}:
            return self._like(left, right, wanted=wanted != name.startswith("!"), fold=name.endswith("*"))
        a, b = self._value(left), self._value(right)
        a, b = _same_kind(a, b)
        tests = {
            "=": a.term == b.term,
            "<>": a.term != b.term,
            "<": a.term < b.term,
            "<=": a.term <= b.term,
            ">": a.term > b.term,
            ">=": a.term >= b.term,
        }
        if name not in tests:
            raise Untranslatable
        return _known(b, _known(a, tests[name] if wanted else z3.Not(tests[name])))

    def _like(self, left: Expr, right: Expr, *, wanted: bool, fold: bool) -> Any:
        value, pattern = self._value(left), resolve(right, self.flat)
        if value.kind != "text" or not isinstance(pattern, Const) or pattern.value is None:
            raise Untranslatable
        parts = [
            ".*" if c == "%" else "." if c == "_" else re.escape(c) for c in pattern.value.replace("\\", "")
        ]
        matcher = re.compile("".join(parts), re.DOTALL | (re.IGNORECASE if fold else 0))
        places = [p for text, p in self.place.items() if bool(matcher.fullmatch(text)) == wanted]
        return _known(value, z3.Or(*(value.term == p for p in places)))

    # -- values

    def _value(self, expr: Expr) -> Value:
        expr = resolve(expr, self.flat)
        match expr:
            case Column(rel=rel, pos=position):
                return self._cell(rel, position)
            case Const(value=text, type=type_):
                return self._constant(text, type_)
            case Cast(arg=arg, type=type_):
                return self._cast(self._value(arg), type_)
            # the first value of COALESCE and CASE is a guess: data, not a proof
            case Coalesce(args=(first, *_)):
                return self._value(first)
            case Case(whens=whens) if whens:
                return self._value(whens[0][1])
            case Op(op=op, args=(left, right)) if op.name in {"+", "-", "*"}:
                return self._arithmetic(op.name, left, right)
            case Op(op=op, args=(arg,)) if op.name == "-":
                value = self._value(arg)
                return Value(-value.term, value.kind, value.null)
            case _:
                raise Untranslatable

    def _arithmetic(self, name: str, left: Expr, right: Expr) -> Value:
        shift = resolve(right, self.flat)
        if isinstance(shift, Const) and shift.type.name == "interval":
            return self._shifted(self._value(left), shift.value or "", 1 if name == "+" else -1)
        a, b = self._value(left), self._value(right)
        null = a.null if b.null is None else b.null if a.null is None else z3.Or(a.null, b.null)
        # a product of cents is of ten thousandths, and so is divided
        if a.kind == "day" and b.kind == "int" and name in {"+", "-"}:
            return Value(a.term + b.term if name == "+" else a.term - b.term, "day", null)
        if name == "*":
            if a.kind == b.kind == "int":
                return Value(a.term * b.term, "int", null)
            if {a.kind, b.kind} <= {"int", "cent"} and a.kind != b.kind:
                return Value(a.term * b.term, "cent", null)
            if a.kind == b.kind == "cent":
                return Value(a.term * b.term / 100, "cent", null)
            raise Untranslatable
        a, b = _same_kind(a, b)
        if a.kind not in {"int", "cent"}:
            raise Untranslatable
        return Value(a.term + b.term if name == "+" else a.term - b.term, a.kind, null)

    @staticmethod
    def _shifted(value: Value, interval: str, sign: int) -> Value:
        found = _INTERVAL.match(interval)
        if not found or value.kind not in {"day", "second"}:
            raise Untranslatable
        # months as days: near enough for data to land on both sides in some of the variants
        days = int(found[1]) * {"d": 1, "m": 30, "y": 365}[found[2][0]] * sign
        return Value(value.term + days * (_SECONDS if value.kind == "second" else 1), value.kind, value.null)

    def _constant(self, text: str | None, type_: SqlType) -> Value:
        # NULL has no place among values; IS NULL has a flag
        if text is None:
            raise Untranslatable
        match type_.name:
            case "int2" | "int4" | "int8":
                return Value(z3.IntVal(int(text)), "int")
            case "numeric" | "float4" | "float8":
                try:
                    return Value(z3.IntVal(int(Decimal(text) * 100)), "cent")
                except (InvalidOperation, OverflowError):
                    raise Untranslatable from None
            case "date":
                return Value(z3.IntVal((dt.date.fromisoformat(text) - _EPOCH).days), "day")
            case "timestamp" | "timestamptz":
                moment = dt.datetime.fromisoformat(text).replace(tzinfo=None)
                return Value(z3.IntVal(int((moment - _START).total_seconds())), "second")
            case "bool":
                return Value(z3.IntVal(1 if text.startswith("t") else 0), "bool")
            case _:
                # a text that is no candidate stands nowhere in their order
                if text not in self.place:
                    raise Untranslatable
                return Value(z3.IntVal(self.place[text]), "text")

    @staticmethod
    def _cast(value: Value, type_: SqlType) -> Value:
        match value.kind, type_.name:
            case "int", "numeric" | "float4" | "float8":
                return Value(value.term * 100, "cent", value.null)
            case "day", "timestamp" | "timestamptz":
                return Value(value.term * _SECONDS, "second", value.null)
            case ("int", "int2" | "int4" | "int8") | ("cent", "numeric" | "float4" | "float8"):
                return value
            case ("text", "text" | "varchar" | "bpchar") | ("second", "timestamp" | "timestamptz"):
                return value
            case _:
                raise Untranslatable


def _known(value: Value, test: Any) -> Any:
    return test if value.null is None else z3.And(z3.Not(value.null), test)


def _same_kind(a: Value, b: Value) -> tuple[Value, Value]:
    match a.kind, b.kind:
        case x, y if x == y:
            return a, b
        case "int", "cent":
            return Value(a.term * 100, "cent", a.null), b
        case "cent", "int":
            return a, Value(b.term * 100, "cent", b.null)
        case "day", "second":
            return Value(a.term * _SECONDS, "second", a.null), b
        case "second", "day":
            return a, Value(b.term * _SECONDS, "second", b.null)
        case _:
            raise Untranslatable
