"""PostgreSQL's own regression tests and isolation specs, from Debian's source package of the installed
server.

Owns building the tests' library and reading pg_regress's results. Each side gets a fresh server, because the
tests leave roles and databases. An outcome is ``passed`` (as the expected file says) or ``failure`` with a
digest of the output, so that tests that fail on a machine (other locale, other build) still have to fail the
same way.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.conformance import fetch
from tests.conformance.outcomes import Outcomes
from tests.conformance.stage import debian, reached
from tests.conformance.suites import Runner, Side, log_file
from tests.proxy.debian import programs

TRUST = "local all all trust\nhost all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n"
SETTINGS = {
    "max_prepared_transactions": "10",
    "max_connections": "100",
    "wal_level": "logical",
    # pg_regress asks for it at connect, in `options`, which a PgBouncer can't carry
    "intervalstyle": "postgres_verbose",
}
_LINE = re.compile(r"^(?:test|\s+)\s*(?P<name>[\w-]+)\s+\.\.\. (?P<outcome>ok|FAILED)", re.MULTILINE)


def major() -> int:
    return int(programs().parts[4])


def version() -> str:
    """The installed package's, which the source must have, too."""
    shown = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", f"postgresql-{major()}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return shown.stdout


def sources() -> Path:
    return fetch.debian_source(f"postgresql-{major()}", version()) / "src" / "test"


def library(home: Path) -> None:
    """Compile the functions that the tests are written in C, and put what they load beside them."""
    root = fetch.debian_package(f"postgresql-server-dev-{major()}", version())
    include = root / f"usr/include/postgresql/{major()}/server"
    source = sources() / "regress" / "regress.c"
    fetch.run(
        ["gcc", "-shared", "-fPIC", "-O1", "-w", f"-I{include}", "-o", home / "regress.so", source], home
    )
    for name in ("autoinc.so", "refint.so"):
        shutil.copy(programs().parent / "lib" / name, home / name)


def suite(kind: str) -> Callable[[], AbstractContextManager[Runner]]:
    """``kind``: regress or isolation."""

    @contextmanager
    def prepared() -> Iterator[Runner]:
        # where the server's account can read and write: some tests copy from and to files
        with tempfile.TemporaryDirectory(prefix="rewright-conformance-") as directory:
            home = Path(directory)
            home.chmod(0o755)
            shutil.copytree(sources() / kind, home / kind)
            if kind == "regress":
                library(home)

            def runner(side: Side, only: Collection[str] | None) -> Outcomes:
                found = _run(kind, home, side)
                return found if only is None else {name: found.get(name, "") for name in only}

            yield runner

    return prepared


def _run(kind: str, home: Path, side: Side) -> dict[str, str]:
    out = home / f"out-{side}"
    shutil.rmtree(out, ignore_errors=True)
    for path in (out, out / "results"):
        path.mkdir()
        path.chmod(0o777)
    with debian(hba=TRUST, settings=SETTINGS) as (server, _pair), reached(server.port, side) as port:
        said = _pg_regress(kind, home, out, port)
    log_file(kind, side).write_text(said)
    found = {match["name"]: match["outcome"] for match in _LINE.finditer(said)}
    if not found:
        raise SystemExit(said[-3000:])
    return {name: _outcome(outcome, out / "results" / f"{name}.out") for name, outcome in found.items()}


def _outcome(outcome: str, results: Path) -> str:
    if outcome == "ok":
        return "passed"
    digest = hashlib.sha256(results.read_bytes()).hexdigest()[:12] if results.exists() else "no output"
    return f"failure {digest}"


def _pg_regress(kind: str, home: Path, out: Path, port: int) -> str:
    binaries = programs().parent
    tests = binaries / "lib/pgxs/src/test"
    program = tests / ("regress/pg_regress" if kind == "regress" else "isolation/pg_isolation_regress")
    schedule = "parallel_schedule" if kind == "regress" else "isolation_schedule"
    command = [program, f"--inputdir={home / kind}", f"--outputdir={out}", f"--bindir={binaries / 'bin'}"]
    command += ["--host=127.0.0.1", f"--port={port}", "--user=postgres", f"--dlpath={home}"]
    command += [f"--schedule={home / kind / schedule}", "--max-connections=10"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    done = subprocess.run(
        command,
        cwd=out,
        env={**clean, "LC_ALL": "C", "PGSSLMODE": "disable"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.stdout
