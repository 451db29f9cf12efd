"""Selectors that ask a model which tables may help: *selector* (paper 4.4) and *enrich* (paper 4.3), under a
budget of tokens (4.1).

Owns the prompts, the replies' shape and what tokens are spent on. What a model says only narrows the tables:
names that are not among those shown count for nothing, and what the survivors are worth the evaluator
decides. No prompt holds more than `share` allows: names; with `statistics` counts and earlier gains; with
`samples` values too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from rewright.lake import names
from rewright.lake.augment.base import Base
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.history import Helped, History
from rewright.lake.augment.options import Options
from rewright.lake.catalog.model import Column, Table
from rewright.models.api import Message, Model, ModelError, Request
from rewright.models.budget import worst_case
from rewright.models.redact import Share
from rewright.models.typed import ask, schema_of

T = TypeVar("T")
# what of examples, columns and values goes into a prompt: each of them costs tokens
_EXAMPLES = 5
_SAMPLES = 3
_CELL = 40
_MOST_COLUMNS = 60
_REPLY_TOKENS = 600
_SELECT = (
    "A column of a table is to be predicted by ridge regression. From the tables shown choose those that, "
    "joined to it, would help the "
    "prediction most: they must share a key with the table, and tell something of its rows that the target "
    "depends on. A table that is "
    "about the same words need not help; one about another subject may. Never choose a table only because "
    "it holds the target itself. "
    "Name at most {most} tables, the best first, exactly as they are called."
)
_ENRICH = (
    "Describe a table of a data lake for somebody who wants to join it to the query table: the columns that "
    "could be keys of a join, whether "
    "it can be joined to the query table at all, and in one or two sentences what its rows and columns tell."
)
_DESCRIBE = (
    "Describe in one or two sentences what the rows and columns of this table tell, and what its target "
    "column may depend on."
)


@dataclass(frozen=True, slots=True)
class Asking:
    """A model, what its prompts may hold, and how long one reply may take (seconds)."""

    model: Model
    share: Share = "schema"
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Selection:
    """The selector's reply."""

    tables: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Enriched:
    """The reply about one table."""

    join_keys: tuple[str, ...]
    joinable: bool
    description: str


@dataclass(frozen=True, slots=True)
class Described:
    """The reply about the query table."""

    description: str


@dataclass(slots=True)
class Chosen:
    """What the model left of the tables, best first; what it was not shown; what was
    spent; what went wrong; of a table the columns it would join on, best first.
    """

    tables: list[str]
    not_shown: list[str] = field(default_factory=list)
    tokens: int = 0
    notes: list[str] = field(default_factory=list)
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def joins(self, offered: Sequence[Candidate]) -> list[Candidate]:
        """Of the joins to the tables that are left those by the keys that were named, best key first. Where
        no join is by any of them the model knew none, and all of the table's are left.
        """
        found: list[Candidate] = []
        for table in dict.fromkeys(c.table for c in offered if c.table in self.tables):
            joins = [c for c in offered if c.table == table]
            named = [c for c in joins if self._place(c) is not None]
            found += sorted(named, key=lambda c: self._place(c) or 0) or joins
        return found

    def _place(self, candidate: Candidate) -> int | None:
        """The place among the named keys of the best column that the join is by; None: of none."""
        columns = {b.lower() for _, b, _ in candidate.hops[-1].pairs}
        keys = self.keys.get(candidate.table, ())
        return next((i for i, key in enumerate(keys) if key.lower() in columns), None)


class _Spent(Exception):
    """The tokens do not suffice for the next question."""


