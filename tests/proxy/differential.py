"""The same messages to PostgreSQL directly and through the proxy: what comes back must be the same bytes.

Owns a client that speaks raw bytes, the scripts it plays and a database whose rewrites give the original's
answers, so that a served replacement must not be visible at all.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count, zip_longest
from typing import TypeAlias

import psycopg
from hypothesis import strategies as st

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.config import Limits
from rewright.proxy.ports import Ports, ServedRewrite, ServedStatement
from rewright.proxy.serving.holding import Holding
from rewright.proxy.serving.index import RewriteIndex
from rewright.proxy.wire import frontend as f
from rewright.proxy.wire.backend import RowDescription, decode
from rewright.proxy.wire.framing import Framer, message
from rewright.proxy.wire.startup import StartupMessage
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import BY_ID, FAILS_LATE, ORIGINAL, SCHEMA, Reports, guard_of

# what a hang is, on a starved machine too; an answer takes milliseconds
PATIENCE = 30.0
WIDE = "select note, price from item where id < 7 order by id"
FAILS_BOUND = "select id, note from item where id < 8 order by id"
AGGREGATE = "select count(*), max(price) from item where price > 100"
# answers that are held back: one that is whole, one that fails behind many rows, one that is too large
WHOLE = "select id, price from item where id > 95"
FAILS_BEHIND = "select id, note from item where id > 20"
TOO_LARGE = "select id, price, note, note from item where id > 0"
HELD = frozenset({WHOLE, FAILS_BEHIND, TOO_LARGE})
HOLD = 2000
# original, replacement with the same answer, declared types, whether it may run in a transaction block
PAIRS = (
    (ORIGINAL, "select id, price from item where id <= 3 order by id", (), True),
    (WIDE, "select note, price from (select * from item where id <= 6) as i order by id", (), True),
    (WHOLE, "select id, price from item where id >= 96", (), False),
    (
        FAILS_BEHIND,
        "select id / (case when id = 90 then 0 else 1 end) as id, note from item where id > 20",
        (),
        False,
    ),
    (TOO_LARGE, "select id, price, note, note from item where id >= 1", (), False),
    (AGGREGATE, "select count(1), max(price) from item where price >= 101", (), False),
    (BY_ID, "select i.id, i.price from item as i where $1 = i.id", (21,), True),
    # fails when it is planned, in a block too
    (FAILS_BOUND, "select id, note from item where id < 8 and 1 / 0 = 0 order by id", (), True),
    # fails at its first row: the original's answer must come, as if nothing had been
    (
        FAILS_LATE,
        "select id, price / (id - 5) as price from item where id between 5 and 7 order by id",
        (),
        False,
    ),
)
TEXTS = (
    WHOLE,
    FAILS_BEHIND,
    TOO_LARGE,
    *(3 * [ORIGINAL]),
    *(2 * [BY_ID]),
    *(2 * [WIDE]),
    AGGREGATE,
    FAILS_LATE,
    FAILS_BOUND,
    "begin",
    "begin isolation level repeatable read",
    "commit",
    "rollback",
    "savepoint s",
    "rollback to s",
    "select 1",
    "select $1::int4 + 1",
    "select 1/0",
    "selec",
    "",
    ";",
    "select nothing from item",
    "select 1; select 2",
    f"select 1; {ORIGINAL}",
    f"{ORIGINAL}; select 1/0",
    "begin; select 1/0",
    "create temp table t (a int)",
    "insert into t values (1), (2)",
    "select * from t",
    # what a name means may change at any moment
    "create temp table item (id int, price int, note text)",
    "set search_path = pg_catalog",
    "set search_path = public",
    "reset search_path",
    "set role part_reader",
    "reset role",
    "discard all",
    "deallocate all",
    "deallocate s1",
    f"prepare s1 as {ORIGINAL}",
    f"prepare s2 as {BY_ID}",
    "execute s1",
    "execute s2(4)",
    f"declare c cursor for {ORIGINAL}",
    f"declare c cursor with hold for {WIDE}",
    "fetch 2 from c",
    "move 1 from c",
    "close c",
    "copy t from stdin",
    f"copy ({ORIGINAL}) to stdout",
    "explain (costs off) select 1",
    f"create temp table made as {ORIGINAL}",
    f"insert into made {ORIGINAL}",
    "set rewright.mode = off",
    "set rewright.mode = apply",
    "set local rewright.mode = off",
    "reset rewright.mode",
    "set standard_conforming_strings = off",
    "set client_encoding = latin1",
    "reset all",
    "listen news",
    "notify news, 'hello'",
    "do $$begin raise notice 'a notice'; end$$",
    "select set_config('rewright.mode', 'off', false)",
    "lock table item in access share mode",
    "alter table item set (fillfactor = 90)",
    "select id, price from item where id < 4 order by id -- other",
    "/* rewright:off */ select id, price from item where id < 4 order by id",
    "set statement_timeout = 10000",
    "truncate pg_class",
)
STATEMENTS = (b"", b"s1", b"s2")
PORTALS = (b"", b"p1", b"c")


@dataclass(frozen=True, slots=True)
class Wait:
    """The client reads until the server has nothing more to say."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Bytes before and after come in separate pieces."""


