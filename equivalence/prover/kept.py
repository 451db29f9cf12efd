"""Conditions that tell equal values apart, above what partitions or deduplicates by them (SOUNDNESS M20).

The planner takes a condition on a column of a subquery below its windows (where every PARTITION BY has the column), DISTINCT, DISTINCT ON,
GROUP BY and set operations, and HAVING below the grouping. That changes nothing for conditions that are alike for equal values. Of
1.0 and 1.00 in one partition, ``scale(n) = 1`` leaves one: whether the other counted depends on the plan, and so the server's answer is no
function of the rows. Read of the bound tree, since the calculus opens what it can while it is made. Must not know forms or rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum

from sql import algebra as a
from sql.types import SqlType
from sql.walk import children, from_tree, subqueries

from .symbols import one_look, one_representation


class _Sight(IntEnum):
    """What a value may depend on."""

    SOLID = 0
    KEPT = 1  # it is one of several equal values
    TOLD = 2  # it tells them apart


_SOLID, _KEPT, _TOLD = _Sight
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_NUMBERS = frozenset({"int2", "int4", "int8", "numeric", "float4", "float8"})
_WHOLE = frozenset({"int2", "int4", "int8"})
# of equal numbers they give equal numbers
_EXACT = frozenset({"+", "-", "*", "abs", "ceil", "ceiling", "floor", "sign"})
_EXACT_AGGREGATES = frozenset({"min", "max", "sum", "avg", "any_value"})
_ONE_OF_THEM = frozenset({"lag", "lead", "first_value", "last_value", "nth_value"})


def tells_kept_apart(query: a.Query) -> bool:
    """Whether a condition, or a key of grouping or order, depends on which of several equal values stands for them, where that may
    have been decided below it.
    """
    reader = _Reader()
    reader.query(query)
    return reader.found


class _Reader:
    """Reads a query from the inside out; ``columns`` has what is known of those that are not solid."""

    def __init__(self) -> None:
        self.columns: dict[tuple[int, int], _Sight] = {}
        self.ctes: dict[int, tuple[_Sight, ...]] = {}
        # grouping keys of the blocks around, and those of all but the innermost
        self.keys: tuple[a.Expr, ...] = ()
        self.outer: tuple[a.Expr, ...] = ()
        self.found = False

    # ---------------------------------------------------------------- queries

    def query(self, query: a.Query) -> tuple[_Sight, ...]:
        """What the output columns depend on."""
        for cte in query.ctes:
            self.ctes[cte.cte] = self.query(cte.query)
        for end in (query.limit, query.offset):
            self.condition(end)
        match query:
            case a.Select():
                return self.select(query)
            case a.SetOp():
                return self.set_operation(query)
            case a.Values():
                return tuple(max(map(self.sight, column)) for column in zip(*query.rows, strict=True))

    def select(self, query: a.Select) -> tuple[_Sight, ...]:
        for item in query.from_:
            self.from_item(item)
        self.condition(query.where)
        keys = tuple(k for s in query.group_by or () for k in s)
        self._keyed(keys)
        with self._grouped(tuple(k for k in keys if not one_representation(k.type))):
            self.condition(query.having)
            shown = tuple(self.sight(t.expr) for t in query.targets)
            self._keyed(k.expr for k in query.order_by)
        parted = {p for t in query.targets for e in _windows(t.expr) for p in e.window.partition_by}
        by = parted | set(query.distinct or ())
        if query.distinct == ():
            self._keyed(t.expr for t in query.targets)
            by = {t.expr for t in query.targets}
        return tuple(
            max(sight, _KEPT) if t.expr in by and not one_representation(t.expr.type) else sight
            for t, sight in zip(query.targets, shown, strict=True)
        )

    def set_operation(self, query: a.SetOp) -> tuple[_Sight, ...]:
        arms = (self.query(query.left), self.query(query.right))
        made = [max(pair) for pair in zip(*arms, strict=True)]
        if query.op == "union" and query.all:
            return tuple(made)
        self.found |= _TOLD in made
        types = zip(a.output_columns(query.left), a.output_columns(query.right), strict=True)
        return tuple(
            sight if one_look((x.type, y.type)) else max(sight, _KEPT)
            for sight, (x, y) in zip(made, types, strict=True)
        )

    def from_item(self, item: a.FromItem) -> None:
        for part in from_tree(item):
            match part:
                case a.Derived(rel, query):
                    self._offer(rel, self.query(query))
                case a.CteScan(rel, cte):
                    self._offer(rel, self.ctes.get(cte, ()))
                case a.ValuesScan(rel, rows):
                    self._offer(
                        rel, tuple(max(map(self.sight, column)) for column in zip(*rows, strict=True))
                    )
                case a.FunctionScan(rel, call, _, columns):
                    told = self.sight(call) is not _SOLID
                    self._offer(rel, (_TOLD if told else _SOLID,) * len(columns))
                case _:
                    pass
        # ON may read what stands to its right in the text of the tree
        for part in from_tree(item):
            if isinstance(part, a.Join):
                self.condition(part.on)

    def _offer(self, rel: int, sights: Iterable[_Sight]) -> None:
        self.columns.update({(rel, i): s for i, s in enumerate(sights) if s is not _SOLID})

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
        if expr is not None and self.sight(expr) is _TOLD:
            self.found = True

    # ---------------------------------------------------------------- expressions

    def sight(self, e: a.Expr) -> _Sight:
        """What the value depends on."""
        own = _KEPT if e in self.keys else _SOLID
        return max(own, self._sight(e)) if own is _SOLID or not isinstance(e, a.Column) else own

    def _sight(self, e: a.Expr) -> _Sight:
        match e:
            case a.Column(rel, pos):
                return self.columns.get((rel, pos), _SOLID)
            case a.WholeRow(rel):
                return _TOLD if any(r == rel for r, _ in self.columns) else _SOLID
            case a.Aggregate():
                return self._aggregate(e)
            case a.WindowCall():
                return self._window(e)
            case a.ScalarSubquery(query):
                return self.query(query)[0]
            case a.Exists(query):
                self.query(query)
                return _SOLID
            case a.Quantified():
                return self._compared(e.ops, (*map(self.sight, e.left), *self.query(e.query)), e.left)
        parts = [self.sight(c) for c in children(e)]
        for query in subqueries(e):
            parts += self.query(query)
        return _Sight(max(parts, default=_SOLID)) and self._made(e, parts)

    def _made(self, e: a.Expr, parts: list[_Sight]) -> _Sight:
        """Of an expression some part of which is not solid."""
        most = max(parts)
        match e:
            case a.And() | a.Or() | a.Not() | a.IsNull() | a.IsBool():
                return _TOLD if most is _TOLD else _SOLID
            case a.Op(op, args):
                if _exact(op.name, args) and op.is_builtin:
                    return most
                return self._compared((op,), parts, args)
            case a.IsDistinct(op) | a.InList(op):
                return self._compared((op,), parts, children(e))
            case a.NullIf(op, left, right):
                return max(self._compared((op,), parts, (left, right)), self.sight(left))
            case a.RowCompare(_, ops):
                return self._compared(ops, parts, children(e))
            case a.Case(whens, default):
                results = [self.sight(x) for x in (*(r for _, r in whens), default)]
                return _TOLD if any(self.sight(c) is _TOLD for c, _ in whens) else max(results)
            case a.Coalesce() | a.MinMax():
                return most
            case a.Cast():
                return _converted(e, most)
            case a.Call(func, args):
                return most if func.is_builtin and _exact(func.name, args) else _TOLD
            case _:
                return _TOLD

    def _compared(
        self, ops: Iterable[a.OperatorRef], parts: Iterable[_Sight], args: Iterable[a.Expr]
    ) -> _Sight:
        """Comparisons by the types' own equality and order are alike for equal values."""
        most = max(parts, default=_SOLID)
        if most is _SOLID:
            return _SOLID
        own = all(op.is_builtin and op.name in _COMPARISONS for op in ops)
        one = len({x.type.collation for x in args} - {""}) < 2
        return _SOLID if most is _KEPT and own and one else _TOLD

    def _aggregate(self, e: a.Aggregate) -> _Sight:
        with self._of_rows():
            self.condition(e.filter)
            most = max((self.sight(x) for x in children(e) if x is not e.filter), default=_SOLID)
        return _of_aggregate(e.func, most)

    def _window(self, e: a.WindowCall) -> _Sight:
        self.condition(e.filter)
        self._keyed((*e.window.partition_by, *(k.expr for k in e.window.order_by)))
        most = max((self.sight(x) for x in e.args), default=_SOLID)
        if e.func.kind == "w":
            return most if e.func.name in _ONE_OF_THEM or most is _SOLID else _TOLD
        return _of_aggregate(e.func, most)


