"""What one attempt at a pair found out, kept for the next attempt at it or at a part of it.

A pair is looked at by its parts and as a whole, without positions and with them, each again for longer, and
many of the questions are the same, word for word. Owns the answers between attempts, one set for each
catalog. What the solver did not settle in time is not kept: a later attempt with more time may settle it.
Holds no object of the solver's, and is never given to a replay: a proof found by remembered answers is
replayed without them.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from rewright.equivalence.records import Assumption, Proof

from .entail import Engine
from .prepare import Reason

if TYPE_CHECKING:
    from rewright.sql.algebra import Query
    from rewright.sql.catalog import Catalog

    from .context import Context
    from .schema import Schema
    from .shapes import Question
    from .terms import Term

# whether it follows, and the schema facts that this rests on
Answer = tuple[bool, frozenset[Assumption]]
# both queries, and whether positions were looked at
Attempted = tuple["Query", "Query", "bool | None"]
Outcome = Proof | Reason | None
_Asked = TypeVar("_Asked")
# what is kept at most, of how many catalogs: the pairs of one search have some hundred answers
_MOST_CATALOGS = 50
_MOST_ANSWERS = 10_000
# what another attempt with more time or more room may say differently
_PASSING = {"timeout", "internal", "unsupported"}


@dataclass(slots=True)
class Answers:
    """What is known over one catalog."""

    catalog: Catalog
    distrust: frozenset[str]
    known: dict[tuple[Context, Term], Answer] = field(default_factory=dict)
    by_shape: dict[Question, Answer] = field(default_factory=dict)
    outcomes: dict[Attempted, tuple[Outcome]] = field(default_factory=dict)

    def begun_anew_when_full(self) -> None:
        """Forget all when there is too much of it."""
        for kept in (self.known, self.by_shape, self.outcomes):
            if len(kept) > _MOST_ANSWERS:
                kept.clear()


class Memory:
    """The answers of the attempts at one pair, or at several over the same catalog. Any thread may ask."""

    def __init__(self) -> None:
        # by identity: catalogs are large, and parts of a pair share theirs or have made-up relations
        self._of: dict[tuple[int, frozenset[str]], Answers] = {}
        self._lock = threading.Lock()

    def of(self, catalog: Catalog, distrust: frozenset[str]) -> Answers:
        """The answers over this very catalog without the distrusted constraints."""
        key = (id(catalog), distrust)
        with self._lock:
            # the catalog is held, so that no other one gets its identity; the last used one stands last
            found = self._of.pop(key, None) or Answers(catalog, distrust)
            self._of[key] = found
            if len(self._of) > _MOST_CATALOGS:
                del self._of[next(iter(self._of))]
        return found


class RememberingEngine(Engine):
    """An engine of a search, which begins with the answers of earlier ones and leaves its own."""

    def __init__(self, schema: Schema, deadline: float, answers: Answers) -> None:
        super().__init__(schema, deadline, yields=True)
        self._kept = answers
        self._known = dict(answers.known)
        self._answers = dict(answers.by_shape)
        self._asked_outside: list[tuple[Context, Term]] = []

    def _decide(self, ctx: Context, goal: Term) -> bool:
        if not self._depth:
            self._asked_outside.append((ctx, goal))
        return super()._decide(ctx, goal)

    def close(self) -> None:
        """Leave the answers before they are dropped. Not those to what was asked on the way to another
        answer, which is looked at less closely.
        """
        known = {asked: self._known[asked] for asked in self._asked_outside if asked in self._known}
        self._kept.known.update(self._settled(known))
        self._kept.by_shape.update(self._settled(self._answers))
        self._kept.begun_anew_when_full()
        self._asked_outside.clear()
        super().close()

    def leave(self, attempted: Attempted, outcome: Outcome) -> None:
        """Keep what came of the attempt, unless another one may do better."""
        passing = isinstance(outcome, Reason) and outcome.kind in _PASSING
        if not (self.unsure or passing):
            self._kept.outcomes[attempted] = (outcome,)

    def _settled(self, answers: dict[_Asked, Answer]) -> dict[_Asked, Answer]:
        """Without what may not follow only because the solver ran out of time."""
        return answers if not self.unsure else {asked: found for asked, found in answers.items() if found[0]}
