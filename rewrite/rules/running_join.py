"""A correlated aggregate over a join that the outer block makes too, of the rows that come before the outer
one, to a running window over the join.

    SELECT i.id, (SELECT sum(x.score) FROM interview x JOIN job y ON y.id = x.job
                   WHERE y.boss = j.boss AND x.day <= i.day) AS so_far
      FROM interview i JOIN job j ON j.id = i.job
    -->
    SELECT w.id, w.so_far FROM (SELECT i.id, sum(i.score) OVER (PARTITION BY j.boss ORDER BY i.day) AS so_far
                                  FROM interview i JOIN job j ON j.id = i.job) w

The subquery's tables are matched with the outer block's, as `decorrelate_window` does; what joins them must
be asked by both. Then it is `running_window` (WinMagic) over the joined rows: what only the subquery asks
becomes FILTER, what only the outer block asks stays after the window, and so do its other tables. What ties
the two may be the key of a parent of the outer row. Hazards 14, M11, M2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner, Tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.decorrelate_window import matchings, same_equality
from rewright.rewrite.rules.rows_before import needed_rows
from rewright.rewrite.rules.running_window import (
    Running,
    Source,
    asked_of_rows,
    not_null,
    over_rows,
    running_block,
    running_rows_of,
    shown_of,
)
from rewright.sql import algebra as a
from rewright.sql.build import derived, moved_to, numbered
from rewright.sql.facts import is_equality, may_differ
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    free_of_all,
    has_subquery,
    map_kind,
    references_whole,
    renumber,
    substitute,
    used_rels,
)


@rule(
    SELECT.where(reads_tables),
    guards=("filters-after",),
    known_as="WinMagic (Zuzarte et al. 2003)",
    priority=86,
    category="join",
    # a subquery in a join's filter is priced once for each of the few rows that are expected there
    slack=10.0,
)
def running_join(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    # one table is running_window's
    if len(items) < 2 or free_of_all(items) or may_differ(block):
        return
    found = {n: r for n in asked_of_rows(block) if (r := _running(block, items, preds, n)) is not None}
    # subqueries over the same tables share one pass of windows
    for sources in dict.fromkeys(running.sources for running, _ in found.values()):
        values = {n: r for n, r in found.items() if r[0].sources == sources}
        made = _windowed(block, sources, values, ctx)
        if made is not None:
            yield made


_Values = dict[a.ScalarSubquery, tuple[Running, a.Expr]]


def _running(
    block: a.Select, items: Sequence[a.FromItem], preds: Sequence[a.Expr], node: a.ScalarSubquery
) -> tuple[Running, a.Expr] | None:
    """What a subquery asks of joined rows before the outer one, and its target in the outer row's terms."""
    inner = running_block(node.query)
    if inner is None or len(inner.items) < 2:
        return None
    for twins in matchings(block, inner):
        rels = frozenset(twins.values())
        sources = tuple(i for i in items if isinstance(i, a.Scan | a.CteScan) and i.rel in rels)
        here = _asked_of_copies(_written_alike(inner, preds, twins), preds, twins)
        running = running_rows_of(here, twins, sources)
        target = None if running is None else shown_of(inner, running, twins)
        # of several matchings the first that fits: they are copies of one another
        if running is not None and target is not None and _linked(running, preds):
            return running, target
    return None


def _written_alike(inner: Inner, preds: Sequence[a.Expr], twins: dict[int, int]) -> Inner:
    """A subquery whose equalities have their sides in the outer block's order."""
    there = set(preds)

    def alike(pred: a.Expr) -> a.Expr:
        # of two types the turned operator would be another one
        if not isinstance(pred, a.Op) or not is_equality(pred) or pred.op.left != pred.op.right:
            return pred
        other = replace(pred, args=pred.args[::-1])
        return other if renumber(other, twins) in there else pred

    return replace(inner, local=tuple(alike(p) for p in inner.local))


def _asked_of_copies(inner: Inner, preds: Sequence[a.Expr], twins: dict[int, int]) -> Inner:
    """A subquery whose ties ask the outer copy of their own column, where the outer block says that it equals
    what they ask (the key of a parent that both join).
    """

    def own(tie: Tie) -> Tie:
        image = renumber(tie.inner, twins)
        if not tie.symmetric or not any(same_equality(p, image, tie.outer) for p in preds):
            return tie
        args = (tie.inner, image) if tie.inner_first else (image, tie.inner)
        return replace(tie, outer=image, op=replace(tie.op, args=args))

    return replace(inner, ties=tuple(own(t) for t in inner.ties))


def _windowed(block: a.Select, sources: tuple[Source, ...], values: _Values, ctx: Context) -> Rewrite | None:
    items, preds = as_product(block)
    rels = frozenset(s.rel for s in sources)
    # a whole row reads all columns, and the window's table shows some
    if any(references_whole(block, r) for r in rels):
        return None
    asked = [
        (running.order, {*running.local, *not_null(running.apart(ctx))}) for running, _ in values.values()
    ]
    # rows that neither are shown nor stand before one that is
    before = needed_rows([p for p in preds if used_rels(p) <= rels], asked)
    before += [p for p in preds if p not in before and ctx.holds("filters-after", False) and _own(p, rels)]
    exprs = {n: over_rows(target, running, before, ctx) for n, (running, target) in values.items()}
    if any(e is None for e in exprs.values()):
        return None
    marks = {n: a.Column(-1, i, n.type, f"value{i + 1}") for i, n in enumerate(values)}
    outside = tuple(i for i in items if i not in sources)
    rest = replace(block, from_=outside, where=conjoin(p for p in preds if p not in before))
    rest = map_kind(rest, a.ScalarSubquery, lambda n: marks.get(n, n))
    shown = columns_used((rest,), rels)
    targets = [a.Target(marks[n].name, e) for n, e in exprs.items() if e is not None]
    windowed = a.Select((*numbered("c", shown), *targets), sources, conjoin(before))
    below, columns = derived(ctx.fresh(), "running", windowed)
    rest = substitute(rest, moved_to((*shown, *marks.values()), columns))
    made = replace(rest, from_=(below, *rest.from_))
    why = "each row's subquery reads the joined rows before it: a running window"
    return Rewrite(made, why, literal=any(p not in preds for p in before))


def _own(pred: a.Expr, rels: frozenset[int]) -> bool:
    return used_rels(pred) <= rels and not has_subquery(pred)


def _linked(running: Running, preds: Sequence[a.Expr]) -> bool:
    """Whether the outer block joins the tables as the subquery does, all of them with each other."""
    links = [p for p in running.local if len(used_rels(p)) > 1]
    # another join in the subquery pairs other rows than the outer block's
    if any(p not in preds for p in links):
        return False
    apart = {s.rel for s in running.sources}
    reached = {running.sources[0].rel}
    while found := {r for p in links for r in used_rels(p) if used_rels(p) & reached} & apart - reached:
        reached |= found
    # a table that nothing ties is multiplied with the others, in another number outside
    return reached == apart
