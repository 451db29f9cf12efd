"""Readings beside which another is as likely: a measure of a table that nobody named, a ratio of each
row, what is said of others in turn.

Owns the doubts that make such a reading too unsure to be run. Must not know the grammar; raises Unclear, or
adds doubts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise

from rewright.ask.context import ColumnContext
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    Condition,
    Intent,
    Known,
    Measured,
    Named,
    OneOf,
    Ratio,
)
from rewright.ask.reading.intent_parts import aggregates_of, columns_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root, stem

_AS_LIKELY = 0.75
_COUNTED_THING = 0.93
_MONEY = frozenset(listed("amount price total revenue cost fee value charge fare"))
COUNTS = frozenset(map(stem, listed("count number num no total cnt")))
"""Words of columns that hold how many there are."""


def near_misses(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Doubts a reading that another is as likely as. Raises Unclear."""
    _averaged_by_itself(intent, scope)
    _none_counted(intent, scope)
    _ratios_unnamed(intent, scope)
    _said_through_others(links, scope)
    _priced_elsewhere(intent, links, scope)
    _cost_of_others(intent, links, scope)
    _counted_thing(intent, links, scope)
    _measured_beside(intent, links, scope)
    _another_of_its_kind(intent, links, scope)
    _none_of_theirs(intent, links, scope)
    _listed_by_others(intent, scope)


def _averaged_by_itself(intent: Intent, scope: Scope) -> None:
    """`the average profit per sale for each salesperson`, of what a sale made, grouped by sales. Raises
    Unclear.
    """
    rows = {e.column.table for e in intent.groups if isinstance(e, Column) and e.column.key}
    for measure in (m for e in intent.outputs for m in aggregates_of(e)):
        # measured over what one row holds or refers to: a group of that row has nothing to average
        told = {c.table for c in columns_of(measure)} if isinstance(measure, Measured) else set()
        for ref in rows & told:
            if told <= {ref, *scope.told_by(ref)}:
                raise Unclear(f"each row of {ref.name} would be measured by itself")


def _none_counted(intent: Intent, scope: Scope) -> None:
    """`papers that no paper cites`, of papers with a num_cited_by, where citations are rows: they may tell
    another number.
    """
    for condition in intent.where:
        left = condition.left if isinstance(condition, Compared) and condition.right == "0" else None
        # compared with 0 the two may differ: a number kept by hand and the rows that are there
        column = left.column if isinstance(left, Column) else None
        if isinstance(condition, Known) and condition.negated and _is_count(condition.column, scope):
            # `posts with no answers`, of an answer_count that some lack: none may be 0 or nothing
            scope.doubt(f"whether {condition.column.name} is 0 or missing where there is none", _AS_LIKELY)
        if column is None:
            continue
        said = {root(w) for w in scope.words(column)}
        for table in scope.context.tables:
            # all words of another table are in the column's name: `num_citations` and citations
            if table.ref != column.table and {root(w) for w in scope.words(table)} <= said:
                scope.doubt(f"whether {column.name} is meant or the rows of {table.ref.name}", _AS_LIKELY)


def _is_count(column: ColumnContext, scope: Scope) -> bool:
    told = {stem(w) for w in scope.words(column)} & {stem("count"), stem("total")}
    return column.kind == "number" and bool(told) and not scope.context.refers(column)


