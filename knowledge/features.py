"""What a query looks like, as tokens: clauses, operators, functions and the shapes they form.

Names of tables and columns are left out on purpose, so that two queries of one shape share their tokens
whatever they are about. Must not know units or indexes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pglast import ast, enums
from pglast.error import Error as PglastError

from rewright.sql.parsing import TooDeep, parse

_CLAUSES = {
    "targetList": "select",
    "fromClause": "from",
    "whereClause": "where",
    "groupClause": "group",
    "havingClause": "having",
    "sortClause": "order",
    "quals": "on",
    "distinctClause": "distinct",
    "limitCount": "limit",
    "limitOffset": "offset",
    "withClause": "with",
}
# tokens: enough for any hand-written query, and a bound for a generated one
_LIMIT = 4000


def features_of(sql: str) -> list[str]:
    """Tokens of every statement in ``sql``, repeated as often as the shape occurs; empty when it does not
    parse.
    """
    try:
        statements = parse(sql)
    except (PglastError, TooDeep):
        return []
    found: list[str] = []
    for raw in statements:
        _walk(raw.stmt, "top", "", found)
    # cut, not refused: the beginning tells what a query is like
    return found[:_LIMIT]


def plan_features(plan: Mapping[str, Any]) -> list[str]:
    """Operators of a plan (EXPLAIN's JSON ``Plan`` object) as tokens, each alone and below its parent, once
    each.
    """
    found: dict[str, None] = {}
    stack: list[tuple[Any, str]] = [(plan, "")]
    while stack and len(found) < _LIMIT:
        node, parent = stack.pop()
        if not isinstance(node, Mapping) or not isinstance(node.get("Node Type"), str):
            continue
        # Join Type: inner, left, semi, anti
        join = node.get("Join Type")
        kind = f"plan.{node['Node Type']}{f'.{join}' if isinstance(join, str) else ''}".lower().replace(
            " ", "_"
        )
        role = node.get("Parent Relationship")
        found[kind] = None
        # a pair with the parent tells a nested loop over a sort from any sort
        if parent:
            found[f"{parent}>{kind}"] = None
        # SubPlan runs for each row, InitPlan once
        if role in {"SubPlan", "InitPlan"}:
            found[f"plan.{str(role).lower()}"] = None
        below = node.get("Plans")
        stack += [(child, kind) for child in below] if isinstance(below, list) else []
    return list(found)


def _walk(node: Any, clause: str, parent: str, found: list[str]) -> None:
    if isinstance(node, tuple | list):
        for item in node:
            _walk(item, clause, parent, found)
        return
    if not isinstance(node, ast.Node):
        return
    kind = _kind(node)
    if kind:
        found.append(kind)
        # where it stands, too: an aggregate in HAVING is not one in the select list
        found.append(f"{clause}:{kind}")
        if parent:
            found.append(f"{parent}>{kind}")
    if isinstance(node, ast.SelectStmt):
        found += _select(node)
    elif isinstance(node, ast.A_Expr):
        found += [f"{clause}:{shape}" for shape in _comparison(node)]
    for name in node:
        value = getattr(node, name)
        inside = _CLAUSES.get(name, clause)
        # a subquery's clauses are told apart from the query's own
        if isinstance(node, ast.SelectStmt) and clause not in {"top", "from", "with"}:
            inside = f"sub.{inside}"
        _walk(value, inside, kind or parent, found)


def _kind(node: ast.Node) -> str:
    match node:
        case ast.FuncCall():
            return _call(node)
        case ast.TypeCast(typeName=type_):
            return f"cast.{_last(type_.names) if type_ else ''}"
        # EXISTS, ANY, ALL, EXPR, ARRAY: each asks for another rewrite
        case ast.SubLink(subLinkType=kind, operName=operator):
            name = enums.SubLinkType(kind or 0).name.removesuffix("_SUBLINK").lower()
            return f"sublink.{name}{'.' + _last(operator) if operator else ''}"
        case ast.A_Expr(kind=kind):
            name = enums.A_Expr_Kind(kind or 0).name.removeprefix("AEXPR_").lower()
            # = ANY, IN, BETWEEN, LIKE are kinds, not operators
            return f"op.{name}.{_last(node.name)}"
        case ast.BoolExpr(boolop=operator):
            return enums.BoolExprType(operator or 0).name.removesuffix("_EXPR").lower()
        case ast.NullTest(nulltesttype=kind):
            return enums.NullTestType(kind or 0).name.lower()
        case ast.BooleanTest(booltesttype=kind):
            return enums.BoolTestType(kind or 0).name.lower()
        case ast.MinMaxExpr(op=operator):
            return enums.MinMaxOp(operator or 0).name.lower()
        case ast.JoinExpr(jointype=kind):
            return f"join.{enums.JoinType(kind or 0).name.removeprefix('JOIN_').lower()}"
        case ast.A_Const(isnull=True):
            return "null"
        # MATERIALIZED and NOT MATERIALIZED are the writer's wish
        case ast.CommonTableExpr(ctematerialized=mode):
            forced = enums.CTEMaterialize(mode or 0).name.removeprefix("CTEMaterialize").lower()
            return f"cte.{forced}"
        case ast.WithClause(recursive=True):
            return "with.recursive"
        case ast.GroupingSet(kind=kind):
            return f"groupingset.{enums.GroupingSetKind(kind or 0).name.lower()}"
        # directions and NULLs as numbers of the enums: they are only compared
        case ast.SortBy(sortby_nulls=nulls, sortby_dir=direction):
            return f"sort.{direction}.{nulls}"
        case (
            ast.CaseExpr()
            | ast.CoalesceExpr()
            | ast.RangeSubselect()
            | ast.RangeFunction()
            | ast.A_ArrayExpr()
            | ast.A_Indirection()
            | ast.RowExpr()
            | ast.WindowDef()
        ):
            return type(node).__name__.lower()
        # tables, columns and constants: shape alone counts
        case _:
            return ""


def _call(node: ast.FuncCall) -> str:
    name = _last(node.funcname)
    marks = [
        mark
        for mark, there in (
            ("star", node.agg_star),
            ("distinct", node.agg_distinct),
            ("filter", node.agg_filter),
            ("ordered", node.agg_order),
            ("over", node.over),
        )
        if there
    ]
    return ".".join(["fn", name, *marks])


def _last(names: Any) -> str:
    return str(getattr(names[-1], "sval", "")) if names else ""


# --------------------------------------------------------------------------- shapes of a block


def _select(node: ast.SelectStmt) -> Iterator[str]:
    # a set operation's arms are blocks of their own
    if node.op is not None and enums.SetOperation(node.op).name != "SETOP_NONE":
        name = enums.SetOperation(node.op).name.removeprefix("SETOP_").lower()
        yield f"set.{name}{'.all' if node.all else ''}"
        return
    for name, clause in _CLAUSES.items():
        if getattr(node, name, None):
            yield f"has.{clause}"
    if node.distinctClause:
        # DISTINCT without ON is a list of one None
        yield "distinct.on" if any(item is not None for item in node.distinctClause) else "distinct"
    yield from _repeats(node)
    yield from _sublinks(node)


def _tables(items: Any) -> Iterator[str]:
    """Tables of one block's FROM."""
    stack = list(items or ())
    while stack:
        item = stack.pop()
        if isinstance(item, ast.RangeVar):
            yield str(item.relname)
        elif isinstance(item, ast.JoinExpr):
            stack += [item.larg, item.rarg]


def _aliases(items: Any) -> Iterator[str]:
    stack = list(items or ())
    while stack:
        item = stack.pop()
        if isinstance(item, ast.JoinExpr):
            stack += [item.larg, item.rarg]
        # a subquery in FROM has a name to be referred to by, and no table of its own
        elif isinstance(item, ast.RangeVar | ast.RangeSubselect | ast.RangeFunction):
            if item.alias is not None:
                yield str(item.alias.aliasname)
            elif isinstance(item, ast.RangeVar):
                yield str(item.relname)


def _repeats(node: ast.SelectStmt) -> Iterator[str]:
    count = Counter(_tables(node.fromClause))
    # each table by name: two aliases of one are a self-join
    if any(times > 1 for times in count.values()):
        yield "selfjoin"
    if len(count) > 1:
        yield "several.tables"
    if len(count) == 1 and sum(count.values()) == 1:
        yield "one.table"


def _sublinks(node: ast.SelectStmt) -> Iterator[str]:
    """Subqueries of the block's own clauses: correlated or not, over the same table or another, one or
    several.
    """
    own = set(_tables(node.fromClause))
    for name in ("targetList", "whereClause", "havingClause"):
        links = list(_direct_sublinks(getattr(node, name)))
        if len(links) > 1:
            yield f"{_CLAUSES[name]}.sublinks.several"
        for link in links:
            query = link.subselect
            if not isinstance(query, ast.SelectStmt):
                continue
            what = f"{_CLAUSES[name]}.{_kind(link)}"
            yield f"{what}.{'correlated' if _is_correlated(query) else 'alone'}"
            if own & set(_tables(query.fromClause)):
                yield f"{what}.same.table"
            for call in _aggregates(query.targetList):
                yield f"{what}.{call}"


def _direct_sublinks(root: Any) -> Iterator[Any]:
    stack = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple | list):
            stack.extend(item)
        elif isinstance(item, ast.SubLink):
            yield item
        # not below another SELECT: its subqueries are its own
        elif isinstance(item, ast.Node) and not isinstance(item, ast.SelectStmt):
            stack.extend(getattr(item, name) for name in item)


