"""The words by which a schema's tables and columns are spoken of.

Owns splitting names with the help of the other names (`authorid`, `sbTxAmount`), prefixes that say nothing,
and the phrases that may mean a column, each with how well it fits. Must not know a question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from rewright.ask.context import ColumnContext, Context, TableContext
from rewright.ask.reading.comments import name_in, named_by
from rewright.ask.reading.lexicon import INNER
from rewright.ask.reading.prefixes import (
    SHORTEST_PREFIX,
    common_letters,
    common_prefix,
    shared_start,
    stands_for,
    without,
)
from rewright.ask.reading.words import listed, root, stem
from rewright.lake import names
from rewright.sql.algebra import TableRef

Words = tuple[str, ...]
Key = tuple[str, ...]

_GENERAL = frozenset(
    listed(
        "id name names code number num no count date time year month day type status title first last full "
        "user by of to from "
        "total avg min max amount price cost value key text desc description city state country email phone "
        "address start end "
        "join hire ship pay paid due issue expiry close open order sign reg register login "
        "daily weekly monthly yearly active "
        "zip birth created updated at in on is has per rate score rank level size group class order line "
        "item priority mode segment instruct instruction comment balance retail supply flag quantity "
        "account extended return market commit receipt discount brand container part acct cust avail "
        "addr dept qty amt bal cnt"
    )
)
_COUNTING = frozenset({"number", "count", "total", "num", "quantity", "cnt", "qty", "average"})
_LITTLE = frozenset(
    {
        "name",
        "title",
        "text",
        "date",
        "dt",
        "is",
        "has",
        "ts",
        "at",
        "time",
        "string",
        "flag",
        "value",
        "label",
    }
)
_UNITS = frozenset(
    {
        "kg",
        "kilogram",
        "gram",
        "cent",
        "eur",
        "euro",
        "litre",
        "liter",
        "cm",
        "centimeter",
        "mile",
        "km",
        "kilometer",
        "meter",
        "dollar",
        "usd",
        "hour",
        "hr",
        "hrs",
        "minute",
        "second",
        "ms",
        "millisecond",
        "sqm",
        "sqft",
        "sqkm",
        "kwh",
        "feet",
        "inch",
        "pound",
    }
)
_OF_TIME = frozenset({"second", "sec", "minute", "hour", "hr", "hrs", "ms", "millisecond"})
_PARTICLES = frozenset({"up", "in", "out", "off"})
_JOINING = frozenset({"per", "by", "of", "to", "from", "and", "or", "in", "on", "at", "for", "with"})
_OF_NAMES = frozenset({"first", "last", "middle", "full"})
"""What of a name alone says something else: `first` is no first name."""
_NEVER_LAST = frozenset({"per", "or", "and", "of"})
THOSE_OF = 0.8
"""How well `member` fits a table of memberships."""
_TOLD, _TOLD_LAST = 0.95, 0.88
"""How well the name fits that a comment begins with, and its last word."""
_TOLD_BY = frozenset({"number", "no", "code", "ref", "reference"})
_BY_NUMBER = 0.95
"""How well `invoices` fits an invoice_number, where there is an invoice_date as well."""
_KEYS = frozenset({"id", "no", "number", "code", "key"})
_BY_KEY, _BY_ITS_KEY, _SHORTEST = 0.9, 0.95, 4
"""How well a table is called by what its key is of, and by a word of its own that its key is of; letters of
the first.
"""
_TAILS = (
    (frozenset({"phone", "telephone", "mobile", "fax"}), "number"),
    (frozenset({"zip", "postal", "iata", "icao", "iso"}), "code"),
    (frozenset({"email", "mail"}), "address"),
)
"""`phone number`, `email address`: words that say no more than the name before them."""


@dataclass
class Vocabulary:
    """Phrases to what they may mean; a key is the sorted stems of a phrase."""

    context: Context
    table_words: dict[TableRef, Words] = field(default_factory=dict)
    column_words: dict[tuple[TableRef, str], Words] = field(default_factory=dict)
    tables: dict[Key, list[tuple[TableContext, float]]] = field(default_factory=lambda: defaultdict(list))
    columns: dict[Key, dict[ColumnContext, float]] = field(default_factory=lambda: defaultdict(dict))
    roots: dict[Key, set[Key]] = field(default_factory=lambda: defaultdict(set))

    @cached_property
    def known(self) -> frozenset[str]:
        """Every word of a table's or column's name."""
        return frozenset(
            w for words in (*self.table_words.values(), *self.column_words.values()) for w in words
        )

    @cached_property
    def measured(self) -> frozenset[str]:
        """Words of names of numbers that are in no table's name."""
        held = (c for t in self.context.tables for c in t.columns if c.kind == "number" and not c.key)
        numbers = {w for c in held for w in (*self.words(c), c.name.lower())}
        return frozenset(numbers - {w for words in self.table_words.values() for w in words})

    def words(self, column: ColumnContext) -> Words:
        return self.column_words[column.table, column.name]


