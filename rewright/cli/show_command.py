"""``rewright show``: one rewrite with everything known of it."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import click

from rewright.cli import Failure
from rewright.cli.common import JSON_OPTION, opened_store, part, print_json, stamp, with_store
from rewright.cli.documents import rewrite_document
from rewright.store.errors import NotFound
from rewright.store.records import Rewrite


@click.command()
@click.argument("identifier", metavar="ID", type=int)
@with_store
@JSON_OPTION
def command(identifier: int, config_path: Path | None, store_url: str | None, as_json: bool) -> None:
    """One rewrite: both texts as a diff, evidence, plans, timings, trace.

    ID is a rewrite's number, or the server's queryid of the original.
    """
    with opened_store(config_path, store_url) as store:
        rewrite = find(store, identifier)
        events = store.events.of(rewrite_id=rewrite.id)
        timings = [
            one for side in ("original", "replacement") for one in store.rewrites.timings(rewrite.id, side)
        ]
    document = rewrite_document(rewrite, events, timings)
    if as_json:
        print_json(document)
    else:
        _print(rewrite, document)


def find(store: Any, identifier: int) -> Rewrite:
    """By number or queryid; raises Failure."""
    try:
        found: Rewrite = store.rewrites.get(identifier)
        return found
    except NotFound:
        by_queryid = store.rewrites.find(queryid=identifier, limit=1) if abs(identifier) < 2**63 else []
    if not by_queryid:
        raise Failure(f"there is no rewrite {identifier}")
    first: Rewrite = by_queryid[0]
    return first


def diff(before: str, after: str) -> str:
    """Both texts, line by line."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "original", "replacement", lineterm="", n=99
    )
    return "\n".join(lines)


def _print(rewrite: Rewrite, document: dict[str, Any]) -> None:
    proposal = rewrite.proposal
    approved = ", approved" if rewrite.approved else ""
    reason = f": {rewrite.reason}" if rewrite.reason else ""
    click.echo(f"rewrite {rewrite.id} on {proposal.database}: {rewrite.state}{approved}{reason}")
    modulo = f" modulo {', '.join(proposal.modulo)}" if proposal.modulo else ""
    click.echo(f"  verdict   {proposal.level}{modulo}; holds for {_scope(rewrite)}")
    click.echo(f"  found by  {', '.join(proposal.sources) or '-'}, {stamp(rewrite.created_at)}")
    click.echo(f"  cost      {_figure(proposal.cost_before)} -> {_figure(proposal.cost_after)}")
    click.echo(
        f"  time      {_figure(rewrite.original_ms, ' ms')} -> {_figure(rewrite.replacement_ms, ' ms')}"
    )
    click.echo(f"  served    {rewrite.served} times")
    if proposal.hints:
        click.echo(f"  hints     {proposal.hints}")
    click.echo("")
    click.echo(diff(proposal.original, proposal.replacement))
    hinting = next(
        (
            d["hints"]
            for d in (document["plans"], document["evidence"])
            if isinstance(d, dict) and "hints" in d
        ),
        None,
    )
    if isinstance(hinting, dict):
        click.echo("\nhints")
        click.echo(
            "\n".join(
                f"  {line}".rstrip()
                for line in part("rewright.hints.text_report", "show").lines_of_document(hinting)
            )
        )
    for title in ("evidence", "plans"):
        if document[title] is not None:
            click.echo(f"\n{title}")
            click.echo(json.dumps(document[title], indent=2, ensure_ascii=False, default=str))
    if document["events"]:
        click.echo("\nsteps")
    for event in document["events"]:
        detail = (
            "" if event["detail"] is None else json.dumps(event["detail"], ensure_ascii=False, default=str)
        )
        click.echo(f"  {event['at'][:19]}  {event['step']}  {detail}")


def _scope(rewrite: Rewrite) -> str:
    return "all literals" if rewrite.proposal.scope == "any" else "these literals"


def _figure(value: float | None, unit: str = "") -> str:
    return "?" if value is None else f"{value:.1f}{unit}"
