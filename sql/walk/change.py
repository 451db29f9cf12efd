"""Trees with parts replaced: mapping, substitution, numbering, canonical forms, blocks by their place.

Everything returns new values; untouched subtrees are shared with the old tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import is_
from typing import Any, TypeVar

from rewright.sql import algebra as a
from rewright.sql.walk.nodes import CHILDLESS, FIELDS, LEAVES, NODES, QUERIES, REFERENCES, walk
from rewright.sql.walk.rels import Place, defined_ctes, defined_rels, free_rels

N = TypeVar("N", bound=a.Node)
Path = tuple[str | int, ...]
# forms of the trees that were asked for last, by identity: one search asks for a subtree's time and again
_CANONICAL: dict[tuple[int, bool], tuple[a.Query, a.Query]] = {}
_MOST_KEPT = 500
_OF_RELS = frozenset({*REFERENCES, *LEAVES})
_OF_CTES = frozenset({a.Cte, a.CteScan})


def map_parts(node: N, f: Callable[[Any], Any]) -> N:
    """``node`` with ``f`` applied to each node directly below it; the same object when nothing changed."""
    kind = type(node)
    if kind in CHILDLESS:
        return node
    changes = {}
    for name in FIELDS[kind]:
        old = getattr(node, name)
        if not old:
            continue
        new = f(old) if type(old) in NODES else _map_values(old, f)
        if new is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node


def _map_values(values: Any, f: Callable[[Any], Any]) -> Any:
    if not isinstance(values, tuple):
        return values
    mapped = [f(v) if type(v) in NODES else _map_values(v, f) if v else v for v in values]
    # the old tuple is kept where nothing in it is another object
    return values if all(map(is_, mapped, values)) else tuple(mapped)


def bottom_up(node: N, f: Callable[[Any], Any]) -> N:
    """``node`` rebuilt from the leaves: each node is given to ``f`` after its parts were."""

    def visit(n: Any) -> Any:
        return f(map_parts(n, visit))

    made: N = visit(node)
    return made


def top_down(node: N, f: Callable[[Any], Any]) -> N:
    """``node`` with the outermost nodes replaced for which ``f`` gives another: nothing is looked at within
    what was replaced.
    """

    def visit(n: Any) -> Any:
        new = f(n)
        return map_parts(n, visit) if new is n else new

    made: N = visit(node)
    return made


def map_kind(node: N, kind: type[Any], f: Callable[[Any], Any]) -> N:
    """``node`` with ``f`` applied to its outermost nodes of one class; nested queries are not entered, unless
    ``node`` is one.
    """

    def visit(n: Any) -> Any:
        if isinstance(n, kind):
            return f(n)
        return n if isinstance(n, QUERIES) else map_parts(n, visit)

    made: N = map_parts(node, visit) if isinstance(node, QUERIES) else visit(node)
    return made


def substitute(node: N, columns: Mapping[Place, a.Expr]) -> N:
    """Columns (rel, pos) replaced by expressions, everywhere in a tree. The expressions' own subqueries are
    inserted as they are: where one goes to several places, make each copy fresh first (`copy_fresh`).
    """
    if not columns:
        return node

    def visit(n: Any) -> Any:
        if isinstance(n, a.Column):
            return columns.get((n.rel, n.pos), n)
        return map_parts(n, visit)

    made: N = visit(node)
    return made


def replace_node(node: N, old: a.Node, new: a.Node) -> N:
    """``node`` with each node that equals ``old`` replaced."""

    def visit(n: Any) -> Any:
        return new if n == old else map_parts(n, visit)

    made: N = visit(node)
    return made


def replace_item(item: a.FromItem, old: a.FromItem, new: a.FromItem) -> a.FromItem:
    """A FROM tree with one of its items, told by identity, replaced."""
    if item is old:
        return new
    if not isinstance(item, a.Join):
        return item
    left, right = (replace_item(side, old, new) for side in (item.left, item.right))
    same = left is item.left and right is item.right
    return item if same else replace(item, left=left, right=right)


def substitute_around(item: a.FromItem, kept: a.FromItem, columns: Mapping[Place, a.Expr]) -> a.FromItem:
    """As `substitute`, in a FROM tree everywhere but inside one of its items, told by identity."""
    if item is kept:
        return item
    if not isinstance(item, a.Join):
        return substitute(item, columns)
    left, right = (substitute_around(side, kept, columns) for side in (item.left, item.right))
    on = None if item.on is None else substitute(item.on, columns)
    return replace(item, left=left, right=right, on=on)


# --------------------------------------------------------------------------- numbering


def renumber(node: N, rels: Mapping[int, int], ctes: Mapping[int, int] | None = None) -> N:
    """``node`` with rel and cte numbers replaced, in definitions and references alike."""
    known = {old: new for old, new in (ctes or {}).items() if old != new}
    rels = {old: new for old, new in rels.items() if old != new}
    if not rels and not known:
        return node

    def fn(n: Any) -> Any:
        kind = type(n)
        if kind in _OF_RELS and n.rel in rels:
            n = replace(n, rel=rels[n.rel])
        if kind in _OF_CTES and n.cte in known:
            n = replace(n, cte=known[n.cte])
        return n

    return bottom_up(node, fn)


def copy_fresh(node: N, fresh: Callable[[], int]) -> tuple[N, Mapping[int, int]]:
    """A copy in which everything defined inside has fresh numbers; and old rel -> new rel."""
    rels = {r: fresh() for r in sorted(defined_rels(node))}
    ctes = {c: fresh() for c in defined_ctes(node)}
    return renumber(node, rels, ctes), rels


# --------------------------------------------------------------------------- canonical forms


def canonical(query: a.Query, *, keep_names: bool = True) -> a.Query:
    """The query numbered in order of appearance, names of inner outputs blanked: two queries that differ only
    in numbers, aliases and names nobody outside sees are equal under it. ``keep_names``: names of the result
    columns count.
    """
    key = id(query), keep_names
    kept = _CANONICAL.get(key)
    # a tree is kept with its form, so that no other one has its number
    if kept is not None and kept[0] is query:
        return kept[1]
    plain = bottom_up(query, _nameless)
    if keep_names:
        plain = with_names(plain, [c.name for c in a.output_columns(query)])
    made = _renumbered(plain)
    if len(_CANONICAL) >= _MOST_KEPT:
        _CANONICAL.clear()
    _CANONICAL[key] = query, made
    return made


def canonical_expr(expr: a.Expr) -> a.Expr:
    """As `canonical`, for the subqueries inside an expression; no name counts."""
    return _renumbered(bottom_up(expr, _nameless))


def _renumbered(node: N) -> N:
    # above what is free, so that old and new numbers can't meet
    start = max(free_rels(node), default=0) + 1
    rels = {r: i for i, r in enumerate(defined_rels(node), start)}
    own = defined_ctes(node)
    read = {n.cte for n in walk(node) if isinstance(n, a.CteScan)}
    ctes = {c: i for i, c in enumerate(own, max(read.difference(own), default=0) + 1)}
    return renumber(node, rels, ctes)


def _nameless(node: Any) -> Any:
    if not isinstance(node, QUERIES):
        return node
    shown = node.targets if isinstance(node, a.Select) else node.columns
    return with_names(node, [""] * len(shown)) if any(t.name for t in shown) else node


def with_names(query: a.Query, names: Iterable[str]) -> a.Query:
    """The query with other output names."""
    match query:
        case a.Select():
            targets = tuple(a.Target(n, t.expr) for n, t in zip(names, query.targets, strict=True))
            return replace(query, targets=targets)
        case a.SetOp() | a.Values():
            columns = tuple(a.OutputColumn(n, c.type) for n, c in zip(names, query.columns, strict=True))
            return replace(query, columns=columns)


# --------------------------------------------------------------------------- places of blocks


def blocks(query: a.Query, path: Path = ()) -> Iterator[tuple[Path, a.Query]]:
    """Every query node of a statement with its path, outermost first."""
    return _blocks(query, path)


def _blocks(node: a.Node, path: Path) -> Iterator[tuple[Path, a.Query]]:
    if isinstance(node, QUERIES):
        yield path, node
    for name in FIELDS[type(node)]:
        yield from _blocks_in(getattr(node, name), (*path, name))


def _blocks_in(value: Any, path: Path) -> Iterator[tuple[Path, a.Query]]:
    if isinstance(value, tuple):
        for i, v in enumerate(value):
            yield from _blocks_in(v, (*path, i))
    elif type(value) in NODES:
        yield from _blocks(value, path)


def replace_at(query: a.Query, path: Path, new: a.Query) -> a.Query:
    """``query`` with the block that stands at ``path`` replaced."""
    made: a.Query = _replaced_at(query, path, new)
    return made


def _replaced_at(value: Any, path: Path, new: a.Query) -> Any:
    if not path:
        return new
    # an index of a tuple, or the name of a field
    here, rest = path[0], path[1:]
    if isinstance(here, int):
        return (*value[:here], _replaced_at(value[here], rest, new), *value[here + 1 :])
    return replace(value, **{here: _replaced_at(getattr(value, here), rest, new)})
