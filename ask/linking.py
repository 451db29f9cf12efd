"""The words of a question linked to what they may mean: tables, columns, values, numbers, times, and the
words of the grammar.

Owns the linking, longest phrase first. What a phrase means when several columns fit is the parser's to
decide. Must not know SQL.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from rewright.ask.context import ColumnContext, Context, TableContext
from rewright.ask.reading.adjectives import ADJECTIVES, SAME
from rewright.ask.reading.lasting import is_timed, time_mark
from rewright.ask.reading.lexicon import (
    FILLERS,
    GRAMMAR,
    INNER,
    PERIODIC,
    RELATING,
    RETURNING,
    TIME_UNITS,
)
from rewright.ask.reading.link import (
    Link,
    genders,
    keys,
    only_these,
    plain,
    preposition,
    says_how_many,
    together,
    unit,
)
from rewright.ask.reading.moments import moment_at
from rewright.ask.reading.nearness import Nearness
from rewright.ask.reading.places import places
from rewright.ask.reading.respelling import Respelling
from rewright.ask.reading.shortened import Shortened
from rewright.ask.reading.vocabulary import Key, key_of, vocabulary
from rewright.ask.reading.words import Token, listed, root, stem, tokens
from rewright.lake import names

_LONGEST = 6
_WEAK = 0.75
"""Fit below which a word of the grammar wins over a column of that name."""
_CLOSE = 0.3
"""Candidates this much worse than the best are no candidates."""
_BY_ROOT = 0.85
_WHOLE = 0.95
_AGENT = 0.3
_SAME_FIT = 0.88
_AGENTS = ("er", "or", "ist", "ee")
_COUNT_OPENERS = ("number of ", "count of ", "how many ", "total number of ", "amount of ")
_THEIRS = frozenset(listed("their its his her"))
_LABELS = frozenset({"name", "names", "title", "titles"})
_IDENTIFIERS = frozenset({"id", "ids", "identifier", "identifiers"})
_SYMBOLS = {">": ">", "<": "<", ">=": ">=", "<=": "<=", "=": "=", "<>": "!=", "!=": "!="}


class Linker:
    """Links questions over one context; made once for it. Not for several threads at once."""

    def __init__(self, context: Context, nearness: Nearness | None = None) -> None:
        self.context = context
        self.vocabulary = vocabulary(context)
        self.nearness = nearness or Nearness(self.vocabulary)
        self.shortened = Shortened(context, self.nearness.is_word)
        self.respelling = Respelling(self._spoken(), self._no_word)
        self._timed = False
        self._values: dict[str, list[tuple[ColumnContext, str]]] = defaultdict(list)
        self._value_roots: dict[str, list[tuple[ColumnContext, str]]] = defaultdict(list)
        for table in context.tables:
            for column in table.columns:
                for code, words in genders(column, self.vocabulary.words(column)):
                    for word in words:
                        self._values[word].append((column, code))
                for value, name in places(column, self.vocabulary.words(column)):
                    self._values[name].append((column, value))
                for value in column.values:
                    self._values[plain(value)].append((column, value))
                    if len(column.values) <= _FEW and value.isalpha() and len(value) > 3:
                        self._value_roots[root(value.lower())].append((column, value))

    def _spoken(self) -> Iterator[str]:
        """The words of names, as they are spelled and as they are spoken, and of values."""
        known = self.vocabulary
        for words in (*known.table_words.values(), *known.column_words.values()):
            yield from words
        for table in self.context.tables:
            yield from names.normal(table.ref.name).split()
            for column in table.columns:
                yield from names.normal(column.name).split()
                for value in column.values:
                    yield from plain(value).split()

    def _no_word(self, word: str) -> bool:
        return self.nearness.is_no_word(word) and self.nearness.is_no_word(names.singular(word))

    def link(self, question: str) -> list[Link]:
        words, respelled = self.respelling.respelled(tokens(question))
        self._timed = is_timed(question)
        links: list[Link] = []
        at = ended = 0
        while at < len(words):
            link, taken = self._at(words, at)
            if link is not None:
                link.preposition = preposition(words, at)
                link.misspelled = bool(respelled & set(range(at, at + taken)))
                link.theirs = at > 1 and words[at - 1].word in _THEIRS and words[at - 2].word in {"and", ","}
                link.verb = any(w.word in _SAYS for w in words[ended:at])
                link.added = at > 0 and words[at - 1].word in {"and", "&"}
                link.glued = at > 0 and ended == at
                ended = at + taken
                links.append(link)
            at += taken
        return links

    def _at(self, words: Sequence[Token], at: int) -> tuple[Link | None, int]:
        token = words[at]
        if (timed := self._moment(words, at)) is not None:
            return timed
        if token.kind in {"comma", "stop"}:
            return Link(token.text, token.kind), 1
        if token.kind == "sign" and token.text in {"/", "&", "%", "+"}:
            return None, 1
        if token.kind == "sign":
            return Link(token.text, _SYMBOLS.get(token.text, "unknown")), 1
        if token.kind == "number":
            return Link(token.text, "number", number=token.word), 1
        if token.kind == "quoted":
            return self._quoted(token), 1
        return self._phrase_at(words, at)

    def _moment(self, words: Sequence[Token], at: int) -> tuple[Link, int] | None:
        found = moment_at(words, at)
        if found is None:
            return None
        moment, taken = found
        follows = words[at + taken] if at + taken < len(words) else None
        # `after 2000 citations` is a number of citations
        counted = follows is not None and follows.kind == "word" and words[at + taken - 1].kind == "number"
        if (
            counted
            and follows is not None
            and self._named([follows]) is not None
            and moment.years is not None
        ):
            return None
        return Link(moment.said, "moment", moment=moment), taken

    def _phrase_at(self, words: Sequence[Token], at: int) -> tuple[Link | None, int]:
        if words[at].word == "per" and at + 1 < len(words) and words[at + 1].word in {"square", "cubic"}:
            return None, 3
        if only_these(words, at):
            return None, 1
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            run = words[at : at + length]
            if all(t.kind == "word" for t in run) and (link := self._phrase(run)) is not None:
                return link, length
        token = words[at]
        also = at > 0 and words[at - 1].word in {"also", "additionally"}
        if token.word in RETURNING and (
            at == 0 or words[at - 1].kind in {"stop", "comma"} or words[at - 1].word in _POLITE
        ):
            return Link("also" if also else token.text, "return"), 1
        if self._timed and (mark := time_mark(words, at)):
            return Link(token.text, mark), 1
        if token.word == "all" and says_how_many(words, at):
            return Link(token.text, "every"), 1
        if token.word in FILLERS or unit(words, at):
            return None, 1
        if token.word == "per" and at + 1 < len(words) and words[at + 1].word in {"square", "cubic"}:
            return None, 3
        if token.word in TIME_UNITS or token.word in PERIODIC:
            return Link(token.text, "unit" if token.word in TIME_UNITS else "periodic"), 1
        if token.word == "amount":
            return Link(token.text, "amount"), 1
        if (derived := self._derived(words, at)) is not None:
            return derived
        paid = self._same(token) if stem(token.word) == "earn" else None
        if paid is not None and at + 1 < len(words) and words[at + 1].word in _MEASURING:
            return paid, 1
        if token.word in RELATING:
            return Link(token.text, "relation"), 1
        if held := self._other_number(token):
            return Link(token.text, "value", values=tuple(held)), 1
        if (near := self._near(token)) is not None:
            return near, 1
        return Link(token.text, "unknown"), 1

    def _quoted(self, token: Token) -> Link:
        named = self._named([t for t in tokens(token.text) if t.kind == "word"])
        if named is not None and not self._values.get(plain(token.text)) and "_" in token.text:
            return named
        found = self._values.get(plain(token.text), ())
        exact = tuple((c, v) for c, v in found if v.lower() == token.text.lower())
        return Link(token.text, "quoted", values=exact or tuple(found))

    def _phrase(self, run: Sequence[Token]) -> Link | None:
        text = " ".join(t.text for t in run)
        lowered = " ".join(t.word for t in run)
        if len(run) == 1 and lowered in FILLERS and not self._letter(text):
            return None
        if lowered in _LABELS | _IDENTIFIERS:
            return self._general(text, lowered)
        named = self._named(run) if lowered != "no" else None
        # a common word counts as a value only as it is written in the data, or when it is nothing else
        values = self._values.get(plain(text), ()) if run[0].word not in FILLERS - {"the", "a"} else ()
        if self._letter(text):
            return Link(
                text, "value", values=tuple((c, v) for c, v in self._values[plain(text)] if v == text)
            )
        sure = len(run) > 1 or any(v == text and not text.islower() for _, v in values)
        if values and (sure or named is None or max(named.fits.values()) < _WEAK) and lowered not in GRAMMAR:
            return Link(
                text,
                "value",
                tables=named.tables if named else (),
                columns=named.columns if named else (),
                values=tuple(values),
            )
        if adjective := ADJECTIVES.get(lowered):
            way = "top" if adjective.steps[0][0] == "desc" else "bottom"
            mark = way if adjective.sort == "superlative" else "comparative"
            return Link(text, mark, adjective=adjective)
        mark = GRAMMAR.get(lowered, "")
        if (
            mark == "sum"
            and run[-1].word == "of"
            and (whole := self._named(run[:-1])) is not None
            and max(whole.fits.values()) >= _WHOLE
        ):
            return None
        if (
            len(run) == 1
            and (lowered in RELATING or lowered.endswith("ed"))
            and named is not None
            and (named.mark == "column" or lowered in RELATING)
            and max(named.fits.values()) < _BY_ROOT
        ):
            return Link(text, "relation", self._tables_by_root(lowered), named.columns, fits=named.fits)
        if len(run) == 1 and lowered in TIME_UNITS and named is not None and max(named.fits.values()) < _WEAK:
            return None
        if named is not None and (not mark or max(named.fits.values()) >= _WEAK):
            named.values = tuple(values)
            return named
        return Link(text, mark) if mark else None

    def _tables_by_root(self, word: str) -> tuple[TableContext, ...]:
        """`sprayed` says the name of a table spraying."""
        keys = self.vocabulary.roots.get((root(word),), set())
        return tuple(
            t for key in sorted(keys) for t, fit in self.vocabulary.tables.get(key, ()) if fit >= _WHOLE
        )

    def _general(self, text: str, lowered: str) -> Link:
        """`name` and `id` are of the table spoken of."""
        mark = "label" if lowered in _LABELS else "identifier"
        columns = self.vocabulary.columns.get(key_of([lowered]), {})
        return Link(
            text, mark, columns=tuple(columns), fits={(c.table, c.name): f for c, f in columns.items()}
        )

    def _letter(self, text: str) -> bool:
        """A grade `A`: a capital that is a value, where an article would be small."""
        return text == "A" and any(v == text for _, v in self._values.get("a", ()))

    def _named(self, run: Sequence[Token]) -> Link | None:
        words = [w for t in run if t.word not in INNER for w in re.split(r"[_-]", t.word) if w]
        if not words or run[0].word in FILLERS or run[-1].word in FILLERS or run[-1].word in INNER:
            return None
        if any(t.word in FILLERS - INNER - {"'s"} for t in run) or run[-1].word == "'s":
            return None
        words = [w for w in words if w != "'s"]
        text = " ".join(t.text for t in run)
        if (
            len(words) > 1
            and (words[-1].endswith("ed") or words[-1] == "cost")
            and self._several_rows(words[:-1])
        ):
            return None  # `members joined`: what they did, no column of theirs
        of_table = len(words) > 1 and any(
            f >= 1.0 for _, f in self.vocabulary.tables.get(key_of(words[-1:]), ())
        )
        for key in keys(words):
            link = self._link(text, key, 1.0)
            # `home games` are games, whatever column has both words; `emergency admissions` are admissions
            partly = link is not None and (
                max(link.fits.values()) < _WHOLE or all(c.kind == "boolean" for c in link.columns)
            )
            if link is not None and not (of_table and link.mark == "column" and partly):
                return link
        return self._cut(text, words)

    def _cut(self, text: str, words: Sequence[str]) -> Link | None:
        """`donors`, of a table dnr. A word that says something by itself is not looked for so."""
        if len(words) == 1 and (words[0] in _SPOKEN or (root(words[0]),) in self.vocabulary.roots):
            return None
        for reading, fit in self.shortened.readings(words):
            if (link := self._link(text, key_of(reading), fit)) is not None:
                return link
        return None

    def _several_rows(self, words: Sequence[str]) -> bool:
        named = self.vocabulary.tables.get(key_of(words), ())
        return words[-1].endswith("s") and any(fit >= 1.0 for _, fit in named)

    def _link(self, text: str, key: Key, worth: float) -> Link | None:
        tables = self.vocabulary.tables.get(key, [])
        columns = dict(self.vocabulary.columns.get(key, {}))
        opener = next((o for o in _COUNT_OPENERS if text.lower().startswith(o)), "")
        if opener and self.vocabulary.tables.get(key_of(text.lower().removeprefix(opener).split())):
            return None
        best = max([*(s for _, s in tables), *columns.values()], default=0.0)
        if not best:
            return None
        tables = [(t, s) for t, s in tables if s >= best - _CLOSE]
        columns = {c: s for c, s in columns.items() if s >= best - _CLOSE}
        # a table's own name is the table, unless the column fits better
        mark = "table" if tables and max(s for _, s in tables) >= 0.6 else "column"
        own = [c for c, s in columns.items() if s >= _WHOLE and not c.key]
        if tables and own and max(s for _, s in tables) < _WHOLE - 0.2:
            mark = "column"  # `streams`, of rows monthly_streams with a number of that name
        fits: dict[object, float] = {t.ref: s * worth for t, s in tables}
        fits |= {(c.table, c.name): s * worth for c, s in columns.items()}
        ranked = sorted(tables, key=lambda pair: -pair[1])
        return Link(text, mark, tuple(t for t, _ in ranked), tuple(columns), fits=fits)

    def _derived(self, words: Sequence[Token], at: int) -> tuple[Link, int] | None:
        """`registered` for a column of registration, `successful` for the value success."""
        for length in range(min(4, len(words) - at), 0, -1):
            run = words[at : at + length]
            if not all(t.kind == "word" and t.word not in FILLERS for t in run):
                continue
            text = " ".join(t.text for t in run)
            values = self._value_roots.get(root(run[0].word)) if length == 1 and len(text) > 4 else None
            if values and not self._says_a_role(run[0].word, values):
                return Link(text, "value", values=tuple(values)), 1
            keys = self.vocabulary.roots.get(tuple(sorted(root(t.word) for t in run)), set())
            if length == 1 and run[0].word in RELATING and not any(len(k) == 1 for k in keys):
                continue
            found = [link for key in sorted(keys) if (link := self._link(text, key, _BY_ROOT)) is not None]
            for link in sorted(found, key=lambda one: -max(one.fits.values()))[:1]:
                if link is not None:
                    if length == 1 and link.mark == "table" and self._another_thing(run[0].word, link, found):
                        link.fits = dict.fromkeys(link.fits, _AGENT)
                    if length == 1 and run[0].word in RELATING and max(link.fits.values()) < _BY_ROOT:
                        return Link(text, "relation"), 1
                    if run[0].word in RELATING and link.mark == "table":
                        return Link(text, "relation", link.tables), 1
                    return link, length
        return None

    def _says_a_role(self, word: str, values: Sequence[tuple[ColumnContext, str]]) -> bool:
        """`contracts that she manages`, of contracts with a manager_id: the verb of the key, not the staff's
        job `manager`.
        """
        if any(stem(word) == stem(value.lower()) for _, value in values):
            return False
        keys = (self.vocabulary.words(join.many) for join in self.context.joins)
        return any(root(word) in {root(w) for w in words} for words in keys)

    def _another_thing(self, word: str, link: Link, found: Sequence[Link]) -> bool:
        """Ships are neither shippers nor shipments: who does it is not what is done, nor either what it is
        done to.
        """
        if word.endswith(("ed", "ing")):
            return False
        named = self.vocabulary.table_words[link.tables[0].ref][-1]
        tables = {t.ref for other in found if other.mark == "table" for t in other.tables[:1]}
        return len(tables) > 1 or stem(word).endswith(_AGENTS) != named.endswith(_AGENTS)

    def _same(self, token: Token) -> Link | None:
        words = SAME.get(stem(token.word), SAME.get(token.word, ()))
        found = [self._link(token.text, key_of([word]), _SAME_FIT) for word in words]
        links = [link for link in found if link is not None]
        return together(links) if links else None

    def _other_number(self, token: Token) -> list[tuple[ColumnContext, str]]:
        """`a pub`, of outlets whose kind is `pubs`, and the other way about."""
        word = token.word
        others = [f"{word}s", word.removesuffix("s"), word.removesuffix("es")] if len(word) > 2 else []
        return next((self._values[o] for o in others if o != word and len(o) > 2 and o in self._values), [])

    def _near(self, token: Token) -> Link | None:
        if len(token.word) < 3 or not token.word.isalpha():
            return None
        if (same := self._same(token)) is not None:
            return same
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
        return self._link(token.text, key, worth / 2)


_SPOKEN = frozenset(GRAMMAR) | frozenset(ADJECTIVES) | RELATING | frozenset(TIME_UNITS) | frozenset(PERIODIC)
_CONTRARY = re.compile(r"^(?:un|non-?|in|im|ir|dis)(?=\w{3})")
_SAYS = frozenset(listed("are is was were have has had that which who do does did"))
_MEASURING = frozenset(listed("more less over under above below between at"))
_POLITE = frozenset({"please", "also", "then", "and", "me", "you"})
_FEW = 30
"""Values a column may have for a word to mean one of them by its root."""