def key_of(words: Sequence[str]) -> Key:
    return tuple(sorted(map(stem, words)))


def vocabulary(context: Context) -> Vocabulary:
    """Built once a context. Linear in columns times the words of their names."""
    made = Vocabulary(context)
    prefix = common_prefix([names.normal(t.ref.name).split() for t in context.tables])
    letters = common_letters([t.ref.name for t in context.tables])
    known = _known(context, letters)
    for table in context.tables:
        words = _split(names.words(without(table.ref.name[len(letters) :], prefix)), known) or table.words
        made.table_words[table.ref] = words
        for key, score in _table_phrases(words):
            made.tables[key].append((table, score))
            made.roots[_rooted(key)].add(key)
        spelled = _as_spelled(table.ref.name[len(letters) :])
        if not set(spelled) & set(words) and key_of(spelled) not in made.tables:
            made.tables[key_of(spelled)].append((table, 1.0))
            made.roots[_rooted(key_of(spelled))].add(key_of(spelled))
    for table in context.tables:
        first = next((c for c in table.columns if c.key), None)
        for column, words in _columns_split(table, made.table_words[table.ref], known, prefix, letters):
            made.column_words[column.table, column.name] = words
            spellings = (words, _kept_words(column.name, words), _as_spelled(column.name))
            for own in dict.fromkeys(spellings):
                for phrase, score in _column_phrases(
                    own, made.table_words[table.ref], column, identifies=column is first
                ):
                    key = key_of(phrase)
                    made.columns[key][column] = max(score, made.columns[key].get(column, 0.0))
                    made.roots[_rooted(key)].add(key)
        _told_by_numbers(made, table)
    _called_by_keys(made)
    _called_in_comments(made)
    return made


def _told_by_numbers(made: Vocabulary, table: TableContext) -> None:
    """An invoice is its invoice_number before it is an invoice_date, where it has no name and no rows."""
    held = {made.words(c) for c in table.columns}
    for column in table.columns:
        *base, last = made.words(column)
        named = {(*base, "name"), (*base, "title"), tuple(base)} & held
        if column.kind != "text" or last not in _TOLD_BY or named:
            continue
        if not set(base) <= set(made.table_words[table.ref]):
            key = key_of(base)
            made.columns[key][column] = max(_BY_NUMBER, made.columns[key].get(column, 0.0))
            made.roots[_rooted(key)].add(key)


def _called_by_keys(made: Vocabulary) -> None:
    """A table chairlift with the key lift_id: its rows are lifts, where no table is called so."""
    for table in made.context.tables:
        keys = [c for c in table.columns if c.key]
        if len(keys) != 1 or keys[0] != table.columns[0] or made.context.refers(keys[0]):
            continue
        *base, last = made.words(keys[0])
        key = key_of(base)
        own = set(base) <= set(made.table_words[table.ref])
        whole = any(score >= 1.0 for _, score in made.tables.get(key, ()))
        # `cmp_id` is a complaint's own
        cut = any(len(word) < _SHORTEST or stands_for(word, made.table_words[table.ref]) for word in base)
        # nor is `job` cut, of a table pjob of `pilotage jobs`
        cut = cut and not (base and base[-1] in name_in(table.comment)[-1:])
        if base and last in _KEYS and not whole and (own or not cut):
            others = [(t, score) for t, score in made.tables.get(key, ()) if t.ref != table.ref]
            made.tables[key] = [(table, _BY_ITS_KEY if own else _BY_KEY), *others]
            made.roots[_rooted(key)].add(key)


