"""Whether the rows that a question begins with are those that are shown: `which brewers have left` asks for
brewers, whatever else is said of them.

Owns that rule. Must not know how the rest is read; raises Unclear where nothing shown tells the rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest

from rewright.ask.context import ColumnContext
from rewright.ask.reading.agents import owners_of, says_a_kind
from rewright.ask.reading.intent import (
    Aggregate,
    Column,
    Compared,
    Condition,
    Expression,
    Intent,
    Known,
    Ranged,
)
from rewright.ask.reading.intent_parts import aggregates_of, columns_of
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import root
from rewright.sql.algebra import TableRef

# marks before the noun that say which of the rows or how many, so the noun is still to come
_DESCRIBES = {
    "return",
    "each",
    "number",
    "top",
    "bottom",
    "first",
    "last",
    "value",
    "distinct",
    "done",
    "relation",
}
_SHOWN = 0.93
_WITH_THEIR = re.compile(r"\bwith (?:their|its|his|her)\b")
_TOO = (
    r"\band (?:(?:in |to |for |by |from |at )?(?:which|what) {0}\b"
    r"|the {0} (?:that |which )?(?:it|they|he|she)\b)"
)
_WHAT_IS_THE = ("what", "is", "the")
_EXTREME_DATES = {("latest", "date"), ("earliest", "date")}


def rows_shown(intent: Intent, links: Sequence[Link], scope: Scope) -> Intent:
    """The intent, the rows it lists told by their names. Raises Unclear."""
    if intent.exists:
        return intent
    # `who` answered by a bare number counts people instead of naming them
    if scope.roles[:1] == ("who",) and all(aggregates_of(e) for e in intent.outputs) and not intent.groups:
        raise Unclear("it is not clear who is meant")
    _counted_as_asked(intent, links)
    if scope.roles[:3] == _WHAT_IS_THE and scope.roles[3:5] in _EXTREME_DATES and intent.limit == 1:
        # the date of the last hearing, whichever hearing that is
        return replace(intent, outputs=tuple(e for e, _ in intent.order[:1]), distinct=True, ties=False)
    head = _head(links, scope)
    if head is None or any(aggregates_of(e) for e in intent.outputs):
        return _asked_too(intent, links, scope)
    intent = _theirs(intent, links, head, scope)
    intent = _not_to(intent, scope)
    shown = [c for e in intent.outputs for c in columns_of(e)]
    # in a grouped query each shown column is a group already; to add the name would split the groups
    if intent.groups:
        if all(c.table != head for c in shown):
            raise Unclear(f"it is not clear what of {head.name} is to be shown")
        return intent
    # the rows are named, by more than what a condition tests: as asked
    own = [c for c in shown if c.table == head]
    if own and not _only_tested(own, shown, intent):
        return intent
    label = tuple(Column(c) for c in scope.label(scope.context.table(head)))
    wanted = tuple(e for e in intent.outputs if isinstance(e, Column) and _wanted_beside(e.column, links))
    # a measure wanted beside the rows (`with their length`) is kept; what was only compared goes
    if own and wanted and not set(wanted) & set(label):
        return replace(intent, outputs=(*label, *wanted))
    if own or any(c in shown for c in (e.column for e in label)):
        return replace(intent, outputs=label)
    if _beside(links):
        scope.doubt("what is shown beside the rows", _SHOWN)
        return replace(intent, outputs=(*label, *intent.outputs), head=head)
    # showing one or the other would be a guess at what `which` stands for
    raise Unclear(f"it is not clear what of {head.name} is to be shown")


def _theirs(intent: Intent, links: Sequence[Link], head: TableRef, scope: Scope) -> Intent:
    """`albums with their genre and artist`, `... and which label they are on`: the names of these too. Raises
    Unclear where several are.
    """
    wanted = _named_too(links, scope)
    # `orders that are open, with the customer`
    apart = any(
        a.mark == "comma" and b.mark == "table" and b.preposition == "with" for a, b in pairwise(links)
    )
    if not intent.groups and (apart or _WITH_THEIR.search(" ".join(scope.roles))):
        first = next((i for i, link in enumerate(links) if link.preposition == "with"), len(links))
        wanted = [
            *(t.ref for link in links[first:] if link.mark == "table" for t in link.tables[:1]),
            *wanted,
        ]
    shown = {c.table for e in intent.outputs for c in columns_of(e)}
    for table in dict.fromkeys(wanted):
        if table in shown or table == head:
            # in groups, or where the row may have several, there is no one name to show
            continue
        if intent.groups or table not in scope.told_by(head):
            raise Unclear(f"it is not clear which {table.name} of {head.name} is to be shown")
        label = (Column(c) for c in scope.label(scope.context.table(table)))
        intent = replace(intent, outputs=(*intent.outputs, *label), head=head)
    return intent


def _named_too(links: Sequence[Link], scope: Scope) -> list[TableRef]:
    """Tables of a second clause: `and which party do they belong to`, `and the party they are in`."""
    said = " ".join(scope.roles)
    return [
        link.tables[0].ref
        for link in links[1:]
        if link.mark == "table" and re.search(_TOO.format(re.escape(link.word)), said)
    ]


def _asked_too(intent: Intent, links: Sequence[Link], scope: Scope) -> Intent:
    """`the names of the members, and which party they belong to`, with the parties; of `how many are there,
    and which party has the most?` only the first would be answered. Raises Unclear.
    """
    shown = [c.table for e in intent.outputs for c in columns_of(e)]
    missing = [table for table in _named_too(links, scope) if table not in shown]
    # one half is a number of rows, the other wants rows: one query cannot say both
    if missing and (not shown or any(aggregates_of(e) for e in intent.outputs)):
        raise Unclear(f"it is not clear which {missing[0].name} is to be shown")
    return _theirs(intent, links, shown[0], scope) if missing else intent


def _not_to(intent: Intent, scope: Scope) -> Intent:
    """`which tickets took three days to close`: when they did is not asked."""
    verbs = {root(b) for a, b in pairwise(scope.roles) if a == "to"}

    def said(e: Expression) -> bool:
        own = e.column if isinstance(e, Column) and e.column.kind == "date" else None
        return own is not None and bool({root(w) for w in scope.words(own)} & verbs)

    kept = tuple(e for e in intent.outputs if not said(e))
    # where nothing else would be left, the date is the answer after all
    return replace(intent, outputs=kept) if kept else intent


def _counted_as_asked(intent: Intent, links: Sequence[Link]) -> None:
    """`how many members joined` read as the number of different days on which they did. Raises Unclear."""
    if len(links) < 2 or links[0].mark != "count" or links[1].mark != "table" or intent.having:
        return
    counted = [m for e in intent.outputs for m in aggregates_of(e) if isinstance(m, Aggregate)]
    if len(counted) != 1 or counted[0].function != "count" or not isinstance(counted[0].of, ColumnContext):
        return
    of = counted[0].of
    # different keys or names are as many as the rows; different dates are fewer
    dated = of.kind == "date" and not of.key and of not in links[1].columns
    if dated or not (of.key or of.unique or of in links[1].columns or of.kind == "text"):
        raise Unclear(f"it is not clear whether {links[1].text} are counted")


def _head(links: Sequence[Link], scope: Scope) -> TableRef | None:
    """The table that a list or a `which` names first, if its rows are what is asked for."""
    if scope.roles[:1] not in _ASKING:
        return None
    kind: Link | None = None
    for link, behind in zip_longest(links, links[1:]):
        flag = link.mark == "column" and all(c.kind == "boolean" for c in link.columns)
        if flag or link.mark in _DESCRIBES:
            kind = link if says_a_kind(link) else kind
            continue
        # `the medics who led a mission`: a kind of rows behind which something else is spoken of
        if kind is not None and not link.glued and len(owners_of(kind)) == 1:
            return next(iter(owners_of(kind)))
        noun = behind is not None and behind.glued and not behind.word.split()[0].endswith("ed")
        # `which club members`: the next noun is whose rows are asked for
        whose = behind is not None and noun and behind.mark in {"table", "column", "label"}
        return link.tables[0].ref if link.mark == "table" and not whose else None
    return None


_ASKING = {("list",), ("show",), ("which",), ("what",), ("give",), ("name",), ("find",), ("display",)}


def _beside(links: Sequence[Link]) -> bool:
    """`invoices with the client name`, `beers and their styles`: something is wanted beside the rows."""
    return any(link.preposition == "with" or link.theirs for link in links)


def _wanted_beside(column: ColumnContext, links: Sequence[Link]) -> bool:
    """`rivers longer than 500 with their length`: compared, and wanted too."""
    told = [link for link in links if column in link.columns and link.mark == "column"]
    return any(link.theirs or link.preposition == "with" for link in told)


def _only_tested(own: Sequence[ColumnContext], shown: Sequence[ColumnContext], intent: Intent) -> bool:
    """`deliveries with a discount over 5`: what a condition says is not what is wanted."""
    # a column of another table is shown as well, so something was wanted beside the test
    if len(own) < len(shown):
        return False
    return set(own) <= {c for w in intent.where for c in _tested(w)}


def _tested(condition: Condition) -> tuple[ColumnContext, ...]:
    return columns_of(condition) if isinstance(condition, Compared | Ranged | Known) else ()
