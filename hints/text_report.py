"""A recommendation in plain words, for a terminal, EXPLAIN (REWRITE) and the log; from its JSON form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewright.hints.result import Recommendation

_WIDTH = 40


def lines_of(found: Recommendation) -> Iterator[str]:
    """The hints, why, what they gained, estimate against actual, and what would make them unnecessary."""
    return lines_of_document(found.to_json())


def lines_of_document(found: Mapping[str, Any]) -> Iterator[str]:
    """As `lines_of`, for what `Recommendation.to_json` gave (a log of an older
    version may lack parts).
    """
    if found.get("hints"):
        yield f"hints: {found.get('comment') or found['hints']}"
        yield from (f"  because {reason}" for reason in found.get("reasons") or ())
        if not found.get("measured", True):
            yield f"  {found.get('reason', '')}"
    else:
        yield f"no hints: {found.get('reason', '')}"
    yield from _figures(found)
    yield from _estimates(found.get("estimates") or ())
    yield from _judgements(found.get("judgements") or ())
    if found.get("advice"):
        yield ""
        yield "instead of hints, the cause:"
        for advice in found["advice"]:
            yield f"  {advice['statement']};"
            yield f"    -- {advice['reason']}"


def _figures(found: Mapping[str, Any]) -> Iterator[str]:
    before, after = found.get("seconds_before"), found.get("seconds_after")
    if after is not None:
        stopped = found.get("stopped_at")
        was = f"{before:.3f} s" if before is not None else f"> {stopped or 0:g} s (cancelled)"
        yield f"time:  {was} -> {after:.3f} s"
    elif before is not None:
        yield f"time:  {before:.3f} s"
    elif found.get("stopped_at") is not None:
        yield f"time:  > {found['stopped_at']:g} s (cancelled)"
    if found.get("cost_after") is not None:
        cost, now = found.get("cost_before") or 0.0, found["cost_after"]
        # the hints made the planner see more rows, so its own cost rises
        dearer = " (the planner's own: it now expects the rows that come)" if now > cost else ""
        yield f"cost:  {cost:,.0f} -> {now:,.0f}{dearer}"
    elif found.get("cost_before"):
        yield f"cost:  {found['cost_before']:,.0f}"


def _estimates(estimates: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not estimates:
        return
    yield ""
    yield f"{'relations':{_WIDTH}} {'operator':16} {'estimated':>12} {'actual':>12} {'q-error':>8}"
    for one in sorted(estimates, key=lambda e: -float(e["q_error"])):
        yield (
            f"{_names(one['relations']):{_WIDTH}} {one['operator']:16} {one['estimated']:12,.0f} "
            f"{one['actual']:12,.0f} {one['q_error']:8,.1f}"
        )


def _judgements(judgements: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not judgements:
        return
    yield ""
    yield f"{'doubted without a run':{_WIDTH}} {'operator':16} {'estimated':>12} {'up to':>12}"
    for one in judgements:
        yield (
            f"{_names(one['relations']):{_WIDTH}} {one['operator']:16} {one['estimated']:12,.0f} "
            f"{one['high']:12,.0f}"
        )
        yield f"    {one['reason']}"


def _names(aliases: Sequence[str]) -> str:
    names = ", ".join(sorted(aliases))
    return names if len(names) <= _WIDTH else names[: _WIDTH - 1] + "…"
