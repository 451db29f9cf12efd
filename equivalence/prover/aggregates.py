"""Aggregate and window calls as functions of bags.

Owns which aggregate is which function, and what a window frame makes of the rows of a partition. Must not
know schema facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rewright.sql import algebra as a
from rewright.sql.facts.aggregates import WITHIN_GROUP
from rewright.sql.facts.guards import NOTHING
from rewright.sql.types import FLOATS, VARCHAR, SqlType
from rewright.sql.walk import all_exprs_of_query

from .bags import NULL_ON_EMPTY, aggregate, block, count, sum_of, with_not_null
from .build import app
from .described import describe
from .frames import within
from .nullkeys import without_null_keys
from .ordered_sets import of_sorted_values
from .positions import BY_VALUE, ORDER_SENSITIVE, read_window
from .raising import plain_name, raised_by, rows_in_full
from .symbols import INTS, TO_NUMERIC, arithmetic, domain
from .terms import (
    App,
    Bag,
    Block,
    Distinct,
    Lit,
    Nested,
    Row,
    Table,
    Term,
    Var,
    source_types,
)
from .translated import Raising, Rows, Scope, Unsupported, sort_label

if TYPE_CHECKING:
    from .scoped import Scoped

KNOWN = NULL_ON_EMPTY | {"count", "regr_count", "array_agg", "json_agg", "jsonb_agg"}
EXACT = INTS | {"numeric"}


@dataclass(frozen=True, slots=True)
class Spec:
    """What is aggregated: the function, its arguments' types, DISTINCT, how the rows are sorted, and which
    ``fraction`` of sorted values is asked for.
    """

    func: a.FunctionRef
    type: SqlType
    star: bool
    distinct: bool
    sort: tuple[str, ...] = ()
    fraction: str = ""


def aggregate_term(t: Scoped, e: a.Aggregate) -> Term:
    """An aggregate of the scope's group."""
    # an aggregate in WHERE or in another's arguments
    if t.scope.body is None:
        raise Unsupported("aggregate out of place")
    fraction = ""
    if e.direct or e.func.name in WITHIN_GROUP:
        e, fraction = of_sorted_values(e)
    else:
        e = replace(e, order_by=without_null_keys(e.order_by))
    with t.to.among_rows(t.scope.before):
        return _of_group(t, e, t.scope.body, fraction)


def _of_group(
    t: Scoped, e: a.Aggregate, body: tuple[tuple[Rows, ...], tuple[a.Expr, ...]], fraction: str
) -> Term:
    """An aggregate of the scope's group; ``body``: its rows and keys."""
    rows, keys = body
    # the aggregate's rows are those of the group, each equal in all grouping keys
    values = [v for _, v in t.scope.groups[: len(keys)]]
    blocks: list[Block] = []
    for r in rows:
        inner = t.over(Scope(r.env))
        tied = list(zip(keys, values, strict=True))
        with t.to.with_known(t.to.inside, NOTHING):
            ties = tuple(t.to.alike(inner.term(k), v) for k, v in tied)
        met = t.to.met()
        with t.to.with_known(NOTHING, NOTHING):
            kept = (inner.term(e.filter),) if e.filter is not None else ()
        t.to.asked_of_rows(met)
        # what the filter says is known of the rows that are read
        read = t.to.inside if e.filter is None else t.to.inside.where(e.filter)
        met = t.to.met()
        with t.to.with_known(read, NOTHING):
            outs = (*(inner.term(x) for x in e.args), *(inner.term(k.expr) for k in e.order_by))
        t.to.asked_of_rows(met, outs[: len(e.args)])
        # the filter does not keep a subquery in FROM from computing its outputs of all rows
        if kept:
            t.to.made_whole(met)
        blocks.extend(block(r.vars, (*r.preds, *ties, *kept), outs))
    sort = tuple(sort_label(k, k.expr.type.collation) for k in e.order_by)
    spec = Spec(e.func, e.type, e.star, e.distinct, sort, fraction)
    remember(t, spec, tuple(blocks), keys=values)
    return make_aggregate(t, spec, t.to.copy(tuple(blocks)))


