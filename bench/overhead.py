"""What a query pays for passing through Rewright: pgbench and a large result, direct, through PgBouncer,
through us.

Everything runs interleaved on one machine in one run: embedded PostgreSQL, PgBouncer in session mode
(Debian's package, where it is installed) and the proxy with one and two workers, in ``apply`` with active
rewrites on other tables and reporting on. Then many clients (``--clients``) share a few connections: through
PgBouncer in transaction mode alone, through Rewright before it and through Rewright behind it. Prints medians
and writes every figure with ``--out``.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import math
import os
import platform
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.bars import bar  # noqa: E402  (it is started as a script, too)

SCALE = 5
ROWS = 1_000_000
ROWS_SQL = f"select i, i * 2, 'row number ' || i from generate_series(1, {ROWS}) as i"
POOL = 20  # connections that many clients share
POOLED_MODES = ("simple", "extended")  # what every PgBouncer can pool by transactions
CASES = [(mode, clients) for mode in ("prepared", "simple", "extended") for clients in (1, 8)]


@dataclass(frozen=True)
class Route:
    """One way to the server. ``pids``: the processes in between."""

    name: str
    port: int
    pids: tuple[int, ...]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_seconds(pids: tuple[int, ...]) -> float:
    """CPU time of all threads of the processes, from schedstat (nanoseconds)."""
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            total += int(task.read_text().split()[0])
    return total / 1e9


# --- the proxy's process ----------------------------------------------------------------------------


def serve_worker(upstream: str, port: int, workers: int, rewrites: int, profile: str) -> None:
    """One worker, as ``rewright serve`` runs it, with rewrites that never match and
    a reporter that counts.
    """
    import asyncio

    from rewright.proxy import loops
    from rewright.proxy.config import DatabaseConfig, Limits, ListenConfig, ProxyConfig
    from rewright.proxy.ports import Guard, Ports, ServedRewrite
    from rewright.proxy.server import serve
    from rewright.proxy.serving.index import RewriteIndex
    from tests.proxy.rules import RULES

    class Reporter:
        def put(self, _report: object) -> bool:
            return True

    index = RewriteIndex()
    guard = Guard((), ())
    index.replace(
        ServedRewrite(n, "bench", f"select c{n} from other_{n} where x = {n}", f"select {n}", guard)
        for n in range(rewrites)
    )
    config = ProxyConfig(
        listen=ListenConfig(port=port, workers=workers),
        databases={"*": DatabaseConfig("*", dsn=upstream)},
        limits=Limits(max_connections=0),
    )
    ports = Ports(lookup=index, reporter=Reporter(), settings=RULES)
    gc.collect()
    gc.freeze()  # as rewright.processes.worker does
    if profile:
        import cProfile

        profiler = cProfile.Profile()
        profiler.enable()
        with asyncio.Runner(loop_factory=lambda: loops.new_event_loop(config)) as runner:
            runner.run(serve(config, ports))
        profiler.disable()
        profiler.dump_stats(profile)
    else:
        with asyncio.Runner(loop_factory=lambda: loops.new_event_loop(config)) as runner:
            runner.run(serve(config, ports))


@contextlib.contextmanager
def rewright(upstream: str, workers: int, profile: str = "") -> Iterator[Route]:
    port = free_port()
    command = [sys.executable, __file__, "--serve", upstream, str(port), str(workers), profile]
    processes = [subprocess.Popen(command) for _ in range(workers)]
    try:
        wait_for(port)
        yield Route(f"rewright {workers}", port, tuple(p.pid for p in processes))
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(60)


@contextlib.contextmanager
def pgbouncer(
    port: int, user: str, password: str, *, mode: str = "session", clients: int = 100, at_connect: str = ""
) -> Iterator[Route | None]:
    """In transaction mode logins cost nothing (``trust``): it is transactions that are compared."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        print("pgbouncer is not installed: no comparison with it", file=sys.stderr)
        yield None
        return
    home = Path(tempfile.mkdtemp(prefix="rewright-bouncer-"))
    listen = free_port()
    (home / "users.txt").write_text(f'"{user}" "{password}"\n')
    auth, size = ("scram-sha-256", 50) if mode == "session" else ("trust", POOL)
    (home / "bouncer.ini").write_text(
        f"[databases]\n* = host=127.0.0.1 port={port} {at_connect}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
        f"listen_port = {listen}\nauth_type = {auth}\nauth_file = {home}/users.txt\npool_mode = {mode}\n"
        f"max_client_conn = {clients}\ndefault_pool_size = {size}\nunix_socket_dir =\nlogfile = {home}/log\n"
    )
    account = {"user": "nobody"} if os.geteuid() == 0 else {}
    home.chmod(0o777)
    process = subprocess.Popen(
        [program, "-q", str(home / "bouncer.ini")], **account, stderr=subprocess.DEVNULL
    )  # type: ignore[call-overload] # **account holds nothing but user
    try:
        wait_for(listen)
        yield Route("pgbouncer", listen, (process.pid,))
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(home, ignore_errors=True)


