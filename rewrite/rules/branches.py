"""Aggregates over one-to-many joins of the same rows: each branch is grouped by itself before the join.

A branch is a table joined with the kept rows by equalities, and what is joined with it alone. Each kept row
must be a group. Joined beside each other, the rows of one branch repeat those of the other, by which its
aggregates must not be moved. Hazards 5d, 6d, 6f, 15.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rewright.equivalence.laws.correlation import Inner, Tie, as_tie
from rewright.rewrite.rules.base import (
    SELECT,
    Context,
    Rewrite,
    grouped,
    no_windows,
    one_source,
    rule,
    stable,
)
from rewright.rewrite.rules.correlation import once_a_key
from rewright.rewrite.rules.partial import aggregates, inputs, outside, with_values
from rewright.sql import algebra as a
from rewright.sql.build import numbered, or_zero
from rewright.sql.facts import is_strict_in, labels, order_sensitive
from rewright.sql.facts.aggregates import EXTREMES
from rewright.sql.types import FLOATS
from rewright.sql.walk import (
    conjoin,
    conjuncts,
    free_of_all,
    free_rels,
    from_rels,
    group_keys,
    has_subquery,
    references_whole,
    walk_block,
)

ADDED = frozenset({"sum", "avg"})
_GROUPS = SELECT.where(grouped, one_source, no_windows, stable)


@rule(
    _GROUPS,
    guards=("groups-are-rows", "padding-adds-nothing", "empty-counts-zero"),
    known_as="AggregateJoinTransposeRule; eager count (Yan and Larson 1995)",
    priority=65,
    category="join",
)
def eager_count(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """Aggregates over the nullable side of a LEFT JOIN are computed before the join, once a join key.

    SELECT c.id, count(o.id) FROM cust c LEFT JOIN ord o ON o.cust = c.id AND o.x <> 'a' GROUP BY c.id
    -->
    SELECT c.id, coalesce(g.v1, 0) FROM cust c
      LEFT JOIN (SELECT cust AS key1, count(id) AS v1 FROM ord WHERE x <> 'a' GROUP BY cust) g ON g.key1 =
      c.id

    Calcite: AggregateJoinTransposeRule. Known as eager count (Yan and Larson 1995).
    """
    found = branches_of(block)
    if found is not None and len(found.branches) == 1 and found.branches[0].kind == "left":
        yield from _grouped_before(
            block, found, "the nullable side is aggregated for each key before the join", ctx
        )


@rule(
    _GROUPS,
    guards=("groups-are-rows", "repeated-rows-do-not-count", "padding-adds-nothing", "empty-counts-zero"),
    known_as="AggregateJoinTransposeRule",
    priority=84,
    category="join",
)
def fan_out(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """Aggregates over several one-to-many joins of the same rows, to one grouping for each of them before the
    joins.

        SELECT c.id, count(DISTINCT o.id), count(DISTINCT v.page) FROM cust c LEFT JOIN ord o ON o.cust = c.id
          LEFT JOIN visit v ON v.cust = c.id GROUP BY c.id
        -->
        SELECT c.id, coalesce(x.v1, 0), coalesce(y.v1, 0) FROM cust c
          LEFT JOIN (SELECT cust AS key1, count(id) AS v1 FROM ord GROUP BY cust) x ON x.key1 = c.id
          LEFT JOIN (SELECT cust AS key1, count(DISTINCT page) AS v1 FROM visit GROUP BY cust) y ON y.key1 =
          c.id

    A LEFT JOINed branch that nobody reads goes.

    Calcite: AggregateJoinTransposeRule.
    """
    found = branches_of(block)
    if found is not None and len(found.branches) > 1:
        why = (
            f"{len(found.branches)} joins beside each other multiply each other's rows: each is grouped "
            f"before"
        )
        yield from _grouped_before(block, found, why, ctx)


@dataclass(frozen=True, slots=True)
class Step:
    """One table of a row of joins, and how it is joined with those before it."""

    kind: a.JoinKind
    item: a.FromItem
    on: tuple[a.Expr, ...] = ()

    @property
    def rels(self) -> frozenset[int]:
        return from_rels((self.item,))


@dataclass(slots=True)
class _Branch:
    """A table that is tied to the kept rows (``ties``), with conditions of its own, and what is joined with
    it.
    """

    kind: a.JoinKind
    tree: a.FromItem
    ties: tuple[Tie, ...]
    where: list[a.Expr]
    values: dict[a.Aggregate, None] = field(default_factory=dict)

    @property
    def rels(self) -> frozenset[int]:
        return from_rels((self.tree,))


@dataclass(frozen=True, slots=True)
class Parted:
    """All steps, those of them whose rows are kept, with the conditions on them, and the branches."""

    steps: list[Step]
    kept: list[Step]
    where: list[a.Expr]
    branches: list[_Branch]


def branches_of(block: a.Select) -> Parted | None:
    steps = steps_of(block.from_[0])
    # count(*) counts padded rows too, and belongs to no branch; within-group orders are not split
    if steps is None or any(g.star or g.order_by or g.direct for g in aggregates(block)):
        return None
    # a whole row (`SELECT o`) reads all columns of a table that is grouped away
    if any(references_whole(block, rel) for rel in from_rels(block.from_)):
        return None
    return _parted(block, steps)


def _grouped_before(block: a.Select, found: Parted, why: str, ctx: Context) -> Iterator[Rewrite]:
    groups = aggregates(block)
    if not groups or not all(_belongs(g, found.branches, ctx) for g in groups):
        return
    rows = a.Select((), in_order(found.kept), conjoin(found.where))
    basis = ctx.facts.exprs_determine(rows, group_keys(block))
    # two kept rows in one group would need their branches' values added up, which this rule does not do
    if ctx.holds("groups-are-rows", basis is not None):
        yield Rewrite(_assemble(block, found, ctx), why, labels(basis or ()))


def steps_of(item: a.FromItem) -> list[Step] | None:
    """A tree of joins that only grows to the left; None for others."""
    steps: list[Step] = []
    while isinstance(item, a.Join):
        # FULL and RIGHT pad the kept rows themselves
        if item.kind not in {"inner", "left"} or not _is_table(item.right):
            return None
        steps.append(Step(item.kind, item.right, conjuncts(item.on)))
        item = item.left
    return [Step("inner", item), *reversed(steps)] if _is_table(item) else None


def _is_table(item: a.FromItem) -> bool:
    return isinstance(item, a.Scan | a.CteScan) or (isinstance(item, a.Derived) and not item.lateral)


# --------------------------------------------------------------------------- what belongs where


def _parted(block: a.Select, steps: list[Step]) -> Parted | None:
    if any(has_subquery(p) for s in steps for p in s.on):
        return None
    every = from_rels(s.item for s in steps)
    # kept is the first table, what is read outside of aggregates, and what these are joined by
    base, wider = frozenset[int](), steps[0].rels | (free_of_all(outside(block)) & every)
    # grows until nothing is added: a kept table's ON may name a table that has to be kept for it
    while wider != base:
        base = wider
        wider = base.union(*(free_of_all(s.on) for s in steps if s.rels <= base)) & every
    branches: list[_Branch] = []
    for step in steps:
        if not step.rels <= base and not _joins_branch(step, base, branches):
            return None
    where: list[a.Expr] = []
    for p in conjuncts(block.where):
        own = next((b for b in branches if free_rels(p) & b.rels), None)
        if own is None:
            where.append(p)
        # `WHERE o.x > 5` on a LEFT JOINed branch refuses padded rows: it is no condition of the branch
        elif own.kind == "inner" and free_rels(p) <= own.rels and not has_subquery(p):
            own.where.append(p)
        else:
            return None
    return Parted(steps, [s for s in steps if s.rels <= base], where, branches)


def _joins_branch(step: Step, base: frozenset[int], branches: list[_Branch]) -> bool:
    """Whether a table begins a branch or goes on with one, which is noted."""
    others = free_of_all(step.on) - step.rels
    # tied to kept rows alone begins a branch; tied to one branch alone goes on with it; all else is refused
    if others and others <= base:
        ties = [as_tie(p, step.rels) for p in step.on if free_rels(p) - step.rels]
        if not all(ties):
            return False
        local = [p for p in step.on if not free_rels(p) - step.rels]
        branches.append(_Branch(step.kind, step.item, tuple(t for t in ties if t), local))
        return True
    own = next((b for b in branches if others and others <= b.rels), None)
    # an inner join below a LEFT JOINed branch would drop kept rows in the original, but not here
    if own is None or (own.kind == "left" and step.kind != "left"):
        return False
    own.tree = a.Join(step.kind, own.tree, step.item, conjoin(step.on))
    return True


def _belongs(g: a.Aggregate, branches: Sequence[_Branch], ctx: Context) -> bool:
    """Whether an aggregate reads one branch, and neither the others' rows nor one without a partner move it;
    it is noted.
    """
    used = free_of_all(inputs(g))
    # of kept rows (used is no branch's) an aggregate would count each row once, not as often as partners
    own = next((b for b in branches if used and used <= b.rels), None)
    if own is None or len(g.args) != 1 or order_sensitive(g) or any(has_subquery(p) for p in inputs(g)):
        return False
    # the floats of a group are added up in any order already
    lone = len(branches) == 1
    counted = g.func.name == "count" or (g.func.name in ADDED and (lone or g.args[0].type.name not in FLOATS))
    if g.func.name not in EXTREMES and not counted:
        return False
    # beside another branch each row comes several times: sum(o.x) would be too small by that factor
    if not lone and not ctx.holds("repeated-rows-do-not-count", g.distinct or g.func.name in EXTREMES):
        return False
    # count(coalesce(o.x, 0)) counts the padded row as well
    if own.kind == "left" and not ctx.holds("padding-adds-nothing", _null_when_padded(g.args[0])):
        return False
    own.values[g] = None
    return True


def _null_when_padded(expr: a.Expr) -> bool:
    """Whether an expression is NULL where all columns in it are."""
    if isinstance(expr, a.Case):
        return all(_null_when_padded(x) for x in (*(result for _, result in expr.whens), expr.default))
    if isinstance(expr, a.Const):
        return expr.value is None
    return any(isinstance(n, a.Column) and is_strict_in(expr, n) for n in walk_block(expr))


# --------------------------------------------------------------------------- the new block


def in_order(steps: Sequence[Step]) -> tuple[a.FromItem, ...]:
    tree = steps[0].item
    for step in steps[1:]:
        tree = a.Join(step.kind, tree, step.item, conjoin(step.on))
    return (tree,)


def _assemble(block: a.Select, found: Parted, ctx: Context) -> a.Select:
    (tree,) = in_order(found.kept)
    values: dict[a.Aggregate, a.Expr] = {}
    for branch in found.branches:
        if not branch.values and branch.kind == "left":
            continue  # it neither adds nor takes away a group
        early = numbered("v", (_lighter(g, branch, ctx) for g in branch.values))
        rows = Inner(a.Select(()), (branch.tree,), tuple(branch.where), branch.ties, ())
        known = once_a_key(rows, early, "pre", ctx)
        tree = a.Join(branch.kind, tree, known.item, conjoin(known.on))
        for g, column in zip(branch.values, known.values, strict=True):
            zero = (
                # the original counts one padded row to 0; the LEFT JOIN with a grouping shows NULL instead
                branch.kind == "left" and g.func.name == "count" and not ctx.holds("empty-counts-zero", False)
            )
            values[g] = or_zero(column) if zero else column
    # HAVING becomes WHERE: each kept row is a group, and nothing is grouped any more
    rest = with_values(replace(block, from_=(), where=None, group_by=None), values)
    return replace(rest, from_=(tree,), where=conjoin((*found.where, *conjuncts(rest.having))), having=None)


def _lighter(g: a.Aggregate, branch: _Branch, ctx: Context) -> a.Aggregate:
    """A key is not counted twice in its own table: DISTINCT goes."""
    item, column = branch.tree, g.args[0]
    if not g.distinct or not isinstance(column, a.Column) or isinstance(item, a.Join):
        return g
    is_key = any(columns == {column.pos} for columns, _ in ctx.keys(item))
    return replace(g, distinct=False) if is_key else g
