"""Scope `any` is claimed where the template is proved, and nowhere else."""

from __future__ import annotations

import pytest

from rewright.rewrite.adapters.scoping import TemplateScoper
from rewright.rewrite.model import Deadline
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.templates import fill

CATALOG = catalog_from_ddl(
    "create table part (p_id int primary key, brand text not null, size int not null);"
    "create table line (l_id int primary key, part int not null references part(p_id), qty int not null, d date);"
)


def scope(original: str, candidate: str):  # type: ignore[no-untyped-def]
    return TemplateScoper(CATALOG).scope(original, candidate, Deadline.after(20.0))


@pytest.mark.parametrize(
    ("original", "candidate"),
    [
        (
            "select l.l_id from line l where l.part in (select p.p_id from part p where p.brand = 'b3' and p.size > 7)",
            "select l_id from line where exists (select 1 from part where size > 7 and brand = 'b3' and p_id = part)",
        ),
        (
            "select p.p_id from part p where p.size = 5 and p.brand = 'x' and p.p_id < 5",
            "select p.p_id from part p where p.brand = 'x' and p.size = 5 and p.p_id < 5",
        ),
        (
            "select p.p_id from part p where p.size = 5 and p.brand = 'x' and p.p_id < 5",
            "select p.p_id from part p where p.p_id < 5 and p.brand = 'x' and p.size = 5",
        ),
        (
            "select p.p_id from part p where p.size > -5 order by 1 limit 7",
            "select p_id from part where -5 < size order by p_id limit 7",
        ),
        (
            "select l.l_id from line l where l.d >= date '1998-01-01'",
            "select l.l_id from line l where l.d >= '1998-01-01'::date",
        ),
    ],
)
def test_what_holds_for_all_literals(original: str, candidate: str) -> None:
    found = scope(original, candidate)
    assert found.scope == "any", found.reason
    assert "⟦1:" in found.template
    assert found.evidence is not None
    assert found.evidence.document["verdict"] == "proved"
    assert fill(found.template, found.literals) == original
    other = {"'b3'": "'b4'", "7": "8", "5": "6", "'x'": "'y'", "'1998-01-01'": "'1999-02-03'"}
    filled = fill(found.replacement, [other[x] for x in found.literals])
    assert filled is not None
    assert not any(x in filled for x in ("'b3'", "'x'", "1998"))


@pytest.mark.parametrize(
    ("original", "candidate"),
    [
        # true for these literals only
        (
            "select p.p_id from part p where p.size > 5 and p.size > 3",
            "select p.p_id from part p where p.size > 5",
        ),
        ("select p.p_id from part p where 1 = 2", "select p.p_id from part p where false"),
        # the values have changed sides
        (
            "select p.p_id from part p where p.size < 5 or p.p_id > 5 + 0",
            "select p.p_id from part p where p.size < 5 + 0 or p.p_id > 5",
        ),
        # no proof whatever the parameter is
        ("select p.p_id from part p where p.size > $1", "select p.p_id from part p where p.size >= $1"),
    ],
)
def test_what_does_not(original: str, candidate: str) -> None:
    found = scope(original, candidate)
    assert found.scope == "these"
    assert found.reason


@pytest.mark.parametrize(
    ("original", "candidate", "template"),
    [
        # the same value is asked for twice
        (
            "select l.l_id from line l where l.d >= '1998-01-01' and l.part in (select m.part from line m where m.d >= '1998-01-01')",
            "select l.l_id from line l where l.d >= '1998-01-01'",
            "select l.l_id from line l where l.d >= ⟦1:s⟧ and l.part in (select m.part from line m where m.d >= ⟦1:s⟧)",
        ),
        # with the unit a parameter, it is not grouped by what is shown; what is asked for is free
        (
            "select date_trunc('month', l.d), sum(l.qty) from line l where l.d < '1998-01-01' and l.part in (select p_id from part where size > 5) group by date_trunc('month', l.d)",
            "select date_trunc('month', l.d), sum(l.qty) from line l join part p on p.p_id = l.part where p.size > 5 and l.d < '1998-01-01' group by date_trunc('month', l.d)",
            "select date_trunc(⟦1:s⟧, l.d), sum(l.qty) from line l where l.d < ⟦2:s⟧ and l.part in (select p_id from part where size > ⟦3:i⟧) group by date_trunc(⟦1:s⟧, l.d)",
        ),
        # another divisor might be 0
        (
            "select l.l_id from line l where l.qty / 2 > 9 and l.part in (select p_id from part where size > 5)",
            "select l.l_id from line l join part p on p.p_id = l.part where p.size > 5 and l.qty / 2 > 9",
            "select l.l_id from line l where l.qty / 2 > ⟦1:i⟧ and l.part in (select p_id from part where size > ⟦2:i⟧)",
        ),
    ],
)
def test_what_holds_where_some_literals_are_alike_or_stay(
    original: str, candidate: str, template: str
) -> None:
    found = scope(original, candidate)
    assert found.scope == "any", found.reason
    assert found.template == template
    assert fill(found.template, found.literals) == original


@pytest.mark.parametrize(
    ("original", "candidate"),
    [
        ("select p.p_id from part p", "select p_id from part"),
        (
            "select l.l_id from line l where l.part in (select p.p_id from part p where p.brand = $1 and p.size > $2)",
            "select l_id from line where exists (select 1 from part where size > $2 and brand = $1 and p_id = part)",
        ),
        (
            "select l.l_id, p.brand from line l join part p on p.p_id = l.part where l.qty < $1 order by l.l_id limit $2",
            "select l.l_id, p.brand from (select l_id, part from line where qty < $1 order by l_id limit $2) l join part p on p.p_id = l.part order by l.l_id limit $2",
        ),
    ],
)
def test_parameters_of_the_text_stand_for_any_values(original: str, candidate: str) -> None:
    found = scope(original, candidate)
    assert found.scope == "any", found.reason
    assert (found.template, found.replacement, found.literals) == (original, candidate, ())
