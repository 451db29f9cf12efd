"""What was found for a list of statements, as one page of HTML that needs no server: the console's own page
of a rewrite, for each of them, behind a table of all. Style is in it; there is no script and no link to
elsewhere.

Pure. Texts and names are hostile: templates escape them. Must not know how a query is optimised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from rewright.console import words
from rewright.console.rendering import environment
from rewright.console.sql_text import one_line
from rewright.console.telling import mapping, told
from rewright.store.records import Rewrite

_STYLE = Path(__file__).parent / "static" / "console.css"


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement. ``rewrite``: the replacement, or None with the ``reason`` why there is none;
    ``servable``: its evidence is as strong as was asked for. ``calls``: how often the statement was seen, 0
    where that is not known. ``stopped``: the original was stopped at ``rewrite.original_ms``. ``advice``:
    documents with ``statements`` and ``reason``.
    """

    name: str
    text: str
    rewrite: Rewrite | None
    servable: bool
    reason: str
    calls: int = 0
    stopped: bool = False
    advice: Sequence[Mapping[str, Any]] = ()


def report(entries: Sequence[Entry], summary: str) -> str:
    """The page."""
    shown = [_shown(number, one) for number, one in enumerate(entries, 1)]
    approvals = [
        {"number": one["number"], "name": one["name"], "why": _why(entry.rewrite)}
        for one, entry in zip(shown, entries, strict=True)
        if entry.rewrite is not None and not entry.servable
    ]
    advice = [
        {"name": entry.name, "text": one.get("reason", ""), "sql": "; ".join(one.get("statements", ()))}
        for entry in entries
        for one in entry.advice
    ]
    return (
        environment()
        .get_template("report.html")
        .render(
            entries=shown,
            approvals=approvals,
            advice=advice,
            summary=summary,
            # ours; a style element holds text that is not escaped
            style=Markup(_STYLE.read_text(encoding="utf-8")),  # noqa: S704 - our own file, without a value from outside
        )
    )


def _shown(number: int, one: Entry) -> dict[str, Any]:
    rewrite = one.rewrite
    # texts of statements may be long: the table shows a line
    common = {"number": number, "name": one.name, "text": one_line(one.text), "calls": one.calls}
    if rewrite is None:
        empty = {"before_ms": None, "after_ms": None, "saved_ms": None, "stopped": False}
        return {**common, **empty, "rewrite": None, "result": "as it is", "done": one.reason}
    before, after = rewrite.original_ms, rewrite.replacement_ms
    # calls times the difference; nothing where either is not known
    saved = one.calls * (before - after) if one.calls and before is not None and after is not None else None
    counterexample = mapping(rewrite.proposal.evidence).get("counterexample")
    return {
        **common,
        "rewrite": {"level": str(rewrite.proposal.level), **asdict(rewrite.proposal)},
        "result": "rewritten" if one.servable else "proposed",
        "before_ms": before,
        "after_ms": after,
        "saved_ms": saved,
        "stopped": one.stopped,
        "done": "; ".join(words.changes(mapping(rewrite.proposal.plans).get("other") or ())),
        "told": told(rewrite, counterexample, literals=True),
    }


def _why(rewrite: Rewrite) -> str:
    """What keeps it from being served unasked."""
    new = rewrite.proposal
    # reservations say more than the level
    if new.modulo:
        return "; ".join(f"{name}: {meaning}" for name, meaning in words.reservations(new.modulo))
    return words.LEVELS[str(new.level)]
