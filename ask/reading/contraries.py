"""How far a `not` before a value reaches, and of which rows it is said: `not red or blue`, `patients who got
neither Aspirin nor Codein`.

Owns these questions. Must not know which column a value is of.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Condition, OneOf, Without
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.sets import several_of_the_first

_VALUES = frozenset({"value", "quoted"})
_LISTS = frozenset({*_VALUES, "comma", "or"})
# `other than Aspirin` says that there is something else; `not Aspirin` says that there is none
_NOT = frozenset({"not", "neither", "nor", "non"})
_NONE_OF_THEM = 0.95


def negated_too(draft: Draft, at: int, condition: OneOf, listed: bool) -> OneOf:
    """The condition of the value at a place, which a `not` before the list that it is in is said of as well.
    ``listed``: whether it goes on a list. Raises Unclear.
    """
    last: Condition | None = draft.where[-1] if draft.where else None
    negated = isinstance(last, OneOf) and last.negated and last.column == condition.column
    # `not red and are blue`: the second is said by itself
    if not listed or not negated or condition.negated or draft.links[at].verb:
        return condition
    before = next((link for link in draft.links[at::-1] if link.mark in {"not", "without"}), None)
    leaves_out = before is not None and before.mark == "not" and before.word.split()[-1] not in _NOT
    # `not red but blue` is written with `and` as well
    if draft.links[at].added and not leaves_out and not either_of_them(draft, at):
        raise Unclear(f"it is not clear whether {draft.links[at].text} is meant or not")
    return replace(condition, negated=True)


def none_of_the_rows(draft: Draft, at: int, condition: OneOf) -> bool:
    """`patients who got neither Aspirin nor Codein`, of doses with a drug: no dose of theirs is one, not: one
    of theirs is another. Whether the condition was taken so.
    """
    said = [link for link in draft.links[:at] if link.mark == "not" and link.used]
    if not said or said[-1].word.split()[-1] not in _NOT:
        return False
    table = condition.column.table
    # with its rows named (`who got doses that are not Aspirin`) such a row is asked for
    named = any(
        table in {t.ref for t in link.tables} or any(c.table == table for c in link.columns)
        for link in draft.links
        if link.mark in {"table", "column", "label"}
    )
    head = None if named else several_of_the_first(draft, at, condition.column)
    if head is None:
        return False
    gone = replace(condition, negated=False)
    same = next(
        (c for c in draft.where if isinstance(c, Without) and (c.kept, c.gone) == (head, table)), None
    )
    before = same.where[0] if same is not None and len(same.where) == 1 else None
    if isinstance(before, OneOf) and before.column == gone.column:
        both = replace(before, values=tuple(dict.fromkeys((*before.values, *gone.values))))
        draft.where = [Without(head, table, (both,)) if c is same else c for c in draft.where]
    else:
        draft.where.append(Without(head, table, (gone,)))
        draft.scope.doubt("whether a value is said of what is not there", _NONE_OF_THEM)
    return True


def either_behind(draft: Draft, at: int, column: ColumnContext) -> list[Link]:
    """The values of the column that follow the one at a place, an `or` before each: `no cod or haddock`."""
    found = list[Link]()
    while at + 2 < len(draft.links):
        between, link = draft.links[at + 1 : at + 3]
        one = link.mark == "value" and {c for c, _ in link.values} == {column} and not link.used
        if between.mark != "or" or not one:
            break
        found.append(link)
        at += 2
    return found


def either_of_them(draft: Draft, at: int) -> bool:
    """Whether an `or` stands in the list of values that ends or goes on at a place; one between times or
    numbers says nothing of the values.
    """
    first, last = at, at
    while first > 0 and draft.links[first - 1].mark in _LISTS:
        first -= 1
    # `at dock A or at dock B`: the value before, with what stands between
    if not any(link.mark in _VALUES for link in draft.links[first:at]):
        first = next((i for i in range(at - 1, -1, -1) if draft.links[i].mark in _VALUES), at)
    while last + 1 < len(draft.links) and draft.links[last + 1].mark in _LISTS:
        last += 1
    return any(link.mark == "or" for link in draft.links[first : last + 1])


def counting_head(draft: Draft, at: int) -> TableContext | None:
    """`regions with more than five volcanoes but no station`: of the regions, whose volcanoes are counted."""
    first = next((i for i, link in enumerate(draft.links[:at]) if link.mark == "table"), None)
    words, word = draft.scope.roles, draft.links[at].word.split()[0]
    told = any(b == word and a in {"but", "yet", "and"} for a, b in pairwise(words))
    counted = any(link.mark == "number" for link in draft.links[:at])
    return draft.scope.table(draft.links[first]) if first is not None and told and counted else None
