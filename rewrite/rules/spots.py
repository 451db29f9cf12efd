"""Where a block asks correlated subqueries, and which of them read the same rows.

Owns finding them in expressions, in FROM and among the conditions, and merging those over one source: what
only one of them asks for becomes FILTER. Must not know what they are replaced with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.rewrite.rules.base import Context
from rewright.rewrite.rules.domain import over_domain
from rewright.rewrite.rules.nested import Kind, Nested, nested
from rewright.sql import algebra as a
from rewright.sql.build import of_rows
from rewright.sql.facts import may_differ, null_on_empty
from rewright.sql.walk import (
    as_product,
    block_exprs,
    canonical,
    conjoin,
    conjuncts,
    defined_rels,
    free_rels,
    from_rels,
    from_tree,
    group_keys,
    outer_exprs,
    parts,
    references_whole,
    renumber,
    unpadded_tree,
    walk,
    walk_block,
)

_ASKING = a.Exists | a.Quantified | a.ScalarSubquery


@dataclass(frozen=True, slots=True)
class Place:
    """One subquery and where it stands: as a value (``node``; ``deep`` within another subquery), as an item
    of FROM (``lateral``; ``join`` is the LEFT JOIN that pads it), or as a condition (``semijoin``).
    ``shown``: the positions of its outputs among those of its group.
    """

    query: a.Query
    node: a.ScalarSubquery | None = None
    deep: bool = False
    lateral: a.Derived | None = None
    join: a.Join | None = None
    semijoin: a.Expr | None = None
    shown: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Subqueries that one table answers."""

    nested: Nested
    places: tuple[Place, ...]


def groups(block: a.Select, ctx: Context, *, domain: bool = True) -> tuple[Group, ...]:
    """The correlated subqueries of a block, grouped by the rows that they read. ``domain``: subqueries that
    are correlated by more than equalities are tied by keys (`over_domain`); otherwise they are left as they
    are.
    """
    if may_differ(replace(block, from_=())):
        return ()
    merged: dict[Any, list[tuple[Place, Nested]]] = {}
    models: dict[Any, Nested] = {}
    for number, place in enumerate(_places(block)):
        found = nested(place.query, ctx)
        if found is None or (place.semijoin is not None and found.kind is not Kind.GROUP):
            continue
        if place.lateral is not None and found.kind is Kind.ROW:
            continue  # the server joins these by itself
        if place.lateral is not None and not _always_a_row(place.query):
            # as a value it is NULL where there are no rows; here it has no row, then
            found = replace(found, kind=Kind.GROUP) if found.kind is Kind.TOTAL else found
        # only values over tables and views are merged; others have a table of their own
        alone = place.node is None or not all(_is_source(i) for i in found.items)
        if found.kind is not Kind.ROW and domain and not ctx.holds("ties-only", not found.others):
            through = over_domain(found, block, ctx)
            if through is None:
                continue
            found, alone = through, True
        label: Any = number if alone else tuple(sorted(_label(i) for i in found.items))
        aligned = found if alone else _aligned(found, models.setdefault(label, found))
        merged.setdefault((label, *_sameness(aligned)), []).append((place, aligned))
    return tuple(_group(members) for members in merged.values())


def above_groups(block: a.Select) -> list[a.ScalarSubquery]:
    """Subqueries that are asked once a group: neither in aggregates nor in what is grouped by."""
    keys = {k for one in block.group_by or () for k in one}
    found: list[a.ScalarSubquery] = []

    def visit(n: a.Node) -> None:
        # what is grouped by is computed of rows, before there are groups
        if n in keys or isinstance(n, a.Aggregate):
            return
        if isinstance(n, a.ScalarSubquery):
            found.append(n)
        else:
            # a query within is another block, asked elsewhere
            for part in () if isinstance(n, a.Select | a.SetOp | a.Values) else parts(n):
                visit(part)

    for expr in outer_exprs(block) if block.group_by is not None else ():
        visit(expr)
    return found


