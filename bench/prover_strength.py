"""How much the prover proves, alone: ``--data DIR`` with *.jsonl of query pairs.

Reads id, schema_sql, q1, q2 and, for the tally only, expected_on_postgresql. A proof of a pair expected to
differ is printed as WRONG and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.bars import bar
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover.prove import Reason, prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl


def run(pair: dict[str, Any], catalog: Any, seconds: float, *, check: bool) -> tuple[str, Any, float]:
    start = time.perf_counter()
    try:
        q1, q2 = bind(pair["q1"], catalog), bind(pair["q2"], catalog)
    except Exception as error:
        return "unbound", error, time.perf_counter() - start
    result = prove(q1, q2, catalog, deadline_seconds=seconds)
    spent = time.perf_counter() - start
    if isinstance(result, Proof):
        if check and (flaw := check_proof(result, q1, q2, catalog)) is not None:
            return "FLAW", flaw, spent
        return ("proved" if not result.modulo else "proved up to"), result, spent
    return "open", result, spent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--file", action="append")
    parser.add_argument("--id", action="append")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    wrong = 0
    for path in sorted(args.data.glob("*.jsonl")):
        if args.file and path.stem not in args.file:
            continue
        tally: Counter[tuple[str, str]] = Counter()
        times: list[float] = []
        catalogs: dict[str, Any] = {}
        for line in bar(path.read_text().splitlines(), path.stem):
            pair = json.loads(line)
            if (args.id and pair["id"] not in args.id) or not pair.get("runs_on_postgresql", True):
                continue
            schema = pair["schema_sql"]
            if schema not in catalogs:
                catalogs[schema] = catalog_from_ddl(schema)
            word, detail, spent = run(pair, catalogs[schema], args.seconds, check=args.check)
            expected = str(pair.get("expected_on_postgresql"))
            tally[
                expected, word if word != "proved up to" else f"up to {','.join(sorted(detail.modulo))}"
            ] += 1
            times.append(spent)
            if word.startswith("proved") and expected == "nonequivalent":
                wrong += 1
                print("WRONG", pair["id"], pair["q1"], pair["q2"], detail, sep="\n  ")
            elif args.verbose or word in {"unbound", "FLAW"}:
                text = detail.reason if isinstance(detail, Reason) else detail
                print(
                    f"{word:8} {expected[:8]:8} {spent * 1000:6.0f} ms {pair['id']} {text if isinstance(detail, Reason) or word == 'unbound' or word == 'FLAW' else ''} {sorted(getattr(detail, 'modulo', ()))}"
                )
        print(
            f"{path.stem}: median {statistics.median(times) * 1000:.0f} ms, max {max(times):.2f} s"
            if times
            else path.stem
        )
        for (expected, word), n in sorted(tally.items()):
            print(f"  {expected:14} {word:30} {n}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
