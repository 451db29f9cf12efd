"""Aggregates taken of small groups early, and put together of these: below joins, in the arms of UNION ALL,
by what DISTINCT counts.

The rules differ in where the grouping below stands and by what it groups; `TwoSteps` does the rest. Equal
keys must be the same value, as one row stands for all that are equal. Hazards 6a-6e, 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import (
    SELECT,
    Context,
    Rewrite,
    aggregated,
    grouped,
    no_windows,
    one_source,
    rule,
    stable,
)
from rewright.rewrite.rules.join_sides import decide_rows, is_local, keys_of, sides_of
from rewright.rewrite.rules.naming import all_named
from rewright.rewrite.rules.partial import WEIGHABLE, TwoSteps, aggregates, decomposes, inputs, outside
from rewright.sql import algebra as a
from rewright.sql.build import null, union_all
from rewright.sql.facts import order_sensitive
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import (
    arms_of,
    as_product,
    columns_used,
    conjoin,
    free_of_all,
    from_rels,
    group_keys,
    has_subquery,
    is_lateral,
    references_whole,
    renumber,
    replace_node,
    substitute,
)

# more keys make groups of about one row, and their hashing is dear
MOST_KEYS = 4
# an arm is a whole block: of many small ones the early groupings cost more than the rows
MOST_ARMS = 6
_IGNORING_DUPLICATES = frozenset({"count", "sum", "min", "max"})


# --------------------------------------------------------------------------- below joins


@rule(
    SELECT.where(aggregated, stable),
    guards=("arguments-cannot-fail", "nothing-counts-zero"),
    known_as="AggregateJoinTransposeRule; eager group-by (Yan and Larson 1995)",
    priority=64,
    category="join",
)
def eager_group(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """Aggregates over one side of inner joins are computed once per join key before the joins, then summed
    up.

        SELECT c.state, sum(s.amount) FROM sale s JOIN cust c ON c.id = s.cust GROUP BY c.state
        -->
        SELECT c.state, sum(p.v1) FROM (SELECT cust AS k1, sum(amount) AS v1 FROM sale GROUP BY cust) p
          JOIN cust c ON c.id = p.k1 GROUP BY c.state

    Everything else of that side that the block uses is a key of the early grouping. The other sides stay as
    they are; their rows are met once a group now, so that they are counted and summed up by weight.

        SELECT c.state, sum(o.total), sum(s.amount) FROM cust c JOIN ord o ON o.cust = c.id JOIN sale s
          ON s.cust = c.id GROUP BY c.state
        -->
        SELECT c.state, sum(o.total * p.n), sum(p.v1) FROM cust c JOIN ord o ON o.cust = c.id
          JOIN (SELECT cust AS k1, sum(amount) AS v1, count(*) AS n FROM sale GROUP BY cust) p ON p.k1 = c.id
          GROUP BY c.state

    What a LATERAL item reads of a row is a key, too. A side may be several tables, as long as those that are
    joined to it bring no more keys: lines with their orders are grouped by the customer. Above there may be
    several grouping sets (CUBE, ROLLUP).

    Calcite: AggregateJoinTransposeRule. Known as eager group-by (Yan and Larson 1995).
    """
    found = aggregates(block)
    if not found or not all(decomposes(g) for g in found):
        return
    items, preds = as_product(block)
    if len(items) < 2:
        return
    # what a LATERAL item reads of a row is a key: it is computed for each group then
    read = [*outside(block), *(i for i in items if is_lateral(i))]
    seen: set[frozenset[int]] = set()
    for side in (s for item in items for s in sides_of(read, items, preds, item)):
        rels = from_rels(side)
        if rels not in seen and all(_goes_with(g, rels) for g in found):
            made = _below_joins(block, items, preds, side, found, read, ctx)
            if made is not None:
                verb = "is" if len(side) == 1 else "are"
                yield Rewrite(made, f"{all_named(side)} {verb} aggregated for each join key before the joins")
        seen.add(rels)


def _goes_with(g: a.Aggregate, rels: frozenset[int]) -> bool:
    """Whether an aggregate is of some tables alone, or of others and can be weighted."""
    used = free_of_all(inputs(g))
    return used <= rels or (not used & rels and g.func.name in WEIGHABLE)


def _below_joins(
    block: a.Select,
    items: Sequence[a.FromItem],
    preds: Sequence[a.Expr],
    side: Sequence[a.FromItem],
    found: Sequence[a.Aggregate],
    read: Sequence[a.Node],
    ctx: Context,
) -> a.Select | None:
    rels = from_rels(side)
    local = [p for p in preds if is_local(p, rels)]
    rest = [p for p in preds if p not in local]
    computed = _computed_keys(block, read, preds, rels, ctx)
    columns = keys_of(_without(read, computed), preds, rels)
    keys = [*columns, *computed]
    # a group shows one of its equal keys: 1.0 and 1.00 would become one in the join's output
    if not 1 <= len(keys) <= MOST_KEYS or not ctx.alike(keys, side):
        return None
    if decide_rows(columns, side, local, ctx) or any(references_whole(block, rel) for rel in rels):
        return None
    # arguments are computed for rows, too, that the joins would have taken away
    own = [g for g in found if free_of_all(inputs(g)) <= rels]
    safe = all(_cannot_fail(p, ctx) for p in (*(p for g in own for p in inputs(g)), *local))
    if not ctx.holds("arguments-cannot-fail", safe):
        return None
    steps = TwoSteps(ctx.fresh(), keys)
    # GROUP BY () counts nothing as 0, whereas a sum of counts over nothing is NULL
    if not steps.split(own, ctx, zero=() in (block.group_by or ())):
        return None
    if not steps.weigh([g for g in found if g not in own], items):
        return None
    early = a.Derived(steps.rel, steps.below(tuple(side), conjoin(local)), "early", steps.names)
    for key in computed:
        block = replace_node(block, key, steps.part(key))
    # conditions and the other items read the keys from the grouping, whose own inside stays as it is
    place = next(i for i in items if i in side)
    others = (i for i in items if i is place or i not in side)
    from_ = tuple(early if i is place else substitute(i, steps.moved) for i in others)
    return replace(steps.above(replace(block, from_=(), where=conjoin(rest))), from_=from_)


def _computed_keys(
    block: a.Select, read: Sequence[a.Node], preds: Sequence[a.Expr], rels: frozenset[int], ctx: Context
) -> list[a.Expr]:
    """Keys of the block that are computed of a side's columns, which nothing else asks for: rows of a year
    are one group where those of a day would be many.
    """
    own = (k for k in group_keys(block) if not isinstance(k, a.Column) and is_local(k, rels))
    # computed for rows, too, that the joins would have taken away
    found = [k for k in dict.fromkeys(own) if _cannot_fail(k, ctx)]
    left = keys_of(_without(read, found), preds, rels)
    # of a column that is read by itself, too, the groups are those of its values
    return [k for k in found if not any(c in left for c in columns_used((k,), rels))]


def _without(read: Sequence[a.Node], keys: Sequence[a.Expr]) -> list[a.Node]:
    """What is read beside some keys."""
    for key in keys:
        read = [replace_node(node, key, null(key.type)) for node in read]
    return [*read]


def _cannot_fail(expr: a.Expr, ctx: Context) -> bool:
    """But for numbers that leave their type's range: what the proof says of these (`overflow`) is for whoever
    serves it to judge.
    """
    return not ctx.facts.errors(expr) - OVERFLOW


# --------------------------------------------------------------------------- in the arms of UNION ALL


@rule(
    SELECT.where(grouped, one_source, no_windows, stable), known_as="AggregateUnionTransposeRule", priority=62
)
def union_aggregate(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """An aggregate over UNION ALL is taken of each arm, and the arms' few rows are summed up.

    SELECT u.part, sum(u.qty) FROM (SELECT part, qty FROM sale UNION ALL SELECT part, qty FROM line) u GROUP
    BY u.part -->
    SELECT u.k1, sum(u.v2) FROM (SELECT part AS k1, sum(qty) AS v2 FROM sale GROUP BY part UNION ALL
                                 SELECT part, sum(qty) FROM line GROUP BY part) u GROUP BY u.k1

    Calcite: AggregateUnionTransposeRule.
    """
    (item,) = block.from_
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        return
    union, found = item.query, aggregates(block)
    # LIMIT or a CTE of the UNION stands above the arms: they see it together
    if union.limit is not None or union.offset is not None or union.ctes:
        return
    arms = arms_of(union)
    if not 2 <= len(arms) <= MOST_ARMS or not found or not all(decomposes(g) for g in found):
        return
    keys = columns_used(outside(block), (item.rel,))
    # a group by constants alone has no row over no rows
    if references_whole(block, item.rel) or (not keys and block.group_by != ((),)):
        return
    # the condition is copied, its subqueries would be too
    if block.where is not None and has_subquery(block.where):
        return
    # arms that are grouped are few rows each: nothing to be saved
    grouped_already = any(isinstance(x, a.Select) and x.group_by is not None for x in arms)
    if grouped_already or not ctx.alike(keys, (item,)):
        return
    steps = TwoSteps(ctx.fresh(), keys)
    if not steps.split(found, ctx):
        return
    early = (steps.below((replace(item, query=arm),), block.where) for arm in arms)
    # the arms' columns have to be numbered apart from those of the union
    union = union_all([renumber(part, {item.rel: ctx.fresh()}) for part in early])
    late = steps.above(replace(block, from_=(), where=None))
    made = replace(late, from_=(a.Derived(steps.rel, union, item.alias, steps.names),))
    yield Rewrite(made, "each arm of UNION ALL is aggregated by itself first")


# --------------------------------------------------------------------------- by what DISTINCT counts


@rule(
    SELECT.where(grouped, no_windows, stable),
    guards=("one-subject",),
    known_as="AggregateExpandDistinctAggregatesRule",
    priority=46,
)
def distinct_aggregate(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """count(DISTINCT x) is taken of groups by x: hashed once, where DISTINCT inside an aggregate sorts.

        SELECT s.part, count(DISTINCT s.cust), sum(s.amount) FROM sale s GROUP BY s.part
        -->
        SELECT g.k1, count(g.x), sum(g.v1) FROM (SELECT part AS k1, cust AS x, sum(amount) AS v1 FROM sale
        GROUP BY part, cust) g
          GROUP BY g.k1

    All DISTINCT aggregates of the block have the same argument; the others can be put together from groups.

    Calcite: AggregateExpandDistinctAggregatesRule.
    """
    found, own = aggregates(block), from_rels(block.from_)
    distinct = [g for g in found if g.distinct]
    # array_agg(DISTINCT x) wants its order too
    if not distinct or not all(_ignores_duplicates(g) for g in distinct):
        return
    if any(references_whole(block, rel) for rel in own):
        return
    keys, subject = group_keys(block), distinct[0].args[0]
    if not ctx.holds("one-subject", all(g.args == (subject,) for g in distinct)) or subject in keys:
        return
    if not all(isinstance(k, a.Column) for k in keys) or not ctx.alike(keys, block.from_):
        return
    # of equal values another one may be shown, but counts stay
    if not ctx.alike((subject,), block.from_) and any(g.func.name != "count" for g in distinct):
        return
    if not all(decomposes(g) for g in found if not g.distinct):
        return
    steps = TwoSteps(ctx.fresh(), keys)
    shown = steps.part(subject, "x")
    steps.values |= {g: replace(g, distinct=False, args=(shown,)) for g in distinct}
    # over no rows the outer count of groups is 0 as it should be, a sum of counts NULL
    if not steps.split([g for g in found if not g.distinct], ctx, zero=block.group_by == ((),)):
        return
    # grouped by the subject too, each value is one row: count needs no DISTINCT any more
    inner = replace(steps.below(block.from_, block.where), group_by=((*keys, subject),))
    above = steps.above(replace(block, from_=(), where=None))
    # something else of the tables may be shown, by a key's dependency
    if not columns_used((above,), own):
        made = replace(above, from_=(a.Derived(steps.rel, inner, "grouped", steps.names),))
        yield Rewrite(made, "rows are grouped by what is counted first")


def _ignores_duplicates(g: a.Aggregate) -> bool:
    """A filtered one counts only some of a group's rows."""
    plain = len(g.args) == 1 and g.filter is None and not order_sensitive(g)
    return plain and g.func.is_builtin and g.func.name in _IGNORING_DUPLICATES
