"""What administration and BI tools ask when they connect to a lake, and that nothing is read from the
shadow's tables.

The questions are those of JDBC's metadata calls (DBeaver, Metabase), of Metabase's synchronisation, and of
pgAdmin's browser, in our own words.
"""

from __future__ import annotations

import psycopg
import pytest

pytestmark = pytest.mark.server


@pytest.fixture
def lake(lake_dsn):
    with psycopg.connect(lake_dsn, autocommit=True) as connection:
        yield connection


JDBC_TABLES = """
select null as table_cat, n.nspname as table_schem, c.relname as table_name,
  case when n.nspname in ('pg_catalog', 'information_schema') then 'SYSTEM TABLE'
       when c.relkind in ('r', 'p') then 'TABLE' when c.relkind = 'v' then 'VIEW' end as table_type,
  d.description as remarks
from pg_catalog.pg_namespace n join pg_catalog.pg_class c on c.relnamespace = n.oid
left join pg_catalog.pg_description d on d.objoid = c.oid and d.objsubid = 0 and d.classoid = 'pg_class'::regclass
where n.nspname like 'public' and c.relkind in ('r', 'p', 'v', 'm', 'f') order by 4, 2, 3"""
JDBC_COLUMNS = """
select * from (
  select n.nspname, c.relname, a.attname, a.atttypid, a.attnotnull or (t.typtype = 'd' and t.typnotnull) as attnotnull,
    a.atttypmod, a.attlen, row_number() over (partition by a.attrelid order by a.attnum) as attnum,
    nullif(a.attidentity, '') as attidentity, nullif(a.attgenerated, '') as attgenerated,
    pg_catalog.pg_get_expr(def.adbin, def.adrelid) as adsrc, dsc.description, t.typbasetype, t.typtype
  from pg_catalog.pg_namespace n
  join pg_catalog.pg_class c on c.relnamespace = n.oid
  join pg_catalog.pg_attribute a on a.attrelid = c.oid
  join pg_catalog.pg_type t on a.atttypid = t.oid
  left join pg_catalog.pg_attrdef def on a.attrelid = def.adrelid and a.attnum = def.adnum
  left join pg_catalog.pg_description dsc on c.oid = dsc.objoid and a.attnum = dsc.objsubid
  where c.relkind in ('r', 'p', 'v', 'f', 'm') and a.attnum > 0 and not a.attisdropped
    and n.nspname like 'public' and c.relname like 'countries') c
order by nspname, c.relname, attnum"""
JDBC_KEYS = """
select result.table_schem, result.table_name, result.column_name, result.pk_name from (
  select n.nspname as table_schem, ct.relname as table_name, a.attname as column_name, ci.relname as pk_name,
    information_schema._pg_expandarray(i.indkey) as keys, a.attnum as a_attnum
  from pg_catalog.pg_class ct join pg_catalog.pg_attribute a on ct.oid = a.attrelid
  join pg_catalog.pg_namespace n on ct.relnamespace = n.oid
  join pg_catalog.pg_index i on a.attrelid = i.indrelid join pg_catalog.pg_class ci on ci.oid = i.indexrelid
  where n.nspname = 'public' and i.indisprimary) result
where result.a_attnum = (result.keys).x"""
METABASE_TABLES = """
with privileges as (
  select n.nspname as schema, c.relname as name, c.oid,
    pg_catalog.has_schema_privilege(n.oid, 'usage') as usable,
    pg_catalog.has_table_privilege(c.oid, 'select') or pg_catalog.has_any_column_privilege(c.oid, 'select') as readable,
    pg_catalog.has_table_privilege(c.oid, 'update') or pg_catalog.has_table_privilege(c.oid, 'insert') as writable
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'f', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema')
select schema, name, writable from privileges where usable and readable order by name"""
PGADMIN_NODES = """
select rel.oid, rel.relname as name, (select count(*) from pg_trigger where tgrelid = rel.oid and not tgisinternal) as triggercount,
  (select count(*) from pg_inherits where inhparent = rel.oid) as children, rel.relispartition, des.description
from pg_class rel
left join pg_description des on des.objoid = rel.oid and des.objsubid = 0 and des.classoid = 'pg_class'::regclass
where rel.relkind in ('r', 's', 't', 'p') and rel.relnamespace = 'public'::regnamespace order by rel.relname"""


def test_jdbc_metadata(lake):
    assert [row[2] for row in lake.execute(JDBC_TABLES)] == ["cities", "countries", "nested"]
    columns = lake.execute(JDBC_COLUMNS).fetchall()
    assert [(row[2], row[3]) for row in columns] == [("code", 25), ("name", 25), ("eu", 16)]
    assert lake.execute(JDBC_KEYS).fetchall() == []


