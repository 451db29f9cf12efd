"""Whether a query speaks of all that its question does: phrases that name something of the data, words that
no phrase took, verbs that name the role of a key.

Owns the comparison of a question's phrases with its query. Must not know the grammar; raises Unclear. The
passes mark what they take; what was taken and then lost is seen only here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from rewright.ask.context import ColumnContext, TableContext
from rewright.ask.reading.adjectives import SAME
from rewright.ask.reading.joins import Unclear
from rewright.ask.reading.lexicon import FILLERS, RELATING
from rewright.ask.reading.link import Link, plain
from rewright.ask.reading.of_others import roles_unsaid
from rewright.ask.reading.role_words import role
from rewright.ask.reading.scope import Scope
from rewright.ask.reading.small_words import against_its_direction
from rewright.ask.reading.words import listed, root, stem
from rewright.lake import names
from rewright.sql.printer.names import quote_ident

# quoted names or bare ones: what a query can call a table or column
_NAME = re.compile(r'"((?:[^"]|"")+)"|\b([a-z_][a-z0-9_$]*)', re.IGNORECASE)
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_NO_ROLES = frozenset(listed("by from to of in on at for with the is has main primary default current"))
_NAMES_IT = 0.95
_STATE = 0.75
# beyond a dozen different values they are names or numbers rather than kinds
_KINDS = 12
"""Values of a column that tells kinds of rows."""
_AGENTS = ("er", "or", "ist")
_DOERS = ("er", "or")
_SAYS_A_STATE = 4
"""Letters of a word that may be a column of yes or no."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A link as the linker made it; the passes change marks as they go."""

    link: Link
    # the linked mark and columns as they were, for the passes change links in place
    mark: str
    columns: tuple[ColumnContext, ...]
    compound: bool = False
    """Whether it only tells the kind of the table named right behind it: the `beer` of `beer styles`."""


def phrases(links: Sequence[Link]) -> tuple[Phrase, ...]:
    """What is to be found in the query, before any pass."""
    return tuple(
        Phrase(link, link.mark, link.columns, _tells_the_kind(link, behind))
        for link, behind in zip_longest(links, links[1:])
    )


def _tells_the_kind(link: Link, behind: Link | None) -> bool:
    # `led and reviewed proposals`: what was done to them, no kind of theirs
    noun = link.mark == "table" and not link.word.endswith("ed")
    return noun and behind is not None and behind.mark == "table" and behind.glued


@dataclass(frozen=True, slots=True)
class _Said:
    """What a query names, and the texts in it."""

    names: frozenset[str]
    texts: frozenset[str]

    @classmethod
    def of(cls, sql: str) -> _Said:
        # doubled quotes and pattern escapes are undone: the words of the question are compared
        texts = frozenset(text.replace("''", "'").replace("\\", "").lower() for text in _TEXT.findall(sql))
        # names are looked for outside of literals: a value `orders` names no table
        found = _NAME.findall(_TEXT.sub(" ", sql))
        # `order by` names no table: a name that is a keyword would stand in quotes
        named = [quoted or bare for quoted, bare in found if quoted or quote_ident(bare) == bare]
        return cls(frozenset(map(str.lower, named)), texts)

    def names_any(self, columns: Sequence[ColumnContext]) -> bool:
        return any(c.name.lower() in self.names for c in columns)


def covered(asked: Sequence[Phrase], scope: Scope, question: str, sql: str) -> None:
    """Raises Unclear where a phrase has no part in the query."""
    said = _Said.of(sql)
    for phrase in asked:
        if not _has_its_part(phrase, scope, said):
            raise Unclear(f"it is not clear what is meant by {phrase.link.text}")
        if (
            _a_state_left_out(phrase, said)
            or _a_deed_left_out(phrase, scope, said)
            or _a_value_left_out(phrase, scope, said)
            or _a_flag_of(phrase, scope, said)
            or _a_doer_left_out(phrase, scope, said)
        ):
            scope.doubt(f"whether {phrase.link.text} says which rows are meant", _STATE)
    for at, (phrase, behind) in enumerate(pairwise(asked)):
        # `lawyers led matters` is what they did
        does = at > 0 and asked[at - 1].mark in {"table", "column", "value", "quoted"} and phrase.link.glued
        if not does and _says_what_kind(phrase, behind):
            scope.doubt(f"whether {phrase.link.text} says which rows are meant", _STATE)
    _roles_of_verbs(scope, said)
    if not scope.continued:
        roles_unsaid([phrase.link for phrase in asked], scope, sql)
    against_its_direction([phrase.link for phrase in asked], scope, said.names)
    _words_left_out(asked, scope, question, said)


