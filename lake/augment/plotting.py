"""A plot of the gain by table: bars with their intervals, as SVG by itself, as PNG with matplotlib."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from rewright.lake.augment.api import Added, AugmentError, Report

_WIDTH, _LEFT, _RIGHT, _ROW, _TOP, _BOTTOM = 760, 220, 40, 34, 56, 44
_BAR, _PALE, _INK = "#2b6cb0", "#a0aec0", "#1a202c"


def check_file(file: Path) -> None:
    """Whether a plot can be written as what the file's name ends with.

    :raises AugmentError: the ending is neither .svg nor .png, or matplotlib is missing.
    """
    match file.suffix.lower():
        case ".svg":
            pass
        case ".png":
            _figures()
        case _:
            raise AugmentError(f"{file.name}: a plot is written as .svg or .png")


def plot(report: Report, file: Path) -> None:
    """Write the plot; the ending says as what.

    :raises AugmentError: as `check_file`, or the file cannot be written.
    """
    check_file(file)
    try:
        if file.suffix.lower() == ".svg":
            file.write_text(svg_of(report), encoding="utf-8")
        else:
            _png(report, file)
    except OSError as error:
        raise AugmentError(f"{file} cannot be written: {error}", sqlstate="58030") from error


def svg_of(report: Report) -> str:
    """One bar a table, in the order in which they were added; pale where the gain
    does not beat its interval.
    """
    height = _TOP + _ROW * max(1, len(report.added)) + _BOTTOM
    # 0 is always shown, and a little to its right even where nothing gains
    low = min([0.0, *(added.low for added in report.added)])
    high = max([0.01, *(max(added.high, added.r2_after - added.r2_before) for added in report.added)])

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    title = f"{report.table}.{report.target}: R² {report.r2_before:.3f} to {report.r2_after:.3f}"
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
            f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="13" fill="{_INK}">'
        ),
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        f'<text x="16" y="26" font-size="15">{_written(title)}</text>',
    ]
    if not report.added:
        parts.append(f'<text x="16" y="{_TOP + 20}">no table makes the prediction better</text>')
    for i, added in enumerate(report.added):
        parts += _row(added, _TOP + i * _ROW, x)
    foot = height - _BOTTOM + 16
    parts.append(f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="{_TOP}" y2="{foot - 12}" stroke="{_INK}"/>')
    parts += [
        f'<text x="{x(value):.1f}" y="{foot}" text-anchor="middle">{value:.2f}</text>'
        for value in dict.fromkeys((low, 0.0, high))
    ]
    parts.append(f'<text x="{_LEFT}" y="{foot + 18}">gain in R² (line: 95 % interval)</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _row(added: Added, y: int, x: Callable[[float], float]) -> list[str]:
    """A table's name, its bar, and the interval as a line over the bar; `x`: where a gain is drawn."""
    begin, end = sorted((x(0.0), x(added.r2_after - added.r2_before)))
    return [
        f'<text x="{_LEFT - 10}" y="{y + 20}" text-anchor="end">{_written(added.table[:28])}</text>',
        (
            f'<rect x="{begin:.1f}" y="{y + 6}" width="{max(end - begin, 1):.1f}" height="20" '
            f'fill="{_BAR if added.recommended else _PALE}">'
            f"<title>{_written(added.join_path)}</title></rect>"
        ),
        (
            f'<line x1="{x(added.low):.1f}" x2="{x(added.high):.1f}" y1="{y + 16}" y2="{y + 16}" '
            f'stroke="{_INK}"/>'
        ),
    ]


def _written(text: str) -> str:
    """As XML can hold it: names of files and columns may have any character."""
    return escape("".join(one if one.isprintable() else " " for one in text))


def _figures() -> Any:
    try:
        return importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise AugmentError(
            "a .png needs matplotlib: pip install 'rewright[plots]'; an .svg needs nothing", sqlstate="0A000"
        ) from error


def _png(report: Report, file: Path) -> None:
    figure = _figures().Figure(figsize=(7.6, 1.2 + 0.4 * max(1, len(report.added))), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(report.added))
    gains = [added.r2_after - added.r2_before for added in report.added]
    axes.barh(places, gains, color=[_BAR if added.recommended else _PALE for added in report.added])
    axes.hlines(places, [a.low for a in report.added], [a.high for a in report.added], color=_INK)
    axes.set_yticks(places, [_drawn(added.table[:28]) for added in report.added])
    axes.invert_yaxis()
    title = f"{report.table}.{report.target}: R² {report.r2_before:.3f} to {report.r2_after:.3f}"
    axes.set_title(_drawn(title))
    axes.set_xlabel("gain in R² (line: 95 % interval)")
    figure.savefig(file)


def _drawn(text: str) -> str:
    """As matplotlib shows it and takes it for no formula."""
    return "".join(one if one.isprintable() else " " for one in text).replace("$", r"\$")
