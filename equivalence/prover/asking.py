"""What reading a query asks of whoever decides entailment: the prover's engine, or another one.

Owns the port only, so that what reads queries and schemas does not depend on how questions are answered. Must
not know solvers or rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .conditional_keys import ConditionalKey
    from .context import Context
    from .schema import Schema
    from .terms import Bag, Source, Term


class Asked(Protocol):
    """Answers questions of entailment over one schema, whose ``used`` collects the facts that mattered."""

    schema: Schema

    def entails(self, ctx: Context, goal: Term) -> bool:
        """Whether the goal is TRUE wherever all predicates of the context are."""
        ...

    def inconsistent(self, ctx: Context) -> bool:
        """Whether the predicates of the context cannot hold together."""
        ...

    def freshen(self, bag: Bag) -> Bag:
        """A copy of the bag over variables that are used nowhere else."""
        ...

    def conditional_keys(self, source: Source, var: int) -> list[ConditionalKey]:
        """The partial and expression keys over the row of ``var``."""
        ...
