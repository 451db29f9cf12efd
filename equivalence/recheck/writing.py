"""Forms as JSON values, one for all that are alike but for the numbers of bound variables.

Variables are numbered in the order of their binders, types are texts. Two forms are the same form exactly
when what is written of them is equal. Must not know laws or certificates.
"""

from __future__ import annotations

from typing import Any

from rewright.equivalence.prover.terms import (
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
from rewright.sql.types import SqlType

Json = Any


def written(bag: Bag) -> Json:
    """The form as lists, texts, numbers, booleans and nulls."""
    return _Writer().bag(bag)


def type_text(type_: SqlType) -> str:
    """The type with its modifier and collation: ``varchar(14) collate default``, ``calculus.integer``."""
    schema = "" if type_.is_builtin else f"{type_.schema}."
    modifier = "" if type_.typmod == -1 else f"({type_.typmod})"
    return f"{schema}{type_.name}{modifier}" + (f" collate {type_.collation}" if type_.collation else "")


class _Writer:
    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.binders = 0

    def number(self, var: int) -> int:
        # free variables do not occur in whole forms; -1 would never be read as one of the bound
        return self.numbers.get(var, -1)

    def bag(self, bag: Bag) -> Json:
        return [self.block(b) for b in bag]

    def block(self, b: Block) -> Json:
        around = dict(self.numbers)
        for v, _ in b.vars:  # a name may be bound again, the number is never given again
            self.numbers[v] = self.binders
            self.binders += 1
        made = {
            "rows": [[self.number(v), self.source(s)] for v, s in b.vars],
            "where": [self.term(p) for p in b.preds],
            "gives": [self.term(o) for o in b.outs],
        }
        self.numbers = around
        return made

    def source(self, source: Source) -> Json:
        match source:
            case Table(ref, only, types):
                return ["table", ref.schema, ref.name, only, [type_text(t) for t in types]]
            case Distinct(bag, either):
                return ["distinct", self.bag(bag), list(either)]
            case Limited(bag, keys, limit, offset, ties, on):
                ends = [None if t is None else self.term(t) for t in (limit, offset)]
                return ["limited", self.bag(bag), list(keys), *ends, ties, on]
            case Multi(op, left, right):
                return [f"{op} all", self.bag(left), self.bag(right)]
            case Function(name, args, types):
                return ["function", name, [self.term(x) for x in args], [type_text(t) for t in types]]

    def term(self, t: Term) -> Json:
        match t:
            case Var(var, pos, type_):
                return ["column", self.number(var), pos, type_text(type_)]
            case Row(var, type_):
                return ["row", self.number(var), type_text(type_)]
            case Lit(value, type_):
                return ["constant", value, type_text(type_)]
            case App(sym, args, type_):
                return [sym.name, *(self.term(x) for x in args), type_text(type_)]
            case Nested(kind, name, bag, type_, args):
                return [kind, name, self.bag(bag), type_text(type_), [self.term(x) for x in args]]
