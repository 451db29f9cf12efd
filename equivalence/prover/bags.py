"""Making bags and the values made of them: pruning, set-context flattening, aggregates' normal forms.

As in `build`, nothing here depends on a context or a schema: each function returns something that is the same
on every database. Must not know catalogs or the search for proofs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from rewright.sql.types import BOOL, SqlType

from .build import (
    app,
    case,
    conj,
    disj,
    exists_value,
    integer,
    is_true,
    negate,
    not_null,
    predicates,
    rebuild,
)
from .flags import gives, written_out
from .fresh import fresh_copy
from .symbols import EQ, LE, LT, OR, TO_NUMERIC, any_element, domain, same_when_equal
from .terms import (
    FALSE,
    INTEGER,
    TRUE,
    App,
    Bag,
    Block,
    Distinct,
    Function,
    Limited,
    Lit,
    Multi,
    Nested,
    Row,
    Source,
    Term,
    Var,
    free_in_source,
    free_vars,
    map_bags,
    map_source,
    null,
    walk_shallow,
)

# aggregates that give NULL on no input and skip NULLs; anything else needs its own case below
NULL_ON_EMPTY = frozenset({"sum", "avg", "min", "max", "bool_and", "bool_or", "every", "stddev", "stddev_pop",
    "stddev_samp", "variance", "var_pop", "var_samp", "bit_and", "bit_or", "string_agg",
    "percentile_cont", "percentile_disc", "mode"})  # fmt: skip
# those, and what collects NULLs with the values: without rows there is no array, and no document
NULL_OF_NO_ROWS = NULL_ON_EMPTY | {"isum", "array_agg", "json_agg", "jsonb_agg"}
DUPLICATE_FREE = frozenset({"min", "max", "bool_and", "bool_or", "every", "bit_and", "bit_or"})


# the elements of an array as rows: for no array, and for an empty one, there are none
UNNEST = "pg_catalog.unnest(anyarray) False"


def block(vars_: tuple[tuple[int, Source], ...], preds: tuple[Term, ...], outs: tuple[Term, ...]) -> Bag:
    """A block with its predicates split, or nothing when one of them can't hold."""
    split = tuple(dict.fromkeys(q for p in preds for q in predicates(p)))
    # one predicate that can't hold empties the block
    if FALSE in split or any(empty_source(s) for _, s in vars_):
        return ()
    return (Block(vars_, split, outs),)


def empty_source(source: Source) -> bool:
    match source:
        case Distinct(bag):
            return not bag
        case Limited(bag, _, limit, _):
            # LIMIT 0 keeps nothing of whatever there is
            return not bag or limit == Lit("0", INTEGER)
        case Multi(op, left, right):
            return not left or (op == "intersect" and not right)
        case _:
            return False


def exists(bag: Bag) -> Term:
    """Whether the bag has a row."""
    # first what may be seen of sets alone, then case by case, then what is equal outside put in
    uncut = tuple(c for b in bag for c in _uncut(b))
    alternatives = [_exists_block(b) for c in as_set(uncut, hoist=True) for d in _cases(c) for b in _told(d)]
    return disj(alternatives)


def _uncut(b: Block) -> Bag:
    """2d: a row of the first n, or the first of each group, is there if any row is, and one after n others if
    there are more than n: where nothing is asked of which.
    """
    read = {v for t in b.preds for v in free_vars(t)} | {v for _, s in b.vars for v in free_in_source(s)}
    for at, (v, source) in enumerate(b.vars):
        around = (*b.vars[:at], *b.vars[at + 1 :])
        # OFFSET n: a row is left exactly where there are more than n
        if isinstance(source, Limited) and v not in read and (skipped := _skips(source)):
            beyond = app(LT, (integer(skipped), aggregate("cnt", source.bag, INTEGER)), BOOL)
            return tuple(c for n in block(around, (*b.preds, beyond), ()) for c in _uncut(n))
        # LIMIT n, n > 0, leaves a row where there is one
        if isinstance(source, Limited) and v not in read and _keeps_some(source):
            return tuple(
                c
                for x in fresh_copy(source.bag)
                for n in block((*around, *x.vars), (*b.preds, *x.preds), ())
                for c in _uncut(n)
            )
    return (b,)


