"""What laws are made of: conditions that must hold, and instances.

Must not know any law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rewright.equivalence.prover.build import eq
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.terms import Bag, Block, Function, Table, Term, Var
from rewright.equivalence.recheck import counting
from rewright.equivalence.recheck.judging import Judge
from rewright.equivalence.recheck.places import Place

Bindings = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Follows:
    """``goal`` is TRUE wherever the context holds."""

    ctx: Context
    goal: Term

    def holds(self, judge: Judge) -> bool:
        return judge.entails(self.ctx, self.goal)


@dataclass(frozen=True, slots=True)
class Impossible:
    """The context never holds."""

    ctx: Context

    def holds(self, judge: Judge) -> bool:
        return judge.inconsistent(self.ctx)


@dataclass(frozen=True, slots=True)
class OneRow:
    """The bag has one row at most."""

    ctx: Context
    bag: Bag

    def holds(self, judge: Judge) -> bool:
        return counting.one_row(judge, self.ctx, self.bag)


@dataclass(frozen=True, slots=True)
class NoRowTwice:
    """No row of the bag comes twice, as DISTINCT compares rows."""

    ctx: Context
    bag: Bag

    def holds(self, judge: Judge) -> bool:
        return counting.no_row_twice(judge, self.ctx, self.bag)


@dataclass(frozen=True, slots=True)
class Determined:
    """All rows of the block are determined by the ``known`` terms and what is outside."""

    ctx: Context
    block: Block
    known: tuple[Term, ...] = ()

    def holds(self, judge: Judge) -> bool:
        everything = {v for v, _ in self.block.vars}
        return counting.determined(judge, self.ctx, self.block, self.known) >= everything


@dataclass(frozen=True, slots=True)
class SameRow:
    """Two variables over one relation agree on a key of it, or on what a unique index is on whose condition
    both meet.
    """

    ctx: Context
    source: Table | Function
    one: int
    other: int

    def holds(self, judge: Judge) -> bool:
        types = self.source.types
        return (
            any(
                all(
                    judge.entails(self.ctx, eq(Var(self.one, c, types[c]), Var(self.other, c, types[c])))
                    for c in columns
                )
                for columns in (
                    *(k.columns for k in judge.schema.keys(self.source)),
                    *judge.schema.told_by(self.source),
                )
            )
            or any(
                all(
                    judge.entails(self.ctx, c)
                    for c in (*x.conditions, *y.conditions, *map(eq, x.terms, y.terms))
                )
                for x, y in zip(
                    *(judge.conditional_keys(self.source, v) for v in (self.one, self.other)), strict=True
                )
            )
            or any(
                all(judge.entails(self.ctx, eq(a, b)) for a, b in zip(x.terms, y.terms, strict=True))
                and x.values_in(self.ctx.preds) & y.values_in(self.ctx.preds)
                for x, y in zip(
                    *(judge.period_keys(self.source, v) for v in (self.one, self.other)), strict=True
                )
            )
        )


@dataclass(frozen=True, slots=True)
class Refers:
    """Rows of ``source`` refer by ``columns`` to rows of ``target``, which its ``keys`` tell apart."""

    source: Table
    columns: tuple[int, ...]
    target: Table
    keys: tuple[int, ...]

    def holds(self, judge: Judge) -> bool:
        pairs = sorted(zip(self.columns, self.keys, strict=True))
        stated = any(
            r.target == self.target.ref and sorted(zip(r.columns, r.target_columns, strict=True)) == pairs
            for r in judge.schema.references(self.source)
        )
        return stated and any(set(k.columns) == set(self.keys) for k in judge.schema.keys(self.target))


@dataclass(frozen=True, slots=True)
class Keyed:
    """The columns are a key of the relation; ``filled``: no NULL is in it."""

    source: Table
    columns: tuple[int, ...]
    filled: bool = False

    def holds(self, judge: Judge) -> bool:
        return any(
            set(k.columns) == set(self.columns) and not (self.filled and k.nullable)
            for k in judge.schema.keys(self.source)
        )


Condition = Follows | Impossible | OneRow | NoRowTwice | Determined | SameRow | Refers | Keyed


@dataclass(frozen=True, slots=True)
class Instance:
    """The bag after the law, the same as the one before where all that it ``needs`` holds."""

    after: Bag
    needs: tuple[Condition, ...] = ()


Law = Callable[[Place, Bindings], Iterator[Instance]]
