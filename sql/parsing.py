"""SQL text to syntax trees, within bounds: libpg_query recurses, and a chain that is long enough ends a
process.

Owns those bounds. Everything that parses text of strangers goes through here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pglast
from pglast import ast
from pglast.parser import scan

MAX_TEXT = 20_000_000
# each of these makes the tree one level deeper; lists (IN, VALUES, AND, targets) do not
_OPERATORS = re.compile(
    r"[-+*/<>=~!@#%^&|?:]+|\b(?:is|isnull|notnull|collate|at|not|like|ilike|similar|between)\b", re.IGNORECASE
)
_HEAVY = re.compile(r"\b(?:union|intersect|except|join)\b", re.IGNORECASE)
MAX_OPERATORS = 8000
MAX_HEAVY = 1000


class TooDeep(ValueError):
    """The text could make a tree deeper than is safe to read."""


def parse(text: str, *, statements: int = 1) -> Any:
    """Pglast's statements. Raises pglast's ParseError, or TooDeep.

    ``statements``: how many are expected at most to be large; bounds grow with it (a schema script).
    """
    check(text, statements=statements)
    return pglast.parse_sql(text)


def check(text: str, *, statements: int = 1) -> None:
    """Raise TooDeep for a text that libpg_query should not be given."""
    if len(text) > MAX_TEXT or "\x00" in text:
        raise TooDeep("text is too long or holds a zero byte")
    for part in _parts(text, statements):
        _check(part)


def _parts(text: str, statements: int) -> list[str]:
    """A script in pieces at semicolons: a chain does not cross them. One inside a literal only splits what is
    counted.
    """
    return [text] if statements <= 1 else text.split(";")


def _check(text: str) -> None:
    if len(text) < MAX_HEAVY:
        return
    if sum(1 for _ in _HEAVY.finditer(text)) > MAX_HEAVY:
        raise TooDeep(f"more than {MAX_HEAVY} joins and set operations")
    if sum(1 for _ in _OPERATORS.finditer(text)) > MAX_OPERATORS:
        raise TooDeep(f"more than {MAX_OPERATORS} operators")


def has_parameters(text: str) -> bool:
    """Whether ``$1``, ``$2``, … occur; False for what can't be scanned."""
    try:
        return any(token.name == "PARAM" for token in scan(text))
    except (pglast.Error, ValueError):
        return False


def nodes_of(root: Any) -> Iterator[Any]:
    """Every syntax node at and below ``root`` (a node, or a sequence of them), without recursion."""
    stack = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple | list):
            stack.extend(item)
        elif isinstance(item, ast.Node):
            yield item
            stack.extend(getattr(item, name) for name in item)
