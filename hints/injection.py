"""Puts a hint set into a statement's text, or says why it must not.

One comment at the very front (older pg_hint_plan reads only the first; 1.8 takes one anywhere and
raises an error on a second), and the CTE keywords in their places. The text is never reformatted:
a client's statement stays byte for byte what it was, but for what is inserted.
"""

from __future__ import annotations

from dataclasses import dataclass

import pglast
from pglast.parser import scan

from rewright.hints.base import HintSet, Materialize


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no hint is put into this text, for people."""

    reason: str


# From this many relations on GEQO plans the join, and pg_hint_plan's join hints are ignored
# (geqo_threshold's default; observed: every join hint "not used").
GEQO_THRESHOLD = 12


def inject(text: str, hints: HintSet) -> str | Refusal:
    """The statement with ``hints`` in it, exactly one hint comment; a Refusal where that cannot be.

    ``text`` is one statement without hints. Raises nothing on odd text: what does not scan is refused.
    """
    if not hints:
        return text
    # pg_hint_plan 1.8 raises an error on a second comment
    if "/*+" in text:
        return Refusal("the text already holds a hint comment")
    if "\0" in text:
        return Refusal("the text holds a NUL")
    with_ctes = _mark_ctes(text, hints.for_ctes)
    if isinstance(with_ctes, Refusal):
        return with_ctes
    comment = hints.comment()
    return f"{comment} {with_ctes}" if comment else with_ctes


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


def _mark_ctes(text: str, marks: tuple[Materialize, ...]) -> str | Refusal:
    if not marks:
        return text
    try:
        tokens = scan(text)
    except pglast.Error:
        return Refusal("the text does not scan")
    edits: list[_Edit] = []
    for mark in marks:
        found = [edit for at in range(len(tokens)) if (edit := _cte_edit(text, tokens, at, mark))]
        if len(found) != 1:
            return Refusal(f"{len(found)} CTEs are named {mark.cte}")
        edits.append(found[0])
    # From behind, so that places before an edit stay what they are.
    for edit in sorted(edits, key=lambda e: -e.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _cte_edit(text: str, tokens: list[pglast.parser.Token], at: int, mark: Materialize) -> _Edit | None:
    """The edit for a CTE that starts at token ``at``: name [(columns)] AS [[NOT] MATERIALIZED] (."""

    def word(i: int) -> str:
        return text[tokens[i].start : tokens[i].end + 1] if i < len(tokens) else ""

    # a name at another place is a reference, or a column
    if _identifier(word(at)) != mark.cte or at == 0 or word(at - 1).lower() not in {"with", "recursive", ","}:
        return None
    i = at + 1
    if word(i) == "(":
        while i < len(tokens) and word(i) != ")":
            i += 1
        i += 1
    if word(i).lower() != "as":
        return None
    after_as = tokens[i].end + 1
    j = i + 1
    if word(j).lower() == "not":
        j += 1
    if word(j).lower() == "materialized":
        j += 1
    # a data-modifying CTE is always computed once: it takes no keyword
    if word(j) != "(" or word(j + 1).lower() not in {"select", "with", "values", "(", "table"}:
        return None
    keyword = "NOT MATERIALIZED" if mark.negated else "MATERIALIZED"
    return _Edit(after_as, tokens[j].start, f" {keyword} ")


def _identifier(word: str) -> str:
    """A token's identifier as PostgreSQL reads it: folded unless quoted."""
    if word.startswith('"') and word.endswith('"') and len(word) > 1:
        return word[1:-1].replace('""', '"')
    # beyond ASCII the server folds by its own locale
    return word.lower() if word.isascii() else word
