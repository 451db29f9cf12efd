"""NOT IN over columns that hold no NULL to NOT EXISTS, which the server plans as an anti-join.

    SELECT * FROM ord o WHERE o.id NOT IN (SELECT l.ord FROM line l)
    -->
    SELECT * FROM ord o WHERE NOT EXISTS (SELECT 1 FROM line l WHERE l.ord = o.id)

A NULL on either side makes NOT IN unknown and NOT EXISTS true. Where a side may be NULL, conditions that do
not depend on the row say so once: no NULL in the list; the row's own value is not NULL, or the list is empty.
Calcite: SubQueryRemoveRule. Hazards 3b, 3c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.conditions import in_conditions
from rewright.sql import algebra as a
from rewright.sql.build import ONE
from rewright.sql.facts import labels, may_differ
from rewright.sql.types import BOOL
from rewright.sql.walk import conjoin, conjuncts, copy_fresh, free_rels, is_plain


@rule(
    SELECT,
    guards=("outer-not-null", "inner-not-null"),
    known_as="SubQueryRemoveRule",
    priority=78,
    category="join",
)
def not_in(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    yield from _in_arm(block, ctx)
    for conjunct in conjuncts(block.where):
        node = conjunct.arg if isinstance(conjunct, a.Not) else None
        if (
            not isinstance(node, a.Quantified)
            # as an arm of OR NOT IN is handled by the other half
            or node.kind != "="
            or node.all
            or not isinstance(node.query, a.Select)
        ):
            continue
        inner = node.query
        # LIMIT or a grouping make another list of the rows
        if not is_plain(inner) or may_differ(node):
            continue
        # the condition itself must not be among what proves it
        around = replace(block, where=conjoin(c for c in conjuncts(block.where) if c != conjunct))
        outer_facts = [_filled(e, around, ctx) for e in node.left]
        inner_facts = [_filled(t.expr, inner, ctx) for t in inner.targets]
        guards: list[a.Expr] = []
        if not ctx.holds("inner-not-null", None not in inner_facts):
            guards += _no_null(inner, ctx)
        if not ctx.holds("outer-not-null", None not in outer_facts):
            guards += _filled_or_empty(node, inner, ctx)
        # the tests for NULL are asked once: of a correlated list they would be asked for each row
        if guards and (len(node.left) > 1 or free_rels(inner)):
            continue
        exists = a.Not(_exists(node, inner))
        where = conjoin(
            x for c in conjuncts(block.where) for x in ((exists, *guards) if c == conjunct else (c,))
        )
        basis = frozenset().union(*(f for f in (*outer_facts, *inner_facts) if f is not None))
        yield Rewrite(
            replace(block, where=where), "NOT IN is an anti-join where no NULL is in the way", basis
        )


def _in_arm(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """NOT IN in an arm of OR, where no NULL can be in the way: the server can hash what EXISTS asks, and not
    what NOT IN asks of the outer row.
    """
    schema = replace(block, where=None)
    basis: frozenset[str] = frozenset()

    def exists(expr: a.Expr) -> a.Expr | None:
        nonlocal basis
        node = expr.arg if isinstance(expr, a.Not) else None
        if (
            not isinstance(node, a.Quantified)
            or node.kind != "="
            or node.all
            # among the conjuncts they are the first half's
            or expr in conjuncts(block.where)
        ):
            return None
        inner = node.query
        if not isinstance(inner, a.Select) or not is_plain(inner) or may_differ(node):
            return None
        # below OR the other conjuncts of WHERE hold as well, but the arm is asked before them
        facts = [_filled(e, schema, ctx) for e in node.left] + [
            _filled(t.expr, inner, ctx) for t in inner.targets
        ]
        # uncorrelated NOT IN is hashed as it is
        if not free_rels(inner) or None in facts:
            return None
        basis = basis.union(*(f for f in facts if f is not None))
        return a.Not(_exists(node, inner))

    made = in_conditions(replace(block, having=None, from_=()), exists)
    if made is not None:
        yield Rewrite(replace(block, where=made.where), "NOT IN without NULLs is NOT EXISTS", basis)


def _filled(expr: a.Expr, block: a.Select, ctx: Context) -> frozenset[str] | None:
    """The constraints by which ``expr`` is never NULL in rows that pass a block's conditions; None where it
    may be.
    """
    basis = ctx.facts.never_null(expr, ctx.facts.nonnull_columns(block))
    return None if basis is None else labels(basis)


def _no_null(inner: a.Select, ctx: Context) -> list[a.Expr]:
    """The list holds no NULL."""
    value = inner.targets[0].expr
    # one for the whole list: a subquery that the server evaluates once
    return [a.Not(_asked(inner, (*conjuncts(inner.where), a.IsNull(value)), ctx))]


def _filled_or_empty(node: a.Quantified, inner: a.Select, ctx: Context) -> list[a.Expr]:
    """The row's value is not NULL, or the list is empty."""
    # NULL NOT IN (no rows) is TRUE
    empty = a.Not(_asked(inner, conjuncts(inner.where), ctx))
    return [a.Or((a.IsNull(node.left[0], negated=True), empty))]


def _asked(inner: a.Select, preds: Sequence[a.Expr], ctx: Context) -> a.Exists:
    block = replace(inner, targets=ONE, where=conjoin(preds), order_by=())
    return a.Exists(copy_fresh(block, ctx.fresh)[0])


def _exists(node: a.Quantified, inner: a.Select) -> a.Exists:
    equal = [
        a.Op(op, (left, t.expr), BOOL) for op, left, t in zip(node.ops, node.left, inner.targets, strict=True)
    ]
    where = conjoin((*conjuncts(inner.where), *equal))
    return a.Exists(replace(inner, targets=ONE, where=where, order_by=()))