def _keeps_some(source: Limited) -> bool:
    """Whether LIMIT and OFFSET keep a row of any rows."""
    limit, offset = source.limit, source.offset
    # LIMIT $1 may be 0
    some = limit is None or (
        isinstance(limit, Lit) and (limit.value or "").isdigit() and int(limit.value or 0) > 0
    )
    return some and (offset is None or (isinstance(offset, Lit) and offset.value in {None, "0"}))


def _skips(source: Limited) -> int:
    """How many rows OFFSET skips, where LIMIT keeps one of those that follow."""
    offset = source.offset
    skipped = int(offset.value or 0) if isinstance(offset, Lit) and (offset.value or "").isdigit() else 0
    # WITH TIES and DISTINCT ON keep rows in groups, of which a count says nothing
    return skipped if not (source.ties or source.on) and _keeps_some(replace(source, offset=None)) else 0


def _told(b: Block) -> Bag:
    """EXISTS with what its columns are equal to outside put for them in nested values: those depend on fewer
    rows then.
    """
    own = {v for v, _ in b.vars}
    outside: dict[Term, Term] = {}
    for p in b.preds:
        if isinstance(p, App) and p.sym == EQ:
            for x, y in (p.args, p.args[::-1]):
                plain = (
                    isinstance(x, Var) and x.var in own and not free_vars(y) & own and not isinstance(y, Lit)
                )
                # only what is the very same may be put in the place of a column
                if plain and x.type.collation == y.type.collation and same_when_equal(x, y):
                    outside.setdefault(x, y)
    if not outside:
        return (b,)
    # plain conditions understand equalities by themselves; nested values do not
    preds = tuple(subst(p, outside.get) if _has_aggregate(p) else p for p in b.preds)
    return (b,) if preds == b.preds else block(b.vars, preds, b.outs)


def _has_aggregate(term: Term) -> bool:
    return any(isinstance(t, Nested) and t.kind == "agg" for t in walk_shallow(term))


def _cases(b: Block) -> Bag:
    """EXISTS of a disjunction some part of which does not look at the block's variables, case by case."""
    own = {v for v, _ in b.vars}
    for p in b.preds:
        # (a.x = 1 OR o.y = 2): the second part does not depend on the row that is looked for
        if isinstance(p, App) and p.sym == OR and any(not free_vars(a) & own for a in p.args):
            rest = tuple(q for q in b.preds if q != p)
            return tuple(n for a in p.args for m in block(b.vars, (*rest, a), b.outs) for n in _cases(m))
    return (b,)


def as_set(bag: Bag, *, hoist: bool = False) -> Bag:
    """A bag with the same rows, multiplicities aside: DISTINCT sources are opened; with ``hoist`` also the
    EXISTS among the predicates.
    """
    done: list[Block] = []
    todo = list(bag)
    while todo:
        b = todo.pop(0)
        at = next((i for i, (_, s) in enumerate(b.vars) if isinstance(s, Distinct)), None)
        witness = next((p for p in b.preds if hoist and isinstance(p, Nested) and p.kind == "exists"), None)
        if at is not None:
            # a DISTINCT within: multiplicities do not count
            todo[:0] = open_source(b, at)
        elif witness is not None:
            # EXISTS within EXISTS is one EXISTS over both rows
            todo[:0] = _hoist(b, witness)
        else:
            done.append(b)
    return tuple(dict.fromkeys(done))


