"""Which literals of a text say what is asked for, and which how it is computed.

``WHERE at >= '2024-01-01'`` asks for days, which change from run to run; the unit of ``date_trunc('month',
at)`` and a span of ``INTERVAL '1 day'`` belong to the query as its operators do. Goes by the parser's tree
alone: a text need not bind with anything else in the literals' places (`GROUP BY date_trunc('month', at)`
does not).
Must not know catalogs.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from pglast.parser import ParseError, parse_sql_json

from rewright.sql.templates import Template

_Node = dict[str, Any]
_COMPARED = {"=", "<>", "<", "<=", ">", ">=", "~", "~*", "!~", "!~*", "@>", "<@", "&&", "@@"}
# BETWEEN, IN, LIKE, IS DISTINCT FROM, = ANY: whatever the operator is
_BY_KIND = {
    *("AEXPR_IN", "AEXPR_LIKE", "AEXPR_ILIKE", "AEXPR_SIMILAR", "AEXPR_DISTINCT", "AEXPR_NOT_DISTINCT"),
    *("AEXPR_BETWEEN", "AEXPR_NOT_BETWEEN", "AEXPR_BETWEEN_SYM", "AEXPR_NOT_BETWEEN_SYM"),
    *("AEXPR_OP_ANY", "AEXPR_OP_ALL"),
}  # fmt: skip
_MOVED = {"+", "-"}


def asked_for(template: Template) -> frozenset[int]:
    """Numbers (from 1) of the literals that something is compared with, or that rows are counted by (LIMIT,
    OFFSET); none where the text cannot be parsed.
    """
    text = template.fill()
    try:
        tree = json.loads(parse_sql_json(text))
    except (ParseError, RecursionError, ValueError):
        return frozenset()
    starts = [x.start for x in template.literals]
    found = set()
    for at in _places(tree):
        # a constant with a sign begins at the sign
        number = bisect_left(starts, at)
        if number < len(starts):
            found.add(number + 1)
    return frozenset(found)


def _places(tree: Any) -> Iterator[int]:
    """Byte offsets of the constants, at any depth."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, list):
            left += node
        elif isinstance(node, dict):
            left += node.values()
            for operand in _operands(node):
                yield from _constants(operand)


def _operands(node: _Node) -> list[Any]:
    """What is compared, or counts rows, directly in a node."""
    found = [node[name] for name in ("limitCount", "limitOffset") if name in node]
    expr = node.get("A_Expr")
    if expr is not None:
        name = expr.get("name") or [{}]
        operator = name[-1].get("String", {}).get("sval", "")
        if expr.get("kind") in _BY_KIND or operator in _COMPARED:
            found += [expr.get("lexpr"), expr.get("rexpr")]
    return found


def _constants(node: Any) -> Iterator[int]:
    """Constants that an operand is made of: itself, elements of lists, rows and arrays, what is added."""
    if not isinstance(node, dict):
        return
    ((kind, inner),) = list(node.items())[:1] or [("", {})]
    match kind:
        case "A_Const":
            yield inner.get("location", 0)
        case "TypeCast" if not _is_span(inner["typeName"]):
            yield from _constants(inner.get("arg"))
        case "List" | "RowExpr" | "A_ArrayExpr":
            for one in inner.get("items") or inner.get("args") or inner.get("elements") or ():
                yield from _constants(one)
        case "A_Expr" if inner.get("name", [{}])[-1].get("String", {}).get("sval") in _MOVED:
            yield from _constants(inner.get("lexpr"))
            yield from _constants(inner.get("rexpr"))


def _is_span(type_name: _Node) -> bool:
    return bool(type_name["names"][-1].get("String", {}).get("sval") == "interval")
