"""What a question wants shown: measures, groups, columns, and the rows of a table.

Owns the last passes over the main sentence.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Expression,
    Known,
    OneOf,
    Part,
    aggregates_of,
    columns_of,
    tables_of,
)
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import PERIODIC, TIME_UNITS
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import FUNCTIONS, checked, expressions_at, measure_at, parted
from rewright.ask.reading.words import stem
from rewright.lake import names

_BY_VERB = 0.8


def groups(draft: Draft) -> None:
    """`for each T`, `per C`, `by year`, `monthly`."""
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        if link.mark == "periodic":
            period = parted(draft, PERIODIC[link.word], at)
            draft.groups.append(period)
            draft.outputs.append((-1, period))
            draft.use(at)
        elif link.mark == "each":
            group(draft, at)


def group(draft: Draft, at: int) -> None:
    """What an `each` names. Raises Unclear."""
    draft.use(at)
    place = at + 1
    taken = 0
    while place < len(draft.links) and not draft.links[place].used:
        end = _grouped(draft, place)
        if end is None:
            break
        draft.use(*range(place, end))
        taken += 1
        place = end
        # `for each city and year`: a group more, unless it is wanted for itself
        if place >= len(draft.links) or not _another_group(draft, place):
            break
    if not taken and not _each_of_times(draft, at):
        raise Unclear(f"it is not clear what is meant by {draft.links[at].text}")
    shown = [e for _, e in draft.outputs]
    draft.outputs += [(-1, e) for e in draft.groups if e not in shown and not _of_rows(draft, e)]


def _each_of_times(draft: Draft, at: int) -> bool:
    """`in each of the last 3 months`: by month."""
    link = draft.links[at + 1] if at + 1 < len(draft.links) else None
    unit = TIME_UNITS.get(link.word.split()[-1]) if link is not None and link.mark == "moment" else None
    if unit is None:
        return False
    draft.groups.append(parted(draft, unit, at + 1))
    return True


def _another_group(draft: Draft, place: int) -> bool:
    """`for each month and ward`: what comes right after a group, with a word between."""
    link = draft.links[place]
    if link.mark != "table":
        return link.mark in {"column", "unit"}
    after = draft.links[place + 1].mark if place + 1 < len(draft.links) else "stop"
    ends = after in {"stop", "comma", "order", "desc", "asc", "each", "moment"}
    return ends and not link.glued and not link.preposition and not link.theirs


def _of_rows(draft: Draft, expression: Expression) -> bool:
    """A key by which rows are grouped is not shown beside their names."""
    return isinstance(expression, Column) and expression.column.table in draft.grouped_rows


def _grouped(draft: Draft, place: int) -> int | None:
    link = draft.links[place]
    if link.mark == "distinct":
        draft.use(place)
        return _grouped(draft, place + 1) if place + 1 < len(draft.links) else None
    if link.mark == "unit":
        named = draft.next(place, "column")
        if named is not None and draft.links[named].preposition == "of":
            # `per month of issue`
            date = draft.scope.column(draft.links[named], ("date",))
            if date.kind == "date":
                draft.groups.append(Part(date, TIME_UNITS[link.word]))
                return named + 1
        draft.groups.append(parted(draft, TIME_UNITS[link.word], place))
        return place + 1
    if link.mark == "table":
        column = _own_column(draft, place)
        if column is not None:
            draft.groups.append(column)
            return place + 1
        table = draft.scope.table(link)
        follows = draft.next(place, "identifier", "label")
        if follows is not None and draft.links[follows].mark == "identifier":
            draft.groups.append(Column(draft.scope.key(table)))
            return follows + 1
        _group_rows(draft, table)
        return (follows or place) + 1
    if link.mark == "column":
        column_of = draft.scope.column(link)
        if (
            column_of.kind == "date"
            and "date" in draft.scope.words(column_of)
            and link.word in {"date", "day"}
        ):
            draft.groups.append(Part(column_of, "day"))
        else:
            draft.groups.append(Column(column_of))
        return place + 1
    return None


def _group_rows(draft: Draft, table: TableContext) -> None:
    label = draft.scope.label(table)
    draft.grouped_rows.append(table.ref)
    try:
        key = draft.scope.key(table)
    except Unclear:
        key = label[0]
    draft.outputs += [(-1, Column(c)) for c in label]
    draft.groups += [Column(c) for c in dict.fromkeys((key, *label))]


def _own_column(draft: Draft, place: int) -> Column | None:
    """`each city` where the table that is measured has a column of that name."""
    link = draft.links[place]
    group = link.tables[0].ref
    others = [
        o.tables[0] for o in draft.links if o.mark == "table" and o is not link and o.tables[0].ref != group
    ]
    named = any(o is not link and o.mark == "table" and o.tables[0].ref == group for o in draft.links)
    held = [c for c in link.columns if c.table in [t.ref for t in others]]
    if not held or named:
        return None
    tables = {c.table for c in held}
    if len(tables) > 1:
        measured = next((o.tables[0].ref for o in draft.links if o.mark == "table"), None)
        held = [c for c in held if c.table == measured]
    joined = [
        j
        for j in draft.scope.context.joins
        if any((j.many.table, j.many.name) == (c.table, c.name) for c in held) and j.one.table == group
    ]
    if len(held) != 1 or (joined and draft.scope.words(held[0])[-1] in names.KEY_WORDS):
        return None
    draft.scope.mentioned = [t for t in draft.scope.mentioned if t.ref != group]
    return Column(held[0])


# ------------------------------------------------------------------ measures and columns


def measures(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        if _several(draft, at):
            continue
        found = measure_at(draft, at, extremes=bool(draft.groups))
        if found is None:
            continue
        expression, end = found
        if isinstance(expression, Column) and draft.groups and not _row_wise(draft, expression):
            expression = Aggregate("sum", expression.column)
        draft.outputs.append((at, expression))
        draft.use(*range(at, end))
        _shared(draft, at, end)


def _several(draft: Draft, at: int) -> bool:
    """`minimum, maximum and average C`: each function of the one column."""
    place, functions = at, list[int]()
    while place < len(draft.links) and draft.links[place].mark in {*FUNCTIONS, "comma"}:
        if draft.links[place].mark != "comma":
            functions.append(place)
        place += 1
    if len(functions) < 2 or place >= len(draft.links) or draft.links[place].mark != "column":
        return False
    link = draft.links[place]
    column = draft.scope.column(link, ("number",))
    draft.outputs += [(i, checked(FUNCTIONS[draft.links[i].mark], column, link)) for i in functions]
    draft.use(*range(at, place + 1))
    return True


def _shared(draft: Draft, at: int, end: int) -> None:
    """`average height and weight`: the function is said once for both."""
    function = FUNCTIONS.get(draft.links[at].mark)
    place = end + (end < len(draft.links) and draft.links[end].mark == "comma")
    if function is None or place >= len(draft.links) or draft.links[place].used or draft.links[place].glued:
        return
    link = draft.links[place]
    if link.mark == "column" and link.preposition == "" and all(c.kind == "number" for c in link.columns):
        draft.outputs.append((place, checked(function, draft.scope.column(link), link)))
        draft.use(place)


def _row_wise(draft: Draft, expression: Column) -> bool:
    return expression.column.table in draft.grouped_rows


def columns(draft: Draft) -> None:
    """Columns, labels and tables that no form has taken, in the question's order."""
    for at, link in enumerate(draft.links):
        if link.used or link.mark not in {"column", "label", "identifier", "unit"}:
            continue
        if link.mark == "unit":
            draft.outputs.append((at, parted(draft, TIME_UNITS[link.word], at)))
            draft.use(at)
            continue
        found = expressions_at(draft, at, draft.head)
        assert found is not None
        expressions, end = found
        for expression in expressions:
            shown = expression
            if isinstance(expression, Column) and _total(draft, link, expression):
                shown = Aggregate("sum", expression.column)
            if shown not in [e for _, e in draft.outputs]:
                draft.outputs.append((at, shown))
        draft.use(*range(at, end))
    _rows(draft)


