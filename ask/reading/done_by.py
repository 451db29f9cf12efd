"""By whom something was done: `who painted each object`, of which the data does not tell; `rated by their
designers`, of ratings by members; `spent the most` without any money.

Owns the doubts of readings that show nobody who did it, or join those who did by rows that have to do with
both by chance. Must not know the grammar; raises Unclear, or adds doubts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rewright.ask.reading.intent import Aggregate, Intent
from rewright.ask.reading.intent_parts import aggregates_of, columns_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root
from rewright.sql.algebra import TableRef

_AS_LIKELY = 0.75
_STATES = frozenset(listed("is are was were has have had did does do"))
_PAYS = frozenset(map(root, listed("spend spent earn earned pay paid")))
_BY_THE_WAY = frozenset(
    listed(
        "incident accident penalty fine complaint warning alert elimination absence dispute sanction injury "
        "fault"
    )
)
"""Rows of what went wrong: that both have to do with one says nothing else of them."""


def done_by(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Doubts that those who are shown did it."""
    _without_money(intent, links, scope)
    _done_by_nobody(intent, links, scope)
    _done_by_others(links, scope)
    _done_by_parts(links, scope)
    _most_done(intent, links, scope)


def _without_money(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`who spent the most`, read as the one with the most rows."""
    pays = next((link for link in links if link.mark == "relation" and root(link.word) in _PAYS), None)
    if pays is None or not {"most", "least", "much"} & set(scope.roles):
        return
    shown = (*intent.outputs, *(e for e, _ in intent.order))
    if not any(isinstance(m, Aggregate) and m.function == "count" for e in shown for m in aggregates_of(e)):
        return
    parts = (*shown, *intent.where, *intent.having)
    numbers = [c for part in parts for c in columns_of(part) if c.kind == "number" and not c.key]
    if not numbers and not {root(w) for part in parts for w in _words_of(tables_of(part), scope)} & _PAYS:
        scope.doubt(f"what is {pays.text}", _AS_LIKELY)


def _words_of(tables: Sequence[TableRef], scope: Scope) -> Iterator[str]:
    for ref in tables:
        yield from scope.words(scope.context.table(ref))


def _done_by_nobody(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`who painted each object` read as a list of objects. Raises Unclear."""
    who, said = scope.roles[:1] == ("who",), scope.roles[1:2]
    at = next((i for i, link in enumerate(links) if (*link.word.split(),)[:1] == said), None) if who else None
    if at is None or said[0] in _STATES:
        return
    behind = {t.ref for link in links[at + 1 :] if link.mark == "table" for t in link.tables[:1]}
    shown = [e for e in intent.outputs if not aggregates_of(e)]
    columns = [c for e in shown for c in columns_of(e)]
    dated = any(c.kind == "date" and c in links[at].columns for c in columns)
    if dated or (columns and all(c.kind == "date" or (c.kind == "number" and not c.key) for c in columns)):
        raise Unclear(f"nothing that is shown says who {links[at].text} it")
    # a host_name of shows says who hosts them, an owner who owns them
    verb = said[0].removesuffix("s").removesuffix("ed")
    texts = {w for c in columns if c.kind == "text" for w in scope.words(c)}
    told = any(root(w) == root(said[0]) or (len(verb) > 2 and w.startswith(verb)) for w in texts)
    if shown and {t for e in shown for t in tables_of(e)} <= behind and not told:
        raise Unclear(f"nothing that is shown says who {links[at].text} it")


def _done_by_others(links: Sequence[Link], scope: Scope) -> None:
    """`games rated by their designers`, of ratings that refer to members."""
    for verb, doer in pairwise(_without_by(links)):
        events = [t.ref for t in verb.tables[:1]] if verb.mark == "relation" else []
        if not events or doer.mark != "table" or doer.preposition != "by":
            continue
        who = {t.ref for t in doer.tables[:1]}
        people = {j.one.table for j in scope.context.joins if j.many.table in events}
        if not who & {*people, *events}:
            scope.doubt(f"whether {doer.text} are who {verb.text} it", _AS_LIKELY)


def _done_by_parts(links: Sequence[Link], scope: Scope) -> None:
    """`missions led by a woman`, of casualties with a sex: what belongs to a mission does not lead it."""
    before: TableRef | None = None
    for verb, doer in pairwise(_without_by(links)):
        before = verb.tables[0].ref if verb.mark == "table" and verb.tables else before
        by = verb.mark == "relation" and not verb.tables and doer.mark == "value" and doer.preposition == "by"
        parts = (
            {j.many.table for j in scope.context.joins if j.one.table == before} if by else set[TableRef]()
        )
        owners = {c.table for c, _ in doer.values}
        told = {root(w) for ref in owners for w in scope.words(scope.context.table(ref))}
        if owners and owners <= parts and root(verb.word) not in told:
            scope.doubt(f"whether {doer.text} is who {verb.text} it", _AS_LIKELY)


def _without_by(links: Sequence[Link]) -> list[Link]:
    """`by` alone says who did it, and groups nothing."""
    return [link for link in links if link.mark != "each" or link.word != "by"]


def _most_done(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`who wrote the most borrowed book`, read as whose books were borrowed and are the most."""
    counted = {m.of for e, _ in intent.order for m in aggregates_of(e) if isinstance(m, Aggregate)}
    for most, verb, noun in zip(links, links[1:], links[2:], strict=False):
        done = verb.mark == "relation" and verb.glued and verb.word.endswith("ed")
        if most.word == "most" and done and noun.mark == "table" and noun.tables[0].ref in counted:
            scope.doubt(f"what is most {verb.text}", _AS_LIKELY)


def joined_by_the_way(tables: Sequence[TableRef], intent: Intent, scope: Scope) -> None:
    """`matches of each player`, of players with a penalty in some; ``tables``: those of the query."""
    parts = (*intent.outputs, *intent.groups, *(e for e, _ in intent.order), *intent.where, *intent.having)
    read = {*scope.said(), *intent.rows, *(t for part in parts for t in tables_of(part))}
    read |= {t.ref for link in scope.links for t in link.tables[:1]}
    for ref in dict.fromkeys(tables):
        words = scope.words(scope.context.table(ref))
        if ref not in read and set(words) & _BY_THE_WAY:
            scope.doubt(f"whether rows of {ref.name} say which belong together", _AS_LIKELY, once=True)
