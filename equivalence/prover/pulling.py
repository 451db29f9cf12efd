"""Which subqueries PostgreSQL's planner pulls up into the query around them, and what of them it computes
apart all the same.

PostgreSQL pulls a plain subquery up (`is_simple_subquery`): its outputs are evaluated where they are read.
Below an outer join that may put NULLs for its rows, an output waits for the join only where it is strict in
a column of the subquery; any other is computed of the subquery's rows, partners or none (`PlaceHolderVar`,
`contain_nonstrict_functions`). Seen on 14 and 18. Must not know forms or terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from rewright.sql import algebra as a
from rewright.sql.facts.effects import own_errors
from rewright.sql.walk import (
    SUBQUERIES,
    all_exprs,
    all_queries,
    conjuncts,
    deep_exprs,
    free_rels,
    subqueries,
    substitute,
    walk,
)

from .translated import Unsupported


def semi_joins(condition: a.Expr) -> Iterator[a.Query]:
    """The subqueries that the planner joins to the rows of which the condition is asked."""
    for part in conjuncts(condition):
        match part:
            case a.Exists(query) | a.Not(a.Exists(query)) if _asks_outside(query):
                yield query
            # NOT IN is no anti-join for the planner: NULLs are in its way
            case a.Quantified(left=left, query=query, all=False) if any(map(_has_column, left)):
                yield query
            case _:
                pass


def asked_by_row(query: a.Query) -> set[int]:
    """The blocks within subqueries in expressions that the planner does not join: each is run for one row
    after another, or stops once it knows, and asks what ties it to that row first.
    """
    blocks = [q for q in all_queries(query) if isinstance(q, a.Select)]
    joined = {id(q) for b in blocks for c in conjuncts(b.where) for q in semi_joins(c)}
    found = (n.query for n in walk(query) if isinstance(n, SUBQUERIES) and id(n.query) not in joined)
    return {id(q) for inner in found for q in all_queries(inner)}


def stays_around(condition: a.Expr) -> bool:
    """Whether a conjunct has a subquery in it, but is no semi-join: it is asked around subqueries in FROM."""
    return any(subqueries(e) for e in all_exprs(condition)) and not any(True for _ in semi_joins(condition))


def _asks_outside(query: a.Query) -> bool:
    """Whether EXISTS of a query is joined to the rows outside: where its WHERE alone compares the two.

    EXISTS of nothing outside is asked once, and one with WITH, OFFSET or HAVING, or that reads rows outside
    in FROM, is asked of each row (`convert_EXISTS_sublink_to_join`).
    """
    if not isinstance(query, a.Select) or query.where is None or query.ctes:
        return False
    if query.offset is not None or query.having is not None:
        return False
    # what EXISTS shows, groups and sorts by is not planned
    rest = replace(query, targets=(), where=None, group_by=None, distinct=None, order_by=())
    return bool(free_rels(query)) and not free_rels(rest)


def _has_column(expr: a.Expr) -> bool:
    return any(isinstance(e, a.Column) for e in all_exprs(expr))


def makes_rows_apart(query: a.Query) -> bool:
    """Whether conditions outside the query do not reach the rows inside before its expressions are evaluated.
    The planner does push some into grouped and distinct subqueries and through unions; that is not relied on,
    but for UNION ALL, which is flattened.
    """
    # LIMIT is applied before conditions outside
    if query.limit is not None or query.offset is not None:
        return True
    match query:
        case a.Select():
            grouped = query.group_by is not None or query.distinct is not None
            # a window is computed before conditions outside are asked
            return grouped or any(
                isinstance(e, a.WindowCall) for t in query.targets for e in all_exprs(t.expr)
            )
        # UNION ALL is flattened into the query around (an append relation)
        case a.SetOp(op=op, all=all_):
            return not (op == "union" and all_)
        case _:
            return False


def is_not_pulled_up(query: a.Query) -> bool:
    """Whether a subquery in FROM is planned by itself, or its arms are: what is joined to it does not reach
    its rows before its expressions are evaluated, though conditions on its columns do.
    """
    # WITH and ORDER BY keep a subquery from being pulled up
    if isinstance(query, a.SetOp) or query.ctes or query.order_by:
        return True
    # unnest() as an output that was put into FROM
    return isinstance(query, a.Select) and any(
        isinstance(i, a.FunctionScan) and i.of_target for i in query.from_
    )


def fence_of(query: a.Query) -> str:
    """What of a query keeps conditions outside it, in words: they pass by columns of its keys alone."""
    if query.limit is not None or query.offset is not None:
        return "limit"
    match query:
        case a.Select(group_by=None, distinct=None):
            calls = (e for t in query.targets for e in all_exprs(t.expr) if isinstance(e, a.WindowCall))
            return f"windows {sorted({len(e.window.partition_by) for e in calls})}"
        case a.Select(group_by=groups, distinct=distinct):
            # -1: there is no DISTINCT; DISTINCT of all columns is counted by what is shown
            shown = len(query.targets) if distinct == () else -1 if distinct is None else len(distinct)
            return f"groups {sorted(map(len, groups or ()))} distinct {shown}"
        case _:
            return "plain"


def computed_ctes(query: a.Query) -> set[int]:
    """CTEs that are not inlined: MATERIALIZED, or read more than once without NOT MATERIALIZED."""
    reads: Counter[int] = Counter()
    ctes: list[a.Cte] = []
    for q in all_queries(query):
        ctes += q.ctes
        if isinstance(q, a.Select):
            reads.update(item.cte for item in scans_of(q.from_))
    return {c.cte for c in ctes if c.materialized or (c.materialized is None and reads[c.cte] > 1)}


def scans_of(items: tuple[a.FromItem, ...]) -> Iterator[a.CteScan]:
    """The CTEs read in a FROM list itself."""
    for item in items:
        match item:
            case a.Join(_, left, right):
                yield from scans_of((left, right))
            case a.CteScan():
                yield item
            case _:
                pass


# how many nodes an output is looked at with the outputs that it is made of in place
_LARGEST = 500


@dataclass(frozen=True, slots=True)
class PullUp:
    """A statement's subqueries in FROM. ``ctes``: its CTEs' queries by number; ``computed``: those that
    are not inlined.
    """

    ctes: Mapping[int, a.Query]
    computed: Collection[int]

    def computed_below(self, query: a.Query) -> tuple[str, ...]:
        """For each output of a subquery that an outer join may put NULLs for, how it is computed before that
        join, and what of it may raise an error; "" where it is not, or may not.
        """
        # what reads rows beside it (LATERAL) is decided by the planner's own rules
        if isinstance(query, a.Select) and not is_not_pulled_up(query) and not free_rels(query):
            return tuple(_told(_waits(expr), [expr]) for (expr,) in self.outputs(query))
        # planned by itself; whether one that reads what is beside it is, depends on more than the tree
        how = "perhaps before" if free_rels(query) else "before"
        return tuple(_told(how, column) for column in self.outputs(query))

    def outputs(self, query: a.Query) -> Iterator[tuple[a.Expr, ...]]:
        """For each output of a query the expressions that make it."""
        match query:
            case a.Select(targets=targets):
                yield from ((self.inlined(t.expr, query),) for t in targets)
            case a.SetOp(left=left, right=right):
                pairs = zip(self.outputs(left), self.outputs(right), strict=True)
                yield from ((*x, *y) for x, y in pairs)
            case a.Values(rows=rows):
                yield from zip(*rows, strict=True)

    def inlined(self, expr: a.Expr, query: a.Select) -> a.Expr:
        """An expression of the query, with outputs of subqueries that are pulled up in place of columns.

        :raises Unsupported: it is larger than what is looked at: of y + y within y + y each level doubles it.
        """
        made = substitute(expr, {c: e for item in query.from_ for c, e in self._outputs(item)})
        # counted up to the limit only: an expression may be very large
        if made is not expr and next(islice(all_exprs(made), _LARGEST, None), None) is not None:
            raise Unsupported("outputs of subqueries that are very large in their full length")
        return made

    def _outputs(self, item: a.FromItem) -> Iterator[tuple[tuple[int, int], a.Expr]]:
        match item:
            case a.Join(_, left, right):
                yield from self._outputs(left)
                yield from self._outputs(right)
            case a.Derived(rel, query):
                yield from self._of_query(rel, query)
            # an inlined CTE is a subquery in FROM like another
            case a.CteScan(rel, cte) if cte in self.ctes and cte not in self.computed:
                yield from self._of_query(rel, self.ctes[cte])
            case _:
                pass

    def _of_query(self, rel: int, query: a.Query) -> Iterator[tuple[tuple[int, int], a.Expr]]:
        if isinstance(query, a.Select) and not makes_rows_apart(query) and not is_not_pulled_up(query):
            yield from (((rel, n), self.inlined(t.expr, query)) for n, t in enumerate(query.targets))


def _told(how: str, exprs: Iterable[a.Expr]) -> str:
    may = sorted(named(e) for expr in exprs for e in deep_exprs(expr) if own_errors(e, _is_one_row))
    # only what may fail matters: when a sum was computed nobody sees
    return f"{how} {', '.join(may)}" if how and may else ""


def _is_one_row(query: a.Query) -> bool:
    """Whether a query in an expression is an expression itself."""
    return isinstance(query, a.Select) and not query.from_


def named(expr: a.Expr) -> str:
    match expr:
        case a.Op(op):
            return f"{op.name}({op.left},{op.right})"
        case a.Call(func) | a.Aggregate(func) | a.WindowCall(func):
            return f"{func.name}({','.join(func.arg_types)})"
        case _:
            return f"{type(expr).__name__.lower()} {expr.type.name}"


def spelled(expr: a.Expr) -> str:
    """What an expression is made of, in its order and with columns by their places: an index of expressions
    has it so, or not at all.
    """
    return " ".join(map(_spelled, all_exprs(expr)))


def _spelled(expr: a.Expr) -> str:
    match expr:
        case a.Column(pos=pos):
            return f"column {pos}"
        case a.Const(value=value):
            return repr(value)
        case _:
            return named(expr)


def _waits(expr: a.Expr) -> str:
    """How an output of a subquery that is pulled up is computed before the join; "" where it waits."""
    strict = [_is_strict(e) for e in all_exprs(expr)]
    # a constant, or one node that is not strict, is computed below the join
    if not _has_column(expr) or False in strict:
        return "before"
    return "perhaps before" if None in strict else ""


def _is_strict(expr: a.Expr) -> bool | None:
    """Whether the planner knows the node for one that is NULL wherever an argument is; None where versions or
    types decide.
    """
    match expr:
        case a.Column() | a.Const() | a.Collate() | a.Not():
            return True
        case a.Op(op):
            return op.function.strict
        case a.Call(func):
            # a strict function that returns a set was treated in different ways by versions
            return None if func.strict and func.returns_set else func.strict
        case a.Cast(method=method, func=func):
            sure = method in {"io", "binary"} or (method == "func" and func is not None and func.strict)
            return True if sure else None
        case a.And() | a.Or() | a.Case() | a.Coalesce() | a.NullIf() | a.MinMax() | a.IsNull() | a.IsBool():
            return False
        case a.IsDistinct() | a.RowExpr() | a.RowCompare() | a.ArrayExpr() | a.ScalarSubquery() | a.Exists():
            return False
        case a.Quantified() | a.ArraySubquery():
            return False
        case _:
            return None
