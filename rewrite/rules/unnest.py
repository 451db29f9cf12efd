"""Computes correlated subqueries once for all outer rows and joins the results, wherever the subqueries
stand.

    SELECT p.id, (SELECT coalesce(sum(l.qty), 0) FROM line l WHERE l.part = p.id) AS sold FROM part p
     WHERE (SELECT count(*) FROM line l WHERE l.part = p.id AND l.price > 9) > 2
    -->
    SELECT p.id, coalesce(agg.value1, 0) AS sold
      FROM part p LEFT JOIN (SELECT part, sum(qty) AS value1, count(*) FILTER (WHERE price > 9) AS value2 FROM
      line GROUP BY part) agg
           ON agg.part = p.id
     WHERE coalesce(agg.value2, 0) > 2

In the select list, WHERE, HAVING and ORDER BY, in aggregates, as LATERAL items of FROM, as [NOT] IN and
EXISTS over groups (EXISTS as a value: unnest_exists). Subqueries over one source are merged (subquery
coalescing, Bellamkonda et al. 2009). What is computed of aggregates is computed outside, so that no rows give
the same there. Where a condition refuses the value of no rows, the join is an inner one, and the table may be
computed for the keys of the outer rows only. Kim 1982; Galindo-Legaria and Joshi 2001; Neumann and Kemper,
"Unnesting Arbitrary Queries" (BTW 2015). Calcite: SubQueryRemoveRule, RelDecorrelator. Hazards 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.correlation import reduction
from rewright.rewrite.rules.grouped_below import grouped_below
from rewright.rewrite.rules.nested import Kind, Table, table
from rewright.rewrite.rules.spots import Group, Place, above_groups, groups
from rewright.sql import algebra as a
from rewright.sql.build import TRUE, derived, left_join, numbered
from rewright.sql.facts import null_on_empty, rejected_columns, rejects_null_of
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    free_rels,
    group_keys,
    map_kind,
    replace_item,
    replace_node,
    substitute,
    walk,
    walk_block,
)

_GUARDS = (
    "ties-only",
    "group-is-tied",
    "nothing-counts-zero",
    "null-is-rejected",
    "at-most-one-row",
    "one-row-is-taken",
)


@rule(
    SELECT.where(reads_tables),
    guards=_GUARDS,
    known_as="SubQueryRemoveRule; RelDecorrelator; subquery coalescing (Bellamkonda et al. 2009)",
    priority=90,
    category="join",
    # a subquery in a join's filter is priced once for each of the few rows that are expected there
    slack=10.0,
    not_after=frozenset({"per_parent", "loose_scan"}),
)
def unnest(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    late = above_groups(block)
    below = grouped_below(block, ctx) if any(free_rels(n) for n in late) else None
    if below is not None:
        yield from ways(below, ctx)
    # what is asked of groups is joined to groups; subqueries in aggregates, in conditions and in FROM to rows
    if below is None or any(p.node not in late for g in groups(block, ctx) for p in g.places):
        yield from ways(block, ctx)


def ways(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """All groups of subqueries at once, and each by itself."""
    found = groups(block, ctx)
    if len(found) > 1:
        made = _unnested(block, found, ctx)
        if made is not None:
            yield Rewrite(
                made, "all correlated subqueries are computed once for each key and joined", _basis(found)
            )
    for group in found:
        why = _why(group)
        for limit in _limits(block, group, ctx):
            made = _unnested(block, (group,), ctx, (limit,))
            if made is not None:
                yield Rewrite(made, f"{why}, only for keys of the outer rows", _basis((group,)))
        made = _unnested(block, (group,), ctx)
        if made is not None:
            yield Rewrite(made, why, _basis((group,)))


def _why(group: Group) -> str:
    number = len(group.places)
    one = (
        "a correlated subquery is"
        if number == 1
        else f"{number} correlated subqueries over the same rows are"
    )
    return f"{one} computed once for each key and joined"


def _basis(found: Sequence[Group]) -> frozenset[str]:
    return frozenset().union(*(g.nested.assumptions for g in found))


@rule(
    SELECT.where(reads_tables),
    known_as="SubQueryRemoveRule; subquery coalescing (Bellamkonda et al. 2009)",
    priority=40,
    category="join",
)
def as_lateral(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """Correlated aggregates as a LATERAL join, computed together for each row, where an index serves and the
    server can memoize.

        SELECT o.x, (SELECT max(i.x) FROM i WHERE i.k = o.k) FROM o WHERE o.x < (SELECT avg(i.x) FROM i WHERE
        i.k = o.k) -->
        SELECT o.x, l.v2 FROM o, LATERAL (SELECT avg(i.x) AS v1, max(i.x) AS v2 FROM i WHERE i.k = o.k) l
        WHERE o.x < l.v1

    An aggregate without GROUP BY gives exactly one row, so the cross join neither adds nor loses rows.
    Calcite: SubQueryRemoveRule (as LogicalCorrelate); subquery coalescing (Bellamkonda et al. 2009).
    """
    for group in groups(block, ctx, domain=False):
        found = group.nested
        if found.kind is not Kind.TOTAL or any(p.node is None for p in group.places):
            continue
        where = conjoin((*(t.op for t in found.ties), *found.others, *found.local))
        query = a.Select(numbered("value", found.values), found.items, where, ((),))
        item, columns = derived(ctx.fresh(), "once", copy_fresh(query, ctx.fresh)[0], lateral=True)
        made = _joined(block, group, Table(item, (), tuple(columns), tuple(columns)), inner=True)
        if made is not None:
            yield Rewrite(
                made,
                "correlated aggregates become a lateral join, whose results the server can remember by key",
            )


# --------------------------------------------------------------------------- joins


def _unnested(
    block: a.Select, found: Sequence[Group], ctx: Context, limits: Sequence[a.Expr] = ()
) -> a.Select | None:
    """The block with the tables of all its groups joined, or None if one of them cannot be."""
    for group in found:
        inner = _must_match(block, group, ctx)
        made = _joined(block, group, table(group.nested, ctx, limits), inner=inner)
        if made is None:
            return None
        block = made
    return block


def _must_match(block: a.Select, group: Group, ctx: Context) -> bool:
    """Whether an outer row counts only if at least one row is tied to it, so that an inner join does."""
    for place in group.places:
        if place.semijoin is not None:
            return True
        if place.lateral is not None:
            return place.join is None and (group.nested.kind is not Kind.TOTAL or _reads(block, group, place))
    if group.nested.kind is Kind.FIRST:
        return False  # the server sees that itself; of outer joins with first rows more is proved
    nodes = [p.node for p in group.places if p.node is not None and _is_null(group, p)]
    return ctx.holds("null-is-rejected", any(_rejects(p, nodes) for p in as_product(block)[1]))


def _reads(block: a.Select, group: Group, place: Place) -> bool:
    """Whether a condition refuses NULL in a column of a LATERAL item that is NULL
    where no row is tied to it.
    """
    assert place.lateral is not None
    refused = rejected_columns(conjoin(as_product(block)[1]))
    values = group.nested.values
    shown = enumerate(place.shown)
    return any((place.lateral.rel, i) in refused and null_on_empty(values[at]) for i, at in shown)


def _is_null(group: Group, place: Place) -> bool:
    """Whether the subquery is NULL where no row is tied to it."""
    return group.nested.kind is not Kind.TOTAL or null_on_empty(group.nested.values[place.shown[0]])


def _rejects(pred: a.Expr, nodes: Sequence[a.ScalarSubquery]) -> bool:
    """Whether a condition is not TRUE where all of these are NULL. They are NULL together, since one table
    answers them.
    """
    asked = [n for n in nodes if n in walk_block(pred)]
    for other in asked[1:]:
        pred = replace_node(pred, other, asked[0])
    return bool(asked) and rejects_null_of(pred, asked[0])


def _joined(block: a.Select, group: Group, known: Table, *, inner: bool) -> a.Select | None:
    first = group.places[0]
    if first.join is not None:
        return _padded(block, group, first.join, known)
    items, preds = as_product(block)
    left = [i for i in items if i is not first.lateral]
    if first.lateral is not None and (not left or first.lateral.rel in free_of_all(left)):
        return None
    gone = [p.semijoin for p in group.places if p.semijoin is not None]
    rest = [p for p in preds if p not in gone]
    if inner:
        made = replace(block, from_=(*left, known.item), where=conjoin((*rest, *known.on)))
        return _with_values(made, group, known.joined)
    made = replace(block, from_=left_join(left, known.item, conjoin(known.on)), where=conjoin(rest))
    return _with_values(made, group, known.values)


def _padded(block: a.Select, group: Group, join: a.Join, known: Table) -> a.Select | None:
    """Replace a LATERAL item on the right of a LEFT JOIN. If nothing of it is read, the join is dropped,
    since the item has at most one row.
    """
    lateral = join.right
    assert isinstance(lateral, a.Derived)
    own = [c for c in conjuncts(join.on) if c != TRUE]
    gone = replace(block, from_=tuple(replace_item(i, join, join.left) for i in block.from_))
    if not columns_used((gone,), (lateral.rel,)):
        return gone
    # where a further condition of the join fails, a count has to be NULL, not the 0 of a missing group
    if own and group.nested.kind is Kind.TOTAL:
        return None
    joined = replace(join, right=known.item, on=conjoin((*known.on, *own)))
    made = replace(block, from_=tuple(replace_item(i, join, joined) for i in block.from_))
    return _with_values(made, group, known.values)


def _with_values(block: a.Select, group: Group, values: Sequence[a.Expr]) -> a.Select:
    """The block reading the joined table wherever it asked a subquery."""
    nodes: dict[a.ScalarSubquery, a.Expr] = {}
    columns: dict[tuple[int, int], a.Expr] = {}
    for place in group.places:
        if place.node is not None:
            nodes[place.node] = values[place.shown[0]]
        elif place.lateral is not None:
            columns |= {(place.lateral.rel, i): values[at] for i, at in enumerate(place.shown)}
    # above the grouping only keys may be read, so the joined columns become keys
    asked = [nodes[n] for n in above_groups(block) if n in nodes]
    keys = [c for value in asked for c in walk_block(value) if isinstance(c, a.Column)]
    made: a.Select = substitute(map_kind(block, a.ScalarSubquery, lambda n: nodes.get(n, n)), columns)
    for place in group.places:
        if place.node is not None and place.deep:
            made = replace_node(made, place.node, nodes[place.node])
    if not keys:
        return made
    return replace(made, group_by=(tuple(dict.fromkeys((*group_keys(made), *keys))),))


# --------------------------------------------------------------------------- fewer keys


def _limits(block: a.Select, group: Group, ctx: Context) -> Iterator[a.Expr]:
    """Semi-joins that restrict the table to the keys of outer rows: with the outer items that hold the keys,
    and with all outer items. Yields nothing where other keys count as well.
    """
    nodes = [p.node for p in group.places]
    if None in nodes or group.nested.over_domain or not _must_match(block, group, ctx):
        return
    items, preds = as_product(block)
    rest = [p for p in preds if not any(n in nodes for n in walk(p))]
    around = replace(block, from_=tuple(items), where=conjoin(rest))
    seen = set()
    for whole in (False, True):
        limit = reduction(around, group.nested.ties, TRUE, ctx, whole=whole)
        if limit is not None and isinstance(limit.query, a.Select) and len(limit.query.from_) not in seen:
            seen.add(len(limit.query.from_))
            yield limit
