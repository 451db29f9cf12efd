"""Whether an answer reads only some of what was asked for, or rows that were not: a folder without all of its
files, a family without one that is written otherwise, all invoices for the overdue ones.

Owns these doubts. Must not choose or run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from rewright.lake import names
from rewright.lake.headings import stem_of
from rewright.lake.index import LakeIndex
from rewright.lake.resolve.candidate import Candidate
from rewright.lake.resolve.evidence import Evidence
from rewright.lake.resolve.imagined import Site, Test
from rewright.lake.resolve.likeness import lexical
from rewright.lake.resolve.trial import Trial, by_identity

_NUMBERS = re.compile(r"\d+")
_STATES = frozenset({
    "accepted", "active", "approved", "archived", "banned", "blocked", "broken", "cancelled", "canceled",
    "closed", "completed", "damaged", "declined", "defective", "delayed", "deleted", "delivered",
    "discontinued", "expired", "failed", "finished", "former", "inactive", "late", "lost", "missing", "open",
    "overdue", "paid", "pending", "refunded", "rejected", "resolved", "retired", "returned", "sold",
    "suspended", "terminated", "unpaid", "unresolved", "unsold", "vacant",
})  # fmt: skip
"""Before the name of things, words that leave only some of them."""
_NEARER = 0.05


def left_out(best: Trial, judged: Sequence[Evidence]) -> Iterator[str]:
    """What a client is told of a folder, a family of files or a kind of things of which others are read."""
    for site, candidate, evidence in zip(best.sites, best.choice, judged, strict=True):
        yield from _folder_in_part(site, candidate, evidence)
        yield from _lacks_part(site, candidate, evidence)
        yield from _of_some_rows(site, candidate, evidence)


def _folder_in_part(site: Site, candidate: Candidate, evidence: Evidence) -> Iterator[str]:
    """Is a folder asked for by its name, and of its tables of about the same columns not all are read?"""
    index, read = evidence.index, set(candidate.tables)
    for table in candidate.tables:
        read.update(parts_of(index, table))
    for r in site.relations:
        home = candidate.homes[r.alias]
        # asked for by its own name, or as a whole: nothing is left out
        if index.table(r.name) is not None or home in index.unions:
            continue
        own = {names.normal(c.name) for c in index.tables[home].columns}
        beside = [
            n for n, t in index.tables.items() if names.words(t.path.parent.name) == names.words(r.name)
        ]
        others = (
            t
            for t in beside
            if t not in read
            and t not in index.unions
            and t not in index.copies
            # half of the columns in common: exports of one kind differ in a few
            and 2 * len(own & {names.normal(c.name) for c in index.tables[t].columns}) >= len(own)
        )
        if home in beside and (other := next(others, None)) is not None:
            yield f"of {r.name} only {home} is read, and not {other}"


def _lacks_part(site: Site, candidate: Candidate, evidence: Evidence) -> Iterator[str]:
    """Is a union read of which a file of the same folder, called like its parts but for the number, is none
    (its columns are called otherwise), and which the query does not leave out?
    """
    index, placed = evidence.index, by_identity(candidate, site)
    for home in candidate.homes.values():
        if (united := index.unions.get(home)) is None or united.spreads:
            continue
        parts = set(united.part_names())
        folders = {index.tables[part].path.parent for part in parts}
        stems = {stem_of(part) for part in parts}
        others = [
            name
            for name, table in index.tables.items()
            if name not in parts
            and name not in index.unions
            and name not in index.copies
            and stem_of(name) in stems
            and table.path.parent in folders
        ]
        marks = {(home, united.mark)}
        tests = [
            test
            for c in site.columns()
            if (real := placed.column_of(c)) is not None and real.key in marks
            for test in c.tests
        ]
        for name in others:
            if all(_may_be(tests, int(number)) for number in _NUMBERS.findall(name)[-1:]):
                yield f"{name} is no part of {home}, as its columns are called otherwise"


def _may_be(tests: Collection[Test], number: int) -> bool:
    """Do conditions on numbers let this one through, as far as they can be told?"""
    told = [
        (t.op, float(t.value)) for t in tests if isinstance(t.value, int) and not isinstance(t.value, bool)
    ]
    equal = {value for op, value in told if op == "="}
    if equal and number not in equal:
        return False
    return not any(
        (op.startswith(">") and number < value) or (op.startswith("<") and op != "<>" and number > value)
        for op, value in told
    )


def _of_some_rows(site: Site, candidate: Candidate, evidence: Evidence) -> Iterator[str]:
    """Does a relation's name ask for some rows, `overdue_invoices`, of which neither the table's name nor a
    condition says anything?
    """
    placed = by_identity(candidate, site)
    for r in site.relations:
        asked = [word for word in names.words(r.name)[:-1] if word in _STATES]
        tests = [c for c in site.columns() if c.tests and not c.only_key]
        home = candidate.homes[r.alias]
        held = [names.words(home), *(names.words(c.name) for c in tests)]
        held += [names.words(real.name) for c in tests if (real := placed.column_of(c)) is not None]
        held += [names.words(t.value) for c in tests for t in c.tests if isinstance(t.value, str)]
        for word in asked:
            if all(lexical((word,), told) == 0.0 for told in held) and not _means(
                word, r.name, home, evidence
            ):
                yield f"nothing says which rows of {home} are {word}"


def _means(word: str, asked: str, home: str, evidence: Evidence) -> bool:
    """Is a table's name nearer to what is asked for with the word than without it: `sales` to sold items?"""
    alike = evidence.index.embedder.similarity
    rest = " ".join(other for other in names.words(asked) if other != word)
    return alike(names.expanded(asked), names.expanded(home)) > alike(rest, names.expanded(home)) + _NEARER


def parts_of(index: LakeIndex, table: str) -> Collection[str]:
    """The tables that a union unites; of another table none."""
    return index.unions[table].part_names() if table in index.unions else ()
