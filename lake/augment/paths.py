"""Chains of joins: a growing graph of tables reached from the base, searched with the evaluator's feedback.

Owns the strategies: breadth first, depth first, and Monte Carlo tree search (Kocsis and Szepesvári 2006:
UCT). Must not know SQL: a chain's features come back over it one row per key, so that base rows never
multiply.
"""

from __future__ import annotations

import math
import random
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.augment.blocks import Block
from rewright.lake.augment.candidates import Candidate, Candidates
from rewright.lake.augment.carrying import Carrying, further
from rewright.lake.augment.options import Strategy
from rewright.lake.augment.sampling import AT_ONCE, Look, Sample, batched
from rewright.lake.augment.selection import BudgetEnded, Search

# how much a rarely visited chain is preferred: gains in R² are small, hence less than UCT's usual 1.4
_EXPLORATION = 0.2
# chains from which the set is chosen at the end
_KEPT = 16
_BEAM = 200
"""Tables of one level, at most."""
_GLANCE = 16
"""A first look is at this share of the base's rows,"""
_FEWEST_ROWS = 32
_MOST_ROWS = 512
"""but not fewer and not more rows than these."""
_GROWTH = 4
_BUILT = 8
"""Chains that are judged on all rows after the looks."""
_RESERVED = 0.4
"""The share of a budget that looks leave for what they find."""
_MOST = 400
"""Chains judged, at most; a look on a few rows counts as their share."""


@dataclass(slots=True, eq=False)
class _Node:
    candidate: Candidate | None
    visits: int = 0
    best: float = 0.0
    prior: float = 1.0
    children: list[_Node] | None = None
    parent: _Node | None = field(default=None, repr=False)
    done: bool = False


def explore(
    search: Search,
    candidates: Candidates,
    hops: int,
    strategy: Strategy,
    seed: int,
    chains: int | None = None,
) -> None:
    """Look at chains of up to `hops` joins and add those that help to the search's set; `chains`: at so many,
    at most.
    """
    tree = _Tree(search, candidates, hops, chains)
    chance = random.Random(seed)  # noqa: S311 - a search, no secret
    try:
        match strategy:
            case _ if search.ended:
                pass
            case "auto":
                tree.by_level(chance)
            case "mcts":
                tree.mcts(chance)
            case "bfs" | "dfs":
                tree.in_order(depth_first=strategy == "dfs")
    except (BudgetEnded, KeyboardInterrupt):
        search.ended = True
    try:
        # what is found so far is chosen from even if the search has ended: one step is always afforded
        tree.choose()
    except (BudgetEnded, KeyboardInterrupt):
        search.ended = True
    search.looked = math.ceil(tree.looked)