def _aggregates(root: Any) -> Iterator[str]:
    stack = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple | list):
            stack.extend(item)
        elif isinstance(item, ast.FuncCall):
            yield _call(item)
        elif isinstance(item, ast.Node) and not isinstance(item, ast.SelectStmt):
            stack.extend(getattr(item, name) for name in item)


# a qualified name that nothing inside has: an outer column (unqualified ones can't be told)
def _is_correlated(query: ast.SelectStmt) -> bool:
    inner = set(_aliases(query.fromClause))
    stack: list[Any] = [query.whereClause, query.targetList]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple | list):
            stack.extend(item)
        elif isinstance(item, ast.ColumnRef):
            if len(item.fields or ()) > 1 and str(getattr(item.fields[0], "sval", "")) not in inner:  # type: ignore[index] # fields is not None where it has a length
                return True
        elif isinstance(item, ast.Node):
            stack.extend(getattr(item, name) for name in item)
    return False


def _comparison(node: ast.A_Expr) -> Iterator[str]:
    """What is compared with what: ``cmp.=(fn.date,const)``."""
    left, right = _side(node.lexpr), _side(node.rexpr)
    if left and right:
        yield f"cmp.{_last(node.name)}({left},{right})"
        yield f"cmp({left},{right})"
        # column = constant may use an index; anything around the column hides it
        if {left.split(".")[0], right.split(".")[0]} == {"column", "const"}:
            return
        yield f"wrapped({left.split('.')[0]})"


def _side(node: Any) -> str:
    match node:
        case ast.ColumnRef():
            return "column"
        case ast.A_Const(val=ast.String()):
            return "const.text"
        case ast.A_Const(val=ast.Float()):
            return "const.decimal"
        case ast.A_Const():
            return "const"
        # IN (...): the first item stands for all
        case tuple():
            return f"list.{_side(node[0])}" if node else ""
        case ast.Node():
            return _kind(node)
        case _:
            return ""