def _hoist(b: Block, witness: Nested) -> Bag:
    """EXISTS as a predicate: its variables join the block's, multiplicities aside."""
    (inner,) = fresh_copy(witness.bag)
    rest = tuple(p for p in b.preds if p != witness)
    return block((*b.vars, *inner.vars), (*rest, *inner.preds), b.outs)


def open_source(b: Block, at: int) -> Bag:
    """Replace variable number ``at``, whose source is a DISTINCT bag, by that bag's own variables."""
    source = b.vars[at][1]
    assert isinstance(source, Distinct)
    return put_rows(b, at, source.bag)


def put_rows(b: Block, at: int, rows: Bag) -> Bag:
    """Replace variable number ``at`` by the rows of a bag with as many outputs as it has columns."""
    var = b.vars[at][0]
    result: list[Block] = []
    for inner in fresh_copy(rows):
        vars_ = (*b.vars[:at], *inner.vars, *b.vars[at + 1 :])
        result.extend(_with_row(b, var, inner, vars_))
    return tuple(result)


def _with_row(b: Block, var: int, inner: Block, vars_: tuple[tuple[int, Source], ...]) -> Bag:
    def env(v: Term) -> Term | None:
        return inner.outs[v.pos] if isinstance(v, Var) and v.var == var else None

    sources = tuple((v, _substitute_source(s, env)) for v, s in vars_)
    preds = tuple(subst(p, env) for p in b.preds)
    return block(sources, (*inner.preds, *preds), tuple(subst(o, env) for o in b.outs))


def _substitute_source(source: Source, env: Any) -> Source:
    return map_source(source, lambda bag: subst_bag(bag, env), lambda t: subst(t, env))


def subst(term: Term, env: object) -> Term:
    """Substitute and simplify again on the way up."""
    if not callable(env):
        raise TypeError(env)

    def terms(t: Term) -> Term:
        if isinstance(t, Var | Row):
            new: Term | None = env(t)
            return t if new is None else new
        return remake(map_bags(t, bags, terms))

    def bags(bag: Bag) -> Bag:
        return subst_bag(bag, env)

    return terms(term)


class _Caught(Exception):
    """A row from around would be taken for one that is bound inside. ``rows``: those of the bag."""

    def __init__(self, rows: frozenset[int]) -> None:
        self.rows = rows


def subst_bag(bag: Bag, env: Callable[[Var | Row], Term | None]) -> Bag:
    """In a bag inside a term: what the bag binds stays, and nothing that comes in is caught by it."""
    return tuple(new for b in bag for new in _subst_inside(b, env))


def _subst_inside(b: Block, env: Callable[[Var | Row], Term | None]) -> Bag:
    # a bound number that comes in again would be caught: such a bag gets new numbers first
    own = frozenset(v for v, _ in b.vars)

    def around(t: Var | Row) -> Term | None:
        new = None if t.var in own else env(t)
        if new is not None and not own.isdisjoint(free_vars(new)):
            raise _Caught(own)
        return new

    try:
        return subst_block(b, around)
    except _Caught as caught:
        # of a bag around this one, which then gives its own rows other numbers
        if caught.rows is not own:
            raise
        return subst_bag(fresh_copy((b,)), env)


def subst_block(b: Block, env: object) -> Bag:
    """In a block whose own rows may be what is substituted."""
    vars_ = tuple((v, _substitute_source(s, env)) for v, s in b.vars)
    return block(vars_, tuple(subst(p, env) for p in b.preds), tuple(subst(o, env) for o in b.outs))


def remake(term: Term) -> Term:
    """A term made anew from changed parts."""
    match term:
        case App():
            return rebuild(term)
        case Nested("exists", _, bag):
            return exists(bag)
        case Nested("agg", name, bag, type_):
            return aggregate(name, bag, type_)
        case Nested("the", _, bag, type_):
            return the(bag, type_)
        case _:
            return term


