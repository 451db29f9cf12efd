"""The kernel: rules that turn a bag into an equal one where their side conditions hold.

A rule gets the context, the bag, its mode (``set``: multiplicities do not count) and its parameters, checks
its conditions itself, and returns the new bag or None. Everything a proof's steps do goes through here; the search
that chooses rules and parameters is not trusted. Must not know the search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .bags import aggregate, as_set, block, exists, open_source, subst, subst_block, the
from .build import app, case, conj, disj, exists_value, integer, negate, not_null, predicates, same
from .conditions import any_holds, holds, off
from .context import Context, identical
from .entail import Engine
from .fresh import fresh, fresh_copy
from .places import Mode, nested_terms, replace_term
from .positions import before, extreme_name, first_of, is_total, window_keys
from .symbols import CASE, EQ, OR, SAME, TO_NUMERIC, domain, identity, same_when_equal
from .terms import (
    FALSE,
    INTEGER,
    App,
    Bag,
    Block,
    Distinct,
    Limited,
    Lit,
    Multi,
    Nested,
    Row,
    Source,
    Table,
    Term,
    Var,
    bag_types,
    free_in_source,
    free_vars,
    null,
    source_types,
    walk_bag,
    walk_shallow,
)
from .unique import determined_by, duplicate_free, one_row, ties

At = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rule is applied."""

    engine: Engine
    ctx: Context
    bag: Bag
    mode: Mode

    def block(self, i: int) -> Block:
        return self.bag[i]

    def with_block(self, i: int, new: Bag) -> Bag:
        return (*self.bag[:i], *new, *self.bag[i + 1 :])


Rule = Callable[[Place, At], Bag | None]


# --------------------------------------------------------------------------- predicates


def drop_contradiction(p: Place, at: At) -> Bag | None:
    """A block whose predicates can't hold together has no rows."""
    (i,) = at
    b = p.block(i)
    if b.preds and p.engine.inconsistent(p.ctx.within(b)):
        return p.with_block(i, ())
    return None


def drop_redundant(p: Place, at: At) -> Bag | None:
    """A predicate that follows from the others and the context."""
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    rest = replace(b, preds=tuple(q for k, q in enumerate(b.preds) if k != n))
    if holds("7a", p.engine.entails(p.ctx.within(rest), goal)):
        return p.with_block(i, (rest,))
    return None


def plain_equality(p: Place, at: At) -> Bag | None:
    """IS NOT DISTINCT FROM is = where one side is not NULL. ``at``: block, predicate."""
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    if not (isinstance(goal, App) and goal.sym == SAME):
        return None
    x, y = goal.args
    rest = replace(b, preds=tuple(q for k, q in enumerate(b.preds) if k != n))
    ctx = p.ctx.within(rest)
    if not (p.engine.plainly_not_null(ctx, x) or p.engine.plainly_not_null(ctx, y)):
        return None
    preds = (*b.preds[:n], app(EQ, (x, y), goal.type), *b.preds[n + 1 :])
    return p.with_block(i, block(b.vars, preds, b.outs))


# --------------------------------------------------------------------------- variables


def merge_copies(p: Place, at: At) -> Bag | None:
    """10: two variables over one relation that are equal on a key are one row. ``at``: block, variable, other."""
    i, n, m = at
    b = p.block(i)
    scope = (*p.ctx.vars, *b.vars)
    sources = dict(scope)
    v, w = b.vars[n][0], scope[m][0]
    own = dict(b.vars)
    if v not in own or v == w or sources.get(w) != own[v] or not isinstance(own[v], Table):
        return None
    types = source_types(own[v])
    ctx = p.ctx.within(b)
    for key in p.engine.schema.keys(own[v]):
        pairs = [(Var(v, c, types[c]), Var(w, c, types[c])) for c in key.columns]
        wanted = [App(SAME if off("10") else EQ, pair, FALSE.type) for pair in pairs]
        if holds("10", all(p.engine.entails(ctx, g) for g in wanted)):
            p.engine.schema.use(key.assumption)
            rest = replace(b, vars=tuple(x for x in b.vars if x[0] != v))
            return p.with_block(i, subst_block(rest, _row_for(v, w)))
    return None


def _row_for(v: int, w: int) -> Callable[[Term], Term | None]:
    def env(t: Term) -> Term | None:
        match t:
            case Var(var, pos, type_) if var == v:
                return Var(w, pos, type_)
            case Row(var) if var == v:
                return Row(w)
            case _:
                return None

    return env


