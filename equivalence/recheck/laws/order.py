"""Laws on orders: first rows, ranks, columns of limited rows that nobody looks at.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, exists, subst, subst_block
from rewright.equivalence.prover.build import app, integer, negate, not_null, same
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.positions import before, extreme_name, first_of, window_keys
from rewright.equivalence.prover.symbols import EQ, LT, SAME, identity, one_representation
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Block,
    Distinct,
    Limited,
    Nested,
    Row,
    Term,
    Var,
    free_vars,
    rows_renamed,
    walk,
    walk_bag,
    walk_shallow,
)
from rewright.equivalence.recheck.laws.stating import (
    Bindings,
    Condition,
    Determined,
    Follows,
    Instance,
    NoRowTwice,
)
from rewright.equivalence.recheck.places import Place, pick, spliced, values_in, with_value, without_value
from rewright.equivalence.recheck.shapes import shape
from rewright.sql.types import BOOL

# numbers of rows that OFFSET may skip
_OFFSETS: dict[Term, int] = {integer(n): n for n in range(4)}
# types of keys whose order `<` is, and whose equality is identity
_STEPPED = frozenset({"int2", "int4", "int8", "date", "timestamp"})


def prune_limited(p: Place, at: Bindings) -> Iterator[Instance]:
    """A column of limited rows that nobody looks at, or that repeats a later one, goes; what keys repeat is
    read there. Bindings: block, row, column.
    """
    i, n, c = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    # WITH TIES compares keys, of which a column may be one
    if not isinstance(source, Limited) or len(source.bag) != 1 or source.ties:
        return
    (inner,) = source.bag
    width = len(inner.outs)
    if not 0 <= c < width:
        return
    # keys come last, and stay
    stays = c >= width - len(source.keys) - source.on
    later = [k for k in range(c + 1, width) if shape(inner.outs[k]) == shape(inner.outs[c])]
    read = any(isinstance(t, Var) and (t.var, t.pos) == (v, c) for t in walk_bag((b,)))
    if (read and not later) or (stays and not read):
        return
    keep = [k for k in range(width) if stays or k != c]

    def env(t: Term) -> Term | None:
        if not isinstance(t, Var) or t.var != v:
            return None
        return Var(v, keep.index(later[0] if t.pos == c else t.pos), t.type)

    smaller = replace(source, bag=(replace(inner, outs=tuple(inner.outs[k] for k in keep)),))
    rows = tuple((x, smaller if x == v else s) for x, s in b.vars)
    yield Instance(spliced(p.bag, i, subst_block(replace(b, vars=rows), env)))


def asked_of_groups(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ d ∈ DISTINCT ON k (A) . P(d.k) ∧ Q = Σ d ∈ DISTINCT ON k (Σ A . P(k)) . Q, uncut, where what looks
    alike in k is the same. Bindings: block, d, P.
    """
    i, n, m = at
    b = pick(p.bag, i)
    (v, source), goal = pick(b.vars, n), pick(b.preds, m)
    if not isinstance(source, Limited) or len(source.bag) != 1 or source.on == 0:
        return
    if source.limit is not None or source.offset is not None or source.ties:
        return
    (rows,) = source.bag
    last = len(rows.outs) - len(source.keys)
    keys = {shape(k) for k in rows.outs[last - source.on : last]}
    parts = list(walk(goal))
    columns = [t for t in parts if isinstance(t, Var) and t.var == v]
    # another row of the block, or the row itself, is none of the group's
    if any(t == Row(v) for t in parts) or free_vars(goal) & {x for x, _ in b.vars} != {v}:
        return
    shown = [pick(rows.outs, t.pos) for t in columns]
    if not all(identity(x.type) and shape(x) in keys for x in shown):
        return
    met = subst(goal, lambda t: rows.outs[t.pos] if isinstance(t, Var) and t.var == v else None)
    kept = block(rows.vars, (*rows.preds, met), rows.outs)
    if len(kept) == 1:
        vars_ = (*b.vars[:n], (v, replace(source, bag=kept)), *b.vars[n + 1 :])
        rest = (*b.preds[:m], *b.preds[m + 1 :])
        yield Instance(spliced(p.bag, i, block(vars_, rest, b.outs)))


