"""Columns and roles that belong to others than the rows that are spoken of: the last name of customers, shown
of salespersons; batches by who approved them, for who brewed them.

Owns the doubts that make such a reading too unsure to be run: on databases that nobody had seen before five
of twelve readings that joined by a role of which the question says nothing were wrong. Must not know the
grammar; adds doubts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rewright.ask.context import ColumnContext, Join
from rewright.ask.reading.intent import Aggregate, Column, Intent
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import role_words
from rewright.ask.reading.link import Link
from rewright.ask.reading.role_words import role
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, stem
from rewright.lake import names
from rewright.sql.algebra import TableRef

_AS_LIKELY = 0.75
_ROLE = 0.93
"""A role of which nobody speaks, where no verb says another."""
_HAVE = frozenset(listed("have has had having with belong belongs there"))
"""Verbs that say no more than that rows belong together."""


def of_others(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Doubts what is shown of rows of which nobody spoke, where each of those spoken of has several: `the
    last name of salespersons`, who have none, read as that of their customers.
    """
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    told = set[TableRef]().union(*(scope.told_by(ref) for ref in spoken))
    values = {c.table for link in links for c, _ in link.values}
    for column in _listed(intent):
        named = [link for link in links if link.mark == "column" and column in link.columns]
        # a word of the table's name with the column's says whose it is
        owned = any(_says_a_word_of(link, column.table, scope) for link in named)
        if spoken and named and not owned and column.table not in told | values | spoken:
            scope.doubt(f"whether {column.table.name}.{column.name} is meant", _AS_LIKELY, once=True)


def _says_a_word_of(link: Link, table: TableRef, scope: Scope) -> bool:
    return bool({stem(w) for w in link.word.split()} & set(map(stem, scope.vocabulary.table_words[table])))


def _listed(intent: Intent) -> Iterator[ColumnContext]:
    """What is shown as it is, or told apart and counted."""
    ranked = [e for e, _ in intent.order]
    for expression in intent.outputs if not intent.groups else ():
        if isinstance(expression, Column) and expression not in ranked:
            yield expression.column
        for measure in aggregates_of(expression):
            counted = isinstance(measure, Aggregate) and measure.function == "count" and measure.distinct
            if counted and isinstance(measure.of, ColumnContext) and not measure.of.key:
                yield measure.of


def roles_unsaid(links: Sequence[Link], scope: Scope, sql: str) -> None:
    """Doubts a join by a key that says a role (`approved_by_id`) of which the question does not speak, where
    a verb says what was done, or where it leads on to rows of which nobody spoke.
    """
    read = set(re.findall(r"[\w$]+\.[\w$]+", re.sub(r"'(?:[^']|'')*'", " ", sql).replace('"', "").lower()))
    said = {role(word) for word in scope.roles}
    spoken = set(scope.said())
    deed = any(link.mark == "relation" and link.word not in _HAVE for link in links)
    for join in scope.context.joins:
        if not _joined(join, read) or _bare(join, scope, read):
            continue
        words = role_words(join)
        if not words or words & said or join.many.table == join.one.table:
            continue
        far = not {join.many.table, join.one.table} <= spoken
        scope.doubt(
            f"whether {join.keys[0].name} is how they belong together",
            _AS_LIKELY if deed or far else _ROLE,
            once=True,
        )


def _joined(join: Join, read: set[str]) -> bool:
    ends = {f"{c.table.name}.{c.name}".lower() for pair in join.pairs for c in pair}
    return ends <= read


def _bare(join: Join, scope: Scope, read: set[str]) -> bool:
    """Whether a key's name is one word only, of which no role can be told apart; or it is one of several that
    are read.
    """
    if any(len(names.words(key.name)) < 2 for key in join.keys):
        return True
    ends = {join.many.table, join.one.table}
    others = [j for j in scope.context.joins if {j.many.table, j.one.table} == ends and j is not join]
    return any(_joined(other, read) for other in others)
