"""What a phrase asks to be shown: a column, a label, a count, an average, a part of a date.

Owns measures. Must not know conditions or order.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, During, Expression, Function, OneOf, Part
from rewright.ask.reading.intent_parts import tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import TIME_UNITS
from rewright.ask.reading.link import Link
from rewright.ask.reading.timing import FOUNDED, date_of, of_lives, only_came
from rewright.ask.reading.unit_names import unit_of
from rewright.ask.reading.words import listed, root, stem
from rewright.lake import names
from rewright.sql.algebra import TableRef

FUNCTIONS: dict[str, Function] = {"avg": "avg", "sum": "sum", "max": "max", "min": "min", "median": "median"}
_EXTREMES: dict[str, Function] = {"top": "max", "bottom": "min"}
_OF_NUMBERS = {"avg", "sum", "median"}
MONEY = frozenset({"revenue", "revenues", "turnover", "income", "earnings", "money"})
"""What adds up to money, where no table is called so."""
NOT_ADDED = {
    "age",
    "rank",
    "level",
    "rating",
    "score",
    "grade",
    "code",
    "number",
    "position",
    "size",
    "order",
    "capacity",
    "height",
    "weight",
}
"""Numbers of which a sum says nothing."""
# of `the most tickets` the tickets are counted, so columns with these words are left out
_PRICES = frozenset({"price", "cost", "fee", "rate", "fare", "type", "code", "id"})
# dimensions whose amounts add up even where the bare word does not: a size in bytes
_AMOUNTS = {"data", "mass", "mass in pounds", "volume", "time"}
_MONEY = frozenset(listed("amount price total revenue cost fee paid"))
# counting rows where money could be added up is just under what is answered without a question
_OR_MONEY = 0.77
_IS_MONEY = frozenset(
    map(
        stem,
        listed("fee fine salary wage expense cost charge tax refund bonus royalty payment donation"),
    )
)
"""Of rows called so the total is a sum of money."""
_HAS_A_SUM = _IS_MONEY | set(map(stem, listed("invoice bill purchase loan grant deposit transfer")))
"""Of rows called so the average is one of money."""
_ONLY_NUMBER = 0.92
_BY_ITS_KIND = 0.92
_DAYS = frozenset(map(stem, listed("date day time")))
_UNITS = {
    stem(unit)
    for unit in listed(
        "hours minutes days nights weeks litres liters kilos kilograms kg grams tonnes tons km kilometres "
        "kilometers miles metres meters points goals units pieces kwh calories pages words"
    )
}
"""What there may be many of though it is no whole number."""


def measure_at(draft: Draft, at: int, *, extremes: bool = False) -> tuple[Expression, int] | None:
    """The measure that begins at a place, and the place after it; None where none does. Raises Unclear."""
    link = draft.links[at]
    if link.mark == "count":
        return _count(draft, at)
    # outside of groups `the highest price` ranks rows; within a group it is a measure of it
    function = FUNCTIONS.get(link.mark) or (_EXTREMES.get(link.mark) if extremes else None)
    if function is None:
        return None
    # `total amount of`: the word only says that something is added up
    if draft.next(at, "amount") is not None:
        draft.use(at + 1)
        at += 1
    after = draft.next(at, "column", "count", "sum", "avg", "distinct")
    own = draft.next(at, "table")
    if own is not None and (of := draft.next(own, "column")) is not None and draft.links[of].glued:
        # `average track length`: of the rows just named
        table = draft.scope.table(draft.links[own]).ref
        held = [c for c in draft.links[of].columns if c.table == table and c.kind == "number"]
        # the table's own column, one of them: other tables have columns of that name, too
        if len(held) == 1 and (function != "sum" or _adds_up(draft, held[0])):
            draft.use(own)
            return checked(function, held[0], draft.links[of]), of + 1
    # `average number of seats`: the column holds the number already
    if after is not None and draft.links[after].mark in {"count", "sum", "distinct"} and function != "sum":
        after = draft.next(after, "column")
    if after is None:
        return _of_table(draft, at, function)
    column = draft.scope.column(draft.links[after], _kinds(function))
    return checked(function, column, draft.links[after]), after + 1


def _adds_up(draft: Draft, column: ColumnContext) -> bool:
    """Whether a sum of it says something: a size in bytes does, one of shoes does not."""
    words = draft.scope.words(column)
    told = any(unit.dimension in _AMOUNTS for unit in unit_of(words))
    return not column.key and (told or not set(words) & {*NOT_ADDED, *_PRICES})


def _kinds(function: Function) -> tuple[str, ...]:
    return ("number",) if function in _OF_NUMBERS else ("number", "date")


def checked(function: Function, column: ColumnContext, link: Link) -> Aggregate:
    """Raises Unclear for what cannot be measured so."""
    # also where the question calls it a number: the data decides
    if function in _OF_NUMBERS and column.kind != "number":
        raise Unclear(f"{link.text} is not a number")
    # an id is a number that no one averages
    if function in _OF_NUMBERS and (column.key or column.name.lower() == "id"):
        raise Unclear(f"{link.text} is a key, not a measure")
    if function in {"max", "min"} and column.kind not in {"number", "date"}:
        raise Unclear(f"{link.text} has no order of size")
    return Aggregate(function, column)


def _several(link: Link) -> bool:
    """`payments received`, too."""
    return any(word.endswith("s") for word in link.word.split())


def _counted(draft: Draft, at: int, after: int, table: TableContext) -> Aggregate:
    """`total orders`, which are counted if nothing of theirs is added up. Raises Unclear."""
    # `how much money did bookings bring in?` is no number of bookings
    if draft.links[at].word == "how much":
        raise Unclear(f"it is not clear how much of what {draft.links[after].text} are")
    money = any(_of_money(draft, c) for c in table.columns)
    draft.scope.doubt("whether rows are to be counted or money added up", _OR_MONEY if money else 0.95)
    return Aggregate("count", table.ref)


def _of_table(draft: Draft, at: int, function: Function) -> tuple[Expression, int] | None:
    """`total check-ins` where each row of check-ins holds a count."""
    after = draft.next(_told_of_rows(draft, at), "table")
    if after is None:
        return None
    table = draft.scope.table(draft.links[after])
    counted = counting_column(draft, table)
    amount = _amount_after(draft, after, table)
    many = draft.next(after, "count")
    if many is not None and draft.links[many].glued and function == "sum":
        return Aggregate("count", table.ref), many + 1  # `total sales count`
    asked = (
        amount is not None
        or draft.links[at].word.startswith("sum")
        or draft.links[at].mark == "amount"
        or "amount" in draft.links[at].word
    )
    if counted is None and asked:
        counted = amount_column(draft, table)
    if counted is None and function == "sum" and _several(draft.links[after]) and not asked:
        if draft.links[at].word.endswith(" of") and "number" not in draft.links[at].word:
            if (only := amount_column(draft, table)) is not None:
                return Aggregate("sum", only), after + 1
            raise Unclear(f"it is not clear whether {draft.links[after].text} are to be counted or added up")
        # as it is spelled: `fine` is the end in another language
        called = {stem(word) for word in names.normal(table.ref.name).split()}
        only = amount_column(draft, table) if called & _IS_MONEY else None
        if only is not None:
            # `total fees per year`: their number is asked for in other words
            return Aggregate("sum", only), after + 1
        return _counted(draft, at, after, table), after + 1
    if counted is None and function != "sum":
        counted = only_measure(draft, table)
        if counted is None and is_a_sum(table):
            counted = amount_column(draft, table)  # `the average invoice`, of invoices with a total
    if counted is None:
        raise Unclear(f"it is not clear of what the {draft.links[at].text} is wanted")
    return Aggregate(function, counted), (after if amount is None else amount) + 1


def _told_of_rows(draft: Draft, at: int, *, counted: bool = False) -> int:
    """The place before the rows: `total amount of successful transactions`, where a condition tells which."""
    behind = at + 1
    said = draft.links[behind] if behind + 1 < len(draft.links) else None
    added = counted or draft.links[at].word.endswith(" of") or "amount" in draft.links[at].word
    if said is not None and not any(draft.links[behind + 1] is o for o in draft.scope.links):
        # a word that is not in the question's own links was put there for a kind of rows
        added = added and said.word.endswith("s")  # `how many dogs`: rows that nobody spoke of
    tells = added and said is not None and said.used and said.mark in {"value", "undone", "done"}
    return behind if tells and draft.links[behind + 1].glued else at


def is_a_sum(table: TableContext) -> bool:
    """Whether its rows are called sums of money: invoices, payments."""
    return bool({stem(word) for word in names.normal(table.ref.name).split()} & _HAS_A_SUM)


def only_measure(draft: Draft, table: TableContext) -> ColumnContext | None:
    """`the average rating`, of ratings with a number of stars: the one number that a row holds."""
    refers = draft.scope.context.refers
    numbers = [c for c in table.columns if c.kind == "number" and not c.key and not refers(c)]
    # years, numbers and codes are numbers that nothing is measured by
    if len(numbers) != 1 or set(draft.scope.words(numbers[0])) & {"year", "number", "no", "code", "id"}:
        return None
    draft.scope.doubt("which number is measured", _ONLY_NUMBER)
    return numbers[0]


def counting_column(draft: Draft, table: TableContext) -> ColumnContext | None:
    """The column that says how many each row stands for."""
    # called just `count`: `visitor_count` is an amount of something else
    found = [c for c in table.columns if c.kind == "number" and draft.scope.words(c) == ("count",)]
    return found[0] if len(found) == 1 else None


def _amount_after(draft: Draft, at: int, table: TableContext) -> int | None:
    """`total sales amount`, where payments have an amount and sales a price: that of the sales."""
    if (said := draft.next(at, "amount")) is not None:
        return said
    beside = draft.next(at, "column")
    if beside is None or not draft.links[beside].glued or draft.links[beside].word not in {"amount", "value"}:
        return None
    # the rows have that amount themselves, so it is a column and not a word for one
    return None if any(c.table == table.ref for c in draft.links[beside].columns) else beside


def _of_money(draft: Draft, column: ColumnContext) -> bool:
    return column.kind == "number" and not column.key and bool(set(draft.scope.words(column)) & _MONEY)


def amount_column(draft: Draft, table: TableContext) -> ColumnContext | None:
    """The only column of a table that holds money: what `the total amount of payments` adds up."""
    found = [c for c in table.columns if _of_money(draft, c)]
    # raised even where nothing is found: what was asked for as an amount is not sure
    draft.scope.doubt("what is to be added up", 0.95)
    if "amount" in draft.scope.roles and len(found) > 1:
        # of transactions with an amount, a price and a commission
        # with several kinds of money the one called as it was said
        found = [c for c in found if draft.scope.words(c) == ("amount",)]
    return found[0] if len(found) == 1 else None


def leave_prices(draft: Draft, link: Link) -> None:
    """`the most tickets`, of concerts with tickets_sold and a ticket_price: a number of them, no price."""
    kept = tuple(c for c in link.columns if not set(draft.scope.words(c)) & _PRICES)
    # where a price was asked for in so many words it stays
    if kept and not set(link.word.split()) & _PRICES:
        link.columns = kept


def _count(draft: Draft, at: int) -> tuple[Expression, int] | None:
    distinct = draft.next(at, "distinct")
    place = at if distinct is None else distinct
    what = draft.next(place, "table", "column", "label", "identifier")
    if what is None and (told := _told_of_rows(draft, place, counted=True)) != place:
        what = draft.next(told, "table")  # `how many active policies`, of policies with a status of their own
    if what is None:
        return _count_of_value(draft, place)
    link = draft.links[what]
    if link.mark == "table":
        table = draft.scope.table(link)
        end = what + 1
        follows = draft.next(what, "identifier")
        if follows is not None:
            # `how many order ids`: different ones, however often joins repeat them
            return Aggregate("count", draft.scope.key(table), distinct=True), follows + 1
        if (counted := counting_column(draft, table)) is not None and distinct is None:
            return Aggregate("sum", counted), end
        return Aggregate("count", table.ref, distinct=distinct is not None), end
    if link.mark != "column":
        table = draft.about(what)
        return Aggregate("count", draft.scope.key(table), distinct=True), what + 1
    leave_prices(draft, link)
    column = draft.scope.column(link)
    if distinct is None and _names_a_row(draft, link, column):
        # a key's words without its ending name the row: each row is one of them
        return Aggregate("count", column.table), what + 1
    if distinct is None and _done_by_rows(draft, link, column):
        return Aggregate("count", column), what + 1
    return counted_column(draft, link, column, distinct=distinct is not None), what + 1


def _names_a_row(draft: Draft, link: Link, column: ColumnContext) -> bool:
    """`how many transactions`, of wallet_transactions with a transaction_ref: its rows are counted."""
    words = draft.scope.words(column)
    said = {stem(w) for w in link.word.split()}
    rows = {stem(w) for w in draft.scope.vocabulary.table_words[column.table]}
    # said are all words of the column but its last, a word of keys
    named = said == {stem(w) for w in words[:-1]}
    return named and said <= rows and words[-1] in names.KEY_WORDS | {"reference"}


def _done_by_rows(draft: Draft, link: Link, column: ColumnContext) -> bool:
    """`how many collectors born ..`, of collectors with a year `born`: those of whom it is known."""
    dated = column.kind == "date" or bool(FOUNDED & set(draft.scope.words(column)))
    done = link.word.split()[-1] in FOUNDED or link.word.endswith("ed")
    return dated and done and draft.scope.said_table(link) is not None


def _count_of_value(draft: Draft, at: int) -> tuple[Expression, int] | None:
    """`how many households`: rows of the table whose value it is, which is a condition already."""
    link = draft.links[at + 1] if at + 1 < len(draft.links) else None
    if link is None or link.mark != "value":
        return None
    for condition in draft.where:
        if isinstance(condition, OneOf) and any(c == condition.column for c, _ in link.values):
            draft.scope.doubt("what is to be counted", 0.95)
            several = link.text.islower() and link.text.endswith("s")
            return Aggregate("count", _rows_of(draft, condition.column, kind=several)), at + 2
    return None


def _rows_of(draft: Draft, column: ColumnContext, *, kind: bool) -> TableRef:
    """`how many dogs`, where dog is one row of species: the pets, where only these refer to species."""
    # only where just one table refers to the kinds it is clear which rows are of a kind
    table = draft.scope.context.table(column.table)
    refer = {j.many.table for j in draft.scope.context.joins if j.one.table == column.table} - {column.table}
    if kind and column.unique and column in draft.scope.label(table) and len(refer) == 1:
        draft.scope.doubt("of what kind rows are counted", _BY_ITS_KIND)
        return refer.pop()
    return column.table


def counted_column(draft: Draft, link: Link, column: ColumnContext, *, distinct: bool) -> Expression:
    """How many of what a column holds: its numbers added up where it counts, else its different values."""
    words = draft.scope.words(column)
    if column.kind == "number" and words[-1] != "id" and not column.key and "year" not in words:
        # whole numbers of something are added up; ranks and years are not
        whole = column.type in {"int2", "int4", "int8"} and words[-1] not in NOT_ADDED
        units = {stem(words[-1]), stem(link.word)} & _UNITS
        if not distinct and (whole or units):
            draft.scope.doubt("what is to be added up", 0.95)
            return Aggregate("sum", column)
        # a column that says to be a count holds one for each row
        if distinct or not set(words) & {"number", "count", "num", "total"}:
            raise Unclear(f"it is not clear whether {link.text} is to be counted or added up")
        # of a list of rows the number is shown; else they are added up
        return Column(column) if draft.head is not None else Aggregate("sum", column)
    numeric = column.kind == "text" and column.values and all(map(_is_number, column.values))
    # texts of digits may be numbers badly stored, or codes
    if numeric and not distinct and not set(words) & names.KEY_WORDS:
        raise Unclear(f"it is not clear whether {link.text} is to be counted or added up")
    if column.kind == "date" and not distinct and not {stem(w) for w in link.word.split()} & _DAYS:
        # a date counts the rows that have it; days are counted where days are asked for
        # `how many withdrew`: each row that has the date, however many on one day
        draft.scope.doubt("what is to be counted", 0.95)
        return Aggregate("count", column)
    return Aggregate("count", column, distinct=True)


def _is_number(text: str) -> bool:
    return text.strip().replace(".", "", 1).isdigit()


def expressions_at(
    draft: Draft, at: int, default: TableContext | None
) -> tuple[list[Expression], int] | None:
    """What one phrase of a list of wanted things shows, and the place after it. Raises Unclear."""
    link = draft.links[at]
    if (measure := measure_at(draft, at, extremes=True)) is not None:
        return [measure[0]], measure[1]
    if link.mark == "column":
        column = draft.scope.column(link)
        # a column may be called `total`: then it holds each row's total, and of all it is the sum
        if link.word.startswith("total ") and column.kind == "number" and not column.key:
            return [Aggregate("sum", column)], at + 1
        follows = draft.next(at, "unit")
        if column.kind == "date" and follows is not None:
            return [Part(column, TIME_UNITS[draft.links[follows].word])], follows + 1
        return [Column(column)], at + 1
    if link.mark in {"label", "identifier"}:
        if (shared := _of_the_same_noun(draft, at)) is not None:
            return [Column(shared)], at + 1
        table = _owner(draft, at, default)
        shown = draft.scope.label(table) if link.mark == "label" else (draft.scope.key(table),)
        return [Column(c) for c in shown], at + 1
    if link.mark == "table":
        table = draft.scope.table(link)
        follows = draft.next(at, "label", "identifier", "count")
        if follows is not None and draft.links[follows].mark == "count":
            # `customers, order count`: right behind and nothing but a count
            counts = draft.links[follows].glued and draft.links[follows].word in {"count", "counts"}
            return ([Aggregate("count", table.ref)], follows + 1) if counts else None
        if follows is not None and draft.links[follows].mark == "identifier":
            return [Column(draft.scope.key(table))], follows + 1
        return [Column(c) for c in draft.scope.label(table)], (follows or at) + 1
    return None


def _of_the_same_noun(draft: Draft, at: int) -> ColumnContext | None:
    """`contact names and titles`, of clients with a contact_name and a contact_title."""
    before = draft.links[at - 1] if at else None
    if before is None or before.mark != "column" or before.word.split()[-1] not in {"name", "names"}:
        # only names have titles beside them; other columns have titles of their own rows
        return None
    named = draft.scope.column(before)
    noun, what = draft.scope.words(named)[:-1], names.singular(draft.links[at].word)
    beside = [c for c in draft.scope.context.table(named.table).columns if c != named]
    return next((c for c in beside if noun and draft.scope.words(c) == (*noun, what)), None)


def _owner(draft: Draft, at: int, default: TableContext | None) -> TableContext:
    """`names of customers`, `customer names`; else the table that the question is about."""
    after = draft.next(at, "table", unused=False)
    # the preposition says whose the name is, whatever the question is about
    if after is not None and draft.links[after].preposition in {"of", "for", "from"}:
        return draft.scope.table(draft.links[after])
    if at > 0 and draft.returned and draft.links[at - 1].mark == "column":
        column = draft.scope.column(draft.links[at - 1])
        # in a list of what to return the key before tells of which table the name is
        if column.key or draft.scope.words(column)[-1] == "id":
            # `the drug id and name`: both of the same table
            return draft.scope.context.table(column.table)
    if at > 0 and draft.links[at - 1].mark == "table":
        return draft.scope.table(draft.links[at - 1])
    if at > 0 and draft.links[at - 1].mark == "column" and default is None:
        return draft.scope.context.table(draft.scope.column(draft.links[at - 1]).table)
    if default is not None:
        return default
    if after is not None:
        return draft.scope.table(draft.links[after])
    beside = draft.links[at + 1] if at + 1 < len(draft.links) else None
    if beside is not None and beside.mark == "column":
        # `name, unit price`: the column behind is said with its table
        named = draft.scope.said_table(beside)
        if named is not None:
            return named
    if draft.listed and len(draft.grouped_rows) == 1:
        # `for each building, return the name, the number of flats and ...`
        return draft.scope.context.table(draft.grouped_rows[0])
    # nothing before tells: then the first table that follows, and at last what the question is about
    following = draft.table_after(at)
    if following is not None:
        return draft.scope.table(draft.links[following])
    return draft.about(at)


def parted(draft: Draft, unit: str, at: int) -> Expression:
    """The year, month or day of the time of what is spoken of; a column that holds
    just that. Raises Unclear.
    """
    tables = [
        draft.scope.table(draft.links[i]) for i in range(len(draft.links)) if draft.links[i].mark == "table"
    ]
    tables += [t for t in draft.scope.mentioned if t not in tables]
    ranked = [t for e, _ in draft.order if isinstance(e, Aggregate) for t in tables_of(e)]
    tables += [t for t in map(draft.scope.context.table, ranked) if t not in tables]
    # rows that only came to be at a date are looked at last: things happen more often
    tables = sorted(tables, key=lambda t: only_came(draft, t))
    # dates that are compared already tell which time is meant
    timed = {c.column for c in draft.where if isinstance(c, During) and c.column.kind == "date"}
    for table in tables:
        whole = [c for c in table.columns if draft.scope.words(c) == (unit,)]
        # a column of the very unit (`year`) needs no date cut to it
        if len(whole) == 1:
            return Column(whole[0])
        dates = [c for c in draft.scope.times(table) if c.kind == "date"]
        others = [c for c in table.columns if c.kind == "number" and unit in draft.scope.words(c)]
        if dates and others:
            # `the years of the objects`, with a made_year and a date of another thing
            raise Unclear(f"{table.ref.name} has several: {', '.join(c.name for c in (*others, *dates))}")
        if (date := date_of(draft, table)) is not None:
            if not of_lives(draft, date):
                return Part(date, unit)
            # `bookings per guest and month in 2024`: not of when the guests were born
            if len(timed) == 1:
                return Part(min(timed, key=lambda c: c.name), unit)
        if not dates and len(others) == 1 and _said_or_told(draft, others[0], unit):
            return Column(others[0])
        # several dates and none chosen: each would give other groups
        if len(dates) > 1:
            raise Unclear(f"{table.ref.name} has several dates: {', '.join(c.name for c in dates)}")
    raise Unclear(f"nothing says in which {draft.links[at].text} a row is")


def _said_or_told(draft: Draft, column: ColumnContext, unit: str) -> bool:
    """Whether the other words of `year_published` are said: games have no other year."""
    own = {root(w) for w in draft.scope.words(column) if w != unit}
    return bool(own) and own <= {root(w) for w in draft.scope.roles}
