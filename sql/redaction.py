"""Texts without the values in them: for people who may see that something happened, and not with what.

Owns taking constants and comments out of SQL, and known values out of messages and JSON documents. Errors on
the side of taking too much. Must not know who may see what.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.sql.templates import COMMENTS

WITHHELD = "<withheld>"
GONE = "?"
_NUMBERS = frozenset({"ICONST", "FCONST"})
_STRINGS = frozenset({"SCONST", "USCONST", "BCONST", "XCONST"})
_TAKEN_OUT = _NUMBERS | _STRINGS | frozenset(COMMENTS)
# what the server cuts from a value to put it into a message is at least so long
_SHORTEST = 3
_WRITTEN = re.compile(r"\A(?:[eEnN]|[uU]&)?'(.*)'\Z|\A\$[^$]*\$(.*)\$[^$]*\$\Z", re.DOTALL)
_MAX_TEXT = 200_000


def without_literals(text: str) -> str:
    """SQL without its constants and comments; ``WITHHELD`` where its tokens can't be told apart.

    >>> without_literals("select a from t where b = 'x' and c < 5 -- secret")
    'select a from t where b = ? and c < ? '
    >>> without_literals("select 'x")
    '<withheld>'
    """
    gone = with_marks(text, GONE, GONE)
    return WITHHELD if gone is None else gone


def with_marks(text: str, number: str, string: str) -> str | None:
    """SQL with a mark for each constant and without comments; None where its tokens can't be told apart.

    >>> with_marks("select a from t where b = 'x' and c < 5", "$1", "'?'")
    "select a from t where b = '?' and c < $1"
    """
    found = _constants(text)
    if found is None:
        return None
    parts, at = [], 0
    for token in found:
        mark = number if token.name in _NUMBERS else string if token.name in _STRINGS else ""
        parts += [text[at : token.start], mark]
        at = token.end + 1
    return "".join([*parts, text[at:]])


def has_strings(text: str) -> bool:
    """Whether a text (of a template, too) has constants that are strings or bit strings; True where that
    can't be told.
    """
    found = _constants(text)
    return found is None or any(token.name in _STRINGS for token in found)


def values_in(text: str) -> set[str]:
    """What constants and comments of a text say: strings as they are meant, numbers as written, texts of
    comments.

    >>> sorted(values_in("select 'it''s', 5 /* for Ann */"))
    ['5', 'for Ann', "it''s", "it's"]
    """
    found = _constants(text)
    if found is None:
        return {value for pair in re.findall(r"'([^']*)'|\$\$(.*?)\$\$", text) for value in pair if value}
    return {
        value for token in found for value in _said(token.name, text[token.start : token.end + 1]) if value
    }


def _said(name: str, spelled: str) -> Iterator[str]:
    """What one constant or comment says, and the pieces of a string."""
    if name in _NUMBERS:
        yield spelled
    elif name in COMMENTS:
        yield spelled.strip("/*-+ \t\r\n")
    else:
        found = _WRITTEN.match(spelled)
        inner = spelled if found is None else found[1] or found[2] or ""
        yield from (inner, inner.replace("''", "'"))
        # of a pattern, or of a path, a message may have a piece
        yield from (piece for piece in re.split(r"[%_\s,;:/\\'\"{}()]+", inner) if len(piece) > _SHORTEST)


def without_values(message: str, values: Iterable[str]) -> str:
    """A message without the values, however they are quoted in it; numbers only where they stand alone.

    >>> without_values('invalid input syntax for type date: "x-123"', {"x-123", "5"})
    'invalid input syntax for type date: "?"'
    """
    for value in sorted(values, key=len, reverse=True):
        if not _may_hold(message, value):
            continue
        if value.replace(".", "", 1).isdigit() or len(value) < _SHORTEST:
            message = re.sub(rf"(?<![\w.]){re.escape(value)}(?![\w.])", GONE, message)
        else:
            message = re.sub(re.escape(value), GONE, message, flags=re.IGNORECASE)
    return message


def _may_hold(message: str, value: str) -> bool:
    """False where a value is certainly not in a message: most are in none, and compiling a pattern for each
    took most of a page's time.
    """
    # upper and lower case are pairs in ASCII only
    return not (message.isascii() and value.isascii()) or value.lower() in message.lower()


def scrubbed(document: Any, values: Iterable[str] = ()) -> Any:
    """A JSON document without ``values``, without the constants of any SQL in it, and without what those say
    anywhere.
    """
    known = set(values)
    for text in _strings(document):
        known |= {value for value in values_in(text) if not value.isdigit()}
    return _mapped(document, known)


def _strings(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for value in document.values():
            yield from _strings(value)
    elif isinstance(document, list | tuple):
        for value in document:
            yield from _strings(value)


def _mapped(document: Any, known: set[str]) -> Any:
    if isinstance(document, str):
        return without_literals(without_values(document, known))
    if isinstance(document, dict):
        return {key: _mapped(value, known) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [_mapped(value, known) for value in document]
    return document


# a text's values are asked for first, then the text without them
@lru_cache(maxsize=8)
def _constants(text: str) -> Any:
    """The tokens of a text that are constants or comments, a few of all there are; None where the text can't
    be scanned.
    """
    if len(text) > _MAX_TEXT or "\x00" in text:
        return None
    try:
        return tuple(token for token in scan(text) if token.name in _TAKEN_OUT)
    except (PglastError, UnicodeError, ValueError):
        return None


__all__ = [
    "WITHHELD",
    "has_strings",
    "scrubbed",
    "values_in",
    "with_marks",
    "without_literals",
    "without_values",
]
