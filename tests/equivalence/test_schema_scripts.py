"""What a script takes back, skips or puts elsewhere is no fact: each pair differs on rows that the server takes
after it (`False`), beside the nearest script after which the pair is equal (`True`). No server is asked.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.api import Checker
from rewright.equivalence.verdicts import Proved

_DISTINCT = ("select distinct a from t", "select a from t")
_JOIN = ("select c.id from c join p on p.id = c.pid", "select id from c")
_POSITIVE = ("select a from t where a > 0", "select a from t")
_PARENT = "create table p (id int primary key, v int);"
_CHILD = "create table c (id int primary key, pid int not null references p {});"
_PLAIN = "create table t (a int not null, b int not null);"
_LONG = "a_rather_long_name_of_a_table_that_is_used"
_TWO = "create schema s; create table public.t (a int not null); create table s.t (a int not null);"
_S = ("select distinct a from s.t", "select a from s.t")
_FUNCTION = (
    "create function mod(int2, int4) returns int4 language plpgsql immutable as 'begin return 9; end';"
)
_OPERATOR = _FUNCTION + "create operator {} (leftarg = int2, rightarg = int4, function = mod);"
_FOREIGN = "create server s foreign data wrapper w; create foreign table f {} server s;"
_NOTHING = "create function nothing() returns trigger language plpgsql as 'begin return null; end';"
_TRIGGER = "create trigger keep {} on {} for each row execute function nothing();"


def _is_proved(schema: str, pair: tuple[str, str]) -> bool:
    with Checker(schema_sql=schema) as checker:
        verdict = checker.check(*pair)
    return isinstance(verdict, Proved) and not verdict.modulo


@pytest.mark.parametrize(
    ("script", "pair", "proved"),
    [
        # CASCADE takes the references to a key with it
        (_PARENT + _CHILD.format("") + "alter table p drop constraint p_pkey cascade;", _JOIN, False),
        (
            _PARENT.replace("v int", "v int constraint u unique")
            + _CHILD.format("(id)")
            + "alter table p drop constraint u;",
            _JOIN,
            True,
        ),
        # of two keys of the same columns there is one
        (
            "create table t (a int unique primary key); alter table t drop constraint t_pkey;",
            _DISTINCT,
            False,
        ),
        (
            (
                "create table t (a int not null, constraint x unique (a), constraint y unique (a));"
                "alter table t drop constraint x;"
            ),
            _DISTINCT,
            False,
        ),
        (
            "create table t (a int unique not null, b int primary key); alter table t drop constraint t_pkey;",
            _DISTINCT,
            True,
        ),
        # names that the server makes
        (
            _PLAIN + "create unique index on t (a) include (b); drop index if exists t_a_b_idx;",
            _DISTINCT,
            False,
        ),
        (
            _PLAIN + "create unique index on t ((a % 9)); drop index if exists t_expr_idx1;",
            ("select distinct a % 9 from t", "select a % 9 from t"),
            False,
        ),
        (
            "create table t_a_idx (x int);"
            + _PLAIN
            + "create unique index on t (a); drop index if exists t_a_idx1;",
            _DISTINCT,
            False,
        ),
        (_PLAIN + "create unique index ta on t (a); drop index if exists t_a_idx1;", _DISTINCT, True),
        (
            (
                f"create table {_LONG} (and_a_rather_long_name_of_a_column int not null);"
                f"create unique index on {_LONG} (and_a_rather_long_name_of_a_column);"
                "drop index if exists a_rather_long_name_of_a_table_and_a_rather_long_name_of_a_c_idx;"
            ),
            (
                f"select distinct and_a_rather_long_name_of_a_column from {_LONG}",
                f"select and_a_rather_long_name_of_a_column from {_LONG}",
            ),
            False,
        ),
        (
            (
                "create table t_a_key (x int); create table t (a int not null unique);"
                "alter table t drop constraint if exists t_a_key1;"
            ),
            _DISTINCT,
            False,
        ),
        (
            (
                "create table o (a int not null unique); create table t (like o including indexes);"
                "alter table t drop constraint if exists t_a_key;"
            ),
            _DISTINCT,
            False,
        ),
        (
            (
                "create table u (x int constraint t_a_check check (x > 0)); create table t (a int not null check (a > 0));"
                "alter table t drop constraint if exists t_a_check1;"
            ),
            _POSITIVE,
            False,
        ),
        (
            "create table t (a int not null check (a > 0)); alter table t drop constraint if exists positive;",
            _POSITIVE,
            True,
        ),
        # IF NOT EXISTS of what is there
        (_PLAIN + "create index i on t (b); create unique index if not exists i on t (a);", _DISTINCT, False),
        (_PLAIN + "create sequence i; create unique index if not exists i on t (a);", _DISTINCT, False),
        (
            "create table t (a int not null, b int unique); create unique index if not exists t_b_key on t (a);",
            _DISTINCT,
            False,
        ),
        (
            _PLAIN + "create index on t (a); create unique index if not exists t_a_idx on t (a);",
            _DISTINCT,
            False,
        ),
        (
            "create type i as (x int);" + _PLAIN + "create unique index if not exists i on t (a);",
            _DISTINCT,
            False,
        ),
        (_PLAIN + "create index j on t (b); create unique index if not exists i on t (a);", _DISTINCT, True),
        (
            _PLAIN + "create index j on t (b); create unique index if not exists t_a_idx on t (a);",
            _DISTINCT,
            True,
        ),
        (
            (
                "create table p (a int); create table t () inherits (p);"
                "alter table t add column if not exists a int not null unique;"
            ),
            _DISTINCT,
            False,
        ),
        (
            "create table t (b int); alter table t add column if not exists a int primary key;",
            _DISTINCT,
            True,
        ),
        # under which search path
        (_TWO + "set local search_path = s; alter table t add primary key (a);", _S, False),
        (_TWO + "set search_path = s; reset search_path; alter table t add primary key (a);", _S, False),
        (_TWO + "set search_path = s; reset all; alter table t add primary key (a);", _S, False),
        (
            _TWO + "set search_path = s; set search_path to default; alter table t add primary key (a);",
            _S,
            False,
        ),
        (_TWO + "set search_path = s; alter table t add primary key (a);", _S, True),
        (
            (
                "create schema s; set search_path = s, public;"
                "create function s.abs(smallint) returns smallint language sql immutable as 'select 1::smallint';"
                "create table public.t (a int2 not null check (abs(a) > 0));"
            ),
            ("select a from t where abs(a) > 0", "select a from t"),
            False,
        ),
        (
            "create schema s; set search_path = s, public; create table public.t (a int not null check (a > 0));",
            _POSITIVE,
            True,
        ),
        (
            (
                "create schema s; set search_path = s, pg_catalog; create domain s.int4 as text;"
                "create table public.t (a text not null, b int); create unique index on public.t ((a::int4));"
            ),
            ("select count(*) from t x join t y on x.a::int4 = y.a::int4", "select count(*) from t"),
            False,
        ),
        # triggers and rules undo what references do
        (
            _PARENT + _CHILD.format("on delete cascade") + _NOTHING + _TRIGGER.format("before delete", "c"),
            _JOIN,
            False,
        ),
        (
            _PARENT + _CHILD.format("on update cascade") + _NOTHING + _TRIGGER.format("before update", "c"),
            _JOIN,
            False,
        ),
        (
            _PARENT
            + _NOTHING
            + _CHILD.format("on delete set default")
            + _TRIGGER.format("before update", "c"),
            _JOIN,
            False,
        ),
        (
            "create table l (x int);"
            + _PARENT
            + _CHILD.format("on delete cascade")
            + "create rule keep as on delete to c do instead delete from l where x = old.id;",
            _JOIN,
            False,
        ),
        (
            _PARENT + _CHILD.format("on delete cascade") + _NOTHING + _TRIGGER.format("before update", "c"),
            _JOIN,
            True,
        ),
        (
            _PARENT + _CHILD.format("on delete cascade") + _NOTHING + _TRIGGER.format("after delete", "c"),
            _JOIN,
            True,
        ),
        (
            _PARENT + _CHILD.format("on delete cascade") + _NOTHING + _TRIGGER.format("before delete", "p"),
            _JOIN,
            True,
        ),
        (_PARENT + _CHILD.format("") + _NOTHING + _TRIGGER.format("before delete", "c"), _JOIN, True),
        # operators and functions of other languages, which nothing here follows
        (
            _OPERATOR.format("+") + "create table t (a int2 not null check (a + 1 > 5));",
            ("select a from t where a > 4", "select a from t"),
            False,
        ),
        (
            _OPERATOR.format("+")
            + "create domain d as int2 check (value + 1 > 5); create table t (a d not null);",
            ("select a from t where a > 4", "select a from t"),
            False,
        ),
        (
            _FUNCTION + "create table t (a int2 not null, g int generated always as (mod(a, 3)) stored);",
            ("select g from t", "select a % 3 as g from t"),
            False,
        ),
        (
            _OPERATOR.format("-") + "create table t (a int2 not null check (a + 1 > 5));",
            ("select a from t where a > 4", "select a from t"),
            True,
        ),
        # foreign tables, whose rows nobody checks, and subscriptions, which bring rows past triggers
        (
            "create table t (a int primary key);" + _FOREIGN.format("() inherits (t)"),
            _DISTINCT,
            False,
        ),
        (
            "create table t (a int not null, b int) partition by list (b);"
            + _FOREIGN.format("partition of t for values in (1)"),
            ("select a from t where a is not null", "select a from t"),
            False,
        ),
        (
            "create table g (a int not null) partition by list (a);"
            "create table t partition of g for values in (1, 2) partition by list (a);"
            + _FOREIGN.format("partition of t for values in (1)"),
            ("select a from g where a is not null", "select a from g"),
            False,
        ),
        ("create table t (a int primary key);" + _FOREIGN.format("(a int)"), _DISTINCT, True),
        (
            _PARENT + _CHILD.format("") + "create subscription s connection 'dbname=x' publication y;",
            _JOIN,
            False,
        ),
        # tables that go take their partitions and children with them, and what was attached
        (
            (
                "create table p (a int not null) partition by range (a);"
                "create table t partition of p for values from (0) to (9); drop table p; create table t (a int not null);"
            ),
            ("select a from t where a < 9", "select a from t"),
            False,
        ),
    ],
)
def test_facts_are_those_that_a_script_leaves(script: str, pair: tuple[str, str], proved: bool) -> None:
    assert _is_proved(script, pair) is proved


_T = "create table t (a int primary key);"


@pytest.mark.parametrize(
    ("script", "pair", "proved"),
    [
        (
            _T + "create view v as select t.*, 1 as b from t; alter table t add column b int;",
            ("select b from v", "select b from t"),
            False,
        ),
        (
            "create table u (a int primary key, b int);"
            + _T
            + "create view v as select t.a from t natural join u; alter table t add column b int;",
            ("select a from v", "select t.a from t join u on t.a = u.a and t.b = u.b"),
            False,
        ),
        (
            (
                "create schema s; create table public.t (a int); set search_path = s, public;"
                "create view public.v as select a from t; create table s.t (a int);"
            ),
            ("select a from v", "select a from s.t"),
            False,
        ),
        (
            _T + "create view v as select a from t; create view w as select * from v;"
            "create or replace view v as select a, 2 as b from t;",
            ("select * from w", "select * from v"),
            False,
        ),
        (
            _T + "create view v as select a from t; alter table t add column b int;",
            ("select a from v", "select a from t"),
            True,
        ),
        (
            _T + "create view v as select a from t; create view w as select a from v;"
            "create or replace view v as select a from t where a > 0;",
            ("select a from w", "select a from t where a > 0"),
            True,
        ),
    ],
)
def test_views_mean_what_they_meant_when_they_were_made(
    script: str, pair: tuple[str, str], proved: bool
) -> None:
    assert _is_proved(script, pair) is proved
