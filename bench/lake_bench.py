"""`rewright bench lake --data DIR --out report.json`: resolution without a model, scored as the thesis does
(7.3).

DIR holds `dev_pairs.jsonl` (or --pairs FILE) and the lakes it names; pairs tagged Noise are asked of
`<lake>_noisy` where there is one beside. The pairs are halved by a hash of their ids; half A is what the
resolver was tuned on, half B was not looked at. The 103 pairs of the thesis cannot be had: these stand in for them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import platform
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import sqlglot

from bench.bars import bar
from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import open_lake
from rewright.lake.batch import answer_line, plain
from rewright.lake.embedding import best_embedder
from rewright.lake.resolve.loop import Options
from rewright.lake.resolve.resolution import Answer
from rewright.wiring.lake_answers import answered, served

TYPES = (
    "Name Mismatch",
    "Missing Table",
    "Obsolete Table",
    "Key Mismatch",
    "Filter Mismatch",
    "Union",
    "Noise",
)
THESIS = {
    "iterative, GPT-5 mini": {"f1": 0.65, "execution": 0.214},
    "single-shot retriever-rewriter": {"f1": 0.41, "execution": 0.099},
}
VARIANTS = {
    "full": Options(),
    "no SEARCH_VALUE": replace(Options(), values=False),
    "no FIND_JOIN_PATH": replace(Options(), joins=False),
    "no UNION_SEARCH": replace(Options(), unions=False),
    "no BUILD_CTE": replace(Options(), clean=False),
    "no feedback (one round)": replace(Options(), feedback=False),
    "no embeddings": replace(Options(), semantic=False),
    "single shot": Options(values=False, joins=False, unions=False, clean=False, feedback=False),
}


def main() -> None:
    args = _arguments()
    pairs = [
        json.loads(line)
        for line in (args.pairs or args.data / "dev_pairs.jsonl").read_text().splitlines()
        if line
    ]
    report: dict[str, Any] = {
        "machine": platform.platform(),
        "python": platform.python_version(),
        "duckdb": duckdb.__version__,
        "thesis": THESIS,
        "variants": {},
    }
    embedders = {True: best_embedder(), False: best_embedder(semantic=False)}
    for name in VARIANTS if args.ablations else ("full",):
        report["variants"][name] = _variant(
            args.data,
            args.catalogs,
            bar(pairs, name),  # type: ignore[arg-type] # they are gone through once
            VARIANTS[name],
            embedders[VARIANTS[name].semantic],
        )
        shown = report["variants"][name]
        print(
            f"{name:26s}"
            + "".join(
                f"  {half} F1 {shown[half]['all']['f1']:.3f} exec {shown[half]['all']['execution']:.3f}"
                for half in ("A", "B", "whole")
            ),
            file=sys.stderr,
        )
    text = json.dumps(report, indent=1)
    if args.out:
        args.out.write_text(text + "\n")
    else:
        print(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--catalogs", type=Path, help="folder to keep catalogs in (default: the user's cache)"
    )
    parser.add_argument(
        "--no-ablations",
        dest="ablations",
        action="store_false",
        help="only all parts together, not also with each switched off (eight runs)",
    )
    return parser.parse_args()


def _variant(
    data: Path, catalogs: Path | None, pairs: list[dict[str, Any]], options: Options, embedder: Any
) -> dict[str, Any]:
    lakes: dict[tuple[str, bool], Any] = {}
    asks: dict[tuple[str, bool], Callable[[str], Answer]] = {}
    scored = []
    with ExitStack() as opened:
        for pair in pairs:
            name = pair.get("lake", "lake").removesuffix("_noisy")
            noisy = "Noise" in pair["difficulty_tags"] and (data / f"{name}_noisy").is_dir()
            key = (name, noisy)
            if key not in lakes:
                over = data / f"{key[0]}_noisy" if noisy else None
                kept = catalogs / f"{key[0]}-{noisy}-{options.semantic}.db" if catalogs else None
                lakes[key] = opened.enter_context(
                    open_lake(data / key[0], over, catalog=kept, options=options, embedder=embedder)
                )
                asks[key] = _asker(lakes[key], opened.enter_context(served(lakes[key])))
            before = time.process_time()
            line = answer_line(lakes[key], pair["id"], pair["user_query"], ask=asks[key])
            line["cpu_seconds"] = round(time.process_time() - before, 4)
            table = (line["columns"], line["rows"]) if line["columns"] else None
            found = score(table, (pair["result_columns"], pair["result_rows"]), pair["ordered"])
            scored.append((pair, line, found, _tried(lakes[key], pair, line)))
    halves = {half: _summary([s for s in scored if half_of(s[0]["id"]) == half]) for half in "AB"}
    halves["whole"] = _summary(scored)
    behaviour = {half: _behaviour([s for s in scored if half_of(s[0]["id"]) == half]) for half in "AB"}
    return {**halves, "behaviour": {**_behaviour(scored), "halves": behaviour}}


def _asker(lake: Any, dsn: str) -> Callable[[str], Answer]:
    """Who answers a query as a session does: what the client wrote means what PostgreSQL says."""
    return lambda query: answered(lake, dsn, query, "resolve", 0.0)


def _tried(lake: Any, pair: dict[str, Any], line: dict[str, Any]) -> list[dict[str, Any]]:
    """Each candidate of the history: the tables it reads and what it scores."""
    out = []
    for attempt in (line["resolution"] or {}).get("history", ()):
        found = {"tables": _tables(attempt["sql"]), "f1": 0.0}
        if not attempt["error"]:
            try:
                rows = lake.database.execute(attempt["sql"])
            except LakeError:
                rows = None
            table = (rows.columns, [[plain(v) for v in row] for row in rows.rows]) if rows else None
            found["f1"] = score(table, (pair["result_columns"], pair["result_rows"]), pair["ordered"])["f1"]
        out.append(found)
    return out


def _tables(sql: str) -> set[str]:
    """The real tables a candidate reads, through its cleaning and uniting CTEs."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    made = {cte.alias for cte in tree.find_all(sqlglot.exp.CTE)}
    return {t.name for t in tree.find_all(sqlglot.exp.Table) if t.name not in made}


