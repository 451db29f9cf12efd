"""Conditions that tell equal values apart, above what partitions or deduplicates by them (hazards M20).

The planner takes a condition on a column of a subquery below its windows (where every PARTITION BY has the
column), DISTINCT, DISTINCT ON, GROUP BY and set operations, and HAVING below the grouping. That changes
nothing for conditions that are alike for equal values. Of 1.0 and 1.00 in one partition, ``scale(n) = 1``
leaves one: whether the other counted depends on the plan, and so the server's answer is no function of the
rows. Read of the bound tree, since the calculus opens what it can while it is made. Must not know forms or
rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntFlag
from functools import reduce
from operator import or_

from rewright.sql import algebra as a
from rewright.sql.facts.looks import DAYS_AND_TIME, is_span, shown_as
from rewright.sql.types import SqlType
from rewright.sql.walk import children, from_tree, subqueries

from .set_keys import loses_keys
from .symbols import one_look, one_representation


class _Sight(IntFlag):
    """What a value may depend on."""

    SOLID = 0
    PARTED = 1  # rows were put together by it: it is the row's own, and a condition on it may move
    KEPT = 2  # it is one of several equal values, and which is open
    TOLD = 4  # it tells them apart


_SOLID, _PARTED, _KEPT, _TOLD = _Sight(0), _Sight.PARTED, _Sight.KEPT, _Sight.TOLD
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_NUMBERS = frozenset({"int2", "int4", "int8", "numeric", "float4", "float8"})
_WHOLE = frozenset({"int2", "int4", "int8"})
# of equal numbers they give equal numbers
_EXACT = frozenset({"+", "-", "*", "abs", "ceil", "ceiling", "floor", "sign"})
_EXACT_AGGREGATES = frozenset({"min", "max", "sum", "avg", "any_value"})
_PICKING = frozenset({"min", "max", "any_value"})
_ONE_OF_THEM = frozenset({"lag", "lead", "first_value", "last_value", "nth_value"})


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a query depends on which of several equal values stands for them. ``decides``: in a condition, a
    key of grouping or order, or what is counted or added up; or a key of several grouping sets is read where
    the server finds none. ``shown``: in its output.
    """

    decides: bool
    shown: bool


def read_kept(query: a.Query, *, extremes: bool = False) -> Kept:
    """What a query makes of values that were put together with their equals; with ``extremes`` also of those
    of which min, max, any_value or DISTINCT picks one, where the order of the rows decides which.
    """
    reader = _Reader(extremes=extremes)
    outputs = reader.query(query)
    return Kept(reader.found or loses_keys(query), any(_KEPT in sight for sight in outputs))


