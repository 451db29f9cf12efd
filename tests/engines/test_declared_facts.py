"""How a constraint may be declared, or valid in the catalog, and not hold on the rows: each way on a real
server.

``BROKEN``: statements after which the rows tell the pair apart though the constraint still is in the catalog;
no proof may rest on it. ``SOUND``: the nearest schema under which the pair is proved. The ids are those of
`tests.equivalence.registry`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from rewright.sql.binder import bind

pytestmark = pytest.mark.server

DISTINCT = ("select distinct id from t", "select id from t")
COUNTED = ("select count(id) from t", "select count(*) from t")
CHECKED = ("select id from t where v > 0 or v is null", "select id from t")
JOINED = ("select t.id from t join p on p.id = t.id", "select id from t")
FOREIGN = "create foreign data wrapper w; create server s foreign data wrapper w;"
TWICE = "insert into t values (1), (1)"
NULLS = "insert into t values (1), (null)"

CASCADING = (
    "create table l (id int); create table p (id int primary key);"
    " create table t (id int not null references p on delete cascade); "
)
NOTHING = "create function nothing() returns trigger language plpgsql as 'begin return null; end'; "
DELETED = "insert into p values (1); insert into t values (1); delete from p"

# a type whose equality is a user's function
ODD = (
    "create type odd; create function oin(cstring) returns odd language internal immutable strict as 'int4in';"
    " create function oout(odd) returns cstring language internal immutable strict as 'int4out';"
    " create type odd (input = oin, output = oout, internallength = 4, passedbyvalue, alignment = int4);"
    + "".join(
        f" create function o{n}(odd, odd) returns {r} language internal immutable strict as 'int4{n}';"
        for n, r in {"lt": "bool", "le": "bool", "eq": "bool", "ge": "bool", "gt": "bool"}.items()
    )
    + " create function ocmp(odd, odd) returns int language internal immutable strict as 'btint4cmp';"
    + "".join(
        f" create operator {o} (leftarg = odd, rightarg = odd, function = o{n});"
        for o, n in {"<": "lt", "<=": "le", "=": "eq", ">=": "ge", ">": "gt"}.items()
    )
    + " create operator class odd_ops default for type odd using btree as operator 1 <, operator 2 <=, operator 3 =,"
    " operator 4 >=, operator 5 >, function 1 ocmp(odd, odd);"
)

# name: (the pair, what breaks it, the sound neighbour, whether the rows tell)
CASES: dict[str, tuple[tuple[str, str], str, str, bool]] = {
    "before trigger on delete cascade": (
        JOINED,
        f"{CASCADING}{NOTHING}create trigger x before delete on t for each row execute function nothing(); {DELETED}",
        (
            f"{CASCADING}{NOTHING}create trigger x before update or insert on t for each row execute function nothing();"
            " create trigger y after delete on t for each row execute function nothing()"
        ),
        True,
    ),
    "before trigger on update cascade": (
        JOINED,
        (
            f"{CASCADING}{NOTHING}create trigger x before update on t for each row execute function nothing();"
            " alter table t drop constraint t_id_fkey; alter table t add foreign key (id) references p on update cascade;"
            " insert into p values (1); insert into t values (1); update p set id = 2"
        ),
        f"{CASCADING}{NOTHING}create trigger x before update on t for each row execute function nothing()",
        True,
    ),
    "instead rule on delete cascade": (
        JOINED,
        f"{CASCADING}create rule x as on delete to t do instead delete from l where id = old.id; {DELETED}",
        f"{CASCADING}create rule x as on delete to t do also delete from l where id = old.id",
        True,
    ),
    "not null not valid": (
        COUNTED,
        f"create table t (id int); {NULLS}; alter table t add constraint nn not null id not valid",
        "create table t (id int); alter table t add constraint nn not null id not valid; alter table t validate constraint nn",
        True,
    ),
    "check not valid": (
        CHECKED,
        "create table t (id int, v int); insert into t values (1, -1); alter table t add check (v > 0) not valid",
        "create table t (id int, v int check (v > 0))",
        True,
    ),
    "check not enforced": (
        CHECKED,
        "create table t (id int, v int check (v > 0) not enforced); insert into t values (1, -1)",
        "create table t (id int, v int check (v > 0) enforced)",
        True,
    ),
    "check no inherit": (
        CHECKED,
        "create table t (id int, v int, check (v > 0) no inherit); create table u () inherits (t); insert into u values (1, -1)",
        "create table t (id int, v int, check (v > 0)); create table u () inherits (t)",
        True,
    ),
    "F21 a function that was replaced": (
        ("select id from t where f(v) > 0 or f(v) is null", "select id from t"),
        (
            "create function f(int) returns int language sql immutable as 'select 1'; create table t (id int, v int, check (f(v) > 0));"
            " insert into t values (1, 1); create or replace function f(int) returns int language sql immutable as 'select -1'"
        ),
        "",
        True,
    ),
    "F21 a cast that was replaced": (
        ("select id from t where (r::int) > 0 or (r::int) is null", "select id from t"),
        (
            "create type pair as (a int); create function i(pair) returns int language sql immutable as 'select 1';"
            " create cast (pair as int) with function i(pair); create table t (id int, r pair, check ((r::int) > 0));"
            " insert into t values (1, row(1)); create or replace function i(pair) returns int language sql immutable as 'select -1'"
        ),
        "",
        True,
    ),
    "F18 an operator class that was replaced": (
        ("select distinct id from t", "select id from t"),
        f"{ODD} create table t (id odd primary key)",
        "create table t (id int primary key)",
        False,
    ),
    "F17 a collation of another version": (
        DISTINCT,
        (
            "create collation v (provider = builtin, locale = 'C.UTF-8'); create table t (id text collate v primary key);"
            " update pg_collation set collversion = '0' where collname = 'v'"
        ),
        "create collation v (provider = builtin, locale = 'C.UTF-8'); create table t (id text collate v primary key)",
        False,
    ),
    "F17 the database's collation of another version": (
        DISTINCT,
        (
            "create table t (id text primary key);"
            " update pg_database set datcollversion = '0' where datname = current_database()"
        ),
        "create table t (id text primary key)",
        False,
    ),
    "F17 texts inside of another type": (
        DISTINCT,
        (
            "create type r as (a int, b text); create table t (id r primary key);"
            " update pg_database set datcollversion = '0' where datname = current_database()"
        ),
        "",
        False,
    ),
    "F17 an order that a check compares": (
        ("select id from t where id > 'a' or id is null", "select id from t"),
        (
            "create table t (id text check (id > 'a'));"
            " update pg_database set datcollversion = '0' where datname = current_database()"
        ),
        "create table t (id text check (id > 'a'))",
        False,
    ),
    "an index left by create index concurrently": (
        DISTINCT,
        (
            f"create table t (id int not null); {TWICE}; create unique index u on t (id) where false;"
            " update pg_index set indpred = null, indisvalid = false where indexrelid = 'u'::regclass"
        ),
        "create table t (id int not null); create unique index u on t (id)",
        True,
    ),
    "an index on only the parent": (
        ("select distinct id, k from t", "select id, k from t"),
        (
            "create table t (id int not null, k int not null) partition by list (k); create table t1 partition of t for values in (1);"
            " create unique index on only t (id, k); insert into t values (1, 1), (1, 1)"
        ),
        (
            "create table t (id int not null, k int not null) partition by list (k); create table t1 partition of t for values in (1);"
            " create unique index on t (id, k)"
        ),
        True,
    ),
    "a key that takes nulls": (
        DISTINCT,
        "create table t (id int unique); insert into t values (null), (null)",
        "create table t (id int unique nulls not distinct)",
        True,
    ),
    "an exclusion constraint": (
        DISTINCT,
        f"create table t (id int not null, exclude using btree (id with =) deferrable initially deferred); {TWICE}",
        "create table t (id int primary key)",
        True,
    ),
    "a deferrable key": (
        DISTINCT,
        f"create table t (id int primary key deferrable initially deferred); {TWICE}",
        "create table t (id int primary key)",
        True,
    ),
    "a domain's check that is not valid": (
        ("select id from t where id > 0 or id is null", "select id from t"),
        (
            "create domain d as int; create table t (id d); insert into t values (-1);"
            " alter domain d add check (value > 0) not valid"
        ),
        "",
        True,
    ),
    "a domain over nothing": (
        COUNTED,
        "create domain d as int not null; create table s (x int); create table t (id d); insert into t values ((select 1::d where false))",
        "create domain d as int; create table t (id d not null)",
        True,
    ),
    "a stored expression": (
        ("select g from t", "select f(v) from t"),
        (
            "create function f(int) returns int language sql immutable as 'select $1';"
            " create table t (v int, g int generated always as (f(v)) stored); insert into t values (1);"
            " create or replace function f(int) returns int language sql immutable as 'select $1 + 1'"
        ),
        "",
        True,
    ),
    "a partition's bounds": (
        ("select id from t1 where k in (1, 2)", "select id from t1"),
        (
            "create table t (id int, k int) partition by list (k); create table t1 partition of t for values in (1, 2);"
            " insert into t1 values (1, 1); alter table t detach partition t1; insert into t1 values (1, 7)"
        ),
        "",
        True,
    ),
    "F23 bounds that an attached table was not asked for": (
        ("select id from t1 where k = 2", "select id from t1"),
        (
            # ATTACH folds the function that is now, and takes the CHECK's word for the rows
            "create function f() returns int language sql immutable as 'select 1';"
            " create table t1 (id int, k int not null, constraint c check (k = f())); insert into t1 values (1, 1);"
            " create or replace function f() returns int language sql immutable as 'select 2';"
            " create table t (id int, k int not null) partition by list (k); alter table t attach partition t1 for values in (2);"
            " alter table t1 drop constraint c"
        ),
        "",
        True,
    ),
    "F11 a child's not null that is not valid, under a parent's that is": (
        COUNTED,
        (
            "create table t (id int); create table u () inherits (t); insert into u values (null);"
            " alter table u add constraint nn not null id not valid; alter table t alter id set not null"
        ),
        "create table t (id int); alter table t alter id set not null",
        True,
    ),
    "F11 a partition's not null that is not valid, under its table's that is": (
        COUNTED,
        (
            "create table t (id int, k int) partition by list (k); create table u partition of t for values in (1) partition by list (id);"
            " create table v partition of u default; insert into v values (null, 1);"
            " alter table v add constraint nn not null id not valid; alter table t alter id set not null"
        ),
        (
            "create table t (id int, k int) partition by list (k); create table u partition of t for values in (1) partition by list (id);"
            " create table v partition of u default; alter table v add constraint nn not null id not valid;"
            " alter table t alter id set not null; alter table v validate constraint nn"
        ),
        True,
    ),
    "F19 a foreign partition": (
        COUNTED,
        (
            f"{FOREIGN} create table t (id int not null, k int) partition by list (k);"
            " create foreign table t1 partition of t for values in (1) server s"
        ),
        "create table t (id int not null, k int) partition by list (k); create table t1 partition of t for values in (1)",
        False,
    ),
    "F19 a foreign child": (
        CHECKED,
        f"{FOREIGN} create table t (id int, v int check (v > 0)); create foreign table u () inherits (t) server s",
        "create table t (id int, v int check (v > 0)); create table u () inherits (t)",
        False,
    ),
    "a foreign table": (
        COUNTED,
        f"{FOREIGN} create foreign table t (id int not null) server s",
        "create table t (id int not null)",
        False,
    ),
    "F20 a not null that children need not keep": (
        COUNTED,
        "create table t (id int, constraint nn not null id no inherit); create table u () inherits (t); insert into u values (null)",
        "create table t (id int not null)",
        True,
    ),
    "F4 a key of the parent": (
        DISTINCT,
        "create table t (id int primary key); create table u () inherits (t); insert into t values (1); insert into u values (1)",
        "create table t (id int primary key)",
        True,
    ),
    "F13 a foreign key whose triggers are disabled": (
        JOINED,
        (
            "create table p (id int primary key); create table t (id int not null references p); alter table t disable trigger all;"
            " insert into t values (5)"
        ),
        "create table p (id int primary key); create table t (id int not null references p); alter table t disable trigger user",
        True,
    ),
    "F13 a foreign key whose parent's triggers are disabled": (
        JOINED,
        (
            "create table p (id int primary key); create table t (id int not null references p); insert into p values (5);"
            " insert into t values (5); alter table p disable trigger all; delete from p"
        ),
        "create table p (id int primary key); create table t (id int not null references p)",
        True,
    ),
    "F5 a foreign key that is not enforced": (
        JOINED,
        "create table p (id int primary key); create table t (id int not null references p not enforced); insert into t values (5)",
        "create table p (id int primary key); create table t (id int not null references p enforced)",
        True,
    ),
    "a foreign key's copy for one partition of what it refers to": (
        ("select t.id from t join p1 on p1.id = t.id", "select t.id from t"),
        (
            "create table p (id int primary key) partition by list (id); create table p1 partition of p for values in (1);"
            " create table p2 partition of p for values in (2); create table t (id int not null references p);"
            " insert into p values (1), (2); insert into t values (1), (2)"
        ),
        "create table p1 (id int primary key); create table t (id int not null references p1)",
        True,
    ),
    "a composite that is not null": (
        ("select count(*) from t where r is not null", "select count(*) from t"),
        "create type pair as (a int, b int); create table t (r pair not null); insert into t values (row(null, null))",
        "",
        True,
    ),
}


@pytest.fixture(scope="module")
def connection(
    scratch_server: ScratchServer, module_database: str
) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as opened:
        opened.prepare_threshold = None
        yield opened


def is_proved(connection: psycopg.Connection[Any], pair: tuple[str, str]) -> bool:
    catalog = snapshot(connection)
    first, second = (bind(text, catalog) for text in pair)
    return isinstance(prove(first, second, catalog, deadline_seconds=20), Proof)


def answers(connection: psycopg.Connection[Any], pair: tuple[str, str]) -> list[Counter[Any]]:
    return [Counter(connection.execute(text.encode()).fetchall()) for text in pair]


@pytest.mark.parametrize("name", CASES)
def test_what_is_declared_and_does_not_hold(connection: psycopg.Connection[Any], name: str) -> None:
    pair, broken, _, tells = CASES[name]
    with connection.transaction():
        connection.execute(broken.encode())
        assert not is_proved(connection, pair)
        if tells:
            first, second = answers(connection, pair)
            assert first != second
        raise psycopg.Rollback


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[2]])
def test_its_sound_neighbour(connection: psycopg.Connection[Any], name: str) -> None:
    pair, _, sound, _ = CASES[name]
    with connection.transaction():
        connection.execute(sound.encode())
        assert is_proved(connection, pair)
        raise psycopg.Rollback


@pytest.mark.parametrize(
    "check",
    [
        "a <> b",  # arrays of it
        "row(a) <> row(b)",
        "v::text = ('1'::odd)::text",  # a type that only the expression names
    ],
)
def test_a_check_compares_by_a_users_function_inside_of_other_types(
    connection: psycopg.Connection[Any], check: str
) -> None:
    """The prover reads none of these today; a snapshot says that they are no facts all the same (F18)."""
    with connection.transaction():
        connection.execute(f"{ODD} create table t (v int, a odd[], b odd[], check ({check}))".encode())
        (found,) = (c for table in snapshot(connection).relations for c in table.checks)
        assert found.doubt == "F18"
        raise psycopg.Rollback


def test_a_not_null_that_was_not_looked_for_misleads_the_server_too(
    connection: psycopg.Connection[Any],
) -> None:
    """SET NOT NULL takes a CHECK's word as ATTACH does (F24), and nothing in the catalog tells afterwards.
    The planner then drops IS NOT NULL from any query, so that there is no right answer to keep.
    """
    with connection.transaction():
        connection.execute(
            "create function f() returns boolean language sql immutable as 'select true';"
            " create table t (id int, constraint c check (id is not null or f())); insert into t values (null);"
            " create or replace function f() returns boolean language sql immutable as 'select false';"
            " alter table t alter id set not null; alter table t drop constraint c"
        )
        assert connection.execute("select count(*), count(id) from t where id is not null").fetchall() == [
            (1, 0)
        ]
        raise psycopg.Rollback
