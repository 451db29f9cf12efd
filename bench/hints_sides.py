"""Four sides of each query in one run: as written, hinted, rewritten, rewritten and hinted.

Owns the choice of what would be served, the interleaved runs and their summary; `--hints only` leaves the
rewriter out. Times are CPU seconds of the backend. Must not know which benchmark's queries it runs.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.bars import bar, say
from bench.rewriting import SLOWER_RATIO, SLOWER_SECONDS, Plan, Query, Run, percentile, rewriter_for, timed
from rewright.hints.parsing import parse_comment
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Deadline, Settings
from rewright.wiring.ports.hinting import HintPort

# every measured session obeys hints
SERVER = {"session_preload_libraries": "pg_hint_plan"}
SIDES = ("original", "hinted", "rewritten", "both")


def texts_of(rewriter: Rewriter | None, port: HintPort, query: Query, plan: Plan) -> dict[str, Any]:
    """The texts of each side that there are, with what was found for it."""
    found: dict[str, Any] = {"texts": {"original": query.sql}, "hints": {}, "verdict": None, "reason": ""}
    _hint(found, "hinted", query.sql, port, plan)
    if rewriter is None:
        return found
    settings = Settings(
        trust=plan.trust,
        measure="both",
        budget=plan.budget,
        run_timeout=min(plan.cap, plan.budget / 4),
    )
    outcome = rewriter.optimise(query.sql, settings=settings)
    found["reason"] = outcome.reason
    if outcome.best is not None and outcome.servable:
        plain = outcome.best.checked.candidate.sql
        found["texts"]["rewritten"] = plain
        found["verdict"] = outcome.evidence.level if outcome.evidence else None
        _hint(found, "both", plain, port, plan)
    return found


def _hint(found: dict[str, Any], side: str, sql: str, port: HintPort, plan: Plan) -> None:
    document = port.recommend(sql, Deadline.after(plan.budget))
    if document is not None:
        found["texts"][side] = document["text"]
        found["hints"][side] = document["hints"]


def run_sides(dsn: str, texts: dict[str, str], plan: Plan) -> dict[str, list[Run]]:
    """Interleaved; a side that reaches the cap is run once."""
    runs: dict[str, list[Run]] = {side: [] for side in SIDES if side in texts}
    for turn in range(plan.runs):
        for side, done in runs.items():
            if turn == 0 or done[0].digest is not None:
                done.append(timed(dsn, texts[side], plan))
    return runs


def served_side(texts: dict[str, str]) -> str:
    """What the proxy would send: the rewrite with its hints, the rewrite, the hinted
    original, the original.
    """
    return next(side for side in ("both", "rewritten", "hinted", "original") if side in texts)


def row_of(query: Query, found: dict[str, Any], runs: dict[str, list[Run]]) -> dict[str, Any]:
    cpu = {side: statistics.median(run.cpu for run in done) for side, done in runs.items()}
    wall = {side: statistics.median(run.wall for run in done) for side, done in runs.items()}
    side = served_side(found["texts"])
    digests = {run.digest for done in runs.values() for run in done if run.digest is not None}
    before, after = cpu["original"], cpu[side]
    slower_by_hints = [
        s
        for s, base in (("hinted", "original"), ("both", "rewritten"))
        if s in cpu and is_slower(cpu[base], cpu[s])
    ]
    return {
        "id": query.id,
        "cpu": cpu,
        "wall": wall,
        "served": side,
        "verdict": found["verdict"],
        "hints": found["hints"],
        "reason": found["reason"],
        "slower": is_slower(before, after),
        "slower_by_hints": slower_by_hints,
        "same_answer": len(digests) <= 1,
        "raw": {side: [run.cpu for run in done] for side, done in runs.items()},
        "texts": found["texts"],
    }


def is_slower(before: float, after: float) -> bool:
    return after > before * SLOWER_RATIO and after - before > SLOWER_SECONDS


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Each side's mean, median, 75th and 95th percentile; a query without the side counts with what it would
    get.
    """
    fallback = {
        "hinted": ("original",),
        "rewritten": ("original",),
        "both": ("rewritten", "hinted", "original"),
    }
    made: dict[str, Any] = {"queries": len(rows)}
    total: dict[str, float] = {}
    for side in SIDES:
        values = [
            next(row["cpu"][s] for s in (side, *fallback.get(side, ())) if s in row["cpu"]) for row in rows
        ]
        total[side] = sum(values)
        made[side] = {
            "mean": statistics.mean(values),
            "median": statistics.median(values),
            "p75": percentile(values, 0.75),
            "p95": percentile(values, 0.95),
            "ratio": total[side] / total["original"],
            "queries": sum(side in row["cpu"] for row in rows),
        }
    made["served"] = dict(Counter(row["served"] for row in rows))
    made["slower_served"] = [row["id"] for row in rows if row["slower"]]
    made["slower_by_hints"] = [row["id"] for row in rows if row["slower_by_hints"]]
    made["different_answers"] = [row["id"] for row in rows if not row["same_answer"]]
    made["hints_used"] = dict(hint_types(rows))
    return made


def hint_types(rows: Sequence[dict[str, Any]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        for text in row["hints"].values():
            found.update(kind_of(hint) for hint in parse_comment(text))
    return found


def kind_of(hint: Any) -> str:
    """The keyword the hint prints with: HashJoin, Leading, Rows, …"""
    from rewright.hints.base import print_hint

    return print_hint(hint).split("(", 1)[0]


def run_all(
    name: str,
    dsn: str,
    queries: Sequence[Query],
    plan: Plan,
    *,
    rewrites: bool,
    out: Path | None,
    extra: dict[str, Any],
) -> int:
    """Measure every query that ``out`` does not hold yet, and write it; 1 when an answer differed."""
    rows = json.loads(out.read_text())["queries"] if out is not None and out.exists() else []
    done = {row["id"] for row in rows}
    port = HintPort(dsn, plan.cap, execute=True)
    with rewriter_for(dsn, plan, hints=False) as rewriter:
        for query in bar(queries, name):
            if query.id in done:
                continue
            found = texts_of(rewriter if rewrites else None, port, query, plan)
            rows.append(row_of(query, found, run_sides(dsn, found["texts"], plan)))
            say(line(rows[-1]))
            if out is not None:
                out.write_text(json.dumps(report(name, rows, plan, extra), indent=1, default=str))
    print(json.dumps(summary(rows), indent=1))
    return 1 if any(not row["same_answer"] for row in rows) else 0


def report(name: str, rows: Sequence[dict[str, Any]], plan: Plan, extra: dict[str, Any]) -> dict[str, Any]:
    machine = {
        "cpus": os.cpu_count(),
        "platform": platform.platform(),
        "python": platform.python_version(),
    }
    return {
        "benchmark": name,
        "machine": machine,
        "plan": asdict(plan),
        **extra,
        "summary": summary(rows),
        "queries": list(rows),
    }


def line(row: dict[str, Any]) -> str:
    figures = " ".join(f"{row['cpu'][side]:8.2f}" if side in row["cpu"] else " " * 8 for side in SIDES)
    flags = (" SLOWER" if row["slower"] else "") + (" DIFFERENT" if not row["same_answer"] else "")
    hints = "; ".join(f"{side}: {text}" for side, text in row["hints"].items())
    return f"{row['id']:10} {figures}  {row['served']:9} {hints}{flags}"
