"""Comparisons of a question: with numbers, with an average, between two numbers, and of counts (`more than 3
papers`).

Owns their grammar. What it cannot place raises Unclear.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.adjectives import ADJECTIVES
from rewright.ask.reading.averages import against_average
from rewright.ask.reading.counted_groups import holds_of_none
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    Condition,
    Expression,
    Known,
    OneOf,
    Ranged,
)
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import (
    FUNCTIONS,
    amount_column,
    checked,
    counting_column,
    is_a_sum,
    only_measure,
)
from rewright.ask.reading.unit_names import measures
from rewright.ask.reading.values import column_of_value
from rewright.ask.reading.versus import more_than_another, of_two_columns
from rewright.lake import names

_OPERATORS = {">", "<", ">=", "<=", "=", "!="}
_SWITCHED = {"or more": ">=", "or less": "<="}
_TIMED = {"after": ">", "before": "<"}
_ONLY_NUMBER = 0.9
_AVERAGES = {"average of all": ">", "below average": "<"}


# columns that hold a grade: their plural counts grades as often as it names their height
_GRADES = frozenset({"rating", "score", "grade", "rank", "level"})
_COUNTED_OR_COMPARED = 0.75
# numbers that are years and hardly anything else
_FIRST_YEAR, _LAST_YEAR = 1500, 2100


def comparisons(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        if link.mark in _AVERAGES:
            against_average(draft, at, _AVERAGES[link.mark])
        elif link.mark == "between":
            _range(draft, at)
        elif link.mark in _OPERATORS or link.mark in _TIMED:
            _comparison(draft, at, _TIMED.get(link.mark, link.mark))
        elif link.mark == "comparative":
            _comparative(draft, at)
        elif link.mark in {"more", "fewer"} and more_than_another(draft, at):
            draft.use(at)
        elif (
            link.mark == "number"
            and (after := draft.next(at, "or more", "or less", "column", "table")) is not None
        ):
            _number_or_more(draft, at, after)


def _number_or_more(draft: Draft, at: int, after: int) -> None:
    """`3 or more papers`, `5 stars or more`."""
    named = None
    if draft.links[after].mark in {"column", "table"}:
        named, later = after, draft.next(after, "or more", "or less")
        if later is None:
            return
        after = later
    else:
        named = draft.next(after, "column", "table")
    operator = _SWITCHED[draft.links[after].mark]
    draft.use(after)
    _compare(draft, at, operator, at, draft.before(at, "column"), named)


def _comparison(draft: Draft, at: int, operator: str) -> None:
    # without a number it may compare two columns: `delivered after promised`
    number = draft.next(at, "number")
    if number is None and of_two_columns(draft, at, operator):
        return
    if number is None:
        raise Unclear(f"it is not clear what is meant by {draft.links[at].text}")
    negated = draft.before(at, "not")
    if negated is not None:
        # what is not more is as much or less
        operator = {">": "<=", "<": ">=", "=": "<>"}.get(operator, "")
        if not operator:
            raise Unclear(f"it is not clear what is meant by not {draft.links[at].text}")
        draft.use(negated)
    draft.use(at)
    left = draft.before(at if negated is None else negated, "column", "table")
    if left is None and _of_the_same(draft, at, operator, number):
        return
    different = draft.next(number, "distinct")
    right = draft.next(number if different is None else different, "column", "table", "value")
    if different is not None and right is not None:
        draft.use(different)
    elif different is not None:
        raise Unclear(f"it is not clear what is {draft.links[at].text} a number")
    if right is not None and _of_its_own(draft.links[right]):
        right = None
    # `lakes larger than 1000`: no column is named on either side
    if right is None and left is not None and _by_size(draft, at, operator, number, left):
        return
    _compare(
        draft,
        at,
        "<>" if operator == "!=" else operator,
        number,
        left,
        right,
    )
    total = next((i for i in range(number + 1, len(draft.links)) if draft.links[i].mark == "summed"), None)
    average = next((i for i in range(number + 1, len(draft.links)) if _on_average(draft.links[i])), None)
    if total is not None:
        _added_up(draft, at, total)
    elif average is not None:
        _averaged(draft, at, average)


def _on_average(link: Link) -> bool:
    return link.mark == "avg" and link.word == "on average" and not link.used


def _by_size(draft: Draft, at: int, operator: str, number: int, left: int) -> bool:
    """`lakes larger than 1000`: the property that the adjective is about, where the rows have one."""
    # `larger than` is the adjective; in `more than` there is none, and the lookup fails
    adjective = ADJECTIVES.get(draft.links[at].word.split()[-2]) if " than" in draft.links[at].word else None
    if draft.links[left].mark != "table" or adjective is None or adjective.sort != "comparative":
        return False
    units = draft.scope.numbered.get(draft.links[number].number, ())
    try:
        # the number's unit picks among an adjective's columns: `longer than 5 km` is no duration
        column, _ = draft.scope.property(draft.scope.table(draft.links[left]), adjective.steps, units)
    except Unclear:
        return False
    if column.kind != "number":
        return False
    draft.where.append(Compared(Column(column), operator, draft.links[number].number))
    draft.use(number)
    return True


def _of_the_same(draft: Draft, at: int, operator: str, number: int) -> bool:
    """`cost less than 20 or more than 90`: what was compared just before, where nothing else is named."""
    # `or` stands right before, or a comma between: `less than 20, or more than 90`
    joint = at - 1 - (at > 1 and draft.links[at - 1].mark == "comma")
    last = draft.where[-1] if draft.where else None
    named = draft.next(number, "column", "table", "value", "distinct") is not None
    if joint < 0 or draft.links[joint].mark != "or" or named or not isinstance(last, Compared):
        return False
    draft.where.append(
        Compared(last.left, "<>" if operator == "!=" else operator, draft.links[number].number)
    )
    draft.use(at, number)
    return True


def _added_up(draft: Draft, at: int, total: int) -> None:
    """`spent at least 10000 in total`: the sum over all rows of each. Raises Unclear."""
    last = draft.where.pop() if draft.where else None
    left = last.left if isinstance(last, Compared) else None
    if not isinstance(last, Compared) or not isinstance(left, Column):
        # `the total spent over 10000` has an aggregate on the left already: nothing left to add up
        raise Unclear(f"it is not clear what is {draft.links[at].text} a number in total")
    draft.having.append(Compared(Aggregate("sum", left.column), last.operator, last.right))
    _group_by_head(draft, at)
    draft.use(total)


def _averaged(draft: Draft, at: int, average: int) -> None:
    """`departments whose lecturers earn more than 50000 on average`: of the rows of each of those before."""
    last = draft.where[-1] if draft.where else None
    left = last.left if isinstance(last, Compared) else None
    if not isinstance(last, Compared) or not isinstance(left, Column):
        return
    owners = (i for i in range(at - 1, -1, -1) if draft.links[i].mark in {"table", "column"})
    head = next((i for i in owners if _has_rows_of(draft, i, left.column)), None)
    if head is None:
        return
    draft.where.pop()
    draft.having.append(Compared(Aggregate("avg", left.column), last.operator, last.right))
    _group_by_head(draft, head + 1)
    draft.use(average)


def _has_rows_of(draft: Draft, at: int, column: ColumnContext) -> bool:
    """Whether what stands at a place names rows of which each may have several of the column's."""
    table = table_before(draft, at + 1).ref
    steps = direct(draft.scope.context, table, column.table, draft.scope.roles)
    return table != column.table and any(step.multiplies for step in steps)


