"""Window calls in one form, where their order leaves no ties: each row of the frame is a group of its own.

    sum(x) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)       is   sum(x) OVER (ORDER BY id)
    max(x) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING)   is   lag(x) OVER (ORDER BY id)
    lead(x, 2) OVER (ORDER BY id)                            is   lag(x, 2) OVER (ORDER BY id DESC)
    lag(id) OVER (ORDER BY id)                               is   the greatest id of all rows before
    lag(x, 1, 0) OVER (…)                                    is   coalesce(lag(x) OVER (…), 0)   where x is
    never NULL
    sum(x) OVER (PARTITION BY g ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)
    is   that over (PARTITION BY g ORDER BY id … EXCLUDE GROUP)
    sum(x) OVER (PARTITION BY g) - x        is   coalesce(the former, 0)   where x is never NULL
    count(*) OVER (ORDER BY id), rank() OVER (ORDER BY id)   are   row_number() OVER (ORDER BY id)
    cume_dist() OVER (ORDER BY x)           is   count(*) OVER (ORDER BY x)::float8 / count(*) OVER ()::float8
    min(x) OVER (ORDER BY x GROUPS BETWEEN 1 FOLLOWING AND 1 FOLLOWING)
    is   that over (ORDER BY x GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), ties or not

ROWS, RANGE and GROUPS are the same only over a key of the partition (hazards 14, M11). A distance that
is NULL shows NULL whatever the default, and a frame that nobody reads is computed, so that its distances must
not be negative or NULL (M7). The order of a whole partition decides nothing about exact sums, counts and
extremes of values that look alike where they are equal: all but the current row are those with another key.
Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, ascending, function, operator
from rewright.sql.builtins import builtins
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumptions, Facts, is_volatile, reads_only
from rewright.sql.facts.assumptions import usable_keys
from rewright.sql.types import FLOAT8, INT4, INT8, equality_is_identity
from rewright.sql.walk import QUERIES, has_window, leaves, map_kind, map_parts

_OTHER = {"lag": "lead", "lead": "lag"}
_ONE_VALUE = frozenset({"first_value", "last_value", "min", "max"})
_ONE = a.Const("1", INT4)
# what they tell of rows that do not tie
_NUMBERS = frozenset({"rank", "dense_rank"})
# all rows before the current one, of those that do not tie
_BEFORE = a.Frame(
    "groups",
    end="preceding",
    end_offset=a.Cast(_ONE, INT8, implicit=True, method="func", func=function("int8", "int4")),
)
_EXACT = frozenset({"int2", "int4", "int8", "numeric"})
_FRAMELESS = frozenset(
    {"lag", "lead", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}
)


def in_one_frame(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its window calls in one form."""
    return _InOneFrame(catalog).form(query)


