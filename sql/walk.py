"""Traversal, substitution and renumbering of bound trees.

Owns how the nodes of `rewright.sql.algebra` nest; nothing else enumerates their fields. Range variables are numbered
uniquely in a statement, so no transformation here has to think about scopes. One expression may occur twice
in a block (as a target and in GROUP BY or ORDER BY); then its subqueries share their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, get_args

from rewright.sql.algebra import (
    ArraySubquery,
    Column,
    Cte,
    CteScan,
    Derived,
    Exists,
    Expr,
    Frame,
    FromItem,
    FunctionScan,
    Join,
    OutputColumn,
    Quantified,
    Query,
    ScalarSubquery,
    Scan,
    Select,
    SetOp,
    SortKey,
    SystemColumn,
    Target,
    Values,
    ValuesScan,
    WholeRow,
    Window,
)

T = TypeVar("T")
ExprFn = Callable[[Expr], Expr]
QueryFn = Callable[[Query], Query]
FromFn = Callable[[FromItem], FromItem]

_EXPRS: Any = get_args(Expr)
_QUERIES: Any = get_args(Query)
_FROM_ITEMS: Any = get_args(FromItem)
_PARTS: Any = (SortKey, Window, Frame, Target, Cte)
_SUBQUERY_EXPRS = (ScalarSubquery, Exists, Quantified, ArraySubquery)
_WORDS = ("Expr", "Query", "FromItem", "SortKey", "Window", "Frame", "Target", "Cte")


@cache
def _node_fields(cls: Any) -> tuple[str, ...]:
    """The fields of a node class that hold nodes."""
    found = []
    for f in fields(cls):
        words = str(f.type).replace("|", " ").replace("[", " ").replace("]", " ").replace(",", " ").split()
        if any(w in _WORDS for w in words):
            found.append(f.name)
    return tuple(found)


def _class(node: Any) -> Any:
    return type(node)


def _parts(node: Any) -> Iterator[Any]:
    """Direct parts of a node, tuples flattened."""
    for name in _node_fields(_class(node)):
        yield from _flat(getattr(node, name))


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for v in value:
            yield from _flat(v)
    elif value is not None:
        yield value


# --------------------------------------------------------------------------- looking


def children(expr: Expr) -> list[Expr]:
    """Direct sub-expressions, those of windows, frames and sort keys included; subqueries are not entered."""
    found: list[Expr] = []
    for part in _parts(expr):
        if isinstance(part, _EXPRS):
            found.append(part)
        elif isinstance(part, _PARTS):
            found.extend(_exprs_of_part(part))
    return found


def _exprs_of_part(part: Any) -> Iterator[Expr]:
    for p in _parts(part):
        if isinstance(p, _EXPRS):
            yield p
        elif isinstance(p, _PARTS):
            yield from _exprs_of_part(p)


def subqueries(expr: Expr) -> list[Query]:
    """Queries that an expression holds directly."""
    return [expr.query] if isinstance(expr, _SUBQUERY_EXPRS) else []


def has_subquery(expr: Expr) -> bool:
    return any(isinstance(e, _SUBQUERY_EXPRS) for e in all_exprs(expr))


def all_exprs(expr: Expr) -> Iterator[Expr]:
    """The expression and everything in it, outermost first, without entering subqueries."""
    yield expr
    for child in children(expr):
        yield from all_exprs(child)


def deep_exprs(expr: Expr) -> Iterator[Expr]:
    """As `all_exprs`, subqueries entered."""
    for e in all_exprs(expr):
        yield e
        for q in subqueries(e):
            yield from all_exprs_of_query(q)


def block_exprs(query: Query) -> Iterator[Expr]:
    """The expressions that stand in this block itself (join conditions and lateral calls included), not those
    of derived tables, arms or CTEs.
    """
    for part in _parts(query):
        if isinstance(part, _EXPRS):
            yield part
        elif isinstance(part, Cte):
            continue
        elif isinstance(part, _PARTS):
            yield from _exprs_of_part(part)
        elif isinstance(part, _FROM_ITEMS):
            yield from from_exprs(part)


def from_exprs(item: FromItem) -> Iterator[Expr]:
    """Expressions in a FROM tree: ON conditions, function calls, VALUES cells."""
    for leaf in from_tree(item):
        if isinstance(leaf, Derived):
            continue
        for part in _parts(leaf):
            if isinstance(part, _EXPRS):
                yield part


def from_tree(item: FromItem) -> Iterator[FromItem]:
    """The item and, for joins, everything joined, left to right."""
    yield item
    if isinstance(item, Join):
        yield from from_tree(item.left)
        yield from from_tree(item.right)


def child_queries(query: Query) -> Iterator[Query]:
    """Queries directly below: CTEs, derived tables, arms of set operations; then those in expressions."""
    for cte in query.ctes:
        yield cte.query
    match query:
        case SetOp():
            yield query.left
            yield query.right
        case Select():
            for item in query.from_:
                for leaf in from_tree(item):
                    if isinstance(leaf, Derived):
                        yield leaf.query
        case Values():
            pass
    for expr in block_exprs(query):
        for e in all_exprs(expr):
            yield from subqueries(e)


def all_queries(query: Query) -> Iterator[Query]:
    """The query and every query in it, outermost first."""
    yield query
    for q in child_queries(query):
        yield from all_queries(q)


def all_exprs_of_query(query: Query) -> Iterator[Expr]:
    """Every expression anywhere in a query, subqueries entered."""
    for q in all_queries(query):
        for expr in block_exprs(q):
            yield from all_exprs(expr)


def rels_of(item: FromItem) -> tuple[int, ...]:
    """Numbers of the range variables of a FROM tree, left to right."""
    return tuple(leaf.rel for leaf in from_tree(item) if not isinstance(leaf, Join))


def block_rels(query: Query) -> frozenset[int]:
    """Numbers of the range variables of this block's own FROM."""
    if not isinstance(query, Select):
        return frozenset()
    return frozenset(r for item in query.from_ for r in rels_of(item))


