"""Running totals looked up at a value: the total of the rows up to it.

    (SELECT r.total FROM (SELECT at, sum(x) OVER (ORDER BY at) AS total FROM t) r
     WHERE r.at <= v ORDER BY r.at DESC LIMIT 1)
    -->   (SELECT sum(t.x) FROM t WHERE t.at <= v)

The row found is the last in the window's order of those that the condition lets through, so that its frame
holds these and no others: NULLs come last in the window, or never, and are refused by the condition. Where
there is none, the subquery is NULL as the total is; a count of no rows would be 0, and is said as a sum of
ones. Exact totals, and extremes that look one way, are the same in whatever order they are made. Must not
know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.build import function
from rewright.sql.builtins import builtins
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.types import EXACT_INTEGERS, INT4, SqlType, equality_is_identity
from rewright.sql.walk import conjuncts, has_subquery, has_window, references_whole, returns_set, walk

# of one order, whatever the collation
_ON_A_LINE = EXACT_INTEGERS | {"numeric", "date", "time", "timestamp", "timestamptz"}
_EXACT = EXACT_INTEGERS | {"numeric"}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ONE = a.Const("1", INT4)


def without_running_totals(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its lookups of running totals as totals."""
    return _WithoutRunningTotals(catalog).form(query)


@dataclass(frozen=True, slots=True)
class _Lookup:
    """One row of ``rows``, the first in an ``order``: the call it shows at ``pos``. ``bounds``: the columns
    that are compared, with the operator as it reads from their side; ``fixed``: those that are equal to
    something outside.
    """

    item: a.Derived
    rows: a.Select
    call: a.WindowCall
    pos: int
    bounds: tuple[tuple[int, str], ...]
    fixed: frozenset[a.Expr]
    order: tuple[a.SortKey, ...]


class _WithoutRunningTotals(Walk):
    def changed(self, node: a.Node) -> a.Node:
        if not isinstance(node, a.ScalarSubquery) or not isinstance(node.query, a.Select):
            return node
        query = node.query
        found = _lookup(query)
        total = None if found is None else _total(found)
        if found is None or total is None or not self._is_last(found):
            return node
        # what is added is computed for the rows up to the value alone
        self.reserve_other_rows(found.rows)
        self.reserve_failures(*conjuncts(query.where), *(k.expr for k in query.order_by))
        added = found.call.args[0] if found.call.args else _ONE
        shown = tuple(
            replace(t, expr=added) if i == found.pos else t for i, t in enumerate(found.rows.targets)
        )
        item = replace(found.item, query=replace(found.rows, targets=shown, distinct=None, order_by=()))
        (target,) = query.targets
        return replace(node, query=a.Select((replace(target, expr=total),), (item,), query.where, ((),)))

    def _is_last(self, found: _Lookup) -> bool:
        """Whether the row that is found is the last in the window's order of those that are let through."""
        window, shown = found.call.window, [t.expr for t in found.rows.targets]
        if len(found.bounds) != 1 or not window.order_by or len(found.order) < len(window.order_by):
            return False
        ((bound, op),) = found.bounds
        first = window.order_by[0]
        # rows that come before one that meets the condition meet it as well
        if first.expr != shown[bound] or first.descending != (op[0] == ">"):
            return False
        for key, by in zip(window.order_by, found.order, strict=False):
            if not _is_backwards(key, by, shown, found.item.rel, bound):
                return False
        nonnull = self.facts.nonnull_columns(found.rows)
        basis = self.facts.never_null(first.expr, nonnull, found.rows) if first.nulls_first else frozenset()
        if basis is None:
            return False
        if window.frame.mode == "rows":
            # of rows that tie the frame of one lacks others
            keys = [*window.partition_by, *(k.expr for k in window.order_by)]
            apart = self.facts.exprs_determine(
                replace(found.rows, targets=(), distinct=None, order_by=()), keys
            )
            if apart is None:
                return False
            basis |= apart
        self.rest_on(basis)
        return set(window.partition_by) == found.fixed


def _lookup(query: a.Select) -> _Lookup | None:
    """The call over a subquery's rows that another subquery shows of the first of them."""
    item = query.from_[0] if len(query.from_) == 1 else None
    one = isinstance(query.limit, a.Const) and query.limit.value == "1" and query.offset is None
    if not one or query.with_ties or not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        return None
    bare = a.Select(query.targets, query.from_, query.where)
    if replace(query, limit=None, order_by=()) != bare or len(query.targets) != 1:
        return None
    rows, column = item.query, query.targets[0].expr
    if not isinstance(rows, a.Select) or not isinstance(column, a.Column) or column.rel != item.rel:
        return None
    if not _are_all(rows) or is_volatile(query) or references_whole(query, item.rel):
        return None
    call = rows.targets[column.pos].expr
    others = [t.expr for i, t in enumerate(rows.targets) if i != column.pos]
    call = _counted(call) if isinstance(call, a.WindowCall) else call
    if not isinstance(call, a.WindowCall) or any(has_window(e) or has_subquery(e) for e in others):
        return None
    asked = [_asked(p, item.rel) for p in conjuncts(query.where)]
    if any(x is None for x in asked):
        return None
    known = [x for x in asked if x is not None]
    shown = [t.expr for t in rows.targets]
    fixed = frozenset(shown[pos] for pos, op in known if op == "=")
    bounds = tuple((pos, op) for pos, op in known if op != "=")
    return _Lookup(item, rows, call, column.pos, bounds, fixed, query.order_by)


