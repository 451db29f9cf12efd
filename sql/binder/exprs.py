"""Scalar expressions: syntax nodes to typed trees (after parse_expr.c).

Owns the dispatch over node kinds and everything that is not a call, a subquery or a row. Must not know FROM
clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewright.sql.algebra import (
    And,
    ArrayExpr,
    ArrayOp,
    Call,
    Case,
    Coalesce,
    Collate,
    Column,
    Const,
    Expr,
    FieldSelect,
    InList,
    IsBool,
    IsNull,
    MinMax,
    Not,
    NullIf,
    Op,
    Or,
    Param,
    RowExpr,
    Subscript,
    ValueFunction,
    WholeRow,
)
from rewright.sql.binder import calls, rows, sublinks
from rewright.sql.binder.coerce import (
    array_of,
    base_of,
    coerce,
    coerce_boolean,
    common_type,
    element_of,
    explicit_cast,
    info_of,
    merge_collations,
    resolve_unknown,
    shared_typmod,
)
from rewright.sql.binder.columns import bind_column_ref
from rewright.sql.binder.constants import number_literal
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.functions import make_op
from rewright.sql.binder.names import value_function_name
from rewright.sql.binder.recursion import bind_condition, bind_exprs
from rewright.sql.binder.scope import Scope
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.typenames import find_collation, resolve_type
from rewright.sql.catalog import key_of
from rewright.sql.types import BOOL, INT4, NUMERIC, RECORD, TEXT, UNKNOWN, SqlType

# types and collations as PostgreSQL 18's exprTypmod and exprCollation give them
_VALUE_TYPES = {
    "current_date": SqlType("date"),
    "current_time": SqlType("timetz"),
    "current_timestamp": SqlType("timestamptz"),
    "localtime": SqlType("time"),
    "localtimestamp": SqlType("timestamp"),
}


def bind_expr(scope: Scope, node: Any) -> Expr:
    """Any expression node; unknown literals stay unknown."""
    match node:
        case ast.ColumnRef():
            return bind_column_ref(scope, node)
        case ast.A_Const():
            # a template's hole reads like a literal of an odd value
            return _placeholder(scope, node) or bind_constant(node)
        case ast.A_Expr():
            return _bind_a_expr(scope, node)
        case ast.FuncCall():
            return calls.bind_call(scope, node)
        case ast.TypeCast():
            return _bind_cast(scope, node)
        case ast.BoolExpr():
            return _bind_bool(scope, node)
        case ast.SubLink():
            return sublinks.bind_sublink(scope, node)
        case ast.CaseExpr():
            return _bind_case(scope, node)
        case ast.NullTest():
            return _bind_null_test(scope, node)
        case ast.BooleanTest():
            return _bind_boolean_test(scope, node)
        case ast.CoalesceExpr():
            return _bind_coalesce(scope, node)
        case ast.MinMaxExpr():
            return _bind_min_max(scope, node)
        case ast.ParamRef():
            # a parameter is of unknown type until the first use that needs one
            return Param(node.number, scope.context.params.get(node.number, UNKNOWN))
        case ast.SQLValueFunction():
            return _bind_value_function(node)
        # a row as a value is an anonymous record, unless something converts it
        case ast.RowExpr():
            return RowExpr(tuple(_row_fields(scope, node)), RECORD)
        case ast.A_ArrayExpr():
            return _bind_array(scope, node, None)
        case ast.A_Indirection():
            return _bind_indirection(scope, node)
        case ast.CollateClause():
            return _bind_collate(scope, node)
        case ast.GroupingFunc():
            return calls.bind_grouping(scope, node)
        case ast.SetToDefault():
            raise BindError("42601", "DEFAULT is not allowed in this context")
        case _:
            raise Unsupported(type(node).__name__)


def _placeholder(scope: Scope, node: Any) -> Expr | None:
    """The Param of a literal that stands for a template's hole; the grammar folds a
    minus sign into numbers.
    """
    # NULL is no hole
    known = scope.context.placeholders
    if not known or node.isnull:
        return None
    constant = bind_constant(node)
    text = constant.value or ""
    if text in known:
        return Param(known[text], constant.type)
    # in a number the grammar has made -1 of the sign and the digits
    if text.startswith("-") and text[1:] in known and constant.type.name != "unknown":
        return make_op(scope.context, "-", None, Param(known[text[1:]], constant.type), ("pg_catalog",))
    return None


def bind_constant(node: Any) -> Const:
    if node.isnull:
        return Const(None, UNKNOWN)
    match node.val:
        case ast.Integer():
            # the grammar makes integers beyond int4 Floats: their texts are kept
            return Const(str(node.val.ival or 0), INT4)
        case ast.Float():
            name, text = number_literal(node.val.fval)
            return Const(text, NUMERIC if name == "numeric" else SqlType(name))
        case ast.Boolean():
            return Const("t" if node.val.boolval else "f", BOOL)
        case ast.String():
            # a string literal has no type until the context gives one
            return Const(node.val.sval, UNKNOWN)
        case ast.BitString():
            return _bit_constant(node.val.bsval)
        case _:
            raise Unsupported(f"constant {type(node.val).__name__}")


def _bit_constant(text: str) -> Const:
    # B'101' and X'1F': the scanner leaves the first letter in front
    bits = text[1:] if text[0] == "b" else "".join(f"{int(c, 16):04b}" for c in text[1:])
    return Const(bits, SqlType("bit"))


def _row_fields(scope: Scope, node: Any) -> list[Expr]:
    fields: list[Expr] = []
    for arg in node.args or ():
        # ROW(t.*) is expanded; ROW(t) is one field
        if isinstance(arg, ast.ColumnRef) and isinstance(arg.fields[-1], ast.A_Star):
            from rewright.sql.binder.columns import expand_star

            fields.extend(e for _, e in expand_star(scope, arg))
        else:
            fields.append(resolve_unknown(scope.context, bind_expr(scope, arg)))
    return fields


# --------------------------------------------------------------------------- operators


def _bind_a_expr(scope: Scope, node: Any) -> Expr:
    kind = node.kind.name
    match kind:
        case "AEXPR_OP":
            return _bind_operator(scope, node)
        # LIKE is the operator ~~ by the grammar's hand, so users' own ~~ is found, too
        case "AEXPR_LIKE" | "AEXPR_ILIKE" | "AEXPR_SIMILAR":
            return _bind_operator(scope, node)
        case "AEXPR_OP_ANY" | "AEXPR_OP_ALL":
            return _bind_array_op(scope, node, all_=kind == "AEXPR_OP_ALL")
        case "AEXPR_DISTINCT" | "AEXPR_NOT_DISTINCT":
            return _bind_distinct(scope, node, negated=kind == "AEXPR_NOT_DISTINCT")
        case "AEXPR_NULLIF":
            return _bind_nullif(scope, node)
        case "AEXPR_IN":
            return _bind_in(scope, node)
        case _:
            return _bind_between(scope, node, kind)


def operator_name(node: Any) -> tuple[str, tuple[str, ...] | None]:
    """Name and, if qualified, the schema to look in."""
    names = [n.sval for n in node]
    # OPERATOR(schema.name): looked for there alone
    return names[-1], (names[0],) if len(names) > 1 else None


def _bind_operator(scope: Scope, node: Any) -> Expr:
    name, schemas = operator_name(node.name)
    # (a, b) = (c, d): compared pair by pair
    if isinstance(node.lexpr, ast.RowExpr) and isinstance(node.rexpr, ast.RowExpr):
        left, right = bind_exprs(scope, node.lexpr.args), bind_exprs(scope, node.rexpr.args)
        return rows.compare(scope.context, name, left, right, schemas)
    lexpr = bind_expr(scope, node.lexpr) if node.lexpr is not None else None
    return make_op(scope.context, name, lexpr, bind_expr(scope, node.rexpr), schemas)


def _bind_array_op(scope: Scope, node: Any, *, all_: bool) -> Expr:
    name, schemas = operator_name(node.name)
    left, right = bind_expr(scope, node.lexpr), bind_expr(scope, node.rexpr)
    return make_array_op(scope, name, left, right, all_=all_, schemas=schemas)


def make_array_op(
    scope: Scope, name: str, left: Expr, right: Expr, *, all_: bool, schemas: tuple[str, ...] | None = None
) -> Expr:
    """make_scalar_array_op: the operator is resolved against the array's element type."""
    context = scope.context
    # '{1,2}' takes the type that the left side's operator wants
    if right.type.name == "unknown":
        element: SqlType = UNKNOWN
    else:
        found = element_of(context.catalog, right.type)
        if found is None:
            raise BindError("42809", "op ANY/ALL (array) requires array on right side")
        element = found
    op = make_op(context, name, left, Const(None, element), schemas)
    # operators that return anything else can't be counted as true or false
    if op.type.name != "bool" or op.op.function.returns_set:
        raise BindError("42809", "op ANY/ALL (array) requires operator to yield boolean")
    wanted = op.args[1].type
    array_type = array_of(context.catalog, wanted)
    return ArrayOp(op.op, op.args[0], coerce(context, right, array_type), all_)


