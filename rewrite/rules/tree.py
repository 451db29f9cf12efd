"""Traversal and substitution over the bound tree, as rules need them.

Owns generic mapping over `rewright.sql.algebra` nodes, numbering of fresh range variables, conjunctions, and places
of query blocks inside a statement. Pure functions over frozen values. Must not know any rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.types import SqlType

LEAVES = (a.FunctionRef, a.OperatorRef, a.TableRef, a.OutputColumn)
QUERIES = (a.Select, a.SetOp, a.Values)
SUBQUERIES = (a.ScalarSubquery, a.Exists, a.Quantified, a.ArraySubquery)
ITEMS = (a.Scan, a.Derived, a.CteScan, a.ValuesScan, a.FunctionScan)
REFERENCES = (a.Column, a.SystemColumn, a.WholeRow)
NODES = frozenset(
    kind
    for kind in vars(a).values()
    if isinstance(kind, type) and is_dataclass(kind) and kind not in {*LEAVES, SqlType}
)
PLAIN = frozenset({"type", "name", "names", "columns", "alias", "func", "op", "ops", "table", "view", "kind"})

Path = tuple[str | int, ...]
Place = tuple[int, int]


# The fields of each node type that may hold other nodes
FIELDS: Mapping[type, tuple[str, ...]] = {
    kind: tuple(f.name for f in fields(kind) if f.name not in PLAIN) for kind in NODES
}


def map_value(value: Any, f: Callable[[Any], Any]) -> Any:
    if isinstance(value, tuple):
        if not value:
            return value
        mapped = tuple([map_value(v, f) for v in value])
        return value if all(m is v for m, v in zip(mapped, value, strict=True)) else mapped
    return f(value) if type(value) in NODES else value


def map_children(node: Any, f: Callable[[Any], Any]) -> Any:
    """``node`` with ``f`` applied to each node directly below it; the same object when nothing changed."""
    changes = {}
    for name in FIELDS[type(node)]:
        old = getattr(node, name)
        new = map_value(old, f)
        if new is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node


def children(node: Any) -> list[Any]:
    found: list[Any] = []
    for name in FIELDS[type(node)]:
        value = getattr(node, name)
        if type(value) in NODES:
            found.append(value)
        elif value and isinstance(value, tuple):
            _gather(value, found)
    return found


def _gather(values: tuple[Any, ...], found: list[Any]) -> None:
    for value in values:
        if type(value) in NODES:
            found.append(value)
        elif value and isinstance(value, tuple):
            _gather(value, found)


def walk(node: Any) -> Iterator[Any]:
    """The node and everything below it, parents first."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(children(here))