def _of_its_own(link: Link) -> bool:
    """`more than 3000 and hired in May`, `longer than 500 with their length`, `above 8000 and in Nepal`:
    nothing that is compared.
    """
    # a value with a preposition is a place or a time (`in Nepal`), not what there are so many of
    placed = link.mark == "value" and link.preposition not in {"", "of"}
    return link.added or link.verb or link.theirs or link.preposition == "with" or placed


def _compare(draft: Draft, at: int, operator: str, number: int, left: int | None, right: int | None) -> None:
    value = draft.links[number].number
    draft.use(number)
    # `= 3 papers` may be the number of one paper, so only inequalities count
    so_many = right is not None and operator != "=" and _counted(draft, right)
    counts_rows = left is not None and left > 0 and draft.links[left - 1].word == "how many"
    # `how many books have more than 300 pages`: the pages are compared, not the number of books
    measure = None if so_many and counts_rows else _measure_before(draft, left)
    if measure is not None and left is not None:
        # a measure before is a condition on groups (HAVING), not on rows
        expression, first = measure
        draft.use(*range(first, left + 1))
        draft.having.append(Compared(expression, operator, value))
        if right is not None and getattr(expression, "of", None) in draft.links[right].columns:
            draft.use(right)  # `an average rating above 3 stars`
        _group_by_head(draft, first)
        return
    if left is not None and draft.links[left].mark == "column" and not so_many:
        column = draft.scope.column(draft.links[left], ("number",))
        # a column of text before is shown; the number is then said of what stands behind it
        if column.kind == "number":
            draft.use(left)
            draft.where.append(Compared(Column(column), operator, value))
            return
    behind = draft.next(right, "table") if right is not None else None
    if right is not None and behind is not None and _flag(draft, right):
        _count_flagged(draft, at, operator, value, right, behind)
        return
    # what stands behind the number is compared where it is a number, else counted
    if right is not None and draft.links[right].mark == "column":
        column = draft.scope.column(draft.links[right], ("number",))
        if column.kind == "number" and column.name.lower() != "id" and not column.key:
            said = draft.links[right].word
            if (
                said.endswith("s")
                and set(draft.scope.words(column)) & _GRADES
                and said[:-1] in draft.scope.words(column)
            ):
                # `more than 3 ratings`: so many of them
                draft.scope.doubt(f"whether {said} are counted or compared", _COUNTED_OR_COMPARED)
            draft.use(right)
            draft.where.append(Compared(Column(column), operator, value))
            return
        _having_count(draft, at, operator, value, right, Aggregate("count", column, distinct=True))
        return
    if right is not None and draft.links[right].mark == "value":
        # values are counted by their rows: `more than 3 gold medals` of medals with a kind
        held = list(draft.links[right].values)
        of = column_of_value(draft, right, draft.links[right], held)
        _having_count(draft, at, operator, value, right, Aggregate("count", of.table))
        draft.where.append(OneOf(of, tuple(sorted({v for c, v in held if c == of}))))
        return
    if right is not None:
        counted = draft.scope.table(draft.links[right])
        column_of = counting_column(draft, counted)
        different = draft.links[right - 1].mark == "distinct"
        rows = Aggregate("count", counted.ref, distinct=different)
        # a column that counts rows of that kind holds more than there are rows
        measure_of: Expression = Aggregate("sum", column_of) if column_of and not different else rows
        _having_count(draft, at, operator, value, right, measure_of)
        return
    column = _in_the_unit(draft, at, number) or _only_number(draft, at)
    draft.where.append(Compared(Column(column), operator, value))


