"""A pytest plugin for asyncpg's suite: its clusters are reached over TCP, directly or through a proxy each.

The suite starts servers of its own (``asyncpg.cluster``); ``CONFORMANCE_SIDE`` says how their addresses are
given to the tests. It lives outside the package because the suite's own package is called ``tests``, too.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from typing import Any

from asyncpg import cluster as clusters

SIDE = os.environ["CONFORMANCE_SIDE"]
TREE = os.environ["CONFORMANCE_TREE"]
_running: dict[tuple[str, ...], tuple[subprocess.Popen[str], int]] = {}
# proxy's port -> its server's: tests start a server again where they found it
_behind: dict[str, str] = {}
_start = clusters.Cluster.start
_address = clusters.Cluster._connection_addr_from_pidfile


def _proxy(*arguments: str) -> int:
    """The port of a proxy for these arguments; one that has died is started again."""
    found = _running.get(arguments)
    if found is None or found[0].poll() is not None:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.conformance.stage", *arguments],
            cwd=TREE,
            env={**os.environ, "PYTHONPATH": TREE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        found = _running[arguments] = process, int(process.stdout.readline())
    return found[1]


@atexit.register
def _end() -> None:
    for process, _port in _running.values():
        assert process.stdin is not None
        process.stdin.close()
    for process, _port in _running.values():
        process.wait(30)


def start(self: Any, wait: int = 60, *, server_settings: Any = None, **options: Any) -> None:
    settings = dict(server_settings or {})
    self.tls = [settings[n] for n in ("ssl_cert_file", "ssl_key_file") if settings.get("ssl") == "on"]
    if self.tls:
        self.tls.append(settings.get("ssl_max_protocol_version", "").lower())
    if (port := str(options.get("port"))) in _behind:
        options["port"] = _behind[port]
    _start(self, wait, server_settings=settings, **options)


def address(self: Any) -> Any:
    found = _address(self)
    if found is None:
        return None
    port = str(found["port"])
    if SIDE == "through":
        proxy = str(_proxy(f"host=127.0.0.1 port={port} sslmode=as-client", *getattr(self, "tls", [])))
        _behind[proxy] = port
        port = proxy
    return {"host": "127.0.0.1", "port": port}


clusters.Cluster.start = start
clusters.Cluster._connection_addr_from_pidfile = address
