"""Function calls: ordinary ones, aggregates, window functions, GROUPING (after ParseFuncOrColumn).

Owns what may be called where and how arguments are shaped. Overloads are `rewright.sql.binder.functions`'
business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from rewright.sql.algebra import (
    Aggregate,
    Call,
    Cast,
    Column,
    Const,
    Expr,
    Frame,
    FunctionRef,
    FunctionScan,
    Grouping,
    OutputColumn,
    SortKey,
    Volatility,
    Window,
    WindowCall,
)
from rewright.sql.binder.coerce import (
    can_coerce,
    coerce,
    explicit_cast,
    find_path,
    info_of,
    resolve_polymorphic,
    resolve_unknown,
)
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.functions import (
    Candidate,
    coerce_args,
    ordering_operator,
    refuse_opaque,
    resolve_function,
    result_type,
)
from rewright.sql.binder.recursion import bind_condition, bind_expr, bind_exprs
from rewright.sql.binder.scope import Scope
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.typenames import named_type
from rewright.sql.catalog import FunctionInfo, key_of
from rewright.sql.parsing import parse
from rewright.sql.types import INT4, INT8, INTERVAL, SqlType
from rewright.sql.walk import free_rels

_NO_AGGREGATES = {
    "where": "WHERE",
    "on": "JOIN conditions",
    "from": "functions in FROM",
    "group": "GROUP BY",
    "limit": "LIMIT",
    "values": "VALUES",
    "filter": "FILTER",
    "frame": "window frames",
    "aggregate": "aggregate function calls",
}
# HAVING is computed before windows, and a window's own clauses before its calls
_NO_WINDOWS = {**_NO_AGGREGATES, "having": "HAVING", "window": "window definitions"}
_DATETIMES = {"date", "timestamp", "timestamptz", "time", "timetz"}


@contextmanager
def in_kind(scope: Scope, kind: str) -> Iterator[None]:
    """Bind what stands in a place where other things are allowed."""
    before, scope.kind = scope.kind, kind
    try:
        yield
    finally:
        scope.kind = before


def bind_call(scope: Scope, node: Any) -> Expr:
    names = [n.sval for n in node.funcname]
    # a qualified name is looked for in that schema alone
    schemas: Sequence[str] = scope.context.schemas if len(names) == 1 else (names[0],)
    if len(names) > 2:
        # three names: database.schema.function
        raise Unsupported("a function qualified by a database")
    name = names[-1]
    args, arg_names = _bind_args(scope, node, name, schemas)
    direct = len(args)
    if node.agg_within_group:
        # WITHIN GROUP: sorted arguments count as arguments for the resolution (manual, 9.21)
        with in_kind(scope, "aggregate"):
            args = [*args, *(bind_expr(scope, s.node) for s in node.agg_order)]
    keys = [key_of(a.type) for a in args]
    found = resolve_function(
        scope.context, schemas, name, keys, variadic=bool(node.func_variadic), names=arg_names
    )
    # a type's name as a function, where no function fits exactly: int8('1'), text(x)
    if found is None or (len(args) == 1 and not _is_exact(found, keys)):
        cast = _function_style_cast(scope, node, names, args)
        if cast is not None:
            return cast
    if found is None:
        raise BindError("42883", f"function {name}({', '.join(keys)}) does not exist")
    return _build(scope, node, found, args, direct)


def _is_exact(found: Candidate, keys: list[str]) -> bool:
    return list(found.args) == keys


def _bind_args(scope: Scope, node: Any, name: str, schemas: Sequence[str]) -> tuple[list[Expr], list[str]]:
    refuse_opaque(scope.context.catalog, name)
    known = scope.context.catalog.functions_named(name, schemas)
    # with OVER an aggregate is a window function, and may hold aggregates of the block
    is_aggregate = any(f.kind == "a" for f in known) and node.over is None
    arg_names = [a.name for a in node.args or () if isinstance(a, ast.NamedArgExpr)]
    nodes = [a.arg if isinstance(a, ast.NamedArgExpr) else a for a in node.args or ()]
    if is_aggregate:
        _check_aggregate_place(scope, name)
        with in_kind(scope, "aggregate"):
            return bind_exprs(scope, nodes), arg_names
    return bind_exprs(scope, nodes), arg_names


def _check_aggregate_place(scope: Scope, name: str) -> None:
    where = _NO_AGGREGATES.get(scope.kind)
    if where is not None:
        raise BindError("42803", f"aggregate functions are not allowed in {where}: {name}")


def _function_style_cast(scope: Scope, node: Any, names: list[str], args: list[Expr]) -> Expr | None:
    """``text(x)``: a type's name used as a function of one argument, where the cast is trivial."""
    # nothing that only an aggregate or window call can have
    if len(args) != 1 or node.agg_star or node.agg_distinct or node.over or node.agg_filter or node.agg_order:
        return None
    try:
        target = named_type(scope.context, names).sql_type
    except BindError:
        return None
    source = key_of(args[0].type)
    # only trivial casts: others are functions of the type's name already (func_get_detail)
    if source != "unknown":
        path = find_path(scope.context.catalog, source, key_of(target), "e")
        if path is None or path.method not in {"binary", "io"}:
            return None
    return explicit_cast(scope.context, args[0], target)