def _measured_beside(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`the share of the population of California that lives in Los Angeles` read as one of the populations of
    states, where the city has its own.
    """
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    for measure in (m for e in intent.outputs for m in aggregates_of(e) if isinstance(m, Aggregate)):
        column = measure.of if isinstance(measure.of, ColumnContext) else None
        # a measure of a spoken table was asked for by name
        if column is None or column.table in spoken:
            continue
        told = {t for c in (*intent.where, *measure.where) for t in tables_of(c)} - {column.table}
        for table in told - spoken:
            # another told table has a column of the same name
            if any(c.name == column.name and c.kind == "number" for c in scope.context.table(table).columns):
                scope.doubt(
                    f"whether {column.name} of {column.table.name} or {table.name} is meant", _AS_LIKELY
                )


def _said_through_others(links: Sequence[Link], scope: Scope) -> None:
    """`states that border states that border Texas`: the same of the same, one read as both."""
    relative = {word for before, word in pairwise(scope.roles) if before in {"that", "which", "who"}}
    again = {
        first.word
        for first, second in combinations(links, 2)
        if first.mark == second.mark and first.word == second.word and second.word in relative
    }
    tables = Counter(link.tables[0].ref for link in links if link.mark == "table")
    # `belongs to` is said again of a further table, and means no chain of the same relation
    again -= {"belong", "belongs"}  # to something else each time
    if again - {link.word for link in links if link.mark == "table"} and max(tables.values(), default=0) > 1:
        scope.doubt(f"whether {min(again)} is said of others", _AS_LIKELY)


def _priced_elsewhere(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`the highest price of AAPL` read as that of a transaction, where there is a table of daily prices."""
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    measured = {c for e in intent.outputs for m in aggregates_of(e) for c in columns_of(m)}
    for link in links:
        taken = measured & set(link.columns) if link.mark == "column" else set()
        # a phrase with a table in it (`price of transactions`) says whose it is
        if not taken or {c.table for c in taken} & spoken or scope.said_table(link) is not None:
            continue
        for table in scope.context.tables:
            numbers = [c for c in table.columns if c.kind == "number" and not c.key]
            called = stem(scope.words(table)[-1]) == stem(link.word.split()[-1])
            # a table called like the number and with several of its own: `prices` with open, high, low
            if called and len(numbers) > 1 and table.ref not in {c.table for c in taken}:
                scope.doubt(f"whether {link.text} is one of {table.ref.name}", _AS_LIKELY)


def _cost_of_others(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`how much did the equipment of each station cost`, of equipment with a price, missions with a cost."""
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    named = {t.ref for link in links if (t := scope.said_table(link)) is not None}
    shown = (*intent.outputs, *(e for e, _ in intent.order))
    for column in {c for e in shown for m in aggregates_of(e) for c in columns_of(m)}:
        if column.table in spoken | named or not _MONEY & set(scope.words(column)):
            continue
        for ref in spoken:
            if any(
                _MONEY & set(scope.words(c)) and c.kind == "number" for c in scope.context.table(ref).columns
            ):
                scope.doubt(f"whether {column.name} of {column.table.name} is meant", _AS_LIKELY, once=True)


def _counted_thing(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`enrolled students`, of courses with a num_enrolled: what is counted, or rows of their own."""
    measured = {c for e in intent.outputs for m in aggregates_of(e) for c in columns_of(m)}
    for first, noun in pairwise(links):
        counts = {c for c in measured & set(first.columns) if set(map(stem, scope.words(c))) & COUNTS}
        rows = noun.tables[0].ref if noun.mark == "table" and noun.glued else None
        if first.mark == "column" and counts and rows and rows not in {c.table for c in counts}:
            scope.doubt(f"whether {noun.text} are rows of {rows.name}", _COUNTED_THING)


def _ratios_unnamed(intent: Intent, scope: Scope) -> None:
    """`the ratio of the amount awarded to the amount requested`: of all, rather than one of each row."""
    only = intent.outputs[0] if len(intent.outputs) == 1 and not intent.limit else None
    # of two named rows each side is one value, so there is no sum to be of
    plain = isinstance(only, Ratio) and not isinstance(only.top, Named)
    named = any(_names_one_row(c, scope) for c in intent.where)
    if only is not None and plain and not named and not aggregates_of(only) and any(columns_of(only)):
        scope.doubt("whether the ratio is of each row or of all", _AS_LIKELY)


def _names_one_row(condition: Condition, scope: Scope) -> bool:
    """`the passing rate of Sunset High`: of that row."""
    if not isinstance(condition, OneOf) or condition.negated or len(condition.values) != 1:
        return False
    column = condition.column
    return column.unique and column in scope.label(scope.context.table(column.table))


def _another_of_its_kind(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`the most expensive car sold, with its sale price`, ranked by what the car cost."""
    kinds = {word for link in links if link.adjective is not None for _, word in link.adjective.steps}
    by = [e.column for e, _ in intent.order if isinstance(e, Column)]
    for output in intent.outputs if intent.limit and kinds else ():
        column = output.column if isinstance(output, Column) else None
        if column is None or column.kind != "number" or not by or column in by:
            continue
        # both columns answer the adjective: one orders, the other is shown as if it did
        if set(scope.words(column)) & kinds and set(scope.words(by[0])) & kinds:
            scope.doubt(f"whether {by[0].name} or {column.name} ranks them", _AS_LIKELY)


def _none_of_theirs(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`which streets have no Italian restaurants?` read as those with one that is not Italian."""
    lacking = any(link.mark == "without" for link in links)
    shown = [e.column for e in intent.outputs if isinstance(e, Column)]
    if not lacking or len(shown) != 1 or len(intent.outputs) > 1:
        return
    for condition in intent.where:
        # negated of another table's row: `one that is not`, where `none that is` was asked
        if isinstance(condition, OneOf) and condition.negated and condition.column.table != shown[0].table:
            scope.doubt(f"whether all rows of a {shown[0].name} are to be so", _AS_LIKELY)


def _listed_by_others(intent: Intent, scope: Scope) -> None:
    """`districts with shops that are rated above 4 on average`, grouped by shops: a district for each of
    them.
    """
    shown = {e.column.table for e in intent.outputs if isinstance(e, Column)}
    # only groups with a condition: it is said of groups that the answer does not tell apart
    rows = {e.column.table for e in intent.groups if isinstance(e, Column)} if intent.having else set()
    if shown and rows - shown:
        scope.doubt("whether rows that are not shown are measured", _AS_LIKELY)
