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
    "plots": ("matplotlib",),
    "s3": ("boto3",),
    "knowledge": ("bs4", "defusedxml"),
    "mcp": ("mcp", "pydantic"),
    "models": ("litellm",),
    "otel": ("opentelemetry.exporter", "opentelemetry.sdk"),
    "spark": ("pyspark",),
    "embeddings-torch": ("sentence_transformers",),
}
"""Import names by extra, those only that no dependency brings anyway."""


def remedy(module: str) -> str | None:
    """The command that brings ``module`` (an import name, dotted or not); None where no extra does."""
    for extra, packages in EXTRAS.items():
        if any(module == package or module.startswith(f"{package}.") for package in packages):
            return install(extra)
    return None


def install(extra: str) -> str:
    return f"pip install 'rewright[{extra}]'"


def missing(extra: str) -> tuple[str, ...]:
    """The extra's packages that are not installed, by import name."""
    return tuple(name for name in EXTRAS[extra] if not _is_there(name))


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # nor is what it is in
        return False
