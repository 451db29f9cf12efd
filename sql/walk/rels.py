"""Range variables of a tree: which it defines, which it refers to, and numbers that are still free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rewright.sql import algebra as a
from rewright.sql.walk.memory import remembered
from rewright.sql.walk.nodes import LEAVES, REFERENCES, from_tree, walk, walk_all

# a column by range variable and position
Place = tuple[int, int]


def leaves(items: Iterable[a.FromItem]) -> Iterator[a.Leaf]:
    """The range variables below joins, left to right."""
    for item in items:
        for one in from_tree(item):
            if not isinstance(one, a.Join):
                yield one


def rels_of(item: a.FromItem) -> tuple[int, ...]:
    """Numbers of the range variables of a FROM tree, left to right."""
    return tuple(leaf.rel for leaf in leaves((item,)))


def from_rels(items: Iterable[a.FromItem]) -> frozenset[int]:
    """Range variables that FROM items put in scope (not those inside subqueries)."""
    return frozenset(leaf.rel for leaf in leaves(items))


def defined_rels(node: a.Node) -> list[int]:
    """Numbers of the range variables that a tree defines anywhere, in order of appearance, once each."""
    return list(dict.fromkeys(n.rel for n in walk(node) if isinstance(n, LEAVES)))


def defined_ctes(node: a.Node) -> list[int]:
    return list(dict.fromkeys(n.cte for n in walk(node) if isinstance(n, a.Cte)))


@remembered
def used_rels(node: a.Node) -> frozenset[int]:
    """Range variables that a tree refers to, its own included."""
    return frozenset(n.rel for n in walk(node) if isinstance(n, REFERENCES))


@remembered
def free_rels(node: a.Node) -> frozenset[int]:
    """Range variables that a tree refers to and does not define: what it is correlated with."""
    used: set[int] = set()
    defined: set[int] = set()
    for n in walk(node):
        if isinstance(n, REFERENCES):
            used.add(n.rel)
        elif isinstance(n, LEAVES):
            defined.add(n.rel)
    return frozenset(used - defined)


def free_of_all(nodes: Iterable[a.Node]) -> frozenset[int]:
    """Range variables that any of the trees refers to from outside."""
    return frozenset().union(*(free_rels(n) for n in nodes))


def columns_used(nodes: Iterable[a.Node], rels: Iterable[int]) -> list[a.Column]:
    """The distinct columns of ``rels`` that ``nodes`` mention, in order of rel and position."""
    wanted = frozenset(rels)
    found = {(n.rel, n.pos): n for n in walk_all(nodes) if isinstance(n, a.Column) and n.rel in wanted}
    return [found[k] for k in sorted(found)]


def references_whole(node: a.Node, rel: int) -> bool:
    """Whether a whole row or a system column of ``rel`` is used (columns can then not be counted)."""
    return rel in _wholly_used(node)


@remembered
def _wholly_used(node: a.Node) -> frozenset[int]:
    return frozenset(n.rel for n in walk(node) if isinstance(n, a.WholeRow | a.SystemColumn))


@remembered
def highest_number(node: a.Node) -> int:
    """The highest rel or cte number in use, among definitions and references."""
    rels = (n.rel for n in walk(node) if isinstance(n, (*LEAVES, *REFERENCES)))
    ctes = (n.cte for n in walk(node) if isinstance(n, a.Cte | a.CteScan))
    return max((*rels, *ctes), default=0)


class Fresh:
    """Gives out numbers above all that are in use, for range variables and CTEs alike."""

    def __init__(self, highest: int) -> None:
        self._last = highest

    def __call__(self) -> int:
        self._last += 1
        return self._last
