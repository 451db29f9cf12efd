"""Spans of what the proxy reports, for OpenTelemetry: slow queries, and statements that have a rewrite.

Owns their names and attributes. Spans are made from reports when a statement has ended, so nothing is added
to one that is not reported, and nothing at all where ``[tracing] exporter`` is off: then the SDK is not even
loaded. No text, literal or address is told. A ``traceparent`` in a statement's comments (sqlcommenter) is its
span's parent. Where to and how many: the SDK's own ``OTEL_…`` variables.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

from rewright import version
from rewright.config.model import Config
from rewright.proxy.ports import Report, Reporter, ServedStatement, SlowQuery

# https://www.w3.org/TR/trace-context/, as sqlcommenter writes it
_PARENT = re.compile(r"traceparent='00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})'")
# of a text, from either end, in which comments are looked for
_LOOKED_AT = 4096
# how long a shutdown waits for a collector that does not answer
LAST_SECONDS = 3.0


def traced(reporter: Reporter, config: Config, provider: Any = None) -> Reporter:
    """``reporter`` itself where tracing is off; ``provider``: a TracerProvider to be used instead of the
    configured one.
    """
    if config.tracing.exporter == "off" and provider is None:
        return reporter
    return _Tracing(reporter, provider or _provider())


def send_rest(reporter: Reporter) -> None:
    """At the end, whatever ``traced`` gave: spans that wait are sent, if somebody takes them at once."""
    if isinstance(reporter, _Tracing):
        sending = threading.Thread(target=reporter.shut_down, name="spans", daemon=True)
        sending.start()
        sending.join(LAST_SECONDS)


def _provider() -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    # the variables OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES go first
    resource = Resource({"service.name": "rewright"}).merge(Resource.create())
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class _Tracing:
    """A reporter before another one. The spans' queue is bounded by the SDK: what does not fit is dropped."""

    def __init__(self, reporter: Reporter, provider: Any, clock: Callable[[], int] = time.time_ns) -> None:
        self._reporter = reporter
        self._provider = provider
        self._tracer = provider.get_tracer("rewright", version())
        self._clock = clock

    def put(self, report: Report) -> bool:
        match report:
            case ServedStatement():
                self._served(report)
            case SlowQuery() if report.state != "running":
                self._slow(report)
            case SlowQuery():
                pass
        return self._reporter.put(report)

    def shut_down(self) -> None:
        """Send what is left."""
        self._provider.shutdown()

    def _served(self, one: ServedStatement) -> None:
        attributes = {
            "rewright.route": one.route,
            "rewright.reason": one.reason,
            "rewright.rewrite_id": one.rewrite_id,
            "db.response.returned_rows": one.rows,
            **_common(one),
        }
        # the guard runs before the statement's own time
        end = self._clock()
        execution = end - _ns(one.duration)
        begin = execution - _ns(one.overhead)
        span = self._begin("rewright.statement", one, attributes, begin)
        if one.overhead:
            inner = self._tracer.start_span("rewright.guard", self._within(span), start_time=begin)
            inner.end(execution)
        # where the original ran after a failed replacement, the client saw the original's outcome
        _end(span, one.failure if one.original_failure is None else one.original_failure, end)

    def _slow(self, one: SlowQuery) -> None:
        end = self._clock()
        attributes = {"rewright.route": "original", "rewright.in_block": one.in_block, **_common(one)}
        span = self._begin("rewright.slow_statement", one, attributes, end - _ns(one.duration))
        _end(span, "" if one.state == "finished" else one.state, end)

    def _begin(self, name: str, one: ServedStatement | SlowQuery, attributes: Any, begin: int) -> Any:
        from opentelemetry.trace import SpanKind

        return self._tracer.start_span(
            name, _parent(one.text), kind=SpanKind.CLIENT, attributes=attributes, start_time=begin
        )

    def _within(self, span: Any) -> Any:
        from opentelemetry.trace import set_span_in_context

        return set_span_in_context(span)


def _common(one: ServedStatement | SlowQuery) -> dict[str, Any]:
    return {
        "db.system.name": "postgresql",
        "db.namespace": one.database,
        "rewright.role": one.role,
        "rewright.application_name": one.application_name,
    }


def _end(span: Any, problem: str, end: int) -> None:
    from opentelemetry.trace import Status, StatusCode

    if problem:
        span.set_attribute("db.response.status_code", problem)
        span.set_status(Status(StatusCode.ERROR))
    span.end(end)


def _parent(text: str) -> Any:
    """The context that a comment of the statement names; None: it names none."""
    # sqlcommenter writes at the end; some drivers put comments first
    found = _PARENT.search(text[-_LOOKED_AT:]) or _PARENT.search(text[:_LOOKED_AT])
    if found is None:
        return None
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

    trace, span, flags = (int(part, 16) for part in found.groups())
    context = SpanContext(trace, span, is_remote=True, trace_flags=TraceFlags(flags))
    return set_span_in_context(NonRecordingSpan(context)) if context.is_valid else None


def _ns(seconds: float) -> int:
    return int(seconds * 1e9)