def _called_in_comments(made: Vocabulary) -> None:
    """Names that comments give to what nothing else is called: the table `ctr` of `mooring contracts`."""
    tables = [(t, name_in(t.comment)) for t in made.context.tables if t.comment]
    for table, words in tables:
        for said, score in ((words, _TOLD), (words[-1:], _TOLD_LAST)):
            key = key_of(said)
            if said and key not in made.tables and not made.columns.get(key):
                made.tables[key].append((table, score))
                made.roots[_rooted(key)].add(key)
    for table in made.context.tables:
        for column in table.columns:
            words = named_by(column)
            _dates_in_comments(made, column, words)
            key = key_of(words)
            if words and key not in made.tables and not made.columns.get(key):
                made.columns[key][column] = _TOLD
                made.roots[_rooted(key)].add(key)


def _dates_in_comments(made: Vocabulary, column: ColumnContext, words: Words) -> None:
    """`hr_dt`, of which the comment says `date hired`: its name is as if it were hired_date."""
    said = tuple(w for w in words if w != "date")
    if column.kind != "date" or len(said) != 1 or len(words) == 1 or made.columns.get(key_of(said)):
        return
    made.column_words[column.table, column.name] = (*said, "date")
    for phrase, score in ((said, _TOLD_LAST), ((*said, "date"), _TOLD)):
        made.columns[key_of(phrase)][column] = score
        made.roots[_rooted(key_of(phrase))].add(key_of(phrase))


def _as_spelled(name: str) -> Words:
    """A name's own words, where what is written out is another language's: `tag` is no day."""
    return tuple(map(names.singular, names.normal(name).split()))


def _kept_words(name: str, words: Words) -> Words:
    """The words with those of another language as they are spelled: the `cargo` of a lot is no job."""
    spelled = _as_spelled(name)
    return spelled if len(spelled) == len(words) else words


def _rooted(key: Key) -> Key:
    return tuple(sorted(map(root, key)))


def _known(context: Context, letters: str) -> frozenset[str]:
    found = set(_GENERAL)
    for table in context.tables:
        normal = names.normal(table.ref.name).split()
        normal += names.normal(table.ref.name[len(letters) :]).split() if letters else []
        for word in (*normal, *map(names.singular, normal), *(root(w) for w in normal if len(w) > 3)):
            if len(word) > 2:
                found |= {
                    word,
                    f"{word}s",
                    f"{word}ing",
                    f"{word}d",
                    f"{word}ed",
                    word.removesuffix("e") + "ing",
                }
        for column in table.columns:
            found |= {w for w in names.normal(column.name).split() if 2 < len(w) < 9}
    return frozenset(found)


@lru_cache(maxsize=20_000)
def _apart(word: str, known: frozenset[str]) -> Words:
    """`authorid` as (`author`, `id`) where both are known words; itself otherwise."""
    if len(word) < 5:
        return (word,)
    best = _segments(word, known - {word}, 4)
    # a shipper is no `ship per`, an author no `auth or`
    return best if best and best[-1] not in _NEVER_LAST else (word,)


def _segments(word: str, known: frozenset[str], most: int) -> Words | None:
    if not word:
        return ()
    if not most:
        return None
    for end in range(len(word), 1, -1):
        if word[:end] in known and (rest := _segments(word[end:], known, most - 1)) is not None:
            return (word[:end], *rest)
    return None


def _split(words: Words, known: frozenset[str]) -> Words:
    made: list[str] = []
    for word in words:
        pieces = _apart(word, known)
        made += (
            [word]
            if pieces == (word,)
            else [names.singular(w) for piece in pieces for w in names.words(piece)]
        )
    return tuple(made)


def _columns_split(
    table: TableContext, table_words: Words, known: frozenset[str], prefix: str, letters: str
) -> Iterator[tuple[ColumnContext, Words]]:
    if letters:
        shared = shared_start([c.name.lower() for c in table.columns])
        if len(table.columns) >= SHORTEST_PREFIX and shared.startswith(letters):
            for column in table.columns:
                yield column, _split(names.words(column.name[len(shared) :]), known) or column.words
            return
    spelled = {c: names.normal(without(c.name, prefix)).split() for c in table.columns}
    firsts = Counter(words[0] for words in spelled.values() if len(words) > 1)
    word, times = firsts.most_common(1)[0] if firsts else ("", 0)
    enough = len(table.columns) >= SHORTEST_PREFIX and times >= 0.7 * len(table.columns)
    own = word if enough and stands_for(word, table_words) else ""
    for column in table.columns:
        name = without(without(column.name, prefix), own)
        yield column, _split(names.words(name), known) or column.words


