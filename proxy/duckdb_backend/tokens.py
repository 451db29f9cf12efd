"""The tokens of a text, as PostgreSQL's scanner takes it apart. Must not know statements."""

from __future__ import annotations

from typing import Any

from pglast.error import Error as PglastError
from pglast.parser import scan


def after_words(text: str, words: tuple[str, ...]) -> int | None:
    """The position behind these keywords, each searched behind the one before; None: not there."""
    wanted = list(words)
    for token in tokens_of(text):
        if token.name == wanted[0]:
            wanted.pop(0)
            if not wanted:
                return int(token.end) + 1
    return None


def tokens_of(text: str) -> list[Any]:
    try:
        return list(scan(text))
    except PglastError:
        return []
