"""A correlated aggregate over the rows up to a value of the outer row, whatever rows these are, to a window
over both.

    SELECT d.id, (SELECT count(*) FROM sale s WHERE s.day <= d.id) AS n FROM day d
    -->
    SELECT p.c1 AS id, p.n
      FROM (SELECT m.c1, count(*) FILTER (WHERE NOT m.asks) OVER (ORDER BY m.bound NULLS FIRST) AS n, m.asks
              FROM (SELECT d.id AS c1, d.id AS bound, true AS asks FROM day d
                    UNION ALL SELECT NULL, s.day, false FROM sale s WHERE s.day IS NOT NULL) m) p
     WHERE p.asks

The outer rows and those they ask for are sorted together, and each outer row sees what stands before it: as
many rows are read as there are, in place of all for each. ``<`` ends before the current row's peers.
Equalities are the partition. Rows of the subquery with NULL in what is compared count for nobody and are left
out; outer ones with NULL come first, where there is nothing before them. The running total of a merge join;
`running_window` is the case of one table. What is asked of groups is asked of a derived table of these.
Hazards 14, M11, M2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Inner
from rewright.equivalence.laws.instants import by_day
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.correlation import aggregate_block
from rewright.rewrite.rules.grouped_below import grouped_below
from rewright.rewrite.rules.running_window import BEFORE, adds_up, not_null, sort_key
from rewright.rewrite.rules.spots import above_groups
from rewright.sql import algebra as a
from rewright.sql.build import (
    FALSE,
    TRUE,
    compare,
    derived,
    function,
    moved_to,
    null,
    numbered,
    over,
    union_all,
)
from rewright.sql.facts import may_differ
from rewright.sql.types import SqlType
from rewright.sql.walk import (
    as_product,
    block_exprs,
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    from_rels,
    has_subquery,
    map_kind,
    references_whole,
    renumber,
    replace_node,
    same_source,
    substitute,
    used_rels,
    walk_block,
)

# casts that keep the order and lose nothing
_WIDER = frozenset(
    {("date", "timestamp"), ("date", "timestamptz"), ("int2", "int4"), ("int2", "int8"), ("int4", "int8")}
)
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Upto:
    """The comparison ``inner <= outer``. ``falling``: ``>=``; ``strict``: without equal ones."""

    inner: a.Expr
    outer: a.Expr
    falling: bool
    strict: bool


@rule(
    SELECT.where(reads_tables),
    guards=("nulls-apart", "peers"),
    priority=70,
    category="join",
)
def merged_running(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # a function in FROM is called once before and after
    by_chance = ctx.facts.volatility(block) is a.Volatility.VOLATILE
    if by_chance or any(references_whole(block, rel) for rel in from_rels(block.from_)):
        return
    # subqueries asked of groups need the groups among the sorted rows
    late = above_groups(block)
    below = grouped_below(block, ctx) if any(free_rels(n) for n in late) else None
    for asking, way in ((block, ()), *(() if below is None else ((below, (below,)),))):
        own = [*block_exprs(replace(asking, from_=(), where=None, ctes=())), *as_product(asking)[1]]
        nodes = [n for e in own for n in walk_block(e) if isinstance(n, a.ScalarSubquery)]
        for node in dict.fromkeys(n for n in nodes if asking is below or n not in late):
            made = _merged(asking, node, ctx)
            if made is not None:
                why = "outer rows and those that come before them are sorted together: a window"
                yield Rewrite(made, why, way=way)


def _merged(block: a.Select, node: a.ScalarSubquery, ctx: Context) -> a.Select | None:
    items, preds = as_product(block)
    inner = aggregate_block(node.query)
    # exactly one inequality: it is what the rows are sorted by
    if inner is None or len(inner.others) != 1:
        return None
    upto = upto_of(inner.others[0], inner.rels, across=True)
    pairs = _pairs(inner)
    target = inner.select.targets[0].expr
    # DISTINCT counts a value once for all earlier rows, which no window does; FILTER is used up by `asks`
    if upto is None or pairs is None or not adds_up(target) or _filtered(target):
        return None
    # rows of the same table at its own value are running_window's, with no second copy of the table
    if free_rels(node.query) - from_rels(items) or _running_itself(inner, upto, items):
        return None
    # what asks for the value itself stays above
    moved = [p for p in preds if node not in walk_block(p)]
    asking = a.Select((), tuple(items), conjoin(moved))
    # an outer row that reads further out would be sorted with rows of every one of those
    if free_rels(asking):
        return None
    mark = a.Column(-1, 0, node.type, "value")
    rest: a.Select = replace_node(
        replace(block, from_=(), where=conjoin(p for p in preds if p not in moved)), node, mark
    )
    shown = columns_used((rest,), from_rels(items))
    read = tuple(dict.fromkeys(x for n in walk_block(target) if isinstance(n, a.Aggregate) for x in n.args))
    both, places = _both(asking, inner, upto, pairs, shown, read, ctx)
    made = _window(target, read, upto, places, ctx)
    if made is None:
        return None
    below = a.Select(
        (*numbered("c", places.shown), a.Target("value", made), a.Target("asks", places.asks)), (both,)
    )
    item, columns = derived(ctx.fresh(), "placed", below)
    mapping = {**moved_to(shown, columns), (-1, 0): columns[-2]}
    rest = substitute(rest, mapping)
    return replace(rest, from_=(item,), where=conjoin((columns[-1], *conjuncts(rest.where))))


# --------------------------------------------------------------------------- what a subquery asks for


def upto_of(pred: a.Expr, inside: frozenset[int], *, across: bool = False) -> Upto | None:
    """``across``: comparisons of two types, too, as of the wider one."""
    # a volatile bound is another at each comparison
    if not isinstance(pred, a.Op) or has_subquery(pred) or may_differ(pred) or not pred.op.is_builtin:
        return None
    if pred.op.btree not in _MIRRORED or len(pred.args) != 2:
        return None
    pred = by_day(pred) or (_alike(pred) if across else pred)
    kind = pred.op.btree
    left, right = pred.args
    # written either way round: the subquery's side is taken as the left
    if not used_rels(left) <= inside:
        left, right, kind = right, left, _MIRRORED[kind]
    # neither `s.qty > 5` nor a comparison with both kinds of rows on one side has a bound to sort by
    if not used_rels(left) or not used_rels(left) <= inside or used_rels(right) & inside:
        return None
    # both kinds of rows are sorted in one column: of one type
    if left.type != right.type or pred.op.left != pred.op.right or not used_rels(right):
        return None
    return Upto(left, right, kind in {">", ">="}, kind in {"<", ">"})


def _alike(pred: a.Op) -> a.Op:
    """A comparison across two types as one of the wider type, which sorts the values as it compares them."""
    left, right = pred.args
    if left.type == right.type:
        return pred
    # the narrower of the two is cast; where neither is, both stay as they are
    wider = right.type if (left.type.name, right.type.name) in _WIDER else left.type
    made = compare(pred.op.btree or "", *(_as(x, wider) for x in pred.args))
    # numeric(4,1) and the like round when cast
    return pred if made is None or left.type.typmod >= 0 or right.type.typmod >= 0 else made


def _as(x: a.Expr, wider: SqlType) -> a.Expr:
    func = function(wider.name, x.type.name) if (x.type.name, wider.name) in _WIDER else None
    return x if func is None else a.Cast(x, wider, method="func", func=func)


def _pairs(inner: Inner) -> tuple[tuple[a.Expr, a.Expr], ...] | None:
    """What is equal inside and outside; None where the sides are of different types."""
    found = tuple((t.inner, t.outer) for t in inner.ties)
    alike = all(t.symmetric and t.inner.type == t.outer.type for t in inner.ties)
    return found if alike else None


def _filtered(target: a.Expr) -> bool:
    return any(isinstance(n, a.Aggregate) and n.filter is not None for n in walk_block(target))


def _running_itself(inner: Inner, upto: Upto, items: Sequence[a.FromItem]) -> bool:
    """Whether the subquery reads the earlier rows of the very table outside, by conditions that a FILTER of
    their window can ask.
    """
    if len(inner.items) != 1 or any(has_subquery(p) for p in inner.local):
        return False
    same = [i for i in items if same_source(inner.items[0], i)]
    # the outer bound is the same column of the same table
    return any(renumber(upto.inner, dict.fromkeys(inner.rels, rel)) == upto.outer for rel in from_rels(same))


# --------------------------------------------------------------------------- both kinds of rows


@dataclass(frozen=True, slots=True)
class _Places:
    """The columns of the rows of both kinds."""

    shown: tuple[a.Column, ...]
    tied: tuple[a.Column, ...]
    read: tuple[a.Column, ...]
    bound: a.Column
    asks: a.Column


def _both(
    asking: a.Select,
    inner: Inner,
    upto: Upto,
    pairs: Sequence[tuple[a.Expr, a.Expr]],
    shown: Sequence[a.Column],
    read: Sequence[a.Expr],
    ctx: Context,
) -> tuple[a.Derived, _Places]:
    """The outer rows with what they ask by, and those they ask for, in one table."""
    names = [
        *(f"c{i}" for i, _ in enumerate(shown, 1)),
        *(f"key{i}" for i, _ in enumerate(pairs, 1)),
        *(f"v{i}" for i, _ in enumerate(read, 1)),
        "bound",
        "asks",
    ]
    outer = [*shown, *(o for _, o in pairs), *(null(e.type) for e in read), upto.outer, TRUE]
    asked = [*(null(c.type) for c in shown), *(i for i, _ in pairs), *read, upto.inner, FALSE]
    compared = [e for e in (*(i for i, _ in pairs), upto.inner) if ctx.filled(e, inner.items) is None]
    # a NULL among them would sort with the outer rows that have NULL and be counted for them
    apart = not_null(compared) if ctx.holds("nulls-apart", not compared) is False else []
    arms = [
        replace(asking, targets=tuple(a.Target(n, e) for n, e in zip(names, outer, strict=True))),
        a.Select(
            tuple(a.Target(n, e) for n, e in zip(names, asked, strict=True)),
            inner.items,
            conjoin((*inner.local, *apart)),
        ),
    ]
    rel = ctx.fresh()
    columns = [a.Column(rel, i, e.type, n) for i, (n, e) in enumerate(zip(names, outer, strict=True))]
    # cut where the lists of names are put together above
    n, m = len(shown), len(shown) + len(pairs)
    places = _Places(tuple(columns[:n]), tuple(columns[n:m]), tuple(columns[m:-2]), columns[-2], columns[-1])
    return a.Derived(rel, union_all(arms), "merged", tuple(names)), places


def _window(
    target: a.Expr, read: Sequence[a.Expr], upto: Upto, places: _Places, ctx: Context
) -> a.Expr | None:
    key = sort_key(places.bound, upto.falling, first=True)
    if key is None:
        return None
    # RANGE counts peers, which `<` leaves out: the frame then ends one group before
    strict = upto.strict and not ctx.holds("peers", not upto.strict)
    window = a.Window(places.tied, (key,), BEFORE if strict else a.Frame())
    values = dict(zip(read, places.read, strict=True))
    own: a.Expr = map_kind(target, a.Aggregate, lambda g: replace(g, args=tuple(values[x] for x in g.args)))
    return over(own, window, (a.Not(places.asks),))
