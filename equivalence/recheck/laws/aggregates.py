"""Laws on aggregates and scalar subqueries: of aggregates, of products, of single rows; CASE around them.

Must not know the other laws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import NULL_OF_NO_ROWS, aggregate, block, exists, the
from rewright.equivalence.prover.build import (
    app,
    case,
    exists_value,
    integer,
    negate,
    not_null,
    predicates,
)
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.symbols import CASE, IS_NULL, NOT, TO_NUMERIC, domain, is_bounded
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Lit,
    Nested,
    Sym,
    Term,
    Var,
    free_vars,
    null,
    walk_shallow,
)
from rewright.equivalence.recheck.laws.stating import Bindings, Condition, Follows, Instance, OneRow
from rewright.equivalence.recheck.places import Place, pick, spliced, values_in, with_value, without_value
from rewright.sql.facts.looks import WHOLE_NUMBER

_Value = tuple[Term, tuple[Condition, ...]]
# of which the aggregate of aggregates of parts is that of the whole
_SAME_OF_PARTS = frozenset({"isum", "min", "max", "bool_and", "bool_or"})
_PRODUCTS = frozenset({"* numeric", "* int8"})


def _of_values(
    p: Place, at: Bindings, law: Callable[[Context, Nested], Iterator[_Value]]
) -> Iterator[Instance]:
    """A law on one of a block's nested values. Bindings: block, value."""
    i, n = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    for new, needs in law(without_value(p.ctx, b, value), value):
        yield Instance(spliced(p.bag, i, with_value(b, value, new)), needs)


def _terms(b: Block, wanted: Callable[[App], bool]) -> list[App]:
    found = (t for x in (*b.preds, *b.outs) for t in walk_shallow(x))
    return list(dict.fromkeys(t for t in found if isinstance(t, App) and wanted(t)))


# --------------------------------------------------------------------------- aggregates of aggregates


def flatten_aggregate(p: Place, at: Bindings) -> Iterator[Instance]:
    """An aggregate of aggregates of parts is one aggregate of the joined rows. Bindings: block, value."""
    yield from _of_values(p, at, _flattened)


def _flattened(ctx: Context, value: Nested) -> Iterator[_Value]:
    if value.kind != "agg" or not value.bag:
        return
    short = value.name.partition(" ")[0]
    # sum of sums of floats would be rounded in another order
    if short in _SAME_OF_PARTS or value.name == "sum numeric":
        yield from _of_the_same(value)
    if short == "isum":
        yield from _of_counts(value)
    if short == "sum":
        yield from _of_integers(value)
    if value.name in {"isum", "sum numeric"}:
        yield from _of_repeated(ctx, value)


def _joined(parts: list[tuple[Block, Nested]]) -> Bag:
    """The rows of each part's aggregate with the part's own; that this aggregate is not NULL its rows say by
    themselves.
    """
    return tuple(
        n
        for b, inner in parts
        for x in fresh_copy(inner.bag)
        for n in block(
            (*b.vars, *x.vars),
            (*(q for q in b.preds if q not in predicates(not_null(inner))), *x.preds),
            x.outs,
        )
    )


def _of_the_same(value: Nested) -> Iterator[_Value]:
    """agg{agg{e | Q} | P} = agg{e | P ∧ Q}: sums of sums, extremes of extremes."""
    parts = [
        (b, o)
        for b in value.bag
        if isinstance(o := b.outs[0], Nested) and (o.kind, o.name) == ("agg", value.name)
    ]
    # all blocks or none: a block with another value is no part of the same
    if len(parts) == len(value.bag):
        yield aggregate(value.name, _joined(parts), value.type), ()


def _of_counts(value: Nested) -> Iterator[_Value]:
    """sum{count{Q} | P} = count{P ∧ Q}, and NULL where there is nothing to sum. Constants 1 count a row,
    constants 0 none.
    """
    parts: list[tuple[Block, Nested]] = []
    for b in (arm for x in value.bag for arm in _arms(x)):
        match b.outs[0]:
            # 0 adds no row, 1 adds one
            case Lit("0"):
                continue
            case Lit("1"):
                parts.append((b, Nested("agg", "cnt", (Block((), (), ()),), INTEGER)))
            case Nested("agg", "cnt") as counted:
                parts.append((b, counted))
            case _:
                return
    total = aggregate("cnt", _joined(parts), INTEGER)
    # the sum of no counts is NULL
    yield case((exists(value.bag), total, null(INTEGER)), INTEGER), ()


