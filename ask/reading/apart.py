"""Measures of several tables in one question, each worked out by itself: no join counts a row twice.

Owns queries whose measures are subqueries: over all rows, or of each row of one table. Raises Unclear where
it is not clear of which measure a condition is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rewright.ask.context import ColumnContext, Context
from rewright.ask.reading.conditions_text import Spelling
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    Condition,
    Expression,
    Intent,
    Measured,
    Ranged,
)
from rewright.ask.reading.intent_parts import aggregates_of, tables_of
from rewright.ask.reading.joins import Unclear, direct, path
from rewright.sql.algebra import TableRef

KeyOf = Callable[[TableRef], ColumnContext | None]
Text = tuple[str, float, tuple[TableRef, ...]]
"""A query, how likely its joins are meant, the tables it reads."""

_UNMATCHED = 0.9
"""Whether rows without any of what is measured are wanted, where there are such rows."""


def measures_of(intent: Intent) -> list[Aggregate | Measured]:
    compared = [c.left for c in intent.having if isinstance(c, Compared | Ranged)]
    shown = [*intent.outputs, *(e for e, _ in intent.order), *compared]
    return list(dict.fromkeys(m for e in shown for m in aggregates_of(e)))


def measured_table(measure: Aggregate) -> TableRef:
    return measure.of if isinstance(measure.of, TableRef) else measure.of.table


def over_all(intent: Intent, spelling: Spelling, whole: Callable[[Intent], Text]) -> Text | None:
    """`how many A and how many B are there`: a subquery for each; ``whole`` writes one. None where the
    intent is another.
    """
    measures = measures_of(intent)
    # a plain column beside the measures would need groups; with groups `by_row` is the form
    plain = any(not aggregates_of(e) for e in intent.outputs)
    apart = {measured_table(m) for m in measures if isinstance(m, Aggregate)}
    if len(apart) < 2 or plain or intent.groups or intent.having or intent.order:
        return None
    texts, likelihood, tables = [], 1.0, list[TableRef]()
    for measure in measures:
        if not isinstance(measure, Aggregate):
            return None
        # a condition is written inside the subquery of its own measure, so that the others count all rows
        own = tuple(c for c in intent.where if _said_of(c, measure, apart))
        text, chance, read = whole(Intent((measure,), where=own))
        texts.append((measure, f"({text})"))
        likelihood, tables = min(likelihood, chance), [*tables, *read]
    spelling.apart.update(texts)
    shown = ", ".join(dict.fromkeys(map(spelling.expression, intent.outputs)))
    return f"select {shown}", 0.95 * likelihood, tuple(dict.fromkeys(tables))


def _said_of(condition: Condition, measure: Aggregate, measured: set[TableRef]) -> bool:
    """Whether a condition is said of this measure; each must be of just one. Raises Unclear."""
    own = set(tables_of(condition)) & measured
    # said of none or of two of them: to put it anywhere is to answer another question
    if len(own) != 1:
        raise Unclear("it is not clear of which of what is measured a condition is said")
    return measured_table(measure) in own


def by_row(intent: Intent, context: Context, spelling: Spelling, key_of: KeyOf) -> Text | None:
    """The measures of each row of the table that is grouped by, also of those that have none of it. None
    where the groups are not the rows of one table.
    """
    owners = {t for e in intent.groups for t in tables_of(e)}
    table = next(iter(owners), None)
    if table is None or len(owners) != 1 or not all(isinstance(e, Column) for e in intent.groups):
        # groups of several rows of the table: its rows are none of them
        return None
    if not any(isinstance(e, Column) and (e.column.key or e.column == key_of(table)) for e in intent.groups):
        return None
    # said of the grouped row itself: it decides which rows are shown, not what is measured of them
    outside = [c for c in intent.where if set(tables_of(c)) <= {table}]
    inside = [c for c in intent.where if c not in outside]
    likelihood, read, said = 1.0, [table], set[Condition]()
    for measure in measures_of(intent):
        if not isinstance(measure, Aggregate):
            raise Unclear("a time between two columns beside what is measured of other rows")
        text, chance, tables, taken = _subquery(measure, table, inside, context, spelling, key_of)
        # a sum of nothing is 0 to who asks for each row
        if intent.every and measure.function == "sum":
            text = f"coalesce({text}, 0)"
        spelling.apart[measure] = text
        likelihood, read, said = min(likelihood, chance), [*read, *tables], said | taken
    if not intent.every and not all(
        # an inner join would have left out rows without any: whether those are wanted was not said
        _met(context, table, t)
        for t in set(map(measured_table, spelling.apart))
    ):
        likelihood *= _UNMATCHED
    if set(inside) - said:
        raise Unclear("it is not clear of which of what is measured a condition is said")
    return _row_text(intent, table, outside, context, spelling), likelihood, tuple(dict.fromkeys(read))


def _subquery(
    measure: Aggregate,
    table: TableRef,
    conditions: Sequence[Condition],
    context: Context,
    spelling: Spelling,
    key_of: KeyOf,
) -> tuple[str, float, Sequence[TableRef], set[Condition]]:
    of = measured_table(measure)
    # a row has itself once: a count of 1 for each answers nothing
    if of == table:
        raise Unclear(f"each row of {table.name} would be measured by itself")
    steps, likelihood = path(context, table, [of], spelling.roles)
    own = [c for c in conditions if _reached(context, of, tables_of(c), spelling.roles)]
    needed = [t for c in (*own, *measure.where) for t in tables_of(c)]
    reached = [table, *(s.new for s in steps)]
    # joined already, within the subquery or as the row outside
    more, chance = path(context, of, [t for t in needed if t not in reached], spelling.roles)
    # from a measured row onwards only single parents may be joined, or sums count it again and again
    if any(s.multiplies for s in more) or table in {s.new for s in more}:
        raise Unclear("the joins would count a measured row several times")
    # several rows of the group's table may share one that is measured
    back = direct(context, of, table, spelling.roles)
    if any(s.multiplies for s in back):
        key = key_of(of)
        # count(distinct key) is right even where the rows are met twice; sums have no such way out
        if measure.function != "count" or key is None:
            raise Unclear("the joins would count a measured row several times")
        spelling.once.add(of)
    first = steps[0]
    tests = [spelling.meets(first.join)]
    tests += [spelling.condition(c) for c in own]
    text = f"(select {spelling.expression(measure)} from {spelling.tables(first.new, [*steps[1:], *more])}"
    text += f" where {' and '.join(tests)})"
    # `once` holds for this subquery only: the next one may meet the same table along another way
    spelling.once.discard(of)
    return text, min(likelihood, chance), [*reached, *(s.new for s in more)], set(own)


def _reached(context: Context, of: TableRef, tables: Sequence[TableRef], roles: Sequence[str]) -> bool:
    """Whether a row of the measured table has one row at most of each."""
    try:
        return not any(s.multiplies for s in path(context, of, tables, roles)[0])
    except Unclear:
        return False


def _met(context: Context, table: TableRef, of: TableRef) -> bool:
    """Whether each row of a table has rows of another that refer to it."""
    rows = context.table(table).rows
    found = (j for j in context.joins if j.one.table == table and j.many.table == of)
    # how many different pairs there are is not known
    # at least as many different references as rows: each row is referred to
    return any(not j.more and j.many.distinct >= rows for j in found)


def _row_text(
    intent: Intent, table: TableRef, where: Sequence[Condition], context: Context, spelling: Spelling
) -> str:
    shown = [t for e in intent.outputs for t in tables_of(e) if not aggregates_of(e)]
    steps, _ = path(context, table, [t for t in dict.fromkeys(shown) if t != table], spelling.roles)
    if any(s.multiplies for s in steps):
        raise Unclear("the joins would show a row several times")
    outputs = ", ".join(dict.fromkeys(map(spelling.expression, intent.outputs)))
    text = f"select {outputs} from {spelling.tables(table, steps)}"
    tests = [spelling.condition(c) for c in (*where, *intent.having)]
    if tests:
        text += f" where {' and '.join(tests)}"
    if intent.order:
        keys: Sequence[tuple[Expression, str]] = intent.order
        text += f" order by {', '.join(f'{spelling.expression(e)} {way} nulls last' for e, way in keys)}"
    if intent.limit:
        text += f" fetch first {intent.limit} rows with ties" if intent.ties else f" limit {intent.limit}"
    return text
