"""Pairs made by families of spellings, proved, and whatever is proved of them run on a server.

    python -m bench.hunt [--families FILE...] [--only TEXT] [--each N] [--seed S] [--seconds 2] [--minutes M]
    [--by kernel|parts|forms] [--within] [--out FILE]
    python -m bench.hunt --pairs FILE...   JSON lines of {schema_sql, q1, q2} and perhaps {states: {name: script}}

A family is a list of texts that may mean the same, with holes (`bench/hunts/families.sql`); each filling of the holes
gives a pair for any two of them; ``--within`` puts both in one of the places of `contexts.sql`. Nobody labels the
pairs: what the prover says is the same must be so on the small databases of `states.sql` under each way to plan
(`bench/hunt_runs.py`). Exit code 1: a proof that leaves nothing open that could not be accepted, of two queries that
a server answers differently.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.bars import bar, say
from bench.hunt_runs import Proof, Told, look
from bench.mutant_proofs import WAYS, Shown, Way
from bench.mutants import bound_both, catalog_of_text
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.proving import Binding

FOLDER = Path(__file__).parent / "hunts"
# fillings for each pair that is wanted: of some types there is no such operator
_TRIES = 8
_HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Question:
    """Two texts of a family over a schema, and its databases as scripts by name."""

    family: str
    schema_sql: str
    states: tuple[tuple[str, str], ...]
    q1: str
    q2: str


def sections(text: str, word: str) -> Iterator[tuple[str, str]]:
    """Names and texts of the parts that lines ``-- word: name`` begin."""
    for part in re.split(rf"^-- {word}: ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        yield name.strip(), rest.strip()


def fills(text: str) -> dict[str, list[str]]:
    """What each hole may hold: a line each."""
    return {name: rest.splitlines() for name, rest in sections(text, "fill")}


def made(
    files: Sequence[Path], each: int, seed: int, only: str, *, within: bool = False
) -> Iterator[Question]:
    """At most ``each`` pairs of each family, of those that are understood."""
    schema = (FOLDER / "schema.sql").read_text(encoding="utf-8")
    states = tuple(sections((FOLDER / "states.sql").read_text(encoding="utf-8"), "state"))
    catalog = catalog_of_text(schema)
    known = fills((FOLDER / "fills.sql").read_text(encoding="utf-8"))
    places = tuple(sections((FOLDER / "contexts.sql").read_text(encoding="utf-8"), "context"))
    for file in files:
        for name, body in sections(file.read_text(encoding="utf-8"), "family"):
            if only in name:
                texts = [t.strip() for t in body.rstrip(";").split(";\n")]
                chance = random.Random(f"{seed} {name}")
                pairs = _some(list(itertools.permutations(texts, 2)), known, each * _TRIES, chance)
                if within:
                    pairs = (_put(pair, chance.choice(places)[1]) for pair in pairs)
                binding = (p for p in pairs if catalog is None or bound_both(*p, catalog))
                yield from (Question(name, schema, states, *p) for p in itertools.islice(binding, each))


def _some(
    pairs: list[tuple[str, ...]], known: dict[str, list[str]], tries: int, chance: random.Random
) -> Iterator[tuple[str, str]]:
    """Different fillings of pairs of texts, chosen at random: the same filling in both texts."""
    seen: set[tuple[str, str]] = set()
    for _ in range(tries):
        first, second = chance.choice(pairs)
        filling = {
            hole: chance.choice(known[hole]) for hole in sorted({*_HOLE.findall(first + second)} & {*known})
        }
        pair = (filled(first, filling), filled(second, filling))
        if pair[0] != pair[1] and pair not in seen:
            seen.add(pair)
            yield pair


def _put(pair: tuple[str, str], place: str) -> tuple[str, str]:
    first, second = (place.replace("{q}", text) for text in pair)
    return first, second


def filled(text: str, filling: dict[str, str]) -> str:
    """The text with its holes filled; those of fillings too."""
    while True:
        done = _HOLE.sub(lambda m: filling.get(m[1], m[0]), text)
        if done == text:
            return done
        text = done


def read(paths: Sequence[Path]) -> Iterator[Question]:
    for path in paths:
        for one in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            states = tuple(one.get("states", {"": one.get("data_sql", "")}).items())
            yield Question(one.get("family", path.stem), one["schema_sql"], states, one["q1"], one["q2"])


def proofs(
    asked: Sequence[Question], way: Way, seconds: float, minutes: float, counts: Counter[str]
) -> Iterator[tuple[Question, Shown]]:
    """What is proved within the time there is."""
    end = time.monotonic() + 60 * minutes
    catalogs = {s: catalog_of_text(s) for s in {q.schema_sql for q in asked}}
    for question in bar(asked, "proofs"):
        if time.monotonic() > end:
            say(
                "not asked for want of time:",
                len(asked) - sum(counts[k] for k in counts if k.endswith("asked")),
            )
            return
        counts[f"{question.family}: asked"] += 1
        catalog = catalogs[question.schema_sql]
        both = bound_both(question.q1, question.q2, catalog) if catalog else None
        if both is None or catalog is None:
            counts[f"{question.family}: not bound"] += 1
            continue
        found = way(Binding(*both, catalog), seconds)
        if isinstance(found, Shown):
            counts[f"{question.family}: proved"] += 1
            counts[f"{question.family}: strictly"] += not found.modulo
            if found.flaw:
                say("FLAW", found.flaw, question.q1, question.q2)
            yield question, found
        elif found:
            counts[f"{question.family}: internal"] += 1
            say("INTERNAL", found, question.q1, question.q2)


def run(shown: Sequence[tuple[Question, Shown]], counts: Counter[str]) -> Iterator[Told]:
    """What the server makes of the proofs."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[Proof]] = defaultdict(list)
    for question, found in shown:
        groups[question.schema_sql, question.states].append(
            Proof(question.family, question.q1, question.q2, found.modulo)
        )
    with ScratchServer() as server:
        for (schema, states), group in groups.items():
            for told in look(server, schema, states, group):
                counts[f"{told.family}: {told.word}"] += 1
                yield told


