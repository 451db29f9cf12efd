"""The ports through which answers reach what they may not know. The composition root fills them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from rewright.proxy.answers.relations import Relation
from rewright.proxy.ports import ResultColumn, SessionView

Row = Mapping[str, Any]


class Evaluator(Protocol):
    """Runs a SELECT of a stranger over rows that it is given, and nothing else."""

    def columns(
        self, sql: str, relations: Sequence[Relation], parameters: Sequence[int] = ()
    ) -> tuple[ResultColumn, ...]:
        """The result's columns; raises proxy.ports.SqlError. Quick, no rows needed. ``parameters``: their
        types.
        """
        ...

    def rows(
        self,
        sql: str,
        relations: Sequence[Relation],
        contents: Mapping[str, Sequence[Row]],
        parameters: Sequence[object] = (),
    ) -> Sequence[tuple[object, ...]]:
        """The result; raises proxy.ports.SqlError. May block; called in a thread of its own."""
        ...


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """EXPLAIN (REWRITE [, ANALYZE] [, FORMAT ...]) of ``sql``."""

    sql: str
    analyze: bool
    format: Literal["text", "json"]


class Explainer(Protocol):
    """Optimises now and says what came of it: lines of text, or one JSON document."""

    async def explain(self, request: ExplainRequest, session: SessionView) -> Sequence[str]:
        """Raises proxy.ports.SqlError."""
        ...


class Rows(Protocol):
    """Rows of relations that other packages own: knowledge, lake_tables. May block; raises nothing."""

    def __call__(self, relation: str, session: SessionView) -> Sequence[Row]: ...


class NoRows:
    def __call__(self, relation: str, session: SessionView) -> Sequence[Row]:
        del relation, session
        return ()
