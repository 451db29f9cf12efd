"""A proxy in a thread of its own, for tests that use blocking clients."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import uvloop

from rewright.proxy import event_loop
from rewright.proxy.config import AuthConfig, DatabaseConfig, Limits, ListenConfig, ProxyConfig
from rewright.proxy.ports import Ports
from rewright.proxy.server import Proxy

# the product's own (uvloop where nothing is compiled), and the two that it must run on all the same
LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "own": event_loop.RelayLoop if event_loop.has_own() else uvloop.new_event_loop,
    "uvloop": uvloop.new_event_loop,
    "asyncio": asyncio.new_event_loop,
}


class RunningProxy:
    """``with RunningProxy(config, ports) as proxy: psycopg.connect(proxy.dsn(...))``"""

    def __init__(
        self, config: ProxyConfig, ports: Ports | None = None, *, loop: str = "own", name: str = ""
    ) -> None:
        self.events: list[tuple[str, Mapping[str, object]]] = []
        # mistakes of ours in sessions: who expects some takes them out
        self.faults: list[Exception] = []
        self.proxy = Proxy(config, ports, name=name)
        object.__setattr__(self.proxy, "event", self._event)
        self._factory = LOOPS[loop]
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)

    def _event(self, name: str, **fields: object) -> None:
        self.events.append((name, fields))
        if name == "session.fault":
            fault = fields["exc_info"]
            assert isinstance(fault, Exception)
            self.faults.append(fault)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(15)
        assert not self._thread.is_alive(), "the proxy did not stop"
        if self.faults and error is None:
            raise self.faults[0]

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=self._factory) as runner:
            runner.run(self._main())

    async def _main(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self.problems: list[dict[str, Any]] = []
        self.loop.set_exception_handler(lambda _loop, context: self.problems.append(context))
        try:
            await self.proxy.start()
        except BaseException as error:
            self._failure = error
            raise
        finally:
            self._ready.set()
        await self._stop.wait()
        await self.proxy.drain(1.0)

    @property
    def port(self) -> int:
        return self.proxy.address[1]

    def call(self, function: Callable[[], object]) -> None:
        """Run it in the proxy's loop."""
        self.loop.call_soon_threadsafe(function)


def config(dsn: str, *, port: int = 0, **parts: Any) -> ProxyConfig:
    """One upstream for every name."""
    return ProxyConfig(
        listen=parts.pop("listen", ListenConfig(port=port)),
        databases={"*": DatabaseConfig("*", dsn=dsn)},
        auth=parts.pop("auth", AuthConfig()),
        limits=parts.pop("limits", Limits()),
        **parts,
    )
