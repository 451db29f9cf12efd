"""``rewright doctor``: is everything installed and configured that is needed, and if not, what to do."""

from __future__ import annotations

from pathlib import Path

import click

from rewright.cli import Failure
from rewright.cli.common import CONFIG_OPTION, JSON_OPTION, configuration
from rewright.cli.parameters import DSN
from rewright.terminal import echo, echo_json


@click.command()
@CONFIG_OPTION
@click.option(
    "--dsn",
    type=DSN,
    help="check this server with this role as the optimiser's; default: all configured ones",
)
@click.option(
    "--model",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="send each configured model one short question, for 20 s at most",
)
@JSON_OPTION
def command(config_path: Path | None, dsn: str | None, model: str, as_json: bool) -> None:
    """Check the installation: packages, extension, grants, model, store, versions.

    Exit code 1 when something that is configured can't work.
    """
    from rewright.doctor import Finding, examine

    findings = list(examine(configuration(config_path), dsn, ask_model=model == "on"))
    if as_json:
        echo_json([finding.to_json() for finding in findings])
    else:
        for finding in findings:
            echo(f"{finding.status:<8} {finding.subject}: {finding.message}")
            for line in finding.remedy:
                echo(f"           {line}")
    failed: list[Finding] = [finding for finding in findings if finding.status == "failed"]
    if failed:
        raise Failure(f"{len(failed)} of {len(findings)} checks failed")