class _Tree:
    def __init__(self, search: Search, candidates: Candidates, hops: int, chains: int | None) -> None:
        self._search = search
        self._candidates = candidates
        self._hops = hops
        self._root = _Node(None)
        self._found: list[tuple[float, Block]] = []
        self._looks: list[tuple[_Node, Look]] = []
        self._start = search.evaluator.estimate(search.chosen)
        self.looked = 0.0
        self._most = _MOST if chains is None else min(chains, _MOST)
        self._carrying: Carrying | None = None
        """Set: what leads on by a column that can carry nothing is not looked for."""

    def in_order(self, *, depth_first: bool) -> None:
        waiting = deque(self._children(self._root))
        while waiting and self.looked < self._most:
            node = waiting.popleft()
            self._look(node)
            children = self._children(node)
            if depth_first:
                waiting.extendleft(reversed(children))
            else:
                waiting.extend(children)
        self._search.pending += [n.candidate.path for n in waiting if n.candidate is not None]

    def by_level(self, chance: random.Random) -> None:
        """Look at all tables that are as many joins away on a few rows of the base, level by level: tables
        that do not help may lead to some that do. What seems to help most is built and judged on all rows.

        Where the next level would take more than is left of the budget, what is most promising is looked for
        in the tree.
        """
        sample = self._search.evaluator.sample(self._few())
        self._carrying = self._search.evaluator.carrying()
        level, each = self._children(self._root), 0.0
        while level:
            if not self._affords(len(level), sample, each):
                # a level that is too large: the tree tries what is promising instead of all
                self.mcts(chance, sample)
                break
            started = time.monotonic()
            for node in level:
                node.visits += 1
            self._glance(level, sample)
            # what this level's looks took tells what the next level's will
            each = (time.monotonic() - started) / len(level)
            level = [child for node in level for child in self._children(node)]
            # the most promising come first; of very many the rest is not looked at
            level.sort(key=lambda node: -node.prior)
            self._search.pending += [n.candidate.path for n in level[_BEAM:] if n.candidate is not None]
            level = level[:_BEAM]
        self._build(sample)

    def _few(self) -> int:
        """Rows of a first look: a share of the base's, but enough to tell a table that helps from chance."""
        rows = self._search.evaluator.base.rows
        return max(_FEWEST_ROWS, min(rows // _GLANCE, _MOST_ROWS))

    def _affords(self, looks: int, sample: Sample, each: float) -> bool:
        """May so many looks, of `each` seconds, be made, and what they find still be judged?"""
        budget = self._search.budget
        if budget.seconds_left is not None and each * looks > budget.seconds_left:
            return False
        left = budget.regressions_left(self._search.evaluator)
        if left is not None and looks > left * (1 - _RESERVED):
            return False
        return self.looked + looks * self._share(sample) <= self._most * (1 - _RESERVED)

    def _share(self, sample: Sample) -> float:
        """What a look costs, as a share of judging a table on all rows."""
        return sample.rows / self._search.evaluator.base.rows

    def _glance(self, nodes: Sequence[_Node], sample: Sample) -> list[float]:
        """A look at chains on a few rows, several at once: the estimated gain of each."""
        search, gains = self._search, []
        for some in batched(nodes, AT_ONCE):
            search.budget.check(search.evaluator)
            chains = [node.candidate for node in some if node.candidate is not None]
            search.evaluator.estimates += len(chains)
            search.tried.update(chain.table for chain in chains)
            self.looked += len(chains) * self._share(sample)
            looks = sample.looks(chains)
            gains += [self._judged(node, look) for node, look in zip(some, looks, strict=True)]
        return gains

    def _judged(self, node: _Node, look: Look | LakeError | None) -> float:
        """Keep what a look at a chain gave; its estimated gain."""
        assert node.candidate is not None
        search = self._search
        if isinstance(look, LakeError):
            search.failed.append((node.candidate.path, str(look)))
            node.prior = 0.0
            return 0.0
        if look is None:
            # too large to be looked at in part
            look = Look(node.candidate, math.inf, 1.0, suspect=False)
        # where no row of the base arrives, nothing further on can help
        node.prior *= look.coverage
        search.told(node.candidate.table, search.best.r2)
        if look.coverage > 0:
            self._looks.append((node, look))
        return max(0.0, look.gain)

    def _build(self, sample: Sample) -> None:
        """Judge on all rows what seemed best on a few: the better half is looked at on more rows, again and
        again (successive halving), as long as that is cheaper. What may give the target away is built, too,
        so that it is reported.
        """
        rest = sorted(self._looks, key=lambda one: -one[1].gain)
        suspects = [node for node, look in rest if look.suspect]
        base = self._search.evaluator.base
        while len(rest) > _BUILT and 2 * _GROWTH * sample.rows <= base.rows:
            sample = self._search.evaluator.sample(sample.rows * _GROWTH)
            # a quarter, looked at on four times as many rows: each round costs about the same
            half = rest[: max(_BUILT, len(rest) // 4)]
            if self.looked + len(half) * self._share(sample) > self._most - _BUILT:
                break
            self._looks = []
            self._glance([node for node, _ in half], sample)
            rest = sorted(self._looks, key=lambda one: -one[1].gain)
        promising = [node for node, look in rest[:_BUILT] if look.gain > 0]
        for node in dict.fromkeys([*promising, *suspects]):
            if self.looked + 1 > self._most:
                break
            self._look(node)

    def _made(self, node: _Node) -> Block | None:
        """The chain's features; None: there are none."""
        assert node.candidate is not None
        search = self._search
        search.budget.check(search.evaluator)
        try:
            block = search.evaluator.block(node.candidate)
        except LakeError as error:
            search.failed.append((node.candidate.path, str(error)))
            node.prior = 0.0
            return None
        if all(block is not other for other in search.blocks):
            search.blocks.append(block)
        # where no row of the base arrives, nothing further on can help
        node.prior *= block.coverage
        search.told(node.candidate.table, search.best.r2)
        return block if block.features else None

    def mcts(self, chance: random.Random, sample: Sample | None = None) -> None:
        """`sample`: the rows on which chains are looked at; None: they are built for all."""
        spent = self._most if sample is None else self._most * (1 - _RESERVED)
        while not self._root.done and self.looked < spent:
            node = self._root
            # down the tree, by what each branch is worth, to a chain that was not looked at yet
            while (open_ := [c for c in self._children(node) if not c.done]) and (
                node.visits or node is self._root
            ):
                node = max(open_, key=lambda c: (self._worth(c), chance.random()))
            if not node.visits and node is not self._root:
                reward = self._look(node) if sample is None else self._glance([node], sample)[0]
            else:
                # nothing is left below it
                reward = 0.0
                node.done = True
            self._back(node, reward)

    def choose(self) -> None:
        """Greedy over the best chains found, beside the tables already chosen."""
        best = sorted(self._found, key=lambda one: -one[0])[:_KEPT]
        self._search.offers += [block for _, block in best]
        self._search.choose()

    def _worth(self, node: _Node) -> float:
        above = node.parent.visits if node.parent is not None else 1
        # UCT with the best gain instead of the mean: one good table is enough, however poor those beside it
        # are
        return node.best + _EXPLORATION * node.prior * math.sqrt(math.log(2 + above) / (1 + node.visits))

    def _back(self, node: _Node, reward: float) -> None:
        step: _Node | None = node
        while step is not None:
            step.visits += 1
            step.best = max(step.best, reward)
            if step.children is not None and all(c.done for c in step.children):
                step.done = True
            step = step.parent

    def _children(self, node: _Node) -> list[_Node]:
        """The joins that lead on; a table is on a chain once, and a step that goes back on itself is none."""
        if node.children is None:
            made: list[Candidate]
            if node.candidate is None:
                made = self._candidates.single(self._search.evaluator.base.keys)
            elif len(node.candidate.hops) >= self._hops or node.prior <= 0:
                made = []
            else:
                made = further(self._candidates, node.candidate, self._carrying)
            node.children = [
                _Node(c, prior=c.hops[-1].quality, parent=node)
                for c in sorted(made, key=lambda c: -c.hops[-1].quality)
            ]
        return node.children

    def _look(self, node: _Node) -> float:
        block = self._made(node)
        self.looked += 1
        if block is None:
            return 0.0
        gain = self._search.gain(block, self._start)
        self._found.append((gain, block))
        return max(0.0, gain)
