"""Queries whose literals stand for any values: a pair of trees with placeholders, from a pair with literals.

Which literal of the second stands for which of the first is guessed by value and order; a wrong guess is not
proved. A proof of the pair with placeholders holds for all literals of the same kinds. Must not know how it
is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from rewright.sql.algebra import Cast, Const, Expr, Op, Param, Query
from rewright.sql.placeholders import is_placeholder


def literals_of(plain: Query, query: Query) -> list[tuple[Expr, Expr]] | None:
    """What stands in the query where its template has a placeholder, in the order of the tree. None when the
    trees differ in anything else.
    """
    found: list[tuple[Expr, Expr]] = []
    return found if _aligned(plain, query, found) else None


def _aligned(plain: Any, general: Any, found: list[tuple[Expr, Expr]]) -> bool:
    if _is_literal(plain) and _is_hole(general):
        found.append((plain, general))
        return True
    if isinstance(plain, tuple) and isinstance(general, tuple):
        pairs = zip(plain, general, strict=False)
        return len(plain) == len(general) and all(_aligned(p, g, found) for p, g in pairs)
    if type(plain) is not type(general):
        return False
    if is_dataclass(plain) and not isinstance(plain, type):
        named = [f.name for f in fields(plain) if f.compare]
        return all(_aligned(getattr(plain, n), getattr(general, n), found) for n in named)
    return bool(plain == general)


def _is_hole(expr: Any) -> bool:
    """A placeholder, or one under casts and signs: what the binder folds into one constant where the value is
    known.
    """
    while not isinstance(expr, Param):
        if isinstance(expr, Cast):
            expr = expr.arg
        elif isinstance(expr, Op) and len(expr.args) == 1:
            expr = expr.args[0]
        else:
            return False
    return is_placeholder(expr.index)


def _is_literal(expr: Any) -> bool:
    """A constant, or one under casts."""
    while hasattr(expr, "arg"):
        expr = expr.arg
    return isinstance(expr, Const)


def generalised(target: Query, holes: Sequence[tuple[Expr, Expr]]) -> Iterator[Query]:
    """The replacement's tree with placeholders for the original's literals; the guesses worth a try."""
    by_value: dict[Expr, list[Expr]] = {}
    for expr, param in holes:
        by_value.setdefault(expr, []).append(param)
    seen: list[Query] = []
    for backwards in (False, True):
        turns: dict[Expr, int] = {}
        order = {expr: params[::-1] if backwards else params for expr, params in by_value.items()}
        made: Query = _replaced(target, order, turns)
        if made not in seen:
            seen.append(made)
            yield made


def _replaced(node: Any, by_value: Mapping[Expr, Sequence[Expr]], turns: dict[Expr, int]) -> Any:
    """Literals replaced in the order of the tree, equal ones taking turns."""
    if isinstance(node, tuple):
        return tuple(_replaced(n, by_value, turns) for n in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    if _is_literal(node) and node in by_value:
        params = by_value[node]  # type: ignore[index] # _is_literal says that it is a key
        turn = turns.get(node, 0)  # type: ignore[call-overload] # _is_literal says that it is a key
        turns[node] = turn + 1  # type: ignore[index] # _is_literal says that it is a key
        return params[turn % len(params)]
    changed = {}
    for f in fields(node):
        old = getattr(node, f.name)
        if f.compare and isinstance(old, tuple) | is_dataclass(old):
            new = _replaced(old, by_value, turns)
            if new is not old and new != old:
                changed[f.name] = new
    return replace(node, **changed) if changed else node
