"""Every single change of a JSON document: each leaf in turn, and each item of a list left out.

Must not know what the document says.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


def leaves(node: Any, path: Path = ()) -> Iterator[Path]:
    """Where texts, numbers, booleans, nulls and empty lists stand."""
    held = (
        list(node.items())
        if isinstance(node, dict)
        else list(enumerate(node))
        if isinstance(node, list)
        else []
    )
    for key, value in held:
        yield from leaves(value, (*path, key))
    if not held:
        yield path


def altered(document: Any, path: Path) -> Any:
    """The document with another value at a leaf."""
    changed, holder = _copied(document, path)
    holder[path[-1]] = _other(holder[path[-1]])
    return changed


def _other(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if value.isdigit():
            return str(int(value) + 1)
        case str():
            return value + "x"
        case []:
            return ["x"]
        case {}:
            return {"x": "x"}
        case _:
            return "x"


def items(document: Any) -> Iterator[Path]:
    """Where items of lists stand."""
    for path, node in _lists(document):
        yield from ((*path, n) for n in range(len(node)))


def without(document: Any, path: Path) -> Any:
    """The document with this item of a list left out."""
    changed, holder = _copied(document, path)
    del holder[path[-1]]
    return changed


def _copied(document: Any, path: Path) -> tuple[Any, Any]:
    """A copy that may be changed at the path, and what holds its end there; the rest is shared."""
    changed = holder = copy.copy(document)
    for key in path[:-1]:
        holder[key] = copy.copy(holder[key])
        holder = holder[key]
    return changed, holder


def _lists(node: Any, path: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    if isinstance(node, list):
        yield path, node
    held = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in held:
        yield from _lists(value, (*path, key))