def _count_flagged(draft: Draft, at: int, operator: str, value: str, right: int, behind: int) -> None:
    """`more than 2 open shops`, of shops with a flag: which of them are counted."""
    column = draft.scope.column(draft.links[right], ("number", "boolean"))
    counted = draft.scope.table(draft.links[behind])
    test: Condition = Known(column) if column.kind == "boolean" else Compared(Column(column), "=", "1")
    # a group of these rows has fewer than 3 open ones if it has none: only FILTER keeps it
    inside = holds_of_none(operator, value) and _column_before(draft, at) is not None
    rows = Aggregate("count", counted.ref, where=(test,) if inside else ())
    _having_count(draft, at, operator, value, behind, rows)
    if not inside:
        draft.where.append(test)
    draft.use(right)


def _in_the_unit(draft: Draft, at: int, number: int) -> ColumnContext | None:
    """`hives that gave more than 60 kg in total`, of harvests with a number of kilos: the only number in that
    unit that the rows before hold, or else the rows that refer to them.
    """
    wanted = draft.scope.numbered.get(draft.links[number].number, ())
    held = next((i for i in range(at - 1, -1, -1) if draft.links[i].mark == "table"), None)
    # without hint of a unit, or after other words, the number may be of anything
    related = all(link.mark == "relation" for link in draft.links[(held or 0) + 1 : at])
    if held is None or not wanted or not related:
        return None
    table = draft.scope.table(draft.links[held])
    own = [c for c in table.columns if c.kind == "number" and measures(draft.scope.words(c), wanted)]
    # two columns in that unit: neither is `the` number, and no farther one is nearer
    if own:
        return own[0] if len(own) == 1 else None
    others = [j.many.table for j in draft.scope.context.joins if j.one.table == table.ref]
    found = [
        c
        for ref in dict.fromkeys(others)
        for c in draft.scope.context.table(ref).columns
        if c.kind == "number" and measures(draft.scope.words(c), wanted)
    ]
    if len(found) != 1:
        return None
    draft.scope.doubt("which number is compared", _ONLY_NUMBER)
    return found[0]


