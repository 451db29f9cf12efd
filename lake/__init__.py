"""The lake: SQL over an imagined schema, answered from the tables that really exist."""

import os

# OpenBLAS spins in as many threads as the machine has cores; our matrices are small and other work runs beside us
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
