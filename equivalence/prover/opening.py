"""Opening a context: rows that witness what holds in it.

Must not know solvers, schemas or rules.
"""

from __future__ import annotations

from collections.abc import Hashable

from .atoms import strict_parts
from .bags import NULL_OF_NO_ROWS, exists
from .build import predicates
from .context import WITNESS, Context, membership
from .terms import Bag, Distinct, Nested, Term, max_var, rename_bound


class Opener:
    """Makes witnesses over variables that stand for nothing else: those of one EXISTS, and the row that one
    refers to, are the same in all contexts, so that what was said of them need not be said anew.
    """

    def __init__(self) -> None:
        self._next = 2 * WITNESS
        self._rows: dict[Hashable, int] = {}
        self._witnesses: dict[Bag, Bag] = {}

    def row_of(self, which: Hashable) -> int:
        """The variable of the one row that ``which`` names."""
        if which not in self._rows:
            self._rows[which] = self._next
            self._next += 1
        return self._rows[which]

    def open(self, ctx: Context) -> Context:
        """The context with a witness for each EXISTS, DISTINCT row and non-empty aggregate that holds."""
        todo: list[Term] = [p for p in ctx.preds if isinstance(p, Nested) and p.kind == "exists"]
        todo += [membership(v, s) for v, s in ctx.vars if isinstance(s, Distinct)]
        for p in [q for t in todo for q in predicates(t)]:
            ctx = self.witness(ctx, p)
        for p in [q for t in _nonempty(ctx) for q in predicates(t)]:
            ctx = self.witness(ctx, p)
        return ctx

    def witness(self, ctx: Context, pred: Term) -> Context:
        if not (isinstance(pred, Nested) and pred.kind == "exists"):
            return ctx.having((pred,))
        if pred.bag not in self._witnesses:
            self._witnesses[pred.bag] = self.freshen(pred.bag)
        (b,) = self._witnesses[pred.bag]
        here = {v for v, _ in ctx.vars}
        if all(v in here for v, _ in b.vars):
            return ctx  # it has a witness already
        inner = Context((*ctx.vars, *b.vars), ctx.preds).having(b.preds)
        deeper = [membership(v, s) for v, s in b.vars if isinstance(s, Distinct)]
        deeper += [p for p in b.preds if isinstance(p, Nested) and p.kind == "exists"]
        for d in [q for t in deeper for q in predicates(t)]:
            inner = self.witness(inner, d)
        return inner

    def freshen(self, bag: Bag) -> Bag:
        renamed = rename_bound(bag, self._next)
        self._next = max(self._next, max_var(renamed)) + 1
        return renamed


def _nonempty(ctx: Context) -> list[Term]:
    """Aggregates that a predicate needs to be non-NULL see at least one row."""
    return [
        exists(t.bag)
        for p in ctx.preds
        for t in strict_parts(p)
        if isinstance(t, Nested) and t.kind == "agg" and t.name.partition(" ")[0] in NULL_OF_NO_ROWS
    ]
