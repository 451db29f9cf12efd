"""Both queries on real tables with the real constraints, one database at a time.

Owns deciding whether a database really tells two queries apart: bags, visible order as far as
ORDER BY fixes it, errors, freedom of choice among ties. Each query is run under several physical
orders and planner settings, and the answers of each side are collected: the queries differ when the
original gave one answer and the candidate another, or when no answer of one is an answer of the
other. Must not know generation.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

import psycopg

from rewright.engines import clock
from rewright.equivalence.generator.databases import Database
from rewright.equivalence.isolation import ScreenedQuery
from rewright.equivalence.refuter.order import chooses_freely, counts_are_fixed, tie_query
from rewright.equivalence.refuter.scratch_database import ScratchDatabase, insert_statements

OVERFLOW = "22003"
# errors that tell nothing about the queries
_CONTAINED = frozenset(
    {"57014", "53000", "53100", "53200", "53400", "54000", "54001", "57P01", "40P01", "55P03"}
)
_PLANNERS: tuple[tuple[str, ...], ...] = (
    (),
    ("enable_hashagg", "enable_hashjoin"),
    ("enable_sort", "enable_nestloop", "enable_mergejoin"),
    ("enable_material", "enable_memoize", "enable_hashjoin", "enable_mergejoin", "enable_incremental_sort"),
    ("enable_seqscan", "enable_hashagg"),
    ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_sort"),
)
# for queries in which ties may be broken freely: all physical orders are tried when there are no more than
# this …
_ALL_ORDERS = 24
# … else each row comes first once, among so many at most, and then orders by chance
_ROTATIONS = 40
_SHUFFLES = 10
_FLOAT_TOLERANCE = Decimal("1e-9")
_FLOAT_OIDS = frozenset({700, 701})
Row = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one query gave: rows as texts in the order they came, or an SQLSTATE."""

    rows: tuple[Row, ...] = ()
    error: str = ""
    message: str = ""
    types: tuple[int, ...] = ()
    # number of the tie group of each row under the query's own ORDER BY; None: no order promised
    ties: tuple[str, ...] | None = None

    @property
    def bag(self) -> Counter[Row]:
        return Counter(self.rows)


@dataclass(frozen=True, slots=True)
class Difference:
    """What a replay found: ``kind`` as in verdicts.Counterexample, plus ``overflow`` (kept apart)."""

    kind: Literal["rows", "order", "error", "overflow"]
    original: Outcome
    candidate: Outcome
    # where it was seen: rows in their physical order, planner settings switched off
    database: Database | None = None
    switches: tuple[str, ...] = ()