def _bind_distinct(scope: Scope, node: Any, *, negated: bool) -> Expr:
    if isinstance(node.lexpr, ast.RowExpr) and isinstance(node.rexpr, ast.RowExpr):
        left, right = bind_exprs(scope, node.lexpr.args), bind_exprs(scope, node.rexpr.args)
        return rows.distinct(scope.context, left, right, negated=negated)
    left_expr, right_expr = bind_expr(scope, node.lexpr), bind_expr(scope, node.rexpr)
    return rows.distinct_pair(scope.context, left_expr, right_expr, negated=negated)


def _bind_nullif(scope: Scope, node: Any) -> Expr:
    op = make_op(scope.context, "=", bind_expr(scope, node.lexpr), bind_expr(scope, node.rexpr))
    # a user's = may return anything
    if op.type.name != "bool":
        raise BindError("42804", "NULLIF requires = operator to yield boolean")
    # its collation is that of the comparison
    type_ = op.args[0].type
    if type_.collation:
        type_ = replace(type_, collation=merge_collations(op.args))
    return NullIf(op.op, op.args[0], op.args[1], type_)


def _bind_in(scope: Scope, node: Any) -> Expr:
    """IN as PostgreSQL sees it: one array comparison over the items without columns, else OR."""
    name, schemas = operator_name(node.name)
    negated = name == "<>"
    context = scope.context
    left = bind_expr(scope, node.lexpr)
    items = [(n, bind_expr(scope, n)) for n in node.rexpr]
    # after the items were bound, as transformAExprIn does
    if isinstance(node.lexpr, ast.RowExpr):
        return _in_rows(scope, node, name, negated=negated)
    # items with columns get an = of their own, in this order; constants one array
    plain = [e for _, e in items if not _has_columns(e)]
    tests: list[Expr] = []
    # one constant alone is a plain comparison
    if len(plain) > 1:
        try:
            shared = common_type(context, [left, *plain], "IN")
        # no common type: each item is compared by itself, as before arrays
        except BindError:
            shared = RECORD
        # rows have no array comparison
        if shared.name != "record":
            tests.append(_in_list(scope, name, left, plain, shared, negated=negated))
            items = [(n, e) for n, e in items if _has_columns(e)]
    for i, (_, item) in enumerate(items):
        # the left side is bound again for each comparison: subqueries in it need numbers of their own
        again = left if i == 0 and not tests else bind_expr(scope, node.lexpr)
        tests.append(coerce_boolean(context, make_op(context, name, again, item, schemas), "IN"))
    # a single comparison needs no AND or OR
    if len(tests) == 1:
        return tests[0]
    return And(tuple(tests)) if negated else Or(tuple(tests))


