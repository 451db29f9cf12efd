"""What is measured: the dimension that an imagined name announces (`duration_minutes`) and the one that a
column's values are written in (`90 min`, `$186.00`).

Owns these words and units, and their score. Must not compare names.
"""

from __future__ import annotations

from functools import lru_cache

from rewright.lake import names
from rewright.lake.catalog.model import Column, Noise
from rewright.lake.noise.numbers import unit_of
from rewright.lake.resolve.likeness import head_of

_WORDS = """
time duration minute hour second runtime time length delay age
length height length width distance diameter depth altitude elevation size thickness mileage radius stature
length rain rainfall precipitation snow snowfall
mass weight mass load
speed speed velocity wind pace
temperature temperature heat dew high low
power power capacity output performance rating
energy energy consumption electricity production output
pressure pressure
volume volume capacity litre liter displacement
area area surface size land lot
money price cost amount revenue salary wage income fee bill charge budget fare pay spending expense balance
money value sale turnover total profit loss tax discount payment fine rent premium earning compensation debt
money loan paid
share percent percentage share rate ratio humidity probability discount portion fraction turnout margin
"""
_UNITS = """
time s sec secs second seconds min mins minute minutes h hr hrs hour hours day days d ms
length mm cm m km in inch inches ft feet mi mile miles yd
mass mg g kg t lb lbs oz
speed km/h kmh mph m/s kn knots
temperature °c °f °
power w kw mw hp ps
energy kwh mwh wh kj kcal
pressure hpa mbar bar psi kpa
volume l ml cl hl gal
area m² m2 km² ha acres acre sqft ft²
money us$ € $ £ ¥ ₹ usd eur gbp chf
share % ‰
"""
_OF_ANYTHING = frozenset({"amount", "value", "total", "balance", "sale", "loan", "loss", "profit"})
"""Words for money that are said of other numbers, too."""
_FITS, _DIFFERS = 0.2, -0.15
"""What it is worth that values are written in a unit of what is asked for, and of something else."""


def _read(text: str) -> dict[str, frozenset[str]]:
    out: dict[str, frozenset[str]] = {}
    for line in text.strip().splitlines():
        dimension, *words = line.split()
        for word in words:
            out[word] = out.get(word, frozenset()) | {dimension}
    return out


_ANNOUNCED, _WRITTEN = _read(_WORDS), _read(_UNITS)


_NAMES = """
time hrs mins secs
length cm mm km
mass kg lbs
speed kmh mph kn
energy kwh mwh
volume hl m3 mc cbm cum fm efm vfm stere
area ha sqm sqft m2 qm mq
money eur usd gbp chf sek euro
temperature degc degf celsius fahrenheit
pressure hpa mbar kpa
"""
"""Units that a column may have for a name: no words of their own."""
_NAMED = {unit: line.split()[0] for line in _NAMES.strip().splitlines() for unit in line.split()[1:]}


@lru_cache(maxsize=50_000)
def named_by_unit(name: str, held: str) -> bool:
    """Is a column called by units alone, the first of which measures what is asked for? `mc` is a volume of
    cubic metres, `eur_mc` a price for each of them.
    """
    # what stands between two units: `eur per m3`
    units = [word for word in names.normal(held).split() if word not in {"per", "je", "al", "par", "por"}]
    return bool(units) and all(unit in _NAMED for unit in units) and _NAMED[units[0]] in _announced(name)


def counted_in(name: str, real: Column) -> bool:
    """`pages` and values like `304 pp`: their unit says what they are a number of."""
    units = {unit_of(value) for value in real.samples}
    unit = min(units, default="")
    return len(units) == 1 and len(unit) > 1 and names.words(unit) == (head_of(names.words(name)),)


def _told_unit(name: str) -> str:
    """The first unit that a name of several words tells."""
    told = names.normal(name).split()
    return next((word for word in told if word in _NAMED), "") if len(told) > 1 else ""


@lru_cache(maxsize=50_000)
def _announced(name: str) -> frozenset[str]:
    return frozenset[str]().union(*(_ANNOUNCED.get(word, frozenset()) for word in names.words(name)))


def asks_money(name: str) -> bool:
    """Is it an amount of money that is asked for, and of nothing else?"""
    told = set(names.words(name))
    return any(_ANNOUNCED.get(word) == frozenset({"money"}) for word in told - _OF_ANYTHING)


def dimension_score(name: str, real: Column) -> float:
    """How well the unit that a column's values are written in, or that its name tells (`gross_eur`), fits
    what a name says is measured; 0 where either says nothing.
    """
    if real.meaning.numeric and (unit := _told_unit(real.name)) and _NAMED[unit] in _announced(name):
        return _FITS
    if not {Noise.FORMATTED, Noise.NUMBERS} & set(real.noise):
        return 0.0
    asked = _announced(name)
    # a price for each of something is an amount of money
    units = {
        unit.partition("/")[0] if unit[0] in "€$£" else unit for unit in map(unit_of, real.samples) if unit
    }
    written = frozenset[str]().union(*(_WRITTEN.get(unit, frozenset()) for unit in units))
    if not asked or not written:
        return 0.0
    return _FITS if asked & written else _DIFFERS
