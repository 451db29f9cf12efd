"""A row that a foreign key refers to meets a condition where there is none that does not: IN beside NOT IN."""

from __future__ import annotations

import json

import pytest

from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create table owner (id int primary key, gone boolean not null, level int not null, note int);
create table pet (id int primary key, owner int not null references owner, other int references owner, loose int not null);
"""
CATALOG = catalog_from_ddl(SCHEMA)
# seconds for a proof, also on a machine that others use
PATIENT = 60
EQUAL = (
    (
        "select id from pet where owner in (select o.id from owner o where not o.gone)",
        "select id from pet where owner not in (select o.id from owner o where o.gone)",
    ),
    (
        "select p.id from pet p join owner o on o.id = p.owner where o.level = 1",
        "select p.id from pet p where not exists (select 1 from owner o where o.level <> 1 and o.id = p.owner)",
    ),
)
DIFFERENT = (
    # without the reference, with one that may be NULL, of a condition that may be NULL, of other rows
    (
        "select id from pet where loose in (select o.id from owner o where not o.gone)",
        "select id from pet where loose not in (select o.id from owner o where o.gone)",
    ),
    (
        "select p.id from pet p join owner o on o.id = p.other where o.level = 1",
        "select p.id from pet p where not exists (select 1 from owner o where o.level <> 1 and o.id = p.other)",
    ),
    (
        "select p.id from pet p join owner o on o.id = p.owner where o.note = 1",
        "select p.id from pet p where not exists (select 1 from owner o where o.note <> 1 and o.id = p.owner)",
    ),
    (
        "select p.id from pet p where exists (select 1 from owner o where o.level = 1 and o.id <> p.owner)",
        "select p.id from pet p where not exists (select 1 from owner o where o.level <> 1 and o.id <> p.owner)",
    ),
)


def _proved(first: str, second: str) -> tuple[Proved | None, Binding]:
    bound = bind_both(first, second, CATALOG, ("public",))
    assert isinstance(bound, Binding), bound
    return prove_pair(bound, CATALOG, PATIENT).proved, bound


@pytest.mark.parametrize(("first", "second"), EQUAL)
def test_the_row_referred_to_is_the_only_one(first: str, second: str) -> None:
    proved, bound = _proved(first, second)
    assert proved is not None
    assert proved.modulo == ()
    outcome = recheck(json.dumps(certificate(proved, Texts(SCHEMA, first, second), bound)).encode())
    assert (outcome.word, outcome.reason) == ("good", "")


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_without_a_reference_or_of_a_null_it_is_not(first: str, second: str) -> None:
    assert _proved(first, second)[0] is None
