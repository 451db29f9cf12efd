"""One reply, one action: its tag and what follows it.

Owns the reading of replies: forgiving about where the tag stands and how SQL is fenced, strict about there
being one action (what follows a second tag was written without its results, and is cut). Must not know what
becomes of actions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from pglast.error import Error as PglastError
from pglast.parser import scan

Tag = Literal["EXPLORE", "REFINE", "SQL", "CONFIRM"]
_TAG = re.compile(
    r"\[\s*(EXPLORE|REFINE|SQL|CONFIRM)\s*\]|^\W{0,4}(EXPLORE|REFINE|SQL|CONFIRM)\b\W{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(
    r"```[ \t]*(?:sql|postgresql|postgres|duckdb)?[ \t]*\n?(.*?)(?:```|\Z)", re.IGNORECASE | re.DOTALL
)
_BARE = re.compile(r"^\s*(select|with)\b", re.IGNORECASE)
_MOST_QUERIES = 8
_LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class Action:
    """``queries`` of EXPLORE (several) and SQL (one); ``text`` of REFINE and CONFIRM."""

    tag: Tag
    text: str = ""
    queries: tuple[str, ...] = ()


def action_of(reply: str) -> Action | None:
    """The action, or None where there is none in the reply."""
    reply = reply[:_LONGEST]
    match = _TAG.search(reply)
    if match is None:
        return _untagged(reply)
    tag = cast("Tag", (match[1] or match[2]).upper())
    following = _TAG.search(reply, match.end())
    rest = reply[match.end() : following.start() if following else len(reply)].strip()
    if tag in {"REFINE", "CONFIRM"}:
        return Action(tag, rest)
    queries = _queries(rest)
    if not queries:
        return None
    return Action(tag, rest, queries if tag == "EXPLORE" else queries[-1:])


def _untagged(reply: str) -> Action | None:
    """A query alone is taken for the query."""
    fenced = _FENCE.search(reply)
    if fenced is None and not _BARE.match(reply):
        return None
    queries = _queries(reply)
    return Action("SQL", reply, queries[-1:]) if queries else None


def _queries(text: str) -> tuple[str, ...]:
    blocks = [match[1] for match in _FENCE.finditer(text)] or [text]
    found = [query for block in blocks for query in _split(block)]
    return tuple(found[:_MOST_QUERIES])


def _split(block: str) -> list[str]:
    """Statements between semicolons that stand outside of strings and comments."""
    try:
        cuts = [token.start for token in scan(block) if token.name == "ASCII_59"]
    except (PglastError, ValueError):
        cuts = [match.start() for match in re.finditer(r";\s*$", block, re.MULTILINE)]
    starts = [0, *(cut + 1 for cut in cuts)]
    pieces = [block[a:b].strip() for a, b in zip(starts, [*cuts, len(block)], strict=True)]
    return [piece for piece in pieces if re.sub(r"--[^\n]*", "", piece).strip()]
