"""Expressions as text, with parentheses by the grammar's precedences.

Owns expression syntax. How a column is named and how a subquery prints is asked of the statement printer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, assert_never

from rewright.sql.algebra import (
    Aggregate,
    And,
    ArrayExpr,
    ArrayOp,
    ArraySubquery,
    Call,
    Case,
    Cast,
    Coalesce,
    Collate,
    Column,
    Const,
    Exists,
    Expr,
    FieldSelect,
    Grouping,
    InList,
    IsBool,
    IsDistinct,
    IsNull,
    MinMax,
    Not,
    NullIf,
    Op,
    Opaque,
    OperatorRef,
    Or,
    OutputSortKey,
    Param,
    Quantified,
    Query,
    RowCompare,
    RowExpr,
    ScalarSubquery,
    SortKey,
    Subscript,
    SystemColumn,
    ValueFunction,
    WholeRow,
    WindowCall,
)
from rewright.sql.binder.coerce import coerce
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.scope import Context
from rewright.sql.printer import elide
from rewright.sql.printer.levels import (
    ADD,
    AND,
    ATOM,
    CAST,
    COMPARE,
    IS,
    LIKE,
    MUL,
    NOT,
    OPERATORS,
    OR,
    OTHER,
    UNARY,
)
from rewright.sql.printer.literals import constant, parameter
from rewright.sql.printer.names import quote_ident, quote_literal, type_name
from rewright.sql.printer.windows import window_text
from rewright.sql.types import SqlType

# LIKE is the operator ~~ (manual, 9.7.1)
_LIKES = {"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "!~~*": "NOT ILIKE"}
# extract(field FROM x) takes these words; others would need to be quoted texts
_EXTRACT = {
    *("century", "day", "decade", "dow", "doy", "epoch", "hour", "isodow", "isoyear", "julian"),
    *("microseconds", "millennium", "milliseconds", "minute", "month", "quarter", "second"),
    *("timezone", "timezone_hour", "timezone_minute", "week", "year"),
}
# a keyword that may be called without quotes: "substring" would be another function's name
_QUOTELESS_CALLS = {"substring"}


class Names(Protocol):
    """What the statement printer provides."""

    context: Context

    def column(self, rel: int, pos: int) -> str: ...
    def relation(self, rel: int) -> str: ...
    def subquery(self, query: Query, *, keep_unknown: bool = False) -> str: ...


class Scalars:
    """Prints expressions; ``text`` takes the weakest precedence that needs no parentheses."""

    def __init__(self, names: Names) -> None:
        self.names = names

    @property
    def context(self) -> Context:
        return self.names.context

    def text(self, expr: Expr, level: int = OR) -> str:
        made, own = self._print(expr)
        return f"({made})" if own < level else made

    def items(self, exprs: Sequence[Expr]) -> str:
        return ", ".join(self.text(e) for e in exprs)

    def key(self, expr: Expr) -> str:
        """An expression in ORDER BY or GROUP BY, where a bare constant would be a position."""
        # GROUP BY 1 means the first column; GROUP BY 1::int4 the number
        if isinstance(expr, Const) and expr.value is not None:
            return f"{quote_literal(expr.value)}::{self.type(expr.type)}"
        return self.text(expr)

    def type(self, type_: SqlType) -> str:
        return type_name(type_, self.context.catalog, self.context.search_path)

    def _print(self, expr: Expr) -> tuple[str, int]:
        match expr:
            case Const():
                return constant(expr, self.type)
            case Param():
                return parameter(expr, self.type)
            case Column():
                return self.names.column(expr.rel, expr.pos), ATOM
            case SystemColumn():
                return f"{self.names.relation(expr.rel)}.{expr.name}", ATOM
            case WholeRow():
                return self.names.relation(expr.rel), ATOM
            case Call():
                return self._call(expr)
            case Op():
                return self._op(expr)
            case Cast():
                return self._cast(expr)
            case Collate():
                # COLLATE binds more strongly than any operator, but less than :: (gram.y)
                return f"{self.text(expr.arg, CAST)} COLLATE {_collation(expr.type.collation)}", UNARY
            case And():
                # operands of AND one level higher: a nested AND keeps its parentheses, and the tree its shape
                return " AND ".join(self.text(a, NOT) for a in expr.args), AND
            case Or():
                return " OR ".join(self.text(a, AND) for a in expr.args), OR
            case Not():
                return self._not(expr)
            case IsNull():
                # IS NULL binds less than LIKE: a LIKE b IS NULL is (a LIKE b) IS NULL
                return f"{self.text(expr.arg, LIKE)} IS {'NOT ' * expr.negated}NULL", IS
            case IsBool():
                return f"{self.text(expr.arg, LIKE)} IS {'NOT ' * expr.negated}{expr.test.upper()}", IS
            case IsDistinct():
                left, right = self._pair(elide.pair_args(self.context, expr), expr.left, expr.right)
                return f"{left} IS {'NOT ' * expr.negated}DISTINCT FROM {right}", IS
            case Case():
                return self._case(expr), ATOM
            case Coalesce():
                return f"coalesce({self.items(elide.common_args(self.context, expr))})", ATOM
            case NullIf():
                args = elide.pair_args(self.context, expr) or [expr.left, expr.right]
                return f"nullif({self.items(args)})", ATOM
            case MinMax():
                word = "greatest" if expr.greatest else "least"
                return f"{word}({self.items(elide.common_args(self.context, expr))})", ATOM
            case InList():
                return self._in_list(expr)
            case ArrayOp():
                left, right = self._pair(
                    elide.array_op_args(self.context, expr), expr.left, expr.array, right_level=OR
                )
                # = ANY (array) has the level of other operators, whatever = has elsewhere
                return f"{left} {self._operator(expr.op)} {'ALL' if expr.all else 'ANY'} ({right})", OTHER
            case RowExpr():
                # ROW(x) of one column needs the word: (x) is x
                return f"ROW({self.items(expr.args)})", ATOM
            case RowCompare():
                return f"({self.items(expr.left)}) {expr.kind} ({self.items(expr.right)})", COMPARE
            case ArrayExpr():
                return self._array(expr)
            case Subscript():
                return self._subscript(expr), ATOM
            # the parentheses are the grammar's: r.f would read r as a table
            case FieldSelect():
                return f"({self.text(expr.arg)}).{quote_ident(expr.field_name)}", ATOM
            case ValueFunction():
                # a precision only where one was written: CURRENT_TIMESTAMP(3)
                precision = f"({expr.type.typmod})" if expr.type.typmod >= 0 else ""
                return f"{expr.name.upper()}{precision}", ATOM
            case Aggregate():
                return self._aggregate(expr), ATOM
            case Grouping():
                return f"GROUPING({self.items(expr.args)})", ATOM
            case WindowCall():
                return self._window_call(expr), ATOM
            case ScalarSubquery():
                return self.names.subquery(expr.query), ATOM
            case Exists():
                return f"EXISTS {self.names.subquery(expr.query)}", ATOM
            case ArraySubquery():
                return f"ARRAY {self.names.subquery(expr.query)}", ATOM
            case Quantified():
                return self._quantified(expr)
            case Opaque():
                # what the binder only weighs, and nobody prints
                raise ValueError(f"{expr.tag} has no text")
            case _:
                assert_never(expr)

    # ------------------------------------------------------------------ constants and casts

    def _cast(self, expr: Cast) -> tuple[str, int]:
        arg = expr.arg
        # varchar(9) of an int is two casts in the tree, and one in the text
        if expr.method == "typmod" and isinstance(arg, Cast) and arg.implicit:
            arg = self._one_step(expr, arg)
        if isinstance(arg, Const) and arg.type.name == "unknown" and arg.value is not None:
            name = self.type(expr.type)
            # interval '1 day' and the like: the usual form, with no operator whose level could matter
            if expr.type.is_builtin and name in {"interval", "timestamptz", "date", "timestamp"}:
                return f"{name} {quote_literal(arg.value)}", ATOM
        return f"{self.text(arg, CAST)}::{self.type(expr.type)}", CAST

    def _one_step(self, expr: Cast, inner: Cast) -> Expr:
        """``x::numeric(9,2)`` for the two casts it takes."""
        try:
            again = coerce(self.context, inner.arg, expr.type, "e", implicit=False)
        except (BindError, Unsupported):
            return inner
        return inner.arg if again == expr else inner

    # ------------------------------------------------------------------ operators and tests

    def _op(self, expr: Op) -> tuple[str, int]:
        args = elide.op_args(self.context, expr.op, expr.args)
        if args is None:
            # the plain name would find another operator, or other casts
            sides = [self.text(a, CAST) for a in expr.args]
            name = f"OPERATOR({quote_ident(expr.op.schema)}.{expr.op.name})"
            return (f"{sides[0]} {name} {sides[1]}" if len(sides) == 2 else f"{name} {sides[0]}"), OTHER
        name = _LIKES.get(expr.op.name, expr.op.name)
        if len(args) == 1:
            # unary + and - bind more strongly than binary ones; other prefix operators do not
            return f"{name} {self.text(args[0], UNARY + 1)}", (UNARY if name in {"+", "-"} else OTHER)
        level = LIKE if expr.op.name in _LIKES else OPERATORS.get(expr.op.name, OTHER)
        # + and * are read from the left: a + (b + c) keeps its parentheses, (a + b) + c needs none
        left = level if level in {ADD, MUL} else level + 1
        return f"{self.text(args[0], left)} {name} {self.text(args[1], level + 1)}", level

    def _operator(self, op: OperatorRef) -> str:
        # a user's operator must not be looked for along the path
        return op.name if op.is_builtin else f"OPERATOR({quote_ident(op.schema)}.{op.name})"

    def _pair(
        self, short: list[Expr] | None, left: Expr, right: Expr, right_level: int = OTHER
    ) -> tuple[str, str]:
        a, b = short or [left, right]
        return self.text(a, OTHER), self.text(b, right_level)

    def _not(self, expr: Not) -> tuple[str, int]:
        match expr.arg:
            case Exists(query=query):
                return f"NOT EXISTS {self.names.subquery(query)}", NOT
            # NOT x IN (...) reads better as x NOT IN (...), and is the same tree
            case Quantified(kind="=", all=False):
                left, query_text = self._quantified_sides(expr.arg)
                return f"{left} NOT IN {query_text}", LIKE
            case _:
                return f"NOT {self.text(expr.arg, NOT)}", NOT

    def _quantified(self, expr: Quantified) -> tuple[str, int]:
        left, query = self._quantified_sides(expr)
        # IN means "= ANY" with the operator that = finds, which quantified() has made sure of
        if expr.kind == "=" and not expr.all and all(o.name == "=" for o in expr.ops):
            return f"{left} IN {query}", LIKE
        return f"{left} {self._operator(expr.ops[0])} {'ALL' if expr.all else 'ANY'} {query}", OTHER

    def _quantified_sides(self, expr: Quantified) -> tuple[str, str]:
        lefts, query = elide.quantified(self.context, expr)
        left = self.text(lefts[0], OTHER) if len(lefts) == 1 else f"({self.items(lefts)})"
        return left, self.names.subquery(query or expr.query)

    def _in_list(self, expr: InList) -> tuple[str, int]:
        left, *items = elide.in_list_args(self.context, expr)
        # a user's = is not what IN would find
        if (expr.op.name, expr.all) in {("=", False), ("<>", True)} and expr.op.is_builtin:
            word = "NOT IN" if expr.all else "IN"
            return f"{self.text(left, OTHER)} {word} ({self.items(items)})", LIKE
        tests = [f"{self.text(left, OTHER)} {self._operator(expr.op)} {self.text(i, OTHER)}" for i in items]
        return (" AND " if expr.all else " OR ").join(tests), AND if expr.all else OR

    # ------------------------------------------------------------------ calls

    def _function(self, func_schema: str, name: str) -> str:
        shown = name if name in _QUOTELESS_CALLS else quote_ident(name)
        if func_schema != "pg_catalog":
            return f"{quote_ident(func_schema)}.{shown}"
        # pg_catalog is looked into first only where the path does not name it: else a user's function may
        # stand before it
        shadowed = self.context.catalog.functions_named(
            name, tuple(s for s in self.context.search_path if s != "pg_catalog")
        )
        return f"pg_catalog.{quote_ident(name)}" if shadowed else shown

    def _args(self, expr: Call | Aggregate | WindowCall) -> str:
        schemas = (expr.func.schema,)
        args = elide.call_args(self.context, expr, schemas) or list(expr.args)
        shown = [self.text(a) for a in args]
        if elide.is_variadic_call(expr):
            shown[-1] = f"VARIADIC {shown[-1]}"
        return ", ".join(shown)

    def _call(self, expr: Call) -> tuple[str, int]:
        special = self._special_call(expr)
        if special is not None:
            return special
        return f"{self._function(expr.func.schema, expr.func.name)}({self._args(expr)})", ATOM

    def _special_call(self, expr: Call) -> tuple[str, int] | None:
        if not expr.func.is_builtin or len(expr.args) != 2:
            return None
        first = expr.args[0]
        # a field that is no constant has only the function's form
        if expr.func.name == "extract" and isinstance(first, Const) and first.value in _EXTRACT:
            args = elide.call_args(self.context, expr, ("pg_catalog",)) or list(expr.args)
            return f"extract({first.value} FROM {self.text(args[1])})", ATOM
        # position(part IN whole) is position(whole, part), its arguments the other way round
        if expr.func.name == "position":
            # in parentheses above CAST's level: IN would end the expression
            whole, part = elide.call_args(self.context, expr, ("pg_catalog",)) or expr.args
            return f"position({self.text(part, CAST)} IN {self.text(whole, CAST)})", ATOM
        # extract(text, x) without its special form must be called by its full name: EXTRACT is a keyword
        if expr.func.name == "extract":
            return f"pg_catalog.extract({self._args(expr)})", ATOM
        return None

    def _aggregate(self, expr: Aggregate) -> str:
        name = self._function(expr.func.schema, expr.func.name)
        order = self.sort_keys(expr.order_by)
        # ordered-set aggregates take direct arguments before WITHIN GROUP
        if expr.func.kind == "a" and (expr.direct or (expr.order_by and not expr.args and not expr.star)):
            body = f"{name}({self.items(expr.direct)}) WITHIN GROUP (ORDER BY {order})"
        else:
            inner = "*" if expr.star else self._args(expr)
            distinct = "DISTINCT " if expr.distinct else ""
            body = f"{name}({distinct}{inner}{f' ORDER BY {order}' if order else ''})"
        return body + self._filter(expr.filter)

    def _filter(self, expr: Expr | None) -> str:
        return "" if expr is None else f" FILTER (WHERE {self.text(expr)})"

    def _window_call(self, expr: WindowCall) -> str:
        name = self._function(expr.func.schema, expr.func.name)
        inner = "*" if expr.star else self._args(expr)
        return f"{name}({inner}){self._filter(expr.filter)} OVER ({window_text(self, expr.window)})"

    def sort_keys(self, keys: Sequence[SortKey]) -> str:
        return ", ".join(self.key(k.expr) + direction(k) for k in keys)

    # ------------------------------------------------------------------ the rest

    def _case(self, expr: Case) -> str:
        default, *results = elide.common_args(self.context, expr)
        arms = " ".join(
            f"WHEN {self.text(condition)} THEN {self.text(result)}"
            for (condition, _), result in zip(expr.whens, results, strict=True)
        )
        rest = (
            ""
            # ELSE NULL of unknown type is what a missing ELSE means
            if isinstance(default, Const) and default.value is None and self._bare(default)
            else (f" ELSE {self.text(default)}")
        )
        return f"CASE {arms}{rest} END"

    def _bare(self, expr: Const) -> bool:
        return expr.type.name == "unknown"

    def _array(self, expr: ArrayExpr) -> tuple[str, int]:
        if not expr.args:
            # ARRAY[] has no type of its own
            return f"ARRAY[]::{self.type(expr.type)}", CAST
        return f"ARRAY[{self.items(elide.common_args(self.context, expr))}]", ATOM

    def _subscript(self, expr: Subscript) -> str:
        arg = f"({self.text(expr.arg)})"
        # unused bounds are left out: a[:3]
        if not expr.is_slice:
            return arg + "".join(f"[{self.text(u)}]" for u in expr.upper if u is not None)
        bounds = zip(expr.lower, expr.upper, strict=True)
        return arg + "".join(
            f"[{self.text(low) if low is not None else ''}:{self.text(high) if high is not None else ''}]"
            for low, high in bounds
        )


def direction(key: SortKey | OutputSortKey) -> str:
    """DESC and NULLS FIRST|LAST where they are not the default."""
    words = " DESC" if key.descending else ""
    # NULLs sort as the largest values: last by default, and first with DESC
    if key.nulls_first != key.descending:
        words += " NULLS FIRST" if key.nulls_first else " NULLS LAST"
    return words


def _collation(name: str) -> str:
    return ".".join(f'"{part}"' for part in name.split("."))
