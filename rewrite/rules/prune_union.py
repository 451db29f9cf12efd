"""Arms of a UNION ALL that a condition on a constant column leaves nothing of are left out where it is asked.

    WITH t AS (SELECT cust, sum(total) AS t, 'o' AS kind FROM ord GROUP BY cust
               UNION ALL SELECT cust, sum(cost), 'v' FROM visit GROUP BY cust)
    SELECT a.cust FROM t a, t b WHERE a.kind = 'o' AND b.kind = 'v' AND a.cust = b.cust
    -->
    SELECT a.cust FROM (SELECT cust, sum(total) AS t, 'o' AS kind FROM ord GROUP BY cust) a,
                       (SELECT cust, sum(cost), 'v' FROM visit GROUP BY cust) b WHERE … AND a.cust = b.cust

The server computes such a CTE whole and filters it at each use, with its usual guess for a condition on a
computed column. The conditions stay where they are. Calcite: PruneEmptyRules. Hazards 7a, 9, 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from rewright.equivalence.laws.inlining import inlined
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.conditions import never
from rewright.rewrite.rules.naming import all_named
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    as_product,
    copy_fresh,
    free_rels,
    has_subquery,
    map_parts,
    substitute,
    walk,
)


@rule(
    SELECT,
    guards=("not-volatile", "keeps-duplicates", "is-never-true"),
    known_as="PruneEmptyRules",
    priority=84,
    category="cte",
    # each condition on a column that a CTE computes is thought to leave one row of two hundred: four users
    # that ask two things each are thought to be nearly free
    slack=float("inf"),
)
def prune_union(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    made: dict[int, a.Derived] = {}
    scans: dict[int, a.CteScan] = {}
    for item in items:
        if not isinstance(item, a.Derived | a.CteScan):
            continue
        # a condition that cannot be said of this item's columns alone leaves no constants to compare
        own = [p for p in preds if free_rels(p) == {item.rel} and not has_subquery(p) and not may_differ(p)]
        pruned = _pruned(item, own, ctx) if own else None
        if pruned is not None:
            made[item.rel] = pruned
            if isinstance(item, a.CteScan):
                scans[item.rel] = item
    if made:
        names = all_named([item for item in items if getattr(item, "rel", None) in made])
        yield Rewrite(
            _placed(block, made),
            f"{names}: arms that the conditions leave nothing of are not read",
            way=_way(block, made, list(scans.values()), ctx),
        )


def _way(
    block: a.Select, made: dict[int, a.Derived], scans: Sequence[a.CteScan], ctx: Context
) -> tuple[a.Query, ...]:
    """A CTE is put where it is used, then one use after the other loses its arms: of all at once there is a
    proof in no sensible time, each arm of one being joined with each of the others.
    """
    if len(made) < 2:
        return ()
    way: list[a.Select] = []
    for cte in (c for c in block.ctes if any(s.cte == c.cte for s in scans)):
        uses = sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(block))
        if uses != sum(s.cte == cte.cte for s in scans):
            return ()
        put = inlined(way[-1] if way else block, cte, ctx.fresh)
        if not isinstance(put, a.Select):
            return ()
        way.append(put)
    start, rels = way[-1] if way else block, list(made)
    way += [_placed(start, {rel: made[rel] for rel in rels[:count]}) for count in range(1, len(rels))]
    return tuple(way)


def _pruned(item: a.Derived | a.CteScan, own: Sequence[a.Expr], ctx: Context) -> a.Derived | None:
    """The item with the arms that are left, or None where all are, or none."""
    if isinstance(item, a.CteScan):
        cte = ctx.ctes.get(item.cte)
        # the arms of a recursion feed each other
        if cte is None or cte.recursive:
            return None
        query, names = cte.query, tuple(c.name for c in item.columns)
    elif item.lateral or item.security_barrier:
        return None
    else:
        query, names = item.query, item.names
    # copied for a use of its own, a volatile arm would be called again
    if not isinstance(query, a.SetOp) or not ctx.holds("not-volatile", not may_differ(query)):
        return None
    arms = list(_arms(query, ctx))
    left = [arm for arm in arms if not _nothing(arm, item.rel, own, ctx)]
    # all arms left: nothing to do; none left: contradiction's task. An arm that the union casts would show
    # another type
    if not 0 < len(left) < len(arms) or not all(
        _types(arm) == [c.type for c in query.columns] for arm in left
    ):
        return None
    united = reduce(lambda one, other: a.SetOp("union", True, one, other, query.columns), left)
    if isinstance(item, a.CteScan):
        # the CTE's own copy stays for its other uses: the numbers must differ
        united, _ = copy_fresh(united, ctx.fresh)
        return a.Derived(item.rel, united, item.alias, names)
    return replace(item, query=united)


def _arms(query: a.Query, ctx: Context) -> Iterator[a.Query]:
    """The arms of a chain of UNION ALL; the query itself where it is none."""
    if (
        isinstance(query, a.SetOp)
        and query.op == "union"
        # UNION without ALL compares rows across its arms, LIMIT counts them
        and ctx.holds("keeps-duplicates", query.all)
        and query.limit is None
        and query.offset is None
        and not query.ctes
    ):
        yield from _arms(query.left, ctx)
        yield from _arms(query.right, ctx)
    else:
        yield query


def _nothing(arm: a.Query, rel: int, own: Sequence[a.Expr], ctx: Context) -> bool:
    """Whether a condition on the arm's constants can not be true."""
    if not isinstance(arm, a.Select):
        # a nested set operation shows no constants
        return False
    constants: dict[tuple[int, int], a.Expr] = {
        (rel, place): t.expr for place, t in enumerate(arm.targets) if isinstance(t.expr, a.Const)
    }
    return any(ctx.holds("is-never-true", never(substitute(p, constants))) for p in own)


def _types(arm: a.Query) -> list[Any]:
    return [c.type for c in a.output_columns(arm)]


def _placed(block: a.Select, made: dict[int, a.Derived]) -> a.Select:
    def visit(n: Any) -> Any:
        return made[n.rel] if isinstance(n, a.Derived | a.CteScan) and n.rel in made else map_parts(n, visit)

    placed: a.Select = visit(block)
    read = {n.cte for n in walk(placed) if isinstance(n, a.CteScan)}
    # a CTE of which no use is left would be computed by nobody, and only confuses the reader
    return replace(placed, ctes=tuple(c for c in placed.ctes if c.cte in read))
