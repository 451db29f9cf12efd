"""A table that several blocks read under the same conditions is filtered once.

    SELECT (SELECT max(amount) FROM sale WHERE qty > 90), (SELECT count(*) FROM sale WHERE qty > 90 AND part =
    3) -->
    WITH kept AS MATERIALIZED (SELECT amount, part FROM sale WHERE qty > 90)
    SELECT (SELECT max(amount) FROM kept), (SELECT count(*) FROM kept WHERE part = 3)

The conditions that all readers have go into the CTE, the others stay where they are; the columns that any
reader needs are kept: a covering subexpression (Zhou et al. 2007). Worth while where a big table is read from
end to end each time and the conditions leave little of it. Hazards 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.rewrite.rules.filtered_scans import Reader, filtered_once, readers_of
from rewright.rewrite.rules.naming import all_named
from rewright.sql import algebra as a
from rewright.sql.walk import (
    renumber,
    walk,
)


@rule(
    QUERY.whole(),
    guards=("all-readers-filter",),
    known_as="covering subexpression (Zhou et al. 2007)",
    priority=66,
    category="cte",
    blind=True,
)
def share_scans(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    # the step of a recursion is computed again and again from what came before
    if any(isinstance(n, a.Cte) and n.recursive for n in walk(block)):
        return
    groups: dict[tuple[a.TableRef, bool], list[Reader]] = {}
    for reader in readers_of(block, ctx):
        groups.setdefault((reader.scan.table, reader.scan.only), []).append(reader)
    choices = [c for readers in groups.values() for c in _choices(readers, ctx)]
    # all tables at once first, then each by itself
    for some in ([choices] if len(choices) > 1 else []) + [[c] for c in choices]:
        made = block
        for readers, common in some:
            made = filtered_once(made, readers, common, ctx)
        names = all_named([readers[0].scan for readers, _ in some])
        yield Rewrite(made, f"{names}: read and filtered once for all the places that need it")


def _choices(readers: Sequence[Reader], ctx: Context) -> Iterator[tuple[list[Reader], list[a.Expr]]]:
    """All readers with what they have in common; else those that share conditions with the first that has
    any.
    """
    left = [r for r in readers if r.own]
    # a reader without conditions reads the whole table and needs no copy of a part
    if len(left) < 2:
        return
    common = _common(left)
    if common:
        yield left, common
        return
    for first in left:
        # starting from the first only: it keeps this linear in the readers
        near = [r for r in left if _common([first, r])]
        if len(near) > 1 and (found := _common(near)):
            yield near, found
            return
    if ctx.holds("all-readers-filter", False):
        # reached with the guard switched off in tests alone: the first reader's conditions for all
        yield left, [renumber(p, {left[0].scan.rel: 0}) for p in left[0].own]


def _common(readers: Sequence[Reader]) -> list[a.Expr]:
    forms = [[renumber(p, {r.scan.rel: 0}) for p in r.own] for r in readers]
    return [p for p in forms[0] if all(p in f for f in forms[1:])]
