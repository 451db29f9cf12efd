"""``rewright hintplan``: get pg_hint_plan, see whether it works, print rows for its hint table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rewright.cli import DatabaseFailure, Failure
from rewright.cli.common import JSON_OPTION, part
from rewright.cli.parameters import DSN, IN_FILE
from rewright.cli.statements import query_of
from rewright.reaching import with_remedy
from rewright.terminal import echo, echo_json


@click.group()
def command() -> None:
    """pg_hint_plan: the extension that hints need."""


@command.command()
@click.argument("dsn", type=DSN, required=False)
@click.option("--role", help="load it for this role only")
@JSON_OPTION
def install(dsn: str | None, role: str | None, as_json: bool) -> None:
    """Without DSN: put the extension into the embedded PostgreSQL, from the machine's own Debian archive.

    With DSN (a superuser's): CREATE EXTENSION there and load the library at every login; the server's
    machine must have the package.
    """
    # without a server of the user's own: the embedded one, which needs no rights
    if dsn is None:
        hintplan = part("rewright.engines.postgres.hintplan", "hintplan")
        try:
            files = hintplan.install()
        except hintplan.HintPlanUnavailable as error:
            raise Failure(str(error)) from error
        said = f"pg_hint_plan is in the embedded PostgreSQL ({len(files)} files)"
        _told({"installed": "embedded", "files": len(files)}, said, as_json)
        return
    import psycopg
    from psycopg import sql

    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            # in this order: the library needs no extension, but hint tables do
            connection.execute("create extension if not exists pg_hint_plan")
            target = (
                sql.SQL("role {}").format(sql.Identifier(role))
                if role
                else sql.SQL("database {}").format(sql.Identifier(connection.info.dbname))
            )
            connection.execute(
                sql.SQL("alter {} set session_preload_libraries = 'pg_hint_plan'").format(target)
            )
    except psycopg.Error as error:
        raise Failure(
            f"database: {with_remedy(str(error))}\n"
            "On Debian the package is postgresql-NN-pg-hint-plan; then run this again as a superuser."
        ) from error
    said = "created and loaded at the next login"
    _told({"installed": "role" if role else "database", "files": None}, said, as_json)


@command.command()
@click.argument("dsn", type=DSN, required=False)
@JSON_OPTION
def check(dsn: str | None, as_json: bool) -> None:
    """Is it there, loaded, and does it obey? Without DSN: whether the embedded PostgreSQL has it."""
    if dsn is None:
        there = bool(part("rewright.engines.postgres.hintplan", "hintplan").installed())
        _say({"embedded": there, "works": there}, as_json)
        if not there:
            raise Failure("the embedded PostgreSQL has no pg_hint_plan: rewright hintplan install")
        return
    found = _checked(dsn)
    _say(found, as_json)
    if not found["works"]:
        raise Failure("hints do not work there: rewright hintplan install DSN")


def _checked(dsn: str) -> dict[str, Any]:
    hinting = part("rewright.engines.postgres.hinting", "hintplan")
    session_part = part("rewright.engines.postgres.session", "hintplan")
    # obeyed only where the library is loaded: the extension alone reads no comments
    probe = "/*+ Set(enable_seqscan off) */ select 1"
    try:
        with hinting.HintingSession(dsn) as session:
            # without the extension in the database the report of hints would be empty in any case
            report = session.plan(probe)[1] if session.support.extension else None
            return {
                "server": session.support.server_version,
                "extension": session.support.extension,
                "loaded": bool(session.support.extension),
                "works": report is not None and bool(report.used) and report.clean,
            }
    except session_part.SessionError as error:
        raise DatabaseFailure(error) from error


def _say(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        echo_json(found)
    else:
        echo("\n".join(f"{name}: {value}" for name, value in found.items()))


def _told(document: dict[str, Any], said: str, as_json: bool) -> None:
    if as_json:
        echo_json(document)
    else:
        echo(said)


@command.command()
@click.argument("dsn", type=DSN)
@click.argument("file", type=IN_FILE)
@click.option("--hints", required=True, help="the hints, as in a comment")
@click.option("--application", default="", help="only for this application_name")
@JSON_OPTION
def table(dsn: str, file: Path, hints: str, application: str, as_json: bool) -> None:
    """Print the INSERT that gives the query in FILE its HINTS through pg_hint_plan's table (its text stays as
    it is).
    """
    import psycopg
    from psycopg import sql

    parsing = part("rewright.hints.parsing", "hints")
    base = part("rewright.hints.base", "hints")
    session_part = part("rewright.engines.postgres.session", "hintplan")
    try:
        wanted = parsing.parse_comment(hints)
    except base.HintSyntaxError as error:
        raise click.BadParameter(str(error), param_hint="--hints") from error
    text = query_of(file).strip().rstrip(";")
    try:
        with session_part.Session(dsn, own=True) as session:
            document = session.explain_document(text, settings={"compute_query_id": "on"}, verbose=True)
            inside = " ".join(map(base.print_hint, wanted.for_extension))
            # compute_query_id is on for this EXPLAIN only: the table goes by the number
            query = document[0].get("Query Identifier")
            statement = sql.SQL(
                "insert into hint_plan.hints (query_id, application_name, hints) values ({}, {}, {});"
            ).format(
                sql.Literal(query),
                sql.Literal(application),
                sql.Literal(inside),
            )
            text = statement.as_string(session.connection)
    except (psycopg.Error, session_part.SessionError) as error:
        raise DatabaseFailure(error) from error
    _told({"query_id": query, "hints": inside, "statement": text}, text, as_json)
