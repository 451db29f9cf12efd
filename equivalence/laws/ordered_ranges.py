"""Ranges made of two bounds that a CHECK keeps in order, asked by their bounds: the comparisons themselves.

    daterange(s.came, s.gone) @> d
    -->   (s.came IS NULL OR s.came <= d) AND (s.gone IS NULL OR d < s.gone)
    tsrange(a.s, a.e) && tsrange(b.s, b.e)
    -->   a.s < a.e AND b.s < b.e AND a.s < b.e AND b.s < a.e, each where neither side is NULL

A range of two bounds holds the lower one and not the upper one; NULL is no bound, so that the range itself is
never NULL. The server refuses bounds in the wrong order: a CHECK that is not FALSE of a stored row keeps them
in order where neither is NULL, as they are in the row that an outer join pads (hazards M7, F8, F9). A range
without anything in it overlaps none. Must not know rules or provers.
"""

from __future__ import annotations

from rewright.equivalence.laws.forms import Form, Walk
from rewright.equivalence.prover.checks import quoted
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.build import compare
from rewright.sql.catalog import Catalog
from rewright.sql.constants import constant, value
from rewright.sql.facts import Assumption
from rewright.sql.facts.assumptions import usable_checks
from rewright.sql.types import SqlType
from rewright.sql.walk import conjuncts, disjuncts, walk

_OF = {
    "daterange": "date",
    "int4range": "int4",
    "int8range": "int8",
    "numrange": "numeric",
    "tsrange": "timestamp",
    "tstzrange": "timestamptz",
}
_Bounds = tuple[a.Expr, a.Expr]


def by_bounds(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, with questions about such ranges as comparisons."""
    return _ByBounds(catalog).form(query)


class _ByBounds(Walk):
    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog)
        self._scans: dict[int, a.Scan] = {}

    def form(self, query: a.Query) -> Form:
        self._scans = {n.rel: n for n in walk(query) if isinstance(n, a.Scan)}
        return super().form(query)

    def changed(self, node: a.Node) -> a.Node:
        if not isinstance(node, a.Op) or not node.op.is_builtin or len(node.args) != 2:
            return node
        left, right = node.args
        match node.op.name, node.op.left, node.op.right:
            case "@>", "anyrange", "anyelement":
                return self._held(left, right) or node
            case "<@", "anyelement", "anyrange":
                return self._held(right, left) or node
            case "&&", "anyrange", "anyrange":
                return self._shared(left, right) or node
            case _:
                return node

    def _held(self, ranged: a.Expr, point: a.Expr) -> a.Expr | None:
        bounds = _bounds(ranged)
        # date of a timestamp range is cast, and the cast is the server's
        if bounds is None or point.type != bounds[0].type:
            return None
        tests = _told([("<=", bounds[0], point), ("<", point, bounds[1])])
        # point = point is TRUE of what is there and NULL otherwise
        known = compare("=", point, point)
        if not tests or known is None or not self._in_order(bounds):
            return None
        # NULL is in no range and out of none
        return a.And((*tests, *([] if _is_known(point) else [known])))

    def _shared(self, one: a.Expr, other: a.Expr) -> a.Expr | None:
        mine, theirs = _bounds(one), _bounds(other)
        if mine is None or theirs is None or mine[0].type != theirs[0].type:
            return None
        # they overlap if each begins before either ends; with one of them empty they do not
        pairs = [(*mine,), (*theirs,), (mine[0], theirs[1]), (theirs[0], mine[1])]
        tests = _told([("<", low, high) for low, high in pairs])
        return a.And(tuple(tests)) if tests and self._in_order(mine) and self._in_order(theirs) else None

    def _in_order(self, bounds: _Bounds) -> bool:
        """Whether the server takes the bounds."""
        # no bound on one side is in order with anything
        if any(_is_null(b) for b in bounds):
            return True
        known = [constant(b) for b in bounds]
        if known[0] is not None and known[1] is not None:
            low, high = (value(k) for k in known if k is not None)
            # texts and booleans are bounds of no range
            return low is not None and type(low) is type(high) and low <= high  # type: ignore[operator] # of one type
        found = self._ordering(bounds)
        if found is None:
            return False
        self.rest_on((found,))
        return True

    def _ordering(self, bounds: _Bounds) -> Assumption | None:
        """The CHECK by which two columns of a stored row are in order."""
        low, high = bounds
        # a CHECK compares columns of one row
        if not isinstance(low, a.Column) or not isinstance(high, a.Column) or low.rel != high.rel:
            return None
        scan = self._scans.get(low.rel)
        if scan is None or not self.catalog.has_table(scan.table):
            return None
        for check, assumption in usable_checks(self.catalog, scan):
            try:
                # a CHECK that calls a function of the user's, or of an extension, may not bind here
                query = bind(f"select 1 from {quoted(scan.table)} where ({check.text})", self.catalog)
            except (BindError, Unsupported):
                continue
            asked = conjuncts(query.where) if isinstance(query, a.Select) else ()
            # each alternative of one conjunct must order them: `s < e OR s IS NULL`, and not `s < e OR kind =
            # 'x'`
            if any(all(_orders(d, low.pos, high.pos) for d in disjuncts(p)) for p in asked):
                return assumption
        return None


def _orders(pred: a.Expr, low: int, high: int) -> bool:
    """Whether a condition that is not FALSE keeps two columns in order, or has one of them NULL."""
    if isinstance(pred, a.IsNull):
        arg = pred.arg
        return not pred.negated and not pred.row_form and isinstance(arg, a.Column) and arg.pos in {low, high}
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return False
    left, right = pred.args
    # date <= timestamp goes by another order at the ends
    if not isinstance(left, a.Column) or not isinstance(right, a.Column) or left.type != right.type:
        return False
    rising = {"<": True, "<=": True, "=": True, ">": False, ">=": False}.get(pred.op.name)
    places = (low, high) if rising else (high, low)
    return rising is not None and (left.pos, right.pos) == places


def _bounds(ranged: a.Expr) -> _Bounds | None:
    """The bounds that a range is made of, the upper one out."""
    if not isinstance(ranged, a.Call) or not ranged.func.is_builtin:
        return None
    of = _OF.get(ranged.func.name)
    if of is None or ranged.func.arg_types[:2] != (of, of):
        return None
    low, high, *more = ranged.args
    # (low, high, '[]') lets the upper bound in
    if more and not (isinstance(more[0], a.Const) and more[0].value == "[)"):
        return None
    return (low, high) if low.type == high.type == SqlType(of) else None


def _told(comparisons: list[tuple[str, a.Expr, a.Expr]]) -> list[a.Expr] | None:
    """That each holds of what is not NULL; only bounds may be."""
    made: list[a.Expr] = []
    for name, left, right in comparisons:
        # NULL is no bound: nothing is asked of it
        if _is_null(left) or _is_null(right):
            continue
        found = compare(name, left, right)
        if found is None:
            return None
        # a bound that is a column may be NULL in a row
        free = tuple(a.IsNull(x) for x in (left, right) if not _is_known(x))
        made.append(a.Or((*free, found)) if free else found)
    return made


def _is_known(expr: a.Expr) -> bool:
    """Whether it is a constant that is not NULL."""
    inner = expr.arg if isinstance(expr, a.Cast) else expr
    return isinstance(inner, a.Const) and inner.value is not None


def _is_null(expr: a.Expr) -> bool:
    inner = expr.arg if isinstance(expr, a.Cast) else expr
    return isinstance(inner, a.Const) and inner.value is None
