"""The short words of a schema that a word of a question may have been cut to: `dnr` of `donor`, `req` of
`request`.

Owns finding them among the names as they are spelled. Must not know what the names mean. What short forms
usually stand for (`qty`) `rewright.lake.names` knows; here the question's own word decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from rewright.ask.context import Context
from rewright.lake import names

# one letter is cut from anything, and six are hardly an abbreviation
_SHORTEST, _LONGEST = 2, 5
_BEGINNING = 3
LETTERS, _LOOSE = 0.96, 0.86
"""How well a word fits that lost its vowels only, and one that lost more."""
# words of fewer letters, cut further, are other words: `insurance` to `ins`, but not `inside`
_LONG_WORD = 7
_MOST_WORDS = 4
# all combinations of all words' short forms would be many, and the first ones fit best
_MOST_READINGS = 8


class Shortened:
    """The short words of one schema. ``is_word`` tells whether letters are a word of the language."""

    def __init__(self, context: Context, is_word: Callable[[str], bool]) -> None:
        spelled = {w for t in context.tables for w in names.normal(t.ref.name).split()}
        spelled |= {w for t in context.tables for c in t.columns for w in names.normal(c.name).split()}
        self._short = [
            w
            for w in sorted(spelled)
            # what is a word of the language already says that word
            if _SHORTEST <= len(w) <= _LONGEST and w.isascii() and w.isalpha() and not is_word(w)
        ]
        # beside other words of a name even what is a word may be cut: the `ins_type` of insurance
        self._any = [w for w in sorted(spelled) if _BEGINNING <= len(w) <= _LONGEST and w.isalpha()]
        self._found = lru_cache(maxsize=1000)(self._of)

    def _of(self, word: str, *, alone: bool) -> tuple[tuple[str, float], ...]:
        single = names.singular(word)
        long = len(single) >= _LONG_WORD
        fits = {s: cut_from(single, s) for s in (self._short if alone or not long else self._any)}
        # only the best fits: `req` of request before `re`
        best = max(fits.values(), default=0.0)
        return tuple((short, fit) for short, fit in fits.items() if fit and fit == best)

    def readings(self, words: Sequence[str]) -> Iterator[tuple[list[str], float]]:
        """The words with one or more of them cut to a short word of the schema, and how well that fits."""
        if not self._any or len(words) > _MOST_WORDS:
            return
        choices = [((word, 1.0), *self._found(word, alone=len(words) == 1)) for word in words]
        # zip with range ends the product early, however many words there are
        for made, _ in zip(product(*choices), range(_MOST_READINGS), strict=False):
            if any(word != own for (word, _), own in zip(made, words, strict=True)):
                yield [word for word, _ in made], min(fit for _, fit in made)


def cut_from(word: str, short: str) -> float:
    """How well a word of a schema fits what a word was cut to, 0 to 1.

    >>> cut_from("donor", "dnr"), cut_from("request", "req"), cut_from("donor", "don"), cut_from("car", "cr")
    (0.96, 0.86, 0.86, 0.0)
    """
    # the first letter is never cut away
    if len(short) >= len(word) or short[0] != word[0]:
        return 0.0
    consonants = word[0] + "".join(ch for ch in word[1:] if ch not in "aeiou")
    if short == consonants and len(short) > _SHORTEST:
        return LETTERS
    # at least two letters must be missing: a plural's end is no abbreviation
    beginning = len(short) >= _BEGINNING and word.startswith(short) and len(word) > len(short) + 1
    letters = len(short) > _SHORTEST and (
        # the last letter is kept where letters in the middle are lost: `dept` of department
        consonants.startswith(short) or (names.skeleton_of(short, word) and short[-1] == consonants[-1])
    )
    return _LOOSE if beginning or letters else 0.0
