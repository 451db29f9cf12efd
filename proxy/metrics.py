"""Counters of the proxy: plain numbers that somebody else exports.

Owns their names. Must not know any exporter.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Metrics:
    """``routes``: statements by what ran (``replacement``, ``original``, ``fallback``, ``local``); statements without
    a rewrite are not counted one by one. ``reasons``: why an original ran although a rewrite was known.
    ``overhead_seconds``: time spent on guards. ``connections``: now open; the rest only ever grow.
    """

    connections: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    login_failures: int = 0
    cancels: int = 0
    routes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    overhead_seconds: float = 0.0
    reports: int = 0
    reports_dropped: int = 0
    relay_only: Counter[str] = field(default_factory=Counter)
    faults: int = 0
