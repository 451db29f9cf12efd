"""Words of a question that name tables and columns: in whole, in part, cut to a few letters, by another word.

Owns what the vocabulary and the encoder give for a phrase. Which phrases are tried is the linker's to decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rewright.ask.context import Context, TableContext
from rewright.ask.reading.adjectives import ADJECTIVES, SAME
from rewright.ask.reading.lexicon import FILLERS, GRAMMAR, INNER, PERIODIC, RELATING, TIME_UNITS
from rewright.ask.reading.link import Link, keys, together
from rewright.ask.reading.nearness import Nearness
from rewright.ask.reading.other_words import other_words
from rewright.ask.reading.shortened import LETTERS, Shortened
from rewright.ask.reading.vocabulary import THOSE_OF, Key, Vocabulary, key_of
from rewright.ask.reading.words import Token, root, stem
from rewright.lake import names

WHOLE = 0.95
"""Fit from which on a phrase is the whole name."""
# a name by one word in three fits far less than the name in full
_CLOSE = 0.3
"""Candidates this much worse than the best are no candidates."""
_SAME_FIT = 0.88
# the thesaurus holds words to be the same in any sense, so its word counts half
_OTHER_FIT = 0.55
"""Fits of a word that people use for another, and of one that only the thesaurus holds to be the same."""
_CUT = {
    "repo": "repository", "app": "application", "config": "configuration", "env": "environment",
    "dev": "developer", "admin": "administrator", "uni": "university", "spec": "specification",
    "exam": "examination", "lab": "laboratory", "ad": "advertisement", "mgmt": "management",
    "biz": "business", "photo": "photograph", "perm": "permission", "sub": "subscription", "bike": "bicycle",
    "fridge": "refrigerator", "gym": "gymnasium", "vet": "veterinarian", "prof": "professor",
}  # fmt: skip
"""Words that people cut short when they speak, beside those that names are cut to."""
_EVENTS = {
    root(verb): nouns.split()
    for verb, nouns in {
        "borrow": "loan lending checkout", "lend": "loan lending", "buy": "purchase order sale",
        "rent": "rental hire", "fly": "flight", "watch": "viewing view", "travel": "trip journey",
        "ride": "ride trip", "complain": "complaint",
        "attend": "attendance", "die": "death", "drive": "drive trip", "sell": "sale",
        "rate": "rating review",
    }.items()
}  # fmt: skip
"""Verbs, and the tables of what they do."""
_AGENTS = ("er", "or", "ist", "ee")
_COUNT_OPENERS = ("number of ", "count of ", "how many ", "total number of ", "amount of ")
LABELS = frozenset({"name", "names", "title", "titles"})
IDENTIFIERS = frozenset({"id", "ids", "identifier", "identifiers"})
_SPOKEN = frozenset(GRAMMAR) | frozenset(ADJECTIVES) | RELATING | frozenset(TIME_UNITS) | frozenset(PERIODIC)
_ADVERBS = frozenset(
    {"still", "already", "again", "even", "once", "always", "never", "only", "just", "away", "instead"}
)
"""What no name of a schema is cut from: `still` is no `stl_dt`."""
_DEEDS = frozenset({"cost", "left", "sold", "paid", "sent", "built", "held", "lent", "made"})
_ARTICLES = frozenset({"a", "an", "the", "any"})
_BY_WHOM = frozenset({"by", "to", "from"})
# prefixes that turn a word round; three letters must be left, as in `in-` of `inch`
_CONTRARY = re.compile(r"^(?:un|non-?|in|im|ir|dis)(?=\w{3})")


class NamesSaid:
    """The names of one context, as phrases may say them; made once for it."""

    def __init__(self, context: Context, vocabulary: Vocabulary, nearness: Nearness) -> None:
        self.vocabulary = vocabulary
        self.nearness = nearness
        self.shortened = Shortened(context, nearness.is_word)

    def tables_by_root(self, word: str) -> tuple[TableContext, ...]:
        """`sprayed` says the name of a table spraying."""
        keys = self.vocabulary.roots.get((root(word),), set())
        return tuple(
            t for key in sorted(keys) for t, fit in self.vocabulary.tables.get(key, ()) if fit >= WHOLE
        )

    def events(self, verb: str) -> tuple[TableContext, ...]:
        """The one table of what a verb does, where it says it by another word: `borrowed`, of loans."""
        found = {
            t.ref: t
            for noun in _EVENTS.get(root(verb), ())
            for t, fit in self.vocabulary.tables.get(key_of([noun]), ())
            if fit >= WHOLE
        }
        # two tables of such deeds (loans and holds): the verb does not say which
        return tuple(found.values()) if len(found) == 1 else ()

    def general(self, text: str, lowered: str) -> Link:
        """`name` and `id` are of the table spoken of."""
        mark = "label" if lowered in LABELS else "identifier"
        columns = self.vocabulary.columns.get(key_of([lowered]), {})
        rows = [t for t, fit in self.vocabulary.tables.get(key_of([lowered]), ()) if fit >= WHOLE]
        # a table of titles owns the word, unless other tables have titles as well
        if rows and {c.table for c in columns} <= {rows[0].ref}:
            # `the titles that have no copies`, of a table of titles
            return Link(text, "table", (rows[0],), tuple(columns), fits={rows[0].ref: 1.0})
        return Link(
            text, mark, columns=tuple(columns), fits={(c.table, c.name): f for c, f in columns.items()}
        )

    def of_run(self, run: Sequence[Token]) -> Link | None:
        words = [w for t in run if t.word not in INNER for w in re.split(r"[_-]", t.word) if w]
        # a run begins and ends with a word that can name something
        if not words or run[0].word in FILLERS or run[-1].word in FILLERS or run[-1].word in INNER:
            return None
        # grammar inside a run parts it: `name of the client` is two phrases, `date of birth` one
        if any(t.word in FILLERS - INNER - {"'s"} for t in run) or run[-1].word == "'s":
            return None
        words = [w for w in words if w != "'s"]
        text = " ".join(t.text for t in run)
        if (
            len(words) > 1
            and (words[-1].endswith(("ed", "up", "off")) or words[-1] in _DEEDS)
            and self._several_rows(words[:-1])
        ):
            return None  # `members joined`: what they did, no column of theirs
        if len(words) > 2 and words[-1] in _BY_WHOM and self._several_rows(words[:-2]):
            return None  # `repairs reported by`
        # the last word is a whole table's name: what stands before may only tell its kind
        of_table = len(words) > 1 and any(
            f >= 1.0 for _, f in self.vocabulary.tables.get(key_of(words[-1:]), ())
        )
        for key in keys(words):
            link = self.link(text, key, 1.0)
            # `home games` are games, whatever column has both words; `emergency admissions` are admissions
            # but what `requires a prescription` is none
            flags = link is not None and all(c.kind == "boolean" for c in link.columns)
            partly = link is not None and (
                max(link.fits.values()) < WHOLE or (flags and not any(t.word in _ARTICLES for t in run))
            )
            if link is not None and not (of_table and link.mark == "column" and partly):
                return link
        return self._cut(text, words)

    def _cut(self, text: str, words: Sequence[str]) -> Link | None:
        """`donors`, of a table dnr. A word that says something by itself is not looked for so."""
        # `us` or `no` would else be found as the letters of some name
        if len(words) == 1 and (words[0] in _SPOKEN | _ADVERBS or (root(words[0]),) in self.vocabulary.roots):
            return None
        for reading, fit in self.shortened.readings(words):
            if (link := self.link(text, key_of(reading), fit)) is not None:
                # another word of the name is a second sign
                link.loosely_cut = len(words) == 1 and fit < LETTERS
                return link
        return None

    def _several_rows(self, words: Sequence[str]) -> bool:
        named = self.vocabulary.tables.get(key_of(words), ())
        return words[-1].endswith("s") and any(fit >= 1.0 for _, fit in named)

    def link(self, text: str, key: Key, worth: float) -> Link | None:
        tables = self.vocabulary.tables.get(key, [])
        columns = dict(self.vocabulary.columns.get(key, {}))
        opener = next((o for o in _COUNT_OPENERS if text.lower().startswith(o)), "")
        # `number of orders` counts orders where there is such a table, whatever column is called so
        if opener and self.vocabulary.tables.get(key_of(text.lower().removeprefix(opener).split())):
            return None
        best = max([*(s for _, s in tables), *columns.values()], default=0.0)
        if not best:
            return None
        # names that fit far worse than the best are no candidates, or each word would mean anything
        tables = [(t, s) for t, s in tables if s >= best - _CLOSE]
        columns = {c: s for c, s in columns.items() if s >= best - _CLOSE}
        # a table's own name is the table, unless the column fits better
        mark = "table" if tables and max(s for _, s in tables) >= 0.6 else "column"
        own = [c for c, s in columns.items() if s >= WHOLE and not c.key]
        # a column's whole name beats a table that has the word as a part
        if tables and own and max(s for _, s in tables) < WHOLE - 0.2:
            mark = "column"  # `streams`, of rows monthly_streams with a number of that name
        fits: dict[object, float] = {t.ref: s * worth for t, s in tables}
        fits |= {(c.table, c.name): s * worth for c, s in columns.items()}
        ranked = sorted(tables, key=lambda pair: -pair[1])
        return Link(text, mark, tuple(t for t, _ in ranked), tuple(columns), fits=fits)

    def another_thing(self, word: str, link: Link, found: Sequence[Link]) -> bool:
        """Ships are neither shippers nor shipments: who does it is not what is done, nor either what it is
        done to.
        """
        # participles may relate any two tables
        if word.endswith(("ed", "ing")):
            return False
        named = self.vocabulary.table_words[link.tables[0].ref][-1]
        tables = {t.ref for other in found if other.mark == "table" for t in other.tables[:1]}
        # endings of persons on one side only: one word does what the other is
        return len(tables) > 1 or stem(word).endswith(_AGENTS) != named.endswith(_AGENTS)

    def same(self, token: Token) -> Link | None:
        # `people` are persons, and a number of people is a population
        short = names.singular(token.word)
        if (written := _CUT.get(short) or names.ABBREVIATIONS.get(short)) is not None:
            found = self.link(token.text, key_of(written.split()), _SAME_FIT)
            if found is not None:
                return found
        words = dict.fromkeys((*SAME.get(stem(token.word), ()), *SAME.get(token.word, ())))
        same = [self.link(token.text, key_of([word]), _SAME_FIT) for word in words]
        # a user may be a member, but is no membership
        those_of = THOSE_OF * _SAME_FIT
        # `user` for `member` must not lead on from a member to the memberships
        links = [one for one in same if one is not None and one.fits.get(_first(one)) != those_of]
        return together(links) if links else None

    def otherwise(self, run: Sequence[Token]) -> Link | None:
        """`job title`, of positions: a whole name that the thesaurus has in one line with the phrase."""
        text = " ".join(t.text for t in run)
        found = (self.link(text, key_of(other), _OTHER_FIT) for other in other_words([t.word for t in run]))
        # by the thesaurus only a whole name is near enough: parts of names fit too many
        whole = [one for one in found if one is not None and max(one.fits.values()) >= _OTHER_FIT * WHOLE]
        return together(whole) if whole else None

    def near(self, token: Token) -> Link | None:
        # two letters and numbers have no nearest word that means anything
        if len(token.word) < 3 or not token.word.isalpha():
            return None
        if (same := self.same(token) or self.otherwise([token])) is not None:
            return same
        # a capital is a name, and a participle relates: neither has a synonym in the schema
        if token.text[:1].isupper() or len(token.word) < 4 or token.word.endswith("ed"):
            return None
        found = self.nearness.of(token.word)
        if found is None:
            return None
        key, worth = found
        if any(
            root(_CONTRARY.sub("", token.word)) == root(word) for word in key if _CONTRARY.match(token.word)
        ):
            return None  # `unpaid` is near to `paid`, and its contrary
        # near is half as good as said: another candidate wins where there is one
        return self.link(token.text, key, worth / 2)


def _first(link: Link) -> object:
    return link.tables[0].ref if link.tables else None
