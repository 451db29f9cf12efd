"""The tour: one slow query before and after, the log, and how a session switches it off.

A client like any other: all it does goes through the proxy. Must not know processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg

from rewright.console.sql_text import formatted
from rewright.console.words import proposers

# Q17 of TPC-H: the average of each part's quantities is computed again for each of its lines
QUERY = """select sum(l_extendedprice) / 7.0 as avg_yearly
from lineitem, part
where p_partkey = l_partkey
  and p_brand = 'Brand#23'
  and p_container = 'MED BOX'
  and l_quantity < (select 0.2 * avg(l_quantity) from lineitem where l_partkey = p_partkey)"""

# a laptop that is busy takes long to find and prove it
PATIENCE_SECONDS = 180.0
Say = Callable[[str], None]


class TourFailed(Exception):
    """Something promised did not happen; the message says what."""


def tour(dsn: str, say: Say) -> None:
    """Walk through it; raises TourFailed, psycopg.Error."""
    with psycopg.connect(dsn, autocommit=True, application_name="rewright tour") as connection:
        say("\n1. A slow query, the first time (as the database runs it):\n\n" + QUERY + "\n")
        before, first = _timed(connection)
        say(f"   {_show(first)}   {before * 1000:,.0f} ms")

        say("\n2. The optimiser looks at it in the background, and a checker at what it found:")
        found = _wait(connection, say)
        by = proposers(found[2].split(", "))
        say(f"\n   rewrite {found[0]}, {found[1]}, found by {by}:\n\n{_indent(formatted(found[3]))}\n")
        if found[1] == "tested":
            # the prover ran out of its time, as on a very busy machine
            say("   Only what is proved is served unasked. This session takes what tests say:\n")
            say("   set rewright.trust = 'tested'\n")
            connection.execute("set rewright.trust = 'tested'")

        say("3. The same query again (same connection, same text):\n")
        after, second = _served(connection)
        say(f"   {_show(second)}   {after * 1000:,.0f} ms, {before / after:,.0f} times faster")
        if first != second:
            raise TourFailed(f"the answer changed: {first} and then {second}")

        say("\n4. What was done, from the same connection:\n")
        say("   show rewright.last;\n     " + str(_one(connection, "show rewright.last")))
        _show_log(connection, say)

        say("\n5. Switched off in this session: set rewright.mode = off\n")
        connection.execute("set rewright.mode = 'off'")
        off, third = _timed(connection)
        say(f"   {_show(third)}   {off * 1000:,.0f} ms")
        if third != first:
            raise TourFailed(f"the answer changed: {first} and then {third}")


def _timed(connection: psycopg.Connection[Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    row = connection.execute(QUERY).fetchone()
    return time.perf_counter() - began, row


def _wait(connection: psycopg.Connection[Any], say: Say) -> Any:
    """The rewrite of our query; raises TourFailed when there is none."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        row = connection.execute(
            "select id, verdict, sources, replacement from rewright.rewrites "
            # any rewrite will do: there is but one slow query in this world
            "where verdict in ('proved', 'tested') order by id desc limit 1"
        ).fetchone()
        if row is not None:
            return row
        gave_up = connection.execute(
            "select reason from rewright.queries where status in ('nothing', 'failed')"
        ).fetchone()
        # given up: waiting for the time to pass would tell nothing more
        if gave_up is not None:
            raise TourFailed(f"nothing was found: {gave_up[0]}")
        time.sleep(0.3)
    say("")
    raise TourFailed(f"nothing was found within {PATIENCE_SECONDS:.0f} s")


def _served(connection: psycopg.Connection[Any]) -> tuple[float, Any]:
    """The first execution that ran the replacement: relays learn of it within a second."""
    for _ in range(20):
        seconds, row = _timed(connection)
        last = str(_one(connection, "show rewright.last"))
        if last.startswith("replacement"):
            return seconds, row
        time.sleep(0.3)
    raise TourFailed(f"the rewrite was not served: {last}")


def _show_log(connection: psycopg.Connection[Any], say: Say) -> None:
    statement = "select route, reason, round(duration_ms) as ms from rewright.log order by id"
    deadline = time.monotonic() + 10
    rows = connection.execute(statement).fetchall()
    # what was served is written down within a second
    while not any(row[0] == "rewritten" for row in rows) and time.monotonic() < deadline:
        time.sleep(0.2)
        rows = connection.execute(statement).fetchall()
    say(f"\n   {statement};")
    for route, reason, ms in rows:
        say(f"     {route:<10} {reason:<10} {ms:>8,.0f}")


def _one(connection: psycopg.Connection[Any], statement: str) -> object:
    row = connection.execute(statement.encode()).fetchone()
    return row[0] if row else None


def _show(row: Any) -> str:
    return f"avg_yearly = {row[0]:,.2f}" if row and row[0] is not None else "no row"


def _indent(text: str) -> str:
    return "\n".join("     " + line for line in text.splitlines())