def _table_phrases(words: Words) -> Iterator[tuple[Key, float]]:
    yield key_of(words), 1.0
    if words[-1].endswith("ship") and len(words[-1]) > 8:
        # `members of a team`, of memberships
        yield key_of((*words[:-1], words[-1].removesuffix("ship"))), THOSE_OF
    if len(words) > 1:
        yield (stem("".join(words)),), 0.95
        # `daily price records`, `wallet transactions` of wallet_transactions_daily
        for at in range(len(words)):
            rest = words[:at] + words[at + 1 :]
            yield key_of(rest), 0.6 if at == len(words) - 1 and len(rest) == 1 else 0.7


def _parts(words: Words) -> Iterator[Words]:
    """A table's name but for a word: `transactions` of wallet_transactions_daily is one of its words."""
    if len(words) > 1:
        for at in range(len(words)):
            yield (words[at],)
            yield words[:at] + words[at + 1 :]


def _column_phrases(
    words: Words, table_words: Words, column: ColumnContext, *, identifies: bool
) -> Iterator[tuple[Words, float]]:
    bare = tuple(w for w in words if w not in table_words) or words
    yield words, 1.0
    if 1 < len(told := tuple(w for w in words if w not in INNER)) < len(words):
        yield told, 1.0  # `out of service`, of out_of_service
    yield bare, 0.97
    if len(bare) > 1:
        yield ("".join(bare),), 0.95  # the payload of pay_load
    yield (*table_words, *bare), 1.0
    if bare != words:
        yield (*table_words, *(w for w in words if w not in table_words)), 1.0
    if identifies or (column.unique and words == ("id",)):
        yield (*table_words, "id"), 0.98
        yield ("id",), 0.6
    for part in _parts(table_words):
        yield (*part, *bare), 0.9
    if column.kind == "date" and words[-1] in {"on", "at"} and len(words) > 1:
        # `the release date` of released_on
        yield (*words[:-1], "date"), 0.95
        yield (*(w for w in words[:-1] if w not in table_words), "date"), 0.95
    if column.kind == "date" and words[0] == "born":
        yield ("birth", "date"), 0.95
    if column.kind == "text" and words[-1] not in {"name", "title", "id", "code"}:
        yield (*words, "name"), 0.9
    for ends, general in _TAILS:
        if column.kind == "text" and words[-1] in ends:
            yield (*words, general), 0.95
    timed = tuple(w for w in words if w not in _OF_TIME)
    if column.kind == "number" and 0 < len(timed) < len(words) and "time" not in words:
        yield (*timed, "time"), 0.9  # `the listening time` of seconds_listened
    for verb, particle in pairwise(words):
        if particle in _PARTICLES and verb.endswith("ed") and column.kind == "date":
            yield (f"{root(verb)}{particle}",), 0.95  # `signup` of signed_up_at
    short = tuple(w for w in words if w not in _LITTLE and w not in _UNITS)
    if short and short != words and not set(short) <= _OF_NAMES:
        yield short, 0.9
        yield (*table_words, *short), 0.9
    if column.kind == "number" and (counted := tuple(w for w in words if w not in _COUNTING)) not in {
        words,
        (),
    }:
        yield counted, 0.85
        yield (*table_words, *counted), 0.85
        if (tail := tuple(w for w in counted if w not in _UNITS)) and tail != counted:
            yield tail, 0.85
    for size in range(len(words) - 1, 0, -1):
        for start in range(len(words) - size + 1):
            part = words[start : start + size]
            if {part[0], part[-1]} & _JOINING:
                continue
            if not set(part) <= (_LITTLE | _UNITS | _COUNTING | {"id", "by", "of", "to", "from", "and"}):
                last = 0.05 if start + size == len(words) else 0.0
                yield part, 0.4 + 0.4 * size / len(words) + last
