"""What is known of PostgreSQL's built-in operators and functions: totality, errors, domains of values.

Everything not listed is taken to be able to fail and to return NULL. Must not know bags or rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from rewright.sql.facts.effects import FIELDS, FIELDS_OF_SPANS, FIELDS_OF_TIME, JSON_TESTS, SURE, searchable
from rewright.sql.facts.looks import WHOLE_NUMBER, look_of_type
from rewright.sql.facts.taken import takes, takes_like, takes_pattern
from rewright.sql.types import SqlType, equality_is_identity

from .plain_values import surely_has_a_value
from .terms import INTEGER, App, Lit, Nested, Sym, Term, Var
from .valued import ALWAYS, operator_gives_values

INTS = frozenset({"int2", "int4", "int8"})
FLOATS = frozenset({"float4", "float8"})
TEXTS = frozenset({"text", "varchar"})
# builtin types with a total btree order in which `=` is reflexive and compatible with `<`
ORDERED = frozenset(
    {
        "bool", "int2", "int4", "int8", "oid", "numeric", "float4", "float8", "text", "varchar", "bpchar",
        "date", "time", "timetz", "timestamp", "timestamptz", "interval", "uuid", "bytea", "name", "char",
    }
)  # fmt: skip
_TYPMOD = 4  # what a type modifier is counted from (VARHDRSZ)
RANGES = {"int2": 2**15, "int4": 2**31, "int8": 2**63}

AND = Sym("and", strict=False)
OR = Sym("or", strict=False)
NOT = Sym("not", total=True)
IS_NULL = Sym("is null", strict=False)
IS_TRUE = Sym("is true", strict=False)
SAME = Sym("is not distinct from", strict=False)  # the type's own equality, NULLs alike
CASE = Sym("case", strict=False)
EQ = Sym("=", total=True)
LT = Sym("<", total=True)
LE = Sym("<=", total=True)
TO_NUMERIC = Sym("integer to numeric", total=True)

# strict, never NULL on non-NULL input, never an error
_HARMLESS = frozenset(
    {
        "lower", "upper", "initcap", "length", "char_length", "octet_length", "btrim", "ltrim", "rtrim",
        "reverse", "starts_with", "md5", "textcat", "strpos", "position",
        "int4up", "numeric_uplus", "numeric_abs", "float8abs", "sign", "replace",
    }
)  # fmt: skip
# of the types that these take: lower() and upper() also give the bounds of a range, which may have none
_PLAIN = frozenset(
    {"jsonb", "text", "varchar", "bpchar", "bytea", "bit", "numeric", "float8", "int2", "int4", "int8"}
)
_HARMLESS_CALLS = frozenset(
    {
        "pg_catalog.random()", "pg_catalog.jsonb_typeof(jsonb)", "pg_catalog.abs(numeric)",
        *(f"pg_catalog.{f}(float8)" for f in ("abs", "ceil", "floor", "round", "trunc")),
    }
)  # fmt: skip
# of numbers far from the greatest there is they give one that can be stored
_ROUNDINGS = frozenset(
    f"pg_catalog.{f}" for f in ("ceil(numeric)", "floor(numeric)", "round(numeric)", "trunc(numeric)",
    "round(numeric,int4)", "trunc(numeric,int4)")
)  # fmt: skip
_NOT_HARMLESS = frozenset({"pg_catalog.length(bytea,name)"})  # reads the bytes in an encoding
_HARMLESS_CASTS = frozenset(
    {
        ("int2", "float8"), ("int4", "float8"), ("int8", "float8"), ("int2", "float4"), ("int4", "float4"),
        ("int8", "float4"), ("float4", "float8"), ("timestamp", "date"), ("varchar", "text"),
        ("bpchar", "text"), ("bpchar", "varchar"), ("text", "varchar"), ("text", "bpchar"),
        ("varchar", "bpchar"), ("int2", "text"), ("int4", "text"), ("int8", "text"), ("numeric", "text"),
        ("date", "text"), ("bool", "text"), ("bool", "int4"), ("int4", "bool"), ("uuid", "text"),
    }
)  # fmt: skip


_EXTRACTS = frozenset(f"pg_catalog.extract(text,{t})" for t in ("date", "timestamp", "timestamptz"))
_RISING = frozenset({"century", "decade", "isoyear", "millennium", "year"})


def domain(type_: SqlType) -> str:
    """Values of one domain are compared by one equality and one order; empty when nothing is known."""
    # int2, int4 and int8 are one domain: their comparisons agree with those of whole numbers
    if type_ == INTEGER or (type_.is_builtin and type_.name in INTS):
        return "integer"
    # json, point, xml have no order; user types may have one that nobody knows
    if not type_.is_builtin or type_.name not in ORDERED:
        return ""
    if type_.name in FLOATS:
        return "float"
    # varchar is compared as text is; bpchar is not, for its blanks
    return "text" if type_.name in TEXTS else type_.name


def identity(type_: SqlType) -> bool:
    """Whether ``=`` on the type means the very same value (M4)."""
    return type_ == INTEGER or (equality_is_identity(type_) and type_.name not in {"char", "_char"})


def equal_as_values(a: SqlType, b: SqlType) -> bool:
    """Whether ``=`` of the two types is that of the very values: labels of one enum, arrays of one type."""
    return identity(a) and a.without_typmod() == b.without_typmod()


def one_representation(type_: SqlType) -> bool:
    """Whether equal values of one column or expression of the type look the same: char(n) is padded to n,
    numeric(p, s) has s decimals.
    """
    return identity(type_) or look_of_type(type_) is not None


def one_look(types: Iterable[SqlType]) -> bool:
    """Whether equal values of the types look the same, each with each other."""
    found = tuple(types)
    # values that are what they equal look alike whatever their types
    if all(identity(t) for t in found):
        return True
    looks = {look_of_type(t) for t in found}
    return all(one_representation(t) for t in found) and len(looks) == 1


def same_when_equal(a: Term, b: Term) -> bool:
    """Whether equality of the two makes them the very same value: of any types whose equality is identity,
    of columns of one type numeric(p, s) or char(n), which all show s decimals or n characters, and of whole
    parts of moments, infinite ones included.
    """
    if identity(a.type) and identity(b.type):
        return True
    # only columns are sure to have their type's modifier, and fields of moments: an expression may keep other
    # decimals
    columns = all(isinstance(x, Var) or _is_field(x) for x in (a, b))
    alike = (a.type.schema, a.type.name, a.type.collation) == (b.type.schema, b.type.name, b.type.collation)
    one = alike and one_representation(a.type) and one_representation(b.type)
    return columns and one and a.type.typmod == b.type.typmod


def of_field(sym: Sym, args: tuple[Term, ...]) -> Sym:
    """extract() of a field that rises with the moment is infinite where the moment is, and never NULL of one;
    days and hours, which come round again, are NULL there.
    """
    rising = sym.name in _EXTRACTS and isinstance(args[0], Lit) and args[0].value in _RISING
    return replace(sym, total=True) if rising else sym


def _is_field(term: Term) -> bool:
    """A whole part of a moment: a year, a month, a day."""
    return isinstance(term, App) and term.type == WHOLE_NUMBER and term.sym.name in _EXTRACTS


def exact_integer(type_: SqlType) -> bool:
    return domain(type_) == "integer"


def arithmetic(name: str, left: str, right: str, result: str, *, strict: bool = True) -> Sym:
    """The symbol of a builtin operator that is not a comparison. ``strict``: as declared (an array takes NULL
    in by ||).
    """
    # -x has no left type, written as ''
    if result in INTS and name in {"+", "-", "*"} and {left, right} <= INTS | {""}:
        return Sym(f"{name} {result}", total=True, fails="overflow")
    # a numeric product of 131072 digits is the only overflow there is
    if name in {"+", "-", "*"} and result == "numeric":
        return Sym(f"{name} numeric", total=True, fails="overflow")
    if name == "||" and left in {"text", "varchar"} and right in {"text", "varchar"}:
        return Sym("|| text", total=True)
    # a pattern may end with a lone backslash, which is an error
    if name in {"~~", "!~~"}:
        return Sym(f"{name}", total=True, fails="errors")
    if left == "jsonb" and (name, right) in JSON_TESTS:
        return Sym(f"op {name}({left},{right})", strict=strict)
    # operators that give numbers out of ordered types are NULL for NULL alone: / and % among them
    plain = {left, right} <= ORDERED | {""} and result in INTS | FLOATS | {"numeric"}
    valued = plain or operator_gives_values(name, left, right, result)
    return Sym(f"op {name}({left},{right})", strict=strict, total=valued and strict, fails="errors")


def any_element(op: str, known: str) -> Sym:
    """The symbol of a comparison of a value with the elements of an array, all of one domain: NULL for no
    array.
    """
    return Sym(f"pg_catalog.{op}({known},{known}) any array", strict=False)


def is_any_element(sym: Sym) -> bool:
    return sym.name.endswith(" any array") and not sym.fails


def function(schema: str, name: str, args: tuple[str, ...], *, strict: bool) -> Sym:
    label = f"{schema}.{name}({','.join(args)})"
    # a value for each value of its arguments
    if schema == SURE:
        return Sym(label, strict=True, total=True)
    if (
        schema == "pg_catalog"
        and (name in _HARMLESS or label in _HARMLESS_CALLS)
        # lower('[1,2)'::int4range) has the same name as lower('A')
        and _PLAIN.issuperset(args)
        and label not in _NOT_HARMLESS
    ):
        return Sym(label, strict=True, total=True)
    # a range that is there is empty or not, whatever its bounds are
    if schema == "pg_catalog" and name in _TESTS_OF_RANGES and args[:1] == ("anyrange",):
        return Sym(label, strict=True, total=True)
    return Sym(label, strict=strict, total=strict and label in ALWAYS, fails="errors")


def cast(source: SqlType, target: SqlType, method: str) -> Sym:
    """The symbol of a cast that changes the value or its type's meaning."""
    label = f"cast {source.schema}.{source.name} to {target.schema}.{target.name}({target.typmod}) {method}"
    if method == "binary":
        # the same bytes under another name: a domain's value as one of its base type, varchar as text. What
        # makes a value of a domain (which may have a CHECK or NOT NULL) is a cast of another method
        return Sym(label, total=True)
    # text as a number is parsed, numbers as text never fail
    builtin = source.is_builtin and target.is_builtin
    free = builtin and (source.name, target.name) in _HARMLESS_CASTS
    # varchar(3) cuts by the cast, numeric(3, 1) rounds and may overflow
    if builtin and method == "typmod" and target.name in TEXTS | {"bpchar"}:
        return Sym(label, total=True)
    if free and target.typmod == -1:
        return Sym(label, total=True)
    if free and target.name in {"varchar", "bpchar"}:
        return Sym(label, total=True)
    # int8 to int4 and float to int: out of range, else a number
    if builtin and target.name in INTS and source.name in INTS | FLOATS:
        return Sym(label, total=True, fails="overflow")
    if builtin and source.name in {"numeric", "float8"} and target.name in FLOATS:
        return Sym(label, total=True, fails="overflow")
    # numeric(3, 1) of 100 overflows
    if builtin and method == "typmod" and target.name == "numeric":
        return Sym(label, total=True, fails="overflow")
    # jsonb's null casts to NULL (PostgreSQL 18): only plain types are known to keep values
    # jsonb 'null'::int is NULL, not an error and not a value
    known = builtin and {source.name, target.name} <= ORDERED
    # nor has an infinite moment a time of day
    timeless = source.name in {"timestamp", "timestamptz"} and target.name in {"time", "timetz"}
    return Sym(label, total=known and not timeless, fails="errors")


