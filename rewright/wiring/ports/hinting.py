"""The rewriter's ``Hinter`` port over the hint recommender."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

from rewrite.words import Deadline


@dataclass(frozen=True, slots=True)
class HintPort:
    """Hints are measured on the optimiser's own connection; without the extension there are none.

    The document has ``text``, too: the statement with the hints in it.
    """

    dsn: str
    run_seconds: float
    execute: bool
    # told why, when hints were looked for and none is recommended
    on_nothing: Callable[[str], None] = lambda _: None

    def recommend(self, sql: str, deadline: Deadline) -> Mapping[str, Any] | None:
        from engines.postgres.hinting import HintingSession
        from hints.injection import inject
        from hints.recommend import Options, recommend

        left = deadline.left()
        if left < 1.0:
            return None
        try:
            with HintingSession(self.dsn) as session:
                if not session.support.extension:
                    return None
                options = Options(run_seconds=self.run_seconds, budget_seconds=left, execute=self.execute)
                found = recommend(session, sql, options)
        except psycopg.Error:
            return None
        injected = inject(found.text, found.hints)
        if not found.hints or not isinstance(injected, str):
            self.on_nothing(found.reason)
            return None
        return found.to_json() | {"text": injected}
