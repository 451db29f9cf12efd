"""Semi-joins that follow from a block's joins: ``x.k = r.k`` and a filter on r give ``x.k IN (SELECT r.k
…)``.

Shared by the rules that carry such restrictions to where they save work. Must not know those rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rewright.equivalence.laws.correlation import Tie, as_tie
from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, may_differ
from rewright.sql.facts.effects import NO_ERRORS, OVERFLOW, errors_of_expr
from rewright.sql.facts.looks import look_of_type
from rewright.sql.types import SqlType, equality_is_identity
from rewright.sql.walk import (
    columns_used,
    conjoin,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    has_subquery,
    substitute,
    used_rels,
)


def equal_columns(preds: Sequence[a.Expr], identical: Callable[[SqlType], bool]) -> list[list[a.Column]]:
    """Columns of different items that ``preds`` equate, by classes; ``identical``: whether values of a type
    that are equal are the same.
    """
    groups: list[list[a.Column]] = []
    for pred in preds:
        if not is_equality(pred) or not isinstance(pred, a.Op):
            continue
        one, other = pred.args
        # `a.x = a.y` says nothing of another item
        if not isinstance(one, a.Column) or not isinstance(other, a.Column) or one.rel == other.rel:
            continue
        # of equal values that look different (1.0, 1.00) a filter on the text may tell them apart
        if not _alike(one.type, other.type, identical):
            continue
        # an equality may join two classes into one
        near = [g for g in groups if one in g or other in g]
        groups = [g for g in groups if g not in near]
        groups.append(list(dict.fromkeys([c for g in near for c in g] + [one, other])))
    return groups


def _alike(one: SqlType, other: SqlType, identical: Callable[[SqlType], bool]) -> bool:
    """Whether equal values of two types are the same: of any length, or padded to one length."""
    same = one.without_typmod() == other.without_typmod() and identical(one)
    return same or (one == other and look_of_type(one) is not None)


def carried(preds: Sequence[a.Expr], ties: Sequence[a.Expr], rel: int, ctx: Context) -> list[a.Expr]:
    """What ``preds`` ask of columns that ``ties`` equate with those of one item, asked of that item's: with
    ``b.k = a.k``, a filter, a list of a subquery's or an equality with a third table on a.k is one on b.k.
    """
    found: list[a.Expr] = []
    for group in equal_columns(ties, equality_is_identity):
        mine = next((c for c in group if c.rel == rel), None)
        for twin in group if mine is not None else ():
            assert mine is not None
            for pred in preds if twin.rel != rel else ():
                # a condition that reads the item already stays one of two tables
                if rel in free_rels(pred) or twin not in columns_used((pred,), (twin.rel,)):
                    continue
                made = substitute(pred, {(twin.rel, twin.pos): mine})
                # several columns of one table in a condition: all would have to be equal to the item's
                if twin.rel not in free_rels(made) and made not in found and _repeatable(pred, ctx):
                    found.append(made)
    return found


# asked twice it must say the same, and raise nothing that was not raised
def _repeatable(pred: a.Expr, ctx: Context) -> bool:
    return not may_differ(pred) and (has_subquery(pred) or ctx.facts.cannot_fail(pred))


def implied_semijoins(
    items: Sequence[a.FromItem], preds: Sequence[a.Expr], target: a.FromItem, ctx: Context
) -> Iterator[a.Quantified]:
    """``columns of target IN (SELECT … FROM neighbour(s) WHERE their own filters)``, one a neighbour.

    ``items`` and ``preds`` are a product and its conjuncts, so that each conjunct holds for every row that
    counts. A neighbour takes its own filtered neighbours along, and what is found by keys behind them.
    """
    mine = from_rels((target,))
    scope = from_rels(items)
    for item in items:
        # a function's rows may depend on other items, a join's on its padding
        if item is target or isinstance(item, a.Join | a.FunctionScan):
            continue
        rels = from_rels((item,))
        # a tie may read the target and this neighbour alone
        ties = [
            t for p in preds if free_rels(p) & scope <= rels | mine and (t := as_tie(p, mine)) is not None
        ]
        # of two types the operator may stand the wrong way round for IN
        ties = [
            t for t in ties if used_rels(t.outer) == rels and isinstance(t.inner, a.Column) and t.symmetric
        ]
        if not ties:
            continue
        near, own = _with_filters(item, items, preds, mine, ctx)
        # a neighbour without a filter lets all keys through
        if not own or free_of_all(near) or may_differ(a.Select((), tuple(near), conjoin(own))):
            continue
        # with the conditions that cannot fail, and with all: the first may be proved, the second leaves fewer
        # keys
        for asked in dict.fromkeys((_sure(own), tuple(own))):
            block = a.Select(
                tuple(a.Target(f"k{i}", t.outer) for i, t in enumerate(ties)), tuple(near), conjoin(asked)
            )
            copied, _ = copy_fresh(block, ctx.fresh)
            yield a.Quantified("=", tuple(t.op.op for t in ties), tuple(t.inner for t in ties), copied)


def _sure(own: Sequence[a.Expr]) -> tuple[a.Expr, ...]:
    """The conditions that raise nothing but overflows, or all where there are no such: what the others might
    raise is raised once more where they are asked once more, and leaves a proof open.
    """
    kept = tuple(p for p in own if not errors_of_expr(p, lambda _: True, lambda _: NO_ERRORS) - OVERFLOW)
    return kept or tuple(own)


def _with_filters(
    item: a.FromItem,
    items: Sequence[a.FromItem],
    preds: Sequence[a.Expr],
    mine: frozenset[int],
    ctx: Context,
) -> tuple[list[a.FromItem], list[a.Expr]]:
    """A neighbour with the filtered tables that are joined to it, and with those found one after the other by
    their keys (snowflakes) that filters lie behind; and all conditions on these alone.
    """
    scope = from_rels(items)
    # only plain tables are taken along: a derived one is work of its own
    others = [i for i in items if i is not item and isinstance(i, a.Scan) and not from_rels((i,)) & mine]
    # tied to the neighbour and filtered: fewer of its keys are left
    near = [item, *(o for o in others if _filtered(o, preds, scope) and _tied(o, [item], preds, scope))]
    near = [*near, *_behind(near, [o for o in others if o not in near], preds, scope, ctx)]
    reach = from_rels(near)
    own = [p for p in preds if free_rels(p) and free_rels(p) <= reach and _is_filter(p)]
    return near, own


def _filtered(item: a.FromItem, preds: Sequence[a.Expr], scope: frozenset[int]) -> bool:
    theirs = from_rels((item,))
    return any(free_rels(p) & scope == theirs and _is_filter(p) for p in preds)


def _is_filter(pred: a.Expr) -> bool:
    """Also a list of a query's own; what asks a query again for each row would be asked twice as often."""
    own_list = (
        isinstance(pred, a.Quantified) and pred.kind == "=" and not pred.all and not free_rels(pred.query)
    )
    return own_list or not has_subquery(pred)


