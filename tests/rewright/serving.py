"""A `rewright serve` as people start it, for tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg

from rewright.engines.postgres.scratch import ScratchServer

MAIN = [sys.executable, "-c", "from rewright.cli import main; main()"]
TREE = Path(__file__).resolve().parents[2]
# lines and parts enough that a look at all lines for each part takes long, and all else does not
SAMPLE = """
create table part (p_partkey integer primary key, p_brand text not null, p_container text not null);
create table lineitem (
  l_orderkey integer primary key,
  l_partkey integer not null references part,
  l_quantity numeric(15, 2) not null,
  l_extendedprice numeric(15, 2) not null
);
insert into part
select n, 'Brand#' || (23 + n % 5), case when n % 2 = 0 then 'MED BOX' else 'LG BOX' end from generate_series(1, 1000) n;
insert into lineitem select n, 1 + n * 7 % 1000, 1 + n % 50, n % 977 from generate_series(1, 6000) n;
"""

# a look at all lines for each part: slow, and its rewrite is found and proved within a second. The demo's query
# takes the optimiser seven times as long; what comes after that is the same.
QUERY = """select sum(p_partkey) / 7.0 as avg_yearly
from part
where p_brand <> 'Brand#23'
  and (select avg(l_quantity) from lineitem where l_partkey = p_partkey) < 30"""


class Running:
    """A `rewright serve` with its addresses."""

    def __init__(
        self,
        arguments: list[str],
        environment: Mapping[str, str],
        *,
        before: Sequence[str] = (),
        pass_fds: Sequence[int] = (),
    ) -> None:
        """``before``: a program that becomes it; ``pass_fds``: descriptors that it inherits."""
        self.said: list[str] = []
        # of the pages, where the environment gives them one
        self.token = environment.get("REWRIGHT_HTTP__TOKEN", "")
        self.process = subprocess.Popen(
            [*before, *MAIN, "serve", *arguments],
            env={**os.environ, "PYTHONPATH": str(TREE), **environment},
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=pass_fds,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = int(self.find(r"listening on 127\.0\.0\.1:(\d+)"))
        self.http = int(self.find(r"pages on http://127\.0\.0\.1:(\d+)"))

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)

    def find(self, pattern: str) -> str:
        found: list[str] = []

        def look() -> bool:
            found[:] = [match[1] for line in list(self.said) if (match := re.search(pattern, line))]
            return bool(found) or self.process.poll() is not None

        wait(look)
        assert found, "".join(self.said)
        return found[0]

    def get(self, path: str) -> str:
        address = f"http://127.0.0.1:{self.http}{path}"
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:
            return str(answer.read().decode())

    def ended(self) -> int:
        """Its exit code, once it has ended by itself; otherwise what it said, and which of its processes are
        left.
        """
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            left = children(self.process.pid)
            raise AssertionError(f"it goes on, with {left} below: {''.join(self.said)}") from None

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        try:
            return self.process.wait(60)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join(5)
            assert self.process.stderr is not None
            self.process.stderr.close()


def wait(condition: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def connect(running: Running, server: ScratchServer, database: str) -> psycopg.Connection[Any]:
    password = server.address.passwords["postgres"]
    return psycopg.connect(
        f"postgresql://postgres:{password}@127.0.0.1:{running.port}/{database}", autocommit=True
    )


def last(connection: psycopg.Connection[Any]) -> str:
    row = connection.execute("show rewright.last").fetchone()
    assert row is not None
    return str(row[0])


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended; who should take note of its end may take long."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """The processes below ``pid`` that do something: the helpers of multiprocessing aside."""
    found = children_of(pid)
    below = [one for helper in found if b"forkserver" in _command(helper) for one in children_of(helper)]
    return [one for one in found if b"spawn_main" in _command(one)] + below


def children_of(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
