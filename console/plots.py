"""Small plots as SVG, without scripts. Numbers in, markup out; names that may come from users are escaped."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from rewright.console.showing import visible

# a telephone is not shown a plot that it would have to shrink until nobody can read it, or to scroll
WIDTHS = {"wide": 640, "narrow": 330}
HEIGHT, LEFT, BOTTOM, LINE = 160, 64, 18, 20
# characters of a step's name that fit beside its bar
_LABEL = 24


@dataclass(frozen=True, slots=True)
class Point:
    """``at``: seconds since the epoch; ``series``: which class its mark gets."""

    at: float
    value: float
    series: str = "one"


def bars(values: Sequence[tuple[int, float]], unit: str) -> Markup:
    """One bar a day. ``values``: (midnight, value)."""
    return _drawn(f"{unit} by day", lambda width: _bars(values, unit, width))


def _bars(values: Sequence[tuple[int, float]], unit: str, width: int) -> Sequence[str]:
    top = max((value for _, value in values), default=0.0) or 1.0
    step = (width - LEFT) / max(len(values), 1)
    parts = [_axis(top, unit, width)]
    for number, (day, value) in enumerate(values):
        height = (HEIGHT - BOTTOM) * max(value, 0.0) / top
        said = f"{_day(day)}: {_short(value)} {unit}"
        parts.append(
            f'<rect class="bar" x="{LEFT + number * step + 1:.1f}" y="{HEIGHT - BOTTOM - height:.1f}"'
            f' width="{max(step - 2, 1):.1f}" height="{height:.1f}"><title>{said}</title></rect>'
        )
    if values:
        parts += [_label(LEFT, _day(values[0][0]), "start"), _label(width, _day(values[-1][0]), "end")]
    return parts


def dots(points: Sequence[Point], unit: str) -> Markup:
    """A dot for each measurement over time, on a logarithmic scale, for both texts
    of a rewrite span decades.
    """
    if not points:
        return Markup("")
    return _drawn(f"latency of both texts in {unit}", lambda width: _dots(points, unit, width))


def _dots(points: Sequence[Point], unit: str, width: int) -> Sequence[str]:
    import math

    values = [max(point.value, 1e-3) for point in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)
    high = max(high, low + 1)
    first, last = min(p.at for p in points), max(p.at for p in points)
    parts = []
    for power in range(low, high + 1):
        y = _y(power, low, high)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_short(10.0**power)} {unit}</text>'
        )
    for point, value in zip(points, values, strict=True):
        x = LEFT + 8 + (width - LEFT - 16) * ((point.at - first) / (last - first) if last > first else 0.5)
        y = _y(math.log10(value), low, high)
        kind = "after" if point.series == "replacement" else "before"
        parts.append(
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{_short(value)} '
            f"{unit}</title></circle>"
        )
    parts += [_label(LEFT, _moment(first), "start"), _label(width, _moment(last), "end")]
    return parts


@dataclass(frozen=True, slots=True)
class Span:
    """One bar of a timeline; ``seconds``: how long it took. ``name`` and ``note`` may come from users."""

    name: str
    seconds: float
    note: str = ""


def timeline(spans: Sequence[Span]) -> Markup:
    """Steps one below the other, each beginning where the one before ended."""
    whole = sum(max(one.seconds, 0.0) for one in spans)
    if whole <= 0:
        return Markup("")
    height = len(spans) * LINE + 4
    return _drawn(
        f"{len(spans)} steps in {_seconds(whole)}", lambda width: _timeline(spans, whole, width), height
    )


def _timeline(spans: Sequence[Span], whole: float, width: int) -> Sequence[str]:
    left = 150
    parts, begun = list[str](), 0.0
    for number, one in enumerate(spans):
        took = max(one.seconds, 0.0)
        x = left + (width - left - 70) * begun / whole
        # a step too short to see still has a mark
        long = max((width - left - 70) * took / whole, 1.5)
        y, said = number * LINE, _seconds(took)
        parts.append(
            f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(visible(one.name[:_LABEL]))}</text>'
            f'<rect class="bar" x="{x:.1f}" y="{y + 4}" width="{long:.1f}" height="{LINE - 8}">'
            f"<title>{escape(visible(one.note or one.name))}: {said}</title></rect>"
            f'<text x="{x + long + 5:.1f}" y="{y + 14}" text-anchor="start">{said}</text>'
        )
        begun += took
    return parts


def _seconds(value: float) -> str:
    return f"{value * 1000:,.0f} ms" if value < 1 else f"{value:,.2f} s"


def _y(power: float, low: int, high: int) -> float:
    return 6 + (HEIGHT - BOTTOM - 12) * (1 - (power - low) / (high - low))


def _axis(top: float, unit: str, width: int) -> str:
    return (
        f'<line class="grid" x1="{LEFT}" x2="{width}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM}"/>'
        f'<text x="{LEFT - 6}" y="12" text-anchor="end">{_short(top)} {unit}</text>'
        f'<text x="{LEFT - 6}" y="{HEIGHT - BOTTOM}" text-anchor="end">0</text>'
    )


def _label(x: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{HEIGHT - 3}" text-anchor="{anchor}">{text}</text>'


def _drawn(title: str, parts: Callable[[int], Sequence[str]], height: int = HEIGHT) -> Markup:
    """The plot at each width; the style sheet shows the one that fits."""
    return Markup("").join(
        Markup(  # noqa: S704  (numbers, words of this file, and names that were escaped)
            f'<svg class="plot {name}" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="{title}">{"".join(parts(width))}</svg>'
        )
        for name, width in WIDTHS.items()
    )


def _short(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:,.1f}M"
    if value >= 10_000:
        return f"{value / 1000:,.0f}k"
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _day(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).strftime("%d %b")


def _moment(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).strftime("%d %b %H:%M")
