"""Numbers as people write them: units, currencies, percent, grouped digits, decimal commas, negatives in
parentheses.

Owns reading one text as a number, and what a column's texts together say of how it writes them (is `1,234` a
thousand or a fraction?). Must not know SQL. Pure functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rewright.lake import names

Counts = Sequence[tuple[str, int]]
CURRENCIES = "USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|RUB|TRY|KRW|SGD|HKD"
NUMBER = re.compile(
    r"^(?P<open>\()?\s*(?P<sign>[-+−])?\s*(?P<pre>[^\w\d+\-−.,()]{0,3}|US\s?\$|[A-Za-z]{1,3}[\s$]|[A-Z]{2,3})\s*"
    r"(?P<num>[-+−]?(?:\d|[.,]\d)[\d\s.,'’\u00a0\u202f]*(?:[eE][-+]?\d+)?)"
    r"\s*(?P<unit>%|‰|°\s?[A-Za-z]?|[^\W\d]{1,14}\.?(?:[\s/][^\W\d]{1,10})?[²³23]?|[€$£¥₹](?:\s?/\s?[^\W\d]{1,10}[²³23]?)?)?\s*(?P<close>\))?(?P<minus>[-−])?$"
)
_SYMBOL = re.compile(rf"[€$£¥₹]|US\s?\$|{CURRENCIES}")
_GROUPS = re.compile(r"[-+]?\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}")
"""Digits in groups, also as in India (`1,23,456`), and no more: `04.10.2013` is none."""
_SHORT, _LONG = re.compile(r"[-+]?\d{1,3}"), re.compile(r"[-+]?\d{4,}")
_SEVERAL = 3
"""Different values like `1.234` of which all being fractions of just three digits is no chance, where whole
numbers stand beside them.
"""
_PERCENT = frozenset({"percent", "percentage", "pct", "perc", "pc"})
_ORDINALS = frozenset({"st", "nd", "rd", "th"})


@dataclass(frozen=True, slots=True)
class Notation:
    """How a column writes numbers: whether `1,234` and `1.234` alone are grouped thousands, and whether `90
    %` is 0.9.
    """

    comma_groups: bool = True
    dot_groups: bool = False
    fraction: bool = False


PLAIN = Notation()


def notation_of(name: str, counts: Counts) -> Notation:
    """What a column's texts say together. A column that says percent in its name keeps its percents as they
    are written.
    """
    seen: Counter[str] = Counter()
    for value, n in counts:
        if (match := _match(value)) is not None:
            digits = _digits(match)
            seen[_decimal_mark(digits)] += n
            seen["either"] += "." in digits and not _decimal_mark(digits)
            seen["short"] += _SHORT.fullmatch(digits) is not None
            seen["long"] += _LONG.fullmatch(digits) is not None
            seen["%"] += n * (match["unit"] == "%")
            # beside 84.5 the sign of 88 % says nothing
            seen["large"] += n * (not match["unit"] and abs(number_of(value) or 0.0) > 1.0)
    comma = seen[","] > 0 and not seen["grouped,"]
    # a grouped comma says that a single one groups as well
    dot = seen["."] > 0 or not seen[","]
    return Notation(
        comma_groups=not comma,
        # points group where nothing uses one for fractions, all of them surely group, or each has three
        # digits behind it and what has no point has three at most
        dot_groups=not dot
        or (seen["grouped."] > 0 and not seen["."])
        or (seen["either"] >= _SEVERAL and seen["short"] > 0 and not (seen["."] or seen["long"])),
        # as parts of one only where no bare number of the column is larger
        fraction=seen["%"] > 0 and not seen["large"] and not _PERCENT & set(names.normal(name).split()),
    )


def _decimal_mark(digits: str) -> str:
    """The mark that surely is the decimal one (`.`, `,`), or surely groups (`grouped,`); empty where it may
    be either.
    """
    comma, dot = digits.rfind(","), digits.rfind(".")
    # Both are there: the last one stands before the fraction.
    if comma >= 0 and dot >= 0:
        return "," if comma > dot else "."
    mark = "," if comma >= 0 else "." if dot >= 0 else ""
    # no mark, no question
    if not mark:
        return ""
    if digits.count(mark) > 1:
        return f"grouped{mark}"
    whole, _, rest = digits.partition(mark)
    # Three digits behind a single mark may be a group or a fraction; other numbers of digits are no group.
    surely = len(rest) != 3 or whole.lstrip("-+−") in {"", "0"} or len(whole.lstrip("-+−")) > 3
    return mark if surely else ""


# units that several signs are used for stand once for each
_SIGNS = {
    sign: unit
    for unit, signs in {
        "meter": "m", "millimeter": "mm", "centimeter": "cm", "decimeter": "dm", "kilometer": "km",
        "mile": "mi", "millisecond": "ms", "second": "s sec", "minute": "min", "hour": "h hr", "day": "d",
        "month": "mo mth",
        "milligram": "mg", "gram": "g gr", "kilogram": "kg", "tonne": "t", "pound": "lb", "ounce": "oz",
        "milliliter": "ml", "centiliter": "cl", "deciliter": "dl", "liter": "l lt ltr", "hectare": "ha",
        "byte": "b", "kilobyte": "kb", "megabyte": "mb", "gigabyte": "gb", "terabyte": "tb",
        "watt": "w", "kilowatt": "kw", "megawatt": "mw", "watt hour": "wh", "kilowatt hour": "kwh",
        "megawatt hour": "mwh",
    }.items()
    for sign in signs.split()
}  # fmt: skip


def number_of(value: str, notation: Notation = PLAIN) -> float | None:
    """The number a messy text holds, or None: `1 234,50 €`, `(53,465)`, `-$991`, `21.3 °C`, `90 %`."""
    match = _match(value)
    if match is None:
        return None
    digits = _digits(match)
    try:
        number = float(_plain(digits, notation))
    except ValueError:
        return None
    # accountants write (5) for -5, and others 5-
    if (match["open"] and match["close"]) or match["sign"] in {"-", "−"} or match["minus"]:
        number = -abs(number)
    return number / 100.0 if match["unit"] == "%" and notation.fraction else number


def unit_of(value: str) -> str:
    """The unit or the sign of money that a number is written with, in lower case; empty without one."""
    match = _match(value)
    if match is None:
        return ""
    told = match["unit"] or ("".join(_SYMBOL.findall(match["pre"] or "")))
    return "".join(told.lower().split())


def has_currency(value: str) -> bool:
    """Is it a number with a sign of money?"""
    return _match(value) is not None and _SYMBOL.search(value) is not None


@lru_cache(maxsize=200_000)
def _match(value: str) -> re.Match[str] | None:
    match = NUMBER.match(value.strip())
    # a parenthesis alone is no sign
    # the two must be there together
    return None if match is None or bool(match["open"]) != bool(match["close"]) else match


def _digits(match: re.Match[str]) -> str:
    return re.sub(r"[\s'’\u00a0\u202f]", "", match["num"]).rstrip(".,").replace("−", "-")


def _plain(digits: str, notation: Notation) -> str:
    """Digits with a point before the fraction."""
    # which mark is the decimal one is decided for the text; what it leaves open by the column
    mark = _decimal_mark(digits)
    if mark == ",":
        return digits.replace(".", "").replace(",", ".")
    if mark == "." or (not mark and "." in digits and not notation.dot_groups):
        return digits.replace(",", "")
    if not mark and "," in digits and not notation.comma_groups:
        return digits.replace(",", ".")
    # neither mark decides: groups of three are joined, anything else is left to float()
    return digits.replace(",", "").replace(".", "") if _GROUPS.fullmatch(digits) else digits


def _meant(unit: str) -> str:
    """The unit that a sign of a few letters is used for; empty for other texts."""
    told = unit.rstrip(".")
    return _SIGNS.get(told) or _SIGNS.get(told.rstrip("s"), "")


def one_unit(units: Collection[str]) -> bool:
    """Numbers of one column are of one unit (`1 day`, `2 days`, `3 d.`); what has many words behind its
    numbers is no number.
    """
    if len({meant for unit in units if (meant := _meant(unit))}) > 1:
        # `m` is no beginning of `mm`
        return False
    lettered = sorted({unit.rstrip(".").rstrip("s") for unit in units if unit and unit[0].isalpha()}, key=len)
    # the shortest is what the others must begin with: `d`, `day`, `days`
    return all(unit.startswith(lettered[0]) for unit in lettered)


def numbered_share(counts: Counts) -> int:
    """Rows whose text is a number, perhaps with a unit; 0 where units differ."""
    units = {(match["unit"] or "").lower() for value, _ in counts if (match := _match(value)) is not None}
    if not one_unit(units):
        return 0
    return sum(n for value, n in counts if number_of(value) is not None)


def formatted_share(counts: Counts) -> int:
    """Rows whose text is a number with signs of money, of percent or of one unit; 0 where units differ."""
    units: Counter[str] = Counter()
    total = 0
    for value, n in counts:
        match = _match(value)
        # `No 5`: letters before the number that are no money
        if match is None or (
            match["pre"] and re.search(r"\w", match["pre"]) and not _SYMBOL.search(match["pre"])
        ):
            continue
        unit = (match["unit"] or "").lower()
        # `3rd` is a place, and `1e5` is written without signs
        if unit in _ORDINALS or "e" in match["num"].lower() or number_of(value) is None:
            continue
        units[unit] += n
        total += n
    return total if one_unit(units) else 0
