"""Links the words of a question to what they may mean: tables, columns, values, numbers, times, and the
words of the grammar.

Owns the linking, longest phrase first. What a phrase means when several columns fit is the parser's to
decide. Must not know SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.ask.context import ColumnContext, Context
from rewright.ask.reading.adjectives import ADJECTIVES
from rewright.ask.reading.clock import clock_at
from rewright.ask.reading.lasting import is_timed, time_mark
from rewright.ask.reading.lexicon import (
    FILLERS,
    GRAMMAR,
    PERIODIC,
    RELATING,
    RETURNING,
    TIME_UNITS,
)
from rewright.ask.reading.link import (
    Link,
    only_these,
    plain,
    preposition,
    says_how_many,
    unit,
)
from rewright.ask.reading.moments import moment_at
from rewright.ask.reading.names_said import IDENTIFIERS, LABELS, WHOLE, NamesSaid
from rewright.ask.reading.nearness import Nearness
from rewright.ask.reading.other_words import longest
from rewright.ask.reading.respelling import Respelling
from rewright.ask.reading.said_otherwise import totals_said
from rewright.ask.reading.unit_names import UNIT_LETTERS
from rewright.ask.reading.values_said import ValuesSaid
from rewright.ask.reading.vocabulary import THOSE_OF, key_of, vocabulary
from rewright.ask.reading.words import Token, listed, root, stem, tokens
from rewright.lake import names

_LONGEST = 6
_WEAK = 0.75
"""Fit below which a word of the grammar wins over a column of that name."""
_BY_ROOT = 0.85
_AGENT = 0.3
_THEIRS = frozenset(listed("their its his her"))
_KINDS_OR_ORDERS = frozenset(listed("sort order rank"))
_BEFORE_KINDS = frozenset(listed("by per each every which what"))
_PRONOUNS = frozenset(listed("us it me he who"))
"""Words that say nothing, and that codes and short names are spelled like."""
_SYMBOLS = {">": ">", "<": "<", ">=": ">=", "<=": "<=", "=": "=", "<>": "!=", "!=": "!="}


class Linker:
    """Links questions over one context; made once for it. Not for several threads at once."""

    def __init__(self, context: Context, nearness: Nearness | None = None) -> None:
        self.context = context
        self.vocabulary = vocabulary(context)
        self.nearness = nearness or Nearness(self.vocabulary)
        self.names = NamesSaid(context, self.vocabulary, self.nearness)
        self.values = ValuesSaid(context, self.vocabulary)
        self.respelling = Respelling(self._spoken(), self._no_word)
        self._timed = False

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
        words, respelled = self.respelling.respelled(_names_in_capitals(tokens(question)))
        self._timed = is_timed(question)
        links: list[Link] = []
        at = ended = 0
        while at < len(words):
            link, taken = self._at(words, at)
            if link is not None:
                link.preposition = preposition(words, at)
                link.misspelled = bool(respelled & set(range(at, at + taken)))
                link.theirs = (
                    at > 1 and words[at - 1].word in _THEIRS and words[at - 2].word in {"and", ",", "with"}
                )
                link.had = any(w.word in _HAVE for w in words[ended:at])
                link.verb = any(w.word in _SAYS for w in words[ended:at])
                link.added = at > 0 and words[at - 1].word in {"and", "&"}
                link.glued = at > 0 and ended == at
                ended = at + taken
                links.append(link)
            at += taken
        totals_said(links)
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
        found = moment_at(words, at) or clock_at(words, at)
        if found is None:
            return None
        moment, taken = found
        follows = words[at + taken] if at + taken < len(words) else None
        # `after 2000 citations` is a number of citations
        counted = follows is not None and follows.kind == "word" and words[at + taken - 1].kind == "number"
        if (
            counted
            and follows is not None
            and self.names.of_run([follows]) is not None
            and moment.years is not None
        ):
            return None
        return Link(moment.said, "moment", moment=moment), taken

    def _phrase_at(self, words: Sequence[Token], at: int) -> tuple[Link | None, int]:
        if words[at].word == "per" and at + 1 < len(words) and words[at + 1].word in {"square", "cubic"}:
            return None, 3
        if at and words[at - 1].kind == "number" and words[at].word in {"square", "cubic"}:
            return None, 2
        if at and words[at - 1].kind == "number" and words[at].word in UNIT_LETTERS:
            return None, 1  # `longer than 220 m`, of no len_m
        if only_these(words, at) or self._for_each(words, at):
            return None, 1
        if (done := self._ordered(words, at)) is not None:
            return done, 1
        if (noun := self._noun(words, at)) is not None:
            return noun, 1
        if (
            self._timed
            and words[at].word == "last"
            and (at + 1 == len(words) or words[at + 1].kind != "word")
        ):
            return Link(words[at].text, "lasting"), 1  # `how long did each lease last`, no last name
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            run = words[at : at + length]
            behind = words[at + length : at + length + 1]
            if self._of_its_rows(run, behind) or self._part_of_rows(run, behind):
                continue
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
        paid = self.names.same(token) if stem(token.word) == "earn" else None
        if paid is not None and at + 1 < len(words) and words[at + 1].word in _MEASURING:
            return paid, 1
        if token.word in RELATING:
            events = self.names.events(token.word)
            return Link(token.text, "relation", events, fits={t.ref: THOSE_OF for t in events}), 1
        if held := self.values.other_number(token):
            return Link(token.text, "value", values=tuple(held)), 1
        if at > 0 and (named := self.values.last_name(token)):
            return Link(token.text, "value", values=tuple(named), in_part=True), 1
        if (other := self._otherwise(words, at)) is not None:
            return other
        if token.word.endswith("ed") and (events := self.names.events(token.word)):
            return Link(token.text, "relation", events, fits={t.ref: THOSE_OF for t in events}), 1
        if (near := self.names.near(token)) is not None:
            return near, 1
        return Link(token.text, "unknown"), 1

    def _otherwise(self, words: Sequence[Token], at: int) -> tuple[Link, int] | None:
        """A phrase of several words, the first of which says nothing here, by another name."""
        for length in range(min(longest(), len(words) - at), 1, -1):
            run = words[at : at + length]
            if all(t.kind == "word" for t in run) and (link := self.names.otherwise(run)) is not None:
                return link, length
        return None

    def _of_its_rows(self, run: Sequence[Token], behind: Sequence[Token]) -> bool:
        """`complaints of severity 4`: the complaints with it, not their severity."""
        held = bool(behind) and (
            behind[0].kind == "number"
            or (behind[0].text[:1].isupper() and plain(behind[0].text) in self.values.said)
        )
        if not held or len(run) < 3 or run[1].word != "of":
            return False
        rows = self.names.of_run(run[:1])
        return rows is not None and rows.mark == "table" and max(rows.fits.values()) >= WHOLE

    def _part_of_rows(self, run: Sequence[Token], behind: Sequence[Token]) -> bool:
        """`what share of transactions are buys`, of transactions with a number of shares."""
        said = bool(behind) and behind[0].word in _SAYS
        if not said or len(run) < 3 or GRAMMAR.get(f"{run[0].word} of") != "share" or run[1].word != "of":
            return False
        rows = self.names.of_run(run[2:])
        return rows is not None and rows.mark == "table" and max(rows.fits.values()) >= WHOLE

    def _for_each(self, words: Sequence[Token], at: int) -> bool:
        """`more than 30 an hour`: what the number is for; a column of hours is not spoken of, one of what is
        earned in an hour is.
        """
        said = at > 1 and words[at].word in _HOURS and words[at - 1].word in {"a", "an"}
        if not said or words[at - 2].kind != "number":
            return False
        named = self.names.of_run(words[at : at + 1])
        return named is not None and max(named.fits.values(), default=0.0) >= 1.0

    def _noun(self, words: Sequence[Token], at: int) -> Link | None:
        """`more than one show`, `the title of the show`, of a table of shows: no verb there."""
        before = words[at - 1] if at else None
        if before is not None and words[at].word in _KINDS_OR_ORDERS and before.word in _BEFORE_KINDS:
            # `by sort and year`, of a column that tells the sort
            named = self.names.of_run([words[at]])
            return named if named is not None and named.mark == "column" else None
        if before is None or words[at].word not in FILLERS | RETURNING or words[at].kind != "word":
            return None
        if before.word in _ONE and (kinds := self.values.of(words[at].text)):
            return Link(words[at].text, "value", values=tuple(kinds))  # `water from a well`
        of_one = before.word == "the" and at > 1 and words[at - 2].word in _LEADING_TO
        of_one = of_one or before.word in ADJECTIVES or before.word in _COMMON
        if before.kind != "number" and before.word not in _BEFORE_NOUNS and not of_one:
            return None
        link = self.names.link(words[at].text, key_of([words[at].word]), 1.0)
        return (
            link if link is not None and link.mark == "table" and max(link.fits.values()) >= WHOLE else None
        )

    def _ordered(self, words: Sequence[Token], at: int) -> Link | None:
        """`products that were ordered in May`, of orders: what was done to them, no order of the answer."""
        before = words[at - 1].word if at else ""
        after = words[at + 1 : at + 3]
        if words[at].word != "ordered" or not after or before in _SORTED_AFTER:
            return None
        sorts = after[0].word in _SORTED_BY or (
            after[0].word == "in" and len(after) > 1 and _is_way(after[1])
        )
        orders = None if sorts else self.names.of_run([replace(words[at], text="order", word="order")])
        if orders is None or not orders.tables:
            return None
        return Link(words[at].text, "relation", orders.tables[:1], fits=orders.fits)

    def _quoted(self, token: Token) -> Link:
        named = self.names.of_run([t for t in tokens(token.text) if t.kind == "word"])
        found = self.values.of(token.text)
        if named is not None and not found and "_" in token.text:
            return named
        exact = tuple((c, v) for c, v in found if v.lower() == token.text.lower())
        return Link(token.text, "value" if exact else "quoted", values=exact or tuple(found))

    def _phrase(self, run: Sequence[Token]) -> Link | None:
        text = " ".join(t.text for t in run)
        lowered = " ".join(t.word for t in run)
        if len(run) == 1 and lowered in FILLERS and not self.values.letter(text):
            return None
        if lowered in LABELS | IDENTIFIERS:
            return self.names.general(text, lowered)
        named = self.names.of_run(run) if lowered != "no" else None
        # a common word counts as a value only as it is written in the data, or when it is nothing else
        values = self.values.of(text) if run[0].word not in FILLERS - {"the", "a"} else ()
        if not values and (len(run) > 1 or "-" in lowered) and named is None and lowered not in GRAMMAR:
            single = " ".join((*(t.text for t in run[:-1]), names.singular(run[-1].word)))
            values = self.values.of(single)  # `no-shows`, of a value `no-show`
        if self.values.letter(text):
            return Link(
                text, "value", values=tuple((c, v) for c, v in self.values.said[plain(text)] if v == text)
            )
        sure = len(run) > 1 or any(v == text and not text.islower() for _, v in values)
        # `double rooms`, of rooms of that type
        spoken = lowered in GRAMMAR and not (lowered in _KINDS_TOO and any(v == lowered for _, v in values))
        if values and (sure or named is None or max(named.fits.values()) < _WEAK) and not spoken:
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
            and (whole := self.names.of_run(run[:-1])) is not None
            and max(whole.fits.values()) >= WHOLE
        ):
            return None
        if (
            len(run) == 1
            and lowered not in _NOUNS
            and (lowered in RELATING or lowered.endswith("ed"))
            and named is not None
            and (named.mark == "column" or lowered in RELATING)
            and max(named.fits.values()) < _BY_ROOT
        ):
            return Link(text, "relation", self.names.tables_by_root(lowered), named.columns, fits=named.fits)
        if (
            len(run) == 1
            and lowered in RELATING
            and named is not None
            and named.fits.get(named.tables[0].ref if named.tables else None) == THOSE_OF
        ):
            return Link(text, "relation", named.tables[:1], fits=named.fits)  # `members of`, of memberships
        if len(run) == 1 and lowered in TIME_UNITS and named is not None and max(named.fits.values()) < _WEAK:
            return None
        if named is not None and (not mark or max(named.fits.values()) >= _WEAK):
            named.values = tuple(values)
            return named
        return Link(text, mark) if mark else None

    def _derived(self, words: Sequence[Token], at: int) -> tuple[Link, int] | None:
        """`registered` for a column of registration, `successful` for the value success."""
        for length in range(min(4, len(words) - at), 0, -1):
            run = words[at : at + length]
            if not all(t.kind == "word" and t.word not in FILLERS for t in run):
                continue
            text = " ".join(t.text for t in run)
            values = self.values.roots.get(root(run[0].word)) if length == 1 and len(text) > 4 else None
            if values and _only_relates(run[0].word, values):
                values = None  # `the venue that hosted`, beside staff with the role `host`
            if values and not self._says_a_role(run[0].word, values):
                return Link(text, "value", values=tuple(values)), 1
            keys = self.vocabulary.roots.get(tuple(sorted(root(t.word) for t in run)), set())
            if length == 1 and run[0].word in RELATING and not any(len(k) == 1 for k in keys):
                continue
            found = [
                link for key in sorted(keys) if (link := self.names.link(text, key, _BY_ROOT)) is not None
            ]
            for link in sorted(found, key=lambda one: -max(one.fits.values()))[:1]:
                if link is not None:
                    if (
                        length == 1
                        and link.mark == "table"
                        and self.names.another_thing(run[0].word, link, found)
                    ):
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
        keys = (self.vocabulary.words(key) for join in self.context.joins for key in join.keys)
        return any(root(word) in {root(w) for w in words} for words in keys)


def _names_in_capitals(words: Sequence[Token]) -> list[Token]:
    """`in the US`, `staff of IT`: what is spelled in capitals among other words is a name, no pronoun."""
    shouted = all(t.text.isupper() for t in words if t.kind == "word")
    return [t if shouted or not _is_name_in_capitals(t) else replace(t, kind="quoted") for t in words]


def _is_name_in_capitals(token: Token) -> bool:
    return token.kind == "word" and token.text.isupper() and token.word in _PRONOUNS


def _only_relates(word: str, values: Sequence[tuple[ColumnContext, str]]) -> bool:
    """A verb that only relates rows, not written so in the data; `bookings`, of all states, not `booked`."""
    if word.endswith("ings") and all(value.lower().endswith("ed") for _, value in values):
        return True
    return word.endswith("ed") and word in RELATING and all(value.lower() != word for _, value in values)


def _is_way(token: Token) -> bool:
    return token.word.endswith(("ing", "ical")) or token.word in {"reverse", "order", "the"}


_KINDS_TOO = frozenset(listed("double half twice median total unique"))
"""Words of the grammar that also say a kind of thing."""
_NOUNS = frozenset({"member", "members"})
"""What is also said for belonging, and names rows where a table is called so."""
_HOURS = frozenset(listed("hour minute second night shift piece"))
_ONE = frozenset({"a", "an"})
_BEFORE_NOUNS = frozenset(listed("a an one each every per any no this which what another"))
_COMMON = frozenset(listed("popular common frequent"))
_LEADING_TO = frozenset(listed("of in on for by with from to"))
_SORTED_AFTER = frozenset({"", "and", "results", "list"})
_SORTED_BY = frozenset(
    listed("by from alphabetically chronologically ascending descending asc desc according highest lowest")
)
_SAYS = frozenset(listed("are is was were have has had that which who do does did"))
_HAVE = frozenset(listed("have has had having"))
_MEASURING = frozenset(listed("more less over under above below between at"))
_POLITE = frozenset({"please", "also", "then", "and", "me", "you"})
