"""Rows that have all of something: `agents who sold policies in all regions`, `stayed in every hotel`.

Owns that form. Beside a measure, `all` says nothing (`the average price in all regions`).
"""

from __future__ import annotations

from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Aggregate, Column, Compared
from rewright.ask.reading.joins import Unclear, direct
from rewright.ask.reading.link import Link

_MEASURES = frozenset(
    {"count", "sum", "avg", "max", "min", "median", "percent", "share", "ratio", "top", "bottom", "first"}
)
_DOUBT = 0.92
_PRONOUNS = frozenset({"they", "he", "she", "it", "their", "his", "her", "its"})
IN = frozenset({"in", "at", "to", "with", "by", "on", "through"})
"""Behind these an `all` says how many a row has to have; `for all`, `of all` and `from all` do not."""


def everything(draft: Draft) -> None:
    """Raises Unclear where it is not clear of what a row has to have all."""
    for at, link in enumerate(draft.links):
        asked = draft.scope.roles[:1] in {("which",), ("who",)} and at > 0
        # `every` may group (`every month`); after `which` or a preposition it asks for all of them
        grouped = link.mark == "each" and link.word == "every" and (asked or link.preposition in IN)
        if link.used or not (link.mark == "every" or grouped):
            continue
        counted = draft.links[0].mark == "count" and {"have", "has"} & set(draft.scope.roles)
        # `how many have a loan in every branch`: for each branch, or those with all of them
        if grouped and not asked and counted:
            raise Unclear(f"it is not clear whether {link.text} or each by itself is meant")
        # beside a measure `all` only says that nothing is left out
        if any(o.mark in _MEASURES for o in draft.links):
            if link.mark == "every":
                draft.use(at)
            continue
        _all_of(draft, at)


def _all_of(draft: Draft, at: int) -> None:
    head = next((i for i in range(at) if draft.links[i].mark == "table"), None)
    after = draft.next(at, "table", "column")
    if head is None or after is None:
        raise Unclear(f"it is not clear what is meant by {draft.links[at].text}")
    table, link = draft.scope.table(draft.links[head]), draft.links[after]
    rows = link.mark == "table"
    whole = draft.scope.key(draft.scope.table(link)) if rows else draft.scope.column(link)
    if not rows and whole.kind == "boolean":
        # `every threatened species`: the flag says which of them
        raise Unclear(f"it is not clear of what {link.text} is to be all")
    # a row holds one value of its own column, so it never has all of them
    if whole.table == table.ref:
        raise Unclear(f"one row of {table.ref.name} has one {whole.name} at most")
    if _theirs(draft, link):
        # `an A in every course they took`: all of their own, which may be fewer than there are
        raise Unclear(f"it is not clear whether all {whole.table.name} or those of each are meant")
    steps = direct(draft.scope.context, table.ref, whole.table, draft.scope.roles)
    if not any(step.multiplies for step in steps):
        raise Unclear(f"there is only one row of {whole.table.name} for each of {table.ref.name}")
    if len(steps) == 1 and rows:
        # `guests who reviewed every stay`: each stay is one guest's, who can't have all there are
        raise Unclear(f"it is not clear whether all {whole.table.name} or those of each are meant")
    draft.use(at, after)
    draft.grouped_rows.append(table.ref)
    label = draft.scope.label(table)
    draft.groups += [Column(c) for c in dict.fromkeys((draft.scope.key(table), *label))]
    # compared with the number of all different values, as HAVING count(distinct x) = all
    draft.having.append(Compared(Aggregate("count", whole, distinct=True), "=", "all"))
    draft.scope.doubt("all of something", _DOUBT)


def _theirs(draft: Draft, link: Link) -> bool:
    """Whether what stands behind the noun says that it is of each: `they took`, `in their city`."""
    words = draft.scope.roles
    last = link.word.split()[-1]
    behind = words[words.index(last) + 1 :][:3] if last in words else ()
    return bool(_PRONOUNS & set(behind))
