"""A LEFT JOIN on either of several columns becomes one on a key: each row stands there once for each column.

    SELECT c.id, sum(s.amount) FROM cust c LEFT JOIN sale s ON (s.cust = c.id OR s.part = c.id) AND s.qty > 1
    GROUP BY c.id -->
    SELECT c.id, sum(e.amount) FROM cust c LEFT JOIN (SELECT s.cust AS key, s.amount FROM sale s WHERE s.qty >
    1 UNION ALL SELECT s.part, s.amount FROM sale s WHERE s.qty > 1 AND (s.cust = s.part) IS NOT TRUE) e
    ON e.key = c.id GROUP BY c.id

A disjunction can only be joined by comparing every pair, an outer one in no other way at all. All arms ask
the same expression of the row that is kept, so that a row meets two of them only where its own columns are
equal: there it stands for the first alone. Hazards 9, 11; or_join_union does the same for inner joins.

Known as OR-expansion of joins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Tie, as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule, stable
from rewright.sql import algebra as a
from rewright.sql.build import moved_to, numbered, union_all
from rewright.sql.walk import (
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    disjuncts,
    free_rels,
    from_tree,
    is_lateral,
    references_whole,
    replace_item,
    substitute,
)


@dataclass(frozen=True, slots=True)
class _Either:
    """``ties``: the arms; ``own``: conditions on the padded side alone; ``rest``: others of ON."""

    join: a.Join
    right: a.Leaf
    ties: Sequence[Tie]
    own: Sequence[a.Expr]
    rest: Sequence[a.Expr]


@rule(
    SELECT.where(reads_tables, stable),
    known_as="OR-expansion of joins",
    priority=68,
    category="join",
)
def or_outer_join(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for place, item in enumerate(block.from_):
        for join in from_tree(item):
            found = _either(join) if isinstance(join, a.Join) else None
            if found is None or references_whole(block, found.right.rel):
                continue
            # what is shown of the padded side, the arms aside
            bare = replace(found.join, on=conjoin(found.rest))
            around = replace(
                block,
                from_=(*block.from_[:place], replace_item(item, found.join, bare), *block.from_[place + 1 :]),
            )
            yield Rewrite(
                _joined(around, place, bare, found, ctx),
                "a join on either of several columns is one on a key",
            )


def _either(join: a.Join) -> _Either | None:
    right = join.right
    # a whole row, or what reads the items beside it, has no place in a UNION's arms
    if join.kind != "left" or isinstance(right, a.Join) or is_lateral(right):
        return None
    inside = frozenset({right.rel})
    preds = conjuncts(join.on)
    found = tied_either(preds, inside)
    if found is None:
        return None
    choice, ties = found
    others = [p for p in preds if p != choice]
    own = [p for p in others if free_rels(p) <= inside]
    return _Either(join, right, ties, own, [p for p in others if p not in own])


def tied_either(preds: Sequence[a.Expr], inside: frozenset[int]) -> tuple[a.Expr, Sequence[Tie]] | None:
    """The one disjunction by which rows are tied to what is outside, and its arms; None where there is no
    such or the arms ask for different values.
    """
    # a disjunction of the inner rows alone is a filter of them
    choices = [p for p in preds if len(disjuncts(p)) > 1 and free_rels(p) - inside]
    if len(choices) != 1:
        return None
    ties = [as_tie(arm, inside) for arm in disjuncts(choices[0])]
    known = [t for t in ties if t is not None and t.symmetric and isinstance(t.inner, a.Column)]
    # arms with different outer values: the inner row has no one key
    if len(known) < len(ties) or len({(t.outer, t.inner.type, t.op.op) for t in known}) > 1:
        return None
    return choices[0], known


def _joined(block: a.Select, place: int, join: a.Join, found: _Either, ctx: Context) -> a.Select:
    shown = columns_used((block,), (found.right.rel,))
    either, columns = by_key((found.right,), found.own, found.ties, shown, ctx)
    on = conjoin((found.ties[0].with_inner(columns[0]), *found.rest))
    made = replace(join, right=either, on=on)
    item = replace_item(block.from_[place], join, made)
    from_ = (*block.from_[:place], item, *block.from_[place + 1 :])
    return substitute(replace(block, from_=from_), moved_to(shown, columns[1:]))


def by_key(
    from_: tuple[a.FromItem, ...],
    own: Sequence[a.Expr],
    ties: Sequence[Tie],
    shown: Sequence[a.Column],
    ctx: Context,
) -> tuple[a.Derived, list[a.Column]]:
    """Rows once for each of the columns by which they are tied, and not twice for one value: the key and what
    is shown of the rows.
    """
    arms = []
    for number, tie in enumerate(ties):
        before = [
            # equal by the same operator: a row of which both columns are NULL meets neither arm
            a.IsBool(replace(tie.op, args=(t.inner, tie.inner)), "true", negated=True)
            for t in ties[:number]
        ]
        targets = (a.Target("key", tie.inner), *numbered("c", shown))
        arms.append(copy_fresh(a.Select(targets, from_, conjoin((*own, *before))), ctx.fresh)[0])
    new = ctx.fresh()
    names = tuple(t.name for t in arms[0].targets)
    columns = [a.Column(new, i, t.expr.type, t.name) for i, t in enumerate(arms[0].targets)]
    return a.Derived(new, union_all(arms), "either", names), columns
