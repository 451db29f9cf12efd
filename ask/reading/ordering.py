"""Order of a question: `ordered by price, highest first`.

Owns its grammar. All rows are shown, in that order.
"""

from __future__ import annotations

from dataclasses import dataclass

from rewright.ask.context import ColumnContext
from rewright.ask.reading.adjectives import ADJECTIVES
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.extremes import is_measure
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    Direction,
    Expression,
    Part,
    Ranged,
)
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import TIME_UNITS
from rewright.ask.reading.phrases import expressions_at, parted
from rewright.ask.reading.timing import date_of

# a fifth thing behind `ordered by` is hardly a key any more
_MOST_KEYS = 4
_OF_AMOUNTS = {"highest", "lowest", "largest", "smallest", "biggest", "most", "best", "high", "low"}
_OF_TIMES = {"oldest", "newest", "earliest", "latest", "most recent", "youngest"}
_OF_ROWS = {*_OF_TIMES, "cheapest", "shortest", "longest"}
"""Superlatives that name a property: `oldest first` is by no measure that happens to be shown."""
_OF_WHICH = 0.75


def order(draft: Draft) -> None:
    """`ordered by X, highest first`, `sort by X descending and then by Y`: all rows in that order."""
    for at, link in enumerate(draft.links):
        # the orders that are said with `by` first: a bare direction may belong to one of them
        if not link.used and (link.mark == "order" or _by_and_way(draft, at)):
            _ordered(draft, at)
    for at, link in enumerate(draft.links):
        if link.mark in {"desc", "asc"} and not link.used and not _order_of(draft, at):
            # a direction with nothing to sort, beside an order that has its own
            if draft.order:
                raise Unclear(f"it is not clear what is to be in the order of {link.text}")
            draft.use(at)
            draft.whole = True
            draft.order.append((Whole(link.word), link.mark))  # type: ignore[arg-type] # the marks are asc and desc; a Whole becomes an expression before the query is made


def _order_of(draft: Draft, at: int) -> bool:
    """`in descending order of their price`: what they are ordered by, nothing that is to be shown."""
    link = draft.links[at]
    # `from the highest to the lowest price`
    behind = draft.next(at, "column") if link.word.startswith("from ") else None
    said = link.word.endswith("order of") or (behind is not None and draft.links[behind].glued)
    found = _key(draft, at + 1) if said and at + 1 < len(draft.links) else None
    if found is None:
        return False
    draft.use(*range(at, found[1]))
    # all rows in that order: no limit comes from a superlative that only gives the direction
    draft.whole = True
    draft.order += [(e, "desc" if link.mark == "desc" else "asc") for e in found[0]]
    return True


def _by_and_way(draft: Draft, at: int) -> bool:
    """`the lakes by area, smallest to largest`: an order, no groups."""
    # `by area` groups as well; only a direction behind the measure makes it an order
    if draft.links[at].word != "by" or not is_measure(draft, at):
        return False
    rest = [link.mark for link in draft.links[at + 2 : at + 4] if link.mark != "comma"]
    return rest[:1] in (["desc"], ["asc"])


@dataclass(frozen=True)
class Whole:
    """Stands for what the rows are measured by, until that is known; ``said``: by what words."""

    said: str = ""


def settle(draft: Draft) -> None:
    """What `in descending order` orders by, once the outputs are known."""
    settled: list[tuple[Expression, Direction]] = []
    for expression, way in draft.order:
        if not isinstance(expression, Whole):
            settled.append((expression, way))
            continue
        # the rows that are kept are ordered already
        # a limit without an order needs this one to say which rows are first
        if draft.limit and settled:
            continue
        if (told := _told(draft, expression.said, way)) is not None:
            settled.append(told)
            continue
        measures = [e for _, e in draft.outputs if aggregates_of(e)]
        columns = _in_turn(draft)
        # `the density of each state in descending order`: not by the states
        columns = [e for e in columns if e not in draft.groups] or columns
        # of two measures `in descending order` could be either's; the first is the likelier
        if len(measures) > 1 and draft.measured is None:
            draft.scope.doubt("what the answer is ordered by", _OF_WHICH)
        chosen = (
            draft.measured
            or (measures[0] if len(measures) == 1 else None)
            or (columns[0] if columns else None)
        )
        # `highest first` needs a number: of names and dates no amount is high
        if any(word in expression.said.split() for word in _OF_AMOUNTS) and not measures:
            chosen = _amount(draft, columns)
        if chosen is None:
            raise Unclear("it is not clear what the answer is to be ordered by")
        settled.append((chosen, way))
    settled = [(_as_measured(draft, e), way) for e, way in settled]
    distinct = [e for _, e in draft.outputs if isinstance(e, Aggregate) and e.distinct]
    draft.order = [(_as_shown(e, distinct), way) for e, way in settled]
    _ranked_by(draft)


