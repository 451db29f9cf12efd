"""Estimates how many tokens a text takes.

Owns the estimate. It needs no tokenizer: English, SQL and lists of names come to 3 to 4 characters a token
with the usual ones.
"""

from __future__ import annotations

from collections.abc import Iterable

from rewright.models.api import Message

_CHARACTERS = 3.5
_MESSAGE = 4


def tokens_of(text: str) -> int:
    """Tokens of a text, rounded up."""
    return int(len(text) / _CHARACTERS) + 1 if text else 0


def tokens_in(messages: Iterable[Message]) -> int:
    """Tokens of a conversation, its frame included."""
    return sum(tokens_of(message.text) + _MESSAGE for message in messages)