def _total(draft: Draft, link: Link, expression: Column) -> bool:
    """`the total number of citations for each author`: a column that counts is added up over a group."""
    counts = link.word.startswith(("number of", "total", "num ")) and expression.column.kind == "number"
    return counts and bool(draft.groups) and not _row_wise(draft, expression)


def _rows(draft: Draft) -> None:
    """The first table left is what is listed, where nothing else is; the others only relate."""
    measured = any(aggregates_of(e) for _, e in draft.outputs)
    for at, link in enumerate(draft.links):
        if link.mark == "distinct" and not link.used:
            draft.distinct = True
            draft.use(at)
        if link.mark != "table" or link.used:
            continue
        table = draft.scope.table(link)
        shown = [e for p, e in draft.outputs if p >= 0]
        if link.theirs and not shown and not draft.groups and draft.head is None:
            raise Unclear(f"it is not clear beside what {link.text} is wanted")
        if _beside_measure(draft, at) and not draft.groups and draft.head is None:
            _group_rows(draft, table)
        elif not shown and (not draft.groups or draft.having) and draft.head is None:
            draft.head = table
            draft.outputs += [(at, Column(c)) for c in draft.scope.label(table)]
        elif not shown and not draft.groups and draft.head is not None and draft.head.ref == table.ref:
            draft.outputs += [(at, Column(c)) for c in draft.scope.label(table)]
        elif _before_columns(draft, at) and draft.head is None and not measured:
            # `cinemas and their city`: the rows themselves come first
            draft.head = table
            draft.outputs += [(at, Column(c)) for c in draft.scope.label(table)]
        elif (
            draft.head is None
            and not measured
            and table.ref in [c.table for _, e in draft.outputs for c in _columns(e)]
        ):
            draft.head = table
        elif (link.theirs or _added(draft, link)) and not measured and not draft.groups:
            _beside_rows(draft, at, table)
        else:
            read = {
                t for e in (*(e for _, e in draft.outputs), *draft.where, *draft.groups) for t in tables_of(e)
            }
            if (
                link.word.endswith("ing")
                and max(link.fits.values(), default=1.0) < 0.9
                and table.ref not in read
            ):
                draft.scope.doubt(f"whether only what has rows of {table.ref.name} is meant", _BY_VERB)
            draft.rows.append(table.ref)
        draft.use(at)
    _rows_named(draft)
    _rows_of_values(draft)