def _ranked_by(draft: Draft) -> None:
    """`list the shops, starting from the best ratings`: what they are ranked by is shown, too."""
    ranked = any(link.mark == "order" and link.word.startswith("starting from") for link in draft.links)
    first = draft.order[0][0] if draft.order else None
    # with groups or a sentence about what to return the shown columns are settled
    if ranked and isinstance(first, Column) and not draft.groups and not draft.returned:
        shown = [e for _, e in draft.outputs]
        if shown and first not in shown and not any(aggregates_of(e) for e in shown):
            draft.outputs.append((len(draft.links), first))


def _as_measured(draft: Draft, expression: Expression) -> Expression:
    """`the average age of each team, sorted by age`: by the average that is shown."""
    # a column beside groups cannot be sorted by unless its measure is meant
    if not isinstance(expression, Column) or expression in draft.groups or not draft.groups:
        return expression
    measures = [
        e for _, e in draft.outputs if isinstance(e, Aggregate) and e.of == expression.column and not e.where
    ]
    return measures[0] if len(measures) == 1 else expression


def _in_turn(draft: Draft) -> list[Expression]:
    """What is shown, as the question names it: `towers and their coasts, alphabetically` by the towers."""
    return [e for _, e in sorted(draft.outputs, key=lambda placed: placed[0])]


def _amount(draft: Draft, shown: list[Expression]) -> Expression | None:
    """What `highest first` orders rows by: the one number that is shown, or else compared."""
    numbers = [e for e in shown if isinstance(e, Column) and _amounts(draft, e.column)]
    compared = [c.left for c in draft.where if isinstance(c, Compared | Ranged)]
    # a list with two numbers leaves `highest first` open, unless a condition named one
    found = numbers or [e for e in compared if isinstance(e, Column)]
    return found[0] if len(set(found)) == 1 else None


def _amounts(draft: Draft, column: ColumnContext) -> bool:
    plain = column.kind == "number" and not column.key
    return plain and draft.scope.words(column)[-1] not in {"id", "code", "number"}


def _as_shown(expression: Expression, distinct: list[Aggregate]) -> Expression:
    """`by number of customers` after `distinct customers` orders by what is shown."""
    # SELECT DISTINCT orders only by what it shows
    if not isinstance(expression, Aggregate):
        return expression
    same = (e for e in distinct if (e.function, e.of) == (expression.function, expression.of))
    return next(same, expression)


def _told(draft: Draft, said: str, way: Direction) -> tuple[Expression, Direction] | None:
    """What `alphabetically`, `oldest first` or `cheapest first` orders by; None where any measure may be
    meant. Raises Unclear.
    """
    shown = _in_turn(draft)
    if "alphabetical" in said:
        texts = [e for e in shown if isinstance(e, Column) and e.column.kind == "text"]
        if not texts:
            raise Unclear(f"it is not clear what is to be in the order of {said}")
        return texts[0], way
    word = next((w for w in ("most recent", *said.split()) if w in said and w in _OF_ROWS), "")
    timed = "chronological" in said or word in _OF_TIMES
    if not word and not timed:
        return None
    parts = [e for e in (*draft.groups, *shown) if isinstance(e, Part)]
    dates = [e for e in shown if isinstance(e, Column) and e.column.kind == "date"]
    # a period that is shown, or the one date
    if timed and (parts or len(dates) == 1):
        return (parts or dates)[0], way
    head = draft.head or (draft.scope.mentioned[0] if len(draft.scope.mentioned) == 1 else None)
    date = date_of(draft, head) if head is not None and not word else None
    # groups have no date of their own, and two tables neither has the only one
    if head is None or draft.groups or (date is None and not word):
        raise Unclear(f"it is not clear what is to be in the order of {said}")
    if date is not None:
        return Column(date), way
    column, by = draft.scope.property(head, ADJECTIVES[word].steps)
    return Column(column), "desc" if by == "desc" else "asc"


