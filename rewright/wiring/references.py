"""Foreign keys that served rewrites rest on: looked at when one is found, and again while it is served.

Owns [optimiser] foreign_keys, what is remembered of broken keys, and the lease under which relays serve: it
ends by itself when nobody looks any more. Must not know how rewrites are found.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

import psycopg

from rewright.config.model import Config
from rewright.engines.postgres.references import Broken, Kept, look
from rewright.engines.postgres.session import Session
from rewright.processes.jobs import Job
from rewright.sql.references import Policy, Reference
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
class BrokenReferences:
    """Foreign keys that lately were not kept, or could not be looked at. For several threads.

    ``told``: called with the database, the key and the reason when one is found. ``seconds``: for how long it
    is not asked again.
    """

    told: Callable[[str, Reference, str], None] = lambda _database, _key, _reason: None
    clock: Callable[[], float] = time.monotonic
    seconds: float = _ONE_HOUR
    _found: dict[tuple[str, Reference], tuple[float, str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, database: str) -> Mapping[Reference, str]:
        """Those not to be relied on now, with the reasons."""
        now = self.clock()
        with self._lock:
            # what is old is forgotten when somebody asks
            self._found = {k: v for k, v in self._found.items() if now - v[0] < self.seconds}
            return {key: why for (name, key), (_, why) in self._found.items() if name == database}

    def add(self, database: str, key: Reference, reason: str) -> None:
        with self._lock:
            self._found[database, key] = self.clock(), reason
        self.told(database, key, reason)


@dataclass(slots=True)
class Looks:
    """The rows under one search, as `rewright.rewrite.references.search` asks for them; each key is looked at
    once.

    ``seconds``: what one look may take. ``patient``: whether that is as long as it ever gets, so that a look
    that took longer need not be tried again soon.
    """

    connection: Callable[[], psycopg.Connection[Any]]
    database: str
    broken: BrokenReferences
    seconds: Callable[[], float]
    patient: bool = True
    _found: dict[Reference, Kept | Broken] = field(default_factory=dict)

    def __call__(self, key: Reference) -> str:
        if key not in self._found:
            found = self._found[key] = look(self.connection(), key.ref, key.name, self.seconds())
            # what was only not finished in time may be tried again by a patient look
            if isinstance(found, Broken) and (found.seen or (self.patient and found.lasting)):
                self.broken.add(self.database, key, found.reason)
        found = self._found[key]
        return found.reason if isinstance(found, Broken) else ""

    def snapshot(self, keys: Iterable[Reference]) -> int:
        """The transaction number from which on a session's snapshot is younger than all looks at these keys;
        0: there was none.
        """
        looked = (self._found.get(key) for key in keys)
        return max((one.snapshot for one in looked if isinstance(one, Kept)), default=0)


def looks_for(session: Session, job: Job, config: Config, broken: BrokenReferences, budget: float) -> Looks:
    """The looks of one job. While somebody waits, a look has what is left of the ``budget``, in seconds."""
    from rewright.rewrite.model import Deadline  # relays, which load this module, only ask for leases

    waiting = job.kind == "inline"
    limit, deadline = config.optimiser.run_timeout, Deadline.after(budget)
    return Looks(
        lambda: session.connection,
        job.database,
        broken,
        # a held query's client waits: what is left of its budget
        (lambda: min(deadline.left(), limit)) if waiting else (lambda: limit),
        patient=not waiting,
    )


@dataclass(frozen=True, slots=True)
class Rests:
    """Foreign keys under a rewrite, and the transaction number of the look at them."""

    keys: frozenset[Reference]
    snapshot: int


# -- in the store


def with_references(new: NewRewrite, keys: Iterable[Reference]) -> NewRewrite:
    """The proposal with the foreign keys that it rests on in its evidence."""
    named = [asdict(key) for key in sorted(keys)]
    return replace(new, evidence={**(new.evidence or {}), "foreign_keys": named}) if named else new


def references_of(new: NewRewrite) -> tuple[Reference, ...]:
    """The foreign keys that a proposal rests on."""
    evidence = new.evidence if isinstance(new.evidence, dict) else {}
    found = []
    for one in evidence.get("foreign_keys") or ():
        # written by an older version, or by hand
        with suppress(KeyError, TypeError):
            found.append(Reference(str(one["schema"]), str(one["table"]), str(one["name"])))
    return tuple(found)


def renew(store: Store, rewrite: Rewrite, now: float, interval: float = _ONE_HOUR) -> None:
    """Its keys were looked at ``now`` (Unix time) and are to be again after ``interval`` seconds. Raises
    StoreError.
    """
    store.switches.set(_switch(rewrite), f"{now} {interval}")


def looked_at(store: Store, rewrite: Rewrite) -> tuple[float, float]:
    """When its keys were looked at last (Unix time; 0: never), and after how many seconds they are to be
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
    # without a snapshot in its guard it was not served on a look
    if not guard.get("snapshot") or not references_of(rewrite.proposal):
        return NEVER
    at, interval = looked_at(store, rewrite)
    return at + LEASE * interval


def due(store: Store, rewrites: Iterable[Rewrite], now: float) -> list[Rewrite]:
    """Those that rest on foreign keys and whose interval since the last look is over. Raises StoreError."""
    # a lease is 2.5 times as long, so one failed look does not end it
    resting = [(r, looked_at(store, r)) for r in rewrites if references_of(r.proposal)]
    return [r for r, (at, interval) in resting if now - at >= interval]


def _switch(rewrite: Rewrite) -> str:
    return f"foreign keys of {rewrite.id}"
