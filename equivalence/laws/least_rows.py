"""First rows of groups that show no more than what they are sorted by, as the least or greatest of a group.

    JOIN (SELECT o.k, o.day, row_number() OVER (PARTITION BY o.k ORDER BY o.day) n FROM o) x ON x.n = 1
    -->   JOIN (SELECT o.k, min(o.day), 1 FROM o GROUP BY o.k) x
    SELECT DISTINCT ON (o.k) o.k, o.day FROM o ORDER BY o.k, o.day
    -->   SELECT o.k, min(o.day) FROM o GROUP BY o.k ORDER BY o.k

Grouping and PARTITION BY put the same rows together, and the first row of a group has its least value: of
rows that tie any may come first, and all show the same. min leaves NULLs out, so that they must come last, or
not be there (hazards 13, 14). The number is 1 in the rows that are left, and what is sorted by behind the
first key decides among ties alone; it is not computed any more, and must not fail. Under a cut the first row
of a group ends the search, and its least value does not. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.equivalence.laws.join_steps import Steps, steps_of
from rewright.equivalence.laws.ordering import beyond_cuts, is_cut
from rewright.sql import algebra as a
from rewright.sql.builtins import builtins
from rewright.sql.catalog import Catalog
from rewright.sql.comparisons import FLIPPED
from rewright.sql.facts import Assumptions, is_volatile
from rewright.sql.types import INT8, equality_is_identity
from rewright.sql.walk import (
    conjoin,
    conjuncts,
    free_rels,
    from_rels,
    has_aggregate,
    has_subquery,
    has_window,
    returns_set,
)

_ONE = a.Const("1", INT8)
_FIRST = frozenset({("=", "1"), ("<=", "1"), ("<", "2")})
# types that min and max give as they are
_ORDERED = frozenset({"int2", "int4", "int8", "date", "timestamp", "timestamptz", "text"})


def with_least_rows(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its subqueries of such first rows as groups."""
    return _WithLeastRows(catalog, cut=is_cut(query)).form(query)


class _WithLeastRows(Walk):
    def __init__(self, catalog: Catalog, *, cut: bool) -> None:
        super().__init__(catalog)
        self.cut = cut

    def form(self, query: a.Query) -> Form:
        made = super().form(query)
        # rows that are numbered come sorted, and groups may be hashed: what reads them sorts them then
        if self.cut and made.query != query:
            return replace(made, modulo=made.modulo | beyond_cuts(query, self.catalog))
        return made

    def block(self, block: a.Select) -> a.Select:
        block = self._kept_first(block) or block
        found = steps_of(block.from_, block.where)
        made = self._items(found)
        if made == found:
            return block
        return replace(block, from_=made.from_, where=conjoin(made.where))

    def _kept_first(self, block: a.Select) -> a.Select | None:
        """The first rows that DISTINCT ON keeps as groups, which need not be sorted by what they show."""
        parts = block.distinct
        # a grouped block's rows are groups: DISTINCT ON chooses among these
        if not parts or block.group_by is not None or block.having is not None or is_volatile(block):
            return None
        leading = len(dict.fromkeys(parts))
        sorted_, keys = block.order_by[:leading], block.order_by[leading:]
        rows = a.Select(block.targets, block.from_, block.where)
        exprs = [t.expr for t in block.targets]
        # without a key behind those of DISTINCT ON any row of a group may be kept
        if not keys or {k.expr for k in sorted_} != set(parts) or any(map(_is_of_rows, exprs)):
            return None
        # a sort key that fails would fail no more, since min() looks at the first key alone
        if not _own(rows, parts) or not all(map(self.facts.cannot_fail, _exprs(keys))):
            return None
        targets = self._least_targets(rows, parts, keys[0], {})
        if targets is None:
            return None
        group = (tuple(dict.fromkeys(parts)),)
        if self.cut:
            self.reserve_other_rows(rows)
        return replace(block, targets=targets, distinct=None, group_by=group, order_by=sorted_)

    def _items(self, found: Steps) -> Steps:
        """Each item that is asked for its first rows as groups."""
        for n, item in enumerate(found.items):
            grouped = self._asked_first(item, found.where)
            if grouped is not None:
                # the others that follow ask what the first one's groups show
                items = (*found.items[:n], grouped[0], *found.items[n + 1 :])
                found = replace(found, items=items, where=grouped[1])
        # a LEFT JOIN's first row by ON n = 1, as well as by WHERE
        for n, step in enumerate(found.steps):
            grouped = self._asked_first(step.item, step.on)
            if grouped is not None:
                made = replace(step, item=grouped[0], on=grouped[1])
                found = replace(found, steps=(*found.steps[:n], made, *found.steps[n + 1 :]))
        return found

    def _asked_first(
        self, item: a.FromItem, asked: Sequence[a.Expr]
    ) -> tuple[a.Derived, tuple[a.Expr, ...]] | None:
        """The item as groups, and what else is asked where one condition wants each group's first row."""
        if not isinstance(item, a.Derived) or item.security_barrier or not isinstance(item.query, a.Select):
            return None
        # WHERE n = 1 of several numbered columns: the first that fits
        first = next((p for p in asked if _wants_first(p, item) is not None), None)
        place = None if first is None else _wants_first(first, item)
        grouped = None if place is None else self._grouped(item.query, place)
        if grouped is None:
            return None
        # the condition n = 1 goes, since groups have one row each
        others = tuple(p for p in asked if p is not first)
        # they may have been asked of rows that are gone now
        self.reserve_failures(*others, *conjuncts(item.query.where))
        if self.cut:
            self.reserve_other_rows(replace(item.query, order_by=()))
        return replace(item, query=grouped), others

    def _grouped(self, query: a.Select, place: int) -> a.Select | None:
        """The rows that are numbered 1, one for each group."""
        plain = a.Select(query.targets, query.from_, query.where)
        number = query.targets[place].expr
        # its own ORDER BY may stand, as it orders nothing; LIMIT or GROUP BY make other rows
        if replace(query, order_by=()) != plain or is_volatile(query) or not isinstance(number, a.WindowCall):
            return None
        parts, keys = number.window.partition_by, number.window.order_by
        if (
            # PARTITION BY a computed value, or one of several looks, could show another member's
            not _numbers(number)
            or not _own(plain, parts)
            # its own ORDER BY sorts nothing that is seen, and is computed all the same
            or not all(map(self.facts.cannot_fail, _exprs((*keys, *query.order_by))))
        ):
            return None
        targets = self._least_targets(plain, parts, keys[0], {number: _ONE})
        return (
            None
            if targets is None
            else replace(plain, targets=targets, group_by=(tuple(dict.fromkeys(parts)),))
        )

    def _least_targets(
        self, rows: a.Select, parts: Sequence[a.Expr], key: a.SortKey, others: Mapping[a.Expr, a.Expr]
    ) -> tuple[a.Target, ...] | None:
        """What is shown of the first row of each part, of the part; None where that is more than what rows
        are parted and sorted by. ``others``: what stands for what else may be shown.
        """
        basis, least = self._has_its_value_first(rows, key), _extreme(key)
        if basis is None or least is None or not _is_plain(rows, key):
            return None
        shown: dict[a.Expr, a.Expr] = {**others, key.expr: least, **{p: p for p in parts}}
        # o.note beside min(o.day) is of a row that a group does not have
        if any(t.expr not in shown for t in rows.targets):
            return None
        self.rest_on(basis)
        return tuple(replace(t, expr=shown[t.expr]) for t in rows.targets)

    def _has_its_value_first(self, rows: a.Select, key: a.SortKey) -> Assumptions | None:
        """What shows that no NULL comes before a value."""
        # ORDER BY day DESC puts NULLs first, and max() leaves them out
        if not key.nulls_first:
            return frozenset()
        return self.facts.never_null(key.expr, self.facts.nonnull_columns(rows), rows)


