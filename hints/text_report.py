"""A recommendation in plain words, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from hints.result import Recommendation

_WIDTH = 40


def lines_of(found: Recommendation) -> Iterator[str]:
    """The hints, why, what they gained, estimate against actual, and what would make them unnecessary."""
    if found.hints:
        yield f"hints: {found.hints.comment() or found.hints}"
        yield from (f"  because {reason}" for reason in found.reasons)
        if not found.measured:
            yield f"  {found.reason}"
    else:
        yield f"no hints: {found.reason}"
    yield from _figures(found)
    if found.estimates:
        yield ""
        yield f"{'relations':{_WIDTH}} {'operator':16} {'estimated':>12} {'actual':>12} {'q-error':>8}"
        for estimate in sorted(found.estimates, key=lambda e: -e.q_error):
            yield (
                f"{_names(estimate.aliases):{_WIDTH}} {estimate.operator:16} {estimate.estimated:12,.0f} "
                f"{estimate.actual:12,.0f} {estimate.q_error:8,.1f}"
            )
    if found.judgements:
        yield ""
        yield f"{'doubted, by statistics alone':{_WIDTH}} {'operator':16} {'estimated':>12} {'up to':>12}"
        for one in found.judgements:
            yield f"{_names(one.aliases):{_WIDTH}} {one.operator:16} {one.estimated:12,.0f} {one.high:12,.0f}"
            yield f"    {one.reason}"
    if found.advice:
        yield ""
        yield "instead of hints, the cause:"
        for advice in found.advice:
            yield f"  {advice.statement};"
            yield f"    -- {advice.reason}"


def _figures(found: Recommendation) -> Iterator[str]:
    if found.seconds_after is not None:
        yield f"time:  {_seconds(found)} -> {found.seconds_after:.3f} s"
    elif found.seconds_before is not None:
        yield f"time:  {found.seconds_before:.3f} s"
    if found.cost_after is not None:
        yield f"cost:  {found.cost_before:,.0f} -> {found.cost_after:,.0f}"
    elif found.cost_before:
        yield f"cost:  {found.cost_before:,.0f}"


def _names(aliases: frozenset[str]) -> str:
    names = ", ".join(sorted(aliases))
    return names if len(names) <= _WIDTH else names[: _WIDTH - 1] + "…"


def _seconds(found: Recommendation) -> str:
    if found.seconds_before is not None:
        return f"{found.seconds_before:.3f} s"
    return "not run to its end" if found.stopped_at is None else f"stopped after {found.stopped_at:.0f} s"
