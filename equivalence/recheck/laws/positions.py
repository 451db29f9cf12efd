"""Laws on positions: the rows that LIMIT keeps, ranks and rows nearby as EXISTS and counts of the rows that
come before.

Must not know the other laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.prover.bags import aggregate, block, subst_block, the
from rewright.equivalence.prover.build import app, integer, not_null
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.fresh import fresh, fresh_copy
from rewright.equivalence.prover.positions import (
    WindowName,
    before,
    extreme_name,
    labels,
    read_window,
    reversed_label,
)
from rewright.equivalence.prover.symbols import LE, LT, identity, one_representation
from rewright.equivalence.prover.terms import (
    INTEGER,
    TRUE,
    App,
    Bag,
    Block,
    Distinct,
    Limited,
    Lit,
    Nested,
    Row,
    Term,
    Var,
    free_vars,
    walk_shallow,
)
from rewright.equivalence.recheck.laws.stating import Bindings, Condition, Follows, Instance, NoRowTwice
from rewright.equivalence.recheck.places import Place, pick, spliced, values_in, with_value, without_value
from rewright.sql.types import BOOL, SqlType

_ONE_ROW = Block((), (), ())
_ARRAY = "array_agg anynonarray "


def _total(ctx: Context, bag: Bag, keys: slice) -> Condition:
    """No two rows tie on the outputs ``keys``."""
    return NoRowTwice(ctx, tuple(replace(b, outs=b.outs[keys]) for b in bag))


def first_rows(p: Place, at: Bindings) -> Iterator[Instance]:
    """Of rows in a total order LIMIT n OFFSET m keeps those of which m < 1 + count{rows before} ≤ m + n; WITH
    TIES in any order. Bindings: block, row.
    """
    i, n = at
    b = pick(p.bag, i)
    v, source = pick(b.vars, n)
    # without keys any rows are kept; DISTINCT ON keeps one of each group
    if not isinstance(source, Limited) or source.on or not source.keys or not source.bag:
        return
    skipped, kept = _count(source.offset), _count(source.limit)
    # OFFSET may cut through a group of ties that WITH TIES would keep
    if skipped is None or (kept is None and source.limit is not None) or (source.ties and skipped):
        return
    if any(Row(v) in set(walk_shallow(t)) for t in (*b.preds, *b.outs)):
        return
    others = Block(
        tuple(x for x in b.vars if x[0] != v), tuple(q for q in b.preds if v not in free_vars(q)), ()
    )
    keys = slice(len(source.bag[0].outs) - len(source.keys), None)
    result: list[Block] = []
    for inner in fresh_copy(source.bag):
        place = _place(source, inner.outs[keys], keys)
        if place is None:
            return
        bounds = [app(LT, (integer(skipped), place), BOOL)] if skipped else []
        if source.limit is not None and kept is not None:
            bounds.append(app(LE, (place, integer(skipped + kept)), BOOL))

        def env(t: Term, row: Block = inner) -> Term | None:
            return row.outs[t.pos] if isinstance(t, Var) and t.var == v else None

        for r in subst_block(replace(b, vars=others.vars), env):
            result += block((*r.vars, *inner.vars), (*r.preds, *inner.preds, *bounds), r.outs)
    # WITH TIES keeps the same rows in any order that the ties have
    needs = () if source.ties else (_total(p.ctx.within(others), source.bag, keys),)
    yield Instance(spliced(p.bag, i, tuple(result)), needs)


def _count(end: Term | None) -> int | None:
    """The number of rows that LIMIT or OFFSET says; 0 where there is none."""
    if end is None:
        return 0
    return int(end.value) if isinstance(end, Lit) and end.value is not None and end.value.isdigit() else None


def _place(source: Limited, mine: tuple[Term, ...], keys: slice) -> Term | None:
    """One more than the count of the rows that come before the one with these keys."""
    counted: list[Block] = [_ONE_ROW]
    for other in fresh_copy(source.bag):
        earlier = before(tuple(zip(source.keys, other.outs[keys], mine, strict=True)))
        if earlier is None:
            return None
        counted += block(other.vars, (*other.preds, earlier), ())
    return aggregate("cnt", tuple(counted), INTEGER)


def dense_rank(p: Place, at: Bindings) -> Iterator[Instance]:
    """The dense rank of a row is one more than the count of the different keys that come before. Bindings:
    block, value.
    """
    i, n = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    name = read_window(value.name) if value.kind == "win" else None
    if name is None or name.func != "dense_rank" or len(value.bag) != 1 or not name.keys:
        return
    (rows,) = fresh_copy(value.bag)
    own = rows.outs[: len(name.keys)]
    earlier = before(tuple(zip(name.keys, rows.outs, value.args, strict=False)))
    # different keys are counted by what they are, so that equal ones must look alike
    if earlier is not None and all(one_representation(k.type) for k in own):
        keys = Distinct(block(rows.vars, (*rows.preds, earlier), own))
        counted = (_ONE_ROW, *block(((fresh(), keys),), (), ()))
        yield Instance(spliced(p.bag, i, with_value(b, value, aggregate("cnt", counted, INTEGER))))


# --------------------------------------------------------------------------- rows nearby


def nearest_row(p: Place, at: Bindings) -> Iterator[Instance]:
    """In a total order lag, lead, first_value, last_value and nth_value(…, 1) are the value of the first row
    on their side, as a scalar subquery; of the sort key itself the minimum or maximum, where no NULL comes
    first. Bindings: block, value.
    """
    i, n = at
    b = pick(p.bag, i)
    value = pick(values_in(b), n)
    name = read_window(value.name) if value.kind == "win" else None
    found = _read(name, value) if name is not None and len(value.bag) == 1 and name.keys else None
    if found is None or name is None:
        return
    keys, side = found
    ctx = without_value(p.ctx, b, value)
    for new, needs in (*_as_extreme(ctx, value, keys, side), *_as_first(ctx, value, name, keys, side)):
        yield Instance(spliced(p.bag, i, with_value(b, value, new)), needs)


_Value = tuple[Term, tuple[Condition, ...]]


def _read(name: WindowName, value: Nested) -> tuple[tuple[str, ...], str] | None:
    """In which order the row that is read is the first, and of those on which side of the current one; "": of
    all.
    """
    (rows,) = value.bag
    number = rows.outs[len(name.keys) + 1 :][:1]
    back = tuple(map(reversed_label, name.keys))
    if name.func in {"lag", "lead"}:
        once = name.types == ("anyelement",) or (
            name.types == ("anyelement", "int4") and number == (integer(1),)
        )
        # a distance of two, or a default, is not the nearest row
        if not once:
            return None
        return (back, "before") if name.func == "lag" else (name.keys, "after")
    if name.exclude:
        return None
    start, end = name.start == "unbounded_preceding", name.end == "unbounded_following"
    if name.mode in {"rows", "groups"}:
        # a frame that ends with the row before this one, or begins with the next
        if name.func == "last_value" and start and name.end == "preceding_1":
            return back, "before"
        if name.func == "first_value" and end and name.start == "following_1":
            return name.keys, "after"
    first = name.func == "first_value" or (name.func == "nth_value" and number == (integer(1),))
    if first and start and (end or name.end == "current"):
        return name.keys, ""
    if name.func == "last_value" and end and (start or name.start == "current"):
        return back, ""
    return None


def _as_extreme(ctx: Context, value: Nested, keys: tuple[str, ...], side: str) -> Iterator[_Value]:
    (row,) = value.bag
    key = row.outs[0]
    name = extreme_name(keys[0], key.type)
    # another column than the key belongs to a row, not to the order
    if side or row.outs[len(keys)] != key or name is None or not identity(key.type):
        return
    rows = tuple(
        m for x in fresh_copy(value.bag) for m in block(x.vars, (*x.preds, not_null(x.outs[0])), x.outs[:1])
    )
    last = " nulls last" in keys[0]
    yield aggregate(name, rows, value.type), () if last else (Follows(ctx.within(row), not_null(key)),)


def _as_first(
    ctx: Context, value: Nested, name: WindowName, keys: tuple[str, ...], side: str
) -> Iterator[_Value]:
    count = len(name.keys)
    (row,) = fresh_copy(value.bag)
    pairs = {"before": (row.outs, value.args), "after": (value.args, row.outs)}.get(side)
    there = TRUE if pairs is None else before(tuple(zip(name.keys, *pairs, strict=False)))
    if there is not None:
        rows = block(row.vars, (*row.preds, there), (row.outs[count], *row.outs[:count]))
        yield _first(rows, keys, value.type), (_total(ctx, value.bag, slice(count)),)


def _first(rows: Bag, keys: tuple[str, ...], type_: SqlType) -> Term:
    """The first output of the first of the rows, which end with their sort keys."""
    if not rows:
        return the((), type_)
    v = fresh()
    source = Limited(rows, keys, integer(1), None)
    return the(block(((v, source),), (), (Var(v, 0, rows[0].outs[0].type),)), type_)


def first_of_array(p: Place, at: Bindings) -> Iterator[Instance]:
    """(array_agg(x ORDER BY k))[1] is (SELECT x ORDER BY k LIMIT 1) in a total order. Bindings: block,
    subscript.
    """
    i, n = at
    b = pick(p.bag, i)
    term = pick(_subscripts(b), n)
    array, index = term.args
    if not isinstance(array, Nested) or array.kind != "agg" or index != integer(1) or len(array.bag) != 1:
        return
    keys = labels(array.name.removeprefix(_ARRAY)) if array.name.startswith(_ARRAY) else None
    if keys:
        end = slice(len(array.bag[0].outs) - len(keys), None)
        rows = tuple(replace(x, outs=(x.outs[0], *x.outs[end])) for x in fresh_copy(array.bag))
        after = with_value(b, term, _first(rows, keys, term.type))
        yield Instance(spliced(p.bag, i, after), (_total(without_value(p.ctx, b, term), array.bag, end),))


def _subscripts(b: Block) -> list[App]:
    found = (t for x in (*b.preds, *b.outs) for t in walk_shallow(x))
    elements = (t for t in found if isinstance(t, App) and t.sym.name == "subscript" and len(t.args) == 2)
    return list(dict.fromkeys(elements))
