"""Sort keys that the ones before them decide are left out, so that an index or a sort of less serves the
order.

    SELECT o.id, o.total, o.note FROM ord o ORDER BY o.id, o.total, o.note
    -->
    SELECT o.id, o.total, o.note FROM ord o ORDER BY o.id

Decided by keys of the rows, by equalities and constants of the block, or by all grouping columns. Rows that
agree on the keys that stay agree on those that go, or show the same (SELECT o.day … ORDER BY o.day, o.id), so
that the visible order is the same, and what goes raises nothing. Calcite: SortRemoveConstantKeysRule. Hazards
13.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.ordering import idle
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, no_sets, not_distinct, rule, stable
from rewright.sql import algebra as a
from rewright.sql.facts import labels


@rule(
    SELECT.where(not_distinct, no_sets, stable),
    guards=("decided-by-those-before",),
    known_as="SortRemoveConstantKeysRule",
    priority=45,
)
def drop_sort_keys(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # a single key has none before it
    if len(block.order_by) < 2:
        return
    kept: list[a.SortKey] = []
    names: frozenset[str] = frozenset()
    for key in block.order_by:
        # the first key always stays: an empty ORDER BY would leave the order to chance
        basis = idle(block, key, [k.expr for k in kept], ctx.facts) if kept else None
        if kept and ctx.holds("decided-by-those-before", basis is not None):
            names |= labels(basis or ())
        else:
            kept.append(key)
    if len(kept) < len(block.order_by):
        yield Rewrite(
            replace(block, order_by=tuple(kept)), "sort keys that the others decide are left out", names
        )
