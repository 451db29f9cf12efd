"""Likeness of two names by their spelling: shared words, abbreviations, words run together, initials.

Owns the comparison of word lists. Must not know columns, meaning (vectors) or the lake.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rapidfuzz import fuzz

from rewright.lake import names
from rewright.lake.resolve.contracted import contracted
from rewright.lake.resolve.stems import one_stem
from rewright.lake.shortened import known
from rewright.lake.synonyms import Synonyms

_QUALIFIERS = (
    "total",
    "count",
    "number",
    "name",
    "code",
    "value",
    "rate",
    "percent",
    "average",
    "mean",
    "date",
    "year",
    "type",
)
ACRONYM = 0.8
"""Likeness of a name and its initials."""
_TAIL = 5
"""Letters from which on the end of a long word is a word run together with others: `lawenforcementagency`."""
_INFLECTED = frozenset(["d", "r", "s", "ed", "er", "or", "al", "ly", "es", "en"])
"""What a word may end in and be the same one."""
_SHORT, _LONG = 3, 5
"""Letters of a word that is short for another, and of that, at least."""
_COMPOUND = 6
"""Letters from which on a word may be several run together."""
_LITTLE = frozenset(
    ["of", "the", "a", "an", "in", "on", "at", "for", "by", "per", "and", "with", "s", "en", "eng"]
)
"""Words that say nothing; `nombre_en` is the name in English."""
_LABELS = frozenset(
    [
        *("name", "title", "label", "number", "count", "total", "value", "overall", "amount"),
        *(
            "kilogram",
            "gram",
            "pound",
            "centimeter",
            "millimeter",
            "meter",
            "kilometer",
            "feet",
            "mile",
        ),
    ]
)
"""Words that say little of what a column holds: that it is a name, a number, or counted in a unit."""
_MONEY_UNITS = frozenset({"usd", "dollar", "eur", "euro", "gbp", "chf", "sek", "nok", "dkk", "pln", "jpy"})
"""Units that say as little, and that no name is about where it has another word."""
_LABEL, _HEAD = 0.4, 1.4
"""How much such a word counts, and a name's head, where another word counts 1."""
_ASKEW = 0.85
"""What is left of a likeness between one name's head and what only qualifies the other's."""


@lru_cache(maxsize=1)
def _synonyms() -> Synonyms:
    """Made when the first names are compared: a query that binds compares none."""
    return Synonyms(
        lambda phrase: [w for w in names.words(phrase) if w not in _LITTLE],
        # alone a word may stand for more: `nation` for a country
        lambda phrase: [names.singular(w) for w in phrase.split() if w not in _LITTLE],
    )


def lexical(a: Sequence[str], b: Sequence[str]) -> float:
    """Shared words of two names, 0 to 1: what is said by what both have, weighed by what the words are.

    A name's head (`bags` of `bags of coffee`, `price` of `list price`) counts more than what qualifies it,
    units and words that only say that there is a name or a number less. Near-equal words and synonyms count
    nearly; words run together are taken apart.
    """
    if not a or not b:
        return 0.0
    if _acronym(a, b) or _acronym(b, a):
        return ACRONYM
    return _lexical(tuple(a), tuple(b))


