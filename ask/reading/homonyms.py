"""Words that could be two things: verbs that a column, a table or a value is called like, words of the
grammar and names of rows that are values somewhere.

Owns which of both is meant where the words beside tell it. Must not know SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.reading.lexicon import RELATING
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, stem

_DID = frozenset({"did", "do", "does"})
# behind `did` a second verb follows: `did the order have`, so the noun before it is no verb
_VERBS = RELATING | frozenset(listed("have has had be cost costs"))
_NO_NOUN = frozenset({"percent", "share", "ratio", "running", "change", "difference", "duration", "gap"})
"""Words of the grammar that need `of` before a noun: `percentage coupons` are coupons of a kind."""
_WHERE = frozenset(listed("in at for on with"))
_PART_OF_A_NAME, _ROWS_MEANT, _VERB_MEANT = 0.7, 0.95, 0.97


def verbs_of_subjects(links: Sequence[Link], scope: Scope) -> None:
    """`how many products did each customer order`, `how many sales did each seller make in May`: what they
    did; no customer orders, no make of a car.
    """
    said = [link for link in links if link.mark != "stop"]
    if not set(scope.roles) & _DID:
        return
    for at in range(2, len(said)):
        verb, subject = said[at], said[at - 1]
        # only behind a subject, and not of several words: `did each customer order`
        if subject.mark not in {"table", "value"} or not verb.glued or " " in verb.word:
            continue
        if _ends_with_it(said, at) or (verb.mark == "column" and _is_done(said[: at - 1], verb, scope)):
            verb.mark = "relation"


def _ends_with_it(said: Sequence[Link], at: int) -> bool:
    """Whether a singular noun is the last word, behind two other kinds of rows."""
    verb = said[at]
    # `did each customer have orders`: a plural is a noun
    if at + 1 < len(said) or verb.mark != "table" or verb.word.endswith("s"):
        return False
    others = [link for link in said[:at] if link.mark == "table" and link.tables[:1] != verb.tables[:1]]
    return len(others) > 1


def _is_done(before: Sequence[Link], verb: Link, scope: Scope) -> bool:
    """Whether a word that only relates stands behind `did` and whoever did it, and what was done before that:
    `how many SALES did each seller MAKE`. `What make does the car have` is said of a make.
    """
    if verb.word not in RELATING or verb.word not in scope.roles:
        return False
    place = scope.roles.index(verb.word)
    behind = scope.roles[place + 1 : place + 2]
    helps = [i for i in range(place) if scope.roles[i] in _DID]
    if not helps or set(behind) & _VERBS:
        return False
    spoken = set(scope.roles[: helps[-1]])
    # what was done stands before `did`, so the verb has its object already
    return any(link.mark in {"table", "column"} and set(link.word.split()) <= spoken for link in before)


def kinds_like_grammar(links: Sequence[Link]) -> None:
    """`percentage coupons`, of coupons with a kind of that name: no percentage."""
    for kind, rows in pairwise(links):
        if kind.mark not in _NO_NOUN or rows.mark != "table" or not rows.glued:
            continue
        # only a value of those very rows turns a word of the grammar into a kind of them
        held = [(c, v) for c in rows.tables[0].columns for v in c.values if v.lower() == kind.word]
        if held:
            kind.mark, kind.values = "value", tuple(held)


def rows_like_values(links: Sequence[Link], scope: Scope) -> None:
    """`users who never sent a transaction`, of transactions, where a notification may be of the type
    `transaction`, and nobody spoke of notifications.
    """
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    for link in links:
        if link.mark != "value" or not link.text.islower() or any(c.table in spoken for c, _ in link.values):
            continue
        word, known = stem(link.word), scope.vocabulary.table_words
        named = {ref for ref, words in known.items() if word in map(stem, words)}
        # two tables of that word: the value stays the surer meaning
        if len(named) != 1:
            continue
        table = scope.context.table(named.pop())
        link.mark, link.values, link.tables, link.fits = "table", (), (table,), {table.ref: _PART_OF_A_NAME}
        scope.doubt(f"whether {link.text} says which rows or of what kind", _ROWS_MEANT)


def verbs_like_values(links: Sequence[Link], scope: Scope) -> None:
    """`officers work in Mumbai`, where a kind of visa is called `work`: what the officers do, as long as
    nobody spoke of visas.
    """
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    for rows, verb, place in zip(links, links[1:], links[2:], strict=False):
        # the value in the data's own capitals is meant as the value
        if verb.mark != "value" or verb.word not in RELATING or not verb.text.islower() or not verb.glued:
            continue
        several = rows.mark == "table" and rows.word.endswith("s")
        where = place.preposition in _WHERE and place.mark in {"value", "quoted", "table"}
        if several and where and not any(c.table in spoken for c, _ in verb.values):
            verb.mark, verb.values, verb.columns, verb.fits = "relation", (), (), {}
            scope.doubt(f"whether {verb.text} is what the {rows.text} do", _VERB_MEANT)
