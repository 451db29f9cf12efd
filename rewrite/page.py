"""A report of many outcomes that a DBA can take to a meeting, as Markdown (as HTML:
`rewright.console.report`).

Pure: finished works in, text out. Texts of queries and names are hostile: they are escaped, never
interpreted.
"""

from __future__ import annotations

import difflib
import html
from collections.abc import Sequence

from rewright.rewrite.offline import Done

_COLUMNS = ("query", "result", "evidence", "cost", "time", "what was done")


def summary(done: Sequence[Done]) -> str:
    """One sentence."""
    rewritten = sum(1 for d in done if d.outcome.best and d.outcome.servable)
    proposed = sum(1 for d in done if d.outcome.best and not d.outcome.servable)
    return (
        f"{len(done)} statement{'' if len(done) == 1 else 's'}: {rewritten} rewritten, {proposed} proposed, "
        f"{len(done) - rewritten - proposed} left as they are."
    )


def markdown(done: Sequence[Done]) -> str:
    """The whole report."""
    lines = ["# Query rewriting report", "", summary(done), "", _row(_COLUMNS), _row(["---"] * len(_COLUMNS))]
    lines += [_row([_cell(c) for c in cells(d)]) for d in done]
    for d in done:
        if d.outcome.best is not None or d.advice:
            lines += ["", f"## {_cell(d.work.name)}", "", *(f"- {_cell(line)}" for line in _details(d))]
        # a proposal is shown with its text as well: somebody may want to run it by hand
        if d.outcome.best is not None:
            lines += ["", *_fenced("\n".join(diff(d)), "diff")]
    return "\n".join(lines) + "\n"


def cells(done: Done) -> tuple[str, ...]:
    """The table's row of one work."""
    outcome, best = done.outcome, done.outcome.best
    if best is None:
        return done.work.name, "as it is", "", "", "", outcome.reason
    evidence = best.checked.evidence
    reservations = f", modulo {', '.join(evidence.modulo)}" if evidence.modulo else ""
    return (
        done.work.name,
        "rewritten" if outcome.servable else "proposed",
        f"{evidence.level}{reservations} ({outcome.scoped.scope} literals)",
        _pair(best.cost_before, best.cost_after, ""),
        _pair(best.seconds_before, best.seconds_after, " s", cancelled=cancelled(done)),
        " → ".join(s.name for s in best.checked.candidate.steps),
    )


def cancelled(done: Done) -> bool:
    """Whether the original was cancelled in its runs, so that it takes longer than its time says."""
    best = done.outcome.best
    return best is not None and bool(best.report.get("cost", {}).get("stopped"))


def diff(done: Done) -> list[str]:
    """Original and replacement, line by line."""
    best = done.outcome.best
    replacement = best.checked.candidate.sql if best else done.outcome.original
    return list(
        difflib.unified_diff(
            done.outcome.original.splitlines(),
            replacement.splitlines(),
            "original",
            "replacement",
            lineterm="",
            # the whole text, not only the lines around a change
            n=1000,
        )
    )


def _details(done: Done) -> list[str]:
    """What a rewrite rests on and changes in the plan; what would help besides."""
    best, lines = done.outcome.best, list[str]()
    if best is not None:
        lines += [f"rests on: {fact}" for fact in best.checked.evidence.assumptions]
        lines += [str(change) for change in best.report.get("plan", {}).get("changes", ())]
        lines = lines or ["no schema fact is needed"]
    for one in done.advice:
        lines.append(f"would help: {'; '.join(one['statements'])} ({one['reason']})")
    return lines


def _pair(before: float | None, after: float | None, unit: str, *, cancelled: bool = False) -> str:
    if before is None or after is None:
        return ""
    # cancelled: the time says at least
    was = f"> {_figure(before)}{unit} (cancelled)" if cancelled else f"{_figure(before)}{unit}"
    return f"{was} → {_figure(after)}{unit}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _row(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _cell(text: str) -> str:
    # one line: a line break would end the table's row
    flat = html.escape(" ".join(text.split()), quote=False)
    # Markdown's own signs in a query's text or name must not format the report
    return "".join(f"\\{c}" if c in "\\|`*_[]" else c for c in flat)


def _fenced(text: str, kind: str) -> list[str]:
    """A fence longer than any run of backticks inside."""
    fence = "`" * max(3, 1 + max((len(run) for run in _runs(text)), default=0))
    return [f"{fence}{kind}", text, fence]


def _runs(text: str) -> list[str]:
    return ["`" * len(part) for part in "".join(c if c == "`" else " " for c in text).split()]
