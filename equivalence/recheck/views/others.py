"""A count less a count of some of the same rows, as a count of the others.

    count(*) - count(x)  is  count(*) FILTER (WHERE (x IS NOT NULL) IS NOT TRUE)

Each row of the second count is one of the first: what the first asks, the second asks, or it asks that a test
is not TRUE which what the second asks contradicts. Both count rows of the block, or of subqueries that are
one but for what they count. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.constants import constant, value
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.facts.looks import DETERMINISTIC
from rewright.sql.types import INT8
from rewright.sql.walk import bottom_up, canonical, conjoin, conjuncts, defined_rels, has_subquery, renumber

_Asked = tuple[a.Expr, ...]


def others(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        minus = isinstance(node, a.Op) and node.op.is_builtin and node.op.name == "-" and len(node.args) == 2
        if not isinstance(node, a.Op) or not minus or node.type != INT8:
            return node
        first, second = node.args
        return _of_block(first, second, changes) or _of_lookups(first, second, changes) or node

    return bottom_up(query, change)


def _of_block(first: a.Expr, second: a.Expr, changes: Changes) -> a.Expr | None:
    if not isinstance(first, a.Aggregate) or not isinstance(second, a.Aggregate):
        return None
    asked = _rest(_asked(first), _asked(second), changes)
    return None if asked is None else replace(first, args=(), star=True, filter=asked)


def _of_lookups(first: a.Expr, second: a.Expr, changes: Changes) -> a.Expr | None:
    if not isinstance(first, a.ScalarSubquery) or not isinstance(second, a.ScalarSubquery):
        return None
    one, other = first.query, second.query
    if not isinstance(one, a.Select) or not isinstance(other, a.Select) or is_volatile(one):
        return None
    rows, same = (a.Select((), q.from_, q.where, ((),)) for q in (one, other))
    # anything but FROM and WHERE (HAVING, LIMIT) may leave no row to show a count
    if one != replace(rows, targets=one.targets) or other != replace(same, targets=other.targets):
        return None
    # the two must read the same rows
    if canonical(rows, keep_names=False) != canonical(same, keep_names=False):
        return None
    if len(one.targets) != 1 or len(other.targets) != 1:
        return None
    numbers = dict(zip(defined_rels(same), defined_rels(rows), strict=True))
    counted = _filled(one.targets[0].expr, rows, changes)
    others = _filled(renumber(other.targets[0].expr, numbers), rows, changes)
    found = _of_block(counted, others, changes)
    return None if found is None else a.ScalarSubquery(replace(one, targets=(a.Target("v", found),)), INT8)


def _filled(expr: a.Expr, rows: a.Select, changes: Changes) -> a.Expr:
    """A count of values that are never NULL as one of rows."""
    if not isinstance(expr, a.Aggregate) or expr.func.name != "count" or expr.star or len(expr.args) != 1:
        return expr
    if expr.distinct or not expr.func.is_builtin:
        return expr
    never_null = changes.known.nonnull_columns(replace(rows, group_by=None))
    basis = changes.known.never_null(expr.args[0], never_null)
    if basis is None:
        return expr
    changes.rest_on(basis)
    return replace(expr, args=(), star=True)


def _asked(call: a.Aggregate) -> _Asked | None:
    """What is asked of the rows that are counted."""
    plain = call.func.is_builtin and call.func.name == "count" and not call.distinct and not call.order_by
    if not plain or has_subquery(call) or is_volatile(call):
        return None
    if call.star:
        return conjuncts(call.filter)
    (counted,) = call.args
    # of a record IS NOT NULL asks the fields
    if not counted.type.is_builtin or counted.type.name == "record":
        return None
    return (*conjuncts(call.filter), a.IsNull(counted, negated=True))


def _rest(first: _Asked | None, second: _Asked | None, changes: Changes) -> a.Expr | None:
    """What is asked of the rows of the first that are none of the second."""
    # what the first asks and the second does not would keep rows out of it that the second has
    if first is None or second is None or not all(p in second or _denied(p, second) for p in first):
        return None
    more = conjoin(p for p in second if p not in first)
    # the same rows: 0, which is no count of others
    if more is None:
        return None
    if any(changes.known.errors(p) for p in second):
        changes.modulo.add("errors")
    return conjoin((*first, a.IsBool(more, "true", negated=True)))


def _denied(pred: a.Expr, given: _Asked) -> bool:
    """Whether ``pred`` says that a test is not TRUE, and the given ones make a part of it FALSE."""
    if not isinstance(pred, a.IsBool) or (pred.test, pred.negated) != ("true", True):
        return False
    return any(_apart(p, q) for p in conjuncts(pred.arg) for q in given)


def _apart(one: a.Expr, other: a.Expr) -> bool:
    """One expression, equal to constants that are not."""
    if not isinstance(one, a.Op) or not isinstance(other, a.Op) or one.op != other.op:
        return False
    if not is_equality(one) or one.args[0] != other.args[0]:
        return False
    # a collation that a user made may take different texts for equal
    if one.args[0].type.collation not in DETERMINISTIC:
        return False
    found = []
    for known in (constant(one.args[1]), constant(other.args[1])):
        if known is None:
            return False
        if known.type.is_builtin and known.type.name == "bpchar":
            text = (known.value or "").rstrip(" ")
            known = a.Const(text, replace(known.type, name="text"))
        found.append(value(known))
    return None not in found and found[0] != found[1]
