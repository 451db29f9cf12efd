"""Words that are none, taken for the one known word that they are spelled nearly like.

Owns which words a question may be made of (the grammar's, the schema's, the values') and how far a word may
be off. Must not know what they mean. Without the encoder's vocabulary nothing tells that a word is none, and
nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from rewright.ask.reading.adjectives import ADJECTIVES
from rewright.ask.reading.lexicon import FILLERS, GRAMMAR, PERIODIC, RELATING, RETURNING, TIME_UNITS
from rewright.ask.reading.words import Token, listed, stem

# shorter words differ by one letter from too many others
_SHORTEST = 5
# in a longer word two wrong letters still leave it unlike any other
_LONG = 8
"""Letters from which on two may be wrong."""
# a schema with more values than this is searched no further, as each unknown word looks at all of them
_MOST_WORDS = 20_000
_NEGATING = frozenset(listed("un in im ir il dis non"))
_QUESTIONS = frozenset(
    w
    for phrases in (GRAMMAR, ADJECTIVES, PERIODIC, TIME_UNITS, FILLERS, RELATING, RETURNING)
    for phrase in phrases
    for w in phrase.split()
    if len(w) >= _SHORTEST - 1 and w.isalpha()
) | frozenset(listed("which where whose there their these those about between many much"))


class Respelling:
    """``spoken``: the words of the schema and of its values; ``no_word``: whether the language lacks one."""

    def __init__(self, spoken: Iterable[str], no_word: Callable[[str], bool]) -> None:
        own = {w for w in spoken if w.isalpha() and len(w) >= _SHORTEST - 1}
        self._own = frozenset(sorted(own)[:_MOST_WORDS])
        self._stems = frozenset(map(stem, self._own))
        self._by_letter: dict[str, set[str]] = {}
        # by the first letter, which people rarely get wrong
        for known in (*self._own, *(f"{w}s" for w in self._own), *_QUESTIONS):
            self._by_letter.setdefault(known[0], set()).add(known)
        self._no_word = no_word
        self._meant = lru_cache(maxsize=2000)(self._one)

    def respelled(self, tokens: Sequence[Token]) -> tuple[list[Token], frozenset[int]]:
        """The tokens with what is misspelled put right, and their places. A name in capitals stays."""
        made, places = list(tokens), set[int]()
        for at, token in enumerate(tokens):
            # names are spelled as their owners like: `Jon` is no `John`
            named = token.text[:1].isupper() and at > 0
            meant = self._meant(token.word) if token.kind == "word" and not named else ""
            if meant:
                made[at] = replace(token, text=meant, word=meant)
                places.add(at)
        return made, frozenset(places)

    def _one(self, word: str) -> str:
        """The one word that is meant; empty where a word is one, or none is near, or several are."""
        known = self._by_letter.get(word[:1], set())
        if len(word) < _SHORTEST or not word.isalpha() or word in known:
            return ""
        # inflected words of the schema, and words of the language that it lacks, are not misspelled
        if stem(word) in self._stems or not self._no_word(word):
            return ""
        # one wrong letter before two, so that a nearer word is not outweighed by farther ones
        for most in (1, 2) if len(word) >= _LONG else (1,):
            near = {w for w in known if _near(word, w, most) and not _contrary(word, w)}
            kinds = {stem(w) for w in near}
            if near:
                # several words that mean different things: to choose would be to invent a question
                return min(near, key=lambda w: (abs(len(w) - len(word)), w)) if len(kinds) == 1 else ""
        return ""


def _contrary(word: str, other: str) -> bool:
    """`unusable` and `usable`: two words that say the contrary of one another, neither misspelled."""
    longer, shorter = (word, other) if len(word) > len(other) else (other, word)
    return longer.endswith(shorter) and longer[: -len(shorter)] in _NEGATING


def _near(word: str, other: str, most: int) -> bool:
    if abs(len(word) - len(other)) > most or len(other) < _SHORTEST:
        return False
    return distance(word, other, most) <= most


def distance(word: str, other: str, most: int) -> int:
    """Letters more, less, other, or two that changed places (the restricted distance of Damerau and
    Levenshtein); ``most + 1`` where it is more.

    >>> distance("dontaions", "donations", 2), distance("avrage", "average", 2), distance("one", "three", 2)
    (1, 1, 3)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        after = [i]
        for j, its in enumerate(other, 1):
            # insertion, deletion and replacement; below, two letters that changed places
            cost = min(row[j] + 1, after[j - 1] + 1, row[j - 1] + (letter != its))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == its:
                cost = min(cost, before[j - 2] + 1)
            after.append(cost)
        before, row = row, after
        # each further row can only be worse than the best of this one
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
