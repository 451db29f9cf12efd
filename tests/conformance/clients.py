"""Clients without a suite of their own to download: scripts of ours, whose whole output is the outcome.

Owns starting them. An outcome is ``passed`` with a digest of all that a test saw, or ``failure`` with what
went wrong.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from tests.conformance import fetch
from tests.conformance.outcomes import Outcomes
from tests.conformance.stage import ROOT, debian
from tests.conformance.suites import Runner, Side, log_file, sides, superuser

MODULES = ("pg", "pg-cursor", "pg-query-stream", "postgres")


@contextmanager
def node() -> Iterator[Runner]:
    modules = fetch.npm_packages(*MODULES)
    with debian(settings={"wal_level": "logical"}) as (server, pair), sides(server, pair) as ports:
        superuser(server, "alter role tester superuser replication", "create database app owner tester")

        def runner(side: Side, only: Collection[str] | None) -> Outcomes:
            done = subprocess.run(
                ["node", ROOT / "tests/conformance/node/clients.mjs", *(only or ())],
                env=os.environ
                | {
                    "CONFORMANCE_MODULES": str(modules),
                    "PGHOST": "127.0.0.1",
                    "PGPORT": str(ports[side]),
                    "PGUSER": "tester",
                    "PGPASSWORD": "secret",
                    "PGDATABASE": "app",
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            log_file("node", side).write_text(done.stdout)
            lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"')]
            if done.returncode or not lines:
                raise SystemExit(done.stdout[-3000:])
            return {line["name"]: _outcome(line["outcome"]) for line in lines}

        yield runner


def _outcome(seen: object) -> str:
    if isinstance(seen, dict) and "unexpected" in seen:
        return f"failure {json.dumps(seen['unexpected'])}"
    return f"passed {hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:12]}"
