"""The range of the keys that a filtered table can contribute, as a filter of the table that joins it.

    SELECT … FROM inventory i, day d WHERE i.day = d.id AND d.year = 1998
    -->
    SELECT … WHERE i.day = d.id AND d.year = 1998
       AND i.day >= (SELECT min(id) FROM day WHERE year = 1998) AND i.day <= (SELECT max(id) FROM day WHERE
       year = 1998)

Where keys were given out in the order of the filtered column (dates, above all), the range skips most of a
big table before it is joined, and can use an index on the key. No row of d: the bounds are NULL, as is the
join.

Known as dynamic filter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.naming import named
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, compare
from rewright.sql.facts import may_differ
from rewright.sql.types import EXACT_INTEGERS
from rewright.sql.walk import (
    as_product,
    conjoin,
    copy_fresh,
    free_rels,
    from_rels,
    has_subquery,
    walk,
)

# types whose least and greatest are also the range that an index scans
ORDERED = EXACT_INTEGERS | {"date"}


@rule(SELECT, known_as="dynamic filter", priority=30, category="predicate", blind=True)
def key_range(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for item in items:
        if not isinstance(item, a.Scan):
            continue
        mine = from_rels((item,))
        for other in items:
            bounds = _bounds(item, other, preds, ctx) if other is not item else None
            if bounds is not None and not any(free_rels(b) == mine and has_subquery(b) for b in preds):
                yield Rewrite(
                    replace(block, from_=tuple(items), where=conjoin((*bounds, *preds))),
                    f"of {named(item)} only the range of keys is read that the rows of {named(other)} span",
                )


def _bounds(item: a.Scan, other: a.FromItem, preds: list[a.Expr], ctx: Context) -> list[a.Expr] | None:
    if not isinstance(other, a.Scan):
        return None
    theirs, mine = from_rels((other,)), from_rels((item,))
    own = [p for p in preds if free_rels(p) == theirs and not has_subquery(p) and not may_differ(p)]
    # every filter must be ordered as keys are: a filter on names leaves keys from all over the range
    if not own or not all(_ordered_filter(p) for p in own):
        return None
    for pred in preds:
        tie = as_tie(pred, mine) if free_rels(pred) == mine | theirs else None
        if tie is None or not isinstance(tie.inner, a.Column) or not isinstance(tie.outer, a.Column):
            continue
        # texts have no range in which keys were given out; two types have no one order for both bounds
        if tie.inner.type.name not in ORDERED or not tie.inner.type.is_builtin or not tie.symmetric:
            continue
        low, high = _bound("min", other, own, tie.outer, ctx), _bound("max", other, own, tie.outer, ctx)
        if low is None or high is None:
            return None
        least, most = compare(">=", tie.inner, low), compare("<=", tie.inner, high)
        return None if least is None or most is None else [least, most]
    return None


def _ordered_filter(pred: a.Expr) -> bool:
    """A filter on numbers or dates: only those can go up with the key."""
    columns = [n for n in walk(pred) if isinstance(n, a.Column)]
    return bool(columns) and all(c.type.name in ORDERED | {"timestamp", "timestamptz"} for c in columns)


def _bound(name: str, other: a.Scan, own: list[a.Expr], key: a.Column, ctx: Context) -> a.Expr | None:
    value = aggregate(name, key)
    if value is None:
        return None
    block = a.Select((a.Target(name, value),), (other,), conjoin(own), ((),))
    copied, _ = copy_fresh(block, ctx.fresh)
    return a.ScalarSubquery(copied, value.type)