def first_row(p: Place, at: Bindings) -> Iterator[Instance]:
    """The first row in a total order (of each group of DISTINCT ON) is the one that no other comes before.
    Bindings: block, row.
    """
    i, n = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    # LIMIT 1 or DISTINCT ON, in a stated order, without OFFSET and ties
    if not isinstance(source, Limited) or not first_of(source) or len(source.bag) != 1:
        return
    if any(Row(v) in set(walk_shallow(t)) for t in (*b.preds, *b.outs)):
        return
    others = Block(
        tuple(x for x in b.vars if x[0] != v), tuple(q for q in b.preds if v not in free_vars(q)), ()
    )
    ctx = p.ctx.within(others)
    (inner,), (other,) = fresh_copy(source.bag), fresh_copy(source.bag)
    width = len(inner.outs) - len(source.keys) - source.on
    groups = list(zip(other.outs, inner.outs, strict=True))[width : width + source.on]
    keys = zip(source.keys, other.outs[width + source.on :], inner.outs[width + source.on :], strict=True)
    # a key of DISTINCT ON is the same within its group
    earlier = before(tuple(k for k in keys if k[1:] not in groups))
    if earlier is None:
        return
    alike = tuple(same(x, y) for x, y in groups)
    none = negate(exists(block(other.vars, (*other.preds, *alike, earlier), ())))

    def env(t: Term) -> Term | None:
        return inner.outs[t.pos] if isinstance(t, Var) and t.var == v else None

    rest = subst_block(replace(b, vars=others.vars), env)
    after = tuple(
        m for r in rest for m in block((*r.vars, *inner.vars), (*r.preds, *inner.preds, none), r.outs)
    )
    (rows,) = source.bag
    # a total order within each group is asked for as a condition of the law
    yield Instance(spliced(p.bag, i, after), (Determined(ctx, rows, rows.outs[width:]),))


def lone_extreme(p: Place, at: Bindings) -> Iterator[Instance]:
    """(SELECT k ORDER BY k, … LIMIT 1) is min(k) where NULLs come last, or are none; with OFFSET n, where k
    is the only sort key and none comes twice, it is min{k . k > the one with OFFSET n - 1}. Bindings: block,
    value.
    """
    i, n = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    if value.kind != "the" or len(value.bag) != 1 or len(value.bag[0].vars) != 1 or value.bag[0].preds:
        return
    ((v, source),) = value.bag[0].vars
    out = value.bag[0].outs[0]
    if not isinstance(source, Limited) or source.on or not source.keys:
        return
    before_it = 0 if source.offset is None else _OFFSETS.get(source.offset)
    if before_it is None or not first_of(replace(source, offset=None)):
        return
    if before_it and len(source.keys) > 1:
        return
    if not (isinstance(out, Var) and out.var == v and len(source.bag) == 1):
        return
    (inner,) = source.bag
    behind = len(source.keys) - 1
    inner = replace(inner, outs=inner.outs[: len(inner.outs) - behind])
    key = inner.outs[-1]
    name = extreme_name(source.keys[0], key.type)
    if inner.outs[out.pos] != key or name is None or not one_representation(key.type):
        return
    # the next greater number is the next row's only where values are told apart by `<`
    if before_it and key.type.name not in _STEPPED:
        return
    made: Term | None = None
    for _ in range(before_it + 1):
        (x,) = fresh_copy((inner,))
        k = x.outs[-1]
        beyond = () if made is None else (app(LT, (k, made) if name[:3] == "max" else (made, k), BOOL),)
        made = aggregate(name, block(x.vars, (*x.preds, not_null(k), *beyond), (k,)), value.type)
    assert made is not None
    outside = without_value(p.ctx, b, value)
    needs: tuple[Condition, ...] = ()
    if " nulls last" not in source.keys[0]:
        needs = (Follows(outside.within(inner), not_null(key)),)
    if before_it:
        needs = (*needs, NoRowTwice(outside, (replace(inner, outs=(key,)),)))
    yield Instance(spliced(p.bag, i, with_value(b, value, made)), needs)


def rank(p: Place, at: Bindings) -> Iterator[Instance]:
    """The rank of a row is one more than the count of those that come before; so is its number where the
    order is total. Bindings: block, value.
    """
    i, n = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    if value.kind != "win" or len(value.bag) != 1:
        return
    name, keys = window_keys(value.name)
    (rows,) = fresh_copy(value.bag)
    # dense_rank() counts keys, ntile() divides rows
    if name not in {"rank", "row_number"} or len(keys) > len(rows.outs):
        return
    earlier = before(tuple(zip(keys, rows.outs, value.args, strict=False)))
    if earlier is None:
        return
    counted = (Block((), (), ()), *block(rows.vars, (*rows.preds, earlier), ()))
    after = spliced(p.bag, i, with_value(b, value, aggregate("cnt", counted, INTEGER)))
    total = Determined(without_value(p.ctx, b, value), rows, rows.outs[: len(keys)])
    # rank() gives peers one number
    yield Instance(after, () if name == "rank" else (total,))


