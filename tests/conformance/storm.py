"""A storm of logins with TLS, direct and through the proxy: who gets in, and how long it takes.

    python -m tests.conformance.storm --clients 500

Needs Debian's PostgreSQL (tests/install_system.sh). Exit code 1 when the proxy keeps out anybody whom the
server lets in.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import trustme

from rewright.proxy.config import Limits, ListenConfig
from tests.proxy.debian import DebianServer
from tests.proxy.running import RunningProxy, config
from tests.proxy.test_auth import write_certificate


async def _login(port: int) -> str:
    """``""``, or why not."""
    dsn = f"host=127.0.0.1 port={port} user=tester password=secret dbname=postgres sslmode=require channel_binding=disable"
    try:
        async with await psycopg.AsyncConnection.connect(dsn) as connection:
            await connection.execute("select 1")
    except psycopg.Error as error:
        return str(error).strip().splitlines()[0]
    return ""


async def _storm(port: int, clients: int) -> collections.Counter[str]:
    return collections.Counter(await asyncio.gather(*(_login(port) for _ in range(clients))))


def _report(name: str, port: int, clients: int) -> int:
    began = time.monotonic()
    outcomes = asyncio.run(_storm(port, clients))
    print(f"{name}: {outcomes.pop('', 0)} of {clients} in after {time.monotonic() - began:.1f} s")
    for reason, count in outcomes.most_common():
        print(f"  {count} x {reason}")
    return sum(outcomes.values())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=500)
    clients = parser.parse_args().clients
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        write_certificate(trustme.CA(), home)
        cert, key = home / "cert.pem", home / "key.pem"
        listen = ListenConfig(port=0, tls_cert=str(cert), tls_key=str(key))
        with DebianServer(cert, key, settings={"max_connections": str(clients + 50)}) as server:
            parts = config(
                f"host=127.0.0.1 port={server.port} sslmode=require",
                listen=listen,
                limits=Limits(max_connections=2 * clients),
            )
            direct = _report("direct", server.port, clients)
            with RunningProxy(parts) as proxy:
                return int(_report("through the proxy", proxy.port, clients) > direct)


if __name__ == "__main__":
    sys.exit(main())
