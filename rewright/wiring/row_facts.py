"""Facts that served rewrites rely on and that new rows may break: checked when a rewrite is found, and again
while it is served.

Owns [optimiser] foreign_keys, what is remembered of the checks, and the lease under which relays serve: it
ends by itself when nobody checks any more. Must not know how rewrites are found.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

import psycopg

from rewright.config.model import Config
from rewright.engines.postgres.looking import Broken, Kept
from rewright.engines.postgres.session import Session
from rewright.engines.postgres.stored_rows import KeptFacts, look_at
from rewright.processes.jobs import Job
from rewright.sql.row_facts import Policy, RowFact
from rewright.store.api import Store
from rewright.store.records import NewRewrite, Rewrite

# a relay serves it for so many intervals after a look; more than one look may fail for want of a connection
LEASE = 2.5
NEVER = float("inf")
# of a look that an older version wrote down, in seconds
_ONE_HOUR = 3600.0


def policy_of(config: Config) -> Policy:
    return cast("Policy", config.optimiser.foreign_keys)


def every(config: Config) -> float:
    """Seconds between two looks at the rows under a served rewrite."""
    return max(config.optimiser.foreign_keys_every, 1.0)


@dataclass(slots=True)
class FactMemory:
    """What looks at rows came to lately: facts that were not kept, or could not be looked at, and those
    that need no second look. For several threads.

    ``told``: called with the database, the fact and the reason when a broken one is found. ``seconds``: for
    how long it is not asked again.
    """

    told: Callable[[str, RowFact, str], None] = lambda _database, _fact, _reason: None
    clock: Callable[[], float] = time.monotonic
    seconds: float = _ONE_HOUR
    _broken: dict[tuple[str, RowFact], tuple[float, str]] = field(default_factory=dict)
    _kept: dict[str, KeptFacts] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, database: str) -> Mapping[RowFact, str]:
        """Those not to be relied on now, with the reasons."""
        now = self.clock()
        with self._lock:
            # what is old is forgotten when somebody asks
            self._broken = {k: v for k, v in self._broken.items() if now - v[0] < self.seconds}
            return {key: why for (name, key), (_, why) in self._broken.items() if name == database}

    def add(self, database: str, fact: RowFact, reason: str) -> None:
        with self._lock:
            self._broken[database, fact] = self.clock(), reason
        self.told(database, fact, reason)

    def kept(self, database: str) -> KeptFacts:
        """Those of a database that need no second look."""
        with self._lock:
            return self._kept.setdefault(database, KeptFacts())


@dataclass(slots=True)
class Looks:
    """The rows under one search, as `rewright.rewrite.row_facts.search` asks for them; each fact is looked at
    once.

    ``seconds``: what one look may take. ``patient``: whether that is as long as it ever gets, so that a look
    that took longer need not be tried again soon.
    """

    connection: Callable[[], psycopg.Connection[Any]]
    database: str
    memory: FactMemory
    seconds: Callable[[], float]
    patient: bool = True
    _found: dict[RowFact, Kept | Broken] = field(default_factory=dict)

    def __call__(self, facts: Collection[RowFact]) -> Mapping[RowFact, str]:
        new = [fact for fact in facts if fact not in self._found]
        if new:
            found = look_at(self.connection(), new, self.seconds, self.memory.kept(self.database))
            self._found.update(found)
            self._remember(found)
        asked = ((fact, self._found[fact]) for fact in facts)
        return {fact: one.reason for fact, one in asked if isinstance(one, Broken)}

    def _remember(self, found: Mapping[RowFact, Kept | Broken]) -> None:
        for fact, one in found.items():
            # what was only not finished in time may be tried again by a patient look
            if isinstance(one, Broken) and (one.seen or (self.patient and one.lasting)):
                self.memory.add(self.database, fact, one.reason)

    def rests(self, facts: Iterable[RowFact]) -> Rests:
        """What a rewrite over these facts is served on."""
        needed = frozenset(facts)
        looked = {fact: one for fact in needed if isinstance(one := self._found.get(fact), Kept)}
        return Rests(needed, frozenset(looked), max((one.snapshot for one in looked.values()), default=0))


def looks_for(session: Session, job: Job, config: Config, memory: FactMemory, budget: float) -> Looks:
    """The looks of one job. While somebody waits, a look has what is left of the ``budget``, in seconds."""
    from rewright.rewrite.model import Deadline  # relays, which load this module, only ask for leases

    waiting = job.kind == "inline"
    limit, deadline = config.optimiser.run_timeout, Deadline.after(budget)
    return Looks(
        lambda: session.connection,
        job.database,
        memory,
        # a held query's client waits: what is left of its budget
        (lambda: min(deadline.left(), limit)) if waiting else (lambda: limit),
        patient=not waiting,
    )


@dataclass(frozen=True, slots=True)
class Rests:
    """Facts under a rewrite, those whose rows were looked at, and the transaction number from which on a
    session's snapshot is younger than all these looks; 0: there was none.
    """

    facts: frozenset[RowFact] = frozenset()
    looked_at: frozenset[RowFact] = frozenset()
    snapshot: int = 0

    @property
    def on_foreign_keys(self) -> bool:
        return any(fact.kind == "foreign key" for fact in self.facts)


# -- in the store


def with_facts(new: NewRewrite, rests: Rests, lasting: Collection[RowFact]) -> NewRewrite:
    """The proposal with the facts that it rests on in its evidence. ``lasting``: those of them for which
    one look is enough.
    """
    named = [
        {**asdict(fact), "looked_at": fact in rests.looked_at, "lasting": fact in lasting}
        for fact in sorted(rests.facts)
    ]
    return replace(new, evidence={**(new.evidence or {}), "row_facts": named}) if named else new


def facts_of(new: NewRewrite) -> tuple[RowFact, ...]:
    """The facts that a proposal rests on."""
    return tuple(fact for fact, _ in _facts_of(new))


def repeated(new: NewRewrite) -> tuple[RowFact, ...]:
    """Those of them whose rows are looked at again while it is served."""
    return tuple(fact for fact, one in _facts_of(new) if one.get("lasting") is not True)


def declared_only(new: NewRewrite) -> tuple[RowFact, ...]:
    """Those of them at whose rows nobody looked when it was found."""
    return tuple(fact for fact, one in _facts_of(new) if one.get("looked_at") is not True)


def _facts_of(new: NewRewrite) -> Iterator[tuple[RowFact, Mapping[str, Any]]]:
    evidence = new.evidence if isinstance(new.evidence, dict) else {}
    for one in evidence.get("row_facts") or ():
        # written by another version, or by hand
        with suppress(KeyError, TypeError):
            yield RowFact(str(one["schema"]), str(one["table"]), str(one["name"]), one["kind"]), one


def renew(store: Store, rewrite: Rewrite, now: float, interval: float = _ONE_HOUR) -> None:
    """Its facts were looked at ``now`` (Unix time) and are to be again after ``interval`` seconds. Raises
    StoreError.
    """
    store.switches.set(_switch(rewrite), f"{now} {interval}")


def looked_at(store: Store, rewrite: Rewrite) -> tuple[float, float]:
    """When its facts were looked at last (Unix time; 0: never), and after how many seconds they are to be
    again. Raises StoreError.
    """
    now, _, interval = (store.switches.get(_switch(rewrite)) or "0").partition(" ")
    try:
        return float(now), float(interval or _ONE_HOUR)
    # a value that is no number: as if never looked at
    except ValueError:
        return 0.0, _ONE_HOUR


def lease(store: Store, rewrite: Rewrite) -> float:
    """Until when relays may serve it without another look (Unix time). Raises StoreError."""
    guard = rewrite.proposal.guard if isinstance(rewrite.proposal.guard, dict) else {}
    # without a snapshot in its guard it was not served on a look, or on one that is enough
    if not guard.get("snapshot") or not repeated(rewrite.proposal):
        return NEVER
    at, interval = looked_at(store, rewrite)
    return at + LEASE * interval


def due(store: Store, rewrites: Iterable[Rewrite], now: float) -> list[Rewrite]:
    """Those that rest on facts of rows and whose interval since the last look is over. Raises StoreError."""
    # a lease is 2.5 times as long, so one failed look does not end it
    resting = [(r, looked_at(store, r)) for r in rewrites if repeated(r.proposal)]
    return [r for r, (at, interval) in resting if now - at >= interval]


def _switch(rewrite: Rewrite) -> str:
    return f"foreign keys of {rewrite.id}"
