select nope from emp
select emp.nope from emp
select x.name from emp
select * from nope
select name from emp, dept
select id from emp join dept on true
select emp.name from emp e
select nofunc(1)
select lower(1, 2)
select name + 1 from emp
select name || from emp
select age + active from emp
select 1 + true
select name from emp where age
select name from emp where 1
select case when 1 then 2 end
select case when true then 1 else 'x' end
select case when active then age else hired end from emp
select coalesce(1, 'x')
select coalesce(age, active) from emp
select 1 union select 'x'
select 1 union select true
select 1, 2 union select 1
select age from emp union select name from emp
select name from emp group by dept_id
select name, count(*) from emp
select count(count(*)) from emp
select name from emp where count(*) > 1
select name from emp group by count(*)
select sum(row_number() over ()) from emp
select row_number() over () from emp where row_number() over () = 1
select row_number() from emp
select lower(name) over () from emp
select lower(distinct name) from emp
select count(*) from emp having name = 'x'
select name from emp order by nope
select name from emp order by 2
select name from emp group by 5
select name from emp order by 'x'
select distinct name from emp order by salary
select distinct on (dept_id) name from emp order by name
select id from emp union select id from dept order by nope
select id from emp union select id from dept order by id + 1
select (select 1, 2)
select (select id, name from emp) from dept
select id in (select id, name from emp) from dept
select (id, name) in (select id from emp) from dept
select (1, 2) = (1, 2, 3)
select * from emp e, emp e
select * from emp join emp on true
select * from (select 1 as a, 2 as a) t where a = 1
select a from pair p join pair q on p.a = q.a
select * from pair p join emp using (nope)
select * from (select e.id) t, emp e
select * from emp e, (select e.id) t
select * from emp e right join lateral (select e.id) t on true
select * from emp e join dept d on d.id = x.id, pair x
select 'abc'::int
select '2020-13-01'::date
select 'maybe'::bool
select '99999999999'::int
select 'furious'::mood
select 1::date
select true::date
select salary::boolean from emp
select 'x'::nosuchtype
select name from emp limit name
select name from emp limit 'x'
select name from emp where name in (1, 2)
select name from emp where age = 'x'
select age from emp where age like 'a'
select active > 3 from emp
select tags > 1 from emp
select name = any (age) from emp
select name from emp where exists (select nope)
select e.name from emp e where e.id = (select d.id from dept d where d.nope = e.id)
with a as (select 1), a as (select 2) select * from a
with a (x, y) as (select 1) select * from a
select * from emp as e (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
select *
select emp.* from dept
values (1, 2), (1)
select sum(name) from emp
select avg(hired) from emp
select max(doc ->> 'a', 2) from sale
select count() from emp
select name(*) from emp
select string_agg(name) from emp
select percentile_cont(0.5) from emp
select string_agg(distinct name, ',' order by id) from emp
select grouping(name) from emp group by dept_id
select name, rank() over nowin from emp
select sum(age) over (order by name range between 1 preceding and current row) from emp
select sum(age) over (groups 1 preceding) from emp
select distinct doc::json from sale
select doc::json from sale group by doc::json
select id from emp order by doc
select seen - hired + 1 from emp
select hired + seen from emp
select hired * 2 from emp
select array[1, 'x']
select array[]
select null = any (1)
select name collate nope from emp
select age collate "C" from emp
select (p).nope from pair p
select name[1] from emp
select pg_catalog.nofunc()
select nosuch.emp.id from emp
select * from nosuch.emp
select 1 from emp group by rollup (nope)
select round(score, 2) from emp
select substring(age, 1) from emp
select length(age) from emp
select date_trunc(hired, 'month') from emp
select extract(year from name) from emp
select to_char(name) from emp
select greatest(1, 'x')
select nullif(1, 'x')
select 1 in ('x')
select id from emp where dept_id in (select name from dept)
select e.id from emp e natural join dept d where e.nope = 1
select g from generate_series(1, 9) g limit '2'::text
select g from generate_series(1, 9) g limit true
select g from generate_series(1, 9) g limit '2.5'
select sum(age) over (order by id rows age preceding) from emp
select sum(age) over (order by age range between age preceding and current row) from emp
select sum(age) over w from emp window w as (order by id groups between 1 preceding and id following)
