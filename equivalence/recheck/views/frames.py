"""Window calls over an order without ties, each in one spelling.

Where partition and order tell all rows apart, the peers of a row are the row alone. So a frame counted in
rows is one counted in groups, and where it counts nothing one by value; of its peers nothing is excluded. A
frame of one row before or behind shows what lag or lead does, lead is lag in the other order, and a default
of either is that of COALESCE where what is shown is never NULL and the distance is a number. A frame that a
function does not look at is computed all the same: its distances must be numbers that are not negative. A
count, an exact sum or an extreme of all rows but the current one needs no order, and is given that of a key;
a total less the current row's part is such a sum or count. The share of rows that cume_dist() tells is one
count over another. A count of the rows up to the current one is its number, as are its ranks; one of those
from it on is its number in the other order. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, ascending, function, operator
from rewright.sql.builtins import builtins
from rewright.sql.facts import Assumptions, reads_only
from rewright.sql.facts.assumptions import usable_keys
from rewright.sql.types import FLOAT8, INT4, INT8, equality_is_identity
from rewright.sql.walk import QUERIES, leaves, map_parts

_MIRRORED = {"lag": "lead", "lead": "lag"}
# what does not look at its frame
_BLIND = frozenset({
    "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead",
})  # fmt: skip
# what shows the value of a frame's one row
_SHOWS = frozenset({"min", "max", "first_value", "last_value"})
_MODES: tuple[Literal["range", "rows", "groups"], ...] = ("range", "rows", "groups")
_WHOLE = frozenset({"int2", "int4", "int8"})


def frames(query: a.Query, changes: Changes) -> a.Query:
    def visit(node: Any) -> Any:
        node = map_parts(node, visit)
        return _block(node, changes) if isinstance(node, a.Select) else node

    made: a.Query = visit(query)
    return made


def _block(block: a.Select, changes: Changes) -> a.Select:
    if block.group_by is not None:
        return block

    def visit(node: Any) -> Any:
        if isinstance(node, QUERIES):
            return node
        node = map_parts(node, visit)
        if isinstance(node, a.Op):
            return _less_itself(node, block, changes)
        if not isinstance(node, a.WindowCall):
            return node
        part = _part_of_all(node)
        return _call(node, block, changes) if part is None else _divided(part, block, changes)

    targets = tuple(replace(t, expr=visit(t.expr)) for t in block.targets)
    return replace(block, targets=targets, order_by=tuple(visit(k) for k in block.order_by))


def _call(call: a.WindowCall, block: a.Select, changes: Changes) -> a.Expr:
    if not call.func.is_builtin or call.filter is not None or call.ignore_nulls or (call.star and call.args):
        return call
    if call.func.name in _BLIND and _may_be_left_out(call.window.frame):
        call = replace(call, window=replace(call.window, frame=a.Frame()))
    call = _without_itself(call, block, changes)
    default, call = _default(call, block, changes)
    made = _in_order(call, block, changes)
    return made if default is None else a.Coalesce((made, default), call.type)


def _part_of_all(call: a.WindowCall) -> tuple[a.WindowCall, a.WindowCall] | None:
    """What cume_dist() divides: how many rows come up to the current one or tie with it, and how many are
    there.
    """
    window = call.window
    if call.func.name != "cume_dist" or not call.func.is_builtin or call.ignore_nulls:
        return None
    if not _may_be_left_out(window.frame):
        return None
    rows = next(f for f in builtins().functions("count") if f.args == ()).to_ref()
    upto = a.WindowCall(rows, (), a.Window(window.partition_by, window.order_by), INT8, star=True)
    return upto, replace(upto, window=a.Window(window.partition_by, ()))


def _divided(part: tuple[a.WindowCall, a.WindowCall], block: a.Select, changes: Changes) -> a.Expr:
    """One count over the other, in double precision."""
    over = operator("/", FLOAT8, FLOAT8)
    double = function("float8", "int8")
    assert over is not None
    numbers = [_call(x, block, changes) for x in part]
    return a.Op(over, tuple(a.Cast(x, FLOAT8, method="func", func=double) for x in numbers), FLOAT8)


def _less_itself(minus: a.Op, block: a.Select, changes: Changes) -> a.Expr:
    """What is taken of a whole partition's sum or count for the current row, as that of the rows beside it;
    anything else as it is. Where there are none, their sum is NULL and not 0.
    """
    if minus.op.name != "-" or not minus.op.is_builtin or minus.type != INT8 or len(minus.args) != 2:
        return minus
    whole, own = minus.args
    if not isinstance(whole, a.WindowCall) or not whole.func.is_builtin or whole.filter is not None:
        return minus
    frame = whole.window.frame
    last = frame == a.Frame() or frame in {a.Frame(m, end="unbounded_following") for m in _MODES}
    if whole.window.order_by or not last:
        return minus
    window = replace(whole.window, frame=a.Frame("rows", end="unbounded_following", exclude="current"))
    beside = _without_itself(replace(whole, window=window), block, changes)
    if not beside.window.order_by:
        return minus
    if whole.star and whole.func.name == "count" and own == a.Const("1", INT4):
        return _call(beside, block, changes)
    if whole.func.name != "sum" or whole.func.arg_types[0] not in {"int2", "int4"} or whole.args != (own,):
        return minus
    basis = changes.known.never_null(own, changes.known.nonnull_columns(block), block)
    if basis is None:
        return minus
    changes.rest_on(basis)
    return a.Coalesce((_call(beside, block, changes), a.Const("0", INT8)), INT8)


def _without_itself(call: a.WindowCall, block: a.Select, changes: Changes) -> a.WindowCall:
    """A call over the other rows of the partition, sorted by the first keys of the tables."""
    frame, name = call.window.frame, call.func.name
    whole = (frame.start, frame.end) == ("unbounded_preceding", "unbounded_following")
    sorted_ = any(not reads_only(k.expr, changes.known) for k in call.window.order_by)
    if not whole or frame.exclude != "current" or call.func.kind != "a" or sorted_:
        return call
    exact = all(x.type.is_builtin and x.type.name in {*_WHOLE, "numeric"} for x in call.args)
    alike = all(equality_is_identity(x.type) for x in call.args)
    if not {"count": True, "sum": exact, "avg": exact, "min": alike, "max": alike}.get(name, False):
        return call
    columns: list[a.Expr] = []
    for x in leaves(block.from_):
        if not isinstance(x, a.Scan):
            return call
        key = next((k for k, _ in usable_keys(changes.catalog, x)), None)
        if key is None:
            return call
        told = {c.name: a.Column(x.rel, i, c.type, c.name) for i, c in enumerate(x.columns)}
        columns += [told[c] for c in key.columns]
    order = ascending(columns)
    if not order or changes.known.exprs_determine(block, columns) is None:
        return call
    return replace(call, window=replace(call.window, order_by=order))


def _may_be_left_out(frame: a.Frame) -> bool:
    numbers = [_number(x) for x in (frame.start_offset, frame.end_offset) if x is not None]
    return all(n is not None and n >= 0 for n in numbers)


def _number(x: a.Expr) -> int | None:
    """A whole number that is written out."""
    if isinstance(x, a.Cast) and x.type.name in _WHOLE and x.type.is_builtin:
        x = x.arg
    plain = isinstance(x, a.Const) and x.type.is_builtin and x.type.name in _WHOLE
    if not plain or not isinstance(x, a.Const) or x.value is None:
        return None
    return int(x.value) if abs(int(x.value)) < 1 << 31 else None


def _default(call: a.WindowCall, block: a.Select, changes: Changes) -> tuple[a.Const | None, a.WindowCall]:
    """What lag or lead shows where there is no row, and the call without it."""
    if call.func.name not in _MIRRORED or len(call.args) != 3:
        return None, call
    shown, distance, default = call.args
    known = isinstance(default, a.Const) and default.value is not None
    if not known or not isinstance(default, a.Const) or _number(distance) is None:
        return None, call
    basis = changes.known.never_null(shown, changes.known.nonnull_columns(block), block)
    if basis is None or not shown.type == default.type == call.type:
        return None, call
    changes.rest_on(basis)
    return default, replace(call, func=_named(call.func.name, 2), args=(shown, distance))


def _in_order(call: a.WindowCall, block: a.Select, changes: Changes) -> a.WindowCall:
    """The call over rows that its order tells apart; as it is where it may not."""
    keys = [*call.window.partition_by, *(k.expr for k in call.window.order_by)]
    basis: Assumptions | None = None
    if call.window.order_by:
        basis = changes.known.exprs_determine(block, keys)
    if basis is None:
        return _beyond(call)
    made = _next_key(_numbered(_neighbour(_apart(call))))
    if made != call:
        changes.rest_on(basis)
    return made


def _beyond(call: a.WindowCall) -> a.WindowCall:
    """The key of the next group as the first of all behind it, that of the one before as the last before."""
    frame, keys = call.window.frame, call.window.order_by
    first, last = (None if x is None else _number(x) for x in (frame.start_offset, frame.end_offset))
    one = (first, last) == (1, 1) and frame.mode == "groups" and not frame.exclude
    if not one or frame.start != frame.end or len(keys) != 1:
        return call
    (key,) = keys
    plain = key.op.is_builtin and key.op.left == key.op.right == key.expr.type.name
    if not plain or call.args != (key.expr,) or not equality_is_identity(key.expr.type):
        return call
    # the first of what rises is the least
    wanted = {("<", "following"): "min", (">", "preceding"): "min"}
    wanted |= {("<", "preceding"): "max", (">", "following"): "max"}
    if call.func.kind != "a" or wanted.get((key.op.name, frame.start)) != call.func.name:
        return call
    if frame.start == "following":
        made = replace(frame, end="unbounded_following", end_offset=None)
    else:
        made = replace(frame, start="unbounded_preceding", start_offset=None)
    return replace(call, window=replace(call.window, frame=made))


def _apart(call: a.WindowCall) -> a.WindowCall:
    """Each row a group of its own."""
    frame = call.window.frame
    counted = frame.start_offset is not None or frame.end_offset is not None
    if counted and frame.mode == "range":
        return call
    excluded: Any = {"ties": "", "current": "group"}.get(frame.exclude, frame.exclude)
    mode: Any = "groups" if counted else "range"
    made = replace(frame, mode=mode, exclude=excluded)
    return replace(call, window=replace(call.window, frame=made))


def _numbered(call: a.WindowCall) -> a.WindowCall:
    """What tells the place of a row that ties with no other, as its number."""
    window = call.window
    bounds = window.frame.start, window.frame.end
    counted = call.func.name == "count" and call.func.kind == "a" and call.star
    if call.func.name in {"rank", "dense_rank"} and call.func.kind == "w" and window.frame == a.Frame():
        counted, bounds = True, ("unbounded_preceding", "current")
    if not counted or window.frame.exclude or window.frame.mode != "range":
        return call
    keys: list[a.SortKey | None] = list(window.order_by)
    if bounds == ("current", "unbounded_following"):
        keys = [_turned(k) for k in window.order_by]
    elif bounds != ("unbounded_preceding", "current"):
        return call
    if None in keys:
        return call
    order = tuple(k for k in keys if k is not None)
    return a.WindowCall(_named("row_number", 0), (), a.Window(window.partition_by, order), call.type)


def _neighbour(call: a.WindowCall) -> a.WindowCall:
    """What shows one row at a distance, as lag."""
    found = _distance(call)
    if found is None:
        return call
    rows, keys = found, call.window.order_by
    if rows < 0:
        turned = [_turned(k) for k in keys]
        if None in turned:
            return call
        keys = tuple(k for k in turned if k is not None)
    window = a.Window(call.window.partition_by, keys)
    args = (call.args[0], a.Const(str(abs(rows)), INT4))
    return a.WindowCall(_named("lag", 2), args, window, call.type)


def _next_key(call: a.WindowCall) -> a.WindowCall:
    """What lag shows of the sort key itself: of all rows before, none comes after the last."""
    window = call.window
    if (call.func.name, call.func.kind) != ("lag", "w") or len(window.order_by) != 1:
        return call
    if window.frame != a.Frame():
        return call  # a distance that nobody looks at may still be refused
    (key,) = window.order_by
    step = call.args[1] if len(call.args) == 2 else a.Const("1", INT4)
    if call.args[0] != key.expr or _number(step) != 1 or not key.op.is_builtin:
        return call
    if not key.op.left == key.op.right == key.expr.type.name or not equality_is_identity(key.expr.type):
        return call
    name = {("<", False): "max", (">", True): "min"}.get((key.op.name, key.descending))
    last = None if name is None else aggregate(name, key.expr)
    if last is None or last.type != call.type:
        return call
    one = a.Cast(a.Const("1", INT4), INT8, implicit=True, method="func", func=function("int8", "int4"))
    before = replace(window, frame=a.Frame("groups", end="preceding", end_offset=one))
    return a.WindowCall(last.func, (key.expr,), before, call.type)


def _distance(call: a.WindowCall) -> int | None:
    """How many rows before the current one the call looks, less than none for rows behind it."""
    frame = call.window.frame
    if call.func.name in _MIRRORED and len(call.args) < 3 and frame == a.Frame():
        rows = 1 if len(call.args) == 1 else _number(call.args[1])
        sign = 1 if call.func.name == "lag" else -1
        return None if not rows else sign * rows
    one = frame.mode == "groups" and not frame.exclude and frame.start == frame.end
    if call.func.name not in _SHOWS or not one or len(call.args) != 1:
        return None
    if not call.type.same_base(call.args[0].type) or frame.start_offset is None or frame.end_offset is None:
        return None
    first, last = _number(frame.start_offset), _number(frame.end_offset)
    if first is None or first != last or first < 1:
        return None
    return first if frame.start == "preceding" else -first


def _turned(key: a.SortKey) -> a.SortKey | None:
    name = {"<": ">", ">": "<"}.get(key.op.name, "")
    other = operator(name, key.expr.type, key.expr.type) if name and key.op.is_builtin else None
    if other is None or (other.left, other.right) != (key.op.left, key.op.right):
        return None
    return a.SortKey(key.expr, not key.descending, not key.nulls_first, other)


def _named(name: str, args: int) -> a.FunctionRef:
    wanted = ("anyelement", "int4")[:args]
    return next(f for f in builtins().functions(name) if f.kind == "w" and f.args == wanted).to_ref()
