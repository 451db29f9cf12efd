"""Terms in words that copies of a form share: columns by the names of their relations.

What may fail, and what aggregates compute, are compared by these. Must not know what they are compared for.
"""

from __future__ import annotations

from .terms import App, Block, Distinct, Limited, Lit, Nested, Row, Source, Table, Term, Var


def describe(term: Term, sources: dict[int, Source], depth: int = 0) -> str:
    """The term with columns of relations by name of the relation: the same for copies of a form."""
    match term:
        case Var(var, pos):
            source = sources.get(var)
            if isinstance(source, Table):
                return f"{source.ref.schema}.{source.ref.name}.{pos}"
            if isinstance(source, Distinct | Limited) and source.bag and depth < 8:
                return describe(source.bag[0].outs[pos], sources, depth + 1)
            return f"?.{pos}"
        case Row():
            return "row"
        case Lit(value):
            return repr(value)
        case App(sym, args):
            return f"{sym.name}({', '.join(describe(a, sources, depth) for a in args)})"
        case Nested(kind, name, bag):
            outs = ", ".join(_outputs(b, sources, depth) for b in bag) if depth < 8 else ""
            return f"{kind} {name} [{outs}]"


def _outputs(b: Block, sources: dict[int, Source], depth: int) -> str:
    inside = {**sources, **dict(b.vars)}
    return ", ".join(describe(o, inside, depth + 1) for o in b.outs)
