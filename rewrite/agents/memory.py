"""The agents' shared memory: typed slices, bounded, and which agent sees which (QUITE §5.3).

Owns what is remembered between the steps of one run and for how long. What an agent is shown is the row of
`VISIBLE` under its name, nothing more. Must not know how agents use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never

from rewright.models.prompts import (
    ErrorText,
    ExampleText,
    FreeText,
    PairText,
    Part,
    PlanText,
    SchemaText,
    SizeText,
    SqlText,
    StatisticText,
)
from rewright.rewrite.model import OPEN, Candidate, Category, Evidence, Explained, Figure, Level
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
# notes kept of each kind: a prompt grows with them, and the oldest help least
BOUNDS: Mapping[SliceName, int] = {"query": 1, "proposals": 12, "verdicts": 6, "reports": 4, "knowledge": 6}
# characters: of one text, of one half of an example, of one INSERT
_LONGEST = 20_000
_PAIR = 1500
_ROWS = 4000
_UNPROVED = (
    "A rewrite that could be neither proved nor refuted, and so is of no use; go by smaller steps, or stay "
    "closer to the"
    " original's form"
)
_STANDING: Mapping[Level, str] = {
    "proved": "A proved rewrite",
    "tested": (
        "A rewrite that could not be proved, only tested, and so may not be served (go there by smaller "
        "steps),"
    ),
    "judged": "A rewrite that could not be proved, and so may not be served,",
}


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """The original: text, DDL of what it reads, plan (executed where there was time), figures of tables and
    columns.
    """

    sql: str
    schema: str = ""
    explained: Explained | None = None
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    category: Category
    text: str
    sql: str
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A counterexample: the statements that make its database, what the two queries give on it."""

    setup: tuple[str, ...]
    original: str
    candidate: str

    @classmethod
    def of(cls, evidence: Evidence) -> Example | None:
        found = evidence.counterexample
        if found is None:
            return None
        statements = (str(text) for text in found.get("setup") or ())
        # INSERTs alone: the model knows the schema already
        inserts = tuple(text[:_ROWS] for text in statements if text.upper().startswith("INSERT"))
        return cls(inserts, str(found.get("original", "")), str(found.get("candidate", "")))

    def part(self) -> Part:
        return ExampleText(self.setup, self.original, self.candidate)


@dataclass(frozen=True, slots=True)
class VerdictNote:
    """Why a candidate was dropped: the server's message, the counterexample, or that there was no proof."""

    sql: str
    level: Level
    sqlstate: str = ""
    message: str = ""
    example: Example | None = None


@dataclass(frozen=True, slots=True)
class ReportNote:
    """What became of a verified candidate: figures, and how sure it is."""

    sql: str
    cost_ratio: float | None
    time_ratio: float | None
    explained: Explained | None = None
    level: Level = "proved"
    modulo: tuple[str, ...] = ()
    of: Candidate | None = None


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
        # the same note again would push an older one out
        if note not in kept:
            kept.append(note)
        del kept[: -BOUNDS[name]]

    def recall(self, name: SliceName) -> tuple[Slice, ...]:
        return tuple(self._slices.get(name, ()))

    def view(self, agent: Agent) -> tuple[Slice, ...]:
        """What ``agent`` may see, slice by slice."""
        return tuple(note for name in VISIBLE[agent] for note in self.recall(name))

    def parts(self, agent: Agent) -> tuple[Part, ...]:
        """The view as parts of a prompt. The rewrite agent gets no plan of the original: it improves another
        query.
        """
        seen = _without_variants(self.view(agent))
        if agent == "rewrite":
            seen = tuple(replace(n, explained=None) if isinstance(n, QueryFacts) else n for n in seen)
        return tuple(part for note in seen for part in _parts(note))


def _without_variants(notes: tuple[Slice, ...]) -> tuple[Slice, ...]:
    """Without what another note says better: that a rewrite was not proved, where a report tells what became
    of it; reports of what rules made of another reported rewrite and that fared no better.
    """
    reports = [n for n in notes if isinstance(n, ReportNote)]
    known = {(n.sql, n.level, n.modulo) for n in reports}

    def told(note: Slice) -> bool:
        match note:
            # a report of the same text tells more than that it was not proved
            case VerdictNote(level="unknown", sqlstate=""):
                return any(note.sql == one.sql for one in reports)
            case ReportNote(of=Candidate() as of):
                # what rules made of a reported rewrite, with the same standing, is the same story
                return any((text, note.level, note.modulo) in known for text in of.via)
            case _:
                return False

    return tuple(note for note in notes if not told(note))


def _parts(note: Slice) -> tuple[Part, ...]:
    match note:
        case QueryFacts():
            facts: list[Part] = [SqlText("Original query", note.sql[:_LONGEST])]
            if note.schema:
                facts.append(SchemaText(note.schema[:_LONGEST]))
            if note.explained is not None:
                # an executed plan has actual rows: the model should believe it more
                ran = "Actual Rows" in note.explained.plan
                facts.append(PlanText("Its plan, executed" if ran else "Its plan", note.explained.plan))
            return (*facts, *map(_figure, note.figures))
        case Proposal():
            return (
                SqlText(
                    f"An earlier proposal ({note.category}), which need not be repeated", note.sql[:_LONGEST]
                ),
            )
        case VerdictNote():
            return _verdict_parts(note)
        case ReportNote():
            return _report_parts(note)
        case KnowledgeNote():
            unit = note.unit
            title = f"Known to help ({unit.category})"
            if unit.before and unit.after:
                # its own words say the same with less
                pair = PairText("For example", unit.before[:_PAIR], unit.after[:_PAIR])
                return FreeText(title, unit.title), pair
            return (FreeText(title, f"{unit.title}: {unit.text}"[:2000]),)
        case _:
            assert_never(note)


def _verdict_parts(note: VerdictNote) -> tuple[Part, ...]:
    # neither proved nor refused by the server: no reason to show, only advice
    if note.level == "unknown" and not note.sqlstate:
        return (SqlText(_UNPROVED, note.sql[:_LONGEST]),)
    shown = SqlText(f"A rewrite that was refused ({note.level})", note.sql[:_LONGEST])
    if note.sqlstate:
        return shown, ErrorText(note.sqlstate, note.message)
    return (shown, note.example.part()) if note.example is not None else (shown,)


def _report_parts(note: ReportNote) -> tuple[Part, ...]:
    figures = []
    if note.cost_ratio is not None:
        figures.append(f"{note.cost_ratio:.2f} of the original's estimated cost")
    if note.time_ratio is not None:
        figures.append(f"{note.time_ratio:.2f} of the original's time")
    gain = " and ".join(figures) or "no known gain"
    # fixed words of the checker, no data
    title = f"{_STANDING.get(note.level, 'A rewrite')} with {gain}"
    if note.modulo:
        title += f" (left open: {'; '.join(OPEN.get(m, m) for m in note.modulo)})"
    parts: tuple[Part, ...] = (SqlText(title, note.sql[:_LONGEST]),)
    # of several rewrites that may not be served the plans are nearly the same, and long
    shown = note.explained if note.level == "proved" and not note.modulo else None
    return (*parts, PlanText("Its plan", shown.plan)) if shown else parts


def _figure(figure: Figure) -> Part:
    if figure.name == "rows":
        return SizeText(figure.subject, figure.value)
    return StatisticText(figure.subject, figure.name, figure.value, figure.values)
