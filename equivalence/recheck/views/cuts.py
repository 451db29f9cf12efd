"""Cuts that a cut further out makes anyway: LIMIT of a table whose rows all stay, and of arms of UNION ALL.

Where each row of a subquery is there at least once in the rows around it, and these are sorted by what it is
sorted by, the first n of them come from its first n. So it is of the arms of a UNION ALL. Where its order
leaves ties, the two may choose other rows among them. What is computed around is computed for more rows: it
must not fail. Must not know the other forms but how subqueries are merged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.equivalence.recheck.views.plain import merged
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import NOTHING, Assumptions, is_equality, not_null, usable_foreign_keys
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    as_product,
    bottom_up,
    free_rels,
    has_aggregate,
    has_subquery,
    has_window,
    leaves,
    references_whole,
    replace_item,
    returns_set,
    substitute,
)

# what a row is sorted by, of the output at a position, and under which collation
_Key = tuple[int, str, bool, bool, a.OperatorRef]


def cuts(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        if isinstance(node, a.SetOp):
            return _of_arms(node, changes)
        return _of_union(_of_joins(node, changes), changes) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


# --------------------------------------------------------------------------- how many rows, and which


def _enough(cut: a.Query, whole: a.Query) -> bool:
    """Whether the cut keeps the rows that LIMIT and OFFSET around it look at."""
    # an OFFSET inside skips rows that are among the first outside
    if cut.offset is not None or cut.limit is None or whole.limit is None:
        return False
    # the same parameter is the same number, whatever it is
    if isinstance(cut.limit, a.Param) and cut.limit == whole.limit and whole.offset is None:
        return True
    kept, looked_at, left_out = (_number(x) for x in (cut.limit, whole.limit, whole.offset))
    if kept is None or looked_at is None or left_out is None:
        return False
    return kept >= looked_at + left_out


def _number(limit: a.Expr | None) -> int | None:
    """A constant number of rows; none where nothing is said."""
    if limit is None:
        return 0
    plain = isinstance(limit, a.Const) and limit.value is not None and limit.value.isdecimal()
    return int(limit.value or 0) if plain and isinstance(limit, a.Const) else None


def _picks(block: a.Select) -> bool:
    """Whether each row of FROM that meets WHERE is a row of the block, before it is cut."""
    shown = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
    # windows and set-returning outputs depend on which rows are left
    if any(has_window(e) or has_aggregate(e) or returns_set(e) or has_subquery(e) for e in shown):
        return False
    bare = block.group_by is None and block.having is None and block.distinct is None
    return bare and not block.ctes and not block.with_ties


def _leave(cut: a.Select, changes: Changes) -> bool:
    """Whether the cut may be left out: what it shows can't fail. Ties that its order leaves are reserved."""
    # a failing output was computed of the first rows only
    if not all(changes.known.cannot_fail(t.expr) for t in cut.targets):
        return False
    # rows are looked for beyond where the cut had ended
    changes.ask_of_others(replace(cut, targets=(), limit=None, offset=None, order_by=()))
    keys = [k.expr for k in cut.order_by]
    basis = None if cut.group_by is not None else changes.known.exprs_determine(cut, keys)
    # ties that show the same values leave nothing to see
    if basis is None and {t.expr for t in cut.targets} <= set(keys):
        basis = NOTHING if all(equality_is_identity(t.expr.type) for t in cut.targets) else None
    if basis is None:
        changes.modulo.add("tie-order")
    changes.rest_on(basis or NOTHING)
    return True


# --------------------------------------------------------------------------- joins that keep every row


def _of_joins(block: a.Select, changes: Changes) -> a.Select:
    if block.limit is None or not block.order_by or not _picks(block):
        return block
    # a join condition that may fail is asked of more rows now
    if not all(changes.known.cannot_fail(e) for e in _computed(block)):
        return block
    for item in _derived(block.from_):
        inner = item.query
        if not isinstance(inner, a.Select) or not _picks(inner) or not _enough(inner, block):
            continue
        values = {(item.rel, i): t.expr for i, t in enumerate(inner.targets)}
        # the order outside, seen inside, is the order inside
        if tuple(substitute(k, values) for k in block.order_by) != inner.order_by:
            continue
        basis = _all_stay(block, item, inner, changes)
        if basis is not None and _leave(inner, changes):
            changes.rest_on(basis)
            _reserve_laterals(block, item, changes)
            # a row as a whole has the subquery's columns
            if len(inner.from_) == 1 and not references_whole(block, item.rel):
                return merged(block, item, inner.from_[0])
            free = replace(item, query=replace(inner, limit=None, order_by=()))
            return replace(block, from_=tuple(replace_item(i, item, free) for i in block.from_))
    return block


def _computed(block: a.Select) -> Iterator[a.Expr]:
    def ons(item: a.FromItem) -> Iterator[a.Expr]:
        if isinstance(item, a.Join):
            yield from ons(item.left)
            yield from ons(item.right)
            if item.on is not None:
                yield item.on

    yield from (t.expr for t in block.targets)
    if block.where is not None:
        yield block.where
    for item in block.from_:
        yield from ons(item)


def _reserve_laterals(block: a.Select, cut: a.Derived, changes: Changes) -> None:
    """What reads the rows that were cut may fail for more of them."""
    for item in leaves(block.from_):
        if item is not cut and free_rels(item) and not changes.known.cannot_fail(item):
            changes.modulo.add("errors")


def _derived(items: Sequence[a.FromItem]) -> Iterator[a.Derived]:
    for item in items:
        if isinstance(item, a.Join):
            yield from _derived((item.left, item.right))
        elif isinstance(item, a.Derived) and not item.lateral and not item.security_barrier:
            yield item


