"""At most one row: which variables are determined, and whether a bag has duplicates.

Must not know rules; uses keys with their assumptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .asking import Asked
from .bags import subst
from .build import conj, eq, is_true, negate, not_null
from .context import Context, identical
from .fresh import fresh_copy
from .symbols import EQ, NOT, SAME, identity
from .terms import (
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
    Table,
    Term,
    Var,
    alike,
    free_in_source,
    free_vars,
    rows_renamed,
    source_types,
    walk,
)


def ties(preds: Iterable[Term], term: Term, *, nulls: bool = False) -> list[Term]:
    """What the predicates say ``term`` is equal to (``=``; with ``nulls`` also IS NOT DISTINCT FROM)."""
    found: list[Term] = []
    for p in preds:
        # x IS NOT DISTINCT FROM y fixes x for DISTINCT, where NULLs are alike, and not for a UNIQUE key
        equates = isinstance(p, App) and (p.sym == EQ or (nulls and p.sym == SAME))
        if isinstance(p, App) and equates and _own_equality(p):
            left, right = p.args
            if left == term:
                found.append(right)
            elif right == term:
                found.append(left)
    return found


def _own_equality(p: App) -> bool:
    """Whether the comparison is the types' own equality, not one under another collation."""
    a, b = (t.type for t in p.args)
    # under an ICU collation 'a' may equal 'A': that fixes no text
    return a.collation == b.collation or (identity(a) and identity(b))


def determined_by(engine: Asked, ctx: Context, b: Block, known: Iterable[Term]) -> set[int]:
    """The block's variables of which the ``known`` terms and everything outside leave at most one row.

    Equality here is the types' own ``=``, which keys use too.
    """
    own, fixed = {v for v, _ in b.vars}, list(known)
    done = _determined(engine, ctx, b, fixed)
    if done == own or (joined := _with_partners(b)) is None:
        return done
    # of which a row has one at least: what leaves one joined row leaves one row
    return done | (_determined(engine, ctx, joined, fixed) & own)


def _with_partners(b: Block) -> Block | None:
    """The block with the rows that it asks to exist; None where it asks for none."""
    asked = [p for p in b.preds if isinstance(p, Nested) and p.kind == "exists" and len(p.bag) == 1]
    found = [row for p in asked for row in fresh_copy(p.bag)]
    if not found:
        return None
    rest = tuple(p for p in b.preds if p not in asked)
    vars_ = (*b.vars, *(x for row in found for x in row.vars))
    return Block(vars_, (*rest, *(q for row in found for q in row.preds)), b.outs)


def _determined(engine: Asked, ctx: Context, b: Block, fixed: list[Term]) -> set[int]:
    own = {v for v, _ in b.vars}
    done: set[int] = set()
    changed = True
    # a row that is fixed may fix the next one by an equality with it
    while changed:
        changed = False
        for v, source in b.vars:
            if v not in done and _is_determined(engine, ctx, b, v, source, fixed, own - done):
                done.add(v)
                changed = True
    return done


def _is_determined(
    engine: Asked, ctx: Context, b: Block, v: int, source: Source, fixed: list[Term], open_: set[int]
) -> bool:
    if isinstance(source, Limited):
        # a lateral one has a row for each of the rows it depends on
        # LIMIT 1 WITH TIES keeps several rows, DISTINCT ON one for each group
        single = source.limit == Lit("1", INTEGER) and not source.ties and not source.on
        closed = not free_in_source(source) & open_
        return closed and (single or _is_first_of_known(b, v, source, fixed, open_))
    types = source_types(source)
    if isinstance(source, Distinct):
        # DISTINCT rows are alike where all columns are, or those that decide the others
        given = [i for i, t in enumerate(types) if _known(b, Var(v, i, t), fixed, open_, nulls=True)]
        closed = not free_in_source(source) & open_
        return len(given) == len(types) or (closed and _decide_all(engine, ctx, source, given))
    # a series that follows other rows is another one for each of them
    if not free_in_source(source) & open_:
        for told in engine.schema.told_by(source):
            if all(_known(b, Var(v, c, types[c]), fixed, open_, nulls=True) for c in told):
                return True
    for key in engine.schema.keys(source):
        columns = [Var(v, c, types[c]) for c in key.columns]
        # plain equality with a key: NULL equals nothing, so that nullable unique keys count
        if all(_known(b, c, fixed, open_, nulls=False, direct=False) for c in columns):
            engine.schema.use(key.assumption)
            return True
        # by IS NOT DISTINCT FROM only where the column can't be NULL
        if all(_key_term(engine, ctx, b, c, key.nullable, fixed, open_) for c in columns):
            for fact in (key.assumption, *key.not_nulls):
                engine.schema.use(fact)
            return True
    return _is_determined_where(engine, ctx, b, v, source, fixed, open_)


