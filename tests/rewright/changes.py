"""Single changes of one schema, made one at a time from lists of what there is, and rows that a change may
let in.

``SCHEMA`` has one of everything a proof may rest on; ``PAIRS`` are texts and replacements that rest on it.
``changes()`` gives every change with whether it must end no rewrite (``QUIET``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SCHEMA = """
create schema first; create schema beside;
set search_path = first, public;
create role other_owner; create role reader;
create collation public.versioned (provider = builtin, locale = 'C.UTF-8');
create collation public.other_version (provider = builtin, locale = 'C.UTF-8');
create domain public.small as int check (value < 1000);
create type public.mood as enum ('sad', 'ok');
create function public.f(int) returns int language sql immutable strict as 'select $1 + 1';
create function public.same(int, int) returns boolean language sql immutable strict as 'select $1 = $2';
create operator public.=== (leftarg = int, rightarg = int, function = public.same);
create table public.p (id int primary key, name text collate public.versioned unique not null, n int);
create table public.p2 (id int primary key, name text collate public.versioned unique not null, n int);
create table public.c (id int primary key, pid int not null references public.p, m public.mood, s public.small not null,
  q numeric(8,2), v int check (v > 0), g int generated always as (v * 2) stored, note varchar(10) default 'x');
create table public.root (id int not null unique, a int);
create table public.gone () inherits (public.root); drop table public.gone;
create table public.parts (id int, k int not null, w int not null, primary key (id, k)) partition by list (k);
create table public.parts1 partition of public.parts for values in (1, 2);
create table public.parts2 partition of public.parts for values in (3);
create table public.spare (id int not null, k int not null, w int not null);
create table public.many (id int, v int not null, w int not null, h int generated always as (v + w) stored, check (v > 0),
  check (w between 0 and 50), exclude using btree (w with =));
create unique index many_some on public.many (v) where v > 10 and v::text collate public.other_version > ''; create unique index many_sum on public.many ((v + w));
create table public.pairs (a int, b int, foreign key (a, b) references public.parts (id, k) match full);
create view public.seen as select c.id, c.pid, f(c.v) as fv from c where c.s < 500;
create view public.above as select id, fv from seen;
create materialized view public.kept as select id, name from p; create unique index on public.kept (id);
insert into p select n, 'n' || n, n % 3 from generate_series(1, 20) n;
insert into p2 select n, 'm' || n, n % 3 from generate_series(1, 10) n; insert into p2 values (11, 'x', null);
insert into c (id, pid, m, s, q, v) select n, 1 + n % 20, case n % 2 when 0 then 'ok' else 'sad' end::mood, n, n * 1.5,
  case when n % 7 > 0 then n end from generate_series(1, 60) n;
