"""The cost of a search against the number of a lake's tables, as an SVG: both axes in powers of ten, and the exponent.

Owns the drawing alone; `bench.augment_bench` measures (`--scale 500,2000 --figure FILE.svg`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 400, 70, 230, 40, 50
_COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1")
_INK = "#1a202c"

Series = Mapping[str, Sequence[tuple[float, float]]]
"""Name -> (tables, seconds)."""


def scale_svg(series: Series, exponents: Mapping[str, float]) -> str:
    """A line a series, with its exponent (cost ~ tables ^ exponent) beside its name, where it is known."""
    points = [point for line in series.values() for point in line]
    (left, right), (low, high) = _range([x for x, _ in points]), _range([y for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - left) / (right - left) * (_WIDTH - _LEFT - _RIGHT)
        up = (math.log10(y) - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)
        return _LEFT + across, _HEIGHT - _BOTTOM - up

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif"'
            f' font-size="12" fill="{_INK}"><rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
        ),
        f'<text x="{_LEFT}" y="20">processor seconds by number of tables</text>',
    ]
    for power in range(left, right + 1):
        x, y = place(10.0**power, 10.0**low)
        parts.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{10**power}</text>')
    for power in range(low, high + 1):
        x, y = place(10.0**left, 10.0**power)
        parts.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
        parts.append(f'<line x1="{x}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#cbd5e0"/>')
    for n, (name, line) in enumerate(series.items()):
        colour = _COLOURS[n % len(_COLOURS)]
        told = [place(x, y) for x, y in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in told)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in told]
        power_of = f": tables ^ {exponents[name]:.2f}" if name in exponents else ""
        at = _TOP + 18 * n
        parts.append(
            f'<text x="{_WIDTH - _RIGHT + 14}" y="{at}" fill="{colour}">{escape(name + power_of)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _range(values: Sequence[float]) -> tuple[int, int]:
    """Powers of ten around the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
