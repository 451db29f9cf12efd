"""The streamable HTTP transport: a bearer token for everyone, and Host headers of this machine only.

Owns who may ask. A page in a browser on this machine can reach a loopback address (DNS rebinding), so that
the Host header is looked at, and the token is asked for on loopback, too.
"""

from __future__ import annotations

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


class Token:
    """ASGI middleware: requests without ``Authorization: Bearer TOKEN`` get 401."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                refusal = JSONResponse(
                    {"error": "a bearer token is needed"}, 401, headers={"WWW-Authenticate": "Bearer"}
                )
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)


def application(server: Any, token: str, host: str) -> ASGIApp:
    """The ASGI application. ``token`` must not be empty."""
    if not token:
        raise ValueError("a token is needed")
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
    config = uvicorn.Config(application(server, token, host), host=host, port=port, log_level="warning")
    click.echo(f"listening on http://{values.show(listener.getsockname()[:2])}/mcp", err=True)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