def to_semijoin(p: Place, at: At) -> Bag | None:
    """2b, 5a, 5c: a row determined by the rest and not needed above is only asked to exist. ``at``: block, variable."""
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if isinstance(source, Distinct) or any(v in free_in_source(s) for _, s in b.vars):
        return None
    rest_vars = tuple(x for x in b.vars if x[0] != v)
    alone = Block(((v, source),), tuple(q for q in b.preds if v in free_vars(q)), ())
    ctx = p.ctx.within(Block(rest_vars, tuple(q for q in b.preds if v not in free_vars(q)), ()))
    if p.mode == "bag" and not any_holds(("5c", "2b", "6c"), v in determined_by(p.engine, ctx, alone, ())):
        return None
    swap = _columns_elsewhere(alone, v)
    outs = tuple(subst(o, swap) for o in b.outs)
    if any(v in free_vars(o) for o in outs):
        return None
    kept = tuple(q for q in b.preds if v not in free_vars(q))
    return p.with_block(i, block(rest_vars, (*kept, exists((alone,))), outs))


def _columns_elsewhere(b: Block, v: int) -> Callable[[Term], Term | None]:
    """Each column of ``v`` by an equal term that does without ``v`` (types whose equality is identity)."""

    def env(t: Term) -> Term | None:
        if isinstance(t, Var) and t.var == v:
            for other in map(_under(t), ties(b.preds, t, nulls=True)):
                if other is not None and v not in free_vars(other) and holds("M4", same_when_equal(t, other)):
                    return other
        if off("5a") and isinstance(t, Var) and t.var == v:
            columns = [Var(v, c, t.type) for c in range(100)]
            return next((o for c in columns for o in ties(b.preds, c) if v not in free_vars(o)), None)
        return None

    return env


def _under(t: Term) -> Callable[[Term], Term | None]:
    """What equals ``t``, if it may stand for it: under the same collation, which functions of it will use."""

    def under(other: Term) -> Term | None:
        if other.type.collation == t.type.collation:
            return other
        if isinstance(other, Lit):
            return Lit(other.value, replace(other.type, collation=t.type.collation))
        return None

    return under


def distinct_to_exists(p: Place, at: At) -> Bag | None:
    """A DISTINCT row all of whose columns are given is only asked to exist. ``at``: block, variable."""
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or any(v in free_in_source(s) for _, s in b.vars):
        return None
    swap = _columns_elsewhere(b, v)
    columns = [Var(v, c, t) for c, t in enumerate(source_types(source))]
    values = [swap(c) for c in columns]
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
    """8: DISTINCT over rows that are distinct anyway. ``at``: block, variable, and optionally the one variable
    inside that is kept while the others are only asked to exist (multiplicities do not count under DISTINCT).
    """
    i, n, *kept = at
    b = p.block(i)
    v, source = b.vars[n]
    if len(kept) > 1 or not isinstance(source, Distinct) or Row(v) in _parts_of(b):
        return None
    others = tuple(x for x in b.vars if x[0] != v)
    ctx = p.ctx.within(Block(others, tuple(q for q in b.preds if v not in free_vars(q)), ()))
    bag = _only(source.bag, kept[0]) if kept else source.bag
    if bag is None:
        return None
    ids = _opening_ids(b, v, bag, reduced=bool(kept))
    if p.mode == "bag" and not any_holds(ids, duplicate_free(p.engine, ctx, bag)):
        return None
    vars_ = (*b.vars[:n], (v, Distinct(bag)), *b.vars[n + 1 :])
    return p.with_block(i, open_source(replace(b, vars=vars_), n))


def _parts_of(b: Block) -> set[Term]:
    """The sub-terms of a block's predicates and outputs."""
    return {s for t in (*b.preds, *b.outs) for s in walk_shallow(t)}


def _opening_ids(b: Block, v: int, bag: Bag, *, reduced: bool) -> tuple[str, ...]:
    """Under which ids SOUNDNESS asks that DISTINCT or GROUP BY has nothing to do here."""
    if reduced:
        return ("2c",)
    if any(n.kind == "agg" and v in free_vars(n) for n in nested_terms(b)):
        return ("1e", "6d")
    if any(isinstance(q, App) and q.sym == OR for x in bag for q in x.preds):
        return ("11",)
    return ("8",)


def _only(bag: Bag, keep: int) -> Bag | None:
    """The rows of a single block by one of its variables; the others need only exist."""
    if len(bag) != 1 or len(bag[0].vars) < 2:
        return None
    (b,) = bag
    kept = b.vars[keep]
    others = tuple(x for x in b.vars if x != kept)
    gone = {v for v, _ in others}
    if free_in_source(kept[1]) & gone:
        return None

    def env(t: Term) -> Term | None:
        if isinstance(t, Var) and t.var in gone:
            return _tied(b, t, gone)
        return None

    outs = tuple(subst(o, env) for o in b.outs)
    if any(free_vars(o) & gone for o in outs):
        return None
    own = tuple(q for q in b.preds if not free_vars(q) & gone)
    rest = Block(others, tuple(q for q in b.preds if free_vars(q) & gone), ())
    return block((kept,), (*own, exists((rest,))), outs)


