"""What is joined for its values and is there once at most for each row: lookups, one for each value.

    FROM ord o LEFT JOIN cust c ON c.id = o.cust
        c.name -->  (SELECT c.name FROM cust c WHERE c.id = o.cust)
    FROM cust c JOIN (SELECT cust, sum(v) AS s FROM ord GROUP BY cust) g ON g.cust = c.id
        g.s -->  (SELECT sum(v) FROM ord WHERE cust = c.id), WHERE EXISTS (SELECT FROM ord WHERE cust = c.id)
    FROM cust c, LATERAL (SELECT sum(v) AS s FROM ord WHERE cust = c.id) g
        g.s -->  (SELECT sum(v) FROM ord WHERE cust = c.id)

An aggregate without GROUP BY is one row. Of a grouping that is joined by its whole key at most one group is
met, and it holds the rows that equal the columns it is met by: neither `=` nor such a row is NULL (hazards
1, M3). An outer join's values are NULL where there is no such row, or where HAVING refuses the group. What
may fail is a reservation: it is computed for other rows. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from rewright.equivalence.laws.chance import looseness
from rewright.equivalence.laws.correlation import Tie, as_tie
from rewright.equivalence.laws.forms import Form, Walk, fresh_subqueries
from rewright.equivalence.laws.join_steps import Step, Steps, steps_of
from rewright.equivalence.laws.lookups import is_zero
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile, rejected_columns
from rewright.sql.facts.aggregates import null_on_empty
from rewright.sql.facts.looks import look_of_type
from rewright.sql.types import BOOL, INT4, INT8
from rewright.sql.walk import (
    REFERENCES,
    Fresh,
    conjoin,
    conjuncts,
    free_rels,
    group_keys,
    has_aggregate,
    has_subquery,
    has_window,
    is_closed,
    map_kind,
    map_parts,
    references_whole,
    returns_set,
    walk,
)

_ONE = a.Const("1", INT4)
_Value = Callable[[a.Column], a.Expr]


@dataclass(frozen=True, slots=True)
class _Looked:
    """``value`` of each column, ``there``: that the row is; None: it always is."""

    value: _Value
    there: tuple[a.Expr, ...] = ()
    # a count that is 0 where it is NULL
    counted: Callable[[a.Column], a.Expr | None] = lambda _: None


def as_values(query: a.Query, catalog: Catalog, fresh: Fresh) -> Form:
    """A query that holds no CTEs, with such joins as lookups. ``modulo``: what may fail for other rows."""
    return _AsValues(catalog, fresh).form(query)


class _AsValues(Walk):
    def __init__(self, catalog: Catalog, fresh: Fresh) -> None:
        super().__init__(catalog)
        self.fresh = fresh

    def block(self, block: a.Select) -> a.Select:
        # a grouped block counts how often rows are there; each of its rows is kept here, but aggregates ask
        # for more
        if block.group_by is not None or is_volatile(block) or has_aggregate(_above(block)):
            return block
        while True:
            rows = steps_of(block.from_, block.where)
            made = (self._looked_up(block, rows, i) for i in (*rows.items, *rows.steps))
            following = next((b for b in made if b is not None), None)
            if following is None:
                return block
            block = following

    def _looked_up(self, block: a.Select, rows: Steps, part: a.FromItem | Step) -> a.Select | None:
        """The block without one of the parts of its FROM; None where its values are no lookups."""
        item = part.item if isinstance(part, Step) else part
        if isinstance(item, a.Join) or references_whole(block, item.rel):
            return None
        if isinstance(part, Step):
            rest = replace(rows, steps=tuple(s for s in rows.steps if s is not part))
        else:
            rest = replace(rows, items=tuple(i for i in rows.items if i is not part))
        if not rest.items or any(item.rel in free_rels(i) for i in rest.items):
            return None
        found = self._single(rest, part) or self._group(rest, part)
        if found is None:
            return None
        looked, rest = found
        above = replace(_above(block), from_=rest.from_, where=conjoin((*rest.where, *looked.there)))

        def visit(n: Any) -> Any:
            # COALESCE(count, 0) first: a count of no rows is 0 by itself, where the joined group was absent
            if isinstance(n, a.Coalesce) and len(n.args) == 2 and is_zero(n.args[1]):
                counted = _of_counts(n.args[0], item.rel, looked.counted)
                if counted is not None:
                    return fresh_subqueries(counted, self.fresh)
            if isinstance(n, a.Column) and n.rel == item.rel:
                return fresh_subqueries(looked.value(n), self.fresh)
            return map_parts(n, visit)

        made: a.Select = map_parts(above, visit)
        return made

    # ---------------------------------------------------------------- what is one row

    def _single(self, rest: Steps, part: a.FromItem | Step) -> tuple[_Looked, Steps] | None:
        """An aggregate of all rows, or what an outer join finds once at most."""
        item = part.item if isinstance(part, Step) else part
        if isinstance(item, a.Derived) and not item.security_barrier and _is_aggregate(item.query):
            on = part.on if isinstance(part, Step) else ()
            # LEFT JOIN (one row) ON false shows NULLs; only ON TRUE is one row for certain
            if on and on != (a.Const("t", BOOL),):
                return None
            query = item.query
            assert isinstance(query, a.Select)
            self.reserve_other_rows(query)
            self.reserve(looseness(query))
            return _Looked(lambda c: _of_rows(query.targets[c.pos].expr, query, query.where)), rest
        if isinstance(part, Step) and isinstance(item, a.Scan):
            return self._row(rest, part, item)
        return None

    def _row(self, rest: Steps, step: Step, item: a.Scan) -> tuple[_Looked, Steps] | None:
        row = a.Select((a.Target("one", _ONE),), (item,), conjoin(step.on))
        basis = self.facts.at_most_one_row(row)
        # two partners are two rows in the join, and an error in a subquery
        if basis is None:
            return None
        self.rest_on(basis)
        self.reserve_other_rows(*step.on)

        def value(c: a.Column) -> a.Expr:
            return a.ScalarSubquery(replace(row, targets=(a.Target("v", c),)), c.type)

        return _Looked(value), rest

    # ---------------------------------------------------------------- groups

    def _group(self, rest: Steps, part: a.FromItem | Step) -> tuple[_Looked, Steps] | None:
        """A grouping that is joined by its whole key."""
        item = part.item if isinstance(part, Step) else part
        if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
            return None
        query = item.query
        if not isinstance(query, a.Select) or not _is_grouping(query):
            return None
        inside = frozenset({item.rel})
        asked = part.on if isinstance(part, Step) else tuple(p for p in rest.where if free_rels(p) & inside)
        ties = {p: t for p in asked if (t := as_tie(p, inside)) is not None and _is_plain(t)}
        ties = {p: t for p, t in ties.items() if query.targets[_at(t)].expr in group_keys(query)}
        # a condition of a LEFT JOIN on anything but the keys would pad the row though its group is there
        if isinstance(part, Step) and len(ties) < len(part.on):
            return None
        own = [(query.targets[_at(t)].expr, t) for t in ties.values()]
        if {key for key, _ in own} != set(group_keys(query)):
            return None
        where = conjoin((*conjuncts(query.where), *(t.on_key(key) for key, t in own)))
        self.reserve_other_rows(query)
        self.reserve(looseness(query))
        met = {key: t.outer for key, t in own}
        some = a.Exists(a.Select((a.Target("one", _ONE),), query.from_, where))
        having = [_shown(p, query, where, met) for p in conjuncts(query.having)]
        there = tuple(fresh_subqueries(x, self.fresh) for x in (some, *having))
        if not isinstance(part, Step):
            rest = replace(rest, where=tuple(p for p in rest.where if p not in ties))
            if not having and _refuse_none(rest.where, item.rel, query):
                there = ()
            return _Looked(lambda c: _shown(query.targets[c.pos].expr, query, where, met), there), rest

        def value(c: a.Column) -> a.Expr:
            expr = query.targets[c.pos].expr
            shown = _shown(expr, query, where, met)
            if query.having is None and _is_of_rows(expr) and null_on_empty(expr):
                return shown
            # the one group that is met, if any
            group = replace(query, targets=(a.Target("v", expr),), where=where)
            return a.ScalarSubquery(group, expr.type)

        def counted(c: a.Column) -> a.Expr | None:
            expr = query.targets[c.pos].expr
            plain = isinstance(expr, a.Aggregate) and expr.func.is_builtin and expr.func.name == "count"
            # COALESCE(g.n, 0) is the count itself, unless HAVING may have taken the group away
            return value_of(expr) if plain and query.having is None else None

        def value_of(expr: a.Expr) -> a.Expr:
            return _shown(expr, query, where, met)

        return _Looked(value, counted=counted), rest


def _refuse_none(preds: Iterable[a.Expr], rel: int, query: a.Select) -> bool:
    """Whether conditions refuse the NULL that an aggregate gives where there are no rows of a group."""
    values = [query.targets[pos].expr for p in preds for r, pos in rejected_columns(p) if r == rel]
    return any(_is_of_rows(e) and null_on_empty(e) for e in values)


def _of_counts(expr: a.Expr, rel: int, counted: Callable[[a.Column], a.Expr | None]) -> a.Expr | None:
    """What is added and subtracted of counts, which is 0 where all of them are; None for anything else."""
    match expr:
        case a.Column() if expr.rel == rel:
            return counted(expr)
        case a.Op() if expr.op.is_builtin and expr.op.name in {"+", "-"} and expr.type == INT8:
            # n + m of a padded row is NULL + NULL, and COALESCE makes that the 0 of no rows; products are not
            # looked at
            args = [_of_counts(x, rel, counted) for x in expr.args]
            known = tuple(x for x in args if x is not None)
            return replace(expr, args=known) if len(known) == len(args) else None
        case _:
            return None


def _above(block: a.Select) -> a.Select:
    return replace(block, from_=(), where=None)


def _is_bare(query: a.Select) -> bool:
    cut = query.limit is not None or query.offset is not None or query.distinct is not None
    odd = any(has_window(t.expr) or returns_set(t.expr) for t in query.targets)
    return not cut and not odd and not query.ctes and not is_volatile(query)


def _is_aggregate(query: a.Query) -> bool:
    """Whether it is one row, whatever it reads."""
    if not isinstance(query, a.Select) or query.group_by != ((),) or query.having is not None:
        return False
    return _is_bare(query)


def _is_grouping(query: a.Select) -> bool:
    """Whether it groups by keys, and all that is asked and shown of a group is its keys and aggregates: a
    column that depends on a key is one of a row that the lookup does not read.
    """
    shown = (*(t.expr for t in query.targets), *conjuncts(query.having))
    if not group_keys(query) or not _is_bare(query) or not is_closed(query):
        return False
    keys = set(group_keys(query))

    def bare(n: Any) -> Any:
        known = n in keys or isinstance(n, a.Aggregate)
        return a.Const(None, n.type) if known else map_parts(n, bare)

    # d.name where d.id is the key: the lookup aggregates and has no single row to read it from
    return not any(has_subquery(x) or any(isinstance(n, REFERENCES) for n in walk(bare(x))) for x in shown)


def _of_rows(expr: a.Expr, query: a.Select, where: a.Expr | None) -> a.Expr:
    """An expression over aggregates as one over lookups, of other rows of the same FROM."""

    def lookup(g: a.Aggregate) -> a.Expr:
        rows = a.Select((a.Target("v", g),), query.from_, where, ((),))
        return a.ScalarSubquery(rows, g.type)

    return map_kind(expr, a.Aggregate, lookup)


def _shown(expr: a.Expr, query: a.Select, where: a.Expr | None, met: dict[a.Expr, a.Expr]) -> a.Expr:
    """What a group shows: its keys as what they are met by, its aggregates as lookups."""
    if expr in met:
        return met[expr]
    if isinstance(expr, a.Aggregate):
        return _of_rows(expr, query, where)
    made: a.Expr = map_parts(expr, lambda n: _shown(n, query, where, met))
    return made


def _is_of_rows(expr: a.Expr) -> bool:
    """Whether it looks at the group by aggregates alone."""
    bare = map_kind(expr, a.Aggregate, lambda g: a.Const(None, g.type))
    return not any(isinstance(n, REFERENCES) for n in walk(bare))


def _at(tie: Tie) -> int:
    assert isinstance(tie.key, a.Column)
    return tie.key.pos


def _is_plain(tie: Tie) -> bool:
    """Whether the tie's equality is the one that groups are made by, of columns that look alike where they
    are equal.
    """
    sides = (tie.key, tie.inner, tie.outer)
    if not all(isinstance(x, a.Column) and look_of_type(x.type) is not None for x in sides):
        return False
    assert isinstance(tie.outer, a.Column)
    return tie.op.op.is_builtin and tie.symmetric and tie.inner.type == tie.outer.type
