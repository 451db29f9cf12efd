"""Run a suite directly and through the proxy, and compare test by test.

    python -m tests.conformance SUITE... [--pgbouncer front|behind] [--out report.json]

With ``--pgbouncer`` both sides go through a PgBouncer in session mode: before the proxy, or between it and
the server. Exit code 1: outcomes differ. What differs is run once more on both sides; what then agrees is named as
unsteady.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.conformance import clients, regress, suites
from tests.conformance.outcomes import Comparison, differences
from tests.conformance.stage import PGBOUNCER
from tests.conformance.suites import Runner

SUITES: dict[str, Callable[[], AbstractContextManager[Runner]]] = {
    "asyncpg": suites.asyncpg,
    "pg8000": suites.pg8000,
    "sqlalchemy-psycopg": suites.sqlalchemy("psycopg"),
    "sqlalchemy-asyncpg": suites.sqlalchemy("asyncpg"),
    "sqlalchemy-pg8000": suites.sqlalchemy("pg8000"),
    "regress": regress.suite("regress"),
    "isolation": regress.suite("isolation"),
    "node": clients.node,
}

# those that neither start servers nor try logins of their own. isolation's program asks the server who waits for
# whom by the numbers of processes that its logins gave, which are PgBouncer's own: it waits for ever.
POOLED = {"node", "regress", "sqlalchemy-psycopg", "sqlalchemy-asyncpg", "sqlalchemy-pg8000"}


def compare(suite: Callable[[], AbstractContextManager[Runner]]) -> Comparison:
    with suite() as run:
        direct, through = run("direct", None), run("through", None)
        first = differences(direct, through)
        if not first:
            return Comparison(direct, through, {})
        again = differences(run("direct", list(first)), run("through", list(first)))
        return Comparison(direct, through, {name: pair for name, pair in first.items() if name not in again})


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", nargs="+", choices=[*sorted(SUITES), "all"])
    parser.add_argument("--out", type=Path, help="the outcomes as JSON")
    parser.add_argument("--pgbouncer", choices=["front", "behind"], default="")
    options = parser.parse_args()
    os.environ[PGBOUNCER] = options.pgbouncer
    if options.pgbouncer and not set(options.suite) <= POOLED:
        parser.error(f"these can't: {', '.join(sorted({*options.suite} - POOLED))}")
    report, different = {}, 0
    for name in SUITES if "all" in options.suite else options.suite:
        comparison = compare(SUITES[name])
        print(comparison.text(name), flush=True)
        report[name] = comparison.as_json()
        different += len(comparison.different)
    if options.out:
        options.out.write_text(json.dumps(report, indent=1))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
