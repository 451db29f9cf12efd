"""How good the checker is: strength and errors on labelled pairs, alone and together, and on random pairs.

    python bench/equivalence_bench.py --data DIR [--random N [--notes FILE]] [--seed S] [--out report.json]
    python bench/equivalence_bench.py --kept FILE... [--out report.json]

DIR holds *.jsonl files of pairs: id, schema_sql, q1, q2, and optionally expected_on_postgresql (equivalent,
nonequivalent, unknown), runs_on_postgresql, cls. Labels are read here only, never by the checker. One
process; starting the server is not counted. Parts: `canonical` (equal bound trees), `prover`, `refuter`,
`tester` (the refuter, silence counted as sameness), `together`. Accuracy is right among definitive verdicts,
coverage definitive among all labelled pairs (QUITE, figure 9); `figure9` has both for each part and for each
set of reservations that may be accepted.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import platform
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.generator.pairs import PAIRS_A_WORLD, SCHEME_NAMES, pairs_of_world
from rewright.equivalence.options import Options
from rewright.equivalence.proving import Binding, bind_both, catalog_of
from rewright.equivalence.records import RESERVATIONS
from rewright.equivalence.verdicts import CHECKER_VERSION, Proved, Refuted, Verdict, level
from rewright.sql.walk import canonical

SAME, DIFFERENT = "equivalent", "nonequivalent"
PARTS: dict[str, Options] = {
    "prover": Options(refuter=False),
    "search": Options(prover=False),
    "together": Options(),
}
# which reservations a proof may have to count as definitive
ACCEPTED: dict[str, frozenset[str]] = {
    "none": frozenset(),
    "default": frozenset({"float-order"}),
    "tie-order too": frozenset({"float-order", "tie-order"}),
    # the same values, sent as another type: what collections of pairs call equivalent
    "types too": frozenset({"float-order", "tie-order", "types"}),
    "any": frozenset(RESERVATIONS),
}
# random pairs are run on more databases after a proof than others: that is what they are for; databases end a
# search, not the clock, so that a busy machine changes nothing
_RANDOM = Options(databases=600, seconds=90.0, prover_seconds=15.0, confirm_databases=240, shrink=False)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="directory with *.jsonl files of labelled pairs")
    parser.add_argument("--out", type=Path, help="write the report here, too")
    parser.add_argument(
        "--databases", type=int, default=2400, help="most databases a search without a hit runs"
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=("canonical", *PARTS),
        default=["canonical", *PARTS],
        help="parts to measure; `search` is the refuter and the tester",
    )
    parser.add_argument("--random", type=int, default=0, help="random pairs to judge")
    parser.add_argument(
        "--notes", type=Path, help="keep each world of random pairs here and go on from there"
    )
    parser.add_argument(
        "--kept",
        type=Path,
        nargs="+",
        default=[],
        help="report what these notes hold, of any seed; judge nothing",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--schemes", nargs="+", choices=SCHEME_NAMES, default=[], help="random pairs of these schemes only"
    )
    arguments = parser.parse_args(argv)
    report: dict[str, Any] = {"machine": machine(), "seed": arguments.seed}
    if arguments.kept:
        return _report({**report, "random": kept_figures(arguments.kept)}, arguments.out)
    with ScratchServer() as server:
        if arguments.data:
            files = sorted(arguments.data.glob("*.jsonl"))
            report["databases"] = arguments.databases
            report["files"] = {
                path.stem: judge_file(path, server, arguments.databases, arguments.parts) for path in files
            }
            report["all"] = judged([row for f in report["files"].values() for row in f.pop("_rows")])
            print(figure9_table(report["all"]["figure9"]), file=sys.stderr)
        if arguments.random:
            report["random"] = judge_random(
                arguments.random, arguments.seed, server, arguments.notes, arguments.schemes
            )
    return _report(report, arguments.out)


def _report(report: dict[str, Any], out: Path | None) -> int:
    text = json.dumps(report, indent=2)
    print(text)
    if out:
        out.write_text(text + "\n", encoding="utf-8")
    return 0


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0],
        "checker": CHECKER_VERSION,
    }


def judge_file(path: Path, server: ScratchServer, databases: int, parts: list[str]) -> dict[str, Any]:
    pairs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows: list[dict[str, Any]] = []
    for part, options in PARTS.items():
        if part not in parts:
            continue
        for schema, group in itertools.groupby(pairs, key=lambda p: p["schema_sql"]):
            options = replace(options, databases=databases)
            with Checker(scratch=server, options=options, schema_sql=schema) as checker:
                checker.check("select 1", "select 2")  # makes the scratch database
                bar = tqdm(
                    list(group), desc=f"{path.stem} {part}", disable=not sys.stderr.isatty(), leave=False
                )
                rows += [row_of(part, pair, checker.check(pair["q1"], pair["q2"])) for pair in bar]
    if "canonical" in parts:
        rows += [canonical_row(pair) for pair in pairs]
    result = judged(rows)
    result["refutations"] = [
        {k: r[k] for k in ("id", "seconds", "rows", "kind")}
        for r in rows
        if r["part"] == "together" and r["rows"] is not None
    ]
    result["_rows"] = rows
    return result


def row_of(part: str, pair: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
    found = verdict.counterexample if isinstance(verdict, Refuted) else None
    return {
        "part": part,
        "id": pair["id"],
        "runs": pair.get("runs_on_postgresql", True),
        "label": pair.get("expected_on_postgresql", "unknown"),
        "verdict": level(verdict),
        "modulo": list(getattr(verdict, "modulo", ())),
        "seconds": round(verdict.stamp.seconds, 4),
        "rows": found.rows if found else None,
        "kind": found.kind if found else None,
        "reason": getattr(verdict, "reason", ""),
    }


def canonical_row(pair: dict[str, Any]) -> dict[str, Any]:
    """Whether the two bound trees are the same up to names."""
    started = time.perf_counter()
    catalog, _ = catalog_of(pair["schema_sql"])
    bound = bind_both(pair["q1"], pair["q2"], catalog, ("public",))
    same = isinstance(bound, Binding) and canonical(bound.original) == canonical(bound.candidate)
    verdict: Verdict = Proved("same-tree") if same else _nothing()
    row = row_of("canonical", pair, verdict)
    return row | {"seconds": round(time.perf_counter() - started, 4)}


def _nothing() -> Verdict:
    from rewright.equivalence.verdicts import Unknown

    return Unknown("")


def judged(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Figures of each part over the pairs that run on PostgreSQL."""
    by_part: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["runs"]:
            by_part[row["part"]].append(row)
    result: dict[str, Any] = {part: figures(found, silence_is_same=False) for part, found in by_part.items()}
    result.pop("search", None)
    if search := by_part.pop("search", []):
        by_part |= {"refuter": search, "tester": search}
        result["refuter"] = figures(search, silence_is_same=False)
        result["tester"] = figures(search, silence_is_same=True)
    result["figure9"] = {
        name: {
            part: figure9(found, accepted, silence_is_same=part == "tester")
            for part, found in by_part.items()
        }
        for name, accepted in ACCEPTED.items()
    }
    return result


