"""A recommendation in plain words, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from hints.recommend import Recommendation


def lines_of(found: Recommendation) -> Iterator[str]:
    """The hints, why, what they gained, estimate against actual, and what would make them unnecessary."""
    if found.hints:
        yield f"hints: {found.hints.comment() or found.hints}"
        yield from (f"  because {reason}" for reason in found.reasons)
        yield f"time:  {_seconds(found.seconds_before)} -> {_seconds(found.seconds_after)}"
    else:
        yield f"no hints: {found.reason}"
    if found.estimates:
        yield ""
        yield f"{'relations':40} {'operator':16} {'estimated':>12} {'actual':>12} {'q-error':>8}"
        for estimate in sorted(found.estimates, key=lambda e: -e.q_error):
            names = ", ".join(sorted(estimate.aliases))
            yield (
                f"{names[:40]:40} {estimate.operator:16} {estimate.estimated:12,.0f} "
                f"{estimate.actual:12,.0f} {estimate.q_error:8,.1f}"
            )
    if found.advice:
        yield ""
        yield "instead of hints, the cause:"
        for advice in found.advice:
            yield f"  {advice.statement};"
            yield f"    -- {advice.reason}"


def _seconds(value: float | None) -> str:
    return "stopped at the limit" if value is None else f"{value:.3f} s"