def remember(
    t: Scoped, spec: Spec, bag: Bag, *, keys: Sequence[Term], name: str = "", raises: bool = False
) -> None:
    """M21: note an aggregate or window function of the bag's outputs (sort keys last) that may raise an
    error, or ``raises`` one whatever it is.
    """
    width = len(spec.func.arg_types)
    args = [o for b in bag for o in b.outs[:width]]
    # frames by intervals raise for moments too late, whatever the aggregate does
    kind = "errors" if raises else raised_by(spec.func, args, t.to.sources)
    if not kind or not bag:
        # of no rows nothing is aggregated
        return
    plain = plain_name(name or _name(spec, spec.func.name), args, t.to.sources)
    by = tuple(describe(k, t.to.sources) for k in keys)
    rows = rows_in_full(bag, t.to.sources)
    t.to.raising.append(Raising(kind, plain, by, rows, t.to.before, t.to.sites, t.to.within))


def make_aggregate(t: Scoped, spec: Spec, bag: Bag) -> Term:
    """The aggregate's normal form over a bag of its arguments (sort keys last)."""
    name = spec.func.name
    if not spec.func.is_builtin or name not in KNOWN:
        raise Unsupported(f"aggregate {name}()")
    argument_type = spec.func.arg_types[0] if spec.func.arg_types else ""
    strict = name in NULL_ON_EMPTY or name == "count"
    if name in ORDER_SENSITIVE:
        if not spec.sort:
            # without an order of its own array_agg shows the rows as the plan has them
            t.to.loose.add("tie-order")  # of sorted ones see `failures.orders`
    elif spec.sort:
        # an order decides nothing for sum, and is dropped
        bag = tuple(Block(b.vars, b.preds, b.outs[: len(b.outs) - len(spec.sort)]) for b in bag)
    # what is NULL is skipped: as a condition, so that two spellings of it are one
    if strict and not spec.star and bag and name not in {"count", "sum"}:
        bag = with_not_null(bag, 0)
    # regr_count(y, x) counts the rows in which neither is NULL
    if name == "regr_count" and not spec.distinct:
        return count(with_not_null(bag, 1), 0)
    # count(DISTINCT (a, b)) goes by both columns
    if spec.distinct and name == "count":
        bag = _columns_of_rows(bag)
    if spec.distinct and name not in {"string_agg", "regr_count"}:
        if spec.sort and name in ORDER_SENSITIVE:
            raise Unsupported("sorted aggregate of distinct values")
        shown = len(bag[0].outs) if bag else 0
        bag = t.to.distinct(with_not_null(bag, 0) if strict and shown == 1 else bag)
    elif spec.distinct:
        raise Unsupported(f"{name} of distinct values")
    if name == "count":
        # count((a, b)) of a row counts all rows
        values = not spec.star and bool(bag) and len(bag[0].outs) == 1
        return count(bag, 0 if values else None)
    if name == "sum" and argument_type in INTS:
        return sum_of(bag, spec.type)
    if name == "sum":
        bag = with_not_null(bag, 0) if bag else bag
    # a sorted value, or what lies between two of them, is not added up
    if argument_type in FLOATS and name not in {"min", "max"} | WITHIN_GROUP:
        t.to.loose.add("float-order")
    if name == "avg" and t.to.quotients and argument_type in EXACT:
        return _quotient(t, spec, bag)
    return aggregate(_name(spec, name), bag, spec.type)


def _columns_of_rows(bag: Bag) -> Bag:
    """Rows as values by their columns, which tell them apart as DISTINCT does; a row is never NULL."""
    # rows of different shapes are not compared column by column
    if len({o.sym for b in bag for o in b.outs if isinstance(o, App)}) != 1:
        return bag
    if not all(len(b.outs) == 1 and _is_row(b.outs[0]) for b in bag):
        return bag
    return tuple(replace(b, outs=o.args) for b in bag for o in b.outs if isinstance(o, App))


def _is_row(term: Term) -> bool:
    """Whether a term is a row of which each column is compared by its type's own equality."""
    return (
        isinstance(term, App) and term.sym.name.startswith("row ") and all(domain(x.type) for x in term.args)
    )


def _quotient(t: Scoped, spec: Spec, bag: Bag) -> Term:
    """An average of exact numbers, which the server computes as their sum divided by their number
    (numeric_avg, int8_avg), by numeric division. There is no number to divide where there is none to divide
    by.
    """
    number = spec.func.arg_types[0]
    total = sum_of(bag, spec.type) if number in INTS else aggregate("sum numeric", bag, spec.type)
    counted = app(TO_NUMERIC, (count(t.to.copy(bag), 0 if bag else None),), spec.type)
    return app(arithmetic("/", "numeric", "numeric", "numeric"), (total, counted), spec.type)


def averages(query: a.Query) -> int:
    """How many averages of exact numbers a query asks for."""
    return sum(
        isinstance(e, a.Aggregate | a.WindowCall)
        and e.func.is_builtin
        and e.func.name == "avg"
        and e.func.arg_types[0] in EXACT
        for e in all_exprs_of_query(query)
    )


