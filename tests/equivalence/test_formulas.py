"""Formulas joined by the solver's C interface are those of its Python functions."""

from __future__ import annotations

import pytest
import z3

from rewright.equivalence.prover.formulas import Formulas

A, B, C = z3.Bools("a b c")


def test_they_are_what_the_python_functions_make() -> None:
    made = Formulas()
    for ours, theirs in (
        (made.every(A, B, C), z3.And(A, B, C)),
        (made.some(A, B), z3.Or(A, B)),
        (made.no(A), z3.Not(A)),
        (made.implies(A, B), z3.Implies(A, B)),
    ):
        assert z3.eq(ours, theirs)


def test_of_nothing_all_is_true_and_nothing_is() -> None:
    solver = z3.Solver()
    solver.add(z3.Or(z3.Not(Formulas().every()), Formulas().some()))
    assert solver.check() == z3.unsat


@pytest.mark.parametrize("joined", ["every", "some", "no", "implies"])
def test_what_is_no_formula_is_refused(joined: str) -> None:
    number = z3.Int("n")
    with pytest.raises(z3.Z3Exception):
        getattr(Formulas(), joined)(*(number,) if joined == "no" else (A, number))


def test_the_rest_is_the_solvers_own() -> None:
    assert z3.eq(Formulas().Bool("a"), A)