def _exists_block(b: Block) -> Term:
    """One block's EXISTS: what does not depend on its variables comes out, independent parts apart."""
    own = {v for v, _ in b.vars}
    # what does not read the rows is asked once beside EXISTS
    outer = tuple(p for p in b.preds if not free_vars(p) & own)
    inner = tuple(p for p in b.preds if free_vars(p) & own)
    parts = [exists_value(p) for p in outer]
    sources, inner = _without_elements(b.vars, inner)
    for vars_, preds in _components(sources, inner):
        if not vars_:
            # a part without rows is a condition that was put outside already
            continue
        found = _is_element(vars_, preds)
        parts.append(Nested("exists", "", (Block(vars_, preds, ()),), BOOL) if found is None else found)
    return conj(parts)


def _without_elements(
    vars_: tuple[tuple[int, Source], ...], preds: tuple[Term, ...]
) -> tuple[tuple[tuple[int, Source], ...], tuple[Term, ...]]:
    """Rows beside the elements of their arrays, with what is asked of one element asked of the array."""
    for v, source in vars_:
        asked = [p for p in preds if v in free_vars(p)]
        if len(vars_) == 1 or len(asked) != 1 or any(v in free_in_source(s) for _, s in vars_):
            continue
        found = _is_element(((v, source),), (asked[0],))
        if found is not None:
            others = tuple(x for x in vars_ if x[0] != v)
            rest = tuple(p for p in preds if p != asked[0])
            return _without_elements(others, (*rest, *predicates(found)))
    return vars_, preds


def _is_element(vars_: tuple[tuple[int, Source], ...], preds: tuple[Term, ...]) -> Term | None:
    """That an array has an element equal to a value, where EXISTS asks for no more."""
    match vars_, preds:
        case ((v, Function(name, (array,))),), (App(sym, (x, y)),) if name == UNNEST and sym == EQ:
            for own, value in ((x, y), (y, x)):
                one = domain(own.type) == domain(value.type) and own.type.collation == value.type.collation
                # under two collations an element may be equal by the one and not by the other
                if isinstance(own, Var) and own.var == v and v not in free_vars(value) and one:
                    return is_true(App(any_element("=", domain(value.type)), (value, array), BOOL))
    return None


def _components(
    vars_: tuple[tuple[int, Source], ...], preds: tuple[Term, ...]
) -> list[tuple[tuple[tuple[int, Source], ...], tuple[Term, ...]]]:
    groups: list[set[int]] = [{v} for v, _ in vars_]
    own = {v for v, _ in vars_}
    order = {v: i for i, (v, _) in enumerate(vars_)}
    links = [free_vars(p) & own for p in preds]
    links += [(free_in_source(s) & own) | {v} for v, s in vars_]
    for link in links:
        # rows that a predicate, or a LATERAL source, ties together stay in one EXISTS
        touched = [g for g in groups if g & link]
        if len(touched) > 1:
            groups = [g for g in groups if not g & link] + [set().union(*touched)]
    return [
        (
            tuple((v, s) for v, s in vars_ if v in g),
            tuple(p for p in preds if free_vars(p) & g),
        )
        # in the order of their variables: equal bags must give equal terms
        for g in sorted(groups, key=lambda g: min(order[v] for v in g))
    ]


def the(bag: Bag, type_: SqlType) -> Term:
    """The output of the bag's only row; NULL for no row."""
    if not bag:
        return null(type_)
    # one row that is there whatever holds: (SELECT 1)
    if len(bag) == 1 and not bag[0].vars and not bag[0].preds:
        return bag[0].outs[0]
    return Nested("the", "", bag, type_)


