"""The rewriter's ``Checker`` port over the one judge of sameness."""

from __future__ import annotations

from dataclasses import dataclass, replace

from equivalence.api import Checker
from equivalence.verdicts import to_json
from rewrite.words import Evidence


@dataclass(slots=True)
class CheckerPort:
    checker: Checker

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        self.checker.options = replace(self.checker.options, seconds=max(seconds, 0.5))
        return Evidence.of(to_json(self.checker.check(original, candidate)))
