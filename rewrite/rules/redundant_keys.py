"""A derived table that only lists the groups of another one over the same rows is left out.

    SELECT sum(a.n * b.sal) FROM (SELECT sal, count(*) n FROM emp GROUP BY sal) a JOIN (SELECT sal FROM emp
    GROUP BY sal) b ON a.sal = b.sal -->
    SELECT sum(a.n * a.sal) FROM (SELECT sal, count(*) n FROM emp GROUP BY sal) a WHERE a.sal IS NOT NULL

Every group meets itself and no other; the NULL group meets nothing. Hazards 5, 10.

Calcite: AggregateRemoveRule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, may_differ
from rewright.sql.walk import as_product, canonical, conjoin, is_closed, references_whole, substitute


@rule(SELECT, guards=("no-having",), known_as="AggregateRemoveRule", priority=74, category="join")
def redundant_keys(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    grouped = [i for i in items if isinstance(i, a.Derived) and not i.lateral and not i.security_barrier]
    for gone in grouped:
        keys = _keys(gone, ctx)
        if keys is None or references_whole(block, gone.rel):
            # as a whole row the list of keys has no twin
            continue
        for kept in grouped:
            same = _same_groups(gone, kept, keys, ctx) if kept is not gone else None
            ties = _ties(preds, gone, kept, same) if same is not None else None
            if same is None or ties is None:
                continue
            mapping: dict[tuple[int, int], a.Expr] = {
                (gone.rel, p): a.Column(kept.rel, q, gone.query.targets[p].expr.type, kept.names[q])  # type: ignore[union-attr] # _keys finds none where the query is no Select
                for p, q in same.items()
            }
            # the tie `a.sal = b.sal` refused the group of NULL
            filled = [a.IsNull(mapping[gone.rel, p], negated=True) for p in same]
            rest = [p for p in preds if p not in ties]
            made = replace(
                block,
                from_=tuple(i for i in items if i is not gone),
                where=conjoin((*rest, *filled)),
            )
            yield Rewrite(substitute(made, mapping), "a list of groups is joined to those very groups")


def _keys(item: a.Derived, ctx: Context) -> tuple[a.Expr, ...] | None:
    # the list of groups: grouped in one way, by what it shows
    """The grouping expressions, when the query shows them and nothing else."""
    query = item.query
    if not isinstance(query, a.Select) or query.group_by is None or len(query.group_by) != 1:
        return None
    keys = query.group_by[0]
    shown = [t.expr for t in query.targets]
    plain = (
        # HAVING leaves groups out; the kept one may have it, as it decides which groups there are
        ctx.holds("no-having", query.having is None)
        and query.limit is None
        and query.offset is None
        and query.distinct is None
    )
    # an aggregate beside the keys is read by somebody
    return keys if keys and plain and set(shown) == set(keys) and not query.ctes else None


def _same_groups(
    gone: a.Derived, kept: a.Derived, keys: tuple[a.Expr, ...], ctx: Context
) -> dict[int, int] | None:
    """Positions of the key columns in both, when both group the same rows by the same keys."""
    one, other = gone.query, kept.query
    if not isinstance(one, a.Select) or not isinstance(other, a.Select):
        return None
    if (
        other.group_by is None
        or len(other.group_by) != 1
        or other.limit is not None
        or other.offset is not None
        # LIMIT cuts groups that the other list has
    ):
        return None
    if other.distinct is not None or other.ctes:
        return None
    # correlated or volatile, the two may not see the same rows
    if not is_closed(one) or may_differ(one) or may_differ(other) or len(other.group_by[0]) != len(keys):
        return None
    found: dict[int, int] = {}
    for p, target in enumerate(one.targets):
        for q, twin in enumerate(other.targets):
            if twin.expr in other.group_by[0] and _same(one, target.expr, other, twin.expr):
                found[p] = q
    # 1.0 and 1.00 are one group, of which either list may show another; a scale makes them alike
    exact = None not in ctx.facts.looks(one)
    return found if len(found) == len(one.targets) and exact else None


def _same(one: a.Select, expr: a.Expr, other: a.Select, twin: a.Expr) -> bool:
    shape = canonical(a.Select((a.Target("", expr),), one.from_, one.where))
    return shape == canonical(a.Select((a.Target("", twin),), other.from_, other.where))


def _ties(preds: list[a.Expr], gone: a.Derived, kept: a.Derived, same: dict[int, int]) -> list[a.Expr] | None:
    """The equalities of every key with its twin."""
    found = []
    for p, q in same.items():
        wanted = {(gone.rel, p), (kept.rel, q)}
        tie = next((c for c in preds if is_equality(c) and _columns(c) == wanted), None)
        # a key that is not tied pairs each group with several
        if tie is None:
            return None
        found.append(tie)
    return found


def _columns(pred: a.Expr) -> set[tuple[int, int]]:
    assert isinstance(pred, a.Op)
    return {(x.rel, x.pos) for x in pred.args if isinstance(x, a.Column)}
