"""PostgreSQL's functions on texts and bytes in DuckDB's dialect, by signature.

Owns the equivalents, each compared with a server on nasty values. Texts compare by code points, as in the
shadow's collation (builtin C.UTF-8). Must not know trees.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.engines.duckdb.dialect.numbers import comparisons, raising

_TRIMMED = {"btrim": "trim", "ltrim": "ltrim", "rtrim": "rtrim"}
# SQL counts from 1; DuckDB counts a negative start from the end
_BEGIN = "greatest(CAST({1} AS BIGINT), 1)"
_MOST = 10_000_000
"""Characters that padding and repeating may make."""
_LONG = raising("54000", "requested length too large")
# which ones: every code point was lowered and raised by both engines
_NEW_LETTERS = (
    r"[\x{{19b}}\x{{264}}\x{{1c89}}\x{{1c8a}}\x{{a7cb}}-\x{{a7cd}}\x{{a7da}}-\x{{a7dc}}"
    r"\x{{10d50}}-\x{{10d65}}\x{{10d70}}-\x{{10d85}}]"
)
"""Letters whose other case only one of the two engines knows: of all code points no others differ (but ß,
which DuckDB makes ẞ).
"""
_SHORT = raising("22011", "negative substring length not allowed")


def _texts() -> Iterator[tuple[str, str]]:
    for name, symbol in {"lt": "<", "gt": ">", "le": "<=", "ge": ">="}.items():
        yield f"text_{name}(text, text)", f"({{0}} {symbol} {{1}})"
    yield "texteq(text, text)", "({0} = {1})"
    yield "textne(text, text)", "({0} <> {1})"
    yield "textcat(text, text)", "({0} || {1})"
    for name in ("length", "char_length", "character_length", "textlen"):
        yield f"{name}(text)", "CAST(length({0}) AS INTEGER)"
    yield "octet_length(text)", "CAST(strlen({0}) AS INTEGER)"
    yield "bit_length(text)", "CAST(8 * strlen({0}) AS INTEGER)"
    # with an explicit length DuckDB would count positions before the first, so begin and length are moved to
    # 1


def _substrings() -> Iterator[tuple[str, str]]:
    """Parts of texts, cut, trimmed, replaced and found."""
    for name in ("substr", "substring"):
        yield f"{name}(text, integer)", f"(CASE WHEN {{1}} IS NOT NULL THEN substring({{0}}, {_BEGIN}) END)"
        length = f"greatest(CAST({{1}} AS BIGINT) + {{2}} - {_BEGIN}, 0)"
        yield (
            f"{name}(text, integer, integer)",
            (
                f"(CASE WHEN {{2}} < 0 AND {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN {_SHORT}"
                f" WHEN {{1}} IS NOT NULL AND {{2}} IS NOT NULL THEN substring({{0}}, {_BEGIN}, {length}) "
                f"END)"
            ),
        )
    for name, word in _TRIMMED.items():
        # without the second argument only spaces go, as in PostgreSQL: no tabs
        yield f"{name}(text)", f"{word}({{0}}, ' ')"
        yield f"{name}(text, text)", f"{word}({{0}}, {{1}})"
    yield (
        "replace(text, text, text)",
        "(CASE WHEN {1} = '' AND {2} IS NOT NULL THEN {0} ELSE replace({0}, {1}, {2}) END)",
    )
    for name in ("strpos", "position"):
        yield f"{name}(text, text)", "CAST(strpos({0}, {1}) AS INTEGER)"
    yield "left(text, integer)", "left({0}, CAST({1} AS BIGINT))"
    # the smallest integer has no opposite, and PostgreSQL does not look
    yield (
        "right(text, integer)",
        "(CASE WHEN {1} = -2147483648 THEN {0} ELSE right({0}, CAST({1} AS BIGINT)) END)",
    )


def _longer() -> Iterator[tuple[str, str]]:
    """What makes texts longer, which a client could ask for without end."""
    for name in ("lpad", "rpad"):
        given = f"WHEN {{1}} > {_MOST} THEN {_LONG} ELSE {name}({{0}}, greatest({{1}}, 0)"
        yield (
            f"{name}(text, integer)",
            f"(CASE WHEN {{1}} IS NULL OR {{0}} IS NULL THEN NULL {given}, ' ') END)",
        )
        yield (
            f"{name}(text, integer, text)",
            # DuckDB raises where there is nothing to pad with; PostgreSQL cuts the text to the length
            (
                "(CASE WHEN {1} IS NULL OR {0} IS NULL OR {2} IS NULL THEN NULL"
                f" WHEN {{2}} = '' THEN left({{0}}, greatest({{1}}, 0)) {given}, {{2}}) END)"
            ),
        )
    yield (
        "repeat(text, integer)",
        (
            f"(CASE WHEN CAST({{1}} AS BIGINT) * strlen({{0}}) > {_MOST} THEN {_LONG} ELSE repeat({{0}}, "
            f"CAST({{1}} AS BIGINT)) END)"
        ),
    )


def _letters() -> Iterator[tuple[str, str]]:
    """What looks at letters, and the rest."""
    yield "starts_with(text, text)", "starts_with({0}, {1})"
    yield "md5(text)", "md5({0})"
    # 'true', not 't': the cast function, other than boolean's output
    yield "text(boolean)", "CAST({0} AS VARCHAR)"
    known = (
        f"CASE WHEN regexp_matches({{0}}, '{_NEW_LETTERS}') THEN "
        f"{raising('0A000', 'the case of these letters is not known to the lake')}"
    )
    # letter by letter: ß has no upper case in C.UTF-8, so the parts around it are raised and joined again
    sharp = (
        "WHEN contains({0}, 'ß') THEN array_to_string(list_transform(string_split({0}, 'ß'), lambda part: "
        "upper(part)), 'ß')"
    )
    yield "lower(text)", f"({known} ELSE lower({{0}}) END)"
    yield "upper(text)", f"({known} {sharp} ELSE upper({{0}}) END)"


def _bytes() -> Iterator[tuple[str, str]]:
    yield from comparisons("bytea", "bytea")
    yield "uuid_eq(uuid, uuid)", "({0} = {1})"
    yield from comparisons("uuid", "uuid", separator="_")
    yield "octet_length(bytea)", "CAST(octet_length({0}) AS INTEGER)"
    yield "length(bytea)", "CAST(octet_length({0}) AS INTEGER)"


TEXTS: dict[str, str] = dict([*_texts(), *_substrings(), *_longer(), *_letters(), *_bytes()])