class Confirmer:
    """Replays for one pair in one scratch database."""

    def __init__(
        self, scratch_db: ScratchDatabase, original: ScreenedQuery, candidate: ScreenedQuery
    ) -> None:
        self.scratch_db = scratch_db
        self.original, self.candidate = original, candidate
        self.ties = (tie_query(original.tree), tie_query(candidate.tree))
        self.chooses = chooses_freely(original.tree) or chooses_freely(candidate.tree)
        self.counted = counts_are_fixed(original.tree) and counts_are_fixed(candidate.tree)
        self.random = random.Random(1)  # noqa: S311 - shuffling test data
        # past it nothing is decided any more (rewright.engines.clock)
        self.deadline = math.inf
        # the original gave several answers for one database
        self.varied = False

    def differs(self, database: Database, *, thorough: bool = True) -> Difference | None:
        """The difference on this database; None when there is none, or the database is not valid.

        ``thorough``: under all physical orders and planner settings, not one.
        """
        first = self._once(database, ())
        # the rows break a constraint, which only the server knows: no database of this schema
        if first is None:
            return None
        found = difference(*first)
        # where nothing is left open, one run decides
        if not thorough or (found is None and not (self.chooses or first[0].ties is not None)):
            return found
        trials: list[Trial] = [Trial(*first, database, ())]
        backwards = tuple(rows[::-1] for rows in database)
        plans = [(backwards, switches) for switches in _PLANNERS]
        orders, complete = self._orders(database)
        plans += [
            (order, () if complete else _PLANNERS[number % len(_PLANNERS)])
            for number, order in enumerate(orders)
        ]
        for trial, switches in plans:
            # what is not decided in time is no difference
            if clock.now() > self.deadline:
                return None
            again = self._once(trial, switches)
            if again is None:
                return None
            trials.append(Trial(*again, trial, switches))
            if not _same_answer(again[0], first[0]):
                self.varied = True
                # the original answers in several ways, not all of which were tried: its silence means nothing
                if not (complete or self.counted):
                    return None
        return decide(trials, counted=self.counted, complete=complete)

    def _orders(self, database: Database) -> tuple[list[Database], bool]:
        """Physical orders to try, and whether they are all there are."""
        # nothing to choose: two other orders show whether the plan matters
        if not self.chooses:
            return [self._shuffled(database) for _ in range(2)], False
        # few rows: all orders, so that an answer that does not come is none
        if math.prod(math.factorial(min(len(rows), 9)) for rows in database) <= _ALL_ORDERS:
            return list(itertools.product(*(itertools.permutations(rows) for rows in database))), True
        longest = min(_ROTATIONS, max(len(rows) for rows in database))
        rotated = [tuple(_rotated(rows, n) for rows in database) for n in range(1, longest)]
        return [*(self._shuffled(database) for _ in range(_SHUFFLES)), *rotated], False

    def _shuffled(self, database: Database) -> Database:
        return tuple(tuple(self.random.sample(rows, len(rows))) for rows in database)

    def _once(self, database: Database, switches: Sequence[str]) -> tuple[Outcome, Outcome] | None:
        scratch_db = self.scratch_db
        try:
            with scratch_db.rolled_back():
                loading = insert_statements(scratch_db.shape, database)
                for statement in ("set constraints all deferred", *loading, *scratch_db.load_checks()):
                    scratch_db.connection.execute(statement.encode())
                for switch in switches:
                    scratch_db.connection.execute(f"set local {switch} = off".encode())
                return self._run(self.original, self.ties[0]), self._run(self.candidate, self.ties[1])
        except psycopg.Error:
            # a server process that was killed ends the connection
            if scratch_db.connection.closed:
                scratch_db.reconnect()
            return None

    def _run(self, query: ScreenedQuery, ties: str | None) -> Outcome:
        outcome = self._fetch(query.text)
        # an error has no order
        if outcome.error or ties is None:
            return outcome
        grouped = self._fetch(ties)
        # the last column is the tie group
        # the query with its ties may choose other rows: then it says nothing of this answer
        if grouped.error or tuple(r[:-1] for r in grouped.rows) != outcome.rows:
            return outcome
        groups = tuple(str(r[-1]) for r in grouped.rows)
        return Outcome(outcome.rows, types=outcome.types, ties=groups)

    def _fetch(self, text: str) -> Outcome:
        connection = self.scratch_db.connection
        connection.execute("savepoint rw")
        result = connection.pgconn.exec_params(text.encode(), None)
        # the savepoint keeps the loaded rows for the second query
        if result.status not in {2, 9}:  # PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE
            state = (result.error_field(67) or b"XX000").decode()
            message = (result.error_field(77) or b"").decode(errors="replace")
            connection.execute("rollback to savepoint rw")
            return Outcome(error=state, message=message)
        rows = tuple(
            tuple(
                None if (value := result.get_value(r, c)) is None else value.decode(errors="replace")
                for c in range(result.nfields)
            )
            for r in range(result.ntuples)
        )
        types = tuple(result.ftype(c) for c in range(result.nfields))
        connection.execute("release savepoint rw")
        return Outcome(rows, types=types)


@dataclass(frozen=True, slots=True)
class Trial:
    """What both queries gave for one physical order under one set of planner settings."""

    original: Outcome
    candidate: Outcome
    database: Database
    switches: tuple[str, ...]


def decide(trials: Sequence[Trial], *, counted: bool = False, complete: bool = False) -> Difference | None:
    """What the answers of all trials say; None when one side's freedom may explain what was seen.

    ``counted``: the numbers of rows do not depend on what the queries choose. ``complete``: all physical
    orders were tried, so that an answer not seen is none.
    """
    outcomes = [outcome for trial in trials for outcome in (trial.original, trial.candidate)]
    # a statement that was cancelled, or ran out of memory, tells nothing of the queries
    if any(_contained(outcome) for outcome in outcomes):
        return None
    originals = _answers([t.original for t in trials])
    candidates = _answers([t.candidate for t in trials])
    errors = any(outcome.error for outcome in outcomes)
    # an error in some plans only: which of them is the answer?
    if errors and (len(originals) > 1 or len(candidates) > 1):
        return None
    apart = complete and not any(_same_answer(a, b) for a in originals for b in candidates)
    # the original's one answer was not the candidate's, or no answer of either is one of the other's
    if len(originals) == 1 or apart or (counted and _differ_in_number(trials)):
        return _first_difference(trials)
    return None


