"""Verbs that say what one does with another: `hosts who manage a station`, `customers who own a boat`.

Owns the doubt whether rows that are joined do it. Two rows have to do with each other by many ways, and few
of them are owning, managing or visiting. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.ask.context import TableContext
from rewright.ask.reading.joins import Step, Unclear, direct
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root, stem
from rewright.sql.algebra import TableRef

_DEEDS = frozenset(
    map(
        root,
        listed(
            "own manage direct lead led run ran operate employ visit design develop manufacture compose "
            "study host command issue supervise found submit publish write wrote written "
            "produce create"
        ),
    )
)
_AT_THE_HEAD = frozenset(map(root, listed("own manage direct lead led run ran employ command found")))
"""What is done by one to many: who does it is what the other refers to; no table of members says it."""
_SAID_OF = frozenset({"table", "value", "quoted", "column"})
_FEW = 2
"""Columns of a table that only says which rows belong together, beside its keys."""
_ANOTHER_WAY = 0.78


def deeds(links: Sequence[Link], scope: Scope) -> None:
    """Doubts a verb of which the rows on the way between those it relates say nothing."""
    for at, verb in enumerate(links):
        if verb.mark != "relation" or root(verb.word) not in _DEEDS:
            continue
        for who, what in _who_and_what(links, at):
            if who != what and not _says_so(verb, who, what, scope):
                scope.doubt(f"whether {verb.text} is how they belong together", _ANOTHER_WAY, once=True)


def _who_and_what(links: Sequence[Link], at: int) -> Iterator[tuple[TableRef, TableRef]]:
    """Whoever does it and what it is done to: by their order, `by` before whoever does it."""
    before = [ref for link in links[:at] for ref in _of(link)]
    behind = [ref for link in links[at + 1 :] for ref in _of(link)]
    passive = at + 1 < len(links) and links[at + 1].preposition == "by"
    if before and behind:
        yield (behind[0], before[-1]) if passive else (before[-1], behind[0])
    elif len(set(before)) > 1:
        # `which stations does Ann manage`
        yield before[-1], next(ref for ref in reversed(before) if ref != before[-1])


def _of(link: Link) -> list[TableRef]:
    if link.mark not in _SAID_OF:
        return []
    tables = {t.ref for t in link.tables[:1]} if link.mark == "table" else set()
    tables |= {c.table for c, _ in link.values} if link.mark in {"value", "quoted"} else set()
    tables |= {c.table for c in link.columns} if link.mark == "column" else set()
    return list(tables) if len(tables) == 1 else []


def _says_so(verb: Link, who: TableRef, what: TableRef, scope: Scope) -> bool:
    try:
        steps = direct(scope.context, who, what, scope.roles)
    except Unclear:
        return True
    if not steps or _named_on_the_way(verb, [who, *(s.new for s in steps)], scope):
        return True
    between = [scope.context.table(s.new) for s in steps[:-1]]
    if any(not _only_joins(t, scope) and not _spoken_of(t, scope) for t in between):
        return False
    ends = {stem(w) for ref in (who, what) for w in scope.words(scope.context.table(ref))}
    if root(verb.word) in _AT_THE_HEAD and any({stem(w) for w in scope.words(t)} - ends for t in between):
        return False  # `directed a film`, by a film_cast
    return bool(between) or root(verb.word) not in _AT_THE_HEAD or _refers_to_whom(steps[0], who)


def _named_on_the_way(verb: Link, tables: Sequence[TableRef], scope: Scope) -> bool:
    said = root(verb.word)
    for ref in tables:
        table = scope.context.table(ref)
        words = {*scope.words(table), *(w for c in table.columns for w in scope.words(c))}
        if said in {root(w) for w in words}:
            return True
    return False


def _only_joins(table: TableContext, scope: Scope) -> bool:
    """A table of pairs: keys of two others, and little else."""
    keys = {key.name for j in scope.context.joins if j.many.table == table.ref for key in j.keys}
    others = [c for c in table.columns if c.name not in keys and not c.key]
    return len(keys) > 1 and len(others) <= _FEW


def _spoken_of(table: TableContext, scope: Scope) -> bool:
    return any(t.ref == table.ref for link in scope.links for t in link.tables[:1])


def _refers_to_whom(step: Step, who: TableRef) -> bool:
    return step.join.one.table == who
