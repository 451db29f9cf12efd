"""libpg_query's fingerprints: for grouping statistics only, never identity (it maps different queries together)."""

from __future__ import annotations

from pglast.parser import ParseError, fingerprint

from rewright.sql.parsing import TooDeep, parse

_MAX_TEXT = 1_000_000


def fingerprint_of(text: str) -> str | None:
    """The fingerprint (16 hex digits) of a text; None when it does not parse."""
    if len(text) > _MAX_TEXT or "\x00" in text:
        return None
    try:
        parse(text)
        return str(fingerprint(text))
    except (ParseError, TooDeep):
        return None
