"""A server on loopback that speaks OpenAI's protocol, for whatever stands in for a model in a measurement."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rewright.ask.tokens import tokens_of

ModelReply = Callable[[Sequence[Mapping[str, str]], float], str]
"""Messages and temperature to a reply."""


def completion(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A reply in OpenAI's form, tokens by our estimate."""
    prompt = sum(tokens_of(message["content"]) for message in body["messages"])
    message = {"role": "assistant", "content": text}
    return {
        "id": "stand-in",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": tokens_of(text),
            "total_tokens": prompt + tokens_of(text),
        },
    }


@contextmanager
def served(reply: ModelReply, port: int = 0) -> Iterator[str]:
    """The address of a server on loopback, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = reply(body["messages"], body.get("temperature") or 0.0)
            data = json.dumps(completion(body, said)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