class _InOneFrame(Walk):
    def block(self, block: a.Select) -> a.Select:
        exprs = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
        if not any(has_window(e) for e in exprs) or is_volatile(block):
            return block

        def visit(node: Any) -> Any:
            if isinstance(node, QUERIES):
                return node
            node = map_parts(node, visit)
            if isinstance(node, a.Op):
                return self._of_others(node, block) or node
            if not isinstance(node, a.WindowCall):
                return node
            shared = _as_share(node)
            return self._call(node, block) if shared is None else map_kind(shared, a.WindowCall, counted)

        def counted(call: a.WindowCall) -> a.Expr:
            return self._call(call, block)

        targets = tuple(replace(t, expr=visit(t.expr)) for t in block.targets)
        return replace(block, targets=targets, order_by=tuple(map(visit, block.order_by)))

    def _call(self, call: a.WindowCall, block: a.Select) -> a.Expr:
        if not call.func.is_builtin or call.filter is not None or call.ignore_nulls:
            return call
        made = self._without_default(call, block)
        if not isinstance(made, a.WindowCall):
            return replace(
                made,
                args=tuple(self._call(x, block) if isinstance(x, a.WindowCall) else x for x in made.args),
            )
        call = _towards(made)
        # lag and row_number() ignore the frame, but its distances are checked: a negative one fails
        if call.func.name in _FRAMELESS and all(map(_is_distance, _offsets(call.window.frame))):
            call = replace(call, window=replace(call.window, frame=a.Frame()))
        call = self._by_key(call, block)
        keys = [*call.window.partition_by, *(k.expr for k in call.window.order_by)]
        # without an order all rows are peers, and frames by rows go by the plan
        basis = self.facts.exprs_determine(block, keys) if call.window.order_by else None
        # ties: ROWS cuts between rows that RANGE takes together
        if basis is None:
            return _of_next_group(call)
        changed = _of_key(_as_number(_backwards(_of_one_row(_by_groups(call)))))
        if changed != call:
            self.rest_on(basis)
        return changed

    def _by_key(self, call: a.WindowCall, block: a.Select) -> a.WindowCall:
        """What is made of all other rows of a partition, in the order of a key of the rows."""
        if not _of_all_others(call, self.facts) or block.group_by is not None:
            return call
        keys: list[a.Expr] = []
        for scan in leaves(block.from_):
            # a subquery or a function in FROM has no key that could be named
            if not isinstance(scan, a.Scan) or not (known := usable_keys(self.catalog, scan)):
                return call
            of = {c.name: i for i, c in enumerate(scan.columns)}
            places = [of[c] for c in known[0][0].columns]
            keys += [a.Column(scan.rel, i, scan.columns[i].type, scan.columns[i].name) for i in places]
        order = ascending(keys)
        # keys of all tables are a key of their product, though not of what an outer join pads
        if not order or self.facts.exprs_determine(block, keys) is None:
            return call
        return replace(call, window=replace(call.window, order_by=order))

    def _of_others(self, node: a.Op, block: a.Select) -> a.Expr | None:
        """A total of the partition less the current row's part as that of the other rows, of which there may
        be none; None for anything else.
        """
        if not node.op.is_builtin or node.op.name != "-" or node.type != INT8 or len(node.args) != 2:
            return None
        total, own = node.args
        if not isinstance(total, a.WindowCall) or total.filter is not None or not total.func.is_builtin:
            return None
        others = self._by_key(_without_current(total), block)
        if others.window.order_by == total.window.order_by or others == total:
            return None
        if total.func.name == "count" and total.star:
            # count(*) - 1, the current row being one of those counted
            return self._call(others, block) if own == _ONE else None
        basis = self._never_null(own, block)
        # a sum of int4 stays in int8, whatever is taken from it
        small = total.func.name == "sum" and total.func.arg_types in {("int2",), ("int4",)}
        if not small or basis is None or total.args != (own,):
            return None
        self.rest_on(basis)
        return a.Coalesce((self._call(others, block), a.Const("0", INT8)), INT8)

    def _without_default(self, call: a.WindowCall, block: a.Select) -> a.WindowCall | a.Coalesce:
        """The default of lag or lead as COALESCE, where a value that is there is not NULL."""
        if call.func.name not in _OTHER or len(call.args) != 3:
            return call
        shown, distance, default = call.args
        basis = self._never_null(shown, block)
        # a default that is computed may fail where there is a row; a distance of NULL shows NULL
        plain = isinstance(default, a.Const) and default.value is not None and _distance(distance) is not None
        # lag(x, 1, 0.5) of integers has numeric values: the cast around x would be missing
        if basis is None or not plain or not (shown.type == default.type == call.type):
            return call
        func = _function(call.func.name, ("anyelement", "int4"))
        self.rest_on(basis)
        return a.Coalesce((replace(call, func=func, args=(shown, distance)), default), call.type)

    def _never_null(self, expr: a.Expr, block: a.Select) -> Assumptions | None:
        return self.facts.never_null(expr, self.facts.nonnull_columns(block), block)


def _as_share(call: a.WindowCall) -> a.Expr | None:
    """cume_dist() as the rows up to the current one and its peers, over all rows; there is one at least."""
    if not call.func.is_builtin or call.func.name != "cume_dist" or call.ignore_nulls:
        return None
    ref = next(f for f in builtins().functions("count") if not f.args).to_ref()
    op, cast = operator("/", FLOAT8, FLOAT8), function("float8", "int8")
    if op is None or cast is None or not all(map(_is_distance, _offsets(call.window.frame))):
        return None
    orders = (call.window.order_by, ())
    windows = [a.Window(call.window.partition_by, order) for order in orders]
    counts = [a.WindowCall(ref, (), w, INT8, star=True) for w in windows]
    return a.Op(op, tuple(a.Cast(c, FLOAT8, method="func", func=cast) for c in counts), FLOAT8)


def _without_current(call: a.WindowCall) -> a.WindowCall:
    """A call over a whole partition as one over all its other rows; any other as it is."""
    frame = call.window.frame
    ends = (frame.start, frame.end) == ("unbounded_preceding", "unbounded_following")
    if frame.exclude or call.window.order_by or not (ends or frame == a.Frame()):
        return call
    others = a.Frame("rows", "unbounded_preceding", "unbounded_following", exclude="current")
    return replace(call, window=replace(call.window, frame=others))