def defined_rels(node: Query | Expr | FromItem) -> list[int]:
    """Numbers of the range variables that a tree defines anywhere, in order of appearance, once each."""
    found: dict[int, None] = {}
    _collect(node, lambda n: found.setdefault(n.rel) if isinstance(n, _LEAVES) else None)
    return list(found)


_LEAVES = (Scan, Derived, CteScan, ValuesScan, FunctionScan)


def defined_ctes(node: Query | Expr | FromItem) -> list[int]:
    found: dict[int, None] = {}
    _collect(node, lambda n: found.setdefault(n.cte) if isinstance(n, Cte) else None)
    return list(found)


def _collect(node: Any, see: Callable[[Any], object]) -> None:
    see(node)
    for part in _parts(node):
        if is_dataclass(part):
            _collect(part, see)


def free_rels(node: Query | Expr | FromItem) -> frozenset[int]:
    """Range variables that a tree refers to and does not define: what it is correlated with."""
    used: set[int] = set()
    defined: set[int] = set()

    def see(n: Any) -> None:
        if isinstance(n, Column | SystemColumn | WholeRow):
            used.add(n.rel)
        elif isinstance(n, _LEAVES):
            defined.add(n.rel)

    _collect(node, see)
    return frozenset(used - defined)


def used_columns(node: Query | Expr | FromItem) -> dict[int, set[int]]:
    """For each range variable the positions of its columns that a tree mentions; -1 for the whole row or a
    system column.
    """
    found: dict[int, set[int]] = {}

    def see(n: Any) -> None:
        if isinstance(n, Column):
            found.setdefault(n.rel, set()).add(n.pos)
        elif isinstance(n, SystemColumn | WholeRow):
            found.setdefault(n.rel, set()).add(-1)

    _collect(node, see)
    return found


# --------------------------------------------------------------------------- changing


def transform(
    node: T,
    *,
    expr: ExprFn | None = None,
    query: QueryFn | None = None,
    item: FromFn | None = None,
    part: Callable[[Any], Any] | None = None,
    into_subqueries: bool = True,
) -> T:
    """A tree rebuilt bottom-up: each expression, query and FROM item is given to its function after its
    parts were rebuilt. ``part`` sees targets, sort keys, windows and CTEs. Untouched subtrees are shared.
    """

    def visit(n: Any) -> Any:
        if isinstance(n, tuple):
            new = tuple(visit(v) for v in n)
            return n if all(a is b for a, b in zip(n, new, strict=True)) else new
        if n is None or not is_dataclass(n):
            return n
        if not into_subqueries and isinstance(n, _QUERIES):
            return n
        changes = {}
        for name in _node_fields(_class(n)):
            old = getattr(n, name)
            new = visit(old)
            if new is not old:
                changes[name] = new
        if changes:
            n = replace(n, **changes)  # type: ignore[type-var]
        return apply(n)

    def apply(n: Any) -> Any:
        if isinstance(n, _EXPRS):
            return expr(n) if expr else n
        if isinstance(n, _QUERIES):
            return query(n) if query else n
        if isinstance(n, _FROM_ITEMS):
            return item(n) if item else n
        return part(n) if part else n

    if not into_subqueries and isinstance(node, _QUERIES):
        raise ValueError("into_subqueries=False is for expressions and FROM items")
    result: T = visit(node)
    return result


def rewrite_exprs(node: T, fn: ExprFn) -> T:
    """Every expression of a tree given to ``fn``, innermost first, subqueries included."""
    return transform(node, expr=fn)


def rewrite_queries(node: T, fn: QueryFn) -> T:
    """Every query of a tree given to ``fn``, innermost first."""
    return transform(node, query=fn)


def rewrite_from(node: T, fn: FromFn) -> T:
    """Every FROM item of a tree given to ``fn``, innermost first."""
    return transform(node, item=fn)


