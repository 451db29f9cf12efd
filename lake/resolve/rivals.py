"""Finds answers that are nearly as likely as the chosen one, runs them and compares them with it.

Owns which alternatives there are, and what makes two answers the same. What it means for confidence is told
there (docs/decisions/0250). An alternative is another candidate of the search, or the next best column for
one that was asked for.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from rewright.engines.duckdb.database import LakeDatabase, Rows
from rewright.engines.duckdb.errors import LakeError, Timeout
from rewright.lake.catalog.model import Column
from rewright.lake.resolve.candidate import Candidate, away_cost, scale_of, weight_of, worth
from rewright.lake.resolve.evidence import Evidence, real_columns
from rewright.lake.resolve.imagined import ImaginedColumn

# beyond it a rival is so unlikely that what it says does not matter
_NEAR = 0.3
"""An alternative whose evidence, summed over columns and tables, lies further behind is none."""
# each alternative is run, to see whether it gives the same rows
_MOST = 6
_PER_KIND = 3
_ROWS = 5000
"""Answers of more rows are compared by their first ones, sorted."""
_SECONDS = 1.0
"""For all alternatives of a query together; where the chosen answer alone takes longer none is run."""
_UNKNOWN = 0.1
"""How surely an alternative that was not compared says the same: the share of those that were."""
_SCALE = 0.05
"""How fast the weight of an alternative falls with its distance."""

Choice = tuple[Candidate, ...]
"""A candidate for each SELECT, its columns keyed by position."""


@dataclass(frozen=True, slots=True)
class Rival:
    """An alternative: how far its score lies behind, and how surely its answer is the same (0 or 1, between
    where it was not compared; None: it has no answer).
    """

    kind: str
    gap: float
    same: float | None


def alternatives(
    best: Choice, ranked: Sequence[Sequence[Candidate]], judged: Sequence[Evidence]
) -> list[tuple[str, float, Choice]]:
    """(kind, gap, choice) of what could have been chosen instead, nearest first; one SELECT is changed at a
    time.
    """
    # the gap is what evidence was given up, so that rivals of any kind are in one order
    found: list[tuple[str, float, Choice]] = []
    for at, (candidate, others, evidence) in enumerate(zip(best, ranked, judged, strict=True)):
        for kind, gap, other in (
            *_other_tables(candidate, others, evidence),
            *_other_columns(candidate, evidence),
        ):
            found.append((kind, gap, (*best[:at], other, *best[at + 1 :])))
    found.sort(key=lambda f: f[1])
    kept: list[tuple[str, float, Choice]] = []
    told: Counter[str] = Counter()
    for kind, gap, choice in found:
        # Sorted by gap: all that follow lie further behind.
        if gap > _NEAR or len(kept) == _MOST:
            break
        # so that many readings of one column do not crowd out another table
        if told[kind] < _PER_KIND:
            told[kind] += 1
            kept.append((kind, max(gap, 0.0), choice))
    return kept


def _other_tables(
    candidate: Candidate, others: Sequence[Candidate], evidence: Evidence
) -> Iterable[tuple[str, float, Candidate]]:
    for other in others:
        # Of the same tables it is another reading of columns, which ``_other_columns`` finds one by one.
        if set(other.tables) != set(candidate.tables):
            yield "tables", (candidate.score - other.score) * scale_of(evidence), other


def _other_columns(candidate: Candidate, evidence: Evidence) -> Iterable[tuple[str, float, Candidate]]:
    """For each imagined column the best real one of the candidate's tables that no other has."""
    reals = real_columns(evidence.index, candidate.tables)
    fit = np.hstack([evidence.block(t) for t in candidate.tables])
    position = {id(c): i for i, c in enumerate(evidence.site.columns())}
    taken = {real.key for real in candidate.columns.values()}
    homes = candidate.homes

    # as in placing: the cost of a column away from home, by half
    def value(imagined: ImaginedColumn, real: Column, score: float) -> float:
        away = (
            away_cost(real.table, homes.get(imagined.relation), homes.values()) if imagined.relation else 0.0
        )
        return weight_of(imagined) * worth(score) - 0.5 * away

    for row, imagined in enumerate(evidence.columns):
        at = position[id(imagined)]
        held = candidate.columns.get(at)
        options = [
            (value(imagined, real, float(fit[row, j])), -j)
            for j, real in enumerate(reals)
            # a column in use would leave another one without its own
            if real.key not in taken
        ]
        # what has no column has no second best
        if held is None or not options:
            continue
        told, j = max(options)
        changed = replace(
            candidate,
            columns={**candidate.columns, at: reals[-j]},
            scores={**candidate.scores, at: float(fit[row, -j])},
        )
        yield "column", value(imagined, held, candidate.scores[at]) - told, changed