def _build(scope: Scope, node: Any, found: Candidate, args: list[Expr], direct: int) -> Expr:
    context = scope.context
    info = found.info
    args, declared = _in_declared_order(scope, found, args)
    keys = [key_of(a.type) for a in args]
    real, result = resolve_polymorphic(context.catalog, keys, declared, info.result)
    coerced = coerce_args(context, args, real)
    if _sees_types(info) and any(key_of(x.type) == "unknown" for x in coerced):
        raise Unsupported(f"{info.name}() of an untyped literal")
    done = tuple(resolve_unknown(context, x) for x in coerced)
    type_ = result_type(context, result, done)
    # VARIADIC array::"any"[]: how many arguments come is known at run time
    if info.variadic == "any" and node.func_variadic:
        raise Unsupported('VARIADIC array for a VARIADIC "any" function')
    if node.over is not None:
        return _build_window(scope, node, found, done, type_)
    if info.kind == "a":
        return _build_aggregate(scope, node, found, done, type_, direct)
    if info.kind == "w":
        # row_number() without OVER
        raise BindError("42809", f"window function {info.name} requires an OVER clause")
    _refuse_aggregate_syntax(node, info.name)
    made = Call(_as_called(scope, found, len(done)), done, type_)
    # in FROM a set-returning function is a table
    return _expand(scope, made) if info.returns_set and scope.kind != "from" else made


def _as_called(scope: Scope, found: Candidate, given: int) -> FunctionRef:
    """The function with what the call leaves to its defaults, each of which is evaluated anew for a call: a
    function is as volatile as declared for given arguments only.
    """
    info = found.info
    if info.schema == "pg_catalog" or found.expanded or given >= len(info.args):
        return info.to_ref()
    known = _defaults(scope, found) if info.default_text else {}
    plain = all(_is_written(known.get(i)) for i in range(given, len(info.args)))
    return info.to_ref() if plain else replace(info.to_ref(), volatility=Volatility.VOLATILE)


def _is_written(default: Expr | None) -> bool:
    """Whether a default is known, and a constant."""
    while isinstance(default, Cast):
        default = default.arg
    return isinstance(default, Const)


def _sees_types(info: FunctionInfo) -> bool:
    """Whether a function may tell an untyped literal from a text: the server's own functions of any type take
    it for one, except those that are asked for the type or its collation.
    """
    if "any" not in info.args:
        return False
    return info.schema != "pg_catalog" or info.name in {"pg_typeof", "pg_collation_for", "pg_column_size"}


def _expand(scope: Scope, call: Call) -> Expr:
    """A set-returning function in the select list, as a column of a lateral function in FROM: the same rows
    as long as it is the only one and stands in no grouped or windowed block (checked by the block).
    """
    type_ = call.type
    info = info_of(scope.context.catalog, type_)
    # one only, directly in the select list: several run in lockstep, padded with NULLs
    if scope.kind != "target" or scope.expansions or info.kind == "c" or info.name == "record":
        raise Unsupported("set-returning function outside FROM")
    rel = scope.context.rel()
    name = call.func.name
    scope.expansions.append(FunctionScan(rel, call, name, (OutputColumn(name, type_),), of_target=True))
    # its column counts as the block's own
    scope.rels.add(rel)
    return Column(rel, 0, type_, name)


