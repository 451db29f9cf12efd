"""Conditions as plans print them, read back: which columns or expressions are
compared with which constants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pglast
from pglast import ast, enums
from pglast.stream import RawStream

from rewright.sql.parsing import TooDeep, nodes_of, parse


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunct of a filter: ``column`` or an ``expression`` compared with ``value`` (text; None: not a
    constant).
    """

    column: str
    expression: str
    operator: str
    value: str | None


def read_condition(text: str) -> list[Condition]:
    """The conjuncts that compare something with something; none where the text is no SQL (subplans)."""
    where = where_of(text)
    return [] if where is None else [c for part in conjuncts_of(where) if (c := _comparison(part))]


def where_of(text: str) -> Any:
    """A condition's parse tree; None where there is none, or it is no SQL."""
    if not text:
        return None
    # what plans print of subplans is no SQL, and does not parse
    try:
        return parse(f"select 1 where {text}")[0].stmt.whereClause
    except (pglast.Error, TooDeep, RecursionError):
        return None


def conjuncts_of(node: Any) -> Iterator[Any]:
    """The parts of a condition that AND joins."""
    if isinstance(node, ast.BoolExpr) and node.boolop == enums.BoolExprType.AND_EXPR:
        for one in node.args or ():
            yield from conjuncts_of(one)
    elif node is not None:
        yield node


def _comparison(node: Any) -> Condition | None:
    if not isinstance(node, ast.A_Expr) or node.kind != enums.A_Expr_Kind.AEXPR_OP or node.lexpr is None:
        return None
    operator = last_name(node.name)
    left, right = _bare(node.lexpr), _bare(node.rexpr)
    # A constant on the left: the comparison is turned round.
    if isinstance(left, ast.A_Const):
        left, right = right, left
        operator = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(operator, operator)
    value = _constant(right)
    if isinstance(left, ast.ColumnRef):
        return Condition(last_name(left.fields), "", operator, value)
    # an expression without a column is a constant to the planner
    if value is None or not any(isinstance(n, ast.ColumnRef) for n in nodes_of(left)):
        return None
    return Condition("", text_of(left), operator, value)


def last_name(names: Any) -> str:
    """A name without its schema."""
    return str(getattr(names[-1], "sval", ""))


# plans print casts that the text did not have
def _bare(node: Any) -> Any:
    while isinstance(node, ast.TypeCast):
        node = node.arg
    return node


def _constant(node: Any) -> str | None:
    if not isinstance(node, ast.A_Const) or node.val is None:
        return None
    match node.val:
        case ast.Integer():
            return str(node.val.ival or 0)
        case ast.Float():
            return str(node.val.fval)
        case ast.String():
            return str(node.val.sval)
        case ast.Boolean():
            return "t" if node.val.boolval else "f"
    return None


def text_of(node: Any) -> str:
    """SQL of an expression over one table's own columns, as CREATE STATISTICS and CREATE INDEX take it."""
    try:
        return str(RawStream()(_simple(node)))
    except (NotImplementedError, RecursionError):
        return "an expression"


def _simple(node: Any) -> Any:
    """Without the relation's name on columns and without the casts to text that plans print on constants."""
    if isinstance(node, tuple | list):
        return tuple(_simple(one) for one in node)
    if not isinstance(node, ast.Node):
        return node
    if isinstance(node, ast.ColumnRef) and node.fields:
        node.fields = node.fields[-1:]
    if isinstance(node, ast.TypeCast) and _constant(node.arg) is not None and _is_text(node.typeName):
        return node.arg
    for name in node:
        setattr(node, name, _simple(getattr(node, name)))
    return node


def _is_text(kind: Any) -> bool:
    return kind is not None and last_name(kind.names) in {"text", "varchar", "bpchar"}


def plain(text: str) -> str:
    """Without white space, parentheses, casts and the names of relations: near enough to find an expression
    again.
    """
    text = re.sub(r"::\w+(\[\])?", "", text.lower())
    return re.sub(r"[\s()]|\b\w+\.", "", text)


def columns_of(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    # unparsable conditions have no columns
    """(alias, column) of each side of each equality."""
    for text in texts:
        for node in nodes_of(where_of(text) or ()):
            fields: Any = node.fields if isinstance(node, ast.ColumnRef) else ()
            if len(fields) == 2:
                yield str(fields[0].sval), str(fields[1].sval)


# numbers before texts, so that both can be sorted together
def orderable(value: str) -> tuple[int, float, str]:
    try:
        return (0, float(value), "")
    except ValueError:
        return (1, 0.0, value)
