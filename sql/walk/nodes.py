"""Which nodes a node holds, and walks over them. Must not know what is being searched for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any, get_args

from rewright.sql import algebra as a

_NODE_WORDS = frozenset({"Expr", "Query", "FromItem", "SortKey", "Window", "Frame", "Target", "Cte"})
_PUNCTUATION = str.maketrans("|[],", "    ")

NODES: frozenset[type] = frozenset(get_args(a.Node))
QUERIES = (a.Select, a.SetOp, a.Values)
SUBQUERIES = (a.ScalarSubquery, a.Exists, a.Quantified, a.ArraySubquery)
LEAVES = (a.Scan, a.Derived, a.CteScan, a.ValuesScan, a.FunctionScan)
REFERENCES = (a.Column, a.SystemColumn, a.WholeRow)
_EXPRS: tuple[type, ...] = get_args(a.Expr)
# parts of a block or a window call that are neither expressions nor queries, but hold expressions
_CLAUSES = (a.SortKey, a.Window, a.Frame, a.Target)


def _node_fields(kind: Any) -> tuple[str, ...]:
    """The fields of a node class whose declared types hold nodes."""
    assert is_dataclass(kind)
    # annotations are texts (from __future__ import annotations): a name among them tells what the field holds
    return tuple(f.name for f in fields(kind) if _NODE_WORDS & {*str(f.type).translate(_PUNCTUATION).split()})


FIELDS: Mapping[type, tuple[str, ...]] = {kind: _node_fields(kind) for kind in NODES}


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """All fields at once: half of a search by rules is walks, and they do little else than this."""
    if not names:
        return lambda _: ()
    values = attrgetter(*names)
    return values if len(names) > 1 else lambda node: (values(node),)


VALUES: Mapping[type, Callable[[Any], tuple[Any, ...]]] = {kind: _getter(FIELDS[kind]) for kind in NODES}
CHILDLESS = frozenset(kind for kind in NODES if not FIELDS[kind])


def parts(node: a.Node) -> list[a.Node]:
    """The nodes directly below a node of any kind, from left to right; subqueries are among them."""
    found: list[a.Node] = []
    for value in VALUES[type(node)](node):
        if type(value) in NODES:
            found.append(value)
        elif value:
            _gather(value, found)
    return found


def _gather(values: tuple[Any, ...], found: list[a.Node]) -> None:
    for value in values:
        if type(value) in NODES:
            found.append(value)
        elif value:
            _gather(value, found)


def walk(node: a.Node) -> Iterator[a.Node]:
    """The node and everything below it, parents first, from left to right."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        # reversed: the leftmost is taken off the stack first
        if type(here) not in CHILDLESS and (below := parts(here)):
            stack += reversed(below)


def walk_all(nodes: Iterable[a.Node]) -> Iterator[a.Node]:
    for node in nodes:
        yield from walk(node)


def walk_block(node: a.Node) -> Iterator[a.Node]:
    """Like `walk`, not entering nested queries."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(p for p in reversed(parts(here)) if not isinstance(p, QUERIES))


# --------------------------------------------------------------------------- expressions


def children(expr: a.Expr) -> list[a.Expr]:
    """Direct sub-expressions, those of windows, frames and sort keys included; subqueries are not entered."""
    return list(_exprs_in(expr))


def _exprs_in(node: a.Node) -> Iterator[a.Expr]:
    for part in parts(node):
        if isinstance(part, _CLAUSES):
            yield from _exprs_in(part)
        elif isinstance(part, _EXPRS):
            yield part  # type: ignore[misc] # mypy does not narrow a union by a tuple of types


def subqueries(expr: a.Expr) -> list[a.Query]:
    """Queries that an expression holds directly."""
    return [expr.query] if isinstance(expr, SUBQUERIES) else []


def all_exprs(expr: a.Expr) -> Iterator[a.Expr]:
    """The expression and everything in it, outermost first, without entering subqueries."""
    yield expr
    for child in _exprs_in(expr):
        yield from all_exprs(child)


def deep_exprs(expr: a.Expr) -> Iterator[a.Expr]:
    """As `all_exprs`, subqueries entered."""
    for e in all_exprs(expr):
        yield e
        for q in subqueries(e):
            yield from all_exprs_of_query(q)


# --------------------------------------------------------------------------- FROM trees and queries


def from_tree(item: a.FromItem) -> Iterator[a.FromItem]:
    """The item and, for joins, everything joined, left to right."""
    yield item
    if isinstance(item, a.Join):
        yield from from_tree(item.left)
        yield from from_tree(item.right)


def unpadded_tree(item: a.FromItem) -> Iterator[a.FromItem]:
    """As `from_tree`, of what no outer join around it pads with NULLs."""
    yield item
    if isinstance(item, a.Join):
        if item.kind in {"inner", "left"}:
            yield from unpadded_tree(item.left)
        if item.kind in {"inner", "right"}:
            yield from unpadded_tree(item.right)


def left_spine(item: a.FromItem) -> tuple[a.FromItem, list[a.Join]]:
    """What the LEFT JOINs at the top of a tree keep, and these joins, the outermost first."""
    joins: list[a.Join] = []
    while isinstance(item, a.Join) and item.kind == "left":
        joins.append(item)
        item = item.left
    return item, joins


def from_exprs(item: a.FromItem) -> Iterator[a.Expr]:
    """Expressions in a FROM tree: ON conditions, function calls, VALUES cells."""
    for leaf in from_tree(item):
        yield from _exprs_in(leaf)


def block_exprs(query: a.Query) -> Iterator[a.Expr]:
    """The expressions that stand in this block itself (join conditions and lateral calls included), not those
    of derived tables, arms or CTEs.
    """
    for part in parts(query):
        if isinstance(part, _CLAUSES):
            yield from _exprs_in(part)
        elif isinstance(part, (a.Join, *LEAVES)):
            yield from from_exprs(part)
        elif isinstance(part, _EXPRS):
            yield part  # type: ignore[misc] # mypy does not narrow a union by a tuple of types


def child_queries(query: a.Query) -> Iterator[a.Query]:
    """Queries directly below: CTEs, derived tables, arms of set operations; then those in expressions."""
    for cte in query.ctes:
        yield cte.query
    match query:
        case a.SetOp():
            yield query.left
            yield query.right
        case a.Select():
            leaves = (leaf for item in query.from_ for leaf in from_tree(item))
            yield from (leaf.query for leaf in leaves if isinstance(leaf, a.Derived))
        case a.Values():
            pass
    for expr in block_exprs(query):
        for e in all_exprs(expr):
            yield from subqueries(e)


def all_queries(query: a.Query) -> Iterator[a.Query]:
    """The query and every query in it, outermost first."""
    yield query
    for q in child_queries(query):
        yield from all_queries(q)


def all_exprs_of_query(query: a.Query) -> Iterator[a.Expr]:
    """Every expression anywhere in a query, subqueries entered."""
    for q in all_queries(query):
        for expr in block_exprs(q):
            yield from all_exprs(expr)
