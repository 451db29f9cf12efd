"""Chains of joins: a growing graph of tables reached from the base, searched with the evaluator's feedback.

Owns the strategies: breadth first, depth first, and Monte Carlo tree search (Kocsis and Szepesvári 2006: UCT). Must not know
SQL: a chain's features come back over it one row per key, so that base rows never multiply.
"""

from __future__ import annotations

import math
import random
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.augment.candidates import Candidate, Candidates
from rewright.lake.augment.evaluator import Block
from rewright.lake.augment.selection import BudgetEnded, Search

Strategy = Literal["bfs", "dfs", "mcts"]
STRATEGIES: tuple[Strategy, ...] = ("bfs", "dfs", "mcts")
_EXPLORATION = 0.2
_KEPT = 16
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


def explore(search: Search, candidates: Candidates, hops: int, strategy: Strategy, seed: int) -> None:
    """Look at chains of up to `hops` joins and add those that help to the search's set."""
    tree = _Tree(search, candidates, hops)
    try:
        if strategy == "mcts":
            tree.mcts(random.Random(seed))  # noqa: S311 a search, no secret
        else:
            tree.in_order(depth_first=strategy == "dfs")
    except (BudgetEnded, KeyboardInterrupt):
        search.ended = True
    try:
        # what is found so far is chosen from even if the search has ended: one step is always afforded
        tree.choose()
    except (BudgetEnded, KeyboardInterrupt):
        search.ended = True


class _Tree:
    def __init__(self, search: Search, candidates: Candidates, hops: int) -> None:
        self._search = search
        self._candidates = candidates
        self._hops = hops
        self._root = _Node(None)
        self._found: list[tuple[float, Block]] = []
        self._start = search.evaluator.estimate(search.chosen)
        self._looked = 0

    def in_order(self, *, depth_first: bool) -> None:
        waiting = deque(self._children(self._root))
        while waiting and self._looked < _MOST:
            node = waiting.popleft()
            self._look(node)
            children = self._children(node)
            if depth_first:
                waiting.extendleft(reversed(children))
            else:
                waiting.extend(children)
        self._search.pending += [n.candidate.path for n in waiting if n.candidate is not None]

    def mcts(self, chance: random.Random) -> None:
        while not self._root.done and self._looked < _MOST:
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
        best = sorted(self._found, key=lambda x: -x[0])[:_KEPT]
        blocks = [block for gain, block in best if gain > 0]
        self._search.greedy(blocks)

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
        assert node.candidate is not None
        search = self._search
        search.budget.check(search.evaluator)
        self._looked += 1
        try:
            block = search.evaluator.block(node.candidate)
        except LakeError as error:
            search.failed.append((node.candidate.path, str(error)))
            node.prior = 0.0
            return 0.0
        if all(block is not other for other in search.blocks):
            search.blocks.append(block)
        # where no row of the base arrives, nothing further on can help
        node.prior *= block.coverage
        if not block.features:
            return 0.0
        gain = max(0.0, search.evaluator.estimate([*search.chosen, block]) - self._start)
        self._found.append((gain, block))
        search.told(node.candidate.table, search.best.r2)
        return gain