@lru_cache(maxsize=1 << 18)
def _lexical(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    # each takes its words apart by the other's: `poptotal` only beside `total population`
    a, b = tuple(_apart(a, b)), tuple(_apart(b, a))
    one, two = _weighed(a), _weighed(b)
    whole = sum(one.values()) + sum(two.values())
    found = 0.0
    for left, right, alike in _pairs(tuple(one), tuple(two), (head_of(a), head_of(b))):
        found += alike * (sum(one.pop(w, 0.0) for w in left) + sum(two.pop(w, 0.0) for w in right))
    return found / whole


def covered(asked: Sequence[str], held: Sequence[str]) -> float:
    """The share of what a name asks for that another one says, 0 to 1."""
    return 1.0 - sum(left_out(asked, held).values()) if asked and held else 0.0


def left_out(asked: Sequence[str], held: Sequence[str]) -> dict[str, float]:
    """The words of a name that another one does not say, each with its share of what the name asks for."""
    a, b = tuple(_apart(asked, held)), tuple(_apart(held, asked))
    one, two = _weighed(a), _weighed(b)
    whole = sum(one.values())
    share = {word: weight / whole for word, weight in one.items()}
    for left, _, alike in _pairs(tuple(one), tuple(two), (head_of(a), head_of(b))):
        for word in left:
            share[word] *= 1.0 - alike
    return {word: left for word, left in share.items() if left > 0.0}


def _weighed(told: Sequence[str]) -> dict[str, float]:
    """The words that count, with their weights."""
    kept = [word for word in told if word not in _LITTLE] or list(told)
    head = head_of(told)
    return {
        word: _LABEL if _untelling(word) and len(kept) > 1 else _HEAD if word == head else 1.0
        for word in kept
        if word not in _MONEY_UNITS or len(kept) == 1 or word == head
    }


def _untelling(word: str) -> bool:
    """A label, a unit, or a year behind a name: `population_2021` is the population."""
    return word in _LABELS or word in _MONEY_UNITS or (len(word) == 4 and word.isdigit())


def head_of(told: Sequence[str]) -> str:
    """The word that says what the thing is: the last before `of` or `per`, else the last of all; units are
    none. Empty for a name without words.
    """
    before = list(itertools.takewhile(lambda word: word not in _LITTLE, told)) or list(told)
    named = [word for word in before if not _untelling(word)]
    return (named or [word for word in before if word not in _MONEY_UNITS] or before or [""])[-1]


def _pairs(
    a: tuple[str, ...], b: tuple[str, ...], heads: tuple[str, str]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], float]]:
    """Words and phrases of two names that mean the same, each in one pair, the surest first."""
    options = [
        # a head that answers to what only qualifies the other name is less of a likeness
        (alike * (1.0 if (heads[0] in x) is (heads[1] in y) else _ASKEW), len(x) + len(y), x, y)
        for x in _phrases(a)
        for y in _phrases(b)
        if (alike := _alike(x, y)) > 0.0
    ]
    left, right = set(a), set(b)
    for alike, _, x, y in sorted(options, key=lambda o: (-o[0] * (1.0 + 0.15 * o[1]), o[2], o[3])):
        # a word counts once, in the surest of its pairs
        if left.issuperset(x) and right.issuperset(y):
            left -= set(x)
            right -= set(y)
            yield x, y, alike


def has_phrase(told: Sequence[str]) -> bool:
    """Whether several words of a name, one after the other, mean something together."""
    kept = tuple(_weighed(told)) if told else ()
    return any(len(phrase) > 1 and _synonyms().of(phrase) for phrase in _phrases(kept))


def phrases_like(told: Sequence[str]) -> set[tuple[str, ...]]:
    """The words and phrases that mean the same as some of a name."""
    kept = tuple(_weighed(told)) if told else ()
    return {other for phrase in _phrases(kept) for other in _synonyms().of(phrase)}


def _phrases(told: tuple[str, ...]) -> list[tuple[str, ...]]:
    longest = min(_synonyms().longest, len(told))
    return [told[i : i + n] for n in range(1, longest + 1) for i in range(len(told) - n + 1)]


@lru_cache(maxsize=1 << 18)
def _alike(x: tuple[str, ...], y: tuple[str, ...]) -> float:
    """How alike a word or phrase of one name is to one of the other, perhaps shortened there."""
    if len(x) == len(y) == 1 and (spelt := _word(x[0], y[0])) == 1.0:
        return spelt
    best = _word(x[0], y[0]) if len(x) == len(y) == 1 else 0.0
    for mine, theirs in ((x, y), (y, x)):
        for other, alike in _synonyms().of(mine).items():
            # synonyms are compared word by word
            if len(other) == len(theirs):
                best = max(best, alike * min(short_for(p, q) for p, q in zip(other, theirs, strict=True)))
    return best


def short_for(word: str, held: str) -> float:
    """How surely a synonym is the word that is held, as it is or shortened there; another word of its own is
    not short for it.
    """
    if word == held:
        return 1.0
    return 0.0 if held in _synonyms().words or known(held) else _word(word, held)


