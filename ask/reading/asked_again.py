"""A follow-up that asks for something else of the same rows: another function, how many they are, a column of
theirs, the other end of an order, or which of them meet a condition.

Owns these forms; None where a follow-up is none of them. Raises Unclear where one is, of rows that do not
have it. Must not know SQL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, Compared, Condition, Expression, Intent
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import FUNCTIONS
from rewright.ask.reading.rows import key_of
from rewright.ask.reading.scope import Scope
from rewright.sql.algebra import TableRef

OF_THEM = re.compile(
    r"^\s*(?:and |but )?(?P<what>which|who|how many|what) (?:of|among|out of) (?:them|these|those)\b[\s,]*",
    re.IGNORECASE,
)
OF_THOSE = re.compile(r"^\s*(?:and |but )?(?:of|among|out of) (?:them|these|those)\b", re.IGNORECASE)
"""Said first, where OF_THEM says it behind what is asked for."""
SHORT = re.compile(
    r"^\s*(?:and |but )?(?:(?:how many|how much) (?:are (?:there|they)|in total|altogether|of them are there)"
    r"|(?:show |list |give )?(?:me )?(?:their|its) \w+(?: \w+)?"
    r"|(?:the )?(?:most|least|fewest|highest|lowest))\W*$",
    re.IGNORECASE,
)
LISTED = re.compile(
    r"^\s*(?:and |ok(?:ay)?,? |now |please )*(?:(?:list|show|name|give|tell)(?: me)? "
    r"(?:them|those|these)(?: all)?|which (?:ones|are they|ones are they|ones are those)"
    r"|(?:who|what|which) (?:are|were) (?:they|those|these))\W*$",
    re.IGNORECASE,
)
"""The rows that were only counted before are asked for."""
# words that a follow-up may hold without asking for anything: `and how many are there?`
_LOOSE = {"comma", "stop", "relation", "return", "there", "distinct"}
_SHOWN = {"column", "label", "identifier"}


def asked_again(previous: Intent, links: Sequence[Link], scope: Scope) -> Intent | None:
    """The reading before with what is now asked of its rows. Raises Unclear."""
    said = [link for link in links if link.mark not in _LOOSE]
    marks = [link.mark for link in said]
    if len(said) == 1 and marks[0] in FUNCTIONS:
        return _another_function(previous, marks[0])
    if marks in (["count"], ["count", "sum"]):
        return _how_many(previous)
    # an adjective (`the cheapest`) brings a measure of its own and is no mere other end
    if len(said) == 1 and marks[0] in {"top", "bottom"} and said[0].adjective is None:
        return _other_end(previous, marks[0])
    if said and set(marks) <= _SHOWN:
        return _of_theirs(previous, said, scope)
    return None


def listed(previous: Intent, scope: Scope) -> Intent:
    """`list them` after a count: the rows that were counted. Raises Unclear."""
    ref = _rows(previous)
    only = previous.outputs[0] if len(previous.outputs) == 1 else None
    # a count with a condition inside, or of groups, has no one list of rows behind it
    counted = isinstance(only, Aggregate) and only.function == "count" and not only.where
    if ref is None or not counted or previous.groups or previous.having or previous.limit or previous.exists:
        raise Unclear("it is not clear what is to be listed")
    shown: tuple[Expression, ...] = tuple(map(Column, scope.label(scope.context.table(ref))))
    return Intent(shown, where=previous.where, head=ref, rows=previous.rows)


def with_number(previous: Intent, number: str) -> Intent:
    """`what about three?` after the top five, or after more than two: that number instead. Raises Unclear."""
    if not number.isdigit():
        raise Unclear(f"it is not clear what {number} is")
    # a skipped place (`the second`) is a limit of one that a number would not replace
    if previous.limit > 1 and not previous.skipped:
        return replace(previous, limit=int(number))
    compared = [
        c for c in (*previous.where, *previous.having) if isinstance(c, Compared) and c.right.isdigit()
    ]
    # two comparisons with numbers: neither may be changed in the other's place
    if len(compared) != 1:
        raise Unclear(f"it is not clear what {number} is said of")

    def numbered(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(replace(c, right=number) if c == compared[0] else c for c in conditions)

    return replace(previous, where=numbered(previous.where), having=numbered(previous.having))


def of_them(previous: Intent, what: str, draft: Draft) -> Intent:
    """`which of them have no email`: the rows before that meet the conditions too. Raises Unclear."""
    ref = _rows(previous)
    measures = [m for e in previous.outputs for m in aggregates_of(e)]
    # groups of sums or averages are no rows that could be asked further
    grouped = bool(previous.groups) and any(m.function != "count" for m in measures)
    if not draft.where or ref is None or previous.limit or previous.having or grouped:
        raise Unclear("it is not clear of which of them that is asked")
    table = draft.scope.context.table(ref)
    where: tuple[Condition, ...] = (*previous.where, *draft.where)
    shown: tuple[Expression, ...] = tuple(map(Column, draft.scope.label(table)))
    if what == "how many":
        shown = (Aggregate("count", ref),)
    return Intent(shown, where=where, head=ref, rows=previous.rows)


def _another_function(previous: Intent, mark: str) -> Intent | None:
    """`and the maximum?` after an average."""
    measures = list(dict.fromkeys(m for e in previous.outputs for m in aggregates_of(e)))
    only = measures[0] if len(measures) == 1 else None
    # `and in total?` after counts adds them up, which is the count of all
    if mark == "sum" and isinstance(only, Aggregate) and only.function == "count":
        return _how_many(previous)
    if not isinstance(only, Aggregate) or not isinstance(only.of, ColumnContext) or only.function == "count":
        raise Unclear("it is not clear of what that is wanted")
    other = replace(only, function=FUNCTIONS[mark])
    order = tuple((other if e == only else e, way) for e, way in previous.order)
    return replace(previous, outputs=tuple(other if e == only else e for e in previous.outputs), order=order)


def _how_many(previous: Intent) -> Intent:
    """`how many are there?` after a list, `and in total?` after counts of groups."""
    counts = [e for e in previous.outputs if isinstance(e, Aggregate) and e.function == "count"]
    ref = _rows(previous)
    # of a top five or of groups with a condition the rows are no longer all that match
    if previous.limit or previous.having or ref is None or (not counts and previous.groups):
        raise Unclear("it is not clear what is to be counted")
    counted = counts[0] if counts else Aggregate("count", ref)
    return Intent((counted,), where=previous.where, head=ref, rows=previous.rows)


def _other_end(previous: Intent, mark: str) -> Intent:
    """`and the fewest?` after the most."""
    # the best of each group is ranked within it: the other end would need the groups again
    if not previous.order or not previous.limit or previous.best_of:
        raise Unclear("it is not clear by what the first are to be found")
    (first, _), *rest = previous.order
    return replace(previous, order=((first, "desc" if mark == "top" else "asc"), *rest))


def _of_theirs(previous: Intent, said: Sequence[Link], scope: Scope) -> Intent | None:
    """`and their beds?` after a list of hospitals: shown beside them."""
    ref = _rows(previous)
    if ref is None or any(aggregates_of(e) for e in previous.outputs):
        return None
    table = scope.context.table(ref)
    shown: list[ColumnContext] = []
    for link in said:
        # a word may name columns of other tables too; only one of the listed rows can stand beside them
        own = tuple(c for c in link.columns if c.table == ref)
        if link.mark == "label":
            shown += scope.label(table)
        elif link.mark == "identifier" and (key := key_of(table)) is not None:
            shown.append(key)
        elif len(own) == 1:
            scope.sure(link.fit(own[0]))
            shown += own
        else:
            raise Unclear(f"it is not clear what {link.text} is said of")
    return replace(previous, outputs=tuple(dict.fromkeys((*previous.outputs, *map(Column, shown)))))


def _rows(previous: Intent) -> TableRef | None:
    """The table whose rows were counted or listed."""
    counted = {
        m.of if isinstance(m.of, TableRef) else m.of.table
        for e in previous.outputs
        for m in aggregates_of(e)
        if isinstance(m, Aggregate)
    }
    if counted:
        # rows of two tables were counted: `them` is either
        return next(iter(counted)) if len(counted) == 1 else None
    return previous.head
