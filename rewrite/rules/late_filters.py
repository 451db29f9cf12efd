"""Costly conjuncts of a big table are evaluated after the joins that make it small, and once for each row.

    SELECT … FROM sale s, day d WHERE s.day = d.id AND d.year = 2001 AND s.price / s.list BETWEEN 0.2 AND 0.3
    -->
    SELECT … FROM (SELECT s.*, d.*, s.price / s.list AS q FROM sale s, day d WHERE s.day = d.id AND d.year =
    2001
                    OFFSET 0) f WHERE f.q BETWEEN 0.2 AND 0.3

The server evaluates every filter of a table while it scans, however expensive it is and however few rows a
join would leave. OFFSET 0 keeps the two levels apart.
Hellerstein and Stonebraker, "Predicate migration" (SIGMOD 1993).
Fewer rows are evaluated: an error that the original might raise may not come (reservation ``errors``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import derived, moved_to, numbered
from rewright.sql.facts import may_differ
from rewright.sql.types import INT8
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    free_rels,
    from_rels,
    has_subquery,
    references_whole,
    replace_node,
    substitute,
    walk,
)

# division of numerics and patterns: many times the price of a comparison
COSTLY = frozenset({"/", "%", "~~", "!~~", "~", "~*", "!~", "!~*", "~~*", "!~~*"})


@rule(
    SELECT,
    known_as="predicate migration (Hellerstein and Stonebraker 1993)",
    priority=45,
    category="predicate",
    blind=True,
)
def late_filters(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for item in items:
        if not isinstance(item, a.Scan) or references_whole(block, item.rel):
            continue
        mine = from_rels((item,))
        local = [p for p in preds if free_rels(p) == mine and not has_subquery(p) and not may_differ(p)]
        costly = [p for p in local if _is_costly(p)]
        near = _reducers(item, items, preds)
        # near tables have to be read in full below the fence: a whole row could not be shown from there
        if costly and near and not any(references_whole(block, n.rel) for n in near if isinstance(n, a.Scan)):
            yield Rewrite(
                _fenced(block, [item, *near], costly, ctx),
                "costly conditions are evaluated after the joins that leave few rows, once for each row",
            )


def _is_costly(pred: a.Expr) -> bool:
    return any(isinstance(n, a.Op) and n.op.name in COSTLY for n in walk(pred))


def _reducers(item: a.Scan, items: list[a.FromItem], preds: list[a.Expr]) -> list[a.FromItem]:
    """Tables joined to ``item`` by equality that have a filter of their own."""
    found: list[a.FromItem] = []
    mine = from_rels((item,))
    for other in items:
        theirs = from_rels((other,))
        if other is item or not isinstance(other, a.Scan):
            continue
        tied = any(free_rels(p) == mine | theirs and as_tie(p, mine) is not None for p in preds)
        if tied and any(free_rels(p) == theirs and not has_subquery(p) for p in preds):
            found.append(other)
    return found


def _fenced(block: a.Select, inside: list[a.FromItem], costly: list[a.Expr], ctx: Context) -> a.Select:
    items, preds = as_product(block)
    rels = from_rels(inside)
    # conditions with subqueries may read other items: they stay above
    before = [
        p for p in preds if p not in costly and free_rels(p) and free_rels(p) <= rels and not has_subquery(p)
    ]
    after = [p for p in preds if p not in before]
    repeated = _repeated(costly)
    rest = replace(block, from_=(), where=None)
    others = [i for i in items if i not in inside]
    shown = columns_used((rest, *after, *others), rels)
    # two tables may have columns of one name
    targets = (a.Target(f"{c.name or 'c'}_{i}", c) for i, c in enumerate(shown, 1))
    query = (*targets, *numbered("e", repeated))
    # OFFSET 0 is the fence: the planner neither merges such a subquery nor pushes conditions into it
    fence = a.Select(query, tuple(inside), conjoin(before), offset=a.Const("0", INT8))
    few, columns = derived(ctx.fresh(), "few", fence)
    mapping = moved_to(shown, columns)
    for value, column in zip(repeated, columns[len(shown) :], strict=True):
        after = [replace_node(p, value, column) for p in after]
    where = conjoin(substitute(p, mapping) for p in after)
    return replace(
        substitute(rest, mapping), from_=(few, *(substitute(o, mapping) for o in others)), where=where
    )


def _repeated(costly: list[a.Expr]) -> list[a.Expr]:
    """Costly operands that occur more than once: computed as a column of the fenced part."""
    seen: dict[a.Expr, int] = {}
    for pred in costly:
        for n in walk(pred):
            # patterns give a bool and are asked once anyway
            if isinstance(n, a.Op) and n.op.name in {"/", "%"}:
                seen[n] = seen.get(n, 0) + 1
    return [e for e, n in seen.items() if n > 1]
