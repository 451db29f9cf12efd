"""How many of the pairs that nobody tuned on are proved or refuted: top n, windows, recursion, orders, and
what two people write who solve one task.

Owns reading `tests/equivalence/strangers` and `tests/equivalence/analysts`, running their pairs through the
checker and counting. `tuned.sql` was looked at while laws were written, `kept.sql` was not.
`python -m bench.strangers [--set strangers|analysts] [--half tuned|kept] [--only TEXT] [--refute]
[--seconds 5] [--out FILE] [--quiet]`.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.bars import bar
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import level

SETS = Path(__file__).parents[1] / "tests" / "equivalence"
FOLDER = SETS / "strangers"
HALVES = ("tuned", "kept")


@dataclass(frozen=True)
class Pair:
    """``kind``: ``equal``, ``differs``, or ``refines``: each answer of the second is one that the first may
    give, not the other way.
    """

    kind: str
    words: str
    q1: str
    q2: str


def schema(folder: Path = FOLDER) -> str:
    return (folder / "schema.sql").read_text(encoding="utf-8")


def pairs(half: str, folder: Path = FOLDER) -> Iterator[Pair]:
    text = (folder / f"{half}.sql").read_text(encoding="utf-8")
    for part in re.split(r"^-- ", text, flags=re.MULTILINE)[1:]:
        head, _, rest = part.partition("\n")
        kind, _, words = head.partition(" ")
        q1, q2 = (query.strip() for query in rest.strip().rstrip(";").split(";\n"))
        yield Pair(kind, words, q1, q2)


def run(
    wanted: Sequence[Pair], seconds: float, *, folder: Path = FOLDER, server: ScratchServer | None = None
) -> list[dict[str, Any]]:
    """Each pair's verdict, reservations and seconds; without a server only proofs are possible."""
    found: list[dict[str, Any]] = []
    options = Options(seconds=2 * seconds, prover_seconds=seconds)
    with Checker(scratch=server, options=options, schema_sql=schema(folder)) as checker:
        for pair in bar(wanted, "pairs"):
            started = time.monotonic()
            verdict = checker.check(pair.q1, pair.q2)
            spent = round(time.monotonic() - started, 3)
            modulo = list(getattr(verdict, "modulo", ()))
            reason = getattr(verdict, "reason", "")
            row = {"kind": pair.kind, "words": pair.words, "verdict": level(verdict), "modulo": modulo}
            found.append({**row, "reason": reason[:160], "seconds": spent})
    return found


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    equal, different, refining = (
        [r for r in rows if r["kind"] == kind] for kind in ("equal", "differs", "refines")
    )
    proved = [r for r in equal if r["verdict"] == "proved"]
    return {
        "equal": len(equal),
        "proved": len(proved),
        "strictly": sum(not r["modulo"] for r in proved),
        "equal_refuted": sum(r["verdict"] == "refuted" for r in equal),
        "different": len(different),
        "refuted": sum(r["verdict"] == "refuted" for r in different),
        "falsely_proved": sum(r["verdict"] == "proved" and not r["modulo"] for r in different),
        "refining": len(refining),
        "refinements_proved": sum(r["verdict"] == "proved" and bool(r["modulo"]) for r in refining),
        "median_seconds": statistics.median(r["seconds"] for r in rows) if rows else 0.0,
        "total_seconds": round(sum(r["seconds"] for r in rows), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--set",
        choices=("strangers", "analysts", "exercises", "puzzles", "coursework", "practice", "plans"),
        default="strangers",
    )
    parser.add_argument("--half", choices=HALVES, default="tuned")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--refute", action="store_true", help="run the queries too")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quiet", action="store_true", help="print no pair, only the counts")
    chosen = parser.parse_args()
    folder = SETS / chosen.set
    wanted = [p for p in pairs(chosen.half, folder) if chosen.only in f"{p.kind} {p.words}"]
    if chosen.refute:
        with ScratchServer() as server:
            rows = run(wanted, chosen.seconds, folder=folder, server=server)
    else:
        rows = run(wanted, chosen.seconds, folder=folder)
    for row in () if chosen.quiet else rows:
        print(
            f"{row['kind']:8}{row['verdict']:9}{row['seconds']:7.2f}  {row['words']} {row['modulo'] or ''} {row['reason']}"
        )
    found = summary(rows)
    print(json.dumps(found))
    if chosen.out:
        chosen.out.write_text(json.dumps({"summary": found, "pairs": rows}, indent=1), encoding="utf-8")
    if found["equal_refuted"] + found["falsely_proved"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
