"""Rows of several to-many joins counted by their keys: each counted for itself, once for each row that they
are joined with.

    SELECT o.region, count(DISTINCT t.id), count(DISTINCT c.id) FROM org o LEFT JOIN ticket t ON t.org = o.id
      LEFT JOIN comment c ON c.ticket = t.id LEFT JOIN event e ON e.ticket = t.id GROUP BY o.region
    -->
    SELECT o.region, count(DISTINCT t.id), sum((SELECT count(c.id) FROM comment c WHERE c.ticket =
    t.id))::bigint
      FROM org o LEFT JOIN ticket t ON t.org = o.id GROUP BY o.region

A leaf is a table that nothing else is joined with. Where the columns that it is joined by are a key of the
other rows, each of its rows has one partner at most, and so is there for one group only: the different keys
of a group are the sum of the partners' rows. What else is aggregated must not ask how often a row is there
(hazards 5d, 6d, 6f). Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Tie, as_tie
from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, cast_to_int8, function
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumptions, Facts, is_volatile, order_sensitive, rejected_columns
from rewright.sql.facts.aggregates import EXTREMES
from rewright.sql.facts.looks import look_of_type
from rewright.sql.types import NUMERIC, equality_is_identity
from rewright.sql.walk import (
    Fresh,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    group_keys,
    has_subquery,
    has_window,
    map_kind,
    outer_exprs,
    references_whole,
    returns_set,
    walk_block,
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A table that is tied to the other rows, with conditions of its own, what is aggregated of it, and
    aggregates of the other rows that it filters.
    """

    kind: a.JoinKind
    item: a.Scan
    ties: tuple[Tie, ...]
    where: tuple[a.Expr, ...]
    values: tuple[a.Aggregate, ...]
    filtered: tuple[a.Aggregate, ...] = ()

    @property
    def parts(self) -> dict[a.Aggregate, a.Aggregate]:
        """What stands for each of these aggregates is made of, aggregated for one of the other rows."""
        return {g: _plain_count(g) for g in self.values} | {g: _any_row(g) for g in self.filtered}


@dataclass(frozen=True, slots=True)
class Fan:
    """A block's FROM apart: the tree without the leaves, conditions on it, the leaves, what all rests on."""

    tree: a.FromItem
    where: tuple[a.Expr, ...]
    leaves: tuple[Leaf, ...]
    basis: Assumptions


def fan_of(block: a.Select, facts: Facts) -> Fan | None:
    """The leaves of a grouped block whose rows are only counted by keys; None where it has none, or
    multiplies what is counted otherwise.
    """
    # without GROUP BY no rows are one group still, whose sum of counts is NULL and not 0
    if not group_keys(block) or len(block.from_) != 1 or is_volatile(block) or has_window(block):
        return None
    steps = _steps(block.from_[0])
    if steps is None or any(returns_set(t.expr) for t in block.targets):
        return None
    if any(references_whole(block, rel) for rel in from_rels(block.from_)):
        return None
    groups = _aggregates(block)
    # array_agg shows each row in order, as often as it is there
    if any(order_sensitive(g) or g.direct or has_subquery(g) for g in groups):
        return None
    leaves = _leaves(block, steps, groups)
    rels = {x.item.rel for x in leaves}
    kept = [s for s in steps if not from_rels((s.item,)) & rels]
    counted = any(g.func.name == "count" for leaf in leaves for g in (*leaf.values, *leaf.filtered))
    # least and greatest values alone need no lookups: they do not ask how often a row is there
    if not leaves or not counted or not all(_once(g) for g in groups):
        return None
    tree = kept[0].item
    for step in kept[1:]:
        tree = a.Join(step.kind, tree, step.item, step.on)
    where = tuple(p for p in conjuncts(block.where) if not free_rels(p) & rels)
    basis = _basis(a.Select((), (tree,), conjoin(where)), leaves, facts)
    return None if basis is None else Fan(tree, where, tuple(leaves), basis)


@dataclass(frozen=True, slots=True)
class _Step:
    kind: a.JoinKind
    item: a.FromItem
    on: a.Expr | None = None


