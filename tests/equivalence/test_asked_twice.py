"""Semi-joins in a recursion's first term that its reader makes again: left out where it does, and nowhere else."""

from __future__ import annotations

import json
from typing import cast

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.certificates import Texts, certify
from rewright.equivalence.proof import Composite, Proof, check_proof
from rewright.equivalence.recheck.check import recheck
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import prover

SCHEMA = """
create table part (id int primary key, up int references part, name text not null, weight int);
create table link (a int not null, b int not null);
"""
CATALOG = catalog_from_ddl(SCHEMA)
ROWS = """
insert into part values (1, null, 'a', 0), (2, 1, 'b', 2), (3, 1, 'c', null), (4, 2, 'b', 5), (5, 4, 'e', 0), (6, 5, 'f', 1), (7, 3, 'g', 1);
insert into link values (1, 2), (1, 3), (2, 3), (2, 4), (4, 4), (4, 4);
"""
LIGHT = "p.id in (select q.id from part q where q.weight < 3 and q.name <> 'f')"
READ = "from r join part c on c.id = r.top where c.weight < 3 and c.name <> 'f'"


def below(
    asked: str = "", read: str = f"c.name, r.id {READ}", *, top: str = "r.top", union: str = "union"
) -> str:
    """What lies below each part."""
    where = f" where {asked}" if asked else ""
    return (
        f"with recursive r(top, id) as (select p.id, p.id from part p{where} {union} "
        f"select {top}, c.id from r join part c on c.up = r.id) select {read}"
    )


COUNT = f"c.name, count(*) {READ} group by c.name"
LINKED = "r.top, r.id from r, link l, part c where c.id = l.a and l.b = r.top and c.weight < 3"
SAME = (
    (below(), below(LIGHT)),
    (below(read=COUNT), below(LIGHT, COUNT)),
    (below("p.name <> 'a'"), below(f"p.name <> 'a' and {LIGHT}")),
    # asked for less than the reader asks, and by two tables
    (below(), below("p.id in (select q.id from part q where q.weight < 3)")),
    (
        below(read=LINKED),
        below("p.id in (select l.b from link l, part q where q.id = l.a and q.weight < 3)", LINKED),
    ),
)
LEFT = "c.name, r.id from r left join part c on c.id = r.top and c.weight < 3 and c.name <> 'f'"
TWICE = f"c.name, (select count(*) from r x) {READ}"
DIFFERENT = (
    # other conditions, another column, a column that is not handed on
    (below(), below(LIGHT.replace("< 3", "< 2"))),
    (below(), below(LIGHT.replace("q.id from", "q.weight from"))),
    (below(), below(LIGHT.replace("p.id in", "p.up in"))),
    (below(read=f"c.name, r.top {READ.replace('r.top', 'r.id')}"), below(LIGHT, f"c.name, r.top {READ.replace('r.top', 'r.id')}")),
    (below(top="r.top - 1"), below(LIGHT, top="r.top - 1")),
    # padded, read by another one too, not an equality
    (below(read=LEFT), below(LIGHT, LEFT)),
    (below(read=TWICE), below(LIGHT, TWICE)),
    (below(read=f"c.name, r.id {READ.replace('= r.top', '>= r.top')}"), below(LIGHT, f"c.name, r.id {READ.replace('= r.top', '>= r.top')}")),
    # the contrary, and some of the rows
    (below(), below(LIGHT.replace(" in ", " not in "))),
    (below(), below(LIGHT.replace("'f')", "'f' order by q.id limit 1)"))),
    # among the rows of another table, or of a group's
    (below(read=LINKED), below("p.id in (select l.a from link l, part q where q.id = l.a and q.weight < 3)", LINKED)),
    (below(), below(LIGHT.replace("'f')", "'f' group by q.id having count(*) > 1)"))),
)  # fmt: skip


proved = prover(CATALOG)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_the_reader_asks_again_is_left_out(first: str, second: str) -> None:
    found = proved(first, second)
    assert found is not None
    assert found.modulo == ()
    proof = cast("Proof | Composite", found.proof)
    assert check_proof(proof, bind(first, CATALOG), bind(second, CATALOG), CATALOG) is None
    document = certify(found, Texts(SCHEMA, first, second), CATALOG.digest(), 60.0)
    checked = recheck(json.dumps(document).encode(), 120.0)
    assert (checked.word, checked.reason) == ("good", "")


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_what_it_does_not_ask_stays(first: str, second: str) -> None:
    assert proved(first, second) is None


def test_a_recursion_that_may_go_on_for_ever_is_reserved() -> None:
    found = proved(below(union="union all"), below(LIGHT, union="union all"))
    assert found is not None
    assert "errors" in found.modulo


@pytest.mark.server
def test_a_server_says_the_same_of_all_of_them(scratch_server: ScratchServer, module_database: str) -> None:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(f"{SCHEMA}{ROWS}".encode())

        def answer(text: str) -> list[object]:
            return sorted(connection.execute(text.encode()).fetchall(), key=repr)

        for first, second in DIFFERENT:
            assert answer(first) != answer(second), second
        for first, second in SAME:
            assert answer(first) == answer(second), second
