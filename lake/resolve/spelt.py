"""Likeness of one name to many by their spelling: those of all tables of a lake, made once for it.

Owns which of the names need not be compared, as nothing in them can be like the asked one; the likeness
itself is `likeness.lexical`, and the same. Must not know columns or vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from rewright.lake import names
from rewright.lake.cut import cut_to
from rewright.lake.index import LakeIndex
from rewright.lake.resolve.likeness import has_phrase, lexical, phrases_like, short_for
from rewright.lake.shortened import known

_RATHER = 0.95
"""How much of a likeness counts that rests on a table's name without its place or form."""
_BY_KEY = 0.85
"""How much of it rests on what a table's key is called."""
_RUN, _LONGEST_RUN, _COMPOUND = 4, 14, 6
"""Letters of a word that may be several run together and shortened, and of one that may be whole ones."""
_KEPT = 500


class SpeltNames:
    """Names as words, and how like each of them is to an asked one."""

    def __init__(self, told: Sequence[tuple[str, ...]]) -> None:
        place: dict[tuple[str, ...], int] = {}
        self._place = np.array([place.setdefault(words, len(place)) for words in told], dtype=np.int64)
        self._told = list(place)
        self._holding: dict[str, list[int]] = {}
        for i, words in enumerate(self._told):
            for word in dict.fromkeys(words):
                self._holding.setdefault(word, []).append(i)
        # a phrase may be like another one of which no word is like its own
        self._always = [i for i, words in enumerate(self._told) if has_phrase(words)]
        self._initials = ["".join(word[:1] for word in words) for words in self._told]
        self._kept: dict[tuple[str, ...], Any] = {}

    def like(self, asked: tuple[str, ...]) -> Any:
        """The likeness of each name, in their order."""
        if asked not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            found = np.zeros(len(self._told) or 1)
            for i in self._candidates(asked):
                found[i] = lexical(asked, self._told[i])
            self._kept[asked] = found
        return self._kept[asked][self._place]

    def _candidates(self, asked: tuple[str, ...]) -> set[int]:
        out = set(self._always)
        for word in _touching(asked, self._holding):
            out.update(self._holding[word])
        for short in (word for word in asked if 2 <= len(word) <= _RUN):
            # `ws` of `won world series`
            out.update(i for i, initials in enumerate(self._initials) if short in initials)
        return out


def _touching(asked: tuple[str, ...], words: Sequence[str] | dict[str, list[int]]) -> Iterator[str]:
    """The words that may make a name like the asked one, by themselves or run together."""
    meant = [word for phrase in phrases_like(asked) if len(phrase) > 1 for word in phrase]
    runs = {w[0] for w in asked if _RUN <= len(w) <= _LONGEST_RUN and not known(w)}
    compounds = [w for w in asked if len(w) >= _COMPOUND]
    for word in words:
        if (
            word[:1] in runs
            or any(form in compound for compound in compounds for form in names.forms(word))
            or lexical(asked, (word,)) > 0.0
            or any(short_for(other, word) > 0.0 for other in meant)
        ):
            yield word


class SpeltTables:
    """How like the names of a lake's tables are to an asked one: as a whole, without their place or form, by
    what their keys are called.
    """

    def __init__(self, index: LakeIndex) -> None:
        own = [names.words(name) for name in index.own_names]
        self._whole = SpeltNames([names.words(name) for name in index.tables])
        self._own = SpeltNames(own)
        self._formless = SpeltNames([names.without_form(words) for words in own])
        self._keys = SpeltNames(index.keyed_things)
        # a key's one word that may be cut: `sp` of species
        self._cut: dict[str, list[int]] = {}
        for i, thing in enumerate(index.keyed_things):
            if len(thing) == 1:
                self._cut.setdefault(thing[0], []).append(i)

    def like(self, name: str) -> Any:
        """The likeness of each table, in the lake's order."""
        told = names.words(name)
        keyed = self._keys.like(told)
        one = names.singular(names.normal(name))
        for short, places in self._cut.items():
            if (cut := cut_to(short, one)) > 0.0:
                keyed[places] = np.maximum(keyed[places], cut)
        rather = np.maximum(self._own.like(told), self._formless.like(names.without_form(told)))
        return np.maximum(np.maximum(self._whole.like(told), _RATHER * rather), _BY_KEY * keyed)


_tables: WeakKeyDictionary[LakeIndex, SpeltTables] = WeakKeyDictionary()


def spelt_tables(index: LakeIndex) -> SpeltTables:
    """The spelling of an index's tables, made once for it."""
    found = _tables.get(index)
    if found is None:
        found = _tables[index] = SpeltTables(index)
    return found