def _in_declared_order(
    scope: Scope, found: Candidate, args: list[Expr]
) -> tuple[list[Expr], tuple[str, ...]]:
    """Named arguments in the order of the declaration; a gap would need the default's expression."""
    if found.order is None:
        return args, found.args
    placed = dict(zip(found.order, args, strict=True))
    width = max(placed) + 1
    # an earlier argument left out takes its default
    if len(placed) < width:
        placed = {**_defaults(scope, found), **placed}
    return [placed[i] for i in range(width)], found.info.args[:width]


def _defaults(scope: Scope, found: Candidate) -> dict[int, Expr]:
    """Default expressions by the position of their argument."""
    info = found.info
    if not info.default_text:
        # defaults that are not known as text
        raise Unsupported("named arguments that leave out an earlier default")
    select = parse(f"SELECT {info.default_text}")[0].stmt
    first = len(info.args) - info.defaults
    # default expressions see no columns
    own = Scope(scope.context)
    return {first + i: bind_expr(own, t.val) for i, t in enumerate(select.targetList)}


def _refuse_aggregate_syntax(node: Any, name: str) -> None:
    for used, word in (
        (node.agg_star, "(*)"),
        (node.agg_distinct, "DISTINCT"),
        (node.agg_within_group, "WITHIN GROUP"),
        (node.agg_order, "ORDER BY"),
        (node.agg_filter is not None, "FILTER"),
    ):
        if used:
            raise BindError("42809", f"{word} specified, but {name} is not an aggregate function")


# --------------------------------------------------------------------------- aggregates


def _build_aggregate(
    scope: Scope, node: Any, found: Candidate, args: tuple[Expr, ...], type_: SqlType, direct: int
) -> Expr:
    info = found.info
    # rank(1) WITHIN GROUP: the argument is compared with the group's rows
    if info.agg_kind == "h":
        raise Unsupported("hypothetical-set aggregate")
    # percentile_cont without WITHIN GROUP, or count with it
    if (info.agg_kind == "o") != bool(node.agg_within_group):
        raise BindError("42809", f"WITHIN GROUP misused with {info.name}")
    if node.agg_within_group and node.agg_distinct:
        raise BindError("0A000", "cannot use DISTINCT with WITHIN GROUP")
    # count() without the star
    if not args and not node.agg_star and info.agg_kind != "o":
        raise BindError("42809", f"{info.name}(*) must be used to call a parameterless aggregate function")
    filter_ = _bind_filter(scope, node)
    # names inside are checked as an aggregate's: no aggregates, no windows
    with in_kind(scope, "aggregate"):
        if node.agg_within_group:
            order = tuple(sort_key(scope, a, s) for a, s in zip(args[direct:], node.agg_order, strict=True))
            made = Aggregate(info.to_ref(), (), type_, order_by=order, direct=args[:direct], filter=filter_)
        else:
            order = tuple(sort_key(scope, _order_expr(scope, s, node, args), s) for s in node.agg_order or ())
            made = Aggregate(
                info.to_ref(), args, type_, bool(node.agg_star), bool(node.agg_distinct), filter_, order
            )
    if made.distinct:
        _check_distinct(scope, made)
    _check_level(scope, made)
    scope.has_aggregates = True
    return made


def _order_expr(scope: Scope, sort: Any, node: Any, args: tuple[Expr, ...]) -> Expr:
    """An ORDER BY key inside an aggregate; one that repeats an argument is that argument, as coerced."""
    # count(DISTINCT x ORDER BY x): the sort key is the argument after its conversion
    bound = bind_expr(scope, sort.node)
    for given, coerced in zip(node.args or (), args, strict=False):
        if bind_expr(scope, given) == bound:
            return coerced
    return resolve_unknown(scope.context, bound)


# FILTER may not hold aggregates either
def _bind_filter(scope: Scope, node: Any) -> Expr | None:
    if node.agg_filter is None:
        return None
    with in_kind(scope, "filter"):
        return bind_condition(scope, node.agg_filter, "FILTER")


def _check_distinct(scope: Scope, made: Aggregate) -> None:
    # DISTINCT sorts: types without an order have none
    for arg in made.args:
        ordering_operator(scope.context, arg.type, "=")
        ordering_operator(scope.context, arg.type, "<")
    for key in made.order_by:
        if key.expr not in made.args:
            raise BindError(
                "42P10", "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list"
            )


