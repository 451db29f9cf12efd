"""What the optimiser learns from a run about one query of one database, and what earlier runs taught it.

Lessons: a step whose result was refuted, a plan that ran slower than the planner thought, a rewrite or hint
that lost. They hold for this catalog and server version only, and hold no literal. Must not know how anything
is found.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewright.knowledge.lessons import Kind, Lessons, Memory, Validity
from rewright.rewrite.api import Outcome
from rewright.rewrite.ports import Knowledge, Unit
from rewright.store.errors import StoreError

# a ratio of estimates, after to before, that promises a gain
PROMISED = 0.9
HINTS = "hints"


@dataclass(frozen=True, slots=True)
class Learning:
    """Lessons about the query ``key`` (its template's identity)."""

    memory: Memory
    key: str

    @classmethod
    def about(cls, lessons: Lessons, database: str, catalog: str, version: int, key: str) -> Learning:
        return cls(Memory(lessons, database, Validity(catalog, version)), key)

    def avoid(self) -> frozenset[str]:
        """Steps that failed for this query, or for several others here; nothing when
        the store can't be read.
        """
        with contextlib.suppress(StoreError):
            return self.memory.losers(self.key)
        return frozenset()

    def hints_lost(self) -> bool:
        return HINTS in self.avoid()

    def told(self) -> list[Unit]:
        """The lessons as advice for a model."""
        with contextlib.suppress(StoreError):
            return [Unit("Learned on this database", lesson.text) for lesson in self.memory.about(self.key)]
        return []

    def hint_lost(self, reason: str) -> None:
        """Hints were measured and did not help."""
        if reason.startswith("hints were tried and refused"):
            self._keep("hint_lost", HINTS, "hints were measured for this query and did not help")

    def after(self, outcome: Outcome) -> None:
        """Keep what a finished run showed."""
        for kind, subject, text in lessons_of(outcome.events):
            self._keep(kind, subject, text)

    def _keep(self, kind: Kind, subject: str, text: str) -> None:
        # a store that is away costs a lesson, nothing else
        with contextlib.suppress(StoreError):
            self.memory.learn(kind, subject, text, query=self.key)


def lessons_of(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Kind, str, str]]:
    """(kind, step, sentence) of a run's events."""
    for event in events:
        output = event["output"]
        match output.get("kind"):
            case "verified":
                for fallen in output["fallen"]:
                    yield from _fell(fallen)
            case "decided":
                for weighed in output["weighed"]:
                    yield from _lost(weighed)


def _fell(fallen: Mapping[str, Any]) -> Iterator[tuple[Kind, str, str]]:
    """Of a candidate that did not get as far as Decision."""
    step = _step(fallen["candidate"])
    if not step:
        return
    if fallen["complaint"].startswith("refuted"):
        yield "refuted", step, f"{step} does not give the same query here: a counterexample was found"
    elif fallen["slower"]:
        estimated = fallen["estimated"]
        if estimated is not None and estimated < PROMISED:
            yield "planner", step, f"{step} was estimated at {estimated:.1f} of the cost and ran no faster"
        else:
            yield "slower", step, f"{step} ran no faster than the original"


def _lost(weighed: Mapping[str, Any]) -> Iterator[tuple[Kind, str, str]]:
    step = _step(weighed["checked"]["candidate"])
    costs = weighed["cost_before"], weighed["cost_after"]
    times = weighed["seconds_before"], weighed["seconds_after"]
    if not step or None in times or not times[0]:
        return
    ran = times[1] / times[0]
    # what was stopped at the original's time counts as just as long
    if ran < 1.0:
        return
    if None not in costs and costs[1] < PROMISED * costs[0]:
        estimated = costs[1] / max(costs[0], 1e-9)
        yield (
            "planner",
            step,
            f"{step} was estimated at {estimated:.1f} of the cost and ran {ran:.1f} times as long or longer",
        )
    else:
        yield "slower", step, f"{step} ran {ran:.1f} times as long as the original or longer"


def _step(candidate: Mapping[str, Any]) -> str:
    """The last step by name: that of a model has no name that would be met again."""
    steps = candidate["steps"]
    return str(steps[-1]["name"]) if steps and candidate["source"] == "rules" else ""


@dataclass(frozen=True, slots=True)
class Experienced:
    """The ``Knowledge`` port with lessons: units that failed here stay out, the lessons are told."""

    inner: Knowledge
    learning: Learning

    def search(self, sql: str, k: int, plan: Mapping[str, Any] | None = None) -> Sequence[Unit]:
        avoid = self.learning.avoid()
        found = [
            u
            for u in self.inner.search(sql, k + len(avoid), plan)
            if u.rule is None or u.rule.name not in avoid
        ]
        told = self.learning.told()[:2]
        return [*found[: k - len(told)], *told]