def _in_list(
    scope: Scope, name: str, left: Expr, items: list[Expr], shared: SqlType, *, negated: bool
) -> Expr:
    context = scope.context
    plain = shared.without_typmod()
    # the operator is looked up by the common type, not by each item's
    op = make_op(context, name, left, Const(None, plain))
    # the operator may take a wider type than the items share
    wanted = op.args[1].type
    coerced = tuple(coerce(context, coerce(context, i, plain), wanted) for i in items)
    return InList(op.op, op.args[0], coerced, negated)


def _in_rows(scope: Scope, node: Any, name: str, *, negated: bool) -> Expr:
    tests = []
    for item in node.rexpr:
        if not isinstance(item, ast.RowExpr):
            raise Unsupported("row IN a list of values that are not rows")
        left, right = bind_exprs(scope, node.lexpr.args), bind_exprs(scope, item.args)
        # = over rows, so that NULLs inside give NULL
        tests.append(rows.compare(scope.context, name, left, right, None))
    if len(tests) == 1:
        return tests[0]
    return And(tuple(tests)) if negated else Or(tuple(tests))


def _has_columns(expr: Expr) -> bool:
    """contain_vars_of_level(0), erring towards True inside subqueries."""
    from rewright.sql.walk import children

    if isinstance(expr, Column | WholeRow):
        return True
    # a subquery may refer to columns outside
    return sublinks.is_sublink(expr) or any(_has_columns(c) for c in children(expr))


