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
    r"[\[<]\s*(EXPLORE|REFINE|SQL|CONFIRM)\s*[\]>]|^\W{0,4}(EXPLORE|REFINE|SQL|CONFIRM)\b\W{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(
    r"```[ \t]*(?:sql|postgresql|postgres|duckdb)?[ \t]*\n?(.*?)(?:```|\Z)", re.IGNORECASE | re.DOTALL
)
_BARE = re.compile(r"^\s*(select|with)\b", re.IGNORECASE)
_STATEMENT = re.compile(
    r"^[\s(]*(?:select|with|values|table|explain|set|show|insert|update|delete|merge|create|alter|drop|truncate|grant"
    r"|revoke|do|call|copy|begin|commit|vacuum|analyze|lock|declare|execute|prepare)\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"[\[<]\s*/\s*(?:EXPLORE|REFINE|SQL|CONFIRM)\s*[\]>]", re.IGNORECASE)
_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.IGNORECASE | re.DOTALL)
# queries in a numbered list, whose numbers would be syntax errors
_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s+(?=select\b|with\b)", re.IGNORECASE | re.MULTILINE)
_COMMENTS = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
# queries beyond those are a reply that has run away
_MOST_QUERIES = 8
_LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class Action:
    """``queries`` of EXPLORE (several) and SQL (one; more were said where there are more); ``text`` of REFINE
    and CONFIRM.
    """

    tag: Tag
    text: str = ""
    queries: tuple[str, ...] = ()


def action_of(reply: str) -> Action | None:
    """The action, or None where there is none in the reply."""
    # what was thought aloud may hold tags of its own
    reply = _CLOSED.sub("", _THINKING.sub("", reply[:_LONGEST]))
    match = _TAG.search(reply)
    if match is None:
        return _untagged(reply)
    tag = cast("Tag", (match[1] or match[2]).upper())
    following = _TAG.search(reply, match.end())
    if (
        tag == "REFINE"
        and following is not None
        and (following[1] or following[2]).upper() in {"SQL", "EXPLORE"}
    ):
        return action_of(reply[following.start() :])  # a plan waits for no result
    rest = reply[match.end() : following.start() if following else len(reply)].strip()
    if tag in {"REFINE", "CONFIRM"}:
        return Action(tag, rest.lstrip("*_:- \n"))
    queries = _queries(rest)
    if not queries:
        return None
    return Action(tag, rest, queries)


def _untagged(reply: str) -> Action | None:
    """A query alone is taken for the query."""
    # without a fence and not beginning as a query it is prose
    fenced = _FENCE.search(reply)
    if fenced is None and not _BARE.match(reply):
        return None
    queries = _queries(reply)
    return Action("SQL", reply, queries) if queries else None


def _queries(text: str) -> tuple[str, ...]:
    # an unclosed fence is read to the end, as replies may be cut off
    blocks = [match[1] for match in _FENCE.finditer(text)] or [text]
    found = [query for block in blocks for query in _split(_ITEM.sub("", block))]
    # prose that stands beside a query is none
    told = [query for query in found if _STATEMENT.match(_COMMENTS.sub("", query))]
    return tuple(dict.fromkeys(told or found))[:_MOST_QUERIES]


def _split(block: str) -> list[str]:
    """Statements between semicolons that stand outside of strings and comments."""
    try:
        cuts = [token.start for token in scan(block) if token.name == "ASCII_59"]
    except (PglastError, ValueError):
        # what PostgreSQL cannot scan is cut at line ends, and fails when it runs
        cuts = [match.start() for match in re.finditer(r";\s*$", block, re.MULTILINE)]
    starts = [0, *(cut + 1 for cut in cuts)]
    pieces = [block[a:b].strip() for a, b in zip(starts, [*cuts, len(block)], strict=True)]
    # a piece of nothing but comments is no statement
    return [piece for piece in pieces if re.sub(r"--[^\n]*", "", piece).strip()]