def _name(spec: Spec, name: str) -> str:
    name = "bool_and" if name == "every" else name
    # text and varchar arguments are one function's
    types = [x for x in spec.func.arg_types if x not in {"text", "varchar"}]
    if name in {"min", "max"}:
        types.append(spec.type.collation)
    if spec.fraction:
        types.append(spec.fraction)
    ordered = spec.sort if name in ORDER_SENSITIVE else ()
    return " ".join((name, ",".join(types), *ordered))


def window_term(t: Scoped, e: a.WindowCall) -> Term:
    """A window call: an aggregate over the partition where that is what it is, else a function of the row."""
    # WHERE sum(x) OVER () > 1
    if t.scope.windows is None:
        raise Unsupported("window call out of place")
    if e.ignore_nulls:
        raise Unsupported("IGNORE NULLS")
    # with a distance RANGE takes a single key: what the server refuses must not be read as another order
    if e.window.frame.start_offset is None and e.window.frame.end_offset is None:
        e = replace(e, window=replace(e.window, order_by=without_null_keys(e.window.order_by)))
    with t.to.with_known(NOTHING, NOTHING):
        return _window_term(t, e)


def _window_term(t: Scoped, e: a.WindowCall) -> Term:
    whole = _whole_partition(e.window)
    spec = Spec(e.func, e.type, e.star, distinct=False)
    if e.func.kind == "a" and whole:
        _remember_window(t, e, spec)
        # over the whole partition the order does not matter
        return make_aggregate(t, spec, _partition(t, e, e.args))
    if e.func.kind == "a" and (running := _running(t, e)) is not None:
        _remember_window(t, e, spec)
        return make_aggregate(t, spec, running)
    return _by_position(t, e)


def _remember_window(t: Scoped, e: a.WindowCall, spec: Spec, name: str = "", *, raises: bool = False) -> None:
    """A window function reads all rows of its SELECT. ``raises``: so may its frame."""
    assert t.scope.windows is not None
    blocks: list[Block] = []
    for r, scope in t.scope.windows():
        inner = t.over(scope)
        exprs = (*e.args, *e.window.partition_by, *(k.expr for k in e.window.order_by))
        filters = (inner.term(e.filter),) if e.filter is not None else ()
        blocks.append(Block(r.vars, (*r.preds, *filters), tuple(inner.term(x) for x in exprs)))
    frame = Lit(repr(replace(e.window.frame, start_offset=None, end_offset=None)), VARCHAR)
    keys = (*blocks[0].outs[len(e.args) :], frame) if blocks else ()
    remember(t, spec, tuple(blocks), keys=keys, name=name, raises=raises)


def _running(t: Scoped, e: a.WindowCall) -> Bag | None:
    """The rows of the partition that the current row's frame holds; None where it or the order is not
    read.
    """
    order = e.window.order_by
    # only aggregates of which it does not matter in which order the frame's rows come
    if not e.func.is_builtin or e.func.name not in KNOWN - ORDER_SENSITIVE:
        return None
    current = [t.term(k.expr) for k in order]
    labels = [sort_label(k, k.expr.type.collation) for k in order]
    found: list[Block] = []
    for b in _partition(t, e, (*(k.expr for k in order), *e.args)):
        keys = tuple(zip(labels, b.outs[: len(order)], current, strict=True))
        tests = within(e.window.frame, keys)
        # a frame of rows is not told by values
        if tests is None:
            return None
        found.extend(block(b.vars, (*b.preds, *tests), b.outs[len(order) :]))
    return tuple(found)


def _bound(kind: str, offset: a.Expr | None) -> str:
    """One end of a frame as it is named."""
    if offset is None:
        return kind
    number = offset.arg if isinstance(offset, a.Cast) else offset
    # an interval is written into the name: the same text is the same distance
    if _is_span(offset) and isinstance(number, a.Const):
        return f"{kind}_interval_{str(number.value).encode().hex()}"
    # a negative distance is an error where there are rows, and so may be others than numbers of rows
    if not isinstance(number, a.Const) or number.type.name not in INTS or not str(number.value).isdigit():
        raise Unsupported("frame offset")
    return f"{kind}_{number.value}"


def _is_span(offset: a.Expr) -> bool:
    """Whether a distance is an interval as text: each session reads it in one way, and it raises where it is
    negative, or where moments leave their type.
    """
    text = offset.arg if isinstance(offset, a.Cast) else offset
    plain = isinstance(text, a.Const) and text.value is not None and text.type.name in {"unknown", "interval"}
    return plain and offset.type.is_builtin and offset.type.name == "interval" and offset.type.typmod == -1


