"""Words of a question that a reading takes for less than they say: a verb of an outcome that only joins, a
deed that is another table's, `their own` of two things.

Owns the doubts that make such a reading too unsure to be run. Must not know the grammar; adds doubts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from rewright.ask.context import ColumnContext
from rewright.ask.reading.adjectives import begins_superlative
from rewright.ask.reading.intent import Aggregate, Column, Intent, Known, OneOf, With, Without
from rewright.ask.reading.intent_parts import columns_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.shown import shown
from rewright.ask.reading.words import listed, root
from rewright.sql.algebra import TableRef

_AS_LIKELY = 0.75
_IN_PART = 0.75
"""Fit below which a word is only a part of a column's name."""
_THEIRS = frozenset(listed("their its his her"))
_BEGINS = frozenset(listed("booked ordered placed requested reserved submitted made created opened started"))
_WINS = frozenset(listed("win wins won lose loses lost beat beats beaten"))
_WON = frozenset(
    map(root, listed("win winner prize award medal title trophy honour honor result outcome rank place lost"))
)
"""What tells that somebody won, or is there for those who did."""
_CAN = frozenset(listed("can could may"))
_THERE = ("exist", "record", "regist", "list", "have", "store", "available in")
_HAVE = frozenset(listed("have has had with having"))
_BOTH = ("one", "other")
_ENDS = frozenset(map(root, listed("winner loser champion")))


