"""The pipeline: filter by votes (and, with a model, by majority), enrich from documentation, verify,
classify, write.

QUITE §5.1 filters with models and never runs a unit; here a pair becomes a unit only when the checker proves
or tests it. Without a model, structure and votes decide. Resumable: `BuildState` holds
how far each pair has come.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from pglast.error import Error as PglastError

from rewright.equivalence.api import Checker, Options
from rewright.equivalence.refuter.scratch_database import Server
from rewright.equivalence.verdicts import Proved, Refuted, Tested
from rewright.knowledge.build.build_state import BuildState, Pair
from rewright.knowledge.build.infer import NoSchema, infer_schema
from rewright.knowledge.classify import category_of
from rewright.knowledge.index import Index, words_of
from rewright.knowledge.patterns.fits import pattern_of
from rewright.knowledge.units import parse_unit, toml_of
from rewright.sql.parsing import TooDeep, parse

# unit vectors of texts, one row each
Embed = Callable[[Sequence[str]], Any]
# how near documentation has to be
LEAST_COSINE, LEAST_WORDS = 0.3, 3


class Voter(Protocol):
    """A model's opinion whether a pair is a performance rewrite worth keeping; asked ``n`` times."""

    def keep(self, pair: Pair) -> bool: ...


@dataclass(frozen=True, slots=True)
class Rules:
    """What is kept: an accepted answer, or one with at least ``min_score`` votes and fewer than
    ``max_rivals`` answers above it.
    """

    min_score: int = 3
    max_rivals: int = 2
    votes: int = 3
    seconds: float = 10.0


def filter_pairs(build: BuildState, rules: Rules, voter: Voter | None = None) -> None:
    """Found -> kept or dropped."""
    for pair in build.pairs("found"):
        reason = _unwanted(pair, rules)
        if not reason and voter is not None:
            ayes = sum(voter.keep(pair) for _ in range(rules.votes))
            # a majority of the votes, since one reply of a model is chance
            reason = "" if 2 * ayes > rules.votes else f"the model kept it {ayes} of {rules.votes} times"
        build.move(pair, "dropped" if reason else "kept", reason)


def _unwanted(pair: Pair, rules: Rules) -> str:
    if not _parses(pair.before) or not _parses(pair.after):
        return "one of the two is no query"
    # strangers' queries: somebody has to have found the answer good
    if not pair.accepted and pair.score < rules.min_score:
        return f"{pair.score} votes and not accepted"
    if pair.rivals > rules.max_rivals:
        return f"{pair.rivals} answers stand above it"
    # a rewrite reads what the original reads, in part at least
    if not set(_tables(pair.before)) & set(_tables(pair.after)):
        return "the two read different tables"
    return ""


def _parses(query: str) -> bool:
    try:
        parse(query)
    except (PglastError, TooDeep):
        return False
    return True


def _tables(query: str) -> list[str]:
    return re.findall(r"\b(?:from|join)\s+([a-z_][\w.]*)", query.lower())


def enrich(build: BuildState, embed: Embed | None = None) -> None:
    """Give each kept pair the passage of documentation that is nearest: in meaning where there are
    embeddings, else in words (BM25).
    """
    passages = build.passages()
    pairs = build.pairs("kept")
    if not passages or not pairs:
        return
    texts = [f"{title} {text}" for _, title, text in passages]
    names = [f"{Path(source).name}: {title}" for source, title, _ in passages]
    asked = [f"{pair.title} {pair.question} {pair.answer}" for pair in pairs]
    # by meaning where there are embeddings
    ranked = _by_words(texts, asked) if embed is None else _by_meaning(texts, asked, embed)
    for pair, found in zip(pairs, ranked, strict=True):
        # where the pair itself is from says nothing new
        see = next((names[i] for i in found if names[i] != pair.source), None)
        if see is not None:
            build.move(replace(pair, extra={**pair.extra, "see": see}), "kept")


