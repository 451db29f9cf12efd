"""Queries whose replacements rest on a constraint, and faults that take the constraint away from under them.

A join that a foreign key makes superfluous, and a DISTINCT that a key does. Owns their tables, what breaks
the constraints and mends them again, and until when an answer may be wrong: never after DDL, which the guard
sees; after rows that a replica wrote, until they are looked at again or the relays' lease is over. Must not
know what other traffic there is.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from rewright.wiring.row_facts import LEASE

SCHEMA = """
create table customer (id integer primary key, name text not null);
create table orders (
  id integer primary key, customer_id integer not null references customer, amount integer not null);
insert into customer select n, 'c' || n from generate_series(1, 20000) n;
insert into orders select n, 1 + n * 7 % 20000, n % 977 from generate_series(1, 30000) n;
"""
TEXTS = {
    "joined": "select count(*), sum(o.amount) as s{turn} from orders o join customer c on c.id = o.customer_id"
    " where o.amount > {key}",
    "distinct": "select count(*) as n{turn} from (select distinct o.id, o.amount from orders o where o.amount > {key}) d",
}
# [optimiser] foreign_keys_every of the proxy under test, in seconds
LOOK_EVERY = 4.0
# relays stop by themselves once the lease is over; they hear of the store within a second or two
GRACE = LEASE * LOOK_EVERY + 3.0
# how long a fault stays after it must have been noticed
STAYS = (2.0, 5.0)
# a fault is tried only where it can do harm: a replacement was given so many seconds ago at most, and so often
# since the fault before
LATELY, OFTEN = 1.0, 3
# a text for which nothing was found by then (seconds) is given up, as one whose gain a busy machine hid
UNFOUND = 150.0


class Facts:
    """The state of the constraints. For several threads: whoever compares two answers asks ``version`` before
    and after; only where it is the same, and even, both were asked of the same rows.
    """

    def __init__(self, dsn: str, chance: random.Random, stop: threading.Event) -> None:
        self._dsn = dsn
        self._chance = chance
        self._stop = stop
        self.version = 0
        self.orphans = False
        self._noticed = 0.0
        self._replaced = dict.fromkeys(TEXTS, 0.0)
        self._given = dict.fromkeys(TEXTS, 0)
        self._turns = dict.fromkeys(TEXTS, 0)
        self._begun = dict.fromkeys(TEXTS, time.monotonic())

    def replaced(self, kind: str) -> None:
        """An answer was given by a replacement just now."""
        if kind in self._replaced:
            self._replaced[kind] = time.monotonic()
            self._given[kind] += 1

    def excused(self, kind: str, asked: float) -> bool:
        """Whether an answer asked for at ``asked`` (monotonic) may miss a row that a replica wrote."""
        return kind == "joined" and self.orphans and asked < self._noticed

    def text(self, kind: str, key: int) -> str:
        """One of TEXTS. What was given up is not looked for again for half an hour: after each fault the text
        is another, of another name for its column. So it is after UNFOUND seconds without a replacement.
        """
        if not self._given[kind] and time.monotonic() - self._begun[kind] > UNFOUND:
            self._next(kind)
        return TEXTS[kind].format(key=key, turn=self._turns[kind])

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Rows or constraints change meanwhile."""
        self.version += 1
        try:
            yield
        finally:
            self.version += 1

    # --- faults, each undone before it returns; False: nothing was there to go wrong, or a lock was held ---

    def break_key(self) -> bool:
        """Orders of no customer, written as a replica."""
        if not self._served("joined"):
            return False
        with self._connection() as connection:
            with self.changing():
                # before the rows, so that nobody is blamed who saw them
                self._noticed = time.monotonic() + GRACE
                self.orphans = True
                connection.execute("set session_replication_role = replica")
                connection.execute(
                    "insert into orders select -n, -n, 900 from generate_series(1, %s) n",
                    [self._chance.randint(1, 50)],
                )
                # of the write, not of when it was begun
                self._noticed = time.monotonic() + GRACE
            self._stop.wait(GRACE + self._chance.uniform(*STAYS))
            with self.changing():
                connection.execute("delete from orders where id < 0")
                self.orphans = False
            self._next("joined")
        return True

    def drop_key(self) -> bool:
        """Orders that are there twice, once their key is gone."""
        return self._ddl(
            "distinct",
            "alter table orders drop constraint orders_pkey; insert into orders select * from orders where id % 97 = 0",
            "delete from orders o using orders p where o.id = p.id and o.ctid > p.ctid;"
            " alter table orders add constraint orders_pkey primary key (id)",
        )

    def add_child(self) -> bool:
        """Orders in an inheritance child, some of which its parent has as well."""
        return self._ddl(
            "distinct",
            "create table old_orders () inherits (orders); insert into old_orders select * from only orders where id % 89 = 0;"
            " insert into old_orders values (-1, -1, 900)",
            "drop table old_orders",
        )

    def disable_triggers(self) -> bool:
        """Orders of no customer, which an owner may write without being a replica."""
        return self._ddl(
            "joined",
            "alter table orders disable trigger all; insert into orders values (-1, -1, 900)",
            "delete from orders where id < 0; alter table orders enable trigger all",
        )

    def _served(self, kind: str) -> bool:
        return self._given[kind] >= OFTEN and time.monotonic() - self._replaced[kind] < LATELY

    def _ddl(self, kind: str, there: str, back: str) -> bool:
        if not self._served(kind):
            return False
        with self._connection() as connection:
            with self.changing():
                try:
                    _in_one(connection, there)
                except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
                    return False
            self._stop.wait(self._chance.uniform(*STAYS))
            with self.changing():
                _again(connection, back)
            self._next(kind)
        return True

    def _next(self, kind: str) -> None:
        self._turns[kind] += 1
        self._given[kind] = 0
        self._begun[kind] = time.monotonic()

    def _connection(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(self._dsn, autocommit=True, options="-c lock_timeout=5s")


def _in_one(connection: psycopg.Connection[tuple[object, ...]], text: str) -> None:
    """Statements as one transaction."""
    with connection.transaction():
        connection.execute(text.encode())


def _again(connection: psycopg.Connection[tuple[object, ...]], text: str) -> None:
    """As often as it takes: what a fault leaves would be there for good."""
    for left in reversed(range(20)):
        try:
            _in_one(connection, text)
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            if not left:
                raise
        else:
            return
