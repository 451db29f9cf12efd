"""``rewright recheck``: do certificates of proofs show what they say?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rewright.cli import Failure
from rewright.cli.common import JSON_OPTION, part
from rewright.cli.parameters import DURATION, IN_FILE
from rewright.terminal import echo, echo_json


@click.command()
@click.argument("certificates", nargs=-1, required=True, type=IN_FILE)
@click.option("--timeout", type=DURATION, default="60s", show_default=True, help="for one certificate")
@JSON_OPTION
def command(certificates: tuple[Path, ...], timeout: float, as_json: bool) -> None:
    """Check the certificates that `rewright verify --certificate` writes, without the code that found the
    proofs.

    Exit code 0: all are good. 1: one is refused. 3: one uses a law that is not stated here, or takes too
    long.
    """
    rechecking = part("rewright.equivalence.recheck.files", "recheck")
    # all certificates are looked at before anything is told
    found = []
    try:
        for path in certificates:
            found += rechecking.recheck_file(path, timeout)
    except OSError as error:
        raise Failure(str(error)) from error
    if as_json:
        echo_json([r.to_json() for r in found])
    else:
        for r in found:
            echo(r.line())
    sys.exit(rechecking.exit_code(found))
