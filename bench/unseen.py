"""The rewriter on slow queries that nobody tuned on: original, what Rewright serves, and a rewrite by hand,
side by side.

rewright bench unseen --scale 0.2 --part open --out report.json [--keep DIR] [--schema shop] [--ids a,b]

Owns the sums by kind and schema. A report of the part ``kept`` names no query: it stays unseen.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import rewriting
from bench.bars import bar, say
from bench.phases import watched
from bench.rewriting import Baseline, Plan, Query, Result, rewriter_for, timed
from bench.unseen_data import (
    FIRST_QUERIES,
    SCHEMAS,
    SETS,
    QuerySet,
    UnseenQuery,
    databases,
    unseen_queries,
)
from bench.warehouse import SETTINGS

WORTH = 2.0
"""A rewrite by hand this many times faster makes the query one that can be improved."""
IMPROVED = 0.9


@dataclass(frozen=True, slots=True)
class Measured:
    """One query: Rewright's result, and CPU seconds by hand (None: no rewrite was found, or it failed)."""

    query: UnseenQuery
    result: Result
    hand: float | None

    @property
    def improvable(self) -> bool:
        return self.hand is not None and self.hand * WORTH <= self.result.cpu_before

    @property
    def outcome(self) -> str:
        """``proved`` or ``tested`` where what is served is faster by a tenth, else ``missed``."""
        if not self.result.rewritten or self.result.cpu_after > IMPROVED * self.result.cpu_before:
            return "missed"
        return "proved" if self.result.counts_as == "proved" else "tested"

    @property
    def best_hand(self) -> float:
        """CPU seconds of whoever wrote by hand: the original where the rewrite is slower."""
        return min(self.hand or self.result.cpu_before, self.result.cpu_before)


def measured(dsn: str, queries: Sequence[UnseenQuery], plan: Plan, baseline: Baseline) -> Iterator[Measured]:
    """One rewriter for all queries of a schema, as a server would have."""
    with rewriter_for(dsn, plan, hints=False) as plain:
        rewriter, log = watched(plain)
        for query in queries:
            result = rewriting.measure(rewriter, log, dsn, Query(query.id, query.query), plan, baseline)
            yield Measured(query, result, by_hand(dsn, query, plan))


def by_hand(dsn: str, query: UnseenQuery, plan: Plan) -> float | None:
    if query.hand is None:
        return None
    runs = [timed(dsn, query.hand, plan) for _ in range(plan.runs)]
    return None if any(r.error for r in runs) else statistics.median(r.cpu for r in runs)


def totals(results: Sequence[Measured]) -> dict[str, Any]:
    """Ratios of sums and of geometric means over all queries, counts over those that can be improved."""
    before = [r.result.cpu_before for r in results]
    after = [r.result.cpu_after for r in results]
    proved = [r.result.cpu_after if r.result.counts_as == "proved" else r.result.cpu_before for r in results]
    hand = [r.best_hand for r in results]
    improvable = [r for r in results if r.improvable]
    outcomes = [r.outcome for r in improvable]
    firsts = sorted(f for r in results if (f := r.result.first_verified_seconds) is not None)
    works = sorted(f for r in results if (f := r.result.ends.get("cpu_before_first")) is not None)
    return {
        "queries": len(results),
        "ratio": sum(after) / sum(before),
        "ratio_proved": sum(proved) / sum(before),
        "ratio_by_hand": sum(hand) / sum(before),
        "geometric_ratio": geometric(after) / geometric(before),
        "geometric_ratio_proved": geometric(proved) / geometric(before),
        "geometric_ratio_by_hand": geometric(hand) / geometric(before),
        "improvable": len(improvable),
        **{name: outcomes.count(name) for name in ("proved", "tested", "missed")},
        "improved_beyond": sum(r.outcome != "missed" and not r.improvable for r in results),
        "slower": sum(r.result.slower for r in results),
        "different": sum(r.result.same_answer is False for r in results),
        "stopped_at_the_cap": sum(r.result.stopped for r in results),
        "first_verified_median": statistics.median(firsts) if firsts else None,
        "first_verified_p95": rewriting.percentile(firsts, 0.95) if firsts else None,
        "first_verified_cpu_median": statistics.median(works) if works else None,
        "first_verified_cpu_p95": rewriting.percentile(works, 0.95) if works else None,
    }