def _by_meaning(texts: Sequence[str], asked: Sequence[str], embed: Embed) -> list[list[int]]:
    """For each question the two nearest passages that are near enough."""
    vectors, questions = np.asarray(embed(texts)), np.asarray(embed(asked))
    scores = questions @ vectors.T
    return [[int(i) for i in np.argsort(-row)[:2] if row[i] >= LEAST_COSINE] for row in scores]


def _by_words(texts: Sequence[str], asked: Sequence[str]) -> list[list[int]]:
    bags = [words_of(text) for text in texts]
    index = Index(bags)
    found = []
    for text in asked:
        words = words_of(text)
        best = [int(i) for i in np.argsort(-index.scores(words), kind="stable")[:2]]
        # one common word says nothing: a passage has to share several
        found.append([i for i in best if len(set(words) & set(bags[i])) >= LEAST_WORDS])
    return found


def verify(
    build: BuildState,
    server: Server,
    out: Path,
    rules: Rules,
    progress: Callable[[int], object] = lambda _n: None,
    known: Mapping[object, str] | None = None,
) -> int:
    """Kept -> verified (and written as a unit file below ``out``), refused, or dropped where its pattern is
    that of a unit in ``known`` (names by canonical pattern) or of one just written; the number written.
    """
    seen = dict(known or {})
    written = 0
    for pair in build.pairs("kept"):
        reason, level = _judge(pair, server, rules)
        if reason:
            build.move(pair, "refused", reason)
        # written beside another with its pattern: known already
        elif (same := _write(pair, out, level, seen)) is not None:
            build.move(pair, "dropped", f"says the same as {same}")
        else:
            build.move(pair, "verified", level)
            written += 1
        progress(1)
    return written


def _judge(pair: Pair, server: Server, rules: Rules) -> tuple[str, str]:
    try:
        ddl = pair.ddl or infer_schema(pair.before, pair.after)
    except NoSchema as error:
        return str(error), ""
    with Checker(scratch=server, schema_sql=ddl, options=Options(seconds=rules.seconds)) as checker:
        verdict = checker.check(pair.before, pair.after)
    level = type(verdict).__name__.lower()
    if isinstance(verdict, Proved | Tested):
        return "", level
    if isinstance(verdict, Refuted):
        example = verdict.counterexample
        sides = (" ".join(side.split())[:80] or "nothing" for side in (example.original, example.candidate))
        return "refuted: on one database the first gives {}, the second {}".format(*sides), level
    return f"{level}: {getattr(verdict, 'reason', '')}", level


def _write(pair: Pair, out: Path, level: str, seen: dict[object, str]) -> str | None:
    """Write the unit's file and schema; the name of a unit that says the same, where there is one."""
    category = category_of(pair.before, pair.after)
    slug = f"{re.sub(r'[^a-z0-9]+', '-', pair.title.lower()).strip('-')[:50] or 'unit'}-{pair.id[:6]}"
    schema = f"s_{pair.id}"
    see = pair.extra.get("see", "")
    text = toml_of(
        title=pair.title,
        question=pair.question or pair.title,
        answer=pair.answer or pair.title,
        helps=f"as reported in {pair.source}",
        hurts="not measured",
        source=f"{pair.source}{'; see ' + see if see else ''}; {level} by the checker",
        schema=schema,
        before=pair.before,
        after=pair.after,
    )
    schemas, folder = out / "schemas", out / "units" / category
    schemas.mkdir(parents=True, exist_ok=True)
    (schemas / f"{schema}.sql").write_text(
        pair.ddl or infer_schema(pair.before, pair.after), encoding="utf-8"
    )
    unit = replace(parse_unit(text, id_=f"{category}/{slug}", category=category), schemas=schemas)
    pattern = pattern_of(unit)
    if pattern is not None:
        same = seen.setdefault(pattern.form, unit.id)
        if same != unit.id:
            # the schema was written for this unit alone
            (schemas / f"{schema}.sql").unlink()
            return same
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{slug}.toml").write_text(text, encoding="utf-8")
    return None