def _ordered(draft: Draft, at: int) -> None:
    """What one `ordered by` says: a list, each of it with its own direction or the one at its end."""
    link = draft.links[at]
    draft.use(at)
    draft.whole = True
    keys, place = list[tuple[list[Expression], Direction | None]](), at + 1
    leading: Direction | None = None
    said = ""
    apart = False
    while place < len(draft.links) and draft.links[place].mark != "stop":
        if (way := _way(draft, place, first=not keys)) is not None:
            draft.use(place)
            # the second end of a range says what the first has said
            # `from the best to the worst`: both ends are one direction
            if keys and keys[-1][1] is not None and draft.links[place].preposition == "to":
                pass  # `from the best to the worst`
            elif keys and keys[-1][1] is None:
                keys[-1] = (keys[-1][0], way)
            elif not keys:
                leading, said = way, draft.links[place].word
            else:
                raise Unclear(f"it is not clear what is to be in the order of {draft.links[place].text}")
            place += 1
        elif draft.links[place].mark == "comma":
            place += 1
        elif keys and (draft.links[place].theirs or draft.links[place].preposition == "with"):
            break  # `by rating, best first, with their category`: shown, no further key
        elif keys and _again(draft, place):
            apart, place = True, place + 1
        else:
            found = _key(draft, place) if len(keys) < _MOST_KEYS else None
            # what follows without a comma or direction of its own is wanted otherwise
            if found is None or (keys and not _listed(draft, place, found[1])):
                break
            draft.use(*(i for i in range(at, found[1]) if draft.links[i].mark != "comma"))
            keys.append((found[0], leading if not keys else None))
            place = found[1]
    if len(keys) > 1 and not apart and keys[-1][1] == "desc" and all(way is None for _, way in keys[:-1]):
        draft.scope.doubt("of which columns an order is said", _OF_WHICH)
    _directed(draft, link.text, keys, leading, said)


def _directed(
    draft: Draft,
    text: str,
    keys: list[tuple[list[Expression], Direction | None]],
    leading: Direction | None,
    said: str,
) -> None:
    if not keys:
        if leading is None:
            raise Unclear(f"it is not clear what is meant by {text}")
        draft.order.append((Whole(said), leading))  # type: ignore[arg-type] # a Whole becomes an expression before the query is made
        return
    for expressions, way in keys:
        draft.order += [(e, way or "asc") for e in expressions]


def _way(draft: Draft, at: int, *, first: bool) -> Direction | None:
    link = draft.links[at]
    if link.used:
        return None
    if link.mark in {"desc", "asc"}:
        return "desc" if link.mark == "desc" else "asc"
    follows = not first and draft.next(at, "column", "table", "count") is not None
    if link.mark in {"top", "bottom"} and not follows:
        # `by rating, best first`: an end right behind a key is its direction, not a new superlative
        return "desc" if link.mark == "top" else "asc"
    return None


def _again(draft: Draft, at: int) -> bool:
    """`ordered by X and then by Y`."""
    link = draft.links[at]
    again = link.mark in {"order", "each"} and link.word.split()[-1] == "by"
    if again:
        draft.use(at)
    return again


def _key(draft: Draft, at: int) -> tuple[list[Expression], int] | None:
    if draft.links[at].used:
        return None
    # `by number` with no noun: of what is measured, whatever it will be
    if draft.links[at].mark == "count" and draft.next(at, "table", "column", "label", "distinct") is None:
        return [Whole()], at + 1  # type: ignore[list-item] # a Whole becomes an expression before the query is made
    if draft.links[at].mark == "unit":
        return [parted(draft, TIME_UNITS[draft.links[at].word], at)], at + 1
    return expressions_at(draft, at, draft.head)


def _listed(draft: Draft, at: int, end: int) -> bool:
    """Whether a further key is one, and not something else that is wanted."""
    before = draft.links[at - 1]
    joined = before.mark in {"desc", "asc", "order", "each"} or (before.mark == "comma" and at > 1)
    after = draft.links[end].mark if end < len(draft.links) else "stop"
    return (joined or after in {"desc", "asc", "stop"}) and after in {"desc", "asc", "stop", "comma", "each"}