class _Reader:
    """Reads a query from the inside out; ``columns`` has what is known of those that are not solid."""

    def __init__(self, *, extremes: bool) -> None:
        self.extremes = extremes
        self.columns: dict[tuple[int, int], _Sight] = {}
        self.ctes: dict[int, tuple[_Sight, ...]] = {}
        self.cte_looks: dict[int, tuple[SqlType, ...]] = {}
        # how values look of columns whose own type does not say it
        self.looks: dict[tuple[int, int], SqlType] = {}
        # grouping keys of the blocks around, and those of all but the innermost
        self.keys: tuple[a.Expr, ...] = ()
        self.outer: tuple[a.Expr, ...] = ()
        self.found = False

    # ---------------------------------------------------------------- queries

    def query(self, query: a.Query) -> tuple[_Sight, ...]:
        """What the output columns depend on."""
        # a CTE is read once, whoever reads it later
        for cte in query.ctes:
            self.ctes[cte.cte] = self.query(cte.query)
            self.cte_looks[cte.cte] = self._looks_of(cte.query)
        for end in (query.limit, query.offset):
            self.condition(end)
        match query:
            case a.Select():
                return self.select(query)
            case a.SetOp():
                return self.set_operation(query)
            case a.Values():
                return tuple(_all(map(self.sight, column)) for column in zip(*query.rows, strict=True))

    def select(self, query: a.Select) -> tuple[_Sight, ...]:
        for item in query.from_:
            self.from_item(item)
        self.condition(query.where)
        keys = tuple(k for s in query.group_by or () for k in s)
        self._keyed(keys)
        # a key that looks alike in all its equals is no choice
        with self._grouped(tuple(k for k in keys if not one_representation(self._look(k)))):
            self.condition(query.having)
            shown = tuple(self.sight(t.expr) for t in query.targets)
            self._keyed(k.expr for k in query.order_by)
        # a PARTITION BY column is the row's own, but a condition on it moves below the window
        parted = {p for t in query.targets for e in _windows(t.expr) for p in e.window.partition_by}
        parted |= set(query.distinct or ())
        # DISTINCT compares all outputs, and keeps one of those that are equal
        if query.distinct == ():
            self._keyed(t.expr for t in query.targets)
        marks = (
            _KEPT if query.distinct == () else _PARTED if t.expr in parted else _SOLID for t in query.targets
        )
        return tuple(
            # a type that has one look can't be told apart by anything
            sight if one_representation(self._look(t.expr)) else sight | mark
            for t, sight, mark in zip(query.targets, shown, marks, strict=True)
        )

    def set_operation(self, query: a.SetOp) -> tuple[_Sight, ...]:
        arms = (self.query(query.left), self.query(query.right))
        made = [x | y for x, y in zip(*arms, strict=True)]
        # UNION ALL puts nothing together
        if query.op == "union" and query.all:
            return tuple(made)
        # what tells equals apart decides which rows are duplicates
        self.found |= any(_TOLD in sight for sight in made)
        types = zip(_outputs(query.left), _outputs(query.right), strict=True)
        return tuple(sight | _of_arms(query.op, x, y) for sight, (x, y) in zip(made, types, strict=True))

    def from_item(self, item: a.FromItem) -> None:
        for part in from_tree(item):
            match part:
                case a.Derived(rel, query):
                    self._offer(rel, self.query(query))
                    self.looks |= {(rel, i): look for i, look in enumerate(self._looks_of(query))}
                case a.CteScan(rel, cte):
                    self._offer(rel, self.ctes.get(cte, ()))
                    self.looks |= {(rel, i): look for i, look in enumerate(self.cte_looks.get(cte, ()))}
                case a.ValuesScan(rel, rows):
                    cells = zip(*rows, strict=True)
                    self._offer(rel, tuple(_all(map(self.sight, column)) for column in cells))
                case a.FunctionScan(rel, call, _, columns):
                    self._offer(rel, (_told(self.sight(call)),) * len(columns))
                case _:
                    pass
        # ON may read what stands to its right in the text of the tree
        for part in from_tree(item):
            if isinstance(part, a.Join):
                self.condition(part.on)

    def _offer(self, rel: int, sights: Iterable[_Sight]) -> None:
        self.columns.update({(rel, i): s for i, s in enumerate(sights) if s})

    @contextmanager
    def _grouped(self, keys: tuple[a.Expr, ...]) -> Iterator[None]:
        """Read what is made of groups by the keys."""
        before = self.outer, self.keys
        self.outer, self.keys = self.keys, (*self.keys, *keys)
        try:
            yield
        finally:
            self.outer, self.keys = before

    @contextmanager
    def _of_rows(self) -> Iterator[None]:
        """Read what is made of the rows that are grouped."""
        keys, self.keys = self.keys, self.outer
        try:
            yield
        finally:
            self.keys = keys

    def _keyed(self, exprs: Iterable[a.Expr]) -> None:
        for e in exprs:
            self.condition(e)

    def condition(self, expr: a.Expr | None) -> None:
        """Look at something that decides on rows, or on their order."""
        # that a condition reads such a value is harmless; that it tells it from its equals is not
        if expr is not None and _TOLD in self.sight(expr):
            self.found = True

    # ---------------------------------------------------------------- expressions

    def sight(self, e: a.Expr) -> _Sight:
        """What the value depends on."""
        # a grouping key shows one of its group's values
        return self._sight(e) | (_KEPT if e in self.keys else _SOLID)

    def _sight(self, e: a.Expr) -> _Sight:
        match e:
            case a.Column(rel, pos):
                return self.columns.get((rel, pos), _SOLID)
            case a.WholeRow(rel):
                # the text of a row shows how its values look
                return _told(_all(s for (r, _), s in self.columns.items() if r == rel))
            case a.Aggregate():
                return self._aggregate(e)
            case a.WindowCall():
                return self._window(e)
            case a.ScalarSubquery(query):
                return self.query(query)[0]
            # EXISTS shows nothing of its rows
            case a.Exists(query):
                self.query(query)
                return _SOLID
            case a.Quantified():
                return self._compared(e.ops, (*map(self.sight, e.left), *self.query(e.query)), e.left)
        parts = [self.sight(c) for c in children(e)]
        for query in subqueries(e):
            parts += self.query(query)
        # a part that is solid throughout makes what it makes alike
        return self._made(e, parts) if _all(parts) else _SOLID

    def _made(self, e: a.Expr, parts: list[_Sight]) -> _Sight:
        """Of an expression some part of which is not solid."""
        most = _all(parts)
        match e:
            case a.And() | a.Or() | a.Not() | a.IsNull() | a.IsBool():
                # NULL or not, TRUE or not: equals agree, unless they were told apart before
                return most if _TOLD in most else _SOLID
            # n + 1 of equal numbers is equal again
            case a.Op(op, args) if op.is_builtin and _exact(op.name, args):
                return most
            case a.Op(op) | a.IsDistinct(op) | a.InList(op):
                return self._compared((op,), parts, children(e))
            # NULLIF shows its left side, and compares
            case a.NullIf(op, left, right):
                return self._compared((op,), parts, (left, right)) | self.sight(left)
            case a.RowCompare(_, ops):
                return self._compared(ops, parts, children(e))
            case a.Case(whens, default):
                # a CASE shows what its results show, chosen by conditions
                tests = _all(self.sight(c) for c, _ in whens)
                return _all(self.sight(x) for x in (*(r for _, r in whens), default)) | tests
            case a.Coalesce() | a.MinMax():
                return most
            case a.Cast():
                return _converted(e, most)
            case a.Call(func, args) if func.is_builtin and _exact(func.name, args):
                return most
            # text(n), scale(n): the function may look at what equality does not
            case _:
                return _told(most)

    def _compared(
        self, ops: Iterable[a.OperatorRef], parts: Iterable[_Sight], args: Iterable[a.Expr]
    ) -> _Sight:
        """Comparisons by the types' own equality and order are alike for equal values."""
        most = _all(parts)
        own = all(op.is_builtin and op.name in _COMPARISONS for op in ops)
        # compared under two collations it depends on which decides
        one = len({x.type.collation for x in args} - {""}) < 2
        return _SOLID if _TOLD not in most and own and one else _told(most)

    def _aggregate(self, e: a.Aggregate) -> _Sight:
        with self._of_rows():
            self.condition(e.filter)
            most = _all(self.sight(x) for x in children(e) if x is not e.filter) | self._picked(e)
        # one of equal values that is told apart, and then added up: which was it
        self.found |= most & (_KEPT | _TOLD) == _KEPT | _TOLD
        return _of_aggregate(e.func, most)

    def _window(self, e: a.WindowCall) -> _Sight:
        self.condition(e.filter)
        self._keyed((*e.window.partition_by, *(k.expr for k in e.window.order_by)))
        most = _all(self.sight(x) for x in e.args)
        most |= self._picked(e)
        if e.func.kind == "w":
            # lag() shows a value of another row, row_number() goes by the order among equals
            return most if e.func.name in _ONE_OF_THEM else _told(most)
        self.found |= most & (_KEPT | _TOLD) == _KEPT | _TOLD
        return _of_aggregate(e.func, most)

    def _picked(self, e: a.Aggregate | a.WindowCall) -> _Sight:
        """Of an aggregate that gives one of equal values, or is made of it, which may look different."""
        # sum(DISTINCT n) of 1.0 and 1.00 shows the decimals of that which was kept
        one_each = isinstance(e, a.Aggregate) and e.distinct and e.func.name != "count"
        chooses = self.extremes and (one_each or e.func.name in _PICKING)
        picks = chooses and not one_look(self._look(x) for x in e.args)
        return _KEPT if picks else _SOLID

    def _looks_of(self, query: a.Query) -> tuple[SqlType, ...]:
        """How the outputs of a query look that has been read; of arms put together nothing is said."""
        return tuple(self._look(t.expr) for t in query.targets) if isinstance(query, a.Select) else ()

    def _look(self, e: a.Expr) -> SqlType:
        """The type that says how a value looks: that of a column, also where it is the least or greatest of
        its group, or a sum, which shows as many decimals as what is added up.
        """
        match e:
            case a.Column(rel, pos):
                return self.looks.get((rel, pos), e.type)
            case a.ScalarSubquery(a.Select(targets=(shown, *_))):
                return self._look(shown.expr)
            case a.Aggregate(func, (arg,)) | a.WindowCall(func, (arg,)) if func.is_builtin:
                adds = func.name == "sum" and func.arg_types == ("numeric",)
                found = self._look(arg) if adds or func.name in _PICKING | _ONE_OF_THEM else e.type
                # min() without the column's modifier looks as the column does
                return found if found.without_typmod() == e.type else e.type
            case _:
                return _shown(e)


