"""The agents' shared memory: typed slices, bounded, and which agent sees which (QUITE §5.3).

Owns what is remembered between the steps of one run and for how long. What an agent is shown is the row of `VISIBLE`
under its name, nothing more. Must not know how agents use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, assert_never

from rewright.models.prompts import ErrorText, FreeText, Part, PlanText, RowsText, SchemaText, SqlText
from rewright.rewrite.model import Category, Explained, Level
from rewright.rewrite.ports import Unit

Agent = Literal["reasoning", "rewrite", "assistant", "decision"]
SliceName = Literal["query", "proposals", "verdicts", "reports", "knowledge"]

VISIBLE: Mapping[Agent, tuple[SliceName, ...]] = {
    # the first round of reasoning sees no knowledge, since none is retrieved before Decision (QUITE §4.2.2)
    "reasoning": ("query", "verdicts", "reports", "knowledge"),
    "rewrite": ("query", "proposals"),
    "assistant": ("query", "verdicts"),
    "decision": ("query", "reports"),
}
BOUNDS: Mapping[SliceName, int] = {"query": 1, "proposals": 12, "verdicts": 6, "reports": 4, "knowledge": 6}
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """The original: text, DDL of what it reads, plan."""

    sql: str
    schema: str = ""
    explained: Explained | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    category: Category
    text: str
    sql: str
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class VerdictNote:
    """Why a candidate was dropped: the server's message, or the counterexample's results."""

    sql: str
    level: Level
    sqlstate: str = ""
    message: str = ""
    original: str = ""
    candidate: str = ""


@dataclass(frozen=True, slots=True)
class ReportNote:
    """What became of a verified candidate: figures only."""

    sql: str
    cost_ratio: float | None
    time_ratio: float | None
    explained: Explained | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeNote:
    """A unit that was looked up."""

    unit: Unit


Slice = QueryFacts | Proposal | VerdictNote | ReportNote | KnowledgeNote


def slice_name(note: Slice) -> SliceName:
    match note:
        case QueryFacts():
            return "query"
        case Proposal():
            return "proposals"
        case VerdictNote():
            return "verdicts"
        case ReportNote():
            return "reports"
        case KnowledgeNote():
            return "knowledge"
        case _:
            assert_never(note)


@dataclass(slots=True)
class Memory:
    """One run's buffer; a full slice forgets its oldest note, a repeated note is not kept twice."""

    _slices: dict[SliceName, list[Slice]] = field(default_factory=dict)

    def remember(self, note: Slice) -> None:
        name = slice_name(note)
        kept = self._slices.setdefault(name, [])
        if note not in kept:
            kept.append(note)
        del kept[: -BOUNDS[name]]

    def recall(self, name: SliceName) -> tuple[Slice, ...]:
        return tuple(self._slices.get(name, ()))

    def view(self, agent: Agent) -> tuple[Slice, ...]:
        """What ``agent`` may see, slice by slice."""
        return tuple(note for name in VISIBLE[agent] for note in self.recall(name))

    def parts(self, agent: Agent) -> tuple[Part, ...]:
        """The view as parts of a prompt."""
        return tuple(part for note in self.view(agent) for part in _parts(note))


def _parts(note: Slice) -> tuple[Part, ...]:
    match note:
        case QueryFacts():
            facts: list[Part] = [SqlText("Original query", note.sql[:_LONGEST])]
            if note.schema:
                facts.append(SchemaText(note.schema[:_LONGEST]))
            if note.explained is not None:
                facts.append(PlanText("Its plan", note.explained.plan))
            return tuple(facts)
        case Proposal():
            return (SqlText(f"Proposal ({note.category})", note.sql[:_LONGEST]),)
        case VerdictNote():
            return _verdict_parts(note)
        case ReportNote():
            return _report_parts(note)
        case KnowledgeNote():
            unit = note.unit
            return (FreeText(f"Known to help ({unit.category})", f"{unit.title}: {unit.text}"[:2000]),)
        case _:
            assert_never(note)


def _verdict_parts(note: VerdictNote) -> tuple[Part, ...]:
    shown = SqlText(f"A rewrite that was refused ({note.level})", note.sql[:_LONGEST])
    if note.sqlstate:
        return shown, ErrorText(note.sqlstate, note.message)
    if note.original or note.candidate:
        return (
            shown,
            result_rows("On a small database the original gave", note.original),
            result_rows("and the rewrite gave", note.candidate),
        )
    return (shown,)


def _report_parts(note: ReportNote) -> tuple[Part, ...]:
    figures = []
    if note.cost_ratio is not None:
        figures.append(f"{note.cost_ratio:.2f} of the original's estimated cost")
    if note.time_ratio is not None:
        figures.append(f"{note.time_ratio:.2f} of the original's time")
    title = f"An equivalent rewrite with {' and '.join(figures) or 'no known gain'}"
    parts: tuple[Part, ...] = (SqlText(title, note.sql[:_LONGEST]),)
    return (*parts, PlanText("Its plan", note.explained.plan)) if note.explained else parts


def result_rows(title: str, text: str) -> RowsText:
    """A result given as text: one row a line, values never split (they are placeholders in a prompt anyway)."""
    lines = tuple((line,) for line in text.splitlines()[:20])
    return RowsText(title, ("row",), ("row",), lines)
