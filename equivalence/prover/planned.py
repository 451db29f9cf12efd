"""What fails before the first row is made: subqueries that depend on no row, stable expressions by which
rows are estimated, and what is filled by somebody else. Constants that are folded are compared elsewhere
(`constants`).

What EXISTS shows, groups and sorts by, and a CTE that nobody reads, is not planned (`simplify_EXISTS_query`),
and can't fail. A subquery in an expression that reads no row outside is computed once: where worker processes
take part, before any of them starts (`SerializeParamExecParams`), whatever guards it and whether or not there
are rows to ask it of. A stable expression of no column is evaluated to estimate how many rows a condition
keeps (`estimate_expression_value`), which depends on how the condition is written. Queries of which one may
fail so and the other not are told apart; forms have no place for it. Nor have they for the rows behind a cut
that are computed to find its end. Must not know forms or terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import OVERFLOW, own_errors
from rewright.sql.walk import (
    QUERIES,
    SUBQUERIES,
    all_exprs,
    all_exprs_of_query,
    all_queries,
    bottom_up,
    children,
    deep_exprs,
    free_rels,
    has_aggregate,
    has_window,
    parts,
    returns_set,
    walk,
    walk_block,
)

from .constants import is_stable_and_may_fail
from .fences import ERRORS, leaves_otherwise
from .held_back import held_back_otherwise
from .pulling import PullUp, computed_ctes, named, spelled
from .read_tables import Place, Places, more
from .stopping import may_fail, stops_otherwise

# what the planner takes the estimate of a condition from that of its parts for
_ESTIMATED_THROUGH = (a.And, a.Or, a.Not, a.IsBool)


def planned_otherwise(first: a.Query, second: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservation of queries of which one may fail before its first row is made, and the other not so.
    Outputs that nothing reads must be gone from both (`unread.without_unread`).
    """
    # a WITH clause that nobody reads is in the way all the same
    if stops_otherwise(first, second, catalog):
        return ERRORS
    first, second = _planned(first), _planned(second)
    if _filled_elsewhere(second, catalog) - _filled_elsewhere(first, catalog):
        return ERRORS
    if _looks_behind_cuts(first, second, catalog):
        return ERRORS
    # both must be computed once, and estimated by, the same things
    same = _once(first, catalog) == _once(second, catalog) and _estimated(first) == _estimated(second)
    if not same:
        return ERRORS
    return leaves_otherwise(first, second, catalog) | held_back_otherwise(first, second, catalog)


def _looks_behind_cuts(first: a.Query, second: a.Query, catalog: Catalog) -> bool:
    """Whether the second query may fail by rows behind a cut that the first one need not compute: WITH TIES
    asks the next row whether it ties, what no index of columns gives is sorted, all rows of it, and what is
    sorted by a key more is sorted behind the cut, too.
    """
    cuts = list(_cuts(second))
    if not cuts or not any(_cuts(first)) or not more(_behind(second, first), _behind(first, second)):
        return False
    facts = Facts(catalog, second)
    whole = [replace(c, limit=None, offset=None) for c in cuts]
    return any(may_fail(facts, q) for q in whole)


def _cuts(query: a.Query) -> Iterator[a.Select | a.SetOp]:
    return (n for n in walk(query) if isinstance(n, a.Select | a.SetOp) and n.limit is not None)


def _behind(query: a.Query, other: a.Query) -> Counter[tuple[str, Place]]:
    """Why rows behind a query's cuts are computed, behind which of them, and how often. Groups and windows
    are computed whole in any case.
    """
    places = Places(query, other)
    below = {n.rel: n.query for n in walk(query) if isinstance(n, a.Derived)}
    ctes = {c.cte: c.query for q in all_queries(query) for c in q.ctes}
    pull_up = PullUp(ctes, computed_ctes(query))
    stored = {n.rel for n in walk(query) if isinstance(n, a.Scan)}

    def is_made(expr: a.Expr) -> bool:
        # what is planned by itself, a window's value and a row of a CTE that is kept have no index
        return any(isinstance(n, a.Column) and n.rel not in stored for n in walk(expr))

    def is_computed(expr: a.Expr) -> bool:
        rows = below.get(expr.rel) if isinstance(expr, a.Column) else None
        if isinstance(expr, a.Column):
            return isinstance(rows, a.Select) and is_computed(rows.targets[expr.pos].expr)
        return bool(free_rels(expr)) and not (has_aggregate(expr) or has_window(expr))

    def said(cut: a.Select | a.SetOp) -> Iterator[str]:
        if cut.with_ties:
            yield "ties"
        # LIMIT (SELECT 3) is planned for a tenth of the rows (preprocess_limit), which a sort may give sooner
        ends = (x for x in (cut.limit, cut.offset) if x is not None)
        if any(isinstance(n, SUBQUERIES) for x in ends for n in walk(x)):
            yield "number"
        # rows that come by an index in the order of the first keys are sorted by the others some at a time
        yield from (f"key {n}" for n in range(len(cut.order_by)))
        # set operations are sorted by their columns
        if isinstance(cut, a.Select):
            inlined = [pull_up.inlined(k.expr, cut) for k in cut.order_by]
            yield from (f"made {n}" for n, k in enumerate(inlined) if is_made(k))
            # an index of expressions gives what is spelled as it is
            keys = (k.expr for k in cut.order_by if is_computed(k.expr))
            yield from (f"sort {spelled(pull_up.inlined(k, cut))}" for k in keys)

    return Counter((word, places.of(c)) for c in _cuts(query) for word in said(c))