Step: TypeAlias = f.FrontendMessage | Wait | Pause | bytes
Script: TypeAlias = Sequence[Step]
Messages: TypeAlias = list[tuple[bytes, bytes]]

_texts = st.sampled_from(TEXTS).map(str.encode)
_statements, _portals = st.sampled_from(STATEMENTS), st.sampled_from(PORTALS)
_types = st.sampled_from([(), (), (), (21,), (23,), (25,), (0,)])
_formats = st.sampled_from([(), (), (0,), (1,), (0, 1)])
_values = st.sampled_from([(), (), (), (b"4",), (b"4",), (b"\0\0\0\4",), (b"\0\4",), (None,), (b"x", b"y")])
MALFORMED = (
    message(b"B", b"p1\0"),
    message(b"P", b"s1\0select 1\0\0\1"),
    message(b"E", b"\0"),
    message(b"D", b"X\0"),
)
FATAL = (message(b"?", b"x"), b"Q\0\0\0\3", b"Q\x7f\xff\xff\xff")


def _executed(
    text: bytes, max_rows: int, values: tuple[bytes | None, ...], formats: tuple[int, ...]
) -> list[Step]:
    """What most drivers send for a query."""
    types = (21,) if b"$1" in text and b"item" in text else ()
    values = (b"4",) if b"$1" in text and values != (None,) else values if b"$1" in text else ()
    return [
        f.Parse(b"", text, types),
        f.Bind(b"", b"", (), values, formats),
        f.Describe(b"P", b""),
        f.Execute(b"", max_rows),
    ]


def _in_turns(text: bytes, parts: list[Step]) -> list[Step]:
    """A named portal from which messages and SQL read, one after the other."""
    given = b"$1" in text and b"item" in text
    bind = f.Bind(b"c", b"", (), (b"4",) if given else ())
    return [f.Parse(b"", text, (21,) if given else ()), bind, *parts]