def _tied(b: Block, column: Var, gone: set[int]) -> Term | None:
    """An identical term without the variables that go, through chains of equalities."""
    seen: set[Term] = {column}
    todo: list[Term] = [column]
    while todo:
        t = todo.pop()
        for other in map(_under(column), ties(b.preds, t, nulls=True)):
            if other is None or other in seen or not (identity(other.type) and identity(t.type)):
                continue
            if not free_vars(other) & gone:
                return other
            seen.add(other)
            todo.append(other)
    return None


def drop_column(p: Place, at: At) -> Bag | None:
    """17: a column of a DISTINCT source that is a constant or a repetition. ``at``: block, variable, column."""
    i, n, c = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or len(source.bag) != 1:
        return None
    (inner,) = source.bag
    others = tuple(x for x in b.vars if x[0] != v)
    ctx = p.ctx.within(Block(others, (), ())).within(inner)
    own = {x for x, _ in inner.vars}
    candidates: list[Term] = [
        o for o in ties(inner.preds, inner.outs[c], nulls=True) if not free_vars(o) & own
    ]
    if not free_vars(inner.outs[c]) & own:
        candidates.append(inner.outs[c])
    if p.engine.entails(ctx, negate(not_null(inner.outs[c]))):
        candidates.append(null(inner.outs[c].type))
    under = _under(inner.outs[c])
    value: Term | None = next(
        (x for x in map(under, candidates) if x is not None and (identity(x.type) or isinstance(x, Lit))),
        None,
    )
    same_as = next(
        (
            k
            for k, o in enumerate(inner.outs)
            if k != c and (k < c or value is None) and p.engine.entails(ctx, identical(o, inner.outs[c]))
        ),
        None,
    )
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

    if not keep:
        rest = subst_block(replace(b, vars=others), env)
        return p.with_block(
            i, tuple(n for r in rest for n in block(r.vars, (*r.preds, exists(source.bag)), r.outs))
        )
    smaller = Distinct((replace(inner, outs=tuple(inner.outs[k] for k in keep)),))
    vars_: tuple[tuple[int, Source], ...] = tuple((x, smaller if x == v else s) for x, s in b.vars)
    return p.with_block(i, subst_block(replace(b, vars=vars_), env))


def bind_column(p: Place, at: At) -> Bag | None:
    """7a: a column of a DISTINCT source that the block equates with something outside it is a condition inside.
    ``at``: block, variable, column.
    """
    i, n, c = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Distinct) or len(source.bag[0].outs) < 2:
        return None
    if any(v in free_in_source(s) for _, s in b.vars) or any(
        Row(v) in set(walk_shallow(t)) for t in (*b.preds, *b.outs)
    ):
        return None
    column = Var(v, c, source_types(source)[c])
    value = _columns_elsewhere(b, v)(column)
    if value is None or free_vars(value) & {x for x, _ in b.vars}:
        return None
    keep = [k for k in range(len(source.bag[0].outs)) if k != c]
    inner = tuple(
        n
        for x in fresh_copy(source.bag)
        for n in block(x.vars, (*x.preds, identical(x.outs[c], value)), tuple(x.outs[k] for k in keep))
    )
    if not inner:
        return p.with_block(i, ())

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        return value if t.pos == c else Var(v, keep.index(t.pos), t.type)

    vars_: tuple[tuple[int, Source], ...] = tuple((x, Distinct(inner) if x == v else s) for x, s in b.vars)
    return p.with_block(i, subst_block(replace(b, vars=vars_), env))


def prune_limited(p: Place, at: At) -> Bag | None:
    """A column of a LIMITed source that nobody looks at, or that repeats a later one. ``at``: block, variable, column."""
    i, n, c = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Limited) or len(source.bag) != 1 or source.ties:
        return None
    (inner,) = source.bag
    width = len(inner.outs)
    if c >= width - len(source.keys) - source.on:
        return None
    same_as = next((k for k in range(c + 1, width) if inner.outs[k] == inner.outs[c]), None)
    used = any(isinstance(t, Var) and (t.var, t.pos) == (v, c) for t in walk_bag((b,)))
    if used and same_as is None:
        return None
    keep = [k for k in range(width) if k != c]

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        return Var(v, keep.index(same_as if t.pos == c and same_as is not None else t.pos), t.type)

    smaller = replace(source, bag=(replace(inner, outs=tuple(inner.outs[k] for k in keep)),))
    vars_ = tuple((x, smaller if x == v else s) for x, s in b.vars)
    return p.with_block(i, subst_block(replace(b, vars=vars_), env))


# --------------------------------------------------------------------------- unions


