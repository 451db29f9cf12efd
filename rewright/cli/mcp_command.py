"""``rewright mcp``: the tools for a coding agent, over stdin and stdout or HTTP."""

from __future__ import annotations

import os
from pathlib import Path

import click

from rewright.cli import Failure, WrongUsage
from rewright.cli.common import part
from rewright.cli.parameters import DSN, DSN_VARIABLE, IN_FILE
from rewright.values import address

TOKEN_VARIABLE = "REWRIGHT_MCP_TOKEN"  # noqa: S105 - the variable's name


@click.command()
@click.option(
    "--dsn", type=DSN, default="", envvar=DSN_VARIABLE, show_envvar=True, help="the database to look at"
)
@click.option(
    "--lake", type=click.Path(exists=True, file_okay=False, path_type=Path), help="a folder of files"
)
@click.option(
    "--http", "listen", metavar="ADDR", help="serve HTTP at this address instead of stdin and stdout"
)
@click.option("--token-file", type=IN_FILE, help=f"what HTTP clients must send; or {TOKEN_VARIABLE}")
@click.option(
    "--config", type=IN_FILE, help="rewright.toml, for a proxy's log and rewrites, and its own role"
)
def command(
    dsn: str, lake: Path | None, listen: str | None, token_file: Path | None, config: Path | None
) -> None:
    """Serve verify, rewrite, hint, plan and a lake's SQL to a coding agent (Model Context Protocol).

    Everything is read-only. Without --http, the agent starts this command itself and talks to it on stdin and
    stdout.
    """
    server_part = part("rewright.mcp.server", "mcp")
    targets = server_part.Targets(
        dsn, str(lake.resolve()) if lake else "", str(config.resolve()) if config else ""
    )
    server = server_part.make_server(targets)
    # the agent started this process and talks to it: nothing to guard but the pipe
    if listen is None:
        server.run("stdio")
        return
    try:
        where = address(listen)
    except ValueError as error:
        raise WrongUsage(f"--http: must be {error}") from error
    serving, token = part("rewright.mcp.http", "mcp"), _token(token_file)
    try:
        serving.serve(server, token, where)
    except OSError as error:
        raise Failure(f"cannot listen on {listen}: {os.strerror(error.errno or 0)}") from error


def _token(path: Path | None) -> str:
    try:
        token = path.read_text(encoding="utf-8").strip() if path else os.environ.get(TOKEN_VARIABLE, "")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{path}: {error}") from error
    # whoever reaches the port may run queries: a guessable token is none
    if len(token) < 16:
        raise Failure(f"HTTP needs a token of at least 16 characters: --token-file FILE, or {TOKEN_VARIABLE}")
    return token
