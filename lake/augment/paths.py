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
from dataclasses import dataclass, field

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.augment.candidates import Candidate, Candidates
from rewright.lake.augment.evaluator import Block
from rewright.lake.augment.options import Strategy
from rewright.lake.augment.selection import BudgetEnded, Offer, Search

_EXPLORATION = 0.2
_KEPT = 16
_BEAM = 200
"""Tables of one level, at most."""
_POOLED = 24
"""Tables whose features are pooled."""
_FITTING = 3
"""Features of a pool that point at tables worth a look."""
_MOST = 400
"""Chains looked at, at most."""


@dataclass(slots=True)
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
    chance = random.Random(seed)  # noqa: S311 a search, no secret
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
    search.looked = tree.looked


class _Tree:
    def __init__(self, search: Search, candidates: Candidates, hops: int, chains: int | None) -> None:
        self._search = search
        self._candidates = candidates
        self._hops = hops
        self._root = _Node(None)
        self._found: list[Offer] = []
        self._doubtful: list[Block] = []
        self._start = search.evaluator.estimate(search.chosen)
        self.looked = 0
        self._most = _MOST if chains is None else min(chains, _MOST)

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
        """All tables that are as many joins away, at once: their features are pooled, and one regression on
        the few that fit best says whether any of them helps. Only the tables of those are looked at singly
        (group testing, Dorfman 1943).

        Tables that do not help may lead to some that do, so every level is gone through while there is time:
        where the next one would take more than is left, what is most promising is looked for in the tree.
        """
        level = self._children(self._root)
        while level and self.looked < self._most:
            started = time.monotonic()
            blocks = [block for node in level if (block := self._made(node)) is not None]
            for node in level:
                node.visits += 1
            for at in range(0, len(blocks), _POOLED):
                self._pooled(blocks[at : at + _POOLED])
            each = (time.monotonic() - started) / len(level)
            level = [child for node in level for child in self._children(node)]
            level.sort(key=lambda node: -node.prior)
            self._search.pending += [n.candidate.path for n in level[_BEAM:] if n.candidate is not None]
            level = level[:_BEAM]
            left = self._search.budget.seconds_left
            if left is not None and each * len(level) > left:
                self.mcts(chance)
                return
        self._look_again()

    def _look_again(self) -> None:
        """Singly at tables that stood behind another of their level: only once each level has been judged."""
        for block in self._doubtful[: max(0, self._most - self.looked)]:
            self._search.budget.check(self._search.evaluator)
            self.looked += 1
            self._found.append(self._search.offer(block, self._start))

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

    def _pooled(self, blocks: list[Block]) -> None:
        """Look at the tables whose features fit best among those of all `blocks`, if any of them helps."""
        evaluator, chosen = self._search.evaluator, self._search.chosen
        sums = evaluator.pooled([*chosen, *blocks])
        owner = [block for block in blocks for _ in block.features]
        given = list(range(sums.features - len(owner)))
        order, _ = sums.ordered(given, range(len(given), sums.features), _FITTING)
        if not order or self.looked >= self._most:
            return
        self.looked += 1
        gain = evaluator.estimated(sums, [*given, order[0]]) - self._start
        # what the best of many features gains by chance (Foster and George 1994: the risk inflation
        # criterion)
        rows = max(len(block.values) for block in blocks)
        if gain <= 2 * math.log(1 + len(owner)) / rows:
            return
        first, *others = {id(owner[i - len(given)]): owner[i - len(given)] for i in order}.values()
        self._found.append(Offer(first, gain, first))
        self._doubtful += others

    def mcts(self, chance: random.Random) -> None:
        while not self._root.done and self.looked < self._most:
            node = self._root
            while (open_ := [c for c in self._children(node) if not c.done]) and (
                node.visits or node is self._root
            ):
                node = max(open_, key=lambda c: (self._worth(c), chance.random()))
            if not node.visits and node is not self._root:
                reward = self._look(node)
            else:
                reward = 0.0
                node.done = True
            self._back(node, reward)

    def choose(self) -> None:
        """Greedy over the best chains found, beside the tables already chosen."""
        self._search.offers += sorted(self._found, key=lambda one: -one.gain)[:_KEPT]
        self._search.choose()

    def _worth(self, node: _Node) -> float:
        above = node.parent.visits if node.parent is not None else 1
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
                last = node.candidate.hops[-1]
                arrived = {b for _, b, _ in last.pairs}
                made = [
                    Candidate((*node.candidate.hops, hop))
                    for hop in self._candidates.hops(node.candidate.table)
                    if hop.right not in node.candidate.tables and {a for a, _, _ in hop.pairs} != arrived
                ]
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
        self._found.append(self._search.offer(block, self._start))
        return max(0.0, self._found[-1].gain)