def _check_level(scope: Scope, made: Aggregate) -> None:
    """An aggregate whose columns are all of outer queries belongs to one of those."""
    from rewright.sql.walk import all_exprs

    rels = free_rels(made)
    # PostgreSQL computes such an aggregate in the outer query (manual, 4.2.7)
    if rels and not rels & scope.rels:
        raise Unsupported("aggregate of an outer query")
    inner = [e for part in (*made.args, *(k.expr for k in made.order_by)) for e in all_exprs(part)]
    if any(isinstance(e, WindowCall) for e in inner):
        raise BindError("42803", "aggregate function calls cannot contain window function calls")


def bind_grouping(scope: Scope, node: Any) -> Expr:
    # GROUPING() belongs to the block's grouping
    if scope.kind in _NO_AGGREGATES and scope.kind != "aggregate":
        raise BindError("42803", f"grouping operations are not allowed in {_NO_AGGREGATES[scope.kind]}")
    with in_kind(scope, "group"):
        args = tuple(bind_exprs(scope, node.args))
    scope.has_aggregates = True
    return Grouping(args, INT4)


# --------------------------------------------------------------------------- ORDER BY keys


def sort_key(scope: Scope, expr: Expr, node: Any) -> SortKey:
    """A SortBy node over an already bound expression."""
    direction = node.sortby_dir.name
    if direction == "SORTBY_USING":
        *schema, operator = (name.sval for name in node.useOp)
        # USING < and > are ASC and DESC; other operators, also of these names, may order otherwise
        if operator not in {"<", ">"} or schema not in ([], ["pg_catalog"]):
            raise Unsupported("ORDER BY USING")
        descending = operator == ">"
    else:
        descending = direction == "SORTBY_DESC"
    nulls = node.sortby_nulls.name
    # NULLs are larger than any value: first with DESC
    nulls_first = descending if nulls == "SORTBY_NULLS_DEFAULT" else nulls == "SORTBY_NULLS_FIRST"
    op = ordering_operator(scope.context, expr.type, ">" if descending else "<")
    return SortKey(expr, descending, nulls_first, op)


# --------------------------------------------------------------------------- windows


def _build_window(scope: Scope, node: Any, found: Candidate, args: tuple[Expr, ...], type_: SqlType) -> Expr:
    info = found.info
    where = _NO_WINDOWS.get(scope.kind)
    if where is not None:
        # two SQLSTATEs: inside of an aggregate it is a grouping error
        state = "42803" if scope.kind == "aggregate" else "42P20"
        raise BindError(state, f"window functions are not allowed in {where}")
    if info.kind not in {"a", "w"}:
        raise BindError("42809", f"OVER specified, but {info.name} is not a window function")
    # neither is in PostgreSQL's window functions
    if node.agg_distinct or node.agg_order or node.agg_within_group:
        raise BindError("0A000", "DISTINCT, ORDER BY or WITHIN GROUP is not implemented for window functions")
    if node.agg_filter is not None and info.kind == "w":
        raise BindError("0A000", "FILTER is not implemented for non-aggregate window functions")
    if not args and info.kind == "a" and not node.agg_star:
        raise BindError("42809", f"{info.name}(*) must be used to call a parameterless aggregate function")
    _refuse_nested(args)
    filter_ = _bind_filter(scope, node)
    window = bind_window(scope, node.over)
    scope.has_windows = True
    return WindowCall(info.to_ref(), args, window, type_, bool(node.agg_star), filter_)


def _refuse_nested(args: tuple[Expr, ...]) -> None:
    from rewright.sql.walk import all_exprs

    if any(isinstance(e, WindowCall) for a in args for e in all_exprs(a)):
        raise BindError("42P20", "window function calls cannot be nested")


def bind_window(scope: Scope, node: Any) -> Window:
    """OVER w, OVER (…) and OVER (w …), references to named windows followed."""
    if node.name:
        named = scope.windows.get(node.name)
        if named is None:
            raise BindError("42704", f'window "{node.name}" does not exist')
        scope.used_windows.add(node.name)
        return _bind_definition(scope, named)
    return _bind_definition(scope, node)


