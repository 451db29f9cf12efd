"""PostgreSQL's functions on numbers and truth values in DuckDB's dialect, by signature; operators and casts
are functions, too.

Owns the equivalents, each compared with a server on nasty values (tests/engines/test_dialect_functions.py).
``{0}`` is the first argument. What DuckDB answers with NULL or infinity where PostgreSQL raises, raises here.
Must not know trees.
"""

from __future__ import annotations

from collections.abc import Iterator

COMPARED = {"eq": "=", "ne": "<>", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}
_INTEGERS = {"2": "smallint", "4": "integer", "8": "bigint"}
_DUCKDB = {"2": "SMALLINT", "4": "INTEGER", "8": "BIGINT"}
_FLOATS = {"4": "real", "8": "double precision"}
_ARITHMETIC = {"pl": "+", "mi": "-", "mul": "*"}


def raising(sqlstate: str, message: str) -> str:
    """A call that raises; the error reaches the client with this SQLSTATE (``engines.duckdb.errors``)."""
    return f"error('rewright:{sqlstate}:{message}')"


DIVISION_BY_ZERO = raising("22012", "division by zero")
_OVERFLOW = raising("22003", "value out of range: overflow")
_UNDERFLOW = raising("22003", "value out of range: underflow")


def comparisons(prefix: str, left: str, right: str = "", separator: str = "") -> Iterator[tuple[str, str]]:
    """The six comparisons of a type: ``texteq(text, text)``."""
    for name, symbol in COMPARED.items():
        yield f"{prefix}{separator}{name}({left}, {right or left})", f"({{0}} {symbol} {{1}})"


def _of_two(a: str, left: str, b: str, right: str) -> Iterator[tuple[str, str]]:
    """Functions of two integers, and the cast from one's type to the other's."""
    prefix = f"int{a}" if a == b else f"int{a}{b}"
    yield from comparisons(prefix, left, right)
    # the wider of the two types is the result's, as in int24pl
    wide = _DUCKDB[max(a, b)]
    x, y = f"CAST({{0}} AS {wide})", f"CAST({{1}} AS {wide})"
    signature = f"({left}, {right})"
    for name, symbol in _ARITHMETIC.items():
        yield f"{prefix}{name}{signature}", f"({x} {symbol} {y})"
    # DuckDB's division by zero is NULL; NULL / 0 is NULL in both
    zero = f"CASE WHEN {{1}} = 0 AND {{0}} IS NOT NULL THEN {DIVISION_BY_ZERO}"
    yield f"{prefix}div{signature}", f"({zero} ELSE {x} // {y} END)"
    # only equal widths have a modulo operator: others are cast before
    if a == b:
        modulo = (
            # the smallest integer % -1 overflows in DuckDB, and is 0 in PostgreSQL (int4mod)
            f"({zero} WHEN {{1}} = -1 AND {{0}} IS NOT NULL THEN CAST(0 AS {wide}) ELSE {x} % {y} END)"
        )
        yield f"int{a}mod{signature}", modulo
        yield f"mod{signature}", modulo
    else:
        yield f"int{b}({left})", f"CAST({{0}} AS {_DUCKDB[b]})"


def _integers() -> Iterator[tuple[str, str]]:
    for a, left in _INTEGERS.items():
        for b, right in _INTEGERS.items():
            yield from _of_two(a, left, b, right)
        yield f"int{a}um({left})", f"(CAST(0 AS {_DUCKDB[a]}) - {{0}})"
        yield f"int{a}up({left})", "{0}"
        # by subtraction, so that the smallest integer raises 22003 in both
        absolute = f"(CASE WHEN {{0}} < 0 THEN CAST(0 AS {_DUCKDB[a]}) - {{0}} ELSE {{0}} END)"
        yield f"int{a}abs({left})", absolute
        yield f"abs({left})", absolute
        for name, symbol in {"and": "&", "or": "|"}.items():
            yield f"int{a}{name}({left}, {left})", f"({{0}} {symbol} {{1}})"
        yield f"int{a}xor({left}, {left})", "xor({0}, {1})"
        yield f"int{a}not({left})", "(~{0})"
        # the digits of the largest value: 32767, 2147483647, 9223372036854775807
        yield f"numeric({left})", f"CAST({{0}} AS DECIMAL({ {'2': 5, '4': 10, '8': 19}[a] },0))"
        for f, real in _FLOATS.items():
            yield f"float{f}({left})", f"CAST({{0}} AS {'FLOAT' if f == '4' else 'DOUBLE'})"
            # rint() of PostgreSQL rounds halves to even
            yield f"int{a}({real})", f"CAST(round_even({{0}}, 0) AS {_DUCKDB[a]})"
        yield f"int{a}(numeric)", f"CAST({{0}} AS {_DUCKDB[a]})"
    yield "int4(boolean)", "CAST({0} AS INTEGER)"
    yield "bool(integer)", "({0} <> 0)"