def failure(term: App, sure: Collection[str] = ()) -> str:
    """What evaluating this application itself (not its arguments) may raise: '', errors or overflow.
    ``sure``: what is known of a division (`rewright.sql.facts.guards.division`), or that a moment stays in
    its type (`rewright.sql.facts.moments.stays_in_time`).
    """
    fails, name = term.sym.fails, term.sym.name
    if not fails:
        return ""
    # sums and products of declared numeric(p, s) stay far below the limit of digits
    if name.endswith(" numeric") and name[0] in "+-*":
        return "" if all(is_bounded(a) for a in term.args) else fails
    if name in _ROUNDINGS:
        return "" if is_bounded(term.args[0]) else fails
    if name.startswith("cast pg_catalog.numeric to pg_catalog.float8"):
        return "" if fits_double(term.args[0]) else fails
    if name in {"+ int8", "- int8"} and len(term.args) == 2 and all(map(_is_small_total, term.args)):
        return ""  # counts and sums of int4 do not leave bigint, nor do two of them
    if (
        name == "- int8"
        and len(term.args) == 2
        # a rank less a constant is between that constant's negative and the rank
        and _is_number_of_rows(term.args[0])
        and _is_natural(term.args[1])
    ):
        return ""
    # a constant of unknown type has been read before the query runs, or the whole statement is refused
    if name.startswith("cast pg_catalog.unknown to ") and isinstance(term.args[0], Lit):
        return ""  # read when the statement is parsed (`constants` compares these)
    if _never_fails(name, term.args) or _is_now(name, term.args) or (IN_TIME in sure and is_of_time(term)):
        return ""
    if name in {"~~", "!~~"}:
        # LIKE 'a\' ends inside an escape; a pattern that is computed might do so
        pattern = term.args[1]
        fine = isinstance(pattern, Lit) and pattern.value is not None and not pattern.value.endswith("\\")
        return "" if fine and searchable(a.type for a in term.args) else fails
    return _of_division(term, sure) if is_division(term) else fails


