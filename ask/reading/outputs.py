"""What a question wants shown: measures, groups, columns, and the rows of a table.

Owns the last passes over the main sentence.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.grouping import group_rows
from rewright.ask.reading.guards import ADDITIVE
from rewright.ask.reading.intent import Aggregate, Column, Expression, Known, OneOf
from rewright.ask.reading.intent_parts import aggregates_of, columns_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import RETURNING, TIME_UNITS
from rewright.ask.reading.link import Link
from rewright.ask.reading.names_said import WHOLE
from rewright.ask.reading.near_misses import COUNTS
from rewright.ask.reading.phrases import (
    FUNCTIONS,
    MONEY,
    NOT_ADDED,
    amount_column,
    checked,
    expressions_at,
    measure_at,
    parted,
)
from rewright.ask.reading.sense import LIFE
from rewright.ask.reading.unit_names import unit_of
from rewright.ask.reading.words import stem

# `hosting`, a noun of rows that only sounds like a verb
_BY_VERB = 0.8
_SUMMED = 0.92
_COUNTED = 0.93
# dimensions whose amounts add up; lengths and temperatures do not
_AMOUNTS = {"mass", "mass in pounds", "volume", "dollars", "euros"}
_NOT_AMOUNTS = {*NOT_ADDED, "price", "rate", "fee", "limit", "per"}


# ------------------------------------------------------------------ measures and columns


def measures(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        # functions in a row share the column behind them, so they are taken before a single one
        if _several(draft, at):
            continue
        found = measure_at(draft, at, extremes=bool(draft.groups))
        if found is None:
            continue
        expression, end = found
        # of grouped rows a bare column is added up, unless it is each row's own
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
    # two functions at least and a column behind them: else each is a measure of its own
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
    # something right before it says of what it is: `average height of the tallest`
    if function is None or place >= len(draft.links) or draft.links[place].used or draft.links[place].glued:
        return
    link = draft.links[place]
    if link.mark == "column" and link.preposition == "" and all(c.kind == "number" for c in link.columns):
        draft.outputs.append((place, checked(function, draft.scope.column(link), link)))
        draft.use(place)


def _row_wise(draft: Draft, expression: Column) -> bool:
    # a grouped row's own column is one value for each, which a sum would hide
    return expression.column.table in draft.grouped_rows


def columns(draft: Draft) -> None:
    """Columns, labels and tables that no form has taken, in the question's order."""
    for at, link in enumerate(draft.links):
        if link.used or link.mark not in {"column", "label", "identifier", "unit"}:
            continue
        before = draft.links[at - 1] if at else None
        # the number was taken by its comparison; the unit alone would be shown as a group
        if link.mark == "unit" and before is not None and before.mark == "number" and before.used:
            draft.use(at)  # `more than 4000 a month`: what the number is said of (`guards`)
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
    # within a group of whole rows the column is not repeated
    if not draft.groups or _row_wise(draft, expression):
        return False
    return counts or _adds_up(draft, expression.column)


def _adds_up(draft: Draft, column: ColumnContext) -> bool:
    """`honey by sort and year`, of harvests with a number of kilos: of what happens, what it amounts to."""
    words = draft.scope.words(column)
    times = draft.scope.times(draft.scope.context.table(column.table))
    happens = any(not set(draft.scope.words(time)) & LIFE for time in times)
    added = bool(set(map(stem, words)) & ADDITIVE) or any(u.dimension in _AMOUNTS for u in unit_of(words))
    bare = draft.links[0].mark == "column" and column in draft.links[0].columns
    numbers = [c for e in draft.groups if isinstance(e, Column) for c in columns_of(e) if c.kind == "number"]
    # grouped by a number: `per` divides, and a sum would take the place of the ratio
    if any(not c.key and "year" not in draft.scope.words(c) for c in numbers):
        return False  # `revenue per stream`: a ratio, no group
    # only of what happens and is asked for first: `honey by year` adds up, `the price by year` does not
    sums = column.kind == "number" and added and not set(words) & _NOT_AMOUNTS and happens and bare
    if sums:
        draft.scope.doubt("whether the sum of all is meant", _SUMMED)
    return sums


