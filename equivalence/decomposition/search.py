"""Proofs of pairs out of proofs of what differs in them, found without what both sides share.

Owns the order in which ways of looking at a pair are tried, and the call of the prover on each. What it finds is checked again by
`parts`, which shares none of its choices. Must not know servers, nor how a pair came about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rewright.engines import clock
from rewright.equivalence.decomposition.abstraction import Pair, pairs
from rewright.equivalence.decomposition.congruence import Difference
from rewright.equivalence.decomposition.parts import (
    ALL,
    WIDEST,
    Part,
    PartsProof,
    View,
    has_parameters,
    parts_of,
    stated,
    views,
)
from rewright.equivalence.proof import Proof
from rewright.equivalence.proving import Binding, prove_both
from rewright.equivalence.verdicts import Proved
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog

# the share of the time left that one way of looking at a pair may take
_SHARE = 0.5


def at_once() -> None:
    """Nobody else has to be let go first."""


def proved_by_parts(
    before: a.Query,
    after: a.Query,
    catalog: Catalog,
    seconds: float,
    between: Callable[[], None] = at_once,
) -> Proved | None:
    """A proof of two bound queries out of proofs of what differs in them; its ``proof`` is a `PartsProof`."""
    deadline = clock.now() + seconds
    if [c.type for c in a.output_columns(before)] != [c.type for c in a.output_columns(after)]:
        return None
    attempts = _attempts(before, after, catalog)
    following = next(attempts, None)
    while following is not None:
        attempt, following = following, next(attempts, None)
        left = deadline - clock.now()
        if left <= 0:
            return None
        share = left if following is None else left * _SHARE
        looks = _all(attempt.parts, catalog, clock.now() + share, between)
        if looks is not None:
            return _proved_as(before, after, attempt, looks, catalog)
    return None


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What differs in the ``number``-th view, with ``wider`` of the queries around."""

    number: int
    view: View
    wider: int | None
    parts: list[Difference]


def _attempts(before: a.Query, after: a.Query, catalog: Catalog) -> Iterator[_Attempt]:
    """Small parts first, view by view, none twice."""
    seen: list[list[Difference]] = []
    for number, view in enumerate(views(before, after, catalog)):
        for wider in (*range(WIDEST + 1), None, ALL):
            parts = parts_of(view, wider, catalog)
            if parts not in seen:
                seen.append(parts)
                yield _Attempt(number, view, wider, parts)


def _proved_as(
    before: a.Query, after: a.Query, attempt: _Attempt, looks: list[_Look], catalog: Catalog
) -> Proved:
    view, parts = attempt.view, tuple(part for _, _, part in looks)
    facts, modulo = stated(view, [(d, pair, part.proof) for d, pair, part in looks], catalog)
    proof = PartsProof(attempt.number, attempt.wider, parts, facts, modulo)
    return Proved(
        method=proof.method,
        assumptions=facts,
        scope="any" if has_parameters(before, after) else "these",
        modulo=modulo,
        steps=tuple(str(step) for part in parts for step in part.proof.steps),
        proof=proof,
    )


_Look = tuple[Difference, Pair, Part]


def _all(
    parts: list[Difference], catalog: Catalog, deadline: float, between: Callable[[], None]
) -> list[_Look] | None:
    found: list[_Look] = []
    for difference in parts:
        look = _proved(difference, catalog, deadline, between)
        if look is None:
            return None
        found.append(look)
    return found


def _proved(
    difference: Difference, catalog: Catalog, deadline: float, between: Callable[[], None]
) -> _Look | None:
    ways = list(pairs(difference.before, difference.after, catalog))
    for number, pair in enumerate(ways):
        between()
        left = deadline - clock.now()
        if left <= 0:
            return None
        seconds = left if number == len(ways) - 1 else left * _SHARE
        attempt = prove_both(Binding(pair.before, pair.after, pair.catalog), pair.catalog, seconds)
        if attempt.proved is not None and isinstance(attempt.proved.proof, Proof):
            return difference, pair, Part(number, attempt.proved.proof)
    return None
