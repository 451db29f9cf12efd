"""What the passes found, as one intent: what is shown beside a measure, of which rows, in which order.

Owns the checks of the whole that no one pass can make. Raises Unclear where something would be shown that is
not the same for all of a group.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.grouping import tells_a_grouped_row
from rewright.ask.reading.intent import Aggregate, Column, Expression, Intent, Part
from rewright.ask.reading.intent_parts import aggregates_of, columns_of, tables_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.rows import key_of

_PAIRS = 0.9
_PLACES = {("in",), ("at",), ("on",), ("from",), ("for",), ("to",), ("by",), ("through",)}


def _who(draft: Draft) -> None:
    """`Who` asks for people: an identifier of something else is no answer."""
    if draft.scope.roles[:1] == ("who",) and draft.head is not None:
        labels = draft.scope.label(draft.head)
        # a title may be of a thing; people have names
        if not any(c.kind == "text" and draft.scope.words(c)[-1] != "title" for c in labels):
            raise Unclear(f"it is not clear who is meant: {draft.head.ref.name} names no one")


def _kinds_asked(draft: Draft, outputs: Sequence[Expression]) -> bool:
    """`Which categories are there?`: each value once, where it is the values that are asked for, not whose
    they are.
    """
    only = outputs[0] if len(outputs) == 1 else None
    first = draft.links[0] if draft.links else None
    roles = draft.scope.roles[draft.scope.roles[:1] in _PLACES :]
    asked = roles[:1] in {("which",), ("what",)} and first is not None and first.mark == "column"
    # with a table named, its rows are asked for and values may come again
    tabled = any(link.mark == "table" for link in draft.links)
    listed = first is not None and first.mark == "column" and first.word.endswith("s") and not tabled
    if first is not None and listed and not asked and draft.scope.said_table(first) is not None:
        # `last names of lecturers`: one for each of them
        return False
    return (
        (asked or listed)
        and isinstance(only, Column)
        # values of the first column, which several rows share: each once
        and not only.column.unique
        and only.column in (first.columns if first else ())
    )


def _names_asked(draft: Draft, outputs: Sequence[Expression]) -> bool:
    """`Which areas are there?`, of rows of which only a name is known: each name once."""
    # rows known by nothing but a name: two of one name cannot be told apart anyway
    if draft.head is None or len(outputs) != 1 or draft.order or not draft.scope.only_named(draft.head):
        return False
    return outputs == tuple(map(Column, draft.scope.label(draft.head)))


def _row_wise(draft: Draft) -> bool:
    """`for each aircraft code`: groups that are rows, so that nothing need be measured."""
    keys = [key_of(draft.scope.context.table(t)) for e in draft.groups for t in tables_of(e)]
    # only the first group matters: the others may be parts of its rows' names
    return all(isinstance(e, Column) and e.column in (k for k in keys if k) for e in draft.groups[:1])


def _not_by_row(
    draft: Draft, outputs: tuple[Expression, ...]
) -> tuple[tuple[Expression, ...], list[Expression]]:
    """`the average attendance per match`, a column of matches: the average over all, not of each row."""
    measures = [m for e in outputs for m in aggregates_of(e)]
    by_row = [
        m
        for m in measures
        if isinstance(m, Aggregate) and isinstance(m.of, ColumnContext) and m.of.table in draft.grouped_rows
    ]
    if not by_row:
        return outputs, draft.groups
    # a sum or count for each row by itself is the row; an average over all was meant by `per`
    if len(by_row) < len(measures) or any(m.function != "avg" for m in by_row) or draft.having or draft.order:
        raise Unclear("each row would be measured by itself")
    kept = tuple(e for e in outputs if aggregates_of(e) or not _of_rows(e, draft))
    groups = [g for g in draft.groups if not _of_rows(g, draft)]
    # a column of the same rows that stays a group is fine where it has an `each` of its own
    shared = any(isinstance(g, Column) and g.column.table in draft.grouped_rows for g in groups)
    if shared and [link.mark for link in draft.links].count("each") < 2:
        # `average weight per parcel and size`, not `per parcel for each size`
        raise Unclear("each row would be measured by itself")
    return kept, groups


def _of_rows(what: Expression, draft: Draft) -> bool:
    """The key or name of a row that is grouped by; a part of its date is not, nor what several rows share."""
    return isinstance(what, Column) and tells_a_grouped_row(draft, what.column)


def _beside(draft: Draft, outputs: Sequence[Expression]) -> None:
    """A column after a measure that nothing joins to it in a list has no place there."""
    measures = [p for p, e in draft.outputs if aggregates_of(e)]
    for place, expression in draft.outputs:
        # before the measure, or a group: it has its place
        if not measures or place <= min(measures) or aggregates_of(expression) or expression in draft.groups:
            continue
        # a comma makes it one of a list; anything else attaches it to the measure
        if 0 < place < len(draft.links) and not draft.returned and draft.links[place - 1].mark != "comma":
            raise Unclear(f"it is not clear what {draft.links[place].text} is beside a measure")
    del outputs


def _of_the_best(draft: Draft, outputs: Sequence[Expression]) -> None:
    """What is shown beside the best of each group is of that row, or of one that it refers to."""
    if not draft.best_of or draft.head is None or draft.groups:
        return
    told = draft.scope.told_by(draft.head.ref)
    for expression in outputs:
        # a row of the best leads to one of these; others would multiply it
        if aggregates_of(expression) or not set(tables_of(expression)) <= told:
            raise Unclear("it is not clear what is wanted beside the best of each group")


def _ordered_by_rows(draft: Draft, outputs: Sequence[Expression]) -> None:
    """What rows are ordered by must be the same for all of what is shown of one."""
    if any(aggregates_of(e) for e in outputs):
        return
    rows = {t for e in outputs for t in tables_of(e)} | ({draft.head.ref} if draft.head else set())
    told = {t for ref in rows for t in draft.scope.told_by(ref)}
    for expression, _ in draft.order:
        # ordered by a column of many rows the same output would come at several places
        if not aggregates_of(expression) and not set(tables_of(expression)) <= told:
            raise Unclear(f"it is not clear which {columns_of(expression)[0].name} rows are ordered by")


def _listed_instead(draft: Draft, outputs: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """`for each ticker, return the symbol and ...`: what is listed of the rows stands for their name."""
    if not draft.listed or draft.returned:
        return outputs
    own = {t for p, e in draft.outputs if p >= 0 and isinstance(e, Column) for t in tables_of(e)}
    hidden = {e for p, e in draft.outputs if p < 0 and isinstance(e, Column) and e.column.table in own}
    # grouped rows show their label already, under another column's name
    rows = {e for e in hidden if isinstance(e, Column) and e.column.table in draft.grouped_rows}
    return tuple(e for e in outputs if e not in rows)


def _by_parts(draft: Draft, outputs: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """`by year the lease started`: the date says of what the year is, and is no group of its own."""
    dates = {Column(e.column) for e in draft.groups if isinstance(e, Part)}
    draft.groups = [e for e in draft.groups if e not in dates]
    return tuple(e for e in outputs if e not in dates)


def _told_by_groups(draft: Draft, outputs: Sequence[Expression]) -> None:
    """What is shown beside a measure, or ordered by, must be the same for all rows of a group."""
    measured = any(aggregates_of(e) for e in (*outputs, *(e for e, _ in draft.order))) or draft.having
    if not measured or draft.best_of:
        return
    groups = draft.groups or [e for e in outputs if not aggregates_of(e)]
    rows = {e.column.table for e in groups if isinstance(e, Column) and e.column.unique}
    rows |= set(draft.grouped_rows)
    # what the grouped rows lead to is the same for all of a group
    told = {t for ref in rows for t in draft.scope.told_by(ref)}
    for expression in (*outputs, *(e for e, _ in draft.order)):
        if aggregates_of(expression) or expression in groups or set(tables_of(expression)) <= told:
            continue
        if _grouped_too(draft, expression):
            continue
        named = ", ".join(c.name for c in columns_of(expression))
        raise Unclear(f"it is not clear which {named} of a group is meant")


def _grouped_too(draft: Draft, expression: Expression) -> bool:
    """`the top 5 states and kinds by number of orders`: pairs of both, where either is a kind of its own."""
    kinds = [e for e in (*draft.groups, expression) if isinstance(e, Column)]
    if not draft.groups or draft.grouped_rows or len(kinds) <= len(draft.groups):
        return False
    # names and keys would make each pair a row of its own
    if any(e.column.kind != "text" or e.column.unique or e.column.key for e in kinds):
        return False
    # not ranked by a measure, a second kind beside groups is more likely a slip
    if not draft.order or not all(aggregates_of(e) for e, _ in draft.order):
        return False
    draft.groups.append(expression)
    draft.scope.doubt("whether pairs are wanted", _PAIRS)
    return True


def _which_are_shown(draft: Draft) -> None:
    """`which shows have more than 3 fans, and how many ratings?`: the shows beside what is measured."""
    first = draft.links[0] if draft.links else None
    if first is None or first.mark != "table" or not draft.having or not draft.outputs:
        return
    rows = draft.scope.table(first)
    if rows.ref in draft.grouped_rows and all(aggregates_of(e) for _, e in draft.outputs):
        draft.outputs += [(-1, Column(c)) for c in draft.scope.label(rows)]


def _names_of_rows(draft: Draft, outputs: Sequence[Expression]) -> None:
    """`the names of guests and their number of episodes`: of each guest, though two may have one name."""
    groups = draft.groups or [e for e in outputs if not aggregates_of(e)]
    # no group and nothing measured: a plain list of names
    if len(groups) == len(outputs) and not draft.groups:
        return
    for at, link in enumerate(draft.links):
        table = draft.scope.said_table(link) if " of " in link.word else None
        named = [Column(c) for c in link.columns]
        each = at > 0 and draft.links[at - 1].mark == "each"
        if table is None or each or len(named) != 1 or named[0].column.unique or named[0] not in outputs:
            continue
        if named != groups or draft.scope.label(table) != (named[0].column,):
            continue
        draft.groups = [Column(c) for c in draft.scope.told_apart(table)]
        draft.grouped_rows.append(table.ref)


def _rows_named(draft: Draft, outputs: Sequence[Expression]) -> bool:
    """`the city of the school with the lowest score`: of one row, where `the month` is one of many rows."""
    said = [draft.scope.said_table(link) for link in draft.links]
    named = {t.ref for t in said if t is not None}
    named |= {t.ref for link in draft.links if link.mark == "table" for t in link.tables[:1]}
    return all(set(tables_of(e)) <= named for e in outputs)


def shaped(draft: Draft) -> Intent:
    """The intent of what the passes found. Raises Unclear where it is not clear what of it is shown."""
    _which_are_shown(draft)
    outputs = tuple(dict.fromkeys(e for _, e in sorted(draft.outputs, key=lambda pair: pair[0])))
    if not outputs:
        raise Unclear("it is not clear what is wanted")
    measured = any(aggregates_of(e) for e in (*outputs, *(e for e, _ in draft.order))) or draft.having
    if draft.groups and not measured and not _row_wise(draft):
        raise Unclear("groups without a measure")
    _beside(draft, outputs)
    _who(draft)
    outputs = _listed_instead(draft, outputs)
    outputs = _by_parts(draft, outputs)
    outputs, draft.groups = _not_by_row(draft, outputs)
    _names_of_rows(draft, outputs)
    _told_by_groups(draft, outputs)
    _ordered_by_rows(draft, outputs)
    _of_the_best(draft, outputs)
    counted = {m.of for e in outputs for m in aggregates_of(e) if hasattr(m, "of")}
    if counted & set(draft.grouped_rows):
        raise Unclear("each row would be measured by itself")
    # a place in an order is one row, by an order that there is
    if draft.skipped and (draft.limit != 1 or not draft.order or draft.best_of):
        raise Unclear("it is not clear which place in an order is wanted")
    one = bool(draft.limit and draft.order) and _rows_named(draft, outputs)
    listed = not one and (_kinds_asked(draft, outputs) or _names_asked(draft, outputs))
    return Intent(
        outputs,
        tuple(dict.fromkeys(draft.groups)) if measured else (),
        tuple(dict.fromkeys(draft.where)),
        tuple(dict.fromkeys(draft.having)),
        tuple(dict.fromkeys(draft.order)),
        draft.limit,
        draft.ties,
        (draft.distinct or listed) and not measured,
        draft.head.ref if draft.head is not None else None,
        tuple(dict.fromkeys(draft.rows)),
        draft.best_of,
        draft.skipped,
    )