def _acronym(short: Sequence[str], long: Sequence[str]) -> bool:
    """`hg` of `home goals`: the first letters of all its words."""
    return (
        len(short) == 1 and 2 <= len(long) == len(short[0]) <= 4 and short[0] == "".join(w[0] for w in long)
    )


def _apart(told: Sequence[str], by: Sequence[str]) -> Sequence[str]:
    """`poptotal` beside `total population`: the words it runs together, if it is made of those."""
    out: list[str] = []
    for word in told:
        if (run := _run_of(word, by)) is not None:
            out.extend(run)
            continue
        parts = (
            names.pieces(word, by) or names.pieces(word, (*by, *_QUALIFIERS), needed=by)
            if len(word) >= _COMPOUND and word not in by
            else ()
        ) or contracted(word, [other for other in by if other not in _LITTLE])
        out.extend(parts or (word,))
    return out


def _run_of(word: str, by: Sequence[str]) -> Sequence[str] | None:
    """`ws` beside `won world series`: the words one after the other that it is the initials of."""
    size = len(word)
    if word in by or not 2 <= size <= 4:
        return None
    runs = (by[i : i + size] for i in range(len(by) - size + 1))
    return next((run for run in runs if word == "".join(w[0] for w in run)), None)


def _word(a: str, b: str) -> float:
    if a == b:
        return 1.0
    if a.isdigit() or b.isdigit():
        # `75` of 1975
        return 0.95 if {len(a), len(b)} == {2, 4} and (a.endswith(b) or b.endswith(a)) else 0.0
    short, long = sorted((a, b), key=len)
    if len(short) >= _SHORT and long.startswith(short):
        return 0.0 if _is_another(short, long) else 0.8
    if _ends_like(short, long):
        return 0.8
    if min(len(a), len(b)) >= 5 and fuzz.ratio(a, b) >= 85:
        return 0.85
    if len(short) >= _TAIL and len(long) >= 2 * _TAIL and long.endswith(short):
        return 0.75
    return 0.7 if names.skeleton_of(short, long) or one_stem(a, b) else 0.0


def _ends_like(short: str, long: str) -> bool:
    """`popn` of `population`, `govt` of `government`: its beginning and last letter, no word of its own."""
    return (
        len(short) > _SHORT
        and len(long) >= len(short) + _SHORT
        and long.startswith(short[:-1])
        and long.endswith(short[-1])
        and not known(short)
        and short not in _synonyms().words
    )


def _is_another(short: str, long: str) -> bool:
    """`star` and `start`, `count` and `country`: words of their own that only begin alike."""
    rest = long[len(short) :]
    return (
        len(rest) <= 2
        and rest not in _INFLECTED
        and short in _synonyms().words
        and long in _synonyms().words
        and short not in names.ABBREVIATIONS
    )


def initials(asked: str, held: str) -> bool:
    """`HR` of `home_runs`, whatever else the letters are short for."""
    short = names.normal(held).split()
    return len(short) == 1 and _acronym(short, names.normal(asked).split())


@lru_cache(maxsize=1 << 18)
def completed(asked: str, held: str) -> str | None:
    """A name with its shortened words written out as the other one has them, where that name has other words,
    too: `acq_src` beside `acquisition_channel` is `acquisition source`; None where nothing is short.
    """
    told = [word for word in names.words(asked) if len(word) >= _LONG]
    out = [_written_out(word, told) for word in names.normal(held).split()]
    # nothing is short, or all of it is: then there are no other words to go by
    if all(full is None for _, full in out) or all(full is not None for _, full in out):
        return None
    return " ".join(full or names.expanded(word) for word, full in out)


def _written_out(word: str, by: Sequence[str]) -> tuple[str, str | None]:
    # letters with a usual meaning may have another one here
    own = word in _synonyms().words and word not in names.ABBREVIATIONS
    if len(word) < _SHORT or own or known(word):
        return word, None
    return word, next(
        (
            w
            for w in by
            if w != word and (w.startswith(word) or names.skeleton_of(word, w) or _ends_like(word, w))
        ),
        None,
    )
