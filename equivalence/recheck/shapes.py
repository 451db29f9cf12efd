"""What a value made of a bag is a function of: a text that says all but its free columns, and these.

Two such values with one text and equal columns are equal. Must not know solvers or laws.
"""

from __future__ import annotations

from rewright.equivalence.prover.symbols import EQ, SAME
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
from rewright.equivalence.recheck.writing import type_text

Bound = dict[int, int]


def shape(term: Term) -> tuple[str, tuple[Term, ...]]:
    """The text, and the free columns in the order in which it names them. The order of conditions and of an
    equality's sides says nothing.
    """
    params: dict[Term, int] = {}
    return _Text(params).term(term, {}), tuple(params)


class _Text:
    """``params``: where free columns get their numbers; None: they are told by their
    types only, to sort by.
    """

    def __init__(self, params: dict[Term, int] | None) -> None:
        self.params = params

    def free(self, t: Term) -> str:
        kind = "row" if isinstance(t, Row) else type_text(t.type)
        return f"?{kind}" if self.params is None else f"?{self.params.setdefault(t, len(self.params))} {kind}"

    def term(self, t: Term, bound: Bound) -> str:
        match t:
            case Var(var, pos, type_):
                return f"#{bound[var]}.{pos} {type_text(type_)}" if var in bound else self.free(t)
            case Row(var):
                return f"#{bound[var]}" if var in bound else self.free(t)
            case Lit(value, type_):
                return f"{value!r} {type_text(type_)}"
            case App(sym, args, type_):
                if sym in {EQ, SAME}:
                    args = tuple(sorted(args, key=lambda x: _rough(x, bound)))
                return f"({sym.name!r} {type_text(type_)} {' '.join(self.term(x, bound) for x in args)})"
            case Nested(kind, name, bag, type_, args):
                seen = " ".join(self.term(x, bound) for x in args)
                return f"[{kind} {name!r} {type_text(type_)} {self.bag(bag, bound)} from {seen}]"

    def bag(self, bag: Bag, bound: Bound) -> str:
        return " | ".join(self.block(b, bound) for b in bag)

    def block(self, b: Block, bound: Bound) -> str:
        inner = dict(bound)
        for v, _ in b.vars:
            inner[v] = max(inner.values(), default=-1) + 1  # a name that is bound again gets a new number
        rows = ", ".join(self.source(s, inner) for _, s in b.vars)
        preds = " & ".join(self.term(p, inner) for p in sorted(b.preds, key=lambda p: _rough(p, inner)))
        return f"{{{rows} : {preds} : {', '.join(self.term(o, inner) for o in b.outs)}}}"

    def source(self, source: Source, bound: Bound) -> str:
        match source:
            case Table(ref, only):
                return f"{ref.schema!r}.{ref.name!r} {only}"
            case Distinct(bag, either):
                return f"distinct {either} {self.bag(bag, bound)}"
            case Limited(bag, keys, limit, offset, ties, on):
                ends = " ".join("-" if t is None else self.term(t, bound) for t in (limit, offset))
                return f"limited {keys!r} {ends} {ties} {on} {self.bag(bag, bound)}"
            case Multi(op, left, right):
                return f"{op} all ({self.bag(left, bound)}) ({self.bag(right, bound)})"
            case Function(name, args, types):
                said = " ".join(type_text(t) for t in types)
                return f"function {name!r} {' '.join(self.term(x, bound) for x in args)} {said}"


def _rough(term: Term, bound: Bound) -> str:
    return _Text(None).term(term, bound)
