"""Pairs as two people write them who solve one task, over one small schema: a join and a subquery, a window,
a set operation.

`laws.sql` holds pairs of the laws that were made for them, all decided; of `tuned.sql` and `kept.sql` how many
are proved and refuted: `python -m bench.strangers --set analysts`. The labels are what a server says of rows
made to tell the pairs apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.types.string import TextLoader

from bench.strangers import HALVES, SETS, pairs
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.prover.aliases import NAMES, OPERATORS
from tests.equivalence.pair_sets import PairSet, told_apart

FOLDER = SETS / "analysts"
SET = PairSet(FOLDER)
LAWS = {f"{p.kind} {p.words}": p for p in pairs("laws", FOLDER)}
ALL = {f"{p.kind} {p.words}": p for half in (*HALVES, "laws") for p in pairs(half, FOLDER)}
STATES = (
    "",
    """delete from line where order_id % 3 = 0; delete from visit where buyer_id = 3; delete from follows where follower < 3;
    update employee set department_id = null where department_id = 2; update department set city = 'DE' where city is null;
    delete from product_tag where tag_id = 3; delete from tag where id = 3""",
    """delete from line where discount > 0; insert into product select i, 'x', 'toys', 9 from generate_series(100, 140) i;
    insert into visit values (80, 1, '-infinity', 1), (81, 1, 'infinity', 1);
    insert into orders values (80, 1, '2024-03-05 BC', 'paid', 1), (81, 1, '2024-03-05', 'paid', 1)""",
    "truncate department, employee, product, buyer, orders, line, visit, tag, product_tag, follows, score, log",
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [n for n, p in ALL.items() if p.kind == "differs"])
def test_what_differs_is_not_proved(name: str) -> None:
    SET.assert_not_proved(ALL[name])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [n for n, p in LAWS.items() if p.kind == "equal"])
def test_what_the_laws_prove_replays_and_has_a_certificate(name: str) -> None:
    SET.assert_certified(LAWS[name])


@pytest.fixture(scope="module")
def rows(scratch_server: ScratchServer) -> Iterator[psycopg.Connection[Any]]:
    with SET.rows(scratch_server) as connection:
        for name in ("date", "timestamp"):  # years before Christ and endless moments have no type of Python's
            connection.adapters.register_loader(name, TextLoader)
        yield connection


@pytest.mark.server
@pytest.mark.parametrize("name", ALL)
def test_labels_are_what_the_server_says(name: str, rows: psycopg.Connection[Any]) -> None:
    assert told_apart(rows, ALL[name], STATES) is (ALL[name].kind == "differs")


@pytest.mark.server
def test_functions_of_two_names_are_one_on_the_server(rows: psycopg.Connection[Any]) -> None:
    named = """select p.prosrc from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace and p.proname = %s
        and array(select t::regtype::text from unnest(p.proargtypes) t) = array(select x::regtype::text from unnest(%s::text[]) x)"""
    operated = """select p.prosrc from pg_operator o join pg_proc p on p.oid = o.oprcode where o.oprname = %s
        and o.oprleft = %s::regtype and o.oprright = %s::regtype"""
    for (name, types), other in NAMES.items():
        both = [rows.execute(named, (n, list(types))).fetchall() for n in (name, other)]
        assert len(both[0]) == 1
        assert both[0] == both[1]
    for (name, types), operator in OPERATORS.items():
        function = rows.execute(named, (name, list(types))).fetchall()
        assert len(function) == 1
        assert function == rows.execute(operated, (operator, *types)).fetchall()
