"""A table of one column that is larger than memory should ever get: made, indexed, served, read, cancelled,
deleted.

python -m bench.lake_column_bench [--megabytes 2048] [--kind csv parquet] [--rows 2000000] [--out report.json]

Prints JSON: seconds and greatest memory (resident, all processes of `rewright serve` summed; sampled ten
times a second) of each step: indexing, and then through the proxy a count, a filter, a cursor read in
portions and a streamed result (`--rows` of them, then left), COPY of all of it (or of `--copied` rows), a
sort that cannot be held, a search for what does not bind, and how long after a cancel a running statement
ends and how much processor time the server still spends then.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import duckdb
import psycopg

from bench.overhead import ROOT, free_port, machine

_ROW_BYTES = 38
_CONFIG = """
[listen]
address = "127.0.0.1:{port}"
[http]
address = ""
[store]
url = "{home}/store.db"
[databases.lake]
engine = "duckdb"
path = "{home}/files"
[auth]
method = "trust"
"""


class Memory:
    """The greatest sum of resident memory of some processes, in megabytes, while it is open."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._done = threading.Event()
        self.most = self.first = 0
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self.first = self.most = _resident(self._root)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._done.wait(0.1):
            self.most = max(self.most, _resident(self._root))


def _tree(root: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def _resident(root: int) -> int:
    total = 0
    for pid in _tree(root):
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
    return total * os.sysconf("SC_PAGE_SIZE") // 2**20


def make(path: Path, megabytes: int) -> int:
    """A file of one column of texts, nine tenths of them different; gives its rows."""
    rows = (megabytes << 20) // _ROW_BYTES
    options = "HEADER" if path.suffix == ".csv" else "COMPRESSION uncompressed"
    with duckdb.connect(config={"memory_limit": "1GB", "threads": 2}) as connection:
        connection.execute(
            f"COPY (SELECT 'note ' || md5((i % {rows * 9 // 10})::VARCHAR) AS remark FROM range({rows}) r(i)) "
            f"TO '{path}' ({options})"
        )
    return rows


def index(home: Path) -> dict[str, Any]:
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "rewright", "lake", "index", str(home / "files")], env=_environment(home)
    )
    with Memory(process.pid) as memory:
        _, status, usage = os.wait4(process.pid, 0)
    return {
        "ok": status == 0,
        "seconds": round(time.monotonic() - began, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "most_memory_mb": max(memory.most, usage.ru_maxrss // 1024),
    }


@contextmanager
def served(home: Path) -> Iterator[tuple[str, int]]:
    """`rewright serve`: a client's address and the process."""
    port = free_port()
    (home / "rewright.toml").write_text(_CONFIG.format(port=port, home=home))
    log = home / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "rewright", "serve", "--config", str(home / "rewright.toml")],
            env=_environment(home),
            stdout=output,
            stderr=output,
        )
    try:
        while "listening on" not in log.read_text():
            if process.poll() is not None:
                raise SystemExit(log.read_text())
            time.sleep(0.2)
        yield f"postgresql://ann@127.0.0.1:{port}/lake", process.pid
    finally:
        process.terminate()
        process.wait(60)


def _environment(home: Path) -> dict[str, str]:
    return os.environ | {"XDG_CACHE_HOME": str(home), "PYTHONPATH": str(ROOT)}


def ask(dsn: str, root: int, rows: int, copied: int) -> dict[str, Any]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SELECT remark FROM remarks LIMIT 1").fetchall()
        quiet = _resident(root)
        steps: dict[str, Callable[[], Any]] = {
            "count": lambda: connection.execute("SELECT count(*) FROM remarks").fetchone(),
            "filter": lambda: connection.execute(
                "SELECT count(*) FROM remarks WHERE remark = 'note ' || md5('77')"
            ).fetchone(),
            "first of order": lambda: connection.execute(
                "SELECT remark FROM remarks ORDER BY remark LIMIT 1"
            ).fetchone(),
            "cursor in portions": lambda: _portions(connection, rows),
            "streamed": lambda: _streamed(dsn, rows),
            "copy": lambda: _copied(connection, copied),
            "sort of all": lambda: _failing(connection, "SELECT remark FROM remarks ORDER BY remark DESC"),
            "imagined names": lambda: connection.execute(
                "SELECT count(remarks_text) FROM remark_list"
            ).fetchone(),
            "imagined names, a value": lambda: connection.execute(
                "SELECT count(*) FROM remark_list WHERE remark_text = 'note c4ca4238a0b923820dcc509a6f75849b'"
            ).fetchone(),
        }
        out: dict[str, Any] = {"quiet_memory_mb": quiet}
        for name, step in steps.items():
            out[name] = _told(step, root)
            print(name, out[name], file=sys.stderr, flush=True)
        for name, sql in (
            # long work that holds nothing: counting different ones fills memory before it is cancelled
            (
                "cancel of a count",
                "SELECT count(*) FROM remarks WHERE md5(md5(md5(md5(md5(md5(remark)))))) LIKE '%xyz%'",
            ),
            ("cancel of a stream", "SELECT remark FROM remarks"),
        ):
            out[name] = _cancelled(connection, sql, root)
            print(name, out[name], file=sys.stderr, flush=True)
        return out


