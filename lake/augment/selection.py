"""Selectors: which tables, and which of their columns, for a base table under a budget.

Owns the search over sets of candidates: successive halving and a redundancy-aware greedy choice (`ours`), the
greedy choice that evaluates everything (`exhaustive`), and nearest schemas (`embedding`, `joinable`). Must
not know SQL or the report. Successive halving: Jamieson and Talwalkar 2016.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rewright.engines.duckdb.errors import LakeError
from rewright.lake import names
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.evaluator import Block, Evaluator
from rewright.lake.augment.metric import Evaluation
from rewright.lake.augment.options import MODEL_SELECTORS, SelectorName

_LEAST = 1e-4
"""A smaller gain in R² is none."""
_SURVIVORS = 4
"""Survivors of the halving for each table wanted, at least."""
_FINALISTS = 2
"""Sets evaluated in full for each table added, at most: the second where the first's gain may be chance."""
_SUBSETS = (1, 3, 8, 16)
"""How many of a table's features are tried; all of them where they are no more."""
_NEAR = 0.5
"""A second set is evaluated only if its estimated gain is at least this share of the first's."""
_FALLS = 0.8
"""A gain that was estimated before may have become larger by this at most, for all that is assumed."""


class BudgetEnded(Exception):
    """The seconds or evaluations allowed are used up."""


@dataclass(slots=True)
class Budget:
    """What a search may use; None: no limit. `stop` is asked between steps (a cancelled session, Ctrl-C)."""

    seconds: float | None = None
    evaluations: int | None = None
    stop: Callable[[], bool] = lambda: False
    started: float = field(default_factory=time.monotonic)

    @property
    def used(self) -> float:
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """None: no limit."""
        return None if self.seconds is None else self.seconds - self.used

    @property
    def left(self) -> bool:
        """Is there time, and nobody who says stop?"""
        return not self.stop() and (self.seconds is None or self.used < self.seconds)

    def check(self, evaluator: Evaluator) -> None:
        """:raises BudgetEnded: nothing is left."""
        if not self.left:
            raise BudgetEnded
        if self.evaluations is not None and evaluator.evaluations >= self.evaluations:
            raise BudgetEnded


def tells(block: Block, before: Evaluation, after: Evaluation) -> bool:
    """Does the gain beat its interval, and what as many of the table's features gain by chance?"""
    chance = block.by_chance(len(block.features)) * (1.0 - max(before.r2, 0.0))
    return after.gain_over(before)[1] > chance


@dataclass(frozen=True, slots=True)
class Pick:
    """A table added to the set, and the evaluations before and after."""

    block: Block
    before: Evaluation
    after: Evaluation


@dataclass(slots=True)
class Offer:
    """A table that may be added.

    `gain`: when it was looked at last, with the features `variant`, beside the first `beside` of the tables
    chosen (-1: it was not looked at).
    """

    block: Block
    gain: float
    variant: Block
    beside: int = -1


