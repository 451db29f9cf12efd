"""Terms as formulas of an SMT solver: each value a pair (is NULL, value), written independently of the
prover's own encoding.

Integers, dates and timestamps are integers; other types whose equality is identity are points of a dense
order; values of the rest are abstract and have a place on such an order, which is all that ``=`` looks at.
What is not read here is an unknown function of its arguments, which leaves in models that PostgreSQL does not
have. Must not know contexts, schemas or laws.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from rewright.equivalence.prover.bags import NULL_OF_NO_ROWS, exists
from rewright.equivalence.prover.context import IDENTICAL
from rewright.equivalence.prover.symbols import (
    AND,
    CASE,
    EQ,
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
    identity,
    is_any_element,
    same_when_equal,
)
from rewright.equivalence.prover.terms import App, Lit, Nested, Row, Term, Var
from rewright.equivalence.prover.texts import STARTS
from rewright.equivalence.recheck.shapes import shape
from rewright.equivalence.recheck.values import Month, Prefix, is_day, of_months, of_prefixes, units_a_day
from rewright.sql.types import SqlType

Pair = tuple[Any, Any]
_DAY = 86_400_000_000  # microseconds
_INTS = frozenset({"int2", "int4", "int8"})
_DIVISIONS = frozenset({f"op /({t},{u})" for t in _INTS for u in _INTS} | {f"op %({t},{t})" for t in _INTS})
_NUMBERS = sorted(_INTS | {"numeric", "float4", "float8"})
# x op y = y op x
_EITHER_WAY = frozenset(f"{op} {t}" for op in "+*" for t in _NUMBERS) | {
    f"op {op}({t},{t})" for op in "+*" for t in _NUMBERS
}
_ABSOLUTE = frozenset(f"pg_catalog.abs({t})" for t in _INTS)
_MONTHS = frozenset(
    {
        "pg_catalog.extract(text,date)",
        "pg_catalog.extract(text,timestamp)",
        "pg_catalog.date_part(text,timestamp)",
    }
)
# of one unit, in one sense under every IntervalStyle
_AHEAD = re.compile(r"[1-9][0-9]{0,3} ?(?:year|month|mon|week|day|hour|minute|second)s?")
_COMPARES = frozenset({EQ, LT, LE, SAME})
_WHOLE = 2**24


class Formulas:
    """Formulas of one question. ``axioms``: what holds of the values met, whatever the question; ``columns``:
    those met.
    """

    def __init__(self) -> None:
        import z3

        self.z3 = z3
        self.axioms: list[Any] = []
        self.columns: dict[Var, None] = {}
        self.prefixes: list[Prefix] = []
        self.months: list[Month] = []
        self.years: set[int] = set()  # of the moments met, and the ones before
        self.literals: list[tuple[str, Any]] = []  # texts met
        self._known: dict[Term, Pair] = {}
        self._decided: dict[tuple[Term, bool], Any] = {}
        self._constants: dict[tuple[str, str], Any] = {}

    def copy(self) -> Formulas:
        """The same formulas, to go on with apart: what is met later is not shared."""
        copied = Formulas()
        copied.axioms, copied.columns = self.axioms.copy(), self.columns.copy()
        copied.prefixes, copied.months, copied.years = (
            self.prefixes.copy(),
            self.months.copy(),
            self.years.copy(),
        )
        copied.literals, copied._constants = self.literals.copy(), self._constants.copy()
        copied._known, copied._decided = self._known.copy(), self._decided.copy()
        return copied

    # ---------------------------------------------------------------- what is asked for

    def truth(self, term: Term) -> Any:
        """That the term is TRUE."""
        return self._known_as(term, true=True)

    def falsity(self, term: Term) -> Any:
        """That the term is FALSE."""
        return self._known_as(term, true=False)

    def _known_as(self, term: Term, *, true: bool) -> Any:
        found = self._decided.get((term, true))
        if found is None:
            found = self._decided[term, true] = self._decision(term, true=true)
        return found

    def _decision(self, term: Term, *, true: bool) -> Any:
        """AND is TRUE where all are, and FALSE where one is; OR the other way round (Kleene): whether
        the parts are NULL is asked only of those that are none of these.
        """
        z3 = self.z3
        match term:
            case App(sym, args) if sym in {AND, OR}:
                # AND is TRUE by all its parts, FALSE by one: the other way round for OR
                joined = z3.And if (sym == AND) == true else z3.Or
                return joined(*(self._known_as(x, true=true) for x in args))
            case App(sym, (x,)) if sym == NOT:
                return self._known_as(x, true=not true)
        is_null, value = self.pair(term)
        value = value if true else z3.Not(value)
        # what is never NULL needs no flag
        return value if z3.is_false(is_null) else z3.And(z3.Not(is_null), value)

    def same(self, x: Term, y: Term) -> Any:
        """That both are the very same value, or both NULL."""
        z3 = self.z3
        (xn, xv), (yn, yv) = self.pair(x), self.pair(y)
        # days and numbers are both integers to the solver, and have no equality between them
        if xv.sort() != yv.sort() or domain(x.type) != domain(y.type):
            return z3.And(xn, yn)
        return z3.And(xn == yn, z3.Or(xn, xv == yv))

    def of_values(self) -> list[Any]:
        """What is known of the values met by their constants."""
        z3 = self.z3
        return [*of_prefixes(z3, self.prefixes, self.literals), *of_months(z3, self.months, self.years)]

    def pair(self, term: Term) -> Pair:
        """Whether the term is NULL, and its value if not."""
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._pair(term)
        return found

    # ---------------------------------------------------------------- sorts

    def sort(self, type_: SqlType) -> Any:
        z3, known = self.z3, domain(type_)
        if known in {"integer", "date", "timestamp"}:
            return z3.IntSort()
        if known == "bool":
            return z3.BoolSort()
        if known and identity(type_):
            return z3.RealSort()
        # texts under two collations are two sorts: equal ones of one need not be of the other
        return z3.DeclareSort(f"{known or f'{type_.schema}.{type_.name}'} {type_.collation}")

    def place(self, value: Any, type_: SqlType) -> Any:
        """Where a value stands on its type's order."""
        z3, sort = self.z3, self.sort(type_)
        if sort in {z3.IntSort(), z3.RealSort(), z3.BoolSort()}:
            return value
        return z3.Function(f"place of {sort}", sort, z3.RealSort())(value)

    # ---------------------------------------------------------------- terms

    def _pair(self, term: Term) -> Pair:
        z3 = self.z3
        match term:
            case Var(var, pos, type_):
                self.columns[term] = None
                name = f"{var}.{pos}"
                return z3.Bool(f"{name} is null"), z3.Const(name, self.sort(type_))
            case Row(var):
                return z3.BoolVal(False), z3.Int(f"row {var}")
            case Lit(value, type_):
                return self._constant(value, type_)
            case App(sym) if sym in {AND, OR}:
                return self._connective(term)
            case App(sym, (x,)) if sym == NOT:
                is_null, value = self.pair(x)
                return is_null, z3.Not(value)
            case App(sym, (x,)) if sym == IS_NULL:
                return z3.BoolVal(False), self.pair(x)[0]
            case App(sym, (x,)) if sym == IS_TRUE:
                return z3.BoolVal(False), self.truth(x)
            case App(sym, (x, y)) if sym == IDENTICAL:
                return z3.BoolVal(False), self.same(x, y)
            case App(sym, args) if sym == CASE:
                return self._case(args)
            case App(sym, (x, y)) if sym in _COMPARES:
                return self._comparison(term, x, y)
            case App():
                return self._function(term)
            case Nested():
                return self._nested(term)

    def _connective(self, term: App) -> Pair:
        true, false = self.truth(term), self.falsity(term)
        return self.z3.Not(self.z3.Or(true, false)), true

    def _case(self, args: tuple[Term, ...]) -> Pair:
        z3 = self.z3
        is_null, value = self.pair(args[-1])
        for test, result in reversed(list(zip(args[:-1:2], args[1::2], strict=True))):
            here = self.truth(test)
            rn, rv = self.pair(result)
            # branches of types that share no sort: what the value is then is not known, only whether it is
            # NULL
            if rv.sort() != value.sort():
                rv = z3.FreshConst(value.sort(), "mixed")
            is_null, value = z3.If(here, rn, is_null), z3.If(here, rv, value)
        return is_null, value

    def _constant(self, value: str | None, type_: SqlType) -> Pair:
        z3, sort, known = self.z3, self.sort(type_), domain(type_)
        # whatever stands for the value of a NULL is never looked at
        if value is None:
            return z3.BoolVal(True), z3.Const(f"nothing of {sort}", sort)
        if known == "integer":
            return z3.BoolVal(False), z3.IntVal(int(value))
        if known == "bool":
            return z3.BoolVal(False), z3.BoolVal(value == "true")
        # float4 and float8 read '0.1' as two numbers
        name = type_.name if known == "float" else known or f"{type_.schema}.{type_.name}"
        place = (f"{name} {sort}", value)
        if place not in self._constants:
            self._constants[place] = self._made(name, value, sort, type_)
        return z3.BoolVal(False), self._constants[place]

    def _made(self, name: str, value: str, sort: Any, type_: SqlType) -> Any:
        z3, point = self.z3, _number(name, value)
        # the years of constants are those in which months are told
        if point is not None and sort == z3.IntSort():
            year = int(value[:4])
            self.years |= {year - 1, year}
            return z3.IntVal(point)
        constant = z3.Const(f"{value!r} of {name}", sort)
        if point is not None:
            self.axioms.append(self.place(constant, type_) == z3.RealVal(f"{point:f}"))
        # texts that are spelled otherwise are other texts; numbers and moments may be spelled in several ways
        if name == "text" and sort == z3.RealSort():
            self.literals.append((value, constant))
            self.axioms += [
                constant != c for (kind, _), c in self._constants.items() if kind == f"{name} {sort}"
            ]
        return constant

    def _comparison(self, term: App, x: Term, y: Term) -> Pair:
        z3 = self.z3
        (xn, xv), (yn, yv) = self.pair(x), self.pair(y)
        equates = term.sym in {EQ, SAME}
        # equality is the same under all deterministic collations
        one_order = x.type.collation == y.type.collation or (
            equates and identity(x.type) and identity(y.type)
        )
        if domain(x.type) and domain(x.type) == domain(y.type) and xv.sort() == yv.sort() and one_order:
            holds = self._ordered(term, x, y)
        elif equates and equal_as_values(x.type, y.type):
            # an enum's labels and arrays have no order here, and no two of them are equal
            holds = xv == yv
        elif {domain(x.type), domain(y.type)} == {"date", "timestamp"}:
            # a day is compared as its first moment
            px, py = (v * _DAY if domain(t.type) == "date" else v for v, t in ((xv, x), (yv, y)))
            holds = px == py if equates else px < py if term.sym == LT else px <= py
        else:
            # what is compared by no order that is known is compared alike when asked again
            name = f"{'=' if equates else term.sym.name} {x.type.collation} {y.type.collation}"
            holds = self._applied(name, (xv, yv), z3.BoolSort())
        if term.sym == SAME:
            return z3.BoolVal(False), z3.And(xn == yn, z3.Or(xn, holds))
        return z3.Or(xn, yn), holds

    def _ordered(self, term: App, x: Term, y: Term) -> Any:
        z3 = self.z3
        (_, xv), (_, yv) = self.pair(x), self.pair(y)
        px, py = self.place(xv, x.type), self.place(yv, y.type)
        if term.sym in {EQ, SAME}:
            # char(3) columns that are equal show the same
            if same_when_equal(x, y):
                self.axioms.append(z3.Implies(px == py, xv == yv))
            return px == py
        # FALSE before TRUE
        if domain(x.type) == "bool":
            px, py = z3.If(px, 1, 0), z3.If(py, 1, 0)
        elif x.type.collation not in {"", "default"}:
            # each collation has an order of its own, of which nothing is known
            order = z3.Function(f"order of {x.type.collation}", z3.RealSort(), z3.RealSort())
            px, py = order(px), order(py)
        return px < py if term.sym == LT else px <= py

    def _function(self, term: App) -> Pair:
        z3, args = self.z3, term.args
        pairs = [self.pair(x) for x in args]
        nulls = [n for n, _ in pairs]
        exact = self._arithmetic(term, [v for _, v in pairs])
        if exact is not None:
            return z3.Or(*nulls), exact
        collations = sorted({x.type.collation for x in args} - {"", "default"})
        shown = "integer" if domain(term.type) == "integer" else term.type.name
        name, sort = f"{term.sym.name} {shown} {collations}", self.sort(term.type)
        # a function that sees NULLs
        if not term.sym.strict:
            unknown, value = self._lenient(name, pairs, sort)
            # of no array nothing is known
            return (z3.Or(unknown, nulls[1]) if is_any_element(term.sym) else unknown), value
        values = [v for _, v in pairs]
        value = self._applied(name, values, sort)
        # a + b is b + a, whichever way it is asked
        if term.sym.name in _EITHER_WAY and len({v.sort() for v in values}) == 1 and len(values) == 2:
            self.axioms.append(value == self._applied(name, values[::-1], sort))
        # strict, and still NULL for some values, as jsonb -> is
        if not term.sym.total:
            nulls.append(self._applied(f"{name} is null", values, z3.BoolSort()))
        if term.sym == STARTS and isinstance(args[1], Lit) and args[1].value is not None:
            self.prefixes.append((values[0], args[1].value, value))
        if (span := _part_of_year(term)) is not None:
            units = units_a_day(args[1].type.name)
            self.months.append((*pairs[1], units, span, z3.Or(*nulls), self.place(value, term.type)))
        if (moved := _moved(term)) is not None:
            before = self.pair(moved[0])[1]
            self.axioms.append(before <= value if moved[1] else value <= before)
        if term.sym == TO_NUMERIC:
            self.axioms.append(self.place(value, term.type) == z3.ToReal(values[0]))
        return z3.Or(*nulls) if nulls else z3.BoolVal(False), value

    def _arithmetic(self, term: App, values: list[Any]) -> Any:
        """Where PostgreSQL gives a result of integer arithmetic at all, it is the mathematical one: of /
        and % by a constant k, x = k·q + r with |r| < |k| and no other sign than x. Days move no
        infinite date.
        """
        z3 = self.z3
        match term.sym.name, term.args:
            case str(name), (_,) if name in _ABSOLUTE:
                return z3.If(values[0] < 0, -values[0], values[0])
            # a division by 0 fails: the quotient means nothing then
            case str(name), (_, Lit(str(constant))) if name in _DIVISIONS and int(constant):
                x, k = values[0], int(constant)
                q = z3.Function(f"quotient by {k}", z3.IntSort(), z3.IntSort())(x)
                r = x - k * q
                size = abs(k)
                # the remainder has the sign of the dividend, and is smaller than the divisor
                self.axioms.append(z3.If(x >= 0, z3.And(r >= 0, r < size), z3.And(r <= 0, r > -size)))
                return q if name.startswith("op /") else r
            case "cast pg_catalog.date to pg_catalog.timestamp(-1) func", _:
                return values[0] * _DAY
            case "cast pg_catalog.timestamp to pg_catalog.date(-1) func", _:
                return values[0] / _DAY
            case "op -(date,date)", _:
                return values[0] - values[1]
            case ("op +(date,int4)" | "op -(date,int4)" | "op +(int4,date)") as name, _:
                x, n = values[::-1] if name == "op +(int4,date)" else values
                # an infinite date is moved by no number of days
                return z3.If(is_day(z3, x), x - n if name == "op -(date,int4)" else x + n, x)
        op, _, result = term.sym.name.partition(" ")
        if result not in _INTS or op not in {"+", "-", "*"}:
            return None
        match values:
            case [x]:
                return -x if op == "-" else x
            # two variables multiplied are beyond linear arithmetic
            case [x, y] if op != "*":
                return x + y if op == "+" else x - y
            case [x, y] if any(isinstance(a, Lit) for a in term.args):
                return x * y
        return None

    def _lenient(self, name: str, pairs: Iterable[Pair], sort: Any) -> Pair:
        """A function that may give a value for NULLs."""
        z3 = self.z3
        seen = [
            part for n, v in pairs for part in (n, z3.If(n, z3.Const(f"nothing of {v.sort()}", v.sort()), v))
        ]
        return self._applied(f"{name} is null", seen, z3.BoolSort()), self._applied(name, seen, sort)

    def _applied(self, name: str, values: Iterable[Any], sort: Any) -> Any:
        z3, given = self.z3, list(values)
        label = f"{name} of {[str(v.sort()) for v in given]}"
        if not given:
            return z3.Const(label, sort)
        return z3.Function(label, *(v.sort() for v in given), sort)(*given)

    def _nested(self, term: Nested) -> Pair:
        z3 = self.z3
        text, columns = shape(term)
        is_null, value = self._lenient(text, [self.pair(c) for c in columns], self.sort(term.type))
        if term.kind == "exists":
            return z3.BoolVal(False), value
        short = term.name.partition(" ")[0]
        if term.kind == "agg" and short == "cnt":
            self.axioms.append(value >= 0)
            self.axioms.append((value > 0) == self.truth(exists(term.bag)))
            return z3.BoolVal(False), value
        if (
            term.kind == "agg"
            and short in NULL_OF_NO_ROWS
            # stddev of one row is NULL, too
            and not short.startswith(("stddev", "var"))
        ):
            self.axioms.append(is_null == z3.Not(self.truth(exists(term.bag))))
        return is_null, value