def half_of(name: str) -> str:
    return "A" if int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 0 else "B"


def _summary(scored: list[Any]) -> dict[str, Any]:
    out = {"all": _mean(scored)}
    out |= {d: _mean([s for s in scored if s[0]["difficulty"] == d]) for d in ("easy", "medium", "hard")}
    out |= {t: _mean([s for s in scored if t in s[0]["difficulty_tags"]]) for t in TYPES}
    out["calibration"] = _calibration(scored)
    for kind in ("seconds", "cpu_seconds"):
        spent = sorted(s[1][kind] for s in scored) or [0.0]
        out[kind] = {"median": statistics.median(spent), "most": spent[-1]}
    return out


def _mean(scored: list[Any]) -> dict[str, float]:
    n = len(scored) or 1
    return {
        "pairs": len(scored),
        "f1": sum(s[2]["f1"] for s in scored) / n,
        "f1_column": sum(s[2]["f1_col"] for s in scored) / n,
        "f1_row": sum(s[2]["f1_row"] for s in scored) / n,
        "execution": sum(s[2]["exec_acc"] for s in scored) / n,
    }


def _calibration(scored: list[Any]) -> dict[str, Any]:
    """Brier score; of five bands of confidence how many were right; accuracy of what was not refused."""
    told = [(s[1]["confidence"], s[2]["exec_acc"]) for s in scored]
    bands = []
    for i in range(5):
        inside = [right for c, right in told if i / 5 <= c < (i + 1) / 5 or (i == 4 and c == 1.0)]
        bands.append(
            {"from": i / 5, "pairs": len(inside), "right": sum(inside) / len(inside) if inside else None}
        )
    answered = [s[2]["exec_acc"] for s in scored if not s[1]["refused"]]
    return {
        "brier": sum((c - right) ** 2 for c, right in told) / (len(told) or 1),
        "bands": bands,
        "answered": len(answered),
        "right_of_answered": sum(answered) / len(answered) if answered else None,
    }