def _is_now(name: str, args: tuple[Term, ...]) -> bool:
    """Whether a cast is of the moment at hand, which is far from the ends of time."""
    plain = (
        "cast pg_catalog.timestamptz to pg_catalog.date(",
        "cast pg_catalog.timestamptz to pg_catalog.timestamp(",
    )
    return name.startswith(plain) and isinstance(args[0], App) and args[0].sym.name == "pg_catalog.now()"


def _is_small_total(term: Term) -> bool:
    """Whether a term is a count of rows, or a sum of what is at most int4, or another such number in its
    place: coalesce(sum(x), 0).
    """
    if isinstance(term, App) and term.sym == CASE:
        values = (*term.args[1::2], *term.args[len(term.args) & ~1 :])
        return all(_is_small_total(x) or _is_small(x) for x in values)
    if not isinstance(term, Nested) or term.kind != "agg":
        return False
    return term.name == "cnt" or (
        term.name == "isum" and all(o.type.name in {"int2", "int4"} for b in term.bag for o in b.outs)
    )


def _is_small(term: Term) -> bool:
    """A whole number, or none, that fits int4."""
    value = term.value if isinstance(term, Lit) else "?"
    return value is None or re.fullmatch(r"-?\d{1,9}", value) is not None


_NUMBERS_OF_ROWS = tuple(f"pg_catalog.{f}(" for f in ("rank", "dense_rank", "row_number", "count"))


