"""Proofs of single rewrite steps, made small: only what differs is proved, without what both sides share.

Owns the order in which ways of looking at a pair are tried, and the call of the prover on each; the verdict's
document is the checker's own form. Must not know how a step was found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from equivalence.proving import Binding, prove_both
from equivalence.verdicts import Proved, to_json
from rewrite.rules.tree import Fresh, highest_number, walk
from rewrite.search.abstraction import pairs, shared_failures, without_ctes
from rewrite.search.bounds import without_bounds
from rewrite.search.congruence import Difference, differences, stripped
from rewrite.search.firsts import numbered
from rewrite.search.limits import without_early_limits
from rewrite.words import Evidence
from sql import algebra as a
from sql.binder import BindError, Unsupported, bind
from sql.catalog import Catalog

# the share of the time left that one way of looking at a pair may take
_SHARE = 0.4
# how many queries around a difference are looked at with it before the whole is
_WIDEST = 2


@dataclass(frozen=True, slots=True)
class LinkProver:
    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
        """A proof of the pair by its differing parts; None when there is none."""
        try:
            first = bind(before, self.catalog, search_path=self.search_path)
            second = bind(after, self.catalog, search_path=self.search_path)
        except (BindError, Unsupported):
            return None
        proved = proved_by_parts(first, second, self.catalog, seconds)
        return None if proved is None else Evidence.of(to_json(proved))


def proved_by_parts(before: a.Query, after: a.Query, catalog: Catalog, seconds: float) -> Proved | None:
    """A proof of two bound queries out of proofs of what differs in them."""
    deadline = time.monotonic() + seconds
    if [c.type for c in a.output_columns(before)] != [c.type for c in a.output_columns(after)]:
        return None
    for view in _views(before, after, catalog):
        found = _of_view(view, catalog, deadline)
        if found is not None:
            ctes = (
                frozenset()
                if before == after
                else frozenset(m for q in (before, after) for m in shared_failures(q, catalog))
            )
            proved = _joined(found, ctes | view.modulo, before, after)
            return replace(proved, assumptions=tuple(dict.fromkeys((*proved.assumptions, *view.facts))))
    return None


@dataclass(frozen=True, slots=True)
class _View:
    """Both queries in another form, with what that form rests on."""

    before: a.Query
    after: a.Query
    modulo: frozenset[str]
    facts: tuple[str, ...]


def _views(before: a.Query, after: a.Query, catalog: Catalog) -> Iterator[_View]:
    """Without CTEs, bounds and early cuts; then with the first rows of subqueries numbered, where only one has such."""
    inlined = [q for q in (without_ctes(before), without_ctes(after)) if q is not None]
    if len(inlined) < 2:
        return
    uncut = [without_early_limits(without_bounds(q), catalog) for q in inlined]
    modulo = frozenset(m for u in uncut for m in u.modulo)
    facts = tuple(x for u in uncut for x in u.assumptions)
    first, second = (u.query for u in uncut)
    yield _View(first, second, modulo, facts)
    highest = max(highest_number(first), highest_number(second))
    firsts = [numbered(q, catalog, Fresh(highest)) for q in (first, second)]
    if (firsts[0].query == first) != (firsts[1].query == second):
        modulo |= frozenset(m for f in firsts for m in f.modulo)
        facts += tuple(x for f in firsts for x in f.assumptions)
        yield _View(firsts[0].query, firsts[1].query, modulo, facts)


def _of_view(view: _View, catalog: Catalog, deadline: float) -> list[Proved] | None:
    tried: list[list[Difference]] = []
    for wider in (*range(_WIDEST + 1), None):
        parts = (
            [stripped(Difference(view.before, view.after), catalog)]
            if wider is None
            else differences(view.before, view.after, wider, catalog)
        )
        left = deadline - time.monotonic()
        if parts in tried or left <= 0:
            continue
        tried.append(parts)
        found = _all(parts, catalog, deadline if wider is None else time.monotonic() + left * _SHARE)
        if found is not None:
            return found
    return None


def _all(parts: list[Difference], catalog: Catalog, deadline: float) -> list[Proved] | None:
    found: list[Proved] = []
    for difference in parts:
        proved = _proved(difference, catalog, deadline)
        if proved is None:
            return None
        found.append(proved)
    return found


def _proved(difference: Difference, catalog: Catalog, deadline: float) -> Proved | None:
    ways = list(pairs(difference.before, difference.after, catalog))
    for number, pair in enumerate(ways, 1):
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        seconds = left if number == len(ways) else left * _SHARE
        attempt = prove_both(Binding(pair.before, pair.after, pair.catalog), pair.catalog, seconds)
        if attempt.proved is not None:
            modulo = {*attempt.proved.modulo, *difference.modulo, *pair.modulo}
            facts = dict.fromkeys((*attempt.proved.assumptions, *difference.facts))
            return replace(attempt.proved, assumptions=tuple(facts), modulo=tuple(sorted(modulo)))
    return None


def _joined(parts: list[Proved], ctes: frozenset[str], before: a.Query, after: a.Query) -> Proved:
    parameters = any(isinstance(n, a.Param) for q in (before, after) for n in walk(q))
    return Proved(
        method="parts: " + ", ".join(dict.fromkeys(p.method for p in parts)) if parts else "same tree",
        assumptions=tuple(dict.fromkeys(x for p in parts for x in p.assumptions)),
        scope="any" if parameters else "these",
        modulo=tuple(sorted({m for p in parts for m in p.modulo} | ctes)),
        steps=tuple(step for p in parts for step in p.steps),
    )
