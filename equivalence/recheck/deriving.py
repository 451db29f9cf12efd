"""The steps of a certificate, derived: both queries read, each law instantiated, the last forms compared.

What a stage may rest on are the schema facts stated with it, and each of them must be needed.
`rewright.equivalence.certificates` finds those facts with the same functions. Must not know the format.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from rewright.engines import clock
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.prepare import Prepared, prepare_both, reservations, same_order
from rewright.equivalence.prover.schema import Schema
from rewright.equivalence.prover.terms import Bag
from rewright.equivalence.recheck.comparing import same_block
from rewright.equivalence.recheck.judging import Judge, OutOfTime
from rewright.equivalence.recheck.laws.stating import Bindings
from rewright.equivalence.recheck.laws.table import LAWS
from rewright.equivalence.recheck.outcome import Refused
from rewright.equivalence.recheck.places import NoPlace, Path, place_at, with_bag
from rewright.equivalence.recheck.writing import written
from rewright.equivalence.records import Assumption
from rewright.sql.algebra import Query
from rewright.sql.catalog import Catalog
from rewright.sql.facts.local_times import concludes_wrongly

Facts = tuple[Assumption, ...]
Pairing = tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Both queries, bound against the catalog; ``deadline`` on `rewright.engines.clock`."""

    original: Query
    candidate: Query
    catalog: Catalog
    deadline: float

    def judge(self, facts: Collection[Assumption]) -> Judge:
        if clock.now() > self.deadline:
            raise OutOfTime
        return Judge(Schema(self.catalog, frozenset(facts)), self.deadline)


@dataclass(frozen=True, slots=True)
class Reading:
    """The two forms with what they leave open."""

    prepared: tuple[Prepared, Prepared]

    @property
    def forms(self) -> list[Any]:
        return [written(p.bag) for p in self.prepared]

    @property
    def sorts(self) -> list[tuple[str, ...]]:
        return [p.sort for p in self.prepared]


def read(pair: Pair, facts: Collection[Assumption]) -> Reading:
    """Both queries as forms. Raises Refused where their columns differ, or where the server may take what
    they mean for something else.
    """
    if any(concludes_wrongly(q, pair.catalog) for q in (pair.original, pair.candidate)):
        raise Refused("instants are equated with local times")
    found = prepare_both(pair.judge(facts), pair.original, pair.candidate)
    if not isinstance(found, tuple):
        raise Refused(found.reason)
    return Reading(found)


def step(
    pair: Pair, form: Bag, law: str, path: Path, bindings: Bindings, gives: Any, facts: Facts
) -> Bag | None:
    """The form after a law, where that is what it gives by these facts; None where it is not."""
    judge = pair.judge(facts)
    try:
        place = replace(place_at(form, path), schema=judge.schema)
        for found in LAWS[law](place, bindings):
            after = with_bag(form, path, found.after)
            if after != form and written(after) == gives and all(c.holds(judge) for c in found.needs):
                return after
    except (NoPlace, ValueError, TypeError):
        return None
    return None


@dataclass(frozen=True, slots=True)
class Ends:
    """The last forms as they are compared, how they are said to correspond, and what is left open."""

    forms: tuple[Bag, Bag]
    pairing: Pairing
    modulo: frozenset[str]


def ends(
    pair: Pair,
    reading: Reading,
    last: tuple[Bag, Bag],
    pairing: Pairing,
    facts: Collection[Assumption],
) -> Ends | None:
    """None where the visible orders differ."""
    judge = pair.judge(facts)
    found = same_order(judge, reading.prepared, last)
    if found is None:
        return None
    modulo = reservations(judge, pair.original, pair.candidate, reading.prepared, found, pairing)
    return Ends(found, pairing, frozenset(modulo))


def matched(pair: Pair, forms: tuple[Bag, Bag], pairing: Pairing, facts: Collection[Assumption]) -> bool:
    """Whether the forms are one under the pairing."""
    left, right = forms
    if len(left) != len(pairing) or sorted(j for j, _ in pairing) != list(range(len(right))):
        return False
    judge = pair.judge(facts)
    return all(
        same_block(judge, Context(), b, right[j], rows) for b, (j, rows) in zip(left, pairing, strict=True)
    )


def needed(facts: Iterable[Assumption], stands: Callable[[Facts], bool]) -> Facts:
    """Those of the facts without which something does not stand, left out in lots and then one by one."""
    kept = tuple(sorted(set(facts)))
    if not kept or stands(()):
        return ()
    lot = len(kept)
    while lot > 1:
        lot = (lot + 1) // 2
        start = 0
        while start < len(kept):
            fewer = (*kept[:start], *kept[start + lot :])
            if stands(fewer):
                kept = fewer
            else:
                start += lot
    return kept


def idle(facts: Facts, stands: Callable[[Facts], bool]) -> Assumption | None:
    """A fact without which it stands as well."""
    return next((f for f in facts if stands(tuple(g for g in facts if g != f))), None)


def reads_alike(pair: Pair, reading: Reading, last: tuple[Bag, Bag], found: Ends, facts: Facts) -> bool:
    """Whether fewer facts lead to the same forms at both ends, and to no other reservations."""
    try:
        other = read(pair, facts)
    except Refused:
        return False
    if other.forms != reading.forms or other.sorts != reading.sorts:
        return False
    again = ends(pair, other, last, found.pairing, facts)
    return again is not None and (written_ends(again), again.modulo) == (written_ends(found), found.modulo)


def written_ends(found: Ends) -> list[Any]:
    """The last forms as they are compared, as JSON values."""
    return [written(f) for f in found.forms]
