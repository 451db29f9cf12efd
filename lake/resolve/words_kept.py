"""The words of a query in PostgreSQL's tree: calls, operators, types, constants, clauses; all but names of
columns, tables and aliases.

A resolved query has those of the client's, less what was taken out and more what the resolver says it put in:
anything else is a fault of ours, and the query is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeGuard

from pglast import ast

from rewright.engines.duckdb.errors import LakeError

LEAF, SELECT = "rw_leaf_", "rw_select_"
"""Functions of a marked text: around a column or literal, and as the first item of a select list."""
Words = Counter[tuple[Any, ...]]
_NAMES = (ast.ColumnRef, ast.RangeVar, ast.Alias, ast.String, ast.A_Star)
# `funcformat`: whether a call was written `substring(a from 2)` or `substring(a, 2)`
_LEFT_OUT = frozenset(
    {"location", "list_start", "list_end", "rexpr_list_start", "rexpr_list_end", "rtindex", "funcformat"}
)
_OURS = (
    *_NAMES,
    ast.A_Const,
    ast.Integer,
    ast.Float,
    ast.Boolean,
    ast.BoolExpr,
    ast.NullTest,
    ast.TypeName,
    ast.TypeCast,
)
_TYPES = frozenset({"varchar", "text", "bool"})
_CALLS = frozenset({"extract", "lower", "btrim"})


class NotRestored(LakeError):
    """The resolved query cannot be said in the words of the client's: 0A000 with what stands against it."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} is not served where names have to be resolved",
            hint="Name tables and columns as the lake does.",
            sqlstate="0A000",
        )


def words_of(root: Any) -> Words:
    """Each word with how often it occurs."""
    return Counter(_words(root))


def _words(root: Any) -> Iterator[tuple[Any, ...]]:
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, (tuple, list)):
            stack.extend(node)
            continue
        if not is_node(node):
            continue
        # a mark is no word of the client's; what it marks is
        if _is_mark(node):
            stack.extend(node.args or ())
            continue
        # names are what resolving changes
        if isinstance(node, (ast.ColumnRef, ast.RangeVar, ast.Alias)):
            continue
        values: list[tuple[str, Any]] = []
        for name in node:
            value = getattr(node, name)
            # places in the text differ, and an output column may be called anything
            if name in _LEFT_OUT or (isinstance(node, ast.ResTarget) and name == "name"):
                continue
            # names of functions, operators and types are words, those of columns never come here
            if isinstance(value, (tuple, list)) and value and all(isinstance(v, ast.String) for v in value):
                values.append((name, tuple(v.sval for v in value)))
            elif isinstance(value, (tuple, list, ast.Node)):
                stack.append(value)
            elif value is not None and value is not False and value != "":
                values.append((name, str(value)))
        if isinstance(node, ast.A_Const) or values or not isinstance(node, (ast.String, ast.ResTarget)):
            yield type(node).__name__, *values


def is_node(node: Any) -> TypeGuard[Any]:
    """Is it a syntax node, whose fields are then read without types?"""
    return isinstance(node, ast.Node)


def last_name(node: Any) -> str:
    """The last of the names of a function, operator or type."""
    names: Any = (
        getattr(node, "funcname", None) or getattr(node, "names", None) or getattr(node, "name", None)
    )
    return str(names[-1].sval)


def _is_mark(node: Any) -> bool:
    return isinstance(node, ast.FuncCall) and last_name(node).startswith(LEAF)


def difference(before: Words, after: Words, removed: Words, added: Words) -> str:
    """What has changed beyond what was taken out and put in. Empty: nothing."""
    expected = Counter(before)
    expected.subtract(removed)
    expected.update(added)
    for word in {*expected, *after}:
        if expected[word] != after[word]:
            return f"a query with {_told(word)}"
    return ""


def _told(word: tuple[Any, ...]) -> str:
    names = [value for _, value in word[1:] if isinstance(value, tuple)]
    return ".".join(names[0]) if names else word[0]


def added_only(root: Any) -> None:
    """Only what the resolver may put: columns, constants, equalities, casts to texts, the parts of a date,
    and texts in lower case without blanks around.

    :raises NotRestored: something else.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, (tuple, list)):
            stack.extend(node)
            continue
        if not is_node(node):
            continue
        stack.extend(getattr(node, name) for name in node)
        if isinstance(node, ast.TypeName):
            if last_name(node) not in _TYPES or node.typmods:
                raise NotRestored("a conversion of this form")
        elif isinstance(node, ast.FuncCall):
            if last_name(node) not in _CALLS:
                raise NotRestored("a call of this form")
        elif isinstance(node, ast.A_Expr):
            if last_name(node) != "=":
                raise NotRestored("a condition of this form")
        elif not isinstance(node, _OURS):
            raise NotRestored("a change of this form")
