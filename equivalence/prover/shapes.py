"""Shapes of nested values: equal up to the names of bound variables, free columns as parameters.

Two nested values of one shape with equal parameters are equal, which is what congruence needs. Must not
know facts.
"""

from __future__ import annotations

from functools import lru_cache

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

Shape = tuple[object, ...]


@lru_cache(maxsize=20000)
def shape(term: Term) -> tuple[Shape, tuple[Term, ...]]:
    """The shape and the free columns in the order of their first appearance."""
    maker = _Maker()
    return maker.term(term), tuple(maker.params)


Question = tuple[object, ...]


class Outline:
    """Rows in scope and predicates over them, up to the rows' names; what is asked of them is told apart by
    `question`.
    """

    def __init__(self, vars_: tuple[tuple[int, Source], ...], preds: tuple[Term, ...]) -> None:
        self._maker = _Maker()
        self._shape = self._maker.scope(Block(vars_, preds, ()))

    def question(self, goal: Term) -> Question:
        """Equal where the goals say the same of contexts that are the same but for the names of rows."""
        goals = self._maker.apart()
        asked = goals.term(goal)
        return self._shape, asked, tuple(goals.params)


def _outline(t: Term) -> str:
    match t:
        case Var(_, pos):
            return f"v{pos}"
        case Lit(value):
            return repr(value)
        case App(sym, args):
            return f"{sym.name}({','.join(sorted(_outline(a) for a in args))})"
        case Nested(kind, name):
            return f"{kind} {name}"
        case _:
            return ""


class _Maker:
    def __init__(self) -> None:
        self.bound: dict[int, int] = {}
        self.params: dict[Term, int] = {}
        self._binders = 0

    def apart(self) -> _Maker:
        """One that goes on from here without changing this one."""
        made = _Maker()
        made.bound, made.params, made._binders = dict(self.bound), dict(self.params), self._binders
        return made

    def term(self, t: Term) -> Shape:
        match t:
            case Var(var, pos, type_):
                if var in self.bound:
                    return ("b", self.bound[var], pos)
                return ("p", self._param(t), type_.name, type_.collation)
            case Row(var):
                return ("r", self.bound[var]) if var in self.bound else ("p", self._param(t), "row")
            case Lit(value, type_):
                return ("l", value, type_)
            case App(sym, (x, y), type_) if sym in {EQ, SAME} and self.skeleton(y) < self.skeleton(x):
                return ("a", sym.name, type_.name, type_.collation, self.term(y), self.term(x))
            case App(sym, args, type_):
                return ("a", sym.name, type_.name, type_.collation, *(self.term(a) for a in args))
            case Nested(kind, name, bag, type_, args):
                return ("n", kind, name, type_.name, self.bag(bag), *(self.term(a) for a in args))

    def bag(self, bag: Bag) -> Shape:
        return tuple(self.block(b) for b in bag)

    def block(self, b: Block) -> Shape:
        before = [(v, self.bound.get(v)) for v, _ in b.vars]
        made = self.scope(b)
        for v, number in before:
            if number is None:
                del self.bound[v]
            else:
                self.bound[v] = number
        return made

    def scope(self, b: Block) -> Shape:
        """A block whose rows can be named behind it, too. No two binders get one number: names may be bound
        again, beside each other or below.
        """
        for v, _ in b.vars:
            self.bound[v] = self._binders
            self._binders += 1
        sources = tuple(self.source(s) for _, s in b.vars)
        preds = tuple(self.term(p) for p in sorted(b.preds, key=self.skeleton))
        return (sources, preds, tuple(self.term(o) for o in b.outs))

    def skeleton(self, t: Term) -> str:
        """What does not depend on the order in which columns are met: the order of conjuncts, and of the
        sides of an equality, says nothing.
        """
        match t:
            case Var(var, pos, type_):
                return f"b{self.bound[var]}.{pos}" if var in self.bound else f"p{type_.name}"
            case Row(var):
                return f"r{self.bound.get(var, '')}"
            case Lit(value):
                return f"l{value!r}"
            case App(sym, args):
                parts = [self.skeleton(a) for a in args]
                return f"{sym.name}({','.join(sorted(parts) if sym in {EQ, SAME} else parts)})"
            case Nested(kind, name, bag):
                inside = ";".join(
                    f"{len(b.vars)} {','.join(sorted(_outline(x) for x in (*b.preds, *b.outs)))}" for b in bag
                )
                return f"n{kind} {name} {inside}"

    def source(self, s: Source) -> Shape:
        match s:
            case Table(ref, only):
                return ("table", ref, only)
            case Distinct(bag):
                return ("distinct", self.bag(bag))
            case Limited(bag, keys, limit, offset, ties, on):
                ends = tuple(t and self.term(t) for t in (limit, offset))
                return ("limited", self.bag(bag), keys, ends, ties, on)
            case Multi(op, left, right):
                return ("multi", op, self.bag(left), self.bag(right))
            case Function(name, args, types):
                return ("function", name, tuple(self.term(a) for a in args), types)

    def _param(self, t: Term) -> int:
        return self.params.setdefault(t, len(self.params))
