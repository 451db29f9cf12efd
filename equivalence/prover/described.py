"""Terms in words that copies of a form share: columns by the names of their relations. Within a term the sum
of sums is told as the sum of all, that of counts as a count, and so is the least of the least.

What may fail, and what aggregates compute, are compared by these. Must not know what they are compared for.
"""

from __future__ import annotations

from dataclasses import replace

from .positions import read_window
from .terms import App, Bag, Distinct, Limited, Lit, Nested, Row, Source, Table, Term, Var

_DEEPEST = 8
_SUMS = frozenset({"isum", "sum numeric"})
_EXTREMES = ("min ", "max ")
_READING = frozenset({"lag", "lead", "first_value", "last_value", "nth_value"})


def describe(term: Term, sources: dict[int, Source], depth: int = 0) -> str:
    """The term with columns of relations by name of the relation: the same for copies of a form."""
    match term:
        case Var(var, pos):
            source = sources.get(var)
            if isinstance(source, Table):
                return f"{source.ref.schema}.{source.ref.name}.{pos}"
            if isinstance(source, Distinct | Limited) and source.bag and depth < _DEEPEST:
                return describe(source.bag[0].outs[pos], sources, depth + 1)
            return f"?.{pos}"
        case Row():
            return "row"
        case Lit(value):
            return repr(value)
        case App(sym, args):
            return f"{sym.name}({', '.join(_argument(a, sources, depth) for a in args)})"
        case Nested(kind, name, bag):
            return f"{kind} {name} [{_outputs(bag, sources, depth)}]"


def _argument(term: Term, sources: dict[int, Source], depth: int) -> str:
    """What is read by a term is told by its value, and that does not depend on groups in between."""
    if isinstance(term, Nested) and term.kind == "agg" and _is_of_all(term.name):
        if term.name == "isum" and term.bag and all(_is_count(o) for b in term.bag for o in b.outs):
            return "agg cnt []"
        return f"agg {term.name} [{_outputs(term.bag, sources, depth, of=term.name)}]"
    # lag() and a subquery are two ways to read another row's value: which row it is, the final forms tell
    if isinstance(term, Nested) and (values := _of_another_row(term)) is not None:
        return f"other [{_outputs(values, sources, depth)}]"
    return describe(term, sources, depth)


def _of_another_row(term: Nested) -> Bag | None:
    """What a value of some other row is read from, alone."""
    if term.kind == "the":
        return term.bag
    window = read_window(term.name) if term.kind == "win" else None
    if window is None or window.func not in _READING:
        return None
    # the value stands behind the sort keys
    return tuple(replace(b, outs=b.outs[len(window.keys) :][:1]) for b in term.bag)


def _is_of_all(name: str) -> bool:
    return name in _SUMS or name.startswith(_EXTREMES)


def _is_count(term: Term) -> bool:
    return isinstance(term, Nested) and (term.kind, term.name) == ("agg", "cnt")


def _outputs(bag: Bag, sources: dict[int, Source], depth: int, *, of: str = "") -> str:
    """``of``: the aggregate whose own results stand for what they are made of."""
    if depth >= _DEEPEST:
        return ""
    told: list[str] = []
    for b in bag:
        inside = {**sources, **dict(b.vars)}
        for o in b.outs:
            if of and isinstance(o, Nested) and (o.kind, o.name) == ("agg", of):
                told.append(_outputs(o.bag, inside, depth + 1, of=of))
            else:
                told.append(describe(o, inside, depth + 1))
    return ", ".join(told)