def _bind_between(scope: Scope, node: Any, kind: str) -> Expr:
    low, high = node.rexpr

    def compare(op: str, bound: Any) -> Expr:
        return _compare(scope, op, node.lexpr, bound)

    match kind:
        case "AEXPR_BETWEEN":
            return And((compare(">=", low), compare("<=", high)))
        case "AEXPR_NOT_BETWEEN":
            return Or((compare("<", low), compare(">", high)))
        # SYMMETRIC: in whichever order the bounds are
        case "AEXPR_BETWEEN_SYM":
            inside = And((compare(">=", low), compare("<=", high)))
            return Or((inside, And((compare(">=", high), compare("<=", low)))))
        case "AEXPR_NOT_BETWEEN_SYM":
            outside = Or((compare("<", low), compare(">", high)))
            return And((outside, Or((compare("<", high), compare(">", low)))))
        case _:
            raise Unsupported(kind)


def _compare(scope: Scope, op: str, left: Any, right: Any) -> Expr:
    """Operands are bound anew for each comparison, so that subqueries get their own numbers."""
    if isinstance(left, ast.RowExpr) and isinstance(right, ast.RowExpr):
        return rows.compare(
            scope.context, op, bind_exprs(scope, left.args), bind_exprs(scope, right.args), None
        )
    return make_op(scope.context, op, bind_expr(scope, left), bind_expr(scope, right))


# --------------------------------------------------------------------------- the rest


def _bind_bool(scope: Scope, node: Any) -> Expr:
    kind = node.boolop.name
    if kind == "NOT_EXPR":
        return Not(bind_condition(scope, node.args[0], "NOT"))
    word = "AND" if kind == "AND_EXPR" else "OR"
    args: list[Expr] = []
    node_type: type[And | Or] = And if kind == "AND_EXPR" else Or
    for arg in node.args:
        bound = bind_condition(scope, arg, word)
        # AND of ANDs is one list (flattening in makeAndExpr)
        args.extend(bound.args if isinstance(bound, node_type) else (bound,))
    return node_type(tuple(args))


def _bind_cast(scope: Scope, node: Any) -> Expr:
    target = resolve_type(scope.context, node.typeName)
    # ARRAY[...]::int[]: each element is converted directly, which also gives an empty array its type
    if isinstance(node.arg, ast.A_ArrayExpr):
        element = element_of(scope.context.catalog, target)
        if element is not None:
            return coerce(
                scope.context,
                _bind_array(scope, node.arg, base_of(scope.context.catalog, target)),
                target,
                "e",
                implicit=False,
            )
    arg = bind_expr(scope, node.arg)
    return explicit_cast(scope.context, arg, target)


