"""Conditions that cannot all be true are FALSE, so that nothing is read.

    SELECT * FROM sale s WHERE s.qty > 20 AND s.qty IN (3, 5)
    -->
    SELECT * FROM sale s WHERE false

Bounds, equalities, IN lists and NULL tests of single columns against constants; an integer between two neighbours or
equal to a fraction. The server sees only some of these. Calcite: FilterReduceExpressionsRule, PruneEmptyRules. SOUNDNESS 16, M18.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewrite.rules.base import Context, Rewrite, Rule
from rewrite.rules.build import FALSE
from rewrite.rules.ranges import allowed
from rewrite.rules.shape import cannot_fail, is_volatile
from rewrite.rules.tree import as_product
from sql import algebra as a


def apply(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    if not isinstance(block, a.Select) or block.where == FALSE:
        return
    items, preds = as_product(block)
    if len(preds) < 1 or not any(found.nothing for found in allowed(preds).values()):
        return
    # rows that raised an error on their way to being refused are not looked at any more
    quiet = all(cannot_fail(p) for p in (*preds, *items))
    if ctx.holds("nothing-can-fail", quiet) and not is_volatile(block):
        yield Rewrite(replace(block, where=FALSE), "the conditions contradict each other", literal=True)


RULE = Rule(
    "contradiction",
    apply,
    ("nothing-can-fail",),
    "FilterReduceExpressionsRule, PruneEmptyRules",
    priority=86,
    category="constant",
)
