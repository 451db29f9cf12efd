"""What a session reports, on its way to the reporter. Owns counting what was taken and what was not."""

from __future__ import annotations

from itertools import count

from rewright.proxy.metrics import Metrics
from rewright.proxy.ports import Report, Reporter

_executions = count(1)


class Reports:
    """One session's. ``reporter`` None: nobody is told."""

    def __init__(self, reporter: Reporter | None, metrics: Metrics) -> None:
        self.reporter = reporter
        self._metrics = metrics

    def put(self, report: Report) -> None:
        assert self.reporter is not None
        taken = self.reporter.put(report)
        self._metrics.reports += taken
        self._metrics.reports_dropped += not taken

    def wanted(self, text: bytes, now: float) -> bool:
        """Whether another slow execution of the text is looked at; if not, it counts as dropped."""
        wanted = self._metrics.slow_texts.wanted(text, now)
        self._metrics.reports_dropped += not wanted
        return wanted

    @staticmethod
    def next_execution() -> int:
        return next(_executions)
