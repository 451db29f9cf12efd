"""Which of several keys to one table a word speaks of: `started at`, `reported by`, `from A to B`.

Owns which of a question's values and verbs belong to which key. Must not know the grammar; what no role is
said of stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from rewright.ask.context import Join
from rewright.ask.reading.link import Link, plain
from rewright.ask.reading.role_words import SAID_BEFORE, role
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.words import listed
from rewright.lake import names
from rewright.sql.algebra import TableRef

# a fit that names the word only in part, as the role of a key does
_PARTLY = 0.8
_WORTH = 0.96
_ARTICLES = frozenset(listed("the a an any each every"))


def keys_of_values(links: Sequence[Link], scope: Scope) -> None:
    """Values of rows to which several keys of one table lead get the key that is said right before them; the
    words that say it relate, and are no columns or values of their own.
    """
    # `from A to B` is read from left to right: a value's role stands between it and the value before
    _of_the_key_before(links, scope)
    begins = first = 0
    words = [plain(word) for word in scope.roles]
    for at, link in enumerate(links):
        if link.mark not in {"value", "quoted"} or not link.values:
            continue
        said = plain(link.text).split()
        if (
            # a name of several values in a row (`New York Boston`) goes on with the same key
            at > 0
            and links[at - 1].keys
            and link.glued
            and {c.table for c, _ in link.values} & {c.table for c, _ in links[at - 1].values}
        ):
            link.keys = links[at - 1].keys  # the last name behind the first
            begins, first = begins + len(said), at + 1
            continue
        # a value that is spelled otherwise than said has no place that could be looked before
        here = next((i for i in range(begins, len(words)) if words[i : i + len(said)] == said), None)
        if here is None:
            continue
        keys = _several_keys(links, at, scope)
        found = _said_last(keys, words[begins:here])
        if found:
            link.keys = found
            for key in found:
                scope.doubt(f"whether {link.text} is said of {key.many.name}", _WORTH)
                _verbs_relate(links[first:at], key, keys)
            begins, first = here + len(said), at + 1


def _of_the_key_before(links: Sequence[Link], scope: Scope) -> None:
    """`whose native language is Japanese`: the phrase before the value names the key that leads to it, unless
    what is asked for are rows like the value's: `which trainer substitutes for Carla Mott`.
    """
    asked = {t.ref for link in links if link.mark == "table" for t in link.tables[:1]}
    for before, link in pairwise(links):
        held = {c.table for c, _ in link.values}
        # asked for are rows like the value's: then the column before is what joins, and stays
        others = asked | {c.table for c in before.columns}
        if before.mark != "column" or link.mark not in {"value", "quoted"} or others & held:
            continue
        _by_key(before, link, held, scope)
    # `heroes with blue eyes`, of an eye_colour_id; behind `did X` it is a verb
    if set(scope.roles) & {"did", "does", "do"}:
        return
    for link, behind in pairwise(links):
        held = {c.table for c, _ in link.values}
        if (
            link.mark == "value"
            and not link.keys
            and behind.mark == "column"
            and behind.glued
            and not asked & held
        ):
            _by_key(behind, link, held, scope)


def _by_key(role: Link, value: Link, held: set[TableRef], scope: Scope) -> None:
    keys = [j for j in scope.context.joins if j.many in role.columns and not j.more]
    # a column of several keys, or a value of other tables, tells no one key
    if len(role.columns) == len(keys) == 1 and held == {keys[0].one.table}:
        role.mark, value.keys = "relation", (keys[0],)
        scope.doubt(f"whether {value.text} is said of {keys[0].many.name}", _WORTH)


def verbs_of_keys(links: Sequence[Link], scope: Scope) -> None:
    """`stations at which no trip ended`, `trips that ended at each station`: the verb says by which of
    several keys, and is neither shown nor compared.
    """
    spoken = [one.tables[0].ref for one in links if one.mark == "table"]
    groups = [keys for table in dict.fromkeys(spoken) for keys in _key_groups(table, scope)]
    said_of = [keys for keys in groups if keys[0].one.table in spoken]
    for at, link in enumerate(links):
        if link.mark != "column" or " " in link.text or not said_of:
            continue
        behind = links[at + 1] if at + 1 < len(links) else None
        behind = (
            links[at + 2] if behind is not None and behind.mark == "each" and at + 2 < len(links) else behind
        )
        for keys in said_of:
            told = [key for key in keys if role(link.word) in _own_words(key, keys)]
            # the verb has to stand at the end or right before its rows: `ended at each station`
            placed = behind is None or behind.mark == "stop" or _is_of(behind, keys[0].one.table)
            if len(told) == 1 and placed and _says_no_more(link, told[0]):
                link.mark = "relation"


def _says_no_more(link: Link, key: Join) -> bool:
    """Whether all that the word may name is the key, or a date of the same rows (`ended_at`)."""
    # a date of the same verb (`ended_at`) says which key as well as the key itself
    dates = all(c.kind == "date" and c.table == key.many.table for c in link.columns)
    partly = max(link.fits.values(), default=0.0) < _PARTLY
    return dates or (partly and all(c in key.keys for c in link.columns))


def _is_of(link: Link, table: TableRef) -> bool:
    return link.mark == "table" and link.tables[0].ref == table


def _several_keys(links: Sequence[Link], at: int, scope: Scope) -> list[Join]:
    """The keys by which the rows spoken of nearest before a value lead to it, where they are several.

    None where a nearer table holds it in another way: `trips of riders from Docklands`.
    """
    held = {c.table for c, _ in links[at].values}
    before = list(dict.fromkeys(one.tables[0].ref for one in reversed(links[:at]) if one.mark == "table"))
    for place, table in enumerate(before):
        for keys in _key_groups(table, scope):
            chain = scope.told_by(keys[0].one.table)
            if held & chain:
                # a table named in between that is not on the way holds the value in another sense
                return keys if set(before[:place]) <= chain else []
    return []


def _key_groups(table: TableRef, scope: Scope) -> list[list[Join]]:
    """The keys of a table by what they refer to, where several refer to one table."""
    groups: dict[TableRef, list[Join]] = defaultdict(list)
    for join in scope.context.joins:
        # only declared keys: a role that was found in the data would be told by a name found there as well
        if join.many.table == table and join.one.table != table and not join.more and join.likelihood == 1:
            groups[join.one.table].append(join)
    return [keys for keys in groups.values() if len(keys) > 1]


def _own_words(key: Join, keys: Sequence[Join]) -> set[str]:
    """The roles that a key's name says and the others' do not."""
    others = {role(w) for other in keys if other is not key for w in names.words(other.many.name)}
    both = (*names.words(key.many.table.name), *names.words(key.one.table.name))
    shared = {role(w) for w in (*names.KEY_WORDS, *both)}
    # short words are no roles unless they are prepositions: `to_id`
    own = (w for w in names.words(key.many.name) if len(w) > 2 or w in SAID_BEFORE)
    return {role(w) for w in own} - others - shared


def _said_last(keys: Sequence[Join], words: Sequence[str]) -> tuple[Join, ...]:
    """The key whose role is said nearest before a value, and another that `started and ended at` says with
    it; a preposition says one right before it.
    """
    own = {key.many.name: _own_words(key, keys) for key in keys}
    place = len(words) - 1
    while place >= 0 and words[place] in _ARTICLES:
        place -= 1
    for at in range(place, -1, -1):
        # a preposition counts only right before the value, a verb anywhere before it
        said = {role(words[at])} if words[at] not in SAID_BEFORE else set[str]()
        if at == place and words[at] in SAID_BEFORE:
            said = {words[at], SAID_BEFORE[words[at]]}
        told = [key for key in keys if said & own[key.many.name]]
        if len(told) != 1:
            continue
        too = words[at - 2] if at > 1 and words[at - 1] in {"and", "or"} else ""
        also = [key for key in keys if key not in told and role(too) in own[key.many.name]]
        if also and words[at - 1] == "or":
            # either key may have led there: a union, which one join cannot say
            return ()
        return (*told, *also[:1])
    return ()


def _verbs_relate(links: Sequence[Link], key: Join, keys: Sequence[Join]) -> None:
    own = _own_words(key, keys)
    for link in links:
        said = {role(w) for w in plain(link.text).split()} & own
        if said and not link.tables and link.mark in {"column", "value", "unknown", "relation"}:
            link.mark, link.columns, link.values = "relation", key.keys, ()
