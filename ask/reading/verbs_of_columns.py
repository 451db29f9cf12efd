"""Verbs that name a column of the rows they are said of: `sponsors that spent at least 100`, by their spend;
`in which year were they founded`, by a founded_year; `members who were referred by another`, by a key of
theirs.

Owns those. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.lexicon import TIME_UNITS
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root
from rewright.lake import names

_COMPARES = {">", "<", ">=", "<=", "=", "between"}
# behind these nothing more is said of the number; a noun would be what it counts
_ENDS = {"stop", "comma", "each", "order", "desc", "asc", "moment", "summed", "or", "unit"}
_SOMEBODY = frozenset(listed("another other others someone somebody"))
_FIT = 0.9
_ONE_OR_ALL = 0.75
_BY_ITS_KEY = 0.95


def verbs_of_numbers(links: Sequence[Link], scope: Scope) -> None:
    """`which sponsor spent at least 100`: a verb right before a comparison with a bare number."""
    for verb, number in pairwise(links):
        _equal_to(verb, number, scope)
    for at, verb in enumerate(links[:-2]):
        behind = links[at + 3].mark if at + 3 < len(links) else "stop"
        if verb.mark not in {"relation", "unknown"} or links[at + 1].mark not in _COMPARES:
            continue
        table = _said_of(links[:at], scope)
        # a verb that a table is called by counts its rows instead
        if links[at + 2].mark != "number" or behind not in _ENDS or table is None or verb.tables:
            continue
        held = _named_by(verb.word, table, "number", scope)
        if len(held) == 1:
            verb.mark, verb.columns, verb.values = "column", (held[0],), ()
            verb.fits, verb.glued = {(held[0].table, held[0].name): _FIT}, False
            added_up = any(link.mark == "summed" for link in links)
            # without a table before, the rows that hold the number are not what is asked for
            if not added_up and not any(link.mark == "table" for link in links[:at]):
                # `sponsors that spent more than 100`, of campaigns: in one of them, or in all?
                scope.doubt("whether one row counts or all of them together", _ONE_OR_ALL)


def _equal_to(verb: Link, number: Link, scope: Scope) -> None:
    """`plots that were rated 1`, of inspections with a rating: the one column of that word that there is."""
    if verb.mark != "unknown" or not verb.word.endswith("ed") or number.mark != "number" or not number.glued:
        return
    # a word of its own for what the verb makes: `rating`, of `rated`
    made = f"{verb.word.removesuffix('ed')}ing"
    held = [
        c
        for t in scope.context.tables
        for c in t.columns
        if c in _named_by(verb.word, t, "number", scope) or (c.kind == "number" and scope.words(c) == (made,))
    ]
    if len(held) == 1:
        verb.mark, verb.columns, verb.fits = "column", (held[0],), {(held[0].table, held[0].name): _FIT}


def _said_of(before: Sequence[Link], scope: Scope) -> TableContext | None:
    """The table of what stands nearest before."""
    for link in reversed(before):
        if link.mark == "table" and link.tables:
            return link.tables[0]
        if link.mark == "column" and len({c.table for c in link.columns}) == 1:
            return scope.context.table(link.columns[0].table)
    return None


def _named_by(verb: str, table: TableContext, kind: str, scope: Scope) -> list[ColumnContext]:
    said = root(verb)
    return [
        c
        for c in table.columns
        if c.kind == kind
        and not c.key
        and not scope.context.refers(c)
        and said in {root(w) for w in scope.words(c)}
    ]


def years_of_verbs(links: Sequence[Link], scope: Scope) -> None:
    """`in which year were most departments founded`, where only something else has a plain `year`."""
    spoken = [t for link in links if link.mark == "table" for t in link.tables[:1]]
    own = {t.ref for t in spoken}
    # participles by their usual endings, as irregular ones have none in common
    verbs = {root(w) for w in scope.roles if w.endswith(("ed", "en", "lt", "rn", "de", "ld"))}
    for link in links:
        unit = TIME_UNITS.get(link.word)
        if link.mark != "column" or unit is None or {c.table for c in link.columns} & own:
            continue
        told = [
            c
            for table in spoken
            for c in table.columns
            if unit in scope.words(c) and {root(w) for w in scope.words(c) if w != unit} & verbs
        ]
        if len(told) == 1:
            link.columns, link.fits = (told[0],), {(told[0].table, told[0].name): _FIT}


def referred_by_another(links: list[Link], scope: Scope) -> list[Link]:
    """`listeners referred by another listener`, of listeners with a referrer_id: those that have one."""
    for at in range(1, len(links) - 2):
        verb, by, other = links[at : at + 3]
        key = _own_key(verb, scope)
        before = _said_of(links[:at], scope)
        if by.word != "by" or other.word not in _SOMEBODY or key is None or before is None:
            continue
        noun = links[at + 3] if at + 3 < len(links) else None
        # `by another dealer` is somebody of another table, so no key to the own one
        rows = noun is not None and noun.mark == "table" and noun.glued
        another = rows and noun is not None and noun.tables[0].ref != key.table
        if before.ref != key.table or another:
            continue
        verb.mark, verb.columns, verb.values = "done", (key,), ()
        scope.doubt("a key that says what was done", _BY_ITS_KEY)
        return [*links[: at + 1], *links[at + (4 if rows else 3) :]]
    return links


def _own_key(verb: Link, scope: Scope) -> ColumnContext | None:
    """The one key by which rows refer to rows of their own table and whose role is the verb."""
    found = [
        many
        for join in scope.context.joins
        for many, one in join.pairs
        if many.table == one.table
        and root(verb.word) in {root(w) for w in scope.words(many) if w not in names.KEY_WORDS}
    ]
    return found[0] if len(found) == 1 else None


def verbs_of_absence(links: Sequence[Link]) -> None:
    """`which acts have never performed`, of performances: a verb that names the rows that are not there."""
    for at, (absent, verb) in enumerate(pairwise(links)):
        behind = links[at + 2].mark if at + 2 < len(links) else "stop"
        # with more behind it the verb relates: `never performed in Berlin`
        if (
            absent.mark == "without"
            and verb.mark == "relation"
            and verb.tables
            and behind in {"stop", "moment"}
        ):
            verb.mark = "table"