def _filled_elsewhere(query: a.Query, catalog: Catalog) -> frozenset[a.TableRef]:
    """What is read and may fail, whatever else is asked: materialized views, which may be unpopulated,
    foreign tables, whose server may be away, and tables whose policies call functions.
    """
    read = {n.table for n in walk(query) if isinstance(n, a.Scan)}
    tables = [catalog.table(r) for r in read if catalog.has_table(r)]
    return frozenset(t.ref for t in tables if t.kind in {"matview", "foreign"} or t.row_security)


def _planned(query: a.Query) -> a.Query:
    """The query without what is not planned. For looking at its parts only."""

    def visit(node: Any) -> Any:
        if (
            isinstance(node, a.Exists)
            and isinstance(node.query, a.Select)
            and _asks_for_rows_alone(node.query)
        ):
            rows = replace(node.query, targets=(), group_by=None, distinct=None, order_by=())
            return replace(node, query=rows)
        # a CTE that nobody reads is not run, unless it changes data
        if isinstance(node, QUERIES) and any(c.cte not in read for c in node.ctes):
            return replace(node, ctes=tuple(c for c in node.ctes if c.cte in read))
        return node

    while True:
        read = {n.cte for n in walk(query) if isinstance(n, a.CteScan)}
        made: a.Query = bottom_up(query, visit)
        # a CTE that only an unread CTE read is found the next time round
        if made == query:
            return query
        query = made


def _asks_for_rows_alone(query: a.Select) -> bool:
    """Whether EXISTS of the query does without all but its rows."""
    # HAVING and OFFSET decide whether there is a row
    if query.having is not None or query.offset is not None:
        return False
    if query.limit is not None and not isinstance(query.limit, a.Const):
        return False
    exprs = [e for t in query.targets for e in all_exprs(t.expr)]
    # an aggregate without GROUP BY is a row always
    if any(isinstance(e, a.Aggregate | a.WindowCall) or returns_set(e) for e in exprs):
        return False
    sets = query.group_by or ()
    # several grouping sets, or an empty one, make rows of no rows
    return len(sets) < 2 and all(sets) and not any(_of_target(i) for i in query.from_)


def _of_target(item: a.FromItem) -> bool:
    return isinstance(item, a.FunctionScan) and item.of_target


def _estimated(query: a.Query) -> set[tuple[a.Expr, tuple[str, ...]]]:
    """The stable expressions of no column that may fail in conditions, and what is between the two.

    :raises Unsupported: outputs of subqueries are very large in their full length.
    """
    ctes = {c.cte: c.query for q in all_queries(query) for c in q.ctes}
    pull_up = PullUp(ctes, computed_ctes(query))
    blocks = (q for q in all_queries(query) if isinstance(q, a.Select))
    return {found for q in blocks for c in _conditions(q) for found in _stable(pull_up.inlined(c, q), ())}


def _conditions(block: a.Select) -> Iterator[a.Expr]:
    yield from (c for c in (block.where, block.having) if c is not None)
    for item in block.from_:
        yield from (n.on for n in walk_block(item) if isinstance(n, a.Join) and n.on is not None)


def _stable(expr: a.Expr, path: tuple[str, ...]) -> Iterator[tuple[a.Expr, tuple[str, ...]]]:
    # estimates are made through AND, OR and NOT, and stop at what may fail
    if is_stable_and_may_fail(expr):
        yield expr, path
        return
    inner = path if isinstance(expr, _ESTIMATED_THROUGH) else (*path, type(expr).__name__)
    for child in children(expr):
        yield from _stable(child, inner)


def _once(query: a.Query, catalog: Catalog) -> frozenset[tuple[bool, tuple[str, ...]]]:
    """For each subquery that is computed once and may fail: whether it stands in one that is computed for
    each row, and so only when that is; what may fail in it, and of which tables.
    """
    facts = Facts(catalog, query)
    ctes = {c.cte: c.query for n in walk(query) if isinstance(n, QUERIES) for c in n.ctes}
    found = set()
    for node, late in _with_place(query):
        # a subquery that reads a row outside is computed for that row
        if isinstance(node, a.ScalarSubquery | a.Exists | a.ArraySubquery) and not free_rels(node.query):
            read = list(_read(node, ctes))
            if any(facts.errors(r) - OVERFLOW for r in read):
                found.add((late, tuple(sorted({word for r in read for word in _told(r, facts)}))))
    return frozenset(found)


def _with_place(query: a.Query) -> Iterator[tuple[a.Node, bool]]:
    """Each node, and whether it stands in a subquery that depends on a row."""
    # in a subquery that depends on a row it is computed when that is first run
    below: list[tuple[a.Node, bool]] = [(query, False)]
    while below:
        node, late = below.pop()
        yield node, late
        inner = late or (isinstance(node, SUBQUERIES) and bool(free_rels(node.query)))
        below += [(part, inner) for part in parts(node)]


def _read(node: a.Expr, ctes: Mapping[int, a.Query]) -> Iterator[a.Expr | a.Query]:
    """The part and the CTEs that it reads, each once, however many read it."""
    yield node
    below: list[a.Node] = [node]
    met = set()
    while below:
        for n in walk(below.pop()):
            if isinstance(n, a.CteScan) and n.cte in ctes and n.cte not in met:
                met.add(n.cte)
                below.append(ctes[n.cte])
                yield ctes[n.cte]


def _told(node: a.Expr | a.Query, facts: Facts) -> Iterator[str]:
    """The tables that are read and what may fail."""
    yield from (str(n.table) for n in walk(node) if isinstance(n, a.Scan))
    exprs = all_exprs_of_query(node) if isinstance(node, QUERIES) else deep_exprs(node)
    yield from (
        named(e) for e in exprs if own_errors(e, lambda q: facts.at_most_one_row(q) is not None) - OVERFLOW
    )