def merge_blocks(p: Place, at: At) -> Bag | None:
    """9: two blocks over the same variables, never both, are one with a disjunction. ``at``: blocks i < j, and
    for each variable of i the position of its partner in j.
    """
    i, j, *pairing = at
    left, right = p.block(i), p.block(j)
    if len(left.vars) != len(right.vars) or sorted(pairing) != list(range(len(left.vars))):
        return None
    aligned = _align(left, right, pairing)
    if aligned is None or left.vars != aligned.vars:
        return None
    right = aligned
    common = tuple(q for q in left.preds if q in right.preds)
    only_left = tuple(q for q in left.preds if q not in common)
    only_right = tuple(q for q in right.preds if q not in common)
    shared = p.ctx.within(replace(left, preds=common))
    if p.mode == "bag" and not holds("9", p.engine.inconsistent(shared.having((*only_left, *only_right)))):
        return None
    a = conj(exists_value(q) for q in only_left)
    b = conj(exists_value(q) for q in only_right)
    # a row that both blocks have would show the one's outputs or the other's, and must not lose either
    test = a if p.mode == "bag" else None
    found = [
        _either(p.engine, shared, (only_left, x), (only_right, y), test)
        for x, y in zip(left.outs, right.outs, strict=True)
    ]
    outs = tuple(o for o in found if o is not None)
    if len(outs) < len(found):
        return None
    merged = block(left.vars, (*common, disj((a, b))), outs)
    return (*p.bag[:i], *merged, *p.bag[i + 1 : j], *p.bag[j + 1 :])


def _align(left: Block, right: Block, pairing: list[int]) -> Block | None:
    mapping = {right.vars[k][0]: left.vars[n][0] for n, k in enumerate(pairing)}

    def env(t: Term) -> Term | None:
        match t:
            case Var(var, pos, type_) if var in mapping:
                return Var(mapping[var], pos, type_)
            case Row(var) if var in mapping:
                return Row(mapping[var])
            case _:
                return None

    ordered = tuple((right.vars[k][0], right.vars[k][1]) for k in pairing)
    result = subst_block(replace(right, vars=ordered), env)
    if len(result) != 1:
        return None
    (done,) = result
    return replace(done, vars=tuple((mapping[v], s) for v, s in done.vars))


def _either(
    engine: Engine,
    shared: Context,
    left: tuple[tuple[Term, ...], Term],
    right: tuple[tuple[Term, ...], Term],
    test: Term | None,
) -> Term | None:
    """One output for both blocks: of which the other's is a case, else by ``test``, true of the left one's rows."""
    (lp, x), (rp, y) = left, right
    if x == y or engine.entails(shared.having(lp), identical(x, y)):
        return y
    if engine.entails(shared.having(rp), identical(x, y)):
        return x
    if test is None:
        return None
    return case((test, x, y), bag_types((Block((), (), (x,)), Block((), (), (y,))))[0])


def union_of_sets(p: Place, at: At) -> Bag | None:
    """In set context a block that another covers adds nothing. ``at``: the block, the covering one."""
    i, j = at
    if p.mode != "set" or i == j:
        return None
    b, cover = p.block(i), p.block(j)
    rows = fresh_copy((cover,))
    tied = tuple(
        n
        for r in rows
        for n in block(
            r.vars, (*r.preds, *(identical(o, x) for o, x in zip(r.outs, b.outs, strict=True))), ()
        )
    )
    if p.engine.entails(p.ctx.within(b), exists(tied)):
        return p.with_block(i, ())
    return None


def multi_to_set(p: Place, at: At) -> Bag | None:
    """9: EXCEPT ALL and INTERSECT ALL over a left side without duplicates. ``at``: block, variable."""
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Multi):
        return None
    others = Context(tuple(x for x in b.vars if x[0] != v), ())
    ctx = Context((*p.ctx.vars, *others.vars), p.ctx.preds)
    left, right = source.left, source.right
    if not holds("9", duplicate_free(p.engine, ctx, left)):
        if source.op == "except" or not duplicate_free(p.engine, ctx, right):
            return None
        left, right = right, left
    columns = [Var(v, c, t) for c, t in enumerate(source_types(source))]
    if any(not identity(c.type) for c in columns):
        return None
    rows = fresh_copy(right)
    met = exists(
        tuple(
            n
            for r in rows
            for n in block(
                r.vars, (*r.preds, *(identical(o, c) for o, c in zip(r.outs, columns, strict=True))), ()
            )
        )
    )
    test = met if source.op == "intersect" else negate(met)
    vars_ = tuple((x, Distinct(as_set(left)) if x == v else s) for x, s in b.vars)
    return p.with_block(i, block(vars_, (*b.preds, test), b.outs))


# --------------------------------------------------------------------------- positions


