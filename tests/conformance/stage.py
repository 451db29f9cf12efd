"""What a suite runs against: a server, and the product's own `rewright serve` in front of it.

Owns starting and stopping both. The proxy runs as people run it, with every part at work but the optimiser,
which would run queries of its own beside the suite's.
"""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import trustme

from tests.proxy.bouncers import running_bouncer
from tests.proxy.debian import DebianServer

PGBOUNCER = "CONFORMANCE_PGBOUNCER"
ROOT = Path(__file__).resolve().parents[2]
SERVE = [sys.executable, "-c", "from rewright.cli import main; main()", "serve"]
SERVER_SETTINGS = {
    "max_connections": "200",
    "max_prepared_transactions": "20",
    "synchronous_commit": "off",
    "timezone": "UTC",
}
CONFIGURATION = """
[listen]
address = "{listen}"
workers = {workers}
{tls}
[http]
address = ""
[store]
url = "{home}/store.db"
[databases."*"]
engine = "postgres"
dsn = "{dsn}"
[defaults]
mode = "{mode}"
[optimiser]
concurrency = 0
"""


class Through:
    """A `rewright serve` in front of ``dsn``; ``port`` is where it listens."""

    def __init__(
        self,
        dsn: str,
        *,
        tls: tuple[Path, Path] | None = None,
        newest_tls: str = "",
        mode: str = "apply",
        workers: int = 1,
    ) -> None:
        self.home = tempfile.TemporaryDirectory(prefix="rewright-conformance-")
        pair = f'tls_cert = "{tls[0]}"\ntls_key = "{tls[1]}"\ntls_max_version = "{newest_tls}"' if tls else ""
        text = CONFIGURATION.format(
            listen="127.0.0.1:0", home=self.home.name, dsn=dsn, tls=pair, mode=mode, workers=workers
        )
        path = Path(self.home.name) / "rewright.toml"
        path.write_text(text)
        self.said: list[str] = []
        self.process = subprocess.Popen(
            [*SERVE, "--config", str(path)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = self._listening()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            self._lines.put(line)
        self._lines.put("")

    def _listening(self) -> int:
        while line := self._lines.get(timeout=300):
            if match := re.search(r"listening on 127\.0\.0\.1:(\d+)", line):
                return int(match[1])
        raise SystemExit("rewright serve did not start:\n" + "".join(self.said))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)
        self.home.cleanup()


@contextmanager
def certificate() -> Iterator[tuple[Path, Path]]:
    """A certificate for localhost and its key, readable for the server's account."""
    issuer = trustme.CA()
    issued = issuer.issue_cert("localhost", "127.0.0.1")
    with tempfile.TemporaryDirectory(prefix="rewright-conformance-") as directory:
        home = Path(directory)
        issued.private_key_pem.write_to_path(str(home / "key.pem"))
        (home / "cert.pem").write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        yield home / "cert.pem", home / "key.pem"


@contextmanager
def debian(
    *, hba: str | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[tuple[DebianServer, tuple[Path, Path]]]:
    """Debian's server with TLS, and the certificate it shows."""
    with certificate() as pair:
        more = {"hba": hba} if hba is not None else {}
        with DebianServer(*pair, settings={**SERVER_SETTINGS, **(settings or {})}, **more) as server:
            yield server, pair


@contextmanager
def reached(
    port: int, side: str, *, tls: tuple[Path, Path] | None = None, user: str = "postgres", password: str = ""
) -> Iterator[int]:
    """The port at which a side of the comparison is: the server's own, or the proxy's.

    With ``PGBOUNCER`` set to ``front`` or ``behind`` a PgBouncer in session mode is on both sides, for
    everybody as ``user``: alone, or with the proxy behind it or before it.
    """
    order = os.environ.get(PGBOUNCER, "")
    with ExitStack() as stack:

        def pooled(upstream: int) -> int:
            ignored = "extra_float_digits, options"
            more = {"ignore_startup_parameters": ignored, "server_reset_query_always": 1}
            return stack.enter_context(
                running_bouncer(upstream, password, mode="session", user=user, size=100, **more)
            ).port

        def proxied(upstream: int) -> int:
            unencrypted = " sslmode=disable" if order or tls is None else ""
            dsn = f"host=127.0.0.1 port={upstream}{unencrypted}"
            return stack.enter_context(Through(dsn, tls=None if order else tls)).port

        if not order:
            yield port if side == "direct" else proxied(port)
        elif side == "direct":
            yield pooled(port)
        else:
            yield pooled(proxied(port)) if order == "front" else proxied(pooled(port))


def main() -> None:
    """`python -m tests.conformance.stage DSN [CERT KEY [NEWEST_TLS]]`: print the port, serve until standard
    input ends.
    """
    dsn, *given = sys.argv[1:]
    pair = (Path(given[0]), Path(given[1])) if given else None
    with Through(dsn, tls=pair, newest_tls=given[2] if given[2:] else "") as through:
        print(through.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
