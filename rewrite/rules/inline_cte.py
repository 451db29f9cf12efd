"""A CTE's query is put where it is referred to, so that each place plans and filters its own copy.

    WITH y AS (SELECT k, year, sum(x) s FROM t GROUP BY k, year) SELECT * FROM y a, y b WHERE a.year = 1 AND
    b.year = 2 -->
    SELECT * FROM (SELECT k, year, sum(x) s FROM t GROUP BY k, year) a, (…) b WHERE a.year = 1 AND b.year = 2

Not for recursive CTEs, volatile ones, or a table filtered once, MATERIALIZED on purpose. Hazards 12.

Known as inlining of shared expressions (El-Helw et al. 2015).
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.equivalence.laws.inlining import inlined
from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import is_plain, walk


@rule(
    QUERY,
    guards=("not-volatile",),
    known_as="inlining of shared expressions (El-Helw et al. 2015)",
    priority=55,
    category="cte",
    # the rows that were chosen would be chosen again
    not_after=frozenset({"chosen_keys"}),
)
def inline_cte(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    for cte in block.ctes:
        uses = sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(block))
        if (
            uses == 0
            or cte.recursive
            or _filters_a_table(cte)
            or not ctx.holds("not-volatile", not may_differ(cte.query))
        ):
            continue
        yield Rewrite(
            inlined(block, cte, ctx.fresh),
            f"the CTE {cte.name} is planned "
            + (f"separately at each of its {uses} uses" if uses > 1 else "where it is used"),
        )


def _filters_a_table(cte: a.Cte) -> bool:
    """Filtered once on purpose: in each place alone it would be read again."""
    query = cte.query
    single = isinstance(query, a.Select) and len(query.from_) == 1 and isinstance(query.from_[0], a.Scan)
    # MATERIALIZED over a plain filter is what fence_filters and share_scans make, too
    return bool(cte.materialized) and single and is_plain(query)