def _windows(expr: a.Expr) -> Iterator[a.WindowCall]:
    if isinstance(expr, a.WindowCall):
        yield expr
    for child in children(expr):
        yield from _windows(child)


def _of_aggregate(func: a.FunctionRef, most: _Sight) -> _Sight:
    if most is _SOLID or (func.is_builtin and func.name == "count" and most is _KEPT):
        return _SOLID
    return most if func.is_builtin and func.name in _EXACT_AGGREGATES else _TOLD


def _exact(name: str, args: Iterable[a.Expr]) -> bool:
    return name in _EXACT and all(x.type.is_builtin and x.type.name in _NUMBERS for x in args)


def _converted(e: a.Cast, most: _Sight) -> _Sight:
    source, target = e.arg.type, e.type
    if e.method == "binary" or most is _TOLD:
        return most if _compares_alike(source, target) else _TOLD
    if not (source.is_builtin and target.is_builtin) or {source.name, target.name} - _NUMBERS:
        return _TOLD
    return _SOLID if target.name in _WHOLE else most


def _compares_alike(source: SqlType, target: SqlType) -> bool:
    """Whether values that are equal as one type are equal as the other."""
    same = (source.schema, source.name, source.collation) == (target.schema, target.name, target.collation)
    return same or {source.name, target.name} <= {"text", "varchar"}
