"""Operators whose operands may stand in either order, with their operands in one order.

Which operators these are PostgreSQL itself says (pg_operator.oprcom: "A op B" and "B op A" are the same for
all values); of those of one type only sums and products of numbers are taken. Both operands are evaluated
in either order. Must not know rows or contexts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rewright.sql import algebra as a
from rewright.sql.builtins import builtins

from .symbols import FLOATS, INTS
from .terms import App, Lit, Sym, Term, Var

_NUMBERS = "|".join(sorted({*INTS, *FLOATS, "numeric"}))
_SUMS = re.compile(rf"[+*] (?:{_NUMBERS})|op [+*]\((?P<of>{_NUMBERS}),(?P=of)\)")
# what stands on the left, the others by their names
_FIRST = ("date", "time", "timetz", "timestamp", "timestamptz", "interval")


@lru_cache(maxsize=1024)
def commutes(sym: Sym) -> bool:
    """Whether a function of two values of one type is the same with the two exchanged."""
    return _SUMS.fullmatch(sym.name) is not None


def in_order(op: a.OperatorRef, args: tuple[Term, ...]) -> tuple[a.OperatorRef, tuple[Term, ...]]:
    """A built-in operator over two types as the one over the types the other way round, if that is how it is
    written here: ``7 + day`` as ``day + 7``, ``day <@ days`` as ``days @> day``.
    """
    if len(args) == 2 and (op.name, op.commutator) == ("<@", "@>"):
        found = (o.to_ref() for o in builtins().operators("@>") if (o.left, o.right) == (op.right, op.left))
        contains = next(found, None)
        return (op, args) if contains is None else (contains, args[::-1])
    if len(args) != 2 or op.commutator != op.name or _rank(op.left) <= _rank(op.right):
        return op, args
    other = _of_types(op.name, op.right, op.left)
    return (op, args) if other is None else (other, args[::-1])


def sorted_operands(sym: Sym, args: tuple[Term, ...]) -> tuple[Term, ...]:
    """The operands of what commutes: constants last, others by what they are and not by which rows they read,
    since rows have other names in each query.
    """
    return tuple(sorted(args, key=_standing)) if len(args) == 2 and commutes(sym) else args


def _standing(term: Term) -> tuple[int, str, int]:
    match term:
        case Lit(value):
            return 2, value or "", 0
        case Var(_, pos):
            return 0, "", pos
        case App(sym):
            # variables by their places in a row alone: their numbers differ between the two queries
            return 1, sym.name, 0
        case _:
            return 1, "", 0


def _rank(type_name: str) -> tuple[int, str]:
    return (_FIRST.index(type_name) if type_name in _FIRST else len(_FIRST)), type_name


@lru_cache(maxsize=256)
def _of_types(name: str, left: str, right: str) -> a.OperatorRef | None:
    found = (o.to_ref() for o in builtins().operators(name) if (o.left, o.right) == (left, right))
    # an operator whose mirror is not itself is none to turn round
    return next((o for o in found if o.commutator == name), None)
