"""Groupings of the same rows that are LEFT JOINed by the same keys become one, with FILTER.

    SELECT c.name, a.n, b.t FROM cust c
      LEFT JOIN (SELECT cust, count(*) AS n FROM ord WHERE day > 5 GROUP BY cust) a ON a.cust = c.id
      LEFT JOIN (SELECT cust, sum(total) AS t FROM ord GROUP BY cust) b ON b.cust = c.id
    -->
    SELECT c.name, nullif(m.v1, 0), m.v2 FROM cust c
      LEFT JOIN (SELECT cust AS k1, count(*) FILTER (WHERE day > 5) AS v1, sum(total) AS v2 FROM ord GROUP BY
      cust) m ON m.k1 = c.id

Each has at most one row for a row of the kept side, so that the joins neither add nor lose rows, in any
order. What is NULL where no row of a group meets a condition is so with FILTER; a count of rows is 0 there,
and never where there is a group. Calcite: AggregateFilterToFilteredAggregateRule. Hazards 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, one_source, rule, stable
from rewright.sql import algebra as a
from rewright.sql.build import derived, int8, numbered, of_rows, operator
from rewright.sql.facts import null_on_empty
from rewright.sql.types import INT8
from rewright.sql.walk import (
    Place,
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    from_rels,
    group_keys,
    is_plain_grouping,
    left_spine,
    references_whole,
    renumber,
    substitute,
    used_rels,
)


@dataclass(frozen=True, slots=True)
class _Joined:
    """A grouping of tables on the right of a LEFT JOIN: its outputs, conditions, and what of the kept side
    each of its keys equals.
    """

    join: a.Join
    item: a.Derived
    scans: tuple[a.Scan, ...]
    values: tuple[a.Expr, ...]
    preds: tuple[a.Expr, ...]
    asked: dict[a.Expr, frozenset[a.Expr]]


@rule(
    SELECT.where(one_source, stable),
    guards=("same-keys", "nothing-counts-zero"),
    known_as="AggregateFilterToFilteredAggregateRule",
    priority=79,
)
def merge_grouped(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # the kept end of the LEFT JOINs: only its columns may be asked with, as all joins see them
    kept, spine = left_spine(block.from_[0])
    # the innermost first, where the merged grouping will stand
    found = [g for join in reversed(spine) if (g := _joined(join, from_rels((kept,)))) is not None]
    found = [g for g in found if not references_whole(block, g.item.rel)]
    merged: set[int] = set()
    for i, first in enumerate(found):
        if first.item.rel in merged:
            continue
        same = [g for other in found[i + 1 :] if (g := _like(other, first, ctx)) is not None]
        for others in _together(same):
            made = _merged(block, (first, *others), ctx)
            if made is None:
                continue
            number = "two" if len(others) == 1 else str(len(others) + 1)
            yield Rewrite(made, f"{number} groupings of the same rows are made in one pass")
            # all of them in one pass: fewer at a time would only be steps to it
            if others == same:
                merged |= {g.item.rel for g in others}
                break


def _together(same: Sequence[_Joined]) -> Iterator[Sequence[_Joined]]:
    """With which of those like it a grouping is made: all at once, else each by itself."""
    if same:
        yield same
    if len(same) > 1:
        yield from ([one] for one in same)


def _joined(join: a.Join, kept: frozenset[int]) -> _Joined | None:
    item = join.right
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        return None
    query = item.query
    if not isinstance(query, a.Select) or not is_plain_grouping(query):
        return None
    items, preds = as_product(query)
    scans = tuple(i for i in items if isinstance(i, a.Scan))
    if len(scans) < len(items):
        return None
    asked: dict[a.Expr, frozenset[a.Expr]] = {}
    for pred in conjuncts(join.on):
        tie = as_tie(pred, frozenset({item.rel}))
        # a condition on the grouping alone, or on another joined table, pads rows that the other join does
        # not
        if tie is None or not isinstance(tie.inner, a.Column) or not free_rels(tie.outer) <= kept:
            return None
        key = query.targets[tie.inner.pos].expr
        # one key may be asked for twice: `g.k = t.a AND g.k = t.b` finds fewer groups than either
        asked[key] = asked.get(key, frozenset()) | {tie.outer}
    # each key must be asked for, else several groups join one row
    if not asked or set(asked) != set(group_keys(query)):
        return None
    return _Joined(join, item, scans, tuple(t.expr for t in query.targets), tuple(preds), asked)


def _like(found: _Joined, first: _Joined, ctx: Context) -> _Joined | None:
    """The same over the first one's tables; None where these are others, or it is asked otherwise."""
    # ONLY reads other rows
    if [(s.table, s.only) for s in found.scans] != [(s.table, s.only) for s in first.scans]:
        return None
    rels = {theirs.rel: ours.rel for theirs, ours in zip(found.scans, first.scans, strict=True)}
    asked = {renumber(k, rels): outers for k, outers in found.asked.items()}
    # asked with another column of the kept row, the two find different groups
    if asked.keys() != first.asked.keys() or not ctx.holds("same-keys", asked == first.asked):
        return None
    values = tuple(renumber(v, rels) for v in found.values)
    return replace(found, values=values, preds=tuple(renumber(p, rels) for p in found.preds), asked=asked)


