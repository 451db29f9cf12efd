"""Prompts from typed parts, so that nothing of a client's data gets into one unseen.

An agent states what each part is; `Prompt.render` passes everything but our own instructions through the
query's `Redactor`. There is no other way to put text into a request. Must not know what agents do with
replies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from rewright.models.api import Message
from rewright.models.made_up import MadeUp
from rewright.models.redact import Redactor


@dataclass(frozen=True, slots=True)
class Instruction:
    """Words of ours, constant in the source: never built from data."""

    text: str


@dataclass(frozen=True, slots=True)
class SqlText:
    """A query, ours, the client's or a model's."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class SchemaText:
    """DDL without defaults, comments and check constraints' values: redacted like SQL."""

    text: str


@dataclass(frozen=True, slots=True)
class PlanText:
    """The ``Plan`` object of EXPLAIN (FORMAT JSON)."""

    title: str
    plan: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ErrorText:
    """What the server said."""

    sqlstate: str
    message: str


@dataclass(frozen=True, slots=True)
class RowsText:
    """Rows of a table or a result: values with the names of their types."""

    title: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True, slots=True)
class ExampleText:
    """A small database of ours on which two queries differ: INSERTs, and what each of the two gave."""

    setup: tuple[str, ...]
    original: str
    candidate: str


@dataclass(frozen=True, slots=True)
class PairText:
    """Two queries of somebody else as an example: before and after."""

    title: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SizeText:
    """Rows of a table, about: no more than a plan tells."""

    table: str
    rows: float


@dataclass(frozen=True, slots=True)
class StatisticText:
    """A figure about a table or a column; left out at the level ``schema``. ``values`` are data (most common
    values, bounds) and need ``samples``.
    """

    subject: str
    name: str
    figure: float
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class FreeText:
    """Text from elsewhere (a model's own explanation, a knowledge unit): literals in it are hidden as far as
    they are known, quoted words and numbers otherwise.
    """

    title: str
    text: str


Part = (
    Instruction
    | SqlText
    | SchemaText
    | PlanText
    | ErrorText
    | RowsText
    | ExampleText
    | PairText
    | SizeText
    | StatisticText
    | FreeText
)

# expressions of a plan, which hold the query's literals
_CONDITIONS = (
    "Filter",
    "Index Cond",
    "Recheck Cond",
    "Hash Cond",
    "Merge Cond",
    "Join Filter",
    "Sort Key",
    "Group Key",
    "Presorted Key",
    "One-Time Filter",
    "Cache Key",
)
# names of the schema, or words of the planner's
_FACTS = ("Relation Name", "Alias", "Index Name", "Join Type", "Strategy", "CTE Name", "Subplan Name")
# numbers that say how much, and nothing of whom
_FIGURES = (
    "Total Cost",
    "Plan Rows",
    "Actual Rows",
    "Actual Loops",
    "Rows Removed by Filter",
    "Rows Removed by Join Filter",
    "Heap Fetches",
    "Shared Read Blocks",
    "Temp Written Blocks",
)
_ESTIMATES = ("Total Cost", "Plan Rows")
# what a figure is where it says nothing
_SILENT = {
    "Actual Loops": 1,
    "Rows Removed by Filter": 0,
    "Rows Removed by Join Filter": 0,
    "Heap Fetches": 0,
    "Shared Read Blocks": 0,
    "Temp Written Blocks": 0,
}


def messages(parts: Sequence[Part], redactor: Redactor, *, system: str) -> tuple[Message, ...]:
    """A system message of ours and one user message of the rendered parts with the legend of placeholders."""
    # parts that may not be shown at this level are empty
    body = "\n\n".join(text for part in parts if (text := render(part, redactor)))
    if redactor.hides and (legend := redactor.legend()):
        body += (
            "\n\nPlaceholders stand for literals of these kinds; keep each placeholder you use exactly as "
            "it is,"
            f" and make no literals of your own except 0 and 1:\n{legend}"
        )
    return Message("system", system), Message("user", body)