def figure9_table(figure: dict[str, dict[str, Any]]) -> str:
    """Accuracy and coverage of each part for each set of accepted reservations, as a Markdown table."""
    names = list(figure)
    parts = list(next(iter(figure.values())))
    lines = ["| part | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for part in parts:
        cells = [f"{figure[n][part]['accuracy']} / {figure[n][part]['coverage']}" for n in names]
        lines.append(f"| {part} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def figure9(rows: list[dict[str, Any]], accepted: frozenset[str], *, silence_is_same: bool) -> dict[str, Any]:
    """Accuracy and coverage when only proofs with these reservations are definitive."""
    says = {"proved": SAME, "refuted": DIFFERENT} | ({"tested": SAME} if silence_is_same else {})
    labelled = [r for r in rows if r["label"] in {SAME, DIFFERENT}]
    definitive = [r for r in labelled if r["verdict"] in says and set(r["modulo"]) <= accepted]
    right = sum(says[r["verdict"]] == r["label"] for r in definitive)
    return {
        "labelled": len(labelled),
        "definitive": len(definitive),
        "right": right,
        "accuracy": round(right / len(definitive), 4) if definitive else None,
        "coverage": round(len(definitive) / len(labelled), 4) if labelled else None,
    }


def figures(rows: list[dict[str, Any]], *, silence_is_same: bool) -> dict[str, Any]:
    says = {"proved": SAME, "refuted": DIFFERENT} | ({"tested": SAME} if silence_is_same else {})
    labelled = [r for r in rows if r["label"] in {SAME, DIFFERENT}]
    definitive = [r for r in labelled if r["verdict"] in says]
    right = [r for r in definitive if says[r["verdict"]] == r["label"]]
    seconds = sorted(r["seconds"] for r in rows) or [0.0]
    proved = [r for r in labelled if r["verdict"] == "proved" and r["label"] == SAME]
    return {
        "pairs": len(rows),
        "labelled": len(labelled),
        "counts": {
            f"{label}: {verdict}": n
            for (label, verdict), n in sorted(Counter((r["label"], r["verdict"]) for r in rows).items())
        },
        "accuracy": round(len(right) / len(definitive), 4) if definitive else None,
        "coverage": round(len(definitive) / len(labelled), 4) if labelled else None,
        "proved_right": len(proved),
        "proved_without_tie_order": sum("tie-order" not in r["modulo"] for r in proved),
        "proved_unreserved": sum(not r["modulo"] for r in proved),
        "proved_same_values": sum(not {"errors", "overflow"} & set(r["modulo"]) for r in proved),
        "refuted_right": sum(r["verdict"] == "refuted" and r["label"] == DIFFERENT for r in labelled),
        "wrong": [
            {"id": r["id"], "label": r["label"], "verdict": r["verdict"]}
            for r in definitive
            if r not in right
        ],
        "seconds_median": statistics.median(seconds),
        "seconds_p95": seconds[int(0.95 * (len(seconds) - 1))],
        "seconds_max": seconds[-1],
    }


def judge_random(
    count: int, seed: int, server: ScratchServer, notes: Path | None, schemes: Sequence[str] = ()
) -> dict[str, Any]:
    """Random pairs, world by world; with ``notes`` each world's rows are kept there and not judged again (one
    file for one set of ``schemes``).
    """
    worlds = -(-count // PAIRS_A_WORLD)
    done = _noted(notes, seed)
    bar = tqdm(total=count, desc="random", disable=not sys.stderr.isatty())
    for number in range(worlds):
        if number not in done:
            done[number] = judge_world(seed, number, server, schemes)
            if notes:
                with notes.open("a", encoding="utf-8") as file:
                    file.write(
                        json.dumps(
                            {"seed": seed, "world": number, "checker": CHECKER_VERSION, "rows": done[number]}
                        )
                        + "\n"
                    )
        bar.update(PAIRS_A_WORLD)
    return random_figures([row for number in range(worlds) for row in done[number]])


def _noted(notes: Path | None, seed: int) -> dict[int, list[dict[str, Any]]]:
    kept = _kept(notes) if notes is not None and notes.exists() else []
    return {note["world"]: note["rows"] for note in kept if note["seed"] == seed}


def _kept(notes: Path) -> list[dict[str, Any]]:
    """The notes that were written to their end."""
    found: list[dict[str, Any]] = []
    for line in notes.read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ValueError):  # torn by an interruption
            found.append(json.loads(line))
    return found


def kept_figures(files: list[Path]) -> dict[str, Any]:
    """The figures of all worlds in the notes, each once, and how many pairs each version of the checker
    judged.
    """
    worlds = {(note["seed"], note["world"]): note for path in files for note in _kept(path)}
    versions: Counter[str] = Counter()
    for note in worlds.values():
        versions[note["checker"]] += len(note["rows"])
    seeds = sorted({seed for seed, _ in worlds})
    rows = [row for _, note in sorted(worlds.items()) for row in note["rows"]]
    return {"seeds": seeds, "checker_versions": dict(versions), **random_figures(rows)}


def judge_world(
    seed: int, number: int, server: ScratchServer, schemes: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The pairs over one schema: what is proved must survive the search, what is
    refuted must be a near miss.
    """
    rows: list[dict[str, Any]] = []
    pairs = list(pairs_of_world(seed, number, schemes))
    with Checker(scratch=server, options=_RANDOM, schema_sql=pairs[0].schema_sql) as checker:
        for pair in pairs:
            verdict = checker.check(pair.q1, pair.q2)
            row: dict[str, Any] = {
                "id": pair.id,
                "scheme": pair.scheme,
                "equivalent": pair.equivalent,
                "volatile": pair.volatile,
                "verdict": level(verdict),
                "modulo": list(getattr(verdict, "modulo", ())),
                "seconds": round(verdict.stamp.seconds, 4),
            }
            right = {"proved", "tested"} if pair.equivalent else {"unknown"} if pair.volatile else {"refuted"}
            if level(verdict) not in right:
                row |= {"q1": pair.q1, "q2": pair.q2, "reason": getattr(verdict, "reason", "")}
            rows.append(row)
    return rows


def random_figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts, shares, and every pair on which a verdict and the construction disagree."""
    counts: Counter[str] = Counter()
    schemes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        kind = "equivalent" if row["equivalent"] else "volatile" if row.get("volatile") else "near miss"
        word = f"{kind}: {row['verdict']}"
        counts[word] += 1
        schemes[row["scheme"]][word] += 1
    near = sum(n for word, n in counts.items() if word.startswith("near"))
    same = sum(n for word, n in counts.items() if word.startswith("equivalent"))
    seconds = sorted(row["seconds"] for row in rows) or [0.0]
    return {
        "pairs": len(rows),
        "counts": dict(sorted(counts.items())),
        "near_misses_refuted": round(counts["near miss: refuted"] / near, 4) if near else None,
        "equivalent_proved": round(counts["equivalent: proved"] / same, 4) if same else None,
        "schemes": {name: dict(sorted(found.items())) for name, found in sorted(schemes.items())},
        "seconds_median": statistics.median(seconds),
        "seconds_p95": seconds[int(0.95 * (len(seconds) - 1))],
        "wrong": [r for r in rows if _is_wrong(r)],
        "missed": [
            r
            for r in rows
            if not r["equivalent"] and not r.get("volatile") and r["verdict"] not in {"refuted", "proved"}
        ][:200],
        "unknown": [r for r in rows if r["equivalent"] and r["verdict"] == "unknown"][:50],
    }


def _is_wrong(row: dict[str, Any]) -> bool:
    """A near miss that is proved, a pair equal by construction that is refuted, a volatile one of which
    anything is said.
    """
    if row.get("volatile"):
        return bool(row["verdict"] != "unknown")
    return bool(row["verdict"] == ("refuted" if row["equivalent"] else "proved"))


if __name__ == "__main__":
    sys.exit(main())
