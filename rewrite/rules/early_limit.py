"""LIMIT is applied to the rows it chooses among before tables that only add to them are joined.

    SELECT o.id, c.name FROM ord o LEFT JOIN cust c ON c.id = o.cust ORDER BY o.total DESC LIMIT 10
    -->
    SELECT o.id, c.name FROM (SELECT * FROM ord o ORDER BY o.total DESC LIMIT 10) o LEFT JOIN cust c ON c.id =
    o.cust ORDER BY o.total DESC LIMIT 10

Below LEFT JOINs every row stays at least once, and below the join with the parent of a foreign key exactly
once; the order must be the kept side's. Groups that have rows of one kept row each are chosen with it: the
page of an annotated list. For UNION ALL each arm is cut by itself. With OFFSET the early cut
keeps as many rows as both together. Which of equal rows come is free as before. Calcite:
SortJoinTransposeRule; SortUnionTransposeRule. Hazards 7b, M9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.equivalence.laws.limits import (
    below_left_joins,
    is_page_of_groups,
    is_total,
    looked_at,
    only_cuts,
    order_in,
)
from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.rewrite.rules.drop_parent import Link, links
from rewright.sql import algebra as a
from rewright.sql.build import derived, moved_to, numbered
from rewright.sql.facts import ROW, labels, may_differ
from rewright.sql.types import INT8
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    from_rels,
    group_keys,
    has_aggregate,
    has_subquery,
    left_spine,
    outer_exprs,
    parts,
    references_whole,
    replace_item,
    returns_set,
    substitute,
    substitute_around,
)


@rule(
    QUERY,
    guards=(
        "ordered-by-the-kept",
        "filtered-on-the-kept",
        "partner-is-there",
        "group-is-a-row",
        "no-duplicates-go",
        "totals-of-the-kept",
    ),
    known_as="SortJoinTransposeRule; SortUnionTransposeRule",
    priority=76,
)
def early_limit(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    match block:
        case a.Select():
            yield from _joins(block, ctx)
            yield from _groups(block, ctx)
        case a.SetOp():
            yield from _arms(block, ctx)
        case _:
            return


# --------------------------------------------------------------------------- joins


def _joins(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # without ORDER BY any rows do: a LIMIT below and above would be no better than above alone
    if block.limit is None or not block.order_by or not only_cuts(block, totals=True):
        return
    top = _top(block)
    ordered = frozenset().union(*(free_rels(k.expr) for k in block.order_by)) & from_rels(block.from_)
    # ordered by constants alone every row ties: nothing chooses
    if top is None or not ordered:
        return
    totals = tuple(t.expr for t in block.targets if is_total(t.expr))
    for kept, rest, preds, basis in _splits(block, ctx):
        if isinstance(kept, a.Derived) and kept.query.limit == top:
            continue  # that is what this rule made
        rels = from_rels((kept,))
        # an order by the other table's columns is not known before it is joined
        if not ctx.holds("ordered-by-the-kept", ordered <= rels):
            continue
        # a filter on the joined table would leave fewer rows than LIMIT asks for
        if not ctx.holds(
            "filtered-on-the-kept", all(free_rels(p) & from_rels(block.from_) <= rels for p in preds)
        ):
            continue
        if any(references_whole(block, r) for r in rels) or not rest:
            continue
        # count(*) OVER () of a page: below the cut it must count the rows that it counted above
        once = _counted_once(block, kept, totals, ctx) if totals else frozenset[str]()
        if not ctx.holds("totals-of-the-kept", once is not None):
            continue
        yield Rewrite(
            _cut(block, kept, rest, preds, top, ctx),
            "LIMIT chooses its rows before the other tables are joined",
            basis | (once or frozenset()),
        )


def _counted_once(
    block: a.Select, kept: a.FromItem, totals: Sequence[a.Expr], ctx: Context
) -> frozenset[str] | None:
    """The constraints by which no row of ``kept`` is among the block's rows twice; None where that is not
    known, or totals read something else.
    """
    rels = from_rels((kept,))
    if any(not free_rels(t) & from_rels(block.from_) <= rels for t in totals):
        return None
    # ROW stands for the row itself: does it decide the whole joined row, is there one of it
    basis = ctx.facts.determines_rows(block, ((r, ROW) for r in rels))
    return None if basis is None else labels(basis)


def _groups(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """The first of groups that are a kept row each."""
    if block.limit is None or not block.order_by or not is_page_of_groups(block):
        return
    top = _top(block)
    ordered = frozenset().union(*(free_rels(k.expr) for k in block.order_by)) & from_rels(block.from_)
    items, preds = below_left_joins(block)
    for kept in items if top is not None and ordered else ():
        # one table alone has nothing that is joined later
        others = len(items) > 1 or items != list(block.from_)
        if not isinstance(kept, a.Scan) or references_whole(block, kept.rel) or not others:
            continue
        # `ORDER BY count(*)` needs all groups
        if not ctx.holds("ordered-by-the-kept", ordered <= {kept.rel}) or _aggregates(block.order_by):
            continue
        # a group of several kept rows is cut apart by LIMIT
        if not ctx.holds("group-is-a-row", _is_told_by_keys(block, kept, ctx)):
            continue
        found = _parents(kept, items, preds, ctx)
        if found is None:
            continue
        ties, basis = found
        own = [p for p in preds if p not in ties]
        # conditions within the tree stay there: only those of WHERE choose
        where = conjuncts(block.where)
        chooses = all(p in where and free_rels(p) & from_rels(block.from_) <= {kept.rel} for p in own)
        if not ctx.holds("filtered-on-the-kept", chooses):
            continue
        assert top is not None
        made = _cut(block, kept, block.from_, own, top, ctx)
        yield Rewrite(
            _with_keys(made, from_rels(block.from_)),
            "LIMIT chooses the rows that are a group each before they are joined",
            basis,
        )


def _is_told_by_keys(block: a.Select, kept: a.Scan, ctx: Context) -> bool:
    keys = {(k.rel, k.pos) for k in group_keys(block) if isinstance(k, a.Column)}
    return any({(kept.rel, pos) for pos in columns} <= keys for columns, _ in ctx.keys(kept))


def _aggregates(order: Sequence[a.SortKey]) -> bool:
    # a subquery as sort key may read what is joined
    return any(has_aggregate(k.expr) or has_subquery(k.expr) for k in order)


def _with_keys(block: a.Select, before: frozenset[int]) -> a.Select:
    """The block grouped by the chosen rows' columns as well, which a table's key decides and a derived
    table's does not. ``before``: the items of FROM before the rows were chosen.
    """
    chosen = from_rels(block.from_) - before
    read = [n for e in outer_exprs(block) for n in _outside_aggregates(e)]
    more = [n for n in dict.fromkeys(read) if isinstance(n, a.Column) and n.rel in chosen]
    keys = group_keys(block)
    return replace(block, group_by=((*keys, *(n for n in more if n not in keys)),))


def _outside_aggregates(node: a.Node) -> Iterator[a.Node]:
    # inside an aggregate columns need not be keys
    yield node
    if not isinstance(node, a.Aggregate):
        for part in parts(node):
            yield from _outside_aggregates(part)


def _top(query: a.Query) -> a.Expr | None:
    """How many rows are needed; None where that would have to be computed."""
    # LIMIT $1 is not known here, but may be said twice; with OFFSET the sum would be needed
    if isinstance(query.limit, a.Param) and query.offset is None:
        return query.limit
    number = looked_at(query)
    return None if number is None else a.Const(str(number), INT8)


_Split = tuple[a.FromItem, list[a.FromItem], list[a.Expr], frozenset[str]]


def _splits(block: a.Select, ctx: Context) -> Iterator[_Split]:
    """Ways to see FROM as a kept item and others that only add to it: (kept, FROM without it in place,
    conditions on the kept, constraints). FROM holds the kept item itself where it is to be replaced.
    """
    if len(block.from_) == 1:
        (item,) = block.from_
        kept, joins = left_spine(item)
        # LEFT JOINs keep each row of their left end, so any number of them may follow
        if joins:
            # FROM itself holds the kept item: it is replaced in place
            yield kept, [item], list(_conditions(block)), frozenset()
    items, preds = as_product(block)
    if len(items) < 2:
        return
    # inner joins keep each row only if every other item is its parent, or that one's
    for item in items:
        found = _parents(item, items, preds, ctx)
        if found is not None:
            ties, basis = found
            yield item, items, [p for p in preds if p not in ties], basis


def _conditions(block: a.Select) -> Sequence[a.Expr]:
    return as_product(replace(block, from_=()))[1]


def _parents(
    item: a.FromItem, items: Sequence[a.FromItem], preds: Sequence[a.Expr], ctx: Context
) -> tuple[list[a.Expr], frozenset[str]] | None:
    """Whether each other item is the one parent of ``item``, or of a parent of it:
    the ties and constraints.
    """
    found: list[a.FromItem] = [item]
    ties: list[a.Expr] = []
    basis: frozenset[str] = frozenset()
    while len(found) < len(items):
        link = next(
            (x for child in found for x in links(child, items, preds, ctx) if x.parent not in found), None
        )
        if link is None or not ctx.holds("partner-is-there", _filled(link, ctx)):
            return None
        found.append(link.parent)
        ties += link.ties
        basis |= {link.name}
    return ties, basis


def _filled(link: Link, ctx: Context) -> bool:
    return all(ctx.column_filled(link.child, pos) for pos in link.columns)


def _cut(
    block: a.Select,
    kept: a.FromItem,
    rest: Sequence[a.FromItem],
    preds: Sequence[a.Expr],
    top: a.Expr,
    ctx: Context,
) -> a.Select:
    """The block over the first rows of ``kept``, which are a derived table with the columns that are used."""
    rels = from_rels((kept,))
    # what is no condition of the kept side stays above, together with the ties
    ties = [p for p in as_product(block)[1] if p not in preds]
    # with nothing in its place, so that its own columns are not counted as used
    nothing = a.ValuesScan(-1, (), "", ())
    # totals move below the cut with the rows that they count
    totals = [t.expr for t in block.targets if is_total(t.expr)]
    bare = replace(
        block,
        targets=tuple(t for t in block.targets if t.expr not in totals),
        from_=tuple(replace_item(i, kept, nothing) for i in rest),
        where=None,
        # its columns are looked for in the ties below
    )
    needed = columns_used((bare, *block.order_by, *ties), rels)
    where, order = conjoin(preds), block.order_by
    inner = a.Select(numbered("c", [*needed, *totals]), (kept,), where, order_by=order, limit=top)
    first, columns = derived(ctx.fresh(), "first", inner)
    mapping = moved_to(needed, columns)
    moved = dict(zip(totals, columns[len(needed) :], strict=True))
    targets = tuple(replace(t, expr=moved.get(t.expr, t.expr)) for t in block.targets)
    outer = substitute(replace(block, targets=targets, from_=(), where=conjoin(ties)), mapping)
    placed = (replace_item(i, kept, first) for i in rest)
    return replace(outer, from_=tuple(substitute_around(i, first, mapping) for i in placed))


# --------------------------------------------------------------------------- UNION ALL


def _arms(block: a.SetOp, ctx: Context) -> Iterator[Rewrite]:
    top = _top(block)
    # UNION without ALL drops duplicates after the cut; WITH TIES may need more rows of an arm
    if block.op != "union" or not ctx.holds("no-duplicates-go", block.all) or block.with_ties or top is None:
        return
    made = _cut_arms(block, block, top, ctx)
    if made != block:
        yield Rewrite(made, "each arm of UNION ALL is cut to what LIMIT may choose")


def _cut_arms(block: a.SetOp, whole: a.SetOp, top: a.Expr, ctx: Context) -> a.SetOp:
    left, right = (_cut_arm(x, whole, top, ctx) for x in (block.left, block.right))
    return replace(block, left=left, right=right)


def _cut_arm(arm: a.Query, whole: a.SetOp, top: a.Expr, ctx: Context) -> a.Query:
    # an arm with a LIMIT of its own chooses from its own order first
    if arm.limit is not None or arm.offset is not None or may_differ(arm):
        return arm
    if isinstance(arm, a.SetOp):
        # an arm's own order or CTEs are in the way of taking its arms as the whole's
        nested = arm.op == "union" and arm.all and not arm.order_by and not arm.ctes
        return _cut_arms(arm, whole, top, ctx) if nested else arm
    # DISTINCT ON needs its own order; sets in the list are cut after they are spread
    if not isinstance(arm, a.Select) or arm.distinct or any(returns_set(t.expr) for t in arm.targets):
        return arm
    order = order_in(arm, whole)
    # sorted under a collation of its own, the arm would be cut to other rows
    return arm if order is None else replace(arm, order_by=order, limit=top)
