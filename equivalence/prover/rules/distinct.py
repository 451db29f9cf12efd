"""Rules on DISTINCT rows and their columns.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import block, exists, open_source, subst, subst_block
from rewright.equivalence.prover.build import conj, eq, negate, not_null, same
from rewright.equivalence.prover.context import Context, identical
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import IS_NULL, NOT, identity
from rewright.equivalence.prover.terms import (
    App,
    Bag,
    Block,
    Distinct,
    Limited,
    Lit,
    Row,
    Source,
    Table,
    Term,
    Var,
    alike,
    free_in_source,
    free_vars,
    null,
    source_types,
    walk,
    walk_bag,
    walk_shallow,
)
from rewright.equivalence.prover.unique import duplicate_free, ties

from .base import At, Place, parts_of
from .joins import columns_elsewhere, under


def distinct_to_exists(p: Place, at: At) -> Bag | None:
    """A DISTINCT row all of whose columns are given is only asked to exist. ``at``: block, variable."""
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    # a LATERAL source reads the row's columns, which would be gone
    if not isinstance(source, Distinct) or any(v in free_in_source(s) for _, s in b.vars):
        return None
    swap = columns_elsewhere(b, v)
    columns = [Var(v, c, t) for c, t in enumerate(source_types(source))]
    values = [swap(c) for c in columns]
    # a column that nothing outside equals is free: the row is not given by the others
    if any(x is None for x in values) or any(Row(v) in set(walk_shallow(t)) for t in (*b.preds, *b.outs)):
        return None
    rest = Block(tuple(x for x in b.vars if x[0] != v), b.preds, b.outs)
    rows = fresh_copy(source.bag)
    member = tuple(
        n
        for r in rows
        for n in block(
            r.vars, (*r.preds, *(identical(o, x) for o, x in zip(r.outs, values, strict=True) if x)), ()
        )
    )
    new = subst_block(rest, swap)
    return p.with_block(i, tuple(n for r in new for n in block(r.vars, (*r.preds, exists(member)), r.outs)))


def open_distinct(p: Place, at: At) -> Bag | None:
    """8: DISTINCT over rows that are distinct anyway, or of which those are that meet the conditions around.
    ``at``: block, variable, and optionally the one variable inside that is kept while the others are only
    asked to exist (multiplicities do not count under DISTINCT).
    """
    i, n, *kept = at
    b = p.block(i)
    v, source = b.vars[n]
    # Row(v) tells two DISTINCT rows apart by their identity
    if len(kept) > 1 or not isinstance(source, Distinct) or Row(v) in parts_of(b):
        return None
    others = tuple(x for x in b.vars if x[0] != v)
    ctx = p.ctx.within(Block(others, tuple(q for q in b.preds if v not in free_vars(q)), ()))
    # with a row kept, the rest of a join under DISTINCT is only asked to exist
    bag = _only(source.bag, kept[0]) if kept else source.bag
    if bag is None:
        return None
    if p.mode == "bag" and not duplicate_free(p.engine, ctx, bag):
        return _opened(p, i, n, bag) if _one_that_meets(p, ctx, b, v, bag) else None
    return _opened(p, i, n, bag)


def impossible_arm(p: Place, at: At) -> Bag | None:
    """7a: rows of an arm of DISTINCT none of which meets what is asked around of columns whose equality is
    identity. ``at``: block, variable, arm.
    """
    i, n, k = at
    b = p.block(i)
    v, source = b.vars[n]
    # of a single arm the block's own contradiction is asked instead
    if not isinstance(source, Distinct) or len(source.bag) < 2 or Row(v) in parts_of(b):
        return None
    others = tuple(x for x in b.vars if x[0] != v and v not in free_in_source(x[1]))
    (arm,) = fresh_copy((source.bag[k],))
    shown = {Var(v, c, t): o for c, (t, o) in enumerate(zip(source_types(source), arm.outs, strict=True))}
    # 1.0 asked for may be 1.00 in the arm: only identity can be carried over
    asked = [q for q in b.preds if all(identity(t.type) for t in columns_in(q, v))]
    met = (subst(q, lambda t: shown.get(t) if isinstance(t, Var) else None) for q in asked)
    if not p.engine.inconsistent(p.ctx.within(Block(others, (), ())).within(arm).having(met)):
        return None
    rest = Distinct((*source.bag[:k], *source.bag[k + 1 :]), source.either)
    return p.with_block(i, block((*b.vars[:n], (v, rest), *b.vars[n + 1 :]), b.preds, b.outs))


def columns_in(term: Term, v: int) -> list[Var]:
    """The columns of a row that a term reads, in whatever bag."""
    return [t for t in walk(term) if isinstance(t, Var) and t.var == v]


def _opened(p: Place, i: int, n: int, bag: Bag) -> Bag:
    b = p.block(i)
    v, _ = b.vars[n]
    vars_ = (*b.vars[:n], (v, Distinct(bag)), *b.vars[n + 1 :])
    return p.with_block(i, open_source(replace(b, vars=vars_), n))


def _one_that_meets(p: Place, ctx: Context, b: Block, v: int, bag: Bag) -> bool:
    """Whether no two rows of a relation that are shown alike both meet what is asked of the DISTINCT row."""
    asked = tuple(q for q in b.preds if v in free_vars(q))
    # "no other row comes before" is what singles a row out here
    if len(bag) != 1 or len(bag[0].vars) != 1 or not any(_denies(q) for q in asked):
        return False
    source = bag[0].vars[0][1]
    # rows that look different may be one DISTINCT row
    if not isinstance(source, Table) or not all(identity(o.type) for o in bag[0].outs):
        return False
    (one,), (other,) = fresh_copy(bag), fresh_copy(bag)
    for x in (one, other):
        shown = {(v, c): o for c, o in enumerate(x.outs)}
        met = (
            subst(q, lambda t, s=shown: s.get((t.var, t.pos)) if isinstance(t, Var) else None) for q in asked
        )
        ctx = ctx.within(x).having(met)
    ctx = ctx.having(same(o, u) for o, u in zip(one.outs, other.outs, strict=True))
    # two rows that meet all this are one by a key: then there were no duplicates to drop
    for key in p.engine.schema.keys(source):
        columns = [(c, source.types[c]) for c in key.columns]
        alike = conj(eq(Var(one.vars[0][0], c, t), Var(other.vars[0][0], c, t)) for c, t in columns)
        with p.engine.schema.recording() as used:
            if not key.nullable and p.engine.inconsistent(ctx.having((negate(alike),))):
                for fact in (key.assumption, *key.not_nulls):
                    p.engine.schema.use(fact)
                return True
            used.clear()
    return False


def _denies(pred: Term) -> bool:
    """That there are no rows of some kind, or no such value; that a value is there tells no rows apart."""
    return (
        isinstance(pred, App)
        and pred.sym == NOT
        and not (isinstance(pred.args[0], App) and pred.args[0].sym == IS_NULL)
    )


def _only(bag: Bag, keep: int) -> Bag | None:
    """The rows of a single block by one of its variables; the others need only exist."""
    if len(bag) != 1 or len(bag[0].vars) < 2:
        return None
    (b,) = bag
    kept = b.vars[keep]
    others = tuple(x for x in b.vars if x != kept)
    gone = {v for v, _ in others}
    # the kept row must not depend on those that go
    if free_in_source(kept[1]) & gone:
        return None

    def env(t: Term) -> Term | None:
        if isinstance(t, Var) and t.var in gone:
            return tied(b, t, gone)
        return None

    outs = tuple(subst(o, env) for o in b.outs)
    # a shown column of a row that goes, to which nothing that stays is equal
    if any(free_vars(o) & gone for o in outs):
        return None
    own = tuple(q for q in b.preds if not free_vars(q) & gone)
    rest = Block(others, tuple(q for q in b.preds if free_vars(q) & gone), ())
    return block((kept,), (*own, exists((rest,))), outs)


def tied(b: Block, column: Var, gone: set[int]) -> Term | None:
    """An identical term without the variables that go, through chains of equalities."""
    seen: set[Term] = {column}
    todo: list[Term] = [column]
    while todo:
        t = todo.pop()
        for other in map(under(column), ties(b.preds, t, nulls=True)):
            # an equality that is not identity shows another value
            if other is None or other in seen or not (identity(other.type) and identity(t.type)):
                continue
            if not free_vars(other) & gone:
                return other
            seen.add(other)
            todo.append(other)
    return None


def drop_column(p: Place, at: At) -> Bag | None:
    """17: a column of a DISTINCT source that is a constant or a repetition. ``at``:
    block, variable, column.
    """
    i, n, c = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or len(source.bag) != 1:
        return None
    (inner,) = source.bag
    others = tuple(x for x in b.vars if x[0] != v)
    ctx = p.ctx.within(Block(others, (), ())).within(inner)
    own = {x for x, _ in inner.vars}
    # the value must not depend on the rows of the source itself
    candidates: list[Term] = [
        o for o in ties(inner.preds, inner.outs[c], nulls=True) if not free_vars(o) & own
    ]
    # a constant, or an outer column, is the same in all of its rows
    if not free_vars(inner.outs[c]) & own:
        candidates.append(inner.outs[c])
    # IS NULL leaves one value: NULL
    if p.engine.entails(ctx, negate(not_null(inner.outs[c]))):
        candidates.append(null(inner.outs[c].type))
    fitting = under(inner.outs[c])
    value: Term | None = next(
        (x for x in map(fitting, candidates) if x is not None and (identity(x.type) or isinstance(x, Lit))),
        None,
    )
    # an equal column further back is only of use where no value is known
    same_as = next(
        (
            k
            for k, o in enumerate(inner.outs)
            if k != c and (k < c or value is None) and p.engine.entails(ctx, identical(o, inner.outs[c]))
        ),
        None,
    )
    # equal, but not known to be the same value: nothing can be put for it
    if value is not None and not p.engine.entails(ctx, identical(value, inner.outs[c])):
        value = None
    if value is None and same_as is None:
        return None
    keep = [k for k in range(len(inner.outs)) if k != c]

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        if t.pos == c:
            return value if value is not None else Var(v, keep.index(same_as or 0), t.type)
        return Var(v, keep.index(t.pos), t.type)

    # DISTINCT of no columns is one row where there are any: EXISTS
    if not keep:
        rest = subst_block(replace(b, vars=others), env)
        return p.with_block(
            i, tuple(n for r in rest for n in block(r.vars, (*r.preds, exists(source.bag)), r.outs))
        )
    smaller = Distinct((replace(inner, outs=tuple(inner.outs[k] for k in keep)),))
    vars_: tuple[tuple[int, Source], ...] = tuple((x, smaller if x == v else s) for x, s in b.vars)
    return p.with_block(i, subst_block(replace(b, vars=vars_), env))


def bind_column(p: Place, at: At) -> Bag | None:
    """7a: a column of a DISTINCT source that the block equates with something outside it is a condition
    inside.
    ``at``: block, variable, column.
    """
    i, n, c = at
    b = p.block(i)
    v, source = b.vars[n]
    # of the last column an EXISTS remains, which is another rule's
    if not isinstance(source, Distinct) or len(source.bag[0].outs) < 2:
        return None
    if any(v in free_in_source(s) for _, s in b.vars) or any(
        Row(v) in set(walk_shallow(t)) for t in (*b.preds, *b.outs)
    ):
        return None
    column = Var(v, c, source_types(source)[c])
    value = columns_elsewhere(b, v)(column)
    # a value of another row of this block would tie two rows together inside
    if value is None or free_vars(value) & {x for x, _ in b.vars}:
        return None
    keep = [k for k in range(len(source.bag[0].outs)) if k != c]
    inner = tuple(
        n
        for x in fresh_copy(source.bag)
        for n in block(x.vars, (*x.preds, identical(x.outs[c], value)), tuple(x.outs[k] for k in keep))
    )
    # no arm can have the value: the block has no rows
    if not inner:
        return p.with_block(i, ())

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        return value if t.pos == c else Var(v, keep.index(t.pos), t.type)

    vars_: tuple[tuple[int, Source], ...] = tuple((x, Distinct(inner) if x == v else s) for x, s in b.vars)
    return p.with_block(i, subst_block(replace(b, vars=vars_), env))


def asked_of_groups(p: Place, at: At) -> Bag | None:
    """What is asked of DISTINCT ON's keys alone is asked of the rows: those of a group all meet it, or none
    does. ``at``: block, variable, predicate.
    """
    i, n, m = at
    b = p.block(i)
    (v, source), goal = b.vars[n], b.preds[m]
    # LIMIT keeps other groups where some are gone before
    if not isinstance(source, Limited) or not source.on or source.limit is not None or source.offset:
        return None
    if len(source.bag) != 1 or free_vars(goal) & {x for x, _ in b.vars} != {v} or Row(v) in set(walk(goal)):
        return None
    (inner,) = source.bag
    end = len(inner.outs) - len(source.keys)
    keys = inner.outs[end - source.on : end]
    read = [inner.outs[t.pos] for t in columns_in(goal, v)]
    if any(not identity(t.type) or not any(alike(t, k) for k in keys) for t in read):
        return None
    asked = subst(goal, lambda t: inner.outs[t.pos] if isinstance(t, Var) and t.var == v else None)
    rows = tuple(replace(source, bag=(r,)) for r in block(inner.vars, (*inner.preds, asked), inner.outs))
    if len(rows) != 1:
        return None
    vars_ = (*b.vars[:n], (v, rows[0]), *b.vars[n + 1 :])
    return p.with_block(i, block(vars_, (*b.preds[:m], *b.preds[m + 1 :]), b.outs))


def prune_limited(p: Place, at: At) -> Bag | None:
    """A column of a LIMITed source that nobody looks at, or that repeats a later one; a key that does is read
    there. ``at``: block, variable, column.
    """
    i, n, c = at
    b = p.block(i)
    v, source = b.vars[n]
    # WITH TIES compares keys that may be this very column
    if not isinstance(source, Limited) or len(source.bag) != 1 or source.ties:
        return None
    (inner,) = source.bag
    width = len(inner.outs)
    # sort keys and DISTINCT ON keys are not outputs that could go
    is_key = c >= width - len(source.keys) - source.on
    same_as = next((k for k in range(c + 1, width) if alike(inner.outs[k], inner.outs[c])), None)
    used = any(isinstance(t, Var) and (t.var, t.pos) == (v, c) for t in walk_bag((b,)))
    # somebody reads it, and it is nowhere else
    if (used and same_as is None) or (is_key and not used):
        return None
    keep = [k for k in range(width) if k != c or is_key]

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        return Var(v, keep.index(same_as if t.pos == c and same_as is not None else t.pos), t.type)

    smaller = replace(source, bag=(replace(inner, outs=tuple(inner.outs[k] for k in keep)),))
    vars_ = tuple((x, smaller if x == v else s) for x, s in b.vars)
    return p.with_block(i, subst_block(replace(b, vars=vars_), env))