def _is_first_of_known(b: Block, v: int, source: Limited, fixed: list[Term], open_: set[int]) -> bool:
    """Whether what DISTINCT ON keeps one row of each of is shown and known."""
    types = source_types(source)
    given = [i for i, t in enumerate(types) if _known(b, Var(v, i, t), fixed, open_, nulls=True)]
    end = len(types) - len(source.keys)
    # one and the same column in all blocks: else two rows may agree on what is known and differ in it
    # DISTINCT ON keeps one row of each group: known where all its keys are
    return source.on > 0 and all(
        any(all(alike(rows.outs[i], rows.outs[k]) for rows in source.bag) for i in given)
        for k in range(end - source.on, end)
    )


def _decide_all(engine: Asked, ctx: Context, source: Distinct, given: list[int]) -> bool:
    """Whether rows that are alike in the ``given`` columns are made of the same rows below, as far as the
    other columns show them: a key's columns are shown, or grouped by, with what the key decides.
    """
    # without any column that is given two rows agree on nothing
    rows = _common_rows(source.bag) if given else None
    if rows is None:
        return False
    own = {v for v, _ in rows.vars}
    with engine.schema.recording() as used:
        known = determined_by(engine, ctx, rows, [rows.outs[i] for i in given])
        # what is not shown of the rows below may differ: DISTINCT does not see it
        answer = all(free_vars(out) & own <= known for out in rows.outs)
        if not answer:
            used.clear()
    return answer


def _common_rows(bag: Bag) -> Block | None:
    """What all blocks of a bag show in the same way, under the conditions that all of them ask of it: the
    rows of an outer join with a partner and those without one. None where they show different things.
    """
    if len(bag) == 1:
        return bag[0]
    shown = [_shown_rows(b) for b in bag]
    tables = all(isinstance(source, Table) for b in shown for _, source in b.vars)
    # only stored rows come under the same constraints in each block
    if not tables or len({(b.vars, b.outs) for b in shown}) != 1:
        return None
    return replace(shown[0], preds=tuple(p for p in shown[0].preds if all(p in b.preds for b in shown)))


def _shown_rows(b: Block) -> Block:
    """The block without the rows that no output reads; the others are numbered in the order in which the
    outputs read them.
    """
    read = [t.var for out in b.outs for t in walk(out) if isinstance(t, Var | Row)]
    sources = dict(b.vars)
    vars_ = [v for v in dict.fromkeys(read) if v in sources]
    names = {v: -1 - i for i, v in enumerate(vars_)}
    own = frozenset(sources)
    # conditions that also read other rows are left out: less is asked then of what is shown
    preds = [p for p in b.preds if free_vars(p) & own <= names.keys()]
    renamed = rows_renamed(names)
    return Block(
        tuple((names[v], sources[v]) for v in vars_),
        tuple(subst(p, renamed) for p in preds),
        tuple(subst(out, renamed) for out in b.outs),
    )


def _is_determined_where(
    engine: Asked, ctx: Context, b: Block, v: int, source: Source, fixed: list[Term], open_: set[int]
) -> bool:
    """By a key of the rows that meet a condition, which all rows of the block do, or
    by one of expressions.
    """
    for key in engine.conditional_keys(source, v):
        if not all(_key_term(engine, ctx, b, t, key.nullable, fixed, open_) for t in key.terms):
            continue
        # a partial index says nothing of rows outside its predicate
        if all(engine.entails(ctx.within(b), c) for c in key.conditions):
            engine.schema.use(key.assumption)
            return True
    return _is_determined_at(engine, ctx, b, v, source, fixed, open_)


