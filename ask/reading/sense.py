"""Whether a reading makes sense: an answer that the question holds already is not what was asked.

Owns what is seen only once the whole intent is known. Must not know the grammar; raises Unclear, or adds
doubts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.asked_for import asked_for
from rewright.ask.reading.deeds import deeds
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    During,
    Intent,
    Known,
    Many,
    OneOf,
    Ranged,
    Ratio,
    With,
    Without,
)
from rewright.ask.reading.intent_parts import aggregates_of, columns_of, tables_of
from rewright.ask.reading.joins import Unclear, direct, path
from rewright.ask.reading.link import Link
from rewright.ask.reading.near_misses import COUNTS, near_misses
from rewright.ask.reading.of_others import of_others
from rewright.ask.reading.other_deeds import is_dated, other_deeds, tells_when
from rewright.ask.reading.overlooked import overlooked
from rewright.ask.reading.partly_said import partly_said
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.small_words import small_words
from rewright.ask.reading.unit_names import UNITS, unit_of
from rewright.ask.reading.words import listed, root, stem
from rewright.lake import names
from rewright.sql.algebra import TableRef

# one such doubt alone leaves a reading just below the confidence from which on its query is run
_FAR_VALUE = 0.75
_REFERENCE = 0.9
_SEVERAL = 8
"""Rows of which it says something that a column tells all of them apart."""
_MAKES_A_NOUN = frozenset(
    listed("the a an one two three no any each every this that all some both of by in with from for as than")
)
_TIMES = frozenset(listed("times count number frequency"))
"""Of a column that holds how often something happened."""
_SAYS_WHAT = frozenset(listed("description text message content comment"))
_YES_NO = frozenset(listed("yes no y n true false t f"))
_DONE = ("ed", "sold", "bought", "seen", "held", "taught", "kept")


def check(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """Raises Unclear for what no one asks; doubts what is asked less often than something near it."""
    # all rows of the answer hold the same in these columns: to show, group or order by them tells nothing
    fixed = [c.column for c in intent.where if isinstance(c, OneOf) and len(c.values) == 1 and not c.negated]
    _said_already(intent, fixed)
    _one_row_counted(intent, fixed, scope)
    _single_counted(intent, scope)
    _row_by_itself(intent, scope)
    _grouped_by_one_value(intent, fixed, links, scope)
    _each_counted_once(intent, scope)
    _how_often(intent, scope)
    _flags_counted(intent)
    _numbers_listed(intent, fixed, links, scope)
    _highest_of_rows(intent, links, scope)
    _said_of_each(intent)
    _said_of_none(intent, scope)
    _ordered_by_one_value(intent, fixed)
    _references_shown(intent, scope)
    _rows_unnamed(intent, scope)
    _ordered_by_key(intent, scope)
    _ways_to_others(intent, scope)
    _verbs_as_values(intent, links, scope)
    _adjectives_from_afar(intent, links, scope)
    _values_from_afar(intent, links, scope)
    _numbers_from_afar(intent, links, scope)
    _times_from_afar(intent, links, scope)
    _times_of_groups(intent, links, scope)
    _best_by_one_of_many(intent, scope)
    _done_to_rows(intent, links, scope)
    _measures_from_afar(intent, links, scope)
    _counted_already(intent, scope)
    _parts_of_those_with(intent, scope)
    _one_of_their_rows(intent, scope)
    asked_for(intent, links, scope, _counted(intent))
    for doubts in (deeds, near_misses, partly_said, small_words, of_others, overlooked, other_deeds):
        doubts(intent, links, scope)
    _lacked_by_none(intent)
    _measured_per(intent, links)


def _said_already(intent: Intent, fixed: Sequence[ColumnContext]) -> None:
    """`who wrote "Dune"?` read as the title of "Dune"."""
    shown = [e.column for e in intent.outputs if isinstance(e, Column)]
    # a column beside it is news: `the title and the year of "Dune"` says again what it is of
    if shown and len(shown) == len(intent.outputs) and all(c in fixed for c in shown):
        raise Unclear(f"the question says its {shown[0].name} itself: it is not clear what else is wanted")


def _one_row_counted(intent: Intent, fixed: Sequence[ColumnContext], scope: Scope) -> None:
    """`how many dogs`, where dog names one row of species: rows that refer to it are meant, but not which."""
    for output in intent.outputs:
        # `how many dogs are vaccinated` has a condition inside the count, so more than the one row is looked
        # at
        if not isinstance(output, Aggregate) or not isinstance(output.of, TableRef) or output.where:
            continue
        table = scope.context.table(output.of)
        names_it = [c for c in fixed if c.table == output.of and c.unique and _names(c, table, scope)]
        if names_it:
            raise Unclear(
                f"{names_it[0].name} names one row of {table.ref.name}: it is not clear what is counted"
            )


def _single_counted(intent: Intent, scope: Scope) -> None:
    """`how many containers does each shipment have`, where a shipment has one."""
    keys = [e.column for e in intent.groups if isinstance(e, Column) and e.column.unique]
    compared = [c.left for c in intent.having if isinstance(c, Compared)]
    measured = [m for e in (*intent.outputs, *compared) for m in aggregates_of(e) if isinstance(m, Aggregate)]
    # different keys are as many as the rows: `count(distinct id)` is counted like `count(*)`
    counted = [m.of.table if m.distinct and isinstance(m.of, ColumnContext) else m.of for m in measured]
    for of in counted:
        if not isinstance(of, TableRef):
            continue
        for key in keys:
            if key.table == of:
                continue
            steps = direct(scope.context, key.table, of, scope.roles)
            # each step leads from a row to the one that it refers to: there is never a second
            if all(step.new == step.join.one.table for step in steps):
                raise Unclear(f"there is only one row of {of.name} for each of {key.table.name}")


def _row_by_itself(intent: Intent, scope: Scope) -> None:
    """`makes with more than two models`, grouped by cars: the different values of one column in one row;
    `shops and their orders by number of orders`: one of each order.
    """
    measured = [c.left for c in intent.having if isinstance(c, Compared)] + [e for e, _ in intent.order]
    if not any(isinstance(left, Aggregate) for left in measured):
        return
    # two rows may share a surname, so a group of it may hold several: only what tells rows apart counts
    keys = {
        e.column.table
        for e in intent.groups or intent.outputs
        if isinstance(e, Column) and (e.column.unique or _names_alone(e.column, scope))
    }
    for left in measured:
        of = left.of if isinstance(left, Aggregate) else None
        own = of.table if isinstance(of, ColumnContext) else of
        if own is not None and own in keys:
            raise Unclear(f"each row of {own.name} would be measured by itself")


def _names_alone(column: ColumnContext, scope: Scope) -> bool:
    """Whether it names a row by itself: a surname does not."""
    label = scope.label(scope.context.table(column.table))
    return column.key or label == (column,)


def _ordered_by_one_value(intent: Intent, fixed: Sequence[ColumnContext]) -> None:
    """An order by what is the same in all rows is meant of something else."""
    if any(isinstance(e, Column) and e.column in fixed for e, _ in intent.order):
        raise Unclear("it is not clear what the answer is to be ordered by")


def _grouped_by_one_value(
    intent: Intent, fixed: Sequence[ColumnContext], links: Sequence[Link], scope: Scope
) -> None:
    """`how many were rejected by kyc` read as counted for each status, of which one is said. A question that
    follows up another may say the one of its groups that is wanted.
    """
    # named by a word of its own, not only by one of its values: those are what a follow-up picks
    said = {c for link in links if link.mark not in {"value", "quoted"} for c in link.columns}
    for group in intent.groups:
        column = group.column if isinstance(group, Column) else None
        if column is not None and column in fixed and column in said and not _names_one(column, scope):
            scope.doubt(f"whether it is wanted for each {column.name}", _FAR_VALUE)


def _names_one(column: ColumnContext, scope: Scope) -> bool:
    return _names(column, scope.context.table(column.table), scope)


def _each_counted_once(intent: Intent, scope: Scope) -> None:
    """`the most used coupon code` read as how many coupons have it: each has its own."""
    shown = [*intent.outputs, *(e for e, _ in intent.order)]
    # a count with a condition differs from row to row (none or one), so it does rank them
    counted = {m.of for e in shown for m in aggregates_of(e) if isinstance(m, Aggregate) and not m.where}
    groups = [e.column for e in intent.groups or intent.outputs if isinstance(e, Column)]
    for column in groups:
        table = scope.context.table(column.table)
        # in a table of few rows a column is unique by chance: three coupons with three codes
        if column.table in counted and column.unique and table.rows >= _SEVERAL:
            scope.doubt(f"whether rows of {table.ref.name} are counted for each {column.name}", _FAR_VALUE)


def _how_often(intent: Intent, scope: Scope) -> None:
    """`how often did white win` read as how many different ones were white, or as their numbers added up.
    Raises Unclear.
    """
    if scope.roles[:2] != ("how", "often"):
        return
    for measure in (m for e in intent.outputs for m in aggregates_of(e) if isinstance(m, Aggregate)):
        held = measure.of if isinstance(measure.of, ColumnContext) else None
        # a column that counts (`times_played`) may well be added up for `how often`
        added = held is not None and measure.function == "sum" and not _TIMES & set(scope.words(held))
        if measure.distinct or added:
            raise Unclear("it is not clear what happened how often")


def _flags_counted(intent: Intent) -> None:
    """`how many wide body aircraft`, of aircraft with a wide_body of yes and no: nobody counts these two.
    Raises Unclear.
    """
    for measure in (m for e in intent.outputs for m in aggregates_of(e) if isinstance(m, Aggregate)):
        held = measure.of if isinstance(measure.of, ColumnContext) and measure.distinct else None
        told = {v.lower() for v in held.values} if held is not None else set()
        if held is not None and (held.kind == "boolean" or (told and told <= _YES_NO)):
            raise Unclear(f"it is not clear what of {held.name} is counted")


def _numbers_listed(
    intent: Intent, fixed: Sequence[ColumnContext], links: Sequence[Link], scope: Scope
) -> None:
    """`hours spent on revision for Delta Pharma` read as the numbers of hours that there are, of rows that
    nobody spoke of.
    """
    only = intent.outputs[0] if len(intent.outputs) == 1 and not intent.limit else None
    column = only.column if isinstance(only, Column) else None
    # keys and references are listed as what they are; nobody would add them up
    if column is None or column.kind != "number" or column.key or scope.context.refers(column):
        return
    spoken = {t.ref for link in links for t in link.tables[:1] if link.mark == "table"}
    # rows named in the question, or one row told by a value, hold the number that is asked for
    if column.table in spoken or any(c.table == column.table and c.unique for c in fixed):
        return
    words = set(map(stem, scope.words(column)))
    # `hours spent ..` begins with the number's own noun; years, numbers and codes are never added up
    if scope.roles and stem(scope.roles[0]) in words - {"year", "number", "code"}:
        scope.doubt(f"whether {column.name} is to be added up", _FAR_VALUE)


def _highest_of_rows(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`the most liked tip` read as the highest number of likes. Raises Unclear."""
    measured = [m for e in intent.outputs for m in aggregates_of(e) if isinstance(m, Aggregate)]
    highest = [m.of for m in measured if m.function in {"max", "min"} and isinstance(m.of, ColumnContext)]
    for link in links:
        table = scope.said_table(link) if set(highest) & set(link.columns) else None
        words = link.word.split()
        last = stem(words[-1])
        # `salary of lecturers` is a salary
        if table is None or last != stem(scope.words(table)[-1]) or len(words) == 1 or "of" in words:
            continue
        # the word names the column too (`the highest tip`, of a column tip): then its value is wanted
        if all(last not in map(stem, scope.words(c)) for c in link.columns):
            raise Unclear(f"it is not clear what of {table.ref.name} is to be shown")


