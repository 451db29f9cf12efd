"""Digests of forms: what each step of a proof says it leads to.

Two forms have one digest when they are written alike up to the numbers of bound variables. A proof states the
digest after each step and a replay compares, so that a proof with a step altered, left out or put in is not
the same proof. Must not know rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from .symbols import EQ, SAME
from .terms import (
    App,
    Bag,
    Block,
    Distinct,
    Function,
    Limited,
    Lit,
    Multi,
    Nested,
    Row,
    Source,
    Table,
    Term,
    Var,
)

_LENGTH = 16
_SYMMETRIC = frozenset((EQ, SAME))


def digest(bag: Bag) -> str:
    """16 hexadecimal digits for the form; the same in every process."""
    text = "\x1f".join(_Writer().bag(bag))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def written(bag: Bag, free: Callable[[Var], str]) -> str:
    """The bag in full, bound variables numbered in the order of their binders, the others by the names that
    ``free`` gives.
    """
    return " ".join(_Writer(free).bag(bag))


def written_alike(bag: Bag, free: Callable[[Var], str]) -> str:
    """As ``written``, the same in whatever order conditions, rows and the sides of an equality stand."""
    return " ".join(_SortingWriter(free).bag(bag))


class _Writer:
    """Writes a form as words, bound variables numbered in the order of their binders."""

    def __init__(self, free: Callable[[Var], str] | None = None) -> None:
        self.numbers: dict[int, int] = {}
        self.binders = 0
        self.free = free

    def bag(self, bag: Bag) -> Iterator[str]:
        yield f"bag {len(bag)}"
        for b in bag:
            yield from self.block(b)

    def block(self, b: Block) -> Iterator[str]:
        yield f"block {len(b.vars)} {len(b.preds)} {len(b.outs)}"
        around = dict(self.numbers)
        for v, _ in b.vars:  # a name may be bound again, the number is never given again
            self.numbers[v] = self.binders
            self.binders += 1
        for _, source in b.vars:
            yield from self.source(source)
        for t in (*b.preds, *b.outs):
            yield from self.term(t)
        self.numbers = around

    def source(self, source: Source) -> Iterator[str]:
        match source:
            case Table(ref, only):
                yield f"table {ref.schema!r} {ref.name!r} {only}"
            case Distinct(bag, either):
                yield f"distinct {either!r}" if either else "distinct"
                yield from self.bag(bag)
            case Limited(bag, keys, limit, offset, ties, on):
                yield f"limited {keys!r} {ties} {on}"
                for end in (limit, offset):
                    yield from self.term(end) if end is not None else ("none",)
                yield from self.bag(bag)
            case Multi(op, left, right):
                yield f"multi {op}"
                yield from self.bag(left)
                yield from self.bag(right)
            case Function(name, args, _):
                yield f"function {name!r} {len(args)}"
                for a in args:
                    yield from self.term(a)

    def term(self, t: Term) -> Iterator[str]:
        match t:
            case Var(var) if self.free is not None and var not in self.numbers:
                yield f"free {self.free(t)}"
            case Var(var, pos, type_):
                yield f"var {self.numbers.get(var, -1)} {pos} {type_!r}"
            case Row(var):
                yield f"row {self.numbers.get(var, -1)}"
            case Lit(value, type_):
                yield f"lit {value!r} {type_!r}"
            case App(sym, args, type_):
                yield f"app {sym!r} {len(args)} {type_!r}"
                for a in args:
                    yield from self.term(a)
            case Nested(kind, name, bag, type_, args):
                yield f"nested {kind} {name!r} {len(args)} {type_!r}"
                yield from self.bag(bag)
                for a in args:
                    yield from self.term(a)


class _SortingWriter(_Writer):
    """Writes a form without the orders in which nothing is meant."""

    def block(self, b: Block) -> Iterator[str]:
        around = dict(self.numbers)
        sources = sorted(b.vars, key=lambda v: _name(v[1]))
        outer = self.binders
        for v, _ in sources:  # a number depends on what is around alone
            self.numbers[v] = self.binders
            self.binders += 1
        yield f"block {len(b.vars)} {len(b.preds)} {len(b.outs)}"
        for _, source in sources:
            yield from self.source(source)
        yield from sorted(" ".join(self.term(t)) for t in b.preds)
        for t in b.outs:
            yield from self.term(t)
        self.numbers, self.binders = around, outer

    def term(self, t: Term) -> Iterator[str]:
        if isinstance(t, App) and t.sym in _SYMMETRIC:
            yield f"app {t.sym.name!r}"
            yield from sorted(" ".join(self.term(x)) for x in t.args)
        else:
            yield from super().term(t)


def _name(source: Source) -> str:
    return f"{source.ref.schema}.{source.ref.name}" if isinstance(source, Table) else type(source).__name__
