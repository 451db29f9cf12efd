"""How a configured lake is opened: its folder (or bucket), the PostgreSQL databases beside it, and what tells
that it changed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rewright.config.model import Config

if TYPE_CHECKING:
    from rewright.engines.duckdb.locked import Limits
    from rewright.lake.api import Lake


LAKE_ENGINES = frozenset({"duckdb", "spark"})


@dataclass(frozen=True, slots=True)
class Home:
    """Where a lake is: a directory or ``s3://bucket/prefix``; ``beside``: name and address of PostgreSQL
    databases.

    ``spark``: the master that runs its queries; empty: DuckDB does.
    """

    path: str
    beside: tuple[tuple[str, str], ...] = ()
    spark: str = ""


def lakes_of(config: Config) -> dict[str, Home]:
    """The configured lakes by database name. DuckDB is not imported."""
    return {
        name: Home(
            one.path,
            tuple((other, config.databases[other].optimiser_dsn) for other in one.beside),
            one.spark_master if one.engine == "spark" else "",
        )
        for name, one in config.databases.items()
        if one.engine in LAKE_ENGINES
    }


def opened(home: Home, limits: Limits | None = None) -> Lake:
    """Raises LakeError: no such folder, the bucket cannot be read."""
    from rewright.engines.duckdb.beside import Beside
    from rewright.lake.api import open_lake

    return open_lake(home.path, limits=limits, beside=[Beside(name, dsn) for name, dsn in home.beside])


def fingerprint(home: Home) -> str:
    """Another text when a file came, went or changed, or a resolution was accepted. Raises LakeError."""
    from rewright.lake.api import default_catalog
    from rewright.lake.catalog.build import lake_files
    from rewright.lake.remote import local

    folder = local(home.path)
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(lake_files(folder)):
        try:
            stat = path.stat()
        except OSError:
            continue  # going away at this moment
        digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode(errors="surrogateescape"))
    digest.update(repr(_accepted(default_catalog(folder))).encode())
    return digest.hexdigest()


def _accepted(catalog: Path) -> object:
    from rewright.lake.catalog.storage import Storage

    if not catalog.exists():
        return ()
    storage = Storage(catalog)
    try:
        return [tuple(row) for row in storage.accepted()]
    finally:
        storage.close()
