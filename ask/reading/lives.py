"""Who is still there and who is not: `current members`, `who still works here`, `no longer active`, of rows
with one date that says when they ended; and what came late, of rows with a date by which it was due.

Owns turning such words into conditions. Must not know what a question asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.ask.context import ColumnContext
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root
from rewright.sql.algebra import TableRef

_NOW = frozenset(listed("current currently still now"))
_GONE = frozenset(("no longer", "any longer", "anymore"))
_THERE = frozenset(
    listed(
        "alive employed working work works active here there around running valid us employ living enrolled"
    )
)
"""Words that say with `still` no more than it does."""
_ENDS = frozenset(
    map(
        root,
        listed(
            "left leaving ended end terminated termination resigned retired departed quit closed exit "
            "graduated"
        ),
    )
)
# ends of a life, apart from other ends: a member who is alive may have left
_ENDS_A_LIFE = frozenset(map(root, listed("death died deceased")))
_LEFT = frozenset(listed("left quit resigned died"))
_DUE = frozenset(map(root, listed("due deadline promised expected scheduled planned needed required")))
_CAME = frozenset(
    map(
        root,
        listed(
            "paid payment returned delivered received arrived completed finished done actual shipped closed"
        ),
    )
)
_WHETHER_ENDED = 0.95
_WHETHER_LATE = 0.95


def lives(links: Sequence[Link], scope: Scope) -> None:
    """Marks what says that rows are still there, or are no more, or were late."""
    spoken = _spoken(links, scope)
    # `members who hold a plot right now`, of tenancies that are of both and have ended
    ends = list(_ends(spoken, links, scope)) or list(_ends(_joining(spoken, scope), links, scope))
    for at, link in enumerate(links):
        if link.word == "late" and link.mark == "unknown" and len(pair := _late(links, scope)) == 1:
            _came_late(links, at, pair[0], scope)
        # two dates that end something (`closed_on`, `departed_on`): neither may be taken for `still`
        if len(ends) != 1:
            continue
        # `left` is a date's own word here and would else be shown as that date
        left = link.word in _LEFT and ends[0] in link.columns
        now = link.word in _NOW and link.mark in {"unknown", "unread"}
        if now or left or (link.word in _GONE and link.mark in {"unknown", "unread"}):
            _mark(links, at, "undone" if now else "done", ends[0])
            scope.doubt(f"whether {ends[0].name} says what is {link.text}", _WHETHER_ENDED)


def _came_late(
    links: Sequence[Link], at: int, pair: tuple[ColumnContext, ColumnContext], scope: Scope
) -> None:
    """`paid late`: the verb before only says which date it is."""
    links[at].mark, links[at].columns, links[at].fits = "late", pair, {}
    verb = links[at - 1]
    # `paid late`: the date's verb would else be shown beside the condition it belongs to
    if verb.mark == "column" and set(pair) & set(verb.columns):
        verb.mark = "relation"
    scope.doubt("what is late", _WHETHER_LATE)


def _mark(links: Sequence[Link], at: int, mark: str, end: ColumnContext) -> None:
    left = links[at].word in _LEFT
    links[at].mark, links[at].columns, links[at].fits = mark, (end,), {}
    rest = [link for link in links[at + 1 :] if link.mark != "stop"]
    if left and len(rest) == 1 and rest[0].mark == "unknown" and not rest[0].glued:
        rest[0].mark = "relation"  # `who left the choir`, of which all of them are
    for behind in links[at + 1 : at + 3]:
        # only words that repeat `still`: the first other word is said of something else
        if behind.word not in _THERE or behind.mark not in {"unknown", "relation"}:
            break
        behind.mark = "relation"


def _spoken(links: Sequence[Link], scope: Scope) -> set[TableRef]:
    """The tables that are named, by themselves, by a column or by a value that only one has."""
    spoken = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    spoken |= {table.ref for link in links if (table := scope.said_table(link)) is not None}
    # `the rating of drivers who left`, of a table `drv`: a column of theirs names them
    columns = [
        {c.table for c in link.columns} for link in links if link.word not in _LEFT and link.mark == "column"
    ]
    spoken |= {next(iter(held)) for held in columns if len(held) == 1}
    owners = [{c.table for c, _ in link.values} for link in links if link.mark == "value"]
    return spoken | {next(iter(held)) for held in owners if len(held) == 1}


def _joining(spoken: set[TableRef], scope: Scope) -> set[TableRef]:
    """The tables whose rows refer to those of two that are spoken of."""
    referred = {
        t.ref: {j.one.table for j in scope.context.joins if j.many.table == t.ref}
        for t in scope.context.tables
    }
    return {ref for ref, ones in referred.items() if len(ones & spoken) > 1}


def _ends(spoken: set[TableRef], links: Sequence[Link], scope: Scope) -> Iterator[ColumnContext]:
    """The columns of these rows that say when they ended, which some lack."""
    # words of life and death ask for the date of a death, not of leaving
    dead = any(link.word in {"alive", "dead", "living", "died"} for link in links)
    # a date that no row lacks ends nothing: all of them would be gone
    for column in (c for t in scope.context.tables if t.ref in spoken for c in t.columns if c.nulls):
        words = {root(w) for w in scope.words(column)}
        dated = column.kind == "date" or (column.kind == "number" and "year" in scope.words(column))
        if dated and words & (_ENDS_A_LIFE if dead else _ENDS):
            yield column


def _late(links: Sequence[Link], scope: Scope) -> list[tuple[ColumnContext, ColumnContext]]:
    """When it came and when it was due, for each table spoken of that has one date of either."""
    spoken, found = _spoken(links, scope), list[tuple[ColumnContext, ColumnContext]]()
    for table in (t for t in scope.context.tables if t.ref in spoken):
        dates = [c for c in table.columns if c.kind == "date"]
        due = [c for c in dates if {root(w) for w in scope.words(c)} & _DUE]
        # `expected_arrival` is when it was due, though arrivals are what came
        came = [c for c in dates if c not in due and {root(w) for w in scope.words(c)} & _CAME]
        # two dates by which it was due leave open which one was missed
        if len(due) == 1 and len(came) == 1:
            found.append((came[0], due[0]))
    return found
