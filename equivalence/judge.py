"""The port through which a model may give its opinion when everything else is silent.

Owns the port's types only; the composition root fills it. A judge's opinion never outranks a run:
the database it proposes is run, and only silence after that makes a verdict `judged`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Opinion:
    """``same``: the model sees no difference. ``inserts``: its database to show one, as INSERTs."""

    same: bool
    reason: str
    inserts: tuple[str, ...] = ()


class Judge(Protocol):
    """Asked to find a difference and to give a database for it; None when it has nothing to say."""

    def judge(self, schema_sql: str, original: str, candidate: str) -> Opinion | None: ...
