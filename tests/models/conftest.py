"""The stub server as a fixture."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rewright.models.litellm_client import LiteLlm


@dataclass
class Stub:
    """An OpenAI-compatible server that says what a test tells it to. ``statuses``
    are used up one a request.
    """

    answer: Callable[[dict[str, Any]], str] = lambda body: '{"sql": "SELECT 1"}'
    statuses: list[int] = field(default_factory=list)
    delay: float = 0.0
    requests: list[dict[str, Any]] = field(default_factory=list)
    finish: str = "stop"
    url: str = ""

    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.requests.append(body)
        time.sleep(self.delay)
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200:
            return status, {"error": {"message": "no"}}
        return status, _completion(body, self.answer(body), self.finish)


@pytest.fixture(scope="session")
def imported() -> None:
    """litellm, imported once; seconds on a quiet machine, a minute on a busy one."""
    LiteLlm({}).warm().join(280)


@pytest.fixture
def stub(imported: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, payload = stub.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            data = json.dumps(payload).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # the client has gone: what a deadline looks like from here
                pass

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield stub
    server.shutdown()
    server.server_close()
    thread.join()


def _completion(body: dict[str, Any], text: str, finish: str) -> dict[str, Any]:
    return {
        "id": "stub",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
