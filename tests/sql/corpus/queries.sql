select 1
select -1, 2147483648, -2147483648, 9223372036854775808, 1.50, 1e3, .5, 'x', null, true, false
select 'a' as x, 'b' || 'c', 1 || 'x', 'x' || 1.5
select * from emp
select e.* from emp e
select emp.name, emp.salary * 2 as twice from emp
select name, salary from public.emp where salary > 100 and age < 40 or active
select e.name as n from emp as e where not active
select upper(name), lower(name), length(name), substring(name from 1 for 2), substring(name, 2), trim(name), trim(both 'x' from name), trim(leading from name) from emp
select position('a' in name), overlay(name placing 'zz' from 1 for 1), strpos(name, 'a'), left(name, 2), right(name, 2), replace(name, 'a', 'b') from emp
select coalesce(bonus, 0), coalesce(salary, 0), coalesce(name, 'none'), coalesce(null, age, 1), nullif(age, 3), nullif(name, 'x') from emp
select greatest(age, 5), least(salary, 10), greatest(name, 'm'), least(hired, '2020-01-01') from emp
select case when age > 30 then 'old' when age > 20 then 'mid' end, case when active then 1 else 2.5 end from emp
select case age when 30 then 'x' when 20 then 'y' else 'z' end as c from emp
select case when active then null else salary end, case when active then name else null end from emp
select age + 1, age + 1.5, age * big, salary / 3, salary % 2, age / 2, -age, +age, age ^ 2, bonus + score, score / 2, age::float / 2 from emp
select hired + 1, hired - 1, hired - hired, hired + interval '1 day', seen - interval '2 hours', seen - seen, stamp + spell, age(seen), hired + time '10:00' from emp
select date '2020-01-01', timestamp '2020-01-01 10:00:00', timestamptz '2020-01-01 10:00:00+00', interval '1' day, interval '2-3' year to month, time '10:00', interval '3 days', interval '1.5' second(2)
select extract(year from hired), extract(month from seen), extract(epoch from spell), date_part('day', hired), date_trunc('month', seen), extract(dow from hired) from emp
select current_date, current_timestamp, current_timestamp(3), localtimestamp, current_user, session_user, localtime(2) is null
select stamp at time zone 'UTC', seen at time zone 'Europe/Berlin' from emp
select cast(age as bigint), salary::integer, name::varchar(3), age::text, '12'::int, '1.5'::numeric(5,1), 'abc'::char(5), salary::numeric(5,1), cast(null as date) from emp
select name::char(3) || 'x', code || 'x', code = 'ab', code = name, length(code) from emp
select int4 '5', bool 't', float8 '1.5', numeric '10', text 'a', varchar 'b', bigint '7'
select 5::smallint + 5::smallint, 5::smallint + 5, 5::bigint * 2, 2::real * 2, 2 ^ 3, 7 % 3, 7 / 2, 7.0 / 2
select name like 'a%', name not like '%b', name ilike 'A%', name similar to 'a%', name ~ '^a', name !~* 'b', name like 'a!%' escape '!', name not ilike 'x' from emp
select age between 20 and 30, age not between 20 and 30, age between symmetric 30 and 20, hired between '2020-01-01' and date '2021-01-01' from emp
select age in (1, 2, 3), age not in (1, 2), name in ('a', 'b'), salary in (1, 2.5), age in (1), hired in ('2020-01-01', '2021-01-01'), feeling in ('sad', 'ok') from emp
select age in (id, 3, 4), age in (1.5, 2), big in (1, 2), score in (1, 2.5) from emp
select age = any (array[1, 2]), age > all (array[1, 2]), name = any ('{a,b}'), age <> all ('{1,2}'), 'x' = any (tags) from emp
select age is null, age is not null, active is true, active is not false, active is unknown, (age > 3) is not true, name is distinct from 'x', age is not distinct from null from emp
select (id, age) = (1, 2), (id, age) <> (1, 2), (id, age) < (1, 2), (id, name) >= (1, 'a'), row(id, age) is null, (id, age) is distinct from (1, null), row(1, 2) = row(1, 2) from emp
select (id, age) in ((1, 2), (3, 4)), (id, age) not in ((1, 2)) from emp
select tags[1], tags[1:2], array_length(tags, 1), cardinality(tags), array[1, 2, 3], array[age, id], array['a', name], tags || 'x'::text, array_append(tags, 'x'), '{1,2}'::int[] from emp
select array[1, null, 2.5], array[[1, 2], [3, 4]], array[]::int[], array[1, 2]::bigint[], (array[1, 2, 3])[2], array_position(array[1, 2], 2)
select feeling = 'ok', feeling > 'sad', feeling::text, 'happy'::mood, max(feeling) over (), feeling < feeling from emp
select level + 1, level = 5, level::int, 5::posint, level in (1, 2), coalesce(level, 1) from emp
select doc -> 'a', doc ->> 'b', doc @> '{"a": 1}', doc ? 'a', doc #>> '{a,b}', jsonb_array_length(doc -> 'x'), (doc ->> 'n')::int from sale
select count(*), count(age), count(distinct age), sum(age), avg(age), sum(salary), avg(salary), sum(big), min(name), max(hired), sum(bonus), avg(score), min(feeling) from emp
select stddev(age), variance(salary), corr(score, age), bool_and(active), every(active), string_agg(name, ','), array_agg(name order by name desc), bit_or(age) from emp
select string_agg(name, ', ' order by hired nulls first, id), array_agg(distinct age), count(distinct (id, age)), sum(distinct salary) filter (where active) from emp
select percentile_cont(0.5) within group (order by salary), percentile_disc(0.5) within group (order by age), mode() within group (order by name) from emp
select dept_id, count(*) from emp group by dept_id
select dept_id, count(*) c from emp group by dept_id having count(*) > 1 order by c desc, dept_id
select dept_id d, sum(salary) from emp group by d order by 2 desc nulls last
select extract(year from hired) y, count(*) from emp group by 1 order by 1
select extract(year from hired) y, count(*) from emp group by extract(year from hired) order by extract(year from hired)
select dept_id, age, count(*) from emp group by rollup (dept_id, age)
select dept_id, age, count(*), grouping(dept_id), grouping(dept_id, age) from emp group by cube (dept_id, age) order by 1, 2
select dept_id, active, sum(salary) from emp group by grouping sets ((dept_id), (active), ()) order by dept_id, active
select dept_id, age, active, count(*) from emp group by dept_id, rollup (age, active)
select dept_id, age from emp group by distinct rollup (dept_id, age), rollup (dept_id)
select e.id, e.name, e.salary, count(s.id) from emp e left join sale s on s.emp_id = e.id group by e.id
select e.id, e.name, max(s.amount) from emp e join sale s on s.emp_id = e.id group by e.id having e.salary > 10 order by e.name
select count(*) from emp having count(*) > 0
select 1 from emp having true
select count(*) from emp group by ()
select sum(salary) / count(*) as mean, sum(salary * (1 - 0.1)) from emp
select max(age) + 1, -max(age), max(age) > 3 from emp
select distinct dept_id, age from emp
select distinct on (dept_id) dept_id, name, salary from emp order by dept_id, salary desc, id
select distinct dept_id from emp order by dept_id
select name, salary from emp order by salary desc, name limit 3
select name from emp order by lower(name), 1 offset 2
select name as n from emp order by n
select id as name, name as id from emp order by name
select age + 1 as age from emp order by age
select age as a from emp order by age + 1, a
select name from emp order by salary fetch first 2 rows with ties
select name from emp order by id limit 2 offset 1
select name from emp limit all
select name from emp limit (select count(*) from dept)
select id, row_number() over (order by salary desc nulls last, id), rank() over (partition by dept_id order by salary), dense_rank() over w, lag(salary) over w, lead(salary, 2, 0) over w, first_value(name) over w, ntile(4) over (order by id) from emp window w as (partition by dept_id order by id)
select id, sum(salary) over (partition by dept_id), avg(salary) over (order by id rows between 2 preceding and current row), count(*) over (), sum(age) over (order by hired range between interval '1 year' preceding and current row) from emp
select id, sum(age) over (order by age groups between 1 preceding and 1 following), sum(age) over (order by age range between 1 preceding and 1 following exclude current row), last_value(id) over (order by id rows between unbounded preceding and unbounded following) from emp
select dept_id, sum(count(*)) over (order by dept_id), rank() over (order by sum(salary)) from emp group by dept_id
select count(*) filter (where active) over (partition by dept_id), nth_value(name, 2) over (order by id), cume_dist() over (order by id), percent_rank() over (order by id) from emp
select id, sum(salary) over (w rows unbounded preceding) from emp window w as (order by id)
select * from (select id, row_number() over (partition by dept_id order by id) rn from emp) t where rn = 1
select e.name, d.name from emp e join dept d on d.id = e.dept_id
select e.name, d.name from emp e, dept d where e.dept_id = d.id
select * from emp e left join dept d on e.dept_id = d.id and d.budget > 10 where d.id is null
select e.id, d.id from emp e right join dept d on e.dept_id = d.id
select e.id, d.id from emp e full outer join dept d on e.dept_id = d.id
select id, e.name, d.name from emp e join dept d using (id)
select id from emp full join dept using (id)
select * from pair natural join (select a, 1 as z from pair) q
select * from pair p1 left join pair p2 using (a, b)
select p1.a, p2.a, a from pair p1 right join pair p2 using (a)
select * from emp cross join dept
select j.id, j.a from (pair join emp on pair.a = emp.id) as j
select j.x, y from (pair p join (select 1 as q) r on true) as j (x, y)
select * from pair p join pair q using (a) as m where m.a > 1
select a.x from (select id as x from emp) a join (select id as y from dept) b on a.x = b.y left join pair on pair.a = b.y
select * from emp e join (dept d left join pair p on p.a = d.id) on e.dept_id = d.id
select e.name, t.total from emp e, lateral (select sum(amount) as total from sale s where s.emp_id = e.id) t
select e.name, t.amount from emp e left join lateral (select amount from sale s where s.emp_id = e.id order by sold desc limit 1) t on true
select e.id, x from emp e, unnest(e.tags) x
select e.id, x, n from emp e cross join unnest(e.tags) with ordinality as t (x, n)
select g, g * 2 from generate_series(1, 3) g
select * from generate_series(1, 5, 2) as s (n), generate_series(date '2020-01-01', date '2020-01-03', interval '1 day') as d
select d::date, count(s.id) from generate_series('2020-01-01'::timestamp, '2020-01-03', '1 day') d left join sale s on s.sold = d::date group by d
select * from (values (1, 'a'), (2, 'b')) as v (n, t)
select column1 + 1 from (values (1), (2.5), (null)) v
values (1, 'x'), (2, null) order by 1 desc
values (1), (2) limit 1
select name from emp where dept_id in (select id from dept where budget > 100)
select name from emp where dept_id not in (select id from dept)
select name from emp e where exists (select 1 from sale s where s.emp_id = e.id and s.amount > 10)
select name from emp e where not exists (select * from sale s where s.emp_id = e.id)
select name, (select d.name from dept d where d.id = e.dept_id) as dept, (select count(*) from sale s where s.emp_id = e.id) from emp e
select name from emp e where salary > (select avg(salary) from emp x where x.dept_id = e.dept_id)
select name from emp where salary > all (select salary from emp where dept_id = 1) and active
select name from emp where salary >= any (select budget from dept) and (dept_id, age) in (select id, 30 from dept)
select name from emp where salary = (select max(salary) from emp)
select name from emp where (select count(*) from dept) > 2
select array(select name from dept order by id), (select array_agg(id) from dept)
select name in (select name from dept), age in (select big from emp), salary in (select qty from sale), not (id in (select boss_id from emp)) from emp
select (select 1), (select 'x'), (select null), exists (select), (select name from emp where id = 1)
select id from emp where name = (select 'a') or id in (select 1 union select 2)
with t as (select * from emp where active) select count(*) from t
with a as (select id, name from emp), b (x, y) as (select id, name from dept) select * from a join b on a.id = b.x
with a as materialized (select 1 as one), b as not materialized (select one + 1 as two from a) select * from a, b
with emp as (select 1 as id) select * from emp
with recursive r as (select id, boss_id, 1 as depth from emp where boss_id is null union all select e.id, e.boss_id, r.depth + 1 from emp e join r on e.boss_id = r.id) select * from r
with recursive r (n) as (values (1) union select n + 1 from r where n < 5) select sum(n) from r
with recursive a as (select 1 as x), r as (select x from a union all select x + 1 from r where x < 3) select * from r, a
select * from (with q as (select id from dept) select * from q) s where id in (with z as (select 1 as k) select k from z)
with a as (select 1 as x) select * from a union all (with a as (select 2 as y) select * from a)
select id, name from emp union select id, name from dept
select id from emp union all select salary from emp
select null union select 1
select 'a' union select 'b' union all select null
select 1 as n, 'x' as t union all select 2.5, name from dept order by n desc, t limit 3
select id from emp intersect select dept_id from emp
select id from emp except all select boss_id from emp order by 1
(select id from emp order by id limit 2) union all (select id from dept order by id desc limit 1)
select id from emp union (select id from dept except select 1)
select name from dept union select name from emp
select code from emp union all select note from sale
select hired from emp union all select null union all select seen from emp
select distinct salary from emp union all select distinct age from emp
select 1, 2 intersect all select 1, 2
select x from (select id as x from emp union select id from dept) u where x > 1
select cast('5' as int) + '5', '5' + 5, '2020-01-01' < hired, hired = '2020-01-01', 'a' < name from emp
select * from rich
select r.name, t.total from rich r left join totals t on t.who = r.id where r.dept = 'x'
select who from totals where total > 5
select "select", "Mixed Case" as "Out Name", o.id from "Odd Table" o
select "Odd Table"."select" from "Odd Table" where "Mixed Case" = 'it''s \ here'
select p as whole, p.a from pair p
select count(p), count(p.*), max(a) from pair p
select (p).a, (pair.*).b from pair p, pair
select row(1, 'a'), row(p.a, p.b), (p.a, p.b) from pair p
select concat(name, age, null, salary), concat_ws('-', name, age), format('%s %s', name, 3), num_nulls(age, name) from emp
select round(salary), round(salary, 1), round(score), trunc(salary), ceil(score), floor(salary), abs(age), sign(salary), mod(age, 3), power(age, 2), sqrt(age), exp(1), ln(2.0) from emp
select to_char(hired, 'YYYY'), to_char(salary, '999D99'), to_date('2020', 'YYYY'), to_number('12', '99'), to_timestamp(0) from emp
select md5(name), ascii(name), chr(65), initcap(name), lpad(name, 5), rpad(name, 5, '*'), split_part(name, ' ', 1), reverse(name), repeat('x', 2), translate(name, 'a', 'b') from emp
select make_date(2020, 1, 2), make_interval(0, 1), make_interval(years => 1), justify_days(spell), make_timestamp(2020, 1, 1, 0, 0, 0) from emp
select regexp_replace(name, 'a', 'b', 'g'), regexp_match(name, 'a'), name ~ any (array['a', 'b']), name like any (array['a%']) from emp
select name collate "C", name < 'x' collate "C", max(name collate "C") from emp group by name order by name collate "C"
select oid, relname from pg_class where relkind = 'r'
select ctid, tableoid, xmin from emp
select age & 1, age | 2, age # 1, ~age, age << 1, age >> 1, b'101' & b'110', x'1f' from emp
select 'a' = 'b', 1 = 1.0, 1 = '1', null = null, null is null, 'a' in ('a', null), not null, null and true
select sum(1), count(1), min('a'), max(1.5), sum(null::int), avg(2)
select sum(amount) * 2.0, sum(qty * amount), avg(qty)::int, round(avg(amount), 2), sum(case when qty > 1 then amount else 0 end), sum(amount) filter (where qty > 1) from sale
select count(*) from emp where hired > current_date - interval '1 year' and extract(year from hired) = 2020
select date_trunc('month', sold)::date m, sum(amount) from sale group by m having sum(amount) > 1 order by m
select e1.name, e2.name from emp e1 join emp e2 on e1.boss_id = e2.id where e1.salary > e2.salary
select (select max(s.amount) from sale s where s.emp_id = e.id and s.sold > (select min(sold) from sale z where z.emp_id = e.id)) from emp e
select e.id from emp e where e.id in (select s.emp_id from sale s where s.amount > (select avg(a.amount) from sale a where a.emp_id = s.emp_id group by a.emp_id having count(*) > 1))
select dept_id, (select count(*) from dept d where d.id = emp.dept_id) from emp group by dept_id
select dept_id + 1, count(*) from emp group by dept_id + 1 having dept_id + 1 > 1 order by dept_id + 1
select e.dept_id, d.name, count(*) from emp e join dept d on d.id = e.dept_id group by e.dept_id, d.id
select name || ' ' || coalesce(code, '') as label, salary::text || '%' from emp order by label
select interval '1 day' * 2, '1 day'::interval / 2, date '2020-01-01' - date '2019-01-01', time '10:00' - time '09:00', now() - now(), (current_date - hired) / 365 from emp
select seen::date, stamp::date, hired::timestamp, seen > hired, hired = seen, stamp > hired, seen::time from emp
select int8(age), float8(age), text(age), date(seen), "char"('a') from emp
select nullif(1, 1.5), coalesce(1, 2.5), coalesce('1', 2), greatest(1, 2.5, null), least('a', 'b'), coalesce(null, null)
select 1 where true
select 1 where null
select from emp
select from emp where active
select all name from emp
select * from only emp
select id from emp where salary is distinct from 3 and (boss_id is null) = active
select id, id, id as id from emp
select e.name from emp e join dept d on e.name = d.name and e.code = d.name
select e.id from emp e where e.name = e.code and e.age = e.big and e.salary = e.age and e.score = e.salary and e.bonus = e.score
select unnested.v from (select unnest_me.tags as v from emp unnest_me) unnested
select t.n from (select count(*) as n from emp) as t where t.n > 0
select t.count from (select count(*) from emp) t
select sub.* from (select e.*, d.name as dname from emp e left join dept d on d.id = e.dept_id) sub order by sub.id
select a.id from emp a where a.id = (select b.id from emp b where b.id = a.id and exists (select 1 from emp c where c.id = b.boss_id and c.id <> a.id))
select count(*) over (partition by active), active from emp order by count(*) over (partition by active)
select * from emp where (age, id) in (select age, id from emp) and (id, age) = any (select id, age from emp)
select sale.id from sale where sold >= date '1994-01-01' and sold < date '1994-01-01' + interval '1' year and amount between 0.06 - 0.01 and 0.06 + 0.01
select json_build_object('a', age, 'b', name), to_jsonb(name), jsonb_agg(name), json_agg(age order by id) from emp group by age, name
select jsonb_build_object('k', 1) || '{"z": 2}', '{"a":1}'::jsonb -> 'a', '[1,2]'::json ->> 0
select string_agg(distinct name, ',' order by name), string_agg(code, ''), string_agg(name::text, ',' order by name::text) from emp
select overlaps_ from (select (date '2020-01-01', date '2020-02-01') overlaps (date '2020-01-15', interval '1 month') as overlaps_) q
select x.* from (select 1 as "a b", 2 as "A", 3 as "table") x
select e."name" as "Name", e.name as "select" from emp e order by "Name"
select id as "?column?", id + 1 from emp
select max(id) as max, max(id) as "MAX", max(id) from emp
select $1::int + 1
select name from emp where id = $1 and name = $2
select * from emp where salary > $1 limit $2
select coalesce($1, 'x'), $2::date
select $1
select generate_series(1, 3)
select id, unnest(tags) as tag from emp order by id, tag
select generate_series(1, 2) g, count(*) from dept group by 1
select distinct unnest(tags) from emp
with m as (select generate_series(date '2020-01-01', date '2020-03-01', interval '1 month')::date as m) select m, count(s.id) from m left join sale s on date_trunc('month', s.sold) = m group by m
select 1, 'x', 2.5, -3, age is null, age in (1, 2), not active from emp
select e.id from emp e left join lateral (select e.age + 1 as nxt) x on x.nxt > 3 left join dept d on d.id = x.nxt
select count(*) from emp e where (e.dept_id is null or e.dept_id in (select d.id from dept d where d.budget > e.salary)) and not exists (select from sale where emp_id = e.id and qty is null)
select c.*, (c.id = 1) as is_one from (select id, name from dept) as c (id) order by is_one desc, c.name
select hired + make_interval(days => 10), make_interval(hours => 2, months => 1), make_interval(1, days => 3) from emp
select jsonb_set('{"a":1}', '{a}', '2'), regexp_count(name, 'a'), date_bin('15 minutes', seen, timestamp '2001-01-01') from emp
select tags = '{a,b}', '{a}' <> tags, tags in ('{a}', '{b,c}'), tags is distinct from '{}', tags < tags, (tags, id) = ('{a}', 1), array[id] = '{1,2}', array[id]::oid[] = '{1}' from emp
select salary::numeric, salary::numeric(10,2), salary::numeric(5,1)::numeric, budget::numeric * 2, (salary::numeric)::numeric(8,1) from emp, dept
select code::bpchar, code::char(4), d.name::varchar, d.name::varchar(20), d.name::varchar(5)::varchar, d.name::text from emp, dept d
select array[salary::numeric], array[salary], coalesce(salary::numeric, 0), case when active then salary::numeric end, max(salary::numeric), d.name::varchar from emp, dept d group by salary, active, d.name
select x.s from (select salary::numeric as s from emp union all select budget from dept) x where x.s::numeric > 10
select g from generate_series(1, 5) g limit 2.5 offset 0.5
select g from generate_series(1, 9) g limit 2.5::float8
select g from generate_series(1, 9) g limit 3.5::real offset -0.4
select g from generate_series(1, 9) g fetch first 1.5 rows only
select g from generate_series(1, 9) g limit (select 2.5)
select g from generate_series(1, 9) g limit 1e1
select d.id, (select max(s) from (select sum(e.age) over (order by e.id rows d.id preceding) as s from emp e) q) from dept d