def _flag(draft: Draft, at: int) -> bool:
    """Whether a column says yes or no."""
    link = draft.links[at]
    if link.mark == "column" and link.columns and all(c.kind == "boolean" for c in link.columns):
        return True
    # of numbers `is_open` with no more than two values
    # a number that says yes or no begins with is or has; a column `rating` of two values may be a rating
    named = all(names.normal(c.name).split()[:1] in (["is"], ["has"]) for c in link.columns)
    few = all(c.distinct <= 2 for c in link.columns)
    return link.mark == "column" and bool(link.columns) and named and few


def _counted(draft: Draft, right: int) -> bool:
    """`with more than 10 citations`: what stands right behind a number is what there are so many of."""
    link = draft.links[right]
    number = link.mark == "column" and all(c.kind == "number" and not c.key for c in link.columns)
    return link.glued and (link.mark in {"table", "value"} or number)


def _only_number(draft: Draft, at: int) -> ColumnContext:
    """A comparison that names no column: the only measure of the table, named somewhere before."""
    # backwards from the comparison: the nearest noun is what it is said of
    for i in range(at - 1, -1, -1):
        link = draft.links[i]
        if link.mark == "column" and not link.used:
            column = draft.scope.column(link)
            if column.kind == "number":
                # `the name and rate of keepers who earn more than 30`: shown as well
                if not any(o.mark in {"table", "value"} and o.preposition == "of" for o in draft.links[i:at]):
                    draft.use(i)
                return column
            # a date or text stands nearer than any number: the number before it is said of something else
            break
        if link.mark in {"comma", "stop", "table"}:
            # beyond a comma or another table the comparison is of another clause
            break
    return _only_measure(draft, at)


def _only_measure(draft: Draft, at: int) -> ColumnContext:
    """`claims above 10,000`: the one number that a row of the table before holds. Raises Unclear."""
    held = next((i for i in range(at - 1, -1, -1) if draft.links[i].mark == "table"), None)
    if held is not None and (only := _only_in_unit(draft, at, held)) is not None:
        return only
    # directly behind the table: any word between (`claims filed above ..`) may be the measure
    if held == at - 1:
        table = draft.scope.table(draft.links[held])
        refers = draft.scope.context.refers
        numbers = [c for c in table.columns if c.kind == "number" and not c.key and not refers(c)]
        # a year is a number that nobody compares amounts with
        if len(numbers) == 1 and "year" not in draft.scope.words(numbers[0]):
            draft.scope.doubt("which number is compared", _ONLY_NUMBER)
            return numbers[0]
        money = amount_column(draft, table) if is_a_sum(table) else None
        if money is not None:
            return money  # `invoices above 1000`
    raise Unclear(f"it is not clear what is {draft.links[at].text} a number")


