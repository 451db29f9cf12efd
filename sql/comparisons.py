"""The comparisons among each other, by the names of their operators. Must not know expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rewright.sql.types import DETERMINISTIC_COLLATIONS

# the same with its sides exchanged
FLIPPED: Mapping[str, str] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
# what holds where it is false
DENIED: Mapping[str, str] = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def alike_one_by_one(name: str, collations: Iterable[str]) -> bool:
    """Whether a comparison with the elements of an array is the comparison with each by itself: an array has
    one collation, which one of its elements may bring for all. Which texts are equal is the same under all
    that are deterministic. ``name``: of a built-in operator; ``collations``: of the elements.
    """
    own = set(collations) - {""}
    return len(own) < 2 or (name in {"=", "<>"} and own <= DETERMINISTIC_COLLATIONS)