def _all(sights: Iterable[_Sight]) -> _Sight:
    return reduce(or_, sights, _SOLID)


def _told(sight: _Sight) -> _Sight:
    """Of a function that is not known to be alike for equal values."""
    return sight | _TOLD if sight else _SOLID


def _shown(e: a.Expr) -> SqlType:
    """The type that says how a value looks: taking a modifier away changes no value, most fields of a date
    are whole numbers, and what passed between two moments is written in one way.
    """
    while isinstance(e, a.Cast) and e.method == "binary" and e.type == e.arg.type.without_typmod():
        e = e.arg
    match e:
        case a.Case():
            return _of_branches(e)
        case a.Call(func, (a.Const(field), x)) if func.is_builtin and func.name == "extract":
            return shown_as(field, x.type) or e.type
        case a.Op() | a.Call():
            return DAYS_AND_TIME if is_span(e) else e.type
        case _:
            return e.type


def _of_branches(e: a.Case) -> SqlType:
    """The type that says how CASE looks: that of its branches, where all but NULLs share one."""
    branches = (*(shown for _, shown in e.whens), e.default)
    looks = {_shown(x) for x in branches if not (isinstance(x, a.Const) and x.value is None)}
    found = looks.pop() if len(looks) == 1 else e.type
    return found if found.without_typmod() == e.type.without_typmod() else e.type