def _counted(call: a.WindowCall) -> a.WindowCall:
    """The number of a row as a count of the rows up to it."""
    numbers = call.func.is_builtin and call.func.name == "row_number" and call.window.frame == a.Frame()
    count = next((f for f in builtins().functions("count") if not f.args), None)
    if not numbers or count is None or call.filter is not None:
        return call
    window = replace(call.window, frame=a.Frame("rows"))
    return a.WindowCall(count.to_ref(), (), window, call.type, star=True)


def _are_all(rows: a.Select) -> bool:
    """Whether a block shows all rows that it makes, but for those that are alike."""
    if rows.ctes or rows.limit is not None or rows.offset is not None or len(rows.group_by or ()) > 1:
        return False
    plain = rows.distinct in {None, ()}
    return plain and not any(returns_set(t.expr) for t in rows.targets)


def _asked(pred: a.Expr, rel: int) -> tuple[int, str] | None:
    """Which column of a relation a condition compares with something outside, and how."""
    if not isinstance(pred, a.Op) or len(pred.args) != 2 or not pred.op.is_builtin:
        return None
    # of a local time and a moment more may be let through than come before
    if pred.op.function.volatility is not a.Volatility.IMMUTABLE:
        return None
    for own, value, name in _ways(pred):
        if not isinstance(own, a.Column) or own.rel != rel:
            continue
        if any(isinstance(n, a.Column) and n.rel == rel for n in walk(value)):
            return None
        if name == "=":
            return (
                (own.pos, "=") if is_equality(pred) and _are_of_one_equality(own.type, value.type) else None
            )
        return (own.pos, name) if name in _FLIPPED and _is_on_a_line(own.type) else None
    return None


def _is_on_a_line(type_: SqlType) -> bool:
    return type_.is_builtin and not type_.is_array and type_.name in _ON_A_LINE


def _ways(pred: a.Op) -> Iterator[tuple[a.Expr, a.Expr, str]]:
    first, second = pred.args
    yield first, second, pred.op.name
    yield second, first, _FLIPPED.get(pred.op.name, pred.op.name)


def _are_of_one_equality(*types: SqlType) -> bool:
    """Whether all that equals a value of one type is one partition."""
    plain = all((t.is_builtin and not t.collation) or equality_is_identity(t) for t in types)
    return plain and len({t.without_typmod() for t in types}) == 1


def _is_backwards(key: a.SortKey, by: a.SortKey, shown: Sequence[a.Expr], rel: int, bound: int) -> bool:
    """Whether rows are sorted by what a window's key is, the other way round."""
    if not isinstance(by.expr, a.Column) or by.expr.rel != rel or key.expr != shown[by.expr.pos]:
        return False
    if not _is_on_a_line(by.expr.type) or not (key.op.is_builtin and by.op.is_builtin):
        return False
    # NULLs of what is compared are not there
    nulls = by.expr.pos == bound or by.nulls_first != key.nulls_first
    return by.descending != key.descending and {key.op.name, by.op.name} == {"<", ">"} and nulls


def _total(found: _Lookup) -> a.Expr | None:
    """What a window adds up as an aggregate that is NULL of no rows; None where it is none, or depends on
    their order.
    """
    call, frame = found.call, found.call.window.frame
    ends = (frame.start, frame.end, frame.exclude)
    if ends != ("unbounded_preceding", "current", "") or call.filter is not None or not call.func.is_builtin:
        return None
    read = found.item.names[found.pos]
    if call.star and call.func.name == "count":
        ones = function("sum", "int4")
        return (
            a.Aggregate(ones, (a.Column(found.item.rel, found.pos, INT4, read),), call.type) if ones else None
        )
    if len(call.args) != 1 or call.func.kind != "a" or has_subquery(call.args[0]):
        return None
    (added,) = call.args
    exact = call.func.name in {"sum", "avg"} and added.type.is_builtin and added.type.name in _EXACT
    extreme = (
        call.func.name in {"min", "max"} and equality_is_identity(added.type) and call.type == added.type
    )
    if not exact and not extreme:
        return None
    return a.Aggregate(call.func, (a.Column(found.item.rel, found.pos, added.type, read),), call.type)