def _has_its_part(phrase: Phrase, scope: Scope, said: _Said) -> bool:
    # nothing is lost where a compound's first noun only says of what kind
    link = phrase.link
    if phrase.mark == "table" and not phrase.compound:
        return _names_a_table(link, scope, said)
    if phrase.mark == "value" and link.mark == "relation" and not link.values:
        return True  # a verb that a value elsewhere is called like
    if phrase.mark in {"value", "quoted"}:
        return _says_a_value(link, said) or said.names_any(link.columns) or _names_a_table(link, scope, said)
    if link.mark == "unit" or (link.mark == "value" and _says_a_value(link, said)):
        return True  # a flag of something else, taken for a value
    if phrase.mark != "column" or said.names_any(phrase.columns) or said.names_any(link.columns):
        return True
    # `how much did it cost` may be said of another column; a noun that names one may not, nor a flag
    flag = all(c.kind == "boolean" for c in phrase.columns)
    # verbs and first nouns may relate two rows without any column of theirs in the query
    verb = link.word.endswith("ed") or link.word in RELATING or stem(link.word) in SAME or phrase.compound
    return not (flag or (not verb and max(map(link.fit, phrase.columns)) >= _NAMES_IT))


def _a_state_left_out(phrase: Phrase, said: _Said) -> bool:
    """`the units requested that were delivered`, of rows with a number of units delivered: the verb taken for
    one that only relates is what a column of those rows holds.
    """
    # a year says no more than a date
    held = [
        c
        for c in phrase.columns
        if c.kind == "boolean"
        or (c.kind == "number" and "year" not in c.words)
        # a nullable time or number says by its absence whether something happened
        or (c.kind in {"date", "number"} and c.nulls)
    ]
    # only of tables that the query reads: elsewhere the word names nothing of these rows
    told = [c for c in held if c.table.name.lower() in said.names and not c.key]
    # `who fixed the most callouts`, of callouts with a time fixed_at that some lack
    dates = phrase.mark == "column" and phrase.link.mark == "relation" and all(c.kind == "date" for c in told)
    related = phrase.mark == "relation" or dates
    return related and bool(told) and not said.names_any(phrase.columns)


def _says_what_kind(phrase: Phrase, behind: Phrase) -> bool:
    """`the living authors`: a participle before its noun says which of them, where it took no part."""
    link, noun = phrase.link, behind.link
    dropped = phrase.mark == link.mark == "relation" and not (link.tables or link.columns or link.values)
    # the mark is the same as before the passes: nobody took the word for anything
    return (
        dropped
        and link.word.endswith(("ing", "ed"))
        and noun.mark == "table"
        and noun.glued
        and not link.verb
    )


def _a_deed_left_out(phrase: Phrase, scope: Scope, said: _Said) -> bool:
    """`how many cars were sold`, where sales are rows of their own."""
    # `sales` has no root of `sold`; those verbs were linked to a table by their meaning
    verb = phrase.link.word.endswith("ed")
    # `published`, where publishers are rows: who does it is no deed
    deeds = [t for t in phrase.link.tables if not (verb and scope.words(t)[-1].endswith(_AGENTS))]
    tables = {t.ref.name.lower() for t in deeds}
    if not phrase.link.tables and verb:
        # `have rated`, of ratings with a date rated_on
        tables = {c.table.name.lower() for c in phrase.columns}
    return phrase.mark == "relation" and bool(tables) and not tables & said.names


def _a_value_left_out(phrase: Phrase, scope: Scope, said: _Said) -> bool:
    """`the shares bought`, of transactions whose type is buy or sell; `a completed round`, of rounds with a
    code whose meaning is completed.
    """
    # the value's column is read, but the value is not in it: the word did not restrict the rows
    meant = [(c, v) for c, v in phrase.link.values if c.table.name.lower() in said.names]
    dropped = phrase.link.mark == "relation" and not said.names_any([c for c, _ in meant])
    if meant and dropped and not any(v.lower() in said.texts for _, v in meant):
        return True
    # `notifications that were read`, with a time read_at and a status `read`: which of both says so?
    if phrase.mark != "relation" and phrase.link.mark != "done":
        return False
    verb = root(phrase.link.word)
    read = [t for t in scope.context.tables if t.ref.name.lower() in said.names]
    kinds = [c for t in read for c in t.columns if 1 < len(c.values) <= _KINDS]
    told = {value.lower() for c in kinds for value in c.values if root(value.lower()) == verb}
    return bool(told) and not told & said.texts


