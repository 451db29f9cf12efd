"""What a reader of questions needs of whatever holds the data.

Owns the protocol that `rewright.ask.sources.postgres` and `rewright.ask.sources.lake` fill. Must not know
questions.
"""

from __future__ import annotations

from typing import Protocol

from rewright.ask.context import Context
from rewright.ask.execution import Rows
from rewright.ask.safety import Checked


class Source(Protocol):
    """Data that can be asked about, as one role sees it. It is a `rewright.ask.ports.Runner`, too."""

    @property
    def context(self) -> Context: ...

    @property
    def name(self) -> str:
        """The database's name: under it lessons and validated questions are kept."""
        ...

    def check(self, sql: str) -> Checked:
        """The text that may run. Raises rewright.ask.safety.Refused."""
        ...

    def weigh(self, query: Checked) -> None:
        """Raises rewright.ask.execution.ExecutionError for a query that fails to plan or costs more than is
        allowed; runs nothing.
        """
        ...

    def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
        """Check it and run it within the limits; ``rows`` and ``seconds`` only make them tighter.

        Raises rewright.ask.safety.Refused, rewright.ask.execution.ExecutionError.
        """
        ...
