"""In which unit a name asks for numbers and a column holds them, and the factor between the two.

Owns reading units off names (`length_m`, `wt_lb`, `Spent (k£)`) and cells (`42 ft`, `£44k`). Must not know
queries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family
from rewright.lake.noise.numbers import has_currency, unit_of

_MORE = """
length m 1 metre 1 meter 1 mm 0.001 cm 0.01 dm 0.1 km 1000 ft 0.3048 foot 0.3048 feet 0.3048 yd 0.9144
length yard 0.9144 mi 1609.344 mile 1609.344 in 0.0254 inch 0.0254
mass mg 0.000001 g 0.001 kg 1 t 1000 tonne 1000 lb 0.45359237 pound 0.45359237 oz 0.028349523125
volume m3 1 cbm 1 l 0.001 litre 0.001 liter 0.001 ml 0.000001 cl 0.00001 dl 0.0001 hl 0.1
volume gal 0.003785411784 gallon 0.003785411784 usgal 0.003785411784
area m2 1 sqm 1 km2 1000000 sqkm 1000000 ha 10000 hectare 10000 acre 4046.8564224
area sqft 0.09290304 ft2 0.09290304
speed m/s 1 km/h 0.2777777777777778 kmh 0.2777777777777778 mph 0.44704 kn 0.5144444444444445
speed knot 0.5144444444444445
energy wh 1 kwh 1000 mwh 1000000
power w 1 kw 1000
"""
"""Dimension, then units with how many of the dimension's own each is. Gallons are those of the United States:
where they are other ones nothing in a cell says so.
"""
_PER = frozenset({"per", "pro", "je", "par", "por"})
_CURRENCY = frozenset(
    [
        "usd",
        "eur",
        "euro",
        "gbp",
        "chf",
        "sek",
        "nok",
        "dkk",
        "cad",
        "aud",
        "pln",
        "czk",
        "jpy",
        "dollar",
        "pound",
    ]
)
_SCALES = {"k": 1e3, "tsd": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "bn": 1e9}
_SCALED = re.compile(
    r"(?<![^\W\d_])(?:(?P<before>[kKT])\s?[€$£]|[€$£]\s?(?P<behind>[kK])\b|(?P<word>[TK])(?:EUR|USD|GBP)\b)"
)
"""`k£`, `T€`, `$k`, `TEUR`: thousands of a currency."""
_ABOVE = "lines above the header left out: "
_TITLED = re.compile(
    _ABOVE + r".*?(?:\bthousands?\b|\btausend\b|\btsd\b|[€$£]\s?'?000\b|\b000s?\b\s?[€$£]|'000\b)",
    re.IGNORECASE,
)


def _read() -> dict[str, tuple[str, float]]:
    out: dict[str, tuple[str, float]] = {}
    for line in _MORE.strip().splitlines():
        dimension, *rest = line.split()
        out |= {unit: (dimension, float(size)) for unit, size in zip(rest[::2], rest[1::2], strict=True)}
    return out


_SIZES = _read()


@lru_cache(maxsize=50_000)
def asked_unit(name: str) -> tuple[str, float] | None:
    """Dimension and size of the unit that a name's last word tells; `price_per_kg` is of none."""
    told = names.normal(name).split()
    if len(told) < 2 or told[-2] in _PER:
        return None
    return names.measure_of(name) or _size(told[-1])


def held_unit(real: Column) -> tuple[str, float] | None:
    """Dimension and size of the one unit that a column's values are written in, else that its name tells."""
    if real.family is Family.TEXT and real.meaning.numeric:
        units = {unit for value in real.samples if (unit := unit_of(value))}
        sizes = {_size(unit) for unit in units}
        # values of several units, or of an unknown one, are in none that could be turned
        if units:
            return next(iter(sizes)) if len(sizes) == 1 else None
    return asked_unit(real.name)


def turned(imagined: str, real: Column, notes: Sequence[str] = ()) -> float | None:
    """What a column's numbers are multiplied by to be in the unit that a name asks for, where both say their
    units and these differ; None otherwise. `notes`: the table's, which tell the title above its header.
    """
    if not real.meaning.numeric or names.normal(imagined) == names.normal(real.name):
        return None
    one, two = asked_unit(imagined), held_unit(real)
    if one is not None and two is not None and one[0] == two[0] != "money":
        return two[1] / one[1] if one[1] != two[1] else None
    # `spent_gbp` asks for pounds, where `Spent (k£)` holds thousands of them
    return (_held_scale(real) or _titled_scale(real, notes)) if _in_currency(imagined) else None


def unit_factor(imagined: str, real: Column, value: float, notes: Sequence[str] = ()) -> tuple[float, bool]:
    """What a number in the imagined column's unit must be multiplied by to be in the real one's, and whether
    both say so. `notes`: as for `turned`.
    """
    if (factor := turned(imagined, real, notes)) is not None:
        return 1.0 / factor, True
    one, two = names.measure_of(imagined), names.measure_of(real.name)
    if one is not None and two is not None and one[0] == two[0] and one[1] != two[1]:
        return one[1] / two[1], True
    a, b = names.scale_of(imagined), names.scale_of(real.name)
    if a is not None and b is not None and a != b:
        return a / b, True
    # only the real name tells one: whether the number is in it is the caller's to find out
    if b is not None and a != b:
        return 1.0 / b, False
    bounds = real.bounds()
    # a percentage against parts of one
    if bounds is not None and 0.0 <= bounds[0] <= bounds[1] <= 1.0 < abs(value) <= 100.0:
        return 0.01, False
    return 1.0, False


def _size(unit: str) -> tuple[str, float] | None:
    told = unit.rstrip(".").replace("²", "2").replace("³", "3")
    return _SIZES.get(told) or _SIZES.get(told.rstrip("s"))


def _in_currency(name: str) -> bool:
    told = names.normal(name).split()
    return len(told) > 1 and names.singular(told[-1]) in _CURRENCY and names.scale_of(name) is None


def _titled_scale(real: Column, notes: Sequence[str]) -> float | None:
    """In what the title above a header says that its sums are counted: `Budget 2024, thousands of pounds`."""
    told = any(_TITLED.search(note) or (_ABOVE in note and _SCALED.search(note)) for note in notes)
    return 1e3 if told and real.family.numeric else None


def _held_scale(real: Column) -> float | None:
    """In what a column of money counts it: thousands of `Food (k$)` and of `£44k`."""
    if _SCALED.search(real.name) is not None:
        return 1e3
    if real.family is not Family.TEXT or not all(map(has_currency, real.samples)):
        return None
    told = {unit_of(value).rstrip(".") for value in real.samples}
    return _SCALES.get(next(iter(told))) if len(told) == 1 else None
