"""Ratios, shares and percentages of a question.

Owns their grammar: `ratio of A to B`, `percentage of T that ...`. Runs before the other passes, as their
sides are questions of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext
from rewright.ask.reading.conditions import conditions
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.extremes import count_of
from rewright.ask.reading.guards import ADDITIVE
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    Condition,
    During,
    Expression,
    Many,
    Measured,
    Named,
    OneOf,
    Portion,
    Ratio,
)
from rewright.ask.reading.intent_parts import columns_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.phrases import measure_at
from rewright.ask.reading.ratio_sides import had
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import stem
from rewright.sql.algebra import TableRef

_OF_WHICH = 0.95
_COUNTED = 0.95
# how sure each form is: that of rows at a place, of one number by another, ..
_OF_A_PLACE = 0.93
_PER_OTHER = 0.9
_FOR_WHOM = 0.75
_OF_EACH_ROW = 0.88
_WHOSE_CONDITION = 0.75
_OF_TWO_TABLES = 0.75
_SAYING = {
    "done",
    "defined",
    "value",
    "quoted",
    "column",
    "without",
    "not",
    ">",
    "<",
    ">=",
    "<=",
    "starts",
    "contains",
}
_OF_ALL = {"value", "quoted", "moment", "defined"}
_ENDS = {"each", "order", "stop", "desc", "asc"}


def ratios(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        # `out of` names the whole, so the words before it are a share and no ratio
        whole = any(o.mark == "out of" for o in draft.links[at:])
        if (link.mark == "ratio" or _the_same_rows(draft, at)) and not whole:
            _ratio(draft, at)
        elif link.word == "per" and link.mark == "each":
            _one_per_other(draft, at)
        elif link.mark in {"percent", "share", "ratio"}:
            _share(draft, at, percent=link.mark == "percent")


def _the_same_rows(draft: Draft, at: int) -> int | None:
    """`proportion of papers that belong to 2 sets to papers that belong to 1`: where the second side is."""
    if draft.links[at].mark not in {"ratio", "share"} or at + 1 >= len(draft.links):
        return None
    first = draft.links[at + 1]
    return next(
        (
            i
            for i in range(at + 3, _end(draft, at))
            if first.mark == draft.links[i].mark == "table"
            and draft.links[i].preposition == "to"
            and draft.links[i].tables[0] == first.tables[0]
        ),
        None,
    )


def _one_per_other(draft: Draft, at: int) -> None:
    """`takings per visitor for each exhibition`, of visits with both numbers: what the ones add up to by what
    the others do.
    """
    above, below = draft.before(at, "column"), draft.next(at, "column")
    if above != 0 or below is None:
        return
    pairs = [
        (a, b)
        for a in draft.links[above].columns
        for b in draft.links[below].columns
        if a.table == b.table and a != b and _of_many(draft, a) and _of_many(draft, b)
    ]
    # several pairs of columns: the ratio could be of any of them
    if len(pairs) != 1:
        return
    left, right = pairs[0]
    draft.scope.sure(min(draft.links[above].fit(left), draft.links[below].fit(right)))
    draft.scope.doubt("whether a ratio of two sums is meant", _PER_OTHER)
    draft.outputs.append((at, Ratio(Aggregate("sum", left), Aggregate("sum", right))))
    draft.use(above, at, below)


def _of_many(draft: Draft, column: ColumnContext) -> bool:
    """Whether it is a number of which there are many in a row, and rows that each have their own."""
    words = draft.scope.words(column)
    # both must add up, or the quotient of their sums means nothing
    counts = bool(set(map(stem, words)) & ADDITIVE)
    refers = draft.scope.context.refers(column)
    return column.kind == "number" and counts and not column.key and not refers


def _end(draft: Draft, at: int) -> int:
    return next(
        (i for i in range(at + 1, len(draft.links)) if draft.links[i].mark in _ENDS), len(draft.links)
    )


def _ratio(draft: Draft, at: int) -> None:
    first = _end(draft, at)
    # `per` ends a clause as `each` does, but within a ratio it divides
    per = first < len(draft.links) and draft.links[first].word == "per"
    end = _end(draft, first) if per and not _to(draft, at, first) else first
    # the same noun again behind `to`, else a `to`, `per` or `versus` from the second place on
    middle = _the_same_rows(draft, at) or next(
        (
            i
            for i in range(at + 2, end)
            if (draft.links[i].preposition == "to" or draft.links[i].word == "per")
            or draft.links[i].mark == "versus"
        ),
        None,
    )
    if middle is None:
        raise Unclear("it is not clear of what the ratio is wanted")
    top, filters = side(draft, at + 1, middle)
    below, others = side(draft, middle + (draft.links[middle].word == "per"), end)
    draft.use(middle)
    shared: list[Condition] = []
    if isinstance(top, Aggregate) and isinstance(below, Aggregate):
        top, below, shared = side_by_side(draft.scope, top, filters, below, others)
    elif (named := _of_named(top, filters, below, others)) is not None:
        top, below = named
    elif _of_each_row(top, below) and not filters:
        # `the ratio of length to width of boats in Oslo`
        shared = others
        draft.scope.doubt("whether the ratio of each row is wanted", _OF_EACH_ROW if others else 1.0)
    elif filters or others:
        # a condition on one side of anything else cannot be put anywhere
        raise Unclear("it is not clear of which rows the ratio is wanted")
    if any(link.mark == "each" and not link.used for link in draft.links):
        # `donations to capacity for each site`: both are of many rows
        kinds = {type(top), type(below)}
        top, below = (_summed(e) if kinds == {Aggregate, Column} else e for e in (top, below))
    draft.where += shared
    if isinstance(top, Column) and isinstance(below, Column) and top.column.table != below.column.table:
        # columns of two tables: a join makes pairs of rows that nobody asked for
        draft.scope.doubt("whether the ratio of each pair of rows is wanted", _OF_TWO_TABLES)
    ratio = Ratio(top, below)
    # `the average ratio of A to B` is over rows; without it the ratio itself is shown
    average = draft.before(at, "avg")
    if average is not None and isinstance(top, Column) and isinstance(below, Column):
        draft.outputs.append((at, Measured("avg", ratio)))  # of each row's own
        draft.use(average)
    else:
        draft.outputs.append((at, ratio))
    draft.use(at)


def _of_each_row(top: Expression, below: Expression) -> bool:
    return isinstance(top, Column) and isinstance(below, Column) and top.column.table == below.column.table


def side_by_side(
    scope: Scope, left: Aggregate, filters: list[Condition], right: Aggregate, others: list[Condition]
) -> tuple[Aggregate, Aggregate, list[Condition]]:
    """Two measures with the conditions of each, and those of both. Raises Unclear."""
    known = {_subject(c) for c in filters}
    # what is said at the end of one side only is said of both: `... in New York`
    at_the_end = bool(known) or _of_one_kind(left, right, others)
    # a condition on the left already says of what kind the sides are: new subjects are said of both
    shared = [c for c in others if at_the_end and _subject(c) not in known]
    if known and shared and shared == others:
        # `courses with a lab to courses with a discussion`: the other side has a condition of its own, unless
        # that is a time or a place, which may be said of both
        shared = [c for c in others if isinstance(c, During)]
        doubted = bool(shared) or any(isinstance(c, OneOf) for c in others)
        scope.doubt("of which side a condition is said", _WHOSE_CONDITION if doubted else 1.0)
    others = [c for c in others if c not in shared]
    made = Aggregate(left.function, left.of, left.distinct, tuple(filters))
    beside = Aggregate(right.function, right.of, right.distinct, tuple(others))
    # equal sides make 1: one of the two was misread
    if made == beside:
        raise Unclear("both sides are the same")
    return made, beside, shared


def _of_one_kind(left: Aggregate, right: Aggregate, said: Sequence[Condition]) -> bool:
    """`bags per passenger for flights to Bergen`: two measures of rows of one table, of which what is said at
    the end is said: of a part and the whole it is not.
    """
    tables = {m.of if isinstance(m.of, TableRef) else m.of.table for m in (left, right)}
    told = {table for condition in said for table in tables_of(condition)}
    # a measure of a part and of its whole differ by their condition alone
    return (left.function, left.of) != (right.function, right.of) and len(tables) == 1 and told == tables


def _summed(what: Expression) -> Expression:
    return Aggregate("sum", what.column) if isinstance(what, Column) else what


def _to(draft: Draft, at: int, end: int) -> bool:
    return any(draft.links[i].preposition == "to" for i in range(at + 2, end))


def _of_named(
    top: Expression, filters: list[Condition], below: Expression, others: list[Condition]
) -> tuple[Named, Named] | None:
    """`the length of A to the length of B`: of one named row each."""
    found = list[Named]()
    for side, said in ((top, filters), (below, others)):
        # a single value of a unique column names the row
        only = said[0] if len(said) == 1 else None
        if not isinstance(side, Column) or not isinstance(only, OneOf) or only.negated:
            return None
        if len(only.values) > 1 or not only.column.unique or only.column.table != side.column.table:
            return None
        found.append(Named(side.column, only.column, only.values[0]))
    # a row against itself is 1
    return (found[0], found[1]) if found[0] != found[1] else None


def _groups_last(draft: Draft, at: int) -> None:
    """`share of the rooms of each hotel that have a view`: the condition is said of the rooms."""
    of = next((i for i in range(at + 1, len(draft.links)) if draft.links[i].mark == "each"), None)
    # a group that ends the sentence is where it belongs already
    if of is None or of + 2 >= len(draft.links) or draft.links[of + 1].mark not in {"table", "column"}:
        return
    stop = next((i for i in range(of, len(draft.links)) if draft.links[i].mark in {"stop", "order"}), None)
    rest = draft.links[of + 2 : stop]
    # another noun behind the group: what follows is said of that
    if any(
        link.mark in {"each", "column", "unit"} and {c.kind for c in link.columns} != {"boolean"}
        for link in rest
    ):
        return
    draft.links[of:stop] = [*rest, *draft.links[of : of + 2]]


def _subject(condition: Condition) -> object:
    if isinstance(condition, Many):
        return condition.kept, condition.found
    # the same column, whatever is said of it, is one subject
    column = getattr(condition, "column", None)
    return column if column is not None else getattr(condition, "left", condition)


def side(draft: Draft, start: int, end: int) -> tuple[Expression, list[Condition]]:
    """What one side counts or holds, and its conditions. Raises Unclear."""
    # a draft of its own: the side is read as if it were all of the question
    part = Draft([link for link in draft.links[start:end] if link.mark != "comma"], draft.scope)
    _rows_of_the_number(part)
    exactly = _so_many_exactly(part)
    conditions(part)
    measured: Expression | None = None
    for at, link in enumerate(part.links):
        if link.used:
            continue
        # `the highest price` is a measure on a side, where no rows are ranked
        ranked = link.mark in {"top", "bottom"} and part.next(at, "column") is not None
        found = measure_at(part, at, extremes=ranked)
        if found is not None:
            measured = found[0]
            part.use(*range(at, found[1]))
        elif link.mark == "table" and measured is None:
            measured = count_of(part, part.scope.table(link))
            part.use(at)
        elif link.mark == "column" and measured is None:
            column = part.scope.column(link, ("number",))
            measured = Column(column)
            part.use(at)
            if column.kind != "number":
                raise Unclear(f"{link.text} is not a number")
    if measured is None and not part.having:
        measured = _rows_of(part)
    _own_rows(part, measured)
    had(part, measured)
    if part.having:
        part.where += [_so_many(c, measured, part) for c in part.having]
    if exactly is not None:
        part.where.append(_so_many(exactly, measured, part))
    left = [link.text for link in part.links if not link.used and link.mark not in {"named", "distinct"}]
    if measured is None or left:
        raise Unclear(f"it is not clear of what the ratio is wanted: {', '.join(left)}")
    for link in draft.links[start:end]:
        link.used = True
    return measured, part.where


def _rows_of(part: Draft) -> Aggregate | None:
    """`the ratio of arrivals to departures`, kinds of flights: the rows that a condition is of."""
    tables = {c.table for where in part.where for c in columns_of(where)}
    # conditions of two tables have no one kind of rows
    if len(tables) != 1:
        return None
    part.scope.doubt("what is to be counted", _COUNTED)
    return Aggregate("count", tables.pop())


def _own_rows(part: Draft, measured: Expression | None) -> None:
    """`total price of subscriptions`: the rows that the measured column is of."""
    column = measured.of if isinstance(measured, Aggregate) else getattr(measured, "column", None)
    for link in part.links:
        if not link.used and link.mark == "table" and isinstance(column, ColumnContext):
            link.used = any(t.ref == column.table for t in link.tables[:1])
        if not link.used and link.mark == "table":
            # `listeners with an active subscription`: the rows that the value is of
            told = {c.table for where in part.where for c in columns_of(where)}
            link.used = any(t.ref in told for t in link.tables[:1])


def _so_many(condition: Condition, measured: Expression | None, part: Draft) -> Many:
    """`papers with more than one author` of a count of papers: said of each. Raises Unclear."""
    left = condition.left if isinstance(condition, Compared) else None
    many = left.of if isinstance(left, Aggregate) and left.function == "count" else None
    of = measured.of if isinstance(measured, Aggregate) and measured.function == "count" else None
    # counts of the counted rows themselves, or two such conditions, have no form
    if not isinstance(many, TableRef) or not isinstance(of, TableRef) or many == of or len(part.having) > 1:
        raise Unclear("a ratio of measured groups is not understood yet")
    assert isinstance(condition, Compared)
    if not condition.right.isdigit():
        raise Unclear("a ratio of measured groups is not understood yet")
    return Many(of, many, condition.operator, condition.right)


def _so_many_exactly(part: Draft) -> Compared | None:
    """`authors with 1 paper`, of authors: so many rows, neither more nor fewer."""
    for at, link in enumerate(part.links[:-1]):
        noun = part.links[at + 1]
        before = part.links[at - 1].mark if at else ""
        if link.mark != "number" or noun.mark != "table" or not at or not link.number.isdigit():
            continue
        # a number right behind its rows says how many they have; elsewhere it may be a bound
        if before in {"table", "relation"}:
            part.use(at, at + 1)
            return Compared(Aggregate("count", part.scope.table(noun).ref), "=", link.number)
    return None


def _rows_of_the_number(part: Draft) -> None:
    """`the population of Texas`, where cities have one too and lie in Texas: of the row of that name."""
    numbers = [o for o in part.links if o.mark == "column" and {c.kind for c in o.columns} == {"number"}]
    # a value of one column needs no choice
    valued = [o for o in part.links if o.mark in {"value", "quoted"} and len(o.values) > 1]
    if len(numbers) != 1 or len(valued) != 1:
        return
    owners = {c.table for c in numbers[0].columns}
    scope = part.scope
    named = tuple(
        (c, v)
        for c, v in valued[0].values
        if c.unique and c.table in owners and c in scope.label(scope.context.table(c.table))
    )
    if len(named) == 1:
        valued[0].values = named
        numbers[0].columns = tuple(c for c in numbers[0].columns if c.table == named[0][0].table)


def _of_the_whole(draft: Draft, at: int) -> list[Condition]:
    """`percentage of electric meters in Rome that were removed`: what stands before the verb is said of all
    rows, where something behind it says which of them count.
    """
    # up to a verb or `out of`: what stands there is said of all the rows
    ends = {*_ENDS, "out of"}
    end = next((i for i in range(at + 1, len(draft.links)) if draft.links[i].mark in ends), len(draft.links))
    table = next((i for i in range(at + 1, end) if draft.links[i].mark == "table"), None)
    if table is None:
        return []
    verb = next((i for i in range(table + 1, end) if draft.links[i].verb), table + 1)
    said = [i for i in range(at + 1, verb) if i != table]
    after = any(draft.links[i].mark in _SAYING for i in range(verb, end))
    # with nothing behind the rows the words before them are the part, not the whole
    if not said or not after:
        return []
    if (places := _places(draft, verb, end)) and _describes(draft, said, table):
        # `percentage of refused applications in Hanoi`: of all that are there
        draft.scope.doubt("of which rows the share is wanted", _OF_A_PLACE)
        there = Draft([draft.links[i] for i in places], draft.scope)
        conditions(there)
        # what was read as the place is taken out, or the part would be of that place only
        draft.links[verb:end] = [link for link in draft.links[verb:end] if not link.used]
        return there.where
    part = Draft([draft.links[i] for i in range(at + 1, verb)], draft.scope)
    conditions(part)
    if any(draft.links[i].mark not in _OF_ALL for i in said):
        # `share of tenants with a guarantor that are students`
        had(part, Aggregate("count", draft.scope.table(draft.links[table]).ref))
    # a word before the verb that no condition took may have changed the whole
    if any(not link.used and link.mark != "table" for link in part.links):
        raise Unclear("it is not clear of which rows the share is wanted")
    if any(draft.links[i].preposition == "for" for i in range(verb, end)):
        # `the percentage of cancelled flights for Norex`: of all that are cancelled, or of all of Norex
        draft.scope.doubt("of which rows the share is wanted", _FOR_WHOM)
    draft.links[at + 1 : verb] = [draft.links[table]]
    return part.where


def _places(draft: Draft, start: int, end: int) -> list[int]:
    """Where nothing else is said behind the rows than where they are."""
    told = [i for i in range(start, end) if draft.links[i].mark != "comma"]
    plain = all(
        draft.links[i].mark in {"value", "quoted"}
        and draft.links[i].preposition in {"in", "at"}
        and not draft.links[i].verb
        for i in told
    )
    return told if plain else []


def _describes(draft: Draft, said: Sequence[int], table: int) -> bool:
    """Whether only an adjective stands before the rows: `female employees`."""
    return list(said) == [table - 1] and draft.links[table - 1].mark in {"value", "undone", "done", "column"}


def _of_each(draft: Draft, end: int) -> bool:
    """`the share of payments made by each method`: each one's part of all payments."""
    # the group ends the phrase and is the only one: each one's part of all
    return [link.mark for link in draft.links[end:]].count("each") == 1 and draft.links[end].mark == "each"