def first_row(p: Place, at: At) -> Bag | None:
    """14, 17: the first row in a total order (of all, or of each group of DISTINCT ON) is the one that no other comes
    before. ``at``: block, variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Limited) or Row(v) in _parts_of(b):
        return None
    others = tuple(x for x in b.vars if x[0] != v)
    inside = tuple(q for q in b.preds if v not in free_vars(q))
    ctx = p.ctx.within(Block(others, inside, ()))
    if not first_of(source) or not holds("total", is_total(p.engine, ctx, source)):
        return None
    (inner,) = fresh_copy(source.bag)
    (other,) = fresh_copy(source.bag)
    width = len(inner.outs) - len(source.keys) - source.on
    same_group = tuple(
        same(x, y)
        for x, y in zip(
            other.outs[width : width + source.on], inner.outs[width : width + source.on], strict=True
        )
    )
    keys = tuple(
        zip(source.keys, other.outs[width + source.on :], inner.outs[width + source.on :], strict=True)
    )
    grouped = set(zip(other.outs[width:], inner.outs[width : width + source.on], strict=False))
    earlier = before(tuple(k for k in keys if k[1:] not in grouped))
    if earlier is None:
        return None
    none = negate(exists(block(other.vars, (*other.preds, *same_group, earlier), ())))

    def env(t: Term) -> Term | None:
        return inner.outs[t.pos] if isinstance(t, Var) and t.var == v else None

    rest = subst_block(replace(b, vars=others), env)
    return p.with_block(
        i,
        tuple(n for r in rest for n in block((*r.vars, *inner.vars), (*r.preds, *inner.preds, none), r.outs)),
    )


def lone_extreme(p: Place, at: At) -> Bag | None:
    """13: the sort key of the first row is the minimum or maximum where NULLs come last or are none. ``at``: block, term."""
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if term.kind != "the" or len(term.bag) != 1 or len(term.bag[0].vars) != 1 or term.bag[0].preds:
        return None
    ((v, source),) = term.bag[0].vars
    out = term.bag[0].outs[0]
    if not isinstance(source, Limited) or not first_of(source) or source.on or len(source.keys) != 1:
        return None
    if not (isinstance(out, Var) and out.var == v and len(source.bag) == 1):
        return None
    (inner,) = source.bag
    shown, key = inner.outs[out.pos], inner.outs[-1]
    name = extreme_name(source.keys[0], key.type)
    if shown != key or name is None or not identity(key.type):
        return None
    preds = tuple(q for q in b.preds if term not in set(walk_shallow(q)))
    ctx = p.ctx.within(replace(b, preds=preds)).within(inner)
    if not holds("nulls-last", " nulls last" in source.keys[0] or p.engine.entails(ctx, not_null(key))):
        return None
    rows = tuple(
        n
        for x in fresh_copy(source.bag)
        for n in block(x.vars, (*x.preds, not_null(x.outs[-1])), x.outs[-1:])
    )
    return p.with_block(i, replace_term(b, term, aggregate(name, rows, term.type)))


def rank_as_count(p: Place, at: At) -> Bag | None:
    """14: rank() is one more than the rows before; row_number() as well where no two rows tie. ``at``: block, term."""
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if term.kind != "win" or len(term.bag) != 1:
        return None
    (rows,) = fresh_copy(term.bag)
    name, keys = window_keys(term.name)
    if name not in {"rank", "row_number"} or len(keys) > len(rows.outs):
        return None
    preds = tuple(q for q in b.preds if term not in set(walk_shallow(q)))
    ctx = p.ctx.within(replace(b, preds=preds))
    if name == "row_number":
        known = rows.outs[: len(keys)]
        if not holds("total", determined_by(p.engine, ctx, rows, known) >= {v for v, _ in rows.vars}):
            return None
    earlier = before(tuple(zip(keys, rows.outs, term.args, strict=False)))
    if earlier is None:
        return None
    counted = (Block((), (), ()), *block(rows.vars, (*rows.preds, earlier), ()))
    return p.with_block(i, replace_term(b, term, aggregate("cnt", counted, INTEGER)))


def one_of_each(p: Place, at: At) -> Bag | None:
    """14: ``row_number() = 1`` keeps one row of each partition, whichever: the distinct partition keys, where nothing else of
    the row is used. ``at``: block, predicate.
    """
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    if not (isinstance(goal, App) and goal.sym == EQ and goal.args[1] == integer(1)):
        return None
    win = goal.args[0]
    if not (isinstance(win, Nested) and win.kind == "win" and window_keys(win.name)[0] == "row_number"):
        return None
    if len(win.bag) != 1 or [s for _, s in win.bag[0].vars] != [s for _, s in b.vars]:
        return None
    (rows,) = win.bag
    own = {v for v, _ in b.vars}
    mapping = {w: v for (w, _), (v, _) in zip(rows.vars, b.vars, strict=True)}
    # the ties of the partition mention the current row; all else is what the rows of the window must satisfy
    ties = [q for q in rows.preds if free_vars(q) & own]
    known = [k for k in (_partition_key(q, mapping) for q in ties) if k is not None]
    if not known or len(known) < len(ties) or not all(identity(k.type) for k in known):
        return None
    kept = [q for q in b.preds if q != goal]
    ctx = p.ctx.within(replace(b, preds=tuple(kept)))
    plain = [k for k, q in zip(known, ties, strict=True) if isinstance(q, App) and q.sym == EQ]
    if not all(p.engine.entails(ctx, not_null(k)) for k in plain):
        return None
    inside = [subst(q, _rows_for(mapping)) for q in rows.preds if q not in ties]
    if not set(inside) <= set(kept):
        return None
    if off("partition"):
        inside = kept
    outside = [q for q in kept if q not in inside]
    w = fresh()
    columns = {k: Var(w, c, k.type) for c, k in enumerate(known)}

    def env(t: Term) -> Term | None:
        return columns.get(t)

    source = Distinct((Block(b.vars, tuple(inside), tuple(known)),))
    new = block(((w, source),), tuple(subst(q, env) for q in outside), tuple(subst(o, env) for o in b.outs))
    if any(free_vars(t) & own for x in new for t in (*x.preds, *x.outs)):
        return None
    return p.with_block(i, new)


def _partition_key(tie: Term, mapping: dict[int, int]) -> Term | None:
    """The current row's side of ``k(row) IS NOT DISTINCT FROM k(current)``, if that is what the tie says."""
    if not (isinstance(tie, App) and tie.sym in {SAME, EQ}):
        return None
    for x, y in (tie.args, tie.args[::-1]):
        if free_vars(x) <= mapping.keys() and subst(x, _rows_for(mapping)) == y:
            return y
    return None


