"""A report of many outcomes that a DBA can take to a meeting: Markdown, and the same as one HTML page.

Pure: finished works in, text out. Texts of queries and names are hostile: they are escaped, never interpreted.
"""

from __future__ import annotations

import difflib
import html
from collections.abc import Sequence

from rewright.rewrite.offline import Done

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.3em .6em;border-bottom:1px solid #ddd;text-align:left}"
    "pre{background:#f6f6f6;padding:1em;overflow-x:auto}ins{background:#d8f5d8;text-decoration:none;display:block}"
    "del{background:#fbdcdc;text-decoration:none;display:block}"
)
_COLUMNS = ("query", "result", "evidence", "cost", "time", "what was done")


def summary(done: Sequence[Done]) -> str:
    """One sentence."""
    rewritten = sum(1 for d in done if d.outcome.best and d.outcome.servable)
    proposed = sum(1 for d in done if d.outcome.best and not d.outcome.servable)
    return f"{len(done)} statements: {rewritten} rewritten, {proposed} proposed, {len(done) - rewritten - proposed} left as they are."


def markdown(done: Sequence[Done]) -> str:
    """The whole report."""
    lines = ["# Query rewriting report", "", summary(done), "", _row(_COLUMNS), _row(["---"] * len(_COLUMNS))]
    lines += [_row([_cell(c) for c in cells(d)]) for d in done]
    for d in done:
        if d.outcome.best is not None:
            lines += [
                "",
                f"## {_cell(d.work.name)}",
                "",
                *_details(d),
                "",
                *_fenced("\n".join(diff(d)), "diff"),
            ]
    return "\n".join(lines) + "\n"


def page(done: Sequence[Done]) -> str:
    """The whole report as one HTML page without scripts or links."""
    head = "".join(f"<th>{html.escape(c)}</th>" for c in _COLUMNS)
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells(d)) + "</tr>" for d in done)
    sections = "".join(_section(d) for d in done if d.outcome.best is not None)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Query rewriting report</title>"
        f"<style>{_STYLE}</style><h1>Query rewriting report</h1><p>{html.escape(summary(done))}</p>"
        f"<table><tr>{head}</tr>{rows}</table>{sections}</html>\n"
    )


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
        _pair(best.seconds_before, best.seconds_after, " s"),
        " → ".join(s.name for s in best.checked.candidate.steps),
    )


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
            n=1000,
        )
    )


def _details(done: Done) -> list[str]:
    best = done.outcome.best
    assert best is not None
    facts = best.checked.evidence.assumptions
    lines = [f"- rests on: {_cell(f)}" for f in facts]
    lines += [f"- {_cell(str(change))}" for change in best.report.get("plan", {}).get("changes", ())]
    return lines or ["- no schema fact is needed"]


def _section(done: Done) -> str:
    lines = []
    for line in diff(done)[2:]:
        tag = {"+": "ins", "-": "del"}.get(line[:1])
        text = html.escape(line)
        lines.append(f"<{tag}>{text}</{tag}>" if tag else text + "\n")
    details = "".join(f"<li>{html.escape(d.removeprefix('- '))}</li>" for d in _details(done))
    return f"<h2>{html.escape(done.work.name)}</h2><ul>{details}</ul><pre>{''.join(lines)}</pre>"


def _pair(before: float | None, after: float | None, unit: str) -> str:
    if before is None or after is None:
        return ""
    return f"{_figure(before)}{unit} → {_figure(after)}{unit}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _row(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _cell(text: str) -> str:
    flat = html.escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{c}" if c in "\\|`*_[]" else c for c in flat)


def _fenced(text: str, kind: str) -> list[str]:
    """A fence longer than any run of backticks inside."""
    fence = "`" * max(3, 1 + max((len(run) for run in _runs(text)), default=0))
    return [f"{fence}{kind}", text, fence]


def _runs(text: str) -> list[str]:
    return ["`" * len(part) for part in "".join(c if c == "`" else " " for c in text).split()]
