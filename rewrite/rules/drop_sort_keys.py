"""Sort keys that the ones before them decide are left out, so that an index or a sort of less serves the
order.

    SELECT o.id, o.total, o.note FROM ord o ORDER BY o.id, o.total, o.note
    -->
    SELECT o.id, o.total, o.note FROM ord o ORDER BY o.id

Decided by keys of the rows, by equalities and constants of the block, or by all grouping columns. Rows that
agree on the keys that stay agree on those that go, so the visible order is the same. Calcite:
SortRemoveConstantKeysRule. SOUNDNESS 13.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, no_sets, not_distinct, rule, stable
from rewright.sql import algebra as a
from rewright.sql.facts import Facts, labels
from rewright.sql.walk import has_aggregate, has_subquery, has_window, walk


@rule(
    SELECT.where(not_distinct, no_sets, stable),
    guards=("decided-by-those-before",),
    known_as="SortRemoveConstantKeysRule",
    priority=45,
)
def drop_sort_keys(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    if len(block.order_by) < 2:
        return
    facts = ctx.facts
    kept: list[a.SortKey] = []
    names: frozenset[str] = frozenset()
    for key in block.order_by:
        basis = _decided(block, key.expr, [k.expr for k in kept], facts) if kept else None
        if kept and ctx.holds("decided-by-those-before", basis is not None):
            names |= basis or frozenset()
        else:
            kept.append(key)
    if len(kept) < len(block.order_by):
        yield Rewrite(
            replace(block, order_by=tuple(kept)), "sort keys that the others decide are left out", names
        )


def _decided(block: a.Select, expr: a.Expr, before: Sequence[a.Expr], facts: Facts) -> frozenset[str] | None:
    """The constraints by which rows that agree on ``before`` agree on ``expr``."""
    if has_window(expr) or has_subquery(expr):
        return None
    if block.group_by is not None:
        whole = len(block.group_by) == 1 and all(k in before for k in block.group_by[0])
        return frozenset() if whole else None
    if has_aggregate(expr):
        return None
    start = [(k.rel, k.pos) for k in before if isinstance(k, a.Column)]
    if any(isinstance(n, a.WholeRow | a.SystemColumn) for n in walk(expr)):
        return None
    columns = [(n.rel, n.pos) for n in walk(expr) if isinstance(n, a.Column)]
    basis = facts.closure(block, start).has(columns) if columns else None
    return None if basis is None else labels(basis)
