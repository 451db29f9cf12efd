"""What happens to a database and its machine beside the kills: full disks, changed schemas, rows written as a
replica.

Each is undone, or does no harm to the next one. Must not know what traffic there is.
"""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

import psycopg

# what a schema goes through while the answers stay the same
CHANGES: Sequence[Sequence[str]] = (
    ("create index if not exists soaked on lineitem (l_quantity)", "drop index if exists soaked"),
    (
        "alter table part add column if not exists soaked integer",
        "alter table part drop column if exists soaked",
    ),
    (
        "alter table lineitem alter l_extendedprice type numeric(16, 2)",
        "alter table lineitem alter l_extendedprice type numeric(15, 2)",
    ),
    (
        "alter table lineitem drop constraint if exists lineitem_l_partkey_fkey",
        "alter table lineitem add constraint lineitem_l_partkey_fkey foreign key (l_partkey) references part not valid",
        "alter table lineitem validate constraint lineitem_l_partkey_fkey",
    ),
    ("create or replace view soaked_view as select p_partkey from part", "drop view if exists soaked_view"),
    ("analyze lineitem",),
)
FIRST = 1_000_000


def change_schema(dsn: str, chance: random.Random) -> bool:
    """One change to and fro. False: somebody held the lock."""
    with psycopg.connect(dsn, autocommit=True, options="-c lock_timeout=2s") as connection:
        for text in chance.choice(CHANGES):
            try:
                connection.execute(text.encode())
            except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
                return False
            except psycopg.errors.DuplicateObject:
                continue
            time.sleep(chance.uniform(0, 0.5))
    return True


def write_as_replica(dsn: str, chance: random.Random) -> bool:
    """Rows that no trigger has looked at, foreign keys' included: with parts that
    there are, and gone again.
    """
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute("delete from lineitem where l_orderkey >= %s", [FIRST])
        connection.execute(
            "insert into lineitem select %s + n, 1 + n * 7 %% 1000, 1 + n %% 50, n %% 977 from generate_series(1, %s) n",
            [FIRST, chance.randint(1, 200)],
        )
    return True


def fill_disk(pids: Iterable[int], seconds: float) -> bool:
    """For these processes no file takes another byte, as on a full disk."""
    changed: list[tuple[int, tuple[int, int]]] = []
    try:
        for pid in pids:
            with suppress(ProcessLookupError):
                before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
                changed.append((pid, before))
        time.sleep(seconds)
    finally:
        for pid, before in changed:
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
    return bool(changed)