def one_of_each(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x . P(x) ∧ row_number() OVER (PARTITION BY k ORDER BY s, …) = 1 → o(k, s) = Σ d ∈ δ(k | P) →
    o(d, min{s | P, k = d}): one row of each partition, whichever, of which only k and s are read; and max for
    a descending s. Equal ones must be the same, and no NULL may come first. Bindings: block, condition.
    """
    i, n = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    # n <= 2 would keep rows that are no extreme
    if not (isinstance(goal, App) and goal.sym == EQ and goal.args[1] == integer(1)):
        return
    win = goal.args[0]
    if not (isinstance(win, Nested) and win.kind == "win" and window_keys(win.name)[0] == "row_number"):
        return
    if len(win.bag) != 1 or [s for _, s in win.bag[0].vars] != [s for _, s in b.vars]:
        return
    (rows,) = win.bag
    own = {v for v, _ in b.vars}
    names = {w: v for (w, _), (v, _) in zip(rows.vars, b.vars, strict=True)}
    # that a row is in the current one's partition; all else is asked of every row of the window
    ties = [q for q in rows.preds if free_vars(q) & own]
    keys = [_key_of(q, names) for q in ties]
    known = [k for k in keys if k is not None and identity(k.type)]
    kept = [q for q in b.preds if q != goal]
    inside = [subst(q, rows_renamed(names)) for q in rows.preds if q not in ties]
    # the window asks no more of its rows than the block does
    if not known or len(known) < len(ties) or not set(inside) <= set(kept):
        return
    ctx = p.ctx.within(replace(b, preds=tuple(kept)))
    # by = a NULL is in no partition
    plain = (k for k, q in zip(known, ties, strict=True) if isinstance(q, App) and q.sym == EQ)
    needs = tuple(Follows(ctx, not_null(k)) for k in plain)
    outside = tuple(q for q in kept if q not in inside)
    w = fresh()
    columns: dict[Term, Term] = {k: Var(w, c, k.type) for c, k in enumerate(known)}
    source = Distinct((Block(b.vars, tuple(inside), tuple(known)),))
    plainly: tuple[dict[Term, Term], tuple[Condition, ...]] = ({}, ())
    for more, also in (plainly, *_first_by(win, columns, ctx)):

        def read(t: Term, more: dict[Term, Term] = more) -> Term | None:
            if t in columns or t not in more:
                return columns.get(t)
            (once,) = fresh_copy((Block((), (), (more[t],)),))
            return once.outs[0]

        preds, outs = (tuple(subst(t, read) for t in ts) for ts in (outside, b.outs))
        new = block(((w, source),), preds, outs)
        if not any(free_vars(t) & own for x in new for t in (*x.preds, *x.outs)):
            yield Instance(spliced(p.bag, i, new), (*needs, *also))


def _first_by(
    win: Nested, columns: dict[Term, Term], ctx: Context
) -> Iterator[tuple[dict[Term, Term], tuple[Condition, ...]]]:
    """What the row that comes first is sorted by, as an extreme of its partition's values."""
    _, labels = window_keys(win.name)
    (other,) = fresh_copy(win.bag)
    if not labels:
        return
    label, key = labels[0], other.outs[0]
    extreme = extreme_name(label, key.type)
    if extreme is None or not identity(key.type):
        return
    among = (*(subst(q, columns.get) for q in other.preds), not_null(key))
    value = aggregate(extreme, block(other.vars, among, (key,)), win.args[0].type)
    needs = () if " nulls last" in label else (Follows(ctx.within(other), not_null(key)),)
    yield {win.args[0]: value}, needs


def _key_of(tie: Term, names: dict[int, int]) -> Term | None:
    """The current row's side of ``k(row) IS NOT DISTINCT FROM k(current)``."""
    if isinstance(tie, App) and tie.sym in {SAME, EQ}:
        for x, y in (tie.args, tie.args[::-1]):
            if free_vars(x) <= names.keys() and subst(x, rows_renamed(names)) == y:
                return y
    return None