def _rows_for(mapping: dict[int, int]) -> Callable[[Term], Term | None]:
    def env(t: Term) -> Term | None:
        match t:
            case Var(var, pos, type_) if var in mapping:
                return Var(mapping[var], pos, type_)
            case Row(var) if var in mapping:
                return Row(mapping[var])
            case _:
                return None

    return env


def multiply(p: Place, at: At) -> Bag | None:
    """6c: a count times a count or a sum is that of the product of the rows; for a sum there must be a row to count.
    ``at``: block, product.
    """
    i, n = at
    b = p.block(i)
    term = product_terms(b)[n]
    numeric = term.sym.name == "* numeric"
    left, right = (_integral_part(x) if numeric else x for x in term.args)
    ctx = p.ctx.within(replace(b, preds=tuple(q for q in b.preds if term not in set(walk_shallow(q)))))
    for value, times in ((left, right), (right, left)):
        if not (isinstance(times, Nested) and times.name == "cnt"):
            continue
        if not (isinstance(value, Nested) and value.name in {"cnt", "isum", "sum numeric"}):
            total = _repeated(value, times)
            if total is None or not p.engine.entails(ctx, exists(times.bag)):
                continue
            exact = numeric and total.type == INTEGER
            repeated = app(TO_NUMERIC, (total,), term.type) if exact else total
            return p.with_block(i, replace_term(b, term, repeated))
        if value.name != "cnt" and not holds("weight", p.engine.entails(ctx, exists(times.bag))):
            continue
        rows = tuple(
            n
            for x in fresh_copy(value.bag)
            for y in fresh_copy(times.bag)
            for n in block((*x.vars, *y.vars), (*x.preds, *y.preds), x.outs)
        )
        made = aggregate(value.name, rows, value.type)
        exact = numeric and value.name != "sum numeric"
        return p.with_block(i, replace_term(b, term, app(TO_NUMERIC, (made,), term.type) if exact else made))
    return None


def _repeated(value: Term, times: Nested) -> Term | None:
    """The sum of a value once for each of the rows counted."""
    name = {"integer": "isum", "numeric": "sum numeric"}.get(domain(value.type))
    if name is None or isinstance(value, Lit):
        return None
    rows = tuple(
        n for x in fresh_copy(times.bag) for n in block(x.vars, (*x.preds, not_null(value)), (value,))
    )
    return aggregate(name, rows, INTEGER if name == "isum" else value.type)


def product_terms(b: Block) -> list[App]:
    """The products among a block's terms."""
    found: dict[App, None] = {}
    for t in (*b.preds, *b.outs):
        for s in walk_shallow(t):
            if isinstance(s, App) and s.sym.name in {"* numeric", "* int8"} and len(s.args) == 2:
                found[s] = None
    return list(found)


def _integral_part(term: Term) -> Term:
    return term.args[0] if isinstance(term, App) and term.sym == TO_NUMERIC else term


def lone_row(p: Place, at: At) -> Bag | None:
    """6d: the minimum, maximum or sum of at most one value is that value. ``at``: block, term."""
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if (
        term.kind != "agg"
        or term.name.partition(" ")[0] not in {"min", "max", "isum", "sum"}
        or term.name.startswith("sum float")
    ):
        return None
    preds = tuple(q for q in b.preds if term not in set(walk_shallow(q)))
    if not holds("lone", one_row(p.engine, p.ctx.within(replace(b, preds=preds)), term.bag)):
        return None
    return p.with_block(i, replace_term(b, term, the(term.bag, term.type)))


