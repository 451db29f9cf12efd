"""Who did something, where only a key says that somebody does: `who approved batch 120`, of batches with an
approved_by_id.

Owns finding the rows that such a key refers to, and which words are its verb. Must not know the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.ask.context import ColumnContext, Join, TableContext
from rewright.ask.reading.link import Link
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed, root
from rewright.lake import names
from rewright.sql.algebra import TableRef

_WHO_DID = frozenset({"who", "that", "whose"})
_JOINING = frozenset({"comma", "or"})
_HELPS = {"did", "does", "do"}
_THEIRS = {"their", "his", "her", "its"}
_RANKS = {"top", "bottom"}
_JOBS = frozenset(listed("job role position title occupation profession function rank"))
_WHO = 0.97
_WHODOES = 0.95
# `authors` may be asked for as `who wrote`: with the same root (teach, teacher) no entry is needed
DOES = {
    root(verb): listed(people)
    for verb, people in {
        "write": "author writer journalist",
        "teach": "teacher lecturer instructor trainer professor tutor",
        "train": "trainer coach",
        "paint": "painter artist",
        "sing": "singer artist",
        "fly": "pilot",
        "treat": "doctor physician therapist vet",
        "operate": "surgeon operator",
        "act": "actor",
        "own": "owner",
        "borrow": "borrower member patron",
        "inspect": "inspector",
        "cook": "chef cook",
        "repair": "mechanic technician",
        "fix": "mechanic technician",
    }.items()
}
"""Who does it, where the noun has another root than the verb."""


def agents(links: list[Link], scope: Scope) -> list[Link]:
    """The links, with the table of those who are asked for by `who`, and verbs of keys marked as such."""
    _verbs(links, scope)
    _own_roles(links, scope)
    spoken = _spoken(links)
    if scope.roles[:1] == ("which",):
        return _of_a_job(links, scope)
    if scope.roles[:1] != ("who",):
        return _listed_by_kind(links, scope)
    _above(links, scope)
    for link in links:
        # who is above a row of the same table, `superiors` finds
        found = [j for j in _said_by(link, scope) if j.many.table in spoken and j.one.table != j.many.table]
        tables = {j.one.table for j in found}
        # a table that the question names already would be shown twice, or the wrong one of the two
        if len(tables) == 1 and not tables & _named(links):
            link.mark = "relation"
            scope.doubt("who is asked for", _WHO)
            table = scope.context.table(tables.pop())
            return [Link(table.ref.name, "table", (table,)), *links]
    return _who_does(_in_a_role(links, scope), scope)


def _of_a_job(links: list[Link], scope: Scope) -> list[Link]:
    """`which curator led the dearest exhibition`, of employees with a position: employees are asked for."""
    first = links[0] if links else None
    asked = first is not None and first.mark == "value" and first.word.split()[0] in scope.roles[1:2]
    tables = {c.table for c, _ in first.values} if asked and first is not None else set()
    if first is None or len(tables) != 1 or tables & _named(links):
        return links
    table = scope.context.table(tables.pop())
    if not (_says_jobs(first, scope) or says_a_kind(first)) or not _has_names(table, scope):
        return links
    scope.doubt("who is asked for", _WHO)
    return [Link(table.ref.name, "table", (table,)), *links]


def _listed_by_kind(links: list[Link], scope: Scope) -> list[Link]:
    """`list the nurses and the physicians who led a mission`, of volunteers with an occupation."""
    begins = [link for link in links if link.mark != "return"]
    behind = next(
        (i for i, link in enumerate(begins) if not says_a_kind(link) and link.mark not in _JOINING), 0
    )
    kinds = [link for link in begins[:behind] if link.mark not in _JOINING]
    tables = {t for kind in kinds for t in owners_of(kind)}
    if len(tables) != 1 or tables & _named(links) or not _WHO_DID & set(scope.roles):
        return links
    table = scope.context.table(tables.pop())
    if not _has_names(table, scope):
        return links
    scope.doubt("who is asked for", _WHO)
    first = links.index(begins[0])
    return [*links[:first], Link(table.ref.name, "table", (table,)), *links[first:]]


def owners_of(link: Link) -> set[TableRef]:
    return {c.table for c, _ in link.values} if link.mark == "value" else {c.table for c in link.columns}


def says_a_kind(link: Link) -> bool:
    """Whether a value or a flag stands for its rows: nurses, medics."""
    flag = link.mark == "column" and all(c.kind == "boolean" for c in link.columns)
    plural = link.text.islower() and link.word.endswith("s") and not link.word.endswith("ss")
    return (flag or link.mark == "value") and plural and not link.preposition


def _says_jobs(value: Link, scope: Scope) -> bool:
    """Whether it says what several rows are by profession; a job of its own row is no person."""
    return all(set(scope.words(c)) & _JOBS and not c.unique for c, _ in value.values)


def _above(links: Sequence[Link], scope: Scope) -> None:
    """`who manages Bo Lind`, where rows have a manager_id of their own table: the verb names that key."""
    if len(links) < 2 or links[0].mark not in {"relation", "unknown"} or links[0].columns:
        return
    verb, name = links[:2]
    if verb.word != scope.roles[1] or name.mark not in {"value", "quoted"} or name.preposition:
        return
    own = [j for j in scope.context.joins if j.one.table == j.many.table and not j.more]
    said = [j.many for j in own if root(verb.word) in _role(j, scope)]
    if len(said) == 1:
        verb.mark, verb.columns, verb.fits = "column", tuple(said), {(said[0].table, said[0].name): 0.85}


def _who_does(links: list[Link], scope: Scope) -> list[Link]:
    """`who wrote The Salt Road`, of authors; `who teaches Morning Flow`, of trainers."""
    if not links or len(scope.roles) < 2 or links[0].mark not in {"relation", "column", "unknown", "table"}:
        return links
    verb = links[0]
    said = root(verb.word)
    # an agent that is named (`who is the trainer that teaches ..`) needs no other one
    if verb.word != scope.roles[1] or any(
        link.mark == "table" and _is_agent(link.tables[0], scope) for link in links[1:]
    ):
        return links
    # `who designed it`, of designers: the verb, linked to their table
    if verb.mark == "table" and not (verb.word.endswith("ed") and _is_agent(verb.tables[0], scope)):
        return links
    does = {*(root(w) for w in DOES.get(said, ())), said}
    found = [
        t
        for t in scope.context.tables
        # `who crews the ship`, of a table crews: the verb itself is no doer
        if scope.words(t)[-1:] != (verb.word,) and root(scope.words(t)[-1]) in does and _is_agent(t, scope)
    ]
    # a table of pairs, game_designer, is called by whom it refers to
    joins = [j for j in scope.context.joins if j.many.table != j.one.table]
    pairs = {j.many.table for j in joins if any(j.one.table == t.ref for t in found)}
    found = [t for t in found if t.ref not in pairs] or _of_events(verb, scope)
    # names of people as texts, without a table of theirs: only where one column alone holds them
    if not found and len(written := _doers_written(verb, scope)) == 1:
        verb.mark = "relation"
        scope.doubt("who is asked for", _WHODOES)
        return [Link(written[0].name, "column", columns=(written[0],)), *links]
    if len(found) != 1:
        return links
    verb.mark = "relation"
    scope.doubt("who is asked for", _WHODOES)
    return [Link(found[0].ref.name, "table", (found[0],)), *links]


def _of_events(verb: Link, scope: Scope) -> list[TableContext]:
    """`who borrowed the most`, of loans: those whom their rows refer to."""
    events = [t.ref for t in verb.tables] if verb.mark == "relation" else []
    people = {j.one.table for j in scope.context.joins if j.many.table in events}
    return [t for t in map(scope.context.table, people) if _is_agent(t, scope)]


def _has_names(table: TableContext, scope: Scope) -> bool:
    return any(c.kind == "text" for c in scope.label(table))


def _doers_written(verb: Link, scope: Scope) -> list[ColumnContext]:
    """`who inspected Oak Farm`, of inspections with the name of an inspector."""
    said = root(verb.word)
    texts = (c for t in scope.context.tables for c in t.columns if c.kind == "text" and not c.key)
    last = ((c, scope.words(c)[-1]) for c in texts)
    # `inspector` for `inspected`, not `inspection`: endings that name a person
    return [c for c, word in last if word.endswith(("er", "or")) and word != verb.word and root(word) == said]


def _is_agent(table: TableContext, scope: Scope) -> bool:
    """Whether its rows are people by its name."""
    word = scope.words(table)[-1]
    return word.endswith(("er", "or", "ist", "ian", "person", "man", "woman")) or word in {
        root_word for words in DOES.values() for root_word in words
    }


def _in_a_role(links: list[Link], scope: Scope) -> list[Link]:
    """`who is the captain of the rowing club`, of memberships with a role: the one whose role it is."""
    named = _named(links)
    # `who is the captain`: only right behind `is` does a value name a role
    if not set(scope.roles[1:2]) & {"is", "are", "was", "were"} or not links or links[0].mark != "value":
        return links
    bridges = {c.table for c, _ in links[0].values}
    table = scope.context.table(*bridges) if len(bridges) == 1 else None
    told = table is not None and (_is_agent(table, scope) or _says_jobs(links[0], scope))
    agents_told = told and table is not None and _has_names(table, scope)
    if table is not None and not bridges & named and agents_told:
        # `who are the captains of the German teams`, of players with a role
        scope.doubt("who is asked for", _WHO)
        return [Link(table.ref.name, "table", (table,)), *links]
    leading = [j for j in scope.context.joins if j.many.table in bridges]
    others = {j.one.table for j in leading} - named - {c.table for o in links[1:] for c, _ in o.values}
    label = scope.label(scope.context.table(next(iter(others)))) if len(others) == 1 else ()
    # a row with a number for its name could not answer `who`
    if len(bridges) != 1 or bridges & named or not label or any(c.kind != "text" for c in label):
        return links
    scope.doubt("who is asked for", _WHO)
    other = scope.context.table(others.pop())
    return [Link(other.ref.name, "table", (other,)), *links]


def _own_roles(links: Sequence[Link], scope: Scope) -> None:
    """`more than their supervisor`: theirs is a row that they refer to, no job of that name."""
    # the keys by which a row refers to its own table: `supervisor_id` of employees
    own = {many for j in scope.context.joins for many, one in j.pairs if many.table == one.table}
    words = scope.roles
    theirs = {word for word, before in zip(words[1:], words, strict=False) if before in _THEIRS}
    for link in links:
        if link.mark == "value" and link.word.split()[0] in theirs and set(link.columns) & own:
            link.mark = "column"


def _verbs(links: Sequence[Link], scope: Scope) -> None:
    """`did Judith Crane supervise`, `which lawyer leads the most matters`: nothing of the key is shown."""
    for at, link in enumerate(links):
        # a verb at the very start is an order to us: `approve`, not a role
        if link.mark != "column" or not _said_by(link, scope) or at == 0:
            continue
        behind = links[at + 1] if at + 1 < len(links) else None
        # `did she supervise?`: the helper verb leaves the main one to the end, where it says nothing new
        ends = behind is None or behind.mark == "stop"
        helped = ends and set(scope.roles) & _HELPS and links[at - 1].mark in {"value", "table"}
        ranked = behind is not None and behind.mark in _RANKS and links[at - 1].mark == "table"
        if helped or ranked:
            link.mark = "relation"


def _said_by(link: Link, scope: Scope) -> list[Join]:
    """The keys whose role the word is the verb of, if they are all that it may be."""
    # shorter words share their roots with too much: `do`, `led`
    if link.mark not in {"column", "relation", "unknown"} or len(link.word) < 4:
        return []
    said = root(link.word)
    keys = [j for j in scope.context.joins if said in _role(j, scope)]
    held = {(key.table, key.name) for j in keys for key in j.keys}
    # a table of that name that is not what the keys refer to is the likelier meaning
    if any(t.ref not in {j.one.table for j in keys} for t in link.tables[:1]):
        return []
    sure = link.mark == "relation" or all((c.table, c.name) in held for c in link.columns)
    return keys if sure else []


def _role(join: Join, scope: Scope) -> set[str]:
    own = {*names.words(join.one.table.name), *names.KEY_WORDS}
    return {
        root(w)
        for many, one in join.pairs
        for w in scope.words(many)
        # `author_id` to authors says no role; `editor_id` to authors does
        if len(w) > 3 and w not in own and w not in names.words(one.name)
    }


def _spoken(links: Sequence[Link]) -> set[TableRef]:
    found = _named(links)
    for link in links:
        if link.mark in {"value", "quoted"}:
            found |= {c.table for c, _ in link.values}
    return found


def _named(links: Sequence[Link]) -> set[TableRef]:
    return {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
