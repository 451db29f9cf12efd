"""The records of the rewriter: candidates, evidence, measurements, settings and deadlines.

Owns plain records that agents hand to each other. Must not know agents, models, servers or how any of these
is found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from pglast.error import Error as PglastError
from pglast.parser import parse_sql
from pglast.stream import RawStream

from rewright.engines.clock import now
from rewright.equivalence.verdicts import with_implied

Category = Literal["join", "predicate", "cte", "constant", "others"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
Source = Literal["rules", "model"]
Level = Literal["proved", "tested", "judged", "refuted", "unknown"]
Measure = Literal["off", "explain", "run", "both"]
Scope = Literal["any", "these"]
TRUST: tuple[Level, ...] = ("proved", "tested", "judged")


@lru_cache(maxsize=256)
def canonical(sql: str) -> str:
    """The text without layout and comments: equal for texts that parse to the same statement.

    Kept, since printing a statement takes as long as planning it, and a candidate is asked for its key all
    the time.
    """
    try:
        # canonical: comments, layout and case of keywords do not count
        return "; ".join(RawStream()(s) for s in parse_sql(sql))
    except (PglastError, RecursionError, ValueError, NotImplementedError):
        return " ".join(sql.split())


def digest(text: str) -> str:
    # 128 bits: enough that no two texts of a server meet by chance
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Step:
    """One rewrite step: the name of a rule, or a model's description of it. ``gain`` is the drop in estimated
    cost.
    """

    name: str
    category: Category = "others"
    note: str = ""
    gain: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "category": self.category, "note": self.note, "gain": self.gain}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed replacement that nobody has checked. ``cost`` is EXPLAIN's, None when not known."""

    sql: str
    steps: tuple[Step, ...] = ()
    source: Source = "rules"
    cost: float | None = None
    assumptions: tuple[str, ...] = ()
    # ids of the knowledge units that helped to find it
    units: tuple[str, ...] = ()
    # the texts between the original and this one, where whoever proposed it gave its steps
    via: tuple[str, ...] = ()
    # which of several replies of a model it is from
    sample: int = 0
    # how many of its subqueries are computed for each row, where that is known
    lookups: int = 0

    @property
    def category(self) -> Category:
        # what was done last gave the text its shape
        return self.steps[-1].category if self.steps else "others"

    def key(self) -> str:
        return digest(canonical(self.sql))


