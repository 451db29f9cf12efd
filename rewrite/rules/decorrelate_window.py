"""Correlated aggregate over a table that the outer block reads too, to a window over the outer rows.

    SELECT sum(l.price) FROM part p, line l WHERE l.part = p.id AND p.brand = 'b'
       AND l.qty < (SELECT 0.2 * avg(i.qty) FROM line i WHERE i.part = p.id)
    -->
    SELECT sum(w.price) FROM (SELECT l.price, l.qty, 0.2 * avg(l.qty) OVER (PARTITION BY p.id) AS v
                                FROM part p, line l WHERE l.part = p.id AND p.brand = 'b') w
     WHERE w.qty < w.v

The subquery's tables are matched with tables of the outer block (the *twins*); conjuncts both sides have
are applied before the window, those only the subquery has become FILTER, those only the outer block has
are applied after the window. The partition is one row of the outer items the subquery is tied to (by
their keys), or the tied column itself where it belongs to a twin. Hazards 14; Zuzarte et al., "WinMagic"
(SIGMOD 2003).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

from rewright.equivalence.laws.correlation import Inner, Tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.correlation import scalar_aggregates
from rewright.sql import algebra as a
from rewright.sql.build import derived, moved_to, over
from rewright.sql.facts import may_differ, null_on_empty, order_sensitive, rejects_null_of
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    free_of_all,
    free_rels,
    from_rels,
    references_whole,
    renumber,
    replace_node,
    same_source,
    substitute,
    used_rels,
    walk_block,
)

# matchings are permutations: five twins are 120 of them already
MOST_TWINS = 5


@rule(
    SELECT,
    guards=("null-is-rejected", "holder-has-key"),
    known_as="WinMagic (Zuzarte et al. 2003)",
    priority=95,
    category="others",
)
def decorrelate_window(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for conjunct, node, inner in scalar_aggregates(block):
        # an outer row without tied rows is in no window: the condition has to refuse the NULL it would have
        # seen
        if inner.others or not ctx.holds(
            "null-is-rejected",
            null_on_empty(inner.select.targets[0].expr) and rejects_null_of(conjunct, node),
        ):
            continue
        for twins in matchings(block, inner):
            made = _windowed(block, conjunct, node, inner, twins, ctx)
            if made is not None:
                yield made
                break


def matchings(block: a.Select, inner: Inner) -> Iterator[dict[int, int]]:
    """Ways to match each item of the subquery with an outer item that reads the same rows."""
    outer = [i for i in as_product(block)[0] if isinstance(i, a.Scan | a.CteScan)]
    own = [i for i in inner.items if isinstance(i, a.Scan | a.CteScan)]
    # a derived table among the subquery's items has no twin that could be compared
    if len(own) > MOST_TWINS or len(own) < len(inner.items):
        return
    # before the permutations: most subqueries read a table that the outer block does not
    if not all(any(same_source(i, o) for o in outer) for i in own):
        return
    for chosen in permutations(outer, len(own)):
        pairs = list(zip(own, chosen, strict=True))
        if all(same_source(i, o) for i, o in pairs):
            yield {i.rel: o.rel for i, o in pairs}


@dataclass(frozen=True, slots=True)
class _Partition:
    """What a window runs over: partition expressions, the outer items inside, the constraints relied on."""

    by: tuple[a.Expr, ...]
    nullable: tuple[a.Expr, ...]
    holders: frozenset[int]
    joins: tuple[a.Expr, ...]
    assumptions: frozenset[str]


def _partition(
    items: list[a.FromItem],
    preds: list[a.Expr],
    ties: tuple[Tie, ...],
    twins: Mapping[int, int],
    ctx: Context,
) -> _Partition | None:
    by: list[a.Expr] = []
    nullable: list[a.Expr] = []
    joins: list[a.Expr] = []
    holders: set[int] = set()
    twin_rels = frozenset(twins.values())
    for tie in ties:
        image = renumber(tie.inner, twins)
        # the subquery is tied to the twin's own column (`i.part = l.part`): that column is the partition
        if image == tie.outer:
            by.append(image)
            nullable.append(image)
            continue
        wanted = used_rels(tie.outer)
        # tied to the other column of a twin, one row has another partition than the rows beside it
        if wanted & twin_rels or not wanted <= from_rels(items):
            return None
        join = next((p for p in preds if same_equality(p, image, tie.outer)), None)
        # without the same join outside, the twin's rows are not those that the subquery finds
        if join is None:
            return None
        joins.append(join)
        holders |= wanted
    assumptions: frozenset[str] = frozenset()
    for item in items:
        if not from_rels((item,)) & holders:
            continue
        keys = ctx.keys(item)
        # two equal rows of a holder without key would share one partition, and count each other's rows
        if isinstance(item, a.Join) or not ctx.holds("holder-has-key", bool(keys)):
            return None
        # any key does, the first is as good; with the guard off in tests the first column stands for one
        columns, basis = keys[0] if keys else (frozenset({0}), frozenset())
        assumptions |= basis
        types = _types_of(item)
        by += [a.Column(item.rel, p, types[p].type, types[p].name) for p in sorted(columns)]
    return _Partition(
        tuple(dict.fromkeys(by)), tuple(nullable), frozenset(holders), tuple(joins), assumptions
    )


def _types_of(item: a.FromItem) -> tuple[a.OutputColumn, ...]:
    match item:
        case a.Scan() | a.CteScan() | a.ValuesScan() | a.FunctionScan():
            return item.columns
        case a.Derived():
            shown = a.output_columns(item.query)
            return tuple(a.OutputColumn(n, c.type) for n, c in zip(item.names, shown, strict=True))
        case a.Join():
            return ()


def same_equality(pred: a.Expr, one: a.Expr, other: a.Expr) -> bool:
    return (
        isinstance(pred, a.Op)
        and pred.op.btree == "="
        and pred.op.is_builtin
        and pred.args in {(one, other), (other, one)}
    )


def _windowed(
    block: a.Select,
    conjunct: a.Expr,
    node: a.ScalarSubquery,
    inner: Inner,
    twins: dict[int, int],
    ctx: Context,
) -> Rewrite | None:
    items, preds = as_product(block)
    part = _partition(items, preds, inner.ties, twins, ctx)
    if part is None or not part.by:
        return None
    # outside items would multiply the window's rows: they are joined above it
    inside_rels = frozenset(twins.values()) | part.holders
    inside = [i for i in items if from_rels((i,)) <= inside_rels]
    outside = [i for i in items if not from_rels((i,)) <= inside_rels]
    # a LATERAL item cannot be moved to the other side of the window; a whole row has no column there
    if free_of_all(items) or any(references_whole(block, r) for r in inside_rels):
        return None
    local = [renumber(p, twins) for p in inner.local]
    shared = [p for p in preds if p in local]
    # conditions of the subquery alone choose among the window's rows by FILTER, and drop none
    extra = [p for p in local if p not in preds]
    holder_only = [
        p
        for p in preds
        # on holders alone: a holder's row goes with its whole partition, so it may go before
        if p not in shared and p != conjunct and free_rels(p) & from_rels(items) <= part.holders
    ]
    before = [*part.joins, *shared, *[p for p in holder_only if p not in part.joins]]
    if any(may_differ(p) for p in preds) or any(may_differ(p) for p in extra):
        return None
    after = [p for p in preds if p not in before]
    value = _over(renumber(inner.select.targets[0].expr, twins), part.by, extra)
    if value is None:
        return None
    return _assemble(block, conjunct, node, (inside, outside), (before, after), value, part, ctx)


def _over(target: a.Expr, by: tuple[a.Expr, ...], extra: list[a.Expr]) -> a.Expr | None:
    """Aggregates of ``target`` as window calls over the whole partition."""
    # PostgreSQL has no DISTINCT in window calls, and a window's frame gives no order to array_agg
    if any(isinstance(n, a.Aggregate) and (n.distinct or order_sensitive(n)) for n in walk_block(target)):
        return None
    return over(target, a.Window(by, (), a.Frame()), extra)


def _assemble(
    block: a.Select,
    conjunct: a.Expr,
    node: a.ScalarSubquery,
    items: tuple[list[a.FromItem], list[a.FromItem]],
    preds: tuple[list[a.Expr], list[a.Expr]],
    value: a.Expr,
    part: _Partition,
    ctx: Context,
) -> Rewrite:
    (inside, outside), (before, after) = items, preds
    rest = replace(block, from_=(), where=None)
    # rel -1 is nobody's: the subquery's place, until the window's column is known
    marked = a.Column(-1, 0, node.type, "value")
    later = [replace_node(p, node, marked) if p == conjunct else p for p in after]
    # NULL keys are one partition, but `i.part = NULL` is met by no row: the subquery was NULL there
    later += [a.IsNull(e, negated=True) for e in part.nullable if ctx.holds("null-keys-dropped", True)]
    shown = columns_used((rest, *later, *outside), from_rels(inside))
    targets = _distinct_names(tuple(a.Target(c.name or f"c{i}", c) for i, c in enumerate(shown)))
    windowed = a.Select((*targets, a.Target("agg_value", value)), tuple(inside), conjoin(before))
    below, columns = derived(ctx.fresh(), "win", windowed)
    mapping = moved_to(shown, columns)
    mapping[-1, 0] = columns[-1]
    made = substitute(rest, mapping)
    where = conjoin(substitute(p, mapping) for p in later)
    moved = tuple(substitute(i, mapping) for i in outside)
    return Rewrite(
        replace(made, from_=(below, *moved), where=where),
        "the subquery reads rows that the outer query has already: a window over them gives its value",
        part.assumptions,
    )


def _distinct_names(targets: tuple[a.Target, ...]) -> tuple[a.Target, ...]:
    seen: dict[str, int] = {}
    made = []
    # one column of two twins (l.id, m.id) has one name twice
    for t in targets:
        n = seen[t.name] = seen.get(t.name, 0) + 1
        made.append(t if n == 1 else a.Target(f"{t.name}_{n}", t.expr))
    return tuple(made)
