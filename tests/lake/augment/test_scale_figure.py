"""The figure of a search's cost against the number of tables."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from bench.augment_bench import scale_figure

_SVG = "{http://www.w3.org/2000/svg}"


def test_a_line_for_each_cost_with_its_exponent() -> None:
    lakes = [
        {"tables": n, "first": {"cpu": n / 1000}, "again": {"cpu": n / 2000}, "indexed_cpu": n / 30}
        for n in (500, 2000, 10_000)
    ]
    told = {"first, cpu": 0.81, "again, cpu": 0.7, "first, seconds": 1.3}
    drawn = ET.fromstring(scale_figure({"lakes": lakes, "exponents": told}))
    texts = [one.text for one in drawn.iter(f"{_SVG}text")]
    assert {"first search: tables ^ 0.81", "the next: tables ^ 0.70", "indexing"} <= set(texts)
    assert len(list(drawn.iter(f"{_SVG}circle"))) == 9
    # equal powers are equal steps: a cost that is proportional is a straight line
    (x, y), (x2, y2), (x3, y3) = (
        (float(c.attrib["cx"]), float(c.attrib["cy"])) for c in list(drawn.iter(f"{_SVG}circle"))[:3]
    )
    assert (y2 - y) / (x2 - x) == pytest.approx((y3 - y2) / (x3 - x2), abs=0.01)
