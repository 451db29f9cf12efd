"""A proxy in a process of its own, for tests that take something away from it or measure what it takes.

    python -m tests.proxy.apart DSN LOOP LIMITS

It says its port and then its events on standard output, a JSON document a line, and ends with its standard
input.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rewright.proxy.config import Limits
from rewright.proxy.ports import Ports
from rewright.proxy.server import Proxy
from tests.proxy.rules import RULES
from tests.proxy.running import LOOPS, config
from tests.proxy.waiting import until

TREE = Path(__file__).resolve().parents[2]
_TICKS = os.sysconf("SC_CLK_TCK")


class ProxyApart:
    """``with ProxyApart(dsn) as proxy: socket.create_connection(("127.0.0.1", proxy.port))``"""

    def __init__(self, dsn: str, *, loop: str = "own", **limits: float) -> None:
        """``limits``: fields of ``Limits``."""
        self._command = [sys.executable, "-m", "tests.proxy.apart", dsn, loop, json.dumps(limits)]
        self.events: list[tuple[str, Mapping[str, Any]]] = []
        self.port = 0

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self._command,
            cwd=TREE,
            env={**os.environ, "PYTHONPATH": str(TREE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, name="events", daemon=True)
        self._reader.start()
        until(lambda: self.port or self.process.poll() is not None)
        assert self.port, "the proxy did not start"
        return self

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            name, fields = json.loads(line)
            if name == "port":
                self.port = fields
            else:
                self.events.append((name, fields))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            code = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            code = self.process.wait()
        self._reader.join(5)
        self.process.stdout.close()
        assert code == 0 or error is not None, code

    def named(self, name: str) -> list[Mapping[str, Any]]:
        """The fields of the events of a name."""
        return [fields for one, fields in list(self.events) if one == name]

    @property
    def cpu(self) -> float:
        """Seconds so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def memory(self) -> float:
        """MB that are resident."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @property
    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def allow_descriptors(self, more: int) -> None:
        """As many as are open now, and ``more``."""
        _, hard = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (self.descriptors + more, hard))


def _say(name: str, what: object) -> None:
    print(json.dumps([name, what], default=str), flush=True)


async def _serve(dsn: str, limits: Mapping[str, Any]) -> None:
    ports = Ports(settings=RULES, event=_say)
    proxy = Proxy(config(dsn, limits=Limits(**limits)), ports)
    await proxy.start()
    _say("port", proxy.address[1])
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    threading.Thread(
        target=lambda: (sys.stdin.read(), loop.call_soon_threadsafe(over.set)), name="stdin", daemon=True
    ).start()
    await over.wait()
    await proxy.drain(1.0)


def main() -> None:
    dsn, loop, limits = sys.argv[1:]
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.run(_serve(dsn, json.loads(limits)))


if __name__ == "__main__":
    main()
