"""Entailment between predicates, decided by an SMT solver with NULLs and equality encoded exactly.

Each scalar is a pair (is NULL, value). Types whose equality is identity are integers, booleans or points on
a dense order; the others are abstract values with a key on such an order, so that ``1.0 = 1.00`` does not
make them the same value. What is not understood is an uninterpreted function. Every model the encoding leaves
out is impossible in PostgreSQL; it leaves in many that are impossible, which only weakens the prover. Must
not know rules or search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from math import isfinite
from struct import pack, unpack
from typing import Any

from rewright.sql.types import SqlType

from .bags import NULL_OF_NO_ROWS, exists
from .commuting import commutes
from .days import DAY, moved_date, on_one_line
from .formulas import Formulas
from .remainders import whole_value
from .series import moved
from .shapes import shape
from .symbols import (
    AND,
    CASE,
    EQ,
    FLOATS,
    IS_NULL,
    IS_TRUE,
    LE,
    LT,
    NOT,
    OR,
    SAME,
    TO_NUMERIC,
    domain,
    equal_as_values,
    exact_integer,
    identity,
    is_any_element,
    same_when_equal,
)
from .terms import App, Lit, Nested, Row, Term, Var
from .texts import STARTS

Pair = tuple[Any, Any]
# more digits than a timestamp keeps: the server rounds them
_TOO_FINE = re.compile(r"\.\d{7}")


@dataclass(slots=True)
class Note:
    """A term that was encoded: the numbers of those encoded on the way, and what holds of it."""

    term: Term
    parts: list[int] = field(default_factory=list)
    axioms: list[Any] = field(default_factory=list)


class Encoder:
    """Encodes terms, each once; a solver needs the axioms of a term and of its parts."""

    def __init__(self) -> None:
        self.z3 = z3 = Formulas()
        self._memo: dict[Term, tuple[int, Pair]] = {}
        self._notes: list[Note] = []
        self._truths: dict[int, Any] = {}  # by the term's number
        self._open: list[Note] = []  # the terms being encoded, innermost last
        self._sorts: dict[str, Any] = {}
        self._sort_of: dict[SqlType, Any] = {}
        self._plain: dict[SqlType, bool] = {}
        self._texts: dict[tuple[str, str], tuple[Any, list[Any]]] = {}  # and what holds of it
        self.prefixes: list[tuple[Any, str, Any]] = []  # (text, prefix, whether it starts with it)
        # (moment, its scale, months that the part has, or 0 for a day, whether it is NULL, the part)
        self.months: list[tuple[Any, Any, int, Any, Any]] = []
        self.years: set[int] = set()  # of the moments met
        self.literals: list[tuple[str, Any]] = []  # texts met
        self._false, self._true = z3.BoolVal(False), z3.BoolVal(True)

    @property
    def axioms(self) -> list[Any]:
        """What holds of the term being encoded."""
        return self._open[-1].axioms

    def number(self, term: Term) -> int:
        """The number of an encoded term."""
        self.encode(term)
        return self._memo[term][0]

    def note(self, number: int) -> Note:
        return self._notes[number]

    def tell(self, solver: Any, formulas: Iterable[Any]) -> None:
        """``solver.add`` of formulas that are Boolean for certain: it looks at the sort of each again, which
        takes longer than the solver does.
        """
        context, told = solver.ctx.ref(), self.z3.z3core.Z3_solver_assert
        for formula in formulas:
            told(context, solver.solver, formula.as_ast())

    # ---------------------------------------------------------------- sorts

    def sort(self, type_: SqlType) -> Any:
        found = self._sort_of.get(type_)
        if found is None:
            found = self._sort_of[type_] = self._sort(type_)
            plain = (self.z3.IntSort(), self.z3.RealSort(), self.z3.BoolSort())
            self._plain[type_] = found in plain
        return found

    def _sort(self, type_: SqlType) -> Any:
        z3 = self.z3
        known = domain(type_)
        if known == "integer" or known in {"date", "timestamp"}:
            return z3.IntSort()  # days and microseconds; infinite ones stand beyond all that are met
        if known == "bool":
            return z3.BoolSort()
        # of these types two values that are equal are one: a value is its point on the order
        if known and identity(type_):
            return z3.RealSort()
        name = known or f"{type_.schema}.{type_.name}"
        # values under two collations are kept apart: equal ones under the one may differ under the other
        if type_.collation:
            name = f"{name} {type_.collation}"
        if name not in self._sorts:
            self._sorts[name] = z3.DeclareSort(f"value of {name}")
        return self._sorts[name]

    def key(self, value: Any, type_: SqlType) -> Any:
        """The point on the type's order at which a value stands."""
        z3 = self.z3
        sort = self.sort(type_)
        # an integer or a boolean is its own key
        if self._plain[type_]:
            return value
        return z3.Function(f"key {sort.name()}", sort, z3.RealSort())(value)

    # ---------------------------------------------------------------- terms

    def truth(self, term: Term) -> Any:
        """The term is TRUE."""
        is_null, value = self.encode(term)
        number = self._memo[term][0]
        if number not in self._truths:
            self._truths[number] = self.z3.every(self.z3.no(is_null), value)
        return self._truths[number]

    def same(self, a: Term, b: Term) -> Any:
        """The very same value, or both NULL; False for terms of different sorts or domains (days and numbers
        are both counted by integers) unless both are NULL.
        """
        z3 = self.z3
        (an, av), (bn, bv) = self.encode(a), self.encode(b)
        # an integer and a date are both numbers to the solver, and no comparison of PostgreSQL's
        if av.sort() != bv.sort() or domain(a.type) != domain(b.type):
            return z3.every(an, bn)
        return z3.every(an == bn, z3.some(an, av == bv))

    def encode(self, term: Term) -> Pair:
        found = self._memo.get(term)
        if found is None:
            note = Note(term)
            self._open.append(note)
            try:
                pair = self._encode(term)
            finally:
                self._open.pop()
            found = self._memo[term] = len(self._notes), pair
            self._notes.append(note)
        # a term that is met within another one is a part of it: its axioms are needed with the other's
        if self._open:
            self._open[-1].parts.append(found[0])
        return found[1]

    def _encode(self, term: Term) -> Pair:
        z3 = self.z3
        match term:
            case Var(var, pos, type_):
                name = f"v{var}.{pos}"
                return z3.Bool(f"{name} null"), z3.Const(name, self.sort(type_))
            case Row(var):
                return self._false, z3.Int(f"row {var}")
            case Lit(value, type_):
                return self._literal(value, type_)
            case App():
                return self._application(term)
            case Nested():
                return self._nested(term)

    def _literal(self, value: str | None, type_: SqlType) -> Pair:
        z3 = self.z3
        sort = self.sort(type_)
        if value is None:
            # a NULL of the type: whatever stands as its value is never looked at
            return self._true, z3.Const(f"any {sort}", sort)
        known = domain(type_)
        if known == "integer":
            return self._false, z3.IntVal(int(value))
        if known == "bool":
            return self._false, z3.BoolVal(value == "true")
        name = "text" if known == "text" else known or f"{type_.schema}.{type_.name}"
        # float4 '0.1' and float8 '0.1' are two points
        if known == "float":
            name = type_.name
        place = (f"{name} {sort}", value)
        if place not in self._texts:
            self._texts[place] = self._constant(name, value, sort, type_)
        constant, known_of_it = self._texts[place]
        # two terms may be one constant, 'A' as text and as varchar: what holds of it is told with either
        self.axioms.extend(known_of_it)
        return self._false, constant

    def _constant(self, name: str, value: str, sort: Any, type_: SqlType) -> tuple[Any, list[Any]]:
        """The constant of a literal, and what holds of it."""
        z3 = self.z3
        point = _point(name, value)
        # months and quarters of a moment can be told inside the years that constants name
        if point is not None and name in {"date", "timestamp"}:
            self.years |= {int(value[:4]), int(value[:4]) - 1}
        if self._plain[type_]:
            if point is not None:
                return (z3.RealVal(point) if sort == z3.RealSort() else z3.IntVal(int(point))), []
            constant = z3.Const(f"'{value}' {name}", sort)
            if name != "text":
                return constant, []  # two spellings of other types may be one value
            # texts of one collation that are spelled otherwise are other texts
            self.literals.append((value, constant))
            others = [c for (n, _), (c, _) in self._texts.items() if n == f"{name} {sort}"]
            return constant, [constant != c for c in others]
        constant = z3.Const(f"'{value}' {name}", sort)
        return constant, [] if point is None else [self.key(constant, type_) == z3.RealVal(point)]

    def _application(self, term: App) -> Pair:
        z3 = self.z3
        sym, args = term.sym, term.args
        if sym in {AND, OR}:
            # TRUE and FALSE are encoded apart: what is neither is NULL
            pairs = [self.encode(a) for a in args]
            trues = [z3.every(z3.no(n), v) for n, v in pairs]
            falses = [z3.every(z3.no(n), z3.no(v)) for n, v in pairs]
            true = z3.every(*trues) if sym == AND else z3.some(*trues)
            false = z3.some(*falses) if sym == AND else z3.every(*falses)
            return z3.no(z3.some(true, false)), true
        if sym == NOT:
            n, v = self.encode(args[0])
            return n, z3.no(v)
        if sym == IS_NULL:
            return self._false, self.encode(args[0])[0]
        if sym == IS_TRUE:
            return self._false, self.truth(args[0])
        if sym == CASE:
            return self._case(args)
        if sym in {EQ, LT, LE, SAME}:
            return self._comparison(term)
        return self._function(term)

    def _case(self, args: tuple[Term, ...]) -> Pair:
        z3 = self.z3
        n, v = self.encode(args[-1])
        # from ELSE upwards, so that the first condition that holds decides
        for i in range(len(args) - 3, -1, -2):
            condition = self.truth(args[i])
            rn, rv = self.encode(args[i + 1])
            if rv.sort() != v.sort():
                # branches of types that share no sort: only NULL-ness is known
                rv = z3.FreshConst(v.sort(), "mixed")
            n, v = z3.If(condition, rn, n), z3.If(condition, rv, v)
        return n, v

    def _comparison(self, term: App) -> Pair:
        z3 = self.z3
        a, b = term.args
        (an, av), (bn, bv) = self.encode(a), self.encode(b)
        known = domain(a.type) and domain(a.type) == domain(b.type)
        # of two collations, or domains, only congruence is known: the same values compare alike
        if known and av.sort() == bv.sort() and _comparable(term):
            ka, kb = self._order_keys(term, av, bv)
            if term.sym in {EQ, SAME} and not self._plain[a.type] and same_when_equal(a, b):
                # char(3) columns that are equal show the same
                self.axioms.append(z3.implies(ka == kb, av == bv))
            holds = ka == kb if term.sym in {EQ, SAME} else (ka < kb if term.sym == LT else ka <= kb)
        elif term.sym in {EQ, SAME} and equal_as_values(a.type, b.type):
            holds = av == bv
        elif (moments := on_one_line(av, a.type, bv, b.type)) is not None:
            ka, kb = moments
            holds = ka == kb if term.sym in {EQ, SAME} else (ka < kb if term.sym == LT else ka <= kb)
        else:
            name = (
                f"{'=' if term.sym == SAME else term.sym.name} {av.sort()} {bv.sort()} {a.type.collation} "
                f"{b.type.collation}"
            )
            holds = z3.Function(name, av.sort(), bv.sort(), z3.BoolSort())(av, bv)
        # SAME is never NULL: both are, or neither is and they are equal
        if term.sym == SAME:
            return self._false, z3.every(an == bn, z3.some(an, holds))
        return z3.some(an, bn), holds

    def _order_keys(self, term: App, av: Any, bv: Any) -> Pair:
        z3 = self.z3
        type_ = term.args[0].type
        ka, kb = self.key(av, type_), self.key(bv, type_)
        # equality is the same under all deterministic collations, the order is not
        if term.sym in {LT, LE} and type_.collation not in {"", "default"}:
            order = z3.Function(f"order {type_.collation}", z3.RealSort(), z3.RealSort())
            return order(ka), order(kb)
        # FALSE stands before TRUE
        if term.sym in {LT, LE} and domain(type_) == "bool":
            return z3.If(ka, 1, 0), z3.If(kb, 1, 0)
        return ka, kb

    def _function(self, term: App) -> Pair:
        z3 = self.z3
        sym, args = term.sym, term.args
        pairs = [self.encode(a) for a in args]
        if (value := self._arithmetic(term, pairs)) is not None:
            return (z3.some(*(n for n, _ in pairs)), value)
        # an exact integer is one whatever type would hold it; what a function makes of text depends on its
        # collation, which equal values need not share
        made = "integer" if exact_integer(term.type) else term.type.name
        name = f"{sym.name} {made}{_collations(args)}"
        if sym.strict:
            # a strict function's value does not matter where an argument is NULL
            value = self._apply(name, [v for _, v in pairs], self.sort(term.type))
            if len(args) == 2 and commutes(sym) and pairs[0][1].sort() == pairs[1][1].sort():
                # a + b and b + a are one value, whichever is asked for first
                self.axioms.append(value == self._apply(name, [v for _, v in pairs[::-1]], value.sort()))
            nulls = [n for n, _ in pairs]
            if not sym.total:
                # a strict function may still be NULL of values that are there, as jsonb -> is
                nulls.append(self._apply(f"{name} null", [v for _, v in pairs], z3.BoolSort()))
            if sym == STARTS and isinstance(args[1], Lit) and args[1].value is not None:
                self.prefixes.append((pairs[0][1], args[1].value, value))
            if (span := _months_of(term)) is not None:
                scale = 1 if args[1].type.name == "date" else DAY
                self.months.append((pairs[1], scale, span, z3.some(*nulls), self.key(value, term.type)))
            if (way := moved(term)) is not None:
                before, after = self.key(pairs[way[0]][1], term.type), self.key(value, term.type)
                self.axioms.append(before <= after if way[1] else after <= before)
            if sym == TO_NUMERIC:
                self.axioms.append(self.key(value, term.type) == z3.ToReal(pairs[0][1]))
            return (z3.some(*nulls) if nulls else self._false), value
        is_null, value = self._lenient(name, pairs, self.sort(term.type))
        if is_any_element(sym):  # no array has no elements, a NULL beside an empty one is not looked at
            is_null = z3.some(is_null, pairs[1][0])
        return is_null, value

    def _lenient(self, name: str, pairs: list[Pair], sort: Any) -> Pair:
        """A function that sees NULLs: of the flags and, where there is one, the value."""
        z3 = self.z3
        flat: list[Any] = []
        for n, v in pairs:
            # with the argument NULL the value beside it must not tell two calls apart
            flat += [n, z3.If(n, z3.Const(f"no {v.sort()}", v.sort()), v)]
        return self._apply(f"{name} null", flat, z3.BoolSort()), self._apply(name, flat, sort)

    def _apply(self, name: str, values: list[Any], sort: Any) -> Any:
        z3 = self.z3
        label = f"{name}/{'/'.join(str(v.sort()) for v in values)}"
        if not values:
            return z3.Const(label, sort)
        return z3.Function(label, *(v.sort() for v in values), sort)(*values)

    def _arithmetic(self, term: App, pairs: list[Pair]) -> Any | None:
        """Integers and days: where PostgreSQL gives a value at all, it is the mathematical one."""
        values = [v for _, v in pairs]
        # division, remainder and absolute value by constants
        if (whole := whole_value(self.z3, term, values, self.axioms)) is not None:
            return whole
        if (moved := moved_date(self.z3, term.sym.name, values)) is not None:
            return moved
        op, _, result = term.sym.name.partition(" ")
        if result not in {"int2", "int4", "int8"} or op not in {"+", "-", "*"}:
            # a sum of unbounded integers is taken as such: overflow is a failure, and recorded elsewhere
            return None
        if len(values) == 1:
            return -values[0] if op == "-" else values[0]
        if op == "*" and not any(isinstance(a, Lit) for a in term.args):
            # a product of two variables is no linear arithmetic, and the solver may not come back
            return None
        return (
            values[0] + values[1]
            if op == "+"
            else values[0] - values[1]
            if op == "-"
            else values[0] * values[1]
        )

    def _nested(self, term: Nested) -> Pair:
        key, params = shape(term)
        name = f"nested {key!r}"
        pairs = [self.encode(p) for p in params]
        is_null, value = self._lenient(name, pairs, self.sort(term.type))
        if term.kind == "exists":
            # EXISTS is never NULL
            return self._false, value
        if term.kind == "agg":
            is_null = self._aggregate_null(term, is_null, value)
        return is_null, value

    def _aggregate_null(self, term: Nested, is_null: Any, value: Any) -> Any:
        short = term.name.partition(" ")[0]
        if short == "cnt":
            self.axioms.append(value >= 0)
            # there is a count above 0 exactly where there is a row
            self.axioms.append((value > 0) == self.truth(exists(term.bag)))
            return self._false
        # stddev of one row is NULL as well
        if short in NULL_OF_NO_ROWS and not short.startswith(("stddev", "var")):
            self.axioms.append(is_null == self.z3.no(self.truth(exists(term.bag))))
        return is_null


