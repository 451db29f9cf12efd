"""One rewrite as lines for a person: what was wrong, what was done, why it is the same query, both plans.

The words are those of the console's page (`rewright.console.telling`). Must not print.
"""

from __future__ import annotations

import difflib
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rewright.cli.common import part, stamp
from rewright.console.plan_view import Shown
from rewright.console.sql_text import formatted
from rewright.console.telling import mapping, told
from rewright.console.words import proposers
from rewright.sql.forms import fixed_in
from rewright.store.life import Action
from rewright.store.records import Event, Rewrite

_WIDTH = 100


def lines_of(rewrite: Rewrite, events: Sequence[Event]) -> Iterator[str]:
    """Everything about one rewrite. Texts are as they were sent: see `rewright.terminal.echo`."""
    told_ = told(rewrite, mapping(rewrite.proposal.evidence).get("counterexample"), literals=True)
    yield from _summary(rewrite, told_)
    yield from _section("what was wrong", map(_item, told_["wrong"]))
    yield from _section("what was done", map(_item, told_["done"]))
    yield ""
    yield diff(formatted(rewrite.proposal.original), formatted(rewrite.proposal.replacement))
    yield from _section("why both are the same query", _evidence(rewrite, told_))
    yield from _section("a database on which they differ", _counterexample(told_["counterexample"]))
    for side in ("before", "after"):
        title = "plan of the original" if side == "before" else "plan of the replacement"
        yield from _section(title, _tree(told_[f"plan_{side}"]))
    yield from _section("hints", _hints(rewrite))
    yield from _section("history", map(_happened, events))


def diff(before: str, after: str) -> str:
    """Both texts, line by line."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "original", "replacement", lineterm="", n=99
    )
    return "\n".join(lines)


def _summary(rewrite: Rewrite, told_: Mapping[str, Any]) -> Iterator[str]:
    proposal = rewrite.proposal
    approved = ", approved" if rewrite.approved else ""
    reason = f": {rewrite.reason}" if rewrite.reason else ""
    modulo = f" modulo {', '.join(proposal.modulo)}" if proposal.modulo else ""
    kept = fixed_in(proposal.template) if proposal.scope == "any" else ()
    but = f" but {', '.join(dict.fromkeys(kept))}" if kept else ""
    scope = f"all literals{but}" if proposal.scope == "any" else "these literals"
    yield f"rewrite {rewrite.id} on {proposal.database}: {rewrite.state}{approved}{reason}"
    yield f"  It {told_['state']}."
    yield f"  verdict   {proposal.level}{modulo}; holds for {scope}"
    yield f"  found by  {proposers(proposal.sources) or '-'}, {stamp(rewrite.created_at)}"
    yield f"  cost      {_figure(proposal.cost_before)} -> {_figure(proposal.cost_after)}"
    yield f"  time      {_milliseconds(rewrite, told_)}"
    yield f"  served    {rewrite.served} times"


def _milliseconds(rewrite: Rewrite, told_: Mapping[str, Any]) -> str:
    before, after = rewrite.original_ms, rewrite.replacement_ms
    longer = "> " if told_["stopped"] else ""
    # a replacement that is slower is told by its times alone
    times = f", {before / after:.1f} times faster" if before and after and before > after else ""
    return f"{longer}{_figure(before, ' ms')} -> {_figure(after, ' ms')}{times}"


def _evidence(rewrite: Rewrite, told_: Mapping[str, Any]) -> Iterator[str]:
    yield from _wrapped(" ".join(one for one in (told_["level"], told_["coverage"]) if one))
    for name, meaning in told_["reservations"]:
        yield from _wrapped(f"{name}: {meaning}")
    for fact in told_["facts"]:
        yield from _wrapped(f"It relies on {fact.text}. {fact.if_dropped}")
    if not told_["facts"] and rewrite.proposal.level.value == "proved":
        yield "It relies on no constraint of the schema."
    for side, what, times in told_["steps"]:
        where = "both" if side == "both" else f"the {side}"
        again = f" ({times} times)" if times > 1 else ""
        yield from _wrapped(_item(f"in {where}: {what}{again}"))


def _counterexample(found: Any) -> Iterator[str]:
    if not isinstance(found, dict):
        return
    yield str(found.get("script") or "\n".join(map(str, found.get("setup", ()))))
    for side, name in (("original", "original"), ("candidate", "replacement")):
        if found.get(side):
            yield f"the {name} gives"
            yield textwrap.indent(str(found[side]), "  ")


def _tree(node: Shown | None, indent: str = "") -> Iterator[str]:
    if node is None:
        return
    # cold nodes take next to nothing: a share would only distract
    share = f", {node.share:.0%}" if node.heat != "cold" else ""
    yield f"{indent}{node.title}: {node.rows}, {node.work}{share}"
    for name, condition in node.conditions:
        yield f"{indent}    {name}: {condition}"
    if node.remark:
        yield f"{indent}    {node.remark}"
    for child in node.children:
        yield from _tree(child, indent + "  ")


def _hints(rewrite: Rewrite) -> Iterator[str]:
    proposal = rewrite.proposal
    if proposal.hints:
        yield proposal.hints
    # what was found for a rewrite is with its plans; for an original with hints alone it is the evidence
    documents = (mapping(proposal.plans), mapping(proposal.evidence))
    report = next((one["hints"] for one in documents if isinstance(one.get("hints"), dict)), None)
    if report is not None:
        yield from part("rewright.hints.text_report", "show").lines_of_document(report)


def _happened(event: Event) -> str:
    detail = mapping(event.detail)
    # a change of state; all other steps are of the search
    if event.step in set(Action):
        why = f": {detail['reason']}" if detail.get("reason") else ""
        said = f"{detail.get('from', '')} -> {detail.get('to', '')}, by {detail.get('by', '')}{why}"
    else:
        said = "" if event.detail is None else json.dumps(event.detail, ensure_ascii=False, default=str)
    return f"{stamp(event.at)}  {event.step}  {said}".rstrip()


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = [line.rstrip() for line in lines]
    if found:
        yield f"\n{title}"
        yield textwrap.indent("\n".join(found), "  ")


def _item(text: str) -> str:
    return f"- {text}"


def _wrapped(text: str) -> Sequence[str]:
    return textwrap.wrap(text, _WIDTH, subsequent_indent="  ", break_long_words=False) or [""]


def _figure(value: float | None, unit: str = "") -> str:
    return "?" if value is None else f"{value:,.1f}{unit}"
