"""The settings of the model pipeline, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rewright.models.redact import Share

Feedback = Literal["granular", "coarse", "epistemic"]
PARTS = (
    "planning",
    "pruning-delete",
    "pruning-keep",
    "semantic-linking",
    "profiling",
    "synthesis",
    "guidance",
    "exploration",
    "stages",
    "critic",
    "semantic-judge",
    "lessons",
    "examples",
    "reader",
    "checker",
)
"""What ``without`` may name; each is an ablation of one of the two papers (docs/reference/ask-prompts.md)."""


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """``share``: what of the data prompts may hold. ``database``: the name under which lessons are kept.

    ``candidates``: how many queries are made; ``plans``: schema-agnostic plans before linking; ``rounds`` of
    synthesis; ``refinements`` after the first query. ``small_tokens``: a description of the database up to
    this size goes into prompts whole, without linking; ``tables_tokens``: one whose names alone take more is
    pruned by whole tables before its columns are told; ``batch_tokens``: size of a batch of pruning.
    ``actions`` and ``tokens`` bound the making of one query, which is forced at ``forced_actions`` or
    ``forced_tokens``; past ``history_tokens`` its history is consolidated. ``seconds`` bound the whole
    question, ``call_seconds`` one call. ``parallel`` calls are under way at once.
    """

    share: Share = "schema"
    database: str = ""
    candidates: int = 1
    plans: int = 2
    rounds: int = 2
    refinements: int = 3
    small_tokens: int = 2_500
    tables_tokens: int = 2_000
    batch_tokens: int = 10_000
    document_tokens: int = 600
    actions: int = 40
    forced_actions: int = 38
    tokens: int = 56_000
    forced_tokens: int = 52_000
    history_tokens: int = 5_000
    reply_tokens: int = 2_000
    seconds: float = 300.0
    call_seconds: float = 60.0
    parallel: int = 4
    separate_stages: bool = False
    feedback: Feedback = "granular"
    without: frozenset[str] = frozenset()

    def uses(self, part: str) -> bool:
        """Whether a part is on; raises ValueError for one that does not exist."""
        if part not in PARTS:
            raise ValueError(f"there is no part {part}")
        return part not in self.without
