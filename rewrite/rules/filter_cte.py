"""Filters that all users of a CTE apply are applied (as their disjunction) inside the CTE.

    WITH y AS (SELECT k, yr, sum(x) s FROM t GROUP BY k, yr) SELECT * FROM y a, y b WHERE a.yr = 1 AND b.yr =
    2 … -->
    WITH y AS (SELECT k, yr, sum(x) s FROM t WHERE yr = 1 OR yr = 2 GROUP BY k, yr) SELECT … the same …

A CTE that is used twice is computed whole, whatever its users need. A user's filter is a conjunct on its
columns, also on one that equals such a column, or the semi-join that follows from an equality with a filtered
table. A user on the right of a LEFT JOIN needs the rows that its ON finds for what passes. The users keep
their filters.
Of a recursive CTE the first term is filtered, by columns that each step hands on unchanged: a row that is
left out then leads to none that a user would see.

    WITH RECURSIVE up AS (SELECT id AS leaf, parent FROM t UNION SELECT u.leaf, t.parent FROM up u JOIN t ON
    t.id = u.parent) SELECT parent FROM up WHERE leaf = 7 -->
    WITH RECURSIVE up AS (SELECT id AS leaf, parent FROM t WHERE id = 7 UNION SELECT … the same …) SELECT …

Calcite: FilterProjectTransposeRule and friends over a shared spool. Hazards 7a, 12.

Known as predicate pushdown into shared expressions (El-Helw et al. 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.recursion import columns_handed_on
from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.rewrite.rules.pushing import can_push, push
from rewright.rewrite.rules.semijoins import carried, implied_semijoins
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    blocks,
    canonical,
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    from_rels,
    has_subquery,
    kept_product,
    references_whole,
    renumber,
    substitute,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Use:
    """One reference to a CTE: its filters, and the semi-joins that follow from its joins."""

    rel: int
    filters: tuple[a.Expr, ...]
    semijoins: tuple[a.Quantified, ...]


@rule(
    QUERY,
    guards=(
        "every-user-filters",
        "no-limit-inside",
        "not-distinct-on",
        "grouped-by-column",
        "partitioned-by-column",
        "handed-on",
    ),
    known_as="predicate pushdown into shared expressions (El-Helw et al. 2015)",
    priority=85,
    category="cte",
)
def filter_cte(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    for i, cte in enumerate(block.ctes):
        # filtered inside, a volatile query would be called for other rows
        if may_differ(cte.query):
            continue
        uses = _uses(block, cte, ctx)
        if uses is None:
            continue
        # semi-joins cost more than they may leave out: without them, and with them
        for semi, why in ((False, "filters"), (True, "filters and semi-joins")):
            preds = _common(cte, uses, ctx, semi=semi)
            # what was pushed before is found again by its users, who keep their filters
            fresh = [p for p in preds if not _present(_first(cte), p)]
            # without a new semi-join it is what the round before gave
            if not fresh or (semi and not any(has_subquery(p) for p in fresh)):
                continue
            rel = uses[0].rel
            made = replace(cte, query=_filtered(cte, rel, fresh, ctx))
            yield Rewrite(
                replace(block, ctes=(*block.ctes[:i], made, *block.ctes[i + 1 :])),
                f"what all users of the CTE {cte.name} need ({why}) is applied inside it",
                way=_way(block, cte, rel, fresh, ctx) if semi else (),
            )


def _way(block: a.Query, cte: a.Cte, rel: int, preds: Sequence[a.Expr], ctx: Context) -> tuple[a.Query, ...]:
    """The statement in which the users ask for what follows from their joins: that it follows, and that what
    all ask for is asked within, are two steps. For users that are joined with each other.
    """
    if not isinstance(block, a.Select) or cte.recursive:
        return ()
    users = [i for i in kept_product(block)[0] if isinstance(i, a.CteScan) and i.cte == cte.cte]
    if len(users) != sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(block)):
        return ()
    asked = [copy_fresh(renumber(p, {rel: u.rel}), ctx.fresh)[0] for u in users for p in preds]
    return (replace(block, where=conjoin((*conjuncts(block.where), *asked))),)


def _first(cte: a.Cte) -> a.Query:
    """What is filtered of a CTE: a recursive one's first term."""
    return cte.query.left if cte.recursive and isinstance(cte.query, a.SetOp) else cte.query


