"""A resolution as a tree that a person reads: tables that were considered, joins, what was done to values,
candidates that were run.

Owns the form. Must not know how a resolution is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rewright.lake.resolve.resolution import Attempt, Join, Mapping, Resolution


@dataclass(frozen=True, slots=True)
class Branch:
    """A line, and what belongs to it."""

    text: str
    branches: tuple[Branch, ...] = field(default=())


def tree_of(found: Resolution) -> list[str]:
    """The lines of a resolution's tree."""
    if found.kind == "bound":
        return _lines(Branch("answered as written", tuple(Branch(one) for one in found.doubts)))
    parts = [
        Branch(
            "tables",
            tuple(Branch(f"{name} is {' joined with '.join(real)}") for name, real in found.tables.items()),
        ),
        Branch("considered", tuple(Branch(one) for one in found.closest)),
        Branch("columns", tuple(map(_column, found.columns))),
        Branch("joins", tuple(map(_join, found.joins))),
        Branch("values", _values(found)),
        Branch(
            "cleaned",
            tuple(Branch(f"{table}: {', '.join(columns)}") for table, columns in found.cleaned.items()),
        ),
        Branch(
            "united", tuple(Branch(f"{name}: {', '.join(parts)}") for name, parts in found.unions.items())
        ),
        Branch(
            "actions", tuple(Branch(", ".join(f"{k} {v}" for k, v in one.items())) for one in found.actions)
        ),
        Branch("candidates", tuple(map(_candidate, found.history))),
        Branch("doubts", tuple(Branch(one) for one in found.doubts)),
        Branch("SQL", (Branch(found.sql),) if found.sql else ()),
    ]
    rounds = f"{found.rounds} round" + ("s" if found.rounds != 1 else "")
    told = f"{found.kind} with confidence {found.confidence:.2f}, in {found.seconds:.2f} s and {rounds}"
    return _lines(Branch(told, tuple(one for one in parts if one.branches)))


def _column(found: Mapping) -> Branch:
    asked = _dotted(found.table, found.column)
    if found.real_column is None:
        return Branch(f"{asked} was not found")
    return Branch(f"{asked} is {_dotted(found.real_table, found.real_column)} ({found.score:.2f})")


def _join(found: Join) -> Branch:
    on = ", ".join(f"{a} = {b}" for a, b in found.pairs)
    return Branch(f"{found.left} with {found.right} on {on} (quality {found.quality:.2f})")


def _values(found: Resolution) -> tuple[Branch, ...]:
    """Literals that were corrected, and those that nothing holds."""
    read = (f"{c['column']}: {c['from']!r} read as {c['to']!r} ({c['how']})" for c in found.corrections)
    missing = (f"{m['column']} holds no {m['value']!r}" for m in found.missing_values)
    return tuple(Branch(one) for one in (*read, *missing))


def _candidate(found: Attempt) -> Branch:
    return Branch(f"{found.score:.2f}: {found.error or f'{found.rows} rows'}", (Branch(found.sql),))


def _dotted(table: str | None, column: str | None) -> str:
    return f"{table}.{column}" if table else str(column)


def _lines(root: Branch) -> list[str]:
    return [root.text, *_below(root.branches, "")]


def _below(branches: Sequence[Branch], margin: str) -> list[str]:
    lines: list[str] = []
    for number, one in enumerate(branches, 1):
        is_last = number == len(branches)
        first, *rest = one.text.splitlines() or [""]
        lines.append(f"{margin}{'└─ ' if is_last else '├─ '}{first}")
        inner = margin + ("   " if is_last else "│  ")
        lines += [inner + line for line in rest]
        lines += _below(one.branches, inner)
    return lines
