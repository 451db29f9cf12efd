"""What a query with several grouping sets reads of its keys: two keys that become one expression are one key.

    SELECT d.a, d.b FROM (SELECT x AS a, x AS b FROM t) d GROUP BY GROUPING SETS ((d.a), (d.b))
    SELECT x, x FROM t GROUP BY GROUPING SETS ((x), (x))        shows no NULL at all

A key is NULL in the sets that are without it, and is told from other keys by how it is written. Within an
expression the server looks for it after it has simplified both: a constant, ``NOT (x = 1)`` as ``x <> 1`` or
a cast of a cast are not found any more, and show what they are of some row. Must not know what changes a
query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.types import BOOL
from rewright.sql.walk.blocks import outer_exprs
from rewright.sql.walk.memory import remembered
from rewright.sql.walk.nodes import QUERIES, parts, walk

# which keys each set has, which each expression over the groups reads, and whether the server finds them
_Reading = tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...], bool]


def keeps_keys_apart(before: a.Query, after: a.Query) -> bool:
    """Whether blocks with several grouping sets read the same of their keys in both queries."""
    return before is after or _readings(before) == _readings(after)


@remembered
def _readings(query: a.Node) -> Counter[_Reading]:
    several = (n for n in walk(query) if isinstance(n, a.Select) and len(n.group_by or ()) > 1)
    return Counter(map(_reading, several))


def _reading(block: a.Select) -> _Reading:
    sets = block.group_by or ()
    keys = {key: i for i, key in enumerate(dict.fromkeys(k for one in sets for k in one))}
    exprs = (*outer_exprs(block), *(block.distinct or ()))
    return (
        tuple(tuple(keys[k] for k in one) for one in sets),
        tuple(tuple(sorted(_read(e, keys))) for e in exprs),
        finds_keys(block),
    )


def _read(node: Any, keys: dict[a.Expr, int]) -> Iterator[int]:
    """The keys in an expression."""
    return (keys[k] for k in _keys_within((node,), keys, a.Aggregate))


def finds_keys(block: a.Select, columns: Mapping[tuple[int, int], a.Column] | None = None) -> bool:
    """Whether the server finds each key of several grouping sets wherever the block reads it. ``columns``: of
    what stands further in, by those of the subqueries that show them.
    """
    keys = {k for one in block.group_by or () for k in one}
    whole = (*(t.expr for t in block.targets), *(k.expr for k in block.order_by))
    computed = (e for e in (*whole, *(block.distinct or ())) if e not in keys)
    having = () if block.having is None else (block.having,)
    within = set(_keys_within((*computed, *having), keys, (a.Aggregate, a.Grouping)))
    known = columns or {}
    own = {k: known.get((k.rel, k.pos), k) for k in keys if isinstance(k, a.Column)}
    times = Counter(own.values())
    # the first of two keys that are one column is found for either of them
    twice = {k for k, column in own.items() if times[column] > 1}
    shown = Counter(t.expr for t in block.targets if t.expr in keys)
    # one output is the key itself, and others are looked for as what stands within an expression is
    if twice & within or any(n > 1 and (k in twice or not _is_made(k)) for k, n in shown.items()):
        return False
    odd = [k for k in keys if not _stays(k)]
    # CASE WHEN true THEN x END becomes x, which another key may be
    return not any(not _stays(k) or any(_columns(k) <= _columns(o) for o in odd) for k in within)


def _keys_within(
    nodes: Iterable[a.Node], keys: Collection[a.Expr], apart: Any, *, inside: bool = False
) -> Iterator[a.Expr]:
    """The keys that are read, but in nodes of the kinds ``apart``: what is aggregated reads rows, not groups.
    ``inside``: in a subquery, which aggregates its own rows.
    """
    for node in nodes:
        if isinstance(node, a.Expr) and node in keys:
            yield node
        elif inside or not isinstance(node, apart):
            yield from _keys_within(parts(node), keys, apart, inside=inside or isinstance(node, QUERIES))


def _columns(expr: a.Expr) -> frozenset[a.Node]:
    return frozenset(n for n in walk(expr) if isinstance(n, a.Column))


def _stays(key: a.Expr) -> bool:
    """Whether a key is one thing in whatever is made of it: a column, or what a function makes of columns and
    constants. Conditions are negated and joined, constants computed and casts of casts left out.
    """
    plain = key.type != BOOL and not (isinstance(key, a.Cast) and key.method not in {"func", "io"})
    return isinstance(key, a.Column) or (plain and _is_made(key))


def _is_made(key: a.Expr) -> bool:
    """Whether a key by itself stays what it is: it is no constant, whatever the server simplifies in it."""
    match key:
        case a.Column():
            return True
        case a.Call(func, args):
            known = func.is_builtin
        case a.Op(op, args):
            known = op.is_builtin
        case a.Cast(arg, _, _, method):
            known, args = method != "domain", (arg,)
        case a.Case(whens, default):
            # a condition that is a constant, as one with NULL is, would take its arm away
            known = all(_varies(test) for test, _ in whens)
            args = (*(shown for _, shown in whens), default)
        case _:
            return False
    return known and bool(_columns(key)) and all(_stays(x) or _is_constant(x) for x in args)


def _varies(test: a.Expr) -> bool:
    if not isinstance(test, a.Op) or not test.op.is_builtin or not _columns(test):
        return False
    return all(_stays(x) or (isinstance(y := _bare(x), a.Const) and y.value is not None) for x in test.args)


def _is_constant(x: a.Expr) -> bool:
    return isinstance(_bare(x), a.Const | a.Param)


def _bare(x: a.Expr) -> a.Expr:
    return x.arg if isinstance(x, a.Cast) else x
