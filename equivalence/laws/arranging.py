"""Inner joins as products, and conditions and the sides of equations in one order.

    FROM a JOIN b ON b.x = a.x WHERE a.k > 1          -->   FROM a, b WHERE a.k > 1 AND a.x = b.x

The planner does the same before anything else. Conditions one of which may fail stay in their order: what
is computed asks them so, and so does the planner those that cost the same. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts, is_equality
from rewright.sql.walk import (
    LEAVES,
    REFERENCES,
    Fresh,
    as_product,
    canonical_expr,
    conjoin,
    highest_number,
    leaves,
    map_parts,
    renumber,
    used_rels,
)

# more relations than a FROM has
_WIDE = 1_000


def arranged(query: a.Query, catalog: Catalog) -> a.Query:
    """A query that holds no CTEs, arranged so. No two of its relations have one number, also of a subquery
    that stands in two places.
    """
    made: a.Query = _Around(Facts(catalog, query), Fresh(highest_number(query))).arranged(query)
    return made


@dataclass(frozen=True, slots=True)
class _Around:
    """The relations of the blocks around: ``names``, their numbers by those that they had, and ``places``,
    by depth and by place in FROM: what is alike in two queries comes in one order in both. ``failing``: those
    whose values may fail where they are read.
    """

    facts: Facts
    fresh: Fresh
    names: Mapping[int, int] = field(default_factory=dict)
    places: Mapping[int, int] = field(default_factory=dict)
    failing: frozenset[int] = frozenset()

    def arranged(self, node: Any) -> Any:
        around = self
        if isinstance(node, a.Select) and node.from_:
            items, preds = as_product(node)
            around = self._with(items)
            node = replace(node, from_=tuple(items), where=conjoin(preds))
        made = map_parts(node, around.arranged)
        # asked of the node as it was: facts know relations by the numbers that they had
        # 1/x > 2 AND x <> 0: another order might fail where this one does not
        if isinstance(node, a.And) and any(self._may_fail(x) for x in node.args):
            return made
        return around._in_order(made) if isinstance(made, a.Op | a.And) else around._named(made)

    def _with(self, items: Sequence[a.FromItem]) -> _Around:
        own = {leaf.rel: self.fresh() for leaf in leaves(items)}
        # numbers of an inner block begin above all of the blocks around, so that a sort never puts two of one
        # number
        first = _WIDE * (1 + max(self.places.values(), default=0) // _WIDE)
        places = {rel: first + i for i, rel in enumerate(own.values())}
        # a subquery in FROM that may fail does so where its columns are read, once it is pulled up
        made = (i for i in leaves(items) if isinstance(i, a.Derived) and self.facts.errors(i.query))
        return replace(
            self,
            names={**self.names, **own},
            places={**self.places, **places},
            failing=self.failing | {i.rel for i in made},
        )

    def _may_fail(self, condition: a.Expr) -> bool:
        """Also by a value that a subquery in FROM shows: it is computed where it is read."""
        return bool(used_rels(condition) & self.failing) or bool(self.facts.errors(condition))

    def _named(self, node: Any) -> Any:
        # rows of other queries around, which nobody renumbers here, keep their numbers
        known = isinstance(node, (*LEAVES, *REFERENCES)) and node.rel in self.names
        return replace(node, rel=self.names[node.rel]) if known else node

    def _in_order(self, node: a.Op | a.And) -> a.Expr:
        if isinstance(node, a.And):
            return replace(node, args=tuple(sorted(node.args, key=self._written)))
        # int4 = int8 turned round is the operator int8 = int4, which is another one
        if not is_equality(node) or node.op.left != node.op.right:
            return node
        left, right = node.args
        return replace(node, args=(right, left)) if self._written(right) < self._written(left) else node

    def _written(self, expr: a.Expr) -> str:
        return repr(canonical_expr(renumber(expr, self.places)))
