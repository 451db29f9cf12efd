"""Filtered tables of a join are filtered first, each in a CTE of its own: an optimization fence.

    SELECT … FROM sale s, day d, shop p WHERE s.day = d.id AND d.year = 2001 AND s.shop = p.id AND p.state =
    'TN' -->
    WITH kept AS MATERIALIZED (SELECT id FROM day WHERE year = 2001),
         kept2 AS MATERIALIZED (SELECT id FROM shop WHERE state = 'TN')
    SELECT … FROM sale s, kept d, kept2 p WHERE s.day = d.id AND s.shop = p.id

Where the server expects one row and gets thousands, it scans a table again for each of them: conditions that
depend on one another, joins on columns that are no keys. It expects more of a join between two CTEs, which
then is hashed; and a CTE that is read again is short. Both for every filtered table and for those that join
one other only, which are small more often than not; and with the tables that these join (`fenced_joins`), for
what is expected of such a join is right more often than of one between two large tables. Hazards 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.rewrite.rules.fenced_joins import joined_early
from rewright.rewrite.rules.filtered_scans import Reader, filtered_once, readers_of
from rewright.sql import algebra as a
from rewright.sql.walk import renumber, walk


@rule(QUERY.whole(), known_as="optimization fence", priority=40, category="cte", blind=True)
def fence_filters(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    # a recursive CTE cannot be read before the row that it starts with
    if any(isinstance(n, a.Cte) and n.recursive for n in walk(block)):
        return
    readers = [r for r in readers_of(block, ctx) if r.own and r.partners]
    leaves = [r for r in readers if len(r.partners) == 1]
    if readers:
        # all filtered tables, though the server may have planned some of them well
        yield Rewrite(_fenced(block, readers, ctx), "filtered tables are read before they are joined")
    # a table at the edge of the join graph is read once; one in its middle may be better looked up
    if leaves and len(leaves) < len(readers):
        yield Rewrite(_fenced(block, leaves, ctx), "filtered tables that join one other are read before")
    early = joined_early(block, ctx) if leaves else block
    if early != block:
        yield Rewrite(early, "tables are joined with the filtered ones that join them alone before")


def _fenced(block: a.Query, readers: Sequence[Reader], ctx: Context) -> a.Query:
    alike: dict[tuple[a.TableRef, bool, tuple[a.Expr, ...]], list[Reader]] = {}
    for reader in readers:
        # renumbered to 0 so that the same filter on two scans of a table is one CTE
        own = tuple(renumber(p, {reader.scan.rel: 0}) for p in reader.own)
        alike.setdefault((reader.scan.table, reader.scan.only, own), []).append(reader)
    made = block
    for (_, _, own), some in alike.items():
        made = filtered_once(made, some, own, ctx)
    return made
