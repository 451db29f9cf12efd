"""Placeholders of templates inside trees and texts: Params with numbers no real parameter has.

A placeholder stands for a literal, so it is never NULL. Owns the numbering and the spelling of holes; knows
nothing else.
"""

from __future__ import annotations

import re

KINDS = ("i", "l", "n", "s")
HOLE = re.compile(r"⟦([0-9]{1,5}):([ilns])⟧")
# PostgreSQL has at most 65535 parameters
_BASE = 1_000_000


def index_of(number: int, kind: str) -> int:
    """The Param index of hole ``number`` (from 1)."""
    return _BASE + number * len(KINDS) + KINDS.index(kind)


def is_placeholder(index: int) -> bool:
    return index >= _BASE


def hole(number: int, kind: str) -> str:
    return f"⟦{number}:{kind}⟧"


def hole_of(index: int) -> str:
    """The hole of a placeholder's Param index."""
    number, kind = divmod(index - _BASE, len(KINDS))
    return hole(number, KINDS[kind])


def is_string(index: int) -> bool:
    """Whether the hole takes a string (whose type a cast must say) rather than a number."""
    return KINDS[(index - _BASE) % len(KINDS)] == "s"


def sentinel(number: int, kind: str) -> str:
    """A value that marks hole ``number`` in a text to be parsed: digits of the kind,
    or a string's content.
    """
    match kind:
        case "i":
            return str(2_070_000_000 + number)
        case "l":
            return str(7_070_707_000_000_000_000 + number)
        case "n":
            return f"70707070707070707070{number:06d}.5"
        case _:
            return f"rewright hole {number}"
