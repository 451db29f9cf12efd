"""How many proofs have a certificate that `rewright recheck` finds good, set by set.

    python -m bench.certificates [--data DIR] [--sets NAME...] [--seconds 20] [--out report.json]

The sets are those of the tests; DIR may hold more as *.jsonl files of pairs (id, schema_sql, q1, q2). Each pair
is proved without a server, its certificate written and rechecked. Exit code 1: one of them was refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import strangers
from bench.bars import bar, say
from rewright.equivalence.certificates import NoCertificate, Texts, certify
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both, catalog_of
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import CHECKER_VERSION
from rewright.rewrite.rules import RULES
from tests.equivalence import test_hazards as hazards
from tests.equivalence import test_shapes as shapes
from tests.equivalence import test_strength as strength
from tests.rewrite import sqlfixtures

SETS = ("strength", "hazards", "rules", "shapes", "strangers", "analysts")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two queries over a schema, said to be the same by nobody here."""

    id: str
    schema: str
    q1: str
    q2: str


def pairs_of(name: str) -> Iterator[Pair]:
    """The pairs of a set of the tests that are the same."""
    match name:
        case "strength":
            schema = (strength.FOLDER / "schema.sql").read_text(encoding="utf-8")
            yield from (Pair(words, schema, *texts) for words, texts in strength.PAIRS.items())
        case "hazards":
            for word in hazards.IDS:
                fixture = hazards.read(word)
                yield Pair(word, fixture.schema, *fixture.stands)
        case "rules":
            for rule in RULES:
                for case in sqlfixtures.cases(rule.name):
                    for number, output in enumerate(case.gives):
                        words = f"{rule.name}: {case.words} {number}"
                        yield Pair(words, sqlfixtures.SCHEMA, case.sql, output.sql)
        case "shapes":
            for half in shapes.PROVED:
                for p in shapes.pairs(half):
                    if p.equal:
                        yield Pair(f"{half}: {p.words}", shapes.SCHEMA, p.q1, p.q2)
        case "strangers":
            for half in strangers.HALVES:
                for s in strangers.pairs(half):
                    if s.kind != "differs":
                        yield Pair(f"{half}: {s.kind} {s.words}", strangers.schema(), s.q1, s.q2)

        case "analysts":
            folder = strangers.SETS / "analysts"
            for s in strangers.pairs("tuned", folder):
                if s.kind != "differs":
                    yield Pair(s.words, strangers.schema(folder), s.q1, s.q2)


def pairs_in(file: Path) -> Iterator[Pair]:
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("runs_on_postgresql", True):
            yield Pair(str(row["id"]), row["schema_sql"], row["q1"], row["q2"])


def outcome_of(pair: Pair, seconds: float) -> tuple[str, str]:
    """What becomes of the pair: "open" without a proof, else what the recheck says of its certificate."""
    catalog, problem = catalog_of(pair.schema)
    binding = bind_both(pair.q1, pair.q2, catalog, ("public",))
    if catalog is None or not isinstance(binding, Binding):
        return "open", problem or str(binding)
    found = prove_pair(binding, catalog, seconds)
    if found.proved is None or {"errors", "overflow"} & set(found.proved.modulo):
        return "open", found.reason
    try:
        document = certify(found.proved, Texts(pair.schema, pair.q1, pair.q2), catalog.digest())
    except NoCertificate as why:
        return "no certificate", str(why)
    checked = recheck(json.dumps(document).encode())
    return checked.word, checked.reason or ", ".join(document["proof"].get("views", ()))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.certificates")
    parser.add_argument("--data", type=Path, help="a directory with *.jsonl files of pairs")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=list(SETS))
    parser.add_argument("--seconds", type=float, default=20.0, help="for one proof")
    parser.add_argument("--only", default="", help="pairs whose words hold this")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    sets = {name: list(pairs_of(name)) for name in chosen.sets}
    if chosen.data is not None:
        sets |= {f.stem: list(pairs_in(f)) for f in sorted(chosen.data.glob("*.jsonl"))}
    report: dict[str, Any] = {"checker": CHECKER_VERSION, "sets": {}, "others": []}
    for name, pairs in sets.items():
        counts: Counter[str] = Counter()
        for pair in bar(pairs, name):
            if chosen.only not in pair.id:
                continue
            word, why = outcome_of(pair, chosen.seconds)
            counts[word] += 1
            if word not in {"good", "open"}:
                report["others"].append({"set": name, "id": pair.id, "outcome": word, "why": why})
                say(f"{name}: {pair.id}: {word}: {why}", to_stderr=True)
        report["sets"][name] = dict(counts)
        print(f"{name}: {dict(counts)}", file=sys.stderr, flush=True)
    text = json.dumps(report, indent=1)
    print(text)
    if chosen.out is not None:
        chosen.out.write_text(text + "\n", encoding="utf-8")
    return 1 if any(o["outcome"] == "refused" for o in report["others"]) else 0


if __name__ == "__main__":
    sys.exit(main())
