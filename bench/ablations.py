"""QUITE's own measures (Fig. 6 and 10, Tables 6 to 8) and ablations of the rewriter, on any set of queries.

    python -m bench.ablations --suite tpch --sf 0.1 --data FILE --out report.json [--at 1] [--ids 1,4,7]
    [--variants full,...]

For each variant: how many rewrites are equivalent (by the checker, and by their rows), how many improve by 10
% or more, rewrites by category, time and tokens and money a query. ``--at`` runs what was found at ``--sf``
at another scale factor, too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.bars import bar
from bench.rewriting import Plan, Query, compare, read_queries
from bench.warehouse import SETTINGS, warehouse
from rewright.engines.postgres.scratch import ScratchServer
from rewright.rewrite.adapters.live import connected
from rewright.rewrite.api import Outcome, Rewriter
from rewright.rewrite.model import Settings
from rewright.rewrite.search.explore import Limits
from rewright.rewrite.search.proposer import RuleProposer

Change = Callable[[Settings], Settings]
VARIANTS: dict[str, Change] = {
    "full": lambda s: s,
    # one rule application and one round, as a single agent would do
    "single pass": lambda s: replace(s, single_pass=True, rounds=1),
    "no checker loop": lambda s: replace(s, checker_loop=False, repairs=0),
    # the cheapest verified candidate by estimate, unmeasured
    "no decision": lambda s: replace(s, decision=False, measure="explain"),
    "no knowledge": lambda s: replace(s, knowledge=False),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One query under one variant. Times are medians of backend CPU seconds."""

    variant: str
    id: str
    verdict: str | None
    category: str
    same_rows: bool | None
    before: float
    after: float
    seconds: float
    tokens: int
    money: float | None
    sql: str | None

    @property
    def improved(self) -> bool:
        return self.sql is not None and self.same_rows is not False and self.after <= 0.9 * self.before


def rewriter_of(variant: str, rewriter: Rewriter) -> Rewriter:
    """The same ports; without search the rules are applied once."""
    proposer = rewriter.ports.proposer
    if variant == "single pass" and isinstance(proposer, RuleProposer):
        return Rewriter(replace(rewriter.ports, proposer=replace(proposer, limits=Limits(depth=1))))
    return rewriter


def row(variant: str, query: Query, outcome: Outcome, dsn: str, plan: Plan) -> Row:
    best = outcome.best if outcome.servable else None
    sql = best.checked.candidate.sql if best else None
    before, after = compare(dsn, query.sql, sql, plan)
    cpu_before = statistics.median(r.cpu for r in before)
    cpu_after = statistics.median(r.cpu for r in after) if after else cpu_before
    digests = {r.digest for r in (*before, *after)}
    known = before[0].digest is not None and all(r.digest is not None for r in after)
    return Row(
        variant,
        query.id,
        best.checked.evidence.level if best else None,
        best.checked.candidate.category if best else "",
        len(digests) == 1 if after and known else None,
        cpu_before,
        cpu_after,
        outcome.seconds,
        outcome.usage.tokens,
        outcome.usage.money,
        sql,
    )


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    served = [r for r in rows if r.sql is not None]
    before, after = [r.before for r in rows], [r.after for r in rows]
    return {
        "queries": len(rows),
        "rewritten": len(served),
        "verdicts": dict(Counter(r.verdict for r in served)),
        "equivalence_rate": 1.0 - sum(r.same_rows is False for r in rows) / max(1, len(rows)),
        "improvement_rate": sum(r.improved for r in rows) / max(1, len(rows)),
        "categories": dict(Counter(r.category for r in rows if r.improved)),
        "slower": [r.id for r in served if r.after > 1.1 * r.before and r.after - r.before > 0.02],
        "mean": [statistics.mean(before), statistics.mean(after)],
        "median": [statistics.median(before), statistics.median(after)],
        "ratio": sum(after) / max(sum(before), 1e-9),
        "seconds_a_query": statistics.mean(r.seconds for r in rows),
        "tokens_a_query": statistics.mean(r.tokens for r in rows),
        "money_a_query": None
        if any(r.money is None for r in rows)
        else statistics.mean(r.money or 0.0 for r in rows),
    }


