"""Rows that sum up the rows above them: a last line `Total` is no row of the table, nor is a subtotal in it.

Owns how such a row is told from data: its first word says so, and its numbers prove it. Must not know files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from rewright.lake.noise.numbers import PLAIN, Notation, number_of

_LABEL = re.compile(
    r"\s*(?:(?:grand|sub|over)?[ -]?(?:total|totals|sum|all)|grand total|total "
    r"general|totale|summe|gesamt|gesamtsumme|insgesamt"
    r"|suma|somme|totaal|average|mean|mittelwert|durchschnitt|moyenne|promedio|media)\s*:?\s*",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\s*(?:\S+ ){0,2}"
    r"(?:sub[- ]?total|sous-total|subtotale|subtotaal|zwischensumme|delsumma|mezisoučet)"
    r"(?: \S+){0,3}\s*:?\s*",
    re.IGNORECASE,
)
"""A subtotal often says of what: `Subtotal North`."""
_MOST = 3
_NOTATIONS = (PLAIN, Notation(comma_groups=False, dot_groups=True))
"""`1.234` as a fraction, and as thousands: the reading by which it is the sum is the right one."""


def summing_rows(rows: Sequence[Sequence[str]]) -> list[int]:
    """Which rows (of text cells, the header not among them) sum up others: footers, and subtotals where each
    row that calls itself one is the sum of those since the one before.
    """
    body = len(rows) - footer_rows(rows)
    found: list[int] = []
    start = 0
    for i in range(body):
        if not looks_like_footer(rows[i]):
            continue
        if not _sums_up(rows[i], rows[start:i]):
            found = []
            break
        found.append(i)
        start = i + 1
    return [*found, *range(body, len(rows))]


def footer_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many of the last rows (of text cells, the header not among them) sum up those above: 0 to 3."""
    found = 0
    while found < _MOST and len(rows) - found > 1 and _sums_up(rows[-1 - found], rows[: -1 - found]):
        found += 1
    # a row above another footer was compared with rows that are data
    return found


def looks_like_footer(row: Sequence[str]) -> bool:
    """Does the row call itself a total? Cheap: nothing is added up."""
    filled = [cell for cell in row if cell.strip()]
    return bool(filled) and any(label.fullmatch(filled[0]) for label in (_LABEL, _PART))


def _sums_up(last: Sequence[str], above: Sequence[Sequence[str]]) -> bool:
    """Each cell is a number, and one of them the sum or the mean of those above; or the row has none."""
    if not looks_like_footer(last):
        return False
    label = next(i for i, cell in enumerate(last) if cell.strip())
    told = {i: cell.strip() for i, cell in enumerate(last) if i > label and cell.strip()}
    numbers = [i for i, cell in told.items() if number_of(cell) is not None]
    above = [row for row in above if not looks_like_footer(row)]
    if not told:
        # nothing but the word, below rows that are filled: a sum that nobody wrote
        return bool(above) and all(
            sum(map(bool, map(str.strip, row))) >= max(2, len(row) / 2) for row in above
        )
    if not numbers or len(numbers) < len(told):
        return False
    return any(_follows(told[i], i, above, notation) for i in numbers for notation in _NOTATIONS)


def _follows(total: str, column: int, above: Sequence[Sequence[str]], notation: Notation) -> bool:
    cells = [row[column].strip() for row in above if column < len(row) and row[column].strip()]
    found = [n for cell in cells if (n := number_of(cell, notation)) is not None]
    number = number_of(total, notation)
    if number is None or not found or len(found) < 0.9 * len(cells):
        return False
    # what is printed is rounded
    return any(
        math.isclose(number, value, rel_tol=1e-6, abs_tol=0.006)
        for value in (math.fsum(found), math.fsum(found) / len(found))
    )