_TELLS_WHICH = frozenset({"value", "moment", "quoted"})


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
        if link.word in MONEY and link.fit(table) < WHOLE and not measured:
            # `what was the revenue in May`, of sales with a price: no list of sales
            draft.outputs.append((at, _added_money(draft, link, table)))
            draft.use(at)
            measured = True
            continue
        shown = [e for p, e in draft.outputs if p >= 0]
        # `and their teams` with nothing before it: beside whom is lost
        if link.theirs and not shown and not draft.groups and draft.head is None:
            raise Unclear(f"it is not clear beside what {link.text} is wanted")
        # a measure behind `and` or `with` is one of each of these rows
        if _beside_measure(draft, at) and not draft.groups and draft.head is None:
            group_rows(draft, table)
        elif not shown and draft.groups and at == 0 and _counted_by(draft, link):
            # `claims per month`: how many there were
            draft.outputs.append((at, Aggregate("count", table.ref)))
            draft.scope.doubt("whether rows are counted", _COUNTED)
        elif not shown and (not draft.groups or draft.having) and draft.head is None:
            # nothing shown yet: the rows are the answer, told by their names
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
            # columns of that table are shown: its rows are listed, and FROM begins with them
            draft.head = table
        elif (link.theirs or _added(draft, link)) and not measured and not draft.groups:
            # a second table of a list: both are named, side by side
            _beside_rows(draft, at, table)
        else:
            # all other tables only relate; a participle may still have said which rows
            read = {
                t for e in (*(e for _, e in draft.outputs), *draft.where, *draft.groups) for t in tables_of(e)
            }
            if (
                link.word.endswith("ing")
                and max(link.fits.values(), default=1.0) < 0.9
                and table.ref not in read
            ):
                draft.scope.doubt(f"whether only what has rows of {table.ref.name} is meant", _BY_VERB)
            # a column that counts these rows is what is measured, and no join
            if (counts := _counting(draft, at)) is None:
                draft.rows.append(table.ref)
            else:
                link.columns = (*link.columns, *counts)
        draft.use(at)
    _rows_named(draft)
    _rows_of_values(draft)


def _added_money(draft: Draft, link: Link, table: TableContext) -> Aggregate:
    """Raises Unclear where no one column holds it."""
    money = amount_column(draft, table)
    # `the revenue`, with a price and a cost in the rows: which of them adds up is not said
    if money is None:
        raise Unclear(f"it is not clear what adds up to the {link.text}")
    return Aggregate("sum", money)


def _counting(draft: Draft, at: int) -> tuple[ColumnContext, ...] | None:
    """`the average number of enrolled students`, of courses with a num_enrolled: what counts them."""
    before = draft.links[at - 1] if at else None
    if before is None or before.mark != "column" or not draft.links[at].glued:
        # a count column right before its noun already counts the rows that the noun names
        return None
    counts = [c for c in before.columns if c.kind == "number"]
    return tuple(c for c in counts if set(map(stem, draft.scope.words(c))) & COUNTS) or None


def _counted_by(draft: Draft, link: Link) -> bool:
    """Whether a question begins with rows that are grouped by a time or a column, and wants nothing else."""
    plural = link.word.endswith("s") and max(link.fits.values(), default=1.0) >= WHOLE
    by = draft.links[1] if len(draft.links) > 1 else None
    # `lessons per instructor`, of lessons with an instructor
    told = draft.scope.told_by(link.tables[0].ref)
    # `per instructor`: those that a counted row refers to are groups; others would be a ratio
    per_row = by is not None and by.word == "per" and set(draft.grouped_rows) <= told - {link.tables[0].ref}
    grouped = (not draft.grouped_rows or per_row) and not (draft.having or draft.order or draft.limit)
    # after `list` or with an order the rows themselves are wanted
    listed = draft.scope.roles[:1] and draft.scope.roles[0] in RETURNING
    ordered = any(c.kind == "number" for e in draft.groups if isinstance(e, Column) for c in columns_of(e))
    return (
        plural
        and grouped
        and not (draft.best_of or listed or ordered)
        and by is not None
        and by.mark == "each"
    )


def _beside_measure(draft: Draft, at: int) -> bool:
    """`journals and the number of papers`: a measure of each."""
    # conditions between do not part the rows from their measure
    # `tournaments in Seoul with the number of teams`
    after = next((o for o in draft.links[at + 1 :] if not (o.used and o.mark in _TELLS_WHICH)), None)
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
    if not any(p < at for p, _ in draft.outputs):
        raise Unclear(f"it is not clear beside what {draft.links[at].text} is wanted")
    draft.outputs += [(at, Column(c)) for c in draft.scope.label(table)]


def _rows_of_values(draft: Draft) -> None:
    """`List all strikers`: a value alone asks for the rows that have it."""
    valued = [c for c in draft.where if isinstance(c, OneOf | Known)]
    # only where nothing else tells what is shown
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
    # a table behind a preposition says whose the columns are: `the names of cinemas`
    return (
        bool(places)
        and at < min(places)
        and (at + 1 < min(places) or draft.links[at + 1].theirs)
        and not draft.groups
        # `cinemas and their city, sorted by city`: in whatever order
        and (not draft.order or draft.links[min(places)].theirs)
        and not draft.links[at].preposition
    )


def _rows_named(draft: Draft) -> None:
    """`clubs founded before 1950`: the table named within a phrase that was taken for a condition."""
    if draft.outputs or draft.groups or draft.head is not None or not draft.where:
        return
    # without links of their own such tables are named by all of their words in the first phrase
    said = {stem(w) for w in draft.links[0].word.split()}
    owners = {c.table for w in draft.where for c in columns_of(w)}
    for table in draft.scope.context.tables:
        if table.ref in owners and {stem(w) for w in draft.scope.words(table)} <= said:
            draft.head = table
            draft.outputs += [(0, Column(c)) for c in draft.scope.label(table)]
            return


def _columns(expression: Expression) -> list[ColumnContext]:
    return [expression.column] if isinstance(expression, Column) else []