def _answers(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The different answers among these."""
    found: list[Outcome] = []
    for outcome in outcomes:
        if not any(_same_answer(outcome, other) for other in found):
            found.append(outcome)
    return found


def _same_answer(left: Outcome, right: Outcome) -> bool:
    # the SQLSTATE is what a client acts on, the message may name other things
    if left.error or right.error:
        return left.error == right.error
    return same_bag(left, right)


def _rotated(rows: tuple[Row, ...], places: int) -> tuple[Row, ...]:
    places %= max(1, len(rows))
    return rows[places:] + rows[:places]


def _first_difference(trials: Sequence[Trial]) -> Difference | None:
    """The difference to show: with the settings of the server as they are, if there is one."""
    for trial in sorted(trials, key=lambda t: len(t.switches)):
        found = difference(trial.original, trial.candidate)
        if found is not None:
            return replace(found, database=trial.database, switches=trial.switches)
    return None


def _differ_in_number(trials: Sequence[Trial]) -> bool:
    """Whether the two had different numbers of rows, each always the same: whatever
    they choose, they differ.
    """
    if any(t.original.error or t.candidate.error for t in trials):
        return False
    numbers = {(len(t.original.rows), len(t.candidate.rows)) for t in trials}
    return len(numbers) == 1 and all(a != b for a, b in numbers)


def _contained(outcome: Outcome) -> bool:
    return outcome.error in _CONTAINED


def difference(original: Outcome, candidate: Outcome) -> Difference | None:
    """What a client could tell apart; None when nothing."""
    if original.error or candidate.error:
        # both fail: with which error is left open
        if bool(original.error) == bool(candidate.error) or _contained(original) or _contained(candidate):
            return None
        overflow = OVERFLOW in {original.error, candidate.error}
        return Difference("overflow" if overflow else "error", original, candidate)
    if not same_bag(original, candidate):
        return Difference("rows", original, candidate)
    if original.ties is not None and not admissible(candidate.rows, original):
        return Difference("order", original, candidate)
    return None


def same_bag(left: Outcome, right: Outcome) -> bool:
    """Equal bags of rows; floats within 1e-9 of each other are not told apart (float-order)."""
    if left.bag == right.bag:
        return True
    if len(left.types) != len(right.types):
        return False
    floats = {i for types in (left.types, right.types) for i, oid in enumerate(types) if oid in _FLOAT_OIDS}
    # floats are compared by nearness, which needs as many rows on both sides
    if not floats or len(left.rows) != len(right.rows):
        return False
    return all(
        _near(a, b, floats)
        for a, b in zip(_sorted(left.rows, floats), _sorted(right.rows, floats), strict=True)
    )


def _sorted(rows: Sequence[Row], floats: set[int]) -> list[Row]:
    def key(row: Row) -> tuple[Any, ...]:
        return tuple(
            (value is None, _rounded(value) if i in floats else value or "") for i, value in enumerate(row)
        )

    return sorted(rows, key=key)


def _rounded(value: str | None) -> str:
    try:
        return format(float(value or 0), ".6g")
    except ValueError:
        return str(value)


def _near(left: Row, right: Row, floats: set[int]) -> bool:
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        if a == b:
            continue
        if i not in floats or a is None or b is None:
            return False
        try:
            x, y = Decimal(a), Decimal(b)
        except InvalidOperation:
            return False
        # -0 and 0 are written differently, and so is NaN
        if not (x.is_finite() and y.is_finite()) or (x == 0 and y == 0):
            return False
        if abs(x - y) > _FLOAT_TOLERANCE * max(abs(x), abs(y), Decimal(1)):
            return False
    return True


def admissible(rows: Sequence[Row], ordered: Outcome) -> bool:
    """Whether ``rows`` (the same bag) could have come in this order from the ordered query."""
    assert ordered.ties is not None
    start = 0
    while start < len(rows):
        end = start
        while end < len(rows) and ordered.ties[end] == ordered.ties[start]:
            end += 1
        # within one tie group the rows may come in any order
        if Counter(rows[start:end]) != Counter(ordered.rows[start:end]):
            return False
        start = end
    return True