def report(counts: Counter[str]) -> None:
    words = ("asked", "not bound", "internal", "proved", "strictly", "false", "excused", "unstable", "fails")
    families = sorted({key.rpartition(": ")[0] for key in counts})
    print(f"{'family':32}" + "".join(f"{word:>10}" for word in words))
    for family in families:
        print(f"{family:32}" + "".join(f"{counts[f'{family}: {word}']:>10}" for word in words))
    sums = [sum(n for key, n in counts.items() if key.endswith(f": {word}")) for word in words]
    print(f"{'all':32}" + "".join(f"{n:>10}" for n in sums))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.hunt", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--families", type=Path, nargs="+", default=[FOLDER / "families.sql"])
    parser.add_argument("--pairs", type=Path, nargs="+", default=[])
    parser.add_argument("--only", default="", help="families whose name holds this text")
    parser.add_argument("--each", type=int, default=30, help="pairs of a family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="for one proof")
    parser.add_argument("--minutes", type=float, default=30.0, help="for all proofs")
    parser.add_argument("--by", choices=sorted(WAYS), default="parts")
    parser.add_argument("--within", action="store_true", help="as parts of larger queries")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args(arguments)
    asked = list(
        read(chosen.pairs)
        if chosen.pairs
        else made(chosen.families, chosen.each, chosen.seed, chosen.only, within=chosen.within)
    )
    random.Random(chosen.seed).shuffle(asked)
    counts: Counter[str] = Counter()
    shown = list(proofs(asked, WAYS[chosen.by], chosen.seconds, chosen.minutes, counts))
    out = chosen.out.open("a", encoding="utf-8") if chosen.out else None
    wrong = 0
    for told in run(shown, counts):
        wrong += told.word == "false"
        if told.word == "false":
            say(f"FALSE {told.family} {list(told.modulo)}\n{told.replay}")
        if out:
            out.write(json.dumps(asdict(told)) + "\n")
    report(counts)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
