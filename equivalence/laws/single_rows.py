"""Extremes of one row at most: the row's value, looked up as it is.

    (SELECT max(a.val) FILTER (WHERE a.key = 'mail') FROM attr a WHERE a.ent = c.id)
    -->   (SELECT a.val FROM attr a WHERE a.ent = c.id AND a.key = 'mail')

where (ent, key) is a key. Pivots are written with max() over groups, with CASE or FILTER, or with one join
for each column; taken row by row (`partners`, `joined_values`) each is such a subquery. min, max and the bool
aggregates of one value are the value, NULL of none, and leave out what their filter refuses (hazards 13,
15); CASE without ELSE is a filter, as NULLs are left out. What the filter asks is asked by WHERE then, whose
conditions have no order: a reservation where one of them may fail. Must not know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.facts.aggregates import EXTREMES
from rewright.sql.types import INT4
from rewright.sql.walk import conjoin, conjuncts, has_subquery

_ROW = a.Target("one", a.Const("1", INT4))


def of_single_rows(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its subqueries of such extremes without them."""
    return _OfSingleRows(catalog).form(query)


class _OfSingleRows(Walk):
    def changed(self, node: a.Node) -> a.Node:
        if not isinstance(node, a.ScalarSubquery) or not isinstance(node.query, a.Select):
            return node
        query = node.query
        call = _extreme(query)
        if call is None:
            return node
        asked, value = _without_case(call)
        where = conjoin((*conjuncts(query.where), *asked))
        # with the filter in WHERE, so that a key of which one column is in the filter counts
        basis = self.facts.at_most_one_row(a.Select((_ROW,), query.from_, where))
        if basis is None:
            return node
        self.rest_on(basis)
        # FILTER asks of rows that WHERE has let through; in one WHERE a failing condition may be asked first
        self.reserve_failures(*(conjuncts(where) if asked else ()))
        # max(v ORDER BY 1 / x) computes what it is sorted by, also of one row
        self.reserve_failures(*(k.expr for k in call.order_by))
        (target,) = query.targets
        return replace(node, query=a.Select((replace(target, expr=value),), query.from_, where))


def _extreme(query: a.Select) -> a.Aggregate | None:
    """The extreme of all its rows that a subquery is."""
    # GROUP BY k in the subquery is no row where there is none, and several where there are
    if query.group_by != ((),) or len(query.targets) != 1 or is_volatile(query):
        return None
    # HAVING, LIMIT 0 and the like may take the one row away
    if replace(query, targets=(), from_=(), where=None, group_by=None) != a.Select(()):
        return None
    call = query.targets[0].expr
    if not isinstance(call, a.Aggregate) or not call.func.is_builtin or call.func.name not in EXTREMES:
        return None
    # an array's or a varchar's extreme may be of another type
    plain = len(call.args) == 1 and call.args[0].type == call.type and not has_subquery(call)
    return call if plain else None


def _without_case(call: a.Aggregate) -> tuple[tuple[a.Expr, ...], a.Expr]:
    """Which rows an extreme looks at, and at which value of theirs."""
    asked, value = conjuncts(call.filter), call.args[0]
    # a second WHEN shows another value where the first is not TRUE
    if not isinstance(value, a.Case) or len(value.whens) != 1:
        return asked, value
    ((test, shown),) = value.whens
    bare = isinstance(value.default, a.Const) and value.default.value is None
    # CASE … ELSE 0 is a value of each row, also where the test is not TRUE
    return ((*asked, *conjuncts(test)), shown) if bare and shown.type == value.type else (asked, value)
