"""Which type a number has where a query does not know its column: `round(mean, 2)` is said of numerics alone,
and a file's numbers are read as double precision.

Owns casts to numeric in resolved queries. Must not know how they were resolved.
docs/decisions/0710-numbers-that-were-found-may-be-numeric.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pglast import ast
from pglast.enums import A_Expr_Kind
from pglast.error import Error as PglastError
from pglast.stream import RawStream

from rewright.sql.parsing import TooDeep, nodes_of, parse

_FLOATS = frozenset({"double precision", "real"})
_FUNCTION = re.compile(r'function (?:pg_catalog\.)?"?(\w+)"?\((.*)\) does not exist')
_OPERATOR = re.compile(r"operator does not exist: (\w+(?: precision)?) (\S+) (.+)")
_NUMERIC = (ast.String("pg_catalog"), ast.String("numeric"))


def of_floats(message: str) -> bool:
    """Does PostgreSQL say that it has no such function or operator of a float?"""
    return bool(_FLOATS & {*_missing(message)[1]})


def with_numerics(text: str, message: str) -> str:
    """The query with each operand cast to numeric that is a float in a call PostgreSQL refused with
    ``message`` (42883); the text itself where nothing is to be cast.
    """
    name, types = _missing(message)
    try:
        statement = parse(text)[0].stmt
        nodes: list[Any] = list(nodes_of(statement))
        changed = [_cast(node, types) for node in _calls(nodes, name, len(types))]
        return str(RawStream()(statement)) if any(changed) else text
    except (PglastError, TooDeep, RecursionError, NotImplementedError):
        return text


def _missing(message: str) -> tuple[str, Sequence[str]]:
    """What PostgreSQL did not find, and the types of its operands."""
    if call := _FUNCTION.fullmatch(message):
        return call[1], call[2].split(", ")
    if operator := _OPERATOR.fullmatch(message):
        return operator[2], (operator[1], operator[3])
    return "", ()


def _calls(nodes: Sequence[Any], name: str, operands: int) -> Iterator[Any]:
    for node in nodes:
        match node:
            case ast.FuncCall():
                found = _last(node.funcname) == name and len(node.args or ()) == operands
            case ast.A_Expr():
                is_binary = node.kind == A_Expr_Kind.AEXPR_OP and node.lexpr is not None
                found = is_binary and _last(node.name) == name
            case _:
                found = False
        if found:
            yield node


def _cast(call: Any, types: Sequence[str]) -> bool:
    """Cast the operands of one call; False where none is to be."""
    if isinstance(call, ast.FuncCall):
        before: Any = call.args
        call.args = tuple(_numeric(arg, type_) for arg, type_ in zip(before, types, strict=True))
        return any(new is not old for new, old in zip(call.args, before, strict=True))
    left, right = call.lexpr, call.rexpr
    call.lexpr, call.rexpr = _numeric(left, types[0]), _numeric(right, types[1])
    return call.lexpr is not left or call.rexpr is not right


def _numeric(arg: Any, type_: str) -> Any:
    if type_ not in _FLOATS or _is_numeric(arg):
        return arg
    return ast.TypeCast(arg=arg, typeName=ast.TypeName(names=_NUMERIC, typemod=-1))


def _is_numeric(arg: Any) -> bool:
    type_: Any = arg.typeName if isinstance(arg, ast.TypeCast) else None
    return type_ is not None and _last(type_.names) == "numeric"


def _last(names: Any) -> str:
    return str(names[-1].sval)
