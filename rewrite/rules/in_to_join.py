"""IN and EXISTS that ask rows of outside, in conditions of a subquery or of a LEFT JOIN, are joins there.

    SELECT c.id, count(o.id) FROM cust c LEFT JOIN ord o ON o.shop IN (SELECT s.id FROM shop s WHERE s.owner =
    c.id) GROUP BY c.id -->
    SELECT c.id, count(o.id) FROM cust c LEFT JOIN (ord o JOIN shop s ON o.shop = s.id) ON s.owner = c.id
     GROUP BY c.id

The server asks such a subquery again for each pair of rows. A row is found once, as with IN: by a key of the
table among what is tied, or in the DISTINCT values that are tied. What was correlated two levels down is tied
one level down, where other rules go on. Hazards 2b.

Calcite: SubQueryRemoveRule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule, stable
from rewright.sql import algebra as a
from rewright.sql.build import derived, numbered
from rewright.sql.types import BOOL
from rewright.sql.walk import (
    as_product,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    from_tree,
    is_plain,
    replace_item,
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a condition asks for: an item with a row for each that is found, and conditions for its rows.
    ``basis``: the constraints by which no row is found twice.
    """

    item: a.FromItem
    ties: tuple[a.Expr, ...]
    basis: frozenset[str] = frozenset()


@rule(
    SELECT.where(reads_tables, stable),
    guards=("found-once",),
    known_as="SubQueryRemoveRule",
    priority=74,
    category="join",
)
def in_to_join(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    why = "a semi-join that asks rows of outside is a join with rows that differ"
    items, preds = as_product(block)
    for pred in preds:
        asked = _asked(pred, from_rels(items), ctx)
        if asked is not None:
            rest = (*(p for p in preds if p is not pred), *asked.ties)
            made = replace(block, from_=(*items, asked.item), where=conjoin(rest))
            yield Rewrite(made, why, asked.basis)
    # in ON of a LEFT JOIN the rows asked for are joined below it, so that padding stays as it was
    for join in (i for item in block.from_ for i in from_tree(item) if _pads(i)):
        assert isinstance(join, a.Join)
        for pred in conjuncts(join.on):
            asked = _asked(pred, from_rels((join.right,)), ctx)
            if asked is not None:
                from_ = tuple(replace_item(i, join, _beside(join, pred, asked)) for i in block.from_)
                yield Rewrite(replace(block, from_=from_), why, asked.basis)


def _pads(item: a.FromItem) -> bool:
    return isinstance(item, a.Join) and item.kind == "left"


def _beside(join: a.Join, pred: a.Expr, asked: _Asked) -> a.Join:
    """The LEFT JOIN with the rows that are asked for joined to its right side."""
    right = from_rels((join.right, asked.item))
    # what ties it to the right side alone joins there; what reads the left side stays in ON
    within = [t for t in asked.ties if free_rels(t) <= right]
    across = [t for t in asked.ties if not free_rels(t) <= right]
    rest = (*(p for p in conjuncts(join.on) if p is not pred), *across)
    return replace(join, right=a.Join("inner", join.right, asked.item, conjoin(within)), on=conjoin(rest))


def _asked(pred: a.Expr, around: frozenset[int], ctx: Context) -> _Asked | None:
    """What IN or EXISTS asks for that refers to rows besides those of ``around``; None for anything else."""
    if not isinstance(pred, a.Exists | a.Quantified) or not isinstance(pred.query, a.Select):
        return None
    # LIMIT or a grouping inside has rows of its own making
    if not is_plain(pred.query) or not pred.query.from_:
        return None
    outside = free_rels(pred.query)
    # tied to the rows around alone the server makes it a semi-join itself
    if not outside - around or not free_rels(pred) & around:
        return None
    # NOT IN and ALL ask for all rows
    if isinstance(pred, a.Quantified) and (pred.all or pred.kind != "="):
        return None
    same = _compared(pred, pred.query)
    where = conjoin((*conjuncts(pred.query.where), *same))
    inner = take_apart(replace(pred.query, targets=(), order_by=(), where=where), beside=around)
    # without equality there is neither a key nor a value to find by
    if inner is None or not inner.ties:
        return None
    # a table's key finds at most one row and needs no DISTINCT: tried first
    return _by_key(inner, ctx) or _by_values(inner, ctx)


def _compared(pred: a.Exists | a.Quantified, query: a.Select) -> list[a.Expr]:
    """What IN compares, as conditions on the rows of its subquery."""
    if isinstance(pred, a.Exists):
        return []
    shown = (t.expr for t in query.targets)
    return [a.Op(o, (x, t), BOOL) for o, x, t in zip(pred.ops, pred.left, shown, strict=True)]


def _by_key(inner: Inner, ctx: Context) -> _Asked | None:
    """One table, of which no two rows agree in the columns that are tied."""
    if len(inner.items) != 1 or not isinstance(inner.items[0], a.Scan):
        return None
    item = inner.items[0]
    tied = {t.inner.pos for t in inner.ties if isinstance(t.inner, a.Column)}
    # a key among the tied columns: no row around finds two
    basis = next((names for key, names in ctx.keys(item) if key <= tied), None)
    if not ctx.holds("found-once", basis is not None):
        return None
    conditions = (*(t.op for t in inner.ties), *inner.others, *inner.local)
    made = copy_fresh(a.Select((), (item,), conjoin(conditions)), ctx.fresh)[0]
    return _Asked(made.from_[0], conjuncts(made.where), basis or frozenset())


def _by_values(inner: Inner, ctx: Context) -> _Asked | None:
    """The different values of what is tied by equality, where nothing else is asked of rows outside."""
    # `k < c.id` is met by several of the values: a row would be found more than once
    if inner.others or not all(t.symmetric for t in inner.ties):
        return None
    keys = tuple(dict.fromkeys(t.key for t in inner.ties))
    query = a.Select(numbered("key", keys), inner.items, conjoin(inner.local), distinct=())
    # the rows of a function are those of the row beside it
    beside = bool(free_of_all(inner.items))
    item, columns = derived(ctx.fresh(), "asked", copy_fresh(query, ctx.fresh)[0], lateral=beside)
    return _Asked(item, _tied(inner, keys, columns))


def _tied(inner: Inner, keys: Sequence[a.Expr], columns: Sequence[a.Column]) -> tuple[a.Expr, ...]:
    return tuple(t.on_key(columns[keys.index(t.key)]) for t in inner.ties)