def walk_all(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        yield from walk(node)


# --------------------------------------------------------------------------- range variables


def bound_rels(node: Any) -> frozenset[int]:
    """Range variables defined anywhere inside ``node``."""
    return frozenset(n.rel for n in walk(node) if isinstance(n, ITEMS))


def used_rels(node: Any) -> frozenset[int]:
    return frozenset(n.rel for n in walk(node) if isinstance(n, REFERENCES))


def free_rels(node: Any) -> frozenset[int]:
    """Range variables that ``node`` refers to and does not define."""
    return used_rels(node) - bound_rels(node)


def free_of_all(nodes: Iterable[Any]) -> frozenset[int]:
    return frozenset().union(*(free_rels(n) for n in nodes))


def from_rels(items: Iterable[a.FromItem]) -> frozenset[int]:
    """Range variables that FROM items put in scope (not those inside subqueries)."""
    found: set[int] = set()
    for item in items:
        if isinstance(item, a.Join):
            found |= from_rels((item.left, item.right))
        else:
            found.add(item.rel)
    return frozenset(found)


def leaves(items: Iterable[a.FromItem]) -> Iterator[a.FromItem]:
    """The range variables below joins, left to right."""
    for item in items:
        if isinstance(item, a.Join):
            yield from leaves((item.left, item.right))
        else:
            yield item


def highest_number(node: Any) -> int:
    """The highest rel or cte number in use."""
    highest = 0
    for n in walk(node):
        if isinstance(n, ITEMS):
            highest = max(highest, n.rel)
        if isinstance(n, a.Cte | a.CteScan):
            highest = max(highest, n.cte)
    return highest


class Fresh:
    """Numbers above all that are in use."""

    def __init__(self, highest: int) -> None:
        self._last = highest

    def __call__(self) -> int:
        self._last += 1
        return self._last


def copy_fresh(node: Any, fresh: Callable[[], int]) -> tuple[Any, Mapping[int, int]]:
    """A copy in which everything defined inside has fresh numbers; and old rel -> new rel."""
    rels = {r: fresh() for r in sorted(bound_rels(node))}
    ctes = {n.cte: fresh() for n in walk(node) if isinstance(n, a.Cte)}
    return renumber(node, rels, ctes), rels


def renumber(node: Any, rels: Mapping[int, int], ctes: Mapping[int, int] | None = None) -> Any:
    """``node`` with rel and cte numbers replaced, in definitions and references alike."""
    ctes = ctes or {}

    def visit(n: Any) -> Any:
        n = map_children(n, visit)
        if isinstance(n, REFERENCES + ITEMS) and n.rel in rels:
            n = replace(n, rel=rels[n.rel])
        if isinstance(n, a.Cte | a.CteScan) and n.cte in ctes:
            n = replace(n, cte=ctes[n.cte])
        return n

    return visit(node)


def substitute(node: Any, mapping: Mapping[Place, a.Expr]) -> Any:
    """Columns replaced by expressions, by (rel, pos)."""
    if not mapping:
        return node

    def visit(n: Any) -> Any:
        if isinstance(n, a.Column):
            return mapping.get((n.rel, n.pos), n)
        return map_children(n, visit)

    return visit(node)


def replace_node(root: Any, old: Any, new: Any) -> Any:
    """``root`` with each node that equals ``old`` replaced."""

    def visit(n: Any) -> Any:
        return new if n == old else map_children(n, visit)

    return visit(root)


def same_source(one: a.FromItem, other: a.FromItem) -> bool:
    """Whether two items read the same relation, or the same CTE."""
    match one, other:
        case a.Scan(), a.Scan():
            return one.table == other.table and one.only == other.only
        case a.CteScan(), a.CteScan():
            return one.cte == other.cte
        case _:
            return False


def references_whole(node: Any, rel: int) -> bool:
    """Whether a whole row or a system column of ``rel`` is used (columns can then not be counted)."""
    return any(isinstance(n, a.WholeRow | a.SystemColumn) and n.rel == rel for n in walk(node))


def columns_used(nodes: Iterable[Any], rels: Iterable[int]) -> list[a.Column]:
    """The distinct columns of ``rels`` that ``nodes`` mention, in order of rel and position."""
    wanted = frozenset(rels)
    found = {(n.rel, n.pos): n for n in walk_all(nodes) if isinstance(n, a.Column) and n.rel in wanted}
    return [found[k] for k in sorted(found)]


# --------------------------------------------------------------------------- conjunctions


def conjuncts(expr: a.Expr | None) -> tuple[a.Expr, ...]:
    if expr is None:
        return ()
    if isinstance(expr, a.And):
        return tuple(c for arg in expr.args for c in conjuncts(arg))
    return (expr,)


def conjoin(preds: Iterable[a.Expr]) -> a.Expr | None:
    found = tuple(preds)
    if not found:
        return None
    return found[0] if len(found) == 1 else a.And(found)


def disjuncts(expr: a.Expr) -> tuple[a.Expr, ...]:
    if isinstance(expr, a.Or):
        return tuple(d for arg in expr.args for d in disjuncts(arg))
    return (expr,)


def dissolve(items: Iterable[a.FromItem]) -> tuple[list[a.FromItem], list[a.Expr]]:
    """Inner joins taken apart: a cross product of items (outer joins stay whole) and conjuncts."""
    flat: list[a.FromItem] = []
    preds: list[a.Expr] = []
    for item in items:
        if isinstance(item, a.Join) and item.kind == "inner":
            inner, more = dissolve((item.left, item.right))
            flat += inner
            preds += [*more, *conjuncts(item.on)]
        else:
            flat.append(item)
    return flat, preds


def as_product(select: a.Select) -> tuple[list[a.FromItem], list[a.Expr]]:
    """FROM and WHERE of a block as a cross product and its conjuncts (inner ON is WHERE)."""
    items, preds = dissolve(select.from_)
    return items, [*preds, *conjuncts(select.where)]


def has_subquery(node: Any) -> bool:
    return any(isinstance(n, SUBQUERIES) for n in walk(node))


def is_plain(select: a.Query) -> bool:
    """A Select of FROM, WHERE and targets only (aggregates, windows and CTEs may not be in it)."""
    return (
        isinstance(select, a.Select)
        and select.group_by is None
        and select.having is None
        and select.distinct is None
        and select.limit is None
        and select.offset is None
        and not select.ctes
        and not any(returns_set(t.expr) for t in select.targets)
        and not any(has_window(t.expr) for t in select.targets)
    )


def has_window(expr: Any) -> bool:
    return any(isinstance(n, a.WindowCall) for n in walk_block(expr))


def has_aggregate(expr: Any) -> bool:
    return any(isinstance(n, a.Aggregate | a.Grouping) for n in walk_block(expr))


def returns_set(expr: Any) -> bool:
    return any(isinstance(n, a.Call) and n.func.returns_set for n in walk_block(expr))


def walk_block(node: Any) -> Iterator[Any]:
    """Like `walk`, not entering nested queries."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(c for c in children(here) if not isinstance(c, QUERIES))


# --------------------------------------------------------------------------- places of blocks


def blocks(query: Any, path: Path = ()) -> Iterator[tuple[Path, a.Query]]:
    """Every query node of a statement with its path, outermost first."""
    if isinstance(query, QUERIES):
        yield path, query
    for name in FIELDS[type(query)]:
        yield from _blocks_in(getattr(query, name), (*path, name))


def _blocks_in(value: Any, path: Path) -> Iterator[tuple[Path, a.Query]]:
    if isinstance(value, tuple):
        for i, v in enumerate(value):
            yield from _blocks_in(v, (*path, i))
    elif type(value) in NODES:
        yield from blocks(value, path)


def replace_at(node: Any, path: Path, new: Any) -> Any:
    """``node`` with what stands at ``path`` replaced."""
    if not path:
        return new
    here, rest = path[0], path[1:]
    if isinstance(here, int):
        return (*node[:here], replace_at(node[here], rest, new), *node[here + 1 :])
    return replace(node, **{here: replace_at(getattr(node, here), rest, new)})