# --------------------------------------------------------------------------- places


def _places(block: a.Select) -> Iterator[Place]:
    mine = from_rels(block.from_)
    late = above_groups(block)
    nodes = [n for e in _own_exprs(block) for n in walk_block(e) if isinstance(n, a.ScalarSubquery)]
    for node in dict.fromkeys(nodes):
        if free_rels(node.query) & mine and (node not in late or group_keys(block)):
            yield Place(node.query, node=node)
    for node in _further_down(block, mine):
        yield Place(node.query, node=node, deep=True)
    for item in as_product(block)[0]:
        if isinstance(item, a.Derived) and _is_open(item, block):
            yield Place(item.query, lateral=item)
        for join in _padding(item):
            right = join.right
            inside = free_rels(right) <= from_rels((join.left,))
            if inside and isinstance(right, a.Derived) and _is_open(right, block):
                yield Place(right.query, lateral=right, join=join)
    for pred in as_product(block)[1]:
        query = _asked(pred)
        if query is not None and free_rels(query) & mine:
            yield Place(query, semijoin=pred)


def _padding(item: a.FromItem) -> Iterator[a.Join]:
    """LEFT JOINs of a subquery that has nothing but NULLs for a row that other joins pad: a count has not."""
    kept = {id(i) for i in unpadded_tree(item)}
    for join in from_tree(item):
        if isinstance(join, a.Join) and join.kind == "left" and isinstance(join.right, a.Derived):
            query = join.right.query
            # without a row for no rows, it has none for NULLs
            shown = query.targets if isinstance(query, a.Select) and _always_a_row(query) else ()
            if id(join) in kept or all(null_on_empty(t.expr) for t in shown):
                yield join


def _further_down(block: a.Select, mine: frozenset[int]) -> list[a.ScalarSubquery]:
    """Subqueries within others of the conditions (without groups: of the select list, too) that ask nothing
    of the rows in between: they have one value for each row of the block, whatever row of the subquery
    around them asks.
    """
    found: list[a.ScalarSubquery] = []
    exprs = _own_exprs(block) if block.group_by is None else as_product(block)[1]
    asked = (n for x in exprs for n in walk_block(x) if isinstance(n, _ASKING))
    for around in asked:
        between = frozenset(defined_rels(around.query))
        below: list[a.Node] = [around.query]
        while below:
            node = below.pop()
            own = isinstance(node, a.ScalarSubquery) and _is_above(node, between)
            if isinstance(node, a.ScalarSubquery) and own and free_rels(node) & mine:
                found.append(node)
            else:
                below += parts(node)
    return list(dict.fromkeys(found))


def _is_above(node: a.Node, between: frozenset[int]) -> bool:
    """Whether a subquery may stand above what defines these."""
    own = {n.cte for n in walk(node) if isinstance(n, a.Cte)}
    # a CTE of the query in between is not in scope further up
    shared = any(isinstance(n, a.CteScan) and n.cte not in own for n in walk(node))
    return not shared and not free_rels(node) & between


def _own_exprs(block: a.Select) -> list[a.Expr]:
    """What is evaluated on rows or groups of the block; conditions of outer joins are not."""
    without = replace(block, from_=(), where=None, ctes=())
    return [*block_exprs(without), *as_product(block)[1]]


def _always_a_row(query: a.Query) -> bool:
    return isinstance(query, a.Select) and query.group_by == ((),)


def _is_open(item: a.Derived, block: a.Select) -> bool:
    open_ = bool(free_rels(item.query)) and item.lateral and not item.security_barrier
    return open_ and not references_whole(block, item.rel)


