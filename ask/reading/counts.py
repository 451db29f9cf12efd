"""Counts of one table side by side: `how many lots were awarded, how many cancelled and how many are open?`,
`how many species are there, and how many are threatened?`.

Owns that form: each count but the first has only its condition, and is a measure with a condition of its own.
"""

from __future__ import annotations

from rewright.ask.reading.conditions import conditions
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Condition, Known, OneOf
from rewright.ask.reading.joins import Unclear

_ENDS = {"each", "stop", "order"}
_NAMED = {"table", "column", "label", "identifier", "moment", "number"}
_DOUBT = 0.95


def counts(draft: Draft) -> None:
    """Takes the counts of one table that differ by their conditions alone; the first may be of all rows.
    Raises Unclear.
    """
    starts = [i for i, link in enumerate(draft.links) if link.mark == "count" and not link.used]
    # a count behind `per` or a full stop belongs to another clause
    starts = [i for i in starts if i < _end(draft, starts[0])]
    if len(starts) < 2:
        return
    ends = [*starts[1:], _end(draft, starts[-1])]
    # commas and `or` join the parts and say nothing in them
    parts = [
        [i for i in range(start + 1, end) if draft.links[i].mark not in {"comma", "or"}]
        for start, end in zip(starts, ends, strict=True)
    ]
    first = parts[0]
    tables = [i for i in first if draft.links[i].mark == "table"]
    # a second noun counts something else, which `apart` writes as subqueries
    named = [i for part in parts[1:] for i in part if draft.links[i].mark in _NAMED and not _true(draft, i)]
    if len(tables) != 1 or tables[0] != first[0] or named or not all(parts):
        return
    table = draft.scope.table(draft.links[tables[0]])
    told = [_conditions(draft, [i for i in part if i not in tables]) for part in parts]
    # the first part may have no condition (all rows), but not `do not`: nothing stands before it
    if told[0] is None:
        return
    for at, where in zip(starts, _negated(told), strict=True):
        if not where and at != starts[0]:
            raise Unclear("it is not clear of what there is to be a count each")
        draft.outputs.append((at, Aggregate("count", table.ref, where=tuple(where))))
    draft.use(*starts, *(i for part in parts for i in part))
    draft.scope.doubt("counts side by side", _DOUBT)


def _end(draft: Draft, at: int) -> int:
    return next((i for i in range(at, len(draft.links)) if draft.links[i].mark in _ENDS), len(draft.links))


def _true(draft: Draft, at: int) -> bool:
    return all(c.kind == "boolean" for c in draft.links[at].columns) and bool(draft.links[at].columns)


def _conditions(draft: Draft, places: list[int]) -> list[Condition] | None:
    """The conditions of one part; None for `do not`, the contrary of the one before."""
    links = [draft.links[i] for i in places]
    if links and all(link.mark in {"without", "not"} for link in links):
        return None
    # a draft of its own, so that the part's words are read as if nothing else were asked
    part = Draft(links, draft.scope)
    conditions(part)
    if part.having or any(not link.used and link.mark not in {"comma", "named"} for link in part.links):
        raise Unclear("it is not clear what is counted in each case")
    return part.where


def _negated(told: list[list[Condition] | None]) -> list[list[Condition]]:
    made: list[list[Condition]] = []
    for where in told:
        if where is not None:
            made.append(where)
            continue
        before = made[-1][0] if made and len(made[-1]) == 1 else None
        if isinstance(before, Known):
            made.append([Known(before.column, negated=not before.negated)])
        elif isinstance(before, OneOf):
            made.append([OneOf(before.column, before.values, negated=not before.negated)])
        else:
            raise Unclear("it is not clear of what the contrary is to be counted")
    return made
