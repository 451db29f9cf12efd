"""[NOT] EXISTS over groups of the rows tied to the outer row: the groups of all rows, made once.

    SELECT a.id FROM author a WHERE EXISTS (SELECT 1 FROM book b WHERE b.author = a.id
                                            GROUP BY b.year HAVING count(*) > 5)
    -->
    SELECT a.id FROM author a
     WHERE EXISTS (SELECT 1 FROM (SELECT b.author AS tied1 FROM book b GROUP BY b.year, b.author
                                  HAVING count(*) > 5) g WHERE g.tied1 = a.id)

All rows that met the tie have one value of what is tied, so that to group by it as well makes no other groups
(hazards 1). The server groups again for each outer row, and a tie that no index serves reads all rows each
time; what comes out here is a semi- or anti-join. A grouping of everything has a row over no rows: it stays.
Calcite: SubQueryRemoveRule, RelDecorrelator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, filtered, rule
from rewright.sql import algebra as a
from rewright.sql.build import ONE, derived, numbered
from rewright.sql.facts import may_differ
from rewright.sql.walk import conjoin, map_kind, returns_set, walk_block


@rule(
    SELECT.where(filtered),
    guards=("groups-have-rows", "a-group-is-enough"),
    known_as="SubQueryRemoveRule; RelDecorrelator",
    priority=82,
    category="join",
)
def exists_group(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    assert block.where is not None
    made = {
        node: once
        for node in dict.fromkeys(n for n in walk_block(block.where) if isinstance(n, a.Exists))
        if (once := _once(node.query, ctx)) is not None
    }
    if made:
        where = map_kind(block.where, a.Exists, lambda n: made.get(n, n))
        yield Rewrite(
            replace(block, where=where), "the groups that EXISTS asks for are made once for all rows"
        )


def _once(query: a.Query, ctx: Context) -> a.Exists | None:
    # GROUPING SETS may hold (), which has a row over no rows
    if not isinstance(query, a.Select) or not query.group_by or len(query.group_by) != 1 or query.ctes:
        return None
    # a set in the list may be empty: then EXISTS is false though there is a group
    if may_differ(query) or any(returns_set(t.expr) for t in query.targets):
        return None
    (keys,) = query.group_by
    if not ctx.holds("groups-have-rows", bool(keys)):
        return None
    # OFFSET 1 asks for a second group
    if not ctx.holds("a-group-is-enough", query.offset is None and _some(query.limit)):
        return None
    # whether a group is there is all that is asked: nothing shown, no order
    bare = replace(query, targets=(), distinct=None, order_by=(), limit=None, offset=None)
    inner = take_apart(bare)
    # a tie that is no equality has no key to group by as well
    if inner is None or not inner.ties or inner.others:
        return None
    tied = tuple(dict.fromkeys(tie.key for tie in inner.ties))
    groups = replace(
        bare,
        targets=numbered("tied", tied),
        from_=inner.items,
        where=conjoin(inner.local),
        # tied columns are one value for an outer row's groups: grouped by them too, its groups stay the same
        group_by=(tuple(dict.fromkeys((*keys, *tied))),),
    )
    item, columns = derived(ctx.fresh(), "grouped", groups)
    on = conjoin(tie.on_key(columns[tied.index(tie.key)]) for tie in inner.ties)
    return a.Exists(a.Select(ONE, (item,), on))


def _some(limit: a.Expr | None) -> bool:
    """Whether a LIMIT lets a row through."""
    if limit is None:
        return True
    # LIMIT 0 leaves none; LIMIT NULL is a Const without digits and lets all through, but nobody writes it
    return isinstance(limit, a.Const) and (limit.value or "").isdigit() and limit.value != "0"
