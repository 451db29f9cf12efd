"""Everyday words of fifteen languages by which tables and columns are called, and the English ones that stay."""

from __future__ import annotations

import pytest

from rewright.lake.eastern_words import EASTERN
from rewright.lake.everyday_words import EVERYDAY
from rewright.lake.foreign import english


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("remboursement", "refund"),
        ("lignes", "order line"),
        ("terugbetaling", "refund"),
        ("klagomal", "complaint"),
        ("skadade", "injured"),
        ("leverancier", "supplier"),
        ("pracownik", "employee"),
        ("utbildning", "training"),
        ("magazzino", "warehouse"),
        ("pobocky", "branch"),
        ("opravy", "repair"),
        ("tyontekijat", "employee"),
        ("mennyiseg", "quantity"),
        ("furnizori", "supplier"),
        ("musteriler", "customer"),
        ("hasta", "until"),
        ("uthyrning", "rental"),
        ("gebyr", "fee"),
        ("schoonmaak", "cleaning"),
        ("beczki", "barrel"),
        ("przystanki", "stop"),
    ],
)
def test_words_are_told_in_english(word: str, said: str) -> None:
    assert english(word) == said


@pytest.mark.parametrize(
    "word",
    [
        "camera",
        "piano",
        "hold",
        "lag",
        "tier",
        "timer",
        "formation",
        "slag",
        "motif",
        "via",
        "taller",
        "rum",
        "lose",
    ],
)
def test_english_words_of_another_meaning_stay(word: str) -> None:
    assert english(word) == word


@pytest.mark.parametrize("words", [EVERYDAY, EASTERN])
def test_each_word_stands_once_and_is_spelled_as_names_are_read(words: str) -> None:
    told = [word for line in words.strip().splitlines() for word in line.split()[1:]]
    assert len(told) == len(set(told))
    assert all(word.isascii() and word.isalpha() and word == word.lower() for word in told)