def _is_number_of_rows(term: Term) -> bool:
    if not isinstance(term, Nested):
        return False
    return (term.kind, term.name) == ("agg", "cnt") or (
        term.kind == "win" and term.name.startswith(_NUMBERS_OF_ROWS)
    )


def _is_natural(term: Term) -> bool:
    return isinstance(term, Lit) and (term.value or "").isdigit()


# that what makes a moment gives one of its type
IN_TIME = "in time"
_MOMENTS = frozenset({"date", "timestamp", "timestamptz"})


def is_of_time(term: Term) -> bool:
    """Whether the term moves, cuts or converts a date or a moment, or is so many times a span."""
    if not isinstance(term, App):
        return False
    types = [x.type.name for x in term.args if x.type.is_builtin]
    name = term.sym.name
    if name.startswith("cast "):
        return term.type.is_builtin and {*types, term.type.name} <= _MOMENTS and len(types) == 1
    if name.startswith("op *("):
        return "interval" in types
    of_moments = not _MOMENTS.isdisjoint(types)
    return of_moments and name.startswith(("op +(", "op -(", "pg_catalog.date_trunc(text,"))


def is_division(term: Term) -> bool:
    """Whether the term is a division or a remainder of numbers."""
    return isinstance(term, App) and term.sym.name.startswith(("op /(", "op %(")) and len(term.args) == 2


