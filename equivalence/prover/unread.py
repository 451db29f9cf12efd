"""Outputs of subqueries that nothing reads, which PostgreSQL does not compute, so that they can't fail.

Seen on 18: a subquery in FROM, also grouped, windowed or limited, and a CTE that is inlined lose such outputs
(`remove_unused_subquery_outputs` and pull-up of subqueries); DISTINCT, UNION, a UNION ALL that is not
flattened and a computed CTE (`computed_ctes`) compute them all the same. NULL takes the place of the first,
whose rows stay as they are; of UNION ALL whose arms' types the tree does not tell, nothing is said where they
may fail, nor where one holds a constant that does: it is folded if its arm is pulled up
(`is_safe_append_member`). WITH ORDINALITY whose numbers nothing reads gives the rows that the function gives
without it. What a window is partitioned and ordered by is computed though its function is not:
numbers of rows over it stay. Must not know forms or terms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.build import function
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import OVERFLOW, errors_of_expr, errors_of_query, is_volatile
from rewright.sql.facts.read_columns import ReadColumns
from rewright.sql.types import INT8
from rewright.sql.walk import N, all_exprs, bottom_up, deep_exprs, returns_set, walk

from .constants import is_failing_constant
from .pulling import computed_ctes
from .translated import Unsupported

# the positions of an output that is read; None: all, as of a row taken for one value
_Read = Collection[int] | None


def without_unread(query: a.Query, catalog: Catalog) -> a.Query:
    """The query with NULL for each output that is never computed.

    :raises Unsupported: one that may fail is computed or not, by what the tree does not show.
    """
    computed = computed_ctes(query)
    # a query that can't fail loses nothing by computing too much
    ctes = {n.cte: n.query for n in walk(query) if isinstance(n, a.Cte)}
    columns = ReadColumns(catalog, ctes.get, lambda _: True)
    columns.learn(query)
    fails = errors_of_query(query, lambda _: True, columns.errors) - OVERFLOW
    # a condition that leaves its type is kept above windows, too, and what does beside them is computed below
    # the conditions that drop rows
    leaves = Facts(catalog, query).may_overflow(query)
    prune = _Pruning(_stored(query, catalog), bool(fails) or leaves, columns)
    # an output that only an unread output reads is found the next time round
    while (changed := _once(query, computed, prune)) is not query:
        query = changed
    return query


def _stored(query: a.Query, catalog: Catalog) -> set[int]:
    """The tables among the range variables all of whose columns are only read."""
    return {
        n.rel
        for n in walk(query)
        if isinstance(n, a.Scan) and catalog.has_table(n.table)
        if not any(c.generated == "virtual" for c in catalog.table(n.table).columns)
    }


def _once(query: a.Query, computed: set[int], prune: _Pruning) -> a.Query:
    """The query without what is read by nothing else, the same object where there is none. An output that
    only another such output reads is found the next time.
    """
    read, readers = _reads(query), _readers(query)

    def of(rels: Collection[int]) -> _Read:
        found = [read(rel) for rel in rels]
        return None if None in found else {pos for some in found for pos in some or ()}

    def visit(node: Any) -> Any:
        match node:
            # a security barrier is planned by itself
            case a.Derived(rel, inner, security_barrier=False):
                return _with(node, query=prune.query(inner, of([rel])))
            # a CTE that is computed, or recursive, computes all its columns
            case a.Cte(cte, _, inner, recursive=False) if cte not in computed:
                return _with(node, query=prune.query(inner, of(readers[cte])))
            # VALUES of several rows are a relation of their own
            case a.ValuesScan(rel, (row,)):
                return _with(node, rows=(tuple(prune.output(e, n, of([rel])) for n, e in enumerate(row)),))
            # the numbers of a function's rows are its last column
            case a.FunctionScan(rel, a.Call(func), _, columns, ordinality=True) if func.is_builtin:
                numbered = _is_read(len(columns) - 1, of([rel]))
                return node if numbered else _with(node, columns=columns[:-1], ordinality=False)
            case _:
                return node

    made: a.Query = bottom_up(query, visit)
    return made


def _reads(query: a.Query) -> Callable[[int], _Read]:
    """By range variable, the positions that an expression anywhere reads."""
    read: dict[int, set[int]] = defaultdict(set)
    whole: set[int] = set()
    for node in walk(query):
        match node:
            case a.Column(rel, pos):
                read[rel].add(pos)
            # to_json(r) reads every column
            case a.WholeRow(rel):
                whole.add(rel)
            case _:
                pass
    return lambda rel: None if rel in whole else read[rel]


def _readers(query: a.Query) -> dict[int, list[int]]:
    """By CTE, the range variables that read it."""
    found: dict[int, list[int]] = defaultdict(list)
    for node in walk(query):
        if isinstance(node, a.CteScan):
            found[node.cte].append(node.rel)
    return found


@dataclass(frozen=True, slots=True)
class _Pruning:
    """``stored``: as of `_stored`. ``fenced``: whether conditions that a window keeps above it matter, since
    something may fail. ``columns``: what reading them may raise.
    """

    stored: set[int]
    fenced: bool
    columns: ReadColumns

    def query(self, query: a.Query, read: _Read) -> a.Query:
        match query:
            # DISTINCT compares all outputs; VALUES are made as they are
            case a.Select(distinct=()) | a.Values():
                return query
            case a.Select(targets):
                kept = tuple(_with(t, expr=self.output(t.expr, n, read)) for n, t in enumerate(targets))
                return _with(query, targets=kept)
            case a.SetOp():
                return self._arms(query, read)

    def _arms(self, query: a.SetOp, read: _Read) -> a.Query:
        # a union that is not flattened computes its outputs
        if not _may_be_flattened(query):
            return query
        arms = _arms(query)
        unread = [t.expr for arm in arms for n, t in enumerate(arm.targets) if not _is_read(n, read)]
        # one that the client wrote, or one that unlike arms needed, which keep the union from being flattened
        unlike = any(isinstance(t.expr, a.Cast) for arm in arms for t in arm.targets)
        # arms whose types differ are planned apart, and a cast may have been written or added
        if (unlike and any(map(self._may_fail, unread))) or any(map(self._windows, unread)):
            raise Unsupported("an output that nothing reads of a UNION ALL that may not be flattened")
        # a constant is folded in the arm whether or not it is read, if the arm is pulled up
        if any(is_failing_constant(e) for x in unread for e in deep_exprs(x)):
            raise Unsupported("a constant that may fail, and nothing reads, in a UNION ALL")
        if unlike:
            return query
        return _with(query, left=self.query(query.left, read), right=self.query(query.right, read))

    def output(self, expr: a.Expr, position: int, read: _Read) -> a.Expr:
        """The output, or what is computed of it in its place: NULL, or the keys of its window."""
        # random() and set-returning outputs are computed whoever reads them
        if _is_read(position, read) or returns_set(expr) or is_volatile(expr):
            return expr
        windows, number = self._windows(expr), function("row_number")
        # one row_number() keeps the keys of one window
        if len(windows) > 1:
            raise Unsupported("windows that nothing reads over several keys that may fail")
        # a window above conditions keeps them above its subquery though nothing reads it
        if not windows and self.fenced:
            windows = {a.Window(w.partition_by) for w in _windows_of(expr)}
        if not windows or number is None:
            return a.Const(None, expr.type)
        return a.WindowCall(number, (), min(windows, key=lambda w: len(w.partition_by)), INT8)

    def _windows(self, expr: a.Expr) -> set[a.Window]:
        """Its windows whose keys may fail, each with the default frame.

        :raises Unsupported: the bounds of a frame may, which are read when the query is planned.
        """
        windows = _windows_of(expr)
        bounds = [o for w in windows for o in (w.frame.start_offset, w.frame.end_offset) if o is not None]
        # the bounds of frames are evaluated when the plan is made
        if any(map(self._may_fail, bounds)):
            raise Unsupported("a frame that may fail of a window that nothing reads")
        return {
            a.Window(w.partition_by, w.order_by)
            for w in windows
            if any(map(self._is_computed, (*w.partition_by, *(k.expr for k in w.order_by))))
        }

    def _is_computed(self, key: a.Expr) -> bool:
        """Whether computing it may fail. Columns of subqueries are what they are made of."""
        # a subquery's column may fail by what it is made of
        made = (e.rel not in self.stored for e in all_exprs(key) if isinstance(e, a.Column))
        return any(made) or self._may_fail(key)

    def _may_fail(self, expr: a.Expr) -> bool:
        return bool(errors_of_expr(expr, lambda _: False, self.columns.errors))


def _windows_of(expr: a.Expr) -> set[a.Window]:
    return {e.window for e in all_exprs(expr) if isinstance(e, a.WindowCall)}


def _may_be_flattened(query: a.Query) -> bool:
    """PostgreSQL's `is_simple_union_all`, but for the arms' types."""
    match query:
        case a.Select():
            return True
        case a.SetOp(op="union", all=True):
            # ORDER BY, LIMIT and WITH keep a UNION ALL whole
            plain = not (query.order_by or query.limit or query.offset or query.ctes)
            return plain and _may_be_flattened(query.left) and _may_be_flattened(query.right)
        case _:
            return False


def _arms(query: a.Query) -> list[a.Select]:
    match query:
        case a.Select():
            return [query]
        case a.SetOp(left=left, right=right):
            return [*_arms(left), *_arms(right)]
        case _:
            return []


def _with(node: N, **parts: Any) -> N:
    """The node with these parts, the same object where they are its own."""
    return (
        node if all(getattr(node, name) == part for name, part in parts.items()) else replace(node, **parts)
    )


def _is_read(position: int, read: _Read) -> bool:
    return read is None or position in read
