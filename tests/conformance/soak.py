"""Hours in minutes: traffic of every kind through `rewright serve` while its parts and connections are
killed.

    python -m tests.conformance.soak [--minutes 30] [--rate 20] [--pgbouncer front|behind] [--out soak.json]

pgbench's transactions at a limited rate (whose sums must balance at the end), SELECTs that get rewritten,
each compared with the same SELECT on a direct connection, clients that vanish, and every few seconds
something killed: the optimiser (SIGKILL), a client in the middle of a query, an upstream connection. Besides,
files of the proxy that take no byte, changes of the schema, rows written as a replica, and constraints that
go, or are broken, under replacements that rest on them (`tests.conformance.facts`). A PgBouncer pools
sessions before or behind it if wanted. Memory of every process is sampled. Exit code 1: an answer was wrong
or lost, an error came that no kill explains, memory grew, or too few answers were given by a replacement.

On a busy machine the optimiser finds things late: faults begin when each kind of text was answered by a
replacement once (or half the time is over), an optimiser is killed only after it found something for each,
and a run goes on for half as long again where answers by a replacement are missing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from rewright.engines.postgres.installation import find_installation
from rewright.engines.postgres.scratch import ScratchServer
from tests.conformance import facts, faults
from tests.conformance.facts import Facts
from tests.proxy.bouncers import Bouncer, running_bouncer
from tests.rewright.serving import SAMPLE, Running, children

# one shape with many literals: the rewrite that is found serves them all
SLOW = """select sum(l_extendedprice) / 7.0 as avg_yearly from lineitem, part
where p_partkey = l_partkey and p_brand = 'Brand#{brand}' and p_container = '{container} BOX'
  and l_quantity < (select 0.2 * avg(l_quantity) from lineitem where l_partkey = p_partkey)"""
QUICK = (
    "select count(*), sum(l_quantity) from lineitem where l_partkey = {key}",
    "select p_brand, count(*) from part group by p_brand order by p_brand",
    "select l_orderkey, l_quantity from lineitem where l_orderkey between {key} and {key} + 20 order by 1",
    "select repeat('x', {key} * 50), {key}",
)
# of each a replacement is expected
KINDS = {"slow", *facts.TEXTS}
SLOW_BRANDS, SLOW_CONTAINERS = (23, 24, 25, 26, 27), ("MED", "LG")
# pages that Python, its caches and the allocator settle into; what leaks grows beyond
GROWTH_MB = 25.0
WARM_SHARE = 0.3
# the optimiser loads its prover and starts its scratch server with its first jobs
SETTLING = {"optimiser": 180.0}
# answers by a replacement that a run must have had of each kind of text, a minute and at least; the first
# minutes are the optimiser's
LEAST, WITHOUT = 2.0, 2.0
# the share of the time after which faults begin in any case, and by which a run may be longer
UNSERVED_SHARE, LONGER_SHARE = 0.5, 0.5
# comparisons of one text until nobody writes meanwhile
TRIES = 5


@dataclass
class Tally:
    """What was seen. ``wrong``: answers or errors that should not have been."""

    answers: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    # of each kind of text: asked through the proxy, answered by a replacement, compared with an answer over the
    # same rows, and of these wrong
    asked: Counter[str] = field(default_factory=Counter)
    replaced: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    # what was seen of constraints that are broken
    broken: Counter[str] = field(default_factory=Counter)
    memory: dict[str, list[tuple[float, int, float]]] = field(default_factory=dict)

    def by_kind(self) -> dict[str, dict[str, int]]:
        """The four counts of each kind; ``other`` is what no replacement is expected for."""
        return {
            kind or "other": {
                "asked": self.asked[kind],
                "replaced": self.replaced[kind],
                "compared": self.compared[kind],
                "wrong": self.differing[kind],
            }
            for kind in sorted(self.asked)
        }


class Soak:
    """``run`` for a number of seconds; then ``problems`` says what was not as it should be."""

    def __init__(
        self,
        server: ScratchServer,
        running: Running,
        database: str,
        rate: float,
        seed: int,
        bouncer: str = "",
    ) -> None:
        """``bouncer``: the DSN of a PgBouncer through which clients come."""
        self.bouncer = bouncer
        # kinds of texts that were answered by a replacement, since the beginning and since the last optimiser
        # was killed
        self.served: set[str] = set()
        self.served_since: set[str] = set()
        self.pooled = False  # connections of clients that are gone stay in a pool
        self.server = server
        self.running = running
        self.database = database
        self.rate = rate
        self.random = random.Random(seed)
        self.tally = Tally()
        self.stop = threading.Event()
        self.facts = Facts(server.dsn(database), random.Random(seed + 1), self.stop)
        self.began = time.monotonic()
        self.minutes = 0.0
        self.lock = threading.Lock()

    def dsn(self, *, through: bool) -> str:
        dsn = self.server.dsn(self.database)
        if through and self.bouncer:
            return self.bouncer
        return dsn.replace(f":{self.server.port}/", f":{self.running.port}/") if through else dsn

    # --- traffic ------------------------------------------------------------------------------------

    def worker(self, number: int) -> None:
        """SELECTs in every shape, each compared."""
        chance = random.Random(number)
        direct = psycopg.connect(self.dsn(through=False), autocommit=True, application_name="direct")
        through: psycopg.Connection[Any] | None = None
        while not self.stop.is_set():
            try:
                if through is None or through.closed:
                    through = psycopg.connect(
                        self.dsn(through=True),
                        autocommit=True,
                        application_name="soaked",
                    )
                    through.execute("set rewright.trust = 'tested'")
                    through.execute("set rewright.min_duration = '5ms'")
                self._compare(direct, through, chance)
            except (psycopg.OperationalError, psycopg.InternalError) as error:
                # killed, or refused while something starts again: the next connection must work
                with self.lock:
                    self.tally.lost += 1
                if not self._explained(error):
                    self._wrong(f"unexplained: {error!r}")
                through = None
                self.stop.wait(0.2)
            except Exception as error:  # whatever it is, it is what the soak looks for
                self._wrong(f"worker {number}: {error!r}")
                through = None
            self.stop.wait(chance.expovariate(self.rate / 3))
        direct.close()
        if through is not None:
            through.close()

    def _compare(
        self, direct: psycopg.Connection[Any], through: psycopg.Connection[Any], chance: random.Random
    ) -> None:
        kind, text = self._text(chance)
        shape = chance.choice(("simple", "extended", "prepared", "binary", "cursor", "pipeline"))
        for _ in range(TRIES):
            if self._same(direct, through, kind, text, shape):
                return
        with self.lock:
            self.tally.answers["rows changed meanwhile"] += 1

    def _same(
        self,
        direct: psycopg.Connection[Any],
        through: psycopg.Connection[Any],
        kind: str,
        text: str,
        shape: str,
    ) -> bool:
        """Ask both; False: somebody wrote meanwhile, so that nothing can be said."""
        version, asked, orphans = self.facts.version, time.monotonic(), self.facts.orphans
        wanted = direct.execute(text).fetchall()
        with self.lock:
            self.tally.asked[kind] += 1
        found = _ask(through, text, shape)
        row = through.execute("show rewright.last").fetchone() if shape != "pipeline" else None
        route = str(row[0]).partition(" ")[0] if row else ""
        steady = version == self.facts.version and not version % 2
        if not steady and found != wanted:
            return False
        excused = found != wanted and self.facts.excused(kind, asked)
        with self.lock:
            self.tally.answers[f"{shape} {route}".strip() if kind else shape] += 1
            self.tally.compared[kind] += 1
            self.tally.differing[kind] += found != wanted and not excused
            if route == "replacement":
                self._note(kind)
            if orphans and steady and kind == "joined":
                in_time = self.facts.excused(kind, asked)
                self.tally.broken[f"{'before' if in_time else 'after'} the next look"] += 1
                self.tally.broken["wrong before the next look"] += excused
        if found != wanted and not excused:
            self._wrong(f"{kind} {shape}, {route}: {found!r} for {wanted!r} of {text}")
        return True

    def _text(self, chance: random.Random) -> tuple[str, str]:
        """What to ask, and of which kind it is; empty for what no replacement is expected for."""
        kind, key = chance.choice(("slow", *facts.TEXTS, "", "", "")), chance.randint(1, 900)
        if kind == "slow":
            box = chance.choice(SLOW_CONTAINERS)
            return kind, SLOW.format(brand=chance.choice(SLOW_BRANDS), container=box)
        if kind:
            return kind, self.facts.text(kind, key)
        return kind, chance.choice(QUICK).format(key=key)

    def _explained(self, error: psycopg.OperationalError | psycopg.InternalError) -> bool:
        """By a kill: the server ended the session, or the connection is gone."""
        words: tuple[str, ...] = (
            "terminating connection",
            "closed the connection",
            "connection to the PostgreSQL server was lost",
        )
        words += (
            "is lost",
            "connection failed",
            "could not receive",
            "consuming input",
            "sending query",
            "is closed",
            "server conn crashed",  # PgBouncer's, of one that was ended
            "cannot exit pipeline mode while busy",  # psycopg's, of a pipeline whose session was ended
        )
        if self.pooled:
            # behind the server's last word PgBouncer says its own, which psycopg does not expect
            words += ("received 2 results from command",)
        return any(word in str(error) for word in words)

    def _wrong(self, what: str) -> None:
        with self.lock:
            self.tally.wrong.append(what)

    def _note(self, kind: str) -> None:
        """An answer was given by a replacement."""
        self.tally.replaced[kind] += 1
        self.facts.replaced(kind)
        self.served.add(kind)
        self.served_since.add(kind)

    def pgbench(self) -> None:
        """Rounds of transactions whose client is not killed: each must come through."""
        program = str(find_installation().program("pgbench"))
        modes = ("simple", "extended", "prepared")
        turn = 0
        while not self.stop.is_set():
            command = [
                program,
                "-n",
                "-M",
                modes[turn % 3],
                "-c",
                "2",
                "-R",
                str(self.rate),
                "-T",
                "10" if self.minutes > 1 else "3",
            ]
            dsn = psycopg.conninfo.make_conninfo(self.dsn(through=True), application_name="pgbench")
            done = subprocess.run([*command, dsn], capture_output=True, text=True, check=False)
            with self.lock:
                self.tally.answers["pgbench rounds"] += 1
            if done.returncode:
                self._wrong(f"pgbench: {done.stderr[-500:]}")
            turn += 1

    # --- kills --------------------------------------------------------------------------------------

    def killer(self) -> None:
        kinds = (
            self._kill_upstream,
            self._kill_client,
            self._kill_client,
            self._kill_optimiser,
            self._full_disk,
            self._schema_change,
            self._replica_write,
        )
        self._fault_after_fault(kinds)

    def spoiler(self) -> None:
        """Beside the kills, since each of these takes its time."""
        own = self.facts
        kinds = (own.break_key, own.drop_key, own.add_child, own.disable_triggers)
        self._fault_after_fault(kinds, often=0.1)

    def _fault_after_fault(self, kinds: Sequence[Callable[[], bool]], often: float = 1.0) -> None:
        """``often``: seconds between two, or four times as long."""
        begin = self.began + UNSERVED_SHARE * 60 * self.minutes
        while self.served != KINDS and time.monotonic() < begin and not self.stop.wait(0.5):
            pass
        while not self.stop.wait(self.random.uniform(often, 4 * often)):
            kind = self.random.choice(kinds)
            try:
                if kind():
                    with self.lock:
                        self.tally.kills[kind.__name__.removeprefix("_kill_").lstrip("_")] += 1
            except (OSError, psycopg.OperationalError) as error:
                self._wrong(f"{kind.__name__}: {error!r}")

    def _kill_upstream(self) -> bool:
        with psycopg.connect(self.dsn(through=False), autocommit=True) as connection:
            found = connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'soaked'"
                " order by random() limit 1"
            ).fetchone()
        return found is not None

    def _kill_client(self) -> bool:
        """A connection that is reset in the middle of a query, a COPY or a message."""
        connection = psycopg.connect(self.dsn(through=True), autocommit=True, application_name="vanishing")
        with socket.socket(fileno=os.dup(connection.pgconn.socket)) as raw:
            raw.setblocking(True)
            begun = (
                b"Q" + struct.pack("!I", 4 + 17) + b"select pg_sleep(2)"[:16] + b"\0",
                b"Q" + struct.pack("!I", 4 + 21) + b"copy part from stdin\0" + b"d\0\0\1\0abc",
                b"Q\0\0\1\0select",
                b"P\0\0\0\4",
            )
            raw.sendall(self.random.choice(begun))
            self.stop.wait(self.random.uniform(0, 0.3))
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        return True

    def _kill_optimiser(self) -> bool:
        if self.served_since != KINDS and self.minutes > 1:
            return False  # it shall find something in between
        self.served_since = set()
        for pid in children(self.running.process.pid):
            if self.role(pid) == "optimiser":
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    # --- faults -------------------------------------------------------------------------------------

    def _full_disk(self) -> bool:
        pids = [self.running.process.pid, *children(self.running.process.pid)]
        return faults.fill_disk(
            [pid for pid in pids if self.role(pid) != "optimiser"], self.random.uniform(1, 5)
        )

    def _schema_change(self) -> bool:
        return faults.change_schema(self.dsn(through=False), self.random)

    def _replica_write(self) -> bool:
        with self.facts.changing():
            return faults.write_as_replica(self.dsn(through=False), self.random)

    # --- memory -------------------------------------------------------------------------------------

    def role(self, pid: int) -> str:
        """The relay holds the listening socket."""
        if pid == self.running.process.pid:
            return "supervisor"
        try:
            return "relay" if self._listens(pid) else "optimiser"
        except FileNotFoundError:  # it has ended meanwhile, as only optimisers do
            return "optimiser"

    def _listens(self, pid: int) -> bool:
        wanted = f":{self.running.port:04X} "
        lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
        inodes = {
            line.split()[9] for line in lines if wanted in line.split()[1] + " " and line.split()[3] == "0A"
        }
        links = []
        for path in Path(f"/proc/{pid}/fd").iterdir():
            try:
                links.append(str(path.readlink()))
            except OSError:
                continue
        return any(f"socket:[{inode}]" in links for inode in inodes)

    def sampler(self) -> None:
        while not self.stop.wait(2.0):
            for pid in (self.running.process.pid, *children(self.running.process.pid)):
                try:
                    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                    role = self.role(pid)
                except (OSError, IndexError):
                    continue
                megabytes = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
                self.tally.memory.setdefault(role, []).append((time.monotonic() - self.began, pid, megabytes))

    # --- the run ------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        self.minutes = seconds / 60
        self.began = time.monotonic()
        jobs = [
            *(lambda n=n: self.worker(n) for n in range(3)),
            self.pgbench,
            self.killer,
            self.spoiler,
            self.sampler,
        ]
        threads = [threading.Thread(target=job) for job in jobs]
        for thread in threads:
            thread.start()
        self.stop.wait(seconds)
        longer = time.monotonic() + LONGER_SHARE * seconds
        while list(self._too_few()) and time.monotonic() < longer:
            self.stop.wait(5)
        self.stop.set()
        for thread in threads:
            thread.join(60)
            if thread.is_alive():
                self._wrong("an answer never came")
        self._balance()
        if not self.pooled:
            self._nothing_left()

    def _balance(self) -> None:
        """What pgbench's transactions did, each exactly once."""
        with psycopg.connect(self.dsn(through=False), autocommit=True) as connection:
            sums = connection.execute(
                "select (select sum(abalance) from pgbench_accounts), (select sum(bbalance) from pgbench_branches),"
                " (select sum(tbalance) from pgbench_tellers), (select coalesce(sum(delta), 0) from pgbench_history)"
            ).fetchone()
        if sums is None or len(set(sums)) != 1:
            self._wrong(f"pgbench's sums differ: {sums}")

    def _nothing_left(self) -> None:
        """Every client is gone: so must be their upstream connections."""
        query = "select count(*) from pg_stat_activity where application_name in ('soaked', 'vanishing', 'pgbench')"
        with psycopg.connect(self.dsn(through=False), autocommit=True) as connection:
            for _ in range(100):
                row = connection.execute(query).fetchone()
                if row == (0,):
                    return
                time.sleep(0.1)
        self._wrong(f"upstream connections are left: {row}")

    def growth(self) -> dict[str, float]:
        """MB between the end of the warm-up and the end, of the longest-lived process of each role."""
        found = {}
        for role, samples in self.tally.memory.items():
            pid = Counter(sample[1] for sample in samples).most_common(1)[0][0]
            mine = [(at, size) for at, one, size in samples if one == pid]
            settled = mine[0][0] + SETTLING.get(role, 0.0)
            warm = [size for at, size in mine[int(len(mine) * WARM_SHARE) :] if at >= settled]
            if not warm:
                continue  # it never lived that long
            third = max(len(warm) // 3, 1)
            found[role] = round(sum(warm[-third:]) / third - sum(warm[:third]) / third, 1)
        return found

    def problems(self) -> list[str]:
        grown = [f"{role} grew by {size} MB" for role, size in self.growth().items() if size > GROWTH_MB]
        return [*self.tally.wrong, *grown, *self._too_few()]

    def _too_few(self) -> Iterator[str]:
        """Kinds of texts whose replacements were hardly seen: their faults have tried nothing then."""
        least = LEAST * max(self.minutes - WITHOUT, 0.0)
        for kind in sorted(KINDS):
            if self.tally.replaced[kind] < least:
                yield f"{self.tally.replaced[kind]} answers of {kind} by a replacement, {least:.0f} at least"


def _ask(connection: psycopg.Connection[Any], text: str, shape: str) -> list[Any]:
    if shape == "simple":
        return psycopg.ClientCursor(connection).execute(text).fetchall()
    if shape == "cursor":
        with connection.transaction(), connection.cursor("soaking") as cursor:
            return cursor.execute(text).fetchall()
    if shape == "pipeline":
        with connection.pipeline():
            first, second = connection.execute("select 1"), connection.execute(text)
            assert first.fetchall() == [(1,)]
            return second.fetchall()
    prepare = True if shape == "prepared" else None
    return connection.cursor(binary=shape == "binary").execute(text, prepare=prepare).fetchall()


def soak(seconds: float, rate: float, seed: int, pgbouncer: str = "") -> tuple[Soak, list[str]]:
    """``pgbouncer``: ``front`` of the proxy, ``behind`` it, or empty."""
    with ExitStack() as stack:
        server = stack.enter_context(ScratchServer())
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        database = server.create_database()
        with psycopg.connect(server.dsn(database), autocommit=True) as connection:
            connection.execute(SAMPLE)
            connection.execute(facts.SCHEMA)
            connection.execute("vacuum analyze")
        init = [str(find_installation().program("pgbench")), "-i", "-q", "-s", "1", server.dsn(database)]
        subprocess.run(init, check=True, capture_output=True)
        password = server.address.passwords["postgres"]

        def bouncer(port: int) -> Bouncer:
            more: dict[str, Any] = {"ignore_startup_parameters": "extra_float_digits", "max_client_conn": 200}
            return stack.enter_context(running_bouncer(port, password, mode="session", size=40, **more))

        upstream = optimiser = server.dsn(database).rsplit("/", 1)[0]
        if pgbouncer == "behind":
            upstream = upstream.replace(f":{server.port}", f":{bouncer(server.port).port}")
        arguments = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--store", f"{directory}/store.db"]
        running = Running(
            [*arguments, "--upstream", upstream],
            {
                "REWRIGHT_DATABASES__*__OPTIMISER_DSN": optimiser,
                "REWRIGHT_OPTIMISER__FOREIGN_KEYS_EVERY": f"{facts.LOOK_EVERY:g}s",
                "REWRIGHT_OPTIMISER__MAX_RUNS_PER_HOUR": "5000",
            },
        )
        try:
            through = bouncer(running.port).dsn(database) if pgbouncer == "front" else ""
            soaking = Soak(server, running, database, rate, seed, bouncer=through)
            soaking.pooled = bool(pgbouncer)
            soaking.run(seconds)
        finally:
            running.stop()
        return soaking, soaking.problems()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=20.0, help="transactions and SELECTs a second, each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pgbouncer", choices=["front", "behind"], default="")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    soaking, problems = soak(options.minutes * 60, options.rate, options.seed, options.pgbouncer)
    tally = soaking.tally
    compared = tally.compared.total()
    took = (time.monotonic() - soaking.began) / 60
    print(f"{took:.1f} minutes at {options.rate:g}/s; answers compared: {compared}")
    for name, count in sorted(tally.answers.items()):
        print(f"  {name}: {count}")
    for kind, counts in tally.by_kind().items():
        print(f"{kind}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    print(f"over a foreign key that is broken: {dict(tally.broken)}")
    print(f"faults: {dict(tally.kills)}; connections lost with them: {tally.lost}")
    for role, samples in tally.memory.items():
        sizes = [size for _, _, size in samples]
        lived = len({pid for _, pid, _ in samples})
        line = f"{sizes[0]:.0f} MB at first, {max(sizes):.0f} at most, {sizes[-1]:.0f} at last"
        print(
            f"{role}: {line}; growth after warm-up {soaking.growth().get(role, 'not measured:')} MB; {lived} process(es)"
        )
    print("\n".join(problems) or "no wrong answer, none lost, memory flat")
    if options.out:
        report = {"answers": tally.answers, "kills": tally.kills, "lost": tally.lost, "problems": problems}
        report |= {"kinds": tally.by_kind(), "broken": tally.broken, "minutes": took}
        report |= {
            "growth_mb": soaking.growth(),
            "memory": tally.memory,
            "options": vars(options) | {"out": ""},
        }
        options.out.write_text(json.dumps(report, indent=1))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
