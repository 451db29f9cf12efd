"""What `rewright verify` does, as plain functions; the command line only reads options and prints.

Owns starting the scratch server for a verification and the text a person reads.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from equivalence.api import Checker
from equivalence.batch import read_pairs, run_batch
from equivalence.options import Options
from equivalence.verdicts import Judged, Proved, Refuted, Tested, Unknown, Verdict


def verify_pair(schema_sql: str, original: str, candidate: str, *, options: Options | None = None) -> Verdict:
    """The verdict on one pair, with an embedded scratch server of its own.

    Raises engines.postgres.installation.ServerUnavailable.
    """
    from engines.postgres.scratch import ScratchServer

    with (
        ScratchServer() as server,
        Checker(scratch=server, options=options, schema_sql=schema_sql) as checker,
    ):
        return checker.check(original, candidate)


def verify_batch(
    source: Path, out: Path, *, jobs: int = 2, timeout: float = 10.0, options: Options | None = None
) -> Counter[str]:
    """Judge all pairs of a JSON-lines file, with a progress bar when stderr is a terminal.

    Raises OSError for the files and ServerUnavailable.
    """
    from tqdm import tqdm

    from engines.postgres.scratch import ScratchServer

    with source.open(encoding="utf-8") as file:
        pairs = list(read_pairs(file))
    with (
        ScratchServer() as server,
        tqdm(total=len(pairs), unit="pair", file=sys.stderr, disable=not sys.stderr.isatty()) as bar,
    ):
        return run_batch(
            pairs, out, server.address, jobs=jobs, timeout=timeout, options=options, progress=bar.update
        )


def describe(verdict: Verdict) -> str:
    """The verdict as a person reads it."""
    match verdict:
        case Proved():
            lines = [f"proved by {verdict.method}"]
            lines += [f"  given {assumption}" for assumption in verdict.assumptions]
            lines += [f"  up to {', '.join(verdict.modulo)}"] if verdict.modulo else []
        case Refuted(counterexample=found):
            lines = [f"refuted: {found.kind} differ on a database of {found.rows} rows"]
            lines += [found.script] if found.script else [found.original, found.candidate]
        case Tested(coverage=coverage):
            lines = [
                (
                    f"tested: no difference in {coverage.databases} databases ({coverage.rows} rows), "
                    f"{coverage.nonempty} of them with a telling answer"
                )
            ]
            lines.append(f"  looked at: {coverage.reach()}")
            lines += [f"  not exercised: {feature}" for feature in coverage.missed]
            lines += [f"  up to {', '.join(verdict.modulo)}"] if verdict.modulo else []
        case Judged():
            lines = [f"judged: {verdict.reason}"]
        case Unknown():
            lines = [f"unknown: {verdict.reason}"]
    if verdict.stamp.omitted:
        lines.append(f"  left out of the schema: {', '.join(verdict.stamp.omitted)}")
    return "\n".join(lines)
