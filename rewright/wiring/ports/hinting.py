"""The rewriter's ``Hinter`` port over the hint recommender."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from rewright.engines.postgres.values import NO_VALUES, Values
from rewright.models.api import Model, NoModel
from rewright.rewrite.model import Deadline


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class HintPort:
    """Hints are measured on the optimiser's own connection; without the extension there are only CTE
    keywords.

    The document (`rewright.hints.result.Recommendation.to_json`) has ``text``, too: the statement with the
    hints in it. ``execute`` False: nothing is run, cost decides; ``allow`` is asked before each run;
    ``model`` may be shown what ``share`` says.
    """

    dsn: str
    run_seconds: float
    execute: bool
    # told why, when hints were looked for and none is recommended
    on_nothing: Callable[[str], None] = lambda _: None
    allow: Callable[[], bool] = _always
    model: Model = field(default_factory=NoModel)
    share: Any = "schema"
    # of the statement's parameters
    values: Values = NO_VALUES
    # the texts are those of the person whose account it is
    own: bool = False
    # where the texts' names are looked up, if not where the account does
    path: Sequence[str] = ()

    def recommend(self, sql: str, deadline: Deadline) -> Mapping[str, Any] | None:
        """None where no hints were found."""
        document = self.consider(sql, deadline)
        return document if document is not None and document["hints"] else None

    def consider(self, sql: str, deadline: Deadline) -> Mapping[str, Any] | None:
        """As ``recommend``, with the estimates and the reason where no hints were
        found; None: not looked at.
        """
        from rewright.engines.postgres.hinting import HintingSession
        from rewright.engines.postgres.session import SessionError
        from rewright.hints.dialogue import Dialogue
        from rewright.hints.injection import inject
        from rewright.hints.recommend import Options, recommend

        left = deadline.left()
        # too little to run a query twice
        if left < 1.0:
            return None
        strategy = Dialogue(self.model, self.share) if self.model.available("hint") else None
        options = Options(
            run_seconds=self.run_seconds, budget_seconds=left, execute=self.execute, allow=self.allow
        )
        try:
            with HintingSession(self.dsn, own=self.own, path=self.path) as session:
                session.bind(sql, self.values)
                found = recommend(session, sql, options, strategy=strategy)
        except (psycopg.Error, SessionError):
            return None
        injected = inject(found.text, found.hints)
        if not found.hints:
            self.on_nothing(found.reason)
        if not isinstance(injected, str):
            return None
        return found.to_json() | {"text": injected}
