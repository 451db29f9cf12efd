"""Selectors: which tables, and which of their columns, for a base table under a budget.

Owns the search over sets of candidates: successive halving and a redundancy-aware greedy choice (`ours`), the
greedy choice that evaluates everything (`exhaustive`), and nearest schemas (`embedding`, `joinable`). Must
not know SQL or the report. Successive halving: Jamieson and Talwalkar 2016.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rewright.engines.duckdb.errors import LakeError
from rewright.lake import names
from rewright.lake.augment.blocks import Block, best_of_tables
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.evaluator import Evaluator
from rewright.lake.augment.metric import FITS, Evaluation
from rewright.lake.augment.options import MODEL_SELECTORS, SelectorName
from rewright.lake.augment.sampling import AT_ONCE, Look, batched
from rewright.lake.augment.standing import SIZES, Standing
from rewright.lake.augment.unseen_keys import holds

_LEAST = 1e-4
"""A smaller gain in R² is none."""
_SURVIVORS = 3
"""Survivors of the halving for each table wanted, at least."""
_FIRST_SAMPLE = 64
"""Rows of the first round of the halving."""
# each round halves the candidates and looks at four times the rows
_GROWTH = 4
_SURER = 4
"""One look says as much as so many earlier searches for the same target."""
_CHEAPER = 8
"""A round is made on this share of the rows at most: reading a table and writing down what its features are
costs the same for one key as for a few hundred, so that of a small base all keys are as cheap.
"""
_FINALISTS = 2
"""Sets evaluated in full for each table added, at most: the second where the first's gain may be chance."""
_NEAR = 0.5
"""A second set is evaluated only if its estimated gain is at least this share of the first's."""


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
        """Is there time left, and has nothing asked the search to stop?"""
        return not self.stop() and (self.seconds is None or self.used < self.seconds)

    def regressions_left(self, evaluator: Evaluator) -> int | None:
        """How many estimates may be made in place of the evaluations that are left; None: no limit."""
        if self.evaluations is None:
            return None
        return (self.evaluations - evaluator.evaluations) * FITS - evaluator.estimates

    def check(self, evaluator: Evaluator) -> None:
        """:raises BudgetEnded: nothing is left."""
        if not self.left:
            raise BudgetEnded
        if self.evaluations is not None and evaluator.evaluations >= self.evaluations:
            raise BudgetEnded


def tells(block: Block, before: Evaluation, after: Evaluation, by_choice: float = 0.0) -> bool:
    """Does the gain beat its interval, and what as many of the table's features gain by chance? `by_choice`:
    what the best of all tables tried explains more than any of them by chance; that is asked of the gain
    itself, of which the interval's lower end says how sure it is.
    """
    left = 1.0 - max(before.r2, 0.0)
    chance = block.by_chance(len(block.features))
    gain, low, _ = after.gain_over(before)
    return low > chance * left and gain > (chance + by_choice) * left