def _whole_partition(window: a.Window) -> bool:
    frame = window.frame
    if frame.exclude:
        # without ORDER BY the default frame is the whole partition, all rows being peers
        return False
    unbounded = frame.start == "unbounded_preceding" and frame.end == "unbounded_following"
    return unbounded or (not window.order_by and frame == a.Frame())


def _partition(t: Scoped, e: a.WindowCall, outs: tuple[a.Expr, ...], rows: bool = False) -> Bag:
    """The rows of the current row's partition, with ``outs``."""
    assert t.scope.windows is not None
    blocks: list[Block] = []
    for r, scope in t.scope.windows():
        inner, met = t.over(scope), t.to.met()
        kept = (inner.term(e.filter),) if e.filter is not None else ()
        keys = tuple(inner.term(p) for p in e.window.partition_by)
        identity = _identity(r.vars) if rows else ()
        values = [inner.term(x) for x in outs]
        # what is shown for a row may be looked at no more
        t.to.asked_of_rows(met, [v for x, v in zip(outs, values, strict=True) if x in e.args])
        shown = (*values, *identity)
        blocks.extend(block(r.vars, (*r.preds, *kept), (*keys, *shown)))
    # the rows looked at are others than the current one: new variables first, then the tie between them
    current = [t.term(p) for p in e.window.partition_by]
    return tuple(n for b in t.to.copy(tuple(blocks)) for n in _tied(t, b, current))


def _tied(t: Scoped, b: Block, current: list[Term]) -> Bag:
    """The rows whose first outputs are not distinct from ``current``, without those outputs."""
    k = len(current)
    ties = tuple(t.to.alike(x, v) for x, v in zip(b.outs[:k], current, strict=True))
    return block(b.vars, (*b.preds, *ties), b.outs[k:])


def _identity(vars_: tuple[tuple[int, object], ...]) -> tuple[Term, ...]:
    found: list[Term] = []
    for v, source in vars_:
        if isinstance(source, Distinct):
            found += [Var(v, i, type_) for i, type_ in enumerate(source_types(source))]
        elif isinstance(source, Table):
            found.append(Row(v))
        else:
            # rows of LIMIT and functions have no identity that could be compared
            raise Unsupported("window over such rows")
    return tuple(found)


def _by_position(t: Scoped, e: a.WindowCall) -> Term:
    """A function of the partition's sorted rows and the current one."""
    assert t.scope.windows is not None
    if e.filter is not None:
        raise Unsupported("FILTER in a window")
    if not e.func.is_builtin:
        raise Unsupported(f"aggregate {e.func.name}()")
    frame = e.window.frame
    start, end = _bound(frame.start, frame.start_offset), _bound(frame.end, frame.end_offset)
    order = e.window.order_by
    # rank() and running sums over RANGE are the same for peers; others depend on the row itself
    by_value = frame.mode == "range" and not frame.exclude and (e.func.kind == "a" or e.func.name in BY_VALUE)
    if e.func.kind == "a" and e.func.name in ORDER_SENSITIVE:
        by_value = False
    # windows number the rows of all blocks at once
    if len(t.scope.windows()) != 1:
        raise Unsupported("window over a union")
    if e.func.kind == "a" and e.func.arg_types[:1] in {("float4",), ("float8",)}:
        t.to.loose.add("float-order")
    outs = (*(k.expr for k in order), *e.args)
    bag = _partition(t, e, outs, rows=not by_value)
    # the current row is known by its keys, or by what it is where rows are told apart
    current = tuple(t.term(x) for x in (*(k.expr for k in order), *(() if by_value else e.args)))
    here: tuple[Term, ...] = ()
    if not by_value:
        ((r, _),) = t.scope.windows()
        here = _identity(r.vars)
    sort = " ".join(sort_label(k, k.expr.type.collation) for k in order)
    name = (
        f"{e.func.schema}.{e.func.name}({','.join(e.func.arg_types)}) over {sort} {frame.mode} {start} {end} "
        f"{frame.exclude}"
    )
    # a window whose name is read is judged where its order is known
    if not by_value and read_window(name) is None:
        t.to.loose.add("tie-order")  # of the others see `failures.orders`
    spans = any(x is not None and _is_span(x) for x in (frame.start_offset, frame.end_offset))
    _remember_window(t, e, Spec(e.func, e.type, e.star, distinct=False), name, raises=spans)
    return Nested("win", name, bag, e.type, (*current, *here))