def _of_division(term: App, sure: Collection[str]) -> str:
    divisor = term.args[1]
    # an integer that is 0 is the numeric 0 as well
    while isinstance(divisor, App) and divisor.sym == TO_NUMERIC:
        divisor = divisor.args[0]
    if not (_nonzero(divisor) or "nonzero" in sure):
        return term.sym.fails
    # -2147483648 / -1 leaves the type
    if term.sym.name.endswith(("int2)", "int4)", "int8)")) and _safe_int_division(divisor):
        return ""
    # 1e131071 / 0.1 has more digits than a numeric may have
    if term.sym.name.startswith("op /(numeric"):
        return "" if is_bounded(term.args[0]) else "overflow"
    return "" if "fits" in sure else "overflow"


_PARTS = {f"pg_catalog.date_part(text,{t})" for t in ("timestamp", "timestamptz")}
_NEVER = frozenset(
    {
        "pg_catalog.date(timestamp)",
        "pg_catalog.left(text,int4)",
        "pg_catalog.right(text,int4)",
        "pg_catalog.overlaps(timestamp,timestamp,timestamp,timestamp)",
        "pg_catalog.now()",
    }
)
# what a range holds of itself; its bounds are NULL where it has none
_OF_RANGES = tuple(f"pg_catalog.{name}(anyrange," for name in ("lower", "upper"))
_TESTS_OF_RANGES = ("isempty", "lower_inf", "upper_inf", "lower_inc", "upper_inc")


def _never_fails(name: str, args: tuple[Term, ...]) -> bool:
    """Whether the built-in function fails for no arguments, given the constants among these."""
    if name in _NEVER or name.startswith(_OF_RANGES):
        return True
    if name.startswith(_JSON_BUILDERS):
        return _makes_json(name, args)
    first = args[0].value if args and isinstance(args[0], Lit) else None
    match name:
        case "pg_catalog.extract(text,date)":
            return str(first).lower() in FIELDS
        # of a timestamptz in whatever zone, at the ends of the type as well
        case _ if name in _EXTRACTS or name in _PARTS:
            return str(first).lower() in FIELDS | FIELDS_OF_TIME
        case "pg_catalog.extract(text,interval)" | "pg_catalog.date_part(text,interval)":
            return str(first).lower() in FIELDS_OF_SPANS
        case "pg_catalog.date_trunc(text,timestamp)":
            # a month or week may begin before the first moment there is
            return str(first).lower() in {"day", "hour", "minute", "second"}
        case "pg_catalog.substring(text,int4,int4)" | "pg_catalog.substr(text,int4,int4)":
            # the end must not leave int4, nor lie before the start
            return all(
                isinstance(a, Lit) and a.value is not None and 0 <= int(a.value) < 2**30 for a in args[1:]
            )
    return False


_JSON_BUILDERS = tuple(
    f"pg_catalog.{name}("
    for kind in ("json", "jsonb")
    for name in (f"{kind}_build_object", f"{kind}_build_array", f"to_{kind}")
)
# written by output functions that fail for no value
_WRITTEN = frozenset(
    {
        *("int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar", "bpchar", "bool", "uuid"),
        *("date", "time", "timestamp", "timestamptz", "interval", "jsonb"),
    }
)


def _makes_json(name: str, args: tuple[Term, ...]) -> bool:
    """Whether a builder of JSON has constant names, and values that it can write whatever they are."""
    values = args
    if "_build_object(" in name:
        names, values = args[::2], args[1::2]
        # a name of NULL is an error, and so is an odd number of arguments
        if len(names) != len(values) or not all(isinstance(k, Lit) and k.value is not None for k in names):
            return False
    return all(is_written_as_json(v, name) for v in values)


