"""Ranges made of two bounds in the right order, asked for a point or for what they share, by their bounds.

    daterange(a, b) @> d  is  (a IS NULL OR a <= d) AND (b IS NULL OR d < b)

The lower bound is in, the upper one is not, and NULL bounds nothing. A range is made of bounds in the wrong
order nowhere: a CHECK of the stored row they are of rules it out. Ranges share something where neither is
empty and each begins before the other ends. Must not know the other forms.
"""

from __future__ import annotations

from rewright.equivalence.prover.checks import quoted
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.build import compare
from rewright.sql.constants import constant, value
from rewright.sql.facts import usable_checks
from rewright.sql.types import SqlType
from rewright.sql.walk import bottom_up, conjuncts, disjuncts, walk

_POINTS = {
    "daterange": "date", "int4range": "int4", "int8range": "int8", "numrange": "numeric",
    "tsrange": "timestamp", "tstzrange": "timestamptz",
}  # fmt: skip
_Ends = tuple[a.Expr, a.Expr]
_SAID = ({"<", "<=", "="}, {">", ">="})


def ordered(query: a.Query, changes: Changes) -> a.Query:
    scans = {n.rel: n for n in walk(query) if isinstance(n, a.Scan)}

    def change(node: a.Node) -> a.Node:
        if not isinstance(node, a.Op) or not node.op.is_builtin or len(node.args) != 2:
            return node
        return _by_ends(node, scans, changes) or node

    return bottom_up(query, change)


def _by_ends(node: a.Op, scans: dict[int, a.Scan], changes: Changes) -> a.Expr | None:
    kind = (node.op.name, node.op.left, node.op.right)
    ranges: list[_Ends]
    one, other = node.args
    if kind == ("&&", "anyrange", "anyrange"):
        mine, theirs = _ends(one), _ends(other)
        if mine is None or theirs is None or mine[0].type != theirs[0].type:
            return None
        # each lower bound before each upper one: neither empty, and both begun before the other ends
        tests = [_less(low, high, "<") for low in (mine[0], theirs[0]) for high in (mine[1], theirs[1])]
        made, ranges = [t for t in tests if t is not None], [mine, theirs]
    elif kind in {("@>", "anyrange", "anyelement"), ("<@", "anyelement", "anyrange")}:
        ranged, point = (one, other) if kind[0] == "@>" else (other, one)
        ends = _ends(ranged)
        if ends is None or point.type != ends[0].type:
            return None
        # of a point that is NULL nothing is known; point = point says that
        itself = None if _is_constant(point) else compare("=", point, point)
        tests = [_less(ends[0], point, "<="), _less(point, ends[1], "<"), itself]
        made, ranges = [t for t in tests if t is not None], [ends]
    else:
        return None
    # bounds that may be in the wrong order are an error of the range itself
    return a.And(tuple(made)) if made and all(_in_order(e, scans, changes) for e in ranges) else None


def _ends(ranged: a.Expr) -> _Ends | None:
    if not isinstance(ranged, a.Call) or not ranged.func.is_builtin or ranged.func.name not in _POINTS:
        return None
    low, high, *form = ranged.args
    # '[]' and '()' have other bounds in
    if form and (not isinstance(form[0], a.Const) or form[0].value != "[)"):
        return None
    type_ = SqlType(_POINTS[ranged.func.name])
    return (low, high) if low.type == high.type == type_ else None


def _less(low: a.Expr, high: a.Expr, name: str) -> a.Expr | None:
    """A comparison that NULL meets; None where a side is NULL."""
    if _is_null(low) or _is_null(high):
        return None
    asked = compare(name, low, high)
    assert asked is not None
    free = tuple(a.IsNull(x) for x in (low, high) if not _is_constant(x))
    return a.Or((*free, asked)) if free else asked


def _in_order(ends: _Ends, scans: dict[int, a.Scan], changes: Changes) -> bool:
    if any(map(_is_null, ends)):
        return True
    low, high = (constant(e) for e in ends)
    # two constants are compared here and now
    if low is not None and high is not None:
        one, other = value(low), value(high)
        return one is not None and type(one) is type(other) and not one > other  # type: ignore[operator] # of one type
    begin, end = ends
    if not isinstance(begin, a.Column) or not isinstance(end, a.Column) or begin.rel != end.rel:
        return False
    scan = scans.get(begin.rel)
    if scan is None or not changes.catalog.has_table(scan.table):
        return False
    for check, constraint in usable_checks(changes.catalog, scan):
        try:
            query = bind(f"select 1 from {quoted(scan.table)} where ({check.text})", changes.catalog)
        except (BindError, Unsupported):
            continue
        asked = conjuncts(query.where) if isinstance(query, a.Select) else ()
        if any(all(_keeps(p, begin.pos, end.pos) for p in disjuncts(q)) for q in asked):
            changes.rest_on(frozenset({constraint}))
            return True
    return False


def _keeps(pred: a.Expr, begin: int, end: int) -> bool:
    """Whether it is FALSE of no row but those in which both are there and the first comes later."""
    if isinstance(pred, a.IsNull):
        asked = pred.arg
        either = isinstance(asked, a.Column) and asked.pos in {begin, end}
        return either and not pred.negated and not pred.row_form
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return False
    one, other = pred.args
    if not isinstance(one, a.Column) or not isinstance(other, a.Column) or one.type != other.type:
        return False
    found = [(begin, end), (end, begin)]
    return any(
        pred.op.name in said and (one.pos, other.pos) == at for said, at in zip(_SAID, found, strict=True)
    )


def _is_constant(x: a.Expr) -> bool:
    x = x.arg if isinstance(x, a.Cast) else x
    return isinstance(x, a.Const) and x.value is not None


def _is_null(x: a.Expr) -> bool:
    x = x.arg if isinstance(x, a.Cast) else x
    return isinstance(x, a.Const) and x.value is None
