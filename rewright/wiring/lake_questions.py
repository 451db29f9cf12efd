"""The configured lakes, opened in the process that reads questions about them.

Owns opening them when first asked for, and again when their files have changed. Must not know questions.
"""

from __future__ import annotations

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

    def of(self, database: str) -> LakeSource:
        """Raises LakeError; KeyError for what is no lake."""
        from rewright.ask.execution import Limits
        from rewright.ask.sources.lake import LakeSource

        home = lakes_of(self.config)[database]
        state = fingerprint(home)
        known: LakeSource | None = self._kept.get(database)
        if known is not None and known.state == state:
            return known
        if known is not None:
            known.lake.close()
        limits = Limits(rows=self.config.ask.rows)
        self._kept[database] = found = LakeSource(opened(home), database, state, limits)
        return found
