"""Several to-many joins of the same rows beside each other are read one by one, in arms of UNION ALL.

    SELECT c.region, count(DISTINCT o.day), max(v.cost) FROM cust c LEFT JOIN ord o ON o.cust = c.id
      LEFT JOIN visit v ON v.cust = c.id GROUP BY c.region
    -->
    SELECT f.k1, count(DISTINCT f.v1), max(f.v2)
      FROM (SELECT c.region AS k1, o.day AS v1, NULL AS v2 FROM cust c LEFT JOIN ord o ON o.cust = c.id
            UNION ALL
            SELECT c.region, NULL, v.cost FROM cust c LEFT JOIN visit v ON v.cust = c.id) f GROUP BY f.k1

`fan_out` for any grouping: groups need not be kept rows. Each arm has all of these, so that all groups are
there; an aggregate reads one arm, in which its values stand as before, only less often, and passes over the
NULLs of the others. Calcite: AggregateJoinTransposeRule. Hazards 5d, 6d, 15.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rewright.rewrite.rules.base import (
    SELECT,
    Context,
    Rewrite,
    grouped,
    no_windows,
    one_source,
    rule,
    stable,
)
from rewright.rewrite.rules.branches import ADDED, Step, branches_of, in_order
from rewright.rewrite.rules.partial import aggregates, inputs, with_values
from rewright.sql import algebra as a
from rewright.sql.build import derived, null, numbered, union_all
from rewright.sql.facts import order_sensitive
from rewright.sql.facts.aggregates import EXTREMES
from rewright.sql.types import FLOATS
from rewright.sql.walk import (
    columns_used,
    copy_fresh,
    free_of_all,
    from_rels,
    group_keys,
    has_subquery,
    replace_node,
)


@dataclass(slots=True)
class _Arm:
    """A branch by its range variables, and what is aggregated of it."""

    rels: frozenset[int]
    values: dict[a.Aggregate, None] = field(default_factory=dict)


@rule(
    SELECT.where(grouped, one_source, no_windows, stable),
    guards=("repeated-rows-do-not-count",),
    known_as="AggregateJoinTransposeRule",
    priority=83,
    category="join",
)
def fan_in_arms(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    found = branches_of(block)
    # several grouping sets would read the arms under keys that are NULL for another reason
    if found is None or len(block.group_by or ()) != 1:
        return
    # an inner join takes kept rows away, from all arms: it stays in each
    beside = [_Arm(b.rels) for b in found.branches if b.kind == "left"]
    if not all(_noted(g, beside, ctx) for g in aggregates(block)):
        return
    arms = [arm for arm in beside if arm.values]
    # where one branch is read the others go, which is another rule's work
    made = _apart(block, found.steps, beside, arms, ctx) if len(arms) > 1 else None
    if made is not None:
        number = len(arms)
        yield Rewrite(
            made, f"{number} joins beside each other multiply each other's rows: each is read in its own arm"
        )


def _noted(g: a.Aggregate, beside: Sequence[_Arm], ctx: Context) -> bool:
    """Whether an aggregate reads kept rows and one branch at most, and is not moved by how often a row is
    there; it is noted with its arm, and with the first one where it reads kept rows alone.
    """
    if len(g.args) != 1 or order_sensitive(g) or any(has_subquery(x) for x in inputs(g)):
        return False
    read = [arm for arm in beside if free_of_all(inputs(g)) & arm.rels]
    # of two branches together it asks for pairs of their rows
    if not beside or len(read) > 1:
        return False
    # the different values of each group, whose sum is exact
    exact = g.func.name == "count" or (g.func.name in ADDED and g.args[0].type.name not in FLOATS)
    if g.func.name not in EXTREMES and not (g.func.is_builtin and exact):
        return False
    if not ctx.holds("repeated-rows-do-not-count", g.distinct or g.func.name in EXTREMES):
        return False
    (read or beside)[0].values[g] = None
    return True


def _apart(
    block: a.Select, steps: Sequence[Step], beside: Sequence[_Arm], arms: Sequence[_Arm], ctx: Context
) -> a.Select | None:
    """None where something is shown that neither is a key nor made of aggregates."""
    keys = tuple(dict.fromkeys(group_keys(block)))
    values = [g for arm in arms for g in arm.values]
    parts = []
    for arm in arms:
        others = frozenset[int]().union(*(b.rels for b in beside)) - arm.rels
        shown = (_value(g) if g in arm.values else null(g.args[0].type) for g in values)
        targets = (*numbered("k", keys), *numbered("v", shown))
        from_ = in_order([s for s in steps if not s.rels & others])
        parts.append(copy_fresh(a.Select(targets, from_, block.where), ctx.fresh)[0])
    first, columns = derived(ctx.fresh(), "fan", parts[0])
    item = replace(first, query=union_all(parts))
    read = dict(zip(values, columns[len(keys) :], strict=True))
    above = with_values(
        replace(block, from_=(), where=None),
        {g: replace(g, args=(column,), filter=None) for g, column in read.items()},
    )
    # a key that is an expression of another key goes first
    for key, column in sorted(zip(keys, columns, strict=False), key=lambda pair: -len(repr(pair[0]))):
        above = replace_node(above, key, column)
    # a column that the key decides is shown by its dependency, which a UNION does not have
    if columns_used((above,), from_rels(block.from_)):
        return None
    return replace(above, from_=(item,))


def _value(g: a.Aggregate) -> a.Expr:
    """What an aggregate of a row is taken of: NULL where its FILTER passes the row over."""
    (value,) = g.args
    return value if g.filter is None else a.Case(((g.filter, value),), null(value.type), value.type)
