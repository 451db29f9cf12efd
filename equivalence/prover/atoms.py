"""Parts of predicates and contexts that entailment looks at: EXISTS atoms, cases of a disjunction, what must
be non-NULL.

Must not know solvers, schemas or rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rewright.sql.types import BOOL

from .bags import block, exists, subst
from .build import app, conj, disj, is_null, is_true, negate, predicates
from .context import Context, membership
from .shapes import shape
from .symbols import AND, CASE, EQ, IS_NULL, IS_TRUE, LT, NOT, OR, SAME, domain
from .terms import (
    App,
    Block,
    Distinct,
    Nested,
    Source,
    Term,
    Var,
    free_vars,
    rows_renamed,
    walk_shallow,
)

_MOST_ALTERNATIVES = 4
# types of which one of two unlike values is less, whatever the collation
_PLAIN_ORDER = frozenset({"integer", "date", "timestamp"})


def stated(ctx: Context, goal: Term) -> bool:
    """Whether the context says the goal in so many words, bound variables' names aside."""
    # plain predicates are found by equality alone
    if not any(isinstance(t, Nested) for t in walk_shallow(goal)):
        return False
    wanted = shape(goal)
    # that a row is one of a DISTINCT source states the conditions of that
    members = (q for v, s in ctx.vars if isinstance(s, Distinct) for q in predicates(membership(v, s)))
    return any(shape(p) == wanted for p in (*ctx.preds, *members))


def reached(ctx: Context, wanted: set[Source]) -> bool:
    return wanted <= {s for _, s in ctx.vars}


def tables_of(vars_: tuple[tuple[int, Source], ...]) -> Iterator[Source]:
    for _, s in vars_:
        if isinstance(s, Distinct):
            for b in s.bag:
                yield from tables_of(b.vars)
        else:
            yield s


def exists_atoms(terms: Iterable[Term], *, aggregates: bool) -> list[Nested]:
    found: dict[Nested, None] = {}
    for t in terms:
        for s in walk_shallow(t):
            if isinstance(s, Nested) and s.kind == "exists":
                found[s] = None
            elif aggregates and isinstance(s, Nested) and s.kind == "agg":
                # a sum is NULL exactly where its rows do not exist: that EXISTS belongs to the question
                for n in walk_shallow(exists(s.bag)):
                    # a condition that is read outside the rows may be another value of a bag
                    if isinstance(n, Nested) and n.kind == "exists":
                        found[n] = None
    return list(found)


def alternatives(atom: Nested) -> list[Term] | None:
    """An EXISTS of a disjunction as several, of two that differ as one that comes before the other, and of a
    condition that is not TRUE as one where it is FALSE and one where it is NULL.
    """
    # of a union each block would be an alternative already
    if len(atom.bag) != 1:
        return None
    (b,) = atom.bag
    for p in b.preds:
        parts = p.args if isinstance(p, App) and p.sym == OR else _either_first(b, p) or _false_or_null(p)
        # more alternatives make more formulas than the solver is given time for
        if 0 < len(parts) <= _MOST_ALTERNATIVES:
            rest = tuple(q for q in b.preds if q != p)
            return [exists(block(b.vars, (*rest, a), ())) for a in parts]
    return None


def unordered(atom: Nested) -> bool:
    """Whether an EXISTS has rows that differ, either of which may come first."""
    return len(atom.bag) == 1 and any(_either_first(atom.bag[0], p) for p in atom.bag[0].preds)


def _either_first(b: Block, pred: Term) -> tuple[Term, ...]:
    """That a column of a row of the block differs from another row's, as that one is less or the other, of
    types in plain order.
    """
    pair = differs(pred)
    # `<` between two rows is in order already; only `<>` leaves it open
    if pair is None or not isinstance(pred, App) or pred.sym != NOT:
        return ()
    x, y = pair
    # texts under a collation are ordered by something that nothing is known of
    if x.type != y.type or domain(x.type) not in _PLAIN_ORDER or not {x.var, y.var} & dict(b.vars).keys():
        return ()
    return app(LT, (x, y), BOOL), app(LT, (y, x), BOOL)


def _false_or_null(pred: Term) -> tuple[Term, ...]:
    match pred:
        case App(sym, (App(inner, (told,)),)) if sym == NOT and inner == IS_TRUE:
            return negate(told), is_null(told)
        case _:
            return ()


def differs(pred: Term) -> tuple[Var, Var] | None:
    """Two rows' values of one column that the predicate says to be unlike, or one to be less."""
    if not isinstance(pred, App):
        return None
    told = pred.args[0] if pred.sym == NOT else pred
    # NOT (x = y) or x < y, of one column of two rows
    if not isinstance(told, App) or told.sym != (EQ if pred.sym == NOT else LT):
        return None
    x, y = told.args
    if isinstance(x, Var) and isinstance(y, Var) and x.pos == y.pos and x.var != y.var:
        return x, y
    return None


def compared_with(atom: Nested) -> Iterator[Term]:
    """That what an EXISTS compares its rows with is not NULL where it has one."""
    for b in atom.bag[:1]:
        own = {v for v, _ in b.vars}
        for part in dict.fromkeys(t for p in b.preds for t in strict_parts(p)):
            # a NULL from outside meets no comparison
            if isinstance(part, Var) and part.var not in own:
                yield disj((negate(atom), negate(is_null(part))))


def absences(ctx: Context, goal: Term) -> Iterator[Term]:
    """What the rows that a goal reads are not, since the context says that there are no such rows."""
    asked = free_vars(goal)
    rows = [(w, s) for w, s in ctx.vars if w in asked]
    for p in ctx.preds:
        none = p.args[0] if isinstance(p, App) and p.sym == NOT else None
        # only one row that is absent: of two the pair would have to be looked for
        if not isinstance(none, Nested) or none.kind != "exists" or len(none.bag[0].vars) != 1:
            continue
        ((v, source),) = none.bag[0].vars
        # an absent row's nested conditions depend on what it is
        if any(isinstance(t, Nested) for q in none.bag[0].preds for t in walk_shallow(q)):
            continue
        for w in (w for w, s in rows if s == source):
            met = conj(subst(q, rows_renamed({v: w})) for q in none.bag[0].preds)
            yield negate(is_true(met))


def strict_parts(pred: Term) -> Iterator[Term]:
    """Sub-terms that are non-NULL when the predicate is TRUE."""
    match pred:
        case App(sym, (App(inner, (a,)),)) if sym == NOT and inner == IS_NULL:
            yield from strict_value(a)
        # NOT (a = b) TRUE: a = b is FALSE, and so neither side is NULL
        case App(sym, (a,)) if sym == NOT:
            yield from strict_value(a)
        case App(sym, args) if sym == AND:
            for a in args:
                yield from strict_parts(a)
        # of OR either part may be TRUE, of CASE any branch
        case App(sym, args) if sym.strict and sym not in {OR, CASE, SAME}:
            for a in args:
                yield from strict_value(a)


def strict_value(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, App) and term.sym.strict:
        for a in term.args:
            yield from strict_value(a)
