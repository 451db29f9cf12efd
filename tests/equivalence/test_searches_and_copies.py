"""What a search for one row leaves unasked, and what a fence keeps from the rows of one of two copies of a table: a
server answers the first of each pair and fails in the second.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with, is_proved_by_parts, reserves_what_fails

SCHEMA = """
create table t (id int primary key, y int not null, z int not null);
create table s (id int primary key, y int not null, z int not null);
create table c (id int primary key, t int not null references t, y int not null, z int not null);
"""
# of s what can't be computed is not met first; of t it has a z of which nothing is left
ROWS = """
insert into t select i, 1 + i % 9, 1 + i % 50 from generate_series(1, 2000) i;
insert into s values (9001, 2147483647, 5);
insert into s select * from t;
insert into t values (9002, 2147483647, 64), (9003, 0, 64);
insert into c select i, i, 1, i % 10 from generate_series(1, 2000) i;
set max_parallel_workers_per_gather = 0; set enable_nestloop = off; set enable_mergejoin = off;
analyze;
"""
CATALOG = catalog_from_ddl(SCHEMA)
ASKED = "s.z = c.z and c.y < s.y + 5"
SEARCH = f"select c.id from c where exists (select 1 from s where {ASKED})"
KEPT = "(select id, y, z from t where (z & 63) | 0 > 0{})"
COPIES = "select a.id, b.id from {} a join {} b on a.id = b.z where {}"
FENCED, BARE = KEPT.format(" offset 0"), KEPT.format("")
SEEN = {
    "a search, and a join of all": (SEARCH, f"select distinct c.id from c join s on {ASKED}"),
    "a search, and groups": (SEARCH, f"select c.id from c join s on {ASKED} group by c.id"),
    "a search of IN, and a join": (
        "select c.id from c where c.z in (select s.z from s where c.y < s.y + 5)",
        f"select distinct c.id from c join s on {ASKED}",
    ),
    "a search of ANY, and a join": (
        "select c.id from c where c.y < any (select s.y + 5 from s where s.z = c.z)",
        f"select distinct c.id from c join s on {ASKED}",
    ),
    "a search for none, and what a join leaves": (
        f"select c.id from c where not exists (select 1 from s where {ASKED})",
        f"select c.id from c except select c.id from c join s on {ASKED}",
    ),
    "a fence around another copy, below a quotient": (
        COPIES.format(FENCED, BARE, "10 / a.y > 3"),
        COPIES.format(BARE, FENCED, "10 / a.y > 3"),
    ),
    "a fence around another copy, below a sum": (
        COPIES.format(FENCED, BARE, "a.y + 5 > 3"),
        COPIES.format(BARE, FENCED, "a.y + 5 > 3"),
    ),
}
SAME = {
    "a search, written otherwise": (SEARCH, SEARCH.replace("c.y < s.y + 5", "s.y + 5 > c.y")),
    "a search by a key, and a join": (
        SEARCH.replace("s.z = c.z", "s.id = c.t"),
        "select c.id from c join s on s.id = c.t and c.y < s.y + 5",
    ),
    "a search of what is computed for a hash": (
        "select c.id from c where exists (select 1 from t where t.z = c.z and c.y = t.y + 5)",
        "select distinct c.id from c join t on t.z = c.z and c.y = t.y + 5",
    ),
    "a fence around the same copy": (
        COPIES.format(FENCED, BARE, "a.y + 5 > 3"),
        f"select a.id, b.id from {BARE} b join {FENCED} a on a.id = b.z where a.y + 5 > 3",
    ),
}


@pytest.mark.parametrize("words", SEEN)
def test_what_only_the_second_computes_may_fail(words: str) -> None:
    """By the kernel, by parts, and by the recheck's forms."""
    reserves_what_fails(CATALOG, *SEEN[words])


@pytest.mark.parametrize("words", SAME)
def test_what_both_compute_is_the_same(words: str) -> None:
    is_proved_by_parts(CATALOG, *SAME[words])


@pytest.mark.server
def test_the_server_fails_in_the_second_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    with failing_with(psycopg.errors.DataError, scratch_server, database, SCHEMA + ROWS) as fails:
        assert [words for words, (first, _) in SEEN.items() if fails(first)] == []
        assert [words for words, (_, second) in SEEN.items() if not fails(second)] == []
