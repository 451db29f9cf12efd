"""A correlated aggregate over the rows that come no later than the outer one, to a running window.

    SELECT s.id, (SELECT sum(p.cost) FROM sale p WHERE p.cust = s.cust AND p.day <= s.day) AS so_far FROM sale
    s -->
    SELECT s.id, sum(s.cost) FILTER (WHERE s.cust IS NOT NULL AND s.day IS NOT NULL)
                             OVER (PARTITION BY s.cust ORDER BY s.day NULLS FIRST) AS so_far FROM sale s

The subquery reads the table (or CTE) that the outer block reads; equalities with the same expression outside
are the partition, one comparison is the order: ``<=`` ends with the current row's peers, ``<`` with the group
before them. Several columns by ``a < x OR (a = x AND b <= y)`` or by rows. Where a key may be NULL the
comparison keeps no row: NULLs come first and are filtered away, so that their frames are empty and nobody
else's are larger. What only the subquery asks of the rows becomes FILTER, what only the outer block asks for
is asked after the window. No sums of floats. WinMagic (Zuzarte et al. 2003) does this for whole partitions.
Hazards 14, M11, M2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Inner, Tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.correlation import aggregate_block
from rewright.rewrite.rules.nearest_row import first_row_block, picked
from rewright.rewrite.rules.rows_before import needed_rows
from rewright.rewrite.rules.running_order import Order, order_of, rolling
from rewright.rewrite.rules.spots import above_groups
from rewright.sql import algebra as a
from rewright.sql.build import derived, function, moved_to, numbered, operator
from rewright.sql.facts import divides, may_differ, order_sensitive
from rewright.sql.types import FLOATS, INT4, INT8
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    has_subquery,
    map_kind,
    references_whole,
    renumber,
    replace_item,
    same_source,
    substitute,
    substitute_around,
    used_rels,
    walk_block,
)

GUARDS = ("peers", "nulls-apart", "later-keys-filled", "filters-after")
# added up from the start of the frame, row by row, without loss
ADDED = frozenset({"sum", "avg"})
# values of the frame's rows, or their number, whatever the order
PICKED = frozenset({"count", "min", "max", "bool_and", "bool_or", "every"})
# the offset that GROUPS takes, as the server writes it: a bigint
_ONE = a.Cast(a.Const("1", INT4), INT8, implicit=True, method="func", func=function("int8", "int4"))
# up to the group before the current one: its peers are equal, and `<` leaves them out
BEFORE = a.Frame("groups", "unbounded_preceding", "preceding", end_offset=_ONE)
Source = a.Scan | a.CteScan


@dataclass(frozen=True, slots=True)
class Running:
    """What a subquery asks of the rows of ``sources``, one or joined, in the outer row's terms."""

    sources: tuple[Source, ...]
    local: tuple[a.Expr, ...]
    partition: tuple[a.Expr, ...]
    order: Order

    def apart(self, ctx: Context) -> list[a.Expr]:
        """What may be NULL of the partition and the first sort key: such rows have no earlier ones, and are
        none.
        """
        exprs = (*self.partition, self.order.keys[0][0])
        return [e for e in exprs if not _filled(e, self.sources, ctx)]

    def window(self, aggregate: a.Aggregate, done: Sequence[a.Expr], ctx: Context) -> a.WindowCall | None:
        """The window that gives an aggregate of the subquery (already in the outer row's terms). ``done``:
        conditions that are asked of the rows before.
        """
        # in the second column a NULL among filled rows compares as unknown, but sorts somewhere
        if not ctx.holds(
            "later-keys-filled", all(_filled(e, self.sources, ctx) for e, _ in self.order.keys[1:])
        ):
            return None
        # rows with NULL that were dropped before need no FILTER
        apart = [e for e in self.apart(ctx) if a.IsNull(e, negated=True) not in done]
        asked: list[a.Expr] = [] if apart and ctx.holds("nulls-apart", False) else not_null(apart)
        asked += [p for p in self.local if p not in done]
        asked += [aggregate.filter] if aggregate.filter is not None else []
        if asked and aggregate.func.kind == "w":
            return None  # a row of the frame has no FILTER
        keys = [sort_key(e, falling, first=e in apart) for e, falling in self.order.keys]
        strict = self.order.strict and not ctx.holds("peers", not self.order.strict)
        frame = self.order.frame or (BEFORE if strict else a.Frame())
        window = a.Window(self.partition, tuple(k for k in keys if k), frame)
        if None in keys:
            return None
        call = a.WindowCall(aggregate.func, aggregate.args, window, aggregate.type, star=aggregate.star)
        return replace(call, filter=conjoin(dict.fromkeys(asked)))