def _filtered(cte: a.Cte, rel: int, preds: list[a.Expr], ctx: Context) -> a.Query:
    made = push(_first(cte), rel, preds, ctx)
    return replace(cte.query, left=made) if cte.recursive and isinstance(cte.query, a.SetOp) else made


def _present(query: a.Query, pred: a.Expr) -> bool:
    """Whether it was pushed before: into each arm, where there are several. Once more it would leave out
    nothing and look cheaper, as estimates take two conditions to leave out more than one.
    """
    # fresh numbers keep a second semi-join from being equal to the first: only its shape is compared
    if not isinstance(pred, a.Quantified):
        if isinstance(query, a.SetOp):
            return _present(query.left, pred) and _present(query.right, pred)
        return isinstance(query, a.Select) and any(
            isinstance(c, type(pred)) and _same_but_columns(c, pred, query) for c in conjuncts(query.where)
        )
    return any(
        isinstance(c, a.Quantified)
        and len(c.left) == len(pred.left)
        and _tables(c.query) == _tables(pred.query)
        for n in walk(query)
        if isinstance(n, a.Select)
        for c in conjuncts(n.where)
    )


def _same_but_columns(one: a.Expr, other: a.Expr, query: a.Select) -> bool:
    # the filter reads the use's columns, the CTE's condition what these show
    rels = {c.rel for c in walk(other) if isinstance(c, a.Column)}
    mapping = {(r, i): t.expr for r in rels for i, t in enumerate(query.targets)}
    return bool(substitute(other, mapping) == one)


def _tables(query: a.Query) -> list[str]:
    return sorted(f"{n.table.schema}.{n.table.name}" for n in walk(query) if isinstance(n, a.Scan))


def _uses(block: a.Query, cte: a.Cte, ctx: Context) -> list[_Use] | None:
    """Every reference outside of a recursion's step, with its filters; None when one cannot be judged."""
    # the reference within a recursion is its step: it sees rows that the first term already left out
    steps = sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(cte.query))
    total = sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(block)) - steps
    inside = [q for _, q in blocks(cte.query)] if cte.recursive else []
    found: list[_Use] = []
    for _, query in blocks(block):
        if not isinstance(query, a.Select) or query in inside:
            continue
        for item, items, preds in _readers(query, cte):
            if references_whole(query, item.rel):
                return None
            found.append(_use(item, items, preds, ctx))
    # a reference below an outer join, or in a set operation's arm, was not judged: its rows may all be needed
    return found if len(found) == total and total > 0 else None


def _readers(query: a.Select, cte: a.Cte) -> Iterator[tuple[a.CteScan, list[a.FromItem], list[a.Expr]]]:
    """Each reference to the CTE in a block's FROM with the product around it and its conjuncts: rows of the
    reference that do not meet these are not seen. Those that a LEFT JOIN pads are tied by its condition.
    """
    items, preds = kept_product(query)
    for item in items:
        if isinstance(item, a.CteScan) and item.cte == cte.cte:
            yield item, items, preds
    kept = from_rels(items)
    # a condition that reads padded columns is asked after the LEFT JOIN: it says nothing of this side's rows
    sure = [p for p in preds if not free_rels(p) & from_rels(query.from_) - kept]
    for join in (j for item in query.from_ for j in _kept_joins(item)):
        right = join.right
        if isinstance(right, a.CteScan) and right.cte == cte.cte:
            seen = kept | {right.rel}
            on = [p for p in conjuncts(join.on) if not free_rels(p) & from_rels(query.from_) - seen]
            # ON may name tables joined later or beside, whose rows are not known to be there
            yield right, [*items, right], [*sure, *on]


def _kept_joins(item: a.FromItem) -> Iterator[a.Join]:
    """The LEFT JOINs whose own rows no outer join around them pads."""
    if isinstance(item, a.Join) and item.kind in ("left", "inner"):
        if item.kind == "left":
            yield item
        yield from _kept_joins(item.left)
        # the right side of a LEFT JOIN is padded by it: a LEFT JOIN within it is not the outermost any more
        if item.kind == "inner":
            yield from _kept_joins(item.right)