def _steps(item: a.FromItem) -> list[_Step] | None:
    """A tree of inner and left joins that only grows to the left; None for others."""
    steps: list[_Step] = []
    while isinstance(item, a.Join):
        if item.kind not in {"inner", "left"} or isinstance(item.right, a.Join):
            return None
        steps.append(_Step(item.kind, item.right, item.on))
        item = item.left
    return [_Step("inner", item), *reversed(steps)]


def _aggregates(block: a.Select) -> list[a.Aggregate]:
    found = (n for e in outer_exprs(block) for n in walk_block(e) if isinstance(n, a.Aggregate))
    return list(dict.fromkeys(found))


def _once(g: a.Aggregate) -> bool:
    """Whether it does not ask how often a row is there."""
    return g.func.is_builtin and (g.distinct or g.func.name in EXTREMES)


def _leaves(block: a.Select, steps: Sequence[_Step], groups: Sequence[a.Aggregate]) -> list[Leaf]:
    bare = map_kind(replace(block, from_=(), where=None), a.Aggregate, lambda g: a.Const(None, g.type))
    outside = free_rels(bare)
    leaves: list[Leaf] = []
    for step in steps[1:]:
        item = step.item
        if not isinstance(item, a.Scan) or item.rel in outside:
            # grouped by or shown outside of aggregates: the leaf's rows tell groups apart
            continue
        if any(item.rel in free_of_all(conjuncts(s.on)) for s in steps if s is not step):
            # ON of another join reads it, so that something hangs on it
            continue
        if any(item.rel in free_of_all((s.item,)) for s in steps):
            continue  # read by a LATERAL item
        leaf = _leaf(step.kind, item, conjuncts(step.on), block, groups)
        if leaf is not None:
            leaves.append(leaf)
    return leaves


def _leaf(
    kind: a.JoinKind, item: a.Scan, on: Sequence[a.Expr], block: a.Select, groups: Sequence[a.Aggregate]
) -> Leaf | None:
    inside = frozenset({item.rel})
    asked = [p for p in conjuncts(block.where) if free_rels(p) & inside]
    # WHERE asks of a leaf after LEFT JOIN: padded rows would pass or not by it
    if asked and (kind != "inner" or any(free_rels(p) - inside or has_subquery(p) for p in asked)):
        return None
    ties = tuple(as_tie(p, inside) for p in on if free_rels(p) - inside)
    known = tuple(t for t in ties if t is not None and _is_plain(t))
    if not known or len(known) < len(ties):
        # an inequality, or an equality with an expression on both sides, lets a row have several partners
        return None
    own = [p for p in on if not free_rels(p) - inside]
    values = tuple(g for g in groups if free_rels(a.RowExpr(g.args, g.type)) & inside)
    if any(free_rels(a.RowExpr(g.args, g.type)) - inside for g in values):
        # count(DISTINCT t.id + c.id) is of pairs of rows
        return None
    filtered = tuple(g for g in groups if free_rels(g) & inside and g not in values)
    if kind == "left" and not all(_asks_for_a_row(g, item) for g in filtered):
        return None
    # a filter that reads two tables is not one of the leaf's own parts
    if any(g.filter is not None and free_rels(g.filter) - inside for g in (*values, *filtered)):
        return None
    if not all(len(g.args) == 1 and _columns(g.args[0], kind) for g in values) or any(
        has_subquery(p) for p in own
    ):
        return None
    if not all(_has_parts(g) for g in values):
        return None
    return Leaf(kind, item, known, (*own, *asked), values, filtered)


def _columns(expr: a.Expr, kind: a.JoinKind) -> frozenset[int]:
    """The columns that are told apart, of some of the rows where CASE says of which. A row of several is no
    NULL even where an outer join pads them: it would count.
    """
    while isinstance(expr, a.Case) and len(expr.whens) == 1 and _is_null(expr.default):
        expr = expr.whens[0][1]
    parts = expr.args if isinstance(expr, a.RowExpr) and kind == "inner" else (expr,)
    found = frozenset(x.pos for x in parts if isinstance(x, a.Column))
    return found if len(found) == len(parts) else frozenset()


def _is_null(expr: a.Expr) -> bool:
    return isinstance(expr, a.Const) and expr.value is None