_rows = st.sampled_from([0, 0, 0, 1, 2])
_turns: st.SearchStrategy[list[Step]] = st.lists(
    st.builds(f.Execute, st.just(b"c"), _rows)
    | st.sampled_from([f.Query(text) for text in (b"fetch 2 from c", b"move 1 from c", b"close c")])
    | st.sampled_from([f.Sync(), f.Describe(b"P", b"c"), Wait(), f.Query(b"begin")]),
    max_size=6,
)
STEPS = st.one_of(
    st.builds(f.Query, _texts).map(lambda m: [m]),
    st.builds(f.Query, _texts).map(lambda m: [m, Wait()]),
    st.builds(_executed, _texts, _rows, _values, _formats),
    st.builds(_executed, _texts, _rows, _values, _formats).map(lambda steps: [*steps, f.Sync()]),
    st.builds(_executed, _texts, _rows, _values, _formats).map(lambda steps: [*steps, f.Sync(), Wait()]),
    st.builds(_in_turns, _texts, _turns),
    st.builds(lambda text, turns: [f.Query(b"begin"), *_in_turns(text, turns)], _texts, _turns),
    st.builds(f.Parse, _statements, _texts, _types).map(lambda m: [m]),
    st.builds(f.Bind, _portals, _statements, _formats, _values, _formats).map(lambda m: [m]),
    st.builds(f.Describe, st.sampled_from((b"S", b"P")), _statements | _portals).map(lambda m: [m]),
    st.builds(f.Execute, _portals, _rows).map(lambda m: [m]),
    st.builds(f.Close, st.sampled_from((b"S", b"P")), _statements | _portals).map(lambda m: [m]),
    st.sampled_from(([f.Sync()], [f.Sync(), Wait()], [f.Flush()], [f.Flush(), Wait()], [Pause()])),
    st.sampled_from(([f.CopyData(b"1\n2\n")], [f.CopyDone()], [f.CopyFail(b"no")], [f.CopyData(b"x")])),
    st.sampled_from([[bytes(bad)] for bad in MALFORMED]),
)
SCRIPTS = st.tuples(
    st.lists(STEPS, min_size=1, max_size=12).map(lambda parts: [step for part in parts for step in part]),
    st.sampled_from((b"",) * 12 + FATAL),
).map(lambda pair: [*pair[0], pair[1]])


class Raw:
    """One connection, after its login."""

    def __init__(self, address: tuple[str, int] | str, user: str, database: str) -> None:
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(address)
        if family == socket.AF_INET:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.framer = Framer()
        self.got: Messages = []
        self.open = True
        parameters = ((b"user", user.encode()), (b"database", database.encode()))
        self.send(StartupMessage(3, 0, parameters).encode())
        while not self.got or self.got[-1][0] != b"Z":
            self._read()
            assert self.open, self.got
        self.got.clear()

    def send(self, data: bytes) -> None:
        try:
            if data:
                self.socket.sendall(data)
        except OSError:
            self._drain()

    def _read(self) -> None:
        try:
            data = self.socket.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            self.open = False
        self.got.extend(self.framer.feed(data))

    def _drain(self) -> None:
        while self.open:
            self._read()

    def wait(self, seconds: float = 0.15) -> None:
        """Until the last message is one after which a client speaks, or nothing comes for a while."""
        began = len(self.got)
        while self.open:
            settled = len(self.got) > began and self.got[-1][0] in b"ZGWs" and not self.framer.rest
            if not select.select([self.socket], [], [], 0 if settled else seconds)[0]:
                return
            self._read()

    def finish(self) -> None:
        """End whatever is open, and read until the answer to a last query is there."""
        self.send(f.CopyFail(b"end").encode() + f.SYNC + f.Query(b"rollback").encode())
        self.send(f.Query(b"select 'the end'").encode())
        while self.open and not any(kind == b"D" and b"the end" in body for kind, body in self.got[-4:]):
            self._read()
        while self.open and self.got[-1][0] != b"Z":
            self._read()
        self.socket.close()


def play(raw: Raw, script: Script, *, pauses: bool = True) -> Messages:
    """What the server said. Raises TimeoutError where it says nothing."""
    buffer = bytearray()
    for step in script:
        if isinstance(step, Wait | Pause):
            raw.send(bytes(buffer))
            buffer.clear()
            if isinstance(step, Wait):
                raw.wait()
            elif pauses:
                time.sleep(0.002)
        else:
            buffer += step if isinstance(step, bytes) else step.encode()
    raw.send(bytes(buffer))
    try:
        raw.finish()
    except TimeoutError as error:
        raise TimeoutError(f"no more after {raw.got}") from error
    finally:
        raw.socket.close()
    got = [_anybody(kind, body) for kind, body in raw.got]
    # where the server closes without a word, the proxy says that it is gone
    return got[:-1] if got and got[-1][0] == b"E" and b"\0C08006\0" in got[-1][1] else got


