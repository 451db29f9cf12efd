"""Figures on the first page and beside other tools are those of a kept run, not of memory."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
README = (DOCS.parent / "README.md").read_text()
# a transaction's ways to be sent, as often as PgBouncer and Rewright were compared
MIXES = [f"{how} c={clients}" for how in ("prepared", "simple", "extended") for clients in (1, 8)]


def kept(name: str) -> Any:
    return json.loads((DOCS / "figures" / name).read_text())


def row(start: str, page: str = README) -> str:
    """The cells after the first of a table's row."""
    (found,) = re.findall(rf"^\| {re.escape(start)}[^|]*\|(.*)\|$", page, re.MULTILINE)
    return str(found)


def against_pgbouncer(figure: str, workers: int) -> Sequence[float]:
    """Medians of the runs with Rewright by those with PgBouncer, for each of MIXES."""
    results: Mapping[str, Any] = kept("overhead.json")["results"]

    def middle(runs: Iterable[Mapping[str, float]]) -> float:
        return statistics.median(run[figure] for run in runs)

    return [middle(results[mix][f"rewright {workers}"]) / middle(results[mix]["pgbouncer"]) for mix in MIXES]


def between(ratios: Sequence[float]) -> str:
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def test_beside_pgbouncer() -> None:
    cell = row("queries that only pass through, beside PgBouncer")
    cpu = between(against_pgbouncer("cpu_us", 1))
    assert f"{between(against_pgbouncer('tps', 1))} of its transactions a second with one worker" in cell
    assert f"{cpu} times its CPU time" in cell
    two = between(against_pgbouncer("cpu_us", 2))
    comparison = (DOCS / "comparison.md").read_text()
    assert f"{cpu} times PgBouncer's CPU time with one worker, {two} times with two" in comparison


def test_tpch() -> None:
    run = kept("rewriting.json")["tpch, 63 queries"]
    summary = run["summary"]
    cell = row("TPC-H's 63 queries at scale factor 1")
    assert f"{summary['ratio']:.2f} of the original CPU time" in cell
    assert f"{len(summary['slower'])} slower, {len(summary['different_answers'])} other answers" in cell
    # the three instances of each of the two that were stopped
    cap = run["plan"]["cap"]
    stopped = [query for query in run["queries"] if query["cpu_before"] >= cap]
    after = [query["cpu_after"] for query in stopped]
    assert (len(stopped), {query["verdict"] for query in stopped}) == (6, {"proved"})
    assert row("TPC-H Q17 and Q20").strip() == (
        f"stopped after {cap:.0f} s of CPU time → {min(after):.1f} to {max(after):.1f} s, proved"
    )


def test_queries_that_nobody_had_seen() -> None:
    figures = (DOCS / "rewriter-figures.md").read_text()
    (table,) = re.findall(r"^\| \*\*all\*\* \| 65 \|(.*)\|$", figures, re.MULTILINE)
    improvable, proved, tested, _missed, ratio, *_, slower, other = (one.strip() for one in table.split("|"))
    assert row("65 slow queries over three schemas").strip() == (
        f"{ratio} of the original CPU time; {int(proved) + int(tested)} of the {improvable} that a hand rewrite "
        f"improves are improved, {proved} of them proved; {slower} slower, {other} other answers"
    )
