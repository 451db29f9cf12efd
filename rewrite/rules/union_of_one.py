"""UNION of arms that show the same columns of the same tables is one arm with the conditions of either.

    SELECT o.id FROM ord o WHERE o.total > 9 UNION SELECT p.id FROM ord p WHERE p.note = 'x'
    -->
    SELECT DISTINCT o.id FROM ord o WHERE o.total > 9 OR o.note = 'x'

A row that meets both is shown once either way. DISTINCT goes where a key is shown (drop_distinct). What both
ask is asked once. Hazards 9, 11.

Calcite: UnionMergeRule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SET_OPERATION, Context, Rewrite, rule, stable
from rewright.sql import algebra as a
from rewright.sql.walk import as_product, conjoin, disjuncts, has_aggregate, is_plain, renumber, same_source


@rule(
    SET_OPERATION.where(stable),
    guards=("same-columns",),
    known_as="UnionMergeRule",
    priority=78,
    category="others",
)
def union_of_one(block: a.SetOp, ctx: Context) -> Iterator[Rewrite]:
    left, right = _plain(block.left), _plain(block.right)
    # UNION ALL shows a row of both arms twice; WITH TIES is cut after the order of the UNION
    if block.op != "union" or block.all or left is None or right is None or block.with_ties:
        return
    items, preds = as_product(left)
    rels = _alike(items, as_product(right)[0])
    if rels is None:
        return
    theirs = [renumber(p, rels) for p in as_product(right)[1]]
    shown = [renumber(t.expr, rels) for t in right.targets]
    # other columns of the same rows are other rows
    if not ctx.holds("same-columns", [t.expr for t in left.targets] == shown):
        return
    # a column that the UNION casts would look different
    if [t.expr.type for t in left.targets] != [c.type for c in block.columns]:
        return
    made = replace(
        left,
        targets=tuple(replace(t, name=c.name) for t, c in zip(left.targets, block.columns, strict=True)),
        from_=tuple(items),
        where=_either(preds, theirs),
        distinct=(),
        order_by=tuple(
            a.SortKey(left.targets[k.pos].expr, k.descending, k.nulls_first, k.op) for k in block.order_by
        ),
        limit=block.limit,
        offset=block.offset,
        ctes=block.ctes,
    )
    yield Rewrite(made, "both arms read the same tables, so that one reads them for both")


def _plain(arm: a.Query) -> a.Select | None:
    """A Select of tables and conditions; DISTINCT in an arm makes no difference to UNION."""
    # DISTINCT ON keeps some rows of an arm only
    if not isinstance(arm, a.Select) or not (arm.distinct is None or arm.distinct == ()):
        return None
    bare = replace(arm, distinct=None)
    return (
        bare
        if is_plain(bare) and bare.from_ and not any(has_aggregate(t.expr) for t in bare.targets)
        else None
    )


def _alike(mine: list[a.FromItem], theirs: list[a.FromItem]) -> dict[int, int] | None:
    """The range variables of the second list as those of the first, where both read the same tables."""
    found: dict[int, int] = {}
    if len(mine) != len(theirs):
        return None
    left = list(mine)
    for other in theirs:
        one = next((i for i in left if same_source(i, other)), None)
        # pairs of self-joined tables are taken as they come; other pairs are not looked for
        if one is None or isinstance(one, a.Join) or isinstance(other, a.Join):
            return None
        left.remove(one)
        found[other.rel] = one.rel
    return found


def _either(mine: list[a.Expr], theirs: list[a.Expr]) -> a.Expr | None:
    """What both ask, and what either asks besides."""
    both = [p for p in mine if p in theirs]
    one = conjoin(p for p in mine if p not in both)
    other = conjoin(p for p in theirs if p not in both)
    # an arm without conditions of its own has all rows that meet the common ones
    if one is None or other is None:
        return conjoin(both)
    # ORs are made one list of arms
    return conjoin((*both, a.Or((*disjuncts(one), *disjuncts(other)))))
