"""What each page shows: the store read and put into words, as plain documents that a template or JSON can
show. Rows of lists are made when they are asked for: a long file is sent while it is made.

Synchronous; may raise StoreError and NotFound. Must not know HTTP or HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from rewright.console import asked as asking
from rewright.console import plots
from rewright.console.redacted import redacted, values_of, whole
from rewright.console.sql_text import formatted, one_line, side_by_side
from rewright.console.telling import mapping, told
from rewright.sql.redaction import without_literals, without_values
from rewright.store.api import Store
from rewright.store.browsing import Asked
from rewright.store.life import Action, allowed
from rewright.store.outcomes import outcome_text
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
        waiting, to_decide = browse.waiting(8)
        tokens, money = browse.spent(1)
        return {
            "saved_ms": sum(day.saved_ms for day in days),
            "served": sum(day.served for day in days),
            "days": [asdict(day) for day in days],
            "states": {state.value: count for state, count in counts.items()},
            "routes": dict(browse.routes(1)),
            "unimproved": [self.query(one) for one in browse.unimproved(8)],
            "waiting": [self.summary(one) for one in waiting],
            "to_decide": to_decide,
            "regressions": [self.summary(one) for one in browse.slower(5)],
            "tokens": tokens,
            "money": money,
        }

    def rewrites(self, asked: Asked) -> tuple[Iterable[dict[str, Any]], int]:
        found, total = self.store.browse.rewrites(asked)
        return map(self.summary, found), total

    def queries(self, asked: Asked) -> tuple[Iterable[dict[str, Any]], int]:
        found, total = self.store.browse.queries(asked)
        return map(self.query, found), total

    def log(self, asked: Asked, after_id: int = 0) -> tuple[Iterable[dict[str, Any]], int]:
        found, total = self.store.browse.log(asked, after_id=after_id)
        return map(self.entry, found), total

    def asked(self, asked: Asked) -> tuple[Sequence[dict[str, Any]], int]:
        return asking.questions(self.store, asked, self.literals)

    def question(self, number: int) -> dict[str, Any]:
        """Raises NotFound."""
        return asking.question(self.store, number, self.literals)

    def learned(self) -> dict[str, Any]:
        """What questions have taught."""
        return asking.learned(self.store, self.literals)

    def resolutions(self, asked: Asked) -> tuple[Iterable[dict[str, Any]], int]:
        found, total = self.store.browse.resolutions(asked, search=self.literals)
        return map(self.resolution, found), total

    def knowledge(self) -> Sequence[dict[str, Any]]:
        return [asdict(one) for one in self.store.lessons.read(limit=200)]

    def unit(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """A knowledge unit with its queries side by side; of the installation's own their constants only
        where allowed.
        """
        # units that come with Rewright hold nobody's values
        literals = self.literals or not found["own"]
        before, after = (formatted(found[side], literals=literals) for side in ("before", "after"))
        shown = dict(found) | {"before": before, "after": after}
        return {"unit": shown, "lines": [asdict(line) for line in side_by_side(before, after)]}

    def profile(self, columns: Sequence[Mapping[str, Any]]) -> Sequence[dict[str, Any]]:
        """A lake table's columns; least and greatest values are values of somebody's."""
        hidden = () if self.literals else ("minimum", "maximum")
        return [{name: value for name, value in one.items() if name not in hidden} for one in columns]

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
            "told": told(found, mapping(document["evidence"]).get("counterexample"), self.literals),
            "buttons": [
                action.value for action in _BUTTONS if allowed(found.state, action, found.proposal.level)
            ],
            "timings": timings,
            # changes of state on one side, steps of the search on the other
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
        shown = self._shown(_flat(one))
        return shown | {
            "text": one_line(shown["example" if self.literals else "template"]),
            "outcome": outcome_text(one.status, shown["reason"]),
        }

    def entry(self, one: LogEntry) -> dict[str, Any]:
        shown = self._shown(_flat(one))
        return shown | {"text": one_line(shown["query" if self.literals else "template"])}

    def resolution(self, one: Resolution) -> dict[str, Any]:
        shown = self._shown(asdict(one))
        return shown | {"understood": _understood(mapping(shown["mapping"]))}

    def _document(self, one: Rewrite) -> dict[str, Any]:
        document = asdict(one)
        flat = {**document.pop("proposal"), **document}
        return self._shown(flat) | {"state": one.state.value, "level": str(one.proposal.level)}

    def _life(self, event: Event) -> dict[str, Any]:
        detail = mapping(event.detail)
        told = {name: str(detail.get(name, "")) for name in ("from", "to", "by")}
        return {
            "at": event.at,
            "step": event.step,
            **told,
            "reason": self._shown(dict(detail)).get("reason", ""),
        }

    def _traced(self, event: Event) -> dict[str, Any]:
        detail = mapping(event.detail)
        figures = {
            name: detail.get(name) for name in ("round", "agent", "seconds", "tokens", "money", "cost")
        }
        return {"at": event.at, "step": event.step, **figures, "detail": self._shown(asdict(event))["detail"]}

    def _shown(self, document: dict[str, Any]) -> dict[str, Any]:
        return whole(document) if self.literals else redacted(document)


def _flat(record: LogEntry | QuerySeen) -> dict[str, Any]:
    """A record of plain values as a document; `asdict` would copy each value."""
    return {one.name: getattr(record, one.name) for one in fields(record)}


def _understood(found: Mapping[str, Any]) -> dict[str, Any]:
    """Which names were taken for which columns, what else the query may mean, which tables came close."""
    names = [
        (f"{one.get('table') or '?'}.{one.get('column')}", one.get("real"), float(one.get("score") or 0))
        for one in map(mapping, found.get("columns") or ())
    ]
    others = [
        {"told": str(one.get("told", "")), "sql": str(one.get("sql", ""))}
        # the first is the one that ran
        for one in map(mapping, (found.get("readings") or ())[1:])
    ]
    return {
        "names": names,
        "alternatives": others,
        "tables": [str(one) for one in found.get("closest") or ()],
    }


def measured(timings: Sequence[Mapping[str, Any]]) -> Any:
    """The plot of a rewrite's timings."""
    return plots.dots([plots.Point(one["at"], one["duration_ms"], one["side"]) for one in timings], "ms")


def searched(trace: Sequence[Mapping[str, Any]]) -> Any:
    """The plot of the steps in which a rewrite was found."""
    return plots.timeline(
        [
            plots.Span(
                " ".join(filter(None, (str(one["agent"] or one["step"]), _round(one["round"])))),
                float(one["seconds"] or 0),
            )
            for one in trace
        ]
    )


def _round(number: Any) -> str:
    return f"({number})" if number else ""


def saved(days: Sequence[Mapping[str, Any]]) -> Any:
    """The plot of the time saved by day."""
    return plots.bars([(day["start"], day["saved_ms"] / 1000) for day in days], "s")
