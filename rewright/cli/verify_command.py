"""``rewright verify``: are two queries the same? One pair, or a file of pairs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from rewright.cli import DatabaseFailure, Failure
from rewright.cli.common import JSON_OPTION, part
from rewright.cli.parameters import DSN, DSN_VARIABLE, DURATION, IN_FILE, OUT_FILE, Words
from rewright.cli.statements import query_of, schema_of
from rewright.terminal import echo, echo_json

EXIT_CODES = {"refuted": 1, "unknown": 3}


@click.command()
@click.argument("queries", nargs=-1, type=IN_FILE)
@click.option("--schema", type=IN_FILE, help="plain DDL")
@click.option(
    "--dsn", type=DSN, envvar=DSN_VARIABLE, show_envvar=True, help="or a database to take the schema from"
)
@click.option(
    "--require",
    type=click.Choice(["proved", "tested", "judged"]),
    help="exit with 1 if the verdict is weaker",
)
@click.option(
    "--exit-code", is_flag=True, help="exit with 1 for a refuted pair, 3 for an undecided one (unknown)"
)
@click.option(
    "--accept",
    type=Words("float-order", "tie-order", "refinement"),
    default="float-order",
    show_default=True,
    help="reservations a proof may have, separated by commas",
)
@click.option("--batch", type=IN_FILE, help='pairs as JSON lines: {"id", "schema_sql", "q1", "q2"}')
@click.option("--out", type=OUT_FILE, help="verdicts as JSON lines; an interrupted run is resumed")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True)
@click.option("--timeout", type=DURATION, default="10s", show_default=True, help="for one pair")
@click.option("--seed", type=int, default=0, show_default=True, help="seed of the generated databases")
@click.option(
    "--certificate",
    type=OUT_FILE,
    help="write the proof here for rewright recheck; with --batch as JSON lines",
)
@JSON_OPTION
def command(
    queries: tuple[Path, ...],
    schema: Path | None,
    dsn: str | None,
    require: str | None,
    exit_code: bool,
    accept: tuple[str, ...],
    batch: Path | None,
    out: Path | None,
    jobs: int,
    timeout: float,
    seed: int,
    certificate: Path | None,
    as_json: bool,
) -> None:
    """Judge whether B.sql may stand for A.sql over a schema: proved, tested, judged, refuted or unknown."""
    options = part("rewright.equivalence.options", "verify").Options(seconds=timeout, seed=seed)
    if batch is not None:
        if out is None or queries:
            raise click.UsageError("--batch goes with --out and without queries")
        work = partial(
            part("rewright.equivalence.command", "verify").verify_batch,
            *(batch, out),
            jobs=jobs,
            timeout=timeout,
            options=options,
            certificates=certificate,
        )
        # the counts of verdicts; the verdicts themselves are in the file
        echo(json.dumps(dict(sorted(_guarded(work).items()))), err=not as_json)
        return
    if (schema is None and dsn is None) or len(queries) != 2:
        raise click.UsageError(
            "verify --schema schema.sql A.sql B.sql, or --batch pairs.jsonl --out verdicts.jsonl"
        )
    original, candidate = map(query_of, queries)
    verdict = _judged(schema, dsn, original, candidate, {"options": options, "certificate": certificate})
    _show(verdict, as_json=as_json)
    _end(verdict, require, frozenset(accept), exit_code=exit_code)


def _end(verdict: Any, require: str | None, accepted: frozenset[str], *, exit_code: bool) -> None:
    """With the exit code that was asked for; raises Failure for a verdict weaker than required."""
    verdicts = part("rewright.equivalence.verdicts", "verify")
    if require and not verdicts.meets(verdict, require, accepted):
        raise Failure(f"{verdicts.counts_as(verdict, accepted)}, but {require} is required")
    if exit_code:
        # proved, tested and judged are all 0: no difference is known
        sys.exit(EXIT_CODES.get(verdicts.to_json(verdict)["verdict"], 0))


def _judged(
    schema: Path | None, dsn: str | None, original: str, candidate: str, given: Mapping[str, Any]
) -> Any:
    """The verdict on a pair over a schema's text, or else over a database's schema."""
    command = part("rewright.equivalence.command", "verify")
    # a schema that was named counts, whatever the environment holds
    if schema is not None:
        schema_text = schema_of(schema)
        return _guarded(lambda: command.verify_pair(schema_text, original, candidate, **given))
    return _guarded(lambda: command.verify_on(dsn, original, candidate, **given))


def _show(verdict: Any, *, as_json: bool) -> None:
    if as_json:
        echo_json(part("rewright.equivalence.verdicts", "verify").to_json(verdict))
    else:
        echo(part("rewright.equivalence.command", "verify").describe(verdict))


def _guarded(work: Callable[[], Any]) -> Any:
    """Errors of the machine as the command's."""
    from rewright.engines.postgres.installation import ServerUnavailable
    from rewright.engines.postgres.session import SessionError
    from rewright.equivalence.certificates import NoCertificate

    try:
        return work()
    except SessionError as error:
        raise DatabaseFailure(error) from error
    except NoCertificate as error:
        raise Failure(f"no certificate: {error}") from error
    except ServerUnavailable as error:
        raise Failure(f"no scratch server: {error}") from error
    except OSError as error:
        raise Failure(str(error)) from error
