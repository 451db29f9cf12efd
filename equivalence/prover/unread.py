"""Outputs of subqueries that nothing reads, which PostgreSQL does not compute, so that they can't fail.

Seen on 18: a subquery in FROM, also grouped, windowed or limited, and a CTE that is inlined lose such outputs
(`remove_unused_subquery_outputs` and pull-up of subqueries); DISTINCT, UNION, a UNION ALL that is not
flattened and a computed CTE (`computed_ctes`) compute them all the same. NULL takes the place of the first,
whose rows stay as they are; of UNION ALL whose arms' types the tree does not tell, nothing is said where they
may fail. Must not know forms or terms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.facts.effects import errors_of_expr, is_volatile
from rewright.sql.walk import N, bottom_up, returns_set, walk

from .translate import computed_ctes
from .translated import Unsupported

# the positions of an output that is read; None: all, as of a row taken for one value
_Read = Collection[int] | None


def without_unread(query: a.Query) -> a.Query:
    """The query with NULL for each output that is never computed.

    :raises Unsupported: one that may fail is computed or not, by what the tree does not show.
    """
    computed = computed_ctes(query)
    while (changed := _once(query, computed)) is not query:
        query = changed
    return query


def _once(query: a.Query, computed: set[int]) -> a.Query:
    """The query without what is read by nothing else, the same object where there is none. An output that
    only another such output reads is found the next time.
    """
    read, readers = _reads(query), _readers(query)

    def of(rels: Collection[int]) -> _Read:
        found = [read(rel) for rel in rels]
        return None if None in found else {pos for some in found for pos in some or ()}

    def visit(node: Any) -> Any:
        match node:
            case a.Derived(rel, inner, security_barrier=False):
                return _with(node, query=_pruned(inner, of([rel])))
            case a.Cte(cte, _, inner, recursive=False) if cte not in computed:
                return _with(node, query=_pruned(inner, of(readers[cte])))
            case a.ValuesScan(rel, (row,)):
                return _with(node, rows=(tuple(_kept(e, n, of([rel])) for n, e in enumerate(row)),))
            case _:
                return node

    made: a.Query = bottom_up(query, visit)
    return made


def _reads(query: a.Query) -> Callable[[int], _Read]:
    """By range variable, the positions that an expression anywhere reads."""
    read: dict[int, set[int]] = defaultdict(set)
    whole: set[int] = set()
    for node in walk(query):
        match node:
            case a.Column(rel, pos):
                read[rel].add(pos)
            case a.WholeRow(rel):
                whole.add(rel)
            case _:
                pass
    return lambda rel: None if rel in whole else read[rel]


def _readers(query: a.Query) -> dict[int, list[int]]:
    """By CTE, the range variables that read it."""
    found: dict[int, list[int]] = defaultdict(list)
    for node in walk(query):
        if isinstance(node, a.CteScan):
            found[node.cte].append(node.rel)
    return found


def _pruned(query: a.Query, read: _Read) -> a.Query:
    match query:
        case a.Select(distinct=()) | a.Values():
            return query
        case a.Select(targets):
            kept = tuple(_with(t, expr=_kept(t.expr, n, read)) for n, t in enumerate(targets))
            return _with(query, targets=kept)
        case a.SetOp():
            return _arms_pruned(query, read)


def _arms_pruned(query: a.SetOp, read: _Read) -> a.Query:
    if not _may_be_flattened(query):
        return query
    arms = _arms(query)
    if any(isinstance(t.expr, a.Cast) for arm in arms for t in arm.targets):
        # one that the client wrote, or one that unlike arms needed, which keep the union from being flattened
        unread = (t.expr for arm in arms for n, t in enumerate(arm.targets) if not _is_read(n, read))
        if any(_may_fail(e) for e in unread):
            raise Unsupported("an output that nothing reads of a UNION ALL that may not be flattened")
        return query
    return _with(query, left=_pruned(query.left, read), right=_pruned(query.right, read))


def _may_be_flattened(query: a.Query) -> bool:
    """PostgreSQL's `is_simple_union_all`, but for the arms' types."""
    match query:
        case a.Select():
            return True
        case a.SetOp(op="union", all=True):
            plain = not (query.order_by or query.limit or query.offset or query.ctes)
            return plain and _may_be_flattened(query.left) and _may_be_flattened(query.right)
        case _:
            return False


def _arms(query: a.Query) -> list[a.Select]:
    match query:
        case a.Select():
            return [query]
        case a.SetOp(left=left, right=right):
            return [*_arms(left), *_arms(right)]
        case _:
            return []


def _with(node: N, **parts: Any) -> N:
    """The node with these parts, the same object where they are its own."""
    return (
        node if all(getattr(node, name) == part for name, part in parts.items()) else replace(node, **parts)
    )


def _kept(expr: a.Expr, position: int, read: _Read) -> a.Expr:
    """The output, or NULL in its place."""
    if _is_read(position, read) or returns_set(expr) or is_volatile(expr):
        return expr
    return a.Const(None, expr.type)


def _is_read(position: int, read: _Read) -> bool:
    return read is None or position in read


def _may_fail(expr: a.Expr) -> bool:
    return bool(errors_of_expr(expr, lambda _: False, lambda _: False))
