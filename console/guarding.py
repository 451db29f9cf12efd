"""The security headers of each answer, and the refusal of unknown Host headers.

Must not know pages.
"""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rewright.console.access import Gate

# nothing but the console's own files: pages show texts that strangers wrote
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
    " img-src 'self' data:;"
    # forms may post here alone; no <base> that moves links; in nobody's frame
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    # a page that a sign-in stands behind must not be read or kept by others
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Refuses unknown Host headers and adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # websockets and lifespan events have no Host that matters
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # a name of somebody else's that leads here is DNS rebinding: a browser would lend its cookies
        host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
        if not self._gate.host_allowed(host):
            said = "this name is not among [http] hosts; call the address, or add the name"
            await PlainTextResponse(said, HTTPStatus.MISDIRECTED_REQUEST, headers=HEADERS)(
                scope, receive, send
            )
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_RAW_HEADERS]
            await send(message)

        await self._app(scope, receive, with_headers)


_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
