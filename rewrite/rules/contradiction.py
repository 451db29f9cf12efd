"""Conditions that cannot all be true are FALSE, so that nothing is read.

    SELECT * FROM sale s WHERE s.qty > 20 AND s.qty IN (3, 5)
    -->
    SELECT * FROM sale s WHERE false

Bounds, equalities, IN lists and NULL tests of single columns against constants; an integer between two
neighbours or equal to a fraction; what a CHECK leaves no room for; constants that compare as FALSE or NULL.
The server sees only some of these. Calcite: FilterReduceExpressionsRule; PruneEmptyRules. Hazards 16, M18,
F8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.checks import checks_of
from rewright.rewrite.rules.conditions import never
from rewright.rewrite.rules.ranges import allowed
from rewright.sql import algebra as a
from rewright.sql.build import FALSE
from rewright.sql.facts import may_differ
from rewright.sql.walk import as_product


@rule(
    SELECT,
    guards=("nothing-can-fail", "column-is-not-null"),
    known_as="FilterReduceExpressionsRule; PruneEmptyRules",
    priority=86,
    category="constant",
)
def contradiction(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # already so: it would be found again for ever
    if block.where == FALSE:
        return
    items, preds = as_product(block)
    basis = _contradicted(items, preds, ctx)
    if basis is None:
        return
    # rows that raised an error on their way to being refused are not looked at any more
    quiet = all(ctx.facts.cannot_fail(p) for p in (*preds, *items))
    if ctx.holds("nothing-can-fail", quiet) and not may_differ(block):
        yield Rewrite(
            replace(block, where=FALSE), "the conditions contradict each other", basis, literal=True
        )


def _contradicted(
    items: Sequence[a.FromItem], preds: Sequence[a.Expr], ctx: Context
) -> frozenset[str] | None:
    """The constraints by which no row is left; None where rows may be."""
    # one condition that is never TRUE is enough, since they are joined by AND
    if any(never(p) for p in preds):
        return frozenset()
    known = allowed(preds)
    # the bounds of a column, all conditions taken together, may leave it no value
    if any(found.nothing for found in known.values()):
        return frozenset()
    for item in items:
        # a CHECK is read and bound only where a condition names a column of its table
        if not isinstance(item, a.Scan) or not any(rel == item.rel for rel, _ in known):
            continue
        for check, name in checks_of(item, ctx):
            for place, left in allowed([check]).items():
                # where the column is not NULL the CHECK is not NULL either, so it is TRUE
                filled = place in known and ctx.holds("column-is-not-null", known[place].filled)
                if place in known and filled and known[place].met(left).nothing:
                    return frozenset({name})
    return None
