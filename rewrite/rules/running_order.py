"""The order by which a correlated subquery takes the rows before the outer one, read from its conditions.

    p.day <= s.day                                the rows up to s and its peers
    p.day < s.day OR (p.day = s.day AND p.id < s.id)    the same by two columns
    p.day BETWEEN s.day - 6 AND s.day             those within a distance (`rolling`)

Both sides of a comparison are the same expression. Must not know what is made of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rewright.rewrite.rules.rolling import within
from rewright.sql import algebra as a
from rewright.sql.walk import conjoin, conjuncts, renumber, used_rels


@dataclass(frozen=True, slots=True)
class Order:
    """Sort keys over the outer rows and whether each is falling. ``strict``: the current row's peers are left
    out.
    """

    keys: tuple[tuple[a.Expr, bool], ...]
    strict: bool
    # which rows on one side of the current one count; None: all that come before
    frame: a.Frame | None = None


def rolling(preds: Sequence[a.Expr], inside: frozenset[int], twins: dict[int, int]) -> Order | None:
    """Two conditions that keep the rows on one side of the outer one within a distance."""
    # both ends: a bound by the row itself and one at a distance
    if len(preds) != 2:
        return None
    for side, other in (preds, preds[::-1]):
        found = _compared(side, inside, twins) if isinstance(side, a.Op) else None
        frame = None if found is None else within(other, found[0], twins, after=found[1])
        if found is not None and frame is not None:
            # `<` leaves out the row itself and its peers, which RANGE … CURRENT ROW holds
            frame = replace(frame, exclude="group") if found[2] else frame
            return Order(((found[0], False),), strict=False, frame=frame)
    return None


def order_of(pred: a.Expr, inside: frozenset[int], twins: dict[int, int]) -> Order | None:
    """A condition that says that the inner row comes before the outer one, by the same expressions."""
    match pred:
        case a.Op():
            found = _compared(pred, inside, twins)
            return None if found is None else Order((found[:2],), found[2])
        case a.RowCompare(kind="<" | "<=" | ">" | ">=", ops=ops, left=left, right=right):
            parts = [
                # a row comparison goes column by column, by one order each
                _compared(a.Op(*x, pred.type), inside, twins)
                for x in zip(ops, zip(left, right, strict=True), strict=True)
            ]
            if any(p is None for p in parts):
                return None
            return Order(tuple(p[:2] for p in parts if p), pred.kind in {"<", ">"})
        case a.Or(args=(one, other)):
            # OR is written either way round
            return _stepwise(one, other, inside, twins) or _stepwise(other, one, inside, twins)
        case _:
            return None


def _stepwise(one: a.Expr, other: a.Expr, inside: frozenset[int], twins: dict[int, int]) -> Order | None:
    """``a < x OR (a = x AND …)``."""
    first = _compared(one, inside, twins) if isinstance(one, a.Op) else None
    # by `<=` first, equal rows would be met whatever the second column says
    if first is None or not first[2]:
        return None
    parts = conjuncts(other)
    ties = [p for p in parts if _equated(p, first[0], twins)]
    rest = conjoin(p for p in parts if p not in ties)
    # exactly one `a = x` for the first column; the rest orders among its equals
    order = order_of(rest, inside, twins) if len(ties) == 1 and rest is not None else None
    return None if order is None else Order((first[:2], *order.keys), order.strict)


def _equated(pred: a.Expr, image: a.Expr, twins: dict[int, int]) -> bool:
    if not isinstance(pred, a.Op) or pred.op.btree != "=" or not pred.op.is_builtin or len(pred.args) != 2:
        return False
    own = [bool(used_rels(x) & twins.keys()) for x in pred.args]
    # one side of the inner row, one of the outer, both the same expression
    return sorted(own) == [False, True] and all(renumber(x, twins) == image for x in pred.args)


def _compared(pred: a.Op, inside: frozenset[int], twins: dict[int, int]) -> tuple[a.Expr, bool, bool] | None:
    """The expression that both rows are compared by, whether its order is falling,
    and whether it is strict.
    """
    kind = pred.op.btree
    # of two types the sort goes by one, the comparison by both
    if kind not in {"<", "<=", ">", ">="} or not pred.op.is_builtin or pred.op.left != pred.op.right:
        return None
    left, right = pred.args
    if not used_rels(left) <= inside:
        left, right, kind = right, left, {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[kind]
    # other expressions on the two sides (`p.day <= s.due`) are merged_running's
    if not used_rels(left) or not used_rels(left) <= inside or renumber(left, twins) != right:
        return None
    return right, kind in {">", ">="}, kind in {"<", ">"}
