"""Columns that a question may need, likeliest first: what a model is shown, more than the reader itself uses.

Owns the scores; recall matters more than precision, within a share of the columns. Source of the aim: schema
linking of APEX-SQL, section 3.2.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from rewright.ask.context import ColumnContext, Context, TableContext
from rewright.ask.reading.intent import Intent, Many, With, Without
from rewright.ask.reading.intent_parts import columns_of, tables_of
from rewright.ask.reading.joins import Unclear, path
from rewright.ask.reading.lexicon import FILLERS
from rewright.ask.reading.link import Link
from rewright.ask.reading.nearness import Nearness
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.vocabulary import key_of
from rewright.ask.reading.words import root, tokens
from rewright.sql.algebra import TableRef

SHARE = 0.3
"""Of the columns, by name."""
# very small schemas are shown nearly whole
_LEAST = 5
_LARGE = 200
"""Columns from which on tables that share all their names would fill the share by themselves."""
# pairs of more tables than these make many paths, few of them meant
_MOST_TABLES = 6


def ranked(
    question: str, links: Sequence[Link], scope: Scope, nearness: Nearness
) -> list[tuple[ColumnContext, float]]:
    """All columns of the context with a score, best first."""
    tables = _tables(links, scope)
    scores: dict[tuple[TableRef, str], float] = defaultdict(float)
    for link in links:
        for column in link.columns:
            bonus = 0.15 * tables.get(column.table, 0.0)
            # each reason raises a column to its score and none adds up, so many weak ones do not beat a name
            _raise(scores, column, 0.85 * link.fit(column) + bonus)
        for column, _ in link.values:
            _raise(scores, column, 0.9 + 0.1 * tables.get(column.table, 0.0))
    timed = any(link.mark in {"moment", "unit", "periodic"} for link in links)
    wanted = {root(word) for link in links if link.adjective for _, word in link.adjective.steps}
    for table in scope.context.tables:
        worth = tables.get(table.ref, 0.0)
        for column, score in _of_table(table, scope, wanted, timed=timed):
            _raise(scores, column, score * worth)
    for column in _on_paths(tables, scope):
        _raise(scores, column, 0.9)
    for column, score in _by_nearness(question, scope, nearness):
        _raise(scores, column, score * (0.5 + 0.5 * tables.get(column.table, 0.0)))
    for column, score in _by_words(question, scope):
        _raise(scores, column, score * (0.7 + 0.3 * tables.get(column.table, 0.0)))
    everything = [c for t in scope.context.tables for c in t.columns]
    return sorted(((c, scores[c.table, c.name]) for c in everything), key=lambda pair: -pair[1])


def kept(
    question: str,
    links: Sequence[Link],
    scope: Scope,
    nearness: Nearness,
    share: float = SHARE,
    first: Sequence[ColumnContext] = (),
) -> list[ColumnContext]:
    """The best columns, as many as a share of all names (five at least), each name with all tables it is as
    likely in; of a large schema no more than `SHARE` of all columns.
    """
    everything = sum(len(t.columns) for t in scope.context.tables)
    # the share is of names: a name that many tables have counts once
    # in a small schema the share by name is bound enough
    most = math.floor(SHARE * everything) if everything > _LARGE else everything
    wanted = max(
        _LEAST, math.floor(share * len({c.name.lower() for t in scope.context.tables for c in t.columns}))
    )
    found: list[ColumnContext] = []
    names: set[str] = set()
    for column, score in [*((c, 1.0) for c in first), *ranked(question, links, scope, nearness)]:
        # a name that is in already may be of several tables, each as likely
        if score <= 0 or (len(names) >= wanted and column.name.lower() not in names):
            continue
        if len(found) >= most:
            break
        found.append(column)
        names.add(column.name.lower())
    return found


def columns_in(intent: Intent, context: Context) -> list[ColumnContext]:
    """The columns that the query of an intent names, those of its joins too."""
    expressions = [*intent.outputs, *intent.groups, *(e for e, _ in intent.order)]
    conditions = [*intent.where, *intent.having]
    tables = [t for what in (*expressions, *conditions) for t in tables_of(what)]
    tables += [*intent.rows, *([intent.head] if intent.head else [])]
    tables += [c.gone for c in conditions if isinstance(c, Without)]
    tables += [c.found for c in conditions if isinstance(c, With | Many)]
    found = [c for what in (*expressions, *conditions) for c in columns_of(what)]
    for a, b in combinations(dict.fromkeys(tables), 2):
        try:
            steps, _ = path(context, a, [b])
        except Unclear:
            # tables that nothing joins are not read in one query
            continue
        found += [c for s in steps for pair in s.join.pairs for c in pair]
    return list(dict.fromkeys(found))


def _raise(scores: dict[tuple[TableRef, str], float], column: ColumnContext, score: float) -> None:
    scores[column.table, column.name] = max(scores[column.table, column.name], score)


def _tables(links: Sequence[Link], scope: Scope) -> dict[TableRef, float]:
    """How likely each table is needed."""
    found: dict[TableRef, float] = defaultdict(float)
    for link in links:
        for table in link.tables:
            found[table.ref] = max(found[table.ref], link.fit(table))
        owners = {c.table for c in (*link.columns, *(c for c, _ in link.values))}
        # a value or column of several tables makes each of them less likely
        for owner in owners:
            # shared by several tables a value says less of each
            found[owner] = max(found[owner], 0.9 / len(owners))
    for table in scope.context.tables:
        own = {root(w) for w in scope.words(table)}
        said = {root(w) for w in scope.roles}
        if own & said:
            found[table.ref] = max(found[table.ref], 0.7 * len(own & said) / len(own))
    near = dict(found)
    for join in scope.context.joins:
        for a, b in ((join.many.table, join.one.table), (join.one.table, join.many.table)):
            # a neighbour may be needed to join what is
            found[a] = max(found[a], 0.4 * near.get(b, 0.0))
    return found


def _of_table(
    table: TableContext, scope: Scope, wanted: set[str], *, timed: bool
) -> Iterable[tuple[ColumnContext, float]]:
    """Its label and key, and its times where the question has one."""
    try:
        labels = scope.label(table)
    except Unclear:
        # a table that nothing names has no label to be asked for
        labels = ()
    for column in labels:
        yield column, 0.85
    for column in table.columns:
        if column.key or (column.unique and column.name.lower().endswith("id")):
            yield column, 0.8
        if timed and column.kind == "date":
            yield column, 0.75
        if any(column in join.keys for join in scope.context.joins):
            # keys are needed to join, but rarely asked for
            yield column, 0.6
        yield column, 0.4 if column.kind in {"number", "date"} else 0.25
        if {root(w) for w in scope.words(column)} & wanted:
            yield column, 0.85
        if scope.words(column) == ("count",):
            yield column, 0.85
    # without a time nobody asks for dates
    if timed:
        for column in (*scope.times(table), *scope.months(table)):
            yield column, 0.85


def _on_paths(tables: dict[TableRef, float], scope: Scope) -> Iterable[ColumnContext]:
    """The keys that join the likeliest tables."""
    best = sorted((t for t in tables if tables[t] >= 0.6), key=lambda t: -tables[t])[:_MOST_TABLES]
    for a, b in combinations(best, 2):
        try:
            steps, _ = path(scope.context, a, [b], scope.roles)
        except Unclear:
            continue
        # a longer way is hardly meant, and would bring the keys of tables nobody spoke of
        if len(steps) <= 3:
            for step in steps:
                for pair in step.join.pairs:
                    yield from pair


def _by_nearness(question: str, scope: Scope, nearness: Nearness) -> Iterable[tuple[ColumnContext, float]]:
    """Columns whose names mean nearly what a word of the question means."""
    said = [
        t.word for t in tokens(question) if t.kind == "word" and t.word not in FILLERS and len(t.word) > 3
    ]
    near = nearness.all(list(dict.fromkeys(said)))
    for table in scope.context.tables:
        for column in table.columns:
            # weaker than what answers a question by nearness: recall matters here
            if (found := near.get(key_of(scope.words(column)), 0.0)) > 0.35:
                yield column, found


def _by_words(question: str, scope: Scope) -> Iterable[tuple[ColumnContext, float]]:
    """Columns whose words, or whose comment's, are in the question; rare words say more."""
    said = {root(t.word) for t in tokens(question) if t.kind == "word" and t.word not in FILLERS}
    columns = [c for t in scope.context.tables for c in t.columns]
    own = {(c.table, c.name): {root(w) for w in (*scope.words(c), *c.words)} for c in columns}
    often: dict[str, int] = defaultdict(int)
    for words in own.values():
        for word in words:
            often[word] += 1
    for column in columns:
        words = own[column.table, column.name]
        # a word that many columns have tells little
        hit = sum(1 / math.sqrt(often[w]) for w in words & said)
        # a part of the column's words, weighed by how rare they are
        if hit:
            yield column, 0.45 + 0.4 * hit / sum(1 / math.sqrt(often[w]) for w in words)
        elif column.comment and said & {
            root(t.word) for t in tokens(column.comment) if t.word not in FILLERS
        }:
            yield column, 0.35
