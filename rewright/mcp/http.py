"""The streamable HTTP transport: a bearer token for everyone, and Host headers of this machine only.

Owns who may ask. A page in a browser on this machine can reach a loopback address (DNS rebinding), so that
the Host header is looked at, and the token is asked for on loopback, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from typing import Any

import click
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rewright import values

LAST_ANSWERS = 3
"""Seconds for the answers under way once a signal came; a query or a search may take minutes."""


class Token:
    """ASGI middleware: requests without ``Authorization: Bearer TOKEN`` get 401."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            # compared in constant time
            if not hmac.compare_digest(given, self._expected):
                refusal = JSONResponse(
                    {"error": "a bearer token is needed"}, 401, headers={"WWW-Authenticate": "Bearer"}
                )
                await refusal(scope, receive, send)
                return
        # cancelled where the server ends before its answer: nobody is left to be told
        with contextlib.suppress(asyncio.CancelledError):
            await self.app(scope, receive, send)


def application(server: Any, token: str, host: str) -> ASGIApp:
    """The ASGI application. ``token`` must not be empty."""
    if not token:
        raise ValueError("a token is needed")
    # a page that had its own name resolved to this machine sends that name as Host
    names = [host, "localhost", "127.0.0.1", "[::1]"]
    security = TransportSecuritySettings(
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[f"http://{name}:*" for name in names],
    )
    app: Starlette = server.streamable_http_app(transport_security=security, host=host)
    return Token(app, token)


def serve(server: Any, token: str, address: tuple[str, int]) -> None:
    """Until a signal ends it. Says on stderr where it listens, once it does. Raises OSError."""
    host, port = address
    listener = socket.create_server(address, family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    config = uvicorn.Config(
        application(server, token, host),
        host=host,
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=LAST_ANSWERS,
    )
    said = f"listening on http://{values.show(listener.getsockname()[:2])}/mcp"
    with contextlib.suppress(KeyboardInterrupt):
        _Server(config, said).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Says ``said`` once it has started: before, a signal would meet an import, which may swallow it."""

    def __init__(self, config: uvicorn.Config, said: str) -> None:
        super().__init__(config)
        self._said = said

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        click.echo(self._said, err=True)
