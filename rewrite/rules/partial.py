"""Aggregates in two steps: of groups below, then put together of groups above.

Owns which aggregates can be taken apart, and what stands for them above (hazards 6a-6e; Yan and Larson
1995). sum, count, avg, min and max; no sums of floats, whose order would show. Shared by the rules that
aggregate early. Must not know where they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, as_numeric, cast_to_int8, function, int8, operator
from rewright.sql.facts import order_sensitive
from rewright.sql.facts.looks import look_of_type
from rewright.sql.records import key_of
from rewright.sql.types import INT8, NUMERIC
from rewright.sql.walk import (
    N,
    Place,
    conjoin,
    conjuncts,
    has_subquery,
    map_kind,
    outer_exprs,
    substitute,
    walk_block,
)

SUMMED = frozenset({"int2", "int4", "int8", "numeric"})
# what can be said of rows by the number of times that each is met
WEIGHABLE = frozenset({"count", "sum", "min", "max"})


def aggregates(block: a.Select) -> list[a.Aggregate]:
    """The distinct aggregates of a block."""
    found = (n for e in outer_exprs(block) for n in walk_block(e) if isinstance(n, a.Aggregate))
    return list(dict.fromkeys(found))


def outside(block: a.Select) -> list[a.Expr]:
    """What stands outside aggregates: targets, sort keys, HAVING and grouping keys with NULL for each."""
    exprs = (*outer_exprs(block), *(k for keys in block.group_by or () for k in keys))
    return [map_kind(e, a.Aggregate, lambda g: a.Const(None, g.type)) for e in exprs]


def inputs(g: a.Aggregate) -> tuple[a.Expr, ...]:
    return (*g.args, *(() if g.filter is None else (g.filter,)))


def decomposes(g: a.Aggregate) -> bool:
    """Whether an aggregate can be put together of those of parts of its rows, to the last digit."""
    # a value counted once here and once there would be counted twice above
    if not g.func.is_builtin or g.distinct or order_sensitive(g) or any(has_subquery(p) for p in inputs(g)):
        return False
    if g.func.name == "count":
        # counts of parts add up, whatever is counted
        return True
    if len(g.args) != 1 or not g.args[0].type.is_builtin:
        return False
    type_ = g.args[0].type
    if g.func.name in {"sum", "avg"}:
        # sums of floats depend on the order of their addition
        return type_.name in SUMMED
    # of equal values that look different either may be shown: not where a scale makes them alike
    return g.func.name in {"min", "max"} and look_of_type(type_) is not None


@dataclass(slots=True)
class TwoSteps:
    """What the grouping below shows, as range variable ``rel``, and what stands above for the block's
    aggregates.
    """

    rel: int
    keys: Sequence[a.Expr]
    targets: list[a.Target] = field(default_factory=list)
    values: dict[a.Aggregate, a.Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.targets = [a.Target(f"k{i}", k) for i, k in enumerate(self.keys, 1)]

    def part(self, expr: a.Expr, name: str = "") -> a.Column:
        """The column that shows an expression of the groups below; a target is added where none does yet."""
        # the same part for two aggregates (avg and sum of x) is shown once
        at = next((i for i, t in enumerate(self.targets) if t.expr == expr), len(self.targets))
        if at == len(self.targets):
            self.targets.append(a.Target(name or f"v{at + 1}", expr))
        return a.Column(self.rel, at, expr.type, self.targets[at].name)

    def split(self, found: Sequence[a.Aggregate], ctx: Context, *, zero: bool = False) -> bool:
        """Puts each aggregate together of parts; False where one can not be. ``zero``: above there may be no
        row at all.
        """
        for g in found:
            whole = self._whole(g)
            if whole is None:
                return False
            # the sum of no counts is NULL, the count of no rows 0
            if g.func.name == "count" and zero and not ctx.holds("nothing-counts-zero", False):
                whole = a.Coalesce((whole, int8(0)), INT8)
            self.values[g] = whole
        return True

    def weigh(self, found: Sequence[a.Aggregate], items: Sequence[a.FromItem] = ()) -> bool:
        """Aggregates of the rows that the groups are joined with, which are of ``items``, each row as often
        as its group has rows; False where one can not be had.
        """
        counts = frozenset(_counts(items))
        for g in found:
            # repeated rows move neither the least nor the greatest value
            whole = g if g.func.name in {"min", "max"} else self._weighted(g, counts)
            if whole is None:
                return False
            self.values[g] = whole
        return True

    def _weighted(self, g: a.Aggregate, known: frozenset[Place]) -> a.Expr | None:
        counts, sums = function("count"), function("sum", "numeric")
        times, plus = operator("*", NUMERIC, NUMERIC), function("sum", "int8")
        if counts is None or sums is None or times is None or plus is None:
            return None
        # how many rows of the grouping each joined row stood for before
        weight = self.part(a.Aggregate(counts, (), INT8, star=True), "n")
        if g.func.name == "count":
            # count(x) counts a joined row only where x is not NULL, but then by its weight
            own = [a.IsNull(x, negated=True) for x in g.args]
            only = conjoin((*conjuncts(g.filter), *own))
            total = cast_to_int8(a.Aggregate(plus, (weight,), NUMERIC, filter=only))
            # no joined row at all: a sum is NULL where a count is 0
            return a.Coalesce((total, int8(0)), INT8)
        one, both = g.args[0], operator("*", INT8, INT8)
        if isinstance(one, a.Column) and (one.rel, one.pos) in known and both is not None:
            # rows times rows are the rows of a join: nothing overflows that the sum would not
            product = a.Op(both, (one, weight), INT8)
            total = a.Aggregate(plus, (product,), NUMERIC, filter=g.filter)
            return cast_to_int8(total) if g.type == INT8 else total
        # int8 * int8 may overflow where the sum, which is numeric, did not
        value, number = as_numeric(g.args[0]), as_numeric(weight)
        if value is None or number is None:
            return None
        total = a.Aggregate(sums, (a.Op(times, (value, number), NUMERIC),), NUMERIC, filter=g.filter)
        return cast_to_int8(total) if g.type == INT8 else total

    def _whole(self, g: a.Aggregate) -> a.Expr | None:
        name = g.func.name
        if name in {"min", "max"}:
            return aggregate(name, self.part(g))
        if name == "avg":
            return self._average(g)
        found = self._sum(g)
        # the sum of bigints is numeric, the count and the sum of ints it stands for a bigint
        return cast_to_int8(found) if found is not None and g.type == INT8 else found

    def _average(self, g: a.Aggregate) -> a.Expr | None:
        kind = key_of(g.args[0].type)
        sums, counts = function("sum", kind), function("count", "any")
        if sums is None or counts is None:
            return None
        total = replace(g, func=sums, type=INT8 if kind in {"int2", "int4"} else NUMERIC)
        # of no values NULL is divided by 0, which is NULL and raises nothing
        above, below = self._sum(total), self._sum(replace(g, func=counts, type=INT8))
        ref = operator("/", NUMERIC, NUMERIC)
        if above is None or below is None or ref is None:
            return None
        return a.Op(ref, (above, below), NUMERIC)

    def _sum(self, g: a.Aggregate) -> a.Aggregate | None:
        func = function("sum", key_of(g.type))
        return None if func is None else a.Aggregate(func, (self.part(g),), NUMERIC)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(t.name for t in self.targets)

    @property
    def moved(self) -> dict[Place, a.Expr]:
        """The grouping's keys that are columns, by where they stood."""
        return {
            (k.rel, k.pos): a.Column(self.rel, i, k.type, self.targets[i].name)
            for i, k in enumerate(self.keys)
            if isinstance(k, a.Column)
        }

    def below(self, from_: Sequence[a.FromItem], where: a.Expr | None) -> a.Select:
        """The grouping, when all parts are known."""
        return a.Select(tuple(self.targets), tuple(from_), where, (tuple(self.keys),))

    def above(self, node: N) -> N:
        """What stands above FROM and WHERE, over the grouping."""
        return substitute(with_values(node, self.values), self.moved)


def _counts(items: Sequence[a.FromItem]) -> Iterator[Place]:
    """Columns of groupings in FROM that count rows."""
    for item in items:
        if isinstance(item, a.Derived) and isinstance(item.query, a.Select):
            for at, target in enumerate(item.query.targets):
                shown = target.expr
                if isinstance(shown, a.Aggregate) and shown.func.is_builtin and shown.func.name == "count":
                    yield item.rel, at


def with_values(node: N, values: dict[a.Aggregate, a.Expr]) -> N:
    """A block's parts with something else in the place of its aggregates; those of nested queries stay."""
    # an aggregate without a value would be one of the rows below, left standing above: a KeyError, not a
    # wrong result
    return map_kind(node, a.Aggregate, values.__getitem__)
