"""Constraints that would let a faster query be proved, as far as stored rows keep them.

The rules and the prover are asked once more under a catalog that promises more of the query's columns; what
is proved then and gains more than what is proved now names the constraints that its proof rests on. Proposed
only: the catalog here is made up. Whether stored rows keep a constraint is a port. Must not know servers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rewright.rewrite.adapters.describing import tables_of
from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.model import Candidate, Deadline, Evidence
from rewright.rewrite.ports import Database, DatabaseError
from rewright.rewrite.promises import Promise, missing, supposed
from rewright.rewrite.search.chains import Derivations, joined
from rewright.rewrite.search.proposer import RuleProposer
from rewright.sql.catalog import Catalog

# candidates that are proved, cheapest first, and seconds for one link
_TRIED = 4
_SECONDS = 1.5
# the share of the cost that must be saved beside the best that is proved now
_GAIN = 0.9


@dataclass(frozen=True, slots=True)
class Unlocked:
    """A rewrite that is proved if ``promises`` are kept. ``kept``: no stored row breaks one now; None: not
    looked at.
    """

    promises: tuple[Promise, ...]
    kept: bool | None
    rewritten: str
    cost_before: float
    cost_after: float

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "constraint",
            "statements": [p.statement() for p in self.promises],
            "reason": self.reason(),
            "kept": self.kept,
            "rewritten": self.rewritten,
            "cost_before": self.cost_before,
            "cost_after": self.cost_after,
        }

    def reason(self) -> str:
        names = " and ".join(map(str, self.promises))
        data = {
            True: "no stored row breaks it",
            False: "stored rows break it",
            None: "not looked at",
        }
        return (
            f"{names} would allow a rewrite of estimated cost {self.cost_after:,.0f} instead of"
            f" {self.cost_before:,.0f} ({data[self.kept]})"
        )


@dataclass(frozen=True, slots=True)
class Unlocking:
    """For one database. ``keeps``: whether no stored row breaks a promise; None where that can't be found
    out.
    """

    catalog: Catalog
    database: Database
    keeps: Callable[[Promise], bool | None]
    search_path: tuple[str, ...] = ("public",)

    def look(self, sql: str, deadline: Deadline) -> Unlocked | None:
        """The cheapest rewrite that a constraint unlocks, or None. Raises DatabaseError."""
        promises = missing(sql, tables_of(sql, self.catalog, self.search_path))
        if not promises:
            return None
        cost = self.database.explain(sql).cost
        # what can be proved today is the measure: a constraint that gains no more is not proposed
        now = min((c.cost or cost for c, _ in self._proved(sql, self.catalog, deadline)), default=cost)
        # the same search under a catalog in which every promise is kept
        for candidate, evidence in self._proved(sql, supposed(self.catalog, promises), deadline):
            # only what the proof rests on: the supposition was far wider
            needed = tuple(p for p in promises if any(f.startswith(p.fact) for f in evidence.assumptions))
            if needed and candidate.cost is not None and candidate.cost < _GAIN * now:
                looks = [self.keeps(promise) for promise in needed]
                # one that could not be looked at leaves it open
                kept = None if None in looks else all(looks)
                return Unlocked(needed, kept, candidate.sql, now, candidate.cost)
        return None

    def _proved(self, sql: str, catalog: Catalog, deadline: Deadline) -> Iterator[tuple[Candidate, Evidence]]:
        """Rules' candidates that are proved without reservations, cheapest first."""
        derivations = Derivations()
        proposer = RuleProposer(catalog, self.search_path, derivations=derivations)
        try:
            # a quarter of the time: proofs take the rest
            found = proposer.propose(sql, self.database, deadline.within(deadline.left() / 4), ())
        except DatabaseError:
            return
        priced = sorted((c for c in found if c.cost is not None), key=lambda c: c.cost or 0.0)
        prover = LinkProver(catalog, self.search_path)
        for candidate in priced[:_TRIED]:
            texts = (sql, *derivations.via(candidate.sql), candidate.sql)
            links = [
                # each step is proved by itself, from the text before
                None if deadline.passed else prover.prove(before, after, _SECONDS)
                for before, after in itertools.pairwise(texts)
            ]
            known = [link for link in links if link is not None]
            # one step without a proof, or with a reservation, and the whole is not what is promised
            if len(known) == len(links) and not any(link.modulo for link in known):
                yield candidate, joined(known)
