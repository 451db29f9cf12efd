"""Other words for what a question calls something: of the thesaurus that the names of a lake are compared by.

Owns looking a phrase up there. The words that people use for one another when they ask (`adjectives.SAME`)
come first: they are surer. Must not know a schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rewright.ask.reading.words import listed
from rewright.lake import names
from rewright.lake.synonyms import SAME, Synonyms

_DEEDS = ("ed", "ing")
_IRREGULAR = frozenset(
    listed("paid sold built made left held lent bought taken given done lost won spent born")
)

_GENERAL = frozenset(
    listed("number name title time date year day level type kind count amount value rate place")
)
"""Words that any thing has: none of them is another word for one."""


@lru_cache(maxsize=1)
def _thesaurus() -> Synonyms:
    return Synonyms(lambda phrase: [names.singular(word) for word in phrase.split()])


def longest() -> int:
    """Words of the longest phrase that it knows."""
    return _thesaurus().longest


def other_words(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Phrases that say the same; none for a verb alone, which may tell a state as well as a thing.

    >>> ("running", "time") in other_words(["how", "long"])
    False
    >>> ("duration",) in other_words(["running", "time"])
    True
    """
    if len(words) == 1 and (words[0].endswith(_DEEDS) or words[0] in _IRREGULAR):
        return []
    said = tuple(names.singular(word) for word in words)
    if set(said) <= _GENERAL:
        return []
    found = _thesaurus().of(said).items()
    return [other for other, alike in found if alike >= SAME and not set(other) <= _GENERAL]