def _use(item: a.CteScan, items: Sequence[a.FromItem], preds: Sequence[a.Expr], ctx: Context) -> _Use:
    # what holds of a column holds of all that equal it: `a.yr = d.yr AND d.yr = 1`
    known = [*preds, *carried(preds, preds, item.rel, ctx)]
    own = tuple(p for p in known if free_rels(p) == {item.rel} and not has_subquery(p) and not may_differ(p))
    semi = (*_asked(known, item.rel), *implied_semijoins(items, known, item, ctx))
    # a CTE is not visible inside itself or before it
    seen = tuple(s for s in semi if not any(isinstance(n, a.CteScan) for n in walk(s.query)))
    return _Use(item.rel, own, seen)


def _asked(preds: Sequence[a.Expr], rel: int) -> Iterator[a.Quantified]:
    """Conditions ``columns of a use IN (a query of its own)``."""
    for pred in preds:
        if not isinstance(pred, a.Quantified) or pred.kind != "=" or pred.all:
            continue
        # correlated inside, or with other columns outside, it could not be asked before the CTE is joined
        if free_rels(pred) == {rel} and not free_rels(pred.query) and not may_differ(pred):
            yield pred


def _common(cte: a.Cte, uses: list[_Use], ctx: Context, *, semi: bool) -> list[a.Expr]:
    first = uses[0].rel
    arms: list[a.Expr] = []
    for use in uses:
        kept = [renumber(p, {use.rel: first}) for p in use.filters if _pushable(cte, p, use.rel, ctx)]
        arm = conjoin(kept)
        if arm is not None:
            arms.append(arm)
    preds: list[a.Expr] = []
    # one user without a filter needs all rows
    every = ctx.holds("every-user-filters", len(arms) == len(uses))
    if arms and every:
        distinct = tuple(dict.fromkeys(arms))
        # the same filter by all users is asked as it is, not as `p OR p`
        preds += conjuncts(distinct[0]) if len(distinct) == 1 else [a.Or(distinct)]
    if semi:
        preds += _common_semijoins(cte, uses, ctx)
    return preds


def _common_semijoins(cte: a.Cte, uses: list[_Use], ctx: Context) -> Iterator[a.Expr]:
    """For each column that all users join with filtered tables: IN (their UNION ALL)."""
    first = uses[0].rel
    for lead in uses[0].semijoins:
        others = []
        for use in uses[1:]:
            # each user has to ask the same columns by the same operators
            match = next((s for s in use.semijoins if _same_left(s, lead, use.rel, first)), None)
            if match is None:
                break
            others.append(match.query)
        else:
            if not _pushable(cte, lead, first, ctx):
                continue
            query = lead.query
            # a key that any user asks for has to stay, so the lists are put together
            for other in _different(others, query):
                query = a.SetOp("union", True, query, other, a.output_columns(lead.query))
            copied, _ = copy_fresh(replace(lead, query=query), ctx.fresh)
            yield copied


def _different(queries: Sequence[a.Query], first: a.Query) -> Iterator[a.Query]:
    """Those that are not the same query as the first, or as one before."""
    seen = {canonical(first)}
    for query in queries:
        form = canonical(query)
        if form not in seen:
            seen.add(form)
            yield query


def _same_left(one: a.Quantified, lead: a.Quantified, rel: int, first: int) -> bool:
    return tuple(renumber(e, {rel: first}) for e in one.left) == lead.left and one.ops == lead.ops


def _pushable(cte: a.Cte, pred: a.Expr, rel: int, ctx: Context) -> bool:
    positions = frozenset(c.pos for c in columns_used((pred,), (rel,)))
    if not cte.recursive or not isinstance(cte.query, a.SetOp):
        return can_push(cte.query, positions, ctx)
    # a column that a step changes is another one in the rows that come of a filtered first term
    handed_on = positions <= frozenset(columns_handed_on(cte.query.right, cte))
    return ctx.holds("handed-on", handed_on) and can_push(cte.query.left, positions, ctx)
