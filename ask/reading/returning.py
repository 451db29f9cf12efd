"""The sentence of a question that lists what is to be returned: just that is shown.

Owns its grammar; runs after all other passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Change, Column, Expression, Part, Portion, Ratio, Running
from rewright.ask.reading.intent_parts import aggregates_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import TIME_UNITS
from rewright.ask.reading.link import Link
from rewright.ask.reading.phrases import FUNCTIONS, expressions_at, parted


def returned(draft: Draft, links: Sequence[Link]) -> None:
    """`Return the name, number of orders and total amount.`: just this is shown. Raises Unclear."""
    # the passes look at the draft's links, so those of the sentence stand in for the question's
    held, before = draft.links, list(draft.outputs)
    measured = [e for _, e in before if aggregates_of(e)] + [e for e, _ in draft.order if aggregates_of(e)]
    draft.links = list(links)
    default = draft.head or (draft.scope.context.table(draft.grouped_rows[0]) if draft.grouped_rows else None)
    wanted: list[Expression] = []
    at = 0
    while at < len(links):
        link = links[at]
        if link.mark in {"comma", "stop", "relation", "return"} or link.used:
            at += 1
            continue
        if link.mark == "distinct":
            draft.distinct = True
            at += 1
            continue
        found = expressions_at(draft, at, default)
        if found is not None:
            wanted += found[0]
            at = found[1]
        elif (again := _again(link, measured)) is not None:
            wanted.append(again)
            at += 1
        elif link.mark == "unit":
            unit = TIME_UNITS[link.word]
            # the unit is looked for among the question's own tables
            draft.links = held
            parts = [e for e in draft.groups if isinstance(e, Part) and e.unit == unit]
            wanted.append(parts[0] if parts else parted(draft, unit, 0))
            draft.links = list(links)
            at += 1
        else:
            raise Unclear(f"it is not clear what is to be returned by {link.text}")
    draft.links = held
    if not wanted:
        return
    counted = any(aggregates_of(e) for _, e in before)
    # what was measured and then is not returned was the point of the question
    if counted and not draft.order and not any(aggregates_of(_as_before(e, measured)) for e in wanted):
        raise Unclear("what is measured is not among what is to be returned")
    # one thing more, or `also`: beside what is shown already, not in its place
    added = links[0].word in {"include", "also"} or len(wanted) == 1
    if added and links[0].word in {"show", "include", "also", "report", "display"}:
        wanted = [*(e for _, e in before), *wanted]
    # of the best of each group the numbers are its own columns
    ranked = [e for _, e in before if isinstance(e, Column)] if draft.best_of else []
    wanted = [_ranked_column(e, ranked) for e in wanted]
    draft.outputs = [(i, _as_before(e, measured)) for i, e in enumerate(dict.fromkeys(wanted))]
    _groups_shown(draft)
    if not any(aggregates_of(e) for _, e in draft.outputs) and not measured and not draft.having:
        # groups that are not rows need a measure to be of
        if any(not _of_rows(draft, group) for group in draft.groups):
            raise Unclear("groups without a measure")
        draft.groups = []


def _again(link: Link, measured: list[Expression]) -> Expression | None:
    """`the total`, `the change`: what was measured already, where that is one thing."""
    over = [e for e in measured if isinstance(e, Running | Change)]
    if link.mark in {"change", "over", "running"}:
        return over[0] if over else None
    if link.mark in {"ratio", "percent", "share"}:
        parts = [e for e in measured if isinstance(e, Ratio | Portion)]
        return parts[0] if len(set(parts)) == 1 else None
    # anything else was not measured before, so the phrase must say all of it
    if link.mark not in {"count", *FUNCTIONS}:
        return None
    plain = [e for e in measured if e not in over] or over
    function = FUNCTIONS.get(link.mark, "count")
    fits = [e for e in plain if any(m.function == function for m in aggregates_of(e))]
    found = fits or (plain if link.mark in {"count", "sum"} else [])
    # of two measures of one function `the total` could be either
    return found[0] if found and (len(found) == 1 or link.mark == "count") else None


def _ranked_column(expression: Expression, ranked: list[Column]) -> Expression:
    """`the number of votes` of the best row is its own, no sum."""
    if isinstance(expression, Aggregate) and isinstance(expression.of, ColumnContext):
        return next((e for e in ranked if e.column == expression.of), expression)
    return expression


def _of_rows(draft: Draft, group: Expression) -> bool:
    return isinstance(group, Column) and group.column.table in draft.grouped_rows


def _groups_shown(draft: Draft) -> None:
    """A measure for each of what is not shown says nothing. Raises Unclear."""
    shown = {e for _, e in draft.outputs}
    for group in draft.groups:
        if group not in shown and not _of_rows(draft, group) and any(aggregates_of(e) for e in shown):
            raise Unclear("it is not clear whether what is grouped by is to be shown")


def _as_before(expression: Expression, measured: list[Expression]) -> Expression:
    """`number of customers` after `distinct customers` counts the same, as `weight` after `total weight`."""
    if isinstance(expression, Column):
        held = [m for m in dict.fromkeys(measured) if isinstance(m, Aggregate) and m.of == expression.column]
        return held[0] if len(held) == 1 else expression
    if isinstance(expression, Aggregate) and expression not in measured:
        for earlier in measured:
            if (
                isinstance(earlier, Aggregate)
                and earlier.of == expression.of
                and earlier.function == expression.function
            ):
                return earlier
    return expression
