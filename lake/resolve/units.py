"""Finds the factor that turns a number of the query into the unit of a real column."""

from __future__ import annotations

from rewright.lake import names
from rewright.lake.catalog.model import Column


def unit_factor(imagined: str, real: Column, value: float) -> tuple[float, bool]:
    """What a number in the imagined column's unit must be multiplied by to be in the real one's, and whether
    both say so.
    """
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
