"""The first rows of each group: by number, by DISTINCT ON, by a look-up per group, whichever is faster.

    SELECT x.id FROM (SELECT o.id, row_number() OVER (PARTITION BY o.cust ORDER BY o.total DESC) AS n FROM ord
    o) x WHERE x.n = 1 -->
    SELECT x.id FROM (SELECT DISTINCT ON (o.cust) o.id FROM ord o ORDER BY o.cust, o.total DESC) x

Where the groups are tied to rows of a join partner, the numbered rows become ``LATERAL (… ORDER BY … LIMIT
k)``, which an index serves per row of the partner. Which of equal rows comes first is free in all forms. The
nearest relative is TopNWindowElimination of DuckDB, which makes aggregates of them. Hazards 14, M9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.conditions import turned
from rewright.sql import algebra as a
from rewright.sql.build import ascending
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    Place,
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    from_rels,
    has_window,
    is_lateral,
    references_whole,
    returns_set,
    substitute,
    walk_block,
)


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A derived table whose output ``at`` numbers the rows of each group; ``most`` of them are kept by
    ``preds``.
    """

    item: a.Derived
    query: a.Select
    at: int
    window: a.Window
    most: int
    preds: tuple[a.Expr, ...]


@rule(
    SELECT,
    guards=("rows-are-numbered", "every-key-is-tied"),
    known_as="TopNWindowElimination of DuckDB",
    priority=63,
)
def top_per_group(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for item in items:
        found = _numbered(block, item, preds, ctx) if isinstance(item, a.Derived) else None
        if found is None:
            continue
        # with more than one row DISTINCT ON does not help
        if found.most == 1:
            yield from _distinct_on(block, items, preds, found)
        yield from _lateral(block, items, preds, found, ctx)


def _numbered(block: a.Select, item: a.Derived, preds: Sequence[a.Expr], ctx: Context) -> _Numbered | None:
    query = item.query
    # a view's barrier must not see conditions that come from outside
    if (
        not isinstance(query, a.Select)
        or item.lateral
        or item.security_barrier
        or references_whole(block, item.rel)
    ):
        return None
    numbers = [(i, t.expr) for i, t in enumerate(query.targets) if isinstance(t.expr, a.WindowCall)]
    # a second window would be computed of fewer rows
    if len(numbers) != 1 or not _plain(query):
        return None
    at, call = numbers[0]
    if not isinstance(call, a.WindowCall) or not call.func.is_builtin or call.filter is not None:
        return None
    # rank() gives equal rows one number: more than k may be kept
    if not ctx.holds("rows-are-numbered", call.func.name == "row_number") or not call.window.partition_by:
        return None
    mine = [p for p in preds if a.Column(item.rel, at, call.type) in columns_used((p,), (item.rel,))]
    most = _most(mine, item.rel, at)
    above = [*(t for t in block.targets), *block.order_by, *(p for p in preds if p not in mine)]
    above += [block.having] if block.having is not None else []
    above += [k for keys in block.group_by or () for k in keys]
    # a number that is shown is 1 where only the first is kept; else it would have to be computed
    shown = any(c.pos == at for c in columns_used(above, (item.rel,)))
    if most is None or (shown and most > 1):
        return None
    return _Numbered(item, query, at, call.window, most, tuple(mine))


def _plain(query: a.Select) -> bool:
    # grouped or cut, the window sees other rows than those of FROM
    bare = query.group_by is None and query.distinct is None and query.limit is None and query.offset is None
    windows = sum(isinstance(n, a.WindowCall) for t in query.targets for n in walk_block(t.expr))
    sets = any(returns_set(t.expr) for t in query.targets)
    return (
        bare and windows == 1 and not query.order_by and not query.ctes and not sets and not may_differ(query)
    )


def _most(preds: Sequence[a.Expr], rel: int, at: int) -> int | None:
    """The one condition on the number as a count of first rows."""
    # two conditions on the number (`n > 1 AND n < 4`) leave out the first
    compared = turned(preds[0]) if len(preds) == 1 else None
    if compared is None:
        return None
    name, column, const = compared
    if (
        not isinstance(column, a.Column)
        or (column.rel, column.pos) != (rel, at)
        or not (const.value or "").isdigit()
    ):
        return None
    number = int(const.value or "0")
    if name == "=":
        # `n = 2` is the second row alone
        return 1 if number == 1 else None
    # `n > 1` and the like have no end
    most = number - 1 if name == "<" else number if name == "<=" else 0
    return most if most > 0 else None


# --------------------------------------------------------------------------- DISTINCT ON


def _distinct_on(
    block: a.Select, items: Sequence[a.FromItem], preds: Sequence[a.Expr], found: _Numbered
) -> Iterator[Rewrite]:
    keys = tuple(dict.fromkeys(found.window.partition_by))
    order = ascending(keys)
    # a type without order cannot be sorted by for DISTINCT ON
    if order is None:
        return
    query = replace(
        found.query, targets=_one(found), distinct=keys, order_by=(*order, *found.window.order_by)
    )
    made = replace(found.item, query=query)
    rest = [p for p in preds if p not in found.preds]
    from_ = tuple(made if i is found.item else i for i in items)
    yield Rewrite(
        replace(block, from_=from_, where=conjoin(rest)), "the first row of each group by DISTINCT ON"
    )


def _one(found: _Numbered) -> tuple[a.Target, ...]:
    """The outputs with the number 1 in the number's place."""
    call = found.query.targets[found.at].expr
    return tuple(
        replace(t, expr=a.Const("1", call.type)) if i == found.at else t
        for i, t in enumerate(found.query.targets)
    )


# --------------------------------------------------------------------------- LATERAL


def _lateral(
    block: a.Select,
    items: Sequence[a.FromItem],
    preds: Sequence[a.Expr],
    found: _Numbered,
    ctx: Context,
) -> Iterator[Rewrite]:
    others = [i for i in items if i is not found.item]
    # nothing to look up for; a LATERAL item among the others may have to stay behind this one
    if not others or any(is_lateral(i) for i in others):
        return
    rels = from_rels(others)
    ties: list[a.Expr] = []
    inside: list[a.Expr] = []
    mapping: dict[Place, a.Expr] = {(found.item.rel, i): t.expr for i, t in enumerate(found.query.targets)}
    for key in found.window.partition_by:
        place = next((i for i, t in enumerate(found.query.targets) if t.expr == key), None)
        # the key has to be shown to be tied outside
        tie = next((p for p in preds if place is not None and _tied(p, found.item.rel, place, rels)), None)
        # tied by a part of the partition a row asks for several groups
        if not ctx.holds("every-key-is-tied", tie is not None):
            return
        if tie is not None:
            ties.append(tie)
            inside.append(substitute(tie, mapping))
    # with the guard off in tests no key may be tied
    if not ties:
        return
    query = replace(
        found.query,
        targets=_one(found),
        where=conjoin((*conjuncts(found.query.where), *inside)),
        order_by=found.window.order_by,
        limit=a.Const(str(found.most), a.COUNT_TYPE),
    )
    # the tie moves inside, where an index on key and order gives the first rows
    made = replace(found.item, query=query, lateral=True)
    rest = [p for p in preds if p not in ties and p not in found.preds]
    yield Rewrite(
        replace(block, from_=(*others, made), where=conjoin(rest)),
        "the first rows of a group are looked up for each row that asks for them",
    )


def _tied(pred: a.Expr, rel: int, place: int, rels: frozenset[int]) -> bool:
    tie = as_tie(pred, frozenset({rel}))
    if tie is None or not isinstance(tie.inner, a.Column) or tie.inner.pos != place:
        return False
    return bool(free_rels(tie.outer)) and free_rels(tie.outer) <= rels and not has_window(tie.outer)
