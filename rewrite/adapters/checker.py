"""The `Checker` port over `rewright.equivalence.api`. Owns the translation of
verdicts; must not know agents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rewright.equivalence.api import Checker
from rewright.equivalence.verdicts import to_json
from rewright.rewrite import ports
from rewright.rewrite.model import Evidence


@dataclass(slots=True)
class EquivalenceChecker:
    """One checker, used by one run at a time."""

    checker: Checker

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        self.checker.options = replace(self.checker.options, seconds=seconds)
        # the checker is opened once and its time is another for each check
        return Evidence.of(to_json(self.checker.check(original, candidate)))


@dataclass(slots=True)
class SecondLook:
    """The same checker without its prover and its long search, for pairs that are proved already."""

    checker: Checker

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        usual = self.checker.options
        self.checker.options = replace(
            usual, seconds=seconds, prover=False, directed=False, databases=usual.first_databases
        )
        try:
            return Evidence.of(to_json(self.checker.check(original, candidate)))
        # the long search follows for other candidates: the options are theirs
        finally:
            self.checker.options = usual


@dataclass(slots=True)
class Yielding:
    """A checker that lets others go first (``between``) before each check."""

    inner: ports.Checker
    between: Callable[[], None]

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        # a proof or a search takes seconds of one core: a person's question goes first
        self.between()
        return self.inner.check(original, candidate, seconds)