def _asked(pred: a.Expr) -> a.Query | None:
    """What EXISTS or IN asks of groups, as a query that is tied to all that it compares; None where it asks
    no groups.
    """
    if not isinstance(pred, a.Exists | a.Quantified) or not isinstance(pred.query, a.Select):
        return None
    query = pred.query
    keys = group_keys(query)
    if not keys or query.limit is not None or query.offset is not None or query.distinct is not None:
        return None
    ties: tuple[a.Expr, ...] = ()
    if isinstance(pred, a.Quantified):
        targets = [t.expr for t in query.targets]
        if pred.kind != "=" or pred.all or not all(t in keys for t in targets):
            return None
        ties = tuple(a.Op(o, (x, t), pred.type) for o, x, t in zip(pred.ops, pred.left, targets, strict=True))
    return replace(query, targets=(), order_by=(), where=conjoin((*conjuncts(query.where), *ties)))


# --------------------------------------------------------------------------- merging


def _is_source(item: a.FromItem) -> bool:
    """Whether a copy of an item has the same rows: a table, a CTE, or a subquery or view over such."""
    if isinstance(item, a.Derived):
        return not item.lateral and not item.security_barrier and not free_rels(item.query)
    return isinstance(item, a.Scan | a.CteScan)


def _label(item: a.FromItem) -> str:
    if isinstance(item, a.Derived):
        # canonical: the same subquery numbered otherwise is the same source
        return repr(canonical(item.query))
    if isinstance(item, a.CteScan):
        return f"with {item.cte}"
    assert isinstance(item, a.Scan)
    return f"{item.table.schema}.{item.table.name}.{item.only}"


def _aligned(found: Nested, model: Nested) -> Nested:
    """``found`` renamed to the range variables of ``model``, which reads the same tables."""
    # self-joins are paired as they come: where that fits badly the conditions differ and nothing is merged
    mine, theirs = (sorted(x.items, key=_label) for x in (found, model))
    rels = {
        i.rel: m.rel
        for i, m in zip(mine, theirs, strict=True)
        if not isinstance(i, a.Join) and not isinstance(m, a.Join)
    }
    ties = tuple(replace(t, inner=renumber(t.inner, rels), op=renumber(t.op, rels)) for t in found.ties)
    return replace(
        found,
        items=model.items,
        local=tuple(renumber(p, rels) for p in found.local),
        ties=ties,
        values=tuple(renumber(v, rels) for v in found.values),
        others=tuple(renumber(p, rels) for p in found.others),
        having=None if found.having is None else renumber(found.having, rels),
        order=tuple(renumber(k, rels) for k in found.order),
    )


def _sameness(found: Nested) -> tuple[Any, ...]:
    """What has to agree in subqueries that one table answers. Totals may differ in their own conditions,
    which become FILTERs.
    """
    common = (found.kind, frozenset((t.inner, t.outer) for t in found.ties), frozenset(found.others))
    if found.kind is Kind.TOTAL:
        # a first row or a group is chosen by its conditions: with others it is another one
        return common
    return (*common, frozenset(found.local), found.having, found.order)


def _group(members: Sequence[tuple[Place, Nested]]) -> Group:
    first = members[0][1]
    shared = [p for p in first.local if all(p in m.local for _, m in members)]
    asked = [conjoin(p for p in m.local if p not in shared) for _, m in members]
    # where each asks for some of the rows only, the table needs no others
    if None not in asked:
        some = tuple(dict.fromkeys(x for x in asked if x is not None))
        # all ask for the same rows: the condition stays in WHERE and needs no FILTER
        if len(some) == 1:
            asked = [None] * len(members)
        shared.append(some[0] if len(some) == 1 else a.Or(some))
    values: list[a.Expr] = []
    places = []
    for (place, found), own in zip(members, asked, strict=True):
        mine = [of_rows(v, own) for v in found.values]
        values += [v for v in dict.fromkeys(mine) if v not in values]
        places.append(replace(place, shown=tuple(values.index(v) for v in mine)))
    basis = frozenset[str]().union(*(m.assumptions for _, m in members))
    merged = replace(first, local=tuple(shared), values=tuple(values), assumptions=basis)
    return Group(merged, tuple(places))
