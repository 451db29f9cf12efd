"""Lists that LEFT JOINs put beside each other under DISTINCT, of which either must match, are asked for it.

    SELECT DISTINCT c.id, c.name FROM cust c
      LEFT JOIN ord o ON o.cust = c.id LEFT JOIN sale s ON s.cust = c.id WHERE o.total > 100 OR s.qty > 5
    -->
    SELECT DISTINCT c.id, c.name FROM cust c
     WHERE EXISTS (SELECT 1 FROM ord o WHERE o.cust = c.id AND o.total > 100)
        OR EXISTS (SELECT 1 FROM sale s WHERE s.cust = c.id AND s.qty > 5)

Arms that ask the same list ask it once. Beside a condition on what is shown, which no list answers, a list is
asked by IN: the planner counts EXISTS within OR as if it were evaluated for each row, however it is run.

What ORMs print for ``filter(Q(...) | Q(...)).distinct()``: see `rewright.equivalence.laws.either`. Hazards
4a, 5d, 8.

Known as OR-expansion; Calcite: JoinToSemiJoinRule.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.either import either_of_lists
from rewright.rewrite.rules.base import Context
from rewright.rewrite.rules.or_exists import as_member
from rewright.sql import algebra as a
from rewright.sql.walk import copy_fresh


def either_match(block: a.Select, ctx: Context) -> a.Select | None:
    """The block, whose duplicates do not count, without the lists that it shows nothing of; None where they
    are not asked in this way.
    """
    found = either_of_lists(block, lambda refused: ctx.holds("null-is-refused", refused))
    if found is None:
        return None
    # a list may be asked at two places
    apart = [copy_fresh(x, ctx.fresh)[0] for x in found.asked]
    # the planner prices EXISTS beside another condition as run for each row, IN as hashed
    asked = [as_member(x) or x for x in apart] if found.own else apart
    return replace(block, from_=found.rest.from_, where=found.where(asked))
