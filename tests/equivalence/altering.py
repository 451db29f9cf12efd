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
    items = (
        list(node.items())
        if isinstance(node, dict)
        else list(enumerate(node))
        if isinstance(node, list)
        else []
    )
    for key, value in items:
        yield from leaves(value, (*path, key))
    if not items:
        yield path


def altered(document: Any, path: Path) -> Any:
    """The document with another value at a leaf."""
    changed = copy.deepcopy(document)
    node = changed
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = _other(node[path[-1]])
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


def shortened(document: Any) -> Iterator[tuple[Path, Any]]:
    """The document with one item of one of its lists left out, each in turn."""
    for path, node in _lists(document):
        for n in range(len(node)):
            changed = copy.deepcopy(document)
            target = changed
            for key in path:
                target = target[key]
            del target[n]
            yield (*path, n), changed


def _lists(node: Any, path: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    if isinstance(node, list):
        yield path, node
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield from _lists(value, (*path, key))