def elsewhere(rows: Sequence[Row], queries: Sequence[Query], dsn: str, plan: Plan) -> dict[str, Any]:
    """What was found at one scale, run at another (Table 7)."""
    found = {r.id: r.sql for r in rows if r.variant == "full"}
    ratios, wrong = [], []
    for query in bar(queries, "elsewhere"):
        before, after = compare(dsn, query.sql, found.get(query.id), plan)
        cpu_before = statistics.median(r.cpu for r in before)
        ratios.append((cpu_before, statistics.median(r.cpu for r in after) if after else cpu_before))
        if before[0].digest is not None and len({r.digest for r in (*before, *after) if r.digest}) > 1:
            wrong.append(query.id)
    total_before, total_after = (sum(r[i] for r in ratios) for i in (0, 1))
    return {"ratio": total_after / max(total_before, 1e-9), "different_rows": wrong, "pairs": ratios}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.ablations")
    parser.add_argument("--suite", choices=("tpch", "tpcds"), default="tpch")
    parser.add_argument("--sf", type=float, default=0.1)
    parser.add_argument("--at", type=float, help="run what was found at this scale factor, too")
    parser.add_argument("--data", type=Path, required=True, help="JSON lines {id, sql}")
    parser.add_argument("--ids", default="")
    parser.add_argument("--every", type=int, default=1, help="only every N-th query")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cap", type=float, default=40.0)
    parser.add_argument("--trust", choices=("proved", "tested"), default="tested")
    parser.add_argument("--keep", type=Path, help="directory of the loaded database")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    queries = read_queries(chosen.data, [i for i in chosen.ids.split(",") if i])[:: chosen.every]
    plan = Plan(cap=chosen.cap, runs=chosen.runs, trust=chosen.trust)
    document: dict[str, Any] = {
        "machine": {
            "cpus": os.cpu_count(),
            "platform": platform.platform(),
            "python": sys.version.split()[0],
        },
        "server_settings": SETTINGS,
        "arguments": {k: str(v) for k, v in vars(chosen).items()},
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
    rows = _measure(chosen, queries, plan)
    for variant in dict.fromkeys(r.variant for r in rows):
        document[variant] = summary([r for r in rows if r.variant == variant])
        print(f"{variant:16} {json.dumps(document[variant])}", flush=True)
    if chosen.at is not None:
        with warehouse(chosen.suite, chosen.at) as other:
            document["elsewhere"] = elsewhere(rows, queries, other.dsn, plan)
            print(f"at sf {chosen.at}: ratio {document['elsewhere']['ratio']:.3f}")
    document["rows"] = [{s: getattr(r, s) for s in Row.__slots__} for r in rows]
    if chosen.out is not None:
        chosen.out.write_text(json.dumps(document, indent=1, default=str))
    return 1 if any(r.same_rows is False for r in rows) else 0


def _measure(chosen: argparse.Namespace, queries: Sequence[Query], plan: Plan) -> list[Row]:
    rows: list[Row] = []
    base = Settings(trust=plan.trust, measure="both", run_timeout=plan.cap)
    with ExitStack() as stack:
        data = stack.enter_context(warehouse(chosen.suite, chosen.sf, chosen.keep))
        scratch = stack.enter_context(ScratchServer())
        rewriter = stack.enter_context(connected(data.dsn, scratch, run_timeout=plan.cap))
        for variant in [v for v in chosen.variants.split(",") if v]:
            strategy = rewriter_of(variant, rewriter.plain)
            for query in queries:
                outcome = strategy.optimise(query.sql, settings=VARIANTS[variant](base))
                rows.append(row(variant, query, outcome, data.dsn, plan))
                r = rows[-1]
                print(f"{variant:16} {r.id:10} {r.before:8.3f} {r.after:8.3f} {r.verdict or '-'}", flush=True)
    return rows


if __name__ == "__main__":
    sys.exit(main())
