"""One phrase of a question with what it may mean, and what its neighbours say of it.

Owns the shape, and small facts of phrases: prepositions, units, codes of genders. Must not know a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rewright.ask.context import ColumnContext, Join, TableContext
from rewright.ask.reading.adjectives import Adjective
from rewright.ask.reading.intent import Condition
from rewright.ask.reading.moments import Moment
from rewright.ask.reading.unit_names import UNITS
from rewright.ask.reading.vocabulary import Key, key_of
from rewright.ask.reading.words import Token, listed

# units that stay unsaid in SQL, as columns hold bare numbers
_UNITS = frozenset(
    listed("meters metres kilometers miles feet dollars usd euros cm kg km kilograms pounds seconds minutes "
    "hours days square degrees degree celsius")
)  # fmt: skip
_PREPOSITIONS = frozenset(listed("from to in at by on of for with through via into"))
_FEMALE = ("female", "females", "women", "woman")
_MALE = ("male", "males", "men", "man")
_GENDERS = {
    **dict.fromkeys(("f", "w", *_FEMALE), _FEMALE),
    **dict.fromkeys(("m", *_MALE), _MALE),
}


@dataclass(slots=True)
class Link:
    """One phrase. ``fits``: how well each candidate fits (0 to 1), by the name that `fit` takes."""

    text: str
    mark: str
    tables: tuple[TableContext, ...] = ()
    columns: tuple[ColumnContext, ...] = ()
    values: tuple[tuple[ColumnContext, str], ...] = ()
    number: str = ""
    moment: Moment | None = None
    adjective: Adjective | None = None
    preposition: str = ""
    glued: bool = False
    """Whether nothing stands between it and the phrase before."""
    theirs: bool = False
    """Whether it is wanted beside what stands before it: `and their`."""
    verb: bool = False
    """Whether a verb or `that` stands between it and what is before it: `rooms ARE free`."""
    had: bool = False
    """Whether a `have` stands between it and what is before it: `patients that HAVE insurance`."""
    added: bool = False
    """Whether an `and` stands right before it."""
    misspelled: bool = False
    """Whether it is no word, and was taken for one that is spelled nearly so."""
    in_part: bool = False
    loosely_cut: bool = False
    tests: tuple[dict[ColumnContext, Condition], ...] = ()
    """The conditions that a hint says it stands for, each by the columns that may be meant."""
    keys: tuple[Join, ...] = ()
    """By which of several keys the rows that are meant lead to a value."""
    used: bool = False
    fits: dict[object, float] = field(default_factory=dict)

    def fit(self, what: TableContext | ColumnContext) -> float:
        key = what.ref if isinstance(what, TableContext) else (what.table, what.name)
        return self.fits.get(key, 1.0)

    @property
    def word(self) -> str:
        return self.text.lower()


def genders(column: ColumnContext, words: Sequence[str]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """`female` for the value F of a column of sexes."""
    if {"sex", "gender"} & set(words):
        for value in column.values:
            kind = _GENDERS.get(value.lower())
            if kind is not None:
                # a code stands for the words of its kind, not for itself
                yield value, tuple(w for w in kind if w != value.lower())


def together(links: Sequence[Link]) -> Link:
    """The first, with what others of its kind mean among its own: of columns the tables spoken of decide
    which is meant, and of tables that fit as well nothing does (`Scope.table` raises Unclear).
    """
    first = links[0]
    for other in links[1:]:
        if first.mark == other.mark == "column":
            first.columns = tuple(dict.fromkeys((*first.columns, *other.columns)))
            first.fits = {**other.fits, **first.fits}
        elif first.mark == other.mark == "table":
            first.tables = tuple(dict.fromkeys((*first.tables, *other.tables)))
            # the first link's own fits win: it is the likeliest reading
            first.fits = {**other.fits, **first.fits}
    return first


def keys(words: Sequence[str]) -> Iterable[Key]:
    """The phrase, and the phrase with its last words run together: `join date` names joindate."""
    yield key_of(words)
    for at in range(len(words) - 1):
        # from every place on, as schemas run words together anywhere
        yield key_of([*words[:at], "".join(words[at:])])


def preposition(words: Sequence[Token], at: int) -> str:
    """The preposition before a phrase, articles left out."""
    at -= 1
    while at >= 0 and words[at].word in {
        "the",
        "a",
        "an",
        "all",
        "any",
        "each",
        "its",
        "their",
        "his",
        "her",
    }:
        at -= 1
    return words[at].word if at >= 0 and words[at].word in _PREPOSITIONS else ""


def unit(words: Sequence[Token], at: int) -> bool:
    """`in kg`, `5 miles`, `per square kilometer`: units are left out."""
    # `5 million in people`: the unit of a population
    if words[at].word == "people" and at > 0 and words[at - 1].word == "in":
        return True
    if at > 0 and words[at - 1].kind == "number" and words[at].word in UNITS:
        return True
    if words[at].word not in _UNITS and words[at].word not in {"kilometer", "meter", "mile"}:
        return False
    # `of kg`, `square miles`: with a number or a word of measure before it, else it is a noun
    return at > 0 and (words[at - 1].kind == "number" or words[at - 1].word in {"in", "square", "per", "of"})


def says_how_many(words: Sequence[Token], at: int) -> bool:
    """`sold in all regions`, `visited all branches`: how many of them there have to be."""
    if at < 3 or at + 1 >= len(words) or words[at + 1].kind != "word" or words[at - 1].kind != "word":
        return False
    before = words[at - 1].word
    # a participle before `all` has an object that must be complete: `visited all branches`
    return before in {"in", "at", "to", "with", "by", "on", "through"} or before.endswith("ed")


def only_these(words: Sequence[Token], at: int) -> bool:
    """`... Only customers with at least 3 orders.`: a sentence that says which rows are meant."""
    # inside of a sentence `only` belongs to what stands beside it
    begins = at > 0 and words[at - 1].kind == "stop"
    return begins and words[at].word == "only" and at + 1 < len(words) and words[at + 1].kind == "word"


def plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w%]+", " ", text.lower()).split())
