"""Cleaning functions that a model writes for the damage it is shown, kept in SQL as what they give for each
value.

Owns the reply's form, running a function on a column's values in the sandbox, and the expression that stands
for it: a query stays SQL over the original tables, and no foreign code runs when it does. Must not ask models
or run queries. Source: Steinke 2025, section 6.2. docs/decisions/0313-cleaning-functions-become-mappings.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rewright.engines.duckdb.quoting import literal, quoted
from rewright.lake.catalog.model import Column, Values
from rewright.lake.noise.sandbox import SandboxError, run

# values of a column up to which a function becomes a CASE over all of them
MOST_VALUES = 1500
# what a model is shown, and the length to which each value is cut
SHOWN_VALUES = 50
_LONGEST = 200
Result = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function of one value (a text) for one column."""

    column: str
    source: str


@dataclass(frozen=True, slots=True)
class Functions:
    """A model's reply."""

    functions: tuple[Function, ...]


def shown(column: Column, values: Values) -> list[str]:
    """What a model is shown of a column: its most frequent values."""
    # the column's name could lead a model to what it expects there
    del column
    return [value[:_LONGEST] for value, _ in values.counts[:SHOWN_VALUES]]


def can_be_mapped(column: Column, values: Values) -> bool:
    """Whether all of a column's values are known, and few enough to be listed in a query."""
    return column.type == "VARCHAR" and values.complete and 0 < len(values.counts) <= MOST_VALUES


def written_expression(column: Column, values: Values, source: str) -> str | None:
    """SQL that gives for each of the column's values what the function gives; None: it changes nothing, or
    fails on all.

    Of texts those on which it fails stay as they are; numbers and truth values become NULL there.

    :raises SandboxError: the function is not allowed, or does not end within its limits.
    """
    raw = [value for value, _ in values.counts]
    results = dict(zip(raw, run(source, raw, seconds=3.0), strict=True))
    # a function that returns what it was given cleans nothing
    made = [result for result in results.values() if result is not None]
    if not made or all(result == value for value, result in results.items()):
        return None
    return _case(quoted(column.name), results, made)


def _case(ref: str, results: Mapping[str, Result], made: Sequence[Result]) -> str:
    # one text among the results makes all of them texts: a column has one type
    is_text = not all(isinstance(result, (bool, int, float)) for result in made)
    groups: dict[str, list[str]] = defaultdict(list)
    for value, result in results.items():
        # values that stay need no arm
        if result is not None and not (is_text and str(result) == value):
            groups[_constant(result, made, is_text=is_text)].append(literal(value))
    arms = " ".join(
        f"WHEN {ref} IN ({', '.join(values)}) THEN {constant}" for constant, values in groups.items()
    )
    return f"CASE {arms} ELSE {ref} END" if is_text else f"CASE {arms} END"


def _constant(result: Result, made: Sequence[Result], *, is_text: bool) -> str:
    """A literal of the type that all results of the function have together."""
    if is_text:
        return literal(str(result))
    if all(isinstance(one, bool) for one in made):
        return "TRUE" if result else "FALSE"
    # beyond 62 bits a sum would overflow
    if all(isinstance(one, int) and abs(one) < 1 << 62 for one in made):
        return f"CAST({int(result or 0)} AS BIGINT)"
    return f"CAST({literal(repr(float(result or 0)))} AS DOUBLE)"


__all__ = ["Function", "Functions", "SandboxError", "can_be_mapped", "shown", "written_expression"]