def _bind_case(scope: Scope, node: Any) -> Expr:
    context = scope.context
    if node.arg is not None:
        operand = bind_expr(scope, node.arg)
        # the operand is evaluated once by the server, and written out for each WHEN here
        if is_volatile(operand):
            raise Unsupported("CASE over a volatile operand")
    conditions = []
    for when in node.args:
        if node.arg is not None:
            # bound anew: subqueries in it need numbers of their own
            operand = resolve_unknown(context, bind_expr(scope, node.arg))
            test: Expr = make_op(context, "=", operand, bind_expr(scope, when.expr))
        else:
            test = bind_expr(scope, when.expr)
        conditions.append(coerce_boolean(context, test, "CASE/WHEN"))
    results = [bind_expr(scope, w.result) for w in node.args]
    # no ELSE is ELSE NULL
    default = bind_expr(scope, node.defresult) if node.defresult is not None else Const(None, UNKNOWN)
    # the default takes part first, as in transformCaseExpr: it decides between equal candidates
    type_ = common_type(context, [default, *results], "CASE")
    plain = type_.without_typmod()
    default = coerce(context, default, plain)
    whens = tuple((c, coerce(context, r, plain)) for c, r in zip(conditions, results, strict=True))
    return Case(whens, default, shared_typmod(type_, [default, *(r for _, r in whens)]))


def is_volatile(expr: Expr) -> bool:
    from rewright.sql.algebra import Volatility
    from rewright.sql.walk import deep_exprs

    for e in deep_exprs(expr):
        if isinstance(e, Call) and e.func.volatility is Volatility.VOLATILE:
            return True
        # other kinds of nodes are made of calls and operators
        if isinstance(e, Op) and e.op.function.volatility is Volatility.VOLATILE:
            return True
    return False


def _bind_null_test(scope: Scope, node: Any) -> Expr:
    arg = resolve_unknown(scope.context, bind_expr(scope, node.arg))
    # ROW(NULL, NULL) IS NULL asks the fields
    return IsNull(arg, node.nulltesttype.name == "IS_NOT_NULL", rows.is_row(scope.context, arg))


def _bind_boolean_test(scope: Scope, node: Any) -> Expr:
    word = node.booltesttype.name.removeprefix("IS_")
    negated = word.startswith("NOT_")
    test = word.removeprefix("NOT_").lower()
    arg = bind_condition(scope, node.arg, f"IS {word}")
    assert test in {"true", "false", "unknown"}
    return IsBool(arg, test, negated)


def _bind_coalesce(scope: Scope, node: Any) -> Expr:
    args = bind_exprs(scope, node.args)
    type_ = common_type(scope.context, args, "COALESCE")
    coerced = tuple(coerce(scope.context, a, type_.without_typmod()) for a in args)
    return Coalesce(coerced, shared_typmod(type_, coerced))


def _bind_min_max(scope: Scope, node: Any) -> Expr:
    greatest = node.op.name == "IS_GREATEST"
    args = bind_exprs(scope, node.args)
    type_ = common_type(scope.context, args, "GREATEST" if greatest else "LEAST")
    coerced = tuple(coerce(scope.context, a, type_.without_typmod()) for a in args)
    return MinMax(greatest, coerced, shared_typmod(type_, coerced))


def _bind_value_function(node: Any) -> Expr:
    name = value_function_name(node.op.name)
    # CURRENT_USER and the like are of type name
    type_ = _VALUE_TYPES.get(name, SqlType("name", collation="C"))
    if node.op.name.endswith("_N"):
        # CURRENT_TIMESTAMP(n): at most six digits of seconds
        type_ = replace(type_, typmod=min(node.typmod, 6))
    return ValueFunction(name, type_)