def is_written_as_json(value: Term, name: str) -> bool:
    """Whether a function of that name writes the value whatever it is: a json text stays as it is in json,
    and may hold what jsonb does not take.
    """
    kept = value.type.name == "json" and "jsonb" not in name
    return value.type == INTEGER or (value.type.is_builtin and (kept or value.type.name in _WRITTEN))


# fail for no ordinary argument
_TAME = frozenset(
    {
        "left", "right", "abs", "ceil", "ceiling", "floor", "round", "trunc", "concat", "concat_ws", "age",
        "now",
        "translate", "quote_literal", "quote_ident", "quote_nullable", "to_hex", "isfinite", "atan", "atan2",
        "tanh",
        "degrees", "radians", "cbrt", "array_length", "array_upper", "array_lower", "array_ndims",
        "cardinality",
        "array_to_string", "jsonb_typeof",
        "json_typeof",
        "jsonb_extract_path", "jsonb_extract_path_text", "json_extract_path", "json_extract_path_text",
        "to_json",
        "to_jsonb", "row_to_json", "json_build_array", "jsonb_build_array", "justify_days", "justify_hours",
        "justify_interval", "pg_typeof", "pg_column_size", "num_nulls", "num_nonnulls", "sha256", "date",
        "float8",
        "lower_inc", "upper_inc", "isempty", "jsonb_array_elements",
        "div_trunc",
        "generate_series", "unnest", "hashint4", "numeric_uminus", "scale", "min_scale", "trim_scale",
        "textlen",
    }
)  # fmt: skip
# fail for no ordinary argument where those that say what is done are constants that PostgreSQL takes
_TAME_WITH_CONSTANTS = frozenset(
    {
        "extract", "date_part", "date_trunc", "timezone", "to_char", "substring", "substr", "lpad", "rpad",
        "split_part", "regexp_replace", "regexp_match", "regexp_like", "regexp_count", "regexp_substr",
    }
)  # fmt: skip
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_TAME_OPERATORS = frozenset({"||", "->", "->>", "#>", "#>>", "@>", "<@", "?", "?|", "?&", "&&", "^@", "@",
    "<<", ">>", "-|-"})  # fmt: skip
# on numbers and moments; of ranges, addresses, documents and bit strings some fail
_SUMS = frozenset({"+", "-", "*"})
_OF_BITS = frozenset({"&", "|", "#", "~"})
_ADDED = FLOATS | {
    "numeric", "money", "date", "time", "timetz", "timestamp", "timestamptz", "interval",
}  # fmt: skip
# what has an equality besides what is ordered: json, point and records of these have none
_COMPARED = ORDERED | {"unknown", "jsonb", "inet", "cidr", "macaddr", "bit", "varbit", "money",
    "int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"}  # fmt: skip
_LIKE = frozenset({"~~", "!~~", "~~*", "!~~*"})
_PATTERNS = _LIKE | {"~", "~*", "!~", "!~*"}


def hazardous(term: Term) -> bool:
    """Whether an application that may fail does so for ordinary values of its columns: divisions, roots,
    parsing, whatever is not known to be tame. Beyond that is only what is too large for its type.
    """
    if not isinstance(term, App):
        return False
    # that it reads no row does not say that it is evaluated whatever stands before it
    if surely_has_a_value(term):
        return False
    name = term.sym.name
    if name.startswith("cast "):
        return _hazardous_cast(term)
    if name.startswith("op ") or name in _PATTERNS:
        return _hazardous_operator(term)
    # x = ANY(array): arrays fail where an element's comparison does
    if name.endswith(("any array", "all array")):
        return name.removeprefix("pg_catalog.").partition("(")[0] not in _COMPARISONS
    schema, _, function = name.partition("(")[0].rpartition(".")
    # a user's function may raise what it likes
    if schema != "pg_catalog":
        return True
    if function in _TAME_WITH_CONSTANTS:
        said = [x.value if isinstance(x, Lit) else None for x in term.args]
        return not takes(function, said, [x.type for x in term.args])
    return function not in _TAME


def leaves_its_type(kind: str, term: Term) -> bool:
    """Whether what may raise ``kind`` does so for what is too large for its type: an overflow, or sums of
    moments far from now.
    """
    moved = isinstance(term, App) and term.sym.name.startswith(("op +(", "op -(", "op *("))
    return kind == "overflow" or (moved and isinstance(term, App) and not surely_has_a_value(term))


