"""EXPLAIN (REWRITE): asks the optimiser's process and says what came of it, as EXPLAIN would.

Owns the proxy's ``Explainer`` port and the text form. Must not know how anything is found.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.console.sql_text import formatted
from rewright.processes.jobs import Job
from rewright.proxy.answers.parts import ExplainRequest
from rewright.proxy.ports import SessionView, SqlError
from rewright.wiring.asking import ask


@dataclass(frozen=True, slots=True)
class SocketExplainer:
    """``patience``: seconds to wait for the outcome."""

    path: str
    patience: float

    async def explain(self, request: ExplainRequest, session: SessionView) -> Sequence[str]:
        job = Job(
            database=session.database,
            text=request.sql,
            param_types=(),
            observed=0.0,
            role=session.role,
            application_name=session.application_name,
            model=session.settings.model,
            hints=session.settings.hints,
            kind="explain",
            analyze=request.analyze,
        )
        try:
            async with asyncio.timeout(self.patience):
                reply = await ask(self.path, job)
        except TimeoutError as error:
            raise SqlError("57014", "the optimiser did not answer in time") from error
        except (OSError, ValueError) as error:
            raise SqlError("57P03", "the optimiser is not running") from error
        if "error" in reply:
            raise SqlError(*reply["error"])
        outcome = reply["outcome"]
        if request.format == "json":
            return [json.dumps([outcome], indent=2, ensure_ascii=False)]
        return list(text(outcome))


def text(outcome: Mapping[str, Any]) -> Iterator[str]:
    """Lines for people, from the outcome's document."""
    replacement = outcome["rewritten"] or outcome["proposed"]
    yield "Original"
    yield from _indented(outcome["original"])
    if replacement is None:
        yield f"Not rewritten: {outcome['reason']}"
    else:
        yield (
            "Replacement"
            if outcome["rewritten"]
            else f"Proposed replacement, not served: {outcome['reason']}"
        )
        yield from _indented(formatted(replacement))
        yield f"Verdict: {outcome['verdict']}" + _up_to(outcome["modulo"])
        yield from (f"  given {assumption}" for assumption in outcome["assumptions"])
    if outcome["hints"]:
        yield f"Hints: {outcome['hints']}"
    if outcome.get("hinting"):
        from rewright.hints.text_report import lines_of_document

        yield from (f"  {line}".rstrip() for line in lines_of_document(outcome["hinting"]))
    yield f"Cost: {_figure(outcome['cost_before'])} -> {_figure(outcome['cost_after'])}"
    if outcome["seconds_after"] is not None:
        yield f"Time: {_ms(outcome['seconds_before'])} -> {_ms(outcome['seconds_after'])}"
    for number, step in enumerate(outcome["steps"], 1):
        note = f": {step['note']}" if step["note"] else ""
        yield f"Step {number}: {step['name']}{note}"
    yield f"Optimised in {_ms(outcome['seconds'])}"


def _indented(sql: str) -> Iterator[str]:
    return ("  " + line for line in sql.splitlines())


def _up_to(modulo: Sequence[str]) -> str:
    return f", up to {', '.join(modulo)}" if modulo else ""


def _figure(value: float | None) -> str:
    return "?" if value is None else f"{value:.2f}"


def _ms(seconds: float | None) -> str:
    return "?" if seconds is None else f"{seconds * 1000:.1f} ms"
