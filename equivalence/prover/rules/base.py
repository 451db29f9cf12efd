"""What a rule is given: a place in a form, with what holds there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rewright.equivalence.prover.bags import block
from rewright.equivalence.prover.build import predicates
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.places import Mode
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Term,
    walk_shallow,
)

if TYPE_CHECKING:
    from rewright.equivalence.prover.asking import Searched


At = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rule is applied."""

    engine: Searched
    ctx: Context
    bag: Bag
    mode: Mode

    def block(self, i: int) -> Block:
        return self.bag[i]

    def with_block(self, i: int, new: Bag) -> Bag:
        return (*self.bag[:i], *new, *self.bag[i + 1 :])

    def with_predicate(self, i: int, n: int, new: Term) -> Bag:
        """The bag with another condition in place of the n-th of block i."""
        b = self.bag[i]
        preds = (*b.preds[:n], *predicates(new), *b.preds[n + 1 :])
        return self.with_block(i, block(b.vars, preds, b.outs))

    def beside(self, b: Block, term: Term) -> Context:
        """What holds in a block by the conditions that do not read a value of it."""
        rest = tuple(q for q in b.preds if term not in set(walk_shallow(q)))
        return self.ctx.within(replace(b, preds=rest))


Rule = Callable[[Place, At], Bag | None]


def parts_of(b: Block) -> set[Term]:
    """The sub-terms of a block's predicates and outputs."""
    return {s for t in (*b.preds, *b.outs) for s in walk_shallow(t)}