# --------------------------------------------------------------------------- nested values


def split_scalar(p: Place, at: At) -> Bag | None:
    """1f: a scalar subquery of at most one row: its row joined, or NULL where there is none. ``at``: block, term."""
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if term.kind != "the":
        return None
    preds = tuple(q for q in b.preds if term not in set(walk_shallow(q)))
    if not holds("1f", one_row(p.engine, p.ctx.within(replace(b, preds=preds)), term.bag)):
        return None
    result: list[Block] = []
    for inner in fresh_copy(term.bag):
        wider = replace(b, vars=(*b.vars, *inner.vars), preds=(*b.preds, *inner.preds))
        result.extend(replace_term(wider, term, inner.outs[0]))
    if not off("1b"):
        none = replace(b, preds=(*b.preds, negate(exists(term.bag))))
        result.extend(replace_term(none, term, null(term.type)))
    return p.with_block(i, tuple(result))


def flatten_aggregate(p: Place, at: At) -> Bag | None:
    """6b: an aggregate of aggregates is one aggregate over the product. ``at``: block, term."""
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if term.kind != "agg" or not term.bag:
        return None
    outer = term.name.partition(" ")[0]
    new: Term | None = None
    if outer in {"isum", "min", "max", "bool_and", "bool_or"}:
        new = _flatten_same(term)
    if new is None and outer == "isum":
        new = _flatten_counts(term)
    if new is None and outer == "sum":
        new = _flatten_numeric(term)
    if new is None and term.name in {"isum", "sum numeric"}:
        new = _flatten_weighted(p, b, term)
    if new is None:
        return None
    return p.with_block(i, replace_term(b, term, new))


def _parts(term: Nested, name: str) -> list[tuple[Block, Nested]] | None:
    """The blocks of the aggregate with the aggregate each of them puts out."""
    found: list[tuple[Block, Nested]] = []
    for b in term.bag:
        out = b.outs[0]
        if not (isinstance(out, Nested) and out.kind == "agg" and out.name == name):
            return None
        found.append((b, out))
    return found


def _flatten_same(term: Nested) -> Term | None:
    parts = _parts(term, term.name)
    return None if parts is None else aggregate(term.name, _product(parts), term.type)


def _product(parts: list[tuple[Block, Nested]]) -> Bag:
    blocks: list[Block] = []
    for b, inner in parts:
        preds = tuple(q for q in b.preds if q not in predicates(not_null(inner)))
        for x in fresh_copy(inner.bag):
            blocks.extend(block((*b.vars, *x.vars), (*preds, *x.preds), x.outs))
    return tuple(blocks)


def _flatten_counts(term: Nested) -> Term | None:
    """A sum of counts: the count of the product, but NULL where there is nothing to sum."""
    parts: list[tuple[Block, Nested]] = []
    for b in (arm for x in term.bag for arm in _arms(x)):
        out = b.outs[0]
        if isinstance(out, Lit) and out.value == "0":
            continue
        if isinstance(out, Lit) and out.value == "1":
            out = Nested("agg", "cnt", (Block((), (), ()),), INTEGER)
        if not (isinstance(out, Nested) and out.kind == "agg" and out.name == "cnt"):
            return None
        parts.append((b, out))
    total = aggregate("cnt", _product(parts), INTEGER)
    if off("6e"):
        return total
    return case((exists(term.bag), total, null(INTEGER)), INTEGER)


def _arms(b: Block) -> Bag:
    """The block once for each arm of a CASE of constants that it puts out."""
    out = b.outs[0]
    if not (isinstance(out, App) and out.sym == CASE):
        return (b,)
    *pairs, default = out.args
    if not all(isinstance(r, Lit) for r in (*pairs[1::2], default)):
        return (b,)
    found: list[Block] = []
    missed: tuple[Term, ...] = ()
    for test, result in zip(pairs[::2], pairs[1::2], strict=True):
        found.extend(block(b.vars, (*b.preds, *missed, test), (result,)))
        missed = (*missed, negate(exists_value(test)))
    found.extend(block(b.vars, (*b.preds, *missed), (default,)))
    return tuple(x for x in found if not (isinstance(x.outs[0], Lit) and x.outs[0].value is None))


def _flatten_numeric(term: Nested) -> Term | None:
    """A numeric sum of exact integers is an exact integer."""
    blocks: list[Block] = []
    for b in term.bag:
        out = b.outs[0]
        if isinstance(out, App) and out.sym == TO_NUMERIC:
            blocks.append(replace(b, outs=(out.args[0],)))
        elif isinstance(out, Lit) and out.value is None:
            blocks.append(replace(b, outs=(null(INTEGER),)))
        else:
            return _flatten_same(term) if term.name == "sum numeric" else None
    total = aggregate("isum", tuple(n for b in blocks for n in block(b.vars, b.preds, b.outs)), INTEGER)
    return _as_numeric(total, term)


