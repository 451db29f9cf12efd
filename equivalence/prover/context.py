"""What a question of entailment starts from: rows in scope and predicates that hold; identity and membership
as predicates.

Must not know solvers or rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .bags import exists
from .build import negate, not_null, predicates, same
from .symbols import domain, equal_as_values, identity
from .terms import (
    TRUE,
    App,
    Block,
    Distinct,
    Hashed,
    Lit,
    Source,
    Sym,
    Term,
    Var,
    max_var,
    rename_bound,
    told_apart,
    walk_shallow,
)

IDENTICAL = Sym("identical", strict=False)
WITNESS = 10_000_000  # witnesses are numbered from here: never part of a form


@dataclass(frozen=True, slots=True)
class Context(Hashed):
    """Variables in scope and predicates that hold. Raises Captured as `Block` does."""

    vars: tuple[tuple[int, Source], ...] = ()
    preds: tuple[Term, ...] = ()

    __hash__ = Hashed.__hash__

    def __post_init__(self) -> None:
        told_apart(self.vars)

    def within(self, b: Block) -> Context:
        return Context((*self.vars, *b.vars), (*self.preds, *b.preds))

    def having(self, preds: Iterable[Term]) -> Context:
        return replace(self, preds=tuple(dict.fromkeys((*self.preds, *preds))))


def identical(a: Term, b: Term) -> Term:
    """The very same value, NULLs alike: stronger than IS NOT DISTINCT FROM for types such as numeric."""
    if a == b:
        return TRUE
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Lit) and x.value is None:
            return negate(not_null(y))
    one = domain(a.type) and domain(a.type) == domain(b.type) and identity(a.type) and identity(b.type)
    if one or equal_as_values(a.type, b.type):
        return same(a, b)
    return App(IDENTICAL, (a, b), TRUE.type)


def membership(var: int, source: Distinct) -> Term:
    """That the row of ``var`` is one of the DISTINCT source's."""
    blocks: list[Block] = []
    for b in rename_bound(source.bag, max_var(source.bag) + WITNESS):
        ties = tuple(identical(o, Var(var, i, o.type)) for i, o in enumerate(b.outs))
        blocks.append(Block(b.vars, (*b.preds, *ties), ()))
    return exists(tuple(Block(b.vars, tuple(q for p in b.preds for q in predicates(p)), ()) for b in blocks))


def has_identical(term: Term) -> bool:
    return any(isinstance(t, App) and t.sym == IDENTICAL for t in walk_shallow(term))
