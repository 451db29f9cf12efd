"""The value of a first row that is only asked whether it is NULL is an EXISTS, which can be a semi-join.

    SELECT * FROM cust c WHERE (SELECT o.id FROM ord o WHERE o.cust = c.id ORDER BY o.day LIMIT 1) IS NOT NULL
    -->
    SELECT * FROM cust c WHERE EXISTS (SELECT 1 FROM ord o WHERE o.cust = c.id)

Where the value is never NULL in a row. Some ORMs filter a page of rows by what they are joined with in this
way. Hazards 15.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.presence import as_exists
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, filtered, rule
from rewright.sql import algebra as a
from rewright.sql.facts import labels
from rewright.sql.walk import replace_node, walk_block


@rule(SELECT.where(filtered), priority=78, category="predicate")
def first_to_exists(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    assert block.where is not None
    where, basis = block.where, frozenset[str]()
    # anywhere in WHERE: IS NULL and EXISTS are both never NULL
    for node in walk_block(block.where):
        found = as_exists(node, ctx.facts)
        if found is not None and isinstance(node, a.IsNull):
            where = replace_node(where, node, found[0])
            basis |= labels(found[2])
    if where != block.where:
        yield Rewrite(
            replace(block, where=where),
            "a first row that is asked for no more than to exist is EXISTS",
            basis,
        )
