"""The registry of side conditions, one entry for each hazard and side condition, each switchable for tests.

A rule asks ``holds(id, value)``; with the entry switched off every answer is yes, and the prover must then
prove something false (a test sees to that). Owns the ids and their wording. Must not know any rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_OFF: ContextVar[frozenset[str]] = ContextVar("conditions_off", default=frozenset())
REGISTRY: dict[str, str] = {}


def holds(id_: str, value: bool) -> bool:
    """``value``, or True when the condition is switched off."""
    return value or id_ in _OFF.get()


def off(id_: str) -> bool:
    """Whether the condition is switched off (for guards that are not a yes or no)."""
    return id_ in _OFF.get()


@contextmanager
def switched_off(*ids: str) -> Iterator[None]:
    """Work without these conditions: for the mutation test only."""
    token = _OFF.set(_OFF.get() | set(ids))
    try:
        yield
    finally:
        _OFF.reset(token)
