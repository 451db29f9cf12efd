"""Numbers of rows: no number means two rows, whatever is nested, copied, compared or substituted."""

from __future__ import annotations

import pytest

from rewright.engines import clock
from rewright.equivalence.prover import match
from rewright.equivalence.prover.bags import subst
from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.entail import Engine
from rewright.equivalence.prover.fresh import fresh, fresh_copy, numbering
from rewright.equivalence.prover.kernel import align
from rewright.equivalence.prover.schema import Schema
from rewright.equivalence.prover.shapes import Outline, shape
from rewright.equivalence.prover.symbols import EQ
from rewright.equivalence.prover.terms import (
    App,
    Block,
    Captured,
    Nested,
    Source,
    Table,
    Term,
    Var,
    max_var,
    rows_renamed,
)
from rewright.equivalence.recheck.shapes import shape as rechecked_shape
from rewright.sql.algebra import TableRef
from rewright.sql.ddl import catalog_from_ddl
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
    assert Outline(((1, T), (2, T)), ()).question(column(1)) != Outline(((1, T), (2, T)), ()).question(
        column(2)
    )


def test_a_row_that_comes_in_is_not_caught() -> None:
    """``exists (select from t r5 where r5.a = r9.b)`` with row 5 of outside for row 9."""
    inside = Nested("exists", "", (Block(((5, T),), (both(column(5), column(9, 1)),), ()),), BOOL)
    with numbering():
        moved = subst(inside, rows_renamed({9: 5}))
    assert isinstance(moved, Nested)
    (block,) = moved.bag
    ((own, _),) = block.vars
    assert own != 5
    assert block.preds == (both(column(own), column(5, 1)),)
    with numbering():  # its own row is not the one of that number outside
        assert subst(inside, rows_renamed({5: 8})) == inside


def test_two_rows_of_one_number_are_a_fault() -> None:
    with pytest.raises(Captured):
        Block(((5, T), (5, T)), (), ())
    with pytest.raises(Captured):
        Context(((5, T),)).within(Block(((5, T),), (), ()))


def test_copies_for_a_comparison_have_numbers_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The right block is compared over the left's rows; EXISTS that are opened meanwhile are numbered, too."""
    compared: list[Block] = []

    def seen(left: Block, right: Block, pairing: list[int]) -> Block | None:
        compared.append(right)
        return align(left, right, pairing)

    monkeypatch.setattr(match, "align", seen)
    with numbering():
        (row,) = fresh_copy(
            (Block(((1, T),), (some(2, some(3, both(column(3), column(1)))),), (column(1),)),)
        )
        engine = Engine(Schema(catalog_from_ddl("create table t (a int, b int)")), clock.now() + 60)
        assert match.check_block(engine, Context(), row, row, (0,))
        assert fresh() > max_var(tuple(compared))
