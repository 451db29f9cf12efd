"""Integer division by constants and absolute values as the solver hears of them.

``x / c`` is cut towards zero, and ``x % c`` is what is left, with the sign of x: where PostgreSQL gives a
value at all, it is this one. Must not know contexts or rules.
"""

from __future__ import annotations

from typing import Any

from .symbols import INTS
from .terms import App, Lit

_QUOTIENTS = {f"op /({t},{u})" for t in INTS for u in INTS}
_REMAINDERS = {f"op %({t},{t})" for t in INTS}
_ABSOLUTE = {f"pg_catalog.abs({t})" for t in INTS}


def whole_value(z3: Any, term: App, values: list[Any], axioms: list[Any]) -> Any | None:
    """The value of a division by a constant or of an absolute value; None for other terms. ``axioms`` gets
    what holds of it.
    """
    name = term.sym.name
    if name in _ABSOLUTE:
        (x,) = values
        return z3.If(x >= 0, x, -x)
    if name not in _QUOTIENTS and name not in _REMAINDERS:
        return None
    divisor = term.args[1]
    if not isinstance(divisor, Lit) or divisor.value is None or int(divisor.value) == 0:
        return None
    by, x = int(divisor.value), values[0]
    whole = z3.Function(f"cut by {by}", z3.IntSort(), z3.IntSort())(x)
    left = x - by * whole
    axioms += [
        z3.And(left < abs(by), left > -abs(by)),
        z3.Implies(x >= 0, left >= 0),
        z3.Implies(x <= 0, left <= 0),
    ]
    return whole if name in _QUOTIENTS else left
