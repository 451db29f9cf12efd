"""A LEFT JOIN that keeps the rows without a partner is NOT EXISTS.

    SELECT o.id FROM ord o LEFT JOIN ord p ON p.cust = o.cust AND p.day > o.day WHERE p.id IS NULL
    -->
    SELECT o.id FROM ord o WHERE NOT EXISTS (SELECT 1 FROM ord p WHERE p.cust = o.cust AND p.day > o.day)

The column that is NULL is none in the table, so that only padded rows show NULL. The server knows this of
columns of the join condition only. Other rules go on from NOT EXISTS. Known as outer join to anti-join.
Hazards 3a.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, filtered, rule
from rewright.sql import algebra as a
from rewright.sql.build import ONE
from rewright.sql.facts import may_differ, rejected_columns
from rewright.sql.walk import (
    as_product,
    conjoin,
    conjuncts,
    from_rels,
    from_tree,
    replace_item,
    unpadded_tree,
    used_rels,
)


@rule(
    SELECT.where(filtered),
    guards=("null-is-padding",),
    known_as="outer join to anti-join",
    priority=77,
    category="join",
)
def anti_join(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for item in as_product(block)[0]:
        kept = {id(i) for i in unpadded_tree(item)}
        for join in from_tree(item):
            if not isinstance(join, a.Join) or join.kind != "left" or join.on is None:
                continue
            # a row that joins around it pad has no partner: of its NULLs ON may find one
            if id(join) in kept or _finds_none_of_nulls(join.on, join.left):
                made = _without_partner(block, join, ctx)
                if made is not None:
                    yield Rewrite(made, "rows that a LEFT JOIN finds no partner for are those without one")


def _without_partner(block: a.Select, join: a.Join, ctx: Context) -> a.Select | None:
    right = join.right
    # a subquery or a function table on the right would have to be copied into EXISTS as a whole
    if not isinstance(right, a.Scan) or join.on is None or may_differ(join.on):
        return None
    preds = conjuncts(block.where)
    asked = [p for p in preds if _is_null(p, right.rel)]
    # `p.note IS NULL` of a nullable column also keeps rows whose partner has no note
    filled = any(
        isinstance(p, a.IsNull) and isinstance(p.arg, a.Column) and ctx.column_filled(right, p.arg.pos)
        for p in asked
    )
    if not asked or not ctx.holds("null-is-padding", filled):
        return None
    # EXISTS stands in WHERE: what its condition reads has to be in scope there
    if not used_rels(join.on) - {right.rel} <= from_rels((join.left,)):
        return None
    none = a.Not(a.Exists(a.Select(ONE, (right,), join.on)))
    from_ = tuple(replace_item(i, join, join.left) for i in block.from_)
    rest = [p for p in preds if p not in asked]
    # whoever else reads the right side sees NULLs now, and would see nothing after it
    bare = replace(block, from_=from_, where=conjoin(rest))
    return None if right.rel in used_rels(bare) else replace(bare, where=conjoin((*rest, none)))


def _finds_none_of_nulls(on: a.Expr, side: a.FromItem) -> bool:
    """Whether a condition is not TRUE of a row whose columns are all NULL on one side."""
    return any(rel in from_rels((side,)) for rel, _ in rejected_columns(on))


def _is_null(pred: a.Expr, rel: int) -> bool:
    # `p IS NULL` of a whole row is TRUE of a row whose columns are all NULL
    plain = isinstance(pred, a.IsNull) and not pred.negated and not pred.row_form
    return plain and isinstance(pred, a.IsNull) and isinstance(pred.arg, a.Column) and pred.arg.rel == rel