def _arms(b: Block) -> Bag:
    """A block that puts out CASE of constants, once for each of them; NULL is not summed."""
    out = b.outs[0]
    if not (isinstance(out, App) and out.sym == CASE):
        return (b,)
    tests, results = out.args[:-1:2], (*out.args[1::2], out.args[-1])
    # a CASE of values that are computed stays what is summed
    if not all(isinstance(r, Lit) for r in results):
        return (b,)
    missed: tuple[Term, ...] = ()
    found: list[Block] = []
    for test, result in zip((*tests, None), results, strict=True):
        here = missed if test is None else (*missed, test)
        found += block(b.vars, (*b.preds, *here), (result,))
        missed = missed if test is None else (*missed, negate(exists_value(test)))
    # NULL is not summed
    return tuple(x for x in found if x.outs[0] != null(x.outs[0].type))


def _of_integers(value: Nested) -> Iterator[_Value]:
    """A numeric sum of exact integers is the exact integer sum."""
    rows: list[Block] = []
    for b in value.bag:
        match b.outs[0]:
            case App(sym, (inner,)) if sym == TO_NUMERIC:
                rows += block(b.vars, b.preds, (inner,))
            # a NULL among integers is skipped by either sum
            case Lit(None):
                rows += block(b.vars, b.preds, (null(INTEGER),))
            case _:
                return
    yield app(TO_NUMERIC, (aggregate("isum", tuple(rows), INTEGER),), value.type), ()


def _of_repeated(ctx: Context, value: Nested) -> Iterator[_Value]:
    """sum{v * count{Q} | P} = sum{v | P ∧ Q} where each count sees a row."""
    rows: list[Block] = []
    needs: list[Condition] = []
    for x in value.bag:
        found = _counted(x.outs[0])
        if found is None:
            return
        counted, weighed = found
        # a count of 0 is a 0 that is added, where the joined rows have none
        needs.append(Follows(ctx.within(x), exists(counted.bag)))
        for y in fresh_copy(counted.bag):
            rows += block((*x.vars, *y.vars), (*x.preds, *y.preds, not_null(weighed)), (weighed,))
    yield aggregate(value.name, tuple(rows), value.type), tuple(needs)


def _counted(out: Term) -> tuple[Nested, Term] | None:
    if isinstance(out, App) and len(out.args) == 2 and out.sym.name in _PRODUCTS:
        for count, value in (out.args, out.args[::-1]):
            inner = _whole(count)
            if isinstance(inner, Nested) and (inner.kind, inner.name) == ("agg", "cnt"):
                return inner, value
    return None


def _whole(term: Term) -> Term:
    return term.args[0] if isinstance(term, App) and term.sym == TO_NUMERIC else term


# --------------------------------------------------------------------------- sums of sums of columns


def linear_sum(p: Place, at: Bindings) -> Iterator[Instance]:
    """sum{x ± y | P} = sum{x | P} ± sum{y | P}, sum{-x | P} = -sum{x | P}, sum{n | P} = n * sum{1 | P} for a
    whole number n, and sum{n * x | P} = n * sum{x | P} for a finite n that is the same for all rows (NULL
    times anything is NULL, so that P need not say that n is not): of integers and numerics, P saying that
    what is added is not NULL. Bindings: block, value.
    """
    yield from _of_values(p, at, _linear)


def _linear(_ctx: Context, value: Nested) -> Iterator[_Value]:
    if value.kind != "agg" or value.name not in {"isum", "sum numeric"} or not value.bag:
        return

    def total(columns: list[Term]) -> Term:
        rows = (replace(b, outs=(o,)) for b, o in zip(value.bag, columns, strict=True))
        return aggregate(value.name, fresh_copy(tuple(rows)), value.type)

    integers = value.name == "isum"
    outs = [b.outs[0] for b in value.bag]
    match outs[0]:
        case Lit(str()) as number if integers and set(outs) == {number} and number != integer(1):
            ones: list[Term] = [integer(1) for _ in outs]
            yield app(_of_sums("* int8"), (number, total(ones)), value.type), ()
        case App(sym):
            op, _, name = sym.name.partition(" ")
            over = {"int2", "int4", "int8"} if integers else {"numeric"}
            if op not in set("+-*") or name not in over:
                return
            parts = [o.args for o in outs if isinstance(o, App) and o.sym == sym]
            if len(parts) < len(outs):
                return
            columns = [list(c) for c in zip(*parts, strict=True)]
            of = _of_sums(f"{op} {'int8' if integers else name}")
            if op != "*":
                yield app(of, tuple(total(c) for c in columns), value.type), ()
                return
            same = [_same_number(value, c) for c in columns]
            if same.count(True) == 1:
                numbers, others = columns if same[0] else columns[::-1]
                number = numbers[0]
                # else a product may have more decimals than a numeric keeps
                if integers or _whole_number(number) or _is_integer(number) or all(map(is_bounded, outs)):
                    rows = tuple(
                        replace(b, preds=tuple(q for q in b.preds if q != not_null(number)), outs=(x,))
                        for b, x in zip(value.bag, others, strict=True)
                    )
                    pair = (number, aggregate(value.name, fresh_copy(rows), value.type))
                    yield app(of, pair, value.type), ()
                    yield app(of, pair[::-1], value.type), ()