@dataclass(frozen=True, slots=True)
class Pick:
    """A table added to the set, and the evaluations before and after. `beside`: the table without which it
    would not be recommended, nor that one without it.
    """

    block: Block
    before: Evaluation
    after: Evaluation
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """A table that may be added: the `number` of its block among those offered, what it is estimated to
    gain with the features `chosen` beside the tables chosen so far.
    """

    number: int
    block: Block
    gain: float
    chosen: tuple[int, ...]

    @property
    def variant(self) -> Block:
        """The table with those features alone."""
        return self.block.only(self.chosen)


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
    offers: list[Block] = field(default_factory=list)
    """What may be chosen from."""
    tried: set[str] = field(default_factory=set)
    """The tables that were looked at or built."""
    of_seen_keys: set[int] = field(default_factory=set)
    """The blocks, by id, whose gain does not hold for keys that were not seen."""
    prior: Callable[[str], tuple[float, float]] = lambda _table: (0.0, 0.0)
    """A table's mean gain in earlier searches for alike targets, and how many of them it is worth."""

    def hoped(self, table: str, gain: float, rows: int) -> float:
        """A gain estimated on so many of the base's rows together with earlier searches: the more rows there
        are the less those weigh, and nothing where all were looked at.
        """
        unseen = 1.0 - rows / self.evaluator.base.rows
        if unseen <= 0:
            return gain
        mean, evidence = self.prior(table)
        looks = _SURER * max(1.0, rows / _FIRST_SAMPLE) / unseen
        return (looks * gain + evidence * mean) / (looks + evidence) if math.isfinite(gain) else gain

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
                self.greedy(self.made(candidates))
            else:
                self._nearest(candidates, joinable=selector == "joinable")
        except (BudgetEnded, KeyboardInterrupt):
            self.ended = True

    def _tells(self, block: Block, before: Evaluation, after: Evaluation) -> bool:
        """As `tells`, of as many tables as were tried."""
        return tells(block, before, after, self._by_choice)

    @property
    def _by_choice(self) -> float:
        return best_of_tables(len(self.tried), self.evaluator.base.rows)

    def recommended(self) -> list[Pick]:
        """The picks whose gain over those recommended before them beats its interval; `before` and `after`
        say so. Two of which neither does alone, but each beside the other, are both recommended.
        """
        kept: list[Pick] = []
        waiting: list[Pick] = []
        assert self.initial is not None
        best = self.initial
        for pick in self.picks:
            after = pick.after
            if waiting:
                # judged beside tables that are not recommended so far
                after = self.evaluator.evaluate([*(p.block for p in kept), pick.block])
            told = self._tells(pick.block, best, after) or self._whole_tells(kept, pick.block, best, after)
            if told and self._holds(kept, pick.block, best):
                kept.append(Pick(pick.block, best, after))
                best = after
                continue
            pair = self._pair(kept, best, waiting, Pick(pick.block, best, after))
            if pair:
                kept += pair
                best = pair[-1].after
                waiting = [one for one in waiting if one.block is not pair[0].block]
            else:
                waiting.append(Pick(pick.block, best, after))
        return kept

    def _holds(self, given: Sequence[Pick], block: Block, before: Evaluation) -> bool:
        """See `holds`; a block that does not hold is noted as such."""
        given_blocks = [one.block for one in given]
        held, evaluations = holds(self.evaluator.base, given_blocks, block, before, len(self.tried))
        self.evaluator.evaluations += evaluations
        if not held:
            self.of_seen_keys.add(id(block))
        return held

    def _whole_tells(self, kept: Sequence[Pick], block: Block, best: Evaluation, after: Evaluation) -> bool:
        """Does the table gain enough with all of its few features, of which nothing was chosen by the target?
        Asked where the gain of those chosen beats its interval, and chance may have chosen them.
        """
        if after.gain_over(best)[1] <= 0 or block.offered > SIZES[-1]:
            return False
        whole = next(one for one in self.blocks if one.candidate is block.candidate)
        with_all = self.evaluator.evaluate([*(one.block for one in kept), whole])
        gain, low, _ = with_all.gain_over(best)
        return low > 0 and gain > self._by_choice * (1.0 - max(best.r2, 0.0))

    def _pair(
        self, kept: Sequence[Pick], best: Evaluation, waiting: Sequence[Pick], pick: Pick
    ) -> list[Pick]:
        """One of those waiting and the pick, if each of the two gains enough beside the other; none: none
        does.
        """
        given = [one.block for one in kept]
        found = next(one for one in self.picks if one.block is pick.block)
        if id(pick.block) in self.of_seen_keys:
            return []
        if not self._tells(found.block, found.before, found.after):
            # not even beside all that was chosen before
            return []
        for other in reversed(waiting):
            both = self.evaluator.evaluate([*given, other.block, pick.block])
            without = other.after
            if other.before is not best:
                without = self.evaluator.evaluate([*given, other.block])
            # each must gain beside the other, and both together beside nothing
            beside = self._tells(pick.block, without, both) and self._tells(other.block, pick.after, both)
            if beside and both.gain_over(best)[1] > 0:
                one, two = other.block.candidate.table, pick.block.candidate.table
                return [
                    Pick(other.block, pick.after, both, two),
                    Pick(pick.block, without, both, one),
                ]
        return []

    def surely_recommended(self) -> list[Pick]:
        """The first picks, as far as each beats its interval and does not gain by seen keys alone: what is
        known without another evaluation.
        """
        return list(
            itertools.takewhile(
                lambda one: (
                    id(one.block) not in self.of_seen_keys and self._tells(one.block, one.before, one.after)
                ),
                self.picks,
            )
        )

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
            self.tried.add(candidate.table)
            self.told(candidate.table, self.best.r2)
        return [b for b in self.blocks if b.features]

    def greedy(self, blocks: Sequence[Block]) -> None:
        """Add what helps most beside what is chosen already, judged by estimates, confirmed in full.

        All are looked at again beside each that is added: a table may tell nothing alone, and much beside
        another whose noise it tells.
        """
        chosen, rest = self.chosen, dict(enumerate(blocks))
        standing = Standing.of(self.evaluator.base, [*blocks, *chosen])
        for n, block in enumerate(chosen, len(blocks)):
            standing.take(n, range(len(block.features)))
        telling = True
        while rest and len(self.picks) < self.tables:
            finalists = self._finalists(standing, rest, _FINALISTS if telling else 1)
            tried: list[tuple[bool, float, int, Evaluation]] = []
            for i, offer in enumerate(finalists):
                if tried and (tried[0][0] or offer.gain < finalists[0].gain * _NEAR):
                    break
                # The first evaluation is always made: an answer that the budget did not even begin is none.
                if self.picks or tried:
                    self.budget.check(self.evaluator)
                after = self.evaluator.evaluate([*self.chosen, offer.variant])
                tried.append((self._tells(offer.variant, self.best, after), after.r2, -i, after))
            if not tried:
                return
            # a gain that beats its interval before a larger one that may be chance
            telling, _, at, after = max(tried, key=lambda x: x[:3])
            offer = finalists[-at]
            if after.r2 < self.best.r2 + _LEAST:
                return
            self.add(offer.variant, after)
            standing.take(offer.number, offer.chosen)
            # A table is joined once: its other keys would bring the same columns.
            rest = {n: b for n, b in rest.items() if b.candidate.table != offer.block.candidate.table}

    def _finalists(self, standing: Standing, rest: Mapping[int, Block], most: int) -> list[Offer]:
        """The best few beside what is chosen, each with the features that are best of it."""
        if self.picks:
            self.budget.check(self.evaluator)
        now = standing.now
        found = standing.worth(list(rest), [block.by_chance for block in rest.values()])
        self.evaluator.estimates += len(found)
        looked = [
            Offer(n, block, one.estimate - now, one.chosen)
            for (n, block), one in zip(rest.items(), found, strict=True)
        ]
        if not self.picks:
            self.estimated += [(one.block.candidate, one.gain) for one in looked]
        looked.sort(key=lambda one: -one.gain)
        return [one for one in looked[:most] if one.gain > 0]

    def gain(self, block: Block, start: float) -> float:
        """What a table gains over the estimate `start` of what is chosen so far, with the features that fit
        best what is left to explain, less what the best of so many explain by chance.
        """
        evaluator = self.evaluator
        sums = evaluator.pooled([*self.chosen, block])
        given = sums.features - len(block.features)
        left = 1.0 - max(self.best.r2, 0.0)
        found = sums.best_of(given, lambda k: left * block.by_chance(k))
        evaluator.estimates += len(found)
        return max(estimated for estimated, _ in found) - start

    def _ours(self, candidates: Sequence[Candidate]) -> None:
        self.offers += self.made(self._halved(candidates))

    def _halved(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those worth building for all keys. In each round the better half is kept, on four times as many
        rows; besides, what may give the target away, which is reported whatever it is worth.
        """
        rest, suspects = list(candidates), set[str]()
        rows = _FIRST_SAMPLE
        wanted = _SURVIVORS * self.tables
        while len(rest) > wanted and _CHEAPER * rows <= self.evaluator.base.rows:
            looks = self._looks(rest, rows)
            if looks is None:
                break
            suspects |= {look.candidate.path for look in looks if look.suspect}
            looks.sort(key=lambda look: -self.hoped(look.candidate.table, look.gain, rows))
            # the better half, rounded up, and never fewer than are wanted
            kept = {look.candidate.path for look in looks[: max(wanted, -(-len(rest) // 2))]}
            self.estimated += [(x.candidate, x.gain) for x in looks if x.candidate.path not in kept]
            rest = [c for c in rest if c.path in kept]
            rows *= _GROWTH
        built = {c.path for c in rest} | suspects
        return [c for c in candidates if c.path in built]

    def _looks(self, candidates: Sequence[Candidate], rows: int) -> list[Look] | None:
        """Each candidate on so many rows; what cannot be read is left to be told when it is built. None: the
        budget ended.
        """
        sample = self.evaluator.sample(rows)
        found: list[Look] = []
        for some in batched(candidates, AT_ONCE):
            if not self.budget.left:
                return None
            self.evaluator.estimates += len(some)
            self.tried.update(candidate.table for candidate in some)
            found += [
                one if isinstance(one, Look) else Look(candidate, math.inf, 1.0, suspect=False)
                for candidate, one in zip(some, sample.looks(some), strict=True)
            ]
        return found

    def choose(self) -> None:
        """Add the best of what is offered; nothing is taken only because it was looked at first."""
        offers = list({id(block): block for block in self.offers}.values())
        self.offers = []
        if offers:
            self.greedy(offers)

    def _exhaustive(self, candidates: Sequence[Candidate]) -> None:
        rest = self.made(candidates)
        while rest and len(self.picks) < self.tables:
            found: list[tuple[float, int, Evaluation]] = []
            for i, block in enumerate(rest):
                self.budget.check(self.evaluator)
                evaluation = self.evaluator.evaluate([*self.chosen, block])
                # of equals the first, as max() prefers larger numbers
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
        # Of a table's candidates the first is the best, and in reverse it is written last.
        best = {c.table: c for c in reversed(candidates)}
        ranked = sorted(index.tables, key=lambda t: -float(near[index.table_order[t]]))
        wanted = [t for t in ranked if t != base.table.name and (t in best or not joinable)][: self.tables]
        for block in self.made([best[t] for t in wanted if t in best]):
            self.add(block, self.evaluator.evaluate([*self.chosen, block]))