def _of_all_others(call: a.WindowCall, facts: Facts) -> bool:
    """Whether it is made of all rows of a partition but the current one, in whatever order."""
    frame = call.window.frame
    ends = (frame.start, frame.end, frame.exclude)
    if ends != ("unbounded_preceding", "unbounded_following", "current"):
        return False
    # a key that may fail is computed, also a virtual column
    if call.func.kind != "a" or not all(reads_only(k.expr, facts) for k in call.window.order_by):
        return False
    types = [x.type for x in call.args]
    # the greatest of equal values that look different may be either
    if call.func.name in {"min", "max"}:
        return all(map(equality_is_identity, types))
    exact = all(t.is_builtin and t.name in _EXACT for t in types)
    return call.func.name == "count" or (call.func.name in {"sum", "avg"} and exact)


def _function(name: str, args: tuple[str, ...]) -> a.FunctionRef:
    return next(f for f in builtins().functions(name) if f.kind == "w" and f.args == args).to_ref()


def _distance(expr: a.Expr) -> int | None:
    """A constant number of rows."""
    if not isinstance(expr, a.Const) or expr.type != INT4 or expr.value is None:
        return None
    return int(expr.value) if expr.value.lstrip("-").isdigit() else None


def _offsets(frame: a.Frame) -> list[a.Expr]:
    return [x for x in (frame.start_offset, frame.end_offset) if x is not None]


def _is_distance(offset: a.Expr) -> bool:
    """Whether a frame may be that long: a number of rows that is not negative."""
    number = offset.arg if isinstance(offset, a.Cast) and offset.implicit else offset
    plain = isinstance(number, a.Const) and number.type.name in {"int2", "int4", "int8"}
    return plain and isinstance(number, a.Const) and (number.value or "").isdigit()


def _towards(call: a.WindowCall) -> a.WindowCall:
    """Lag and lead by a number of rows that is not negative; one row is not said."""
    if call.func.name not in _OTHER or len(call.args) != 2:
        return call
    shown, distance = call.args
    rows = _distance(distance)
    if rows is None or rows == 0 or abs(rows) >= 1 << 31:
        # lag(x, 0) is x itself; more rows than int4 has are no distance
        return call
    name = _OTHER[call.func.name] if rows < 0 else call.func.name
    return _reading(call, name, shown, abs(rows))


def _reading(call: a.WindowCall, name: str, shown: a.Expr, rows: int) -> a.WindowCall:
    if rows == 1:
        return replace(call, func=_function(name, ("anyelement",)), args=(shown,))
    return replace(call, func=_function(name, ("anyelement", "int4")), args=(shown, a.Const(str(rows), INT4)))


def _by_groups(call: a.WindowCall) -> a.WindowCall:
    """A frame of rows as one of groups, or by value where it says no distances."""
    frame = call.window.frame
    exclude: Mapping[str, Literal["", "group"]] = {"": "", "ties": "", "current": "group", "group": "group"}
    distances = frame.start_offset is not None or frame.end_offset is not None
    # RANGE BETWEEN 3 PRECEDING goes by values, GROUPS by rows: over a key these are different frames
    if frame.mode == "range" and distances:
        return call
    made = replace(frame, mode="groups" if distances else "range", exclude=exclude[frame.exclude])
    return replace(call, window=replace(call.window, frame=made))


def _of_one_row(call: a.WindowCall) -> a.WindowCall:
    """What is shown of a frame of one row before or behind the current one."""
    frame = call.window.frame
    # EXCLUDE might leave the frame of one row empty
    if call.func.name not in _ONE_VALUE or frame.mode != "groups" or frame.exclude or call.star:
        return call
    if frame.start != frame.end or frame.start_offset != frame.end_offset or frame.start_offset is None:
        return call
    offset = frame.start_offset.arg if isinstance(frame.start_offset, a.Cast) else frame.start_offset
    number = offset.value if isinstance(offset, a.Const) else None
    # no row before the first (number "0" would be the current row itself); nine figures stay below int4's
    # bound
    if (
        number is None
        or not number.isdigit()
        or number == "0"
        or len(number) > 9
        # min(varchar) is text
        or not call.type.same_base(call.args[0].type)
    ):
        return call
    name = "lag" if frame.start == "preceding" else "lead"
    window = replace(call.window, frame=a.Frame())
    return _reading(a.WindowCall(call.func, call.args, window, call.type), name, call.args[0], int(number))