def _merged(block: a.Select, same: Sequence[_Joined], ctx: Context) -> a.Select | None:
    first = same[0]
    # conditions that both have stay in WHERE
    shared = [p for p in first.preds if all(p in g.preds for g in same)]
    # joined in another way, or with a partner that the others do not ask for, they are not the same rows
    if any(len(used_rels(p)) > 1 for g in same for p in g.preds if p not in shared):
        return None
    own = [conjoin(p for p in g.preds if p not in shared) for g in same]
    asked = [x for x in dict.fromkeys(own) if x is not None]
    # a row that neither asks for makes no group, unless one of them asks for all rows
    some = [] if None in own else [asked[0] if len(asked) == 1 else a.Or(tuple(asked))]
    joins = {g.join: g for g in same}
    around = replace(block, from_=(_without(block.from_[0], joins, None),))
    shown: dict[Place, a.Expr] = {}
    for g, only in zip(same, own, strict=True):
        for column in columns_used((around,), (g.item.rel,)):
            value = g.values[column.pos]
            # with FILTER a value of no chosen rows has to be what the LEFT JOIN padded: NULL
            if only is not None and not (null_on_empty(value) or _counts_rows(value)):
                return None
            shown[column.rel, column.pos] = of_rows(value, only)
    keys, values = tuple(first.asked), tuple(dict.fromkeys(v for v in shown.values()))
    query = a.Select(
        (*numbered("key", keys), *numbered("value", values)),
        first.scans,
        conjoin((*shared, *some)),
        (keys,),
    )
    item, columns = derived(ctx.fresh(), "merged", copy_fresh(query, ctx.fresh)[0])
    read = dict(zip(values, columns[len(keys) :], strict=True))
    mapping: dict[Place, a.Expr] = {}
    for g, only in zip(same, own, strict=True):
        for place in (p for p in shown if p[0] == g.item.rel):
            value = read[shown[place]]
            # a count over chosen rows is 0 in a group that has none of them, where the join showed NULL
            mapping[place] = value if only is None else _where_any(g.values[place[1]], value, ctx)
    at = {first.values.index(k): columns[keys.index(k)] for k in keys}
    on = substitute(first.join.on, {(first.item.rel, pos): c for pos, c in at.items()})  # type: ignore[type-var] # the join of a LEFT JOIN has a condition
    from_ = _without(block.from_[0], joins, replace(first.join, right=item, on=on))
    made: a.Select = substitute(replace(block, from_=(from_,)), mapping)
    return made


def _without(item: a.FromItem, gone: dict[a.Join, _Joined], instead: a.Join | None) -> a.FromItem:
    """A chain of LEFT JOINs without some of them; ``instead``: what stands for the first, its left side
    aside.
    """
    if not isinstance(item, a.Join) or item.kind != "left":
        return item
    # from the inside out: what stands for the first is put where it stood
    left = _without(item.left, gone, instead)
    if item not in gone:
        return replace(item, left=left)
    first = instead is not None and item is next(iter(gone))
    return replace(instead, left=left) if first and instead is not None else left


def _counts_rows(value: a.Expr) -> bool:
    return isinstance(value, a.Aggregate) and value.star and value.filter is None


def _where_any(value: a.Expr, column: a.Expr, ctx: Context) -> a.Expr:
    """An aggregate where no row of its group may meet its condition."""
    equal = operator("=", INT8, INT8)
    if not _counts_rows(value) or equal is None or ctx.holds("nothing-counts-zero", False):
        return column
    return a.NullIf(equal, column, int8(0), column.type)