def _part_of_year(term: App) -> int | None:
    """The months that a month or a quarter has; 0 for a day of the month."""
    first = term.args[0] if term.args else None
    unit = str(first.value).lower() if isinstance(first, Lit) and term.sym.name in _MONTHS else ""
    return {"day": 0, "month": 1, "quarter": 3}.get(unit)


def _moved(term: App) -> tuple[Term, bool] | None:
    """The local moment that is moved by days, months or the like that are written out, and whether ahead."""
    op = term.sym.name[:5]
    if op not in {"op +(", "op -("} or len(term.args) != 2 or domain(term.type) != "timestamp":
        return None
    # a moment may be added to a span, too
    moment, span = term.args[::-1] if op == "op +(" and term.args[1].type == term.type else term.args
    match span:
        case App(sym, (Lit(text),)) if sym.name.startswith("cast pg_catalog.unknown to pg_catalog.interval("):
            pass
        case _:
            return None
    if moment.type != term.type or span.type.name != "interval" or not _AHEAD.fullmatch(text or ""):
        return None
    return moment, op == "op +("


def _number(name: str, value: str) -> int | Decimal | None:
    """Where a constant stands on its type's order, if that is a plain number."""
    try:
        match name:
            case "numeric":
                number = Decimal(value)
                # very long numbers make very long formulas
                return number if number.is_finite() and abs(number.adjusted()) < 1000 else None
            case "float4" | "float8":  # whole numbers that either holds as they are
                number = Decimal(value)
                # a fraction is another number in float4 than in float8; whole ones below 2^24 are the same in
                # both
                whole = number.is_finite() and abs(number) < _WHOLE and number == number.to_integral_value()
                return number if whole else None
            case "date":
                return date.fromisoformat(value).toordinal()
            # a seventh decimal is rounded by the server
            case "timestamp" if len(value.rpartition(".")[2]) <= 6 or "." not in value:
                moment = datetime.fromisoformat(value)
                return None if moment.tzinfo else _micros(moment)
    except (ValueError, InvalidOperation, OverflowError):
        pass
    return None


def _micros(moment: datetime) -> int:
    seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
    return moment.toordinal() * _DAY + seconds * 1_000_000 + moment.microsecond
