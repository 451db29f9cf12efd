"""What predicates say to be in a range: by its operators, or by both of its bounds.

    p @> x      p <@ x      (lower_inf(p) OR lower(p) <= x) AND (upper_inf(p) OR x < upper(p))

Only ranges of built-in types, whose order is that of their bounds. Must not know what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from .symbols import AND, EQ, LE, LT, OR
from .terms import App, Lit, Term

_HAS, _IS_IN = "op @>(anyrange,anyelement)", "op <@(anyelement,anyrange)"
# their lower bound is in the range, and the upper one out
_STEPPED = frozenset({"int4range", "int8range", "daterange"})
_Side = Literal["lower", "upper"]


def values_in(period: Term, preds: Iterable[Term]) -> frozenset[Term]:
    """The terms that are in the period where all of ``preds`` are TRUE."""
    asked = tuple(preds)
    held = {x for p in asked if (x := _held(period, p)) is not None}
    if not period.type.is_builtin:
        return frozenset(held)
    # an empty range has no bounds, and neither of them is infinite
    low, high = ({x for p in asked if (x := _within(period, p, s)) is not None} for s in ("lower", "upper"))
    return frozenset(held | (low & high))


def _held(period: Term, pred: Term) -> Term | None:
    match pred:
        case App(sym, (ranged, value)) if sym.name == _HAS and ranged == period:
            return value
        case App(sym, (value, ranged)) if sym.name == _IS_IN and ranged == period:
            return value
    return None


def _within(period: Term, pred: Term, side: _Side) -> Term | None:
    """What the predicate says not to be beyond the bound: all that it says in several ways, or that the
    bound is infinite.
    """
    ways = pred.args if isinstance(pred, App) and pred.sym == OR else (pred,)
    points = {_point(period, way, side) for way in ways if not _is_of(period, f"{side}_inf", way)}
    return points.pop() if len(points) == 1 else None


def _point(period: Term, way: Term, side: _Side) -> Term | None:
    match way:
        case App(sym, (left, right)) if sym in {LT, LE}:
            bound, x = (left, right) if side == "lower" else (right, left)
            apart = sym == LT or (side == "lower" and _is_stepped(period, x))
            return x if apart and _is_of(period, side, bound) else None
        case App(sym, (App(), App()) as both) if sym == AND:
            for inside, at in (both, both[::-1]):
                if _is_of(period, f"{side}_inc", inside) and isinstance(at, App) and at.sym == EQ:
                    others = [x for x in at.args if not _is_of(period, side, x)]
                    return others[0] if len(others) == 1 else None
    return None


def _is_stepped(period: Term, x: Term) -> bool:
    """Whether a lower bound that equals ``x`` is in the period: that of dates may be infinite, and out."""
    finite = isinstance(x, Lit) and x.value is not None and x.value[:1].isdigit()
    return period.type.name in _STEPPED and (finite or period.type.name != "daterange")


def _is_of(period: Term, name: str, term: Term) -> bool:
    """Whether the term is the built-in function of the period."""
    label = f"pg_catalog.{name}(anyrange,"
    return isinstance(term, App) and term.args == (period,) and term.sym.name.startswith(label)
