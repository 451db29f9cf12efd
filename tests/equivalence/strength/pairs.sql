-- pair: join to EXISTS over a key
select e.name from emp e join dept d on d.id = e.dept where d.city = 'Rome';
select e.name from emp e where exists (select 1 from dept d where d.id = e.dept and d.city = 'Rome');
-- pair: IN to join over a key
select e.name from emp e where e.dept in (select id from dept where city = 'Rome');
select e.name from emp e join dept d on d.id = e.dept where d.city = 'Rome';
-- pair: EXISTS to IN
select d.name from dept d where exists (select 1 from emp e where e.dept = d.id and e.sal > 10);
select d.name from dept d where d.id in (select dept from emp where sal > 10);
-- pair: EXISTS to join with DISTINCT of a key
select d.id, d.name from dept d where exists (select 1 from emp e where e.dept = d.id);
select distinct d.id, d.name from dept d join emp e on e.dept = d.id;
-- pair: EXISTS to join with a DISTINCT derived table
select d.name from dept d where exists (select 1 from emp e where e.dept = d.id);
select d.name from dept d join (select distinct dept from emp) t on t.dept = d.id;
-- pair: EXISTS to a count in a scalar subquery
select d.name from dept d where exists (select 1 from emp e where e.dept = d.id);
select d.name from dept d where (select count(*) from emp e where e.dept = d.id) > 0;
-- pair: NOT EXISTS to a count of zero
select d.name from dept d where not exists (select 1 from emp e where e.dept = d.id);
select d.name from dept d where (select count(*) from emp e where e.dept = d.id) = 0;
-- pair: NOT EXISTS to LEFT JOIN IS NULL
select d.name from dept d where not exists (select 1 from emp e where e.dept = d.id and e.active);
select d.name from dept d left join emp e on e.dept = d.id and e.active where e.id is null;
-- pair: NOT IN over NOT NULL columns to NOT EXISTS
select d.name from dept d where d.id not in (select dept from proj);
select d.name from dept d where not exists (select 1 from proj p where p.dept = d.id);
-- pair: NOT IN with a guard
select d.name from dept d where d.id not in (select dept from emp where dept is not null);
select d.name from dept d where not exists (select 1 from emp e where e.dept = d.id);
-- pair: <> ALL is NOT IN
select d.name from dept d where d.id <> all (select dept from proj);
select d.name from dept d where d.id not in (select dept from proj);
-- pair: = ANY is IN
select d.name from dept d where d.id = any (select dept from proj);
select d.name from dept d where d.id in (select dept from proj);
-- pair: EXCEPT as anti-join
select id from dept except select dept from proj;
select id from dept d where not exists (select 1 from proj p where p.dept = d.id);
-- pair: INTERSECT as semi-join
select id from dept intersect select dept from emp;
select id from dept d where exists (select 1 from emp e where e.dept = d.id);
-- pair: EXCEPT of nullable columns
select k from log except select k from old;
select distinct k from log l where not exists (select 1 from old o where o.k is not distinct from l.k);
-- pair: INTERSECT of nullable columns
select k from log intersect select k from old;
select distinct k from log l where exists (select 1 from old o where o.k is not distinct from l.k);
-- pair: UNION of filters over a key
select id from emp where sal > 10 union select id from emp where bonus > 5;
select id from emp where sal > 10 or bonus > 5;
-- pair: UNION ALL of disjoint filters
select id from emp where sal > 10 union all select id from emp where sal <= 10;
select id from emp;
-- pair: UNION ALL of an OR with a guard
select k from log where v = 1 or w = 2;
select k from log where v = 1 union all select k from log where w = 2 and (v = 1) is not true;
-- pair: UNION ALL of an IN list
select k from log where v in (1, 2, 3);
select k from log where v = 1 union all select k from log where v = 2 union all select k from log where v = 3;
-- pair: IN list to VALUES
select k from log where v in (1, 2, 3);
select k from log where v in (values (1), (2), (3));
-- pair: IN list to join with VALUES
select k from log where v in (1, 2, 3);
select l.k from log l join (values (1), (2), (3)) t(x) on t.x = l.v;
-- pair: UNION nested
select k from log union (select k from old union select v from old);
select k from log union select k from old union select v from old;
-- pair: UNION with itself
select k, v from log union select k, v from log;
select distinct k, v from log;
-- pair: UNION over UNION ALL
select k from log union select k from old;
select distinct k from (select k from log union all select k from old) t;
-- pair: DISTINCT twice
select distinct k from (select distinct k, v from log) t;
select distinct k from log;
-- pair: DISTINCT to GROUP BY
select distinct k, v from log;
select k, v from log group by k, v;
-- pair: DISTINCT on a key
select distinct id, name from emp;
select id, name from emp;
-- pair: GROUP BY a key
select id, sum(sal) s from emp group by id;
select id, sal::bigint s from emp;
-- pair: grouping by a key and what it determines
select d.id, d.name, count(*) from dept d join emp e on e.dept = d.id group by d.id, d.name;
select d.id, d.name, count(*) from dept d join emp e on e.dept = d.id group by d.id;
-- pair: HAVING on the key to WHERE
select dept, count(*) from emp group by dept having dept > 3;
select dept, count(*) from emp where dept > 3 group by dept;
-- pair: HAVING count(*) > 0
select k, sum(v) from log group by k having count(*) > 0;
select k, sum(v) from log group by k;
-- pair: HAVING count(*) < 1
select k, sum(v) from log group by k having count(*) < 1;
select k, sum(v) from log where false group by k;
-- pair: HAVING to a derived table
select k, sum(v) s from log group by k having sum(v) > 10;
select k, s from (select k, sum(v) s from log group by k) t where s > 10;
-- pair: COUNT(column) of a NOT NULL column
select dept, count(name) from emp group by dept;
select dept, count(*) from emp group by dept;
-- pair: COUNT(DISTINCT key)
select dept, count(distinct id) from emp group by dept;
select dept, count(*) from emp group by dept;
-- pair: SUM of CASE to FILTER
select k, sum(case when v > 3 then 1 else 0 end) from log group by k;
select k, count(*) filter (where v > 3) from log group by k;
-- pair: COUNT of CASE to FILTER
select k, count(case when v > 3 then 1 end) from log group by k;
select k, count(*) filter (where v > 3) from log group by k;
-- pair: SUM of CASE without ELSE
select k, sum(case when v > 3 then w end) from log group by k;
select k, sum(w) filter (where v > 3) from log group by k;
-- pair: SUM of ones
select k, sum(1) from log group by k;
select k, count(*) from log group by k;
-- pair: SUM of a doubled column
select k, sum(v) + sum(v) from log group by k;
select k, 2 * sum(v) from log group by k;
-- pair: MAX of DISTINCT
select k, max(distinct v) from log group by k;
select k, max(v) from log group by k;
-- pair: MIN over DISTINCT rows
select min(v) from (select distinct v from log) t;
select min(v) from log;
-- pair: BOOL_OR to EXISTS
select d.id, coalesce((select bool_or(e.active) from emp e where e.dept = d.id), false) a from dept d;
select d.id, exists (select 1 from emp e where e.dept = d.id and e.active) a from dept d;
-- pair: COUNT in a CASE to EXISTS
select d.id, case when (select count(*) from emp e where e.dept = d.id) > 0 then 'y' else 'n' end a from dept d;
select d.id, case when exists (select 1 from emp e where e.dept = d.id) then 'y' else 'n' end a from dept d;
-- pair: correlated count to grouped LEFT JOIN
select d.id, (select count(*) from emp e where e.dept = d.id) n from dept d;
select d.id, coalesce(t.n, 0) n from dept d left join (select dept, count(*) n from emp group by dept) t on t.dept = d.id;
-- pair: correlated count to LEFT JOIN and GROUP BY
select d.id, (select count(*) from emp e where e.dept = d.id) n from dept d;
select d.id, count(e.id) n from dept d left join emp e on e.dept = d.id group by d.id;
-- pair: correlated sum to LEFT JOIN and GROUP BY
select d.id, (select sum(e.sal) from emp e where e.dept = d.id) n from dept d;
select d.id, sum(e.sal) n from dept d left join emp e on e.dept = d.id group by d.id;
-- pair: correlated maximum to LATERAL
select d.id, (select max(e.sal) from emp e where e.dept = d.id) m from dept d;
select d.id, t.m from dept d cross join lateral (select max(e.sal) m from emp e where e.dept = d.id) t;
-- pair: correlated maximum in WHERE to a grouped join
select e.id from emp e where e.sal = (select max(f.sal) from emp f where f.dept = e.dept);
select e.id from emp e join (select dept, max(sal) m from emp group by dept) t on t.dept = e.dept and t.m = e.sal;
-- pair: correlated maximum to a window
select e.id from emp e where e.sal = (select max(f.sal) from emp f where f.dept = e.dept);
select id from (select id, dept, sal, max(sal) over (partition by dept) m from emp) t where sal = m and dept is not null;
-- pair: correlated maximum to NOT EXISTS larger
select e.id from emp e where e.dept is not null and e.sal = (select max(f.sal) from emp f where f.dept = e.dept);
select e.id from emp e where e.dept is not null and not exists (select 1 from emp f where f.dept = e.dept and f.sal > e.sal);
-- pair: at least ALL to NOT EXISTS
select e.id from emp e where e.sal >= all (select f.sal from emp f where f.dept = e.dept);
select e.id from emp e where not exists (select 1 from emp f where f.dept = e.dept and f.sal > e.sal);
-- pair: more than ANY to the minimum
select e.id from emp e where e.sal > any (select f.sal from emp f where f.dept = e.dept);
select e.id from emp e where e.sal > (select min(f.sal) from emp f where f.dept = e.dept);
-- pair: EXISTS with an inequality to a maximum
select e.id from emp e where exists (select 1 from emp f where f.dept = e.dept and f.sal > e.sal);
select e.id from emp e join (select dept, max(sal) m from emp group by dept) t on t.dept = e.dept where t.m > e.sal;
-- pair: EXISTS with a difference to both extremes
select t.proj, t.num from task t where exists (select 1 from task u where u.proj = t.proj and u.hours <> t.hours);
select t.proj, t.num from task t join (select proj, min(hours) a, max(hours) b from task group by proj) g on g.proj = t.proj where g.a <> t.hours or g.b <> t.hours;
-- pair: average as a window
select e.id from emp e where e.sal > (select avg(f.sal) from emp f where f.dept = e.dept);
select id from (select id, dept, sal, avg(sal) over (partition by dept) m from emp) t where sal > m and dept is not null;
-- pair: total as a window
select dept, sum(sal) from emp group by dept having sum(sal) * 0.5 > (select sum(sal) from emp);
select dept, s from (select dept, sum(sal) s, sum(sum(sal)) over () t from emp group by dept) x where s * 0.5 > t;
-- pair: window over a partition to a grouped join
select id, sum(sal) over (partition by dept) from emp where dept is not null;
select e.id, t.s from emp e join (select dept, sum(sal) s from emp group by dept) t on t.dept = e.dept;
-- pair: window count to a correlated count
select id, count(*) over (partition by boss) from emp;
select e.id, (select count(*) from emp f where f.boss is not distinct from e.boss) from emp e;
-- pair: filter on the partition passes a window
select * from (select id, dept, rank() over (partition by dept order by sal) r from emp) t where dept = 3;
select id, dept, rank() over (partition by dept order by sal) r from emp where dept = 3;
-- pair: row_number over a key
select id from (select id, row_number() over (partition by id order by sal) r from emp) t where r = 1;
select id from emp;
-- pair: rank one over a key
select id from (select id, rank() over (partition by id order by sal) r from emp) t where r = 1;
select id from emp;
-- pair: rank one is the maximum
select id from (select id, rank() over (partition by dept order by sal desc) r from emp) t where r = 1;
select e.id from emp e where not exists (select 1 from emp f where f.dept is not distinct from e.dept and f.sal > e.sal);
-- pair: row_number one to DISTINCT ON with a total order
select dept, id from (select dept, id, row_number() over (partition by dept order by sal desc, id) r from emp) t where r = 1;
select * from (select distinct on (dept) dept, id from emp order by dept, sal desc, id) t;
-- pair: row_number one to LATERAL LIMIT 1
select d.id, t.name from dept d cross join lateral (select e.name from emp e where e.dept = d.id order by e.sal desc, e.id limit 1) t;
select d.id, t.name from dept d join (select dept, name, row_number() over (partition by dept order by sal desc, id) r from emp) t on t.dept = d.id and t.r = 1;
-- pair: minimum as ORDER BY LIMIT 1
select (select e.sal from emp e where e.dept = d.id order by e.sal limit 1) from dept d;
select (select min(e.sal) from emp e where e.dept = d.id) from dept d;
-- pair: maximum as ORDER BY LIMIT 1 of a nullable column
select (select e.bonus from emp e where e.dept = d.id and e.bonus is not null order by e.bonus desc limit 1) from dept d;
select (select max(e.bonus) from emp e where e.dept = d.id) from dept d;
-- pair: LEFT JOIN elimination by a key
select e.id, e.name from emp e left join dept d on d.id = e.dept;
select id, name from emp;
-- pair: LEFT JOIN elimination with a filter in ON
select e.id from emp e left join dept d on d.id = e.dept and d.city = 'Rome';
select id from emp;
-- pair: LEFT JOIN elimination over a grouped table
select d.id from dept d left join (select dept, count(*) from emp group by dept) t on t.dept = d.id;
select id from dept;
-- pair: chain of LEFT JOINs
select e.id from emp e left join dept d on d.id = e.dept left join emp b on b.id = d.boss;
select id from emp;
-- pair: join elimination by a foreign key
select p.id from proj p join dept d on d.id = p.dept;
select id from proj;
-- pair: join elimination over a nullable foreign key
select e.id from emp e join dept d on d.id = e.dept;
select id from emp where dept is not null;
-- pair: chain of parents
select t.num from task t join proj p on p.id = t.proj join dept d on d.id = p.dept;
select num from task;
-- pair: parent's key replaced by the child's
select d.id, p.title from proj p join dept d on d.id = p.dept;
select dept, title from proj;
-- pair: LEFT JOIN to a parent is an inner join
select p.id, d.name from proj p left join dept d on d.id = p.dept;
select p.id, d.name from proj p join dept d on d.id = p.dept;
-- pair: outer join made inner by WHERE
select e.id, d.name from emp e left join dept d on d.id = e.dept where d.city = 'Rome';
select e.id, d.name from emp e join dept d on d.id = e.dept where d.city = 'Rome';
-- pair: FULL JOIN made LEFT
select e.id, d.name from emp e full join dept d on d.id = e.dept where e.sal > 3;
select e.id, d.name from emp e left join dept d on d.id = e.dept where e.sal > 3;
-- pair: FULL JOIN made inner
select e.id, d.name from emp e full join dept d on d.id = e.dept where e.sal > 3 and d.city = 'Rome';
select e.id, d.name from emp e join dept d on d.id = e.dept where e.sal > 3 and d.city = 'Rome';
-- pair: RIGHT JOIN to LEFT JOIN
select e.id, d.name from emp e right join dept d on d.id = e.dept;
select e.id, d.name from dept d left join emp e on e.dept = d.id;
-- pair: self-join on the key
select a.name, b.sal from emp a join emp b on a.id = b.id where b.sal > 3;
select name, sal from emp where sal > 3;
-- pair: self-join on a unique column
select a.title from proj a join proj b on a.title = b.title;
select title from proj;
-- pair: self semi-join on the key
select name from emp where id in (select id from emp where sal > 3);
select name from emp where sal > 3;
-- pair: self semi-join under DISTINCT
select distinct a.k from log a join log b on a.k = b.k;
select distinct k from log where k is not null;
-- pair: join order
select e.id from emp e, dept d, proj p where e.dept = d.id and p.dept = d.id;
select e.id from proj p join (emp e join dept d on e.dept = d.id) on p.dept = d.id;
-- pair: transitive equality
select e.id from emp e, dept d, proj p where e.dept = d.id and p.dept = d.id and d.id = 7;
select e.id from emp e, dept d, proj p where e.dept = 7 and p.dept = 7 and d.id = 7;
-- pair: constant through a join
select e.id, d.id from emp e join dept d on d.id = e.dept where e.dept = 4;
select e.id, 4 from emp e join dept d on d.id = 4 where e.dept = 4;
-- pair: filter pushed into a CTE
with t as (select dept, sal from emp) select sal from t where dept = 3;
select sal from emp where dept = 3;
-- pair: CTE used twice
with t as (select dept, sum(sal) s from emp group by dept) select a.dept from t a join t b on a.dept = b.dept where a.s > 10 and b.s < 20;
select dept from (select dept, sum(sal) s from emp group by dept) t where s > 10 and s < 20 and dept is not null;
-- pair: chain of CTEs
with a as (select * from log where v > 1), b as (select k, w from a where w < 9), c as (select k from b) select k from c where k = 5;
select k from log where v > 1 and w < 9 and k = 5;
-- pair: CTE for two aggregates
with t as (select k, v from log where w = 1) select (select min(v) from t), (select max(v) from t);
select min(v), max(v) from log where w = 1;
-- pair: two scalar aggregates in one
select (select count(*) from log where v > 3), (select count(*) from log where v <= 3);
select count(*) filter (where v > 3), count(*) filter (where v <= 3) from log;
-- pair: eager sum below a join
select d.city, sum(e.sal) from emp e join dept d on d.id = e.dept group by d.city;
select d.city, sum(t.s)::bigint from dept d join (select dept, sum(sal) s from emp group by dept) t on t.dept = d.id group by d.city;
-- pair: eager count below a join
select d.city, count(*) from emp e join dept d on d.id = e.dept group by d.city;
select d.city, sum(t.n)::bigint from dept d join (select dept, count(*) n from emp group by dept) t on t.dept = d.id group by d.city;
-- pair: eager maximum below a join
select d.city, max(e.sal) from emp e join dept d on d.id = e.dept group by d.city;
select d.city, max(t.m) from dept d join (select dept, max(sal) m from emp group by dept) t on t.dept = d.id group by d.city;
-- pair: sum of sums
select sum(s)::bigint from (select k, sum(v) s from log group by k) t;
select sum(v) from log;
-- pair: maximum of maxima
select max(m) from (select k, max(v) m from log group by k) t;
select max(v) from log;
-- pair: count of groups
select count(*) from (select k from log group by k) t;
select count(*) from (select distinct k from log) t;
-- pair: COUNT DISTINCT as a count of groups
select count(distinct k) from log;
select count(*) from (select distinct k from log where k is not null) t;
-- pair: sum over UNION ALL
select sum(v) from (select v from log union all select v from old) t;
select sum(s)::bigint from (select sum(v) s from log union all select sum(v) s from old) t;
-- pair: count over UNION ALL
select count(*) from (select v from log union all select v from old) t;
select (select count(*) from log) + (select count(*) from old);
-- pair: GROUPING SETS to UNION ALL
select k, v, count(*) from log group by grouping sets ((k), (v));
select k, null::int, count(*) from log group by k union all select null, v, count(*) from log group by v;
-- pair: ROLLUP to GROUPING SETS
select k, v, sum(w) from log group by rollup (k, v);
select k, v, sum(w) from log group by grouping sets ((k, v), (k), ());
-- pair: CUBE to UNION ALL
select k, v, sum(w) from log group by cube (k, v);
select k, v, sum(w) from log group by k, v union all select k, null, sum(w) from log group by k union all select null, v, sum(w) from log group by v union all select null, null, sum(w) from log;
-- pair: COALESCE against a constant
select k from log where coalesce(v, 0) = 5;
select k from log where v = 5;
-- pair: COALESCE of a constant that passes
select k from log where coalesce(v, 0) = 0;
select k from log where v = 0 or v is null;
-- pair: COALESCE as CASE
select coalesce(v, w, 0) from log;
select case when v is not null then v when w is not null then w else 0 end from log;
-- pair: COALESCE of a NOT NULL column
select coalesce(sal, 0) from emp;
select sal from emp;
-- pair: NULLIF as CASE
select nullif(v, 0) from log;
select case when v = 0 then null else v end from log;
-- pair: NULLIF in a filter
select k from log where nullif(v, 0) is null;
select k from log where v is null or v = 0;
-- pair: CASE in a filter
select k from log where case when v > 3 then w = 1 else false end;
select k from log where v > 3 and w = 1;
-- pair: simple CASE to searched CASE
select case v when 1 then 'a' when 2 then 'b' end from log;
select case when v = 1 then 'a' when v = 2 then 'b' end from log;
-- pair: CASE whose branches agree
select case when v > 3 then w else w end from log;
select w from log;
-- pair: CASE with a branch that is never taken
select case when v = 1 then 'a' when v = 1 and w = 2 then 'b' else 'c' end from log;
select case when v = 1 then 'a' else 'c' end from log;
-- pair: nested CASE
select case when v > 0 then case when v > 5 then 'a' else 'b' end else 'c' end from log;
select case when v > 5 then 'a' when v > 0 then 'b' else 'c' end from log;
-- pair: CASE compared with a constant
select k from log where case when v = 1 then 'a' when v = 2 then 'b' else 'c' end = 'b';
select k from log where v = 2;
-- pair: De Morgan
select k from log where not (v > 3 or w < 2);
select k from log where v <= 3 and w >= 2;
-- pair: distributed OR
select k from log where (v = 1 and w = 2) or (v = 1 and w = 3);
select k from log where v = 1 and w in (2, 3);
-- pair: absorbed condition
select k from log where v > 3 or (v > 3 and w = 1);
select k from log where v > 3;
-- pair: implied range
select k from log where v > 3 and v > 1;
select k from log where v > 3;
-- pair: BETWEEN of integers
select k from log where v between 4 and 6;
select k from log where v > 3 and v < 7;
-- pair: neighbouring integers
select k from log where v > 3 and v < 5;
select k from log where v = 4;
-- pair: contradiction of a range
select k from log where v > 5 and v < 3;
select k from log where false;
-- pair: integer against a fraction
select k from log where v >= 2.5;
select k from log where v >= 3;
-- pair: CHECK makes a filter idle
select id from emp where sal >= 0;
select id from emp;
-- pair: CHECK contradicts a filter
select id from emp where sal < -5;
select id from emp where false;
-- pair: CHECK of a list
select num from task where state <> 'open' and state <> 'done';
select num from task where state = 'late';
-- pair: CHECK makes a list idle
select num from task where state in ('open', 'done', 'late');
select num from task;
-- pair: x = x
select k from log where v = v;
select k from log where v is not null;
-- pair: x IS NOT NULL follows
select k from log where v > 3 and v is not null;
select k from log where v > 3;
-- pair: IS DISTINCT FROM spelled out
select k from log where v is distinct from w;
select k from log where v <> w or (v is null) <> (w is null);
-- pair: IS NOT DISTINCT FROM spelled out
select k from log where v is not distinct from w;
select k from log where v = w or (v is null and w is null);
-- pair: boolean comparisons
select id from emp where active = true;
select id from emp where active;
-- pair: IS NOT TRUE
select k from log where (v > 3) is not true;
select k from log where v <= 3 or v is null;
-- pair: row comparison
select k from log where (v, w) = (1, 2);
select k from log where v = 1 and w = 2;
-- pair: rows in a subquery
select k from log where (v, w) in (select v, w from old);
select k from log l where exists (select 1 from old o where o.v = l.v and o.w = l.w);
-- pair: a day of moments
select id from emp where seen::date = '2024-02-29';
select id from emp where seen >= '2024-02-29' and seen < '2024-03-01';
-- pair: a year of days
select id from emp where extract(year from hired) = 2020;
select id from emp where hired >= '2020-01-01' and hired < '2021-01-01';
-- pair: a month of days
select id from emp where extract(year from hired) = 2020 and extract(month from hired) = 2;
select id from emp where hired between '2020-02-01' and '2020-02-29';
-- pair: date arithmetic on constants
select id from emp where hired < date '2020-01-31' + interval '1 month';
select id from emp where hired < '2020-02-29';
-- pair: days between neighbours
select id from emp where hired > '2020-01-01' and hired < '2020-01-03';
select id from emp where hired = '2020-01-02';
-- pair: hour truncated
select id from emp where date_trunc('hour', seen) = '2020-01-01 10:00';
select id from emp where seen >= '2020-01-01 10:00' and seen < '2020-01-01 11:00';
-- pair: prefix
select id from emp where left(name, 3) = 'Ann';
select id from emp where name like 'Ann%';
-- pair: substring prefix
select id from emp where substring(name from 1 for 3) = 'Ann';
select id from emp where name like 'Ann%';
-- pair: LIKE without wildcards
select id from emp where name like 'Ann';
select id from emp where name = 'Ann';
-- pair: LIKE implied by equality
select id from emp where name = 'Anna' and name like 'An%';
select id from emp where name = 'Anna';
-- pair: LIKE against another prefix
select id from emp where name like 'An%' and name like 'B%';
select id from emp where false;
-- pair: integer's text
select id from emp where id::text = '42';
select id from emp where id = 42;
-- pair: FROM list order and aliases
select a.k, b.v from log a, old b where a.k = b.k;
select x.k, y.v from old y, log x where y.k = x.k;
-- pair: NATURAL-like USING
select k, l.v from log l join old o using (k);
select l.k, l.v from log l, old o where l.k = o.k;
-- pair: derived table flattened
select t.x from (select v + 1 x, w from log) t where t.w = 2;
select v + 1 from log where w = 2;
-- pair: ORDER BY inside a subquery
select k from (select k, v from log order by v) t where v = 1;
select k from log where v = 1;
-- pair: ORDER BY a key and more
select id, name from emp order by id, name;
select id, name from emp order by id;
-- pair: ORDER BY a constant column
select k, v from log where k = 3 order by k, v;
select k, v from log where k = 3 order by v;
-- pair: LIMIT over a total order
select id from (select id, name from emp order by id limit 10) t order by id;
select id from emp order by id limit 10;
-- pair: DISTINCT in EXISTS
select d.id from dept d where exists (select distinct e.name from emp e where e.dept = d.id);
select d.id from dept d where exists (select 1 from emp e where e.dept = d.id);
-- pair: EXISTS over an aggregate
select d.id from dept d where exists (select max(e.sal) from emp e where e.dept = d.id);
select d.id from dept d;
-- pair: EXISTS with HAVING
select d.id from dept d where exists (select 1 from emp e where e.dept = d.id having count(*) > 2);
select d.id from dept d where (select count(*) from emp e where e.dept = d.id) > 2;
-- pair: EXISTS with GROUP BY
select d.id from dept d where exists (select e.job from emp e where e.dept = d.id group by e.job);
select d.id from dept d where exists (select 1 from emp e where e.dept = d.id);
-- pair: nested EXISTS flattened
select d.id from dept d where exists (select 1 from emp e where e.dept = d.id and exists (select 1 from task t where t.emp = e.id));
select d.id from dept d where exists (select 1 from emp e join task t on t.emp = e.id where e.dept = d.id);
-- pair: division: no counterexample
select e.id from emp e where not exists (select 1 from proj p where p.dept = e.dept and not exists (select 1 from task t where t.proj = p.id and t.emp = e.id));
select e.id from emp e where not exists (select 1 from proj p left join task t on t.proj = p.id and t.emp = e.id where p.dept = e.dept and t.num is null);
-- pair: OR of EXISTS
select d.id from dept d where exists (select 1 from emp e where e.dept = d.id) or exists (select 1 from proj p where p.dept = d.id);
select d.id from dept d where exists (select 1 from emp e where e.dept = d.id union all select 1 from proj p where p.dept = d.id);
-- pair: OR inside EXISTS
select d.id from dept d where exists (select 1 from emp e where e.dept = d.id and (e.sal > 9 or e.bonus > 9));
select d.id from dept d where exists (select 1 from emp e where e.dept = d.id and e.sal > 9) or exists (select 1 from emp e where e.dept = d.id and e.bonus > 9);
-- pair: scalar subquery to LEFT JOIN
select e.id, (select d.name from dept d where d.id = e.dept) from emp e;
select e.id, d.name from emp e left join dept d on d.id = e.dept;
-- pair: scalar subquery in WHERE to a join
select e.id from emp e where (select d.city from dept d where d.id = e.dept) = 'Rome';
select e.id from emp e join dept d on d.id = e.dept where d.city = 'Rome';
-- pair: two scalar subqueries share a join
select e.id, (select d.name from dept d where d.id = e.dept), (select d.city from dept d where d.id = e.dept) from emp e;
select e.id, d.name, d.city from emp e left join dept d on d.id = e.dept;
-- pair: LATERAL without aggregates
select d.id, t.name from dept d cross join lateral (select e.name from emp e where e.dept = d.id) t;
select d.id, e.name from dept d join emp e on e.dept = d.id;
-- pair: LEFT JOIN LATERAL
select d.id, t.name from dept d left join lateral (select e.name from emp e where e.dept = d.id and e.active) t on true;
select d.id, e.name from dept d left join emp e on e.dept = d.id and e.active;
-- pair: grouped twice
select dept, max(s) from (select dept, job, sum(sal) s from emp group by dept, job) t group by dept having max(s) is not null;
select dept, max(s) from (select dept, job, sum(sal) s from emp group by dept, job) t group by dept;
-- pair: FILTER common to all aggregates
select count(*) filter (where v > 1), sum(w) filter (where v > 1) from log;
select count(*), sum(w) from log where v > 1;
-- pair: EXCEPT ALL over keys
select id from emp except all select emp from task;
select id from emp e where not exists (select 1 from task t where t.emp = e.id);
-- pair: INTERSECT in a chain
select id from dept intersect select dept from emp intersect select dept from proj;
select d.id from dept d where d.id in (select dept from emp) and d.id in (select dept from proj);
-- pair: EXCEPT with a filter of the same table
select id from emp except select id from emp where sal > 10;
select id from emp where sal <= 10;
-- pair: INTERSECT with a filter of the same table
select id from emp where bonus = 1 intersect select id from emp where sal > 10;
select id from emp where bonus = 1 and sal > 10;
-- pair: anti-join of a filter of itself
select id from emp e where not exists (select 1 from emp f where f.id = e.id and f.sal > 10);
select id from emp where sal <= 10;
-- pair: ORM's paging subquery
select e.id, e.name from emp e where e.id in (select f.id from emp f join dept d on d.id = f.dept where d.city = 'Rome') order by e.id;
select e.id, e.name from emp e join dept d on d.id = e.dept where d.city = 'Rome' order by e.id;
-- pair: ORM's count
select count(*) from (select distinct e.id from emp e left join task t on t.emp = e.id where t.hours > 3) s;
select count(distinct e.id) from emp e join task t on t.emp = e.id where t.hours > 3;
-- pair: ORM's prefetch
select t.num from task t where t.proj in (select p.id from proj p where p.dept in (select d.id from dept d where d.city = 'Rome'));
select t.num from task t join proj p on p.id = t.proj join dept d on d.id = p.dept where d.city = 'Rome';
-- pair: latest row by a correlated maximum and by NOT EXISTS
select t.num from task t where t.at = (select max(u.at) from task u where u.proj = t.proj);
select t.num from task t where not exists (select 1 from task u where u.proj = t.proj and u.at > t.at);
-- pair: latest row by a window
select t.num from task t where t.at = (select max(u.at) from task u where u.proj = t.proj);
select num from (select num, at, max(at) over (partition by proj) m from task) x where at = m;
-- pair: running total to a window
select t.proj, t.num, (select sum(u.hours) from task u where u.proj = t.proj and u.num <= t.num) s from task t;
select proj, num, sum(hours) over (partition by proj order by num) s from task;
-- pair: running count of keys that may be NULL
select e.id, (select count(*) from emp f where f.dept = e.dept and f.boss < e.boss) n from emp e;
select id, count(*) filter (where dept is not null and boss is not null) over (partition by dept order by boss nulls first groups between unbounded preceding and 1 preceding) n from emp;
-- pair: self-join with earlier rows to a window
select e.id, sum(f.id) s from emp e join emp f on f.dept = e.dept and f.id >= e.id group by e.id;
select id, sum(id) over (partition by dept order by id desc) s from emp where dept is not null;
-- pair: rows compared in order
select t.proj, t.num from task t where (t.proj, t.num) > (1, 2);
select proj, num from task where proj > 1 or (proj = 1 and num > 2);
-- pair: sum of a sum of columns
select dept, sum(sal::bigint + boss)::bigint s from emp where boss is not null group by dept;
select dept, (sum(sal) + sum(boss))::bigint s from emp where boss is not null group by dept;
-- pair: sum of numerics times a number
select dept, sum(cost * 3) s from proj group by dept;
select dept, sum(cost) * 3 s from proj group by dept;
-- pair: average as a quotient of nullable values
select dept, avg(rate) r from emp group by dept;
select dept, sum(rate) / count(rate) r from emp group by dept;
-- pair: EXCEPT ALL of what was added
(select k, v from log union all select k, v from old) except all select k, v from old;
select k, v from log;
-- pair: EXCEPT ALL twice
(select k from log except all select k from old) except all select v from old;
select k from log except all (select k from old union all select v from old);
-- pair: INTERSECT ALL as a difference of differences
select k from log except all (select k from log except all select k from old);
select k from old intersect all select k from log;
-- pair: a condition on EXCEPT ALL
select * from (select k, v from log except all select k, v from old) d where k > 3;
select k, v from log where k > 3 except all select k, v from old where k > 3;
-- pair: a frame to the end
select id, sum(sal) over (order by id range between current row and unbounded following) s from emp;
select e.id, (select sum(f.sal) from emp f where f.id >= e.id) s from emp e;
-- pair: a frame by distance
select id, count(*) over (order by sal range between 100 preceding and 50 following) n from emp;
select e.id, (select count(*) from emp f where f.sal::bigint between e.sal::bigint - 100 and e.sal::bigint + 50) n from emp e;
-- pair: a frame without its peers
select id, count(*) over (order by hired range unbounded preceding exclude group) n from emp;
select id, rank() over (order by hired) - 1 n from emp;
-- pair: the others of a group counted
select id, (select count(*) from proj q where q.dept = p.dept and q.id <> p.id) n from proj p;
select id, count(*) over (partition by dept) - 1 n from proj;
-- pair: ANY of an array of rows to IN
select name from emp where dept = any (array(select id from dept where city = 'Rome'));
select name from emp where dept in (select id from dept where city = 'Rome');
-- pair: an array of rows in order
select d.id, array(select e.name from emp e where e.dept = d.id order by e.id) a from dept d;
select d.id, coalesce((select array_agg(e.name order by e.id) from emp e where e.dept = d.id), '{}') a from dept d;
-- pair: containment of arrays of rows to division
select d.id from dept d where array(select t.emp from task t join proj p on p.id = t.proj where p.dept = d.id) @> array(select e.id from emp e where e.dept = d.id);
select d.id from dept d where not exists (select 1 from emp e where e.dept = d.id and not exists (select 1 from task t join proj p on p.id = t.proj where p.dept = d.id and t.emp = e.id));
-- pair: a padded row IS NULL
select d.id from dept d left join proj p on p.dept = d.id where p is null;
select d.id from dept d where not exists (select 1 from proj p where p.dept = d.id);
-- pair: different rows counted
select count(distinct (dept, boss)) n from emp;
select count(*) n from (select distinct dept, boss from emp) e;
-- pair: EXISTS with OFFSET to HAVING
select d.id from dept d where exists (select 1 from proj p where p.dept = d.id offset 2);
select dept from proj group by dept having count(*) > 2;
-- pair: a count of limited rows
select count(*) n from (select 1 from proj where cost > 10 limit 5) p;
select least(count(*), 5) n from proj where cost > 10;
-- pair: groups of groups, their columns in another order than the table's
select name, dept, count(distinct job) n from emp group by name, dept;
select name, dept, count(job) n from (select name, dept, job from emp group by name, dept, job) e group by name, dept;
-- pair: groups of a union of groups, their columns in another order than the table's
select w, k, max(m) m from (select w, k, max(v) m from log group by w, k union all select w, k, max(v) from log group by w, k) u group by w, k;
select w, k, max(v) m from (select * from log union all select * from log) u group by w, k;
-- pair: a grouped view with a distinct count, for what a list of a query's own lets through
select t.dept, t.n, d.name from (select x.id as dept, count(e.id) as n, count(distinct e.job) as jobs from dept x left join emp e on e.dept = x.id and e.active group by x.id) t join dept d on d.id = t.dept where d.boss in (select m.id from emp m where m.sal > 90) and t.jobs >= 2;
select t.dept, t.n, d.name from (select x.id as dept, count(e.id) as n, count(distinct e.job) as jobs from dept x left join emp e on e.dept = x.id and e.active where x.id in (select y.id from dept y where y.boss in (select m.id from emp m where m.sal > 90)) group by x.id) t join dept d on d.id = t.dept where d.boss in (select m.id from emp m where m.sal > 90) and t.jobs >= 2;
-- pair: a sort key that says where NULLs stand, below LIMIT and in a window
select id, rank() over (order by boss is null, boss desc) r from dept order by case when boss is null then 0 else 1 end, boss, id limit 5;
select id, rank() over (order by boss desc nulls last) r from dept order by boss nulls first, id limit 5;
-- pair: the greatest of flags as one of a group
select dept, max(case when sal > 5 then 1 else 0 end) m from emp group by dept having min(case when active then 1 else 0 end) = 1;
select dept, case when bool_or(sal > 5) then 1 else 0 end m from emp group by dept having bool_and(active);
-- pair: LEFT JOIN LATERAL LIMIT 1 to the first of numbered rows
select d.id, x.id, x.sal from dept d left join lateral (select e.id, e.sal from emp e where e.dept = d.id order by e.sal desc, e.id limit 1) x on true;
select d.id, x.id, x.sal from dept d left join (select t.* from (select e.id, e.sal, e.dept, row_number() over (partition by e.dept order by e.sal desc, e.id) as rn from emp e) t where t.rn <= 1) x on x.dept = d.id;
-- pair: the value of the row before by last_value, cast to the column's modifier
select d.id, (select p.budget from dept p where p.id < d.id order by p.id desc limit 1) + 1 from dept d;
select x.id, x.v::numeric(12,2) + 1 from (select d.id, last_value(d.budget) over (order by d.id groups between unbounded preceding and 1 preceding) as v from dept d) x;
-- pair: a median of each group, grouped and for each row
select d.id, x.m from dept d left join (select dept, percentile_cont(0.5) within group (order by sal) as m from emp group by dept) x on x.dept = d.id;
select d.id, (select percentile_cont(0.5) within group (order by e.sal) from emp e where e.dept = d.id) as m from dept d;
-- pair: a mode in LATERAL and as a subquery
select d.id, x.j from dept d left join lateral (select mode() within group (order by e.job) as j from emp e where e.dept = d.id) x on true;
select d.id, (select mode() within group (order by e.job) from emp e where e.dept = d.id) as j from dept d;
-- pair: a percentile's condition in FILTER and in WHERE
select percentile_disc(0.9) within group (order by rate) filter (where active) from emp;
select percentile_disc(0.9) within group (order by rate) from emp where active;
-- pair: pairs of values counted
select dept, regr_count(sal, bonus) from emp group by dept;
select dept, count(bonus) from emp group by dept;
-- pair: a calendar's days, joined and looked up
select s::date, coalesce(sum(e.sal), 0) from generate_series(date '2024-01-01', current_date, interval '1 day') s left join emp e on e.hired = s::date group by s;
select s::date, coalesce((select sum(sal) from emp where hired = s::date), 0) from generate_series(date '2024-01-01', current_date, interval '1 day') s;
-- pair: numbers of a series once
select distinct g from generate_series(1, 5000, 3) g;
select g from generate_series(1, 5000, 3) g;
-- pair: a first row that nobody reads
select d.name from dept d left join lateral (select e.name from emp e where e.dept = d.id order by e.hired limit 1) x on true;
select name from dept;
-- pair: an array of none, in both forms
select d.id, array(select e.name from emp e where e.dept = d.id order by e.id) from dept d;
select d.id, coalesce(array_agg(e.name order by e.id) filter (where e.id is not null), '{}') from dept d left join emp e on e.dept = d.id group by d.id;
-- pair: documents in documents, in a subquery and in LATERAL
select d.id, coalesce((select json_agg(json_build_object('n', e.name, 'b', json_build_object('s', e.sal)) order by e.id) from emp e where e.dept = d.id), '[]') from dept d;
select d.id, coalesce(x.j, '[]') from dept d left join lateral (select json_agg(json_build_object('n', e.name, 'b', json_build_object('s', e.sal)) order by e.id) as j from emp e where e.dept = d.id) x on true;
-- pair: the difference with the row before
select id, sal - lag(sal) over (order by id) from emp;
select e.id, e.sal - (select f.sal from emp f where f.id < e.id order by f.id desc limit 1) from emp e;
-- pair: numbers of elements that nobody reads
select d.id, x from dept d cross join lateral unnest(array[d.name, d.city]) with ordinality u(x, n) where x > 'b';
select d.id, x from dept d cross join lateral unnest(array[d.name, d.city]) u(x) where x > 'b';
-- pair: the difference of two sums, each 0 for nothing
select dept, coalesce(sum(sal) filter (where active), 0) - coalesce(sum(sal) filter (where not active), 0) from emp group by dept;
select dept, sum(case when active then sal else 0 end) - sum(case when not active then sal else 0 end) from emp group by dept;
-- pair: a subquery by year to a grouping by year
select t.dept, t.y, t.s from (select dept, extract(year from hired) y, sum(sal) s from emp group by dept, extract(year from hired)) t where t.s > (select 1.2 * avg(x.s) from (select sum(sal) s from emp where extract(year from hired) = t.y group by dept) x);
with r as materialized (select dept, extract(year from hired) y, sum(sal) s from emp group by dept, extract(year from hired)) select t.dept, t.y, t.s from r t join (select y, avg(s) a from r group by y) g on g.y = t.y where t.s > 1.2 * g.a;
-- pair: rows numbered by counting in an order of two keys
select e.id, (select count(*) from emp p where p.sal = e.sal and (p.hired < e.hired or p.hired = e.hired and p.id <= e.id)) as n from emp e;
select id, row_number() over (partition by sal order by hired, id) as n from emp;
-- pair: grouped by a row's key and more, or joined with it afterwards
select p.title, t.state, sum(t.hours) from proj p join task t on t.proj = p.id group by p.id, p.title, t.state;
select p.title, s.state, s.n from (select proj, state, sum(hours) as n from task group by proj, state) s join proj p on p.id = s.proj;
-- pair: grouped over two look-ups, the second by what the first shows
select d.name, p.title, t.state, count(*) from task t join proj p on p.id = t.proj join dept d on d.id = p.dept group by d.id, p.id, t.state;
select d.name, p.title, s.state, s.n from (select proj, state, count(*) as n from task group by proj, state) s join proj p on p.id = s.proj join dept d on d.id = p.dept;
-- pair: grouped by a key that is looked up on the way
select d.name, t.state, sum(t.hours) from task t join proj p on p.id = t.proj join dept d on d.id = p.dept group by d.id, d.name, t.state;
select d.name, s.state, s.n from (select p.dept, t.state, sum(t.hours) as n from task t join proj p on p.id = t.proj group by p.dept, t.state) s join dept d on d.id = s.dept;
-- pair: DISTINCT rows with what they look up
select distinct t.proj, t.state, p.title from task t join proj p on p.id = t.proj;
select s.proj, s.state, p.title from (select distinct proj, state from task) s join proj p on p.id = s.proj;
-- pair: grouped over a LEFT JOIN, or joined with the groups
select d.name, e.job, sum(e.sal) from dept d left join emp e on e.dept = d.id group by d.id, d.name, e.job;
select d.name, s.job, s.n from dept d left join (select dept, job, sum(sal) as n from emp group by dept, job) s on s.dept = d.id;
-- pair: grouped over a LEFT JOIN of what may be missing
select d.name, e.job, count(*) from emp e left join dept d on d.id = e.dept group by e.dept, d.name, e.job;
select d.name, s.job, s.n from (select dept, job, count(*) as n from emp group by dept, job) s left join dept d on d.id = s.dept;
