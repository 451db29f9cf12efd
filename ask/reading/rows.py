"""Which column tells the rows of a table apart, which tables are measured, which joins lead to a table.

Owns these facts of tables and joins. Must not know text.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext, Context, TableContext
from rewright.ask.reading.intent import Aggregate, Measured
from rewright.ask.reading.intent_parts import columns_of
from rewright.ask.reading.joins import Step
from rewright.sql.algebra import TableRef

_FRACTIONS = frozenset({"numeric", "float4", "float8", "money"})
"""Types of prices and measures, which tell rows apart by chance."""


def key_of(table: TableContext) -> ColumnContext | None:
    """The declared key of one column, else a unique number or identifier; a price only where there is nothing
    else.
    """
    declared = (c for c in table.columns if c.key)
    numbers = [c for c in table.columns if c.unique and c.kind == "number"]
    found = (c for c in table.columns if c.unique and (_counts(c) or c.name.lower().endswith(("id", "code"))))
    unique = (c for c in table.columns if c.unique and c.kind == "text")
    # a declared key first, then what looks like one, then any text that tells the rows apart
    return next(declared, None) or next(found, None) or next(unique, None) or next(iter(numbers), None)


def tells_by_chance(column: ColumnContext) -> bool:
    """Whether it is a price or a measure: its values differ, but nobody calls a row by them."""
    return column.kind == "number" and not column.key and not _counts(column)


def _counts(column: ColumnContext) -> bool:
    return column.kind == "number" and column.type not in _FRACTIONS


def only_named(context: Context, table: TableContext, label: Sequence[ColumnContext]) -> bool:
    """Whether nothing is known of a row but its name, which often repeats, and what it belongs to.

    Two areas of the same name, of two inns, are one area: the number of such a row means nothing.
    """
    # three names for four rows at most: nearly unique names would be no sign of anything
    if len(label) != 1 or label[0].kind != "text" or not 0 < label[0].distinct * 4 <= table.rows * 3:
        return False
    # rows that others refer to are told apart by those references
    if any(join.one.table == table.ref for join in context.joins):
        return False
    own = [c for c in table.columns if c not in label and not context.refers(c)]
    # it belongs to something and has nothing of its own but a number
    belongs = len(own) < len(table.columns) - 1
    return belongs and len(own) < 2 and all(c.key or c.name.lower().endswith("id") for c in own)


def measured_tables(measure: Aggregate | Measured) -> list[TableRef]:
    if isinstance(measure, Measured):
        return list(dict.fromkeys(c.table for c in columns_of(measure)))
    return [measure.of if isinstance(measure.of, TableRef) else measure.of.table]


def measured_once(measure: Aggregate | Measured) -> bool:
    # the same row met twice changes neither a maximum nor a count of different values
    return isinstance(measure, Aggregate) and (measure.distinct or measure.function in {"min", "max"})


def needed(root: TableRef, steps: Sequence[Step], targets: set[TableRef]) -> list[Step]:
    """The steps on the way to the targets."""
    kept: list[Step] = []
    wanted = set(targets)
    for step in reversed(steps):
        # backwards, as a step is needed only for those behind it
        if step.new in wanted:
            kept.append(step)
            wanted |= {step.join.many.table, step.join.one.table}
    del root
    return kept[::-1]
