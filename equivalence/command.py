"""What `rewright verify` does, as plain functions; the command line only reads options and prints.

Owns starting the scratch server for a verification and the text a person reads.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from rewright.equivalence.api import Checker
from rewright.equivalence.batch import run_batch
from rewright.equivalence.options import Options
from rewright.equivalence.pair_lines import read_pairs
from rewright.equivalence.verdicts import Judged, Proved, Refuted, Tested, Unknown, Verdict

# how long a certificate may take, in seconds
_CERTIFYING = 30.0


def verify_pair(
    schema_sql: str,
    original: str,
    candidate: str,
    *,
    options: Options | None = None,
    certificate: Path | None = None,
) -> Verdict:
    """The verdict on one pair, with an embedded scratch server of its own; the certificate of a proof is
    written to a file.

    Raises NoCertificate, OSError and engines.postgres.installation.ServerUnavailable.
    """
    from rewright.engines.postgres.scratch import ScratchServer

    with (
        ScratchServer() as server,
        Checker(scratch=server, options=options, schema_sql=schema_sql) as checker,
    ):
        return _checked(checker, original, candidate, certificate)


def _checked(checker: Checker, original: str, candidate: str, certificate: Path | None) -> Verdict:
    verdict = checker.check(original, candidate)
    if certificate is not None and isinstance(verdict, Proved):
        document = checker.certificate(verdict, original, candidate, _CERTIFYING)
        certificate.write_text(json.dumps(document) + "\n", encoding="utf-8")
    return verdict


def verify_on(
    dsn: str,
    original: str,
    candidate: str,
    *,
    options: Options | None = None,
    certificate: Path | None = None,
) -> Verdict:
    """The verdict over the schema of a live database, of which only the catalog is read.

    Raises NoCertificate, OSError, ServerUnavailable and engines.postgres.session.SessionError.
    """
    from rewright.engines.postgres.catalog import snapshot
    from rewright.engines.postgres.scratch import ScratchServer
    from rewright.engines.postgres.session import Session

    with Session(dsn) as session:
        catalog = snapshot(session.connection)
        path = tuple(schema for schema in session.search_path() if schema != "pg_catalog")
        major = session.server_version // 10_000
    options = replace(options or Options(), search_path=path, server_major=major)
    with ScratchServer() as server, Checker(catalog, server, options) as checker:
        return _checked(checker, original, candidate, certificate)


def verify_batch(
    source: Path,
    out: Path,
    *,
    jobs: int = 2,
    timeout: float = 10.0,
    options: Options | None = None,
    certificates: Path | None = None,
) -> Counter[str]:
    """Judge all pairs of a JSON-lines file, with a progress bar when stderr is a terminal; the certificates
    of proofs are appended to a file.

    Raises OSError for the files and ServerUnavailable.
    """
    from tqdm import tqdm

    from rewright.engines.postgres.scratch import ScratchServer

    with source.open(encoding="utf-8", errors="surrogateescape") as file:
        pairs = list(read_pairs(file))
    with (
        ScratchServer() as server,
        tqdm(total=len(pairs), unit="pair", file=sys.stderr, disable=not sys.stderr.isatty()) as bar,
    ):
        return run_batch(
            pairs,
            out,
            server.address,
            jobs=jobs,
            timeout=timeout,
            options=options,
            progress=bar.update,
            certificates=certificates,
        )


def describe(verdict: Verdict) -> str:
    """The verdict as a person reads it."""
    match verdict:
        case Proved():
            lines = [f"proved by {verdict.method}"]
            lines += [f"  given {assumption}" for assumption in verdict.assumptions]
            lines += [f"  up to {', '.join(verdict.modulo)}"] if verdict.modulo else []
        case Refuted(counterexample=found):
            size = "1 row" if found.rows == 1 else f"{found.rows} rows"
            lines = [f"refuted: {found.kind} differ on a database of {size}"]
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
