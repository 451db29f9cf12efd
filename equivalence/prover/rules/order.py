"""Rules on positions: first rows, ranks, one row of each partition.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, exists, subst, subst_block
from rewright.equivalence.prover.build import (
    app,
    integer,
    negate,
    not_null,
    same,
)
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.positions import before, extreme_name, first_of, is_total, window_keys
from rewright.equivalence.prover.symbols import EQ, LT, SAME, identity, one_representation
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Distinct,
    Limited,
    Lit,
    Nested,
    Row,
    Source,
    Term,
    Var,
    free_vars,
    rows_renamed,
)
from rewright.equivalence.prover.unique import determined_by, duplicate_free
from rewright.sql.types import BOOL, SqlType

from .base import At, Place, parts_of

# types of keys whose order `<` is, and whose equality is identity
_STEPPED = frozenset({"int2", "int4", "int8", "date", "timestamp"})


def first_row(p: Place, at: At) -> Bag | None:
    """14, 17: the first row in a total order (of all, or of each group of DISTINCT ON) is the one that no
    other comes before. ``at``: block, variable.
    """
    i, n = at
    b = p.block(i)
    v, source = b.vars[n]
    if not isinstance(source, Limited) or Row(v) in parts_of(b):
        return None
    others = tuple(x for x in b.vars if x[0] != v)
    # conditions on the limited row itself are asked after it was chosen
    inside = tuple(q for q in b.preds if v not in free_vars(q))
    ctx = p.ctx.within(Block(others, inside, ()))
    # with ties any of several rows is the first
    if not first_of(source) or not is_total(p.engine, ctx, source):
        return None
    (inner,) = fresh_copy(source.bag)
    (other,) = fresh_copy(source.bag)
    # outputs first, then the keys of DISTINCT ON, then those of ORDER BY
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
    # within a group its own keys are alike and decide nothing
    grouped = set(zip(other.outs[width:], inner.outs[width : width + source.on], strict=False))
    earlier = before(tuple(k for k in keys if k[1:] not in grouped))
    # an order that is not known, as that of a user's type
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
    """13: the first sort key of the first row is the minimum or maximum where NULLs come last or are none; of
    different keys the next one is that of those beyond it. ``at``: block, term.
    """
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    # over several blocks, or with conditions outside, the first row is not simply the first of the source
    if term.kind != "the" or len(term.bag) != 1 or len(term.bag[0].vars) != 1 or term.bag[0].preds:
        return None
    ((v, source),) = term.bag[0].vars
    out = term.bag[0].outs[0]
    skipped = rows_skipped(source)
    # DISTINCT ON: the first row of a group need not have an extreme of all
    if not isinstance(source, Limited) or skipped is None or source.on or not source.keys:
        return None
    # further keys order rows of one first key, so that the next row may have the same
    if skipped and len(source.keys) != 1:
        return None
    # another column of the first row belongs to the row, not to the order
    if not (isinstance(out, Var) and out.var == v and len(source.bag) == 1):
        return None
    (inner,) = source.bag
    shown, key = inner.outs[out.pos], inner.outs[-len(source.keys)]
    name = extreme_name(source.keys[0], key.type)
    # of equal values that look different the first row may have another one than min() shows
    if shown != key or name is None or not one_representation(key.type):
        return None
    ctx = p.beside(b, term)
    # NULLs that come first are what the first row shows
    if not (" nulls last" in source.keys[0] or p.engine.entails(ctx.within(inner), not_null(key))):
        return None
    # OFFSET skips rows, not values: rows with one value twice would be passed at once
    if skipped and not (
        key.type.name in _STEPPED and duplicate_free(p.engine, ctx, (replace(inner, outs=(key,)),))
    ):
        return None
    return p.with_block(
        i, replace_term(b, term, _extreme_beyond(_by_first(inner, source), name, skipped, term.type))
    )


def _by_first(inner: Block, source: Limited) -> Block:
    """The rows of a cut without the sort keys behind the first."""
    return replace(inner, outs=inner.outs[: len(inner.outs) - len(source.keys) + 1])


def rows_skipped(source: Source) -> int | None:
    """How many rows come before the one that LIMIT 1 keeps, where they are few."""
    if not isinstance(source, Limited) or not first_of(replace(source, offset=None)):
        return None
    if source.offset is None:
        return 0
    # OFFSET 3 makes three nested extremes, and more of them help nobody
    few = isinstance(source.offset, Lit) and source.offset.value in {"0", "1", "2", "3"}
    return int(str(source.offset.value)) if few and isinstance(source.offset, Lit) else None


def _extreme_beyond(inner: Block, name: str, skipped: int, type_: SqlType) -> Term:
    """The minimum or maximum of those keys that are beyond so many others."""
    (x,) = fresh_copy((inner,))
    key = x.outs[-1]
    preds = (*x.preds, not_null(key))
    if skipped:
        other = _extreme_beyond(inner, name, skipped - 1, type_)
        pair = (key, other) if name.startswith("max") else (other, key)
        preds = (*preds, app(LT, pair, BOOL))
    return aggregate(name, block(x.vars, preds, (key,)), type_)


def rank_as_count(p: Place, at: At) -> Bag | None:
    """14: rank() is one more than the rows before; row_number() as well where no two rows tie. ``at``: block,
    term.
    """
    i, n = at
    b = p.block(i)
    term = nested_terms(b)[n]
    if term.kind != "win" or len(term.bag) != 1:
        return None
    (rows,) = fresh_copy(term.bag)
    name, keys = window_keys(term.name)
    if name not in {"rank", "row_number"} or len(keys) > len(rows.outs):
        return None
    ctx = p.beside(b, term)
    # row_number() goes by the plan among ties, rank() does not
    if name == "row_number":
        known = rows.outs[: len(keys)]
        if not determined_by(p.engine, ctx, rows, known) >= {v for v, _ in rows.vars}:
            return None
    earlier = before(tuple(zip(keys, rows.outs, term.args, strict=False)))
    if earlier is None:
        return None
    counted = (Block((), (), ()), *block(rows.vars, (*rows.preds, earlier), ()))
    return p.with_block(i, replace_term(b, term, aggregate("cnt", counted, INTEGER)))


def one_of_each(p: Place, at: At) -> Bag | None:
    """14: ``row_number() = 1`` keeps one row of each partition, whichever: the distinct partition keys, where
    nothing else of the row is used but what it is sorted by first: an extreme of the partition. ``at``:
    block, predicate.
    """
    i, n = at
    b = p.block(i)
    goal = b.preds[n]
    # only the first of each partition; n <= 2 keeps rows that have to be told apart
    if not (isinstance(goal, App) and goal.sym == EQ and goal.args[1] == integer(1)):
        return None
    win = goal.args[0]
    if not (isinstance(win, Nested) and win.kind == "win" and window_keys(win.name)[0] == "row_number"):
        return None
    # the window must see the very rows that the block shows
    if len(win.bag) != 1 or [s for _, s in win.bag[0].vars] != [s for _, s in b.vars]:
        return None
    (rows,) = win.bag
    own = {v for v, _ in b.vars}
    mapping = {w: v for (w, _), (v, _) in zip(rows.vars, b.vars, strict=True)}
    # the ties of the partition mention the current row; all else is what the rows of the window must satisfy
    ties = [q for q in rows.preds if free_vars(q) & own]
    known = [k for k in (partition_key(q, mapping) for q in ties) if k is not None]
    # a tie that is no partition key, or a key of several looks
    if not known or len(known) < len(ties) or not all(identity(k.type) for k in known):
        return None
    kept = [q for q in b.preds if q != goal]
    ctx = p.ctx.within(replace(b, preds=tuple(kept)))
    plain = [k for k, q in zip(known, ties, strict=True) if isinstance(q, App) and q.sym == EQ]
    # a partition of NULLs is one to the window, and none to `=`
    if not all(p.engine.entails(ctx, not_null(k)) for k in plain):
        return None
    inside = [subst(q, rows_renamed(mapping)) for q in rows.preds if q not in ties]
    # the window's rows were met by these conditions before they were numbered, the others came after
    if not set(inside) <= set(kept):
        return None
    outside = [q for q in kept if q not in inside]
    w = fresh()
    columns: dict[Term, Term] = {k: Var(w, c, k.type) for c, k in enumerate(known)}
    first = _first_key(p, ctx, win, columns)

    def env(t: Term) -> Term | None:
        if t in columns or t not in first:
            return columns.get(t)
        (copied,) = fresh_copy((Block((), (), (first[t],)),))
        return copied.outs[0]

    source = Distinct((Block(b.vars, tuple(inside), tuple(known)),))
    new = block(((w, source),), tuple(subst(q, env) for q in outside), tuple(subst(o, env) for o in b.outs))
    # something of the row is read that is neither key nor sorted by first
    if any(free_vars(t) & own for x in new for t in (*x.preds, *x.outs)):
        return None
    return p.with_block(i, new)


def _first_key(p: Place, ctx: Context, win: Nested, columns: Mapping[Term, Term]) -> dict[Term, Term]:
    """The current row's first sort key as the extreme of its partition, where the row comes first.
    ``columns``: the partition's keys as they are read.
    """
    _, labels = window_keys(win.name)
    (rows,) = fresh_copy(win.bag)
    # a key that is a partition key has its column already
    if not labels or win.args[0] in columns:
        return {}
    key, mine = rows.outs[0], win.args[0]
    name = extreme_name(labels[0], key.type)
    if name is None or not identity(key.type):
        return {}
    # NULLs first: the first row has NULL where min() has a value
    if not (" nulls last" in labels[0] or p.engine.entails(ctx.within(rows), not_null(key))):
        return {}
    preds = (*(subst(q, columns.get) for q in rows.preds), not_null(key))
    return {mine: aggregate(name, block(rows.vars, preds, (key,)), mine.type)}


def partition_key(tie: Term, mapping: dict[int, int]) -> Term | None:
    """The current row's side of ``k(row) IS NOT DISTINCT FROM k(current)``, if that is what the tie says."""
    if not (isinstance(tie, App) and tie.sym in {SAME, EQ}):
        return None
    for x, y in (tie.args, tie.args[::-1]):
        if free_vars(x) <= mapping.keys() and subst(x, rows_renamed(mapping)) == y:
            return y
    return None
