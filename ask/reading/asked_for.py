"""Whether the rows that are asked for are those that are shown and grouped.

Owns doubts of readings that show something beside what `which` and `who` ask for, or count rows in groups of
which each has several. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from rewright.ask.context import ColumnContext
from rewright.ask.reading.intent import Aggregate, Column, Intent
from rewright.ask.reading.intent_parts import aggregates_of, columns_of
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import stem
from rewright.sql.algebra import TableRef

_FAR = 0.75
# up to eight different numbers may be kinds (floors, grades), more are measures
_SEVERAL = 8
"""Different numbers of which it can be said that they tell no kinds."""


def asked_for(intent: Intent, links: Sequence[Link], scope: Scope, counted: TableRef | None) -> None:
    """Adds the doubts; ``counted``: the only table whose rows are counted."""
    _rows_not_named(intent, links, scope)
    _others_shown(intent, links, scope)
    _of_several_groups(intent, links, scope, counted)
    _numbers_for_rows(intent, scope)
    _groups_from_afar(intent, links, scope)


def names_its_row(column: ColumnContext, scope: Scope) -> bool:
    """Whether a row of its table is known by it."""
    try:
        return column.key or column in scope.label(scope.context.table(column.table))
    except Unclear:
        return False


def _rows_not_named(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`which applicants have a passport that expires in 2026` read as when it does: they are asked for."""
    first = links[0] if links else None
    asked = first is not None and first.mark == "table" and scope.roles[:1] in {("which",), ("who",)}
    # `which applicants`: the table must be the very word behind, not one further on
    if first is None or not asked or first.word.split()[0] not in scope.roles[1:2]:
        return
    shown = {e.column for e in intent.outputs if isinstance(e, Column)}
    tested = {c for told in (*intent.where, *(e for e, _ in intent.order)) for c in columns_of(told)}
    # `which rooms cost more than 50` shows the cost in vain: the rooms are asked for, the cost is the test
    if shown and shown <= tested and not any(names_its_row(c, scope) for c in shown):
        scope.doubt(f"whether {first.text} are to be named", _FAR)


def _others_shown(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`which licensed engineers have inspected bridges in ten counties?`, read as the bridges."""
    head = _head(links) if scope.roles[:1] in {("which",), ("who",)} else None
    columns = [e.column for e in intent.outputs if isinstance(e, Column)]
    if head is None or not columns or len(columns) < len(intent.outputs):
        return
    # a key that refers to them tells them, and a column called like them is what they are called
    keys = {key for j in scope.context.joins if j.one.table == head for key in j.keys}
    called = {stem(w) for w in links[0].word.split()}
    named = {c for link in links if link.mark == "column" for c in link.columns}
    if not any(
        c.table == head or c in keys or c in named or called & set(map(stem, scope.words(c))) for c in columns
    ):
        scope.doubt(f"whether {links[0].text} are to be named", _FAR, once=True)


def _head(links: Sequence[Link]) -> TableRef | None:
    """The table of what `which` is said of: of its noun, or of what a hint says that it stands for."""
    for link, noun in zip(links, (*links[1:], None), strict=False):
        if link.mark == "table":
            return link.tables[0].ref
        owners = {c.table for told in link.tests for c in told}
        if link.mark == "defined" and len(owners) == 1 and (noun is None or noun.mark != "table"):
            return next(iter(owners))
        # `which French restaurants`: the noun stands behind
        if link.mark not in {"value", "quoted", "defined"} or noun is None or not noun.glued:
            return None
    return None


def _numbers_for_rows(intent: Intent, scope: Scope) -> None:
    """`which passengers submitted a complaint`, of flights with a number of passengers: nobody is one."""
    only = intent.outputs[0] if len(intent.outputs) == 1 else None
    column = only.column if isinstance(only, Column) else None
    if column is None or column.kind != "number" or scope.roles[:1] not in {("which",), ("who",)}:
        return
    told = column.key or scope.context.refers(column) or names_its_row(column, scope)
    # a year answers `which` by itself: `which year had ..`
    if not told and column.distinct > _SEVERAL and "year" not in scope.words(column):
        scope.doubt(f"whether a {column.name} is wanted", _FAR)


def _of_several_groups(intent: Intent, links: Sequence[Link], scope: Scope, counted: TableRef | None) -> None:
    """`students in each department` read as those who took one of its courses: each would be in several,
    and no verb says by what.
    """
    if counted is None or any(
        # `students enrolled in each department`: the verb leads over the enrolments, which is what it means
        link.mark in {"relation", "column"} and link.word.endswith("ed")
        for link in links
    ):
        return
    inside = any(link.mark == "each" and link.word in {"in each", "in every"} for link in links)
    told = scope.told_by(counted)
    for group in intent.groups if inside else ():
        # `pupils in each course`, by enrolments, is plain
        if (
            isinstance(group, Column)
            and group.column.table not in told
            and not names_its_row(group.column, scope)
        ):
            scope.doubt(f"whether {counted.name} are in a {group.column.name} so", _FAR, once=True)


def _groups_from_afar(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`which country has the most designers?`, read as that of the publishers of their games: nobody spoke of
    either, and each designer would be in several.
    """
    shown = (*intent.outputs, *(e for e, _ in intent.order))
    measured = {m.of for e in shown for m in aggregates_of(e) if isinstance(m, Aggregate)}
    counted = {of.table if isinstance(of, ColumnContext) else of for of in measured}
    spoken = {t.ref for link in links for t in link.tables[:1]}
    groups = {e.column for e in intent.groups if isinstance(e, Column)}
    for of, group in product(counted, groups):
        if not isinstance(of, TableRef) or group.table in {*spoken, of}:
            continue
        way = direct(scope.context, of, group.table, scope.roles)
        between = {step.new for step in way[:-1]}
        if len(between) > 1 and not spoken & between and any(step.multiplies for step in way):
            scope.doubt(f"whether {group.name} is said of {of.name}", _FAR, once=True)
