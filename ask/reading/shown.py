"""Columns that a reading shows or counts although the question named them to say something else: the place of
a measure (`the score in comments`), a state (`and are on Friday`), the rows of a text (`how many comments`).

Owns the doubts that make such a reading too unsure to be run. Must not know the grammar; adds doubts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.intent import Aggregate, Column, Expression, Intent, Known
from rewright.ask.reading.intent_parts import aggregates_of, columns_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.rows import tells_by_chance
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, stem

_AS_LIKELY = 0.75
_PLACES = frozenset(listed("in on at into through"))
"""Behind these stands where something is, which is no thing to be shown."""
_CAN = frozenset(listed("can could may"))
_SAYS_WHAT = frozenset(map(stem, listed("text body message content description comment note remark")))


def shown(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Doubts a reading that shows or counts what the question only speaks of by the way."""
    _places_shown(intent, links, scope)
    _texts_counted(intent, links, scope)
    _numbers_for_rows(intent, links, scope)
    _theirs_for_them(intent, links, scope)
    _counted_for_summed(intent, links, scope)
    _what_they_can(intent, links, scope)


def _places_shown(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`offerings that end after 3pm and are on Friday`, with what stands in a column friday."""
    ranked = {c for e, _ in intent.order for c in _columns(e)}
    each = {id(b) for a, b in pairwise(links) if a.mark in {"each", "every"}}
    for column in dict.fromkeys(c for e in intent.outputs for c in _columns(e) if c not in ranked):
        named = [link for link in links if column in link.columns and link.mark == "column"]
        if named and all(link.preposition in _PLACES and id(link) not in each for link in named):
            scope.doubt(f"whether {column.name} is to be shown", _AS_LIKELY, once=True)


def _columns(expression: Expression) -> tuple[ColumnContext, ...]:
    return (expression.column,) if isinstance(expression, Column) else ()


def _numbers_for_rows(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`which stock had the largest volume`, told by the price that is another each day; `the address of the
    Pasta House`, by the number of the house's own row. Raises Unclear.
    """
    ranked = {c for e, _ in intent.order for c in columns_of(e)}
    for column in (c for e in intent.outputs for c in _columns(e) if c not in ranked):
        named = any(column in link.columns for link in links) or column.name in scope.hinted
        if named or column.kind != "number" or column.key:
            continue
        if tells_by_chance(column):
            raise Unclear(f"nothing names a row of {column.table.name}")
        if column.unique and scope.context.refers(column):
            scope.doubt(f"whether {column.table.name} are told by their {column.name}", _AS_LIKELY)


def _texts_counted(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`how many comments did each get`, read as how many different texts of comments: each is one, whatever
    it says; `the most contacts`, as how many different values a column `Cont` has.
    """
    cut = {c for link in links if link.loosely_cut for c in link.columns}
    for column in (c.column for c in intent.where if isinstance(c, Known) and c.column in cut):
        scope.doubt(f"whether {column.name} is what is there or not", _AS_LIKELY)
    measured = (*intent.outputs, *(e for e, _ in intent.order))
    for measure in (m for e in measured for m in aggregates_of(e) if isinstance(m, Aggregate)):
        if measure.function != "count" or not measure.distinct or not isinstance(measure.of, ColumnContext):
            continue
        words = [stem(w) for w in scope.words(measure.of)]
        if measure.of in cut or (words and words[-1] in _SAYS_WHAT and measure.of.kind == "text"):
            scope.doubt(f"whether the rows of {measure.of.table.name} are counted", _AS_LIKELY)


def _theirs_for_them(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`which sites get their water from a well`, read as a list of what the water of sites comes from."""
    head = links[0].tables[0] if links and links[0].mark == "table" else None
    if scope.roles[:1] != ("which",) or head is None or intent.groups or intent.where or intent.order:
        return
    columns = [c for e in intent.outputs for c in _columns(e)]
    said = {c for link in links if link.mark == "column" and not link.added for c in link.columns}
    if columns and all(c in said and c.table == head.ref and not c.unique for c in columns):
        scope.doubt(f"which {head.ref.name} are meant", _AS_LIKELY)


def _counted_for_summed(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`who was interrupted the most`, by how many speeches there were, of speeches with interruptions."""
    measures = [m for e, _ in intent.order for m in aggregates_of(e) if isinstance(m, Aggregate)]
    rows = {m.of for m in measures if m.function == "count"}
    verbs = [c for link in links if link.mark == "relation" for c in link.columns if c.kind == "number"]
    nouns = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    if any(c.table in rows - nouns and not c.key and not scope.context.refers(c) for c in verbs):
        scope.doubt(f"whether {verbs[0].name} is added up", _AS_LIKELY)


def _what_they_can(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`berths that can take ships longer than 250 m`, read as those that took one: others may do so, too."""
    verbs = {link.word for link in links if link.mark == "relation"}
    able = any(a in _CAN and b in verbs for a, b in pairwise(scope.roles))
    told = {t for c in intent.where for t in tables_of(c)} | set(intent.rows)
    own = {c.table for e in intent.outputs for c in _columns(e)}
    if able and own and told - own:
        scope.doubt("whether what can be done was done", _AS_LIKELY)


def always_there(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`open orders with the customer`, read as orders that have one: all have, so more is wanted of it."""
    if intent.exists or intent.groups:
        return
    used = {t for e in intent.outputs for t in tables_of(e)} | {t for c in intent.where for t in tables_of(c)}
    used |= {t for e, _ in intent.order for t in tables_of(e)}
    own = {t for e in intent.outputs for t in tables_of(e)}
    if len(own) != 1:
        return
    had = {link.tables[0].ref for link in links if link.mark == "table" and link.preposition == "with"}
    for table in (had & scope.always_with(next(iter(own)))) - used:
        scope.doubt(f"what of {table.name} is wanted", _AS_LIKELY)
