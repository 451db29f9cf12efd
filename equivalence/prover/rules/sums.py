"""Rules on sums and counts: products, aggregates of aggregates.

Each rule checks its side conditions itself and returns the new bag or None (`kernel`). Must not know the
search.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, exists
from rewright.equivalence.prover.build import (
    app,
    case,
    exists_value,
    negate,
    not_null,
    predicates,
)
from rewright.equivalence.prover.fresh import fresh_copy
from rewright.equivalence.prover.places import nested_terms, replace_term
from rewright.equivalence.prover.symbols import (
    CASE,
    TO_NUMERIC,
    domain,
)
from rewright.equivalence.prover.terms import (
    INTEGER,
    App,
    Bag,
    Block,
    Lit,
    Nested,
    Term,
    null,
    walk_shallow,
)

from .base import At, Place


def multiply(p: Place, at: At) -> Bag | None:
    """6c: a count times a count or a sum is that of the product of the rows; for a sum there must be a row to
    count.
    ``at``: block, product.
    """
    i, n = at
    b = p.block(i)
    term = product_terms(b)[n]
    numeric = term.sym.name == "* numeric"
    left, right = (_integral_part(x) if numeric else x for x in term.args)
    ctx = p.beside(b, term)
    for value, times in ((left, right), (right, left)):
        if not (isinstance(times, Nested) and times.name == "cnt"):
            continue
        # a value times the number of rows is the sum of the value over them
        if not (isinstance(value, Nested) and value.name in {"cnt", "isum", "sum numeric"}):
            total = _repeated(value, times)
            # over no rows the sum is NULL, and the product 0
            if total is None or not p.engine.entails(ctx, exists(times.bag)):
                continue
            exact = numeric and total.type == INTEGER
            repeated = app(TO_NUMERIC, (total,), term.type) if exact else total
            return p.with_block(i, replace_term(b, term, repeated))
        # as above; a count times a count is 0 in both cases
        if value.name != "cnt" and not p.engine.entails(ctx, exists(times.bag)):
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
    # a constant times a count has a simpler form
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
    # the same aggregate twice: sum of sums, least of least
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
            # another aggregate in one of the blocks: max of a min is of two
            return None
        found.append((b, out))
    return found


def _flatten_same(term: Nested) -> Term | None:
    parts = _parts(term, term.name)
    return None if parts is None else aggregate(term.name, _product(parts), term.type)


def _product(parts: list[tuple[Block, Nested]]) -> Bag:
    blocks: list[Block] = []
    for b, inner in parts:
        # a group that has no value is left out by the aggregate itself: no condition is needed for it
        preds = tuple(q for q in b.preds if q not in predicates(not_null(inner)))
        for x in fresh_copy(inner.bag):
            blocks.extend(block((*b.vars, *x.vars), (*preds, *x.preds), x.outs))
    return tuple(blocks)


def _flatten_counts(term: Nested) -> Term | None:
    """A sum of counts: the count of the product, but NULL where there is nothing to sum."""
    parts: list[tuple[Block, Nested]] = []
    for b in (arm for x in term.bag for arm in _arms(x)):
        out = b.outs[0]
        # 0 adds nothing, whatever it stands for
        if isinstance(out, Lit) and out.value == "0":
            continue
        # 1 for each row is the count of one row
        if isinstance(out, Lit) and out.value == "1":
            out = Nested("agg", "cnt", (Block((), (), ()),), INTEGER)
        if not (isinstance(out, Nested) and out.kind == "agg" and out.name == "cnt"):
            return None
        parts.append((b, out))
    total = aggregate("cnt", _product(parts), INTEGER)
    # a sum of nothing is NULL, a count of nothing is 0
    return case((exists(term.bag), total, null(INTEGER)), INTEGER)


def _arms(b: Block) -> Bag:
    """The block once for each arm of a CASE of constants that it puts out."""
    out = b.outs[0]
    if not (isinstance(out, App) and out.sym == CASE):
        return (b,)
    # only constants are told apart arm by arm, the rest stays within the CASE
    *pairs, default = out.args
    if not all(isinstance(r, Lit) for r in (*pairs[1::2], default)):
        return (b,)
    found: list[Block] = []
    missed: tuple[Term, ...] = ()
    for test, result in zip(pairs[::2], pairs[1::2], strict=True):
        found.extend(block(b.vars, (*b.preds, *missed, test), (result,)))
        missed = (*missed, negate(exists_value(test)))
    found.extend(block(b.vars, (*b.preds, *missed), (default,)))
    # a NULL arm adds nothing
    return tuple(x for x in found if not (isinstance(x.outs[0], Lit) and x.outs[0].value is None))


def _flatten_numeric(term: Nested) -> Term | None:
    """A numeric sum of exact integers is an exact integer."""
    blocks: list[Block] = []
    for b in term.bag:
        out = b.outs[0]
        # numeric sums of what are integers are integers made numeric
        if isinstance(out, App) and out.sym == TO_NUMERIC:
            blocks.append(replace(b, outs=(out.args[0],)))
        elif isinstance(out, Lit) and out.value is None:
            blocks.append(replace(b, outs=(null(INTEGER),)))
        else:
            # one argument that is no integer: only sums of sums are left
            return _flatten_same(term) if term.name == "sum numeric" else None
    total = aggregate("isum", tuple(n for b in blocks for n in block(b.vars, b.preds, b.outs)), INTEGER)
    return _as_numeric(total, term)


def _flatten_weighted(p: Place, b: Block, term: Nested) -> Term | None:
    """A sum of values each times a count: each value as often as there are rows to count. A count of 0 would
    give a 0 to add where there is no row, so each must see at least one.
    """
    ctx = p.beside(b, term)
    blocks: list[Block] = []
    for x in term.bag:
        found = _weighted(x.outs[0])
        if found is None:
            return None
        counted, value = found
        # a count of 0 times a value is 0, and the sum of no rows is NULL
        if not p.engine.entails(ctx.within(x), exists(counted.bag)):
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
