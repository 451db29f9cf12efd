"""A pair of queries with the values of its literals replaced by neutral ones, the same in both.

Years are shifted alike, numbers keep their order and small distances, texts are numbered; wildcards, formats,
intervals and the small constants that belong to a shape stay. Whether the pair still holds is checked
afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pglast import ast
from pglast.stream import RawStream

from rewright.sql.parsing import nodes_of, parse

_YEAR = re.compile(r"^(\d{4})(-\d\d(-\d\d.*)?)?$")
_PIECE = re.compile(r"[^%_]+")
_FORMATTED = {"to_char", "to_date", "to_timestamp", "date_trunc", "date_part", "extract", "interval"}
_KEPT_NUMBERS = {-1, 0, 1}
# numbers begin here, far enough from 0 and 1
_FIRST = 10
# distances from here on are all the same
_FAR = 10


def without_literals(*queries: str) -> tuple[str, ...]:
    """The queries with neutral values. Raises what the parser raises."""
    statements = [parse(query)[0].stmt for query in queries]
    constants = [node for statement in statements for node in _constants(statement)]
    texts = _Texts([c.val.sval for c in constants if isinstance(c.val, ast.String)])
    numbers = _numbers([c.val.ival for c in constants if isinstance(c.val, ast.Integer)])
    for constant in constants:
        match constant.val:
            case ast.String(sval=text):
                constant.val = ast.String(sval=texts.neutral(text or ""))
            # the text is that of a Float node, such as 12.50: its length and point stay
            case ast.Integer(ival=number):
                constant.val = ast.Integer(ival=numbers.get(number or 0, number))
            case ast.Float(fval=text):
                constant.val = ast.Float(fval=re.sub(r"[1-9]", "1", text or "0"))
    return tuple(RawStream()(statement) for statement in statements)


def _constants(statement: Any) -> Iterator[Any]:
    """Literals that are values: not formats of functions, not parts of types, not intervals."""
    # formats and units are part of the query's shape
    kept: set[int] = set()
    for node in nodes_of(statement):
        match node:
            case ast.FuncCall(funcname=(*_, ast.String(sval=str(name)))) if name in _FORMATTED:
                kept |= {id(arg) for arg in node.args or () if isinstance(arg, ast.A_Const)}
            case ast.TypeName():
                kept |= {id(part) for part in nodes_of(node)}
            case ast.TypeCast(typeName=ast.TypeName(names=(*_, ast.String(sval="interval")))):
                kept.add(id(node.arg))
    for node in nodes_of(statement):
        if isinstance(node, ast.A_Const) and id(node) not in kept:
            yield node


class _Texts:
    """Neutral texts: one for each piece between wildcards, years shifted by a multiple of four."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        years = [int(found[1]) for text in texts if (found := _YEAR.match(text or ""))]
        # by a multiple of four, so that leap years stay leap years
        self._shift = (min(years) - 2000) // 4 * 4 if years else 0
        pieces = [p for text in texts if not _YEAR.match(text or "") for p in _PIECE.findall(text or "")]
        # a piece that begins another keeps to do so
        self._names: dict[str, str] = {}
        for piece in sorted(set(pieces), key=lambda p: (len(p), p)):
            start = next((p for p in sorted(self._names, key=len, reverse=True) if piece.startswith(p)), "")
            self._names[piece] = f"{self._names.get(start, 'text')}{len(self._names) + 1}"

    def neutral(self, text: str) -> str:
        if found := _YEAR.match(text):
            return f"{int(found[1]) - self._shift:04}{text[4:]}"
        # wildcards stand where they stood
        return _PIECE.sub(lambda piece: self._names[piece[0]], text)


def _numbers(values: Sequence[int | None]) -> dict[int, int]:
    """Numbers in their order, near ones as near, far ones not too far; years as they are shifted in dates are
    rare.
    """
    neutral: dict[int, int] = {}
    last: int | None = None
    # 0, 1 and -1 mean something in most queries
    for value in sorted({v for v in values if v is not None} - _KEPT_NUMBERS):
        step = _FIRST if last is None else min(value - last, _FAR)
        neutral[value] = step if last is None else neutral[last] + step
        last = value
    return neutral
