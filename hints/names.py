"""Names inside a hint: which can be written, and how.

pg_hint_plan compares aliases byte by byte, without folding case, and takes a quoted name like SQL
does (doubled quotes). Only a name that would end the comment cannot be written at all.
"""

from __future__ import annotations

import re

_BARE = re.compile(r"[^\s()\"'/*,#+=-][^\s()\"'/*,]*\Z")


class UnwritableName(ValueError):
    """A name that would open or close a comment, or holds a NUL."""


def check_name(name: str) -> None:
    """Raise UnwritableName for a name that no hint comment can carry."""
    if not name or "/*" in name or "*/" in name or "\0" in name:
        raise UnwritableName(f"cannot be written in a hint: {name!r}")


def quote_name(name: str) -> str:
    """The name as pg_hint_plan reads it back; quoted unless it is plainly one word."""
    check_name(name)
    # beyond ASCII a quoted name is compared byte by byte, a bare one may be folded
    if _BARE.match(name) and name.isascii():
        return name
    return '"' + name.replace('"', '""') + '"'
