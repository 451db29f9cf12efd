"""What a tool reads of a database by itself: a plan, the most expensive queries. ``python -m
rewright.mcp.reading``.

Owns those two documents. Runs as a process of its own, which the server ends with the call
(`rewright.mcp.children`).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from rewright.cli import Failure
from rewright.cli.common import CONFIG_OPTION, configuration
from rewright.cli.parameters import DSN, DSN_VARIABLE, DURATION
from rewright.terminal import echo_json

MISESTIMATE = 10.0
"""A q-error from which a node's row count is worth telling."""


@click.group()
def commands() -> None:
    """The documents."""


@commands.command()
@click.argument("query", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--dsn", type=DSN, required=True, envvar=DSN_VARIABLE)
@click.option("--analyze", is_flag=True)
@click.option("--timeout", type=DURATION, default="30s")
def plan(query: Path, dsn: str, analyze: bool, timeout: float) -> None:
    from rewright.engines.postgres.session import Limits, Session

    with Session(dsn, limits=Limits(statement=timeout), own=True) as session:
        text = query.read_text(encoding="utf-8")
        # a text of pg_stat_statements has parameters without values: it can be planned, not run
        found = session.explain(text, analyze=analyze, generic="$1" in text and not analyze)
    echo_json(plan_document(found))


@commands.command()
@click.option("--dsn", type=DSN, required=True, envvar=DSN_VARIABLE)
@click.option("--limit", type=click.IntRange(1, 100), default=10)
@CONFIG_OPTION
def top(dsn: str, limit: int, config_path: Path | None) -> None:
    from rewright.engines.postgres.session import Session
    from rewright.rewrite.offline import top as most_expensive
    from rewright.wiring.accounts import own_roles

    own = own_roles(configuration(config_path))
    with Session(dsn) as session:
        found = most_expensive(session, limit, own)
    echo_json(
        [
            {
                "name": one.name,
                "query": one.sql,
                "mean_seconds": one.observed,
                "calls": one.calls,
                "total_seconds": None if one.observed is None else one.observed * (one.calls or 0),
            }
            for one in found
        ]
    )


def plan_document(plan: Any) -> dict[str, Any]:
    """The tree with what matters of each node, and where the planner's row counts were wrong."""
    # a node that was not executed has no q-error, and counts as right
    wrong = [node for node in plan.walk() if (node.q_error or 1.0) >= MISESTIMATE]
    return {
        "cost": plan.cost,
        "seconds": plan.execution_seconds,
        "tree": _node(plan.root),
        "misestimates": [
            {"node": _title(node), "estimated": node.rows, "actual": node.actual.rows}
            # the worst five: more would be read as noise
            for node in sorted(wrong, key=lambda node: node.q_error, reverse=True)[:5]
        ],
    }


def _node(node: Any) -> dict[str, Any]:
    document: dict[str, Any] = {"node": _title(node), "cost": node.total_cost, "rows": node.rows}
    if node.actual is not None:
        document |= {
            "actual_rows": node.actual.rows,
            "loops": node.actual.loops,
            # PostgreSQL gives the average of all loops
            "seconds": node.actual.seconds * node.actual.loops,
        }
    if node.conditions:
        document["conditions"] = dict(node.conditions)
    if node.children:
        document["children"] = [_node(child) for child in node.children]
    return document


def _title(node: Any) -> str:
    return " ".join(filter(None, (node.operator, f"on {node.relation}" if node.relation else "")))


def main() -> None:
    from rewright.engines.postgres.session import SessionError
    from rewright.rewrite.offline import InputError

    try:
        commands()
    except SessionError as error:
        Failure(f"database: {error}").show()
        sys.exit(1)
    except InputError as error:
        Failure(str(error)).show()
        sys.exit(1)


if __name__ == "__main__":
    main()
