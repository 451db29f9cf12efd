"""A condition on a column holds for the columns that equal it, too.

    SELECT v.id FROM visit v JOIN ord o ON o.cust = v.cust WHERE v.cust BETWEEN 3 AND 5
    -->
    SELECT v.id FROM visit v JOIN ord o ON o.cust = v.cust WHERE v.cust BETWEEN 3 AND 5 AND o.cust BETWEEN 3
    AND 5

The server does this for equality with a constant only; ranges, lists and patterns stay on one side. Through
LEFT JOIN the condition goes from the kept side's WHERE into ON. Equal must mean identical. Calcite:
JoinPushTransitivePredicatesRule. Hazards 7d.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.semijoins import equal_columns
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, may_differ
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    Place,
    as_product,
    conjoin,
    conjuncts,
    from_rels,
    has_subquery,
    substitute,
    walk,
)

# more conditions than these cost more to check for each row than they leave out
MOST_ADDED = 6


@rule(
    SELECT.where(reads_tables),
    guards=("equal-is-identical",),
    known_as="JoinPushTransitivePredicatesRule",
    priority=62,
    category="predicate",
)
def transitive(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    added = _implied(preds, [p for p in preds if _says_more(p, ctx)], ctx)
    # what the kept side must meet goes into ON of the LEFT JOINs around it
    outer = tuple(_padded(i, preds, ctx) for i in items)
    changed = any(m is not i for m, i in zip(outer, items, strict=True))
    if (added or changed) and len(added) <= MOST_ADDED:
        made = replace(block, from_=outer, where=conjoin((*preds, *added)))
        yield Rewrite(made, "conditions on a column are asked of the columns that equal it")


def _padded(item: a.FromItem, preds: Sequence[a.Expr], ctx: Context) -> a.FromItem:
    """A LEFT JOIN whose ON asks the padded side for what the kept side must meet anyway."""
    if not isinstance(item, a.Join) or item.kind != "left":
        return item
    left = _padded(item.left, preds, ctx)
    kept = from_rels((item.left,))
    # conditions on the padded side in WHERE are no business of its ON
    known = [p for p in preds if _says_more(p, ctx) and _rel(p) in kept]
    on = conjuncts(item.on)
    wanted = from_rels((item.right,))
    # of what follows only that which the padded side is asked
    added = [p for p in _implied(on, known, ctx) if _rel(p) in wanted]
    if left is item.left and not added:
        return item
    return replace(item, left=left, on=conjoin((*on, *added)))


def _implied(ties: Sequence[a.Expr], known: Sequence[a.Expr], ctx: Context) -> list[a.Expr]:
    """What ``known`` says of one column, said of the columns that ``ties`` equate with it; what is there
    already is left out.
    """
    groups = equal_columns(ties, lambda t: ctx.holds("equal-is-identical", equality_is_identity(t)))
    found: list[a.Expr] = []
    for pred in known:
        column = _column(pred)
        for group in groups:
            for twin in group if column in group else ():
                # a column may equal several others in its class
                mapping: dict[Place, a.Expr] = {(column.rel, column.pos): twin}
                made = substitute(pred, mapping)
                if twin != column and made not in (*ties, *known, *found):
                    found.append(made)
    return found


def _says_more(pred: a.Expr, ctx: Context) -> bool:
    """A condition on one column that the server does not carry over by itself."""
    # said of more rows than before it must not fail on any
    if has_subquery(pred) or may_differ(pred) or not ctx.facts.cannot_fail(pred):
        return False
    columns = {n for n in walk(pred) if isinstance(n, a.Column)}
    # `x = 5` goes through equivalence classes in the planner itself
    fixed = is_equality(pred) and isinstance(pred, a.Op) and any(isinstance(x, a.Column) for x in pred.args)
    plain = not any(isinstance(n, a.WholeRow | a.SystemColumn | a.Aggregate) for n in walk(pred))
    # IS NULL and IS NOT NULL of a joined column follow from the join already
    return len(columns) == 1 and plain and not fixed and not isinstance(pred, a.IsNull)


def _column(pred: a.Expr) -> a.Column:
    return next(n for n in walk(pred) if isinstance(n, a.Column))


def _rel(pred: a.Expr) -> int:
    return _column(pred).rel
