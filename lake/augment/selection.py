"""Selectors: which tables, and which of their columns, for a base table under a budget.

Owns the search over sets of candidates: successive halving and a redundancy-aware greedy choice (`ours`), the greedy choice
that evaluates everything (`exhaustive`), and nearest schemas (`embedding`, `joinable`). Must not know SQL or the report.
Successive halving: Jamieson and Talwalkar 2016.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rewright.engines.duckdb.errors import LakeError
from rewright.lake import names
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.evaluator import Block, Evaluator
from rewright.lake.augment.metric import Evaluation, ordered_features

SelectorName = Literal["ours", "exhaustive", "embedding", "joinable"]
SELECTORS: tuple[SelectorName, ...] = ("ours", "exhaustive", "embedding", "joinable")
_LEAST = 1e-4
"""A smaller gain in R² is none."""
_SURVIVORS = 4
"""Survivors of the halving for each table wanted, at least."""
_FINALISTS = 2
"""Sets evaluated in full for each table added."""
_SUBSETS = (3, 8, 16)
"""How many of a table's features are tried beside all of them."""


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

    def check(self, evaluator: Evaluator) -> None:
        """:raises BudgetEnded: nothing is left."""
        if self.stop() or (self.seconds is not None and self.used >= self.seconds):
            raise BudgetEnded
        if self.evaluations is not None and evaluator.evaluations >= self.evaluations:
            raise BudgetEnded


@dataclass(frozen=True, slots=True)
class Pick:
    """A table added to the set, and the evaluations before and after."""

    block: Block
    before: Evaluation
    after: Evaluation


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
    initial: Evaluation | None = None

    @property
    def chosen(self) -> list[Block]:
        return [pick.block for pick in self.picks]

    @property
    def best(self) -> Evaluation:
        if self.picks:
            return self.picks[-1].after
        assert self.initial is not None
        return self.initial

    def run(self, selector: SelectorName, candidates: Sequence[Candidate]) -> None:
        """Search; a budget that ends or Ctrl-C leaves the best set so far and what was not tried."""
        self.initial = self.evaluator.evaluate(())
        try:
            if selector == "ours":
                self._ours(candidates)
            elif selector == "exhaustive":
                self._exhaustive(candidates)
            else:
                self._nearest(candidates, joinable=selector == "joinable")
        except (BudgetEnded, KeyboardInterrupt):
            self.ended = True

    def recommended(self) -> list[Pick]:
        """The picks whose gain over those recommended before them beats its interval; `before` and `after` say so."""
        kept: list[Pick] = []
        assert self.initial is not None
        best, dropped = self.initial, False
        for pick in self.picks:
            after = pick.after
            if dropped:
                # judged beside a table that is not recommended so far
                after = self.evaluator.evaluate([*(p.block for p in kept), pick.block])
            if after.gain_over(best)[1] > 0:
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

    def greedy(self, blocks: Sequence[Block]) -> None:
        """Add what helps most beside what is chosen already, judged by estimates, confirmed in full."""
        evaluator = self.evaluator
        rest = list(blocks)
        telling = True
        while rest and len(self.picks) < self.tables:
            found: list[tuple[float, Block, Block]] = []
            for block in rest:
                if self.picks:
                    self.budget.check(evaluator)
                found += [(evaluator.estimate([*self.chosen, v]), v, block) for v in self._variants(block)]
            found.sort(key=lambda x: -x[0])
            tried: list[tuple[bool, float, int, Evaluation]] = []
            finalists = _different(found, _FINALISTS if telling else 1)
            for i, (_, variant, _block) in enumerate(finalists):
                if self.picks or tried:
                    self.budget.check(evaluator)
                after = evaluator.evaluate([*self.chosen, variant])
                tried.append((after.gain_over(self.best)[1] > 0, after.r2, -i, after))
            # a gain that beats its interval before a larger one that may be chance
            telling, _, at, after = max(tried, key=lambda x: x[:3])
            _, variant, block = finalists[-at]
            if after.r2 < self.best.r2 + _LEAST:
                return
            self.add(variant, after)
            rest = [b for b in rest if b.candidate.table != block.candidate.table]

    def _ours(self, candidates: Sequence[Candidate]) -> None:
        blocks = self.made(candidates)
        scored = sorted(((self.evaluator.estimate([b]), i) for i, b in enumerate(blocks)), reverse=True)
        survivors = max(_SURVIVORS * self.tables, len(scored) // 8)
        self.greedy([blocks[i] for _, i in scored[:survivors]])

    def _variants(self, block: Block) -> list[Block]:
        """The table with all its features, and with the few that fit best what is left to explain."""
        evaluator = self.evaluator
        if len(block.features) <= _SUBSETS[0]:
            return [block]
        moments = evaluator.moments([*self.chosen, block], 1)
        last = moments.features
        offered = list(range(last - len(block.features), last))
        given = list(range(last - len(block.features)))
        order = [i - offered[0] for i in ordered_features(moments, given, offered, _SUBSETS[-1])]
        return [block, *(block.only(order[:k]) for k in _SUBSETS if k < len(block.features) and order[:k])]

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


def _different(found: Sequence[tuple[float, Block, Block]], most: int) -> list[tuple[float, Block, Block]]:
    """The best few, at most one variant of a candidate."""
    out: list[tuple[float, Block, Block]] = []
    for one in found:
        if all(one[2] is not other[2] for other in out):
            out.append(one)
        if len(out) == most:
            break
    return out