def _tied(
    item: a.Scan, near: Sequence[a.FromItem], preds: Sequence[a.Expr], scope: frozenset[int]
) -> list[Tie]:
    """The equalities of an item's columns with those that are near."""
    theirs, rels = from_rels((item,)), from_rels(near)
    found = (
        as_tie(p, theirs) for p in preds if free_rels(p) & scope <= theirs | rels and free_rels(p) & rels
    )
    return [t for t in found if t is not None]


def _behind(
    near: Sequence[a.FromItem],
    others: Sequence[a.Scan],
    preds: Sequence[a.Expr],
    scope: frozenset[int],
    ctx: Context,
) -> list[a.FromItem]:
    """The tables that are found by key from those near, and from these again, as far as filters lie there."""
    # by what each was found: the tables on the way to it, itself included
    ways: dict[int, tuple[a.Scan, ...]] = {}
    # grows while it is gone through: what is found by key leads on
    reached: list[a.FromItem] = list(near)
    for here in reached:
        for other in others:
            ties = () if other.rel in ways else _tied(other, [here], preds, scope)
            tied = {t.inner.pos for t in ties if isinstance(t.inner, a.Column)}
            # found by key a row has one such partner: the list of keys grows no longer
            if any(key <= tied for key, _ in ctx.keys(other)):
                ways[other.rel] = (*(ways.get(here.rel, ()) if isinstance(here, a.Scan) else ()), other)
                reached.append(other)
    # a chain that ends without a filter leaves no key out
    ends = (way for way in ways.values() if _filtered(way[-1], preds, scope))
    return list(dict.fromkeys(one for way in ends for one in way))
