"""Values of a context by the words that say them: as written, by their names where they are codes, by their
roots.

Owns that index. Must not know a question.
"""

from __future__ import annotations

from collections import defaultdict

from rewright.ask.context import ColumnContext, Context
from rewright.ask.reading.comments import codes
from rewright.ask.reading.link import genders, plain
from rewright.ask.reading.places import people_of, places
from rewright.ask.reading.vocabulary import Vocabulary
from rewright.ask.reading.words import Token, root
from rewright.lake import names

# in columns of many values roots meet by chance: names, titles
_FEW = 30
"""Values a column may have for a word to mean one of them by its root."""


_OTHER_STATES = {
    "dead": ("died", "deceased"),
    "deceased": ("died", "dead"),
    "died": ("dead", "deceased"),
    "unhurt": ("uninjured", "unharmed"),
    "uninjured": ("unhurt", "unharmed"),
    "injured": ("hurt", "wounded"),
    "hurt": ("injured", "wounded"),
}
"""How people are, in other words than the data's."""
_NAMES = frozenset({"name", "person", "artist", "author", "composer", "player"})
# names of more words are titles of works or of firms
_LONGEST_NAME = 4
_TELLING = "#+"
"""Marks at the end of a value that tell it from the same without."""


def _last_name(value: str) -> str:
    """The last word of a name of several, in lower case; empty where a value is none."""
    words = value.split()
    # each word a capital: `van Gogh` begins small and is left alone
    fits = 1 < len(words) <= _LONGEST_NAME and words[-1].isalpha() and len(words[-1]) > 3
    return words[-1].lower() if fits and words[0][:1].isupper() and words[-1].istitle() else ""


class ValuesSaid:
    """``said``: columns and values by the words of the value, or of what its code stands for; ``roots``: by
    the root of a word; ``last_names``: by the last word of names.
    """

    def __init__(self, context: Context, vocabulary: Vocabulary) -> None:
        self.said: dict[str, list[tuple[ColumnContext, str]]] = defaultdict(list)
        self.roots: dict[str, list[tuple[ColumnContext, str]]] = defaultdict(list)
        self.last_names: dict[str, list[tuple[ColumnContext, str]]] = defaultdict(list)
        for table in context.tables:
            for column in table.columns:
                # codes first, then what places and people are called: all lead to the value as it is stored
                for code, words in genders(column, vocabulary.words(column)):
                    for word in words:
                        self.said[word].append((column, code))
                for value, meaning in codes(column):
                    self.said[plain(meaning)].append((column, value))
                    if meaning.isalpha() and len(meaning) > 3:
                        self.roots[root(meaning)].append((column, value))
                for value, name in places(column, vocabulary.words(column)):
                    for said in (name, *people_of(name)):
                        self.said[said].append((column, value))
                for value in column.values:
                    for said in (plain(value), *people_of(value)):
                        self.said[said].append((column, value))
                    for said in _OTHER_STATES.get(value.lower(), ()):
                        self.said[said].append((column, value))
                    # a plural in the question and a singular in the data have one root
                    if len(column.values) <= _FEW and value.isalpha() and len(value) > 3:
                        for said in {root(value.lower()), root(names.singular(value.lower()))}:
                            self.roots[said].append((column, value))
                    if (last := _last_name(value)) and vocabulary.words(column)[-1] in _NAMES:
                        self.last_names[last].append((column, value))

    def of(self, text: str) -> list[tuple[ColumnContext, str]]:
        """The values of these words, in any case and with any marks between them: `C` is no `C#`."""
        marks = text[len(text.rstrip(_TELLING)) :]
        held = self.said.get(plain(text), [])
        # values that differ by their last mark alone (`C`, `C++`) must be said with it
        return [(c, v) for c, v in held if plain(v) != plain(text) or v[len(v.rstrip(_TELLING)) :] == marks]

    def last_name(self, token: Token) -> list[tuple[ColumnContext, str]]:
        """`Beethoven`, of one whole name alone that ends so."""
        found = self.last_names.get(token.word, []) if token.text[:1].isupper() else []
        # two people of one last name: neither is meant by it
        return found if len(found) == 1 else []

    def letter(self, text: str) -> bool:
        """A grade `A`: a capital that is a value, where an article would be small."""
        return text == "A" and any(v == text for _, v in self.said.get("a", ()))

    def other_number(self, token: Token) -> list[tuple[ColumnContext, str]]:
        """`a pub`, of outlets whose kind is `pubs`, and the other way about."""
        word = token.word
        # no letter is taken from two-letter words: `is`, `us`
        others = [f"{word}s", word.removesuffix("s"), word.removesuffix("es")] if len(word) > 2 else []
        others += [f"{word[:-1]}ies"] if word.endswith("y") else [names.singular(word)]
        return next((self.said[o] for o in others if o != word and len(o) > 2 and o in self.said), [])
