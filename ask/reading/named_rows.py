"""A named row as what is compared with: `stronger than Old Goat`, `earn more than Iris Kemp`, `how much
dearer is A than B`, `the difference between the fees of A and B`.

Owns these forms. Each needs one column, and names that tell one row of its table each; what it cannot place
it leaves to the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.adjectives import ADJECTIVES, SAME
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Beside, Difference, Named
from rewright.ask.reading.link import Link
from rewright.ask.reading.words import stem

_MORE = {"more": "desc", "fewer": "asc", ">": "desc", "<": "asc"}
_HIGHER = {"higher": "desc", "lower": "asc", "greater": "desc", "smaller": "asc", "larger": "desc"}
_OPERATORS = {"desc": ">", "asc": "<"}
_BETWEEN_TWO = {
    "sum",
    "how much",
    "difference",
    "than",
    "relation",
    "label",
    "stop",
    "column",
    "table",
    "value",
}
_VERB = 0.95


def against_named(draft: Draft) -> None:
    """Both forms; a difference is the whole answer."""
    # a difference takes all words, so it has to be tried before a comparison takes some
    if _difference(draft):
        return
    for at, link in enumerate(draft.links):
        row = _row_behind_than(draft, at)
        if row is None or link.used:
            continue
        # the column of a named row is read by a subselect, which must find one row at most
        table, key, value, places = row
        found = _compared(draft, at, table)
        if found is None:
            continue
        column, way, taken = found
        draft.where.append(Beside(column, _OPERATORS[way], Named(column, key, value)))
        draft.use(*taken, *places)


def _row_behind_than(draft: Draft, at: int) -> tuple[TableContext, ColumnContext, str, list[int]] | None:
    """The row that `than` compares with; its own table is what stands before is of."""
    link = draft.links[at]
    if not (link.mark == "than" or (link.mark in {">", "<", "comparative"} and "than" in _words(draft, at))):
        return None
    name = at + 1
    # `than the planet Mars`: the noun of the name may stand before it
    if name < len(draft.links) and draft.links[name].mark == "table":
        name += 1
    if name >= len(draft.links) or draft.links[name].used:
        return None
    if (row := named_row(draft, draft.links[name])) is None:
        return None
    table, key, value = row
    before = draft.table_before(at)
    # a row of another table has no such column: `cost more than Ann`
    if before is None or draft.scope.table(draft.links[before]).ref != table.ref:
        return None
    return table, key, value, list(range(at + 1, name + 1))


def _words(draft: Draft, at: int) -> tuple[str, ...]:
    link = draft.links[at]
    behind = draft.links[at + 1].word.split()[:1] if at + 1 < len(draft.links) else []
    # the linker may drop `than`; the question's own words still have it behind the comparison
    text = f"{link.word} than {' '.join(behind)}".strip()
    return ("than",) if "than" in link.word.split() or text in " ".join(draft.scope.roles) else ()


def named_row(draft: Draft, link: Link) -> tuple[TableContext, ColumnContext, str] | None:
    """The table, the column and the name of the one row that a value names."""
    if link.mark not in {"value", "quoted"}:
        return None
    found = []
    for column, value in link.values:
        table = draft.scope.context.table(column.table)
        # a name that several rows share, or half of a full name, would compare with several
        if column.unique and draft.scope.label(table) == (column,):
            found.append((table, column, value))
    return found[0] if len(found) == 1 else None


def _compared(draft: Draft, at: int, table: TableContext) -> tuple[ColumnContext, str, list[int]] | None:
    """The column that is compared, which way, and the places that say so."""
    # the forms from the nearest column to the farthest word: a column right before, an adjective, a
    # comparative with its `than`, a column between both, and at last a verb
    link = draft.links[at]
    way = _MORE.get(link.mark) or _HIGHER.get(link.word.removesuffix(" than"), "")
    if way and at > 0 and not draft.links[at - 1].used and (own := _own(draft, at - 1, table)) is not None:
        # `a budget higher than that of Music`
        return own, way, [at - 1, at]
    adjective = link.adjective or ADJECTIVES.get(link.word.removesuffix(" than"))
    if link.mark in {"comparative", *_MORE} and adjective is not None:
        column, way = draft.scope.property(table, adjective.steps)
        return column, way, [at]
    if link.mark == "than" and (before := _unused(draft, at - 1, "comparative")) is not None:
        said_of = draft.links[before].adjective
        if said_of is not None:
            column, way = draft.scope.property(table, said_of.steps)
            return column, way, [before, at]
    if link.mark == "than" and at > 1:
        said = draft.links[at - 2]
        way = _MORE.get(said.mark) or _HIGHER.get(said.word, "")
        column_of = _own(draft, at - 1, table)
        if way and column_of is not None and not said.used:
            return column_of, way, [at - 2, at - 1, at]
    if link.mark in _MORE and at > 0:
        verb = _of_verb(draft, draft.links[at - 1], table)
        if verb is not None:
            return verb, _MORE[link.mark], [at - 1, at]
    return None


def _unused(draft: Draft, at: int, mark: str) -> int | None:
    return at if at >= 0 and draft.links[at].mark == mark and not draft.links[at].used else None


def _own(draft: Draft, at: int, table: TableContext) -> ColumnContext | None:
    """The number of this table that a phrase names."""
    link = draft.links[at]
    held = [c for c in link.columns if c.table == table.ref and c.kind == "number" and not c.key]
    if link.mark != "column" or not held:
        return None
    best = max(map(link.fit, held))
    # two columns of equal fit: a guess would compare wages with bonuses
    best_ones = [c for c in held if link.fit(c) == best]
    if len(best_ones) > 1:
        return None
    draft.scope.sure(best)
    return best_ones[0]


def _of_verb(draft: Draft, link: Link, table: TableContext) -> ColumnContext | None:
    """`earn more`, `cost less`: the one number of the table that the verb is said of."""
    if link.mark == "column":
        return _own(draft, draft.links.index(link), table)
    return None


def _difference(draft: Draft) -> bool:
    """Two named rows and one column of theirs, and nothing else in the question."""
    links = draft.links
    rows = [(at, row) for at, link in enumerate(links) if (row := named_row(draft, link)) is not None]
    # a third value is a condition, which two subselects would ignore
    if len(rows) != 2 or any(link.mark == "value" for link in links if link not in _at(links, rows)):
        return False
    (_, (table, key, first)), (_, (other, _, second)) = rows
    asked = draft.scope.roles[:2] == ("how", "much") or any(link.mark == "difference" for link in links)
    if table.ref != other.ref or not asked:
        return False
    said = [link for link in links if not (link in _at(links, rows) or link.mark in {"stop", "comma"})]
    column, way = _one_column(draft, said, table)
    if column is None:
        return False
    left, right = Named(column, key, first), Named(column, key, second)
    # `how much cheaper is A than B`: the lower one is subtracted
    if way == "asc":
        left, right = right, left
    draft.outputs.append((0, Difference(left, right)))
    draft.use(*range(len(links)))
    return True


def _at(links: Sequence[Link], rows: Sequence[tuple[int, object]]) -> list[Link]:
    return [links[at] for at, _ in rows]


def _one_column(draft: Draft, said: Sequence[Link], table: TableContext) -> tuple[ColumnContext | None, str]:
    """The column that all other words are about, and which way it is compared."""
    columns, way = list[ColumnContext](), "desc"
    for link in said:
        if link.mark == "column":
            column = _own(draft, draft.links.index(link), table)
            if column is None:
                return None, way
            columns.append(column)
        elif link.mark == "comparative" and link.adjective is not None:
            found, way = draft.scope.property(table, link.adjective.steps)
            columns.append(found)
        elif link.mark in _MORE or link.word in _HIGHER:
            way = _MORE.get(link.mark) or _HIGHER[link.word]
        elif link.mark == "table" and draft.scope.table(link).ref == table.ref:
            continue
        elif link.mark not in _BETWEEN_TWO:
            # each word must be about that one column, or the answer is of something else
            return None, way
    if not columns and (earned := _said_by_verb(draft, table)) is not None:
        columns.append(earned)
    return (columns[0], way) if len(set(columns)) == 1 else (None, way)


def _said_by_verb(draft: Draft, table: TableContext) -> ColumnContext | None:
    """`how much more does A earn than B`: the one number that the verb is said of."""
    # words that people use for the verb: `earn` for a salary
    meant = {word for said in draft.scope.roles for word in SAME.get(stem(said), ())}
    found = [c for c in table.columns if c.kind == "number" and set(draft.scope.words(c)) & meant]
    if len(found) != 1:
        return None
    draft.scope.doubt("what a verb is said of", _VERB)
    return found[0]
