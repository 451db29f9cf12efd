"""The solver's functions, of which those that join formulas are called by its C interface.

z3's Python functions ask for the sort of each argument first, for which they make an object each: more than a
tenth of what a proof takes. The C functions look at the sorts, too, and raise ``Z3Exception`` where one is no
formula. Must not know what is encoded.
"""

from __future__ import annotations

from typing import Any


class Formulas:
    """Has what the module ``z3`` has, and `every`, `some`, `no`, `implies` for its And, Or, Not, Implies."""

    def __init__(self) -> None:
        import z3
        from z3 import z3core

        self._z3 = z3
        self._core = z3core
        self._context = z3.main_ctx()
        self._made, self._ref = z3.BoolRef, self._context.ref()

    def __getattr__(self, name: str) -> Any:
        """Anything else is the solver's own."""
        return getattr(self._z3, name)

    def every(self, *formulas: Any) -> Any:
        """All are true."""
        return self._made(
            self._core.Z3_mk_and(self._ref, len(formulas), self._array(formulas)), self._context
        )

    def some(self, *formulas: Any) -> Any:
        """One of them is true."""
        return self._made(self._core.Z3_mk_or(self._ref, len(formulas), self._array(formulas)), self._context)

    def no(self, formula: Any) -> Any:
        """It is false."""
        return self._made(self._core.Z3_mk_not(self._ref, formula.ast), self._context)

    def implies(self, first: Any, second: Any) -> Any:
        """Where the first is true the second is."""
        return self._made(self._core.Z3_mk_implies(self._ref, first.ast, second.ast), self._context)

    def _array(self, formulas: tuple[Any, ...]) -> Any:
        return (self._z3.Ast * len(formulas))(*(formula.ast for formula in formulas))
