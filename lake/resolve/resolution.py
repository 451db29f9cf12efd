"""The result of resolving: which imagined name stands for which real one, by which evidence, and how surely;
and its text for people.

Owns the record and its words. Must not know how it came about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rewright.engines.duckdb.database import Rows
from rewright.lake.resolve.readings import Reading
from rewright.lake.resolve.words_kept import NotRestored


@dataclass(frozen=True, slots=True)
class Mapping:
    """An imagined column and the real one, with its score."""

    table: str
    column: str
    real_table: str | None
    real_column: str | None
    score: float


@dataclass(frozen=True, slots=True)
class Join:
    """Two real tables and the column pairs that join them."""

    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]
    quality: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One candidate of the rewrite history: its SQL, what running it gave, its score."""

    sql: str
    rows: int | None
    error: str
    score: float


@dataclass(frozen=True, slots=True)
class OwnWords:
    """A resolved query: ``text`` is the client's in PostgreSQL's dialect with real names in it, ``ctes``
    (name, body) stand before it and are DuckDB's.
    """

    text: str
    ctes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a query was answered. `kind`: `bound` (as written), `resolved`, `refused` (with the closest),
    `failed`.
    """

    kind: str
    query: str
    sql: str
    confidence: float
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    columns: tuple[Mapping, ...] = ()
    joins: tuple[Join, ...] = ()
    keys: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = ()
    corrections: tuple[dict[str, Any], ...] = ()
    missing_values: tuple[dict[str, Any], ...] = ()
    cleaned: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    once: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Tables that are joined by their different rows of these columns, so that nothing is counted twice."""
    history: tuple[Attempt, ...] = ()
    actions: tuple[dict[str, Any], ...] = ()
    doubts: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    """The chosen reading and the nearest other one, where they differ."""
    tokens: int = 0
    """What a model was asked and answered for it."""
    error: str = ""
    seconds: float = 0.0
    driver: str = "deterministic"
    rounds: int = 0
    evidence: dict[str, float] = field(default_factory=dict)
    own: OwnWords | NotRestored | None = None
    """The resolved query in PostgreSQL's dialect, or why there is none; None: a model wrote it."""

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kind": self.kind,
            "sql": self.sql,
            "confidence": round(self.confidence, 3),
            "tables": {k: list(v) for k, v in self.tables.items()},
            "columns": [
                {
                    "table": m.table,
                    "column": m.column,
                    "real": f"{m.real_table}.{m.real_column}" if m.real_column else None,
                    "score": round(m.score, 3),
                }
                for m in self.columns
            ],
            "joins": [
                {
                    "left": j.left,
                    "right": j.right,
                    "on": [list(p) for p in j.pairs],
                    "quality": round(j.quality, 3),
                }
                for j in self.joins
            ],
            "corrections": list(self.corrections),
            "missing_values": list(self.missing_values),
            "cleaned": {k: list(v) for k, v in self.cleaned.items()},
            "unions": {k: list(v) for k, v in self.unions.items()},
            "once": {k: list(v) for k, v in self.once.items()},
            "history": [
                {"sql": a.sql, "rows": a.rows, "error": a.error, "score": round(a.score, 3)}
                for a in self.history
            ],
            "actions": list(self.actions),
            "doubts": list(self.doubts),
            "closest": list(self.closest),
            "readings": [
                {"told": r.told, "sql": r.sql, "rows": [list(row) for row in r.rows]} for r in self.readings
            ],
            "tokens": self.tokens,
            "error": self.error,
            "seconds": round(self.seconds, 3),
            "driver": self.driver,
            "rounds": self.rounds,
            "evidence": {k: round(v, 4) for k, v in self.evidence.items()},
        }

    def notice(self) -> str:
        """What a client is told, one fact a line."""
        if self.kind == "bound":
            return "\n".join(["answered as written", *self.doubts])
        lines = [f"resolved with confidence {self.confidence:.2f}"]
        lines += [
            f"table {imagined} is {' joined with '.join(real)}" for imagined, real in self.tables.items()
        ]
        lines += [
            f"column {m.column} is {m.real_table}.{m.real_column}"
            for m in self.columns
            if m.real_column is not None and m.real_column != m.column
        ]
        lines += [
            f"{j.left} joins {j.right} on {', '.join(f'{a} = {b}' for a, b in j.pairs)}" for j in self.joins
        ]
        lines += [f"{c['column']}: {c['from']!r} read as {c['to']!r} ({c['how']})" for c in self.corrections]
        lines += [f"{m['column']} holds no {m['value']!r}" for m in self.missing_values]
        lines += [f"{name} is the union of {', '.join(parts)}" for name, parts in self.unions.items()]
        lines += [f"{table}: cleaned {', '.join(columns)}" for table, columns in self.cleaned.items()]
        lines += [f"{t}: joined by its different {', '.join(columns)}" for t, columns in self.once.items()]
        return "\n".join([*lines, *self.doubts, f"SQL: {self.sql}"])

    def hint(self) -> str:
        """The HINT of a refusal: what is closest, which of two readings may be meant and where they differ,
        what could not be read.
        """
        parts = []
        if self.closest:
            parts.append("closest: " + "; ".join(self.closest))
        if len(self.readings) > 1:
            parts.append("which is meant? " + " OR ".join(reading.text() for reading in self.readings))
        parts += self.doubts
        return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class Answer:
    """A resolution with the rows it gave (None where it gave none)."""

    resolution: Resolution
    rows: Rows | None
