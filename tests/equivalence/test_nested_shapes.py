"""Shapes of nested values: terms that differ have different ones, also where a row's number is bound twice."""

from __future__ import annotations

import pytest

from rewright.equivalence.prover.shapes import Outline, shape
from rewright.equivalence.prover.symbols import EQ
from rewright.equivalence.prover.terms import App, Block, Nested, Source, Table, Term, Var
from rewright.equivalence.recheck.shapes import shape as rechecked_shape
from rewright.sql.algebra import TableRef
from rewright.sql.types import BOOL, INT4

T: Source = Table(TableRef("public", "t"), only=False, types=(INT4, INT4))


def some(var: int, *preds: Term) -> Term:
    return Nested("exists", "", (Block(((var, T),), preds, ()),), BOOL)


def both(*args: Term) -> Term:
    return App(EQ, args, BOOL)


def column(var: int, pos: int = 0) -> Term:
    return Var(var, pos, INT4)


# the second value binds 5 again, and 7 below it
PARTS = [both(column(5), column(7, 1)), both(column(7), column(5, 1)), both(column(5), column(5, 1))]


@pytest.mark.parametrize("shaped", [shape, rechecked_shape])
def test_numbers_that_are_bound_again(shaped: object) -> None:
    terms = [both(some(5), some(5, some(7, part))) for part in PARTS]
    terms += [some(5, some(5, some(7, part))) for part in PARTS]
    assert len({str(shaped(term)) for term in terms}) == len(terms)  # type: ignore[operator]


def test_a_question_is_known_by_its_shape() -> None:
    def asked(outer: int, inner: int, goal: Term) -> object:
        preds = (some(inner, both(column(inner), column(outer))),)
        return Outline(((outer, T),), preds).question(goal)

    assert asked(1, 5, column(1)) == asked(8, 9, column(8))
    assert asked(1, 5, column(1)) != asked(1, 5, column(1, 1))
    assert asked(1, 5, column(1)) != asked(1, 5, column(2))  # a row that is not in scope
    assert Outline(((1, T), (2, T)), ()).question(column(1)) != Outline(((1, T), (2, T)), ()).question(column(2))
