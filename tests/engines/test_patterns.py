"""Regular expressions that DuckDB is given: RE2 takes them all."""

from __future__ import annotations

import duckdb
import pytest

from rewright.engines.duckdb.dialect.patterns import regular_expression
from rewright.engines.duckdb.dialect.types import NotTranslated


def _matches(pattern: str, text: str) -> object:
    made = regular_expression(pattern, insensitive=False)
    with duckdb.connect() as db:
        return db.execute("SELECT regexp_matches(?, ?)", [text, made]).fetchall()[0][0]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("x{255}", "x" * 255, True),
        ("^(ab{1,3}c){2}$", "abbcabc", True),
        ("^((a{1,10}){1,10}){10}$", "a" * 1000, True),
        ("^((a{1,10}){1,10}){10}$", "a" * 1001, False),
        ("^(x{0,40}|y{2,}){1,20}$", "xxyyyx", True),
        ("(a{0}){255}b", "b", True),
        ("((a*)*)*b", "a" * 5000, False),
    ],
)
def test_repetitions_that_both_know(pattern: str, text: str, *, found: bool) -> None:
    assert _matches(pattern, text) is found


@pytest.mark.parametrize(
    "pattern",
    [
        "(x{1,200}){1,200}",
        "((a{1,11}){1,10}){1,10}",
        "((a{2}b{101}){10})",
        f"({'[^a]' * 300}){{200}}",
        "((a{251}){2}){2}",
    ],
)
def test_repetitions_too_large_for_re2_are_left_to_postgresql(pattern: str) -> None:
    """They were an internal error of DuckDB's, in the middle of a query."""
    with pytest.raises(NotTranslated, match="so large a repetition"):
        regular_expression(pattern, insensitive=False)
