"""Which columns of a recursion may become longer than a value can be (M7).

    SELECT n + 1, s || s FROM r WHERE n < 40       after 30 rounds a text of 1 GB: an error
    SELECT n + 1, s || ',' || t.name FROM r, t     longer by a name each round

What each round adds to is as long as what was added; what doubles is too long after thirty rounds of any
data. Must not know what the columns are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from rewright.sql import algebra as a
from rewright.sql.walk import children

# values of these are of one size, or near it, whatever they are computed from
_OF_ONE_SIZE = frozenset({
    *("bool", "int2", "int4", "int8", "float4", "float8", "oid", "uuid", "char", "name"),
    *("date", "time", "timetz", "timestamp", "timestamptz", "interval"),
})  # fmt: skip
_TEXTS = frozenset({"text", "varchar", "bpchar"})


def outgrowing(step: Sequence[a.Expr], rels: Collection[int]) -> frozenset[int]:
    """The positions of what a recursion's step computes that may do more than add to a column of the round
    before. ``rels``: the range variables of the recursion.
    """
    read = [list(_reads(e, rels)) for e in step]
    times = Counter(pos for found in read for pos in found)
    return frozenset(
        i
        for i, (e, found) in enumerate(zip(step, read, strict=True))
        # what two columns are made of doubles where these are put together
        if found and (any(times[pos] > 1 for pos in found) or not _only_adds(e, rels))
    )


def _is_of_one_size(expr: a.Expr) -> bool:
    return expr.type.is_builtin and not expr.type.is_array and expr.type.name in _OF_ONE_SIZE


def _reads(expr: a.Expr, rels: Collection[int]) -> Iterator[int]:
    """The columns of the round before that make the value as long as it is, as often as they are read."""
    if _is_of_one_size(expr):
        return
    if isinstance(expr, a.Column) and expr.rel in rels:
        yield expr.pos
    for child in children(expr):
        yield from _reads(child, rels)


def _only_adds(expr: a.Expr, rels: Collection[int]) -> bool:
    """Whether a value is no longer than its parts together. Any other function may double what it is given:
    replace(s, 'x', 'xx'), or to_json of what is to be escaped.
    """
    match expr:
        case a.Column():
            return True
        case a.Op(op=op, args=args) if op.is_builtin and op.name == "||":
            pass
        case a.Call(func=func, args=args) if func.is_builtin and func.name == "concat":
            pass
        case a.Cast(arg=arg) if expr.type.is_builtin and {expr.type.name, arg.type.name} <= _TEXTS:
            args = (arg,)
        case _:
            return next(_reads(expr, rels), None) is None
    return all(_is_of_one_size(x) or _only_adds(x, rels) for x in args)
