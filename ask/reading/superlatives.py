"""Top n and superlatives of a question.

Owns their grammar. A superlative keeps ties; `top 5` keeps five.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.best_alone import (
    asks_which,
    end_of,
    farthest,
    is_a_sum_itself,
    limited,
    measured,
    of_a_text,
    place_of,
    those_of,
)
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.extremes import (
    MOST,
    behind,
    count_of,
    is_commonness,
    is_measure,
    property_of,
    ranked_by,
)
from rewright.ask.reading.heads import for_head, head_of, rank_head
from rewright.ask.reading.intent import Aggregate, Column, Direction, Expression
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.ordering import Whole
from rewright.ask.reading.phrases import measure_at
from rewright.ask.reading.timing import FOUNDED
from rewright.ask.reading.words import stem
from rewright.sql.algebra import TableRef

_ONLY_A_VALUE = 0.92
_OF_THOSE_THAT_REFER = 0.92
_BELONGING = frozenset(("in", "of", "from", "at", "on", "for"))


def superlatives(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        if link.mark in {"first", "last"}:
            _top(draft, at)
        elif link.mark in {"top", "bottom"}:
            _superlative(draft, at)


def _top(draft: Draft, at: int) -> None:
    """`top 5 T by C`, `top 5 T with the highest C`, `the first 3 T`."""
    number = draft.next(at, "number")
    if number is None:
        raise Unclear(f"it is not clear what is meant by {draft.links[at].text}")
    limit = float(draft.links[number].number)
    # `top 0` and `top 2.5` name no number of rows
    if limit < 1 or limit != int(limit):
        raise Unclear("it is not clear how many of the top are wanted")
    way: Direction = "desc" if draft.links[at].mark == "first" else "asc"
    draft.limit = int(limit)
    draft.use(at, number)
    # an order that was said already finds the top
    if any(not isinstance(e, Whole) for e, _ in draft.order):
        return
    if any(w != way for _, w in draft.order):
        raise Unclear("it is not clear in which order the top are to be shown")
    whole, draft.order = draft.order, []
    _found_by(draft, number, way, whole)


def _found_by(draft: Draft, number: int, way: Direction, whole: list[tuple[Expression, Direction]]) -> None:
    """By what the top are found: a superlative, or what `by` names."""
    rest = range(number + 1, len(draft.links))
    for i in rest:
        # a superlative behind tells by what; only then a `by`, which may also group
        if draft.links[i].mark in {"top", "bottom"} and not draft.links[i].used:
            _superlative(draft, i, keep=True)
            return
    for i in rest:
        if (
            draft.links[i].word in {"by", "based on", "in terms of", "according to"}
            and not draft.links[i].used
        ):
            _by(draft, i, way, draft.next(number, "table", "column", unused=False))
            return
    draft.order = whole
    if not whole:
        raise Unclear("it is not clear by what the top is to be found")


def _by(draft: Draft, at: int, way: Direction, of: int | None = None) -> None:
    """`by number of orders`, `by total amount`, `by price`: what the head's rows are
    ranked by, and then by.
    """
    head = head_of(draft, at) if of is None else of
    draft.use(at)
    place = at + 1
    while place < len(draft.links):
        # a comma ends the keys; what follows is a list of other things
        if draft.links[place].mark == "comma":
            break
        measure = measure_at(draft, place)
        if measure is not None:
            expression, end = measure
        elif draft.links[place].mark == "column":
            column = draft.scope.column(draft.links[place], ("number", "date"))
            expression, end = _total(draft, place, head, column), place + 1
        elif draft.links[place].mark == "table" and not draft.order:
            # a table first ranks by its rows; as a further key it would be a group
            expression, end = count_of(draft, draft.scope.table(draft.links[place])), place + 1
        else:
            break
        draft.use(*range(place, end))
        ranked = for_head(draft, head, expression, way)
        # ranked of several rows each: the highest and the sum both make sense
        if ranked != expression:
            draft.scope.doubt(f"whether the highest {draft.links[place].text} counts or their sum", 0.8)
        expression = ranked
        draft.order.append((expression, way))
        place = end
    if not draft.order:
        raise Unclear("it is not clear by what the top is to be found")
    rank_head(draft, head, shown=True)


def _total(draft: Draft, place: int, head: int, column: ColumnContext) -> Expression:
    """`specialties by total amount`: added up, unless it is a column of the ranked rows themselves."""
    link = draft.links[head]
    own = link.mark == "table" and draft.scope.table(link).ref == column.table
    # a column of the ranked rows has one value a row, whose sum is itself
    if draft.links[place].word.startswith("total ") and not own and column.kind == "number":
        return Aggregate("sum", column)
    return Column(column)


def _superlative(draft: Draft, at: int, *, keep: bool = False) -> None:
    """`the highest C`, `the most T`, `the oldest T`, `the most common C`."""
    link = draft.links[at]
    way: Direction = "desc" if link.mark == "top" else "asc"
    draft.use(at)
    if (nth := draft.before(at, "nth")) is not None:
        # the second highest skips one
        draft.skipped = int(draft.links[nth].number) - 1
        draft.use(nth)
    _numbered(draft, at)
    after = behind(draft, at)
    if is_commonness(link):
        _not_of_each(draft)
        _most_common(draft, at, after, way)
        return
    expression, taken = ranked_by(draft, at, after)
    if expression is None and (before := _said_before(draft, at, after)) is not None:
        expression, taken = before
        # `which harvest cost the most` has its table in the column's phrase
        if draft.table_before(at) is None and _its_rows(draft, at, expression):
            at, taken = at + 1, [place + 1 for place in taken]
    if expression is None:
        _by_property(draft, at, after)
        return
    if _grouped_measure(draft, at, expression):
        return
    _not_of_each(draft)
    draft.use(*taken, *_said_again(draft, taken))
    if isinstance(expression, Column) and (rows := _rows_so_ranked(draft, taken, expression)) is not None:
        draft.order.insert(0, (expression, way))
        limited(draft)
        rank_head(draft, rows, shown=False)
        return
    if isinstance(expression, Column) and _stands_alone(draft, at) and draft.skipped:
        # the second highest value is a row of an order; a max would be the highest
        draft.outputs.append((at, expression))
        draft.order.append((expression, way))
        draft.limit, draft.distinct = 1, True
        return
    # nothing else is wanted: the value itself, which is an aggregate
    if isinstance(expression, Column) and _stands_alone(draft, at):
        draft.outputs.append((at, Aggregate("max" if way == "desc" else "min", expression.column)))
        return
    head = head_of(draft, at)
    _said_of_another(draft, at, head, expression)
    expression = for_head(draft, head, expression, way, counted=link.word in MOST or "number of" in link.word)
    _alone(draft, expression)
    # the same expression in two directions: one of both was misread
    if any(e == expression and w != way for e, w in draft.order):
        raise Unclear("it is not clear which end of an order is wanted")
    draft.order.insert(0, (expression, way))
    several = draft.limit > 1 or draft.whole
    limited(draft)
    if draft.links[head].mark == "column" and not isinstance(expression, Aggregate):
        _columns_ranked(draft, head, expression, several=several)
        return
    rank_head(draft, head, shown=several)
    del keep


def _rows_so_ranked(draft: Draft, taken: list[int], by: Column) -> int | None:
    """`the most viewed article`, of articles with a number of page views: the article is wanted."""
    behind = taken[-1] + 1 if taken else len(draft.links)
    if behind >= len(draft.links) or not _stands_alone(draft, taken[0]):
        return None
    verb, noun = draft.links[taken[-1]], draft.links[behind]
    rows = noun.mark == "table" and noun.glued and not noun.used and noun.tables[0].ref == by.column.table
    return behind if rows and verb.word.endswith("ed") else None


def _said_again(draft: Draft, taken: list[int]) -> list[int]:
    """The `date` of `the earliest opened date`, of a column `opened`: what it is, nothing to be shown."""
    behind = taken[-1] + 1 if taken else len(draft.links)
    dated = behind < len(draft.links) and draft.links[taken[-1]].columns
    # only `date` right behind a date's own word says it again
    if not dated or draft.links[behind].mark != "unit" or not draft.links[behind].glued:
        return []
    columns = draft.links[taken[-1]].columns
    dates = all(c.kind == "date" or FOUNDED & set(draft.scope.words(c)) for c in columns)
    return [behind] if draft.links[behind].word == "date" and dates else []


def _said_of_another(draft: Draft, at: int, head: int, by: Expression) -> None:
    """`the ports in the country with the most berths`, `the owner of the boat with the most repairs`: the
    country or the boat is ranked, of which the ports or the owner are wanted. Raises Unclear.
    """
    if draft.links[at].preposition != "with":
        return
    nouns = [i for i in range(head + 1, at) if draft.links[i].mark in {"table", "column"}]
    # one noun before the superlative is what it ranks
    ranked = draft.links[nouns[-1]] if nouns else None
    if ranked is None or (ranked.preposition not in _BELONGING and not _is_one(draft, ranked)):
        return
    first = draft.links[head]
    wanted = {c.table for c in first.columns}
    own = isinstance(by, Column) and ranked.mark == "table" and by.column.table == ranked.tables[0].ref
    if first.mark == "table" and ranked.preposition == "of" and own:
        # `the owner of the vessel with the highest power`: a vessel has one
        wanted |= {ranked.tables[0].ref} & _having_one(draft, first.tables[0].ref)
    if not any(t.ref in wanted for t in ranked.tables):
        # `the title of the book with the highest price` is of the book
        raise Unclear(f"it is not clear how the {ranked.text} is to be found")


def _is_one(draft: Draft, ranked: Link) -> bool:
    """`which country is the consulate with the most applications in`: one of them is spoken of."""
    words, own = draft.scope.roles, ranked.word.split()
    place = words.index(own[0]) if own and own[0] in words else 0
    single = not ranked.word.endswith("s") or ranked.word.endswith("ss")
    return ranked.mark == "table" and single and place > 1 and words[place - 1] == "the"


def _having_one(draft: Draft, owner: TableRef) -> set[TableRef]:
    """The tables each row of which has one row of this table."""
    refs = (t.ref for t in draft.scope.context.tables if t.ref != owner)
    return {ref for ref in refs if owner in draft.scope.told_by(ref)}


def _not_of_each(draft: Draft) -> None:
    """`the most common type for each device`: the best of all would be another answer. Raises Unclear."""
    named = {"table", "column", "unit"}
    for at, link in enumerate(draft.links[:-1]):
        each = link.mark == "each" and link.word != "by" and not link.used and not is_measure(draft, at)
        # a group that is not used yet would be dropped by one limit over all
        if each and draft.links[at + 1].mark in named:
            raise Unclear("the best of each group is not understood yet")


def _alone(draft: Draft, expression: Expression) -> None:
    """The best ones in the order of something else would be two orders. Raises Unclear."""
    told = {"alphabetically", "alphabetical", "chronologically", "chronological"}
    said = {word for e, _ in draft.order if isinstance(e, Whole) for word in e.said.split()}
    if said & told or any(not isinstance(e, Whole) and e != expression for e, _ in draft.order):
        raise Unclear("it is not clear whether the best are wanted or all in an order")


def _said_before(draft: Draft, at: int, after: int | None) -> tuple[Expression, list[int]] | None:
    """`which pet weighs the most`: the column right before, where none follows."""
    before = draft.before(at, "column")
    # `the most` behind a verb that names a number: `weighs the most`
    if before is None or after is not None or draft.links[at].word not in {*MOST, "highest", "lowest"}:
        return None
    column = draft.scope.column(draft.links[before], ("number",))
    return (Column(column), [before]) if column.kind == "number" and not column.key else None


def _its_rows(draft: Draft, at: int, expression: Expression) -> bool:
    """`which harvest cost the most`, read as `harvest cost`: the rows of that table are ranked."""
    words = {stem(w) for w in draft.links[at - 1].word.split()}
    if isinstance(expression, Column):
        table = draft.scope.context.table(expression.column.table)
        if {stem(w) for w in draft.scope.words(table)} <= words:
            draft.links.insert(at - 1, Link(table.ref.name, "table", (table,)))
            return True
    return False


def _stands_alone(draft: Draft, at: int) -> bool:
    """`What is the highest price of paintings?`: nothing before it is wanted."""
    before = [
        o
        for o in draft.links[:at]
        if o.mark in {"table", "column", "label", "identifier", "count", "value"}
        # periods before a superlative are what it ranks
        # `which month had the most visitors`: ranked by their sum
        or (o.mark == "unit" and not o.used)
    ]
    return not before and not draft.limit and not draft.whole and not draft.groups


def _numbered(draft: Draft, at: int) -> None:
    """`the three teams with the largest capacity`, `the 5 cheapest films`."""
    head = next((i for i in range(at) if draft.links[i].mark in {"table", "column"}), None)
    # the number stands right before the superlative or before the ranked noun
    for place in (at - 1, head - 1 if head is not None else -1):
        link = draft.links[place] if place >= 0 else None
        if (
            link is not None
            and link.mark == "number"
            and not link.used
            and link.number.isdigit()
            and not draft.limit
        ):
            draft.limit = int(link.number)
            draft.use(place)


def _rows_of_a_column(draft: Draft, at: int) -> int | None:
    """`the youngest member's name`: the members, of whom the name is wanted."""
    behind = draft.links[at + 1] if at + 1 < len(draft.links) else None
    table = draft.scope.said_table(behind) if behind is not None and behind.mark == "column" else None
    if behind is None or table is None or "'s" not in behind.word.split():
        return None
    draft.links.insert(at + 1, Link(table.ref.name, "table", (table,), glued=True))
    return at + 1


def _columns_ranked(draft: Draft, head: int, expression: Expression, *, several: bool) -> None:
    """`the title of the book with the highest price`: the columns before stay what is shown."""
    table = draft.table_after(head)
    if table is not None and not draft.links[table].used:
        draft.head = draft.scope.table(draft.links[table])
    if several:
        # several ranked rows are shown with what they are ranked by
        draft.outputs.append((len(draft.links), expression))


def _grouped_measure(draft: Draft, at: int, expression: Expression) -> bool:
    """`the highest price for each maker`: the extreme of each group."""
    if not any(link.mark == "each" for link in draft.links) or not isinstance(expression, Column):
        return False
    # `which maker has the highest price in each country` asks for a row of each group
    if any(link.mark == "table" for link in draft.links[:at]) and draft.limit == 0 and asks_which(draft):
        raise Unclear("the best of each group is not understood yet")
    column = expression.column
    draft.outputs.append((at, Aggregate("max" if draft.links[at].mark == "top" else "min", column)))
    draft.use(at + 1)
    return True


def _most_common(draft: Draft, at: int, after: int | None, way: Direction) -> None:
    if after is None or draft.links[after].mark not in {"column", "table"}:
        raise Unclear(f"it is not clear what is meant by {draft.links[at].text}")
    link = draft.links[after]
    if link.mark == "table":
        _most_referred(draft, at, after, way)
        return
    column = draft.scope.column(link)
    counted = count_of(draft, draft.scope.context.table(column.table))
    draft.outputs.append((after, Column(column)))
    draft.groups.append(Column(column))
    draft.order.insert(0, (counted, way))
    several = draft.limit > 1
    limited(draft)
    # of one most common value the number itself was not asked for
    if several:
        draft.outputs.append((len(draft.links), counted))
    draft.use(after)


def _most_referred(draft: Draft, at: int, after: int, way: Direction) -> None:
    """`the most common diagnosis`, of diagnoses that only treatments refer to: by their number. Raises
    Unclear.
    """
    link = draft.links[after]
    table = draft.scope.table(link)
    refer = {j.many.table for j in draft.scope.context.joins if j.one.table == table.ref} - {table.ref}
    # several tables refer to it: common in which of them?
    if len(refer) != 1:
        raise Unclear(f"it is not clear of what the {draft.links[at].text} {link.text} is counted")
    counted = count_of(draft, draft.scope.context.table(refer.pop()))
    draft.scope.doubt(f"of what the {draft.links[at].text} is counted", _OF_THOSE_THAT_REFER)
    draft.order.insert(0, (counted, way))
    several = draft.limit > 1
    limited(draft)
    rank_head(draft, after, shown=several)


def _by_property(draft: Draft, at: int, after: int | None) -> None:
    """`the oldest student`, `which mountain is the highest`: the property of the table beside."""
    link = draft.links[at]
    # the table right behind, else the nearest before, else the next
    place = after if after is not None and draft.links[after].mark == "table" else draft.table_before(at)
    place = place if place is not None else draft.table_after(at)
    if link.adjective is not None and place is None:
        place = _rows_of_a_value(draft, at)
    if link.adjective is not None and place is None:
        place = _rows_of_a_column(draft, at)
    if link.adjective is None or place is None:
        raise Unclear(f"it is not clear what is meant by {link.text}")
    table = draft.scope.table(draft.links[place])
    if _on_average(draft, at, place, table):
        return
    if of_a_text(draft, at):
        raise Unclear(f"it is not clear how {draft.links[at + 1].text} is measured")
    if place_of(draft, at, table):
        return
    asked = next((i for i in range(at) if draft.links[i].mark == "table" and not draft.links[i].used), None)
    if asked is not None and asked < at < place and those_of(draft, asked, at, table):
        return
    # the best one belongs to the table asked for, but none of the forms above says how
    if asked is not None and asked != place and draft.scope.table(draft.links[asked]) != table:
        if _belongs_to(draft, asked, at, table):
            _ranked_of(draft, asked, at, place, table)
            return
        # `which conference has the oldest publication?`
        raise Unclear(f"it is not clear whether {draft.links[asked].text} or {link.text} ones are wanted")
    # a `by` with a measure replaces the adjective's own column
    by = next((i for i in range(place + 1, len(draft.links)) if is_measure(draft, i)), None)
    ranked: Expression
    if by is not None:
        ranked, way = Column(draft.scope.column(draft.links[by + 1])), end_of(link)
        draft.use(by, by + 1)
    else:
        ranked, way = measured(draft, at, table)
    if draft.groups or any(o.mark == "each" and not o.used for o in draft.links):
        raise Unclear("the best of each group is not understood yet")
    if isinstance(ranked, Column) and by is None and is_a_sum_itself(draft, at, place, ranked.column):
        draft.outputs.append((at, farthest(ranked, way)))
        draft.use(place)
        return
    _alone(draft, ranked)
    if any(e == ranked and w != way for e, w in draft.order):
        raise Unclear("it is not clear which end of an order is wanted")
    draft.order.insert(0, (ranked, way))
    several = draft.limit > 1 or draft.whole
    limited(draft)
    draft.head = table
    # columns asked for of that row stand for its name
    wanted = [
        i
        for i in draft.unused()
        if draft.links[i].mark in {"column", "label", "identifier"}
        and not (i > place and draft.links[i].theirs)
    ]
    if not wanted and not draft.links[place].used:
        rank_head(draft, place, shown=several)


def _belongs_to(draft: Draft, asked: int, at: int, table: TableContext) -> bool:
    """`the owner of the longest vessel`: the one row that the best one refers to."""
    link, owner = draft.links[at], draft.scope.table(draft.links[asked])
    if link.preposition != "of" or asked != at - 1 or draft.groups or draft.limit > 1:
        return False
    return owner.ref in draft.scope.told_by(table.ref) and owner.ref != table.ref


def _ranked_of(draft: Draft, asked: int, at: int, place: int, table: TableContext) -> None:
    ranked, way = measured(draft, at, table)
    if isinstance(ranked, Column):
        ranked = Aggregate("max" if way == "desc" else "min", ranked.column)
    _alone(draft, ranked)
    draft.order.insert(0, (ranked, way))
    limited(draft)
    draft.use(place)
    rank_head(draft, asked, shown=False)


def _on_average(draft: Draft, at: int, place: int, table: TableContext) -> bool:
    """`which genre has the longest pieces on average?`: ranked by the average of a measure of their rows."""
    average = draft.next(place, "avg")
    head = next(
        (i for i in range(at) if draft.links[i].mark in {"table", "column"} and not draft.links[i].used), None
    )
    if average is None or head is None or place < at or draft.links[average].word != "on average":
        return False
    column, way = property_of(draft, at, table)
    # an average of the ranked rows' own column is that column
    if column.kind != "number" or (
        draft.links[head].mark == "table" and draft.scope.table(draft.links[head]) == table
    ):
        return False
    draft.use(place, average)
    draft.order.insert(0, (Aggregate("avg", column), way))
    several = draft.limit > 1 or draft.whole
    limited(draft)
    rank_head(draft, head, shown=several)
    return True


def _rows_of_a_value(draft: Draft, at: int) -> int | None:
    """`who is the best paid violinist?`, `which lion is the heaviest?`: the rows of which the value right
    behind says what they are, or the one that is asked for.
    """
    value = draft.links[at + 1] if at + 1 < len(draft.links) else None
    place = at + 2
    if (
        (value is None or value.mark != "value")
        and at == 1
        and draft.scope.roles[:1] in {("which",), ("what",)}
    ):
        value, place = draft.links[0], at + 1
    owners = {c.table for c, _ in value.values} if value is not None and value.mark == "value" else set()
    if len(owners) != 1:
        return None
    table = draft.scope.context.table(next(iter(owners)))
    draft.links.insert(place, Link(table.ref.name, "table", (table,)))
    draft.scope.doubt("only a value says which rows are wanted", _ONLY_A_VALUE)
    return place