def _a_flag_of(phrase: Phrase, scope: Scope, said: _Said) -> bool:
    """`cars in inventory`, of inventory snapshots with a flag that says whether one is."""
    link = phrase.link
    # an exact name of a table is no state of its rows
    if phrase.mark != "table" or not link.tables or link.fit(link.tables[0]) >= _NAMES_IT:
        return False
    flags = [c for c in link.tables[0].columns if c.kind == "boolean"]
    told = [c for c in flags if root(link.word) in {root(w) for w in scope.words(c)}]
    return bool(told) and not said.names_any(told)


def _a_doer_left_out(phrase: Phrase, scope: Scope, said: _Said) -> bool:
    """`companies that own land`, of contractors with a permit there, where parcels have owners: those who do
    what a verb says are known, and another way to the rows was taken.
    """
    if phrase.mark != "relation" or phrase.link.tables or phrase.link.columns or len(phrase.link.word) < 3:
        return False
    # the root of a short word is longer: `owner` of `own`
    verbs = {phrase.link.word.removesuffix(end) for end in ("", "s", "ed", "ing")} | {root(phrase.link.word)}

    def does(what: TableContext) -> bool:
        # verbs of another form: `own`, `owns`, `owned`, `owning` against `owner`
        word = scope.words(what)[-1]
        return word.endswith(_DOERS) and bool(verbs & {word[:-2], word[:-1], root(word)} - {word})

    doers = {t.ref.name.lower() for t in scope.context.tables if does(t)}
    keys = {key for j in scope.context.joins if j.one.table.name.lower() in doers for key in j.keys}
    named = doers | {key.name.lower() for key in keys}
    return bool(doers) and not named & said.names


def _says_a_value(link: Link, said: _Said) -> bool:
    values = {v.lower() for _, v in link.values} | {link.word}
    # partly said is enough: a pattern `%dune%` covers the value `Dune`
    return any(value in text for value in values for text in said.texts) or said.names_any(
        [c for c, _ in link.values]
    )


def _names_a_table(link: Link, scope: Scope, said: _Said) -> bool:
    """By its own name, a column of that name, or the key that refers to it."""
    refs = {t.ref for t in link.tables}
    keys = [key for j in scope.context.joins if j.one.table in refs for key in j.keys]
    return bool({ref.name.lower() for ref in refs} & said.names) or said.names_any([*link.columns, *keys])


def _roles_of_verbs(scope: Scope, said: _Said) -> None:
    """`institutions that borrowed objects` joined by the key of whom they were acquired from. Raises
    Unclear.
    """
    # short words are no roles: `at`, `to`
    spoken = {role(word): word for word in scope.roles if len(word) > 2}
    for word, keys in _roles(scope).items():
        told = [k for k in keys if k[1].lower() in said.names]
        # the key of another role was joined, while the one with the verb in it was not
        if word in spoken and told and not said.names_any([column for column, _ in keys]):
            raise Unclear(f"it is not clear what is meant by {spoken[word]}")


def _roles(scope: Scope) -> dict[str, list[tuple[ColumnContext, str]]]:
    """The words of keys that say a role, with the keys and the tables that they lead to."""
    found: dict[str, list[tuple[ColumnContext, str]]] = {}
    for many, one in (pair for join in scope.context.joins for pair in join.pairs):
        own = {role(w) for w in (*scope.words(one), *names.words(one.table.name))}
        # words of both tables say no role: `order_customer_id` of orders
        own |= {role(w) for w in (*names.KEY_WORDS, *names.words(many.table.name))}
        # of a table sbTicker, whose prefix says nothing
        own |= {role(w) for ref in (one.table, many.table) for w in scope.vocabulary.table_words[ref]}
        for word in scope.words(many):
            if word not in _NO_ROLES and role(word) not in own:
                found.setdefault(role(word), []).append((many, one.table.name))
    return found


def _words_left_out(asked: Sequence[Phrase], scope: Scope, question: str, said: _Said) -> None:
    """`objects on display`, where `display` is a word that says nothing elsewhere. Raises Unclear."""
    linked = {word for phrase in asked for word in plain(phrase.link.text).split()}
    flags = [c for t in scope.context.tables for c in t.columns if c.kind == "boolean"]
    for before, word in pairwise(["", *plain(question).split()]):
        # a word that no phrase took and that only counts as a filler, where a flag is called so
        if word in linked or len(word) < _SAYS_A_STATE or word not in FILLERS | RELATING or not before:
            continue
        meant = [c for c in flags if root(word) in {root(w) for w in scope.words(c)}]
        if meant and not said.names_any(meant) and any(c.table.name.lower() in said.names for c in meant):
            # the flag's table is read without the flag: the word should have been a condition
            raise Unclear(f"it is not clear what is meant by {before} {word}")
