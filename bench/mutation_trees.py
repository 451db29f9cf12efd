"""Syntax trees with another node in one place. Owns copying and printing them. Must not know what is changed,
or why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pglast import ast
from pglast.enums import BoolExprType
from pglast.stream import RawStream

# (kind of change, what stands in the node's place)
Changed = tuple[str, Any]


def printed(root: Any) -> str | None:
    try:
        return str(RawStream()(root))
    except (
        AttributeError,
        TypeError,
        NotImplementedError,
        ValueError,
        AssertionError,
        RuntimeError,
        KeyError,
    ):
        return None  # no tree that the grammar could make


@dataclass(frozen=True, slots=True)
class Names:
    """What the query mentions: its columns, and its relations with the aliases they go by."""

    columns: tuple[ast.ColumnRef, ...]
    relations: tuple[str, ...]


Path = tuple[tuple[str, int | None], ...]


def _children(node: ast.Node) -> Iterator[tuple[str, int | None, ast.Node]]:
    for slot in node:
        value = getattr(node, slot)
        if isinstance(value, ast.Node):
            yield slot, None, value
        elif isinstance(value, tuple):
            for i, item in enumerate(value):
                if isinstance(item, ast.Node):
                    yield slot, i, item
                elif isinstance(item, tuple):  # rows of VALUES
                    continue


def nodes(node: ast.Node, path: Path = ()) -> Iterator[tuple[Path, ast.Node]]:
    yield path, node
    for slot, index, child in _children(node):
        yield from nodes(child, (*path, (slot, index)))


def put(root: Any, path: Path, other: Any) -> Any:
    """A copy of the tree with ``other`` in the place; None takes an item out of its list."""
    if not path:
        return other
    (slot, index), rest = path[0], path[1:]
    made = _shallow(root)
    if index is None:
        setattr(made, slot, put(getattr(root, slot), rest, other))
        return made
    items = list(getattr(root, slot))
    items[index] = put(items[index], rest, other)
    setattr(made, slot, tuple(items))
    return made


def _shallow(node: ast.Node) -> Any:
    made: Any = type(node)()  # type: ignore[call-arg] # every class of nodes can be made without slots
    for slot in node:
        setattr(made, slot, getattr(node, slot))
    return made


def altered(node: Any, /, **changes: Any) -> Any:
    """A copy of the node with other slots."""
    made = _shallow(node)
    for slot, value in changes.items():
        setattr(made, slot, value)
    return made


def names_of(root: ast.Node) -> Names:
    columns: dict[str, ast.ColumnRef] = {}
    relations: dict[str, None] = {}
    for _, node in nodes(root):
        if isinstance(node, ast.ColumnRef) and not isinstance((node.fields or ("",))[-1], ast.A_Star):
            columns.setdefault(RawStream()(node), node)
        elif isinstance(node, ast.RangeVar):
            relations.setdefault(node.relname or "")
    return Names(tuple(columns.values()), tuple(relations))


def last_name(names: Any) -> str:
    return str(names[-1].sval) if names else ""


def strings(*words: str) -> tuple[ast.String, ...]:
    return tuple(ast.String(sval=w) for w in words)


def call(name: str, *arguments: Any) -> ast.FuncCall:
    return ast.FuncCall(funcname=strings(name), args=arguments or None)


def integer(value: int) -> ast.A_Const:
    return ast.A_Const(isnull=False, val=ast.Integer(ival=value))


def negation(node: Any) -> ast.BoolExpr:
    return ast.BoolExpr(boolop=BoolExprType.NOT_EXPR, args=(node,))


def conjunction(*parts: Any) -> Any:
    there = tuple(p for p in parts if p is not None)
    if len(there) < 2:
        return there[0] if there else None
    return ast.BoolExpr(boolop=BoolExprType.AND_EXPR, args=there)


def without(items: Any, index: int) -> tuple[Any, ...] | None:
    return (*items[:index], *items[index + 1 :]) or None


def conjuncts(node: Any) -> tuple[Any, ...]:
    if node is None:
        return ()
    if isinstance(node, ast.BoolExpr) and node.boolop == BoolExprType.AND_EXPR:
        return tuple(node.args or ())
    return (node,)
