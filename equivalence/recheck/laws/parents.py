"""Laws on references: what is shown by its foreign key alone is the row that this refers to.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from rewright.equivalence.prover.bags import block, exists, subst, subst_block
from rewright.equivalence.prover.build import eq, not_null
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.symbols import identity
from rewright.equivalence.prover.terms import (
    Bag,
    Block,
    Distinct,
    Row,
    Table,
    Term,
    Var,
    free_in_source,
    free_vars,
    walk_shallow,
)
from rewright.equivalence.recheck.judging import rows_like
from rewright.equivalence.recheck.laws.stating import (
    Bindings,
    Condition,
    Follows,
    Instance,
    Keyed,
    OneRow,
    Refers,
)
from rewright.equivalence.recheck.places import Place, pick, spliced

# ways to read the blocks of a union as references that are tried
_MOST_WAYS = 16


def distinct_to_parent(p: Place, at: Bindings) -> Iterator[Instance]:
    """δ(B₁ ∪ …) = the keys of the rows of T that are in one of them, where each block shows a foreign key to
    T, or the key of a row of T, and no NULL. Bindings: block, row.
    """
    i, n = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Distinct) or source.either or any(v in free_in_source(s) for _, s in b.vars):
        return
    if any(Row(v) in set(walk_shallow(t)) for t in (*b.preds, *b.outs)):
        return
    around = p.ctx.within(Block(tuple(x for x in b.vars if x[0] != v), (), ()))
    for target, keys, needs in _keys_shown(p, around, source.bag):
        w = fresh()
        parent = tuple(Var(w, c, target.types[c]) for c in keys)

        def env(t: Term, parent: tuple[Var, ...] = parent) -> Term | None:
            return parent[t.pos] if isinstance(t, Var) and t.var == v else None

        some = exists(rows_like(fresh_copy(source.bag), parent))
        rows = (*b.vars[:n], (w, target), *b.vars[n + 1 :])
        new = subst_block(Block(rows, b.preds, b.outs), env)
        shown = tuple(x for r in new for x in block(r.vars, (*r.preds, some), r.outs))
        yield Instance(spliced(p.bag, i, shown), needs)


_Shown = tuple[Table, tuple[int, ...], tuple[Condition, ...]]


def _keys_shown(p: Place, around: Context, bag: Bag) -> Iterator[_Shown]:
    """A relation, columns of it, and why the blocks' rows are values of these columns."""
    ways = [list(_of_block(p, inner)) for inner in bag]
    targets = dict.fromkeys((t, k) for way in ways for t, k, c in way if isinstance(c, Refers))
    filled = tuple(Follows(around.within(inner), not_null(o)) for inner in bag for o in inner.outs)
    for target, keys in targets:
        whys = [[c for t, k, c in way if (t, k) == (target, keys)] for way in ways]
        for number, chosen in enumerate(product(*whys)):
            if number < _MOST_WAYS:
                yield target, keys, (*filled, *chosen)


def _of_block(p: Place, inner: Block) -> Iterator[tuple[Table, tuple[int, ...], Condition]]:
    """What the outputs are, column by column, of types whose equality is identity: a reference, or the row's
    own key.
    """
    columns = [o for o in inner.outs if isinstance(o, Var) and identity(o.type)]
    if p.schema is None or len(columns) < len(inner.outs) or len({o.var for o in columns}) != 1:
        return
    source = dict(inner.vars).get(columns[0].var)
    if not isinstance(source, Table):
        return
    own = tuple(o.pos for o in columns)
    for ref in p.schema.references(source):
        target = p.schema.source_of(ref.target)
        if target is not None and sorted(ref.columns) == sorted(own):
            keys = tuple(ref.target_columns[ref.columns.index(c)] for c in own)
            if all(o.type == target.types[c] for o, c in zip(columns, keys, strict=True)):
                yield target, keys, Refers(source, own, target, keys)
    yield source, own, Keyed(source, own)


def child_to_parent(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x̄, v . P(x̄) ∧ Q(x̄, v) → o(x̄, v.f) = Σ x̄, w ∈ T . P ∧ EXISTS(v . Q ∧ v.f = w.k) → o(x̄, w.k) where
    f refers to the key k of T, is never NULL here, and x̄ and w determine v, or duplicates do not count.
    Bindings: block, v.
    """
    i, n = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    if not isinstance(source, Table) or p.schema is None or any(v in free_in_source(s) for _, s in b.vars):
        return
    others = tuple(x for x in b.vars if x[0] != v)
    kept = tuple(q for q in b.preds if v not in free_vars(q))
    asked = tuple(q for q in b.preds if v in free_vars(q))
    for ref in p.schema.references(source):
        target = p.schema.source_of(ref.target)
        if target is None:
            continue
        w = fresh()
        own = [Var(v, c, source.types[c]) for c in ref.columns]
        keys = [Var(w, c, target.types[c]) for c in ref.target_columns]
        if any(x.type != y.type or not identity(x.type) for x, y in zip(own, keys, strict=True)):
            continue
        shown = dict(zip(own, keys, strict=True))
        outs = tuple(subst(o, shown.get) for o in b.outs)
        if any(v in free_vars(o) for o in outs):
            continue
        ties = tuple(eq(x, y) for x, y in zip(own, keys, strict=True))
        child = Block(((v, source),), (*asked, *ties), ())
        needs: tuple[Condition, ...] = (
            Refers(source, ref.columns, target, ref.target_columns),
            *(Follows(p.ctx.within(b), not_null(x)) for x in own),
        )
        if not p.sets:
            needs = (*needs, OneRow(p.ctx.within(Block((*others, (w, target)), kept, ())), (child,)))
        rows = (*b.vars[:n], (w, target), *b.vars[n + 1 :])
        yield Instance(spliced(p.bag, i, block(rows, (*kept, exists((child,))), outs)), needs)