def _beside_measure(draft: Draft, at: int) -> bool:
    """`journals and the number of papers`: a measure of each."""
    after = draft.links[at + 1] if at + 1 < len(draft.links) else None
    joined = after is not None and (after.added or after.preposition == "with")
    return after is not None and after.mark in {"count", *FUNCTIONS} and joined and after.used


def _added(draft: Draft, link: Link) -> bool:
    """`the plots with the most trees and the farm they belong to`: rows beside those that are ranked."""
    words, own = draft.scope.roles, link.word.split()[0]
    return bool(draft.order) and any(
        word == own and words[i - 1] in {"the", "their", "its"} and words[i - 2] == "and"
        for i, word in enumerate(words)
        if i > 1
    )


def _beside_rows(draft: Draft, at: int, table: TableContext) -> None:
    """`members and their branch`: both are named."""
    if draft.head is None or not any(p < at for p, _ in draft.outputs):
        raise Unclear(f"it is not clear beside what {draft.links[at].text} is wanted")
    draft.outputs += [(at, Column(c)) for c in draft.scope.label(table)]


def _rows_of_values(draft: Draft) -> None:
    """`List all strikers`: a value alone asks for the rows that have it."""
    valued = [c for c in draft.where if isinstance(c, OneOf | Known)]
    if (
        not draft.outputs
        and not draft.order
        and not draft.groups
        and len({c.column.table for c in valued}) == 1
    ):
        draft.head = draft.scope.context.table(valued[0].column.table)
        draft.outputs += [(len(draft.links), Column(c)) for c in draft.scope.label(draft.head)]
        draft.scope.doubt("only a value says which rows are wanted", 0.92)


def _before_columns(draft: Draft, at: int) -> bool:
    """Whether a table is said before all columns that are wanted, and not as whose they are."""
    places = [p for p, _ in draft.outputs if p < len(draft.links)]
    return (
        bool(places)
        and at < min(places)
        and (at + 1 < min(places) or draft.links[at + 1].theirs)
        and not draft.groups
        and not draft.order
        and not draft.links[at].preposition
    )


def _rows_named(draft: Draft) -> None:
    """`clubs founded before 1950`: the table named within a phrase that was taken for a condition."""
    if draft.outputs or draft.groups or draft.head is not None or not draft.where:
        return
    said = {stem(w) for w in draft.links[0].word.split()}
    owners = {c.table for w in draft.where for c in columns_of(w)}
    for table in draft.scope.context.tables:
        if table.ref in owners and {stem(w) for w in draft.scope.words(table)} <= said:
            draft.head = table
            draft.outputs += [(0, Column(c)) for c in draft.scope.label(table)]
            return


def _columns(expression: Expression) -> list[ColumnContext]:
    return [expression.column] if isinstance(expression, Column) else []