def _of_next_group(call: a.WindowCall) -> a.WindowCall:
    """The key of the group next to the current one, as the least or greatest beyond the current one; any
    other call as it is. NULLs are a group at one end of the order: what is beyond the others is that group.
    """
    frame, keys = call.window.frame, call.window.order_by
    kinds, offset = (frame.start, frame.end), frame.start_offset
    if frame.mode != "groups" or frame.exclude or kinds not in {("preceding",) * 2, ("following",) * 2}:
        return call
    # two groups from here there is another value, and behind a second key the first one's may stay
    if not (_is_one(offset) and _is_one(frame.end_offset)) or len(keys) != 1 or call.func.kind != "a":
        return call
    shown, op = keys[0].expr, keys[0].op
    # an order of the user's own, or of varchar as text, has other extremes
    if call.args != (shown,) or not op.is_builtin or {op.left, op.right} != {shown.type.name}:
        return call
    # of equal values that look different the group has several
    if not equality_is_identity(shown.type) or call.func.name not in {"min", "max"}:
        return call
    rising, behind = op.name == "<", kinds[0] == "following"
    # the least of what rises comes first, and the greatest last
    if op.name not in {"<", ">"} or call.func.name != ("min" if rising == behind else "max"):
        return call
    beyond = (
        a.Frame("groups", "following", "unbounded_following", start_offset=offset)
        if behind
        else a.Frame("groups", "unbounded_preceding", "preceding", end_offset=offset)
    )
    return replace(call, window=replace(call.window, frame=beyond))


def _of_key(call: a.WindowCall) -> a.WindowCall:
    """The sort key of the row before as the greatest of all before, or the least in a falling order; any
    other call as it is.
    """
    keys = call.window.order_by
    if call.func.name != "lag" or call.func.kind != "w" or len(call.args) != 1 or len(keys) != 1:
        return call
    # the distances of another frame are checked, though lag does not look at it
    if call.window.frame != a.Frame():
        return call
    shown, op = keys[0].expr, keys[0].op
    plain = op.is_builtin and {op.left, op.right} == {shown.type.name} and equality_is_identity(shown.type)
    if call.args != (shown,) or not plain or (op.name, keys[0].descending) not in {("<", False), (">", True)}:
        return call
    extreme = aggregate("max" if op.name == "<" else "min", shown)
    if extreme is None or extreme.type != call.type:
        return call
    window = replace(call.window, frame=_BEFORE)
    return a.WindowCall(extreme.func, (shown,), window, call.type)


def _is_one(offset: a.Expr | None) -> bool:
    number = offset.arg if isinstance(offset, a.Cast) and offset.implicit else offset
    plain = isinstance(number, a.Const) and number.type.name in {"int2", "int4", "int8"}
    return plain and isinstance(number, a.Const) and number.value == "1"


def _as_number(call: a.WindowCall) -> a.WindowCall:
    """How many rows come up to the current one, or from it on, as its number in that order."""
    frame, keys = call.window.frame, call.window.order_by
    ends = (frame.start, frame.end)
    if call.func.name in _NUMBERS and not call.args and frame == a.Frame():
        ends = ("unbounded_preceding", "current")
    elif call.func.name != "count" or not call.star or frame.exclude or frame.mode != "range":
        return call
    if ends == ("current", "unbounded_following"):
        keys = tuple(k for k in map(_reversed, keys) if k is not None)
    elif ends != ("unbounded_preceding", "current"):
        return call
    if len(keys) < len(call.window.order_by):
        return call
    window = a.Window(call.window.partition_by, keys)
    return a.WindowCall(_function("row_number", ()), (), window, call.type)


def _backwards(call: a.WindowCall) -> a.WindowCall:
    """Lead as lag in the other order."""
    if call.func.name != "lead" or len(call.args) > 2:
        return call
    keys = tuple(map(_reversed, call.window.order_by))
    if any(k is None for k in keys):
        return call
    rows = 1 if len(call.args) == 1 else _distance(call.args[1])
    if rows is None or rows < 1:
        return call
    window = replace(call.window, order_by=tuple(k for k in keys if k is not None))
    return _reading(replace(call, window=window), "lag", call.args[0], rows)


def _reversed(key: a.SortKey) -> a.SortKey | None:
    name = {"<": ">", ">": "<"}.get(key.op.name)
    op = operator(name, key.expr.type, key.expr.type) if name is not None and key.op.is_builtin else None
    same = op is not None and (op.left, op.right) == (key.op.left, key.op.right)
    if op is None or not same:
        # an operator of a derived type (varchar sorted as text) would come back with other types
        return None
    return a.SortKey(key.expr, not key.descending, not key.nulls_first, op)
