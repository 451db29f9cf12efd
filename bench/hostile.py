"""How many hostile pairs are refuted where they differ and proved where they are equal.

    python -m bench.hostile [--set NAME] [--only TEXT] [--aside yes|no] [--seconds 10] [--out FILE]

Owns reading `tests/equivalence/hostile_queries` and the sets in its folders (``--set accounts``; ``--set traps``
and ``--set breadth``, of which each pair has a schema of its own; ``--set departments``, over eleven; ``--set
slips``, over four; ``--set steps``, small ones, over six; ``--set authors``, over four, of which ``--aside yes``
are the pairs that were kept aside while laws were written), running their pairs through the checker and counting.
Exit code 1: one that differs is proved without a reservation that blocks, or an equal one is refuted.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from bench.bars import bar
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import level

FOLDER = Path(__file__).parents[1] / "tests" / "equivalence" / "hostile_queries"
_BLOCKING = {"errors", "overflow"}
_AN_ANSWER = {True: "yes", False: "no"}


@dataclass(frozen=True, slots=True)
class Pair:
    """``kind``: ``equal`` and proved so, ``open``: equal, or ``different``. ``schema``: as DDL. ``aside``: not looked at
    while laws were written.
    """

    kind: str
    words: str
    q1: str
    q2: str
    schema: str
    aside: bool = False


def schema(folder: Path = FOLDER) -> str:
    return (folder / "schema.sql").read_text(encoding="utf-8")


def pairs(folder: Path = FOLDER) -> Iterator[Pair]:
    return _with_schemas(folder) if (folder / "pairs.jsonl").exists() else _of_one_schema(folder)


def documents(folder: Path) -> Iterator[dict[str, Any]]:
    """The pairs of a set whose pairs have schemas of their own, or name one of `schemas.json`."""
    named = folder / "schemas.json"
    schemas = json.loads(named.read_text(encoding="utf-8")) if named.exists() else {}
    for one in map(json.loads, (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()):
        yield one if "schema_sql" in one else {**one, "schema_sql": schemas[one["schema"]]}


def _with_schemas(folder: Path) -> Iterator[Pair]:
    for one in documents(folder):
        kind = "open" if one["equal"] else "different"
        yield Pair(
            kind,
            f"{one['id']}: {one['why']}",
            one["q1"],
            one["q2"],
            one["schema_sql"],
            one.get("aside", False),
        )


def _of_one_schema(folder: Path) -> Iterator[Pair]:
    text = (folder / "pairs.sql").read_text(encoding="utf-8")
    for part in re.split(r"^-- (?=equal|open|different)", text, flags=re.MULTILINE)[1:]:
        head, _, rest = part.partition("\n")
        kind, _, words = head.partition(": ")
        q1, q2 = (query.strip() for query in rest.strip().rstrip(";").split(";\n"))
        yield Pair(kind, words, q1, q2, schema(folder))


def run(wanted: Sequence[Pair], seconds: float) -> list[dict[str, Any]]:
    """One document a pair."""
    found: list[dict[str, Any]] = []
    options = Options(seconds=seconds, prover_seconds=seconds / 2)
    with ScratchServer() as server:
        for ddl, group in groupby(bar(wanted, "pairs"), key=attrgetter("schema")):
            with Checker(scratch=server, options=options, schema_sql=ddl) as checker:
                found += [_judged(checker, pair) for pair in group]
    return found


def _judged(checker: Checker, pair: Pair) -> dict[str, Any]:
    started = time.monotonic()
    verdict = checker.check(pair.q1, pair.q2)
    return {
        "kind": pair.kind,
        "words": pair.words,
        "verdict": level(verdict),
        "modulo": list(getattr(verdict, "modulo", ())),
        "reason": getattr(verdict, "reason", "")[:160],
        "seconds": round(time.monotonic() - started, 2),
    }


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    different = [r for r in rows if r["kind"] == "different"]
    equal = [r for r in rows if r["kind"] != "different"]
    proved = [r for r in equal if r["verdict"] == "proved"]
    return {
        "different": len(different),
        "refuted": sum(r["verdict"] == "refuted" for r in different),
        "falsely_proved": [
            r["words"] for r in different if r["verdict"] == "proved" and not _BLOCKING & set(r["modulo"])
        ],
        "equal": len(equal),
        "proved": len(proved),
        "strictly": sum(not r["modulo"] for r in proved),
        "equal_refuted": [r["words"] for r in equal if r["verdict"] == "refuted"],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.hostile")
    parser.add_argument(
        "--set",
        default="",
        choices=("", "accounts", "traps", "breadth", "departments", "authors", "slips", "steps"),
    )
    parser.add_argument("--only", default="")
    parser.add_argument("--aside", choices=("yes", "no"))
    parser.add_argument("--seconds", type=float, default=10.0, help="for one pair")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    folder = FOLDER / chosen.set
    wanted = [
        p for p in pairs(folder) if chosen.only in p.words and chosen.aside in (None, _AN_ANSWER[p.aside])
    ]
    rows = run(wanted, chosen.seconds)
    told = summary(rows)
    print(json.dumps(told, indent=1))
    if chosen.out is not None:
        chosen.out.write_text(json.dumps({**told, "pairs": rows}, indent=1) + "\n", encoding="utf-8")
    return 1 if told["falsely_proved"] or told["equal_refuted"] else 0


if __name__ == "__main__":
    sys.exit(main())
