"""The first rows for each outer row by LATERAL … LIMIT, numbered once for all of them.

    SELECT c.id, f.id FROM cust c, LATERAL (SELECT o.id FROM ord o WHERE o.cust = c.id ORDER BY o.total DESC,
    o.id LIMIT 3) f -->
    SELECT c.id, f.id FROM cust c, (SELECT o.id, o.cust AS key1, row_number() OVER (PARTITION BY o.cust ORDER
    BY o.total DESC, o.id) AS n FROM ord o) f WHERE f.key1 = c.id AND f.n <= 3

Without an index the subquery reads all rows for each outer row. The rows may be groups: these are grouped by
what ties them as well. So are those of IN (SELECT … LIMIT k), which are then asked for with what ties them. A
subquery of FROM that reads rows further out, as below json_agg in what ORMs print, is numbered in the same
way: what ties it then stands one block further out, where unnest takes it. Which of equal rows comes first is
free in both forms. A single row is unnest's as well, by DISTINCT ON: numbered, a pair in which a LEFT JOIN
pads it is proved in a fifth of the time, and the query takes about as long. Calcite's RelDecorrelator numbers
correlated LIMITs in the same way. The way back is top_per_group. Hazards 14, M9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.sql import algebra as a
from rewright.sql.build import compare, derived, numbered
from rewright.sql.builtins import builtins
from rewright.sql.facts import may_differ
from rewright.sql.types import INT8
from rewright.sql.walk import (
    as_product,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    from_rels,
    from_tree,
    has_window,
    references_whole,
    replace_item,
    returns_set,
    substitute,
    used_rels,
)

_SAID = "the first rows for each outer row are numbered once for all"


@dataclass(frozen=True, slots=True)
class _First:
    """A LATERAL item whose first rows are taken, and the LEFT JOIN that pads it."""

    item: a.Derived
    query: a.Select
    inner: Inner
    join: a.Join | None = None


@rule(
    SELECT.where(reads_tables),
    guards=("order-is-its-own",),
    known_as="RelDecorrelator",
    not_after=frozenset({"top_per_group", "per_parent"}),
    priority=66,
)
def numbered_lateral(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for place, item in enumerate(block.from_):
        for found in _firsts(item, block, ctx):
            made = _numbered(found, ctx)
            if made is None:
                continue
            derived_, on, shown = made
            if found.join is None:
                new = replace_item(item, found.item, derived_)
                where = conjoin((*conjuncts(block.where), *on))
            else:
                joined = replace(found.join, right=derived_, on=conjoin(on))
                new = replace_item(item, found.join, joined)
                where = block.where
            from_ = (*block.from_[:place], new, *block.from_[place + 1 :])
            moved = {(found.item.rel, i): c for i, c in enumerate(shown)}
            yield Rewrite(
                substitute(replace(block, from_=from_, where=where), moved),
                _SAID,
            )
    for asked in _asked_firsts(block, ctx):
        yield Rewrite(asked, _SAID)


def _asked_firsts(block: a.Select, ctx: Context) -> Iterator[a.Select]:
    """The block with one IN the first rows of a subquery asked of numbered rows."""
    items, preds = as_product(block)
    for pred in preds:
        if isinstance(pred, a.Quantified) and pred.kind == "=" and not pred.all:
            asked = _among_firsts(pred, ctx)
            if asked is not None:
                where = conjoin(asked if p is pred else p for p in preds)
                yield replace(block, from_=tuple(items), where=where)


def _among_firsts(pred: a.Quantified, ctx: Context) -> a.Quantified | None:
    """IN the rows that are numbered up to the limit, by what ties them as well."""
    if not isinstance(pred.query, a.Select):
        return None
    taken = _taken(derived(ctx.fresh(), "first", pred.query)[0], ctx)
    made = None if taken is None else _numbered(taken, ctx)
    # the ties become further columns of IN: their operators must fit the same way round
    if taken is None or made is None or not all(t.symmetric for t in taken.inner.ties):
        return None
    item, (*tests, cut), shown = made
    ties = taken.inner.ties
    # the numbered item's side of each tie
    keys = [x for op in tests if isinstance(op, a.Op) for x in op.args if used_rels(x) == {item.rel}]
    return replace(
        pred,
        ops=(*pred.ops, *(t.op.op for t in ties)),
        left=(*pred.left, *(t.outer for t in ties)),
        query=a.Select(numbered("c", (*shown, *keys)), (item,), cut),
    )


def _firsts(item: a.FromItem, block: a.Select, ctx: Context) -> Iterator[_First]:
    """Of the product, and on the padded side of LEFT JOINs ON TRUE."""
    # ON true alone: a further condition of ON pads rows after LIMIT has chosen
    padded = {
        id(j.right): j for j in from_tree(item) if isinstance(j, a.Join) and j.kind == "left" and _always(j)
    }
    inner = {id(leaf) for leaf in _product(item)}
    for leaf in from_tree(item):
        # one that reads no item beside it reads rows further out
        if not isinstance(leaf, a.Derived) or leaf.security_barrier:
            continue
        join = padded.get(id(leaf))
        # below an outer join the cut in WHERE would drop padded rows
        if (join is None and id(leaf) not in inner) or references_whole(block, leaf.rel):
            continue
        taken = _taken(leaf, ctx)
        if taken is not None:
            yield replace(taken, join=join)


def _always(join: a.Join) -> bool:
    return join.on is None or join.on == a.Const("t", join.on.type)


def _product(item: a.FromItem) -> Iterator[a.FromItem]:
    if isinstance(item, a.Join) and item.kind == "inner":
        yield from _product(item.left)
        yield from _product(item.right)
    else:
        yield item


def _taken(item: a.Derived, ctx: Context) -> _First | None:
    query = item.query
    if not isinstance(query, a.Select) or query.ctes or query.offset is not None or query.with_ties:
        return None
    # without an order any rows do, which the server takes first
    if query.distinct is not None or not query.order_by or may_differ(query):
        return None
    if not _is_count(query.limit):
        return None
    shown = (*query.targets, *query.order_by, *([] if query.having is None else [query.having]))
    if any(returns_set(t.expr) or has_window(t.expr) for t in query.targets):
        return None
    bare = replace(query, targets=(), having=None, limit=None, group_by=None, order_by=())
    inner = take_apart(bare)
    # tied by other than equality there is no partition
    if inner is None or not inner.ties or inner.others:
        return None
    # `ORDER BY abs(o.total - c.total)` is another order for each outer row
    own = not free_of_all(shown) - from_rels(inner.items)
    if not ctx.holds("order-is-its-own", own):
        return None
    # GROUP BY () is one row, which needs no number
    if query.group_by is not None and (len(query.group_by) != 1 or not query.group_by[0]):
        return None
    return _First(item, query, inner)


def _is_count(limit: a.Expr | None) -> bool:
    return isinstance(limit, a.Const) and (limit.value or "").isdigit() and limit.value != "0"


def _numbered(found: _First, ctx: Context) -> tuple[a.Derived, tuple[a.Expr, ...], list[a.Expr]] | None:
    """The item, the conditions that tie and cut it, and its columns."""
    query, inner = found.query, found.inner
    keys = tuple(dict.fromkeys(t.key for t in inner.ties))
    # rows are tied and grouped by the same equality, and the key is shown to nothing but the ties
    reference = next(f for f in builtins().functions("row_number") if f.kind == "w").to_ref()
    number = a.WindowCall(reference, (), a.Window(keys, query.order_by), INT8)
    targets = (*query.targets, *numbered("key", keys), a.Target("n", number))
    # grouped by what is tied as well: the groups of each outer row are the same
    group_by = (
        None if query.group_by is None else ((*keys, *(k for k in query.group_by[0] if k not in keys)),)
    )
    rows = a.Select(targets, inner.items, conjoin(inner.local), group_by, query.having)
    item, columns = derived(ctx.fresh(), found.item.alias, copy_fresh(rows, ctx.fresh)[0])
    assert query.limit is not None
    # a single row by its number: `n <= 1` says the same, and its proof takes three times as long
    one = isinstance(query.limit, a.Const) and query.limit.value == "1"
    cut = compare("=" if one else "<=", columns[-1], query.limit)
    if cut is None:
        return None
    shown = len(query.targets)
    ties = [t.on_key(columns[shown + keys.index(t.key)]) for t in inner.ties]
    return item, (*ties, cut), list(columns[:shown])