insert into root select n, n from generate_series(1, 20) n;
insert into parts select n, 1 + n % 3, n from generate_series(1, 20) n;
insert into spare values (101, 7, 1);
insert into many (id, v, w) select n, n, n from generate_series(1, 20) n; insert into pairs values (1, 2), (null, null);
"""

TABLES = ("p", "c", "root", "parts", "many", "pairs")

# what is asked, and what is asked instead; each is proved before anything changes
PAIRS = {
    "foreign key": ("select count(*) from c join p on p.id = c.pid", "select count(*) from c"),
    "key": ("select distinct id, n from p", "select id, n from p"),
    "key of texts": ("select distinct name from p", "select name from p"),
    "not null": ("select count(c.pid) from c", "select count(*) from c"),
    "check": ("select id from c where v > 0 or v is null", "select id from c"),
    "no children": ("select distinct id from root", "select id from root"),
    "partitions": ("select distinct id, k from parts", "select id, k from parts"),
    "not null of partitions": ("select count(w) from parts", "select count(*) from parts"),
    "view": ("select id from seen where pid = 3 and pid = 3", "select id from seen where pid = 3"),
    "view opened": ("select id from above where id = 7", "select c.id from c where c.s < 500 and c.id = 7"),
    "function": ("select id, f(v) as r from (select id, v from c) x", "select id, f(v) as r from c"),
    "operator": ("select id from c where v === 3 and v === 3", "select id from c where v === 3"),
    "domain": ("select s from c where s < 9 and s < 9", "select s from c where s < 9"),
    "type": (
        "select id from c where m = 'ok'::mood and m = 'ok'::mood",
        "select id from c where m = 'ok'::mood",
    ),
    "generated": ("select id from c where g = 8", "select id from c where g = 8 and v = 4"),
    "generated of two": ("select id from many where h < 1", "select id from many where false"),
    "exclusion": ("select distinct w, v from many", "select w, v from many"),
    "key of some rows": (
        "select distinct v from many where v > 10 and v::text collate other_version > ''",
        "select v from many where v > 10 and v::text collate other_version > ''",
    ),
    "key of a sum": ("select distinct v + w from many", "select v + w from many"),
    "null together": ("select a from pairs where a is null and b > 0", "select a from pairs where false"),
    "stars": ("select * from (select * from p) x", "select * from p"),
    "kept rows": ("select distinct id from kept where id > 0", "select id from kept where id > 0"),
    "collate": (
        "select id from p where name collate versioned < 'n3' and name collate versioned < 'n3'",
        "select id from p where name collate versioned < 'n3'",
    ),
}
# what each proof rests on besides names: the kind of the fact and how its name begins
RESTS_ON = {
    "foreign key": ("foreign key", "c_pid_fkey"),
    "key": ("primary key", "p_pkey"),
    "key of texts": ("unique", "p_name_key"),
    "not null": ("not null", ""),
    "check": ("check", "c_v_check"),
    "no children": ("unique", "root_id_key"),
    "partitions": ("primary key", "parts_pkey"),
    "not null of partitions": ("not null", ""),
    "generated": ("check", "generated g"),
    "generated of two": ("check", "generated h"),
    "exclusion": ("unique", "many_w_excl"),
    "key of some rows": ("unique", "many_some"),
    "key of a sum": ("unique", "many_sum"),
    "null together": ("foreign key", "pairs_a_b_fkey"),
    "kept rows": ("unique", "kept_id_idx"),
}
# an end of one of these ends the rewrite
RESTS_ON_KEYS = {"foreign key", "null together"}

# rows that some change may let in; in the schema as it is each is refused, or changes both answers alike
ROWS = (
    "insert into c (id, pid, s, v) values (1001, 999, 1, 1)",
    "insert into c (id, pid, s, v) values (1002, null, 1, 1)",
    "insert into c (id, pid, s, v) values (1003, 1, 1, -5)",
    "insert into c (id, pid, s, v) values (1004, 1, 1, 5)",
    "insert into c (id, pid, s, v) values (1, 1, 1, 5)",
    "insert into p values (1, 'again', 1)",
    "insert into p values (1001, 'n1', 1)",
    "insert into p select * from p limit 1",
    "delete from p where id = 1",
    "insert into root values (1, 7)",
    "insert into child_of_root select * from root",
    "insert into parts values (1, 2, 5)",
    "insert into parts values (201, 7, 5), (201, 7, 5)",
    "insert into parts values (301, 1, null)",
    "insert into new_part values (5, 9, null)",
    "insert into first.c select * from public.c",
    "insert into first.p values (1, 'first', 1)",
    "refresh materialized view kept",
    "insert into many (id, v, w) values (1, 15, 40)",
    "insert into many (id, v, w) values (1, 40, 15)",
    "insert into many (id, v, w) values (1, -5, 40), (1, 80, 3), (1, 3, 80)",
    "insert into pairs values (null, 5)",
    "insert into child_of_many select * from many where id = 1",
)


@dataclass(frozen=True, slots=True)
class Change:
    """``quiet``: no fact and no answer depends on it, so no rewrite may end by it.

    ``missed``: why a change of the schema that is not quiet concerns none of the pairs.
    """

    name: str
    sql: str
    quiet: bool = False
    missed: str = ""


def changes() -> Iterator[Change]:
    """All of them, none twice."""
    yield from _of_tables()
    yield from _of_columns()
    yield from _of_constraints()
    yield from _of_indexes()
    yield from _of_triggers()
    yield from _of_children()
    yield from _of_views()
    yield from _of_functions()
    yield from _of_types()
    yield from _of_names()
    yield from _of_rights()
    yield from _of_settings()
    yield from _of_servers()


def _of_tables() -> Iterator[Change]:
    quiet = (
        "analyze {t}",
        "comment on table {t} is 'x'",
        "alter table {t} set (parallel_workers = 2)",
        "create statistics st (ndistinct) on {two} from {t}",
        "grant select on {t} to reader",
        "grant select ({one}) on {t} to reader",
    )
    loud = (
        "alter table {t} rename to moved",
        "alter table {t} set schema beside",
        "alter table {t} add column added int default 5",
        "alter table {t} enable row level security",
        "alter table {t} enable row level security, force row level security",
        "create policy po on {t} using (false); alter table {t} enable row level security",
        "create rule ru as on insert to {t} do also select 1",
        "create temporary table {t} (like public.{t}); insert into pg_temp.{t} select * from public.{t}",
        "drop table {t} cascade",
    )
    plain = (
        "alter table {t} replica identity full",
        "alter table {t} owner to other_owner",
        "alter table {t} set unlogged",
        "alter table {t} set tablespace pg_default",
        "alter table {t} set (autovacuum_enabled = off)",
    )
    for table in TABLES:
        names = {
            "t": table,
            "one": "a" if table == "pairs" else "id",
            "two": "id, k" if table == "parts" else "id, a" if table == "root" else "id, n",
        }
        names["two"] = {"c": "id, v", "many": "id, v", "pairs": "a, b"}.get(table, names["two"])
        yield from (Change(s.format(**names), s.format(**names), quiet=True) for s in quiet)
        yield from (Change(s.format(**names), s.format(**names)) for s in loud)
        if table != "parts":
            yield from (Change(s.format(**names), s.format(**names), "unlogged" not in s) for s in plain)


COLUMNS = {
    "p": {"id": "int", "name": "text", "n": "int"},
    "c": {
        "id": "int",
        "pid": "int",
        "s": "int",
        "q": "numeric",
        "v": "int",
        "m": "mood",
        "note": "varchar",
        "g": "int",
    },
    "root": {"id": "int", "a": "int"},
    "parts": {"id": "int", "k": "int", "w": "int"},
    "many": {"v": "int", "w": "int", "h": "int"},
    "pairs": {"a": "int", "b": "int"},
}


def _of_columns() -> Iterator[Change]:
    for table, columns in COLUMNS.items():
        for column, kind in columns.items():
            at = f"alter table {table} alter {column}"
            yield from (
                Change(f"{table}.{column}: {sql}", sql, quiet)
                for sql, quiet in (
                    (f"{at} set statistics 10", True),
                    (f"{at} set (n_distinct = 5)", True),
                    (f"comment on column {table}.{column} is 'x'", True),
                    (f"alter table {table} rename {column} to other", False),
                    (f"alter table {table} drop {column} cascade", False),
                    (f"{at} drop not null", False),
                    (f"{at} set not null", False),
                    (f"revoke select ({column}) on {table} from public", True),
                )
            )
            if column not in {"g", "h"}:
                yield Change(f"{table}.{column}: set default", f"{at} set default null", quiet=True)
            # views forbid other types; without them that is seen, too
            drop = {"c": "drop view seen cascade; ", "p": "drop materialized view kept; "}.get(table, "")
            if table == "c" and column == "v":
                drop += "alter table c drop g; "
            if table == "many":
                drop += "alter table many drop h; " if column != "h" else ""
            if kind in {"text", "varchar"}:
                yield Change(f"{table}.{column}: storage", f"{at} set storage external", quiet=True)
                yield Change(f"{table}.{column}: C", f'{drop}{at} type text collate "C"')
                yield Change(f"{table}.{column}: typmod", f"{drop}{at} type varchar(300)")
            if kind == "int":
                yield Change(f"{table}.{column}: bigint", f"{drop}{at} type bigint")
                if column == "n" or (table, column) in {("root", "a"), ("parts", "w")}:
                    yield Change(f"{table}.{column}: text", f"{drop}{at} type text")
            if kind == "numeric":
                yield Change(f"{table}.{column}: typmod", f"{drop}{at} type numeric(8,1)")
    yield Change("identity", "alter table c alter id add generated always as identity", quiet=True)
    yield Change("expression", "alter table c alter g set expression as (v * 3)")
    yield Change("expression of two", "alter table many alter h set expression as (v - w)")
    yield Change("no expression of two", "alter table many alter h drop expression")
    yield Change("no expression", "alter table c alter g drop expression")


def _of_constraints() -> Iterator[Change]:
    for table, name in (
        ("p", "p_name_key"),
        ("c", "c_pid_fkey"),
        ("c", "c_v_check"),
        ("root", "root_id_key"),
        ("c", "c_pkey"),
        ("p", "p_pkey"),
        ("parts", "parts_pkey"),
        ("many", "many_v_check"),
        ("many", "many_w_excl"),
        ("pairs", "pairs_a_b_fkey"),
    ):
        yield Change(f"drop {name}", f"alter table {table} drop constraint {name} cascade")
        yield Change(f"rename {name}", f"alter table {table} rename constraint {name} to renamed")
    refers = "foreign key (pid) references p"
    again = "alter table c drop constraint c_pid_fkey, add constraint c_pid_fkey"
    for name, sql in {
        "not valid": f"{again} {refers} not valid",
        "deferrable": f"{again} {refers} deferrable",
        "deferrable later": "alter table c alter constraint c_pid_fkey deferrable initially deferred",
        "not enforced": "alter table c alter constraint c_pid_fkey not enforced",
        "cascade": f"{again} {refers} on delete cascade",
        "elsewhere": f"{again} foreign key (pid) references p2 not valid",
        "catalog": "update pg_constraint set convalidated = false where conname = 'c_pid_fkey'",
        "catalog not enforced": "update pg_constraint set conenforced = false where conname = 'c_pid_fkey'",
    }.items():
        yield Change(f"foreign key {name}", sql)
    gone = "alter table c drop constraint c_v_check, add constraint c_v_check check"
    for name, sql in {
        "wider": f"{gone} (v > -10)",
        "not valid": f"{gone} (v > 0) not valid",
        "not enforced": f"{gone} (v > 0) not enforced",
        "no inherit": f"{gone} (v > 0) no inherit",
        "function": f"{gone} (f(v) > 0)",
        "catalog": "update pg_constraint set convalidated = false where conname = 'c_v_check'",
    }.items():
        yield Change(f"check {name}", sql)
    for name, sql in {
        "deferrable unique": "alter table p drop constraint p_name_key, add unique (name) deferrable",
        "nulls not distinct": "alter table p drop constraint p_name_key, add unique nulls not distinct (name)",
        "without its not null": "alter table c alter pid drop not null",
        "not null not valid": "alter table c alter pid drop not null, add constraint nn not null pid not valid",
        "one more check": "alter table c add check (v < 100000)",
        "one more key": "alter table c add unique (id, v)",
        "exclusion": "alter table root add exclude using btree (a with =)",
        "not null no inherit": "alter table root alter id drop not null, add constraint nn not null id no inherit",
    }.items():
        yield Change(name, sql)


def _of_indexes() -> Iterator[Change]:
    yield Change("index", "create index on c (v)", quiet=True)
    yield Change("index on an expression", "create index on c (f(v))", quiet=True)
    yield Change("reindex", "reindex table p", quiet=True)
    yield Change("cluster", "alter table p cluster on p_pkey", quiet=True)
    yield Change("rename index", "create index ix on c (v); alter index ix rename to iy", quiet=True)
    yield Change("identity index", "alter table p replica identity using index p_name_key", quiet=True)
    yield Change("partial unique", "create unique index on c (v) where v < 3")
    for flag in ("indisvalid", "indisready", "indislive", "indisunique"):
        for index in (
            "p_pkey",
            "p_name_key",
            "root_id_key",
            "parts_pkey",
            "parts1_pkey",
            "kept_id_idx",
            "many_some",
            "many_sum",
        ):
            yield Change(
                f"{index} {flag}",
                f"update pg_index set {flag} = false where indexrelid = '{index}'::regclass",
            )
    for index in ("kept_id_idx", "many_some", "many_sum"):
        yield Change(f"dropped unique index {index}", f"drop index {index}")
    yield Change(
        "wider predicate",
        "drop index many_some; create unique index many_some on many (v) where v > 100",
    )
    yield Change("other expression", "drop index many_sum; create unique index many_sum on many ((v * 2))")
    yield Change(
        "matched simply",
        "alter table pairs drop constraint pairs_a_b_fkey,"
        " add constraint pairs_a_b_fkey foreign key (a, b) references parts (id, k)",
    )
    yield Change(
        "only parent",
        "alter table parts drop constraint parts_pkey cascade; create unique index on only parts (id, k)",
    )


def _of_triggers() -> Iterator[Change]:
    for table in ("c", "p"):
        for what in ("disable trigger all", "disable trigger user"):
            yield Change(f"{table} {what}", f"alter table {table} {what}", quiet=what.endswith("user"))
    for state in ("D", "R", "A"):
        yield Change(
            f"triggers {state}",
            f"update pg_trigger set tgenabled = '{state}' where tgrelid in ('c'::regclass, 'p'::regclass)",
        )
    yield Change(
        "a trigger",
        "create function first.tr() returns trigger language plpgsql as 'begin return null; end';"
        " create trigger tr before insert on c execute function first.tr()",
        quiet=True,
    )


def _of_children() -> Iterator[Change]:
    copied = "insert into child_of_root select * from root where id = 1"
    yield Change("child", f"create table child_of_root () inherits (root); {copied}")
    yield Change(
        "child attached",
        f"create table child_of_root (id int not null, a int); alter table child_of_root inherit root; {copied}",
    )
    yield Change("two parents", "create table both_of () inherits (root, p2)")
    yield Change(
        "child of many",
        "create table child_of_many () inherits (many); insert into child_of_many (id, v, w) select id, v, w from many",
    )
    yield Change("child of c", "create table child_of_c () inherits (c)")
    yield Change(
        "child of p",
        "create table child_of_p () inherits (p); insert into child_of_p select * from p where id = 1",
    )
    yield Change("new partition", "create table new_part partition of parts for values in (9)", quiet=True)
    yield Change("default partition", "create table new_part partition of parts default", quiet=True)
    yield Change("attached", "alter table parts attach partition spare for values in (7)", quiet=True)
    yield Change("detached", "alter table parts detach partition parts2", quiet=True)
    yield Change(
        "partition dropped", "alter table parts detach partition parts2; drop table parts2", quiet=True
    )
    yield Change("partition renamed", "alter table parts2 rename to parts9", quiet=True)
    foreign = "create foreign data wrapper w; create server elsewhere foreign data wrapper w;"
    yield Change("foreign child", f"{foreign} create foreign table fo () inherits (root) server elsewhere")
    yield Change("partition's triggers", "alter table parts1 disable trigger all")


def _of_views() -> Iterator[Change]:
    head = "create or replace view seen as select c.id, c.pid, f(c.v) as fv from c"
    for name, sql in {
        "condition": f"{head} where c.s < 20",
        "join": f"{head} join p on p.id = c.pid where c.s < 500",
        "column": "create or replace view seen as select c.id, c.id as pid, f(c.v) as fv from c where c.s < 500",
        "the one above": "create or replace view above as select c.id, 5 as fv from c",
        "barrier": "alter view seen set (security_barrier)",
        "invoker": "alter view seen set (security_invoker)",
        "owner": "alter view seen owner to other_owner",
        "renamed": "alter view seen rename to unseen",
        "column renamed": "alter view seen rename column pid to qid",
        "swapped": "alter view seen rename to x; create view seen as select id, pid, v as fv from c",
        "catalog": "update pg_rewrite set ev_enabled = 'D' where ev_class = 'seen'::regclass",
        "table for a view": "drop view above; drop view seen; create table seen (id int, pid int, fv int)",
    }.items():
        yield Change(f"view {name}", sql)
    yield Change("view comment", "comment on view seen is 'x'", quiet=True)


def _of_functions() -> Iterator[Change]:
    for name, options in {
        "body": "immutable strict as 'select $1 + 2'",
        "volatile": "volatile strict as 'select $1 + 1'",
        "stable": "stable strict as 'select $1 + 1'",
        "not strict": "immutable as 'select coalesce($1, 0)'",
    }.items():
        yield Change(
            f"function {name}", f"create or replace function public.f(int) returns int language sql {options}"
        )
    yield Change("function leakproof", "alter function f(int) leakproof")
    yield Change("function renamed", "alter function f(int) rename to ff")
    for schema in ("first", "public"):
        yield Change(
            f"function shadowed in {schema}",
            f"create function {schema}.f(bigint) returns int language sql immutable as 'select 0'",
        )
    yield Change(
        "same function first", "create function first.f(int) returns int language sql immutable as 'select 0'"
    )
    yield Change(
        "built-in shadowed",
        "create function public.count(int) returns bigint language sql as 'select 0::bigint'",
    )
    yield Change(
        "operator's function",
        "create or replace function public.same(int, int) returns boolean language sql volatile as 'select true'",
    )
    yield Change(
        "operator first", "create operator first.=== (leftarg = int, rightarg = int, function = public.same)"
    )
    yield Change(
        "operator better",
        "create function first.eq(int, int) returns boolean language sql as 'select true';"
        " create operator first.= (leftarg = int, rightarg = int, function = first.eq)",
    )
    yield Change("operator dropped", "drop operator public.=== (int, int)")
    yield Change("operator's restriction", "alter operator public.=== (int, int) set (restrict = eqsel)")
    yield Change(
        "an unrelated function",
        "create function first.unrelated(int) returns int language sql as 'select 1'",
        quiet=True,
    )
    yield Change(
        "cast",
        "create function first.of_mood(mood) returns int language sql immutable as 'select 1'; create cast (mood as int) with function first.of_mood(mood) as implicit",
    )
    yield Change("cast to text", "create cast (mood as text) with inout as implicit")


def _of_types() -> Iterator[Change]:
    yield Change("enum value", "alter type mood add value 'new' before 'ok'", quiet=True)
    yield Change(
        "enum label", "alter type mood rename value 'ok' to 'fine'", missed="both texts fail from then on"
    )
    yield Change("type renamed", "alter type mood rename to humour")
    yield Change("type first", "create type first.mood as enum ('ok', 'bad')")
    yield Change("domain check", "alter domain small add check (value > -1000)")
    yield Change("domain check not valid", "alter domain small add check (value > 0) not valid")
    yield Change("domain check dropped", "alter domain small drop constraint small_check")
    yield Change("domain not null", "alter domain small set not null")
    yield Change("domain default", "alter domain small set default 5")
    yield Change("domain renamed", "alter domain small rename to smaller")
    yield Change(
        "collation version", "update pg_collation set collversion = '0' where collname = 'versioned'"
    )
    yield Change(
        "database's collation version",
        "update pg_database set datcollversion = '0' where datname = current_database()",
    )
    yield Change(
        "collation of an index's expression",
        "update pg_collation set collversion = '0' where collname = 'other_version'",
    )
    yield Change("collation first", "create collation first.versioned (provider = builtin, locale = 'C')")
    yield Change(
        "collation refreshed",
        "update pg_collation set collversion = '0' where collname = 'versioned'; alter collation versioned refresh version",
        quiet=False,
    )


def _of_names() -> Iterator[Change]:
    for table in TABLES:
        yield Change(f"{table} first", f"create table first.{table} (like public.{table})")
        yield Change(f"{table} beside", f"create table beside.{table} (like public.{table})", quiet=True)
        yield Change(f"view for {table} first", f"create view first.{table} as select * from public.{table}")
    yield Change("swap", "alter table p rename to q; alter table p2 rename to p; alter table q rename to p2")
    yield Change(
        "swap of schemas",
        "create table beside.p (like public.p); alter table public.p set schema first; alter table beside.p set schema public",
    )
    yield Change("schema renamed", "alter schema beside rename to aside", quiet=True)
    yield Change("schema first renamed", "alter schema first rename to last")


def _of_rights() -> Iterator[Change]:
    yield Change("role setting", "alter role reader set work_mem = '1MB'", quiet=True)
    yield Change(
        "database setting",
        "do $$ begin execute format('alter database %I set work_mem = ''1MB''', current_database()); end $$",
        quiet=True,
    )
    yield Change("roles act as replicas", "alter role reader set session_replication_role = replica")
    yield Change(
        "database acts as replica",
        "do $$ begin execute format('alter database %I set session_replication_role = replica', current_database()); end $$",
    )
    yield Change(
        "default privileges", "alter default privileges grant select on tables to reader", quiet=True
    )
    yield Change("revoked", "revoke all on p, c from public", quiet=True)
    yield Change("set role", "set local role pg_read_all_data")


def _of_settings() -> Iterator[Change]:
    for name, value in {
        "search_path": "public, first",
        "transform_null_equals": "on",
        "array_nulls": "off",
        "standard_conforming_strings": "off",
        "session_replication_role": "replica",
        "row_security": "off",
        "timezone": "Asia/Tokyo",
        "datestyle": "German",
        "work_mem": "64kB",
        "enable_hashjoin": "off",
        "enable_seqscan": "off",
        "jit": "off",
    }.items():
        loud = name in {
            "search_path",
            "transform_null_equals",
            "array_nulls",
            "standard_conforming_strings",
            "session_replication_role",
        }
        yield Change(
            f"set {name}",
            f"set local {name} = {value if name == 'search_path' else repr(value)}",
            quiet=not loud,
        )


def _of_servers() -> Iterator[Change]:
    yield Change("publication", "create publication pub for table c, p", quiet=True)
    away = "create subscription away connection 'dbname=x' publication x with (connect = false);"
    yield Change(
        "subscription",
        f"{away} insert into pg_subscription_rel (srsubid, srrelid, srsubstate)"
        " select oid, 'c'::regclass, 'r' from pg_subscription",
    )
    yield Change(
        "subscription to the parent",
        f"{away} insert into pg_subscription_rel (srsubid, srrelid, srsubstate)"
        " select oid, 'p'::regclass, 'r' from pg_subscription",
    )
    yield Change(
        "subscription to another",
        f"{away} insert into pg_subscription_rel (srsubid, srrelid, srsubstate)"
        " select oid, 'p2'::regclass, 'r' from pg_subscription",
        quiet=True,
    )
