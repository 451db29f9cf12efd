"""Keys that stand for the rows they refer to: `repositories and their owners` wants the owners' names.

Owns putting those names where a key would be shown. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from rewright.ask.context import ColumnContext, Join
from rewright.ask.reading.intent import Column, Expression, Intent
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, stem
from rewright.lake import names

_NAMED = 0.95
# a number where a name was asked for is a poor answer, but may be what the data calls things by
_NUMBERED = 0.7
_SAYS_A_KEY = frozenset(map(stem, (*names.KEY_WORDS, *listed("id identifier number no code key"))))


def names_of_referred(intent: Intent, links: Sequence[Link], scope: Scope) -> Intent:
    """The intent, keys that no word of the question calls one told by the names of what they refer to.
    Raises Unclear where `who` would be answered by a number.
    """
    if intent.groups:
        return _groups_named(intent, links, scope)
    # with DISTINCT a name in the key's place would merge namesakes
    if intent.distinct:
        _who(intent, scope)
        _numbers_of_others(intent, links, scope)
        return intent
    outputs: list[Expression] = []
    for output in intent.outputs:
        label = _label(output.column, intent, links, scope) if isinstance(output, Column) else ()
        outputs += label or (output,)
    made = replace(intent, outputs=tuple(dict.fromkeys(outputs)))
    if made != intent:
        made = _without_their_rows(made, links)
    _who(made, scope)
    _numbers_of_others(made, links, scope)
    if made != intent:
        scope.doubt("that a name is wanted, no key", _NAMED)
    return made


def _without_their_rows(intent: Intent, links: Sequence[Link]) -> Intent:
    """`the winners of plays in the library`: names of people, and no numbers of plays."""
    behind = {
        link.tables[0].ref
        for key, link in pairwise(links)
        if link.mark == "table" and link.preposition == "of" and key.mark == "column"
    }
    kept = tuple(
        e
        for e in intent.outputs
        if not (
            isinstance(e, Column) and e.column.key and e.column.kind == "number" and e.column.table in behind
        )
    )
    return replace(intent, outputs=kept) if kept else intent


def _groups_named(intent: Intent, links: Sequence[Link], scope: Scope) -> Intent:
    """`which inspector failed the most inspections`, of inspections with the key of one: a group for each of
    them, told by the name. Raises Unclear.
    """
    made = intent
    for group in intent.groups:
        # text keys (`AAPL`) are names; only numbers say nothing to who asks
        told = group in intent.outputs and isinstance(group, Column) and group.column.kind == "number"
        label = _label(group.column, intent, links, scope) if told and isinstance(group, Column) else ()
        if label:
            at = made.outputs.index(group)
            outputs = (*made.outputs[:at], *label, *made.outputs[at + 1 :])
            # the name joins the groups too, or PostgreSQL would refuse to show it
            made = replace(made, outputs=outputs, groups=(*made.groups, *label))
            scope.doubt("that a name is wanted, no key", _NAMED)
    _who(made, scope)
    _numbers_of_others(made, links, scope)
    return made


def _numbers_of_others(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`mechanics and their repairs`, told by the numbers of what they refer to: no one asked for those."""
    for output in intent.outputs:
        column = output.column if isinstance(output, Column) else None
        if column is None or column.kind != "number" or not scope.context.refers(column):
            continue
        told = [link for link in links if column in link.columns and link.mark == "column"]
        if told and not any(_SAYS_A_KEY & set(map(stem, link.word.split())) for link in told):
            scope.doubt(f"whether {column.name} is to be shown as a number", _NUMBERED)


def _label(column: ColumnContext, intent: Intent, links: Sequence[Link], scope: Scope) -> tuple[Column, ...]:
    """The name of the one row that a column refers to; empty where it is wanted as it is."""
    told = [link for link in links if column in link.columns and link.mark == "column"]
    # said with a word of keys, or by no word at all: as it is
    if not told or any(_SAYS_A_KEY & set(map(stem, link.word.split())) for link in told):
        return ()
    joins = [j for j in scope.context.joins if (j.many.table, j.many.name) == (column.table, column.name)]
    # two keys to one table (home and away team): which one is named would be lost in the join
    if column.key or len(joins) != 1 or joins[0].more or not _only_way(joins[0], scope):
        return ()
    one = scope.context.table(joins[0].one.table)
    label = scope.label(one)
    named = label and all(c.kind == "text" and not c.key for c in label)
    shown = {e.column.table for e in intent.outputs if isinstance(e, Column)}
    # the referred table is shown already, or the key refers to its own table
    return tuple(map(Column, label)) if named and one.ref not in shown and one.ref != column.table else ()


def _only_way(key: Join, scope: Scope) -> bool:
    """Whether no other key leads from its table to that table."""
    ways = [j for j in scope.context.joins if {j.many.table, j.one.table} == {key.many.table, key.one.table}]
    return len(ways) == 1


def _who(intent: Intent, scope: Scope) -> None:
    """`who is her mentor?` answered by the number of a row. Raises Unclear."""
    columns = [e.column for e in intent.outputs if isinstance(e, Column)]
    numbers = columns and len(columns) == len(intent.outputs) and all(c.kind == "number" for c in columns)
    if scope.roles[:1] in {("who",), ("whom",)} and numbers:
        raise Unclear(f"{columns[0].name} is only a number: it is not clear who is meant")
