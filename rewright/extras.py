"""The optional packages: which extra of the distribution brings each, and the command that adds it.

Owns the table. A test compares it with pyproject.toml.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "lake": (
        "duckdb_extension_postgres_scanner",
        "ftfy",
        "networkx",
        "rapidfuzz",
        "sqlglot",
        "tokenizers",
    ),
    "excel": ("openpyxl",),
    "arrow": ("pyarrow",),
    "s3": ("boto3",),
    "knowledge": ("bs4", "defusedxml"),
    "mcp": ("mcp",),
    "models": ("litellm",),
    "spark": ("pyspark",),
    "embeddings-torch": ("sentence_transformers",),
}
"""Import names by extra, those only that no dependency brings anyway."""


def remedy(module: str) -> str | None:
    """The command that brings ``module`` (an import name, dotted or not); None where no extra does."""
    package = module.partition(".")[0]
    for extra, packages in EXTRAS.items():
        if package in packages:
            return install(extra)
    return None


def install(extra: str) -> str:
    return f"pip install 'rewright[{extra}]'"


def missing(extra: str) -> tuple[str, ...]:
    """The extra's packages that are not installed, by import name."""
    return tuple(name for name in EXTRAS[extra] if importlib.util.find_spec(name) is None)
