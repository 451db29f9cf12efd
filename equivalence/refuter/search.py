"""The search for a counterexample: generate, sift, replay, shrink, until found or out of time.

Owns the loop and its budget. Must not know proofs or verdict policy.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import psycopg

from rewright.engines import clock
from rewright.equivalence.generator.constants import Constants, constants_of
from rewright.equivalence.generator.databases import (
    PROFILES,
    Database,
    Generator,
    without_rows,
)
from rewright.equivalence.generator.exhaustive import Bound, all_small
from rewright.equivalence.generator.meetings import with_meetings
from rewright.equivalence.generator.pools import Pool, pools_for
from rewright.equivalence.isolation import ScreenedQuery
from rewright.equivalence.refuter.checked_rows import valid_rows
from rewright.equivalence.refuter.environments import PLAIN, Environment
from rewright.equivalence.refuter.prefilter import Prefilter
from rewright.equivalence.refuter.replay import Confirmer, Difference, Outcome
from rewright.equivalence.refuter.scratch_database import ScratchDatabase
from rewright.equivalence.refuter.shrink import shrink
from rewright.equivalence.verdicts import Counterexample

_MAX_REPLAYS = 60
# batches none of which the server takes before the search is given up
_MAX_BATCHES_UNLOADED = 3
_SAMPLE = 120
# databases of a batch; of those after several that did not end, and the seconds that such a one may take
_BATCH, _SLOW_BATCH, _SLOW_SECONDS = 300, 2, 0.25
_MOST_CANCELLED = 2
_BATCH_SECONDS = 2.0
# beyond the search's own time, to make sure of what was found
_REPLAY_SECONDS = 1.5
# databases on which the answers are compared under all orders and plans without a suspicion
_AUDITED = 8
# one telling database in so many is few; how many of them are kept
_RARE = 12
_BRED = 40
# how much chance is added to seed rows
_SEEDED = ("empty", "empty", "tiny")


@dataclass(slots=True)
class Searched:
    """What a search did. ``sample`` are some of the databases it used, for coverage."""

    databases: int = 0
    rows: int = 0
    nonempty: int = 0
    profiles: set[str] = field(default_factory=set)
    found: Counterexample | None = None
    overflow: bool = False
    unreplayed: int = 0
    # batches none of which the server took
    unloaded: int = 0
    sample: list[Database] = field(default_factory=list)
    timed_out: bool = False
    largest: int = 0
    # all databases up to so many rows were tried
    bound: Bound | None = None


class Refuter:
    """The search for one pair in one scratch database; ``run`` may be called again to go on.

    Raises psycopg.Error from the constructor when the server does not take one of the queries.
    """

    def __init__(
        self,
        scratch_db: ScratchDatabase,
        original: ScreenedQuery,
        candidate: ScreenedQuery,
        *,
        seed: int = 0,
        seeds: Sequence[Database] = (),
        shrinks: bool = True,
        environment: Environment = PLAIN,
    ) -> None:
        self.shrinks = shrinks
        self.environment = environment
        scratch_db.enter(environment)
        # batches that did not end in their time
        self._cancelled = 0
        # tables that refused a row
        self._refusing = False
        self.scratch_db, self.original, self.candidate = scratch_db, original, candidate
        self.prefilter = Prefilter(scratch_db, original, candidate)
        self.confirmer = Confirmer(scratch_db, original, candidate)
        self.constants: Constants = constants_of((original.tree, candidate.tree))
        _add_schema_constants(scratch_db, self.constants)
        self.pools = self._pools()
        sizes = self.constants.row_counts
        self.seeds = list(seeds)
        # databases with a telling row, where these are rare
        self.bred: list[Database] = []
        self.random = random.Random(seed)  # noqa: S311 - test data
        self.generator = Generator(
            scratch_db.shape,
            self.pools,
            used=self.prefilter.used,
            sizes=sizes,
            mentioned=_mentioned(scratch_db, original, candidate),
            valid=valid_rows(scratch_db, self.pools, self.prefilter.used, seed),
            seed=seed,
        )
        self.done = Searched()

    def _pools(self) -> tuple[tuple[Pool, ...], ...]:
        known, environment = self.scratch_db, self.environment
        return with_meetings(
            pools_for(known.shape, self.constants, known.accepted),
            known.shape,
            self.prefilter.used,
            environment.time_zone,
            environment.beside,
            numbers=not self.constants.counting,
        )

    def close(self) -> None:
        with contextlib.suppress(psycopg.Error):
            self.prefilter.close()

    def run(self, *, databases: int, seconds: float) -> Searched:
        """Try up to ``databases`` more databases for at most about ``seconds``."""
        self.scratch_db.enter(self.environment)
        deadline = clock.now() + seconds
        self.confirmer.deadline = deadline + _REPLAY_SECONDS
        target = self.done.databases + databases
        for size in self._batch_sizes():
            left = deadline - clock.now()
            done = self.done
            # batch after batch refused: the generator does not know what the schema wants
            if done.found or left <= 0 or done.databases >= target or done.unloaded >= _MAX_BATCHES_UNLOADED:
                break
            made = self._databases(min(size, target - self.done.databases), deadline)
            self._batch(made, deadline)
        return self.done

    def enumerate(self, *, databases: int, seconds: float) -> Searched:
        """Try all databases of the largest bound that has at most ``databases`` of them."""
        self.scratch_db.enter(self.environment)
        deadline = clock.now() + seconds
        self.confirmer.deadline = deadline + _REPLAY_SECONDS
        generator = self.generator
        bound = all_small(self.scratch_db.shape, self.pools, generator.used, generator.idle, most=databases)
        if bound is None:
            # too many even for the smallest bound
            return self.done
        before = self.done.databases
        for start in range(0, len(bound.databases), 350):
            if self.done.found or clock.now() > deadline:
                return self.done
            self._batch(list(bound.databases[start : start + 350]), deadline)
        # only a bound that was tried completely is one
        if self.done.databases - before == len(bound.databases):
            self.done.bound = bound
        return self.done

    def audit(self, *, seconds: float) -> Searched:
        """Compare under all physical orders and plans, without a suspicion: a choice among ties that one plan
        makes alike shows in another.
        """
        self.scratch_db.enter(self.environment)
        # a query without choices has one answer on each database
        if not (self.confirmer.chooses or self.confirmer.ties[0] is not None):
            return self.done
        deadline = clock.now() + seconds
        self.confirmer.deadline = deadline
        for profile in itertools.islice(itertools.cycle(("small", "alike", "groups", "large")), _AUDITED):
            if self.done.found or clock.now() > deadline:
                break
            self._try(self.generator.database(profile))
        return self.done

    def _batch_sizes(self) -> Iterator[int]:
        """Small batches first, so that an easy difference costs little, and where rows have it that a query
        does not end: a series up to infinity.
        """
        if self.done.databases == 0:
            yield 24
            yield 100
        while True:
            yield _SLOW_BATCH if self._is_slow() else _BATCH

    def _is_slow(self) -> bool:
        return self._cancelled >= _MOST_CANCELLED

    def _databases(self, count: int, deadline: float) -> list[Database]:
        made: list[Database] = []
        if self.done.databases == 0:
            made = [self.generator.database(profile) for profile in ("empty", "single", "tiny", "small")]
        while len(made) < count and (not made or clock.now() < deadline):
            seeds = self.bred if self.bred and self.random.random() < 0.5 else self.seeds
            if seeds and self.random.random() < 0.5:
                made.append(self.generator.database(self.random.choice(_SEEDED), self.random.choice(seeds)))
            else:
                made.append(self.generator.database())
        return made

    def _batch(self, made: list[Database], deadline: float) -> None:
        done = self.done
        most = _SLOW_SECONDS if self._is_slow() else _BATCH_SECONDS
        milliseconds = int(1000 * clock.stretched(max(0.2, min(most, deadline - clock.now() + 0.2))))
        try:
            first, made = self._load(made)
            if not made:
                # no database of the batch could be loaded
                done.unloaded += 1
                return
            self.scratch_db.set_timeout(milliseconds)
            sifted = self.prefilter.run(first, len(made))
        except psycopg.errors.QueryCanceled:
            # recursion over rings of rows does not end: without rings from now on
            done.timed_out = True
            self._cancelled += 1
            self.generator.acyclic = True
            done.databases += 1  # so that a pair which always times out ends
            return
        finally:
            with contextlib.suppress(psycopg.Error):
                self.scratch_db.set_timeout(4000)
        done.databases += sifted.ran
        done.unloaded += not sifted.ran
        done.rows += sum(len(rows) for database in made for rows in database)
        done.largest = max([done.largest, *(len(rows) for database in made for rows in database)])
        done.nonempty += len(sifted.telling)
        # where few have anything to say, more like these are made
        if len(sifted.telling) * _RARE < sifted.ran:
            self.bred = [*self.bred, *(made[n] for n in sifted.telling)][-_BRED:]
        done.profiles |= set(PROFILES)
        if len(done.sample) < _SAMPLE:
            done.sample += made[: _SAMPLE - len(done.sample)]
        hits = sorted(
            sifted.hits, key=lambda h: (bool(h.error_original or h.error_candidate), _size(made[h.number]))
        )
        for hit in hits[:8]:
            # too many suspicions that come to nothing, or no time left to look at one
            if done.unreplayed > _MAX_REPLAYS or clock.now() > deadline + 1:
                return
            self._try(made[hit.number])
            if done.found:
                return

    def _load(self, made: list[Database]) -> tuple[int, list[Database]]:
        """Load them, without rows that hold a value the server does not take (a domain's check, a generated
        column's division); the number of the first and which they are.
        """
        if not self._refusing:
            try:
                return self.scratch_db.load(made), made
            except psycopg.OperationalError:
                # the connection is gone: nothing to do with the rows
                raise
            except psycopg.Error:
                # of any class: "cannot convert NaN to integer" is an unsupported feature, a function raises
                # what it likes
                self._refusing = True
        good = self._accepted(made)
        try:
            return self.scratch_db.load(good), good
        except psycopg.OperationalError:
            raise
        except psycopg.Error:
            return 0, []

    def _accepted(self, made: list[Database]) -> list[Database]:
        """The databases without the rows that the server refuses."""
        refused: list[dict[int, set[int]]] = [{} for _ in made]
        for index in range(len(self.scratch_db.shape.tables)):
            places = [(n, i, row) for n, db in enumerate(made) for i, row in enumerate(db[index])]
            for place in self.scratch_db.refused_rows(index, [row for _, _, row in places]):
                number, position, _ = places[place]
                refused[number].setdefault(index, set()).add(position)
        shape = self.scratch_db.shape
        return [without_rows(shape, db, out) if out else db for db, out in zip(made, refused, strict=True)]

    def _try(self, database: Database) -> None:
        found = self.confirmer.differs(database)
        if found is None:
            # a suspicion that the replay does not confirm
            self.done.unreplayed += 1
            return
        if found.kind == "overflow":
            self.done.overflow = True
            self.done.unreplayed += 1
            return
        self.done.found = self.counterexample(database, found)

    def counterexample(self, database: Database, found: Difference) -> Counterexample:
        """The smallest database near ``database`` that shows the same kind of difference."""

        def still(trial: Database) -> bool:
            again = self.confirmer.differs(trial, thorough=False)
            return again is not None and again.kind == found.kind

        # the smallest rows near these that still differ in this way
        small = shrink(self.scratch_db.shape, database, still) if self.shrinks else database
        again = self.confirmer.differs(small) if self.shrinks else found
        # shrunk too far: under all orders and plans nothing is left
        if again is None or again.kind != found.kind:
            small, again = database, found
        small = again.database or small
        setup = (
            *(f"SET {switch} = off" for switch in again.switches),
            *self.scratch_db.setup(small),
        )
        return Counterexample(
            kind="rows" if again.kind == "rows" else "order" if again.kind == "order" else "error",
            setup=setup,
            rows=_size(small),
            original=show(again.original),
            candidate=show(again.candidate),
            script=self._script(setup, again),
            environment=dict(self.environment.settings)
            | ({"collation": self.scratch_db.collation} if self.scratch_db.locale else {}),
        )

    def _script(self, setup: Sequence[str], found: Difference) -> str:
        """Text to paste into psql on an empty database; it leaves nothing behind."""
        lines = []
        if self.scratch_db.locale:
            lines.append(f"-- in a database made with: template template0 {self.scratch_db.locale}")
        lines += ["BEGIN;", *(f"{statement};" for statement in self.scratch_db.schema.statements)]
        lines += [f"{statement};" for statement in setup if statement != "BEGIN"]
        for query, outcome in ((self.original, found.original), (self.candidate, found.candidate)):
            lines += ["SAVEPOINT before;", f"{query.text};"]
            lines += [f"-- {line}" for line in show(outcome).splitlines()]
            lines.append("ROLLBACK TO before;")
        return "\n".join([*lines, "ROLLBACK;"])


def _mentioned(scratch_db: ScratchDatabase, *queries: ScreenedQuery) -> frozenset[str] | None:
    """Names of columns the queries can look at; None when that may be any (``*``, views, functions, rows)."""
    names = frozenset().union(*(query.columns for query in queries))
    rows = {name for query in queries for _, name in query.relations} & names
    # a view, a function or a row as a whole may look at any column
    if (
        scratch_db.schema.views
        or scratch_db.schema.functions
        or rows
        or any(query.all_columns for query in queries)
    ):
        return None
    # generated columns look at others
    if any(column.generated for table in scratch_db.shape.tables for column in table.columns):
        return None
    return names


def _size(database: Database) -> int:
    return sum(len(rows) for rows in database)


def show(outcome: Outcome) -> str:
    """An outcome as a person reads it: one row a line."""
    if outcome.error:
        return f"ERROR {outcome.error}: {outcome.message}"
    if not outcome.rows:
        return "(no rows)"
    shown = [" | ".join("NULL" if value is None else value for value in row) for row in outcome.rows[:20]]
    more = [f"… {len(outcome.rows) - 20} more rows"] if len(outcome.rows) > 20 else []
    return "\n".join(shown + more)


def _add_schema_constants(scratch_db: ScratchDatabase, constants: Constants) -> None:
    """Constants of CHECK constraints, of domains and of partitions' bounds, near their columns."""
    from rewright.equivalence.isolation import Refused, parse

    for table in scratch_db.shape.tables:
        told = [("", text) for text in (*(check.expression for check in table.checks), table.bounds)]
        told += [(column.name.lower(), column.condition) for column in table.columns]
        for own, text in told:
            with contextlib.suppress(Refused):
                found = constants_of(s.stmt for s in parse(f"select {text}") if text)
                for name, texts in found.near.items():
                    constants.near[own or name] |= texts
                if not own:
                    # a domain's are of no use to other columns
                    constants.numbers |= found.numbers
                    constants.strings |= found.strings