def _told(step: Callable[[], Any], root: int) -> dict[str, Any]:
    began, spent = time.monotonic(), _cpu(root)
    with Memory(root) as memory:
        try:
            answer = step()
        except psycopg.Error as error:
            answer = f"{error.sqlstate}: {str(error).splitlines()[0]}"[:120]
    return {
        "answer": answer,
        "seconds": round(time.monotonic() - began, 1),
        "cpu_seconds": round(_cpu(root) - spent, 1),
        "most_memory_mb": memory.most,
    }


def _cpu(root: int) -> float:
    """CPU seconds of the processes, with those of their threads and children that have ended."""
    ticks = 0
    for pid in _tree(root):
        # one may end while they are counted
        with suppress(OSError):
            # utime, stime, cutime and cstime of proc_pid_stat(5), counted from behind the command's name
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, stat[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _portions(connection: psycopg.Connection[Any], rows: int) -> int:
    seen = 0
    with connection.transaction(), connection.cursor(name="portions") as cursor:
        cursor.itersize = 5000
        cursor.execute("SELECT remark FROM remarks")
        for _ in cursor:
            seen += 1
            if seen == rows:
                break
    return seen


def _streamed(dsn: str, rows: int) -> int:
    """A session of its own: it goes away in the middle of the result."""
    seen = 0
    connection = psycopg.connect(dsn, autocommit=True)
    for _ in connection.cursor().stream("SELECT remark FROM remarks"):
        seen += 1
        if seen == rows:
            break
    connection.close()
    return seen


def _copied(connection: psycopg.Connection[Any], rows: int) -> int:
    size, limit = 0, f" LIMIT {rows}" if rows else ""
    with connection.cursor().copy(f"COPY (SELECT remark FROM remarks{limit}) TO STDOUT".encode()) as copy:
        for data in copy:
            size += len(data)
    return size


def _failing(connection: psycopg.Connection[Any], sql: str) -> int:
    return sum(1 for _ in connection.cursor().stream(sql.encode()))


def _cancelled(connection: psycopg.Connection[Any], sql: str, root: int) -> dict[str, Any]:
    told: dict[str, float] = {}

    def cancel() -> None:
        told["at"] = time.monotonic()
        connection.cancel()

    timer = threading.Timer(3.0, cancel)
    timer.start()
    try:
        for _ in connection.cursor().stream(sql.encode()):
            pass
        answer = "it ended before"
    except psycopg.Error as error:
        answer = f"{error.sqlstate}"
    after = time.monotonic() - told.get("at", time.monotonic())
    timer.join()
    time.sleep(1.0)
    spent = _cpu(root)
    time.sleep(3.0)
    return {
        "answer": answer,
        "seconds_after": round(after, 2),
        "cpu_seconds_in_the_next_3": round(_cpu(root) - spent, 2),
        "next_statement": connection.execute("SELECT 1").fetchone(),
    }


def measure(kind: str, megabytes: int, rows: int, copied: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="lake-column-") as name:
        home = Path(name)
        (home / "files").mkdir()
        path = home / "files" / f"remarks.{kind}"
        made = make(path, megabytes)
        out = {"kind": kind, "file_mb": path.stat().st_size >> 20, "rows": made, "index": index(home)}
        print(out, file=sys.stderr, flush=True)
        with served(home) as (dsn, pid):
            return {**out, "served": ask(dsn, pid, rows, copied)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=2048)
    parser.add_argument("--kind", nargs="+", choices=("csv", "parquet"), default=["csv"])
    parser.add_argument(
        "--rows", type=int, default=2_000_000, help="read by a cursor, and of a streamed result"
    )
    parser.add_argument("--copied", type=int, default=0, help="rows read by COPY; 0: all of them")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    runs = [measure(kind, args.megabytes, args.rows, args.copied) for kind in args.kind]
    text = json.dumps({**machine(), "duckdb": duckdb.__version__, "runs": runs}, indent=1)
    print(text)
    if args.out:
        args.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
