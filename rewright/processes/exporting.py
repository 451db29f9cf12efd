"""The children's figures as Prometheus metrics. Owns their names and helps; docs/reference/metrics.md lists
them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from math import inf
from typing import TypeAlias

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from rewright.proxy.metrics import BOUNDS, Histogram

Labels: TypeAlias = tuple[tuple[str, str], ...]
Values: TypeAlias = Mapping[tuple[str, Labels], float]

# those given as _bucket, _count and _sum
HISTOGRAMS = frozenset({"query_seconds"})
_GROWING = ("_total", "_bucket", "_count", "_sum")

# name -> help; names ending in _total are counters, the others gauges or histograms
METRICS: Mapping[str, str] = {
    "connections": "client connections now open",
    "connections_accepted_total": "client connections accepted",
    "connections_refused_total": "client connections refused, by reason",
    "login_failures_total": "logins that failed",
    "cancels_total": "cancel requests",
    "statements_total": "statements with a known rewrite or answered here, by what ran",
    "originals_total": "statements whose original ran although a rewrite was known, by reason",
    "session_faults_total": (
        "sessions that a mistake of Rewright's own ended or left only relayed; the log has the cause"
    ),
    "sessions_relayed_only_total": "sessions in which nothing is looked at any more, by reason",
    "query_seconds": (
        "histogram of durations by route: replacement, original (a rewrite was known), fallback; slow: "
        "without a rewrite, above rewright.min_duration only"
    ),
    "overhead_seconds_total": "time spent on guards",
    "reports_total": "reports of slow or rewritten statements",
    "reports_dropped_total": "reports dropped: a queue was full, or the text was reported often enough",
    "store_records_dropped_total": "records for the store dropped because the queue was full",
    "store_batches_failed_total": "batches the store did not take",
    "cpu_seconds_total": "CPU time of a relay worker",
    "optimiser_jobs_received_total": "slow queries that reached the optimiser",
    "optimiser_jobs_dropped_total": "slow queries dropped by the optimiser",
    "optimiser_jobs_waiting": "slow queries waiting",
    "optimiser_jobs_total": "slow queries looked at, by outcome",
    "rewrites": "rewrites in the store, by state",
    "store_up": "whether the store could be read a moment ago, by worker",
    "paused": "whether serving replacements is paused, by worker",
    "restarts_total": "child processes started again, by process",
    "up": "child processes running, by process",
}


class Figureboard:
    """The latest figures of every child. Counters of a child that died are kept and added to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: dict[str, Values] = {}
        self._heard: dict[str, float] = {}
        self._past: dict[tuple[str, Labels], float] = {}

    def put(self, child: str, values: Values) -> None:
        with self._lock:
            self._live[child] = dict(values)
            self._heard[child] = time.monotonic()

    def of(self, child: str) -> tuple[Values, float | None]:
        """A living child's latest figures and how many seconds old they are; nothing before the first."""
        # a child that has not reported yet has no age
        with self._lock:
            if child not in self._live:
                return {}, None
            return dict(self._live[child]), time.monotonic() - self._heard[child]

    def end(self, child: str) -> None:
        """The child is gone; its counters stay."""
        with self._lock:
            for key, value in self._live.pop(child, {}).items():
                # gauges of a dead child (open connections) are nothing; what it counted was so
                if key[0].endswith(_GROWING):
                    self._past[key] = self._past.get(key, 0.0) + value

    def values(self) -> Values:
        """Sums over all children."""
        with self._lock:
            found = dict(self._past)
            for live in self._live.values():
                # children count for themselves; the whole is their sum
                for key, value in live.items():
                    found[key] = found.get(key, 0.0) + value
            return found

    def render(self) -> bytes:
        """Prometheus' text format."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Collector(self.values()))
        return generate_latest(registry)


def histogram_figures(name: str, route: str, histogram: Histogram) -> dict[tuple[str, Labels], float]:
    """A child's histogram of one route among its figures."""
    label = ("route", route)
    found: dict[tuple[str, Labels], float] = {
        (f"{name}_bucket", (label, ("le", "+Inf" if bound == inf else repr(bound)))): count
        for bound, count in zip(BOUNDS, histogram.cumulative(), strict=True)
    }
    return found | {(f"{name}_sum", (label,)): histogram.total}


class _Collector:
    def __init__(self, values: Values) -> None:
        self._values = values

    def collect(self) -> Iterable[Metric]:
        for name, documentation in METRICS.items():
            if name in HISTOGRAMS:
                yield self._histogram(name, documentation)
                continue
            rows = {labels: value for (key, labels), value in self._values.items() if key == name}
            # all rows of a metric have the same labels: the first tells them
            names = [label for label, _ in next(iter(rows), ())]
            kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            family = kind(f"rewright_{name.removesuffix('_total')}", documentation, labels=names)
            for labels, value in rows.items():
                family.add_metric([value_ for _, value_ in labels], value)
            yield family

    def _histogram(self, name: str, documentation: str) -> Metric:
        family = HistogramMetricFamily(f"rewright_{name}", documentation, labels=["route"])
        for (key, labels), total in self._values.items():
            if key != f"{name}_sum":
                continue
            buckets = [
                (dict(found)["le"], value)
                for (bucket, found), value in self._values.items()
                # the buckets of this route
                if bucket == f"{name}_bucket" and found[:1] == labels
            ]
            family.add_metric([labels[0][1]], sorted(buckets, key=lambda one: float(one[0])), total)
        return family
