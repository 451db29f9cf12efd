"""What reading a query, and looking for a proof, ask of whoever decides entailment.

Owns the ports only, so that neither readers nor rules depend on how questions are answered. Must not know
solvers or rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rewright.equivalence.records import Assumption

    from .context import Context
    from .schema import ConditionalKey, PeriodKey, Schema
    from .terms import Bag, Source, Term


class Asked(Protocol):
    """Answers questions of entailment over one schema, whose ``used`` collects the facts that mattered."""

    schema: Schema

    def tick(self) -> None:
        """Raises OutOfTime past the deadline, LetGo where another thread needs the solver first."""
        ...

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

    def period_keys(self, source: Source, var: int) -> list[PeriodKey]:
        """The keys over periods over the row of ``var``."""
        ...


class Searched(Asked, Protocol):
    """What rules and matching ask besides: questions that are cheap, and a place for what they found."""

    nested_equal: list[tuple[Term, Term]]
    """Equalities of nested values found by matching, which hold for the questions asked meanwhile."""

    @property
    def shallow(self) -> bool:
        """Whether the question at hand came from outside and not from answering another one."""
        ...

    def scalar(self, ctx: Context, goal: Term) -> bool:
        """Entailment from an already opened context without looking for witnesses again."""
        ...

    def plainly_not_null(self, ctx: Context, term: Term) -> bool:
        """Whether a constraint or one predicate by itself says that the term is not NULL."""
        ...

    def checks(self, source: Source, var: int) -> list[tuple[Assumption, Term]]:
        """What constraints say of each row of the source by itself, over the row of ``var``."""
        ...
