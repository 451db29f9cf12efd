"""Ways in which a client's code could be run by a role with more rights: fixtures of `test_ways_in`, as data.

Each is what alice, who may create objects in one schema of her own, prepares; the SELECT that she sends; and
when PostgreSQL would run her code for another role: while it parses, while it plans, or not before it
executes. Her code is ``probe.leak``-like: a function that fails with the name of the role that runs it, for
any role but her own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

When = Literal["parse", "plan", "run"]

# What is alice's wherever a way needs it: a function that betrays that another role runs it.
TOOLS = """
create function s2.leak(x int) returns int language plpgsql immutable as $$
begin
  if current_user operator(pg_catalog.=) 'optimiser_of_tests'::pg_catalog.name then raise exception 'LEAKED as %', current_user; end if;
  return x;
end $$;
create function s2.leak_text(x text) returns text language plpgsql immutable as $$
begin perform s2.leak(1); return x; end $$;
create function s2.is_fine(x int) returns bool language plpgsql immutable as $$
begin perform s2.leak(1); return true; end $$;
"""


@dataclass(frozen=True, slots=True)
class Way:
    """``setup``: run as alice, ``admin``: before that as superuser; ``when``: the first step at which the
    code is run.

    ``after``: what the superuser does then; None: not at all in this build of the server, or no code of hers.

    ``path``: a search_path of the client's, where that is part of the trick; ``whose``: what the refusal must
    name.
    """

    name: str
    setup: str
    text: str
    when: When | None
    whose: str = "whose owner is alice"
    admin: str = ""
    path: str = ""
    after: str = ""
    parameters: tuple[int, ...] = ()


WAYS = (
    # -- functions
    Way("a function folded in planning", "", "select id from public.acct where s2.leak(1) = 1", "plan"),
    Way("a function of a column", "", "select id from public.acct where s2.leak(id) = 1", "run"),
    Way("a function in the select list", "", "select s2.leak(1) from public.acct", "plan"),
    Way("a function in FROM", "", "select * from public.acct, s2.leak(1) f", "plan"),
    Way("a function in LIMIT", "", "select id from public.acct limit s2.leak(1)", "plan"),
    Way("a function in a CTE", "", "with c as (select s2.leak(1) as x) select * from public.acct, c", "plan"),
    Way(
        "a function in a subquery's HAVING",
        "",
        "select 1 from (select region from public.acct group by region having s2.leak(1) = 1) x",
        "plan",
    ),
    Way(
        "a stable function, evaluated for its estimate",
        "create function s2.steady(x int) returns int language plpgsql stable as 'begin return s2.leak(x); end'",
        "select id from public.acct where id = s2.steady(5)",
        "plan",
    ),
    Way(
        "a function in SQL that is inlined",
        "create function s2.inlined(x int) returns int language sql immutable as 'select s2.leak($1)'",
        "select id from public.acct where s2.inlined(1) = 1",
        "plan",
    ),
    Way(
        "a function with a default argument",
        "create function s2.defaulted(x int, y int default s2.leak(2)) returns int language sql immutable as 'select $1'",
        "select s2.defaulted(1) from public.acct",
        "plan",
    ),
    Way(
        "a variadic function",
        "create function s2.several(variadic x int[]) returns int language plpgsql immutable as 'begin return s2.leak(1); end'",
        "select s2.several(1, 2, 3) from public.acct",
        "plan",
    ),
    Way(
        "a function that returns a set",
        "create function s2.rows() returns setof int language plpgsql stable as 'begin return query select s2.leak(1); end'",
        "select * from public.acct join s2.rows() r on r = id",
        "run",
    ),
    Way(
        "a function called as a column: t.f",
        "create table s2.pair (a int, b int); create function s2.area(p s2.pair) returns int language plpgsql immutable as 'begin return s2.leak(1); end'; insert into s2.pair values (1, 2)",
        "select p.area from s2.pair p",
        "run",
        path="s2, public",
    ),
    Way(
        "a function called as a field: (t).f",
        "create table s2.pair (a int, b int); create function s2.area(p s2.pair) returns int language plpgsql immutable as 'begin return s2.leak(1); end'; insert into s2.pair values (1, 2)",
        "select (p).area from s2.pair p",
        "run",
        path="s2, public",
    ),
    Way(
        "an aggregate",
        "create aggregate s2.total(int) (sfunc = s2.step, stype = int, initcond = '0')",
        "select s2.total(id) from public.acct",
        "run",
        admin="create function s2.step(a int, b int) returns int language sql immutable as 'select s2.leak(1)'; alter function s2.step owner to alice",
    ),
    Way(
        "an aggregate as a window function",
        "create function s2.step2(a int, b int) returns int language plpgsql immutable as 'begin return s2.leak(1); end'; create aggregate s2.total2(int) (sfunc = s2.step2, stype = int, initcond = '0')",
        "select s2.total2(id) over (order by id) from public.acct",
        "run",
    ),
    # -- operators and search paths
    Way(
        "an operator",
        "create function s2.same(a int, b int) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.=== (function = s2.same, leftarg = int, rightarg = int)",
        "select id from public.acct where 1 operator(s2.===) 1",
        "plan",
    ),
    Way(
        "a prefix operator",
        "create function s2.turned(a int) returns int language plpgsql immutable as 'begin return s2.leak(1); end'; create operator s2.!!! (function = s2.turned, rightarg = int)",
        "select !!! 1 from public.acct",
        "plan",
        path="s2, public",
    ),
    Way(
        "an overload of a built-in function that fits better",
        "create function s2.lower(x varchar) returns text language plpgsql immutable as 'begin return s2.leak_text($1); end'",
        "select id from public.acct where lower('A'::varchar) = 'a'",
        "plan",
        path="s2, public",
    ),
    Way(
        "an overload of a built-in operator that fits better",
        "create function s2.same_name(a varchar, b varchar) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.= (function = s2.same_name, leftarg = varchar, rightarg = varchar)",
        "select id from public.acct where 'a'::varchar = 'a'::varchar",
        "plan",
        path="s2, public",
    ),
    Way(
        "IN by an operator of the path",
        "create function s2.same_name(a varchar, b varchar) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.= (function = s2.same_name, leftarg = varchar, rightarg = varchar)",
        "select id from public.acct where 'a'::varchar in ('a'::varchar, 'b'::varchar)",
        "plan",
        path="s2, public",
    ),
    Way(
        "BETWEEN by an operator of the path",
        "create function s2.less(a varchar, b varchar) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.>= (function = s2.less, leftarg = varchar, rightarg = varchar)",
        "select id from public.acct where 'a'::varchar between 'a'::varchar and 'b'::varchar",
        "plan",
        path="s2, public",
    ),
    Way(
        "LIKE by an operator of the path",
        "create function s2.alike(a varchar, b text) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.~~ (function = s2.alike, leftarg = varchar, rightarg = text)",
        "select id from public.acct where 'a'::varchar like 'a'::text",
        "plan",
        path="s2, public",
    ),
    Way(
        "JOIN USING by an operator of the path",
        "create table s2.v (v varchar); insert into s2.v values ('a'); create function s2.same_name(a varchar, b varchar) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.= (function = s2.same_name, leftarg = varchar, rightarg = varchar)",
        "select 1 from s2.v a join s2.v b using (v)",
        "run",
        path="s2, public",
    ),
    Way(
        "CASE x WHEN by an operator of the path",
        "create function s2.same_name(a varchar, b varchar) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.= (function = s2.same_name, leftarg = varchar, rightarg = varchar)",
        "select case 'a'::varchar when 'a'::varchar then 1 end from public.acct",
        "plan",
        path="s2, public",
    ),
    Way(
        "NULLIF by an operator of the path",
        "create function s2.same_name(a varchar, b varchar) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.= (function = s2.same_name, leftarg = varchar, rightarg = varchar)",
        "select nullif('a'::varchar, 'b'::varchar) from public.acct",
        "plan",
        path="s2, public",
    ),
    Way(
        "a quantified comparison",
        "create function s2.same_name(a varchar, b varchar) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.= (function = s2.same_name, leftarg = varchar, rightarg = varchar)",
        "select id from public.acct where 'a'::varchar = any (array['a'::varchar])",
        "plan",
        path="s2, public",
    ),
    Way(
        "a function in a schema that the path names before pg_catalog",
        "create function s2.abs(x int) returns int language plpgsql immutable as 'begin return s2.leak(1); end'",
        "select abs(1) from public.acct",
        "plan",
        path="s2, pg_catalog, public",
    ),
    # -- types and casts
    Way(
        "the check of a domain, on a literal",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        "select '1'::s2.dom from public.acct",
        "run",
    ),
    Way(
        "the check of a domain, on a column",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        "select id::s2.dom from public.acct",
        "run",
    ),
    Way(
        "an array of a domain, read while the text is parsed",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        "select '{1}'::s2.dom[] from public.acct",
        "parse",
    ),
    Way(
        "a row of a domain, read while the text is parsed",
        "create domain s2.dom as int check (s2.leak(value) > 0); create type s2.comp as (d s2.dom)",
        "select '(1)'::s2.comp from public.acct",
        "parse",
    ),
    Way(
        "a range over a domain, read while the text is parsed",
        "create domain s2.dom as int check (s2.leak(value) > 0); create type s2.span as range (subtype = s2.dom)",
        "select '[1,2]'::s2.span from public.acct",
        "parse",
    ),
    Way(
        "a multirange over a domain",
        "create domain s2.dom as int check (s2.leak(value) > 0); create type s2.span as range (subtype = s2.dom, multirange_type_name = s2.spans)",
        "select '{[1,2]}'::s2.spans from public.acct",
        "parse",
    ),
    Way(
        "a domain over a domain, called as a function",
        "create domain s2.dom as int check (s2.leak(value) > 0); create domain s2.outer_dom as s2.dom",
        "select s2.outer_dom(1) from public.acct",
        "run",
    ),
    Way(
        "a domain before a string",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        "select s2.dom '1' from public.acct",
        "run",
    ),
    Way(
        "a domain as the type of a declared parameter's elements",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        "select $1 is null from public.acct",
        "plan",
        parameters=(-1,),
    ),
    Way(
        "a domain among a table's columns, whose literal is compared",
        "create domain s2.dom as int check (s2.leak(value) > 0); create table s2.doms (d s2.dom[])",
        "select 1 from s2.doms where d = '{1}'",
        "parse",
    ),
    Way(
        "a column list of a function in FROM",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        """select * from public.acct, json_to_recordset('[{"a":1}]') as r (a s2.dom)""",
        "run",
    ),
    Way(
        "a row type given to json_populate_record",
        "create domain s2.dom as int check (s2.leak(value) > 0); create type s2.comp as (d s2.dom)",
        """select * from json_populate_record(null::s2.comp, '{"d": 1}')""",
        "run",
    ),
    Way(
        "JSON_TABLE's column types",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        """select * from json_table('{"a": 1}'::jsonb, '$' columns (d s2.dom path '$.a' error on error)) x""",
        "run",
    ),
    Way(
        "JSON_VALUE ... RETURNING",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        """select json_value('{"a": 1}'::jsonb, '$.a' returning s2.dom error on error) from public.acct""",
        "run",
    ),
    Way(
        "a cast of an enum",
        "create type s2.mood as enum ('sad'); create function s2.feel(x s2.mood) returns int language plpgsql immutable as 'begin return s2.leak(1); end'; create cast (s2.mood as int) with function s2.feel(s2.mood) as implicit",
        "select id from public.acct where id = 'sad'::s2.mood",
        "plan",
    ),
    Way(
        "a cast to json, called by json_agg",
        "create type s2.mood as enum ('sad'); create table s2.moods (m s2.mood); insert into s2.moods values ('sad'); create function s2.as_json(x s2.mood) returns json language plpgsql immutable as $$begin perform s2.leak(1); return '1'::json; end$$; create cast (s2.mood as json) with function s2.as_json(s2.mood)",
        "select json_agg(m) from s2.moods",
        "run",
    ),
    Way(
        "a range's subtype_diff, called for an estimate",
        "create function s2.diff(a float8, b float8) returns float8 language plpgsql immutable as 'begin perform s2.leak(1); return $1 - $2; end'; create type s2.floats as range (subtype = float8, subtype_diff = s2.diff); create table s2.spans (s s2.floats); insert into s2.spans select s2.floats(g, g + 10) from generate_series(1, 500) g; analyze s2.spans",
        "select * from s2.spans where s && '[5,60]'",
        "plan",
    ),
    # -- what tables bring along
    Way(
        "a view",
        "create view s2.shown as select id from public.acct where s2.leak(1) = 1",
        "select * from s2.shown",
        "plan",
    ),
    Way(
        "a view over a view, with security_invoker",
        "create view s2.inner_view with (security_invoker) as select id, s2.leak(2) as x from public.acct; create view s2.outer_view as select * from s2.inner_view",
        "select x from s2.outer_view",
        "plan",
    ),
    Way(
        "a view whose operator is hers",
        "create function s2.same(a int, b int) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end'; create operator s2.=== (function = s2.same, leftarg = int, rightarg = int); create view s2.shown as select id from public.acct where 1 operator(s2.===) 1",
        "select * from s2.shown",
        "plan",
    ),
    Way(
        "a view with a domain's check",
        "create domain s2.dom as int check (s2.leak(value) > 0); create view s2.shown as select 1::s2.dom as d from public.acct",
        "select * from s2.shown",
        "run",
    ),
    Way(
        "a view made by a rule",
        'create view s2.ruled as select 1 as a; create or replace rule "_RETURN" as on select to s2.ruled do instead select s2.leak(1) as a',
        "select * from s2.ruled",
        "plan",
    ),
    Way(
        "a policy of row-level security",
        "create table s2.rows_of (a int); alter table s2.rows_of enable row level security; create policy p on s2.rows_of using (s2.leak(1) = 1)",
        "select * from s2.rows_of",
        "plan",
    ),
    Way(
        "a policy that reads a view",
        "create table s2.rows_of (a int); create view s2.shown as select id from public.acct where s2.leak(1) = 1; alter table s2.rows_of enable row level security; create policy p on s2.rows_of using (exists (select from s2.shown))",
        "select * from s2.rows_of",
        "plan",
    ),
    Way(
        "an index on an expression",
        "create table s2.indexed (a int); create index on s2.indexed ((a + s2.leak(1)))",
        "select * from s2.indexed",
        "plan",
    ),
    Way(
        "the predicate of a partial index",
        "create table s2.indexed (a int); create index on s2.indexed (a) where s2.leak(1) = 1",
        "select * from s2.indexed where a = 1",
        "plan",
    ),
    Way(
        "extended statistics on an expression",
        "create table s2.measured (a int, b int); create statistics s2.st on (a + s2.leak(1)), (b + 1) from s2.measured; insert into s2.measured select g, g from generate_series(1, 200) g; analyze s2.measured",
        "select * from s2.measured where a = 1",
        "plan",
    ),
    Way(
        "a check constraint, by constraint exclusion",
        "create table s2.parent (a int); create table s2.child (check (a > s2.leak(0))) inherits (s2.parent)",
        "select * from s2.parent where a = 5",
        "plan",
    ),
    Way(
        "the index of a child table",
        "create table s2.parent (a int); create table s2.child () inherits (s2.parent); create index on s2.child ((a + s2.leak(1)))",
        "select * from s2.parent",
        "plan",
    ),
    Way(
        "the index of a partition",
        "create table s2.whole (a int) partition by range (a); create table s2.part partition of s2.whole for values from (0) to (100); create index on s2.part ((a + s2.leak(1)))",
        "select * from s2.whole",
        "plan",
    ),
    Way(
        "an expression as partition key",
        "create table s2.whole (a int) partition by range ((s2.leak(a))); create table s2.part partition of s2.whole for values from (0) to (100)",
        "select * from s2.whole where s2.leak(5) = 5",
        "plan",
    ),
    Way(
        "a generated column's domain",
        "create domain s2.dom as int check (s2.leak(value) > 0); create table s2.made (a int, d s2.dom generated always as (a) stored)",
        "select '(1,1)'::s2.made from public.acct",
        "parse",
        whose="",
    ),
    Way(
        "a foreign table",
        "",
        "select * from s2.elsewhere",
        None,
        whose="foreign table",
        admin="create extension if not exists file_fdw; create server if not exists files foreign data wrapper file_fdw; create foreign table s2.elsewhere (a int) server files options (filename '/dev/null')",
    ),
    # -- built-in functions that run what their arguments name; table_to_xml does in planning, in a server
    # built with libxml
    Way(
        "a domain named by its number: array_in",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        "select array_in('{1}', 's2.dom'::regtype, -1) is null from public.acct",
        "run",
        whose="array_in",
    ),
    Way(
        "a domain named by its number: domain_in",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        "select domain_in('1', 's2.dom'::regtype, -1) is null from public.acct",
        "run",
        whose="domain_in",
    ),
    Way(
        "a domain named in a string: pg_input_is_valid",
        "create domain s2.dom as int check (s2.leak(value) > 0)",
        "select id from public.acct where pg_input_is_valid('1', 's2.dom')",
        "run",
        whose="pg_input_is_valid",
    ),
    Way(
        "a view named in a string: table_to_xml",
        "create view s2.shown as select s2.leak(1) as x",
        "select id from public.acct where email = table_to_xml('s2.shown', true, false, '')::text",
        None,
        whose="table_to_xml",
    ),
    Way(
        "a query in a string: query_to_xml",
        "",
        "select query_to_xml('select s2.leak(1)', true, false, '') from public.acct",
        "run",
        whose="query_to_xml",
    ),
    Way(
        "a query in a string: ts_stat",
        "",
        "select * from ts_stat('select s2.leak_text(''a'')::tsvector')",
        "run",
        whose="ts_stat",
    ),
    Way(
        "a query in a string, of an extension",
        "",
        "select * from crosstab('select s2.leak(1)::text, ''a''::text, ''b''::text') as c (a text, b text)",
        "run",
        whose="crosstab",
        admin="create extension if not exists tablefunc",
    ),
    Way(
        "such a function within a view",
        "create view s2.shown as select query_to_xml('select s2.leak(1)', true, false, '') as x from public.acct",
        "select * from s2.shown",
        "run",
        whose="query_to_xml",
    ),
    # -- extensions that are not a superuser's
    Way(
        "a trusted extension that a client installed, with a function added to it",
        "create extension fuzzystrmatch schema s2; alter extension fuzzystrmatch add function s2.leak(int)",
        "select id from public.acct where s2.leak(1) = 1",
        "plan",
        admin="grant create on database {database} to alice",
    ),
    Way(
        "a function of an extension whose body looks its names up",
        "create function s2.helper(x int) returns int language plpgsql immutable as 'begin return s2.leak(x); end'",
        "select id from public.acct where public.looks_up(1) = 1",
        "plan",
        whose="looks_up",
        after="create extension seg; create function public.looks_up(x int) returns int language sql immutable as 'select s2.helper(x)'; alter extension seg add function public.looks_up(int)",
    ),
    Way(
        "a superuser's own function, which calls what others can change",
        "create function s2.helper(x int) returns int language plpgsql immutable as 'begin return s2.leak(x); end'",
        "select id from public.acct where public.of_the_dba(1) = 1",
        "plan",
        whose="of_the_dba",
        admin="create function public.of_the_dba(x int) returns int language plpgsql immutable as 'begin return s2.helper(x); end'",
    ),
    Way(
        "a built-in type's cast with somebody's function",
        "create function s2.whether(x int) returns date language plpgsql immutable as $$begin perform s2.leak(x); return '2020-01-01'; end$$",
        "select id from public.acct where id::date = '2020-01-01' and 5::date is not null",
        "plan",
        after="create cast (int as date) with function s2.whether(int)",
    ),
)
