"""The row that a named row of the same table refers to: `who is Bram's mentor?`, `the phone of the manager of
Otto Weiss`.

Owns that form. Needs a key by which rows refer to rows of their own table, and a name that tells one row.
"""

from __future__ import annotations

from rewright.ask.context import ColumnContext, Join
from rewright.ask.reading.draft import Draft
from rewright.ask.reading.intent import OneOf, Refers
from rewright.ask.reading.link import Link

_NAMES = {"value", "quoted"}
_OWN_KEY = 0.95


def superiors(draft: Draft) -> None:
    """Puts the condition in place of the name and the role; what of the row is wanted others say."""
    for at in range(len(draft.links) - 1):
        first, second = draft.links[at : at + 2]
        if first.used or second.used:
            continue
        if _under(draft, at):
            return
        owned = first.mark in _NAMES and second.mark == "column" and _is_their(draft, second)
        of = second.mark in _NAMES and first.mark == "column" and second.preposition == "of"
        # `who supervises Bo Lind?`
        does = draft.scope.roles[:1] == ("who",) and at == 0 and not second.preposition
        of = of or (does and first.mark in {"column", "relation"} and second.mark in _NAMES)
        if not owned and not of:
            continue
        key = _own_key(draft, second if owned else first)
        told = _told_by(draft, at if owned else at + 1, key) if key is not None else ()
        if key is None or not told:
            continue
        draft.where.append(Refers(key.one, key.many, told[0], told[1:]))
        end = at + 1 + len(told)
        draft.use(*range(at, end))
        draft.scope.doubt("a key that refers to a row of its own table", _OWN_KEY)
        table = draft.scope.context.table(key.one.table)
        draft.links.insert(end, Link(table.ref.name, "table", (table,), glued=True))
        return


def _under(draft: Draft, at: int) -> bool:
    """`who works under Bo Lind`, where rows refer to another of their table: those that refer to that one."""
    under = draft.links[at]
    own = [j for j in draft.scope.context.joins if j.many.table == j.one.table and not j.more]
    if under.word != "under" or draft.scope.roles[:1] != ("who",) or len(own) != 1:
        return False
    told = _told_by(draft, at + 1, own[0])
    if not told:
        return False
    draft.where.append(Refers(own[0].many, own[0].one, told[0], told[1:]))
    end = at + 1 + len(told)
    draft.use(*range(at, end))
    draft.scope.doubt("a key that refers to a row of its own table", _OWN_KEY)
    table = draft.scope.context.table(own[0].one.table)
    draft.links.insert(end, Link(table.ref.name, "table", (table,), glued=True))
    return True


def _is_their(draft: Draft, role: Link) -> bool:
    """Whether an `'s` stands right before the role."""
    words = draft.scope.roles
    first = role.word.split()[0]
    return any(
        word == first and words[i - 1].replace("’", "'").endswith(("'s", "s'"))
        for i, word in enumerate(words)
        if i
    )


def _own_key(draft: Draft, role: Link) -> Join | None:
    """The key within one table that the word names."""
    found = [
        join
        for join in draft.scope.context.joins
        if join.many.table == join.one.table and join.many in role.columns and not join.more
    ]
    return found[0] if len(found) == 1 else None


def _told_by(draft: Draft, at: int, key: Join) -> tuple[OneOf, ...]:
    """The conditions that tell the named row of the key's table: by its name, or by first and last name."""
    label = draft.scope.label(draft.scope.context.table(key.many.table))
    held = _of_label(draft.links[at], label)
    behind = draft.links[at + 1] if at + 1 < len(draft.links) else None
    other = _of_label(behind, label) if behind is not None and not behind.used else None
    if held is not None and other is not None and held.column != other.column:
        return (held, other)
    return (held,) if held is not None and held.column.unique else ()


def _of_label(link: Link, label: tuple[ColumnContext, ...]) -> OneOf | None:
    """The condition of a value that only one column of the name holds."""
    held = [(c, v) for c, v in link.values if c in label] if link.mark in _NAMES else []
    return OneOf(held[0][0], (held[0][1],)) if len(held) == 1 else None
