"""Numbers for variables, unique within one proof or one replay.

A copy of a bag gets new numbers whenever it enters another scope, so that no number ever means two things
where both can be seen. Steps of proofs name positions, not numbers: a replay counts differently.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .terms import Bag, max_var, rename_bound

_HIGH: ContextVar[list[int] | None] = ContextVar("high_water", default=None)


@contextmanager
def numbering() -> Iterator[None]:
    """Count anew inside."""
    token = _HIGH.set([0])
    try:
        yield
    finally:
        _HIGH.reset(token)


def fresh() -> int:
    high = _counter()
    high[0] += 1
    return high[0]


def fresh_copy(bag: Bag) -> Bag:
    """The bag with new bound variables."""
    high = _counter()
    renamed = rename_bound(bag, max(high[0], 0) + 1)
    high[0] = max(high[0], *(v for v in _bound(renamed)), 0)
    return renamed


def _bound(bag: Bag) -> Iterator[int]:
    from .terms import all_vars

    for v, _ in all_vars(bag):
        yield v


def _counter() -> list[int]:
    high = _HIGH.get()
    if high is None:
        raise RuntimeError("no numbering in force")
    return high


__all__ = ["fresh", "fresh_copy", "max_var", "numbering"]
