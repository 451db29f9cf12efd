"""What a reload changes in a worker that runs: its certificate, and how long its end may take."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from rewright.proxy import server as server_module
from rewright.proxy.config import Limits, ListenConfig, ProxyConfig
from rewright.proxy.server import Proxy, serve
from tests.proxy.openssl import Authority


@pytest.fixture
def encrypted(tmp_path: Path) -> ProxyConfig:
    pair = Authority(tmp_path / "ca").issue("server", "/CN=localhost", server=True)
    return ProxyConfig(
        ListenConfig("127.0.0.1", 0, tls_cert=str(pair.certificate), tls_key=str(pair.key)), databases={}
    )


def test_a_certificate_comes_and_goes(encrypted: ProxyConfig) -> None:
    proxy = Proxy(replace(encrypted, listen=ListenConfig("127.0.0.1", 0)))
    proxy.load_certificate()
    assert (proxy.tls, proxy.certificate) == (None, b"")
    asyncio.run(proxy.reload(encrypted))
    assert proxy.tls is not None
    assert proxy.certificate
    asyncio.run(proxy.reload(replace(encrypted, listen=ListenConfig("127.0.0.1", 0))))
    assert (proxy.tls, proxy.certificate) == (None, b"")


@pytest.mark.parametrize("spoilt", ["", "-----BEGIN TRUSTED CERTIFICATE-----"])
def test_one_that_cannot_be_read_leaves_the_old_one(
    encrypted: ProxyConfig, monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    proxy = Proxy(encrypted)
    proxy.load_certificate()
    before = proxy.tls, proxy.certificate
    if spoilt:
        # OpenSSL takes it, and what is looked for in it is not there
        monkeypatch.setattr(server_module, "server_context", lambda _listen: object())
    Path(encrypted.listen.tls_cert).write_text(spoilt)
    asyncio.run(proxy.reload(replace(encrypted, tag=True)))
    assert (proxy.tls, proxy.certificate) == before
    assert not proxy.config.tag


def test_the_end_takes_as_long_as_the_last_reload_says(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    async def drain(_proxy: Proxy, grace: float) -> None:
        given.append(grace)

    monkeypatch.setattr(Proxy, "drain", drain)

    async def run() -> None:
        config = ProxyConfig(ListenConfig("127.0.0.1", 0), databases={}, limits=Limits(drain_grace=60.0))
        stop = asyncio.Event()
        ready: asyncio.Future[Proxy] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve(config, on_ready=ready.set_result, stop=stop))
        proxy = await ready
        await proxy.reload(replace(config, limits=Limits(drain_grace=5.0)))
        stop.set()
        await serving
        proxy._acceptor.stop()

    asyncio.run(run())
    assert given == [5.0]
