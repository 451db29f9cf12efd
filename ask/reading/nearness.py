"""A word the schema lacks, and the nearest of its words by sentence vectors.

Owns the vectors of a context's phrases; without the encoder's weights nothing is near. Must not know a
question's form.
"""

from __future__ import annotations

from typing import Any

from rewright.ask.encoder import encoder, model
from rewright.ask.reading.vocabulary import Key, Vocabulary, key_of

_LEAST = 0.62
"""Cosine below which a word is not another's synonym (`clients` and `customers` .75, `funding` and `fare`
.3).
"""
# two phrases nearly as near are two meanings
_AHEAD = 0.04
# vectors of more phrases than this take longer than the question may
_MOST_PHRASES = 4000


class Nearness:
    """Vectors are made at the first unknown word."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._keys: list[Key] = []
        self._vectors: Any = None

    def of(self, word: str) -> tuple[Key, float] | None:
        """The key of the nearest phrase, and how near it is; None where none is near enough or two are."""
        ready = self._ready()
        if ready is None:
            return None
        near = self._vectors @ ready.embed([word])[0]
        order = near.argsort()[::-1][:2]
        first = float(near[order[0]])
        second = float(near[order[1]]) if len(order) > 1 else 0.0
        if first < _LEAST or first - second < _AHEAD:
            return None
        # nothing near is as sure as a word that was said
        return self._keys[int(order[0])], min(first, 0.9)

    def is_no_word(self, word: str) -> bool:
        """Whether the encoder's vocabulary, some 30,000 common words and pieces, lacks a word; False without
        its weights.
        """
        found = model()
        return found is not None and not found.knows(word)

    def is_word(self, letters: str) -> bool:
        """Whether the encoder's vocabulary has it; without its weights, whether a vowel follows the first
        letter.
        """
        found = model()
        return bool(set(letters[1:]) & set("aeiou")) if found is None else bool(found.knows(letters))

    def all(self, words: list[str]) -> dict[Key, float]:
        """How near each phrase is to the nearest of the words; empty without the encoder's weights."""
        ready = self._ready()
        if ready is None or not words:
            return {}
        near = (self._vectors @ ready.embed(words).T).max(axis=1)
        return {key: float(worth) for key, worth in zip(self._keys, near, strict=True)}

    def _ready(self) -> Any:
        """The encoder, once the context's phrases have their vectors."""
        found = encoder()
        # only at the first unknown word, as most questions need no encoder at all
        if found is not None and self._vectors is None:
            self._keys, phrases = self._phrases()
            self._vectors = found.embed(phrases) if phrases else None
        return found if self._vectors is not None else None

    def _phrases(self) -> tuple[list[Key], list[str]]:
        found: dict[Key, str] = {}
        made = self._vocabulary
        for words in made.table_words.values():
            found.setdefault(key_of(words), " ".join(words))
        for words in made.column_words.values():
            found.setdefault(key_of(words), " ".join(words))
        kept = dict(list(found.items())[:_MOST_PHRASES])
        return list(kept), list(kept.values())
