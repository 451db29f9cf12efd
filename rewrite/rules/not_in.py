"""NOT IN over columns that hold no NULL to NOT EXISTS, which the server plans as an anti-join.

    SELECT * FROM ord o WHERE o.id NOT IN (SELECT l.ord FROM line l)
    -->
    SELECT * FROM ord o WHERE NOT EXISTS (SELECT 1 FROM line l WHERE l.ord = o.id)

A NULL on either side makes NOT IN unknown and NOT EXISTS true: both sides must be NOT NULL where they stand.
Calcite: SubQueryRemoveRule. SOUNDNESS 3b, 3c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewrite.rules.base import Context, Rewrite, Rule
from rewrite.rules.shape import is_volatile, not_null
from rewrite.rules.tree import as_product, conjoin, conjuncts, is_plain
from sql import algebra as a
from sql.types import BOOL, INT4


def apply(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    if not isinstance(block, a.Select):
        return
    items, _ = as_product(block)
    for conjunct in conjuncts(block.where):
        node = conjunct.arg if isinstance(conjunct, a.Not) else None
        if (
            not isinstance(node, a.Quantified)
            or node.kind != "="
            or node.all
            or not isinstance(node.query, a.Select)
        ):
            continue
        inner = node.query
        if not is_plain(inner) or is_volatile(node):
            continue
        inside = as_product(inner)[0]
        outer_facts = [not_null(e, items, ctx) for e in node.left]
        inner_facts = [not_null(t.expr, inside, ctx) for t in inner.targets]
        known = ctx.holds("outer-not-null", None not in outer_facts)
        if not known or not ctx.holds("inner-not-null", None not in inner_facts):
            continue
        exists = a.Not(_exists(node, inner))
        where = conjoin(exists if c == conjunct else c for c in conjuncts(block.where))
        basis = frozenset().union(*(f for f in (*outer_facts, *inner_facts) if f is not None))
        yield Rewrite(replace(block, where=where), "NOT IN without NULLs is an anti-join", basis)


def _exists(node: a.Quantified, inner: a.Select) -> a.Exists:
    equal = [
        a.Op(op, (left, t.expr), BOOL) for op, left, t in zip(node.ops, node.left, inner.targets, strict=True)
    ]
    where = conjoin((*conjuncts(inner.where), *equal))
    return a.Exists(replace(inner, targets=(a.Target("one", a.Const("1", INT4)),), where=where, order_by=()))


RULE = Rule(
    "not_in", apply, ("outer-not-null", "inner-not-null"), "SubQueryRemoveRule", priority=78, category="join"
)
