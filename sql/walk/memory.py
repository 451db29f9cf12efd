"""What was found of a node is kept for the next who asks: nodes never change, and dozens of rules ask the
same of the same blocks.

Owns the memory, by identity: to compare two trees takes longer than most walks. Must not know what is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from rewright.sql import algebra as a

T = TypeVar("T")

# nodes that one question is remembered of; a search over a large query asks of about as many
_MOST = 5_000


def remembered(asked: Callable[[a.Node], T]) -> Callable[[a.Node], T]:
    """The same function of a node's tree, which walks through it once."""
    memory: dict[int, tuple[a.Node, T]] = {}

    @wraps(asked)
    def known(node: a.Node) -> T:
        found = memory.get(id(node))
        # a node in the memory lives, so that no other one has its identity
        if found is not None:
            return found[1]
        value = asked(node)
        if len(memory) >= _MOST:
            memory.clear()
        memory[id(node)] = (node, value)
        return value

    return known
