"""Proofs by parts on random pairs: how many equal ones are proved, and that no near miss is.

    python -m bench.parts_random [--worlds 500] [--seed 3001] [--seconds 1] [--schemes NAME...] [--out
    report.json]

The same pairs as `rewright bench equivalence --random` makes, 40 a world, shown to the rewriter's own prover
of steps. No server is asked. Exit code 1: a near miss was proved, with or without a reservation.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.bars import bar
from rewright.equivalence.generator.pairs import SCHEME_NAMES, pairs_of_world
from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.rewrite.adapters.links import LinkProver
from rewright.sql.ddl import catalog_from_ddl


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.parts_random")
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=3001)
    parser.add_argument("--seconds", type=float, default=1.0, help="for one pair")
    parser.add_argument("--schemes", nargs="+", choices=SCHEME_NAMES, default=[], help="only these")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    began = time.perf_counter()
    for world in bar(range(chosen.worlds), "worlds"):
        pairs = list(pairs_of_world(chosen.seed, world, chosen.schemes))
        prover = LinkProver(catalog_from_ddl(pairs[0].schema_sql))
        for pair in pairs:
            found = prover.prove(pair.q1, pair.q2, chosen.seconds)
            said = "open" if found is None else "proved" + "".join(f", {m}" for m in found.modulo)
            kind = "equal" if pair.equivalent else "volatile" if pair.volatile else "near miss"
            counts[f"{kind}: {said}"] += 1
            if found is not None and not pair.equivalent:
                wrong.append(pair.id)
    report = {
        "checker": CHECKER_VERSION,
        "seed": chosen.seed,
        "pairs": sum(counts.values()),
        "counts": dict(counts),
        "wrong": wrong,
        "seconds": round(time.perf_counter() - began),
    }
    text = json.dumps(report, indent=1)
    print(text)
    if chosen.out is not None:
        chosen.out.write_text(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
