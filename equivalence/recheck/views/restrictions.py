"""Conditions inside a subquery of FROM that the block around makes anyway: the subquery without them.

The condition is on columns of the subquery of which whole groups, partitions and sets of equal rows have
one value. Where it does not hold there are more rows without it, in groups of their own; and none of them
stays in the block, which asks the same of these columns, or joins rows that make them members of what the
condition lists. So it is of a subquery further in whose column is one of those, and on the right of LEFT
JOINs for rows that the block keeps. The subquery, and what the block asks, are then computed for more rows:
what they may raise, and what the subquery leaves to chance, is left open. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.equivalence.recheck.chance import left_to_chance
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    as_product,
    bottom_up,
    canonical,
    canonical_expr,
    conjoin,
    conjuncts,
    disjuncts,
    dissolve,
    free_rels,
    from_rels,
    has_aggregate,
    has_subquery,
    map_parts,
    renumber,
    replace_item,
    returns_set,
    walk_block,
)


def restrictions(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        return _block(node, changes) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


@dataclass(frozen=True, slots=True)
class _Around:
    """The rows that a subquery's rows are joined with, what holds of those that stay, and which conditions
    look at its rows: the kept side of a LEFT JOIN is the same whatever stands on the right.
    """

    items: Sequence[a.FromItem]
    preds: Sequence[a.Expr]
    looking: Sequence[a.Expr]


def _block(block: a.Select, changes: Changes) -> a.Select:
    while True:
        following = next(_freed(block, changes), None)
        if following is None:
            return block
        block = following


def _freed(block: a.Select, changes: Changes) -> Iterator[a.Select]:
    for item, around in _places(block):
        query = _without(item.query, item.rel, around, changes)
        if query != item.query:
            _reserve(query, around, changes)
            made = replace(item, query=query)
            yield replace(block, from_=tuple(replace_item(i, item, made) for i in block.from_))


def _reserve(query: a.Query, around: _Around, changes: Changes) -> None:
    if any(changes.known.errors(x) - OVERFLOW for x in around.looking):
        changes.modulo.add("errors")
    changes.compute_again(query)


def _places(block: a.Select) -> Iterator[tuple[a.Derived, _Around]]:
    """Subqueries of FROM that see nothing of their neighbours."""
    items, preds = as_product(block)
    yield from ((i, _Around(items, preds, preds)) for i in items if isinstance(i, a.Derived) and _is_apart(i))
    tree = block.from_[0] if len(block.from_) == 1 else None
    joins: list[a.Join] = []
    while isinstance(tree, a.Join) and tree.kind == "left":
        joins.append(tree)
        tree = tree.left
    if tree is None:
        return
    rows = from_rels((tree,))
    kept, joined = dissolve((tree,))
    asked = [p for p in conjuncts(block.where) if free_rels(p) and free_rels(p) <= rows]
    for join in joins:
        if isinstance(join.right, a.Derived) and _is_apart(join.right):
            tied = [p for p in conjuncts(join.on) if free_rels(p) <= rows | {join.right.rel}]
            yield join.right, _Around((*kept, join.right), (*joined, *asked, *tied), tied)


def _is_apart(item: a.Derived) -> bool:
    return not (item.lateral or item.security_barrier or free_rels(item.query) or is_volatile(item.query))


def _without(
    query: a.Query, rel: int, around: _Around, changes: Changes, at: Mapping[int, int] | None = None
) -> a.Query:
    """``at``: which columns of the subquery around the query's own are, where it stands further in."""
    if query.limit is not None or query.offset is not None or query.ctes:
        return query
    if isinstance(query, a.SetOp) and query.op == "union":
        left, right = (_without(q, rel, around, changes, at) for q in (query.left, query.right))
        return replace(query, left=left, right=right)
    if not isinstance(query, a.Select):
        return query
    shown = _of_whole_groups(query)
    if at is not None:
        shown = {e: at[position] for e, position in shown.items() if position in at}
    asked = conjuncts(query.where)
    kept = [p for p in asked if not _implied(p, rel, shown, around, changes)]
    made = query if len(kept) == len(asked) else replace(query, where=conjoin(kept))
    for inner in as_product(query)[0]:
        if isinstance(inner, a.Derived) and _is_apart(inner):
            columns = {e.pos: n for e, n in shown.items() if isinstance(e, a.Column) and e.rel == inner.rel}
            freed = replace(inner, query=_without(inner.query, rel, around, changes, columns))
            made = replace(made, from_=tuple(replace_item(i, inner, freed) for i in made.from_))
    return made


def _of_whole_groups(query: a.Select) -> dict[a.Expr, int]:
    """What a subquery shows of its rows of which whole groups, partitions and sets of equals have one value,
    by position.
    """
    if any(returns_set(t.expr) for t in query.targets):
        return {}
    calls = [n for t in query.targets for n in walk_block(t.expr) if isinstance(n, a.WindowCall)]
    calls += [n for k in query.order_by for n in walk_block(k.expr) if isinstance(n, a.WindowCall)]
    found: dict[a.Expr, int] = {}
    for position, target in enumerate(query.targets):
        e = target.expr
        grouped = query.group_by is None or (
            bool(query.group_by) and all(e in keys for keys in query.group_by)
        )
        kept = not query.distinct or e in query.distinct
        plain = not (has_aggregate(e) or has_subquery(e)) and equality_is_identity(e.type)
        apart = not any(isinstance(n, a.WindowCall) for n in walk_block(e))
        if grouped and kept and plain and apart and all(e in c.window.partition_by for c in calls):
            found.setdefault(e, position)
    return found


