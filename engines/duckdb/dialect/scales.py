"""How many decimals the values of a numeric expression have, where all have the same number.

PostgreSQL keeps a scale with each value, DuckDB with each type: where the scale is not known, a DECIMAL would
round or show other digits. Must not know DuckDB's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rewright.engines.duckdb.dialect.catalog import Function
from rewright.engines.duckdb.dialect.constants import value_of
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import NUMERIC, scale_of

_SAME_SCALE = frozenset(
    [
        "numeric_uminus(numeric)",
        "numeric_uplus(numeric)",
        "numeric_abs(numeric)",
        "abs(numeric)",
        "sum(numeric)",
        "min(numeric)",
        "max(numeric)",
    ]
)


class Called(Protocol):
    """What is needed of the printer."""

    def function(self, oid: object) -> Function: ...

    def operator(self, node: Node) -> Function: ...

    def number_of(self, node: Node) -> int: ...


def scale(printer: Called, node: Node) -> int | None:
    """The scale that all values of a numeric expression have; None: not known."""
    if node["kind"] == "CONST":
        exponent = value_of(node["constvalue"], NUMERIC).as_tuple().exponent
        return -exponent if isinstance(exponent, int) else None
    if node["kind"] == "VAR":
        found = scale_of(int(node["vartypmod"]))
        return found[1] if found else None
    if node["kind"] in {"FUNCEXPR", "OPEXPR"}:
        called = printer.function(node["funcid"]) if "funcid" in node else printer.operator(node)
        return _of_call(printer, called.signature, node["args"])
    if node["kind"] == "AGGREF" and printer.function(node["aggfnoid"]).signature in _SAME_SCALE:
        return scale(printer, node["args"][0]["expr"])
    return None


def _of_call(printer: Called, signature: str, args: Sequence[Node]) -> int | None:
    if signature in {
        "numeric(smallint)",
        "numeric(integer)",
        "numeric(bigint)",
        "ceil(numeric)",
        "ceiling(numeric)",
        "floor(numeric)",
    }:
        return 0
    if signature in _SAME_SCALE:
        return scale(printer, args[0])
    if signature in {
        "numeric_add(numeric, numeric)",
        "numeric_sub(numeric, numeric)",
        "numeric_mul(numeric, numeric)",
    }:
        left, right = (scale(printer, one) for one in args)
        # numeric.c: a product has the scales added, a sum the larger one
        if left is None or right is None:
            return None
        return left + right if "mul" in signature else max(left, right)
    if signature == "round(numeric, integer)":
        return printer.number_of(args[1])
    if signature == "numeric(numeric, integer)":
        found = scale_of(printer.number_of(args[1]))
        return found[1] if found else None
    return None