def _is_determined_at(
    engine: Asked, ctx: Context, b: Block, v: int, source: Source, fixed: list[Term], open_: set[int]
) -> bool:
    """By a key over periods: what is in its period has one value."""
    for key in engine.period_keys(source, v):
        if not any(_known(b, x, fixed, open_, nulls=True) for x in key.values_in(b.preds)):
            continue
        if all(_key_term(engine, ctx, b, t, True, fixed, open_) for t in key.terms):
            engine.schema.use(key.assumption)
            return True
    return False


def _key_term(
    engine: Asked, ctx: Context, b: Block, c: Term, nullable: bool, fixed: list[Term], open_: set[int]
) -> bool:
    if _known(b, c, fixed, open_, nulls=False, direct=False):
        return True
    # equal as DISTINCT sees it, or made of columns whose values are the very same
    if not (_known(b, c, fixed, open_, nulls=True) or _is_made_of_known(b, c, fixed, open_)):
        return False
    return not nullable or engine.entails(ctx.within(b), not_null(c))


def _is_made_of_known(b: Block, c: Term, fixed: list[Term], open_: set[int]) -> bool:
    """Whether an expression is of columns that have one value each, the very same where they are equal."""
    # lower(x) has one value where x has
    read = [t for t in walk(c) if isinstance(t, Var | Row)]
    return isinstance(c, App) and all(
        isinstance(t, Var) and identity(t.type) and _known(b, t, fixed, open_, nulls=True) for t in read
    )


def _known(
    b: Block, c: Term, fixed: list[Term], open_: set[int], *, nulls: bool, direct: bool = True
) -> bool:
    """Whether the term has one value, through chains of equalities."""
    seen: set[Term] = {c}
    todo = [c]
    while todo:
        t = todo.pop()
        # the term itself only counts where it was asked about directly; outer columns have one value here
        if (t != c or direct) and (t in fixed or not free_vars(t) & open_):
            return True
        for other in ties(b.preds, t, nulls=nulls):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return False


def one_row(engine: Asked, ctx: Context, bag: Bag) -> bool:
    """Whether the bag has at most one row."""
    with engine.schema.recording() as used:
        # several blocks: at most one of them may have its row
        answer = all(lone(engine, ctx, b) for b in bag) and _disjoint(engine, ctx, bag, equal=False)
        if not answer:
            used.clear()
    return answer


def lone(engine: Asked, ctx: Context, b: Block, known: tuple[Term, ...] = ()) -> bool:
    """Whether a block has at most one row, for each value of the ``known`` terms."""
    open_ = {v for v, _ in b.vars} - determined_by(engine, ctx, b, known)
    # all rows of the block are one for each value that is known
    if not open_:
        # ROW_NUMBER-like conditions that no other row comes first, however they are written
        return True
    return any(_no_other(engine, ctx, b, v, p, known) for v in sorted(open_) for p in b.preds)


def _no_other(engine: Asked, ctx: Context, b: Block, v: int, goal: Term, known: tuple[Term, ...]) -> bool:
    """14: whether the predicate says that no other row comes before that of ``v`` in a total order, and the
    rest hangs on this row.
    """
    columns = _columns(b, v)
    # the rest of the block must follow from this row, or there may be several for it
    if not columns or determined_by(engine, ctx, b, columns) < {x for x, _ in b.vars}:
        return False
    if not (isinstance(goal, App) and goal.sym == NOT and isinstance(goal.args[0], Nested)):
        return False
    (other,) = goal.args[0].bag if len(goal.args[0].bag) == 1 else (None,)
    source = dict(b.vars)[v]
    # the row that would come before must be of the same relation
    if other is None or goal.args[0].kind != "exists" or [s for _, s in other.vars] != [source]:
        return False
    (twin,) = engine.freshen((replace(b, preds=tuple(p for p in b.preds if p != goal), outs=known),))
    moved = dict(zip((x for x, _ in b.vars), (x for x, _ in twin.vars), strict=True))
    both = ctx.within(replace(b, outs=())).within(twin)
    # neither row is one that the other rules out
    w = other.vars[0][0]
    here, there = rows_renamed({w: moved[v]}), rows_renamed({w: v} | moved)
    apart = [negate(is_true(conj([subst(p, names) for p in other.preds]))) for names in (here, there)]
    # two rows neither of which comes before the other are one by its key
    asked = both.having((*apart, *_alike(known, twin.outs)))
    for key in engine.schema.keys(source):
        pairs = [(Var(v, c, columns[c].type), Var(moved[v], c, columns[c].type)) for c in key.columns]
        # a nullable key admits several rows without a value
        if not key.nullable and all(engine.entails(asked, eq(x, y)) for x, y in pairs):
            for fact in (key.assumption, *key.not_nulls):
                engine.schema.use(fact)
            return True
    return False


