"""``rewright show``: one rewrite with everything known of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rewright.cli import Failure
from rewright.cli.common import JSON_OPTION, opened_store, with_store
from rewright.cli.documents import rewrite_document
from rewright.store.errors import NotFound
from rewright.store.records import Rewrite
from rewright.terminal import echo, echo_json


@click.command()
@click.argument("identifier", metavar="ID", type=int)
@with_store
@JSON_OPTION
def command(identifier: int, config_path: Path | None, store_url: str | None, as_json: bool) -> None:
    """One rewrite: what was wrong, what was done, both texts as a diff, evidence, both plans, history.

    ID is a rewrite's number, or the server's queryid of the original.
    """
    with opened_store(config_path, store_url) as store:
        rewrite = find(store, identifier)
        events = store.events.of(rewrite_id=rewrite.id)
        # both sides in one list, each line of which says its side
        timings = [
            one for side in ("original", "replacement") for one in store.rewrites.timings(rewrite.id, side)
        ]
    if as_json:
        echo_json(rewrite_document(rewrite, events, timings))
        return
    from rewright.cli.shown_rewrite import lines_of

    echo("\n".join(lines_of(rewrite, events)))


def find(store: Any, identifier: int) -> Rewrite:
    """By number or queryid; raises Failure."""
    try:
        found: Rewrite = store.rewrites.get(identifier)
        return found
    except NotFound:
        # a queryid is a bigint; larger numbers cannot be asked for
        by_queryid = store.rewrites.find(queryid=identifier, limit=1) if abs(identifier) < 2**63 else []
    if not by_queryid:
        raise Failure(f"there is no rewrite {identifier} in this store; rewright log lists them")
    first: Rewrite = by_queryid[0]
    return first
