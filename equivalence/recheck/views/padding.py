"""What is compared of char(n): everything before the blanks at the end, as text made of it has it.

A constant beside it loses its blanks, and text that was made of it is compared as it is, with a constant that
does not end with one. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.build import compare, operator
from rewright.sql.types import SqlType
from rewright.sql.walk import bottom_up

_TURNED = {"<": ">", "<=": ">=", "=": "=", "<>": "<>", ">=": "<=", ">": "<"}
_PADDED = ("pg_catalog", "bpchar")


def padding(query: a.Query) -> a.Query:
    return bottom_up(query, _seen)


def _seen(node: a.Node) -> a.Node:
    if isinstance(node, a.Op) and node.op.is_builtin and node.op.name in _TURNED and len(node.args) == 2:
        x, y = node.args
        if (told := _told(x, y)) is not None and told != (x, y):
            return compare(node.op.name, *told) or node
        if (told := _told(y, x)) is not None and told != (y, x):
            return compare(_TURNED[node.op.name], *told) or node
    if isinstance(node, a.InList) and node.op.is_builtin and node.op.name in {"=", "<>"} and node.items:
        each = [_told(node.left, item) for item in node.items]
        found = [t for t in each if t is not None]
        if len(found) == len(each) and len({x for x, _ in found}) == 1:
            ref = operator(node.op.name, found[0][0].type, found[0][1].type)
            made = tuple(c for _, c in found)
            return node if ref is None else replace(node, op=ref, left=found[0][0], items=made)
    return node


def _kind(type_: SqlType) -> tuple[str, str]:
    return type_.schema, type_.name


def _told(x: a.Expr, constant: a.Expr) -> tuple[a.Expr, a.Expr] | None:
    """The char(n) that is compared, and the constant's text up to its blanks; None for other comparisons."""
    if not isinstance(constant, a.Const) or constant.value is None or constant.type.typmod != -1:
        return None
    end = len(constant.value)
    while end and constant.value[end - 1] == " ":
        end -= 1
    if _kind(x.type) == _kind(constant.type) == _PADDED:
        return x, replace(constant, value=constant.value[:end])
    made = isinstance(x, a.Cast) and _kind(x.arg.type) == _PADDED and x.type.typmod == -1
    if not made or not isinstance(x, a.Cast) or end < len(constant.value):
        return None
    if {_kind(x.type), _kind(constant.type)} != {("pg_catalog", "text")}:
        return None
    padded = SqlType("bpchar", collation=constant.type.collation)
    return (x.arg, replace(constant, type=padded)) if x.type.collation == x.arg.type.collation else None
