"""Values of a question: the column each is of, lists of them, columns of yes or no.

Owns the choice among several columns that hold a value.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.ask.context import ColumnContext, Join
from rewright.ask.reading.adjectives import begins_superlative
from rewright.ask.reading.contraries import either_of_them, negated_too, none_of_the_rows
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import (
    AnyOf,
    Column,
    Compared,
    Known,
    OneOf,
    Refers,
    Versus,
)
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.sets import both, one_without_the_other
from rewright.ask.reading.value_numbers import number
from rewright.ask.reading.words import root
from rewright.lake import names

# flags stored as numbers hold 0 and 1, and nothing else
_BOTH = 2
"""Values of a column of yes or no."""


def values(draft: Draft) -> None:
    for at, link in enumerate(draft.links):
        if link.used:
            continue
        # order of the links: a list's later values look at the one before
        if link.mark in {"value", "quoted"}:
            _value(draft, at)
        elif link.mark == "number":
            number(draft, at)
        elif link.mark == "not":
            after = draft.next(at, "value", "quoted")
            if after is not None:
                draft.links[after].fits["negated"] = 1.0
                draft.use(at)


def _value(draft: Draft, at: int) -> None:
    link = draft.links[at]
    named = draft.before(at, "named")
    beside = draft.before(at if named is None else named, "column", "label", "identifier")
    after = draft.next(at, "column", "label")
    earlier = _listed_before(draft, at)
    # of a list all values are of one column
    if earlier is not None and any(c == earlier for c, _ in link.values):
        beside = after = None
        link.values = tuple((c, v) for c, v in link.values if c == earlier)
    # the word before chose one of several keys: the value is said of what that refers to
    if link.keys:
        for key in link.keys:
            _by_its_key(draft, at, link, key)
        return
    column, values = _meant(draft, at, link, beside, after)
    draft.use(at, named)
    condition = OneOf(column, values, negated="negated" in link.fits)
    _with_earlier(draft, at, negated_too(draft, at, condition, earlier is not None))


def _by_its_key(draft: Draft, at: int, link: Link, key: Join) -> None:
    """`from A to B`: what each of several keys refers to. Raises Unclear."""
    chain = draft.scope.told_by(key.one.table)
    held = [(c, v) for c, v in link.values if c.table in chain]
    column = column_of_value(draft, at, link, held)
    values = tuple(sorted({v for c, v in held if c == column}))
    negated = "negated" in link.fits
    draft.where.append(Refers(key.many, key.one, OneOf(column, values, negated=negated)))
    draft.use(at)
    noun = draft.next(at, "table")
    # `from Berlin airport`: the noun repeats whose value it is
    if noun is not None and draft.links[noun].glued and draft.links[noun].tables[0].ref == column.table:
        draft.use(noun)


def _listed_before(draft: Draft, at: int) -> ColumnContext | None:
    """The column of the value just before in a list."""
    place = at - 1
    while place >= 0 and draft.links[place].mark in {"comma", "or"}:
        place -= 1
    # a preposition of its own starts a new condition, not the list's next value
    if place < 0 or draft.links[place].mark not in {"value", "quoted"} or draft.links[at].preposition:
        return None
    last = draft.where[-1] if draft.where else None
    # only right after a condition of values: anything between ended the list
    return last.column if isinstance(last, OneOf) else None


def _meant(
    draft: Draft, at: int, link: Link, beside: int | None, after: int | None
) -> tuple[ColumnContext, tuple[str, ...]]:
    """The column that a value is of: named beside it, or the one of the tables spoken of that has it."""
    # the column named before counts before the one behind, as in `status open orders`
    for place in (beside, after):
        if place is None:
            continue
        found = [(c, v) for c, v in link.values if c in draft.links[place].columns]
        if found:
            column = column_of_value(draft, at, link, found)
            draft.use(place)
            return column, tuple(sorted({v for c, v in found if c == column}))
    if link.values:
        column = column_of_value(draft, at, link, list(link.values))
        return column, tuple(sorted({v for c, v in link.values if c == column}))
    return _unseen(draft, at, link, beside), (link.text,)


def _unseen(draft: Draft, at: int, link: Link, beside: int | None) -> ColumnContext:
    """A quoted value that was not read: of the column named before it, or the name of the table before it."""
    # the sample of values may not hold it, so it is looked for though it was not seen
    draft.scope.doubt("a value that was not read", 0.85)
    # `the score of the post titled "Bayes"`: a number has no such value, the post is called so
    called = at > 0 and draft.links[at - 1].mark == "named"
    if called and beside is not None and all(c.kind != "text" for c in draft.links[beside].columns):
        beside = None if draft.links[beside].mark == "column" else beside
    if beside is not None:
        named = draft.links[beside]
        draft.use(beside)
        if named.mark == "column":
            column = draft.scope.column(named, ("text",))
        else:
            owner = draft.about(at)
            column = draft.scope.key(owner) if named.mark == "identifier" else draft.scope.label(owner)[0]
        # all values of the column are known, and this is none of them
        if column.kind != "text" or 0 < column.distinct == len(column.values):
            raise Unclear(f"the data does not say: {column.name} has no value {link.text}")
        return column
    if at > 0 and draft.links[at - 1].mark in {"table", "named"}:
        labels = draft.scope.label(draft.about(at))
        if (
            len(labels) == 1
            and labels[0].kind == "text"
            and not (0 < labels[0].distinct == len(labels[0].values))
        ):
            return labels[0]
    raise Unclear(f"the data does not say: there is no {link.text} in the values read")


def column_of_value(
    draft: Draft, at: int, link: Link, held: list[tuple[ColumnContext, str]]
) -> ColumnContext:
    """Of several columns that hold a value: those of tables spoken of, the role its preposition names, a
    label before others.
    """
    # each rule narrows what the one before left; the first that leaves one column ends it and what none of
    # them decides is refused rather than guessed
    scope = draft.scope
    columns = list(dict.fromkeys(c for c, _ in held))
    # `from Bonn`, of a flight with a `from_city`
    if len(columns) > 1 and link.preposition:
        # the preposition is in the column's name
        by_role = [c for c in columns if link.preposition in scope.words(c)]
        columns = by_role or columns
    if len(columns) > 1:
        noun = [c for c in columns if set(scope.words(c)) & _nouns(draft, at)]
        columns = noun or columns
    if len(columns) > 1:
        # the city New York before the state NY
        written = [c for c in columns if any(o == c and v.lower() == link.word for o, v in held)]
        columns = written or columns
    if len(columns) > 1:
        # of the tables that the question speaks of
        spoken = [c for c in columns if c.table in scope.refs()]
        draft.scope.doubt("a value that several tables hold", 0.97 if len(spoken) == 1 else 1.0)
        columns = spoken or columns
    # columns of one table: kinds are what values are usually named by
    if len(columns) > 1 and len({c.table for c in columns}) == 1:
        kinds = [
            c
            for c in columns
            if scope.words(c)[-1] in {"type", "kind", "category", "class", "genre", "status"}
        ]
        scope.doubt("a value that several columns hold", 0.93)
        columns = kinds if len(kinds) == 1 else columns
    if len(columns) > 1:
        # the nearest table, and in it the column that names its rows
        nearest = _nearest_tables(draft, at)
        ranked = sorted(columns, key=lambda c: nearest.get(c.table, 99))
        first = [c for c in ranked if nearest.get(c.table, 99) == nearest.get(ranked[0].table, 99)]
        named = [c for c in first if c in scope.label(scope.context.table(c.table))]
        columns = named or first
        scope.doubt("a value that several tables hold", 0.93)
    if len(columns) > 1:
        columns = _of_the_rows(draft, columns) or columns
    if len(columns) > 1:
        where = ", ".join(sorted(f"{c.table.name}.{c.name}" for c in columns))
        raise Unclear(f"{link.text} is a value of several columns: {where}")
    return columns[0]


def _of_the_rows(draft: Draft, columns: list[ColumnContext]) -> list[ColumnContext]:
    """`agents in Oslo`, of agents with an office and customers of their own: each is told by one office."""
    spoken = [link.tables[0].ref for link in draft.links if link.mark == "table"]
    # `senior translators in Germany`: their title says already whose country it is
    spoken = spoken or [c.column.table for c in draft.where if isinstance(c, OneOf)]
    # the table whose rows the question asks for, and what each of them leads to
    told = [c for c in columns if spoken and c.table in draft.scope.told_by(spoken[0])]
    if len(told) != 1:
        return []
    draft.scope.doubt("a value that several tables hold", 0.93)
    return told


def _nouns(draft: Draft, at: int) -> set[str]:
    """`Italian food`, `New York city`: what stands beside a value."""
    words: set[str] = set()
    for i in (at - 1, at + 1):
        if 0 <= i < len(draft.links) and draft.links[i].mark in {"unknown", "column"}:
            words |= {root(w) for w in draft.links[i].word.split()} | set(draft.links[i].word.split())
    return words


def _nearest_tables(draft: Draft, at: int) -> dict[object, int]:
    found: dict[object, int] = {}
    for i, link in enumerate(draft.links):
        for table in link.tables[:1]:
            found[table.ref] = min(found.get(table.ref, 99), abs(i - at))
    return found


def _with_earlier(draft: Draft, at: int, condition: OneOf) -> None:
    """`A or B` of one column is one condition; `A and B` of one column in one row cannot be."""
    if condition.negated and (
        one_without_the_other(draft, at, condition) or none_of_the_rows(draft, at, condition)
    ):
        return
    same = next(
        (
            c
            for c in draft.where
            if isinstance(c, OneOf) and c.column == condition.column and c.negated == condition.negated
        ),
        None,
    )
    joint = [i for i in range(max(0, at - 2), at) if draft.links[i].mark == "or" and not draft.links[i].used]
    # `Porto or red`: values of two columns, either of which may hold
    if same is None:
        if joint and any(link.used for link in draft.links[: joint[0]] if link.mark in {"value", "quoted"}):
            before = draft.where[-1] if draft.where else None
            last = before if isinstance(before, OneOf) else None
            # `not red or electric`: neither of them, or not the one, or else the other
            if last is None or (last.negated and not condition.negated):
                raise Unclear("it is not clear between what the choice is")
            draft.use(*joint)
            draft.where[-1] = AnyOf((last, condition))
            return
        draft.where.append(condition)
        return
    either = either_of_them(draft, at)
    if not either and both(draft, at, same, condition):
        return
    if not either and _counted_apart(draft, at):
        draft.groups.append(Column(condition.column))
        draft.outputs.append((0, Column(condition.column)))
        listed = True
    else:
        listed = either or _plural(draft, at) or _placed(draft, at) or _kinds_named(draft, at)
    # `red and blue` of one column: no row has both
    if not listed and not condition.negated:
        raise Unclear(f"two values of one column: {condition.column.name}")
    draft.use(*joint)
    draft.where[draft.where.index(same)] = replace(
        same, values=tuple(dict.fromkeys((*same.values, *condition.values)))
    )


def _counted_apart(draft: Draft, at: int) -> bool:
    """`the number of girls and boys`: one count for each; `of red and blue cars` may be one of both."""
    first = draft.links[at - 1] if at > 1 else None
    counted = first is not None and draft.links[at - 2].mark == "count"
    noun = draft.links[at + 1] if at + 1 < len(draft.links) else None
    alone = noun is None or noun.mark in {"stop", "each", "there"} or bool(noun.preposition)
    return counted and alone and first is not None and first.mark == "value" and draft.links[at].added


def _placed(draft: Draft, at: int) -> bool:
    """`in Porto and Lima`: rows are in one of the two."""
    before = draft.links[at - 1] if at else None
    return before is not None and before.mark == "value" and before.preposition in {"in", "from"}


def _kinds_named(draft: Draft, at: int) -> bool:
    """`the nurses and the physicians`: two kinds of rows, of which each is of one."""
    before = next((i for i in range(at - 1, -1, -1) if draft.links[i].mark != "comma"), None)
    if before is None or draft.links[before].mark != "value":
        return False
    return all(
        o.text.islower() and o.word.endswith("s") and not o.preposition
        for o in (draft.links[before], draft.links[at])
    )


def _plural(draft: Draft, at: int) -> bool:
    """`in the cities Porto and Lima`: the plural says that either counts."""
    return any(
        o.mark in {"column", "table"} and o.word.endswith("s") and o.used
        for o in draft.links[max(0, at - 4) : at]
    )


def _is_had(draft: Draft, at: int) -> bool:
    """`patients that have insurance`: those of whom one is known, where it is not of all."""
    link = draft.links[at]
    # with more behind it, it is said of what follows
    # `with insurance of more than 1000` compares what follows
    ends = at + 1 == len(draft.links) or draft.links[at + 1].mark in {"stop", "comma"}
    plural = link.word.endswith("s") and not link.word.endswith("ss")
    # a column that all rows have says nothing by being had
    told = all(c.kind in {"text", "date"} and c.nulls and not c.key for c in link.columns)
    ranks = begins_superlative(link.word)  # which is the highest of all, not who has one
    return link.had and ends and told and not plural and not ranks and draft.table_before(at) is not None


def booleans(draft: Draft) -> None:
    """A column of yes or no is a condition where the question does not ask for it."""
    for at, link in enumerate(draft.links):
        if link.mark == "done" and not link.used:
            # what was marked as done or undone before is a date that is there or is not
            draft.where.append(Known(link.columns[0], negated=draft.before(at, "not") is not None))
            draft.use(at, draft.before(at, "not"))
        if link.mark == "late" and not link.used:
            came, due = link.columns
            draft.where.append(Versus(came, ">", due))
            draft.use(at)
        if link.mark == "undone" and not link.used:
            draft.where.append(Known(link.columns[0], negated=True))
            draft.use(at)
        if link.used or link.mark != "column":
            continue
        if _is_had(draft, at):
            draft.where.append(Known(draft.scope.column(link)))
            draft.use(at)
        elif all(c.kind == "boolean" for c in link.columns):
            column = draft.scope.column(link)
            negated = draft.before(at, "not", "without")
            draft.where.append(Known(column, negated=negated is not None))
            draft.use(at, negated)
        elif _is_flag_of_rows(draft, at):
            # 0 and 1 as numbers, where the column's name says that it is a flag
            negated = draft.before(at, "not", "without")
            column = draft.scope.column(link, ("number",))
            draft.where.append(Compared(Column(column), "=", "1" if negated is None else "0"))
            draft.use(at, negated)


def _is_flag_of_rows(draft: Draft, at: int) -> bool:
    """`open shops`, `shops that are open`, of shops with an `is_open` of 1 and 0."""
    link, rows = draft.links[at], draft.next(at, "table")
    before = rows is not None and draft.links[rows].glued
    behind = link.verb and draft.table_before(at) is not None
    return (before or behind) and all(map(_is_flag, link.columns))


def _is_flag(column: ColumnContext) -> bool:
    named = names.normal(column.name).split()[:1] in (["is"], ["has"])
    return named and column.kind == "number" and set(column.values) <= {"0", "1"} and column.distinct <= _BOTH