def _columns(b: Block, v: int) -> list[Var]:
    # rows of DISTINCT and LIMIT have no key that could be asked about
    source = dict(b.vars)[v]
    return [Var(v, i, t) for i, t in enumerate(source_types(source))] if isinstance(source, Table) else []


def with_groups(engine: Asked, ctx: Context, b: Block, known: tuple[Term, ...]) -> tuple[Term, ...]:
    """The ``known`` terms and those columns of the block's DISTINCT rows and groups that they determine: of
    ``GROUP BY a.id, a.name`` the name is known with the key.
    """
    found = known
    for v, source in b.vars:
        if not isinstance(source, Distinct):
            continue
        columns = [Var(v, i, t) for i, t in enumerate(source_types(source))]
        # only where some columns are given and others are not
        given = [c.pos for c in columns if c in found]
        if given and len(given) < len(columns) and _decide(engine, ctx, source.bag, given):
            found = (*found, *columns)
    return found


def _decide(engine: Asked, ctx: Context, bag: Bag, given: list[int]) -> bool:
    """Whether rows of the bag that are alike in the outputs ``given`` are alike in all (as DISTINCT sees
    them).
    """
    pairs = [(left, right) for i, left in enumerate(bag) for right in bag[: i + 1]]
    # each pair of blocks, and each block with a copy of itself
    with engine.schema.recording() as used:
        answer = all(_alike_in_all(engine, ctx, *pair, given) for pair in pairs)
        if not answer:
            used.clear()
    return answer


def _alike_in_all(engine: Asked, ctx: Context, left: Block, right: Block, given: list[int]) -> bool:
    (other,) = engine.freshen((right,))
    alike = _alike(left.outs, other.outs)
    both = ctx.within(replace(left, outs=())).within(replace(other, outs=()))
    both = both.having(tuple(alike[i] for i in given))
    return all(i in given or engine.entails(both, goal) for i, goal in enumerate(alike))


def duplicate_free(engine: Asked, ctx: Context, bag: Bag) -> bool:
    """Whether no row comes twice (rows are alike as DISTINCT sees them)."""
    with engine.schema.recording() as used:
        answer = _each_block(engine, ctx, bag, lambda b: b.outs) and _disjoint(engine, ctx, bag, equal=True)
        if not answer:
            used.clear()
    return answer


def _each_block(engine: Asked, ctx: Context, bag: Bag, known: object) -> bool:
    assert callable(known)
    return all(determined_by(engine, ctx, b, known(b)) >= {v for v, _ in b.vars} for b in bag)


def _disjoint(engine: Asked, ctx: Context, bag: Bag, *, equal: bool) -> bool:
    for i, left in enumerate(bag):
        for right in bag[:i]:
            (other,) = engine.freshen((right,))
            both = ctx.within(left).within(other)
            if equal:
                # alike is weaker than identical for such types as numeric: both must be ruled out
                both = both.having(_alike(left.outs, other.outs))
            if not engine.inconsistent(both):
                return False
    return True


def _alike(left: tuple[Term, ...], right: tuple[Term, ...]) -> list[Term]:
    from .build import same

    return [same(x, y) for x, y in zip(left, right, strict=True)]


__all__ = ["Table", "determined_by", "duplicate_free", "identical", "one_row", "ties"]
