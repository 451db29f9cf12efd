"""Counters of the proxy: plain numbers that somebody else exports.

Owns their names. Must not know any exporter.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf

from rewright.proxy.serving.slow_texts import SlowTexts

# upper bounds in seconds; what takes longer counts in the last one only
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, inf)


@dataclass(slots=True)
class Histogram:
    """Durations in seconds: how many fell under each of ``BOUNDS`` and no lower one, and their sum."""

    counts: list[int] = field(default_factory=lambda: [0] * len(BOUNDS))
    total: float = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds

    def cumulative(self) -> list[int]:
        """How many took at most each of ``BOUNDS``."""
        return list(accumulate(self.counts))


@dataclass(slots=True)
class Metrics:
    """``routes``: statements by what ran (``replacement``, ``original``, ``fallback``, ``local``); statements
    without a rewrite are not counted one by one. ``reasons``: why an original ran although a rewrite was
    known.
    ``seconds``: durations by what ran, and of ``slow`` statements without a rewrite, the only ones of those
    that are looked at.
    ``slow_texts``: how many of them are.
    ``overhead_seconds``: time spent on guards. ``connections``: now open; the rest only ever grow.
    """

    connections: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    login_failures: int = 0
    cancels: int = 0
    routes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, Histogram] = field(default_factory=lambda: defaultdict(Histogram))
    overhead_seconds: float = 0.0
    reports: int = 0
    reports_dropped: int = 0
    slow_texts: SlowTexts = field(default_factory=SlowTexts)
    relay_only: Counter[str] = field(default_factory=Counter)
    faults: int = 0
