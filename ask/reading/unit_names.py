"""The names of units, what measures the same, and where a question says one.

Owns the table of units and the texts that name them. Must not know a schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """``size``: how many of the dimension's smallest unit it is."""

    dimension: str
    name: str
    size: Fraction


_SIZES = """
time: 1 millisecond ms msec; 1000 second sec s; 60000 minute min mins; 3600000 hour hr hrs
time: 86400000 day; 604800000 week
length: 1 millimeter millimetre mm; 10 centimeter centimetre cm; 1000 meter metre m
length: 1000000 kilometer kilometre km
length in feet: 1 inch inches; 12 foot feet ft; 63360 mile mi
mass: 1 milligram mg; 1000 gram g gramme; 1000000 kilogram kilo kg; 1000000000 tonne ton
mass in pounds: 1 ounce oz; 16 pound lb lbs
volume: 1 millilitre milliliter ml; 10 centilitre centiliter cl; 1000 litre liter l
dollars: 1 cent; 100 dollar usd
euros: 1 cent eurocent; 100 euro eur
data: 1 byte; 1000 kilobyte kb; 1000000 megabyte mb; 1000000000 gigabyte gb
data: 1000000000000 terabyte tb; 1024 kibibyte kib; 1048576 mebibyte mib; 1073741824 gibibyte gib
"""
"""A dimension, and how many of its first unit each is with its names. A cent is of either money."""
SHOWN = {
    "s": "second", "sec": "second", "ms": "millisecond", "m": "meter", "km": "kilometer", "g": "gram",
    "kg": "kilogram", "min": "minute", "hr": "hour", "usd": "dollar", "eur": "euro",
    "kb": "kilobyte", "mb": "megabyte", "gb": "gigabyte", "tb": "terabyte",
}  # fmt: skip


def _units() -> Iterator[tuple[str, Unit]]:
    for line in _SIZES.strip().splitlines():
        dimension, _, rest = line.partition(": ")
        for kind in rest.split("; "):
            size, *spelled = kind.split()
            for word in spelled:
                yield word, Unit(dimension, spelled[0], Fraction(size))
                if len(word) > 2 and not word.endswith("s"):
                    yield f"{word}s", Unit(dimension, spelled[0], Fraction(size))


UNITS: dict[str, tuple[Unit, ...]] = {}
for _word, _unit in _units():
    UNITS[_word] = (*UNITS.get(_word, ()), _unit)

_SHORT = frozenset({"km", "cm", "mm", "kg", "kb", "mb", "gb", "tb"})
_SPELLED = "|".join(sorted((w for w in UNITS if len(w) > 2 or w in _SHORT), key=len)[::-1])
UNIT_LETTERS = "gm"
"""Units of one letter, behind a number alone."""
_WANTED = re.compile(
    rf"(?:,\s*|\(\s*)?\b(?:(?:measured|expressed|given|converted)\s+)?(?:in|into)\s+"
    rf"(?:(?:whole|full|total)\s+)?(?P<unit>{_SPELLED})\b(?:\s*\))?(?!\s+of\b|\s+per\s+(?:{_SPELLED})\b)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"(?P<number>\d[\d,]*(?:\.\d+)?)(?:\s*(?P<unit>{_SPELLED})|\s+(?P<letter>[{UNIT_LETTERS}]))\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    rf"\b(than|over|under|above|below|least|most|within)\s+(?:an?|one)\s+(half\s+)?(?P<unit>{_SPELLED})"
    r"(?P<half>\s+and\s+a\s+half)?\b",
    re.IGNORECASE,
)
_HALF = re.compile(
    rf"\b(than|over|under|above|below|least|most|within)\s+half\s+an?\s+(?P<unit>{_SPELLED})\b", re.IGNORECASE
)
_NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_IN_WORDS = re.compile(rf"\b({'|'.join(_NUMBERS)})\s+({_SPELLED})\b", re.IGNORECASE)
"""`longer than two hours`."""
_SMALLER = {"hour": (60, "minutes"), "minute": (60, "seconds"), "day": (24, "hours")}


def numbers_spelled_out(question: str) -> str:
    """`longer than an hour and a half` with its number: `longer than 90 minutes`."""

    def one(match: re.Match[str]) -> str:
        unit = match["unit"].lower()
        if match[2] or match["half"]:
            many, smaller = _SMALLER.get(unit, (0, ""))
            if not many:
                return match[0]
            return f"{match[1]} {many // 2 if match[2] else many * 3 // 2} {smaller}"
        return f"{match[1]} 1 {match['unit']}"

    def half(match: re.Match[str]) -> str:
        many, smaller = _SMALLER.get(match["unit"].lower(), (0, ""))
        return f"{match[1]} {many // 2} {smaller}" if many else match[0]

    question = _IN_WORDS.sub(lambda m: f"{_NUMBERS.index(m[1].lower()) + 2} {m[2]}", question)
    return _ONE.sub(one, _HALF.sub(half, question))


def without_unit(question: str) -> tuple[str, tuple[Unit, ...]] | None:
    """The question without the unit that its answer is wanted in, and what that may be; None for none."""
    found = list(_WANTED.finditer(question))
    if len(found) != 1:
        return None
    kept = question[: found[0].start()] + " " + question[found[0].end() :]
    return re.sub(r"\s+([?.,])", r"\1", kept), UNITS[found[0]["unit"].lower()]


def unit_of(words: Sequence[str]) -> tuple[Unit, ...]:
    """The unit that the name of a column ends with, where it says one: `weight_g`, `list_price_eur`; or is:
    `minutes`; or begins with, before what was done: `hours_worked`; but for days and weeks, which may be
    those of a calendar.
    """
    calendar = words[-1:] in (("day",), ("week",)) or len(words[-1]) == 1
    if "per" in words or (len(words) == 1 and calendar):
        return ()
    if len(words) == 2 and words[1] not in UNITS and words[1].endswith(("ed", "en")):
        return UNITS.get(words[0], ())  # `seconds_listened`, `miles_driven`
    return UNITS.get(words[-1], ())


def numbers_with_units(question: str) -> dict[str, tuple[Unit, ...]]:
    """Numbers that a unit follows, as the reader writes them."""
    return {
        match["number"].replace(",", ""): UNITS[(match["unit"] or match["letter"]).lower()]
        for match in _NUMBERED.finditer(question)
    }


def factor(held: Sequence[Unit], wanted: Sequence[Unit]) -> tuple[Fraction, Unit] | None:
    for unit in wanted:
        for own in held:
            if own.dimension == unit.dimension:
                return own.size / unit.size, unit
    return None


def without_numbered(question: str) -> str:
    """The question without the units that stand behind its numbers."""
    return _NUMBERED.sub(" ", question)


def measures(words: Sequence[str], wanted: Sequence[Unit]) -> bool | None:
    """Whether a column of such a name is in a unit of what is wanted; None where one of them says no unit."""
    held = unit_of(words)
    return None if not held or not wanted else factor(held, wanted) is not None
