"""Which of two has more: `does Porto or Lima have more museums?`, `which has more, Porto or Lima?`.

Owns that form: both are measured, the one with more is shown, both where they tie. Runs before the other
passes, which would take the choice for a condition.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.extremes import count_of
from rewright.ask.reading.intent import Aggregate, Column, Direction, Expression, OneOf
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import NOT_ADDED, measure_at

_WAYS: dict[str, Direction] = {
    **dict.fromkeys(("more", "higher", "greater", "larger", "bigger"), "desc"),
    **dict.fromkeys(("fewer", "less", "lower", "smaller"), "asc"),
}
_MARKS = {"more", "fewer", "comparative"}
_COUNTED = {"more", "fewer", "less"}
_DOUBT = 0.9


def asks_which_has_more(links: Sequence[Link]) -> bool:
    """Whether a question weighs two values of a column against one another."""
    return _weighing(links) is not None and _pair(links) is not None


def _weighing(links: Sequence[Link]) -> int | None:
    """The place of a `more` that no `than` follows; `how many more` asks for a difference."""
    found = [i for i, link in enumerate(links) if link.mark in _MARKS and link.word in _WAYS]
    # two of them, or a measure before it, are another form
    # with a `than` the sentence compares one thing with a bound
    if len(found) != 1 or any(link.mark in {"than", "count", "sum"} for link in links[: found[0]]):
        return None
    return None if any(link.mark == "than" for link in links[found[0] :]) else found[0]


def _pair(links: Sequence[Link]) -> tuple[int, tuple[ColumnContext, ...]] | None:
    """The place of the first of two values with `or` between them, and the columns that hold both."""
    for at in range(len(links) - 2):
        first, joint, second = links[at : at + 3]
        if joint.mark != "or" or not {first.mark, second.mark} <= {"value", "quoted"}:
            continue
        others = {c for c, _ in second.values}
        shared = tuple(dict.fromkeys(c for c, _ in first.values if c in others))
        if shared:
            return at, shared
    return None


def rivals(draft: Draft) -> None:
    """Raises Unclear where it is not clear of what there may be more."""
    at, pair = _weighing(draft.links), _pair(draft.links)
    if at is None or pair is None:
        return
    place, columns = pair
    # a value of two columns (a city of birth, of residence): which one they are compared by is not said
    if len(columns) > 1:
        raise Unclear(f"{draft.links[place].text} is a value of several columns")
    column = columns[0]
    # both values and the words around are one choice, no conditions of their own
    draft.use(at, place, place + 1, place + 2)
    _use_their_name(draft, column, at)
    measure = _rows_behind(draft, place + 3) or _measure(draft, at, column)
    values = tuple(v for i in (place, place + 2) for c, v in draft.links[i].values if c == column)
    draft.where.append(OneOf(column, tuple(dict.fromkeys(values))))
    draft.outputs.append((place, Column(column)))
    draft.groups.append(Column(column))
    draft.order.append((measure, _WAYS[draft.links[at].word]))
    # ties are shown: where both have as many, neither has more
    draft.limit, draft.ties = 1, True
    draft.scope.doubt("which of two has more", _DOUBT)


def side_by_side(draft: Draft) -> None:
    """`compare the average fee of rock acts with that of jazz acts`: a measure for each of two values."""
    said = [i for i, link in enumerate(draft.links) if link.mark == "compare" and not link.used]
    held = [i for i, link in enumerate(draft.links) if link.mark in {"value", "quoted"} and not link.used]
    if len(held) < 2 or not any(i < held[-1] for i in said):
        return
    values = [draft.links[i] for i in held]
    shared = [c for c, _ in values[0].values if all(c in {o for o, _ in v.values} for v in values)]
    columns = list(dict.fromkeys(shared))
    if len(columns) != 1:
        raise Unclear(f"it is not clear what {values[0].text} and {values[1].text} are compared by")
    column = columns[0]
    _use_their_name(draft, column, len(draft.links))
    draft.use(*said, *held)
    for later in held[1:]:
        _said_twice(draft, held[0], later)
    found = tuple(v for i in held for c, v in draft.links[i].values if c == column)
    draft.where.append(OneOf(column, tuple(dict.fromkeys(found))))
    draft.outputs.append((-1, Column(column)))
    draft.groups.append(Column(column))
    draft.scope.doubt("two side by side", _DOUBT)


def _said_twice(draft: Draft, first: int, second: int) -> None:
    """`of rock acts with jazz acts`: the table behind the second is the one that was said before."""
    for at in range(second + 1, len(draft.links)):
        link = draft.links[at]
        # the noun may be said behind each of the values
        before = [o for o in draft.links[: first + 2] if o.mark == "table"]
        if link.mark == "table" and any(o.tables[0] == link.tables[0] for o in before):
            draft.use(at)


def _rows_behind(draft: Draft, at: int) -> Expression | None:
    """`more pop or rock albums`: the rows of the noun behind both values are counted."""
    # the noun must stand right behind: `more pop or rock albums`
    noun = draft.links[at] if at < len(draft.links) else None
    if noun is None or noun.used or noun.mark != "table" or not noun.glued:
        return None
    draft.use(at)
    draft.scope.doubt("what is to be counted", 0.95)
    return count_of(draft, draft.scope.table(noun))


def _use_their_name(draft: Draft, column: ColumnContext, before: int) -> None:
    """`which city has more, Porto or Lima`: the column that holds both is said already."""
    for at, link in enumerate(draft.links[:before]):
        named = link.mark == "column" and column in link.columns
        table = link.tables[0] if link.mark == "table" else None
        if named or (table is not None and column in draft.scope.label(table)):
            draft.use(at)


def _measure(draft: Draft, at: int, column: ColumnContext) -> Expression:
    after = at + 1 if at + 1 < len(draft.links) and not draft.links[at + 1].used else None
    if after is None:
        # `are there more annual or monthly members`: rows of the table that tells them apart
        draft.scope.doubt("what is to be counted", 0.95)
        return Aggregate("count", column.table)
    link = draft.links[after]
    found = measure_at(draft, after)
    if found is not None:
        draft.use(*range(after, found[1]))
        return found[0]
    draft.use(after)
    # `more museums`: rows of the noun
    if link.mark == "table":
        return count_of(draft, draft.scope.table(link))
    if link.mark != "column":
        raise Unclear(f"it is not clear of what there may be {draft.links[at].text}")
    measured = draft.scope.column(link, ("number",))
    words = draft.scope.words(measured)
    # grades and sizes do not add up, so `more` of them means nothing
    if measured.kind != "number" or measured.key or words[-1] in NOT_ADDED:
        raise Unclear(f"it is not clear how {link.text} is to be compared")
    # `more` adds up what there is of each; of `higher` only one row's number can be meant
    if draft.links[at].word not in _COUNTED and not (column.unique and measured.table == column.table):
        raise Unclear(f"it is not clear whether the average or the sum of {link.text} is meant")
    return Aggregate("sum", measured)
