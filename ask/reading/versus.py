"""Two columns of a row compared: `paid after due`, `cost above budget`, `more goals than assists`.

Owns that form.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Above, Many, Versus
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.link import Link
from rewright.ask.reading.words import listed
from rewright.lake import names
from rewright.sql.algebra import TableRef

_COUNTED = 0.95
_SAME = 0.95
_EQUALS = frozenset(listed("is are was were equals"))
_SAYS_NO_MORE = frozenset(listed("also the a an their its his her"))


def same_in_both(draft: Draft) -> None:
    """`accounts where the sales rep is also the account manager`: two columns of one row hold the same."""
    for at in range(1, len(draft.links) - 1):
        one, other = draft.links[at : at + 2]
        # both columns, side by side and free: what another pass took is no side of an equation
        if {one.mark, other.mark} != {"column"} or one.used or other.used or not _equated(draft, one, other):
            continue
        pairs = [
            (a, b)
            for a in one.columns
            for b in other.columns
            # one table and one type: = between others may fail or mean nothing
            if a != b and (a.table, a.kind, a.type) == (b.table, b.kind, b.type)
        ]
        if len(pairs) != 1:
            raise Unclear(f"it is not clear what is to be the same in {one.text} and {other.text}")
        draft.where.append(Versus(pairs[0][0], "=", pairs[0][1]))
        draft.scope.doubt("whether two columns are to be the same", _SAME)
        draft.use(at, at + 1)


def _equated(draft: Draft, one: Link, other: Link) -> bool:
    """Whether between the two stands `is` and nothing else, behind a `where` or `whose`."""
    words = [word.lower() for word in draft.scope.roles]
    first, second = one.word.split(), other.word.split()
    for at in range(len(words) - len(first)):
        end = at + len(first)
        if words[at:end] != first or not {"where", "whose"} & set(words[:at]):
            continue
        until = next((i for i in range(end, len(words)) if words[i : i + len(second)] == second), None)
        # up to the second column only `is` and words that say no more
        between = set(words[end:until]) - _SAYS_NO_MORE if until is not None else set()
        if len(between) == 1 and between <= _EQUALS:
            return True
    return False


def of_two_columns(draft: Draft, at: int, operator: str) -> bool:
    """`paid after due`, `cost above budget`: two columns of one row."""
    left, right = draft.before(at, "column"), draft.next(at, "column")
    # equality of two columns needs `is`, as `=` stands before values
    if left is None or right is None or operator not in {">", "<", ">=", "<="}:
        return False
    return _versus(draft, (left, at, right), operator)


def _versus(draft: Draft, places: tuple[int, int, int], operator: str) -> bool:
    """The first and last place compared, where both are columns of one kind of one table."""
    one, other = draft.links[places[0]], draft.links[places[2]]
    if _above_another_row(draft, one, other, operator):
        draft.use(*places)
        return True
    pairs = [
        (a, b)
        for a in one.columns
        for b in other.columns
        if a.table == b.table and a.kind == b.kind and a.kind in {"number", "date"} and a != b
    ]
    refers = draft.scope.context.refers
    # keys and codes have no size, whatever their type
    if len(pairs) != 1 or any(c.key or refers(c) or _is_code(draft, c) for c in pairs[0]):
        return False
    for link, column in zip((one, other), pairs[0], strict=True):
        draft.scope.sure(link.fit(column))
    draft.where.append(Versus(pairs[0][0], operator, pairs[0][1]))
    draft.use(*places)
    return True


def _is_code(draft: Draft, column: ColumnContext) -> bool:
    """`more than their supervisor`, of a supervisor_id of which no join is known: no number."""
    return draft.scope.words(column)[-1] in names.KEY_WORDS


def _above_another_row(draft: Draft, one: Link, other: Link, operator: str) -> bool:
    """`earn more than their supervisor`: the same number of the row that a key of their table leads to."""
    owns = [
        (many, ones)
        for join in draft.scope.context.joins
        for many, ones in join.pairs
        if not join.more and many in other.columns and join.one.table == many.table
    ]
    if len(owns) != 1 or operator not in {">", "<", ">=", "<="}:
        return False
    # the same column of the row that the key leads to, so only one of its table's
    own = [c for c in one.columns if c.table == owns[0][0].table]
    held = [c for c in own if c.kind in {"number", "date"} and not c.key]
    if len(held) != 1:
        return False
    draft.scope.sure(one.fit(held[0]))
    draft.where.append(Above(held[0], operator, *owns[0]))
    return True


def more_than_another(draft: Draft, at: int) -> bool:
    """`more goals than assists`: two columns of one row; `more trips than seats`: rows of another table."""
    if _more_rows(draft, at):
        return True
    left, than = draft.next(at, "column"), at + 2
    if left is None or draft.next(left, "than") is None or draft.next(than, "column") is None:
        return False
    return _versus(draft, (left, than, than + 1), ">" if draft.links[at].mark == "more" else "<")


def _more_rows(draft: Draft, at: int) -> bool:
    """`ferries with more trips than seats`, `towns with more trips than delays`: how many rows belong to one,
    beside a number of it or how many of another table do.
    """
    places = (at + 1, at + 2, at + 3)
    if at + 3 >= len(draft.links) or draft.links[at + 2].mark != "than":
        return False
    head = draft.table_before(at)
    sides = draft.links[at + 1], draft.links[at + 3]
    if head is None or {o.mark for o in sides} - {"table", "column"} or any(o.used for o in sides):
        return False
    # two columns are one row's own: the other form
    if all(o.mark == "column" for o in sides):
        return False
    kept = draft.scope.table(draft.links[head]).ref
    one, other = (_rows_or_number(draft, o, kept) for o in sides)
    if one is None or other is None:
        return False
    way, turned = (">", "<") if draft.links[at].mark == "more" else ("<", ">")
    if isinstance(one, TableRef):
        draft.where.append(Many(kept, one, way, other))
    elif isinstance(other, TableRef):
        # the number stands on the other side, so the comparison turns
        draft.where.append(Many(kept, other, turned, one))
    draft.scope.doubt("how many rows belong to another", _COUNTED)
    draft.use(at, *places)
    return True


def _rows_or_number(draft: Draft, link: Link, kept: TableRef) -> ColumnContext | TableRef | None:
    if link.mark == "table":
        table = draft.scope.table(link).ref
        steps = direct(draft.scope.context, kept, table, draft.scope.roles) if table != kept else []
        # a row that refers to one has one of it: nothing to count
        return table if any(step.multiplies for step in steps) else None
    held = [c for c in link.columns if c.table == kept and c.kind == "number" and not c.key]
    return held[0] if len(held) == 1 else None
