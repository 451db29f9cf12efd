"""What a rule is given: a place in a form, with what holds there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.places import Mode
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Term,
    walk_shallow,
)

if TYPE_CHECKING:
    from rewright.equivalence.prover.entail import Engine


At = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rule is applied."""

    engine: Engine
    ctx: Context
    bag: Bag
    mode: Mode

    def block(self, i: int) -> Block:
        return self.bag[i]

    def with_block(self, i: int, new: Bag) -> Bag:
        return (*self.bag[:i], *new, *self.bag[i + 1 :])


Rule = Callable[[Place, At], Bag | None]


def parts_of(b: Block) -> set[Term]:
    """The sub-terms of a block's predicates and outputs."""
    return {s for t in (*b.preds, *b.outs) for s in walk_shallow(t)}
