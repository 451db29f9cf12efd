"""Columns of recursions that nothing reads: left out where the rows stay as they are, and nowhere else."""

from __future__ import annotations

import json
from typing import cast

import psycopg
import pytest

from rewright.engines import clock
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.certificates import Texts, certify, seen_as
from rewright.equivalence.certified import NotDerived
from rewright.equivalence.proof import Composite, Proof, check_proof
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.recheck.outcome import Refused
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import prover

SCHEMA = """
create table part (id int primary key, up int references part, name text not null, weight int, share numeric);
create table link (a int not null, b int not null);
"""
CATALOG = catalog_from_ddl(SCHEMA)
ROWS = """
insert into part values (1, null, 'a', 0, 1), (2, 1, 'b', 2, 1.0), (3, 1, 'c', null, 2), (4, 2, 'b', 5, null), (5, 4, 'e', 0, 3), (6, 5, 'f', 1, 0);
insert into link values (1, 2), (1, 3), (2, 3), (2, 4);
"""


def walked(
    more: str = "", first: str = "", next_: str = "", *, union: str = "all", read: str = "id from r"
) -> str:
    """The tree from its roots; columns besides the key."""
    names = f"id{more}"
    return (
        f"with recursive r({names}) as (select p.id{first} from part p where p.up is null union {union} "
        f"select c.id{next_} from r join part c on c.up = r.id) select {read}"
    )


NAMED = walked(", name", ", p.name", ", c.name")
SAME = (
    (walked(), NAMED),
    (NAMED, walked(", weight, share", ", p.weight, p.share", ", r.weight, c.share")),
    (walked(read="count(*) from r"), walked(", name", ", p.name", ", c.name", read="count(*) from r")),
    # handed on from one to the other, and asked by nobody
    (walked(), walked(", x, y", ", p.weight, p.weight", ", r.y, r.x")),
    (walked(read="id from r where id > 1"), walked(", d", ", 0", ", r.d", read="id from r where id > 1")),
    (
        walked(", n", ", p.name", ", c.name", read="n from r"),
        walked(", s, n", ", p.share, p.name", ", r.s, c.name", read="n from r"),
    ),
    # each round adds to what there is
    (walked(), walked(", path", ", p.name", ", r.path || '/' || c.name")),
    (walked(), walked(", path", ", p.name", ", concat(r.path, c.id::text, r.id::text)")),
    (walked(), walked(", x, y", ", p.name, p.name", ", r.y || '-', r.x")),
)
DIFFERENT = (
    # rows that are dropped as duplicates by the one, and not by the other
    (
        "with recursive r(a) as (select 1 union select l.b from r join link l on l.a = r.a) select a from r",
        "with recursive r(a, n) as (select 1, 0 union select l.b, l.b - l.a from r join link l on l.a = r.a) select a from r",
    ),
    # a column that the step asks for, by itself or by another one
    (walked(), walked(", d", ", 0", ", r.d + 1").replace("c.up = r.id", "c.up = r.id and r.d < 1")),
    (walked(), walked(", d, e", ", 0, 0", ", r.e, r.d + 1").replace("c.up = r.id", "c.up = r.id and r.d < 1")),
    # one that fails, one that makes rows, one that is read in the whole row
    (walked(), walked(", q", ", 1", ", 8 / c.weight")),
    (walked(), walked(", q", ", 1", ", generate_series(1, 2)")),
    (walked(), walked(", q", ", 1", ", (select a from link where a = c.id)")),
    (walked(read="r::text from r"), walked(", q", ", p.weight", ", c.weight", read="r::text from r")),
    (walked(read="count(r) from r where r is not null"), walked(", q", ", p.weight", ", c.weight", read="count(r) from r where r is not null")),
)  # fmt: skip
# each round doubles what there is, until it is too long
DOUBLED = tuple(
    (
        "with recursive r(n) as (select 1 union all select n + 1 from r where n < 40) select n from r",
        f"with recursive r(n, x, y) as (select 1, 'x', 'x' union all select n + 1, {step} from r where n < 40) select n from r",
    )
    for step in ("x || x, ''", "concat(x, x), y", "replace(x, 'x', 'xx'), y", "x || y, x || y", "x || '1', y || y || x")
)  # fmt: skip


proved = prover(CATALOG)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_nothing_reads_is_left_out(first: str, second: str) -> None:
    found = proved(first, second)
    assert found is not None
    assert found.modulo == ()
    proof = cast("Proof | Composite", found.proof)
    assert check_proof(proof, bind(first, CATALOG), bind(second, CATALOG), CATALOG) is None
    document = certify(found, Texts(SCHEMA, first, second), CATALOG.digest(), 60.0)
    checked = recheck(json.dumps(document).encode(), 120.0)
    assert (checked.word, checked.reason) == ("good", "")


@pytest.mark.parametrize(("first", "second"), [*DIFFERENT, *DOUBLED])
def test_what_rows_or_errors_depend_on_stays(first: str, second: str) -> None:
    found = proved(first, second)
    assert found is None or "errors" in found.modulo


@pytest.mark.parametrize(("first", "second"), DOUBLED)
def test_no_form_of_the_recheck_leaves_out_what_doubles(first: str, second: str) -> None:
    pair = Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    with pytest.raises((Refused, NotDerived)):
        seen_as(pair, ("fixpoints",), None, clock.now() + 30)


@pytest.mark.server
def test_a_server_tells_the_different_ones_apart(scratch_server: ScratchServer, module_database: str) -> None:
    def answer(connection: psycopg.Connection[tuple[object, ...]], text: str) -> object:
        try:
            return sorted(connection.execute(text.encode()).fetchall(), key=repr)
        except psycopg.Error as error:
            return error.sqlstate

    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(f"{SCHEMA}{ROWS}".encode())
        assert all(answer(connection, a) != answer(connection, b) for a, b in DIFFERENT)
        assert all(answer(connection, a) == answer(connection, b) for a, b in SAME)
