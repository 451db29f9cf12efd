"""Rewright, a PostgreSQL proxy that serves faster queries with the same answer.

This folder is the composition root: command line, settings, wiring, processes. The other parts
(``rewright.sql``, ``rewright.proxy``, …) are the folders at the top of the repository, linked here.
"""

from __future__ import annotations


def version() -> str:
    """Of the installed package; ``source`` in a tree that is not installed."""
    from importlib import metadata

    try:
        return metadata.version("rewright")
    except metadata.PackageNotFoundError:
        return "source"