class Chooser:
    """Asks about the tables nearest to a target."""

    def __init__(self, base: Base, asking: Asking, options: Options, history: History) -> None:
        self._base = base
        self._index = base.lake.index
        self._asking = asking
        self._options = options
        self._history = history
        self._tokens = 0
        self._too_dear: list[str] = []

    def choose(self, offered: Sequence[str], stop: Callable[[], bool]) -> Chosen:
        """`offered`: tables that may be chosen, whether or not a join to them is known."""
        shown = self._nearest(offered)
        chooser = self._selected if self._options.selector == "selector" else self._enriched
        found = chooser(shown, stop)
        found.tokens = self._tokens
        if self._too_dear:
            found.notes.append(
                f"too many tokens for what they promise: {len(self._too_dear)} tables were not shown to the "
                f"model"
            )
            found.not_shown += self._too_dear
        return found

    # --- selector -------------------------------------------------------------------------------------

    def _selected(self, shown: list[str], stop: Callable[[], bool]) -> Chosen:
        """Y tables in K sets; those chosen of one set are shown again with the next."""
        found, rest = Chosen([]), list(shown)
        for part in _parts(shown, self._options.sets):
            # What was chosen so far competes with the next set, or the sets would not be compared.
            asked = [*found.tables, *(one for one in part if one not in found.tables)]
            try:
                reply = self._ask(self._selecting(asked), Selection, stop)
            except _Spent:
                found.not_shown = rest
                found.notes.append(f"the tokens ended: {len(rest)} tables were not shown to the model")
                break
            except ModelError as error:
                found.not_shown = rest
                found.notes.append(f"the model gave no answer: {str(error)[:200]}")
                break
            known = {one.lower(): one for one in asked}
            told = dict.fromkeys(known[name.lower()] for name in reply.tables if name.lower() in known)
            found.tables = list(told)[: self._options.tables]
            rest = [one for one in rest if one not in part]
        return found

    def _selecting(self, tables: Sequence[str]) -> Request:
        shown: dict[str, Any] = {"query_table": self._described(self._base.table.name)}
        shown["target"] = self._base.target.name
        best, worst = self._history.examples(_EXAMPLES)
        if best or worst:
            shown["helped_most_before"] = [self._example(one) for one in best]
            shown["helped_least_before"] = [self._example(one) for one in worst]
        shown["tables"] = [self._described(name) for name in tables]
        return self._request(_SELECT.format(most=self._options.tables), shown)

    def _example(self, one: Helped) -> Any:
        if self._asking.share == "schema":
            return {"target": one.target, "table": one.table}
        return {"target": one.target, "table": one.table, "gain": round(one.gain, 3)}

    # --- enrich ---------------------------------------------------------------------------------------

    def _enriched(self, shown: list[str], stop: Callable[[], bool]) -> Chosen:
        """Each table described and filtered by the model, then those whose descriptions are nearest to the
        query table's.
        """
        found, told = Chosen([]), {}
        target = self._base.target.name
        own = f"{names.expanded(self._base.table.name)} {names.expanded(target)}"
        query = {"query_table": self._described(self._base.table.name), "target": target}
        try:
            own = self._ask(self._request(_DESCRIBE, query), Described, stop).description
            for at, name in enumerate(shown):
                # Before the question: if the tokens end there, these are the tables that were not shown.
                found.not_shown = shown[at:]
                request = self._request(_ENRICH, {**query, "table": self._described(name)})
                try:
                    reply = self._ask(request, Enriched, stop)
                except ModelError as error:
                    found.notes.append(f"{name}: the model gave no answer: {str(error)[:200]}")
                    continue
                if reply.joinable:
                    told[name] = reply.description
                    found.keys[name] = reply.join_keys
            found.not_shown = []
        except _Spent:
            found.notes.append(f"the tokens ended: {len(found.not_shown)} tables were not shown to the model")
        except ModelError as error:
            found.not_shown = list(shown)
            found.notes.append(f"the model gave no answer: {str(error)[:200]}")
        if told:
            near = self._index.embedder.embed(list(told.values())) @ self._index.embedder.one(own)
            order = np.argsort(-np.asarray(near), kind="stable")
            found.tables = [list(told)[i] for i in order[: self._options.tables]]
        return found

    # --- tables and tokens ----------------------------------------------------------------------------

    def _nearest(self, offered: Sequence[str]) -> list[str]:
        """The tables to be shown: by similarity and what helped before; where tokens are few, by that for
        each token of theirs.
        """
        index, base = self._index, self._base
        words = f"{names.expanded(base.table.name)} {names.expanded(base.target.name)}"
        near = index.snippet_similarities(words)
        value = {t: float(near[index.table_order[t]]) + self._history.prior(t) for t in offered}
        ranked = sorted(offered, key=lambda t: (-value[t], t))[: self._options.similar]
        if self._options.tokens is None or self._options.spending == "greedy":
            return ranked
        # paper 4.1.2: value for each token, until the tokens are used up
        cost = {t: self._cost(t) for t in ranked}
        left, kept = float(self._options.tokens), []
        for table in sorted(ranked, key=lambda t: -max(value[t], 0.0) / cost[t]):
            if cost[table] <= left:
                left -= cost[table]
                kept.append(table)
        self._too_dear = [t for t in ranked if t not in kept]
        return [t for t in ranked if t in kept]

    def _cost(self, table: str) -> int:
        """Tokens that showing the table takes, at most: alone (*enrich*), or as one
        of a list (*selector*).
        """
        if self._options.selector == "enrich":
            query = {"query_table": self._described(self._base.table.name), "target": self._base.target.name}
            return _tokens(self._request(_ENRICH, {**query, "table": self._described(table)}), Enriched)
        return max(1, len(json.dumps(self._described(table))) // 3)

    def _ask(self, request: Request, kind: type[T], stop: Callable[[], bool]) -> T:
        """Raises _Spent before anything is sent that might cost more than what is left, ModelError."""
        limit = self._options.tokens
        if stop() or (limit is not None and self._tokens + _tokens(request, kind) > limit):
            raise _Spent
        try:
            # a second attempt would cost as much again
            found = ask(self._asking.model, request, kind, attempts=2 if limit is None else 1)
        except ModelError as error:
            self._tokens += error.usage.tokens
            raise
        self._tokens += found.usage.tokens
        return found.value

    def _request(self, task: str, shown: dict[str, Any]) -> Request:
        text = json.dumps(shown, ensure_ascii=False, indent=1)
        messages = (Message("system", task), Message("user", text))
        return Request("lake", messages, max_tokens=_REPLY_TOKENS, seconds=self._asking.seconds)

    def _described(self, name: str) -> dict[str, Any]:
        table: Table = self._index.tables[name]
        told: dict[str, Any] = {"name": name}
        if self._asking.share != "schema":
            told["rows"] = table.rows
        told["columns"] = [self._column(column) for column in table.columns[:_MOST_COLUMNS]]
        return told

    def _column(self, column: Column) -> Any:
        if self._asking.share == "schema":
            return column.name
        told: dict[str, Any] = {
            "name": column.name,
            "type": column.meaning.value,
            "distinct": column.distinct,
        }
        if column.nulls:
            told["nulls"] = column.nulls
        if self._asking.share == "samples":
            told["values"] = [value[:_CELL] for value in column.samples[:_SAMPLES]]
        return told


def _parts(tables: Sequence[str], sets: int) -> Iterator[list[str]]:
    size = -(-len(tables) // max(1, sets)) or 1
    for at in range(0, len(tables), size):
        yield list(tables[at : at + size])


def _tokens(request: Request, kind: type[object]) -> int:
    """An upper estimate, the form of the reply included."""
    form = len(json.dumps(schema_of(kind))) // 3 + 40
    return sum(worst_case(request)) + form