def _share(draft: Draft, at: int, *, percent: bool) -> None:
    """`percentage of T that ...`, `proportion of T with ... out of all T`."""
    if (told := draft.next(at + 1, "part")) is not None:
        whole_sum = Aggregate("sum", draft.scope.column(draft.links[at + 1]))
        part_sum = Aggregate("sum", draft.scope.column(draft.links[told]))
        draft.outputs.append((at, Ratio(part_sum, whole_sum, percent)))
        draft.use(at, at + 1, told)
        return
    _groups_last(draft, at)
    shared = _of_the_whole(draft, at)
    end = _end(draft, at)
    out_of = next((i for i in range(at + 2, end) if draft.links[i].mark == "out of"), None)
    measured, filters = side(draft, at + 1, out_of or end)
    # a time among several conditions is said of the whole more often than of the part
    if shared or (len(filters) > 1 and any(isinstance(c, During) for c in filters)):
        # `percentage of the trips in 2023 that were late`: the time is said of the whole
        shared += [c for c in filters if isinstance(c, During) and len(filters) > 1]
        filters = [c for c in filters if c not in shared]
        draft.where += shared
        draft.scope.doubt("of which rows the share is wanted", _OF_WHICH)
    if out_of is not None:
        whole_of, also = side(draft, out_of + 1, end)
        if (
            not isinstance(measured, Aggregate)
            or not isinstance(whole_of, Aggregate)
            or whole_of.of != measured.of
        ):
            # the part must be of the same rows as the whole
            raise Unclear("it is not clear of what the share is wanted")
        draft.where += also
        draft.use(out_of)
    if isinstance(measured, Column) and out_of is None:
        # `share of the income that came from`: what it adds up to
        measured = Aggregate("sum", measured.column)
    # without a condition and with groups it is each group's part of the sum of all
    if isinstance(measured, Aggregate) and not filters and _of_each(draft, end) and out_of is None:
        draft.outputs.append((at, Portion(measured, percent)))
        draft.use(at)
        return
    if not isinstance(measured, Aggregate) or not filters:
        raise Unclear("it is not clear of what the share is wanted")
    # the whole has the same measure without the part's condition
    whole = Aggregate(measured.function, measured.of, measured.distinct)
    part = Aggregate(measured.function, measured.of, measured.distinct, tuple(filters))
    draft.outputs.append((at, Ratio(part, whole, percent)))
    draft.use(at)
