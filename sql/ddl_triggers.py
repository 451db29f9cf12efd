"""Triggers and rules that may suppress what foreign keys do to the referencing rows.

ON DELETE CASCADE and the like run as statements on the referencing table: a BEFORE trigger that returns no
row or another one, or an INSTEAD rule, can leave rows that refer to nothing, and the server does not check
again (hazards F15; manual, "Overview of Trigger Behavior"). Must not know other statements.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.sql.algebra import TableRef
from rewright.sql.ddl_builder import Builder
from rewright.sql.records import ForeignKey, Table

# bits of pg_trigger.tgtype
_BEFORE, _DELETE, _UPDATE = 2, 8, 16
_EVENTS = {"CMD_DELETE": _DELETE, "CMD_UPDATE": _UPDATE}
_BY_UPDATE = frozenset("nd")
_CASCADES = "c"


def create_trigger(builder: Builder, node: Any) -> None:
    """CREATE TRIGGER: what it does when is all that is read. Tables that nothing is known of are left out."""
    if node.row and node.timing & _BEFORE:
        _meddle(builder, node.relation, node.events)


def create_rule(builder: Builder, node: Any) -> None:
    """CREATE RULE of anything but SELECT."""
    if node.instead:
        _meddle(builder, node.relation, _EVENTS.get(node.event.name, 0))


def _meddle(builder: Builder, relation: Any, events: int) -> None:
    ref = builder.existing_name([n for n in (relation.schemaname, relation.relname) if n])
    builder.meddled[ref] = builder.meddled.get(ref, 0) | events


def create_subscription(builder: Builder, _: Any) -> None:
    """CREATE SUBSCRIPTION: to which tables is decided elsewhere."""
    builder.replicated = True


def note_actions(builder: Builder, ref: TableRef, name: str, node: Any) -> None:
    """Keep which statements a foreign key makes the server run on its own table."""
    events = _DELETE if node.fk_del_action == _CASCADES else 0
    if node.fk_del_action in _BY_UPDATE or node.fk_upd_action in {_CASCADES, *_BY_UPDATE}:
        events |= _UPDATE
    builder.acting[ref, name] = events


def doubt_references(builder: Builder) -> None:
    """Foreign keys that a trigger or a rule may undo are in doubt, all where a subscription brings rows;
    partitions share their parent's.
    """
    meddled: dict[TableRef, int] = {}
    for ref, events in builder.meddled.items():
        top = _top(builder, ref)
        meddled[top] = meddled.get(top, 0) | events
    acting: dict[tuple[TableRef, str], int] = {}
    for (ref, name), events in builder.acting.items():
        acting[_top(builder, ref), name] = acting.get((_top(builder, ref), name), 0) | events
    for table in list(builder.tables.values()):
        top = _top(builder, table.ref)

        def doubted(fk: ForeignKey, top: TableRef = top) -> ForeignKey:
            undone = builder.replicated or meddled.get(top, 0) & acting.get((top, fk.name), 0)
            return replace(fk, doubt="F15") if undone else fk

        _keep(builder, table, tuple(map(doubted, table.foreign_keys)))


def _keep(builder: Builder, table: Table, references: tuple[ForeignKey, ...]) -> None:
    if references != table.foreign_keys:
        builder.replace(replace(table, foreign_keys=references))


def _top(builder: Builder, ref: TableRef) -> TableRef:
    """The table that a partition is, at last, a part of."""
    table = builder.tables.get(ref)
    if table is None or table.partition_of is None:
        return ref
    return _top(builder, table.partition_of)