def _bind_definition(scope: Scope, node: Any) -> Window:
    base = Window()
    if node.refname:
        named = scope.windows.get(node.refname)
        if named is None:
            raise BindError("42704", f'window "{node.refname}" does not exist')
        scope.used_windows.add(node.refname)
        base = _bind_definition(scope, named)
        # a named window may get an order and a frame, and no other partition
        if node.partitionClause:
            raise BindError("42P20", f'cannot override PARTITION BY clause of window "{node.refname}"')
        if base.order_by and node.orderClause:
            raise BindError("42P20", f'cannot override ORDER BY clause of window "{node.refname}"')
        # w with a frame can only be used whole (OVER w)
        if base.frame != Frame():
            raise BindError("42P20", f'cannot copy window "{node.refname}" because it has a frame clause')
    with in_kind(scope, "window"):
        partition = tuple(resolve_unknown(scope.context, e) for e in bind_exprs(scope, node.partitionClause))
        order = tuple(
            sort_key(scope, resolve_unknown(scope.context, bind_expr(scope, s.node)), s)
            for s in node.orderClause or ()
        )
    # partitions compare by equality alone
    for p in partition:
        ordering_operator(scope.context, p.type, "=")
    partition, order = partition or base.partition_by, order or base.order_by
    return Window(partition, order, _bind_frame(scope, node, order))


def _bind_frame(scope: Scope, node: Any, order: tuple[SortKey, ...]) -> Frame:
    # parsenodes.h FRAMEOPTION_...
    options = node.frameOptions
    mode: Any = "rows" if options & 0x4 else "groups" if options & 0x8 else "range"
    start: Any = _bound(options, 0x20, 0x800, 0x200, 0x2000, 0)
    end: Any = _bound(options, 0, 0x1000, 0x400, 0x4000, 0x100)
    exclude: Any = (
        "current"
        if options & 0x8000
        else "group"
        if options & 0x10000
        else "ties"
        if options & 0x20000
        else ""
    )
    # GROUPS counts peers, which only an order has
    if mode == "groups" and not order:
        raise BindError("42P20", "GROUPS mode requires an ORDER BY clause")
    offsets = [_bind_offset(scope, o, mode, order) for o in (node.startOffset, node.endOffset)]
    return Frame(mode, start, end, offsets[0], offsets[1], exclude)


def _bound(
    options: int, unbounded_preceding: int, preceding: int, current: int, following: int, unbounded: int
) -> str:
    if options & unbounded_preceding:
        return "unbounded_preceding"
    if options & preceding:
        return "preceding"
    if options & following:
        return "following"
    if options & unbounded:
        return "unbounded_following"
    assert options & current
    return "current"


def _bind_offset(scope: Scope, node: Any, mode: str, order: tuple[SortKey, ...]) -> Expr | None:
    if node is None:
        return None
    with in_kind(scope, "frame"):
        offset = bind_expr(scope, node)
    # one distance for all rows (checkExprIsVarFree); columns of outer queries may say it
    if free_rels(offset) & scope.rels:
        raise BindError("42P10", f"argument of {mode.upper()} must not contain variables")
    # a number of rows or peers
    if mode != "range":
        return coerce(scope.context, offset, INT8)
    # a distance is added to the one key, by an in_range function of its type
    if len(order) != 1:
        raise BindError("42P20", "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
    key = order[0].expr.type
    # dates move by intervals
    if key.name in _DATETIMES:
        return coerce(scope.context, offset, INTERVAL)
    if key.name not in {"int2", "int4", "int8", "numeric", "float4", "float8", "interval"}:
        raise BindError("0A000", "RANGE with offset is not supported for this column type")
    # a literal takes the key's type
    if offset.type.name == "unknown":
        return coerce(scope.context, offset, key)
    # in_range of floats takes float8
    if key.name in {"float4", "float8"}:
        return coerce(scope.context, offset, SqlType("float8"))
    # integers of any width have their in_range functions; others are converted to the key's type
    if key.name == "numeric" or not can_coerce(scope.context.catalog, [key_of(offset.type)], ["int8"], "i"):
        return coerce(scope.context, offset, key)
    return offset


__all__ = ["bind_call", "bind_grouping", "bind_window", "in_kind", "replace", "sort_key"]
