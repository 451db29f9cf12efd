"""What a lake's processes may use, each and together."""

from __future__ import annotations

from dataclasses import dataclass

# shared pages do not count: see held()
OVERHEAD = 768 << 20
"""Bytes of a process beside DuckDB's own: the catalog, the language model for names, a portion of rows."""


@dataclass(frozen=True, slots=True)
class RunnerLimits:
    """``memory``: bytes for DuckDB in one process; ``total``: of all processes of a lake; ``seconds``: of
    work for one statement.

    ``processes``: at most, of which one user gets three quarters; ``patience``: seconds to wait for a free
    one.
    """

    memory: int = 2 << 30
    total: int = 6 << 30
    seconds: float = 600.0
    processes: int = 16
    patience: float = 30.0
    row_bytes: int = 64 << 20

    @property
    def each(self) -> int:
        """Bytes at which a process is killed."""
        return self.memory + OVERHEAD

    @property
    def of_one_user(self) -> int:
        # so that one user's statements leave a quarter to the others
        return max(1, self.processes * 3 // 4)
