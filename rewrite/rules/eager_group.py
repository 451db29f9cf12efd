"""Aggregates over one side of inner joins are computed once per join key before the joins, then summed up.

    SELECT c.state, sum(s.amount) FROM sale s JOIN cust c ON c.id = s.cust GROUP BY c.state
    -->
    SELECT c.state, sum(p.v1) FROM (SELECT cust AS k1, sum(amount) AS v1 FROM sale GROUP BY cust) p
      JOIN cust c ON c.id = p.k1 GROUP BY c.state

Everything else of that side that the block uses is a key of the early grouping, and only types whose equal values are the same
value are. The others stay as they are, so that multiplicities hold. sum, count, avg, min, max; no sums of floats. Calcite:
AggregateJoinTransposeRule. SOUNDNESS 6a-6e; Yan and Larson 1995.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, grouped, rule
from rewright.rewrite.rules.build import aggregate, cast_to_int8, function, int8, operator
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile, order_sensitive
from rewright.sql.records import key_of
from rewright.sql.types import INT8, NUMERIC, equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    as_product,
    columns_used,
    conjoin,
    free_of_all,
    free_rels,
    has_subquery,
    is_lateral,
    map_parts,
    references_whole,
    substitute,
    walk_block,
)

MOST_KEYS = 4
SUMMED = frozenset({"int2", "int4", "int8", "numeric"})
EXACT = frozenset({"+", "-", "*"})


@rule(
    SELECT.where(grouped),
    guards=("arguments-cannot-fail", "nothing-counts-zero"),
    known_as="AggregateJoinTransposeRule",
    priority=64,
    category="join",
)
def eager_group(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    found = aggregates(block)
    if not found or not all(decomposes(g) for g in found):
        return
    items, preds = as_product(block)
    if len(items) < 2 or is_volatile(block) or any(is_lateral(i) for i in items):
        return
    used = free_of_all(p for g in found for p in _inputs(g))
    for item in items:
        if isinstance(item, a.Scan | a.Derived | a.CteScan) and used <= {item.rel}:
            made = _early(block, items, preds, item, found, ctx)
            if made is not None:
                yield Rewrite(made, f"{item.alias} is aggregated once a join key before the joins")


def _early(
    block: a.Select,
    items: Sequence[a.FromItem],
    preds: Sequence[a.Expr],
    item: a.Scan | a.Derived | a.CteScan,
    found: Sequence[a.Aggregate],
    ctx: Context,
) -> a.Select | None:
    local = [p for p in preds if free_rels(p) == {item.rel} and not has_subquery(p)]
    rest = [p for p in preds if p not in local]
    keys = columns_used((*outside(block), *rest), (item.rel,))
    if not 1 <= len(keys) <= MOST_KEYS or not all(equality_is_identity(k.type) for k in keys):
        return None
    if references_whole(block, item.rel) or _single(item, keys, ctx):
        return None
    # arguments are computed for rows, too, that the joins would have taken away
    safe = all(_cannot_fail(p, ctx) for g in found for p in _inputs(g)) and all(
        _cannot_fail(p, ctx) for p in local
    )
    if not ctx.holds("arguments-cannot-fail", safe):
        return None
    rel = ctx.fresh()
    targets = [a.Target(f"k{i + 1}", k) for i, k in enumerate(keys)]
    values: dict[a.Aggregate, a.Expr] = {}
    for g in found:
        whole = split(g, rel, targets, zero=block.group_by == ((),), ctx=ctx)
        if whole is None:
            return None
        values[g] = whole
    names = tuple(t.name for t in targets)
    early = a.Select(tuple(targets), (item,), conjoin(local), (tuple(keys),))
    derived = a.Derived(rel, early, "early", names)

    def visit(n: Any) -> Any:
        if isinstance(n, QUERIES):
            return n
        return values[n] if isinstance(n, a.Aggregate) else map_parts(n, visit)

    late = replace(block, from_=(), where=None)
    made = replace(
        map_parts(late, visit),
        from_=tuple(derived if i is item else i for i in items),
        where=conjoin(rest),
    )
    mapping: dict[tuple[int, int], a.Expr] = {
        (k.rel, k.pos): a.Column(rel, i, k.type, names[i]) for i, k in enumerate(keys)
    }
    return _substituted(made, derived, mapping)


def _substituted(made: a.Select, derived: a.Derived, mapping: dict[tuple[int, int], a.Expr]) -> a.Select:
    """Columns replaced everywhere but inside the early grouping."""
    others = tuple(substitute(i, mapping) if i is not derived else i for i in made.from_)
    outer: a.Select = substitute(replace(made, from_=()), mapping)
    return replace(outer, from_=others)


def split(g: a.Aggregate, rel: int, targets: list[a.Target], *, zero: bool, ctx: Context) -> a.Expr | None:
    """The aggregate out of early parts, which are added to ``targets``."""
    name = g.func.name
    if name in {"min", "max"}:
        return aggregate(name, _part(g, rel, targets))
    if name == "avg":
        total = _early_of("sum", g)
        count = _early_of("count", g)
        ref = operator("/", NUMERIC, NUMERIC)
        if total is None or count is None or ref is None:
            return None
        above, below = _sum(_part(total, rel, targets)), _sum(_part(count, rel, targets))
        return a.Op(ref, (above, below), NUMERIC) if above is not None and below is not None else None
    found = _sum(_part(g, rel, targets))
    if found is None:
        return None
    whole = cast_to_int8(found) if g.type == INT8 else found
    if name == "count" and zero and not ctx.holds("nothing-counts-zero", False):
        return a.Coalesce((whole, int8(0)), INT8)
    return whole


def _early_of(name: str, g: a.Aggregate) -> a.Aggregate | None:
    """Another aggregate of the same argument and filter."""
    kind = key_of(g.args[0].type)
    func = function(name, "any" if name == "count" else kind)
    type_ = INT8 if name == "count" or kind in {"int2", "int4"} else NUMERIC
    return None if func is None else replace(g, func=func, type=type_)


def _part(g: a.Aggregate, rel: int, targets: list[a.Target]) -> a.Column:
    at = next((i for i, t in enumerate(targets) if t.expr == g), None)
    if at is None:
        at = len(targets)
        targets.append(a.Target(f"v{at + 1}", g))
    return a.Column(rel, at, g.type, targets[at].name)


def _sum(column: a.Column) -> a.Aggregate | None:
    func = function("sum", key_of(column.type))
    return None if func is None else a.Aggregate(func, (column,), NUMERIC)


def decomposes(g: a.Aggregate) -> bool:
    if not g.func.is_builtin or g.distinct or order_sensitive(g) or any(has_subquery(p) for p in _inputs(g)):
        return False
    if g.func.name == "count":
        return True
    if len(g.args) != 1 or not g.args[0].type.is_builtin:
        return False
    type_ = g.args[0].type
    if g.func.name in {"sum", "avg"}:
        return type_.name in SUMMED
    exact = equality_is_identity(g.args[0].type) or (type_.name == "numeric" and type_.typmod >= 0)
    return g.func.name in {"min", "max"} and exact


def _inputs(g: a.Aggregate) -> list[a.Expr]:
    return [*g.args, *([g.filter] if g.filter is not None else [])]


def _cannot_fail(expr: a.Expr, ctx: Context) -> bool:
    """As `cannot_fail`, and arithmetic on numerics without division."""
    if isinstance(expr, a.Op) and expr.op.name in EXACT and expr.op.is_builtin:
        return all(x.type.name == "numeric" and _cannot_fail(x, ctx) for x in expr.args)
    return ctx.facts.cannot_fail(expr)


def _single(item: a.FromItem, keys: Sequence[a.Column], ctx: Context) -> bool:
    """Whether each group would be one row."""
    have = {k.pos for k in keys}
    return any(columns <= have for columns, _ in ctx.keys(item))


def aggregates(block: a.Select) -> list[a.Aggregate]:
    parts: list[Any] = [t.expr for t in block.targets] + [k.expr for k in block.order_by]
    parts += [block.having] if block.having is not None else []
    return list(dict.fromkeys(n for p in parts for n in walk_block(p) if isinstance(n, a.Aggregate)))


def outside(block: a.Select) -> list[Any]:
    """What stands outside aggregates."""

    def blank(n: Any) -> Any:
        if isinstance(n, QUERIES):
            return n
        return a.Const(None, n.type) if isinstance(n, a.Aggregate) else map_parts(n, blank)

    parts: list[Any] = [*block.targets, *block.order_by, *(block.group_by or ((),))[0]]
    return [blank(p) for p in (*parts, *([block.having] if block.having is not None else []))]