def aggregate(name: str, bag: Bag, type_: SqlType) -> Term:
    """The aggregate in normal form. ``name`` as made by `aggregate_name` (or cnt, isum)."""
    short = name.partition(" ")[0]
    if not bag and (short == "cnt" or short in NULL_OF_NO_ROWS):
        zero = short == "cnt"
        return integer(0) if zero else null(type_)
    # bool_or is an EXISTS with three outcomes
    if short in {"bool_or", "bool_and", "every"} and bag and bag[0].outs:
        return _some_or_all(bag, every=short != "bool_or")
    # min of CASE … THEN 1 … ELSE 2: the first of the constants that any row gives
    if short in {"min", "max"} and (values := written_out(b.outs[0] for b in bag if b.outs)):
        return _first_given(bag, values[::-1] if short == "max" else values, type_)
    if short in DUPLICATE_FREE:
        bag = as_set(bag)
    if short == "cnt":
        # rows are counted whatever they show
        bag = tuple(Block(b.vars, b.preds, ()) for b in bag)
        # (SELECT count(*) FROM (VALUES (1), (2)) v)
        if all(not b.vars and not b.preds for b in bag):
            return integer(len(bag))
        if (least := _counted_up_to(bag)) is not None:
            return least
    # one row that is there or not: its value, or that of no rows
    if len(bag) == 1 and not bag[0].vars and (one := _of_one(short, bag[0])) is not None:
        condition = conj(exists_value(p) for p in bag[0].preds)
        return case((condition, one, integer(0) if short == "cnt" else null(type_)), type_)
    return Nested("agg", name, bag, type_)


def _counted_up_to(bag: Bag) -> Term | None:
    """The number of the first n rows: that of all, or n."""
    match bag:
        # count over LIMIT n of all rows
        case (Block(((_, Limited(rows, _, Lit(str(limit)), None, False, 0)),), (), _),) if limit.isdigit():
            whole = aggregate("cnt", rows, INTEGER)
            return case((app(LE, (whole, integer(int(limit))), BOOL), whole, integer(int(limit))), INTEGER)
    return None


def _some_or_all(bag: Bag, *, every: bool) -> Term:
    """bool_or and bool_and as EXISTS: 2c, M3: NULL where there is no value that is not NULL."""

    def some(f: Callable[[Term], Term]) -> Term:
        return exists(tuple(n for b in bag for n in block(b.vars, (*b.preds, f(b.outs[0])), ())))

    decided, otherwise = (FALSE, TRUE) if every else (TRUE, FALSE)
    deciding = some(negate) if every else some(lambda t: t)
    any_value = some(not_null)
    return case((deciding, decided, any_value, otherwise, null(BOOL)), BOOL)


def _first_given(bag: Bag, values: tuple[int, ...], type_: SqlType) -> Term:
    """The first of a few integers that some row gives; NULL where none gives any."""

    def some(f: Callable[[Term], Term]) -> Term:
        return exists(tuple(n for b in bag for n in block(b.vars, (*b.preds, f(b.outs[0])), ())))

    *before, last = values
    args = [x for v in before for x in (some(partial(gives, value=v)), integer(v))]
    return case((*args, some(not_null), integer(last), null(type_)), type_)


def _of_one(short: str, b: Block) -> Term | None:
    """The aggregate of one row."""
    if short == "cnt":
        return integer(1)
    return b.outs[0] if short in {"isum", "min", "max", "bool_and", "bool_or", "every"} and b.outs else None


def count(bag: Bag, argument: int | None = None) -> Term:
    """The number of rows, or of those where output number ``argument`` is not NULL."""
    if argument is not None:
        bag = with_not_null(bag, argument)
    return aggregate("cnt", bag, INTEGER)


def with_not_null(bag: Bag, at: int) -> Bag:
    return tuple(n for b in bag for n in block(b.vars, (*b.preds, not_null(b.outs[at])), b.outs))


def sum_of(bag: Bag, result: SqlType) -> Term:
    """Sum of integers: a mathematical integer, made numeric where PostgreSQL says numeric."""
    total = aggregate("isum", with_not_null(bag, 0), INTEGER)
    if result.name == "numeric":
        return rebuild(App(TO_NUMERIC, (total,), result))
    return total
