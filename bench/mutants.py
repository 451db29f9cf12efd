"""Small changes of queries, shown to the prover; every proof of one is searched for a database that belies
it.

    python -m bench.mutants [--data FILE...] [--seed S] [--each N] [--schemas] [--minutes M] [--databases N]
    [--by kernel|parts|forms] [--out FILE]

Without --data: the pairs and queries kept in tests/. FILE: JSON lines of {schema_sql, q1, q2} or {schema_sql,
sql}. ``--each``: mutants of one query, of as many kinds as there are. Each is compared with the query it was
made of or with that query's partner. ``--by parts``: proved as `rewright verify` does; ``forms``: as somebody may who
forges a certificate. --out gets one JSON line for each proof. Exit code 1: a proof was
refuted where it leaves nothing open.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pglast.parser import ParseError

from bench.bars import bar, say
from bench.mutant_proofs import WAYS, Shown, Way
from bench.mutations import Mutant, mutants
from bench.mutations_of_schemas import schema_mutants
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.proving import Binding
from rewright.equivalence.verdicts import Refuted, Verdict
from rewright.sql.algebra import Query
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import DdlError, catalog_from_ddl
from rewright.sql.walk import canonical

TESTS = Path(__file__).parents[1] / "tests"
# what a difference that the runs found must be for the proof to have left it open
_EXCUSES = {
    "errors": ("error",),
    "overflow": ("error",),
    "types": ("rows", "order", "error", "columns"),
    "tie-order": ("rows", "order"),
    "float-order": ("rows", "order"),
    "refinement": ("rows", "order"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A query, and what a mutant of it is compared with: itself or another that means the same."""

    schema_sql: str
    query: str
    partners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A proof of a mutant, and the verdict of the runs."""

    kind: str
    schema_sql: str
    original: str
    mutant: str
    modulo: tuple[str, ...]
    assumptions: tuple[str, ...]
    verdict: str = ""
    detail: str = ""
    wrong: bool = False
    # nothing had to be proved: the binder makes one tree of both texts
    one_tree: bool = False


# -- where queries come from


def kept_cases(folder: Path = TESTS) -> Iterator[Case]:
    """All pairs and queries of the tests."""
    strength = folder / "equivalence" / "strength"
    yield from _strength((strength / "schema.sql").read_text(), (strength / "pairs.sql").read_text())
    for path in sorted((folder / "hazards").glob("*.sql")):
        yield from _hazard(path.read_text())
    for name in ("near_misses", "adversarial"):
        for path in sorted((folder / "equivalence" / name).glob("*.jsonl")):
            schema, *rows = [json.loads(line) for line in path.read_text().splitlines()]
            yield from cases_of({**schema, **row, "same": row.get("expected") == "equal"} for row in rows)
    for path in sorted((folder / "equivalence" / "hostile").glob("*.jsonl")):
        schema, *rows = [json.loads(line) for line in path.read_text().splitlines()]
        yield from cases_of(
            {"schema_sql": schema["schema_sql"], **row, "same": row["expected"] == "equal"} for row in rows
        )
    for name in ("shapes", "strangers", "analysts", "exercises"):
        schema_sql = (folder / "equivalence" / name / "schema.sql").read_text()
        for path in sorted((folder / "equivalence" / name).glob("*.sql")):
            yield from _shapes(schema_sql, path.read_text())
    fixtures = folder / "rewrite" / "fixtures"
    schema_sql = (fixtures / "schema.sql").read_text()
    for path in sorted(fixtures.glob("*.sql")):
        if path.stem not in {"schema", "data"}:
            lines = path.read_text().splitlines()
            texts = (
                line.rstrip().rstrip(";") for line in lines if line.strip() and not line.startswith("--")
            )
            yield from (Case(schema_sql, text, (text,)) for text in texts)


def cases_of(rows: Iterable[dict[str, Any]]) -> Iterator[Case]:
    """Cases of records with ``schema_sql`` and ``q1`` and ``q2``, or ``sql``."""
    for row in rows:
        texts = tuple(row[name] for name in ("q1", "q2", "sql") if name in row)
        for text in texts:
            yield Case(row["schema_sql"], text, texts if row.get("same", True) else (text,))


def _strength(schema: str, text: str) -> Iterator[Case]:
    for part in re.split(r"^-- pair: ", text, flags=re.MULTILINE)[1:]:
        queries = tuple(q.strip() for q in part.partition("\n")[2].strip().rstrip(";").split(";\n"))
        yield from (Case(schema, query, queries) for query in queries)


def _shapes(schema: str, text: str) -> Iterator[Case]:
    heads = re.split(r"^-- (equal|different|differs|refines):? ", text, flags=re.MULTILINE)[1:]
    for kind, part in zip(heads[::2], heads[1::2], strict=True):
        queries = tuple(q.strip() for q in part.partition("\n")[2].strip().rstrip(";").split(";\n"))
        yield from (Case(schema, q, queries if kind == "equal" else (q,)) for q in queries)


def _hazard(text: str) -> Iterator[Case]:
    parts = dict(
        re.findall(
            r"^-- (schema|stands|falls)\n(.*?)(?=^-- (?:stands|falls)\n|\Z)", text, re.DOTALL | re.MULTILINE
        )
    )
    for word in ("stands", "falls"):
        queries = tuple(q.strip() for q in parts[word].split(";\n") if q.strip())
        yield from (Case(parts["schema"], q, queries if word == "stands" else (q,)) for q in queries)


# -- mutants


def chosen_mutants(query: str, number: int, chance: random.Random) -> list[Mutant]:
    """At most so many, of as many kinds as there are."""
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    try:
        for mutant in mutants(query):
            kinds[mutant.kind].append(mutant)
    except ParseError:
        return []
    groups = list(kinds.values())
    for group in groups:
        chance.shuffle(group)
    chance.shuffle(groups)
    picked = [group[i] for i in range(max(map(len, groups), default=0)) for group in groups if i < len(group)]
    return picked[:number]


@dataclass(frozen=True, slots=True)
class Question:
    """A pair that the prover is asked about, and the kind of change that made it."""

    kind: str
    schema_sql: str
    original: str
    candidate: str


def questions(cases: Iterable[Case], each: int, seed: int) -> Iterator[Question]:
    """Queries against mutants of themselves or of their partners."""
    chance = random.Random(seed)
    for case in cases:
        for mutant in chosen_mutants(case.query, each, chance):
            pair = (chance.choice(case.partners), mutant.sql)
            original, candidate = pair if chance.random() < 0.75 else pair[::-1]
            yield Question(mutant.kind, case.schema_sql, original, candidate)


def questions_of_schemas(cases: Iterable[Case], each: int, seed: int) -> Iterator[Question]:
    """Pairs that mean the same, over changed schemas: so many of each, half with one column changed, half
    with all of a type.
    """
    chance = random.Random(seed)
    pairs: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for case in cases:
        if len(case.partners) == 2:
            pairs[case.schema_sql].add(case.partners)
    for schema_sql, texts in sorted(pairs.items(), key=lambda item: -len(item[1])):
        known = list(schema_mutants(schema_sql))
        for everywhere in (True, False):
            changes = [c for c in known if c[0].startswith("all ") is everywhere]
            for kind, changed in chance.sample(changes, min((each + everywhere) // 2, len(changes))):
                for original, candidate in sorted(texts):
                    yield Question(kind, changed, original, candidate)


def proofs(
    asked: Iterable[Question], seconds: float, counts: Counter[str], way: Way = WAYS["kernel"]
) -> Iterator[Found]:
    """The proofs that are found in a way; ``counts`` has what became of all questions, by kind."""
    catalogs: dict[str, Catalog | None] = {}
    for question in bar(asked, "questions"):
        if question.schema_sql not in catalogs:
            catalogs[question.schema_sql] = catalog_of_text(question.schema_sql)
        catalog = catalogs[question.schema_sql]
        counts[f"{question.kind}: asked"] += 1
        bound = bound_both(question.original, question.candidate, catalog) if catalog else None
        if bound is None or catalog is None:
            counts[f"{question.kind}: not bound"] += 1
            continue
        found = way(Binding(*bound, catalog), seconds)
        if isinstance(found, Shown):
            one_tree = canonical(bound[0]) == canonical(bound[1])
            counts[f"{question.kind}: {'one tree' if one_tree else 'proved'}"] += 1
            yield Found(
                question.kind,
                question.schema_sql,
                question.original,
                question.candidate,
                found.modulo,
                found.assumptions,
                "flaw" if found.flaw else "",
                found.flaw or found.forms,
                bool(found.flaw),
                one_tree,
            )
        elif found:
            counts[f"{question.kind}: internal"] += 1
            say("INTERNAL", found, question.original, question.candidate)


def catalog_of_text(schema_sql: str) -> Catalog | None:
    try:
        return catalog_from_ddl(schema_sql)
    except DdlError:
        return None


def bound_both(original: str, candidate: str, catalog: Catalog) -> tuple[Query, Query] | None:
    """Both queries; None where a text is not understood."""
    try:
        return bind(original, catalog), bind(candidate, catalog)
    except (BindError, Unsupported):
        return None


# -- runs


def judged(found: Found, verdict: Verdict) -> Found:
    """The proof with what the runs said of it."""
    made = asdict(found)
    if not isinstance(verdict, Refuted):
        said = type(verdict).__name__.lower()
        return Found(**{**made, "verdict": said, "detail": getattr(verdict, "reason", "") or found.detail})
    example = verdict.counterexample
    excused = any(example.kind in _EXCUSES[m] for m in found.modulo)
    detail = f"{example.kind}: {'; '.join(example.setup)} => {example.original} / {example.candidate}"
    return Found(**{**made, "verdict": "refuted", "detail": detail, "wrong": not excused})


class Runs:
    """Searches for counterexamples; keeps one scratch database, since proofs come ordered by schema."""

    def __init__(self, server: ScratchServer, options: Options) -> None:
        self.server, self.options = server, options
        self.schema, self.checker = "", Checker(schema_sql="")

    def look(self, found: Found) -> Found:
        if found.schema_sql != self.schema:
            self.close()
            self.schema = found.schema_sql
            self.checker = Checker(scratch=self.server, options=self.options, schema_sql=self.schema)
        return judged(found, self.checker.check(found.original, found.mutant))

    def close(self) -> None:
        self.checker.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="+", default=[])
    parser.add_argument("--schema", type=Path, help="DDL for records of --data that have none")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=8, help="mutants of one query")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--by", choices=sorted(WAYS), default="kernel")
    parser.add_argument("--seconds", type=float, default=1.0, help="for one proof")
    parser.add_argument("--databases", type=int, default=800)
    parser.add_argument("--only", default="", help="queries that hold this text")
    parser.add_argument("--schemas", action="store_true", help="pairs as they are, over changed schemas")
    parser.add_argument("--no-runs", action="store_true", help="proofs only")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    started = time.monotonic()
    deadline = started + 60 * chosen.minutes
    cases = list(read_cases(chosen.data, chosen.schema) if chosen.data else kept_cases())
    cases = [c for c in cases if chosen.only in c.query]
    random.Random(chosen.seed).shuffle(cases)
    counts: Counter[str] = Counter()
    options = Options(prover=False, databases=chosen.databases, seconds=15, seed=chosen.seed)
    made: list[Found] = []
    ask = questions_of_schemas if chosen.schemas else questions
    for found in proofs(ask(cases, chosen.each, chosen.seed), chosen.seconds, counts, WAYS[chosen.by]):
        made.append(found)
        if time.monotonic() > started + (deadline - started) * (1.0 if chosen.no_runs else 0.4):
            break
    print(f"{len(made)} proofs, {time.monotonic() - started:.0f} s", flush=True)
    made.sort(key=lambda f: (f.one_tree, f.schema_sql))  # one scratch database after the other
    seen = _looked_at(made, options, deadline, counts) if not chosen.no_runs else made
    wrong = 0
    out = chosen.out.open("a") if chosen.out else None
    for found in seen:
        wrong += found.wrong
        if found.wrong:
            say("WRONG", json.dumps({**asdict(found), "schema_sql": ""}))
        if out:
            out.write(json.dumps(asdict(found)) + "\n")
            out.flush()
    _report(counts)
    return 1 if wrong else 0


def _looked_at(
    made: Sequence[Found], options: Options, deadline: float, counts: Counter[str]
) -> Iterator[Found]:
    with ScratchServer() as server:
        runs = Runs(server, options)
        for found in bar(made, "runs"):
            if time.monotonic() > deadline:
                break
            seen = found if found.wrong else runs.look(found)
            counts[f"{found.kind}: {seen.verdict}"] += 1
            yield seen
        runs.close()


def read_cases(paths: Sequence[Path], schema: Path | None = None) -> Iterator[Case]:
    """Cases of files of records; ``schema``: the DDL of those that have none of their own."""
    default = {"schema_sql": schema.read_text()} if schema else {}
    for path in paths:
        yield from cases_of(default | json.loads(line) for line in path.read_text().splitlines())


def _report(counts: Counter[str]) -> None:
    kinds = sorted({key.split(": ")[0] for key in counts})
    words = ("asked", "not bound", "one tree", "proved", "refuted", "tested", "unknown", "flaw", "internal")
    print(f"{'kind':28}" + "".join(f"{word:>10}" for word in words))
    for kind in (*kinds, ""):
        row = [
            sum(
                n
                for k, n in counts.items()
                if k.endswith(f": {w}") and (not kind or k.startswith(f"{kind}: "))
            )
            for w in words
        ]
        print(f"{kind or 'all':28}" + "".join(f"{n:>10}" for n in row))


if __name__ == "__main__":
    sys.exit(main())