def _said_of_none(intent: Intent, scope: Scope) -> None:
    """`customers without orders in May`: of rows that are not there nothing else can be said; nor by way of
    them, as of the course that employees have not completed.
    """
    absent = [c for c in intent.where if isinstance(c, Without)]
    gone = {c.gone for c in absent}
    # `airlines that never filed a cancelled flight`, of complaints about flights: they are on the way there
    between = {t for c in absent for t in _between(c.kept, c.gone, scope)}
    for condition in intent.where:
        # of the absent rows' own conditions the test says nothing new: they are inside the NOT EXISTS
        told = set(tables_of(condition)) if not isinstance(condition, Without) else set()
        ways = (direct(scope.context, c.kept, t, scope.roles) for c in absent for t in told - {c.kept})
        if told & (gone | between) or any(step.new in gone for way in ways for step in way):
            raise Unclear("it is not clear whether a condition is said of what is not there")
    for rows in intent.rows:
        # `made donations in 2022 but not in 2023`: there are some
        none = [c for c in absent if rows != c.kept and not c.where]
        ways = (direct(scope.context, c.kept, rows, scope.roles) for c in none)
        if rows in between or any(step.new in gone for way in ways for step in way):
            raise Unclear("it is not clear whether rows are said of what is not there")


def _between(kept: TableRef, gone: TableRef, scope: Scope) -> set[TableRef]:
    """The tables on the way from the one to the other."""
    return {step.new for step in direct(scope.context, kept, gone, scope.roles)} - {gone}