def _only_in_unit(draft: Draft, at: int, held: int) -> ColumnContext | None:
    """`huts in Uri above 1500 metres`: the one number of the rows that is in such a unit."""
    number = draft.next(at, "number", unused=False)
    wanted = draft.scope.numbered.get(draft.links[number].number, ()) if number is not None else ()
    table = draft.links[held].tables[0]
    numbers = [c for c in table.columns if c.kind == "number" and measures(draft.scope.words(c), wanted)]
    if len(numbers) != 1:
        return None
    draft.scope.doubt("which number is compared", _ONLY_NUMBER)
    return numbers[0]


def _measure_before(draft: Draft, left: int | None) -> tuple[Expression, int] | None:
    """`an average rating above 4`, `number of orders greater than 5`: the measure and where it begins."""
    if left is None or left < 1:
        return None
    before, link = draft.links[left - 1], draft.links[left]
    # what another pass took is no measure of this comparison
    if before.used:
        return None
    # `the number of orders greater than 5` counts rows for each of the rows before
    if before.mark == "count" and link.mark == "table":
        return Aggregate("count", draft.scope.table(link).ref), left - 1
    # `average age`, of a table `ages`: its only measure; a sum of rows would be their count
    if before.mark in FUNCTIONS and before.mark != "sum" and link.mark == "table":
        only = only_measure(draft, draft.scope.table(link))
        return (Aggregate(FUNCTIONS[before.mark], only), left - 1) if only is not None else None
    if before.mark in FUNCTIONS and link.mark == "column":
        column = draft.scope.column(link, ("number",))
        return checked(FUNCTIONS[before.mark], column, link), left - 1
    return None


def _having_count(draft: Draft, at: int, operator: str, value: str, right: int, measure: Expression) -> None:
    _group_by_head(draft, at)
    draft.use(right)
    draft.having.append(Compared(measure, operator, value))


def table_before(draft: Draft, at: int) -> TableContext:
    """The table before a place, or that of the column before it (`names of drugs that ...`)."""
    for i in range(at - 1, -1, -1):
        link = draft.links[i]
        if link.mark == "table" and not _one_is_named(draft, i):
            return draft.scope.table(link)
        # `visits dated in May`: the date tells when, and not whose
        dated = link.mark == "column" and draft.links[i + 1].mark == "moment"
        if link.mark == "column" and not link.used and not dated:
            return draft.scope.context.table(draft.scope.column(link).table)
    raise Unclear(f"it is not clear of what {draft.links[at].text} is said")


def _one_is_named(draft: Draft, at: int) -> bool:
    """`graves in the Pond section without a monument`: of which section it is is said by its name, so what
    follows is said of the graves.
    """
    value = draft.links[at - 1] if at else None
    if value is None or value.mark != "value" or not draft.links[at].glued:
        return False
    own = {c for c, _ in value.values}
    named = len(own) == 1 and all(c.unique and c.table == draft.links[at].tables[0].ref for c in own)
    return named and any(link.mark == "table" for link in draft.links[: at - 1])


def _column_before(draft: Draft, at: int) -> int | None:
    """`positions with at least 2 players`: the column that is grouped by, unless it names the rows of its
    table.
    """
    of: TableContext | None = None
    for i in range(at - 1, -1, -1):
        link = draft.links[i]
        if link.mark == "table":
            of = of or draft.scope.table(link)
        if link.mark == "column" and not link.used:
            column = draft.scope.column(link)
            table = draft.scope.context.table(column.table)
            own = column.key or column.unique or _names_the_rows(draft, column, table)
            own = own or draft.scope.said_table(link) is not None
            # `which visitors bought tickets for two days`: each visitor, not each ticket
            # a label or key means each row; numbers and other tables' columns are no groups of these rows
            return None if own or column.kind != "text" or table != (of or table) else i
    return None


def _names_the_rows(draft: Draft, column: ColumnContext, table: TableContext) -> bool:
    """Whether a label is the name of its table's rows: a ticket's visitor_name is not the ticket's."""
    own = set(draft.scope.words(column)) - {"name", "title", "label", "full", "first", "last"}
    return column in draft.scope.label(table) and own <= set(draft.scope.words(table))


