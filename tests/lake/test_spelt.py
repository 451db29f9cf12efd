"""A lake's table names compared by spelling: left out is only what cannot be alike."""

from __future__ import annotations

import random

import numpy as np
import pytest

from rewright.lake import names
from rewright.lake.resolve.likeness import lexical
from rewright.lake.resolve.spelt import SpeltNames

_TOLD = (
    "population city country price total sale order customer person employee salary team player match score "
    "goal home run game season result win stadium region area school student grade teacher hospital patient "
    "doctor drug dose flight airline passenger ship vessel harbour depart arrive date year number count rate "
    "glacier orchard poptotal usd kg 2016 16 qty expenditure pupil education father of the"
)
_WORDS = _TOLD.split()
_PHRASES = (
    "home runs",
    "total population",
    "date of birth",
    "per capita income",
    "phone number",
    "job title",
)


def _made(rng: random.Random) -> str:
    """A name as tables have them: words in full, cut, run together, without vowels, as initials."""
    told = [rng.choice(_WORDS) for _ in range(rng.choice([1, 1, 2, 3]))]
    match rng.randrange(7):
        case 0:
            return "".join(word[: rng.choice([3, 4, 12])] for word in told)
        case 1:
            return "".join(word[0] for word in told) + "_" + rng.choice(_WORDS)
        case 2:
            told[0] = told[0][0] + "".join(ch for ch in told[0][1:] if ch not in "aeiou")
        case 3:
            told[-1] = told[-1][:3]
        case 4:
            told += rng.choice(_PHRASES).split()
        case _:
            pass
    return "_".join(told)


@pytest.mark.parametrize("seed", range(4))
def test_the_likeness_is_that_of_all_pairs(seed: int) -> None:
    rng = random.Random(seed)
    told = [names.words(_made(rng)) for _ in range(150)]
    spelt = SpeltNames(told)
    for _ in range(40):
        asked = names.words(_made(rng))
        assert np.array_equal(spelt.like(asked), [lexical(asked, held) for held in told]), asked


def test_most_names_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [("orchard", f"{i}") for i in range(500)] + [("vessel", "log")]
    spelt = SpeltNames(told)
    compared = list[object]()

    def counted(asked: tuple[str, ...], held: tuple[str, ...]) -> float:
        if len(held) > 1:
            compared.append(held)
        return lexical(asked, held)

    monkeypatch.setattr("rewright.lake.resolve.spelt.lexical", counted)
    found = spelt.like(("vessel",))
    assert found.argmax() == len(told) - 1
    assert compared == [("vessel", "log")]
