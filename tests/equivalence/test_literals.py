"""Texts that are spelled otherwise are other texts to the solver, of whichever type they are met first."""

from __future__ import annotations

import itertools

import pytest

from rewright.equivalence.prover.logic import Encoder
from rewright.equivalence.prover.terms import Lit
from rewright.sql.types import SqlType

TEXT = SqlType("text", collation="default")
VARCHAR = SqlType("varchar", typmod=14, collation="default")
TYPES = (TEXT, VARCHAR)


def told(encoder: Encoder, term: Lit, solver: object) -> object:
    """The value of a literal, with what holds of it and nothing else told to the solver."""
    encoder.tell(solver, encoder.note(encoder.number(term)).axioms)
    return encoder.encode(term)[1]


@pytest.mark.parametrize("met", list(itertools.product(TYPES, TYPES)))
@pytest.mark.parametrize("asked", list(itertools.product(TYPES, TYPES)))
def test_two_texts_are_told_apart_whatever_was_met_before(
    met: tuple[SqlType, SqlType], asked: tuple[SqlType, SqlType]
) -> None:
    encoder = Encoder()
    for value, type_ in zip("AB", met, strict=True):
        encoder.encode(Lit(value, type_))
    solver = encoder.z3.SimpleSolver()
    one, other = (told(encoder, Lit(v, t), solver) for v, t in zip("AB", asked, strict=True))
    assert solver.check(one == other) == encoder.z3.unsat
    assert solver.check(one != other) == encoder.z3.sat
