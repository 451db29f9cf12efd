"""What translating aggregates and arrays asks of the translation of the scope they stand in.

Expressions hold subqueries, and queries expressions: this port is where the circle is open. Must not know how
a scope is translated.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from rewright.sql import algebra as a

if TYPE_CHECKING:
    from rewright.sql.facts.guards import Known

    from .terms import Bag, Source, Term
    from .translated import Env, Failure, Form, Made, Raising, Scope, Site


class Reading(Protocol):
    """The translation of a query, with what was met on the way (`rewright.equivalence.prover.translate`)."""

    quotients: bool
    failing: list[Failure]
    raising: list[Raising]
    sites: tuple[Site, ...]
    within: a.Query | None
    sources: dict[int, Source]
    inside: Known
    loose: set[str]
    before: tuple[Made, ...]

    def copy(self, bag: Bag) -> Bag:
        """The bag with new bound variables."""
        ...

    def alike(self, x: Term, y: Term) -> Term:
        """Equality as GROUP BY sees it: NULLs alike."""
        ...

    def distinct(self, bag: Bag) -> Bag:
        """The distinct rows of a bag."""
        ...

    def query(self, query: a.Query, env: Env, *, ordered: bool = False) -> Form:
        """The rows of a subquery. Raises Unsupported."""
        ...

    def site(self, kind: str, *, fence: bool) -> AbstractContextManager[None]:
        """Translate something whose rows are made apart, where ``fence``; ``kind``: how."""
        ...

    def among_rows(self, before: tuple[Made, ...]) -> AbstractContextManager[None]:
        """Translate an aggregate: its arguments are evaluated of the rows, ``before`` groups are dropped."""
        ...

    def met(self) -> tuple[int, int, int]:
        """How much that may fail, and how many scalar subqueries and computed columns, have been met."""
        ...

    def asked_of_rows(self, met: tuple[int, int, int], values: Collection[Term] = ()) -> None:
        """Remember that what was ``met`` since then is evaluated of rows some of which may count for nothing.
        ``values``: what a row is counted by.
        """
        ...

    def made_whole(self, met: tuple[int, int, int]) -> None:
        """Remember what of the columns ``met`` since then is evaluated of all rows."""
        ...

    def with_known(
        self, known: Known | None = None, beside: Known | None = None, inside: Known | None = None
    ) -> AbstractContextManager[None]:
        """Translate something where other things are known; None: as around it."""
        ...


class Scoped(Protocol):
    """The translation of the expressions of one scope (`rewright.equivalence.prover.expressions`)."""

    @property
    def to(self) -> Reading:
        """The translation of the query around it."""
        ...

    @property
    def scope(self) -> Scope:
        """What names mean here."""
        ...

    def over(self, scope: Scope) -> Scoped:
        """The same for another scope."""
        ...

    def term(self, e: a.Expr) -> Term:
        """The expression as a term. Raises Unsupported."""
        ...

    def subquery(self, query: a.Query, read: str) -> Bag:
        """The rows of a subquery of an expression. ``read``: by what. Raises Unsupported."""
        ...

    def env_inside(self) -> Env:
        """The columns that a subquery sees."""
        ...