def ends_with_time(term: Term) -> bool:
    """Whether a rounding or conversion of a moment fails at the ends of its type, and nowhere else."""
    of_zone = isinstance(term, App) and term.sym.name.startswith("pg_catalog.timezone(")
    return (of_zone or is_of_time(term)) and isinstance(term, App) and not surely_has_a_value(term)


def _hazardous_operator(term: App) -> bool:
    name, types = term.sym.name.removeprefix("op ").partition("(")[0], [x.type for x in term.args]
    if name in _PATTERNS and len(types) == 2 and types[1].name in TEXTS | {"unknown", "bpchar"}:
        taken = takes_like if name in _LIKE else takes_pattern
        pattern = term.args[1].value if isinstance(term.args[1], Lit) else None
        return not (pattern is not None and taken(pattern) and searchable(types))
    if name in _COMPARISONS:
        return "(record," in term.sym.name or not all(map(_has_equality, types))
    if name in _SUMS:
        return not all(exact_integer(t) or (t.is_builtin and t.name in _ADDED) for t in types)
    if name in _OF_BITS:
        return not all(exact_integer(t) for t in types)
    # of arrays of several dimensions lengths must agree
    return name not in _TAME_OPERATORS or (name == "||" and any(t.is_array for t in types))


def _has_equality(type_: SqlType) -> bool:
    # enums and composites by the operator; elements of an array are known when it is compared
    if not type_.is_array:
        return not type_.is_builtin or type_.name in _COMPARED
    return type_.element.is_builtin and type_.element.name in _COMPARED


def _hazardous_cast(term: App) -> bool:
    source, target = term.args[0].type, term.type
    # money, user types and JSON are cast by reading a text, or by rules of their own
    if not (source.is_builtin and target.is_builtin) or source.name not in ORDERED:
        return True
    # reading a number or a date out of a text is what fails in practice; so are other types by their texts
    if source.name in TEXTS | {"bpchar"} or term.sym.name.endswith(" io"):
        return target.name not in TEXTS | {"bpchar", "name", "char"}
    # of one byte, and of so many bytes
    if (source.name in INTS and target.name == "char") or (source.name == "bytea" and target.name in INTS):
        return True
    return source.name == "numeric" and target.name in INTS  # NaN has no integer


def _safe_int_division(divisor: Term) -> bool:
    return isinstance(divisor, Lit) and domain(divisor.type) == "integer" and divisor.value != "-1"


def _nonzero(term: Term) -> bool:
    # a divisor that is a column may be 0 in some row
    if not isinstance(term, Lit) or term.value is None:
        return False
    try:
        return float(term.value) != 0
    except ValueError:
        return False


# a numeric keeps so many decimals at most, and eight times as many digits before the point
_KEPT = 16_000
# of a numeric parameter (docs/equivalence.md)
_PARAMETER = 1000


def is_bounded(term: Term, made: Callable[[Var], int | None] = lambda _: None) -> bool:
    """Whether a numeric has so few digits that none of its decimals are cut off, and those before the point
    are far from the limit of 131072. ``made``: of a column whose type does not say so, how many there are in
    what it is made of.
    """
    found = digits(term, made)
    return found is not None and found <= _KEPT


