"""Composition root: command line, settings, wiring, processes."""

from __future__ import annotations


def version() -> str:
    """Of the installed package; ``source`` in a tree that is not installed."""
    from importlib import metadata

    try:
        return metadata.version("rewright")
    except metadata.PackageNotFoundError:
        return "source"
