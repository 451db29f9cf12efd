"""A disjunction of EXISTS on the same outer expressions becomes one IN over their union.

    SELECT … FROM c WHERE EXISTS (SELECT 1 FROM w WHERE w.cust = c.id) OR EXISTS (SELECT 1 FROM s WHERE s.cust
    = c.id) -->
    SELECT … FROM c WHERE c.id IN (SELECT cust FROM w UNION ALL SELECT cust FROM s)

A semi-join can be ordered and hashed by the planner; a disjunction of subplans cannot. Conjuncts of WHERE
only: there FALSE and unknown are the same. An arm of another kind, IN too, keeps the disjunction. Hazards 2a.

Known as subquery coalescing (Bellamkonda et al. 2009).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import Tie, take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import conjoin, conjuncts, disjuncts, free_rels


@rule(SELECT, known_as="subquery coalescing (Bellamkonda et al. 2009)", priority=70, category="predicate")
def or_exists(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    del ctx
    for conjunct in conjuncts(block.where):
        arms = disjuncts(conjunct)
        if len(arms) < 2:
            continue
        made = [_arm(x) for x in arms]
        # one arm of another kind keeps the disjunction
        if any(m is None for m in made):
            continue
        known = [m for m in made if m is not None]
        first = known[0]
        # IN asks one list of outer values for all arms
        if any([t.outer for t in m[0]] != [t.outer for t in first[0]] for m in known):
            continue
        joined = _union(known)
        if joined is None:
            continue
        where = conjoin(joined if c == conjunct else c for c in conjuncts(block.where))
        yield Rewrite(replace(block, where=where), "EXISTS … OR EXISTS becomes one semi-join with the union")


def as_member(exists: a.Exists) -> a.Quantified | None:
    """EXISTS as IN, where FALSE and unknown are the same; None where it is tied by more than equalities."""
    made = _arm(exists)
    # a correlated list would be computed anew for each row
    return None if made is None or free_rels(made[1]) else _union([made])


def _arm(expr: a.Expr) -> tuple[tuple[Tie, ...], a.Select] | None:
    if not isinstance(expr, a.Exists) or not isinstance(expr.query, a.Select) or may_differ(expr.query):
        return None
    query = expr.query
    if query.group_by is not None or query.having is not None or query.limit is not None or query.ctes:
        return None
    # OFFSET asks for more than one row; without ties EXISTS is one value for all rows
    parts = take_apart(replace(query, targets=(), distinct=None, order_by=()))
    if parts is None or query.offset is not None or not parts.ties or parts.others:
        return None
    # of two types (int4 = int8) the tie's operator may stand the wrong way round for IN
    if not all(t.symmetric for t in parts.ties):
        return None
    # in one order in all arms, however they are written
    ties = tuple(sorted(parts.ties, key=lambda t: repr(t.outer)))
    targets = tuple(a.Target(f"k{i + 1}", t.inner) for i, t in enumerate(ties))
    return ties, a.Select(targets, parts.items, conjoin(parts.local))


def _union(arms: list[tuple[tuple[Tie, ...], a.Select]]) -> a.Quantified | None:
    ties, query = arms[0]
    types = [t.inner.type for t in ties]
    union: a.Query = query
    for others, arm in arms[1:]:
        # UNION would find a common type, by which other values may be equal
        if [t.inner.type for t in others] != types or free_rels(arm):
            return None
        union = a.SetOp("union", True, union, arm, a.output_columns(query))
    return a.Quantified("=", tuple(t.op.op for t in ties), tuple(t.outer for t in ties), union)
