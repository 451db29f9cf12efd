"""How often rows may come: which of a block's rows are determined by others, and whether a bag has one row at
most or none twice.

Stated once more, apart from the prover's own: the values that are known grow until nothing is added. Must not
know laws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from rewright.equivalence.prover.bags import subst
from rewright.equivalence.prover.build import conj, eq, is_true, negate, not_null, same
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import EQ, NOT, SAME, identity
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Distinct,
    Function,
    Limited,
    Lit,
    Multi,
    Nested,
    Source,
    Table,
    Term,
    Var,
    free_in_source,
    free_vars,
    rows_renamed,
    source_types,
    walk,
)
from rewright.equivalence.recheck.judging import Judge


def equated(preds: Iterable[Term], term: Term, *, nulls: bool = False) -> Iterator[Term]:
    """What the predicates say that the term is equal to; with ``nulls`` by IS NOT DISTINCT FROM, too."""
    for p in preds:
        if not (isinstance(p, App) and (p.sym == EQ or (nulls and p.sym == SAME))):
            continue
        x, y = p.args
        # an equality under two collations is that of neither type
        if x.type.collation != y.type.collation and not (identity(x.type) and identity(y.type)):
            continue
        if x == term:
            yield y
        elif y == term:
            yield x


def determined(judge: Judge, ctx: Context, b: Block, known: Iterable[Term]) -> set[int]:
    """The block's variables that have one row at most for each value of what is outside and of the ``known``
    terms.
    """
    given, own = frozenset(known), {v for v, _ in b.vars}
    found = _told(judge, ctx, b, given)
    met = [(p, r) for p in b.preds if isinstance(p, Nested) and p.kind == "exists" for r in p.bag]
    if found >= own or not met or len(met) != len({p for p, _ in met}):
        return found
    # a row that is told by its own values and those of a row that it asks for is told: one is there
    rows = [r for _, r in met for r in fresh_copy((r,))]
    others = tuple(p for p in b.preds if p not in {p for p, _ in met})
    preds = (*others, *(q for r in rows for q in r.preds))
    wider = Block((*b.vars, *(x for r in rows for x in r.vars)), preds, ())
    return found | (_told(judge, ctx, wider, given) & own)


def _told(judge: Judge, ctx: Context, b: Block, given: frozenset[Term]) -> set[int]:
    open_ = {v for v, _ in b.vars}
    while True:
        found = {v for v, s in b.vars if v in open_ and _fixed(judge, ctx, b, (v, s), given, open_)}
        # until a round adds nothing
        if not found:
            return {v for v, _ in b.vars} - open_
        open_ -= found


def _fixed(
    judge: Judge, ctx: Context, b: Block, row: tuple[int, Source], given: frozenset[Term], open_: set[int]
) -> bool:
    v, source = row
    match source:
        case Limited(limit=limit, ties=ties, on=on):
            # LIMIT 1 is one row for all the rows that it does not read
            return limit == Lit("1", INTEGER) and not ties and not on and not free_in_source(source) & open_
        case Distinct():
            columns = (Var(v, i, t) for i, t in enumerate(source_types(source)))
            return all(_has_value(b, c, given, open_, nulls=True) for c in columns)
        case Table(types=types):
            inside = ctx.within(b)

            def by(term: Term, *, nullable: bool) -> bool:
                if _by_equality(b, term, given, open_):
                    return True
                if not all(_has_value(b, t, given, open_, nulls=True) for t in _read_by(term, given)):
                    return False
                # UNIQUE lets several NULLs in
                return not nullable or judge.entails(inside, not_null(term))

            for key in judge.schema.keys(source):
                if all(by(Var(v, c, types[c]), nullable=key.nullable) for c in key.columns):
                    return True
            return any(
                all(by(t, nullable=some.nullable) for t in some.terms)
                and all(judge.entails(inside, c) for c in some.conditions)
                for some in judge.conditional_keys(source, v)
            ) or any(
                all(by(t, nullable=True) for t in some.terms)
                and any(_has_value(b, x, given, open_, nulls=True) for x in some.values_in(b.preds))
                for some in judge.period_keys(source, v)
            )
        case Function():
            return _is_known_of_series(judge, b, (v, source), given, open_)
        case Multi():
            # set operations may give a row several times
            return False


def _is_known_of_series(
    judge: Judge, b: Block, row: tuple[int, Function], given: frozenset[Term], open_: set[int]
) -> bool:
    """Whether the row of a series has a known value: a function may give a row several times, but no series
    that rises or falls gives a value again. One that reads other rows is one for each of them.
    """
    v, source = row
    return not free_in_source(source) & open_ and any(
        all(_has_value(b, Var(v, c, source.types[c]), given, open_, nulls=True) for c in told)
        for told in judge.schema.told_by(source)
    )


def _read_by(term: Term, given: frozenset[Term]) -> list[Term]:
    """What decides a term of a key: itself, or of an expression its columns, where equal ones are
    the same.
    """
    columns = [t for t in walk(term) if isinstance(t, Var)]
    plain = isinstance(term, App) and all(identity(c.type) for c in columns)
    # an expression that is known itself needs none of its columns
    return list(columns) if plain and term not in given else [term]


def _by_equality(b: Block, term: Term, given: frozenset[Term], open_: set[int]) -> bool:
    """Whether ``=`` alone leads from the term to another that has one value; it is not NULL then."""
    return any(_has_value(b, t, given, open_, nulls=False, but=term) for t in equated(b.preds, term))


def _has_value(
    b: Block, term: Term, given: frozenset[Term], open_: set[int], *, nulls: bool, but: Term | None = None
) -> bool:
    """Whether equalities lead from the term to one that is known or depends on no open row."""
    seen, todo = {term, but}, [term]
    while todo:
        t = todo.pop()
        if t in given or not free_vars(t) & open_:
            return True
        for other in equated(b.preds, t, nulls=nulls):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return False


def one_row(judge: Judge, ctx: Context, bag: Bag) -> bool:
    """Whether the bag has one row at most."""
    return all(lone(judge, ctx, b) for b in bag) and all(
        judge.inconsistent(ctx.within(x).within(_apart(judge, y))) for x, y in combinations(bag, 2)
    )


def no_row_twice(judge: Judge, ctx: Context, bag: Bag) -> bool:
    """Whether DISTINCT would leave the bag as it is."""
    # each block by itself has no row twice
    if not all(determined(judge, ctx, b, b.outs) >= {v for v, _ in b.vars} for b in bag):
        return False
    for x, y in combinations(bag, 2):
        other = _apart(judge, y)
        alike = [same(o, p) for o, p in zip(x.outs, other.outs, strict=True)]
        if not judge.inconsistent(ctx.within(x).within(other).having(alike)):
            return False
    return True


def _apart(judge: Judge, b: Block) -> Block:
    (copy,) = judge.freshen((b,))
    return copy


def lone(judge: Judge, ctx: Context, b: Block, known: tuple[Term, ...] = ()) -> bool:
    """Whether the block has one row at most for each value of the ``known`` terms: all is determined, or a
    condition says that no other row comes before one that determines all.
    """
    open_ = {v for v, _ in b.vars} - determined(judge, ctx, b, known)
    return not open_ or any(_is_first(judge, ctx, b, v, p, known) for v in sorted(open_) for p in b.preds)


def _is_first(judge: Judge, ctx: Context, b: Block, v: int, goal: Term, known: tuple[Term, ...]) -> bool:
    source = dict(b.vars)[v]
    if not isinstance(source, Table) or not (isinstance(goal, App) and goal.sym == NOT):
        return False
    (none,) = goal.args
    if not (isinstance(none, Nested) and none.kind == "exists" and len(none.bag) == 1):
        return False
    (other,) = none.bag
    columns = [Var(v, c, t) for c, t in enumerate(source.types)]
    everything = {x for x, _ in b.vars}
    # the row that is first must lead to all the others
    if [s for _, s in other.vars] != [source] or not determined(judge, ctx, b, columns) >= everything:
        return False
    twin = _apart(judge, replace(b, preds=tuple(p for p in b.preds if p != goal), outs=known))
    there = {x: y for (x, _), (y, _) in zip(b.vars, twin.vars, strict=True)}
    w = other.vars[0][0]
    # of two rows that both are first, neither comes before the other
    neither = [
        negate(is_true(conj(subst(p, rows_renamed(names)) for p in other.preds)))
        for names in ({w: there[v]}, {**there, w: v})
    ]
    alike = [same(x, y) for x, y in zip(known, twin.outs, strict=True)]
    both = ctx.within(replace(b, outs=())).within(twin).having((*neither, *alike))
    return any(
        # two rows neither of which is before the other must be one
        not key.nullable
        and all(judge.entails(both, eq(columns[c], replace(columns[c], var=there[v]))) for c in key.columns)
        for key in judge.schema.keys(source)
    )
