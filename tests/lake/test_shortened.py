"""Words without vowels, and parts of unions called by the client's words."""

from __future__ import annotations

import pytest

from rewright.lake import names
from rewright.lake.shortened import written_out


@pytest.mark.parametrize(
    ("short", "word"),
    [("cntry", "country"), ("elvtn", "elevation"), ("prmry", "primary"), ("adrs", "address"), ("srvng", "serving")],
)  # fmt: skip
def test_consonants_stand_for_a_word(short: str, word: str) -> None:
    assert written_out(short) == word


@pytest.mark.parametrize("word", ["country", "kg", "xyz", "gdp", "html", "https", "länd"])
def test_other_words_are_left_alone(word: str) -> None:
    assert written_out(word) is None


def test_a_name_is_written_out_word_by_word() -> None:
    assert names.expanded("prmry_vlcn_type") == "primary volcano type"