def _flatten_weighted(p: Place, b: Block, term: Nested) -> Term | None:
    """A sum of values each times a count: each value as often as there are rows to count. A count of 0 would give a 0
    to add where there is no row, so each must see at least one.
    """
    preds = tuple(q for q in b.preds if term not in set(walk_shallow(q)))
    ctx = p.ctx.within(replace(b, preds=preds))
    blocks: list[Block] = []
    for x in term.bag:
        found = _weighted(x.outs[0])
        if found is None:
            return None
        counted, value = found
        if not holds("weight", p.engine.entails(ctx.within(x), exists(counted.bag))):
            return None
        for rows in fresh_copy(counted.bag):
            kept = (*x.preds, *rows.preds, not_null(value))
            blocks.extend(block((*x.vars, *rows.vars), kept, (value,)))
    return aggregate(term.name, tuple(blocks), term.type)


def _weighted(out: Term) -> tuple[Nested, Term] | None:
    """The count and the value whose product this is."""
    if not (isinstance(out, App) and len(out.args) == 2):
        return None
    if out.sym.name not in {"* numeric", "* int8"}:
        return None
    for count, value in (out.args, out.args[::-1]):
        inner = count.args[0] if isinstance(count, App) and count.sym == TO_NUMERIC else count
        if isinstance(inner, Nested) and inner.kind == "agg" and inner.name == "cnt":
            return inner, value
    return None


def _as_numeric(total: Term, term: Nested) -> Term:
    return app(TO_NUMERIC, (total,), term.type)


def simplify_case(p: Place, at: At) -> Bag | None:
    """1c, M3: CASE around an aggregate that gives what the aggregate gives on no rows anyway. ``at``: block, case."""
    i, n = at
    b = p.block(i)
    cases = case_terms(b)
    term = cases[n]
    if len(term.args) != 3:
        return None
    test, yes, no = term.args
    ctx = p.ctx.within(replace(b, preds=tuple(q for q in b.preds if term not in set(walk_shallow(q)))))
    if p.engine.entails(ctx, test):
        return p.with_block(i, replace_term(b, term, yes))
    if p.engine.entails(ctx, negate(test)):
        return p.with_block(i, replace_term(b, term, no))
    for value, other, when in ((yes, no, test), (no, yes, negate(test))):
        found = _empty_gives(value, other)
        if found is not None and holds(
            "1c", p.engine.entails(ctx.having(predicates(exists(found.bag))), when)
        ):
            return p.with_block(i, replace_term(b, term, value))
    return None


def case_terms(b: Block) -> list[App]:
    found: dict[App, None] = {}
    for t in (*b.preds, *b.outs):
        for s in walk_shallow(t):
            if isinstance(s, App) and s.sym == CASE:
                found[s] = None
    return list(found)


def _empty_gives(value: Term, other: Term) -> Nested | None:
    """An aggregate inside ``value`` on whose empty bag ``value`` is ``other``."""
    from .bags import NULL_ON_EMPTY
    from .entail import _strict_value

    if isinstance(value, Nested) and value.name == "cnt" and other == integer(0):
        return value
    if isinstance(value, App) and value.sym == TO_NUMERIC and isinstance(other, Lit) and other.value == "0":
        inner = value.args[0]
        return inner if isinstance(inner, Nested) and inner.name == "cnt" else None
    if not (isinstance(other, Lit) and other.value is None):
        return None
    for part in _strict_value(value):
        if isinstance(part, Nested) and part.kind == "agg":
            short = part.name.partition(" ")[0]
            if short in NULL_ON_EMPTY | {"isum"} or off("1c") or off("6f"):
                return part
    return None


RULES: dict[str, Rule] = {
    "contradiction": drop_contradiction,
    "redundant": drop_redundant,
    "plain-equality": plain_equality,
    "merge-copies": merge_copies,
    "semijoin": to_semijoin,
    "distinct-to-exists": distinct_to_exists,
    "open-distinct": open_distinct,
    "drop-column": drop_column,
    "bind-column": bind_column,
    "prune-limited": prune_limited,
    "merge-blocks": merge_blocks,
    "covered": union_of_sets,
    "multi-to-set": multi_to_set,
    "split-scalar": split_scalar,
    "flatten-aggregate": flatten_aggregate,
    "simplify-case": simplify_case,
    "first-row": first_row,
    "lone-extreme": lone_extreme,
    "rank": rank_as_count,
    "one-of-each": one_of_each,
    "product": multiply,
    "lone-row": lone_row,
}
