"""Groupings of one source by different keys, put together by UNION ALL, are made in one pass by GROUPING
SETS.

    SELECT state, NULL AS region, count(*) FROM cust GROUP BY state UNION ALL SELECT NULL, region, count(*)
    FROM cust GROUP BY region -->
    SELECT state, region, count(*) FROM cust GROUP BY GROUPING SETS ((state), (region))

A key that an arm does not group by is NULL there, as in grouping sets; another constant in its place is
chosen by GROUPING(). The arms read the same rows and show the same aggregates. Calcite:
AggregateUnionTransposeRule read backwards. Hazards M12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.rewrite.rules.base import SET_OPERATION, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.facts import may_differ
from rewright.sql.types import INT4
from rewright.sql.walk import (
    arms_of,
    canonical,
    has_aggregate,
    has_subquery,
    has_window,
    is_closed,
    renumber,
    twins,
)

# each further key is a further bit of GROUPING() and a wider hash
MOST_KEYS = 8


@dataclass(frozen=True, slots=True)
class _Arm:
    """A grouping over the first arm's range variables."""

    keys: tuple[a.Expr, ...]
    shown: tuple[a.Expr, ...]


@rule(
    SET_OPERATION,
    guards=("same-rows", "nothing-but-null"),
    known_as="AggregateUnionTransposeRule",
    priority=70,
)
def grouping_sets(block: a.SetOp, ctx: Context) -> Iterator[Rewrite]:
    queries = arms_of(block)
    first = queries[0]
    if len(queries) < 2 or not isinstance(first, a.Select):
        return
    arms = [_aligned(first, q, ctx) for q in queries]
    found = [x for x in arms if x is not None]
    # two arms by the same keys are one set twice, which GROUPING() cannot tell apart
    if len(found) < len(arms) or len({frozenset(x.keys) for x in found}) < len(found):
        return
    keys = tuple(dict.fromkeys(k for x in found for k in x.keys))
    if not 1 <= len(keys) <= MOST_KEYS:
        return
    shown = [_column(found, keys, i, ctx) for i in range(len(first.targets))]
    made = tuple(replace(t, expr=e) for t, e in zip(first.targets, shown, strict=True) if e is not None)
    # the arms' rows come together in any order; ORDER BY of the UNION would need names of its own
    if len(made) < len(shown) or (block.order_by or block.limit is not None) or block.ctes:
        return
    whole = replace(first, targets=made, group_by=tuple(x.keys for x in found))
    yield Rewrite(whole, f"{len(found)} groupings of the same rows in one pass")


def _aligned(first: a.Select, query: a.Query, ctx: Context) -> _Arm | None:
    if not isinstance(query, a.Select) or query.group_by is None or len(query.group_by) != 1:
        return None
    bare = query.having is None and query.distinct is None and query.limit is None and query.offset is None
    if not bare or query.order_by or query.ctes or may_differ(query) or not is_closed(query):
        return None
    if any(has_window(t.expr) or has_subquery(t.expr) for t in query.targets):
        return None
    # canonical: the arms number the same tables differently
    mine, other = (canonical(a.Select((), q.from_, q.where)) for q in (first, query))
    if not ctx.holds("same-rows", mine == other):
        return None
    rels = twins(query, first)
    if rels is None:
        return None
    targets = tuple(renumber(t.expr, rels) for t in query.targets)
    return _Arm(tuple(renumber(k, rels) for k in query.group_by[0]), targets)


def _column(arms: Sequence[_Arm], keys: Sequence[a.Expr], at: int, ctx: Context) -> a.Expr | None:
    """The output column as one expression over all grouping sets."""
    shown = [x.shown[at] for x in arms]
    # what every arm shows alike needs no choice, if it is no key
    if all(e == shown[0] for e in shown) and (isinstance(shown[0], a.Const) or has_aggregate(shown[0])):
        return shown[0]
    # different aggregates in one column would have to be told by GROUPING(), each over all arms' rows
    if any(has_aggregate(e) for e in shown):
        return None
    grouped = {e for e, x in zip(shown, arms, strict=True) if e in x.keys}
    others = [e for e, x in zip(shown, arms, strict=True) if e not in x.keys]
    # a column that is neither key nor constant is decided by other keys
    if not all(isinstance(e, a.Const) for e in others):
        return None
    empty = all(isinstance(e, a.Const) and e.value is None for e in others)
    if len(grouped) == 1 and ctx.holds("nothing-but-null", empty):
        # where an arm has NULL in the place of a key of its own, the key would be shown
        (key,) = grouped
        # where an arm has NULL in place of a key of its own, the key would be shown
        if all(key not in x.keys or e == key for e, x in zip(shown, arms, strict=True)):
            return key
    return _chosen(arms, keys, shown)


def _chosen(arms: Sequence[_Arm], keys: Sequence[a.Expr], shown: Sequence[a.Expr]) -> a.Expr | None:
    """The arm is known by the keys it does not group by."""
    which = a.Grouping(tuple(keys), INT4)
    whens: list[tuple[a.Expr, a.Expr]] = []
    for arm, expr in zip(arms, shown, strict=True):
        # GROUPING() has a bit for each argument, the last one lowest, set where it is not grouped by
        mask = sum(1 << (len(keys) - 1 - i) for i, k in enumerate(keys) if k not in arm.keys)
        same = compare("=", which, a.Const(str(mask), INT4))
        if same is None:
            return None
        whens.append((same, expr))
    return a.Case(tuple(whens), a.Const(None, shown[0].type), shown[0].type)