def _group_by_head(draft: Draft, at: int) -> None:
    """A measured condition is on the rows of the table before it."""
    # a column is what is grouped by, and is then shown once, as the group
    held = _column_before(draft, at)
    if held is not None:
        column = draft.scope.column(draft.links[held])
        draft.groups.append(Column(column))
        draft.outputs.append((held, Column(column)))
        draft.use(held)
        return
    table = table_before(draft, at)
    draft.grouped_rows.append(table.ref)
    draft.groups += map(Column, draft.scope.told_apart(table))


def _range(draft: Draft, at: int) -> None:
    low = draft.next(at, "number")
    high = draft.next(low, "number") if low is not None else None
    if low is None or high is None:
        raise Unclear("it is not clear between what")
    # the measured column stands before (`price between`) or behind (`between 5 and 9 points`)
    left, right = draft.before(at, "column"), draft.next(high, "column")
    held = left if left is not None else right
    if held is None:
        raise Unclear(f"it is not clear what is between {draft.links[low].text} and {draft.links[high].text}")
    column = draft.scope.column(draft.links[held], ("number",))
    if column.kind != "number":
        raise Unclear(f"{draft.links[held].text} is not a number")
    # `between 10 and 3` holds what lies between them, as SQL's BETWEEN does not
    bounds = sorted((draft.links[low].number, draft.links[high].number), key=float)
    draft.where.append(Ranged(Column(column), *bounds))
    # `a capacity between 1000 and 3000 TEU`, of a capacity_teu
    unit = right if right is not None and column in draft.links[right].columns else None
    draft.use(at, low, high, held, unit)


def _is_year(number: str) -> bool:
    """`lifts older than 2000`, of lifts with the year in which they were built; not of any other number."""
    return number.isdigit() and _FIRST_YEAR <= int(number) <= _LAST_YEAR


def _comparative(draft: Draft, at: int) -> None:
    """`older than 30`, `cheaper than 100 dollars`: the property of the table spoken of."""
    adjective = draft.links[at].adjective
    than = draft.next(at, "than")
    number = draft.next(than, "number") if than is not None else None
    if adjective is None or number is None or than is None:
        raise Unclear(f"it is not clear what is meant by {draft.links[at].text}")
    if _said_before(draft, at, than, number):
        return
    units = draft.scope.numbered.get(draft.links[number].number, ())
    column, way = draft.scope.property(draft.about(at), adjective.steps, units)
    of_a_year = "year" in draft.scope.words(column)
    # a year is older than a number only if that is a year too
    # `older than 30` of a founding year would compare a year with an age
    if column.kind != "number" or of_a_year != (_is_year(draft.links[number].number) and not units):
        raise Unclear(f"it is not clear what is {draft.links[at].text} than {draft.links[number].text}")
    draft.where.append(Compared(Column(column), ">" if way == "desc" else "<", draft.links[number].number))
    draft.use(at, than, number)
    named = draft.next(number, "column")
    apart = named is not None and _of_its_own(draft.links[named])
    if named is not None and column in draft.links[named].columns and not apart:
        draft.use(named)


def _said_before(draft: Draft, at: int, than: int, number: int) -> bool:
    """`whose playing time is longer than 90`: the number said right before, whatever else could be long."""
    before, adjective = draft.before(at, "column"), draft.links[at].adjective
    ways = {way for way, _ in adjective.steps} if adjective is not None else set()
    if before != at - 1 or before is None or len(ways) != 1:
        return False
    link = draft.links[before]
    measures = all(
        c.kind == "number" and not c.key and "year" not in draft.scope.words(c) for c in link.columns
    )
    if not measures or link.used:
        return False
    column = draft.scope.column(link, ("number",))
    draft.where.append(Compared(Column(column), ">" if ways == {"desc"} else "<", draft.links[number].number))
    draft.use(before, at, than, number)
    return True
