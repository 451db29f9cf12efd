"""Volatility and possible run-time errors of expressions and queries (hazards M7, M8).

Errors are named by class. Unknown functions may raise anything ("any"); only what is known never to fail
is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rewright.sql.algebra import (
    Aggregate,
    ArrayExpr,
    ArrayOp,
    Call,
    Cast,
    Column,
    Const,
    Cte,
    CteScan,
    Derived,
    Expr,
    Frame,
    FunctionRef,
    FunctionScan,
    InList,
    IsDistinct,
    Join,
    Node,
    NullIf,
    Op,
    Opaque,
    OperatorRef,
    Quantified,
    Query,
    RowCompare,
    ScalarSubquery,
    Scan,
    Select,
    SetOp,
    SortKey,
    Subscript,
    SystemColumn,
    Target,
    ValueFunction,
    Values,
    ValuesScan,
    Volatility,
    Window,
    WindowCall,
)
from rewright.sql.catalog import Catalog
from rewright.sql.facts.guards import NOTHING, Known, evaluated, is_division, never, of_block
from rewright.sql.facts.moments import is_series, stays_in_time
from rewright.sql.records import key_of
from rewright.sql.types import DETERMINISTIC_COLLATIONS, SqlType
from rewright.sql.walk import (
    all_exprs,
    all_queries,
    block_exprs,
    deep_exprs,
    remembered,
    subqueries,
    walk,
)

# the schema of functions that fail for no value, in trees that are made for proofs. No text and no catalog
# names it: names are cut off after 63 bytes (NAMEDATALEN)
SURE = "of what cannot fail over rows that keep what is promised of their columns"

Errors = frozenset[str]
NO_ERRORS: Errors = frozenset()
ANY: Errors = frozenset({"any"})
OVERFLOW: Errors = frozenset({"overflow"})

# from what may be evaluated any number of times to what may not
_RANK = {Volatility.IMMUTABLE: 0, Volatility.STABLE: 1, Volatility.VOLATILE: 2}
_INTEGERS = {"int2", "int4", "int8"}
_NUMBERS = {*_INTEGERS, "numeric", "float4", "float8"}
_TEXTS = {"text", "varchar", "bpchar", "name"}
_TIMES = {"date", "time", "timetz", "timestamp", "timestamptz", "interval"}
# comparisons of these read no catalog and call no function of a user's; arrays and rows might
_COMPARABLE = {
    *(*_NUMBERS, *_TEXTS, *_TIMES, "bool", "uuid", "bytea", "oid", "char", "bit", "varbit", "inet"),
    *("jsonb", "anyenum"),
}
# operators of ranges with ranges and what is in them, which compare bounds, and of jsonb with a type:
# they fail for no values
RANGE_TESTS, RANGE_SIDES = frozenset({"@>", "<@", "&&", "<<", ">>"}), frozenset({"anyrange", "anyelement"})
ARRAY_TESTS = frozenset({"@>", "<@", "&&"})
JSON_TESTS = frozenset({
    ("->", "text"), ("->", "int4"), ("->>", "text"), ("->>", "int4"), ("?", "text"),
    ("@>", "jsonb"), ("<@", "jsonb"), ("=", "jsonb"), ("<>", "jsonb"),
})  # fmt: skip
_JSON_BUILDERS = frozenset(
    f"{kind}{name}" for kind in ("json_", "jsonb_") for name in ("build_object", "build_array")
) | {"to_json", "to_jsonb"}
_COMPARISONS = {"=", "<>", "<", "<=", ">", ">="}
# the wider type holds each value; date to timestamp is listed for its class of error
_WIDER = {
    ("int2", "int4"),
    ("int2", "int8"),
    ("int4", "int8"),
    *((i, t) for i in _INTEGERS for t in ("numeric", "float4", "float8")),
    ("float4", "float8"),
    ("bool", "int4"),
    ("date", "timestamp"),
}
# by name, for all built-in overloads whose arguments are of comparable types; not ascii(), which takes no
# other characters than those of ASCII where an encoding of several bytes is not UTF8 (oracle_compat.c)
_SAFE_FUNCTIONS = {
    *("length", "char_length", "character_length", "octet_length", "lower", "upper", "btrim", "ltrim"),
    *("rtrim", "concat", "now", "sign", "ceil", "ceiling", "floor", "reverse", "strpos"),
    *("position", "starts_with", "md5", "initcap", "left", "right", "coalesce", "replace", "translate"),
}
# which look for a text within another: refused, by some versions, under collations that CREATE COLLATION may
# have made nondeterministic (varlena.c)
SEARCHES = frozenset({"strpos", "position", "starts_with", "replace"})
# array_agg and string_agg may run out of memory, which no tree can tell
_SAFE_AGGREGATES = {
    *("count", "min", "max", "bool_and", "bool_or", "every", "array_agg", "string_agg", "any_value"),
    *("bit_and", "bit_or"),
}
# fail for nothing but what is too large
SPREADS = frozenset({"stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp"})
_SAFE_WINDOWS = {
    # lag and lead with a third argument only convert it
    *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist"),
    *("first_value", "last_value", "lag", "lead"),
}
_ODD_CALLS = {("length", ("bytea", "name"))}  # reads the bytes in an encoding
# what has all fields of a calendar (date_part makes a timestamp of a date, which may be too far away for one)
_WITH_FIELDS = {
    "extract": {"date", "timestamp", "timestamptz", "interval"},
    "date_part": {"timestamp", "timestamptz", "interval"},
}
_UNITS = {"century", "day", "decade", "millennium", "month", "quarter", "week", "year"}
_WITHIN_DAYS = {"day", "hour", "minute", "second"}
FIELDS = {
    *("century", "day", "decade", "dow", "doy", "epoch", "isodow", "isoyear", "millennium", "month"),
    *("quarter", "week", "year"),
}
"""What every date and every moment has, of whatever size; of an infinite one some are NULL."""
# a day by itself has none of these
FIELDS_OF_TIME = {"hour", "minute", "second", "milliseconds", "microseconds"}
FIELDS_OF_SPANS = {
    *("century", "day", "decade", "epoch", "millennium", "month", "quarter", "year"), *FIELDS_OF_TIME,
}  # fmt: skip


def worst(volatilities: Iterable[Volatility]) -> Volatility:
    return max(volatilities, key=lambda v: _RANK[v], default=Volatility.IMMUTABLE)


def volatility_of_expr(catalog: Catalog, expr: Expr) -> Volatility:
    """The volatility of an expression, subqueries included."""
    return worst(own_volatility(catalog, e) for e in _with_function_scans(expr))


@remembered
def is_volatile(node: Node) -> bool:
    """Whether a part evaluated again, elsewhere or on other rows may give something else. Functions in FROM
    and system columns count as such. Input and output functions of types do not, as no catalog is at hand:
    see `volatility_of_expr`.
    """
    return any(
        isinstance(n, FunctionScan | SystemColumn) or own_volatility(None, n) is Volatility.VOLATILE
        for n in walk(node)
    )


@remembered
def may_vary(node: Node) -> bool:
    """As `is_volatile`, where functions in FROM count as what they are declared if they are PostgreSQL's own
    and immutable, or series of moments, which the session's zone is read for: such give the same rows in the
    same order whenever they are called.
    """
    return any(
        isinstance(n, SystemColumn)
        or (isinstance(n, FunctionScan) and not _gives_the_same_rows(n.call))
        or own_volatility(None, n) is Volatility.VOLATILE
        for n in walk(node)
    )


def _gives_the_same_rows(call: Expr) -> bool:
    if not isinstance(call, Call) or not call.func.is_builtin:
        return False
    return call.func.volatility is Volatility.IMMUTABLE or call.func.name == "generate_series"


@remembered
def may_differ(node: Node) -> bool:
    """Whether a part evaluated again, elsewhere or on other rows may give something else, where built-in
    functions in FROM (unnest, generate_series) count as what they are declared: what rules go by, whose
    results are checked.
    """
    return any(
        isinstance(n, SystemColumn)
        or (isinstance(n, FunctionScan) and not (isinstance(n.call, Call) and n.call.func.is_builtin))
        or own_volatility(None, n) is Volatility.VOLATILE
        for n in walk(node)
    )


# these see how a value is stored, which the same value read from a table, a sort or a computed CTE is not
# alike
_OF_MORE_THAN_VALUES = frozenset({"pg_column_size", "pg_column_compression", "pg_column_toast_chunk_id"})


def sees_storage(func: FunctionRef) -> bool:
    """Whether a function tells apart what is one value: by how the plan has stored it."""
    return func.is_builtin and func.name in _OF_MORE_THAN_VALUES


@remembered
def asks_of_storage(node: Node) -> bool:
    """Whether anything in a tree depends on how values are stored."""
    return any(isinstance(n, Call) and sees_storage(n.func) for n in walk(node))


def divides(node: Node) -> bool:
    """Whether an operator that fails on ordinary values (division, modulo) occurs."""
    return any(isinstance(n, Op) and n.op.name in {"/", "%"} for n in walk(node))


def volatility_of_query(catalog: Catalog, query: Query) -> Volatility:
    found = []
    for q in all_queries(query):
        for expr in block_exprs(q):
            found += [own_volatility(catalog, e) for e in deep_exprs(expr)]
    # in FROM and in all clauses, at any depth: a block is as volatile as its worst part
    return worst(found)


def _with_function_scans(expr: Expr) -> Iterable[Expr]:
    return deep_exprs(expr)


def own_volatility(catalog: Catalog | None, expr: Node) -> Volatility:
    """The volatility of a node itself, not of its parts; without a catalog input and output functions of
    types count as immutable.
    """
    match expr:
        case Call() | Aggregate() | WindowCall():
            return expr.func.volatility
        case Op() | IsDistinct() | NullIf() | InList() | ArrayOp():
            return expr.op.function.volatility
        case Quantified() | RowCompare():
            # each operator of a row comparison may be another
            return worst(o.function.volatility for o in expr.ops)
        # CURRENT_TIMESTAMP and the like are the same throughout a statement
        case ValueFunction():
            return Volatility.STABLE
        case Opaque():
            return expr.volatility
        case Cast():
            return _cast_volatility(catalog, expr)
        case _:
            return Volatility.IMMUTABLE


def _cast_volatility(catalog: Catalog | None, expr: Cast) -> Volatility:
    if expr.func is not None:
        return expr.func.volatility
    match expr.method:
        # input and output functions read settings: DateStyle, TimeZone, extra_float_digits
        case "io" if catalog is not None:
            source, target = catalog.type(key_of(expr.arg.type)), catalog.type(key_of(expr.type))
            return worst([source.output_volatility, target.input_volatility])
        case "domain":
            return Volatility.STABLE  # its CHECK may call anything that is declared immutable or stable
        case _:
            return Volatility.IMMUTABLE


# --------------------------------------------------------------------------- errors


def cannot_fail(node: Node, of_column: OfColumn = lambda _column: NO_ERRORS) -> bool:
    """Whether evaluating a part raises no error on any values, sums over rows that are too large aside
    (hazards M7).

    Unlike `errors_of_expr` of any part of a tree, FROM items included, and without regard to what guards it.
    """
    return not any(_fails(n, of_column) for n in walk(node))


def _fails(node: Node, of_column: OfColumn) -> bool:
    match node:
        # a virtual generated column is an expression in the table's definition, a subquery's one in the query
        case Column():
            return bool(of_column(node))
        case Aggregate() | WindowCall():
            # overflow is left to magnitudes, which knows how large operands may be
            return bool(own_errors(node, _never_one_row) - OVERFLOW)
        # LIMIT of an expression may be negative or too large
        case Select() | SetOp() | Values():
            return not all(_is_natural(n) for n in (node.limit, node.offset) if n is not None)
        case Scan() | Derived() | CteScan() | ValuesScan() | FunctionScan() | Join():
            return False
        case SortKey() | Window() | Frame() | Target() | Cte():
            return False
        case _:
            return bool(own_errors(node, _never_one_row))


def _never_one_row(_query: Query) -> bool:
    return False


AtMostOne = Callable[[Query], bool]
# what reading a column may raise: what it shows is computed where it is read
OfColumn = Callable[[Column], Errors]


def errors_of_expr(expr: Expr, at_most_one: AtMostOne, of_column: OfColumn) -> Errors:
    """Classes of errors that evaluating an expression may raise, its subqueries included."""
    found = _errors_of(evaluated(expr, NOTHING), at_most_one, of_column)
    for e in all_exprs(expr):
        for query in subqueries(e):
            found |= errors_of_query(query, at_most_one, of_column)
    return found


def _errors_of(placed: Iterable[tuple[Expr, Known]], at_most_one: AtMostOne, of_column: OfColumn) -> Errors:
    found: Errors = NO_ERRORS
    for e, known in placed:
        if isinstance(e, Column):
            found |= of_column(e)
        found |= own_errors(e, at_most_one, known)
    return found


def errors_of_query(query: Query, at_most_one: AtMostOne, of_column: OfColumn) -> Errors:
    """Classes of errors that running a query may raise."""
    found: Errors = NO_ERRORS
    for q in all_queries(query):
        found |= _errors_of(of_block(q), at_most_one, of_column)
        for count in (q.limit, q.offset):
            if count is not None and not _is_natural(count):
                found |= {"limit"}
    return found


def _is_any_frame(frame: Frame) -> bool:
    """Whether a frame is one of whatever rows there are: its distances are written numbers of rows."""
    offsets = [x for x in (frame.start_offset, frame.end_offset) if x is not None]
    bare = [x.arg if isinstance(x, Cast) and x.implicit else x for x in offsets]
    whole = all(_is_natural(x) and x.type.is_builtin and x.type.name in _INTEGERS for x in bare)
    # a distance of values is added to them
    return not offsets or (frame.mode != "range" and whole)


def _is_natural(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.value is not None and expr.value.isdigit()


def own_errors(expr: Expr, at_most_one: AtMostOne, known: Known = NOTHING) -> Errors:
    """Classes of errors that an expression itself, not its parts, may raise where it is evaluated."""
    match expr:
        case Op() | Call() | Cast() if stays_in_time(expr, known):
            return NO_ERRORS
        # division by a number that can't be 0; what is left is the least integer divided by -1
        case Op() if is_division(expr) and never(expr.args[1], 0, known):
            return OVERFLOW
        case Op():
            return _operator_errors(expr.op, expr.args)
        # the operator alone: arguments are parts, which are asked by themselves
        case IsDistinct(left=left, right=right):
            return _operator_errors(expr.op, (left, right))
        case NullIf() | InList() | ArrayOp():
            return _operator_errors(expr.op, ())
        case Quantified() | RowCompare():
            found: Errors = NO_ERRORS
            for o in expr.ops:
                found |= _operator_errors(o, ())
            return found
        case Cast():
            return _cast_errors(expr)
        case Call():
            return NO_ERRORS if is_series(expr) or _is_series_of_numbers(expr) else _call_errors(expr)
        case Aggregate(func, args) if func.is_builtin and func.name in {"json_agg", "jsonb_agg"}:
            return NO_ERRORS if all(_is_written_as_json(x.type, func.name) for x in args) else ANY
        case Aggregate():
            return _aggregate_errors(expr.func)
        case WindowCall():
            # a frame's distance may be negative or NULL (22013)
            odd = NO_ERRORS if _is_any_frame(expr.window.frame) else frozenset({"argument"})
            return odd | _window_errors(expr.func)
        # more than one row used by an expression: 21000
        case ScalarSubquery():
            return NO_ERRORS if at_most_one(expr.query) else frozenset({"cardinality"})
        # a[x:y] of something that is no array, or of bounds beyond int4
        case Subscript():
            return frozenset({"argument"}) if expr.is_slice else NO_ERRORS
        case ArrayExpr():
            # arrays in an array must have the same dimensions
            return frozenset({"argument"}) if any(x.type.is_array for x in expr.args) else NO_ERRORS
        case Opaque():
            return ANY
        case _:
            return NO_ERRORS


def _is_series_of_numbers(call: Call) -> bool:
    """Whether it counts whole numbers by a step that is written out and is not 0: a series ends where its
    type does (int.c, int8.c).
    """
    if not (call.func.is_builtin and call.func.name == "generate_series"):
        return False
    whole = all(x.type.is_builtin and x.type.name in _INTEGERS for x in call.args)
    steps = [x.value if isinstance(x, Const) else None for x in call.args[2:]]
    return whole and all(s is not None and s.lstrip("-").strip("0") != "" for s in steps)


def _operator_errors(op: OperatorRef, args: tuple[Expr, ...]) -> Errors:
    if not op.is_builtin:
        return ANY
    # a prefix operator has no left operand
    sides = {op.left or op.right, op.right}
    name = op.name
    if name in _COMPARISONS and sides <= _COMPARABLE:
        return NO_ERRORS
    if name in _COMPARISONS | ARRAY_TESTS and sides == {"anyarray"}:
        # element by element, in the operators of the elements' own type (array_cmp, array_contain_compare)
        return NO_ERRORS if args and all(_has_comparable_elements(x.type) for x in args) else ANY
    if name in {"~~", "!~~", "~~*", "!~~*"} and sides <= _TEXTS:
        # a pattern that ends in a backslash is an error (22025), but only for rows that get that far
        safe = len(args) == 2 and _safe_pattern(args[1]) and searchable(x.type for x in args)
        return NO_ERRORS if safe else frozenset({"pattern"})
    # anynonarray || text calls the output function, which for these types fails for no value
    if name == "||" and (sides <= _TEXTS or "anynonarray" in sides):
        return NO_ERRORS
    # timestamps, too: out of range is 22008 there
    if name in {"+", "-", "*"} and sides <= _NUMBERS | _TIMES:
        return OVERFLOW
    if name in {"/", "%"} and sides <= _NUMBERS | _TIMES:
        return frozenset({"division", "overflow"})
    if name in {"&", "|", "#", "~"} and sides <= _INTEGERS:
        return NO_ERRORS
    if name == "^@" and sides <= _TEXTS and searchable(x.type for x in args):
        return NO_ERRORS
    if op.left == "jsonb" and (name, op.right) in JSON_TESTS:
        return NO_ERRORS
    # bounds are compared by the order of what the ranges are of, a user's own only of a range type of theirs
    if name in RANGE_TESTS and sides <= RANGE_SIDES and all(x.type.is_builtin for x in args):
        return NO_ERRORS
    return ANY


def searchable(types: Iterable[SqlType]) -> bool:
    """Whether texts of these types may be looked for in each other, whatever the server's version: under
    collations that are surely deterministic.
    """
    return all(t.collation in DETERMINISTIC_COLLATIONS or not t.collation for t in types)


def _safe_pattern(expr: Expr) -> bool:
    """A constant LIKE pattern that does not end in an escape character without a character to escape."""
    return isinstance(expr, Const) and (expr.value is None or "\\" not in expr.value)


def _cast_errors(expr: Cast) -> Errors:
    source, target = expr.arg.type, expr.type
    # unknown literals are converted during analysis, whose errors come before anything runs
    if isinstance(expr.arg, Const) and source.name == "unknown":
        return NO_ERRORS  # read when the statement is parsed
    if expr.method == "binary":
        return NO_ERRORS  # the same bytes under another name: a domain's value as one of its base type
    if not (source.is_builtin and target.is_builtin):
        return ANY
    # varchar(n) and char(n) raise for an assignment and cut for a cast; numeric(p, s) may not hold the digits
    if expr.method == "typmod":
        return OVERFLOW if target.name == "numeric" else _typmod_errors(target)
    if (source.name, target.name) in _WIDER:
        # timestamps end earlier than dates (294276 AD and 5874897 AD)
        return OVERFLOW if source.name == "date" else NO_ERRORS
    if source.name == "numeric" and target.name in _INTEGERS:
        return OVERFLOW | {"cast"}  # NaN has no integer
    # out of range, or rounded
    if source.name in _NUMBERS and target.name in _NUMBERS:
        return OVERFLOW
    # output functions of these types fail for no value
    if target.name in _TEXTS and source.name in _COMPARABLE:
        return NO_ERRORS
    if source.name in _TIMES and target.name in _TIMES:
        # every moment without a zone has a date, infinite ones too
        return NO_ERRORS if (source.name, target.name) == ("timestamp", "date") else OVERFLOW
    # a text may be no number, date or boolean: 22P02
    return frozenset({"cast"}) if source.name in _TEXTS else ANY


def _has_comparable_elements(type_: SqlType) -> bool:
    return type_.is_array and type_.element.is_builtin and type_.element.name in _COMPARABLE


def _typmod_errors(target: SqlType) -> Errors:
    return NO_ERRORS if target.name in {"varchar", "bpchar", "timestamp", "timestamptz", "time"} else ANY


def _makes_json(name: str, args: tuple[Expr, ...]) -> bool:
    """Whether a builder of JSON has a name for each value, and values that it can write, whatever they are:
    NaN becomes a text, and so do infinite moments.
    """
    if not name.endswith("build_object"):
        return all(_is_written_as_json(x.type, name) for x in args)
    named = all(isinstance(x, Const) and x.value is not None and x.type.name in _TEXTS for x in args[::2])
    return named and len(args) % 2 == 0 and all(_is_written_as_json(x.type, name) for x in args[1::2])


def _is_written_as_json(type_: SqlType, name: str) -> bool:
    """Whether the function ``name`` writes every value of the type."""
    # a json text stays as it is in json, and may hold what jsonb does not take
    kept = type_.name == "json" and "jsonb" not in name
    return type_.is_builtin and (kept or type_.name in _COMPARABLE - {"anyenum"})


def _call_errors(expr: Call) -> Errors:
    if expr.func.schema == SURE:
        return NO_ERRORS
    if not expr.func.is_builtin:
        return ANY
    name = expr.func.name
    odd = (name, expr.func.arg_types) in _ODD_CALLS
    # length(bytea, name) fails on bytes that are no text in that encoding (22021)
    if name in SEARCHES and not searchable(a.type for a in expr.args):
        return ANY
    if name in _SAFE_FUNCTIONS and not odd and all(a.type.name in _COMPARABLE for a in expr.args):
        return NO_ERRORS
    # the elements as they are
    if name == "unnest" and len(expr.args) == 1 and expr.args[0].type.is_array:
        return NO_ERRORS
    if name in _JSON_BUILDERS:
        return NO_ERRORS if _makes_json(name, expr.args) else ANY
    if name in {"abs", "round", "trunc"} and all(a.type.name in _NUMBERS for a in expr.args):
        return OVERFLOW
    if name in {"extract", "date_part", "date_trunc"} and len(expr.args) >= 2:
        # the field's name is read at run time: an unknown one is 22023
        field, of = expr.args[0], expr.args[1].type.name
        written = field.value if isinstance(field, Const) else None
        if name == "date_trunc":
            # date_trunc with a zone as third argument reads its name
            fits = len(expr.args) == 2 and of in {"timestamp", "timestamptz"}
            if fits and of == "timestamp" and written in _WITHIN_DAYS:
                return NO_ERRORS  # the first moment that there is begins a day
            return OVERFLOW if fits and written in _UNITS else frozenset({"argument"})
        known = {"date": FIELDS, "interval": FIELDS_OF_SPANS}.get(of, FIELDS | FIELDS_OF_TIME)
        return NO_ERRORS if written in known and of in _WITH_FIELDS[name] else frozenset({"argument"})
    if name in {"substring", "substr"} and len(expr.args) >= 2 and expr.args[1].type.name in _INTEGERS:
        # substring with a negative length is 22011
        lengths = expr.args[2:]
        return NO_ERRORS if all(_is_natural(n) for n in lengths) else frozenset({"argument"})
    return ANY


def _aggregate_errors(func: FunctionRef) -> Errors:
    if not func.is_builtin:
        return ANY
    # bit strings of different lengths: 22026
    if func.name in {"bit_and", "bit_or"} and func.arg_types[0] not in _INTEGERS:
        return frozenset({"argument"})  # strings of bits must have one length
    if (
        func.name in _SAFE_AGGREGATES
        # array_agg of arrays needs equal dimensions (2202E)
        and "anyarray" not in func.arg_types
        and (func.name not in {"min", "max"} or func.arg_types[0] in _COMPARABLE)
    ):
        return NO_ERRORS
    if func.name in {"sum", "avg"} and func.arg_types[0] in _NUMBERS | _TIMES:
        return OVERFLOW
    if func.name in SPREADS and func.arg_types[0] in _NUMBERS:
        return OVERFLOW
    return ANY


def _window_errors(func: FunctionRef) -> Errors:
    if func.is_builtin and func.name in _SAFE_WINDOWS:
        return NO_ERRORS
    return _aggregate_errors(func) if func.kind == "a" else ANY
