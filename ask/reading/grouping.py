"""What a question groups by: `for each T`, `per C`, `by year`, `monthly`.

Owns groups and the rows they stand for. Must not know measures.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    Column,
    Expression,
    OneOf,
    Part,
)
from rewright.ask.reading.intent_parts import tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import PERIODIC, TIME_UNITS
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import parted
from rewright.ask.reading.rows import key_of
from rewright.ask.reading.words import listed
from rewright.lake import names

# columns whose values name persons of a kind: `waiter` of a job
_KINDS_OF_PEOPLE = frozenset(listed("job role position profession occupation title rank kind type"))
_ROWS_OF_A_KIND = 0.95


def groups(draft: Draft) -> None:
    """`for each T`, `per C`, `by year`, `monthly`."""
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        # the word holds its unit: `monthly` groups by month
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
    # `each waiter` may be a condition's value, whose rows are the group
    taken = int(_each_of_a_kind(draft, at))
    place = at + 1 + taken
    # several groups may follow one `each`, until something that is none
    while place < len(draft.links) and not draft.links[place].used:
        end = _grouped(draft, place)
        if end is None:
            break
        draft.use(*range(place, end))
        taken += 1
        place = end + _whose(draft, end)
        # `for each city and year`: a group more, unless it is wanted for itself
        if place >= len(draft.links) or not _another_group(draft, place):
            break
    # nothing that could be grouped by: to drop `each` would answer with one total
    if not taken and not _each_of_times(draft, at):
        raise Unclear(f"it is not clear what is meant by {draft.links[at].text}")
    shown = [e for _, e in draft.outputs]
    # the key of grouped rows stays hidden behind their name
    draft.outputs += [(-1, e) for e in draft.groups if e not in shown and not _of_rows(draft, e)]


def _each_of_a_kind(draft: Draft, at: int) -> bool:
    """`each waiter`, of staff whose job is one: a condition already, for each of whose rows it is asked."""
    kind = draft.links[at + 1] if at + 1 < len(draft.links) else None
    # a value with a capital is a name, which stands for one row
    if kind is None or kind.mark != "value" or not kind.used or not kind.text.islower():
        return False
    held = {c for c, _ in kind.values if c.words[-1] in _KINDS_OF_PEOPLE}
    tables = {c.column.table for c in draft.where if isinstance(c, OneOf) and c.column in held}
    if len(tables) != 1:
        return False
    group_rows(draft, draft.scope.context.table(tables.pop()))
    draft.scope.doubt(f"whether rows are meant by {kind.text}", _ROWS_OF_A_KIND)
    return True


def _each_of_times(draft: Draft, at: int) -> bool:
    """`in each of the last 3 months`: by month."""
    link = draft.links[at + 1] if at + 1 < len(draft.links) else None
    unit = TIME_UNITS.get(link.word.split()[-1]) if link is not None and link.mark == "moment" else None
    if unit is None:
        return False
    # a single moment with a unit: its parts are the groups
    draft.groups.append(parted(draft, unit, at + 1))
    return True


def _whose(draft: Draft, place: int) -> int:
    """How many links say whose group it is: `for each party of the sponsor`, a key that leads to parties."""
    link = draft.links[place] if place < len(draft.links) else None
    if link is None or link.used or link.mark != "column" or link.preposition != "of" or not draft.groups:
        return 0
    table = next(iter(tables_of(draft.groups[-1])), None)
    for join in draft.scope.context.joins:
        leads = any(key in link.columns for key, _ in join.pairs)
        # the key behind `of` says by which way the group is reached, not another group
        if leads and table is not None and table in draft.scope.told_by(join.one.table):
            draft.use(place)
            return 1
    return 0


def _another_group(draft: Draft, place: int) -> bool:
    """`for each month and ward`: what comes right after a group, with a word between."""
    link = draft.links[place]
    if link.mark != "table":
        # `how many letters did each clerk read`: what they did, where no word stands between
        return link.mark in {"unit", "flag"} or (link.mark == "column" and not link.glued)
    after = draft.links[place + 1].mark if place + 1 < len(draft.links) else "stop"
    # a table with more behind it (`and students enrolled`) opens a clause of its own
    ends = after in {"stop", "comma", "order", "desc", "asc", "each", "moment"}
    return ends and not link.glued and not link.preposition and not link.theirs


def _of_rows(draft: Draft, expression: Expression) -> bool:
    """A key by which rows are grouped is not shown beside their names."""
    return isinstance(expression, Column) and tells_a_grouped_row(draft, expression.column)


def tells_a_grouped_row(draft: Draft, column: ColumnContext) -> bool:
    """Whether it is the key or the name of rows that are grouped by, nothing that several of them share."""
    if column.table not in draft.grouped_rows:
        return False
    table = draft.scope.context.table(column.table)
    # a column that several rows share would merge them, so it does not tell a grouped row
    return column.unique or column in (key_of(table), *draft.scope.label(table))


def _grouped(draft: Draft, place: int) -> int | None:
    link = draft.links[place]
    # `each different city` groups by the city: a group is different by itself
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
    if link.mark == "table" and (kind := draft.next(place, "table")) is not None and _compound(draft, kind):
        # only the head noun of a compound is grouped by
        # `each beer style`: the styles
        draft.use(place)
        return _grouped(draft, kind)
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
        group_rows(draft, table)
        return (follows or place) + 1
    if link.mark in {"column", "flag"}:
        column_of = draft.scope.column(link)
        # a number of things that is called in the singular is divided by
        # a unit price is divided by the unit; a group for each number of shares makes no sense
        if draft.links[place - 1].word == "per" and _counts_units(column_of, link):
            raise Unclear(f"it is not clear whether what is wanted is divided by {column_of.name}")
        if (
            column_of.kind == "date"
            and "date" in draft.scope.words(column_of)
            and link.word in {"date", "day"}
        ):
            # dates with a time of day would make a group of each moment
            draft.groups.append(Part(column_of, "day"))
        else:
            draft.groups.append(Column(column_of))
        return place + 1
    return None


def _counts_units(column: ColumnContext, link: Link) -> bool:
    """`the price per share`, of trades with a number of shares: no group for each such number."""
    several = names.normal(column.name).split()[-1:]
    # named in the plural and said in the singular: it counts such units
    return column.kind == "number" and bool(several) and several[0] == f"{link.word.split()[-1]}s"


def _compound(draft: Draft, at: int) -> bool:
    """Whether the table before only tells the kind of this one."""
    before, link = draft.links[at - 1], draft.links[at]
    return link.glued and not before.word.endswith("s") and before.tables[:1] != link.tables[:1]


def group_rows(draft: Draft, table: TableContext) -> None:
    label = draft.scope.label(table)
    draft.grouped_rows.append(table.ref)
    draft.outputs += [(-1, Column(c)) for c in label]
    draft.groups += map(Column, draft.scope.told_apart(table))


def _own_column(draft: Draft, place: int) -> Column | None:
    """`each city` where the table that is measured has a column of that name."""
    link = draft.links[place]
    group = link.tables[0].ref
    others = [
        # tables beside the group's own, as only theirs can hold it as a column
        o.tables[0]
        for o in draft.links
        if o.mark == "table" and o is not link and o.tables[0].ref != group
    ]
    named = any(o is not link and o.mark == "table" and o.tables[0].ref == group for o in draft.links)
    held = [c for c in link.columns if c.table in [t.ref for t in others]]
    # the group's table is named on its own too, so its rows are meant
    if not held or named:
        return None
    tables = {c.table for c in held}
    # two of the tables have such a column: that of the table named first is meant
    if len(tables) > 1:
        measured = next((o.tables[0].ref for o in draft.links if o.mark == "table"), None)
        held = [c for c in held if c.table == measured]
    joined = [
        j
        for j in draft.scope.context.joins
        if any((k.table, k.name) == (c.table, c.name) for k in j.keys for c in held) and j.one.table == group
    ]
    # a key, which the joined table's rows are told by
    # a key column is no name: the joined row tells the group better
    if len(held) != 1 or (joined and draft.scope.words(held[0])[-1] in names.KEY_WORDS):
        return None
    # the group's table is no longer needed, or it would be joined for nothing
    draft.scope.mentioned = [t for t in draft.scope.mentioned if t.ref != group]
    return Column(held[0])