def _anybody(kind: bytes, body: bytes) -> tuple[bytes, bytes]:
    """Without the process number of a notification, and with the numbers that new tables got."""
    if kind == b"A":
        return kind, struct.pack("!I", 0) + body[4:]
    if kind == b"T":
        columns = decode(kind, body)
        assert isinstance(columns, RowDescription)
        return kind, repr([replace(c, table_oid=bool(c.table_oid)) for c in columns.columns]).encode()
    return kind, body


def first_difference(through: Messages, direct: Messages) -> str:
    """Empty if there is none."""
    if through == direct:
        return ""
    at = next(n for n, (one, other) in enumerate(zip_longest(through, direct)) if one != other)
    return (
        f"message {at}: {through[at : at + 3]} for {direct[at : at + 3]}, after {direct[max(at - 3, 0) : at]}"
    )


@dataclass
class Pair:
    """A server and a proxy in front of it."""

    server: ScratchServer
    database: str
    proxy: RunningProxy
    reports: Reports

    def direct(self, script: Script) -> Messages:
        path = f"{self.server.address.socket_dir}/.s.PGSQL.{self.server.port}"
        return play(Raw(path, "postgres", self.database), script, pauses=False)

    def through(self, script: Script) -> Messages:
        return play(Raw(("127.0.0.1", self.proxy.port), "postgres", self.database), script)

    def difference(self, script: Script) -> str:
        """Empty if there is none. A server that gives up on a client's bytes forgets what it has not sent
        yet; what the proxy had asked it for by then comes through, and must be what the server would have
        sent to a client that asks.
        """
        through, direct = self.through(script), self.direct(script)
        found = first_difference(through, direct)
        # the first may be a message all the same, one with something missing
        broken = [n for n, step in enumerate(script) if isinstance(step, bytes)]
        if not found or not broken or direct != through[: len(direct)]:
            return found
        asked = (self.direct([*script[:n], f.Flush()]) for n in reversed(broken))
        return "" if any(through == messages[: len(through)] for messages in asked) else found

    @property
    def served(self) -> int:
        """How many replacements ran so far, those taken back included."""
        return sum(isinstance(r, ServedStatement) and r.route != "original" for r in self.reports.all)


def equivalent_rewrites(connection: psycopg.Connection, database: str) -> list[ServedRewrite]:
    guard = guard_of(connection, "item")
    return [
        ServedRewrite(
            number,
            database,
            original,
            replacement,
            guard,
            param_types=types,
            unreserved=unreserved,
            held=original in HELD,
        )
        for number, (original, replacement, types, unreserved) in enumerate(PAIRS, 1)
    ]


@contextmanager
def pair_of(server: ScratchServer, database: str) -> Iterator[Pair]:
    """Both, with the rewrites in place. The proxy reaches the server where no password is asked."""
    with psycopg.connect(server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        connection.execute("create role part_reader; grant select on part to part_reader")
        index = RewriteIndex()
        index.replace(equivalent_rewrites(connection, database))
    reports = Reports()
    ports = Ports(lookup=index, reporter=reports, settings=RULES)
    upstream = f"host={server.address.socket_dir} port={server.port}"
    try:
        with RunningProxy(config(upstream, limits=Limits(hold=HOLD)), ports) as proxy:
            # a day between two looks: what was too large is tried again each time
            proxy.proxy.holding = Holding(lambda: HOLD, count(0, 86_400).__next__)
            yield Pair(server, database, proxy, reports)
            assert not proxy.problems, proxy.problems
    finally:
        with psycopg.connect(server.dsn(database), autocommit=True) as connection:
            connection.execute("drop owned by part_reader; drop role part_reader")