def _implied(pred: a.Expr, rel: int, shown: Mapping[a.Expr, int], around: _Around, changes: Changes) -> bool:
    if isinstance(pred, a.Quantified):
        return _is_member(pred, rel, shown, around, changes)
    if has_subquery(pred) or not free_rels(pred) or not _is_safe(pred, changes):
        return False
    seen = _seen_outside(pred, rel, shown)
    return seen is not None and any(all(c in around.preds for c in conjuncts(arm)) for arm in disjuncts(seen))


def _is_safe(e: a.Expr, changes: Changes) -> bool:
    return not changes.known.errors(e) and changes.known.cannot_fail(e)


def _seen_outside(pred: a.Expr, rel: int, shown: Mapping[a.Expr, int]) -> a.Expr | None:
    """The condition on what the subquery shows; None where it reads something else."""
    hidden = False

    def visit(node: Any) -> Any:
        nonlocal hidden
        if isinstance(node, a.Column) and node in shown:
            return a.Column(rel, shown[node], node.type)
        hidden |= isinstance(node, a.Column | a.WholeRow | a.SystemColumn)
        return map_parts(node, visit)

    made: a.Expr = visit(pred)
    return None if hidden else made


def _is_member(
    pred: a.Quantified, rel: int, shown: Mapping[a.Expr, int], around: _Around, changes: Changes
) -> bool:
    """Whether the rows joined around make the subquery's row one of those that IN lists."""
    if pred.kind != "=" or pred.all or any(o.btree != "=" or not o.is_builtin for o in pred.ops):
        return False
    if any(e not in shown for e in pred.left) or free_rels(pred.query) or is_volatile(pred.query):
        return False
    keys = tuple(a.Column(rel, shown[e], e.type) for e in pred.left)
    if not left_to_chance(pred.query, changes.catalog)[0] and any(
        isinstance(p, a.Quantified)
        and replace(p, query=pred.query) == replace(pred, left=keys)
        and canonical(p.query, keep_names=False) == canonical(pred.query, keep_names=False)
        for p in around.preds
    ):
        return True
    return _is_listed(pred.query, keys, around, changes)


def _is_listed(query: a.Query, keys: Sequence[a.Column], around: _Around, changes: Changes) -> bool:
    """Whether the rows joined around are rows that a query reads, and what it shows of them equals the
    keys.
    """
    if not isinstance(query, a.Select) or query.distinct not in {None, ()}:
        return False
    if query != a.Select(query.targets, query.from_, query.where, distinct=query.distinct):
        return False
    wanted, own = as_product(query)
    values = [t.expr for t in query.targets]
    nested = [p for p in own if has_subquery(p)]
    plain = [x for x in (*own, *values) if x not in nested]
    if any(has_subquery(x) or has_aggregate(x) or not _is_safe(x, changes) for x in plain):
        return False
    if not all(_asks_the_same(p, changes) for p in nested):
        return False
    for names in _among(wanted, around.items, changes):
        met = all(_holds(renumber(p, names), around) for p in own)
        if met and all(_equal(renumber(v, names), k, around) for v, k in zip(values, keys, strict=True)):
            for p in nested:
                changes.compute_again(a.Select((), where=p))
            return True
    return False


def _asks_the_same(pred: a.Expr, changes: Changes) -> bool:
    """Whether it asks for members of rows that are the same wherever it stands."""
    if not isinstance(pred, a.Quantified) or free_rels(pred.query) or is_volatile(pred):
        return False
    return not left_to_chance(pred.query, changes.catalog)[0] and not any(map(has_subquery, pred.left))


def _holds(pred: a.Expr, around: _Around) -> bool:
    form = canonical_expr(pred)
    return any(canonical_expr(p) == form for p in around.preds)


def _among(
    wanted: Sequence[a.FromItem], items: Sequence[a.FromItem], changes: Changes
) -> Iterator[dict[int, int]]:
    """Ways to find tables and subqueries among others, by range variable."""
    if not wanted:
        yield {}
        return
    first = wanted[0]
    for item in items:
        if (
            not isinstance(item, a.Join)
            and not isinstance(first, a.Join)
            and _same_rows(first, item, changes)
        ):
            for others in _among(wanted[1:], items, changes):
                yield {first.rel: item.rel, **others}


def _same_rows(one: a.FromItem, other: a.FromItem, changes: Changes) -> bool:
    match one, other:
        case a.Scan(), a.Scan():
            return (one.table, one.only) == (other.table, other.only)
        case a.Derived(), a.Derived() if _is_apart(one) and _is_apart(other):
            modulo, basis = left_to_chance(one.query, changes.catalog)
            first, second = (canonical(x.query, keep_names=False) for x in (one, other))
            if modulo or first != second:
                return False
            changes.rest_on(basis)
            return True
        case _:
            return False


def _equal(value: a.Expr, key: a.Column, around: _Around) -> bool:
    """Whether the rows around have a value that is the key's."""
    if value.type != key.type or not equality_is_identity(key.type):
        return False
    return any(is_equality(p) and isinstance(p, a.Op) and set(p.args) == {value, key} for p in around.preds)