def _ways_to_others(intent: Intent, scope: Scope) -> None:
    """`towns with donors but no hospital`, joined by what either has to do with a blood group."""
    for condition in intent.where:
        if not isinstance(condition, Without | With | Many):
            continue
        other = condition.gone if isinstance(condition, Without) else condition.found
        _, chance = path(scope.context, condition.kept, [other], scope.roles, scope.said())
        scope.doubt(f"how {condition.kept.name} and {other.name} are joined", chance, once=True)


def _said_of_each(intent: Intent) -> None:
    """`who bought both A and B in March`: of which of the two rows the rest is said is not clear."""
    held = [c.kept for c in intent.where if isinstance(c, With)]
    # two EXISTS of one table: a third condition joined outside would meet a third row of it
    for condition in intent.where if held else ():
        if not isinstance(condition, With) and set(tables_of(condition)) - {held[0]}:
            raise Unclear("it is not clear whether the other conditions are said of both")


def _verbs_as_values(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`paid by card` read as the status of invoices, though nobody spoke of invoices
    and there are payments.
    """
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    for link in links:
        if link.mark != "value" or not link.word.endswith(("ed", "paid")):
            continue
        held = {c for c, _ in link.values}
        taken = [c.column for c in intent.where if isinstance(c, OneOf) and c.column in held]
        # another table has the verb in its name (`payments` for `paid`) and so is the likelier place
        others = {
            t.ref
            for t in scope.context.tables
            if root(link.word) in {root(word) for word in scope.words(t)} and t.ref not in spoken
        }
        for column in taken:
            if column.table not in spoken and others - {column.table}:
                scope.doubt(
                    f"whether {link.text} is a value of {column.table.name}.{column.name}", _FAR_VALUE
                )


def _names(column: ColumnContext, table: TableContext, scope: Scope) -> bool:
    return column.key or column in scope.label(table)


def _references_shown(intent: Intent, scope: Scope) -> None:
    """A key of another row is rarely what a person wants to see, unless it is asked for as such."""
    said = {stem(word) for word in scope.roles}
    for output in intent.outputs:
        if not isinstance(output, Column):
            continue
        # a code that people call the other row by (a country's code) answers the question by itself
        one = _referred(output.column, scope)
        if one is None or one in scope.label(scope.context.table(one.table)):
            continue
        # `employees and their manager_id`: within one table the number is no answer, unless ids were asked
        # for
        if one.table == output.column.table and not said & {stem(w) for w in names.KEY_WORDS}:
            raise Unclear(f"{output.column.name} refers to another row: it is not clear what of it is wanted")
        if not set(map(stem, scope.words(output.column)[-1:])) & said:
            scope.doubt(f"whether {output.column.name} itself is wanted", _REFERENCE)


def _rows_unnamed(intent: Intent, scope: Scope) -> None:
    """A bare number for a row, where a text beside it may be what people call it by."""
    said = {stem(word) for word in scope.roles}
    for output in intent.outputs:
        if not isinstance(output, Column) or not output.column.key or output.column.kind != "number":
            # a text key (`AAPL`) is a name already; only a number leaves open who is meant
            continue
        table = scope.context.table(output.column.table)
        if output.column in scope.label(table) and _name_asked(intent, scope):
            raise Unclear(f"{table.ref.name} has no name")
        first = scope.first_text(table) or _told_in_words(table, scope)
        # beside other columns a number only tells the rows apart; alone it is the whole answer
        alone = len([e for e in intent.outputs if isinstance(e, Column)]) <= 1 or output in intent.groups
        if first is not None and alone and not said & set(map(stem, names.KEY_WORDS)):
            scope.doubt(f"whether {output.column.table.name} are told by their {first.name}", _FAR_VALUE)


def _name_asked(intent: Intent, scope: Scope) -> bool:
    """`the name of the order with the highest freight`, of orders with a number alone, which is no name."""
    texts = any(isinstance(e, Column) and e.column.kind == "text" for e in intent.outputs)
    asked = any(link.mark == "label" and link.word.split()[0] in {"name", "names"} for link in scope.links)
    return asked and not texts


def _told_in_words(table: TableContext, scope: Scope) -> ColumnContext | None:
    """The text that says what a row is, where no name does: the description of an adverse event."""
    for column in table.columns:
        own = column.kind == "text" and not scope.context.refers(column)
        # texts that come up again and again are kinds, not what one row is about
        if own and scope.words(column)[-1] in _SAYS_WHAT and column.distinct * 2 > table.rows:
            return column
    return None


def _ordered_by_key(intent: Intent, scope: Scope) -> None:
    """`keyphrases of each paper, ordered by the paper ID`: papers may be meant to be told by it."""
    shown = {e.column for e in intent.outputs if isinstance(e, Column)}
    for by, _ in intent.order:
        if not isinstance(by, Column) or by.column in shown:
            continue
        if by.column.key or (by.column.unique and scope.words(by.column)[-1] == "id"):
            scope.doubt(f"whether {by.column.name} is to be shown", _FAR_VALUE)


def _referred(column: ColumnContext, scope: Scope) -> ColumnContext | None:
    # a unique reference (1:1) is the row's own key under another name
    if column.key or column.unique:
        return None
    joins = scope.context.joins
    place = (column.table, column.name)
    held = (one for j in joins for many, one in j.pairs if (many.table, many.name) == place)
    return next(held, None)


def _adjectives_from_afar(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`Swedish authors` read as authors with a book in Swedish: what is said of a row should be in it."""
    for value, table in _described(links):
        held = {c for c, _ in value.values}
        taken = [c.column for c in intent.where if isinstance(c, OneOf) and c.column in held]
        for column in taken:
            # what is said of the table's own column is where the words put it
            if column.table == table.ref:
                continue
            steps = direct(scope.context, table.ref, column.table, scope.roles)
            if any(step.multiplies for step in steps):
                scope.doubt(f"whether {value.text} is said of {column.table.name}.{column.name}", _FAR_VALUE)


def _values_from_afar(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`projects delivered late` read as those with a complaint for being late, of which nobody spoke: a word
    with neither article nor preposition is no name of something else.
    """
    rows = _counted(intent) or _rows_meant(intent)
    # tables that the question speaks of, by a noun or by a column, may hold a value
    spoken = {t.ref for link in links for t in link.tables[:1] if link.mark != "value"}
    spoken |= {c.table for link in links if link.mark == "column" for c in link.columns}
    if rows is None:
        return
    for link in links:
        if link.mark != "value" or link.preposition or not _bare(link, scope):
            continue
        held = {c for c, _ in link.values}
        taken = [c.column for c in intent.where if isinstance(c, OneOf) and c.column in held]
        for column in taken:
            own = set(scope.words(scope.context.table(column.table)))
            # the value has the table's word in it (`late delivery` of deliveries), so that table is meant
            # after all
            if column.table in spoken or own & set(link.word.split()) or column.table == rows:
                continue
            if _joins_two(column.table, {*spoken, rows}, scope):
                continue  # `students who are captain of a club`, of its members
            if any(step.new != step.join.one.table for step in direct(scope.context, rows, column.table, ())):
                scope.doubt(f"whether {link.text} is said of {column.table.name}.{column.name}", _FAR_VALUE)


def _bare(link: Link, scope: Scope) -> bool:
    """Whether a word in lower case stands behind no word that makes it a noun."""
    first = link.text.split()[0] if link.text == link.text.lower() else ""
    place = scope.roles.index(first) if first in scope.roles else 0
    return place > 0 and scope.roles[place - 1] not in _MAKES_A_NOUN and not scope.roles[place - 1].isdigit()


def _numbers_from_afar(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`rides that cost more than 50 euros` read as those in a cab whose price was, of rides with a fare in
    euros of their own.
    """
    rows = _counted(intent) or _rows_meant(intent)
    spoken = {t.ref for link in links for t in link.tables[:1] if link.mark in {"table", "relation"}}
    if rows is None:
        return
    own = [c for c in scope.context.table(rows).columns if c.kind == "number" and not c.key]
    for condition in intent.where:
        left = condition.left if isinstance(condition, Compared | Ranged) else None
        column = left.column if isinstance(left, Column) else None
        if column is None or column.table in spoken or column.table == rows:
            continue
        unit = unit_of(scope.words(column))
        if unit and any(unit_of(scope.words(c)) == unit for c in own):
            scope.doubt(f"whether {column.name} of {column.table.name} is meant", _FAR_VALUE)


def _times_from_afar(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`subscribers who joined in May` read as those who commented on what journalists wrote who did."""
    spoken = {t.ref for link in links for t in link.tables[:1] if link.mark in {"table", "relation", "value"}}
    for link in links:
        owners = {c.table for c in (*(c for c, _ in link.values), *link.columns)}
        # a value or column that one table alone holds is as good as naming that table
        spoken |= owners if len(owners) == 1 and link.mark in {"value", "column"} else set()
    start = _rows_meant(intent)
    deeds = {root(w) for w in scope.roles if w.endswith("ed")} - {root(w) for w in LIFE}
    shown = (*intent.outputs, *(by for by, _ in intent.order))
    measured = {t for e in shown for m in aggregates_of(e) for t in tables_of(m)}
    for condition in intent.where:
        if not isinstance(condition, During) or start is None:
            continue
        if any(condition.column.table in scope.told_by(t) for t in measured - {start}):
            continue  # `the most points in 2008`, of results that each are of one race
        # rows without any time of their own can only be dated by rows that refer to them
        if not scope.times(scope.context.table(start)) and not _came_to_be(condition.column, scope):
            continue
        if _joins_two(condition.column.table, {*_tables_of_all(intent), start}, scope):
            continue  # `students who took Genetics in 2021`, of enrolments
        # `joined in May` beside a column joined_on: the verb chose the date
        if {root(w) for w in scope.words(condition.column)} & deeds:
            continue
        for table in set(tables_of(condition)) - spoken - {start}:
            steps = direct(scope.context, start, table, scope.roles)
            if any(step.multiplies for step in steps):
                scope.doubt(f"whether a time is said of {table.name}", _FAR_VALUE)


def _best_by_one_of_many(intent: Intent, scope: Scope) -> None:
    """`top 2 artists by streams in each genre`, of streams a month: one month's of theirs, or all of them."""
    by_what = [by for by, _ in intent.order]
    shown = [e for e in intent.outputs if isinstance(e, Column) and e not in (*intent.best_of, *by_what)]
    rows = {e.column.table for e in shown} or ({intent.head} if intent.head is not None else set())
    # columns that are shown beside the rank are what is ranked; those ranked by are not
    told = {t for ref in rows for t in scope.told_by(ref)}
    # `the top 2 artists` alone leaves nothing to add up: `by` brings in the measure
    ranked_by = {"top", "by"} <= set(scope.roles)
    for by in by_what if intent.best_of and rows and ranked_by else ():
        # a measure in a table with one row for each shown row cannot need a sum
        if isinstance(by, Column) and by.column.table not in told:
            scope.doubt(f"whether one {by.column.name} of each counts or their sum", _FAR_VALUE)


def _times_of_groups(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`how much did repairs cost per machine kind in 2022` read as that of machines bought then: what is
    measured has times of its own.
    """
    measured = {t for e in intent.outputs for m in aggregates_of(e) for t in tables_of(m)}
    dated = [t for t in measured if any(_happens(c, scope) for c in scope.times(scope.context.table(t)))]
    named = [c for link in links if link.mark == "column" for c in link.columns]
    for condition in intent.where:
        column = condition.column if isinstance(condition, During) else None
        # a date that was named (`by purchase date`) is meant, however far it is
        if column is None or column.table in measured or not dated or column in named:
            continue
        if _joins_two(column.table, {*_tables_of_all(intent), *measured}, scope):
            continue
        if not {root(w) for w in scope.words(column)} & {root(w) for w in scope.roles}:
            scope.doubt(f"whether a time is said of {column.table.name}", _FAR_VALUE)


def _happens(column: ColumnContext, scope: Scope) -> bool:
    """Whether a date is of what happens, not of a life or a beginning."""
    # `born`, `opened`: a thing has one such date, which says nothing of when a measure was taken
    return not set(scope.words(column)) & LIFE


def _tables_of_all(intent: Intent) -> set[TableRef]:
    """The tables of what is shown and of all conditions."""
    return {t for what in (*intent.outputs, *intent.where) for t in tables_of(what)}


def _joins_two(table: TableRef, others: set[TableRef], scope: Scope) -> bool:
    """Whether its rows refer to two of the other tables."""
    referred = {j.one.table for j in scope.context.joins if j.many.table == table}
    return len(referred & (others - {table})) > 1


def _counted(intent: Intent) -> TableRef | None:
    """The table whose rows are counted, if only one is."""
    counted = {m.of for e in intent.outputs for m in aggregates_of(e) if isinstance(m, Aggregate)}
    tables = {of for of in counted if isinstance(of, TableRef)}
    return tables.pop() if len(tables) == 1 else None


def _rows_meant(intent: Intent) -> TableRef | None:
    return intent.head or next((t for e in intent.outputs for t in tables_of(e)), None)


def _came_to_be(column: ColumnContext, scope: Scope) -> bool:
    """`authors born in 1960`, joined to members who were."""
    return bool({root(w) for w in scope.words(column)} & {root(w) for w in LIFE})


def _measures_from_afar(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`bikes that cost more than 1000` read as those with a repair that did, of which nobody spoke."""
    spoken = {t.ref for link in links for t in link.tables[:1] if link.mark in {"table", "relation"}}
    # the rows compared stay unsaid when neither a count nor an output tells them: nothing to be far from
    for condition in intent.where:
        left = condition.left if isinstance(condition, Compared | Ranged) else None
        rows = _counted(intent) or _rows_meant(intent)
        if not isinstance(left, Column) or rows is None or left.column.table in {*spoken, rows}:
            continue
        if _joins_two(left.column.table, {*spoken, rows}, scope):
            continue  # `students with a grade above 90 in any course`, of enrolments
        if left.column.name in scope.hinted:
            continue  # a hint says that this is what is compared
        told = [link for link in links if left.column in link.columns]
        # a bare unit fits any column of that unit, so it never chose this one
        if told and all(link.word in UNITS for link in told):
            # `artifacts bigger than 1 gb` read as those made on machines with a memory_gb of more
            scope.doubt(f"whether {left.column.name} of {left.column.table.name} is compared", _FAR_VALUE)
            continue
        named = [link for link in told if scope.said_table(link) is not None]
        steps = direct(scope.context, rows, left.column.table, scope.roles)
        if not named and any(step.multiplies for step in steps):
            scope.doubt(f"whether {left.column.name} of {left.column.table.name} is compared", _FAR_VALUE)


def _counted_already(intent: Intent, scope: Scope) -> None:
    """`businesses with more than 100 reviews`, of businesses with a review_count: their rows may be fewer."""
    groups = {e.column.table for e in intent.groups if isinstance(e, Column)}
    compared = [c.left for c in intent.having if isinstance(c, Compared)]
    shown = [*intent.outputs, *(e for e, _ in intent.order), *compared]
    counts = [m for e in shown for m in aggregates_of(e) if isinstance(m, Aggregate) and not m.where]
    for of in {m.of for m in counts if m.function == "count"}:
        if not isinstance(of, TableRef):
            continue
        counted = {stem(w) for w in scope.words(scope.context.table(of))}
        held = [c for ref in groups - {of} for c in scope.context.table(ref).columns if c.kind == "number"]
        for column in held:
            words = {stem(w) for w in scope.words(column)}
            # the count's column has the table's words and one more that means a count: `review_count`,
            # `num_reviews`
            if counted <= words and words - counted and words - counted <= COUNTS:
                scope.doubt(f"whether {column.name} is meant or the rows of {of.name}", _FAR_VALUE)


def _parts_of_those_with(intent: Intent, scope: Scope) -> None:
    """`the share of users who enabled alerts`, joined to settings: users that have none are of the whole."""
    for ratio in (e for e in intent.outputs if isinstance(e, Ratio)):
        measured = [m for m in aggregates_of(ratio) if isinstance(m, Aggregate)]
        wholes = [m for m in measured if m.function == "count" and not m.where]
        inside = [c for m in measured for c in m.where if not isinstance(c, With | Without)]
        told = [t for c in inside for t in tables_of(c)]
        for whole in wholes:
            of = whole.of if isinstance(whole.of, TableRef) else whole.of.table
            # rows that every one of the whole has (an inner join loses none) leave the share as it is
            if set(told) - scope.always_with(of):
                scope.doubt(f"whether {of.name} of which nothing is said are of the whole", _FAR_VALUE)


def _one_of_their_rows(intent: Intent, scope: Scope) -> None:
    """`which islands have no fuel?`, of ports with an island: one of its ports has none, or none has any."""
    shown = [e.column for e in intent.outputs if isinstance(e, Column)]
    if not intent.distinct or intent.groups or len(shown) != 1 or len(intent.outputs) != 1:
        return
    for condition in intent.where:
        match condition:
            # conditions that hold for a lack: of one row among several, lack is told of that row only
            case Known(negated=True) | OneOf(negated=True) | Compared(operator="=", right="0"):
                pass
            case _:
                continue
        if set(tables_of(condition)) == {shown[0].table} and not shown[0].unique:
            scope.doubt(f"whether all rows of a {shown[0].name} are to be so", _FAR_VALUE)


def _lacked_by_none(intent: Intent) -> None:
    """`managers who never worked a shift` read as shifts without a date, which all have. Raises Unclear."""
    for condition in intent.where:
        lacked = condition.column if isinstance(condition, Known) and condition.negated else None
        # only of dates: a text or number that is never null may still hold `none` or 0
        if lacked is not None and lacked.kind == "date" and not lacked.nulls:
            raise Unclear(f"every row of {lacked.table.name} has a {lacked.name}")


def _measured_per(intent: Intent, links: Sequence[Link]) -> None:
    """`the budget per teacher of each department` read as a list. Raises Unclear."""
    compared = [c.left for c in intent.having if isinstance(c, Compared)]
    shown = [*intent.outputs, *(e for e, _ in intent.order), *compared]
    measured = [isinstance(e, Ratio) or aggregates_of(e) for e in shown]
    per = next((link for link in links if link.mark == "each" and link.word == "per"), None)
    # a ratio or an aggregate is a measure already, so `per` has something to divide
    if per is not None and not intent.groups and not any(measured):
        raise Unclear(f"it is not clear what is measured {per.text} row")


LIFE = frozenset(listed("birth born founded established opened built hired joined bought since"))
"""Dates of a thing, not of what happens."""


def _done_to_rows(intent: Intent, links: Sequence[Link], scope: Scope) -> None:
    """`which breeds have we treated?`: what was done to a thing is in the rows that refer to it, which nobody
    spoke of; a row of something that happened holds that itself.
    """
    last = next((link for link in reversed(links) if link.mark != "stop"), None)
    ranked = (e for e, _ in intent.order)
    tables = {t for what in (*intent.outputs, *ranked, *intent.where) for t in tables_of(what)}
    # `sold to whom` and the like: a verb in the middle relates two things that are both named
    if last is None or last.mark != "relation" or last.tables or not last.word.endswith(_DONE):
        return
    if len(tables) != 1:
        return
    table = scope.context.table(next(iter(tables)))
    # a visit or an order has a date of its own, so its row tells what was done by itself
    times = [c for c in scope.times(table) if not set(scope.words(c)) & LIFE]
    happens = any(not is_dated(last.word) or tells_when(c, last.word, scope) for c in times)
    shown = [c for what in (*intent.outputs, *intent.groups, *intent.where) for c in columns_of(what)]
    if any(root(last.word) in {root(w) for w in scope.words(c)} for c in shown):
        return  # `in which year were they founded`, of a founded_year
    referred = any(j.one.table == table.ref and j.many.table != table.ref for j in scope.context.joins)
    if referred and not happens:
        scope.doubt(f"what of {table.ref.name} is {last.text}", _FAR_VALUE)


def _described(links: Sequence[Link]) -> Iterator[tuple[Link, TableContext]]:
    """Values right before a table: `Swedish authors`, `by a Dutch author`."""
    for value, noun in pairwise(links):
        if value.mark == "value" and noun.mark == "table" and noun.glued:
            yield value, noun.tables[0]
