"""The pipeline: filter by votes (and, with a model, by majority), enrich from documentation, verify, classify, write.

QUITE §5.1 filters with models and never runs a unit; here a pair becomes a unit only when the checker proves or
tests it. Without a model, structure and votes decide. Resumable: each pair's state is in the workbook.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from equivalence.api import Checker, Options
from equivalence.refuter.arena import Server
from equivalence.verdicts import Proved, Tested
from knowledge.build.infer import NoSchema, infer_schema
from knowledge.build.workbook import Pair, Workbook
from knowledge.classify import category_of
from knowledge.index import Index, words_of
from knowledge.units import toml_of

# unit vectors of texts, one row each
Embed = Callable[[Sequence[str]], Any]
# how near documentation has to be
LEAST_COSINE, LEAST_WORDS = 0.3, 3


class Voter(Protocol):
    """A model's opinion whether a pair is a performance rewrite worth keeping; asked ``n`` times."""

    def keep(self, pair: Pair) -> bool: ...


@dataclass(frozen=True, slots=True)
class Rules:
    """What is kept: an accepted answer, or one with at least ``min_score`` votes and fewer than ``max_rivals``
    answers above it.
    """

    min_score: int = 3
    max_rivals: int = 2
    votes: int = 3
    seconds: float = 10.0


def filter_pairs(book: Workbook, rules: Rules, voter: Voter | None = None) -> None:
    """Found -> kept or dropped."""
    for pair in book.pairs("found"):
        reason = _unwanted(pair, rules)
        if not reason and voter is not None:
            ayes = sum(voter.keep(pair) for _ in range(rules.votes))
            reason = "" if 2 * ayes > rules.votes else f"the model kept it {ayes} of {rules.votes} times"
        book.move(pair, "dropped" if reason else "kept", reason)


def _unwanted(pair: Pair, rules: Rules) -> str:
    if not pair.accepted and pair.score < rules.min_score:
        return f"{pair.score} votes and not accepted"
    if pair.rivals > rules.max_rivals:
        return f"{pair.rivals} answers stand above it"
    if not set(_tables(pair.before)) & set(_tables(pair.after)):
        return "the two read different tables"
    return ""


def _tables(query: str) -> list[str]:
    return re.findall(r"\b(?:from|join)\s+([a-z_][\w.]*)", query.lower())


def enrich(book: Workbook, embed: Embed | None = None) -> None:
    """Give each kept pair the passage of documentation that is nearest: in meaning where there are embeddings, else in
    words (BM25).
    """
    passages = book.passages()
    pairs = book.pairs("kept")
    if not passages or not pairs:
        return
    texts = [f"{title} {text}" for _, title, text in passages]
    asked = [f"{pair.title} {pair.question} {pair.answer}" for pair in pairs]
    nearest = _by_words(texts, asked) if embed is None else _by_meaning(texts, asked, embed)
    for pair, found in zip(pairs, nearest, strict=True):
        if found is not None:
            source, title, _ = passages[found]
            book.move(replace(pair, extra={**pair.extra, "see": f"{Path(source).name}: {title}"}), "kept")


def _by_meaning(texts: Sequence[str], asked: Sequence[str], embed: Embed) -> list[int | None]:
    vectors, questions = np.asarray(embed(texts)), np.asarray(embed(asked))
    scores = questions @ vectors.T
    return [int(row.argmax()) if row.max() >= LEAST_COSINE else None for row in scores]


def _by_words(texts: Sequence[str], asked: Sequence[str]) -> list[int | None]:
    index = Index([words_of(text) for text in texts])
    found: list[int | None] = []
    for text in asked:
        words = words_of(text)
        scores = index.scores(words)
        best = int(scores.argmax())
        # one common word says nothing: a passage has to share several
        shared = len(set(words) & set(words_of(texts[best])))
        found.append(best if scores[best] > 0 and shared >= LEAST_WORDS else None)
    return found


def verify(
    book: Workbook, server: Server, out: Path, rules: Rules, progress: Callable[[int], None] = lambda _n: None
) -> int:
    """Kept -> verified (and written as a unit file below ``out``) or refused; the number written."""
    written = 0
    for pair in book.pairs("kept"):
        reason, level = _judge(pair, server, rules)
        if reason:
            book.move(pair, "refused", reason)
        else:
            _write(pair, out, level)
            book.move(pair, "verified", level)
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
    return f"{level}: {getattr(verdict, 'reason', '')}", level


def _write(pair: Pair, out: Path, level: str) -> None:
    category = category_of(pair.before, pair.after)
    slug = f"{re.sub(r'[^a-z0-9]+', '-', pair.title.lower()).strip('-')[:50] or 'unit'}-{pair.id[:6]}"
    schema = f"s_{pair.id}"
    (out / "schemas").mkdir(parents=True, exist_ok=True)
    (out / "schemas" / f"{schema}.sql").write_text(
        pair.ddl or infer_schema(pair.before, pair.after), encoding="utf-8"
    )
    folder = out / "units" / category
    folder.mkdir(parents=True, exist_ok=True)
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
    (folder / f"{slug}.toml").write_text(text, encoding="utf-8")