def render(part: Part, redactor: Redactor) -> str:
    """The text of one part as it may be shown."""
    match part:
        case Instruction():
            return part.text
        case SqlText():
            return f"{part.title}:\n{redactor.sql(part.text)}"
        case SchemaText():
            return f"Schema:\n{redactor.sql(part.text)}"
        case PlanText():
            return f"{part.title}:\n" + "\n".join(_plan_lines(part.plan, redactor, 0))
        case ErrorText():
            return "The server says: " + redactor.error(part.sqlstate, part.message)
        case RowsText():
            return _rows(part, redactor)
        case ExampleText():
            return _example(part, MadeUp(redactor))
        case PairText():
            before, after = redactor.anonymous(part.before), redactor.anonymous(part.after)
            return f"{part.title}\nbefore:\n{before}\nafter:\n{after}"
        case SizeText():
            return f"Table {part.table} has about {part.rows:.0f} rows."
        case StatisticText():
            return _statistic(part, redactor)
        case FreeText():
            return f"{part.title}:\n{redactor.prose(part.text)}"
        case _:
            assert_never(part)


def _rows(part: RowsText, redactor: Redactor) -> str:
    lines = [f"{part.title} ({', '.join(part.columns)}):"]
    # twenty rows show the shape of a result
    for row in part.rows[:20]:
        cells = (redactor.cell(v, t) for v, t in zip(row, part.types, strict=True))
        lines.append(f"  ({', '.join(cells)})")
    if not part.rows:
        lines.append("  no rows")
    return "\n".join(lines)


def _example(part: ExampleText, made_up: MadeUp) -> str:
    rows = "\n".join(f"{made_up.statement(text)};" for text in part.setup)
    freely = made_up.tells_nothing(part.setup)
    return (
        f"A database on which they differ (rows made up for the purpose; everything else is empty):\n{rows}\n"
        f"The original gives:\n{made_up.result(part.original, freely=freely)}\n"
        f"The rewrite gives:\n{made_up.result(part.candidate, freely=freely)}"
    )


def _statistic(part: StatisticText, redactor: Redactor) -> str:
    # figures about columns tell of data: row counts are a part of their own
    if redactor.share == "schema":
        return ""
    # most common values are data
    shown = f" {list(part.values)!r}" if part.values and not redactor.hides else ""
    return f"{part.subject}: {part.name} = {part.figure:g}{shown}"


def _plan_lines(node: Mapping[str, Any], redactor: Redactor, depth: int) -> list[str]:
    """One line a node: only what is listed above gets in, expressions redacted."""
    # plans may be nested deeper than anybody reads
    indent = "  " * min(depth, 40)
    facts = " ".join((str(node.get("Node Type", "?")), *(str(node[f]) for f in _FACTS if f in node)))
    lines = [f"{indent}{facts} ({', '.join(_plan_figures(node))})"]
    for name in _CONDITIONS:
        if name in node:
            value = node[name]
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            lines.append(f"{indent}  {name}: {redactor.plan(text)}")
    for child in node.get("Plans", ()):
        lines += _plan_lines(child, redactor, depth + 1)
    return lines


def _plan_figures(node: Mapping[str, Any]) -> Iterator[str]:
    """Estimates, and what a node really did. Nothing read, written or thrown away goes without saying, and so
    does a node that ran once.
    """
    never = node.get("Actual Loops") == 0
    for name in _FIGURES:
        value = node.get(name)
        if not isinstance(value, int | float) or (never and name not in _ESTIMATES):
            continue
        if _SILENT.get(name) != value:
            yield f"{name.lower()} {float(value):.0f}"
    took = node.get("Actual Total Time")
    if never:
        yield "never executed"
    elif isinstance(took, int | float):
        yield f"actual ms a loop {float(took):.2f}"
