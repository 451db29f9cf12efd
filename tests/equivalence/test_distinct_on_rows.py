"""Which columns tell the rows of DISTINCT ON apart."""

from __future__ import annotations

import pytest

from rewright.equivalence.prover.context import Context
from rewright.equivalence.prover.entail import Engine
from rewright.equivalence.prover.schema import Schema
from rewright.equivalence.prover.terms import INTEGER, Block, Limited, Lit, Var
from rewright.equivalence.prover.unique import determined_by
from rewright.sql.ddl import catalog_from_ddl

ONE, TWO = Lit("1", INTEGER), Lit("2", INTEGER)
KEYS = ("asc nulls last pg_catalog.<(int4,int4)",)


@pytest.mark.parametrize(("second", "told"), [(ONE, {1}), (TWO, set[int]())])
def test_one_column_has_to_show_it_in_all_blocks(second: Lit, told: set[int]) -> None:
    """Two blocks show 1 and 2, and keep one row of each 1, or the one of each 1 and the other of each 2."""
    bag = tuple(Block((), (), (ONE, TWO, on, on)) for on in (ONE, second))
    columns = tuple(Var(1, i, INTEGER) for i in range(2))
    rows = Block(((1, Limited(bag, KEYS, None, None, on=1)),), (), columns)
    engine = Engine(Schema(catalog_from_ddl("create table t (id int)")), 1e18)
    try:
        assert determined_by(engine, Context(), rows, columns) == told
    finally:
        engine.close()
