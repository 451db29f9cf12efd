"""Runs one exploratory query within small limits and writes its result as a prompt may show it.

Owns those limits and the words for what went wrong. Must not know why it was asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from rewright.ask.compression import compress
from rewright.ask.disclosure import Disclosure
from rewright.ask.execution import ExecutionError, Rows
from rewright.ask.ports import Runner
from rewright.ask.safety import Refused

ROWS = 1_000
SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Finding:
    """``sql`` as it ran; ``told``: for the prompt; ``rows`` None where it failed."""

    sql: str
    told: str
    rows: Rows | None = None


def explore(runner: Runner, disclosure: Disclosure, sql: str, *, seconds: float = SECONDS) -> Finding:
    """Never raises for what the query is."""
    query = disclosure.restore(sql.strip().rstrip(";"))
    try:
        rows = runner.run(query, rows=ROWS, seconds=max(0.1, seconds))
    except Refused as refused:
        return Finding(query, f"refused: {disclosure.refusal(str(refused))}")
    except ExecutionError as error:
        return Finding(query, f"error: {disclosure.error(error.sqlstate or 'XX000', str(error))}")
    return Finding(query, compress(rows, disclosure), rows)