def _wants_first(pred: a.Expr, item: a.Derived) -> int | None:
    """The place of the item's column of which a condition wants the number 1, where none is less."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    name = pred.op.name
    left, right = (x.arg if isinstance(x, a.Cast) and x.implicit else x for x in pred.args)
    if isinstance(left, a.Const):
        # 1 >= n is n <= 1
        left, right, name = right, left, FLIPPED.get(name, name)
    if not isinstance(left, a.Column) or left.rel != item.rel or not isinstance(right, a.Const):
        return None
    whole = right.type.is_builtin and right.type.name in {"int2", "int4", "int8"}
    # a numeric 1.0 is compared otherwise and is no number of a row
    return left.pos if whole and (name, right.value) in _FIRST else None


def _numbers(call: a.WindowCall) -> bool:
    """Whether it numbers the rows of parts in an order."""
    window = call.window
    plain = call.func.is_builtin and call.func.name == "row_number" and call.filter is None
    bounded = window.frame.start_offset is not None or window.frame.end_offset is not None
    return plain and not bounded and bool(window.partition_by) and bool(window.order_by)


def _is_of_rows(expr: a.Expr) -> bool:
    """Whether a value is made of several rows, or makes several."""
    return has_aggregate(expr) or has_window(expr) or returns_set(expr)


def _exprs(keys: Sequence[a.SortKey]) -> list[a.Expr]:
    return [k.expr for k in keys]


def _own(rows: a.Select, parts: Sequence[a.Expr]) -> bool:
    """Whether rows are parted by their own columns, equal values of which are the same."""
    own = from_rels(rows.from_)
    return all(isinstance(p, a.Column) and p.rel in own and equality_is_identity(p.type) for p in parts)


def _is_plain(rows: a.Select, key: a.SortKey) -> bool:
    """Whether a key sorts by a value of the rows as min and max do, and equal values of it are the same."""
    type_, own = key.expr.type, from_rels(rows.from_)
    # varchar(3) and collations that take 'a' for 'A': min() may give another type or another of equals
    ordered = type_.name in _ORDERED and type_.typmod == -1 and equality_is_identity(type_)
    own_value = bool(free_rels(key.expr) & own) and free_rels(key.expr) <= own and not has_subquery(key.expr)
    return ordered and own_value and key.op.is_builtin


def _extreme(key: a.SortKey) -> a.Aggregate | None:
    """What is the key's value in the row that stands first."""
    name, value = "max" if key.descending else "min", key.expr
    # an order by the user's operator class has no aggregate of its own here
    found = (f for f in builtins().functions(name) if f.kind == "a" and f.args == (value.type.name,))
    made = next(found, None)
    return None if made is None else a.Aggregate(made.to_ref(), (value,), value.type)