def _asks_for_a_row(g: a.Aggregate, item: a.Scan) -> bool:
    """Whether an aggregate's filter lets through no row that the outer join has padded: there is none of the
    leaf's rows for it.
    """
    return any(rel == item.rel for rel, _ in rejected_columns(g.filter))


def _has_parts(g: a.Aggregate) -> bool:
    """Whether it is put together of what it is for parts of the rows; of equal values that look different
    either may be shown.
    """
    type_ = g.args[0].type
    exact = equality_is_identity(type_) or (type_.name == "numeric" and type_.typmod >= 0)
    return g.func.is_builtin and (g.func.name == "count" or (g.func.name in EXTREMES and exact))


def _is_plain(tie: Tie) -> bool:
    """Whether its equality is the one that groups are made by, of columns."""
    sides = (tie.inner, tie.outer)
    alike = all(isinstance(x, a.Column) and look_of_type(x.type) is not None for x in sides)
    return alike and tie.op.op.is_builtin and tie.symmetric


def _basis(rows: a.Select, leaves: Sequence[Leaf], facts: Facts) -> Assumptions | None:
    """What shows that each leaf's row has one partner at most, and is counted by a key; None where nothing
    does.
    """
    found: Assumptions = frozenset()
    for leaf in leaves:
        outer = [t.outer for t in leaf.ties]
        # what is NULL, also where an outer join has padded it, has no partner
        tied = conjoin((*conjuncts(rows.where), *(a.IsNull(x, negated=True) for x in outer)))
        # of rows that do have a partner a unique constraint is a key, whatever NULLs it lets in
        one = facts.exprs_determine(replace(rows, where=tied), outer)
        keys = dict(facts.keys_of_item(leaf.item))
        counted = [_columns(g.args[0], leaf.kind) for g in leaf.values if g.func.name == "count"]
        # what is counted must be a key of the leaf, or its values repeat among partners of different rows
        if one is None or any(x not in keys for x in counted):
            return None
        found = found.union(one, *(keys[x] for x in counted))
    return found


def _plain_count(g: a.Aggregate) -> a.Aggregate:
    """A key's values need not be told apart."""
    return replace(g, distinct=False) if g.func.name == "count" else g


def _any_row(g: a.Aggregate) -> a.Aggregate:
    """Whether the filter of an aggregate of other rows lets through any of the leaf's rows."""
    assert g.filter is not None
    found = aggregate("bool_or", g.filter)
    assert found is not None
    return found


def put_together(g: a.Aggregate, leaf: Leaf, part: a.Expr) -> a.Expr:
    """An aggregate from its part for each of the other rows; counts are 0 for those without a partner."""
    if g in leaf.filtered:
        return replace(g, filter=part)
    if g.func.name != "count":
        return replace(g, args=(part,), distinct=False, filter=None)
    total = function("sum", "int8")
    assert total is not None
    return cast_to_int8(a.Aggregate(total, (part,), NUMERIC))


def without_fans(query: a.Query, catalog: Catalog, fresh: Fresh) -> Form:
    """A query that holds no CTEs, with lookups for the leaves of LEFT JOINs that are counted by keys."""
    return _WithoutFans(catalog, fresh).form(query)


class _WithoutFans(Walk):
    def __init__(self, catalog: Catalog, fresh: Fresh) -> None:
        super().__init__(catalog)
        self.fresh = fresh

    def block(self, block: a.Select) -> a.Select:
        fan = fan_of(block, self.facts)
        if fan is None or any(leaf.kind != "left" for leaf in fan.leaves):
            return block
        values: dict[a.Aggregate, a.Expr] = {}
        for leaf in fan.leaves:
            where = conjoin((*(t.op for t in leaf.ties), *leaf.where))
            self.reserve_other_rows(*leaf.where)
            for g, part in leaf.parts.items():
                self.reserve_other_rows(part)
                query = a.Select((a.Target("v", part),), (leaf.item,), where, ((),))
                lookup = a.ScalarSubquery(copy_fresh(query, self.fresh)[0], part.type)
                values[g] = put_together(g, leaf, lookup)
        self.rest_on(fan.basis)
        rest = map_kind(replace(block, from_=(), where=None), a.Aggregate, lambda g: values.get(g, g))
        return replace(rest, from_=(fan.tree,), where=conjoin(fan.where))