def overlooked(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Doubts a reading that drops what a word says."""
    _all_of_some(intent, links, scope)
    _who_is_best(intent, links, scope)
    _their_own(scope)
    _won(intent, links, scope)
    _only_won(intent, scope)
    _deeds_of_others(intent, links, scope)
    _flags_of_deeds(intent, links, scope)
    _had_by_others(intent, links, scope)
    _had_and_shown(intent, links, scope)
    _begun_by_them(links, scope)
    _both_of_them(intent, links, scope)
    _both_had(intent, scope)
    _had_by_any(intent, scope)
    _said_twice(intent)
    shown(intent, links, scope)


def _all_of_some(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`which heroes can fly?` read as all heroes: the verb says which, and no part of the query does."""
    restricted = intent.where or intent.having or intent.order or intent.groups or intent.rows
    tables = set(_tables(intent))
    # rows that others refer to by the way are some already
    if restricted or len(tables) != 1 or not _unread_verb(links, scope):
        return
    table = scope.context.table(tables.pop())
    shown = [e.column for e in intent.outputs if isinstance(e, Column)]
    names = scope.roles[:1] in {("which",), ("who",)} and all(c.key or c in scope.label(table) for c in shown)
    listed = bool(shown) and len(shown) == len(intent.outputs) and names
    counts = [
        e for e in intent.outputs if isinstance(e, Aggregate) and isinstance(e.of, TableRef) and not e.where
    ]
    if listed or (counts and len(counts) == len(intent.outputs) and _CAN & set(scope.roles)):
        scope.doubt(f"which {table.ref.name} are meant", _AS_LIKELY)


def _who_is_best(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`who has the fastest lap?` read as the column of fastest laps: nobody is shown, none is fastest.
    Raises Unclear.
    """
    restricted = intent.where or intent.having or intent.order or intent.groups
    named = any(link.mark == "table" for link in links)
    if scope.roles[:1] == ("who",) and not restricted and not named and _best_in_a_name(links):
        raise Unclear("it is not clear who is meant")


def _best_in_a_name(links: Sequence[Link]) -> bool:
    return any(link.mark == "column" and begins_superlative(link.word) for link in links)


def _unread_verb(links: Sequence[Link], scope: Scope) -> bool:
    verbs = (link for link in links if link.mark == "relation" and not link.word.startswith(_THERE))
    return "there" not in scope.roles and any(not link.tables for link in verbs)


def _their_own(scope: Scope) -> None:
    """`players of a team from their own country`: two columns are compared, where only one is read."""
    if any(first in _THEIRS and second == "own" for first, second in pairwise(scope.roles)):
        scope.doubt("what is the same for both", _AS_LIKELY)


def _won(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`the team that won the most tournaments` read as the one in most of them."""
    if not any(link.mark == "relation" and link.word in _WINS for link in links):
        return
    # what is read must speak of winning somewhere: tables, or columns of conditions
    read = set(_tables(intent))
    said = {root(w) for t in read for w in scope.words(scope.context.table(t))}
    said |= {root(w) for c in intent.where for column in columns_of(c) for w in scope.words(column)}
    # `plays` that refer to their winner
    ends = (j for j in scope.context.joins if {j.many.table, j.one.table} <= read)
    said |= {root(w) for join in ends for key in join.keys for w in scope.words(key)}
    if not said & _WON:
        scope.doubt("who won", _AS_LIKELY)


def _only_won(intent: Intent, scope: Scope) -> None:
    """`members who have never played a game`, of plays that refer to their winner: others played too."""
    said = {root(w) for w in scope.roles}
    read = {*_tables(intent), *intent.rows} | {c.gone for c in intent.where if isinstance(c, Without)}
    joins = [j for j in scope.context.joins if {j.many.table, j.one.table} <= read]
    for join in joins:
        others = [j for j in joins if {j.many.table, j.one.table} == {join.many.table, join.one.table}]
        # with another key between the two the way is chosen by what is said
        if (
            len(others) == 1
            and (ended := {root(w) for w in scope.words(join.many)} & _ENDS)
            and not ended & said
        ):
            scope.doubt(f"whether {join.many.name} says who did it", _AS_LIKELY, once=True)


def _tables(intent: Intent) -> list[TableRef]:
    parts = (*intent.outputs, *intent.groups, *(e for e, _ in intent.order))
    return [t for part in parts for t in tables_of(part)] + [t for c in intent.where for t in tables_of(c)]


def _deeds_of_others(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`carers who have left`, by the date on which children left that a carer's incidents are of: what was
    done is said of the rows that are named, not of some that nobody speaks of.
    """
    named = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    loose = [c for link in links if max(link.fits.values(), default=1.0) < _IN_PART for c in link.columns]
    for column in (c.column for c in intent.where if isinstance(c, Known)):
        ends = [{j.many.table, j.one.table} for j in scope.context.joins]
        # rows that refer to the named ones, or that they refer to, may well say it of them
        beside = {t for pair in ends if column.table in pair for t in pair}
        if named and column in loose and column.table not in named and not beside & named:
            scope.doubt(f"whether that is said of {column.table.name}", _AS_LIKELY)


def _had_and_shown(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`applicants with a job`, read as their jobs: those that have one are meant."""
    shown = {e.column for e in intent.outputs if isinstance(e, Column)}
    for link in links:
        words = (link.preposition, *link.word.split()[:1])
        had = any((a, c) == words and b in {"a", "an"} for a, b, c in _threes(scope.roles))
        if link.mark == "column" and link.preposition == "with" and had and shown & set(link.columns):
            scope.doubt(f"whether {link.text} is to be shown", _AS_LIKELY)


def _threes(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    yield from zip(words, words[1:], words[2:], strict=False)


def _had_by_others(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`stations with a helicopter`, by missions that used one: rows of another table have it."""
    named = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    flags = {c.column for c in intent.where if isinstance(c, Known) and c.column.kind == "boolean"}
    for link in links:
        had = link.had or link.preposition in {"with", "without"}
        loose = max(link.fits.values(), default=1.0) < _IN_PART
        for column in flags & set(link.columns) if had and loose else ():
            if named and column.table not in named:
                scope.doubt(f"whether {column.name} of {column.table.name} is meant", _AS_LIKELY)


def _begun_by_them(links: Sequence[Link], scope: Scope) -> None:
    """`clients who booked more than 3 events`, of events that may also have the status `booked`: what brings
    such a row about is said of all of them.
    """
    for at, verb in enumerate(links):
        before = links[at - 1] if at else None
        if verb.mark != "value" or verb.word not in _BEGINS or before is None or before.mark != "table":
            continue
        owners = {c.table for c, _ in verb.values}
        behind = {t.ref for link in links[at + 1 :] if link.mark == "table" for t in link.tables[:1]}
        # a value of the rows behind the verb, not of those before: the verb has these as its object
        if owners <= behind - {before.tables[0].ref} and not verb.verb:
            scope.doubt(f"whether {verb.text} is a state", _AS_LIKELY)


def _both_of_them(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`hometowns shared by people of both sexes` read as a list of either's."""
    nouns = {link.word.split()[0] for link in links if link.mark in {"table", "column"} and link.word}
    told = intent.having or any(isinstance(c, With) for c in intent.where)
    for first, second in pairwise(scope.roles):
        listed_too = "and" in scope.roles[scope.roles.index(first) :]
        if first == "both" and second in nouns and second.endswith("s") and not told and not listed_too:
            scope.doubt(f"what holds for both {second}", _AS_LIKELY)


def _both_had(intent: Intent, scope: Scope) -> None:
    """`teams that have both a coach and a sponsor`, read as a list of the sponsors of those with a coach."""
    had = any(first in _HAVE and second == "both" for first, second in pairwise(scope.roles))
    if had and len(intent.where) + len(intent.having) < len(_BOTH):
        scope.doubt("whether both are there", _AS_LIKELY)


def _had_by_any(intent: Intent, scope: Scope) -> None:
    """`is there a member with an email`, read as whether there is a member."""
    shown = [e.column for e in intent.outputs if isinstance(e, Column)] if intent.exists else []
    told = {c for e, _ in intent.order for c in columns_of(e)}
    if any(not column.key and column not in told and not _names_rows(column, scope) for column in shown):
        scope.doubt("whether there is any that has it", _AS_LIKELY)


def _said_twice(intent: Intent) -> None:
    """`translators who never revised`, of linguists with a title: who is one thing is not another. Raises
    Unclear.
    """
    told = [c for c in intent.where if isinstance(c, OneOf)]
    for one, other in product(told, told):
        apart = not set(one.values) & set(other.values)
        if one.column == other.column and other.negated and not one.negated and apart:
            raise Unclear(f"it is not clear what not {other.values[0]} says of {one.values[0]}")


def _names_rows(column: ColumnContext, scope: Scope) -> bool:
    try:
        return column in scope.label(scope.context.table(column.table))
    except Unclear:
        return True  # nothing names them, so whatever is shown does


def _flags_of_deeds(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`incidents that were not reported to the parents`, of incidents with a flag `parent_informed`."""
    gone = [(c.kept, c.gone) for c in intent.where if isinstance(c, Without)]
    # without a verb between them nothing was done that a flag could say
    if not any(link.mark == "relation" for link in links):
        return
    for kept, other in gone:
        called = {root(w) for w in scope.words(scope.context.table(other))}
        for column in scope.context.table(kept).columns:
            if column.kind == "boolean" and called & {root(w) for w in scope.words(column)}:
                scope.doubt(f"whether {column.name} is what is asked for", _AS_LIKELY)
