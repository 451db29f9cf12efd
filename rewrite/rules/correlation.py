"""A correlated subquery taken apart: what is its own, what ties it to the outside, and how.

Shared by the rules that decorrelate. Must not know what they make of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Inner, Tie, take_apart
from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.build import derived, numbered
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    as_product,
    conjoin,
    copy_fresh,
    defined_rels,
    free_of_all,
    free_rels,
    from_rels,
    has_aggregate,
    has_subquery,
    map_kind,
    used_rels,
    walk_block,
)


def scalar_aggregates(select: a.Select) -> Iterator[tuple[a.Expr, a.ScalarSubquery, Inner]]:
    """(conjunct, subquery, its parts) for each correlated scalar aggregate in a block's WHERE."""
    # conjuncts of WHERE: elsewhere a subquery's NULL and FALSE are told apart
    for conjunct in as_product(select)[1]:
        for node in walk_block(conjunct):
            if not isinstance(node, a.ScalarSubquery):
                continue
            inner = aggregate_block(node.query)
            if inner is not None and inner.ties:
                yield conjunct, node, inner


def aggregate_block(query: a.Query) -> Inner | None:
    """The parts of a subquery that is one ungrouped aggregate over a correlated product."""
    # exactly GROUP BY (): one row, also over no rows
    if not isinstance(query, a.Select) or query.group_by != ((),) or len(query.targets) != 1:
        return None
    # HAVING may leave no row, LIMIT 0 and OFFSET 1 none either: NULL instead of the aggregate's value
    if query.having is not None or query.distinct is not None or query.limit is not None or query.ctes:
        return None
    if query.offset is not None or not has_aggregate(query.targets[0].expr) or may_differ(query):
        return None
    return take_apart(replace(query, order_by=()), beside=from_rels(query.from_))


@dataclass(frozen=True, slots=True)
class OnceAKey:
    """What a subquery says of the rows that are tied to it, computed for all keys at once: a grouped table,
    the conditions that tie it, and the columns that show its values.
    """

    query: a.Select
    item: a.Derived
    on: tuple[a.Expr, ...]
    values: tuple[a.Column, ...]


def once_a_key(
    inner: Inner, values: Sequence[a.Target], alias: str, ctx: Context, limits: Sequence[a.Expr] = ()
) -> OnceAKey:
    """``limits``: further conditions on the subquery's rows."""
    # two ties may read one inner column (`i.k = o.a AND i.k = o.b`), which is grouped by once
    keys = tuple(dict.fromkeys(t.key for t in inner.ties))
    where = conjoin((*limits, *inner.local))
    query = a.Select((*numbered("key", keys), *values), inner.items, where, (keys,))
    item, columns = derived(ctx.fresh(), alias, query)
    on = tuple(t.on_key(columns[keys.index(t.key)]) for t in inner.ties)
    return OnceAKey(query, item, on, tuple(columns[len(keys) :]))


def neighbourhood(
    select: a.Select, wanted: frozenset[int], skip: a.Expr, *, whole: bool
) -> tuple[list[a.FromItem], list[a.Expr]] | None:
    """The items of a block that define ``wanted`` (or all items) and the conjuncts over them alone.

    ``skip`` is left out. Dropping the other items only widens the set of rows (with duplicates), which
    is what a semi-join reduction may do.
    """
    items, preds = as_product(select)
    chosen = [i for i in items if whole or from_rels((i,)) & wanted]
    rels = from_rels(chosen)
    # an item that reads others (LATERAL) cannot be copied without them
    if not wanted <= rels or free_of_all(chosen):
        return None
    # volatile conditions would be asked twice, with another result: left out, which only widens
    own = [p for p in preds if p != skip and free_rels(p) & from_rels(items) <= rels]
    return chosen, [p for p in own if not may_differ(p)]


def reduction(
    select: a.Select, ties: Sequence[Tie], skip: a.Expr, ctx: Context, *, whole: bool
) -> a.Quantified | None:
    """``(inner keys) IN (SELECT outer keys FROM the outer items that hold them)``: a wider semi-join."""
    wanted = frozenset().union(*(used_rels(t.outer) for t in ties)) & from_rels(select.from_)
    # of two types (int4 = int8) the tie's operator may stand the wrong way round for IN
    if not wanted or any(used_rels(t.outer) - wanted for t in ties) or not all(t.symmetric for t in ties):
        return None
    near = neighbourhood(select, wanted, skip, whole=whole)
    # with no condition on the outer items all their keys would be asked for
    if near is None or not near[1]:
        return None
    items, preds = near
    # a FULL JOIN pads the items that hold the keys: a copy without its surroundings has other rows
    if any(isinstance(i, a.Join) and i.kind not in {"inner", "left"} for i in items):
        return None
    block = a.Select(
        targets=tuple(a.Target(f"k{i}", t.outer) for i, t in enumerate(ties)),
        from_=tuple(items),
        where=conjoin(preds),
    )
    # rels defined in both places would be numbered once for two
    if has_subquery(block) and frozenset(defined_rels(skip)) & frozenset(defined_rels(block)):
        return None
    copied, _ = copy_fresh(block, ctx.fresh)
    return a.Quantified("=", tuple(t.op.op for t in ties), tuple(t.inner for t in ties), copied)


def in_output(block: a.Select, values: Mapping[a.ScalarSubquery, a.Expr]) -> a.Select:
    """The block with something else in the place of subqueries in its targets, sort keys and DISTINCT."""
    output = replace(block, from_=(), where=None, group_by=None, having=None)
    made = map_kind(output, a.ScalarSubquery, lambda n: values.get(n, n))
    return replace(block, targets=made.targets, order_by=made.order_by, distinct=made.distinct)
