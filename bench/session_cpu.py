"""What the session machine itself costs per query, without sockets, servers or uvloop: microseconds of CPU.

pgbench's query in its three protocols, as the bytes would come from both sides, through a session with an
interceptor and rewrites that never match. Fastest and median of ``--runs``, each of ``--queries``; ``--out``
writes all figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rewright.proxy.interceptor import Identity, SessionInterceptor  # noqa: E402 - the path is set above
from rewright.proxy.metrics import Metrics  # noqa: E402 - the path is set above
from rewright.proxy.ports import Guard, Ports, ServedRewrite  # noqa: E402 - the path is set above
from rewright.proxy.serving.index import RewriteIndex  # noqa: E402 - the path is set above
from rewright.proxy.serving.settings import Settings  # noqa: E402 - the path is set above
from rewright.proxy.session import Session  # noqa: E402 - the path is set above
from rewright.proxy.wire import backend as b  # noqa: E402 - the path is set above
from rewright.proxy.wire import frontend as f  # noqa: E402 - the path is set above
from tests.proxy.rules import RULES  # noqa: E402 - the path is set above

TEXT = b"select abalance from pgbench_accounts where aid = %d"
ROW = b.DataRow((b"12345",)).encode() + b.CommandComplete(b"SELECT 1").encode()
READY = b.ReadyForQuery(b"I").encode()
DESCRIPTION = b.RowDescription((b.Column(b"abalance", type_oid=23),)).encode()
PARSED, BOUND = b.PARSE_COMPLETE, b.BIND_COMPLETE
REWRITES = 1000


class Quiet:
    """A reporter that takes everything."""

    def put(self, report: object) -> bool:
        del report
        return True


def session() -> Session:
    """One session, its settings known, as a worker would have it."""
    guard = Guard((), (), digest="d")
    index = RewriteIndex()
    index.replace(
        tuple(
            ServedRewrite(n, "db", f"select {n} from absent", f"select {n}", guard) for n in range(REWRITES)
        )
    )
    made = Session(lambda _data: None, lambda _data: None)
    ports = Ports(lookup=index, reporter=Quiet(), settings=RULES)
    interceptor = SessionInterceptor(
        made, ports, Identity("db", "u", "x"), Metrics(), Settings(RULES), made.clock
    )
    interceptor.in_force.stale = False
    made.attach(interceptor)
    return made


def simple(count: int) -> Iterator[tuple[bytes, bytes]]:
    for n in range(count):
        yield f.Query(TEXT % n).encode(), DESCRIPTION + ROW + READY


def extended(count: int) -> Iterator[tuple[bytes, bytes]]:
    parse = f.Parse(b"", TEXT.replace(b"%d", b"$1")).encode()
    for n in range(count):
        rest = f.Bind(b"", b"", values=(b"%d" % n,)).encode() + f.Describe(b"P", b"").encode()
        yield (
            parse + rest + f.Execute(b"").encode() + f.SYNC,
            PARSED + BOUND + DESCRIPTION + ROW + READY,
        )


def prepared(count: int) -> Iterator[tuple[bytes, bytes]]:
    yield f.Parse(b"p", TEXT.replace(b"%d", b"$1")).encode() + f.SYNC, PARSED + READY
    for n in range(count):
        rest = f.Bind(b"", b"p", values=(b"%d" % n,)).encode() + f.Describe(b"P", b"").encode()
        yield rest + f.Execute(b"").encode() + f.SYNC, BOUND + DESCRIPTION + ROW + READY


PROTOCOLS: dict[str, Callable[[int], Iterator[tuple[bytes, bytes]]]] = {
    "simple": simple,
    "extended": extended,
    "prepared": prepared,
}


def measure(name: str, queries: int) -> float:
    """Microseconds of CPU per query of one run."""
    traffic = list(PROTOCOLS[name](queries))
    one = session()
    client, server = one.client_data, one.server_data
    began = time.process_time()
    for asked, answered in traffic:
        client(asked)
        server(answered)
    spent = time.process_time() - began
    assert not one.relay_only, one.relay_only
    assert one.is_idle
    return spent / queries * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    runs = {name: [measure(name, arguments.queries) for _ in range(arguments.runs)] for name in PROTOCOLS}
    print(f"{platform.platform()}, Python {platform.python_version()}; us of CPU per query")
    for name, found in runs.items():
        print(f"{name:10} fastest {min(found):.2f}  median {statistics.median(found):.2f}")
    if arguments.out:
        document = {
            "machine": platform.platform(),
            "python": platform.python_version(),
            "queries": arguments.queries,
            "microseconds": runs,
        }
        arguments.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