def substitute(node: T, columns: Mapping[tuple[int, int], Expr]) -> T:
    """Columns (rel, pos) replaced by expressions, everywhere in a tree. The expressions' own subqueries are
    inserted as they are: where one goes to several places, give each copy `fresh_rels` first.
    """

    def fn(e: Expr) -> Expr:
        return columns.get((e.rel, e.pos), e) if isinstance(e, Column) else e

    return rewrite_exprs(node, fn)


def renumber(node: T, rels: Mapping[int, int], ctes: Mapping[int, int] | None = None) -> T:
    """Range variables (definitions and uses) and CTEs under other numbers."""
    known = ctes or {}

    def on_expr(e: Expr) -> Expr:
        if isinstance(e, Column | SystemColumn | WholeRow) and e.rel in rels:
            return replace(e, rel=rels[e.rel])
        return e

    def on_item(f: FromItem) -> FromItem:
        if isinstance(f, CteScan):
            return replace(f, rel=rels.get(f.rel, f.rel), cte=known.get(f.cte, f.cte))
        if not isinstance(f, Join) and f.rel in rels:
            return replace(f, rel=rels[f.rel])
        return f

    def on_part(p: Any) -> Any:
        return replace(p, cte=known[p.cte]) if isinstance(p, Cte) and p.cte in known else p

    return transform(node, expr=on_expr, item=on_item, part=on_part)


@dataclass
class RelAllocator:
    """Gives out numbers for range variables and CTEs that no tree it was made from uses."""

    next_rel: int = 1
    next_cte: int = 1

    @classmethod
    def above(cls, *nodes: Query | Expr | FromItem) -> RelAllocator:
        rels, ctes = [0], [0]
        for n in nodes:
            rels += [*defined_rels(n), *free_rels(n)]
            ctes += [*defined_ctes(n), *_used_ctes(n)]
        return cls(max(rels) + 1, max(ctes) + 1)

    def rel(self) -> int:
        self.next_rel += 1
        return self.next_rel - 1

    def cte(self) -> int:
        self.next_cte += 1
        return self.next_cte - 1


def _used_ctes(node: Query | Expr | FromItem) -> list[int]:
    found: list[int] = []
    _collect(node, lambda n: found.append(n.cte) if isinstance(n, CteScan) else None)
    return found


def fresh_rels(node: T, allocator: RelAllocator) -> T:
    """A copy whose own range variables and CTEs have numbers nobody else uses."""
    tree: Any = node
    rels = {r: allocator.rel() for r in defined_rels(tree)}
    ctes = {c: allocator.cte() for c in defined_ctes(tree)}
    return renumber(node, rels, ctes)


# --------------------------------------------------------------------------- canonical numbering


def canonical(query: Query) -> Query:
    """The query numbered in order of appearance, inner output names and aliases blanked: two queries that
    differ only in numbers, aliases and names nobody outside sees are equal under it. Names of the result
    columns are kept.
    """
    plain = _blank_inner_names(query)
    done: Query = _renumbered(plain)
    return done


def canonical_expr(expr: Expr) -> Expr:
    """As `canonical`, for the subqueries inside an expression; names are blanked."""
    done: Expr = _renumbered(transform(expr, query=_blank))
    return done


def _renumbered(node: Any) -> Any:
    start = max(free_rels(node), default=0) + 1
    # two steps, so that old and new numbers can't meet
    rels = {r: i for i, r in enumerate(defined_rels(node), start)}
    ctes = {c: i for i, c in enumerate(defined_ctes(node), 1)}
    return renumber(node, rels, ctes)


def _blank_inner_names(query: Query) -> Query:
    names = [t.name for t in query.targets] if isinstance(query, Select) else [c.name for c in query.columns]
    blanked = transform(query, query=_blank)
    return with_names(blanked, names)


def _blank(query: Query) -> Query:
    width = len(query.targets) if isinstance(query, Select) else len(query.columns)
    return with_names(query, [""] * width)


def with_names(query: Query, names: Iterable[str]) -> Query:
    """The query with other output names."""
    match query:
        case Select():
            targets = tuple(Target(n, t.expr) for n, t in zip(names, query.targets, strict=True))
            return replace(query, targets=targets)
        case SetOp() | Values():
            columns = tuple(OutputColumn(n, c.type) for n, c in zip(names, query.columns, strict=True))
            return replace(query, columns=columns)


def conjuncts(expr: Expr | None) -> list[Expr]:
    """The members of a conjunction, nested ANDs flattened; none for no condition."""
    from rewright.sql.algebra import And

    if expr is None:
        return []
    if isinstance(expr, And):
        return [c for arg in expr.args for c in conjuncts(arg)]
    return [expr]


def conjunction(exprs: Iterable[Expr]) -> Expr | None:
    """AND over expressions; None over none."""
    from rewright.sql.algebra import And

    found = list(exprs)
    if len(found) <= 1:
        return found[0] if found else None
    return And(tuple(found))
