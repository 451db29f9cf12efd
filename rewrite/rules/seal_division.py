"""A divisor that the conditions beside it keep from being zero is written so that it can not be zero at all.

    SELECT s.id FROM sale s WHERE s.list > 10 AND s.price / s.list > 0.5
    -->
    SELECT s.id FROM sale s WHERE s.list > 10 AND s.price / NULLIF(s.list, 0) > 0.5

AND promises no order (manual, 4.2.14): whether the first query fails on a list price of 0 is the planner's
choice, so nothing may be said of a rewrite that divides on other rows. The second one never fails, and what
it is rewritten to does not either. It gains nothing by itself: a search starts with it. Hazards M7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, filtered, rule
from rewright.sql import algebra as a
from rewright.sql.build import operator
from rewright.sql.facts import may_differ
from rewright.sql.facts.guards import NOTHING, Known, division, evaluated, is_division
from rewright.sql.walk import conjoin, conjuncts, map_parts


@rule(SELECT.where(filtered), guards=("never-zero",), priority=1, category="predicate")
def seal_division(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    preds = conjuncts(block.where)
    # one that divides has to be kept from failing itself
    sure = [
        p for p in preds if not any(is_division(e) for e, _ in evaluated(p, NOTHING)) and not may_differ(p)
    ]
    sealed = [_sealed(p, [c for c in sure if c is not p], ctx) for p in preds]
    if any(new is not old for new, old in zip(sealed, preds, strict=True)):
        yield Rewrite(
            replace(block, where=conjoin(sealed)),
            "divisors that other conditions keep from being 0 are NULL where those do not hold",
            literal=True,
        )


def _sealed(pred: a.Expr, beside: list[a.Expr], ctx: Context) -> a.Expr:
    """The condition with its divisors sealed; itself where there is nothing to seal."""
    divisions = {e: known for e, known in evaluated(pred, NOTHING) if isinstance(e, a.Op) and is_division(e)}

    def visit(node: Any) -> Any:
        # another block's conditions, or those of a group, are not beside this one
        if isinstance(node, a.Select | a.SetOp | a.Values | a.Aggregate | a.WindowCall):
            return node
        made = map_parts(node, visit)
        known = divisions.get(node) if isinstance(node, a.Op) else None
        if known is None or "nonzero" in division(node, known):
            return made
        divisor = _never_zero(made, node, known, beside, ctx)
        return made if divisor is None else replace(made, args=(made.args[0], divisor))

    return visit(pred) if divisions else pred


def _never_zero(made: a.Op, written: a.Op, known: Known, beside: list[a.Expr], ctx: Context) -> a.Expr | None:
    """The divisor, NULL instead of zero; None where it may be zero, or fail itself."""
    divisor = made.args[1]
    # neither 0 nor -1, by which the least integer overflows
    if made.type.name in {"int2", "int4", "int8"}:
        # neither 0 nor -1, by which the least integer overflows
        for c in beside:
            # one condition alone has to say both: CASE can ask only one as it stands
            if division(written, known.where(c)) >= {"nonzero", "fits"}:
                return a.Case(((c, divisor),), a.Const(None, divisor.type), divisor.type)
    equals = operator("=", divisor.type, divisor.type)
    kept = "nonzero" in division(written, known.where(*beside))
    # any of the conditions together, as AND asks all
    if equals is None or not ctx.holds("never-zero", kept):
        return None
    return a.NullIf(equals, divisor, a.Const("0", divisor.type.without_typmod()), divisor.type)
