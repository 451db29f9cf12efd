"""What a plan costs when the row counts differ from the planner's.

The planner's cost of a plan holds its estimates: two plans can only be compared under the same row counts.
Owns that correction, for joins: a nested loop runs its inner side once an outer row, a hash or merge join
reads each row once. Costs are in the planner's units. PostgreSQL's costsize.c is what is approximated.
"""

from __future__ import annotations

from collections.abc import Mapping

from rewright.hints.levels import Names, level_aliases
from rewright.sql.plans import Node, Plan

# cpu_tuple_cost and cpu_operator_cost at their defaults
TUPLE = 0.01
OPERATOR = 0.0025
# operators whose result is kept: repeating them reads it again
_KEPT = frozenset({"Materialize", "CTE Scan", "Memoize"})


def price(plan: Plan, names: Names, rows: Mapping[frozenset[str], float]) -> float:
    """The plan's cost with ``rows`` in place of the estimates that they contradict."""
    return plan.cost + sum(_difference(node, names, rows) for node in plan.joins)


def _difference(join: Node, names: Names, rows: Mapping[frozenset[str], float]) -> float:
    # a join with subplans only has no inputs to be priced
    if len(join.inputs) != 2:
        return 0.0
    outer, inner = join.inputs
    more_outer = _more(outer, names, rows)
    if join.operator == "Nested Loop":
        # each further outer row runs the inner side once more
        return more_outer * _again(inner)
    return (more_outer + _more(inner, names, rows)) * (TUPLE + OPERATOR)


def _more(node: Node, names: Names, rows: Mapping[frozenset[str], float]) -> float:
    """Rows that come on top of the estimate (negative: fewer)."""
    aliases = level_aliases(node, names)
    true = rows.get(aliases) if aliases else None
    return 0.0 if true is None else true - node.rows


def _again(inner: Node) -> float:
    """The cost of one more run of the inner side."""
    # what was kept is read again, at the price of an operator a row
    return inner.rows * OPERATOR if inner.operator in _KEPT else inner.total_cost
