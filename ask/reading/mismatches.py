"""Words that a name of the data was found for though they mean something else: `kinds of donors` taken for
the kind of their sites, `last` for a last name, `from the start` for a start date.

Owns refusing these. Must not know the grammar; raises Unclear.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.reading.adjectives import begins_superlative
from rewright.ask.reading.intent import Column, Intent
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import FILLERS
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import FUNCTIONS
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed

_KINDS = frozenset(listed("kind kinds type types sort sorts category categories"))
_ENDS = frozenset(("last", "first"))
_WHERE = frozenset(listed("from at in on through via into"))
_PARTLY = 0.8


def words_for_names(links: Sequence[Link]) -> None:
    """Refuses what is decided by a word and its neighbours. Raises Unclear."""
    said = [link for link in links if link.mark != "stop"]
    for first, second in pairwise(said):
        _kinds_of(first, second)
        _two_functions(first, second)
    _most_per_another(said)
    for link, behind in zip(said, [*said[1:], None], strict=True):
        if link.mark == "column" and link.word in _ENDS and (behind is None or not behind.glued):
            raise Unclear(f"it is not clear what is meant by {link.text}")


def _kinds_of(kinds: Link, of: Link) -> None:
    """`kinds of donors`, where only their sites have a kind."""
    if kinds.word not in _KINDS or of.mark != "table" or of.preposition != "of" or kinds.mark != "column":
        return
    # a kind of the very rows is meant; one of others would sort something else
    own = tuple(c for c in kinds.columns if c.table in {t.ref for t in of.tables[:1]})
    if not own:
        raise Unclear(f"it is not clear which {kinds.text} of {of.text} are meant")
    kinds.columns = own


def _most_per_another(links: Sequence[Link]) -> None:
    """`which province has the most voters per member?` read as the most of each member: a ratio is meant.
    Raises Unclear.
    """
    most = next((i for i, link in enumerate(links) if link.mark in {"top", "bottom"}), 0)
    # without rows that are ranked `most voters per member` is a ratio's own business
    if not most or links[0].mark not in {"table", "column"}:
        return
    for per, what in pairwise(links[most:]):
        rows = what.mark == "table" and what.tables[:1] != links[0].tables[:1]
        if (
            per.mark == "each"
            and per.word == "per"
            and rows
            # a group that the ranked rows hold a key of is where they are ranked within
            and not set(what.columns) & set(links[0].columns)
        ):
            raise Unclear(f"it is not clear whether {links[most].text} per {what.text} is a ratio")


def _two_functions(first: Link, second: Link) -> None:
    """`the minimum average rating`: neither of the two by itself. A number of rows may have an average."""
    both = first.mark in FUNCTIONS and second.mark in FUNCTIONS
    # `the average number of` has one function: the number is what is averaged
    if both and second.glued and not second.added and "number" not in second.word:
        raise Unclear(f"it is not clear whether the {first.text} or the {second.text} is wanted")


def _rows_asked_for(links: Sequence[Link], scope: Scope) -> Link | None:
    """The rows that `which doctors went to ...` asks for: not what it says of them."""
    first = links[0] if links else None
    asks = scope.roles[:1] in {("which",), ("what",)}
    return first if asks and first is not None and first.mark == "table" else None


def places_shown(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`from the start` read as a start date to show: behind a preposition a name says where or when, unless
    the words before it ask for it. Raises Unclear.
    """
    # what is grouped by is shown as a group, whatever stands before it
    shown = {e.column for e in intent.outputs if isinstance(e, Column)} - {
        e.column for e in intent.groups if isinstance(e, Column)
    }
    asked = _rows_asked_for(links, scope)
    for before, link in pairwise(links):
        meant = shown & set(link.columns)
        if (
            # such a column's name begins with a superlative: `highest_plot` of an estate
            asked is not None
            and link.mark == "column"
            and link.had
            and meant
            and begins_superlative(link.word)
        ):
            # `which estate has the highest plot`, a column of that name: the estates are asked for
            raise Unclear(f"it is not clear what of {asked.text} is to be shown")
        behind = link.preposition in _WHERE or (asked is not None and link.preposition == "to")
        # an `and` before makes it one of several things to show
        if link.mark != "column" or not behind or link.added or not meant:
            continue
        # behind a verb of showing or a comma it was asked for
        if before.mark in {"each", "order", "comma", "return", "stop"} or scope.roles[:1] == (
            link.preposition,
        ):
            continue
        # a whole name behind a preposition may be shown: `from which city`
        partly = all(link.fit(c) < _PARTLY for c in meant)
        if partly or link.word in FILLERS or (asked is not None and before.mark == "relation"):
            raise Unclear(f"it is not clear what is meant by {link.preposition} {link.text}")
