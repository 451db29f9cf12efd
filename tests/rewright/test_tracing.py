"""Spans of reports: what they say, what they never say, and that nothing is loaded where they are off."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from rewright.config.model import Config
from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Ports, Report, ServedStatement, SettingsView, SlowQuery
from rewright.wiring.tracing import send_rest, traced
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config

PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TEXT = f"select 'secret' /*traceparent='00-{'-'.join(PARENT)}-01',route='/x'*/"
SERVED = ServedStatement(7, "replacement", "", 0.25, 0.01, 3, "app", "joe", "shop", TEXT)
SLOW = SlowQuery(
    1,
    "finished",
    "select 'secret'",
    (),
    (),
    (),
    0.5,
    "app",
    "joe",
    "shop",
    "10.0.0.1",
    9,
    SettingsView(),
    False,
)


class Kept:
    """Reports that reach the other reporter."""

    def __init__(self) -> None:
        self.all: list[Report] = []

    def put(self, report: Report) -> bool:
        self.all.append(report)
        return len(self.all) < 3


class World:
    def __init__(self) -> None:
        self.spans, self.kept = InMemorySpanExporter(), Kept()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.spans))
        self.reporter = traced(self.kept, Config(), provider)

    def told(self, *reports: Report) -> Sequence[ReadableSpan]:
        for report in reports:
            self.reporter.put(report)
        return self.spans.get_finished_spans()


def length(span: ReadableSpan) -> float:
    assert span.start_time is not None
    assert span.end_time is not None
    return (span.end_time - span.start_time) / 1e9


def test_a_served_statement_and_its_guard() -> None:
    world = World()
    guard, statement = world.told(SERVED)
    assert (guard.name, statement.name) == ("rewright.guard", "rewright.statement")
    assert guard.parent is not None
    assert guard.parent.span_id == statement.context.span_id
    assert guard.start_time == statement.start_time
    assert length(statement) == pytest.approx(0.26)
    assert length(guard) == pytest.approx(0.01)
    assert statement.kind is SpanKind.CLIENT
    assert statement.attributes is not None
    assert statement.attributes["rewright.rewrite_id"] == 7
    assert statement.attributes["db.namespace"] == "app"
    assert statement.status.status_code is StatusCode.UNSET
    # the client's own trace goes on in it
    assert statement.parent is not None
    assert (f"{statement.parent.trace_id:032x}", f"{statement.parent.span_id:016x}") == PARENT
    assert world.kept.all == [SERVED]


def test_slow_statements_and_failures() -> None:
    world = World()
    assert not world.told(replace(SLOW, state="running"))
    fell_back = replace(SERVED, route="fallback", failure="22012", original_failure="", overhead=0.0)
    failed = replace(fell_back, original_failure="22012")
    spans = world.told(SLOW, replace(SLOW, state="cancelled"), fell_back, failed)
    assert [span.name for span in spans] == ["rewright.slow_statement"] * 2 + ["rewright.statement"] * 2
    codes = [span.attributes.get("db.response.status_code") for span in spans if span.attributes is not None]
    assert codes == [None, "cancelled", None, "22012"]
    assert [span.status.status_code is StatusCode.ERROR for span in spans] == [False, True, False, True]
    assert length(spans[0]) == pytest.approx(0.5)
    assert spans[0].parent is None


@pytest.mark.parametrize("header", ["00-0-0-0", f"00-{'0' * 32}-{'0' * 16}-01", "nothing", "00-" + "g" * 32])
def test_a_parent_that_is_none(header: str) -> None:
    (span,) = World().told(replace(SLOW, text=f"select 1 /*traceparent='{header}'*/"))
    assert span.parent is None


def test_no_values_are_told() -> None:
    for span in World().told(SERVED, SLOW):
        for told in ("secret", "10.0.0.1", "select"):
            assert told not in span.to_json()


def test_the_reporter_behind_it_decides() -> None:
    world = World()
    assert [world.reporter.put(SLOW) for _ in range(4)] == [True, True, False, False]
    send_rest(world.reporter)
    send_rest(world.kept)


def test_off_costs_nothing() -> None:
    kept = Kept()
    assert traced(kept, Config()) is kept
    loaded = "import sys, rewright.processes.worker; print(any(n.startswith('opentelemetry') for n in sys.modules))"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == "False"


@pytest.mark.server
def test_spans_of_a_session(scratch_server: ScratchServer) -> None:
    world = World()
    ports = Ports(reporter=world.reporter, settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}"), ports) as proxy:
        dsn = scratch_server.dsn().replace(f":{scratch_server.port}/", f":{proxy.port}/")
        with psycopg.connect(dsn, autocommit=True, application_name="traced") as connection:
            connection.execute("set rewright.min_duration = '20ms'")
            connection.execute(f"select pg_sleep(0.1) {TEXT[TEXT.index('/*') :]}")
    (span,) = world.spans.get_finished_spans()
    assert span.attributes is not None
    assert span.attributes["rewright.application_name"] == "traced"
    assert 0.1 <= length(span) < 60
    assert span.parent is not None
    assert f"{span.parent.trace_id:032x}" == PARENT[0]
