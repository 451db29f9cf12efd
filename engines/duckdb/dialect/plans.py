"""Statements that PostgreSQL runs on rows that DuckDB fetches: which rows, and what is done with them.

Must not know how plans are made. docs/decisions/0380-what-postgresql-runs-itself.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fetch:
    """Rows that DuckDB gives, to stand in a temporary table: its name, columns (name, declared type, OID) and
    the query.
    """

    table: str
    columns: tuple[tuple[str, str, int], ...]
    query: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What PostgreSQL runs (``text``, with the client's parameters) once the rows are there; ``reason``: what
    DuckDB cannot say.
    """

    fetches: tuple[Fetch, ...]
    text: str
    parameters: tuple[int, ...]
    reason: str
    copied: bool

    def told(self) -> str:
        """For EXPLAIN and NOTICEs."""
        if self.copied:
            return f"run by PostgreSQL on rows fetched from the lake, because of {self.reason}"
        return f"finished by PostgreSQL, because of {self.reason}"
