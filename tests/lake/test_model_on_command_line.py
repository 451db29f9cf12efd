"""`rewright lake query --model on` from the command line to a model's server and back: nothing in between is
replaced.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.models.litellm_client import LiteLlm
from tests.lake.small_lakes import bakery

QUERY = "SELECT city, opening_year FROM bakery_shops"
MADE = 'SELECT "Town" AS city, "Opened" AS opening_year FROM bk_shop WHERE "Town" = \'Dunmere\''
REASONS = {
    "intent_coverage": "",
    "output_quality": "",
    "missing_information": "",
    "suggested_improvement": "",
}


class Provider:
    """A server that speaks OpenAI's protocol and plays both of the loop's parts; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def answer(self, body: dict[str, Any]) -> str:
        self.asked.append(body)
        if "rewrite SQL" in body["messages"][0]["content"]:
            return json.dumps({"sql": MADE, "reason": "one shop only", "used_tables": ["bk_shop"]})
        return json.dumps({"actions": [{"type": "OUTPUT_QUERY", "index": 1}], "reasoning": REASONS})


@pytest.fixture
def provider() -> Iterator[tuple[Provider, str]]:
    played = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": played.answer(body)}
            reply = {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
            }
            data = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield played, f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def imported() -> None:
    """litellm, imported once; seconds on a quiet machine, minutes on a busy one."""
    LiteLlm({}).warm().join(280)


def ask(tmp_path: Path, url: str, *options: str) -> dict[str, Any]:
    config = tmp_path / "rewright.toml"
    config.write_text('[models]\nlake = "openai/played"\nshare = "schema"\n')
    folder = tmp_path / "bakery"
    folder.mkdir()
    bakery(folder)
    environment = {
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "OPENAI_API_KEY": "none",
        "OPENAI_API_BASE": url,
        "OPENAI_BASE_URL": url,
    }
    arguments = ["lake", "--config", str(config), "query", str(folder), QUERY, "--json", *options]
    done = CliRunner().invoke(rewright, arguments, env=environment)
    assert done.exit_code == 0, done.output
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("imported")
def test_the_configured_model_is_asked_and_its_choice_put_out(
    tmp_path: Path, provider: tuple[Provider, str]
) -> None:
    played, url = provider
    answer = ask(tmp_path, url, "--model", "on", "--confidence", "0")
    assert answer["rows"] == [["Dunmere", 1989]], answer["resolution"]["actions"]
    assert [body["model"] for body in played.asked] == ["played", "played"]
    # what is shared is the schema: no value of the lake
    assert "Aldersby" not in json.dumps(played.asked)
    assert "bk_shop" in json.dumps(played.asked)


@pytest.mark.timeout(900)
def test_switched_off_it_is_not_asked(tmp_path: Path, provider: tuple[Provider, str]) -> None:
    played, url = provider
    assert len(ask(tmp_path, url, "--model", "off")["rows"]) == 8
    assert played.asked == []
