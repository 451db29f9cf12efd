"""A table joined with its own earlier rows and grouped by its key, to a running window.

    SELECT s.id, s.cost, sum(p.cost) FROM sale s JOIN sale p ON p.cust = s.cust AND p.day <= s.day GROUP BY
    s.id, s.cost -->
    SELECT s.id, s.cost, sum(s.cost) OVER (PARTITION BY s.cust ORDER BY s.day) FROM sale s WHERE s.cust IS NOT
    NULL AND s.day IS NOT NULL

Each row is a group, so its aggregates are those of a subquery over the copy: `running_window` does the rest
(nearest: WinMagic, Zuzarte et al. 2003). An inner join keeps the rows that find a partner: each finds itself
where ``<=`` asks for no more than what holds of the row and nothing compared is NULL. A LEFT JOIN keeps all;
what is aggregated is then a column of the copy, which the padded row has none of. Other tables may be joined
to the row if it is still one of its group. Hazards 6d, 14.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, grouped, no_windows, rule, stable
from rewright.rewrite.rules.partial import aggregates, inputs, with_values
from rewright.rewrite.rules.running_window import (
    Running,
    Source,
    adds_up,
    not_null,
    running_rows,
    running_window,
)
from rewright.sql import algebra as a
from rewright.sql.facts import labels
from rewright.sql.walk import (
    as_product,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    free_rels,
    group_keys,
    same_source,
)


@dataclass(frozen=True, slots=True)
class _SelfJoin:
    """``kept`` joined with ``copy``: conditions on the kept row alone, and all others. ``outer``: rows
    without a partner stay. ``others``: what the kept row is joined with besides.
    """

    kept: Source
    copy: Source
    own: tuple[a.Expr, ...]
    between: tuple[a.Expr, ...]
    outer: bool
    others: tuple[a.FromItem, ...] = ()


@rule(
    SELECT.where(grouped, no_windows, stable),
    guards=("groups-are-rows", "padding-adds-nothing", "finds-itself", "asks-the-same"),
    known_as="WinMagic (Zuzarte et al. 2003)",
    priority=74,
    category="join",
)
def grouped_running(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for join in _self_joins(block):
        made = _as_subqueries(block, join, ctx)
        if made is not None:
            query, basis = made
            for found in running_window.apply(query, ctx):
                why = "each row is joined with the rows that come before it: a running window"
                yield Rewrite(found.block, why, basis)
            # one reading that works is enough: others are the same join with the copies' roles changed
            return


def _self_joins(block: a.Select) -> Iterator[_SelfJoin]:
    """Both readings of an inner join of two copies, the one of a LEFT JOIN."""
    where = conjuncts(block.where)
    match block.from_:
        case (
            a.Join(
                kind="left", left=a.Scan() | a.CteScan() as kept, right=a.Scan() | a.CteScan() as copy
            ) as join,
        ):
            # a condition on the padded copy makes it an inner join, which is not this case
            if not any(copy.rel in free_rels(p) for p in where):
                yield _SelfJoin(kept, copy, where, conjuncts(join.on), outer=True)
        case _:
            items, preds = as_product(block)
            for one, other in itertools.combinations(items, 2):
                if not isinstance(one, a.Scan | a.CteScan) or not isinstance(other, a.Scan | a.CteScan):
                    continue
                rest = tuple(i for i in items if i is not one and i is not other)
                # a LATERAL item beside them may read the copy that goes
                if same_source(one, other) and not free_of_all(rest):
                    yield from _readings(one, other, tuple(preds), rest)


def _readings(
    one: Source, other: Source, preds: tuple[a.Expr, ...], others: tuple[a.FromItem, ...]
) -> Iterator[_SelfJoin]:
    # either of the two may be the row that is shown and the other what comes before it
    for kept, copy in ((one, other), (other, one)):
        own = tuple(p for p in preds if copy.rel not in free_rels(p))
        yield _SelfJoin(kept, copy, own, tuple(p for p in preds if p not in own), outer=False, others=others)


def _as_subqueries(block: a.Select, join: _SelfJoin, ctx: Context) -> tuple[a.Select, frozenset[str]] | None:
    """The block with a subquery over the copy for each aggregate, and the constraints that make each row a
    group.
    """
    keys = group_keys(block)
    basis = _rows_of_groups(keys, join, ctx)
    if not ctx.holds("groups-are-rows", bool(keys) and basis is not None):
        return None
    found = aggregates(block)
    if not found or not all(adds_up(g) for g in found):
        return None
    # an aggregate of the kept row counts it once for each earlier row
    if any(free_of_all(inputs(g)) != {join.copy.rel} for g in found if not g.star):
        return None
    source = a.Select((), (join.copy,), conjoin(join.between), group_by=((),))
    inner = take_apart(source)
    running = running_rows(inner, join.kept) if inner is not None else None
    if running is None or not (
        _padding_adds_nothing(found, ctx) if join.outer else _finds_itself(running, join, ctx)
    ):
        return None
    # an inner join drops rows whose compared values are NULL, as they find not even themselves
    apart = [] if join.outer else not_null(running.apart(ctx))
    subqueries: dict[a.Aggregate, a.Expr] = {}
    for g in found:
        query, _ = copy_fresh(replace(source, targets=(a.Target("v", g),)), ctx.fresh)
        subqueries[g] = a.ScalarSubquery(query, g.type)
    rest = with_values(replace(block, from_=(), where=None, group_by=None), subqueries)
    # what is shown of the copy itself is one of many rows
    if join.copy.rel in free_rels(rest):
        return None
    where = conjoin(dict.fromkeys((*join.own, *apart, *conjuncts(rest.having))))
    made = replace(rest, from_=(join.kept, *join.others), where=where, having=None)
    return made, basis or frozenset()


def _rows_of_groups(keys: Sequence[a.Expr], join: _SelfJoin, ctx: Context) -> frozenset[str] | None:
    """The constraints by which no two rows, the copy's aside, are of one group; None where they may be."""
    columns = [(k.rel, k.pos) for k in keys if isinstance(k, a.Column)]
    if not join.others:
        have = {pos for rel, pos in columns if rel == join.kept.rel}
        return next((b for key, b in ctx.keys(join.kept) if key <= have), None)
    rows = a.Select((), (join.kept, *join.others), conjoin(join.own))
    basis = ctx.facts.determines_rows(rows, columns)
    return None if basis is None else labels(basis)


def _padding_adds_nothing(aggregates: list[a.Aggregate], ctx: Context) -> bool:
    # count(*) and coalesce(p.cost, 0) count the padded row too
    return ctx.holds(
        "padding-adds-nothing", all(len(g.args) == 1 and isinstance(g.args[0], a.Column) for g in aggregates)
    )


def _finds_itself(running: Running, join: _SelfJoin, ctx: Context) -> bool:
    """Whether each kept row without NULLs where it is compared is among its own partners."""
    # by `<` a row is no partner of its own, and the first one has none
    inclusive = ctx.holds("finds-itself", not running.order.strict)
    # a condition on the copy alone may refuse the row itself as its own partner
    return inclusive and ctx.holds("asks-the-same", all(p in join.own for p in running.local))