@rule(
    SELECT.where(reads_tables),
    guards=GUARDS,
    known_as="WinMagic (Zuzarte et al. 2003)",
    priority=86,
    category="join",
)
def running_window(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # padded rows have NULLs where the subquery's own copy has none
    sources = [s for item in block.from_ for s in _kept(item)]
    if not sources or not asked_of_rows(block):
        return
    for source in sources:
        values = _values(block, source)
        if values and not references_whole(block, source.rel):
            made = _windowed(block, source, values, ctx)
            if made is not None:
                yield made


def places(block: a.Select) -> list[a.Expr]:
    keys = [*(k.expr for k in block.order_by), *(k for one in block.group_by or () for k in one)]
    having = [] if block.having is None else [block.having]
    return [
        *(t.expr for t in block.targets),
        *keys,
        *(block.distinct or ()),
        *conjuncts(block.where),
        *having,
    ]


def asked_of_rows(block: a.Select) -> list[a.ScalarSubquery]:
    """The subqueries that a block asks for each of its rows, not those that it asks for each group."""
    nodes = [n for p in places(block) for n in walk_block(p) if isinstance(n, a.ScalarSubquery)]
    # asked of groups, the window would have to be over groups
    late = above_groups(block)
    return [n for n in dict.fromkeys(nodes) if n not in late]


def _kept(item: a.FromItem) -> Iterator[Source]:
    """Tables whose rows no join pads with NULLs."""
    match item:
        case a.Scan() | a.CteScan():
            yield item
        case a.Join(kind="inner" | "left"):
            yield from _kept(item.left)
            # below a LEFT JOIN's right side rows are padded
            yield from _kept(item.right) if item.kind == "inner" else ()


# --------------------------------------------------------------------------- what a subquery asks for

_Values = dict[a.ScalarSubquery, tuple[Running, a.Expr]]


def _values(block: a.Select, source: Source) -> _Values:
    """The subqueries that look at earlier rows of ``source``, with their targets in the outer row's terms."""
    found: _Values = {}
    for node in asked_of_rows(block):
        # not correlated with this table: cheap to see before it is taken apart
        inner = running_block(node.query) if source.rel in free_rels(node.query) else None
        running = running_rows(inner, source) if inner is not None else None
        if inner is None or running is None:
            continue
        target = shown_of(inner, running, dict.fromkeys(inner.rels, source.rel))
        if target is not None:
            found[node] = (running, target)
    return found


def running_block(query: a.Query) -> Inner | None:
    """The parts of a subquery that aggregates rows, or shows the first of them."""
    return aggregate_block(query) or first_row_block(query)


def shown_of(inner: Inner, running: Running, twins: Mapping[int, int]) -> a.Expr | None:
    """What the subquery shows, in the outer row's terms; None where it is not known of a growing frame."""
    if inner.select.group_by is None:
        # of the frames by distance the first row may be the current one's peer
        return None if running.order.frame is not None else picked(inner.select, running.order.keys, twins)
    target = inner.select.targets[0].expr
    return renumber(target, twins) if adds_up(target) else None


def adds_up(target: a.Expr) -> bool:
    """Whether the aggregates of an expression can be taken of a growing frame, to the last digit."""
    # divided by what only a whole frame has, it might divide by zero of a partial one
    if divides(target) or has_subquery(target):
        return False
    return all(_exact(n) for n in walk_block(target) if isinstance(n, a.Aggregate))


def _exact(n: a.Aggregate) -> bool:
    if n.distinct or order_sensitive(n):
        return False
    floats = any(x.type.name in FLOATS for x in n.args)
    # the floats' order of addition differs from the subquery's
    return n.func.name in PICKED or (n.func.name in ADDED and not floats)


def running_rows(inner: Inner, source: Source) -> Running | None:
    """A subquery over a copy of ``source`` that is tied to it by its own expressions and one order, or by a
    distance along it.
    """
    if len(inner.items) != 1 or not same_source(inner.items[0], source):
        return None
    return running_rows_of(inner, dict.fromkeys(inner.rels, source.rel), (source,))


def running_rows_of(inner: Inner, twins: dict[int, int], sources: tuple[Source, ...]) -> Running | None:
    """A subquery over copies of ``sources``; ``twins``: which copy is whose."""
    # tied by equality only, all tied rows are one value: the window of a partition, decorrelate_window's
    if not inner.others:
        return None
    partition = tuple(_image(t, twins) for t in inner.ties)
    one = len(inner.others) == 1
    # two conditions are the two ends of a distance
    order = order_of(inner.others[0], inner.rels, twins) if one else rolling(inner.others, inner.rels, twins)
    local = tuple(renumber(p, twins) for p in inner.local)
    # a tie with another expression outside (`p.cust = s.seller`) is no partition of these rows
    if order is None or None in partition or any(has_subquery(p) for p in local):
        return None
    return Running(sources, local, tuple(p for p in dict.fromkeys(partition) if p), order)


def _image(tie: Tie, twins: dict[int, int]) -> a.Expr | None:
    return renumber(tie.key, twins) if renumber(tie.inner, twins) == tie.outer and tie.symmetric else None


# --------------------------------------------------------------------------- windows


def sort_key(expr: a.Expr, falling: bool, *, first: bool) -> a.SortKey | None:
    """``first``: NULLs are, else they stand where the server puts them."""
    op = operator(">" if falling else "<", expr.type, expr.type)
    # falling, the server puts NULLs first by itself, and that stays
    return None if op is None else a.SortKey(expr, falling, first or falling, op)


def _filled(expr: a.Expr, sources: Sequence[Source], ctx: Context) -> bool:
    # a varchar as text has the NULLs of the varchar
    if isinstance(expr, a.Cast) and expr.method == "binary":
        expr = expr.arg
    return isinstance(expr, a.Column) and any(
        ctx.column_filled(source, expr.pos) for source in sources if source.rel == expr.rel
    )


def not_null(exprs: Sequence[a.Expr]) -> list[a.Expr]:
    return [a.IsNull(e, negated=True) for e in exprs]


def _windowed(block: a.Select, source: Source, values: _Values, ctx: Context) -> Rewrite | None:
    if may_differ(block):
        return None
    preds = as_product(block)[1]
    # a row with NULL in a key is in nobody's frame: where the block drops it, it goes before
    asked = [
        (running.order, {*running.local, *not_null(running.apart(ctx))}) for running, _ in values.values()
    ]
    # conditions that the shown rows and all before them meet may be asked first
    shared = needed_rows([p for p in preds if used_rels(p) <= {source.rel}], asked)
    # no other condition, table, group or cut: the windows may stand in the block itself
    alone = ctx.holds("filters-after", {*preds} == {*shared}) and block.from_ == (source,)
    alone = (
        alone
        and block.group_by is None
        # WHERE cannot hold a window
        and not any(isinstance(n, a.ScalarSubquery) and n in values for p in preds for n in walk_block(p))
    )
    calls: dict[a.WindowCall, None] = {}
    exprs: dict[a.ScalarSubquery, a.Expr] = {}
    for node, (running, target) in values.items():
        expr = over_rows(target, running, shared, ctx)
        if expr is None:
            return None
        exprs[node] = expr
        calls |= dict.fromkeys(n for n in walk_block(expr) if isinstance(n, a.WindowCall))
    made = _put(block, exprs) if alone else _below(block, source, shared, exprs, list(calls), ctx)
    why = "each row's subquery reads the rows that come before it: a running window"
    return Rewrite(made, why, literal=any(p not in preds for p in shared))


def over_rows(target: a.Expr, running: Running, done: Sequence[a.Expr], ctx: Context) -> a.Expr | None:
    """An expression over aggregates as one over windows. ``done``: conditions that are asked of the rows
    before.
    """
    calls: dict[a.Aggregate, a.WindowCall] = {}
    for n in walk_block(target):
        if isinstance(n, a.Aggregate):
            call = running.window(n, done, ctx)
            if call is None:
                return None
            calls[n] = call

    return map_kind(target, a.Aggregate, calls.__getitem__)


def _put(block: a.Select, exprs: dict[a.ScalarSubquery, a.Expr]) -> a.Select:
    """The block with its own subqueries replaced; copies further in stay as they are."""
    return map_kind(block, a.ScalarSubquery, lambda n: exprs.get(n, n))


def _below(
    block: a.Select,
    source: Source,
    shared: list[a.Expr],
    exprs: dict[a.ScalarSubquery, a.Expr],
    calls: list[a.WindowCall],
    ctx: Context,
) -> a.Select:
    """The windows over the table in a derived table that stands for it."""
    marks = {c: a.Column(-1, i, c.type, f"run{i + 1}") for i, c in enumerate(calls)}
    marked = {node: map_kind(e, a.WindowCall, lambda n: marks.get(n, n)) for node, e in exprs.items()}
    rest = _less(_put(block, marked), shared)
    shown = columns_used((rest,), {source.rel})
    values = tuple(a.Target(marks[c].name, c) for c in calls)
    query = a.Select((*numbered("c", shown), *values), (source,), conjoin(shared))
    below, columns = derived(ctx.fresh(), "running", query)
    mapping = moved_to((*shown, *marks.values()), columns)
    # what else is joined reads the table's columns from the windows' table, which stays as it is inside
    swapped = (replace_item(item, source, below) for item in rest.from_)
    from_ = tuple(substitute_around(item, below, mapping) for item in swapped)
    return replace(substitute(replace(rest, from_=()), mapping), from_=from_)


def _less(block: a.Select, gone: list[a.Expr]) -> a.Select:
    """The block without conditions that are asked for further in."""

    def item(n: a.FromItem) -> a.FromItem:
        # conditions of outer joins pad rows, they stay
        if not isinstance(n, a.Join) or n.kind != "inner":
            return n
        on = conjoin(p for p in conjuncts(n.on) if p not in gone)
        return replace(n, left=item(n.left), right=item(n.right), on=on)

    where = conjoin(p for p in conjuncts(block.where) if p not in gone)
    return replace(block, from_=tuple(item(i) for i in block.from_), where=where)