@dataclass(slots=True)
class Search:
    """A search under way: what is chosen so far is always a finished, evaluated set."""

    evaluator: Evaluator
    budget: Budget
    tables: int
    told: Callable[[str, float], None] = lambda _what, _r2: None
    picks: list[Pick] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    ended: bool = False
    estimated: list[tuple[Candidate, float]] = field(default_factory=list)
    initial: Evaluation | None = None
    looked: int = 0
    offers: list[Offer] = field(default_factory=list)

    @property
    def chosen(self) -> list[Block]:
        return [pick.block for pick in self.picks]

    @property
    def best(self) -> Evaluation:
        if self.picks:
            return self.picks[-1].after
        assert self.initial is not None
        return self.initial

    def run(self, selector: SelectorName, candidates: Sequence[Candidate], *, more: bool = False) -> None:
        """Search; a budget that ends or Ctrl-C leaves the best set so far and what was not tried.

        `more`: others will be offered before anything is chosen.
        """
        self.initial = self.evaluator.evaluate(())
        try:
            if selector == "ours":
                self._ours(candidates)
                if not more:
                    self.choose()
            elif selector == "exhaustive":
                self._exhaustive(candidates)
            elif selector in MODEL_SELECTORS:
                self.greedy([Offer(block, math.inf, block) for block in self.made(candidates)])
            else:
                self._nearest(candidates, joinable=selector == "joinable")
        except (BudgetEnded, KeyboardInterrupt):
            self.ended = True

    def recommended(self) -> list[Pick]:
        """The picks whose gain over those recommended before them beats its interval; `before` and `after`
        say so.
        """
        kept: list[Pick] = []
        assert self.initial is not None
        best, dropped = self.initial, False
        for pick in self.picks:
            after = pick.after
            if dropped:
                # judged beside a table that is not recommended so far
                after = self.evaluator.evaluate([*(p.block for p in kept), pick.block])
            if tells(pick.block, best, after):
                kept.append(Pick(pick.block, best, after))
                best = after
            else:
                dropped = True
        return kept

    def add(self, block: Block, after: Evaluation) -> None:
        """Take a table into the set."""
        self.picks.append(Pick(block, self.best, after))
        self.told(block.candidate.table, after.r2)

    def made(self, candidates: Sequence[Candidate]) -> list[Block]:
        """The candidates' features; what the budget leaves out stays pending."""
        self.pending = [c.path for c in candidates]
        for candidate in candidates:
            try:
                self.budget.check(self.evaluator)
                block = self.evaluator.block(candidate)
            except LakeError as error:
                self.failed.append((candidate.path, str(error)))
                self.pending.remove(candidate.path)
                continue
            except BudgetEnded:
                self.ended = True
                break
            self.pending.remove(candidate.path)
            self.blocks.append(block)
            self.told(candidate.table, self.best.r2)
        return [b for b in self.blocks if b.features]

    def greedy(self, offers: Sequence[Offer]) -> None:
        """Add what helps most beside what is chosen already, judged by estimates, confirmed in full.

        A gain falls as tables are added, mostly: what was worth less than another is now, when looked at
        last, is not looked at again (Minoux 1978: the accelerated greedy algorithm).
        """
        rest = list(offers)
        telling = True
        while rest and len(self.picks) < self.tables:
            finalists = self._finalists(rest, _FINALISTS if telling else 1)
            tried: list[tuple[bool, float, int, Evaluation]] = []
            for i, offer in enumerate(finalists):
                if tried and (tried[0][0] or offer.gain < finalists[0].gain * _NEAR):
                    break
                if self.picks or tried:
                    self.budget.check(self.evaluator)
                after = self.evaluator.evaluate([*self.chosen, offer.variant])
                tried.append((tells(offer.variant, self.best, after), after.r2, -i, after))
            if not tried:
                return
            # a gain that beats its interval before a larger one that may be chance
            telling, _, at, after = max(tried, key=lambda x: x[:3])
            offer = finalists[-at]
            if after.r2 < self.best.r2 + _LEAST:
                return
            self.add(offer.variant, after)
            rest = [one for one in rest if one.block.candidate.table != offer.block.candidate.table]

    def _finalists(self, rest: list[Offer], most: int) -> list[Offer]:
        """The best few beside what is chosen, each with the features that are best of it."""
        now = self.evaluator.estimate(self.chosen)
        looked: list[Offer] = []
        for offer in sorted(rest, key=lambda one: -one.gain):
            best = sorted((one.gain for one in looked), reverse=True)[:most]
            if len(best) == most and offer.gain < best[-1] * _FALLS:
                break
            if self.picks:
                self.budget.check(self.evaluator)
            if offer.beside != len(self.picks):
                estimated, offer.variant = self.best_variant(offer.block)
                offer.gain, offer.beside = estimated - now, len(self.picks)
            looked.append(offer)
        looked.sort(key=lambda one: -one.gain)
        return [one for one in looked[:most] if one.gain > 0]

    def best_variant(self, block: Block) -> tuple[float, Block]:
        """The table with the features that fit best what is left to explain: its estimate, less what the best
        of so many features explain by chance, and the features alone.
        """
        evaluator = self.evaluator
        sums = evaluator.pooled([*self.chosen, block])
        given = list(range(sums.features - len(block.features)))
        offered = range(len(given), sums.features)
        if len(block.features) == 1:
            return evaluator.estimated(sums), block
        order, told = sums.ordered(given, offered, _SUBSETS[-1])
        left = 1.0 - max(self.best.r2, 0.0)
        sizes = sorted({min(size, len(order)) for size in _SUBSETS} - {0})
        k = max(sizes, key=lambda k: (told[k - 1] - left * block.by_chance(k), -k), default=0)
        found = [(evaluator.estimated(sums, [*given, *order[:k]]) - left * block.by_chance(k), -k, order[:k])]
        if len(block.features) <= _SUBSETS[-1] and k < len(block.features):
            # all of them, of which nothing was chosen by the target
            found.append((evaluator.estimated(sums), -len(block.features), list(offered)))
        estimated, _, at = max(found)
        return estimated, block.only([i - len(given) for i in at])

    def offer(self, block: Block, start: float) -> Offer:
        """A table with its gain over the estimate `start` of what is chosen so far."""
        estimated, variant = self.best_variant(block)
        return Offer(block, estimated - start, variant, len(self.picks))

    def _ours(self, candidates: Sequence[Candidate]) -> None:
        blocks = self.made(candidates)
        now = self.evaluator.estimate(())
        offers = [self.offer(block, now) for block in blocks]
        self.estimated += [(one.block.candidate, one.gain) for one in offers]
        offers.sort(key=lambda one: -one.gain)
        self.offers = offers[: max(_SURVIVORS * self.tables, len(offers) // 8)]

    def choose(self) -> None:
        """Add the best of what is offered; nothing is taken only because it was looked at first."""
        offers = {id(one.block): one for one in self.offers if one.gain > 0}
        self.offers = []
        self.greedy(sorted(offers.values(), key=lambda one: -one.gain))

    def _exhaustive(self, candidates: Sequence[Candidate]) -> None:
        rest = self.made(candidates)
        while rest and len(self.picks) < self.tables:
            found: list[tuple[float, int, Evaluation]] = []
            for i, block in enumerate(rest):
                self.budget.check(self.evaluator)
                evaluation = self.evaluator.evaluate([*self.chosen, block])
                found.append((evaluation.r2, -i, evaluation))
            r2, at, evaluation = max(found, key=lambda x: x[:2])
            if r2 < self.best.r2 + _LEAST:
                return
            block = rest[-at]
            self.add(block, evaluation)
            rest = [b for b in rest if b.candidate.table != block.candidate.table]

    def _nearest(self, candidates: Sequence[Candidate], *, joinable: bool) -> None:
        """The tables whose schemas are nearest to the target's words, joined on their best key."""
        base = self.evaluator.base
        index = base.lake.index
        words = f"{names.expanded(base.table.name)} {names.expanded(base.target.name)}"
        near = index.snippet_similarities(words)
        best = {c.table: c for c in reversed(candidates)}
        ranked = sorted(index.tables, key=lambda t: -float(near[index.table_order[t]]))
        wanted = [t for t in ranked if t != base.table.name and (t in best or not joinable)][: self.tables]
        for block in self.made([best[t] for t in wanted if t in best]):
            self.add(block, self.evaluator.evaluate([*self.chosen, block]))