def _same_number(value: Nested, column: list[Term]) -> bool:
    """Whether what stands in a column is one number for all rows, and neither NaN nor Infinity alone."""
    x = column[0]
    if any(y != x for y in column):
        return False
    if isinstance(x, Lit):
        # NaN and Infinity are spelled otherwise: times 2 and times -1 Infinity adds up to NaN
        return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", x.value or "") is not None
    # a factor that reads the rows is another one for each
    if any(v in free_vars(x) for b in value.bag for v, _ in b.vars):
        return False
    of = x.args[0] if isinstance(x, App) and x.sym == TO_NUMERIC else x
    # no declared type: parts of moments, which may be infinite
    kept = of.type.name == "numeric" and of.type.typmod != -1 and of.type != WHOLE_NUMBER
    return isinstance(of, Var | Nested) and (kept or domain(of.type) == "integer")


def _is_integer(x: Term) -> bool:
    return domain((x.args[0] if isinstance(x, App) and x.sym == TO_NUMERIC else x).type) == "integer"


def _whole_number(x: Term) -> bool:
    return isinstance(x, Lit) and re.fullmatch(r"-*[0-9]+", x.value or "") is not None


def _of_sums(name: str) -> Sym:
    """An operator on sums, which raises nothing of its own: what does is compared as it is written."""
    return Sym(name, total=True)


# --------------------------------------------------------------------------- products


def multiply(p: Place, at: Bindings) -> Iterator[Instance]:
    """count{P} * agg{e | Q} = agg{e | P ∧ Q} for counts, and for sums where P has a row; v * count{P} = sum{v
    | P} where it has one. Bindings: block, product.
    """
    i, n = at
    b = pick(p.bag, i)
    term = pick(_terms(b, lambda t: t.sym.name in _PRODUCTS and len(t.args) == 2), n)
    numeric = term.sym.name == "* numeric"
    x, y = (_whole(a) if numeric else a for a in term.args)
    ctx = without_value(p.ctx, b, term)
    for value, times in ((x, y), (y, x)):
        # both ways round, since either factor may be the count
        if isinstance(times, Nested) and times.name == "cnt":
            for made, needs in _times(ctx, value, times):
                exact = numeric and made.type == INTEGER
                new = app(TO_NUMERIC, (made,), term.type) if exact else made
                yield Instance(spliced(p.bag, i, with_value(b, term, new)), needs)


def _times(ctx: Context, value: Term, times: Nested) -> Iterator[_Value]:
    some = (Follows(ctx, exists(times.bag)),)
    # counts of no rows are 0, as the count of the product is; sums are NULL
    if isinstance(value, Nested) and value.name in {"cnt", "isum", "sum numeric"}:
        rows = tuple(
            n
            for x in fresh_copy(value.bag)
            for y in fresh_copy(times.bag)
            for n in block((*x.vars, *y.vars), (*x.preds, *y.preds), x.outs)
        )
        yield aggregate(value.name, rows, value.type), () if value.name == "cnt" else some
        return
    name = {"integer": "isum", "numeric": "sum numeric"}.get(domain(value.type))
    # a constant times a count is a sum of constants, which is written as such elsewhere
    if name is not None and not isinstance(value, Lit):
        rows = tuple(
            n for x in fresh_copy(times.bag) for n in block(x.vars, (*x.preds, not_null(value)), (value,))
        )
        yield aggregate(name, rows, INTEGER if name == "isum" else value.type), some


