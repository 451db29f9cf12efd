"""``rewright config``: what is configured, and where each value comes from."""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli.common import CONFIG_OPTION, JSON_OPTION, configuration
from rewright.cli.common import check as check_parts
from rewright.terminal import echo, echo_json


@click.command()
@CONFIG_OPTION
@click.option(
    "--check", is_flag=True, help="print nothing if the file is correct, else the errors (exit code 1)"
)
@click.option("--example", is_flag=True, help="an annotated rewright.toml with every key")
@JSON_OPTION
def command(config_path: Path | None, check: bool, example: bool, as_json: bool) -> None:
    """Effective values and where each comes from."""
    from rewright.config import showing

    if example:
        echo(showing.example(), nl=False)
        return
    config = configuration(config_path)
    # what keys say together needs the files they name, so it is not part of loading
    if check:
        check_parts(config)
        return
    rows = list(showing.effective(config))
    if as_json:
        echo_json({key: {"value": value, "origin": origin} for key, value, origin in rows})
        return
    width = max(len(key) for key, _, _ in rows)
    for key, value, origin in rows:
        echo(f"{key:{width}}  {value:32}  {origin}")