def _float_arithmetic(prefix: str, left: str, right: str, wide: str) -> Iterator[tuple[str, str]]:
    x, y = f"CAST({{0}} AS {wide})", f"CAST({{1}} AS {wide})"
    made = f"NOT isinf({x}) AND NOT isinf({y})"
    # an infinite argument gives infinity without an error in PostgreSQL (float.h, float8_pl)
    signature = f"({left}, {right})"
    for name, symbol in {"pl": "+", "mi": "-"}.items():
        r = f"({x} {symbol} {y})"
        yield f"{prefix}{name}{signature}", f"(CASE WHEN isinf({r}) AND {made} THEN {_OVERFLOW} ELSE {r} END)"
    r = f"({x} * {y})"
    yield (
        f"{prefix}mul{signature}",
        (
            f"(CASE WHEN isinf({r}) AND {made} THEN {_OVERFLOW}"
            # 0 from two factors that are not 0 is underflow there, an error
            f" WHEN {r} = 0 AND {x} <> 0 AND {y} <> 0 THEN {_UNDERFLOW} ELSE {r} END)"
        ),
    )
    r = f"({x} / {y})"
    yield (
        f"{prefix}div{signature}",
        (
            # NaN / 0 is NaN, not an error (float8_div)
            f"(CASE WHEN {y} = 0 AND NOT isnan({x}) THEN {DIVISION_BY_ZERO} WHEN isinf({r}) AND NOT "
            f"isinf({x}) THEN {_OVERFLOW}"
            f" WHEN {r} = 0 AND {x} <> 0 AND NOT isinf({y}) THEN {_UNDERFLOW} ELSE {r} END)"
        ),
    )


def _floats() -> Iterator[tuple[str, str]]:
    for a, left in _FLOATS.items():
        for b, right in _FLOATS.items():
            prefix = f"float{a}" if a == b else f"float{a}{b}"
            yield from comparisons(prefix, left, right)
            # real with double precision is computed in double precision: float48pl
            yield from _float_arithmetic(prefix, left, right, "FLOAT" if a == b == "4" else "DOUBLE")
        yield f"float{a}um({left})", "(-{0})"
        yield f"float{a}up({left})", "{0}"
        yield f"float{a}abs({left})", "abs({0})"
        yield f"abs({left})", "abs({0})"
    yield "float8(real)", "CAST({0} AS DOUBLE)"
    for name, word in {"ceil": "ceil", "ceiling": "ceil", "floor": "floor"}.items():
        yield f"{name}(double precision)", f"{word}({{0}})"
    for name in ("dtrunc", "trunc"):
        yield f"{name}(double precision)", "trunc({0})"
    # dround() is rint(): halves to even; DuckDB's round goes away from zero
    for name in ("dround", "round"):
        yield f"{name}(double precision)", "round_even({0}, 0)"


def _roots() -> Iterator[tuple[str, str]]:
    """Functions of double precision that are not defined everywhere."""
    for name in ("dsqrt", "sqrt"):
        # messages as PostgreSQL's dsqrt has them: clients read them
        negative = raising("2201F", "cannot take square root of a negative number")
        yield f"{name}(double precision)", f"(CASE WHEN {{0}} < 0 THEN {negative} ELSE sqrt({{0}}) END)"
    for name, word in {
        "dlog1": "ln",
        "ln": "ln",
        "dlog10": "log10",
        "log": "log10",
        "log10": "log10",
    }.items():
        zero = raising("2201E", "cannot take logarithm of zero")
        negative = raising("2201E", "cannot take logarithm of a negative number")
        yield (
            f"{name}(double precision)",
            f"(CASE WHEN {{0}} = 0 THEN {zero} WHEN {{0}} < 0 THEN {negative} ELSE {word}({{0}}) END)",
        )
    yield (
        "sign(double precision)",
        (
            # in DuckDB NaN > 0 holds, NaN being above all numbers; dsign() compares as C does and gives 0
            "(CASE WHEN {0} > 0 AND NOT isnan({0}) THEN CAST(1 AS DOUBLE) "
            "WHEN {0} < 0 THEN CAST(-1 AS DOUBLE) WHEN {0} IS NOT NULL THEN CAST(0 AS DOUBLE) END)"
        ),
    )
    yield "pi()", "pi()"


def _numerics() -> Iterator[tuple[str, str]]:
    yield from comparisons("numeric", "numeric", separator="_")
    yield "numeric_uminus(numeric)", "(-{0})"
    yield "numeric_uplus(numeric)", "{0}"
    yield "numeric_abs(numeric)", "abs({0})"
    yield "abs(numeric)", "abs({0})"
    for name in ("ceil", "ceiling", "floor"):
        yield f"{name}(numeric)", f"{name}({{0}})"
    # by way of text: each digit counts as in PostgreSQL's numeric_float8
    yield "float8(numeric)", "CAST(CAST({0} AS VARCHAR) AS DOUBLE)"


def _truth() -> Iterator[tuple[str, str]]:
    yield from comparisons("bool", "boolean")


NUMBERS: dict[str, str] = dict([*_integers(), *_floats(), *_roots(), *_numerics(), *_truth()])
