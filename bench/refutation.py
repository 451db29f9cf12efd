"""How many pairs that differ are refuted, and whether an equal one ever is.

Owns running the pairs of `tests/equivalence/refutation` through the checker and counting. Each file's schema
line applies to the pairs after it. `python -m bench.refutation [--unseen] [--only TEXT] [--seconds 10] [--out
FILE]`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.bars import bar
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import level

PAIRS = Path(__file__).parents[1] / "tests" / "equivalence" / "refutation"


def pairs(*, unseen: bool | None = None, folder: Path = PAIRS) -> Iterator[dict[str, Any]]:
    """The pairs, each with its schema. ``unseen``: only those kept aside while the search was written, or
    only the others.
    """
    for path in sorted(folder.glob("*.jsonl")):
        if unseen is not None and path.stem.endswith("_unseen") != unseen:
            continue
        schema = ""
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if "schema_sql" in row:
                schema = row["schema_sql"]
            else:
                yield {"schema_sql": schema, **row}


def run(wanted: list[dict[str, Any]], seconds: float, *, prover: bool = True) -> list[dict[str, Any]]:
    """Each pair's verdict and seconds, in the order given."""
    found: list[dict[str, Any]] = []
    with ScratchServer() as server:
        for pair in bar(wanted, "pairs"):
            options = Options(seconds=seconds, prover=prover)
            started = time.monotonic()
            with Checker(scratch=server, options=options, schema_sql=pair["schema_sql"]) as checker:
                verdict = checker.check(pair["q1"], pair["q2"])
            found.append(
                {
                    "id": pair["id"],
                    "equal": pair["equal"],
                    "verdict": level(verdict),
                    "reason": getattr(verdict, "reason", "")[:160],
                    "seconds": round(time.monotonic() - started, 2),
                }
            )
    return found


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    different = [row for row in rows if not row["equal"]]
    equal = [row for row in rows if row["equal"]]
    return {
        "different": len(different),
        "refuted": sum(row["verdict"] == "refuted" for row in different),
        "falsely_proved": sum(row["verdict"] == "proved" for row in different),
        "equal": len(equal),
        "equal_refuted": sum(row["verdict"] == "refuted" for row in equal),
        "median_seconds": statistics.median(row["seconds"] for row in rows),
        "total_seconds": round(sum(row["seconds"] for row in rows), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--unseen", action="store_true", default=None)
    parser.add_argument("--seen", dest="unseen", action="store_false")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--without-prover", action="store_true")
    parser.add_argument("--require", type=float, default=0.0, help="share refuted below which this fails")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    wanted = [pair for pair in pairs(unseen=chosen.unseen) if chosen.only in pair["id"]]
    texts = {pair["id"]: f"{pair['q1']} | {pair['q2']}" for pair in wanted}
    rows = run(wanted, chosen.seconds, prover=not chosen.without_prover)
    for row in rows:
        if row["equal"] == (row["verdict"] == "refuted") or (
            not row["equal"] and row["verdict"] != "refuted"
        ):
            print(row["id"], row["verdict"], row["seconds"], texts[row["id"]], "--", row["reason"])
    found = summary(rows)
    print(json.dumps(found))
    if chosen.out:
        chosen.out.write_text(json.dumps({"summary": found, "pairs": rows}, indent=1))
    wrong = found["equal_refuted"] + found["falsely_proved"]
    if wrong or found["refuted"] < chosen.require * found["different"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
