"""Laws on rows counted beside others among which they are, and on rows that hold their group's least value.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, exists, subst
from rewright.equivalence.prover.build import eq, negate, not_null
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.positions import extreme_name
from rewright.equivalence.prover.symbols import EQ, IS_TRUE, LE, LT, NOT, SAME, identity
from rewright.equivalence.prover.terms import (
    FALSE,
    TRUE,
    App,
    Bag,
    Block,
    Distinct,
    Nested,
    Term,
    Var,
    free_vars,
    rows_renamed,
    source_types,
)
from rewright.equivalence.recheck.laws.stating import (
    Bindings,
    Condition,
    Determined,
    Follows,
    Instance,
    NoRowTwice,
)
from rewright.equivalence.recheck.places import NoPlace, Place, pick, spliced


def part_counted(p: Place, at: Bindings) -> Iterator[Instance]:
    """count{A} = count{B} is NOT EXISTS(y ∈ B . NOT EXISTS(x ∈ A . f(x) = g(y))) where f tells the rows of A
    apart, g those of B, of types whose equality is identity, and each f(x) is a g(y); count{A} < count{B} is
    that there is such a y, count{B} ≤ count{A} that there is none. Bindings: block, condition, whether A is
    on the right, of how many numbers f is, f, g: a row's number and its columns, none for DISTINCT rows.
    """
    i, n, side, width, *told = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    match goal:
        # whichever side of the comparison is the part
        case App(sym, (Nested("agg", "cnt", (one,)), Nested("agg", "cnt", (other,)))) if sym in {EQ, LE, LT}:
            part, whole = (one, other) if side == 0 else (other, one)
        case _:
            return
    f, g = _seen(part, told[:width]), _seen(whole, told[width:])
    shown = [o for x in (*f, *g) for o in x.outs]
    types = {tuple((o.type.name, o.type.collation) for o in x.outs) for x in (*f, *g)}
    # rows by columns of two types, or of several looks, are not found again by equality
    if len(types) != 1 or not all(identity(o.type) for o in shown):
        return
    ctx = p.ctx.within(replace(b, preds=(*b.preds[:n], *b.preds[n + 1 :])))
    absent = tuple(
        y for w in fresh_copy(g) for y in block(w.vars, (*w.preds, negate(exists(_alike(f, w.outs)))), ())
    )
    needs: list[Condition] = [Follows(ctx.within(x), exists(_alike(g, x.outs))) for x in fresh_copy(f)]
    # DISTINCT rows are told apart by themselves
    needs += [NoRowTwice(ctx, rows) for rows, way in ((f, told[:width]), (g, told[width:])) if way]
    preds = (*b.preds[:n], _of_missing(goal.sym, side, exists(absent)), *b.preds[n + 1 :])
    yield Instance(spliced(p.bag, i, block(b.vars, preds, b.outs)), tuple(needs))


def _seen(b: Block, way: list[int]) -> Bag:
    """The rows of a block by the columns of one of them, or DISTINCT rows by theirs. Raises NoPlace."""
    if way:
        v, source = pick(b.vars, way[0])
        columns = way[1:]
    else:
        # a block of several rows without a way to tell them apart
        ((v, source),) = b.vars
        if not isinstance(source, Distinct):
            raise NoPlace
        if not b.preds and not source.either:
            return source.bag
        columns = list(range(len(source_types(source))))
    types = source_types(source)
    return (replace(b, outs=tuple(Var(v, c, pick(types, c)) for c in columns)),)


def _alike(rows: Bag, values: tuple[Term, ...]) -> Bag:
    return tuple(
        y
        for x in fresh_copy(rows)
        for y in block(x.vars, (*x.preds, *(eq(o, v) for o, v in zip(x.outs, values, strict=True))), ())
    )


def _of_missing(sym: object, side: int, missing: Term) -> Term:
    # the part never counts more than the whole
    if sym == EQ:
        return negate(missing)
    if sym == LT:
        return missing if side == 0 else FALSE
    return TRUE if side == 0 else negate(missing)


def least_of_each(p: Place, at: Bindings) -> Iterator[Instance]:
    """Σ x . P(x) ∧ v(x) = min{v(y) | P(y), k(y) = k(x)} → o(k, v) = Σ d ∈ δ(k | P, v is not NULL) →
    o(d, min{v | P, k = d}) where k and v determine x, or duplicates do not count; the same of NOT EXISTS(y .
    P(y), k(y) = k(x), v(y) < v(x)) where neither k nor v is NULL; and of max. k and v are of types whose
    equality is identity. Bindings: block, condition.
    """
    i, n = at
    b = pick(p.bag, i)
    goal = pick(b.preds, n)
    kept = tuple(q for q in b.preds if q != goal)
    own = {v for v, _ in b.vars}
    for name, rows, key, value, filled in _least(goal):
        # another relation than the block's has no least row among these
        if [s for _, s in rows.vars] != [s for _, s in b.vars]:
            continue
        renamed = rows_renamed({w: v for (w, _), (v, _) in zip(rows.vars, b.vars, strict=True)})
        ties = [q for q in rows.preds if free_vars(q) & own]
        found = [_tied(q, renamed) for q in ties]
        keys = [k for k in found if k is not None]
        there = not_null(value)
        inside = [q for q in (subst(r, renamed) for r in rows.preds if r not in ties) if q != there]
        # the value must be of the row itself, under conditions that the block asks as well
        if subst(key, renamed) != value or len(keys) < len(ties) or not set(inside) <= set(kept):
            continue
        if not keys or not all(identity(k.type) for k in (*keys, value)):
            continue
        plain = [not_null(k) for k, q in zip(keys, ties, strict=True) if isinstance(q, App) and q.sym == EQ]
        ctx = p.ctx.within(replace(b, preds=kept))
        # by NOT EXISTS a row without value or group also holds: these must be ruled out
        needs: list[Condition] = [] if filled else [Follows(ctx, q) for q in (there, *plain)]
        group = Block(b.vars, (*inside, *plain, there), (*keys, value))
        if not p.sets:
            needs.append(Determined(p.ctx, group, group.outs))
        rest = [q for q in kept if q not in (*inside, there)]
        after = _with_groups(b, (name, rows, key, value), keys, (group, rest))
        if after is not None:
            yield Instance(spliced(p.bag, i, after), tuple(needs))


def _with_groups(
    b: Block, least: tuple[str, Block, Term, Term], keys: list[Term], found: tuple[Block, list[Term]]
) -> Bag | None:
    name, rows, key, value = least
    group, rest = found
    w = fresh()
    columns = {k: Var(w, c, k.type) for c, k in enumerate(keys)}

    def of_group(t: Term) -> Term | None:
        return columns.get(t)

    (y,) = fresh_copy((replace(rows, outs=(key,)),))
    met = (*(subst(q, of_group) for q in y.preds), not_null(y.outs[0]))
    extreme = aggregate(name, block(y.vars, met, y.outs), value.type)

    def read(t: Term) -> Term | None:
        if t in columns or t != value:
            return columns.get(t)
        (once,) = fresh_copy((Block((), (), (extreme,)),))
        return once.outs[0]

    source = Distinct(block(group.vars, group.preds, group.outs[:-1]))
    preds = (not_null(extreme), *(subst(q, read) for q in rest))
    after = block(((w, source),), preds, tuple(subst(o, read) for o in b.outs))
    own = {v for v, _ in b.vars}
    # more is read of the row than its group knows
    return None if any(free_vars(t) & own for x in after for t in (*x.preds, *x.outs)) else after


def _least(goal: Term) -> Iterator[tuple[str, Block, Term, Term, bool]]:
    """The aggregate, its rows, what is compared of them, the value, and whether it cannot be NULL."""
    match goal:
        case App(sym, args) if sym == EQ:
            for term, value in (args, args[::-1]):
                match term:
                    case Nested("agg", name, (rows,), type_) if name[:4] in {"min ", "max "}:
                        if type_ == value.type:
                            yield name, replace(rows, outs=()), rows.outs[0], value, True
        case App(sym, (Nested("exists", _, (rows,)),)) if sym == NOT:
            own = {v for v, _ in rows.vars}
            beyond = [(q, sides) for q in rows.preds if (sides := _sides(q, own)) is not None]
            # two comparisons leave open which of them is the order
            if len(beyond) == 1:
                ((pred, (key, value, name)),) = beyond
                label = _label(name, key)
                extreme = extreme_name(label, key.type)
                if extreme is not None and key.type == value.type:
                    rest = tuple(q for q in rows.preds if q != pred)
                    yield extreme, replace(rows, preds=rest, outs=()), key, value, False


def _sides(pred: Term, own: set[int]) -> tuple[Term, Term, str] | None:
    """The rows' value, the other one, and which extreme the other is where no row's is beyond it."""
    inner = pred.args[0] if isinstance(pred, App) and pred.sym == IS_TRUE else pred
    if not (isinstance(inner, App) and inner.sym == LT):
        return None
    low, high = inner.args
    if free_vars(low) and free_vars(low) <= own and not free_vars(high) & own:
        return low, high, "min"
    if free_vars(high) and free_vars(high) <= own and not free_vars(low) & own:
        return high, low, "max"
    return None


def _label(name: str, key: Term) -> str:
    direction, op = ("asc", "<") if name == "min" else ("desc", ">")
    under = key.type.collation or "default"
    collate = "" if under == "default" else f" collate {under}"
    return f"{direction} nulls last pg_catalog.{op}({key.type.name},{key.type.name}){collate}"


def _tied(q: Term, renamed: object) -> Term | None:
    """The current row's side of ``k(y) = k(x)``."""
    if isinstance(q, App) and q.sym in {EQ, SAME}:
        for mine, theirs in (q.args, q.args[::-1]):
            if subst(mine, renamed) == theirs and mine != theirs:
                return theirs
    return None