def test_metabase_synchronises(lake):
    assert lake.execute(METABASE_TABLES).fetchall() == [
        ("public", "cities", False),
        ("public", "countries", False),
        ("public", "nested", False),
    ]
    # a probe whether a table can be read, a fingerprint of its values, and the type of a field
    assert lake.execute('select true from "public"."cities" where 1 <> 1 limit 0').fetchall() == []
    rows = lake.execute(
        'select "public"."cities"."city" as "city" from "public"."cities" limit 10'
    ).fetchall()
    assert len(rows) == 10
    sample = """select "source"."city" as "city", substring("source"."city", 1, 1234) as "substring1"
      from (select "public"."cities"."city" as "city" from "public"."cities") as "source" limit 5"""
    assert len(lake.execute(sample).fetchall()) == 5
    grouped = """select date_trunc('year', "public"."cities"."founded") as "founded", count(*) as "count"
      from "public"."cities" group by 1 order by 1 asc limit 3"""
    assert [count for _, count in lake.execute(grouped)] == [30, 30, 30]


@pytest.mark.parametrize(
    "question",
    [
        "set extra_float_digits = 3",
        "set application_name = 'DBeaver 25 - Main <lake>'",
        "select current_schema(), session_user",
        "show search_path",
        "show transaction isolation level",
        "select version()",
        "select db.oid, db.* from pg_catalog.pg_database db where datname = current_database()",
        (
            "select n.oid, n.*, d.description from pg_catalog.pg_namespace n left join pg_catalog.pg_description d"
            " on d.objoid = n.oid and d.objsubid = 0 and d.classoid = 'pg_namespace'::regclass order by nspname"
        ),
        (
            "select t.oid, t.*, c.relkind, format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name"
            " from pg_catalog.pg_type t left join pg_catalog.pg_class c on c.oid = t.typrelid where t.typname is not null"
        ),
        (
            "select c.oid, c.*, pg_get_expr(c.relpartbound, c.oid), pg_get_partkeydef(c.oid) from pg_catalog.pg_class c"
            " where c.relnamespace = 'public'::regnamespace and c.relkind not in ('i', 'I', 'c')"
        ),
        "select c.oid, c.*, pg_get_constraintdef(c.oid) from pg_catalog.pg_constraint c",
        "select r.oid, r.*, pg_catalog.shobj_description(r.oid, 'pg_authid') from pg_catalog.pg_roles r",
        "select string_agg(word, ',') from pg_catalog.pg_get_keywords() where catcode <> 'U'",
        "select * from pg_catalog.pg_settings where name = 'standard_conforming_strings'",
        "select set_config('bytea_output', 'hex', false) from pg_show_all_settings() where name = 'bytea_output'",
        "select gss_authenticated, encrypted from pg_catalog.pg_stat_gssapi where pid = pg_backend_pid()",
        "select pg_is_in_recovery(), has_database_privilege(current_database(), 'create')",
        "select usename, usesuper from pg_user where usename = current_user",
        "select e.enumlabel from pg_catalog.pg_enum e order by e.enumsortorder",
        "select table_name from information_schema.views where table_schema = 'public'",
        "select reltuples, pg_relation_size(oid) from pg_class where relname = 'cities'",
    ],
)
def test_questions_of_tools_have_postgresqls_answers(lake, question):
    cursor = lake.execute(question)
    assert cursor.statusmessage.split()[0] in {"SELECT", "SET", "SHOW"}


def test_pgadmin_lists_the_tables(lake):
    assert [row[1] for row in lake.execute(PGADMIN_NODES)] == ["cities", "countries", "nested"]
    several = "set datestyle = iso; set client_min_messages = notice; set client_encoding = 'utf-8'"
    assert lake.execute(several).statusmessage == "SET"


@pytest.mark.parametrize(
    "slip",
    [
        "set jit = off; select * from cities",
        "set jit = off; select count(*) from cities where population = 5",
        "set jit = off; select 1 from cities where false or city = 'nowhere' limit 1",
        "set jit = off; select max(population) from cities",
        "set jit = off; select x.* from (values (1)) x left join cities on population = 1",
        "set jit = off; select exists (select from cities)",
        "set row_security = off; select * from cities",
    ],
)
def test_the_shadows_tables_are_never_read(lake, slip):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        lake.execute(slip)


def test_what_is_prepared_beside_others_does_not_read_them(lake):
    """Several statements in one text go to the shadow as they are."""
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        lake.execute("prepare slipped as select * from cities where population = 5; execute slipped")
    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidSqlStatementName)):
        lake.execute("execute slipped")
