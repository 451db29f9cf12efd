"""The lake: SQL over an imagined schema, answered from the tables that really exist."""

if __name__ != "rewright.lake":
    raise ImportError("import rewright.lake: the top-level folders are parts of the package rewright")

import os

# OpenBLAS spins in as many threads as the machine has cores; our matrices are small and other work runs
# beside us
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