# --------------------------------------------------------------------------- single rows


def split_scalar(p: Place, at: Bindings) -> Iterator[Instance]:
    """P((SELECT e WHERE Q)) = P(e) ∧ Q joined, and P(NULL) where there is no row, of a subquery of one row at
    most; that e is not NULL need not be asked of it. Bindings: block, value.
    """
    i, n = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    if value.kind != "the":
        return
    # as it stands, and without asking that the value is not NULL
    for bag in (value.bag, _or_null(value.bag)):
        found: list[Block] = []
        for x in fresh_copy(bag):
            wider = replace(b, vars=(*b.vars, *x.vars), preds=(*b.preds, *x.preds))
            found += with_value(wider, value, x.outs[0])
        none = replace(b, preds=(*b.preds, negate(exists(bag))))
        found += with_value(none, value, null(value.type))
        yield Instance(spliced(p.bag, i, tuple(found)), (OneRow(without_value(p.ctx, b, value), bag),))


def _or_null(bag: Bag) -> Bag:
    """The rows without the condition that what they put out is not NULL."""
    given = [set(predicates(not_null(x.outs[0]))) for x in bag]
    return tuple(
        replace(x, preds=tuple(q for q in x.preds if q not in g)) for x, g in zip(bag, given, strict=True)
    )


def lone_row(p: Place, at: Bindings) -> Iterator[Instance]:
    """The minimum, maximum or exact sum of one value at most is that value, or NULL. Bindings: block,
    value.
    """

    def law(ctx: Context, value: Nested) -> Iterator[_Value]:
        short = value.name.partition(" ")[0]
        exact = short in {"min", "max", "isum", "sum"} and not value.name.startswith("sum float")
        if value.kind == "agg" and exact:
            for bag in (value.bag, _or_null(value.bag)):
                yield the(bag, value.type), (OneRow(ctx, bag),)

    yield from _of_values(p, at, law)


# --------------------------------------------------------------------------- CASE


def simplify_case(p: Place, at: Bindings) -> Iterator[Instance]:
    """CASE WHEN t THEN x ELSE y is x where t holds, y where it does not; and x where y is what an aggregate
    in x gives on no rows, and t holds where it has a row (or the other way round). Bindings: block, CASE.
    """
    i, n = at
    b = pick(p.bag, i)
    term = pick(_terms(b, lambda t: t.sym == CASE), n)
    # several arms are simplified one at a time elsewhere
    if len(term.args) != 3:
        return
    test, yes, no = term.args
    ctx = without_value(p.ctx, b, term)
    for new, goal, other in ((yes, test, no), (no, negate(test), yes)):
        after = spliced(p.bag, i, with_value(b, term, new))
        yield Instance(after, (Follows(ctx, goal),))
        for made in _of_nothing(new, other):
            rows = ctx.having(predicates(exists(made.bag)))
            yield Instance(after, (Follows(rows, goal),))


def _of_nothing(value: Term, other: Term) -> Iterator[Nested]:
    """The aggregates in a value over whose empty bag it is ``other``."""
    inner = _whole(value)
    if isinstance(inner, Nested) and inner.name == "cnt":
        # an integer 0 for a count as it is, any zero for a count made numeric
        if other == integer(0) if inner is value else isinstance(other, Lit) and other.value == "0":
            yield inner
    elif isinstance(other, Lit) and other.value is None:
        yield from (t for t in _strict(value) if t.kind == "agg" and _null_of_nothing(t))
    elif isinstance(value, App) and value.sym == CASE and value.args[2:] == (other,):
        # CASE WHEN x IS NOT NULL THEN … ELSE y END of an x that is NULL of no rows: y
        asked = value.args[0]
        inner_test = asked.args[0] if isinstance(asked, App) and asked.sym == NOT else None
        if isinstance(inner_test, App) and inner_test.sym == IS_NULL:
            found = (t for x in inner_test.args for t in _strict(x))
            yield from (t for t in found if t.kind == "agg" and _null_of_nothing(t))


def _null_of_nothing(t: Nested) -> bool:
    return t.name.partition(" ")[0] in NULL_OF_NO_ROWS


def _strict(term: Term) -> Iterator[Nested]:
    """The nested values that make the term NULL when they are."""
    if isinstance(term, Nested):
        yield term
    elif isinstance(term, App) and term.sym.strict:
        for x in term.args:
            yield from _strict(x)
