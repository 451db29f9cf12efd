"""Moments of a series between constants, as they are written: far from the ends of their type, so that adding
a constant span of one unit never fails (`sparing` says the same of terms). Must not know forms or terms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.types import INTERVAL
from rewright.sql.walk import top_down, walk

from .series import is_moment_written, is_span_written


def without_series(query: a.Query) -> a.Query:
    """The query with such sums replaced by the moments that they are made of, and the series by their first
    moments: what fails as little, for whoever only asks what may fail.
    """
    series = {n.rel for n in walk(query) if isinstance(n, a.FunctionScan) and _is_series(n)}
    if not series:
        return query
    made = {n.rel: n.query for n in walk(query) if isinstance(n, a.Derived)}
    ctes = {c.cte: c.query for n in walk(query) if isinstance(n, a.Select | a.SetOp) for c in n.ctes}
    scans = {n.rel: n.cte for n in walk(query) if isinstance(n, a.CteScan)}
    made |= {rel: ctes[cte] for rel, cte in scans.items() if cte in ctes}

    def is_of_series(column: a.Expr) -> bool:
        if not isinstance(column, a.Column):
            return False
        if column.rel in series:
            return column.pos == 0
        below = made.get(column.rel)
        # a recursion, which is a union, may add to its moments again and again
        return isinstance(below, a.Select) and is_of_series(below.targets[column.pos].expr)

    def moment(node: a.Node) -> a.Node:
        match node:
            case a.Op(op=a.OperatorRef(name="+"), args=(column, span)) if is_of_series(column):
                return column if _is_span(span) and node.op.is_builtin else node
            case a.FunctionScan(rel=rel, call=a.Call(args=(first, *_))) if rel in series:
                return replace(node, call=first)
            case _:
                return node

    # moved once: what is added to a sum may lead anywhere
    return top_down(query, moment)


def _is_series(scan: a.FunctionScan) -> bool:
    call = scan.call
    if not isinstance(call, a.Call) or not call.func.is_builtin or call.func.name != "generate_series":
        return False
    if call.func.arg_types != ("timestamp", "timestamp", "interval"):
        return False
    ends = (isinstance(x, a.Const) and is_moment_written(x.value or "") for x in call.args[:2])
    return all(ends) and _is_span(call.args[2])


def _is_span(expr: a.Expr) -> bool:
    match expr:
        case a.Cast(arg=a.Const(value=str(text)), type=type_):
            # a modifier may leave nothing of it
            return type_ == INTERVAL and is_span_written(text)
        case _:
            return False