def geometric(seconds: Sequence[float]) -> float:
    """The geometric mean, with a millisecond as the least that is told apart."""
    return statistics.geometric_mean([max(s, 0.001) for s in seconds])


def grouped(results: Sequence[Measured], key: Callable[[Measured], str]) -> dict[str, dict[str, Any]]:
    names = sorted({key(r) for r in results})
    return {name: totals([r for r in results if key(r) == name]) for name in names}


def report(results: Sequence[Measured], plan: Plan, scale: float) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    for part, found in (
        (p, [r for r in results if r.query.part == p]) for p in sorted({r.query.part for r in results})
    ):
        parts[part] = {
            "all": totals(found),
            "by_kind": grouped(found, lambda r: r.query.kind),
            "by_schema": grouped(found, lambda r: r.query.schema),
            "by_orm": grouped([r for r in found if r.query.orm], lambda r: r.query.orm),
        }
        if part == "open":
            parts[part]["queries"] = [
                {
                    **asdict(r.result),
                    "kind": r.query.kind,
                    "schema": r.query.schema,
                    "cpu_hand": r.hand,
                    "outcome": r.outcome,
                }
                for r in found
            ]
    made = rewriting.report("unseen", [], plan, {"scale": scale, "server_settings": SETTINGS})
    return {**{k: v for k, v in made.items() if k not in ("summary", "queries")}, "parts": parts}


def shown(found: Measured) -> str:
    if found.query.part == "kept":
        return f"{'(kept)':36} {found.outcome if found.improvable else '-'}"
    hand = "-" if found.hand is None else f"{found.hand:.2f}"
    return f"{found.outcome if found.improvable else '-':8} hand {hand:>6}  {rewriting.line(found.result)}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="rewright bench unseen")
    parser.add_argument("--scale", type=float, default=0.2, help="1 is about 2 million rows a schema")
    parser.add_argument("--part", choices=("open", "kept", "all"), default="open")
    parser.add_argument(
        "--schema",
        choices=list(dict.fromkeys((*SCHEMAS, *(s for made in SETS.values() for s in made.schemas)))),
        action="append",
        help="only queries of this one",
    )
    for name, other in SETS.items():
        parser.add_argument(
            f"--{name}", dest="set", action="store_const", const=name, help=f"{other.about} instead"
        )
    parser.add_argument("--ids", default="", help="only these, separated by commas")
    parser.add_argument("--out", type=Path, help="report as JSON")
    parser.add_argument("--keep", type=Path, help="directory of the loaded databases, kept for the next run")
    parser.add_argument("--runs", type=int, default=3, help="interleaved runs a side")
    parser.add_argument("--cap", type=float, default=20.0, help="CPU seconds after which a run is stopped")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of one optimisation")
    parser.add_argument("--trust", choices=("proved", "tested"), default="tested")
    chosen = parser.parse_args(arguments)
    ids = [i for i in chosen.ids.split(",") if i]
    asked = SETS.get(chosen.set, QuerySet(FIRST_QUERIES, SCHEMAS, ""))
    schemas = [s for s in asked.schemas if s in (chosen.schema or (s,))]
    queries = [
        q
        for q in unseen_queries(asked.file)
        if chosen.part in (q.part, "all") and (not ids or q.id in ids) and q.schema in schemas
    ]
    plan = Plan(cap=chosen.cap, runs=chosen.runs, budget=chosen.budget, trust=chosen.trust)
    results: list[Measured] = []
    with databases(chosen.scale, chosen.keep, schemas) as dsns:
        for schema in schemas:
            of_schema = [q for q in queries if q.schema == schema]
            found_ones = measured(dsns[schema], of_schema, plan, Baseline()) if of_schema else ()
            for found in bar(found_ones, schema, total=len(of_schema)):
                results.append(found)
                say(shown(found))
                if chosen.out is not None:
                    chosen.out.write_text(
                        json.dumps(report(results, plan, chosen.scale), indent=1, default=str) + "\n"
                    )
    for part, sums in report(results, plan, chosen.scale)["parts"].items():
        print(part, json.dumps(sums["all"], indent=1))
    return 1 if any(r.result.same_answer is False for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
