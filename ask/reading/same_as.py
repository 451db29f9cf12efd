"""What a row has in common with a named one: `members in the same city as Ann Bo`, `games with the same
publisher as Iron Harbor`.

Owns that form: one column or one reference of the rows before, compared with that of the named row, which is
not among the answers itself. What it cannot place it leaves to the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import Beside, Named, OneOf
from rewright.ask.reading.link import Link
from rewright.ask.reading.named_rows import named_row
from rewright.ask.reading.scope import Scope

MARK = "same as"
_NOT_ITSELF = 0.95


def said_the_same(links: Sequence[Link], scope: Scope) -> None:
    """Marks the word of the form, which else is one that nothing is made of."""
    words = scope.roles
    if "same" not in words or "as" not in words[words.index("same") :]:
        return
    for at, same in enumerate(links[:-2]):
        if same.word.split()[-1] == "same" and links[at + 1].mark in {"column", "table"}:
            name = at + 3 if links[at + 2].mark == "table" and at + 3 < len(links) else at + 2
            if links[name].mark in {"value", "quoted"}:
                same.mark = MARK


def same_as_named(draft: Draft) -> None:
    """Takes the whole form."""
    at = next((i for i, link in enumerate(draft.links) if link.mark == MARK), None)
    if at is None:
        return
    name = next(i for i in range(at + 2, len(draft.links)) if draft.links[i].mark in {"value", "quoted"})
    row, head = named_row(draft, draft.links[name]), draft.table_before(at)
    if row is None or head is None:
        return
    table, key, value = row
    column = _in_common(draft, draft.links[at + 1], table)
    if column is None or draft.scope.table(draft.links[head]).ref != table.ref:
        return
    draft.where.append(Beside(column, "=", Named(column, key, value)))
    draft.where.append(OneOf(key, (value,), negated=True))
    draft.scope.doubt("whether the named one counts as well", _NOT_ITSELF)
    draft.use(*range(at, name + 1))


def _in_common(draft: Draft, link: Link, table: TableContext) -> ColumnContext | None:
    """The column of the table that a phrase names, or by which its rows refer to what it names."""
    if link.mark == "table":
        other = draft.scope.table(link).ref
        keys = [
            j.many
            for j in draft.scope.context.joins
            if j.many.table == table.ref and j.one.table == other and not j.more
        ]
        return keys[0] if len(keys) == 1 else None
    held = [c for c in link.columns if c.table == table.ref]
    return held[0] if len(held) == 1 else None
