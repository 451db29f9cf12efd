"""The drivers' own suites: how each is run by pytest, and the server it wants.

Each is a context manager that gives a ``Runner``: call it with a side and (to run some again) test names.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

import psycopg

from tests.conformance import fetch
from tests.conformance.outcomes import Outcomes, from_junit
from tests.conformance.stage import ROOT, debian, reached
from tests.proxy.debian import DebianServer, programs

Side: TypeAlias = Literal["direct", "through"]
Runner: TypeAlias = Callable[[Side, Collection[str] | None], Outcomes]
PLUGINS = ROOT / "tests" / "conformance" / "plugins"
# each driver's tests end in time; a hang is a difference, not a night
TEST_SECONDS = 300


def pytest_run(
    where: Path,
    targets: Sequence[str],
    environment: Mapping[str, str],
    *options: str,
    only: Collection[str] | None = None,
    log: Path | None = None,
) -> dict[str, str]:
    """Run pytest in ``where``; the outcomes."""
    with tempfile.TemporaryDirectory() as directory:
        report, wanted = Path(directory) / "report.xml", Path(directory) / "only"
        more = dict(environment)
        if only is not None:
            wanted.write_text("\n".join(only))
            more["CONFORMANCE_ONLY"] = str(wanted)
        paths = [str(PLUGINS), *filter(None, [environment.get("PYTHONPATH")])]
        more["PYTHONPATH"] = os.pathsep.join(paths)
        command = [sys.executable, "-m", "pytest", "-q", "-o", "addopts=", f"--timeout={TEST_SECONDS}"]
        command += ["-p", "no:randomly", "-p", "no:cacheprovider", "-p", "selected_tests"]
        command += ["-o", "junit_family=xunit2", f"--junitxml={report}", *options, *targets]
        done = subprocess.run(
            command,
            check=False,
            cwd=where,
            env={**os.environ, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if log is not None:
            log.write_bytes(done.stdout)
        if not report.exists():
            raise SystemExit(done.stdout.decode(errors="replace")[-3000:])
        return from_junit(report)


def log_file(suite: str, side: str) -> Path:
    return fetch.cache() / f"{suite}-{side}.log"


@contextmanager
def asyncpg() -> Iterator[Runner]:
    """The whole suite: it starts servers of its own, and a plugin of ours says how they are reached."""
    source = fetch.sdist("asyncpg")
    with tempfile.TemporaryDirectory(prefix="rewright-conformance-") as directory:
        home = Path(directory)
        home.chmod(0o755)
        # beside the installed package, not on top of the source that is not built
        shutil.copytree(source / "tests", home / "tests")
        account_programs(home / "bin")

        def runner(side: Side, only: Collection[str] | None) -> Outcomes:
            environment = {
                "PGINSTALLATION": str(home / "bin"),
                "CONFORMANCE_SIDE": side,
                "CONFORMANCE_TREE": str(ROOT),
            }
            log = log_file("asyncpg", side)
            return pytest_run(home, ["tests"], environment, "-p", "asyncpg_clusters", only=only, log=log)

        yield runner


def account_programs(directory: Path) -> None:
    """Debian's server programs, run as ``postgres`` when we are root (which PostgreSQL does not run as)."""
    directory.mkdir()
    as_postgres = "setpriv --reuid=postgres --regid=postgres --clear-groups" if os.geteuid() == 0 else ""
    chown = 'chown -R postgres:postgres "$data"' if as_postgres else ":"
    for program in programs().iterdir():
        path = directory / program.name
        path.write_text(
            '#!/bin/sh\ndata= last=\nfor word in "$@"; do\n'
            '  [ "$last" = "-D" ] && data=$word\n  last=$word\ndone\n'
            f'[ -n "$data" ] && [ -d "$data" ] && {chown}\n'
            f'exec {as_postgres} {shlex.quote(str(program))} "$@"\n'
        )
        path.chmod(0o755)


@contextmanager
def sides(
    server: DebianServer, pair: tuple[Path, Path], user: str = "tester", password: str = "secret"
) -> Iterator[Mapping[Side, int]]:
    """The port of each side. ``user``: whom a PgBouncer between logs in as."""
    with (
        reached(server.port, "direct", tls=pair, user=user, password=password) as direct,
        reached(server.port, "through", tls=pair, user=user, password=password) as through,
    ):
        yield {"direct": direct, "through": through}


PG8000_HBA = """
local all all trust
host pg8000_gss all 127.0.0.1/32 gss
host pg8000_scram_sha_256 all 127.0.0.1/32 scram-sha-256
host pg8000_md5 all 127.0.0.1/32 md5
host pg8000_password all 127.0.0.1/32 password
host all all 127.0.0.1/32 scram-sha-256
"""


@contextmanager
def pg8000() -> Iterator[Runner]:
    source = fetch.sdist("pg8000")
    more = fetch.python_packages("pytest-mock", "pytest-benchmark", "py-cpuinfo", "pytz")
    with debian(hba=PG8000_HBA) as (server, pair), sides(server, pair) as ports:
        superuser(server, "alter role postgres password 'pw'", "create database pg8000_scram_sha_256")

        def runner(side: Side, only: Collection[str] | None) -> Outcomes:
            environment = {
                "PGHOST": "127.0.0.1",
                "PGPORT": str(ports[side]),
                "PGPASSWORD": "pw",
                "PYTHONPATH": str(more),
            }
            log = log_file("pg8000", side)
            return pytest_run(source, ["test"], environment, "--benchmark-disable", only=only, log=log)

        yield runner


def superuser(server: DebianServer, *statements: str, database: str = "postgres") -> None:
    with psycopg.connect(
        host=str(server.home), port=server.port, user="postgres", dbname=database, autocommit=True
    ) as connection:
        for statement in statements:
            connection.execute(statement)


SQLALCHEMY_SETUP = (
    "create extension if not exists hstore",
    "create extension if not exists citext",
    "create schema if not exists test_schema",
    "create schema if not exists test_schema_2",
)
SQLALCHEMY_TESTS = ("test/dialect/postgresql", "test/dialect/test_suite.py")


def sqlalchemy(driver: str) -> Callable[[], AbstractContextManager[Runner]]:
    """SQLAlchemy's suite for dialects and its PostgreSQL tests, over one driver."""

    @contextmanager
    def suite() -> Iterator[Runner]:
        source = fetch.sdist("sqlalchemy")
        more = fetch.python_packages("greenlet")
        settings = {"default_text_search_config": "pg_catalog.english"}
        with debian(settings=settings) as (server, pair), sides(server, pair, "scott", "tiger") as ports:
            superuser(server, "create role scott superuser login password 'tiger'")
            superuser(server, "create database test owner scott")
            superuser(server, *SQLALCHEMY_SETUP, database="test")

            def runner(side: Side, only: Collection[str] | None) -> Outcomes:
                url = f"postgresql+{driver}://scott:tiger@127.0.0.1:{ports[side]}/test"
                log = log_file(f"sqlalchemy-{driver}", side)
                environment = {"PYTHONPATH": str(more), "PYTHONNOUSERSITE": ""}
                options = ("-p", "warnings", "-p", "no:logging", "--dburi", url, "--maxfail=1000000")
                return pytest_run(source, SQLALCHEMY_TESTS, environment, *options, only=only, log=log)

            yield runner

    return suite
