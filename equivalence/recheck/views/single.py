"""What is the least or greatest of one row at most, as what that row shows.

    (SELECT max(v) FILTER (WHERE p) FROM t WHERE q)  is  (SELECT v FROM t WHERE q AND p)

where no two rows meet q and p. A row that the filter refuses is none, and so is one of which CASE, without an
ELSE, has no value: both show NULL. Which of several conditions is asked first is open, and so is whether one
of them fails. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT4
from rewright.sql.walk import bottom_up, conjoin, conjuncts, has_subquery

_OF_VALUES = frozenset({"min", "max", "bool_and", "bool_or", "every"})


def single(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        if isinstance(node, a.ScalarSubquery) and isinstance(node.query, a.Select):
            made = _of_row(node.query, changes)
            return node if made is None else replace(node, query=made)
        return node

    return bottom_up(query, change)


def _of_row(query: a.Select, changes: Changes) -> a.Select | None:
    rows = a.Select(query.targets, query.from_, query.where, ((),))
    if query != rows or len(query.targets) != 1 or is_volatile(query):
        return None
    call = query.targets[0].expr
    if not isinstance(call, a.Aggregate) or not call.func.is_builtin or call.func.name not in _OF_VALUES:
        return None
    if len(call.args) != 1 or call.args[0].type != call.type or has_subquery(call):
        return None
    value, filters = call.args[0], list(conjuncts(call.filter))
    if isinstance(value, a.Case) and len(value.whens) == 1 and _is_null(value.default):
        asked, shown = value.whens[0]
        if shown.type == value.type:
            value, filters = shown, [*filters, *conjuncts(asked)]
    found = replace(
        rows,
        targets=(replace(query.targets[0], expr=value),),
        where=conjoin((*conjuncts(query.where), *filters)),
        group_by=None,
    )
    basis = changes.known.at_most_one_row(replace(found, targets=(a.Target("one", a.Const("1", INT4)),)))
    if basis is None:
        return None
    changes.rest_on(basis)
    dropped = [k.expr for k in call.order_by]
    computed = [*(conjuncts(found.where) if filters else ()), *dropped]
    if any(changes.known.errors(p) for p in computed):
        changes.modulo.add("errors")
    return found


def _is_null(expr: a.Expr) -> bool:
    return isinstance(expr, a.Const) and expr.value is None
