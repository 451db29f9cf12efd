"""What must hold of which rows so that a query has something to say: its conjuncts, flattened.

Owns walking a bound query into (range variables over tables, conjuncts over them), seeing through
derived tables, CTEs, IN and EXISTS. It is a hint for generating data, not a translation: what it
leaves out costs power only. Must not know solvers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rewright.sql import walk
from rewright.sql.algebra import (
    Aggregate,
    And,
    Column,
    Cte,
    CteScan,
    Derived,
    Exists,
    Expr,
    FromItem,
    Join,
    Not,
    Op,
    Quantified,
    Query,
    ScalarSubquery,
    Scan,
    Select,
    SetOp,
    TableRef,
    ValuesScan,
    WindowCall,
)


@dataclass(slots=True)
class Flat:
    """``scans`` by range variable; ``meaning`` of columns of derived tables; ``conjuncts`` wanted true."""

    scans: dict[int, TableRef] = field(default_factory=dict)
    meaning: dict[tuple[int, int], Expr] = field(default_factory=dict)
    conjuncts: list[Expr] = field(default_factory=list)
    # columns that HAVING aggregates: where the rows of a group should differ
    aggregated: set[tuple[int, int]] = field(default_factory=set)
    # HAVING asks for the number of a group's rows
    counted: bool = False
    ctes: dict[int, Cte] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)


def flatten(query: Query) -> Flat:
    """The whole query, every arm and subquery of it."""
    flat = Flat()
    _query(query, flat)
    return flat


def _query(query: Query, flat: Flat) -> tuple[Expr, ...]:
    """Adds the query; its (first arm's) output expressions."""
    flat.ctes |= {cte.cte: cte for cte in query.ctes}
    match query:
        case SetOp(left=left, right=right):
            outputs = _query(left, flat)
            _query(right, flat)
            return outputs
        case Select():
            for item in query.from_:
                _item(item, flat)
            for conjunct in (*walk.conjuncts(query.where), *walk.conjuncts(query.having)):
                _conjunct(conjunct, flat)
            for expr in walk.all_exprs(query.having) if query.having is not None else ():
                _aggregated(expr, flat)
            for target in query.targets:
                _subqueries(target.expr, flat)
            return tuple(target.expr for target in query.targets)
        case _:
            return ()


def _item(item: FromItem, flat: Flat) -> None:
    match item:
        case Scan(rel=rel, table=table):
            flat.scans[rel] = table
        case Derived(rel=rel, query=query):
            _define(rel, _query(query, flat), flat)
        case CteScan(rel=rel, cte=cte) if cte in flat.ctes:
            first = cte not in flat.done
            # before the walk: a recursive query scans itself
            flat.done.add(cte)
            outputs = _query(flat.ctes[cte].query, flat) if first else ()
            if not outputs:
                query = flat.ctes[cte].query
                outputs = tuple(t.expr for t in query.targets) if isinstance(query, Select) else ()
            _define(rel, outputs, flat)
        case Join(left=left, right=right, on=on):
            _item(left, flat)
            _item(right, flat)
            for conjunct in walk.conjuncts(on):
                _conjunct(conjunct, flat)
        case ValuesScan(rel=rel, rows=rows) if rows:
            _define(rel, rows[0], flat)
        case _:
            pass


def _define(rel: int, outputs: tuple[Expr, ...], flat: Flat) -> None:
    for position, expr in enumerate(outputs):
        flat.meaning[rel, position] = expr


def _conjunct(conjunct: Expr, flat: Flat) -> None:
    match conjunct:
        case And(args=args):
            for arg in args:
                _conjunct(arg, flat)
        case Exists(query=query):
            _query(query, flat)
        case Not(arg=Exists(query=query)):
            _query(query, flat)
        case Quantified(kind="=", ops=ops, left=left, query=query, all=False):
            outputs = _query(query, flat)
            for op, mine, theirs in zip(ops, left, outputs, strict=False):
                flat.conjuncts.append(Op(op, (mine, theirs), conjunct.type))
        case _:
            _subqueries(conjunct, flat)
            flat.conjuncts.append(conjunct)


def _aggregated(expr: Expr, flat: Flat) -> None:
    if isinstance(expr, Aggregate):
        flat.counted |= expr.func.name == "count"
        for arg in expr.args:
            column = resolve(arg, flat)
            if isinstance(column, Column):
                flat.aggregated.add((column.rel, column.pos))


def _subqueries(expr: Expr, flat: Flat) -> None:
    # below comparisons, too: of `x > (SELECT ...)` the subquery needs rows as well
    for part in walk.all_exprs(expr):
        for query in walk.subqueries(part):
            _query(query, flat)


def resolve(expr: Expr, flat: Flat, depth: int = 0) -> Expr:
    """A column of a derived table replaced by what it means, as far as that is one row's business."""
    if isinstance(expr, Column) and (expr.rel, expr.pos) in flat.meaning and depth < 20:
        return resolve(flat.meaning[expr.rel, expr.pos], flat, depth + 1)
    # the value of a group: every row has it when the argument is the same in all
    if (
        isinstance(expr, Aggregate | WindowCall)
        and expr.args
        and expr.func.name in {"min", "max", "avg", "sum"}
    ):
        return resolve(expr.args[0], flat, depth + 1)
    if isinstance(expr, ScalarSubquery) and isinstance(expr.query, Select) and expr.query.targets:
        return resolve(expr.query.targets[0].expr, flat, depth + 1)
    return expr
