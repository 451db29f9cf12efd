"""The row with the number before, told by the order of the rows: looked up by its number.

    CASE WHEN lag(k) OVER w = k - 1 THEN lag(x) OVER w END      WINDOW w AS (PARTITION BY p ORDER BY k)
    -->   (SELECT r.x FROM the rows r WHERE r.p = p AND r.k = k - 1)
    coalesce(lag(k) OVER w = k - 1, false)   -->   EXISTS of that

where p and k are a key of the rows, and k a whole number: between k - 1 and k there is none, so that a row
with the one is next to that with the other. Not of days, whose infinite one is its own day before. NULLs of k
are equal to no number; rows whose p is NULL are one partition. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.build import compare, derived, numbered, operator
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.types import BOOL, EXACT_INTEGERS
from rewright.sql.walk import (
    QUERIES,
    Fresh,
    conjoin,
    copy_fresh,
    has_subquery,
    has_window,
    highest_number,
    map_parts,
    returns_set,
)


def by_numbers(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, rows with the number before or behind looked up."""
    return _ByNumbers(catalog, Fresh(highest_number(query))).form(query)


@dataclass(frozen=True, slots=True)
class _Test:
    """That the ``neighbour``'s key, a whole number, is the number next to the row's own."""

    pred: a.Op
    neighbour: a.WindowCall

    @property
    def window(self) -> a.Window:
        return self.neighbour.window

    @property
    def key(self) -> a.Expr:
        return self.neighbour.args[0]


class _ByNumbers(Walk):
    def __init__(self, catalog: Catalog, fresh: Fresh) -> None:
        super().__init__(catalog)
        self._fresh = fresh

    def block(self, block: a.Select) -> a.Select:
        exprs = [t.expr for t in block.targets]
        if not any(has_window(e) for e in exprs) or is_volatile(block) or block.ctes:
            return block
        if len(block.group_by or ()) > 1 or any(returns_set(e) for e in exprs):
            return block

        def visit(n: Any) -> Any:
            if isinstance(n, QUERIES):
                return n
            made = self._looked_up(n, block)
            return map_parts(n, visit) if made is None else made

        targets = tuple(replace(t, expr=visit(t.expr)) for t in block.targets)
        return replace(block, targets=targets)

    def _looked_up(self, n: a.Node, block: a.Select) -> a.Expr | None:
        found = _asked(n)
        if found is None:
            return None
        test, shown = found
        rows = self._others(test, shown, block)
        if rows is None:
            return None
        return a.Exists(rows) if shown is None else a.ScalarSubquery(rows, shown.type)

    def _others(self, test: _Test, shown: a.Expr | None, block: a.Select) -> a.Select | None:
        """The rows of the block whose number is the one next to the row's own: one at most."""
        keys = [*test.window.partition_by, test.key]
        bare = replace(block, targets=(), distinct=None, order_by=(), limit=None, offset=None)
        read = keys if shown is None else [*keys, shown]
        if any(has_subquery(e) or has_window(e) for e in read):
            return None
        basis = self.facts.exprs_determine(bare, keys)
        if basis is None:
            return None
        made, _ = copy_fresh(replace(bare, targets=numbered("c", read), with_ties=False), self._fresh)
        item, columns = derived(self._fresh(), "others", made)
        ties = self._ties(list(zip(test.window.partition_by, columns, strict=False)), bare)
        if ties is None:
            return None
        number = columns[len(keys) - 1]
        args = tuple(number if x == test.neighbour else x for x in test.pred.args)
        self.rest_on(basis)
        # what is shown is computed for all rows there, and here for those that are found
        self.reserve_other_rows(made)
        value = columns[-1] if shown is not None else a.Const("t", BOOL)
        return a.Select((a.Target("x", value),), (item,), conjoin((*ties, replace(test.pred, args=args))))

    def _ties(self, pairs: Sequence[tuple[a.Expr, a.Column]], rows: a.Select) -> list[a.Expr] | None:
        """That a row is of the same partition."""
        found: list[a.Expr] = []
        nonnull = self.facts.nonnull_columns(rows)
        for own, other in pairs:
            op = operator("=", own.type, own.type)
            if op is None or own.type.collation not in {"", "default"}:
                return None
            basis = self.facts.never_null(own, nonnull, rows)
            self.rest_on(basis or ())
            equal = compare("=", other, own)
            alike = a.IsDistinct(op, other, own, negated=True)
            found.append(alike if basis is None or equal is None else equal)
        return found


def _asked(n: a.Node) -> tuple[_Test, a.Expr | None] | None:
    """What is asked of a row's neighbour, and what is shown of it; nothing where it is only asked for."""
    match n:
        case a.Case(whens=((pred, a.WindowCall() as shown),), default=a.Const(value=None)):
            test = _test(pred)
            plain = shown.type == n.type and _is_neighbour(shown)
            return (
                (test, shown.args[0]) if test is not None and plain and shown.window == test.window else None
            )
        case a.Coalesce(args=(pred, a.Const(value="f", type=type_))) if type_ == BOOL:
            test = _test(pred)
            return None if test is None else (test, None)
    return None


def _test(pred: a.Expr) -> _Test | None:
    if not isinstance(pred, a.Op) or not is_equality(pred):
        return None
    for call, other in (pred.args, pred.args[::-1]):
        if not isinstance(call, a.WindowCall) or not _is_neighbour(call) or len(call.window.order_by) != 1:
            continue
        (order,) = call.window.order_by
        key = call.args[0]
        rising = order.op.name == "<" and not order.descending
        falling = order.op.name == ">" and order.descending
        backwards = (call.func.name == "lag") == rising
        if order.expr != key or not order.op.is_builtin or not (rising or falling):
            continue
        whole = key.type.is_builtin and key.type.name in EXACT_INTEGERS
        if whole and _step(other, key) == (-1 if backwards else 1):
            return _Test(pred, call)
    return None


def _is_neighbour(call: a.WindowCall) -> bool:
    """Whether it shows something of the row before or behind."""
    named = call.func.is_builtin and call.func.name in {"lag", "lead"} and len(call.args) == 1
    return named and call.filter is None and not call.ignore_nulls and call.window.frame == a.Frame()


def _step(expr: a.Expr, key: a.Expr) -> int | None:
    """How far from a key the number is that is computed from it."""
    if not isinstance(expr, a.Op) or not expr.op.is_builtin or expr.op.name not in {"+", "-"}:
        return None
    if len(expr.args) != 2 or expr.args[0] != key or not isinstance(expr.args[1], a.Const):
        return None
    by = expr.args[1].value
    plain = expr.args[1].type.name in EXACT_INTEGERS and by is not None and by.lstrip("-").isdigit()
    if not plain or by is None:
        return None
    return int(by) if expr.op.name == "+" else -int(by)
