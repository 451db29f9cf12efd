"""The configured lakes, opened in the process that reads questions about them.

Owns opening them when first asked for, and again when their files have changed; what is looked up in them
means what it means in a session, by the same server behind the lake. Must not know questions.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rewright.config.model import Config
from rewright.wiring.opening import fingerprint, lakes_of, opened

if TYPE_CHECKING:
    from rewright.ask.sources.lake import LakeSource


@dataclass(slots=True)
class LakeSources:
    """By the database's name."""

    config: Config
    _kept: dict[str, Any] = field(default_factory=dict)
    _open: dict[str, ExitStack] = field(default_factory=dict)

    def of(self, database: str) -> LakeSource:
        """Raises LakeError; KeyError for what is no lake."""
        from rewright.ask.execution import Limits
        from rewright.ask.sources.lake import LakeSource
        from rewright.wiring.lake_answers import SessionAnswers

        home = lakes_of(self.config)[database]
        state = fingerprint(home)
        known: LakeSource | None = self._kept.get(database)
        if known is not None and known.state == state:
            return known
        if known is not None:
            self._open.pop(database).close()
        ask = self.config.ask
        limits = Limits(seconds=ask.run_timeout or 1e6, rows=ask.rows)
        self._kept.pop(database, None)
        with ExitStack() as stack:
            lake = stack.enter_context(opened(home))
            answers = stack.enter_context(closing(SessionAnswers(lake, self.config.databases[database].dsn)))
            self._kept[database] = found = LakeSource(lake, database, answers, state, limits)
            self._open[database] = stack.pop_all()
        return found
