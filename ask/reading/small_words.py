"""Readings that the small words of their question speak against: `to Rotterdam`, read by a from_port;
`where .. is also ..`, read as a list of all there is; `made in March`, read by when they are due.

Owns the doubts that make such a reading too unsure to be run. Must not know the grammar; adds doubts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.intent import Column, During, Intent, Part
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.role_words import SAID_BEFORE, role
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root

_AGAINST = 0.75
_RESTRICTS = frozenset(
    listed("where whose both also same without not never no only if unless except neither nor shared common")
)
"""Words of which a reading without any condition has read nothing."""
_NAMES = frozenset(("name", "title"))
_KINDS_OF = frozenset(("kind of", "type of", "sort of", "kinds of", "types of", "sorts of"))
_NAMED = frozenset(("table", "column", "value", "quoted", "moment", "label", "identifier"))
_DUE = "due deadline payable expected"
_OVER = (
    "end ended ends ending finish finished close closed discharge discharged returned return left leave "
    "leaving cancelled cancel terminated resolved completed expire expires expired expiry until"
)
_OVER_TOO = f"{_OVER} valid run runs back over last lasted done"
_LATER = {
    root(w): frozenset(map(root, listed(said)))
    for words, said in (("due deadline", _DUE), (_OVER, _OVER_TOO))
    for w in listed(words)
}
"""Words of dates that come after what they are the dates of, with the words that may ask for them."""


def small_words(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Adds the doubts."""
    _all_there_is(intent, scope)
    _after_it_was_done(intent, scope)
    _names_that_are_keys(intent, links, scope)
    _listed_for_each(intent, links, scope)


def _all_there_is(intent: Intent, scope: Scope) -> None:
    """`accounts where the sales rep is also the csm`, read as a list of both columns."""
    narrowed = intent.where or intent.having or intent.groups or intent.limit or intent.exists or intent.rows
    columns = all(isinstance(e, Column) for e in intent.outputs)
    if columns and not narrowed and _RESTRICTS & set(scope.roles):
        scope.doubt("whether all rows are wanted", _AGAINST)


def _dates(intent: Intent) -> Iterator[ColumnContext]:
    for condition in intent.where:
        if isinstance(condition, During):
            yield condition.column
    for group in intent.groups:
        if isinstance(group, Part):
            yield group.column


def _after_it_was_done(intent: Intent, scope: Scope) -> None:
    """`loans made in March`, of loans whose only date is a due_on."""
    said = {root(w) for w in scope.roles}
    for column in dict.fromkeys(_dates(intent)):
        words = [root(w) for w in scope.words(column)]
        asked = [_LATER[w] for w in words if w in _LATER]
        # another word of its name that the question says names it as well
        if asked and not any(said & forms for forms in asked) and not said & set(words):
            scope.doubt(f"whether {column.name} is when it was", _AGAINST, once=True)


def _names_that_are_keys(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`titles of books`, of books with an isbn and no title: a key is no name."""
    said = {link.word.split()[0].rstrip("s") for link in links if link.mark == "label"}
    shown = [e.column for e in intent.outputs if isinstance(e, Column)]
    texts = [c for c in shown if c.kind == "text" and (not c.key or _NAMES & set(scope.words(c)))]
    if said & _NAMES and shown and not texts and any(c.key for c in shown):
        scope.doubt(f"whether {shown[0].name} is a name", _AGAINST, once=True)


def _listed_for_each(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`what have the repairs cost at each venue?`, read as what each repair cost beside its venue."""
    each = [noun for each, noun in pairwise(links) if each.mark == "each" and noun.mark == "table"]
    if not each or intent.groups or intent.best_of or intent.limit:
        return
    told = scope.told_by(each[0].tables[0].ref)
    shown = [e.column for e in intent.outputs if isinstance(e, Column)]
    if any(c.kind == "number" and not c.key and c.table not in told for c in shown):
        scope.doubt(f"whether there is one for each {each[0].text}", _AGAINST)


def each_of_what(links: Sequence[Link]) -> None:
    """`the price per make`, `for each kind of site`, where no column is one: that they are grouped would be
    lost with the word. Raises Unclear.
    """
    for each, word, after in zip(links, links[1:], (*links[2:], None), strict=False):
        if each.mark != "each" or word.mark != "relation" or each.word == "by" or word.columns or word.tables:
            continue
        noun = after is not None and after.mark in _NAMED and after.glued
        rows = word.word in _KINDS_OF and after is not None and after.mark == "table"
        if rows or not noun:
            raise Unclear(f"it is not clear what is meant by {each.text} {word.text}")


def against_its_direction(links: Sequence[Link], scope: Scope, names: frozenset[str]) -> None:
    """`voyages that went to Rotterdam`, joined by a from_port, whose other end no column says. ``names``:
    what the query names, in lower case.
    """
    for link in links:
        wanted = SAID_BEFORE.get(link.preposition)
        if wanted is None or link.mark not in {"value", "quoted", "table"}:
            continue
        rows = {c.table for c, _ in link.values} | {t.ref for t in link.tables[:1]}
        keys = {k for j in scope.context.joins if j.one.table in rows for k in j.keys}
        used = [{role(w) for w in scope.words(k)} for k in keys if k.name.lower() in names]
        ends = set().union(*used) & {"start", "end", "from", "to"}
        ends = {SAID_BEFORE.get(end, end) for end in ends}
        if ends and wanted not in ends:
            scope.doubt(f"whether {link.preposition} {link.text} is meant so", _AGAINST, once=True)
