"""Groupings that are joined by their whole key for their values alone: lookups, one for each row, in both
queries of a pair.

    SELECT c.id, g.v FROM cust c LEFT JOIN (SELECT region, max(amount) AS v FROM sale GROUP BY region) g ON
    g.region = c.region -->
    SELECT c.id, (SELECT max(amount) FROM sale WHERE region = c.region) FROM cust c

At most one group equals the values it is joined with, and it holds the rows that equal them: where neither
is NULL grouping and = agree, and where one is NULL there is neither a partner nor a row. So the join keeps
each row once, with the value over those rows; without a partner there are none, and the value is NULL as that
of no rows, or 0 where it is asked for so (hazards 1, M3). The values are columns of the kept rows, or what is
NULL where one of these is: ``g.day = c.at::date``. The same holds of the first row of each group
(DISTINCT ON) and of a cut to one. What is computed is computed for other groups: a reservation. Must not know
rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.chance import looseness
from rewright.equivalence.laws.correlation import Tie, as_tie
from rewright.equivalence.laws.cut_lookups import without_first_rows
from rewright.equivalence.laws.forms import Form, Walk
from rewright.equivalence.laws.numbered_rows import Place, place_of
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumptions, is_volatile, null_on_empty, strict_columns
from rewright.sql.facts.looks import look_of_type
from rewright.sql.types import INT4, INT8
from rewright.sql.walk import (
    REFERENCES,
    SUBQUERIES,
    Fresh,
    children,
    conjoin,
    conjuncts,
    copy_fresh,
    from_rels,
    has_window,
    is_closed,
    map_parts,
    references_whole,
    replace_item,
    returns_set,
    used_rels,
    walk,
)

_ONE = a.Const("1", a.COUNT_TYPE)


def as_lookups(query: a.Query, catalog: Catalog, fresh: Fresh) -> Form:
    """A query that holds no CTEs, its joined groupings as lookups. ``modulo``: what may fail, or be chosen
    otherwise, for other groups.
    """
    return _AsLookups(catalog, fresh).form(query)


class _AsLookups(Walk):
    def __init__(self, catalog: Catalog, fresh: Fresh) -> None:
        super().__init__(catalog)
        self.fresh = fresh

    def block(self, block: a.Select) -> a.Select:
        # outermost first: an inner join's lookup stands in what the outer one keeps
        for join in [j for item in block.from_ for j in _left_joins(item)]:
            made = self._looked_up(block, join)
            if made is not None:
                block = made
        return without_first_rows(block, self, self.fresh)

    def _looked_up(self, block: a.Select, join: a.Join) -> a.Select | None:
        grouped = join.right
        # the group shown as a whole has no columns to look up
        if not isinstance(grouped, a.Derived) or references_whole(block, grouped.rel):
            return None
        place = place_of(grouped, conjuncts(join.on))
        asked = conjuncts(join.on) if place is None else place.on
        ties = [as_tie(p, frozenset({grouped.rel})) for p in asked]
        values = _values(grouped, join, ties, place)
        if values is None:
            return None
        block = replace(block, from_=tuple(replace_item(item, join, join.left) for item in block.from_))
        read = {n.pos for n in walk(block) if isinstance(n, a.Column) and n.rel == grouped.rel}
        values = {pos: value for pos, value in values.items() if pos in read}
        made = self._read(block, grouped.rel, values)
        if any(isinstance(n, a.Column) and n.rel == grouped.rel for n in walk(made)):
            return None  # a key, or a count that is NULL where there is nothing to count
        assert isinstance(grouped.query, a.Select)
        basis = self._decided(grouped.query) if place is None else self._placed(place, values)
        # DISTINCT ON with ties: two lookups for two columns might be of two rows
        if basis is None and len(values) > 1:
            return None  # lookups might choose different rows
        self.reserve({"tie-order"} if basis is None else ())
        self.reserve_other_rows(grouped.query)
        # ties are computed of rows that the join may not have reached
        self.reserve_other_rows(*(t.outer for t in ties if t is not None))
        self.reserve(looseness(_unordered(grouped.query, place)))
        self.rest_on(basis or ())
        return made

    def _decided(self, query: a.Select) -> Assumptions | None:
        """The constraints by which the order leaves no choice of the first row, or of what it shows; None: it
        may.
        """
        # a group has one row for each key, nothing is chosen in it
        if query.distinct is None:
            return frozenset()
        rows, order = replace(query, distinct=None), [k.expr for k in query.order_by]
        # tied rows that show the same leave no choice that is seen
        if all(t.expr in order and look_of_type(t.expr.type) is not None for t in query.targets):
            return frozenset()
        return self.facts.exprs_determine(rows, order)

    def _placed(self, place: Place, values: dict[int, a.Select]) -> Assumptions | None:
        """As `_decided`, of the row that has a number."""
        order = [*place.keys, *(k.expr for k in place.order)]
        shown = [v.targets[0].expr for v in values.values()]
        if all(e in order and look_of_type(e.type) is not None for e in shown):
            return frozenset()
        return self.facts.exprs_determine(replace(place.rows, targets=()), order)

    def _read(self, block: a.Select, rel: int, values: dict[int, a.Select]) -> a.Select:
        """The block with the columns of ``rel`` as subqueries."""
        known: dict[int, a.ScalarSubquery] = {}

        def lookup(pos: int) -> a.ScalarSubquery:
            if pos not in known:
                copied, _ = copy_fresh(values[pos], self.fresh)
                known[pos] = a.ScalarSubquery(copied, copied.targets[0].expr.type)
            return known[pos]

        def visit(n: Any) -> Any:
            match n:
                # the count of an absent group is NULL, unless COALESCE makes it the 0 that a lookup counts
                case a.Coalesce(args=(a.Column() as c, other)) if (
                    c.rel == rel and c.pos in values and _is_count(values[c.pos]) and is_zero(other)
                ):
                    return lookup(c.pos)
                # a count without COALESCE is NULL where there is no group: no lookup counts so
                case a.Column() if n.rel == rel and n.pos in values and not _is_count(values[n.pos]):
                    return lookup(n.pos)
                case _:
                    return map_parts(n, visit)

        made: a.Select = visit(block)
        return made


def _unordered(query: a.Select, place: Place | None) -> a.Select:
    """What is grouped or numbered, without that by which one row is chosen."""
    if place is None:
        return replace(query, distinct=None, order_by=())
    return replace(place.rows, targets=tuple(t for t in place.rows.targets if not has_window(t.expr)))


def _left_joins(item: a.FromItem) -> Iterator[a.Join]:
    """Outermost first."""
    if isinstance(item, a.Join):
        if item.kind == "left":
            yield item
        yield from _left_joins(item.left)
        yield from _left_joins(item.right)


def _values(
    item: a.Derived, join: a.Join, ties: Sequence[Tie | None], place: Place | None
) -> dict[int, a.Select] | None:
    """What the columns of a grouping say of the rows that equal its partner, by position, as queries of one
    row; None: it is no grouping that is joined by its whole key.
    """
    query = item.query if place is None else place.rows
    # LATERAL makes other groups for each row
    if item.lateral or item.security_barrier or not isinstance(query, a.Select) or query.ctes:
        return None
    # HAVING and LIMIT take whole groups away, whose lookup would give a value all the same
    if query.limit is not None or query.offset is not None:
        return None
    # a grouping that reads rows outside is no one grouping
    if (
        not is_closed(item.query)
        or is_volatile(item.query)
        or any(returns_set(t.expr) for t in query.targets)
    ):
        return None
    if place is None and (query.having is not None or any(has_window(t.expr) for t in query.targets)):
        return None
    # on anything but keys the LEFT JOIN pads rows that have a group
    if any(t is None or not _is_plain(t, join) for t in ties):
        return None
    keys = query.group_by[0] if query.group_by is not None and len(query.group_by) == 1 else query.distinct
    keys = keys if place is None else place.keys
    own = [_inside(t, query) for t in ties if t is not None]
    # a part of the key meets several groups, and the row comes once for each
    if not keys or {key for key, _ in own} != set(keys):
        return None
    where = conjoin((*conjuncts(query.where), *(p for _, p in own)))
    if place is not None:
        # what numbers others, or is the number itself, is no value of the one row
        return {i: place.row(t, where) for i, t in enumerate(query.targets) if not has_window(t.expr)}
    if query.group_by is not None:
        # DISTINCT over groups is a second grouping
        return _aggregates(query, where) if query.distinct is None else None
    return _firsts(query, keys, where)


def _aggregates(query: a.Select, where: a.Expr | None) -> dict[int, a.Select]:
    return {
        i: replace(query, targets=(t,), where=where, group_by=((),), order_by=())
        for i, t in enumerate(query.targets)
        # (g.k || 'x') of a group shows the key, for which no row is there where the group is absent
        if _is_of_rows(t.expr) and (null_on_empty(t.expr) or _counts(t.expr))
    }


def _is_of_rows(expr: a.Expr) -> bool:
    """Whether an expression looks at the rows of its group by aggregates alone, none of which asks where a
    value would stand.
    """
    if isinstance(expr, a.Aggregate):
        return not expr.direct
    if isinstance(expr, (*REFERENCES, *SUBQUERIES, a.Grouping)):
        return False
    return all(_is_of_rows(x) for x in children(expr))


def _firsts(query: a.Select, keys: Sequence[a.Expr], where: a.Expr | None) -> dict[int, a.Select] | None:
    """Of DISTINCT ON: the first in the order behind the keys."""
    leading, order = query.order_by[: len(keys)], query.order_by[len(keys) :]
    # DISTINCT ON without further keys keeps any row of a group
    if {k.expr for k in leading} != set(keys) or not order:
        return None
    if any(has_window(k.expr) or returns_set(k.expr) for k in query.order_by):
        return None
    return {
        i: replace(query, targets=(t,), where=where, distinct=None, order_by=order, limit=_ONE)
        for i, t in enumerate(query.targets)
        if t.expr not in keys
    }


def _is_plain(tie: Tie, join: a.Join) -> bool:
    """Whether the tie's equality is the one that groups are made by, with a value of the rows that the join
    keeps: it is NULL where an outer join further out pads them.
    """
    outer = tie.outer.arg if isinstance(tie.outer, a.Cast) and tie.outer.method == "binary" else tie.outer
    sides = tie.key, outer, tie.inner, tie.outer
    alike = all(look_of_type(x.type) is not None for x in sides) or _are_of_one_equality(sides)
    if not alike or not isinstance(tie.key, a.Column) or returns_set(outer):
        return False
    # the outer side must be of the rows that this join keeps
    kept = from_rels((join.left,))
    # coalesce(c.region, 'x') is not NULL in a row padded further out, and would find a group there
    padded = any(rel in kept for rel, _ in strict_columns(outer))
    return tie.op.op.is_builtin and used_rels(outer) <= kept and padded


def _are_of_one_equality(sides: Sequence[a.Expr]) -> bool:
    """Whether all that equals one of them is one group, though equal ones look different: numbers of no scale
    are of one built-in type that has one equality.
    """
    types = {x.type.without_typmod() for x in sides}
    return len(types) == 1 and all(t.is_builtin and not t.collation for t in types)


def _inside(tie: Tie, query: a.Select) -> tuple[a.Expr, a.Expr]:
    """The key that is tied, and the tie on the rows that are grouped."""
    assert isinstance(tie.key, a.Column)
    key = query.targets[tie.key.pos].expr
    return key, tie.on_key(key)


def _counts(expr: a.Expr) -> bool:
    return isinstance(expr, a.Aggregate) and expr.func.is_builtin and expr.func.name == "count"


def is_zero(expr: a.Expr) -> bool:
    """An integer constant 0, also as bigint."""
    constant = expr.arg if isinstance(expr, a.Cast) and expr.type == INT8 else expr
    return isinstance(constant, a.Const) and constant.value == "0" and constant.type in {INT4, INT8}


def _is_count(value: a.Select) -> bool:
    # of groups among which one is chosen there may be none
    return value.group_by == ((),) and _counts(value.targets[0].expr)