def _months_of(term: App) -> int | None:
    """How many months the part of a moment has that the term is: a month or a quarter; of a day, 0."""
    names = {f"pg_catalog.extract(text,{t})" for t in ("date", "timestamp")} | {
        "pg_catalog.date_part(text,timestamp)"
    }
    first = term.args[0] if term.args else None
    # parts of other units, and of moments with a zone, follow no rule here
    if term.sym.name not in names or not isinstance(first, Lit):
        return None
    return {"day": 0, "month": 1, "quarter": 3}.get(str(first.value).lower())


def _collations(args: tuple[Term, ...]) -> str:
    """The collations among the arguments other than the database's own."""
    found = sorted({a.type.collation for a in args} - {"", "default"})
    return f" collate {found}" if found else ""


def _comparable(term: App) -> bool:
    """Whether both sides are compared on one order (for text: under one collation, or for identity)."""
    a, b = (t.type for t in term.args)
    if a.collation == b.collation:
        return True
    # equality of types whose equal values are the same does not depend on the collation
    return term.sym in {EQ, SAME} and identity(a) and identity(b)


def _point(name: str, value: str) -> str | None:
    """Where a constant stands on its type's order, if that is a plain number."""
    try:
        if name == "numeric":
            number = Decimal(value)
            # NaN and infinity have no number: they are constants of which nothing is known
            return str(number) if number.is_finite() else None
        if name in FLOATS:
            return _float_point(name, value)
        if name == "date":
            return str(date.fromisoformat(value).toordinal())
        if name == "timestamp":
            moment = datetime.fromisoformat(value)
            return (
                None
                # moments with a zone depend on the session, and a seventh decimal is rounded
                if moment.tzinfo or _TOO_FINE.search(value)
                else str(moment.toordinal() * 86400 * 10**6 + _micros(moment))
            )
    except (ValueError, InvalidOperation, OverflowError):
        return None
    return None


def _float_point(name: str, value: str) -> str | None:
    """The number that the server makes of a float's text; None where that is not plain (halfway between two
    float4, out of range).
    """
    number = float(value)
    # '1e-400' is read as 0 by Python, and refused by the server
    if not isfinite(number) or (number == 0) != (Decimal(value) == 0):
        return None
    if name == "float4":
        (bits,) = unpack("<Q", pack("<d", number))
        # halfway between two float4 the rounding depends on the parser; so does what is below the least
        # normal one
        if bits & 0x1FFFFFFF == 0x10000000 or 0 < abs(number) < 2**-126:
            return None
        (number,) = unpack("<f", pack("<f", number))
    return str(Decimal(number))


def _micros(moment: datetime) -> int:
    seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
    return seconds * 10**6 + moment.microsecond
