"""What SQL's PREPARE and EXECUTE say, and a prepared query with its values in it.

Owns reading these texts. Must not know sessions or the wire. PostgreSQL manual, reference pages PREPARE and
EXECUTE.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pglast import ast

from rewright.proxy.duckdb_backend.tokens import after_words, tokens_of
from rewright.proxy.ports import SqlError

_NUMBERS = frozenset({20, 21, 23, 26, 700, 701, 1700})
_TEXTS = frozenset({0, 25, 705, 1042, 1043})
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_COMMENTS = frozenset({"SQL_COMMENT", "C_COMMENT"})
# characters of a query with its values in it: one value may stand in many places
MOST_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Prepare:
    """``types``: of the parameters, as they are written."""

    name: str
    types: tuple[str, ...]
    query: str


@dataclass(frozen=True, slots=True)
class ExecutePrepared:
    """``numbers``: the places of arguments that are written as numbers, from 0; ``refused``: it is to be
    explained.
    """

    name: str
    numbers: frozenset[int] = frozenset()
    refused: SqlError | None = None


def prepare_of(node: Any, text: str) -> Prepare | None:
    behind = after_words(text, ("PREPARE", "AS"))
    if behind is None:
        return None
    types = _parts_in_first_parentheses(text[:behind]) if node.argtypes else ()
    return Prepare(node.name, tuple(types), text[behind:].strip().rstrip(";"))


def execute_of(node: Any) -> ExecutePrepared:
    numbers = (i for i, argument in enumerate(node.params or ()) if _is_number(argument))
    return ExecutePrepared(node.name, frozenset(numbers))


def _is_number(node: Any) -> bool:
    # -5 is an operator and a constant
    if isinstance(node, ast.A_Expr) and node.lexpr is None and (node.name or ())[-1].sval in {"-", "+"}:
        node = node.rexpr
    return isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer | ast.Float)


def parameters_of(text: str) -> list[int]:
    """The numbers of $1, $2, … in a text."""
    return [number for _, _, number in _places(text)]


def with_values(
    command: Prepare, types: tuple[int, ...], given: Sequence[bytes | None], numbers: frozenset[int]
) -> str:
    """The query with the values of its parameters in their places, as a client would have written them.

    ``types``: of the parameters, 0 where none was declared; ``numbers``: the places of those that were
    written as numbers. Raises SqlError where it is too long.
    """
    written: dict[int, str] = {}
    pieces: list[str] = []
    behind = length = 0
    for start, end, number in _places(command.query):
        i = number - 1
        if i not in written:
            declared = command.types[i] if i < len(command.types) else ""
            written[i] = _literal(given[i], types[i], declared, as_number=i in numbers)
        pieces += (command.query[behind:start], written[i])
        behind = end
        length += len(written[i])
        if length > MOST_CHARACTERS:
            raise SqlError("54000", "a prepared lake query is too long with its values")
    return "".join((*pieces, command.query[behind:]))


def _literal(value: bytes | None, oid: int, declared: str, *, as_number: bool) -> str:
    if value is None:
        return f"NULL::{declared}" if declared else "NULL"
    text = value.decode()
    if (oid in _NUMBERS or (as_number and not declared)) and _NUMBER.fullmatch(text):
        return f"({text})" if text.startswith("-") else text
    quoted = "'" + text.replace("'", "''") + "'"
    return quoted if oid in _TEXTS or not declared else f"{quoted}::{declared}"


def _places(text: str) -> list[tuple[int, int, int]]:
    return [
        (token.start, token.end + 1, int(text[token.start + 1 : token.end + 1]))
        for token in (tokens_of(text) if "$" in text else ())
        if token.name == "PARAM"
    ]


def _parts_in_first_parentheses(text: str) -> list[str]:
    """What commas part there, without comments: a part is put into other texts, of which a comment would hide
    the rest of the line.
    """
    parts: list[str] = []
    depth, begin, part = 0, 0, ""
    for token in tokens_of(text):
        ends = depth == 1 and token.name in {"ASCII_41", "ASCII_44"}
        if depth and (ends or token.name in _COMMENTS):
            part += text[begin : int(token.start)] + " "
            begin = int(token.end) + 1
        if ends:
            parts.append(part.strip())
            part = ""
        if token.name == "ASCII_40":
            depth += 1
            begin = int(token.end) + 1 if depth == 1 else begin
        elif token.name == "ASCII_41":
            depth -= 1
            if not depth:
                break
    return parts