# what a proof may leave open, for people
OPEN: Mapping[str, str] = {
    "errors": "one of the two may stop with an error where the other does not",
    "overflow": "arithmetic may leave its range in one of the two only",
    "tie-order": "the order leaves rows free, so that the two may show them otherwise or keep others",
    "refinement": (
        "of rows that tie the replacement's fuller order puts one first; the original might show another"
    ),
    "gated": (
        "the replacement looks at the stored rows first, and stops before its first row where they are not "
        "as its proof needs them"
    ),
    "float-order": "sums of floats may differ in their last digits",
    "types": "the types of columns may differ",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the checker says of a pair, by its stable document."""

    level: Level
    method: str = ""
    assumptions: tuple[str, ...] = ()
    modulo: tuple[str, ...] = ()
    scope: Scope = "these"
    reason: str = ""
    counterexample: Mapping[str, Any] | None = None
    document: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Evidence:
        """From a verdict's JSON document."""
        return cls(
            level=document["verdict"],
            method=document.get("method") or "",
            assumptions=tuple(document.get("assumptions") or ()),
            modulo=tuple(document.get("modulo") or ()),
            scope=document.get("scope") or "these",
            reason=document.get("reason") or "",
            counterexample=document.get("counterexample"),
            document=document,
        )

    def counts_as(self, accepted: frozenset[str]) -> Level:
        """The level after reservations: a proof with one that is not accepted counts as tested. ``errors``
        and ``overflow`` can't be accepted.
        """
        # a proof with a reservation holds only where that reservation does not matter
        if self.level == "proved" and self.reserved(accepted):
            return "tested"
        return self.level

    def reserved(self, accepted: frozenset[str]) -> tuple[str, ...]:
        """The reservations that are not accepted, nor implied by what is."""
        return tuple(m for m in self.modulo if m not in with_implied(accepted))

    def meets(self, trust: Level, accepted: frozenset[str]) -> bool:
        level = self.counts_as(accepted)
        # TRUST is in falling order of strength
        return level in TRUST and TRUST.index(level) <= TRUST.index(trust)

    def shortfall(self, trust: Level, accepted: frozenset[str]) -> str:
        """For people: what the evidence is, what it leaves open, and what is asked for."""
        left = self.reserved(accepted)
        if self.level != "proved" or not left:
            # nothing is left open that is not accepted: it is the level that falls short
            return f"the best replacement is {self.level}, {trust} is asked for"
        words = "; ".join(f"{OPEN.get(m, m)} ({m})" for m in left)
        return (
            f"the best replacement is proved but for this: {words}. So it counts as tested, {trust} is "
            f"asked for"
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """A candidate that passed verification."""

    candidate: Candidate
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Explained:
    """EXPLAIN (FORMAT JSON): total cost and the ``Plan`` object."""

    cost: float
    plan: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure about a table or a column of its statistics; ``values`` are data."""

    subject: str
    name: str
    value: float
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Timed:
    """One run. ``stopped``: it was cancelled at ``seconds`` and would have taken longer. ``digest``
    identifies the bag of rows, empty when not known.
    """

    seconds: float
    stopped: bool = False
    cpu: float | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A verified candidate after Decision. ``seconds`` is the median of its runs, None when not run;
    ``believed``: where estimates alone show a gain, whether it holds up to what is known of their errors.
    """

    checked: Checked
    cost_before: float | None
    cost_after: float | None
    seconds_before: float | None = None
    seconds_after: float | None = None
    runs: int = 0
    cpu_after: float | None = None
    believed: bool = True
    report: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measured(self) -> bool:
        return self.seconds_before is not None and self.seconds_after is not None

    @property
    def ratio(self) -> float | None:
        """After to before: of times where both are known, else of estimated costs; None when neither is."""
        # times are of the same text on the same machine; estimates only where there are none
        if self.seconds_before is not None and self.seconds_after is not None:
            # a time of 0 must not divide
            return self.seconds_after / max(self.seconds_before, 1e-9)
        if self.cost_before is not None and self.cost_after is not None:
            return self.cost_after / max(self.cost_before, 1e-9)
        return None


@dataclass(frozen=True, slots=True)
class Settings:
    """What one optimisation may do.

    ``gain``: the least share by which the replacement must be better. ``enough``: a ratio at which no further
    round is worth its time. Times in seconds. ``width``: candidates a round, ``run_width``: how many of
    them are weighed; ``quick_search``: seconds of the first round's search; ``looking``: the share of the
    time left in which a candidate with a quick proof is looked for. ``correction_seconds``: of corrections
    alone, their checks included, in one round;
    ``samples``: replies that are asked for, each by another strategy.
    """

    trust: Level = "proved"
    accept: frozenset[str] = frozenset({"float-order"})
    rounds: int = 2
    budget: float = 60.0
    measure: Measure = "run"
    run_timeout: float = 30.0
    repeats: int = 3
    gain: float = 0.10
    enough: float = 0.25
    width: int = 12
    quick_search: float = 1.0
    run_width: int = 5
    looking: float = 0.25
    model: bool = True
    share: Literal["schema", "statistics", "samples"] = "schema"
    repairs: int = 2
    correction_seconds: float = 20.0
    samples: int = 1
    check_seconds: float = 10.0
    single_pass: bool = False
    checker_loop: bool = True
    decision: bool = True
    knowledge: bool = True


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in time after which nothing new is begun; by the clock on which waiting for a processor does
    not count.
    """

    at: float
    clock: Callable[[], float] = now

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = now) -> Deadline:
        return cls(clock() + seconds, clock)

    def left(self) -> float:
        return max(0.0, self.at - self.clock())

    @property
    def passed(self) -> bool:
        return self.clock() >= self.at

    def within(self, seconds: float) -> Deadline:
        """The earlier of this and ``seconds`` from now."""
        # a part of a deadline never ends later than the whole
        return Deadline(min(self.at, self.clock() + seconds), self.clock)