def _bind_array(scope: Scope, node: Any, target: SqlType | None) -> Expr:
    """ARRAY[…]; ``target`` is the array type of a cast directly around it."""
    context = scope.context
    element = element_of(context.catalog, target) if target is not None else None
    items: list[Expr] = []
    nested = False
    for item in node.elements or ():
        # ARRAY[[1],[2]] has the type of its elements' array
        if isinstance(item, ast.A_ArrayExpr):
            nested = True
            items.append(_bind_array(scope, item, target))
        else:
            items.append(bind_expr(scope, item))
    if element is not None and target is not None:
        wanted = target if nested else element
        # sub-arrays are of the array's own type
        done = tuple(coerce(context, i, wanted, "e", implicit=False) for i in items)
        return ArrayExpr(done, target.without_typmod() if not done else _array_result(done, target))
    if not items:
        # ARRAY[] without a cast: 42P18
        raise BindError("42P18", "cannot determine type of empty array")
    type_ = common_type(context, items, "ARRAY").without_typmod()
    done = tuple(coerce(context, i, type_) for i in items)
    # elements that are arrays themselves: one type for any number of dimensions
    array = type_ if info_of(context.catalog, type_).element else array_of(context.catalog, type_)
    return ArrayExpr(done, _array_result(done, array))


def _array_result(items: Sequence[Expr], array: SqlType) -> SqlType:
    typmods = {i.type.typmod for i in items}
    return replace(array, typmod=typmods.pop() if len(typmods) == 1 else -1)


def _bind_indirection(scope: Scope, node: Any) -> Expr:
    expr = bind_expr(scope, node.arg)
    pending: list[Any] = []
    for step in node.indirection:
        # a[1][2] is one subscript with two dimensions
        if isinstance(step, ast.A_Indices):
            pending.append(step)
            continue
        if pending:
            expr, pending = _subscript(scope, expr, pending), []
        if isinstance(step, ast.A_Star):
            raise Unsupported("(expression).*")
        expr = select_field(scope, expr, step.sval)
    return _subscript(scope, expr, pending) if pending else expr


def _subscript(scope: Scope, expr: Expr, steps: list[Any]) -> Expr:
    context = scope.context
    # jsonb subscripts take texts and are another function
    if base_of(context.catalog, expr.type).name == "jsonb":
        raise Unsupported("jsonb subscripts")
    element = element_of(context.catalog, expr.type)
    if element is None:
        raise BindError("42804", f"cannot subscript type {key_of(expr.type)}")
    is_slice = any(s.is_slice for s in steps)
    lower: list[Expr | None] = []
    upper: list[Expr | None] = []
    for s in steps:
        low, high = s.lidx, s.uidx
        # a[1:2][3]: the 3 means 1:3 (manual, 8.15.3)
        if is_slice and not s.is_slice:
            low = ast.A_Const(val=ast.Integer(ival=1))
        lower.append(_index(scope, low))
        upper.append(_index(scope, high))
    based = base_of(context.catalog, expr.type)
    array = coerce(context, expr, based) if based != expr.type else expr
    # a slice is an array, an element is not
    type_ = replace(based, collation=expr.type.collation) if is_slice else element
    return Subscript(array, tuple(lower) if is_slice else (), tuple(upper), is_slice, type_)


def _index(scope: Scope, node: Any) -> Expr | None:
    # assignment context: bigint subscripts are allowed, and may raise
    return None if node is None else coerce(scope.context, bind_expr(scope, node), INT4, "a")


def select_field(scope: Scope, expr: Expr, name: str) -> Expr:
    """``(expr).name`` of a composite value; 42703 when there is no such field."""
    based = base_of(scope.context.catalog, expr.type)
    info = info_of(scope.context.catalog, based)
    for field_name, type_ in info.fields:
        if field_name == name:
            return FieldSelect(expr, name, type_)
    # a record's fields are known only to who made it
    if based.name == "record":
        raise Unsupported("a field of an anonymous record")
    raise BindError("42703", f'column "{name}" not found in data type {info.name}')


def _bind_collate(scope: Scope, node: Any) -> Expr:
    context = scope.context
    arg = bind_expr(scope, node.arg)
    # COLLATE of a literal: text
    if arg.type.name == "unknown":
        arg = coerce(context, arg, TEXT)
    # integers have no collation
    if not info_of(context.catalog, arg.type).collation:
        raise BindError("42804", f"collations are not supported by type {key_of(arg.type)}")
    names = [n.sval for n in node.collname]
    found = find_collation(context, names)
    if found is None:
        raise BindError("42704", f'collation "{".".join(names)}" does not exist')
    return Collate(arg, replace(arg.type, collation=found.key))
