"""Best-first search over rule applications, with costs from the real database's EXPLAIN."""

from __future__ import annotations

from rewright.rewrite.search.explore import Candidate, Limits, propose

__all__ = ["Candidate", "Limits", "propose"]