def digits(term: Term, made: Callable[[Var], int | None]) -> int | None:
    """An upper bound of a numeric's digits on both sides of the point; None: not known."""
    match term:
        case Lit(value):
            return len(value or "")
        case Var(_, _, type_):
            # an unbounded numeric column may have as many digits as the server stores
            return _declared(type_) if type_.typmod != -1 or exact_integer(type_) else made(term)
        # a field of a moment or a span, which are of sixteen bytes at most: seconds have six decimals
        case App(sym, _) if sym.name.startswith("pg_catalog.extract(text,"):
            return 2 * _INTEGER
        # a parameter is written by a client: as long as a type may be declared, it is taken
        case App(sym, ()) if sym.name.startswith("$"):
            return _PARAMETER
        case App(sym, args):
            # CASE's conditions have no size
            found = _all_known(digits(a, made) for a in args if a.type.name != "bool")
            size = None if found is None else _computed(sym, found)
            return _INTEGER if size is None and exact_integer(term.type) else size
        case Nested(kind, _, bag) if kind in {"agg", "the", "win"} and not exact_integer(term.type):
            # of a window call one of its values, or an aggregate of some; what is sorted and divided by
            # stands beside
            outs = (o for b in bag for o in b.outs if kind != "win" or o.type.name == "numeric")
            found = _all_known(digits(o, made) for o in outs)
            # a variance is made of squares, and a quotient of sums has more decimals than these
            return None if found is None else 2 * (max(found, default=0) + _INTEGER)
        case _:
            return _INTEGER if exact_integer(term.type) else None


def _declared(type_: SqlType) -> int:
    """Digits on both sides of the point by a type with a modifier, or of an integer."""
    if exact_integer(type_):
        return _INTEGER
    # precision is in the upper half of the modifier, the scale in the lower one and may be negative
    return ((type_.typmod - _TYPMOD) >> 16) + abs((((type_.typmod - _TYPMOD) & 0x7FF) ^ 1024) - 1024)


def _computed(sym: Sym, sizes: list[int]) -> int | None:
    """Digits of what is computed of numbers that have so many; None: not known."""
    name = sym.name
    if sym == CASE or "to numeric" in name:
        return max(sizes, default=0)
    if name in _ROUNDINGS:
        return max(sizes) + _MOST_ROUNDED
    if name.endswith(" numeric"):
        # a product has the digits of both factors, a sum one more than the longer of its parts
        return sum(sizes) if name[0] == "*" else max(sizes) + 1
    # a quotient has some decimals more than it needs to be told from 0
    return 2 * sum(sizes) + _INTEGER if name == "op /(numeric,numeric)" else None


def _all_known(found: Iterable[int | None]) -> list[int] | None:
    sizes = list(found)
    known = [x for x in sizes if x is not None]
    return known if len(known) == len(sizes) else None


_DOUBLE = 290  # float8 has 1e-307 to 1e308
_COUNTED = 19  # digits of how many rows there may be
_INTEGER = 2 * _COUNTED  # of a sum of so many integers
_MOST_ROUNDED = 2000  # decimals that round() makes


def fits_double(term: Term) -> bool:
    """Whether a numeric is 0 or neither too large nor too small for a float8, both of which are errors."""
    found = _places(term)
    return found is not None and found <= _DOUBLE


def _places(term: Term) -> int | None:
    """An upper bound of a numeric's digits before the point and of its decimals; None: not known."""
    if exact_integer(term.type):
        return 2 * _COUNTED
    if term.type.typmod >= _TYPMOD and isinstance(term, Var | App):
        return _declared(term.type)
    match term:
        case Lit(value):
            return len(value or "")
        case App(sym, args) if sym == CASE:
            return _most(x for i, x in enumerate(args) if i % 2 or i == len(args) - 1)
        case App(sym, args) if sym == TO_NUMERIC:
            return _places(args[0])
        case App(sym, args) if sym.name.endswith(" numeric") and sym.name[0] in "+-*":
            known = [_places(a) for a in args]
            sizes = [k for k in known if k is not None]
            if len(sizes) < len(known):
                # a product has the digits of both factors, a sum one more than the longer of its parts
                return None
            return sum(sizes) if sym.name[0] == "*" else max(sizes) + 1
        case Nested("agg" | "the", name, bag) if name.partition(" ")[0] in {"", "sum", "avg", "min", "max"}:
            # an aggregate adds up so many rows that the number has 19 digits more at most
            found = _most(o for b in bag for o in b.outs)
            return None if found is None else found + _COUNTED
        case _:
            return None


def _most(terms: Iterable[Term]) -> int | None:
    known = [_places(t) for t in terms]
    sizes = [k for k in known if k is not None]
    # one part of unknown size leaves the whole unknown
    return max(sizes, default=0) if len(sizes) == len(known) else None