def wait_for(port: int) -> None:
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


# --- measuring --------------------------------------------------------------------------------------


def run_pgbench(
    programs: Path, route: Route, mode: str, clients: int, seconds: float, transactions: int = 0
) -> dict[str, float]:
    """``transactions``: that many for each client in place of ``seconds``."""
    before = cpu_seconds(route.pids)
    done = subprocess.run(
        [
            str(programs / "pgbench"),
            "-n",
            "-S",
            "-M",
            mode,
            "-c",
            str(clients),
            *(["-t", str(transactions)] if transactions else ["-T", str(math.ceil(seconds))]),
            "bench",
        ],
        env=os.environ | {"PGPORT": str(route.port)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    count = re.search(r"actually processed: (\d+)", done.stdout)
    if found is None or count is None:
        # it tells no rate where it did nothing
        raise SystemExit(
            f"{clients} clients did nothing in {seconds:g} s through {route.name}: give them more --seconds"
        )
    cpu = cpu_seconds(route.pids) - before
    return {"tps": float(found[1]), "cpu_us": cpu * 1e6 / int(count[1]), "transactions": float(count[1])}


def run_many(programs: Path, route: Route, mode: str, clients: int, seconds: float) -> dict[str, float]:
    """As ``run_pgbench``, without what the logins cost: that is measured by a run of one transaction each."""
    began = time.perf_counter()
    login = run_pgbench(programs, route, mode, clients, 0, transactions=1)
    # pgbench's time begins before its clients log in, and a thousand of them take seconds
    logging_in = time.perf_counter() - began
    result = run_pgbench(programs, route, mode, clients, logging_in + seconds)
    total = result["cpu_us"] * result["transactions"]
    logins = login["cpu_us"] * login["transactions"]
    counted = max(result["transactions"] - clients, 1)
    return result | {"cpu_us": (total - logins) / counted, "cpu_us_with_logins": result["cpu_us"]}


def measure_pooled(
    programs: Path, server_port: int, account: tuple[str, str], clients: int, seconds: float, rounds: int
) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Many clients through PgBouncer in transaction mode, alone and with Rewright on either side of it."""
    found: dict[str, dict[str, list[dict[str, float]]]] = {}
    with contextlib.ExitStack() as stack:
        shared = "connect_query='set rewright.pooled = on'"
        alone = stack.enter_context(
            pgbouncer(server_port, *account, mode="transaction", clients=clients + 10)
        )
        inner = stack.enter_context(rewright(f"host=127.0.0.1 port={server_port}", 1))
        outer = stack.enter_context(
            pgbouncer(inner.port, *account, mode="transaction", clients=clients + 10, at_connect=shared)
        )
        if alone is None or outer is None:
            return {}
        first = stack.enter_context(rewright(f"host=127.0.0.1 port={alone.port}", 1))
        routes = [
            Route("pgbouncer", alone.port, alone.pids),
            Route("rewright, pgbouncer", first.port, first.pids + alone.pids),
            Route("pgbouncer, rewright", outer.port, outer.pids + inner.pids),
        ]
        for number in bar(range(rounds), "pooled rounds"):
            for mode in POOLED_MODES:
                for route in routes[number % 3 :] + routes[: number % 3]:
                    result = run_many(programs, route, mode, clients, seconds)
                    found.setdefault(f"{mode} c={clients}", {}).setdefault(route.name, []).append(result)
    return found


def run_rows(programs: Path, route: Route) -> dict[str, float]:
    before, began = cpu_seconds(route.pids), time.perf_counter()
    command = [str(programs / "psql"), "-X", "-q", "-A", "-t", "-o", os.devnull, "-c", ROWS_SQL, "bench"]
    subprocess.run(command, env=os.environ | {"PGPORT": str(route.port)}, check=True)
    took = time.perf_counter() - began
    return {"rows_per_s": ROWS / took, "cpu_ms_per_mb": (cpu_seconds(route.pids) - before) * 1000 / 37.0}


def measure(
    programs: Path, routes: list[Route], seconds: float, rounds: int
) -> dict[str, dict[str, list[dict[str, float]]]]:
    found: dict[str, dict[str, list[dict[str, float]]]] = {}
    for round_number in bar(range(rounds), "rounds"):
        order = routes[round_number % len(routes) :] + routes[: round_number % len(routes)]
        for mode, clients in CASES:
            for route in order:
                result = run_pgbench(programs, route, mode, clients, seconds)
                found.setdefault(f"{mode} c={clients}", {}).setdefault(route.name, []).append(result)
        for route in order:
            found.setdefault("1M rows", {}).setdefault(route.name, []).append(run_rows(programs, route))
    return found


def show(found: dict[str, dict[str, list[dict[str, float]]]]) -> None:
    for case, by_route in found.items():
        figures = []
        for name, results in by_route.items():
            rate = statistics.median(r.get("tps", r.get("rows_per_s", 0.0)) for r in results)
            cpu = statistics.median(r.get("cpu_us", r.get("cpu_ms_per_mb", 0.0)) for r in results)
            figures.append(f"{name}: {rate:,.0f} ({cpu:.1f})")
        print(f"{case:15} " + "  ".join(figures))
    print(
        "rates are transactions (rows) per second; in brackets CPU µs a transaction (ms a MB) of the process between"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--clients", type=int, default=1000, help="how many share a few connections; 0: leave that part out"
    )
    parser.add_argument("--pooled-only", action="store_true", help="only the part with many clients")
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--profile", default="", help="write a cProfile of one worker here instead of comparing"
    )
    parser.add_argument("--serve", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        upstream, port, workers, profile = options.serve
        serve_worker(upstream, int(port), int(workers), 1000, profile)
        return
    from rewright.engines.postgres.installation import find_installation
    from rewright.engines.postgres.scratch import ScratchServer

    programs = find_installation().program("pgbench").parent
    with ScratchServer({"max_connections": "100", "shared_buffers": "256MB"}) as server:
        url = urlsplit(server.dsn("bench"))
        user, password = str(url.username), str(url.password)
        os.environ.update(PGHOST="127.0.0.1", PGUSER=user, PGPASSWORD=password)
        server.create_database("bench")
        subprocess.run(
            [str(programs / "pgbench"), "-i", "-q", "-s", str(SCALE), "bench"],
            env=os.environ | {"PGPORT": str(server.port)},
            check=True,
            capture_output=True,
        )
        upstream = f"host=127.0.0.1 port={server.port}"
        if options.profile:
            with rewright(upstream, 1, options.profile) as route:
                print(run_pgbench(programs, route, "prepared", 1, options.seconds))
                print(run_pgbench(programs, route, "simple", 1, options.seconds))
            return
        found = {} if options.pooled_only else compare(programs, server.port, (user, password), options)
        if options.clients:
            enough_files(2 * options.clients + 200)
            found |= measure_pooled(
                programs, server.port, (user, password), options.clients, options.seconds, options.rounds
            )
    show(found)
    if options.out:
        report = {"machine": machine(), "seconds": options.seconds, "results": found}
        options.out.write_text(json.dumps(report, indent=1))


def compare(
    programs: Path, port: int, account: tuple[str, str], options: argparse.Namespace
) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Direct, through PgBouncer in session mode, through Rewright with one and two workers."""
    upstream = f"host=127.0.0.1 port={port}"
    with (
        rewright(upstream, 1) as one,
        rewright(upstream, 2) as two,
        pgbouncer(port, *account) as bouncer,
    ):
        direct = Route("direct", port, ())
        routes = [r for r in (direct, bouncer, one, two) if r is not None]
        return measure(programs, routes, options.seconds, options.rounds)


def enough_files(wanted: int) -> None:
    """pgbench and the processes between need a descriptor for each connection; they inherit the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard not in (-1, resource.RLIM_INFINITY) and hard < wanted:
        raise SystemExit(
            f"the limit of open files is {hard}; {wanted} are needed: ulimit -n, or fewer --clients"
        )
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def machine() -> dict[str, object]:
    cpu = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    return {
        "cpu": cpu[1] if cpu else platform.processor(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load_before": os.getloadavg()[0],
    }


if __name__ == "__main__":
    main()
