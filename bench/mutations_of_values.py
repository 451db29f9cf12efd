"""Changes of conditions and values: operators, subqueries, aggregates, CASE, constants, casts, columns,
collations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pglast import ast
from pglast.enums import (
    A_Expr_Kind,
    BoolExprType,
    BoolTestType,
    LimitOption,
    NullTestType,
    SetOperation,
    SubLinkType,
)

from bench.mutation_trees import (
    Changed,
    Names,
    altered,
    call,
    conjunction,
    integer,
    last_name,
    negation,
    strings,
    without,
)


def _boolean(node: Any, _: Names) -> Iterator[Changed]:
    args = node.args
    if node.boolop == BoolExprType.NOT_EXPR:
        (arg,) = args
        yield "NOT dropped", arg
        yield "NOT to IS NOT TRUE", ast.BooleanTest(arg=arg, booltesttype=BoolTestType.IS_NOT_TRUE)
        if isinstance(arg, ast.BoolExpr) and arg.boolop != BoolExprType.NOT_EXPR:
            yield "NOT pushed", altered(arg, args=tuple(negation(a) for a in arg.args or ()))
        return
    both = (BoolExprType.AND_EXPR, BoolExprType.OR_EXPR)
    yield "AND to OR", altered(node, boolop=both[node.boolop == BoolExprType.AND_EXPR])
    for i, part in enumerate(args):
        rest = without(args, i) or ()
        yield "conjunct dropped", rest[0] if len(rest) == 1 else altered(node, args=rest)
        yield "conjunct negated", altered(node, args=(*args[:i], negation(part), *args[i + 1 :]))
    yield "conjunct twice", altered(node, args=(*args, args[0]))


_COMPARED = ("<", "<=", ">", ">=", "=", "<>")
_COMPUTED = {"+": ("-",), "-": ("+",), "*": ("+", "/"), "/": ("*",), "||": ("||",)}


def _operator(node: Any, _: Names) -> Iterator[Changed]:
    kinds, name = A_Expr_Kind, last_name(node.name)
    if node.kind == kinds.AEXPR_OP and node.lexpr is not None:
        if name in _COMPARED:
            for other in _COMPARED:
                if other != name:
                    yield "comparison", altered(node, name=strings(other))
            yield "comparison turned", altered(node, lexpr=node.rexpr, rexpr=node.lexpr)
            yield "comparison IS TRUE", ast.BooleanTest(arg=node, booltesttype=BoolTestType.IS_TRUE)
            yield "comparison IS NOT FALSE", ast.BooleanTest(arg=node, booltesttype=BoolTestType.IS_NOT_FALSE)
        if name == "=":
            yield "IS NOT DISTINCT FROM", altered(node, kind=kinds.AEXPR_NOT_DISTINCT)
        if name == "<>":
            yield "IS DISTINCT FROM", altered(node, kind=kinds.AEXPR_DISTINCT)
        for other in _COMPUTED.get(name, ()):
            yield "arithmetic", altered(node, name=strings(other))
        if name in _COMPUTED:
            yield "operands turned", altered(node, lexpr=node.rexpr, rexpr=node.lexpr)
            yield "operand dropped", node.lexpr
    elif node.kind == kinds.AEXPR_IN:
        yield "IN", altered(node, name=strings("<>" if name == "=" else "="))
        for i in range(len(node.rexpr)):
            if rest := without(node.rexpr, i):
                yield "IN list", altered(node, rexpr=rest)
        yield "IN list", altered(node, rexpr=(*node.rexpr, ast.A_Const(isnull=True)))
    elif node.kind in {kinds.AEXPR_NOT_DISTINCT, kinds.AEXPR_DISTINCT}:
        same = node.kind == kinds.AEXPR_NOT_DISTINCT
        yield "IS NOT DISTINCT FROM", altered(node, kind=kinds.AEXPR_OP, name=strings("=" if same else "<>"))
        yield (
            "NOT IS DISTINCT",
            altered(node, kind=kinds.AEXPR_DISTINCT if same else kinds.AEXPR_NOT_DISTINCT),
        )
    elif node.kind in {kinds.AEXPR_OP_ANY, kinds.AEXPR_OP_ALL}:
        every = node.kind == kinds.AEXPR_OP_ALL
        yield "ANY to ALL", altered(node, kind=kinds.AEXPR_OP_ANY if every else kinds.AEXPR_OP_ALL)
    elif node.kind == kinds.AEXPR_NULLIF:
        yield "NULLIF", node.lexpr
        yield "NULLIF", altered(node, lexpr=node.rexpr, rexpr=node.lexpr)
    elif node.kind == kinds.AEXPR_BETWEEN:
        low, high = node.rexpr
        yield "BETWEEN", altered(node, rexpr=(high, low))
        yield "BETWEEN", altered(node, kind=kinds.AEXPR_BETWEEN_SYM, name=strings("BETWEEN SYMMETRIC"))
        for upper in ("<", "<="):
            sides = (
                ast.A_Expr(kind=kinds.AEXPR_OP, name=strings(word), lexpr=node.lexpr, rexpr=side)
                for word, side in ((">=", low), (upper, high))
            )
            yield "BETWEEN", conjunction(*sides)
    elif node.kind in {kinds.AEXPR_LIKE, kinds.AEXPR_ILIKE}:
        kind = kinds.AEXPR_ILIKE if node.kind == kinds.AEXPR_LIKE else kinds.AEXPR_LIKE
        yield (
            "LIKE",
            altered(node, kind=kind, name=strings(name + "*" if kind == kinds.AEXPR_ILIKE else name[:-1])),
        )
        yield "LIKE", ast.A_Expr(kind=kinds.AEXPR_OP, name=strings("="), lexpr=node.lexpr, rexpr=node.rexpr)


def _null_test(node: Any, _: Names) -> Iterator[Changed]:
    null = node.nulltesttype == NullTestType.IS_NULL
    yield "IS NULL", altered(node, nulltesttype=NullTestType.IS_NOT_NULL if null else NullTestType.IS_NULL)
    equal = ast.A_Expr(
        kind=A_Expr_Kind.AEXPR_OP,
        name=strings("=" if null else "<>"),
        lexpr=node.arg,
        rexpr=ast.A_Const(isnull=True),
    )
    yield "= NULL", equal
    if not null:
        yield "x = x", altered(equal, name=strings("="), rexpr=node.arg)


def _truth_test(node: Any, _: Names) -> Iterator[Changed]:
    yield "IS TRUE dropped", node.arg
    for kind in BoolTestType:
        if kind != node.booltesttype:
            yield "IS TRUE", altered(node, booltesttype=kind)


def _sublink(node: Any, names: Names) -> Iterator[Changed]:
    kinds = SubLinkType
    inner = node.subselect
    output = inner.targetList[0].val if inner.op == SetOperation.SETOP_NONE and inner.targetList else None
    if node.subLinkType == kinds.EXISTS_SUBLINK:
        yield "EXISTS negated", negation(node)
        for column in names.columns:
            if output is not None and not inner.groupClause:
                target = (ast.ResTarget(val=column),)
                yield (
                    "EXISTS to IN",
                    altered(
                        node,
                        subLinkType=kinds.ANY_SUBLINK,
                        testexpr=column,
                        subselect=altered(inner, targetList=target),
                    ),
                )
    elif node.subLinkType == kinds.ANY_SUBLINK:
        yield (
            "ANY to ALL",
            altered(node, subLinkType=kinds.ALL_SUBLINK, operName=node.operName or strings("=")),
        )
        if not node.operName:
            yield "IN to =", ast.A_Expr(
                kind=A_Expr_Kind.AEXPR_OP, name=strings("="), lexpr=node.testexpr,
                rexpr=ast.SubLink(subLinkType=kinds.EXPR_SUBLINK, subselect=inner),
            )  # fmt: skip
            yield "IN negated", negation(node)
            if output is not None and isinstance(node.testexpr, ast.Node) and not inner.groupClause:
                for kind in (A_Expr_Kind.AEXPR_OP, A_Expr_Kind.AEXPR_NOT_DISTINCT):
                    equal = ast.A_Expr(kind=kind, name=strings("="), lexpr=output, rexpr=node.testexpr)
                    where = altered(inner, whereClause=conjunction(inner.whereClause, equal))
                    yield "IN to EXISTS", ast.SubLink(subLinkType=kinds.EXISTS_SUBLINK, subselect=where)
    elif node.subLinkType == kinds.ALL_SUBLINK:
        yield "ANY to ALL", altered(node, subLinkType=kinds.ANY_SUBLINK)
        for word in ("<", "<=", "="):
            yield "ALL's operator", altered(node, operName=strings(word))
    elif node.subLinkType == kinds.EXPR_SUBLINK and output is not None:
        yield (
            "subquery LIMIT 1",
            altered(
                node,
                subselect=altered(inner, limitCount=integer(1), limitOption=LimitOption.LIMIT_OPTION_COUNT),
            ),
        )
        yield "subquery COALESCE", ast.CoalesceExpr(args=(node, integer(0)))
        if not isinstance(output, ast.FuncCall):
            for word in ("max", "min", "count", "sum"):
                target = (ast.ResTarget(val=call(word, output)),)
                yield "subquery to aggregate", altered(node, subselect=altered(inner, targetList=target))


_SWAPPED = {
    "sum": ("count", "max", "avg"), "avg": ("sum",), "min": ("max", "any_value"), "max": ("min", "sum"), "count": ("sum", "max"),
    "bool_and": ("bool_or", "every"), "every": ("bool_or", "bool_and"), "bool_or": ("bool_and",),
    "rank": ("dense_rank", "row_number"), "dense_rank": ("rank",), "row_number": ("rank", "dense_rank"),
    "lag": ("lead",), "lead": ("lag",), "first_value": ("last_value", "min"), "last_value": ("first_value", "max"),
    "lower": ("upper",), "upper": ("lower",), "ceil": ("floor",), "floor": ("ceil", "trunc"), "abs": ("sign",),
    "array_agg": ("count",), "greatest": ("least",),
}  # fmt: skip


def _function(node: Any, names: Names) -> Iterator[Changed]:
    name = last_name(node.funcname)
    for other in _SWAPPED.get(name, ()):
        if not node.agg_star:
            yield "function", altered(node, funcname=strings(other))
    if name == "count":
        if node.agg_star:
            for column in names.columns:
                yield "count(*) to count(x)", altered(node, agg_star=False, args=(column,))
        elif not node.agg_distinct:
            yield "count(x) to count(*)", altered(node, agg_star=True, args=None)
    if name == "avg" and not node.over:
        total, number = (altered(node, funcname=strings(word)) for word in ("sum", "count"))
        yield (
            "avg to sum / count",
            ast.A_Expr(kind=A_Expr_Kind.AEXPR_OP, name=strings("/"), lexpr=total, rexpr=number),
        )
    if name == "sum" and not node.over:
        yield "sum COALESCE", ast.CoalesceExpr(args=(node, integer(0)))
        yield "sum of COALESCE", altered(node, args=(ast.CoalesceExpr(args=(node.args[0], integer(0))),))
    if name in {"count", "sum", "avg", "max", "min"} and node.args and not node.over:
        yield "aggregate DISTINCT", altered(node, agg_distinct=not node.agg_distinct)
    if node.agg_filter is not None:
        yield "FILTER dropped", altered(node, agg_filter=None)
        if node.args:
            when = ast.CaseWhen(expr=node.agg_filter, result=node.args[0])
            for default in (None, integer(0)):
                case = ast.CaseExpr(args=(when,), defresult=default)
                yield "FILTER to CASE", altered(node, agg_filter=None, args=(case, *node.args[1:]))
    for i in range(len(node.agg_order or ())):
        yield "aggregate's ORDER BY", altered(node, agg_order=without(node.agg_order, i))
    if node.args and len(node.args) == 2 and not node.agg_order:
        yield "arguments turned", altered(node, args=tuple(reversed(node.args)))
    if node.args and len(node.args) == 1 and name not in _SWAPPED:
        yield "call dropped", node.args[0]


def _coalesce(node: Any, _: Names) -> Iterator[Changed]:
    yield "COALESCE turned", altered(node, args=tuple(reversed(node.args)))
    yield "COALESCE dropped", node.args[0]


def _extreme(node: Any, _: Names) -> Iterator[Changed]:
    yield "greatest to least", altered(node, op=1 - int(node.op))


def _case(node: Any, _: Names) -> Iterator[Changed]:
    whens = node.args
    if node.defresult is not None:
        yield "ELSE dropped", altered(node, defresult=None)
    for i in range(len(whens)):
        if rest := without(whens, i):
            yield "WHEN dropped", altered(node, args=rest)
    if len(whens) > 1:
        yield "WHENs turned", altered(node, args=tuple(reversed(whens)))
    if node.arg is None and node.defresult is not None and len(whens) == 1:
        turned = altered(whens[0], expr=negation(whens[0].expr), result=node.defresult)
        yield "CASE negated", altered(node, args=(turned,), defresult=whens[0].result)


def _constant(node: Any, _: Names) -> Iterator[Changed]:
    value = node.val
    if isinstance(value, ast.Integer):
        for by in (1, -1):
            yield "constant by one", integer((value.ival or 0) + by)
        yield "integer to numeric", altered(node, val=ast.Float(fval=f"{value.ival or 0}.0"))
    elif isinstance(value, ast.Float):
        yield "scale of a constant", altered(node, val=ast.Float(fval=(value.fval or "0") + "0"))
        yield "scale of a constant", altered(node, val=ast.Float(fval=(value.fval or "0") + "1"))
    elif isinstance(value, ast.String):
        text = value.sval or ""
        for other in {text + " ", text.upper(), text.lower(), text[:-1], ""} - {text}:
            yield "text constant", altered(node, val=ast.String(sval=other))
    elif isinstance(value, ast.Boolean):
        yield "true to false", altered(node, val=ast.Boolean(boolval=not value.boolval))
    if not node.isnull:
        yield "constant to NULL", ast.A_Const(isnull=True)


_CAST = ("int4", "int8", "numeric", "float8", "text", "bpchar", "date", "timestamp", "timestamptz")


def _cast(node: Any, _: Names) -> Iterator[Changed]:
    yield "cast dropped", node.arg
    for other in _CAST:
        made = ast.TypeName(names=strings("pg_catalog", other), typemod=-1, setof=False, pct_type=False)
        yield "other cast", altered(node, typeName=made)
    if node.typeName.typmods:
        yield "typmod dropped", altered(node, typeName=altered(node.typeName, typmods=None))


def _column(node: Any, names: Names) -> Iterator[Changed]:
    other: Any
    if isinstance(node.fields[-1], ast.A_Star):
        return
    for other in names.columns:
        yield "other column", other
    if len(node.fields) == 2:
        for other in names.columns:
            if len(other.fields) == 2:
                yield "other column", altered(node, fields=(node.fields[0], other.fields[-1]))
    yield "COALESCE of a column", ast.CoalesceExpr(args=(node, integer(0)))
    for type_ in ("text", "numeric", "float8"):
        made = ast.TypeName(names=strings("pg_catalog", type_), typemod=-1, setof=False, pct_type=False)
        yield "cast added", ast.TypeCast(arg=node, typeName=made)


def _collate(node: Any, _: Names) -> Iterator[Changed]:
    yield "COLLATE dropped", node.arg
    for other in ("C", "POSIX", "default", "en-x-icu"):
        yield "other COLLATE", altered(node, collname=strings(other))


CHANGES: dict[type, tuple[Callable[[Any, Names], Iterator[Changed]], ...]] = {
    ast.BoolExpr: (_boolean,),
    ast.A_Expr: (_operator,),
    ast.NullTest: (_null_test,),
    ast.BooleanTest: (_truth_test,),
    ast.SubLink: (_sublink,),
    ast.FuncCall: (_function,),
    ast.CoalesceExpr: (_coalesce,),
    ast.MinMaxExpr: (_extreme,),
    ast.CaseExpr: (_case,),
    ast.A_Const: (_constant,),
    ast.TypeCast: (_cast,),
    ast.ColumnRef: (_column,),
    ast.CollateClause: (_collate,),
}
