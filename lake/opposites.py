"""Words of which one says the opposite of the other: `origin` and `destination`, `home` and `away`, `pro` and
`contra`.

Owns general vocabulary as data, and whether two names speak of opposite or of the same side. To vectors the
two sides of one thing look nearly alike. Must not know any lake.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rewright.lake import names
from rewright.lake.shortened import known

_SIDES = """
origin source from departure depart departing start leaving | destination to arrival arrive arriving end
start begin beginning opening from since | end finish ending closing until
sender | receiver recipient
home host | away visitor visiting guest
winner winning won win | loser losing lost loss defeat
minimum lowest least smallest low lower | maximum highest most largest high upper
male man boy | female woman girl
father paternal | mother maternal
husband | wife
birth born | death died deceased
for pro favor favour support | against con contra opposed
import imported | export exported
credit | debit
asset | liability
profit gain | loss
entry entering inbound incoming in arrival | exit leaving outbound outgoing out departure
in arrival arrived received receipt | out departure departed dispatch dispatched sent shipped
before pre previous former prior old earlier | after post current new later next
first | last
open | close closing
top | bottom
left | right
north | south
east | west
urban | rural
domestic | international foreign
positive | negative
public | private
registered | unregistered casual
scored | conceded
buyer buying | seller selling
employer | employee
teacher | student pupil
doctor physician | patient
parent | child
landlord | tenant
attacker | defender
sunrise | sunset
"""
_PLACES = """
continent | country nation city town
country nation | city town village
"""
"""Places in one another: none is the other, and no side of anything."""
_NEGATIONS = ("un", "non")
_NEGATED = 5
"""Letters of a word from which on `un` before it turns it round."""
_UNTELLING = names.KEY_WORDS | {"name"}
_PREFIX = 4
"""Letters from which on the beginning of a word stands for it: `dest`, `orig`."""


def _read(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    lines = (line.split("|") for line in text.strip().splitlines())
    return tuple((frozenset(one.split()), frozenset(other.split())) for one, other in lines)


_SIDED = _read(_SIDES)
_PAIRS = (*_SIDED, *_read(_PLACES))


def opposed(asked: str, held: str) -> bool:
    """Does one name speak of one side, and the other of the other side alone? `to_city` and `origin`."""
    return _compared(asked, held) < 0


def of_one_side(asked: str, held: str) -> bool:
    """Do both names speak of one side, and the one that is held of nothing that is not asked for?
    `from_city` and `origin`, `money_for` and `money_pro`.
    """
    mine, theirs = names.words(asked), names.words(held)
    return _compared(asked, held) > 0 and all(w in mine or w in _UNTELLING or _is_side(w) for w in theirs)


def without_sides(told: Sequence[str]) -> set[str]:
    """The words that say of no side that it is meant: the airport of `start_airport`."""
    return {word for word in told if not _is_side(word)}


@lru_cache(maxsize=1 << 16)
def _compared(asked: str, held: str) -> int:
    """1: both speak of one side, -1: of opposite ones, 0: neither."""
    mine, theirs = names.words(asked), names.words(held)
    shared = set(mine) & set(theirs) & _TOLD
    if shared:
        # `home_wins` and `home_losses` are of one side of the first pair: the other one tells them apart
        mine, theirs = _without(mine, theirs), _without(theirs, mine)
    said, meant = _sides(mine), _sides(theirs)
    # pairs of which both names speak: on the same side, or not
    both = said.keys() & meant.keys()
    if any(said[pair] != meant[pair] for pair in both) or _negated(mine, theirs) or _negated(theirs, mine):
        return -1
    return 1 if shared or any(pair < len(_SIDED) for pair in both) else 0


_TOLD = frozenset(word for pair in _SIDED for side in pair for word in side)


def _without(told: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in told if word not in others or word not in _TOLD)


def _sides(told: Sequence[str]) -> dict[int, int]:
    """Pairs of which one side alone is spoken of, with that side."""
    found: dict[int, set[int]] = {}
    for word in told:
        for pair, side in _sides_of(word):
            found.setdefault(pair, set()).add(side)
    return {pair: next(iter(sides)) for pair, sides in found.items() if len(sides) == 1}


@lru_cache(maxsize=1 << 16)
def _sides_of(word: str) -> tuple[tuple[int, int], ...]:
    """The pairs and sides that it is a word of, as it is or cut short."""
    return tuple(
        (i, j) for i, pair in enumerate(_PAIRS) for j, side in enumerate(pair) if _stands_for(word, side)
    )


def _is_side(word: str) -> bool:
    return any(pair < len(_SIDED) for pair, _ in _sides_of(word))


def _stands_for(word: str, side: frozenset[str]) -> bool:
    if word in side:
        return True
    if len(word) < _PREFIX or word in _TOLD or known(word):
        # a `count` is no country cut short
        return False
    return any(whole.startswith(word) or names.skeleton_of(word, whole) for whole in side)


def _negated(told: Sequence[str], others: Sequence[str]) -> bool:
    """`unregistered` beside `registered`."""
    return any(
        word.startswith(mark) and word.removeprefix(mark) in others and len(word) - len(mark) >= _NEGATED
        for word in told
        for mark in _NEGATIONS
    )
