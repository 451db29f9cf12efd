"""AUGMENT in a session with a PostgreSQL database, in both protocols: the search is made while the client
waits, its base table read through the client's own session.

Owns what each message of the client becomes. Must not know how tables are found
(``rewright.proxy.serving.asking_ports``), nor do I/O.
docs/decisions/0440-augment-reads-the-base-through-the-clients-session.md.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rewright.proxy.ports import LastQuery, LocalRows
from rewright.proxy.serving import local, questions, time_limits
from rewright.proxy.serving.asking import ask_in_cycle
from rewright.proxy.serving.asking_ports import Augmenter, Told
from rewright.proxy.serving.taking import TakesOver
from rewright.proxy.session import Exchange
from rewright.proxy.statements import Statement

if TYPE_CHECKING:
    from rewright.proxy.serving.context import SessionContext


@dataclass(frozen=True, slots=True)
class AugmentAnswer(TakesOver):
    """One AUGMENT of one client."""

    text: str
    augmenter: Augmenter

    def query_exchange(self, context: SessionContext) -> Exchange:
        rows = yield from questions.read_at_query(context, self._searched(context))
        if rows is not None:
            yield from local.query_rows(rows)

    def parse_exchange(self, context: SessionContext, name: bytes, statement: Statement) -> Exchange:
        rows = yield from questions.read_at_parse(context, name, "AUGMENT", self._searched(context))
        if rows is not None:
            yield from questions.parsed_rows(context, name, statement, rows)

    def _searched(self, context: SessionContext) -> Generator[Any, Any, LocalRows]:
        """Raises SqlError, Cancelled; then nothing of the search is left in the session. Raises Broken,
        Skipped as `rewright.proxy.serving.apart.step_apart`.
        """
        is_apart = yield from questions.begin_apart(context, "AUGMENT")
        view = yield from ask_in_cycle(context)
        limit = yield from time_limits.ask_in_cycle(context)
        lent = questions.lent_of(context, view)
        step = yield from questions.lending(
            context,
            self.augmenter.begin(self.text, view, context.identity.login.user, lent),
            limit,
            is_apart=is_apart,
        )
        assert isinstance(step, Told)
        context.metrics.routes["augmented"] += 1
        context.measuring.last = LastQuery("augmented", None, "")
        return step.rows