def _behaviour(scored: list[Any]) -> dict[str, Any]:
    found, rounds, uses = [], [], Counter[str]()
    first, best = Counter[str](), []
    for pair, line, score_, tried in scored:
        resolution = line["resolution"] or {}
        used = {t for tables in resolution.get("tables", {}).values() for t in tables}
        for united, parts in resolution.get("unions", {}).items():
            used = (used - {united}) | set(parts)
        needed = set(pair["required_tables"])
        found.append(len(needed & used) / len(needed))
        rounds.append(resolution.get("rounds", 0))
        reached = next((i + 1 for i, t in enumerate(tried) if needed <= t["tables"]), None)
        first[str(reached) if reached else "never"] += 1
        if tried:
            best.append(score_["f1"] >= max(t["f1"] for t in tried) - 1e-9)
        uses["joins"] += len(resolution.get("joins", ()))
        uses["value corrections"] += len(resolution.get("corrections", ()))
        uses["unions"] += len(resolution.get("unions", {}))
        uses["cleaned tables"] += len(resolution.get("cleaned", {}))
        if resolution.get("cleaned") and "Noise" not in pair["difficulty_tags"]:
            uses["needless cleaning"] += 1
    return {
        "required_tables_found": sum(found) / (len(found) or 1),
        "required_tables_in_first_round": first.get("1", 0) / (len(scored) or 1),
        "all_required_tables_by_round": dict(sorted(first.items())),
        "best_of_tried_chosen": sum(best) / (len(best) or 1),
        "rounds_mean": sum(rounds) / (len(rounds) or 1),
        "uses": dict(uses),
    }


# --- metrics of thesis 7.3; a missing gold column costs on both levels ---


def score(predicted: Any, gold: Any, ordered: bool) -> dict[str, Any]:
    """Column F1, row F1, their mean, and strict execution accuracy of a table against the gold one."""
    if predicted is None:
        return {"f1_col": 0.0, "f1_row": 0.0, "f1": 0.0, "exec_acc": False}
    p, g = _normal(predicted), _normal(gold)
    column, row = _column_f1(p, g), _row_f1(p, g)
    return {"f1_col": column, "f1_row": row, "f1": (column + row) / 2, "exec_acc": _same(p, g, ordered)}


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.10g}"
    text = str(value)
    return text[:10] if text[4:5] == "-" and text[10:19] in {" 00:00:00", "T00:00:00"} else text


def _normal(table: Any) -> Any:
    return [name.lower() for name in table[0]], [tuple(_cell(v) for v in row) for row in table[1]]


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _column_f1(p: Any, g: Any) -> float:
    precision = recall = 0.0
    for j, name in enumerate(g[0]):
        if name not in p[0]:
            continue
        mine, theirs = [row[p[0].index(name)] for row in p[1]], [row[j] for row in g[1]]
        if not mine and not theirs:
            precision, recall = precision + 1, recall + 1
        elif mine and theirs:
            precision += sum(v in set(theirs) for v in mine) / len(mine)
            recall += sum(v in set(mine) for v in theirs) / len(theirs)
    n = len(g[0]) or 1
    return _f1(precision / n, recall / n)


def _row_f1(p: Any, g: Any) -> float:
    shared = [name for name in g[0] if name in p[0]]
    if not shared or bool(p[1]) != bool(g[1]):
        return 0.0
    if not p[1]:
        return 1.0
    mine = {tuple(row[p[0].index(n)] for n in shared) for row in p[1]}
    theirs = {tuple(row[g[0].index(n)] for n in shared) for row in g[1]}
    return _f1(_covered(mine, theirs, len(g[0])), _covered(theirs, mine, len(g[0])))


def _covered(rows: set[Any], others: set[Any], width: int) -> float:
    """Mean over rows of the greatest share of cells equal to one other row's."""
    held: list[dict[str, list[int]]] = [{} for _ in next(iter(rows))]
    for i, other in enumerate(others):
        for k, value in enumerate(other):
            held[k].setdefault(value, []).append(i)
    total = 0.0
    for row in rows:
        if row in others:
            total += len(row) / width
            continue
        counts = Counter(i for k, value in enumerate(row) for i in held[k].get(value, ()))
        total += (max(counts.values()) if counts else 0) / width
    return total / len(rows)


def _same(p: Any, g: Any, ordered: bool) -> bool:
    if sorted(p[0]) != sorted(g[0]) or len(set(p[0])) != len(p[0]):
        return False
    order = [p[0].index(name) for name in g[0]]
    mine = [tuple(row[i] for i in order) for row in p[1]]
    return mine == g[1] if ordered else Counter(mine) == Counter(g[1])


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
