"""Rewright, a PostgreSQL proxy that serves faster queries with the same answer.

This folder is the composition root: command line, settings, wiring, processes. The other parts
(``rewright.sql``, ``rewright.proxy``, …) are the folders at the top of the repository, linked here.
"""

from __future__ import annotations

import os

# before NumPy is loaded: OpenBLAS spins in as many threads as the machine has cores; our matrices are small
# and other work runs beside us
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def version() -> str:
    """Of the installed package; ``source`` in a tree that is not installed."""
    from importlib import metadata

    try:
        return metadata.version("rewright")
    except metadata.PackageNotFoundError:
        return "source"
