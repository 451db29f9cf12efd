"""What each page shows: the store read and put into words, as plain documents that a template or JSON can show.

Synchronous; may raise StoreError and NotFound. Must not know HTTP or HTML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rewright.console import plots, words
from rewright.console.plan_view import heaviest, plan_view
from rewright.console.redacted import redacted, tree_without_literals, values_of, whole
from rewright.console.sql_text import formatted, one_line, side_by_side
from rewright.sql.redaction import without_literals, without_values
from rewright.store.api import Store
from rewright.store.browsing import Asked
from rewright.store.life import TRANSITIONS, Action, State
from rewright.store.records import Event, LogEntry, QuerySeen, Resolution, Rewrite, Side

_SIDES: tuple[Side, Side] = ("original", "replacement")
_BUTTONS = (Action.APPROVE, Action.PIN, Action.REJECT, Action.RETIRE)
_MEASURED = 100


@dataclass(frozen=True, slots=True)
class Pages:
    """``literals``: whether texts are shown as they were sent."""

    store: Store
    literals: bool = False

    def overview(self) -> dict[str, Any]:
        browse, counts = self.store.browse, self.store.rewrites.counts()
        days = browse.saved(30)
        waiting, _ = browse.rewrites(Asked(values={"state": State.PROPOSED.value}, limit=8))
        retired, _ = browse.rewrites(Asked(values={"state": State.RETIRED.value}, limit=5))
        tokens, money = browse.spent(1)
        return {
            "saved_ms": sum(day.saved_ms for day in days),
            "served": sum(day.served for day in days),
            "days": [asdict(day) for day in days],
            "states": {state.value: count for state, count in counts.items()},
            "routes": dict(browse.routes(1)),
            "unimproved": [self.query(one) for one in browse.unimproved(8)],
            "waiting": [self.summary(one) for one in waiting],
            "regressions": [self.summary(one) for one in retired if "slow" in one.reason],
            "tokens": tokens,
            "money": money,
        }

    def rewrites(self, asked: Asked) -> tuple[Sequence[dict[str, Any]], int]:
        found, total = self.store.browse.rewrites(asked)
        return [self.summary(one) for one in found], total

    def queries(self, asked: Asked) -> tuple[Sequence[dict[str, Any]], int]:
        found, total = self.store.browse.queries(asked)
        return [self.query(one) for one in found], total

    def log(self, asked: Asked, after_id: int = 0) -> tuple[Sequence[dict[str, Any]], int]:
        found, total = self.store.browse.log(asked, after_id=after_id)
        return [self.entry(one) for one in found], total

    def resolutions(self) -> Sequence[dict[str, Any]]:
        return [self.resolution(one) for one in self.store.resolutions.read(limit=200)]

    def knowledge(self) -> Sequence[dict[str, Any]]:
        return [asdict(one) for one in self.store.lessons.read(limit=200)]

    def rewrite(self, number: int) -> dict[str, Any]:
        """Everything about one rewrite. Raises NotFound."""
        found = self.store.rewrites.get(number)
        timings = [
            asdict(one)
            for side in _SIDES
            for one in self.store.rewrites.timings(number, side, limit=_MEASURED)
        ]
        events = self.store.events.of(rewrite_id=number, limit=500)
        document = self._document(found)
        return {
            "rewrite": document,
            "told": self._told(found, document),
            "buttons": [action.value for action in _BUTTONS if (found.state, action) in TRANSITIONS],
            "timings": timings,
            "life": [self._life(one) for one in events if one.step in set(Action)],
            "trace": [self._traced(one) for one in events if one.step not in set(Action)],
        }

    def summary(self, one: Rewrite) -> dict[str, Any]:
        """One row of a list."""
        new, values = one.proposal, values_of(asdict(one.proposal))
        before, after = one.original_ms, one.replacement_ms
        return {
            "id": one.id,
            "database": new.database,
            "state": one.state.value,
            "level": str(new.level),
            "modulo": list(new.modulo),
            "text": one_line(new.template if self.literals else without_literals(new.template)),
            "original_ms": before,
            "replacement_ms": after,
            "served": one.served,
            "saved_ms": one.served * (before - after) if before is not None and after is not None else None,
            "reason": one.reason if self.literals else without_values(one.reason, values),
            "changed_at": one.changed_at,
            "changed_by": one.changed_by,
        }

    def query(self, one: QuerySeen) -> dict[str, Any]:
        shown = self._shown(asdict(one))
        return shown | {"text": one_line(shown["example" if self.literals else "template"])}

    def entry(self, one: LogEntry) -> dict[str, Any]:
        shown = self._shown(asdict(one))
        return shown | {"text": one_line(shown["query" if self.literals else "template"])}

    def resolution(self, one: Resolution) -> dict[str, Any]:
        return self._shown(asdict(one))

    def _told(self, one: Rewrite, shown: Mapping[str, Any]) -> dict[str, Any]:
        """The rewrite in words: from what holds no literals, or from what ``shown`` may show."""
        new = one.proposal
        evidence, plans = _mapping(new.evidence), _mapping(new.plans)
        values = frozenset() if self.literals else values_of(asdict(new))
        trees = _mapping(_mapping(plans.get("plan")).get("trees"))
        if not self.literals:
            trees = {
                side: tree_without_literals(dict(_mapping(tree)), values) for side, tree in trees.items()
            }
        before, after = (formatted(one, literals=self.literals) for one in (new.template, new.replacement))
        return {
            "wrong": heaviest(_mapping(trees.get("before"))),
            "done": [without_values(one, values) for one in words.changes(plans.get("other") or ())],
            "before": before,
            "after": after,
            "lines": [asdict(line) for line in side_by_side(before, after)],
            "plan_before": plan_view(trees.get("before")),
            "plan_after": plan_view(trees.get("after")),
            "state": words.STATES[one.state.value],
            "level": words.LEVELS[str(new.level)],
            "reservations": words.reservations(new.modulo),
            "facts": words.facts(
                [without_values(str(fact), values) for fact in evidence.get("assumptions") or ()]
            ),
            "steps": words.steps([str(step) for step in evidence.get("steps") or ()]),
            "coverage": words.coverage(evidence.get("coverage")),
            "counterexample": _mapping(shown["evidence"]).get("counterexample"),
            "literals": "every value of the literals"
            if new.scope == "any"
            else "the literals of the original only",
            "stopped": bool(_mapping(plans.get("cost")).get("stopped")),
        }

    def _document(self, one: Rewrite) -> dict[str, Any]:
        document = asdict(one)
        flat = {**document.pop("proposal"), **document}
        return self._shown(flat) | {"state": one.state.value, "level": str(one.proposal.level)}

    def _life(self, event: Event) -> dict[str, Any]:
        detail = _mapping(event.detail)
        told = {name: str(detail.get(name, "")) for name in ("from", "to", "by")}
        return {
            "at": event.at,
            "step": event.step,
            **told,
            "reason": self._shown(dict(detail)).get("reason", ""),
        }

    def _traced(self, event: Event) -> dict[str, Any]:
        detail = _mapping(event.detail)
        figures = {
            name: detail.get(name) for name in ("round", "agent", "seconds", "tokens", "money", "cost")
        }
        return {"at": event.at, "step": event.step, **figures, "detail": self._shown(asdict(event))["detail"]}

    def _shown(self, document: dict[str, Any]) -> dict[str, Any]:
        return whole(document) if self.literals else redacted(document)


def measured(timings: Sequence[Mapping[str, Any]]) -> Any:
    """The plot of a rewrite's timings."""
    return plots.dots([plots.Point(one["at"], one["duration_ms"], one["side"]) for one in timings], "ms")


def saved(days: Sequence[Mapping[str, Any]]) -> Any:
    """The plot of the time saved by day."""
    return plots.bars([(day["start"], day["saved_ms"] / 1000) for day in days], "s")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