def disputed(rivals: Sequence[Rival], kind: str) -> float:
    """0 where every alternative of a kind says the same or none is near, towards 1 where many near ones say
    something else.
    """
    # near rivals weigh by how near; the 1 below is the chosen answer itself
    weight = [(math.exp(-r.gap / _SCALE), r.same) for r in rivals if r.same is not None and r.kind == kind]
    return sum(w * (1.0 - same) for w, same in weight) / (1.0 + sum(w for w, _ in weight))


class Comparison:
    """Runs alternatives and compares their answers with the chosen one's, within a budget of time."""

    def __init__(self, database: LakeDatabase, sql: str, rows: Rows, seconds: float) -> None:
        """:param seconds: what running the chosen one took"""
        self._database = database
        self.differs = ""
        self._until = time.monotonic() + _SECONDS
        # an answer that took longer than the budget leaves no time for others
        self._patient = seconds <= _SECONDS
        # of a part of the rows nothing is known about the rest
        self._whole = not rows.truncated and len(rows.rows) <= _ROWS
        self._own: Counter[tuple[str, ...]] | None = None
        self._other: Counter[tuple[str, ...]] | None = None
        if self._whole:
            self._own = told_rows(rows)
        elif self._patient:
            found = self._run(sql)
            self._own = found if isinstance(found, Counter) else None

    def same(self, sql: str) -> float | None:
        """Does a query give the chosen one's answer? See `Rival.same`."""
        if self._own is None:
            return _UNKNOWN
        found = self._run(sql)
        # no answer, or no time for one: nothing to compare
        if isinstance(found, float) or found is None:
            return found
        if found != self._own and self._other is None:
            self._other = found
            self.differs = sql
        return float(found == self._own)

    def rows(self) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]] | None:
        """The chosen answer's rows and those of the first alternative that differs, which is the query
        `differs`.
        """
        return (self._own, self._other) if self._own is not None and self._other is not None else None

    def _run(self, sql: str) -> Counter[tuple[str, ...]] | float | None:
        """Rows; None where there are none; a float where there is no time."""
        # the budget is of all alternatives together
        left = self._until - time.monotonic()
        if not self._patient or left <= 0.0:
            return _UNKNOWN
        try:
            if self._whole and self._own is not None:
                # one row more than the chosen one's says that it is another answer
                rows = self._database.execute(sql, limit=self._own.total() + 1, seconds=left)
            else:
                # Without an order two runs of one query may give other first rows.
                first = f"SELECT * FROM ({sql}) AS answer ORDER BY ALL LIMIT {_ROWS}"
                rows = self._database.execute(first, seconds=left)
        except Timeout:
            # too slow to compare is not different
            return _UNKNOWN
        except LakeError:
            return None
        return None if says_nothing(rows) else told_rows(rows)


def says_nothing(rows: Rows) -> bool:
    """No rows, or one row of nulls and zeros."""
    if not rows.rows:
        return True
    # one row of nulls and zeros is what an aggregate gives for nothing
    return len(rows.rows) == 1 and all(value is None or value == 0 for value in rows.rows[0])


def told_rows(rows: Rows) -> Counter[tuple[str, ...]]:
    """An answer as something to compare: its rows in any order, numbers by ten digits."""
    return Counter(tuple(_cell(v) for v in row) for row in rows.rows)


def _cell(value: Any) -> str:
    # before numbers, as a bool is an int to Python
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, (int, float, Decimal)):
        # Sums of floating-point numbers differ in their last digits by the order of the rows.
        return f"{float(value):.10g}"
    return str(value)
