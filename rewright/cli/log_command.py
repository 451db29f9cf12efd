"""``rewright log``: what was done with clients' queries."""

from __future__ import annotations

import time
from pathlib import Path

import click

from rewright.cli.common import (
    JSON_OPTION,
    one_line,
    opened_store,
    stamp,
    with_store,
)
from rewright.cli.documents import log_document
from rewright.cli.parameters import DURATION
from rewright.store.records import LogEntry
from rewright.terminal import echo, echo_json, echo_table, on_terminal

POLL_SECONDS = 0.5
_NAMES = ("when", "took", "route", "who", "why", "query")


@click.command()
@with_store
@click.option("--follow", "-f", is_flag=True, help="keep printing new lines")
@click.option("--since", type=DURATION, help="how far back (1h); default: the last 100 lines")
@click.option("--limit", type=click.IntRange(1), default=None, help="lines at most")
@JSON_OPTION
def command(
    config_path: Path | None,
    store_url: str | None,
    follow: bool,
    since: float | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """What was rewritten, hinted, resolved, asked."""
    begin = 0.0 if since is None else time.time() - since
    # with --since all of that time, else the last screenfuls
    limit = limit or (100 if since is None else 100_000)
    with opened_store(config_path, store_url) as store:
        entries = store.log.read(since=begin, limit=limit)
        if as_json and not follow:
            echo_json([log_document(entry) for entry in entries])
            return
        if not entries and not follow:
            echo("nothing in the log", err=True)
        # a table for people; lines for pipes and for following
        if entries and not follow and on_terminal():
            echo_table(_NAMES, [_row(entry) for entry in entries])
            return
        last = 0
        while True:
            for entry in entries:
                _print(entry, as_json=as_json)
                last = entry.id
            if not follow:
                return
            time.sleep(POLL_SECONDS)
            # after the last one printed, not after a time: two lines may share one
            entries = store.log.read(since=begin, after_id=last, limit=10_000)


def _row(entry: LogEntry) -> tuple[str, ...]:
    """For a terminal."""
    duration = "" if entry.duration_ms is None else f"{entry.duration_ms:.0f} ms"
    rewrite = "" if entry.rewrite_id is None else f" #{entry.rewrite_id}"
    who = one_line(f"{entry.role or '-'}@{entry.database}", 24)
    route = one_line(f"{entry.route}{rewrite}", 20)
    return (
        stamp(entry.at),
        duration,
        route,
        who,
        one_line(entry.reason, 40),
        one_line(entry.query or entry.template, 400),
    )


def _print(entry: LogEntry, *, as_json: bool) -> None:
    if as_json:
        echo_json(log_document(entry), indent=None)
        return
    duration = "" if entry.duration_ms is None else f"{entry.duration_ms:.0f} ms"
    rewrite = "" if entry.rewrite_id is None else f" #{entry.rewrite_id}"
    why = f" ({entry.reason})" if entry.reason else ""
    who = f"{entry.role or '-'}@{entry.database}"
    application = f" [{entry.application_name}]" if entry.application_name else ""
    echo(f"{stamp(entry.at)}  {duration:>9}  {entry.route}{rewrite}{why}  {who}{application}")
    echo(f"    {one_line(entry.query or entry.template, 120)}")