def _outputs(query: a.Query) -> list[SqlType]:
    if isinstance(query, a.Select):
        return [_shown(t.expr) for t in query.targets]
    return [c.type for c in a.output_columns(query)]


def _of_arms(op: str, left: SqlType, right: SqlType) -> _Sight:
    """Of a column that a set operation compares. EXCEPT shows its left side, of which it takes away what
    equals the right side.
    """
    # EXCEPT shows the left side's values, a condition on which moves below it
    if one_look((left, right)):
        return _SOLID
    # INTERSECT and UNION may show either side's
    return _PARTED if op == "except" and one_representation(left) else _KEPT


def _windows(expr: a.Expr) -> Iterator[a.WindowCall]:
    if isinstance(expr, a.WindowCall):
        yield expr
    for child in children(expr):
        yield from _windows(child)


def _of_aggregate(func: a.FunctionRef, most: _Sight) -> _Sight:
    # count does not see how a value looks
    if func.is_builtin and func.name == "count" and _TOLD not in most:
        return _SOLID
    return most if func.is_builtin and func.name in _EXACT_AGGREGATES else _told(most)


def _exact(name: str, args: Iterable[a.Expr]) -> bool:
    return name in _EXACT and all(x.type.is_builtin and x.type.name in _NUMBERS for x in args)


def _converted(e: a.Cast, most: _Sight) -> _Sight:
    source, target = e.arg.type, e.type
    if e.method == "binary":
        return most if _compares_alike(source, target) else _told(most)
    # a cast to a text shows the look; between numbers equals stay equal
    if not (source.is_builtin and target.is_builtin) or {source.name, target.name} - _NUMBERS:
        return _told(most)
    # 1.0 and 1.00 are one integer
    return _SOLID if target.name in _WHOLE and _TOLD not in most else most


def _compares_alike(source: SqlType, target: SqlType) -> bool:
    """Whether values that are equal as one type are equal as the other."""
    same = (source.schema, source.name, source.collation) == (target.schema, target.name, target.collation)
    return same or {source.name, target.name} <= {"text", "varchar"}