def _all_stay(block: a.Select, item: a.Derived, inner: a.Select, changes: Changes) -> Assumptions | None:
    """The constraints by which each row of the item is in the rows of FROM and WHERE at least once."""
    if len(block.from_) == 1 and block.where is None:
        left = block.from_[0]
        # the leftmost item of LEFT JOINs keeps all its rows
        while isinstance(left, a.Join) and left.kind == "left":
            left = left.left
        if left is item:
            return NOTHING
    items, preds = as_product(block)
    child = inner.from_[0] if len(inner.from_) == 1 else None
    others = [i for i in items if i is not item]
    # the item stands within an outer join: no reference shows that its rows stay
    if not isinstance(child, a.Scan) or len(others) == len(items):
        return None
    return _parents(child, item.rel, inner, others, set(preds), changes)


def _parents(
    child: a.Scan,
    rel: int,
    inner: a.Select,
    others: list[a.FromItem],
    preds: set[a.Expr],
    changes: Changes,
) -> Assumptions | None:
    """The constraints by which each row of the child has its row in each other item, where no condition but
    those of the references is made.
    """
    catalog, basis = changes.catalog, NOTHING
    table = catalog.table(child.table)
    shown = {t.expr.pos: i for i, t in enumerate(inner.targets) if isinstance(t.expr, a.Column)}
    for key, reference in usable_foreign_keys(catalog, child):
        columns = [table.position(c) for c in key.columns]
        filled = [not_null(catalog, child, c) for c in columns]
        for parent in others:
            # ONLY a partitioned table has none of the rows that are referred to
            if not isinstance(parent, a.Scan) or (parent.table, parent.only) != (key.target, False):
                continue
            there = [catalog.table(parent.table).position(c) for c in key.target_columns]
            ties = [
                next((p for p in preds if _ties(p, (rel, shown.get(c, -1)), (parent.rel, k))), None)
                for c, k in zip(columns, there, strict=True)
            ]
            # a column of the key that is not shown, or may be NULL, leaves rows without parent
            if any(x is None for x in (*ties, *filled)):
                continue
            preds = preds - set(ties)
            others = [o for o in others if o is not parent]
            basis = basis | {reference, *(f for f in filled if f is not None)}
            break
    return None if others or preds else basis


def _ties(pred: a.Expr, one: tuple[int, int], other: tuple[int, int]) -> bool:
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or not is_equality(pred):
        return False
    places = [(x.rel, x.pos) for x in pred.args if isinstance(x, a.Column)]
    return len(places) == 2 and set(places) == {one, other} and one != other


# --------------------------------------------------------------------------- arms of UNION ALL


def _of_arms(whole: a.SetOp, changes: Changes) -> a.SetOp:
    """A UNION ALL that is itself sorted and cut."""
    # UNION drops duplicates only after the cut
    if whole.op != "union" or not whole.all or whole.limit is None or whole.with_ties or whole.ctes:
        return whole
    under = [c.type.collation for c in whole.columns]
    keys = tuple((k.pos, under[k.pos], k.descending, k.nulls_first, k.op) for k in whole.order_by)
    left, right = (_arm(x, whole, keys, changes) for x in (whole.left, whole.right))
    return replace(whole, left=left, right=right)


def _of_union(block: a.Select, changes: Changes) -> a.Select:
    """A block that sorts and cuts what a UNION ALL gives, and no more."""
    item = block.from_[0] if len(block.from_) == 1 else None
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier or not _picks(block):
        return block
    if (
        block.limit is None
        or not block.order_by
        # a condition outside drops rows that the arm's first n had counted on
        or block.where is not None
        or not isinstance(item.query, a.SetOp)
    ):
        return block
    if not all(changes.known.cannot_fail(t.expr) for t in block.targets):
        return block
    keys: list[_Key] = []
    for k in block.order_by:
        # ORDER BY an expression of the columns need not be the arm's order
        if not isinstance(k.expr, a.Column) or k.expr.rel != item.rel:
            return block
        keys.append((k.expr.pos, k.expr.type.collation, k.descending, k.nulls_first, k.op))
    query = _arm(item.query, block, tuple(keys), changes)
    return replace(block, from_=(replace(item, query=query),))


def _arm(arm: a.Query, whole: a.Query, keys: Sequence[_Key], changes: Changes) -> a.Query:
    if isinstance(arm, a.SetOp):
        bare = arm.limit is None and arm.offset is None and not arm.ctes
        # EXCEPT and a cut of the inner union stand between the arm and the LIMIT
        if arm.op != "union" or not arm.all or not bare:
            return arm
        left, right = (_arm(x, whole, keys, changes) for x in (arm.left, arm.right))
        return replace(arm, left=left, right=right)
    if not isinstance(arm, a.Select) or arm.with_ties or arm.ctes or arm.distinct is not None:
        return arm
    if any(returns_set(t.expr) for t in arm.targets) or not _enough(arm, whole):
        return arm
    # a column that is constant in the arm orders nothing there
    sorted_ = [(arm.targets[p].expr, under, rest) for p, under, *rest in keys]
    sorted_ = [key for key in sorted_ if not isinstance(key[0], a.Const)]
    # the union of a text with one under "C" is sorted under "C": in the text's own order others come first
    if any(shown.type.collation != under for shown, under, _ in sorted_):
        return arm
    wanted = [_sort_key(shown, rest) for shown, _, rest in sorted_]
    if wanted != [k for k in arm.order_by if not isinstance(k.expr, a.Const)] or not _leave(arm, changes):
        return arm
    return replace(arm, limit=None, order_by=())


def _sort_key(expr: a.Expr, rest: Sequence[object]) -> a.SortKey:
    descending, nulls_first, op = rest
    assert isinstance(op, a.OperatorRef)
    return a.SortKey(expr, bool(descending), bool(nulls_first), op)
