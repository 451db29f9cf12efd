"""A question to its answer on one PostgreSQL database: link, read, check, run.

Owns the order of the steps and the document of an answer. Must not know the command line or the wire.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import psycopg

from rewright.ask.context import Context, ContextCache
from rewright.ask.execution import Execution, ExecutionError, Limits
from rewright.ask.interpreter import Reading, Unclear, interpret
from rewright.ask.linking import Link, Linker
from rewright.ask.safety import Refused, Rules, check
from rewright.engines.postgres.catalog import snapshot

THRESHOLD = 0.7
"""Confidence below which a question is refused."""
LONGEST_QUESTION = 2000
"""Characters."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question; ``refused`` says why nothing was run, ``error`` what the server said."""

    question: str
    sql: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    truncated: bool = False
    confidence: float = 0.0
    refused: str = ""
    reading: str = ""
    links: tuple[Link, ...] = ()
    alternatives: tuple[Reading, ...] = ()
    seconds: float = 0.0
    error: str = ""

    def document(self) -> dict[str, Any]:
        """As printed by ``--json``."""
        return {
            "question": self.question,
            "sql": self.sql or None,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "row_count": len(self.rows),
            "truncated": self.truncated,
            "confidence": self.confidence,
            "refused": self.refused or False,
            "reading": self.reading or None,
            "linked": _linked(self.links),
            "alternatives": [
                {"sql": r.sql, "reading": r.plain, "confidence": r.confidence} for r in self.alternatives
            ],
            "tokens": 0,
            "money": 0.0,
            "seconds": round(self.seconds, 3),
            "error": self.error or None,
        }


class Asker:
    """Answers questions over one connection, as its role; the context is read once for a state of the catalog."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        *,
        threshold: float = THRESHOLD,
        limits: Limits | None = None,
    ) -> None:
        """Raises psycopg.Error where the catalog can't be read."""
        self.threshold = threshold
        self.catalog = snapshot(connection)
        path = connection.execute(
            "select pg_catalog.unnest(pg_catalog.current_schemas(false))::text"
        ).fetchall()
        self.rules = Rules(self.catalog, tuple(str(schema) for (schema,) in path))
        self.context: Context = ContextCache().of(connection, self.catalog)
        self.linker = Linker(self.context)
        self.execution = Execution(connection, limits)

    def ask(self, question: str) -> Answer:
        """Never raises for what a question says."""
        began = time.perf_counter()
        return replace(self._ask(question), seconds=time.perf_counter() - began)

    def _ask(self, question: str) -> Answer:
        if len(question) > LONGEST_QUESTION:
            return Answer(question, refused=f"a question of more than {LONGEST_QUESTION} characters")
        links = self.linker.link(question)
        answer = Answer(question, links=tuple(links))
        try:
            reading = interpret(links, self.context)
        except Unclear as unclear:
            return replace(answer, refused=str(unclear))
        answer = replace(answer, confidence=reading.confidence, reading=reading.plain)
        if reading.confidence < self.threshold:
            return replace(answer, refused="not sure enough of this reading", alternatives=(reading,))
        return self._run(answer, reading)

    def _run(self, answer: Answer, reading: Reading) -> Answer:
        try:
            checked = check(reading.sql, self.rules)
            answer = replace(answer, sql=checked.sql)
            found = self.execution.run(checked)
        except Refused as refused:
            return replace(answer, sql="", refused=str(refused))
        except ExecutionError as error:
            return replace(answer, error=str(error))
        return replace(answer, columns=found.columns, rows=found.rows, truncated=found.truncated)


def _linked(links: Sequence[Link]) -> dict[str, list[str]]:
    tables = {t.ref.name: None for link in links for t in link.tables}
    columns = {f"{c.table.name}.{c.name}": None for link in links for c in link.columns}
    values = {f"{c.table.name}.{c.name} = {v}": None for link in links for c, v in link.values}
    return {"tables": list(tables), "columns": list(columns), "values": list(values)}
