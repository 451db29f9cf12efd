"""Proofs as objects: what was shown, by which steps, on which schema facts, up to which reservations.

Owns the data types and their printed and JSON forms. Others use them as `rewright.equivalence.proof` has
them. Must not know how proofs are found or replayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from rewright.sql.algebra import Query
    from rewright.sql.catalog import Catalog

# differences that a proof or a test may leave open (docs/reference/json.md)
RESERVATIONS = ("float-order", "tie-order", "refinement", "gated", "errors", "overflow", "types")


@dataclass(frozen=True, slots=True, order=True)
class Assumption:
    """A schema fact: ``kind`` is primary key, unique, foreign key, not null or check; ``name`` the
    constraint's.
    """

    kind: str
    table: str
    columns: tuple[str, ...]
    name: str = ""

    def __str__(self) -> str:
        named = f" ({self.name})" if self.name else ""
        if self.kind == "foreign key":
            at = next(i for i, c in enumerate(self.columns) if "." in c)
            here, target, there = self.columns[:at], self.columns[at], self.columns[at + 1 :]
            return f"{self.table}({', '.join(here)}) references {target}({', '.join(there)}){named}"
        if self.kind == "check":
            return f"check on {self.table}{named}"
        return f"{self.kind} {self.table}({', '.join(self.columns)}){named}"

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "table": self.table,
            "columns": list(self.columns),
            "name": self.name,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """One application of a kernel rule: ``side`` 1 or 2, ``path`` the bag it was applied to (alternating
    block and slot numbers), ``at`` the rule's parameters, ``gives`` the digest of the whole form it leads
    to.
    """

    side: Literal[1, 2]
    rule: str
    path: tuple[int, ...]
    at: tuple[int, ...] = ()
    gives: str = ""

    def __str__(self) -> str:
        where = ".".join(map(str, self.path)) or "top"
        return f"q{self.side} {self.rule} at {where}{f' {self.at}' if self.at else ''}"

    def to_json(self) -> dict[str, Any]:
        return {
            "side": self.side,
            "rule": self.rule,
            "path": list(self.path),
            "at": list(self.at),
            "gives": self.gives,
        }


@dataclass(frozen=True, slots=True)
class Matching:
    """How the final forms correspond: for each block of the first, the number of the second's and, for each
    of the block's variables in order, the position of its partner.
    """

    blocks: tuple[tuple[int, tuple[int, ...]], ...] = ()

    def to_json(self) -> list[dict[str, Any]]:
        return [{"block": b, "variables": list(v)} for b, v in self.blocks]


@dataclass(frozen=True, slots=True)
class Proof:
    """That two queries are the same on every database satisfying ``assumptions``, up to ``modulo``.

    ``assumptions`` and ``modulo`` are exactly what the argument needs, ``ends`` the digests of the two forms
    that ``matching`` compares.
    """

    method: str
    steps: tuple[Step, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    scope: Literal["any", "these"] = "these"
    modulo: frozenset[str] = frozenset()
    matching: Matching = Matching()
    notes: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "steps": [s.to_json() for s in self.steps],
            "assumptions": [a.to_json() for a in self.assumptions],
            "scope": self.scope,
            "modulo": sorted(self.modulo),
            "matching": self.matching.to_json(),
            "notes": list(self.notes),
            "ends": list(self.ends),
        }

    def __str__(self) -> str:
        lines = [f"proved by {self.method}"]
        lines += [f"  {s}" for s in self.steps]
        lines += [f"  block {i + 1} is block {b + 1}" for i, (b, _) in enumerate(self.matching.blocks)]
        lines += [f"  given {a}" for a in self.assumptions]
        lines += [f"  note: {n}" for n in self.notes]
        if self.modulo:
            lines.append(f"  up to {', '.join(sorted(self.modulo))}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a proof does not stand."""

    reason: str
    step: int | None = None


class Composite(Protocol):
    """A proof made of proofs elsewhere, which replays by checking each of them."""

    def replay(self, q1: Query, q2: Query, catalog: Catalog) -> Flaw | None: ...
