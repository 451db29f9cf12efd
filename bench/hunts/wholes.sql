-- family: all of them
select g from t group by g having count(distinct uid) = (select count(*) from u);
select g from t group by g having count(uid) = (select count(*) from u);
select g from t group by g having count(distinct oid) = (select count(*) from u);
select g from t group by g having count(distinct uid) >= (select count(id) from u);
select g from t group by g having count(distinct uid) = (select count(r) from u);
select g from t group by g having count(distinct uid) = (select count(distinct r) from u);
select g from t group by g having count(distinct uid) = (select count(*) from u where r > 0);
select g from t where b group by g having count(distinct uid) = (select count(*) from u);
select distinct g from t p where not exists (select 1 from u where not exists (select 1 from t q where q.g is not distinct from p.g and q.uid = u.id));
select distinct g from t p where not exists (select 1 from u where not exists (select 1 from t q where q.g = p.g and q.uid = u.id));
select distinct g from t p where not exists (select 1 from u where not exists (select 1 from t q where q.g is not distinct from p.g and q.oid = u.id));
select distinct g from t p where not exists (select 1 from u where r > 0 and not exists (select 1 from t q where q.g is not distinct from p.g and q.uid = u.id));
select distinct g from t p where b and not exists (select 1 from u where not exists (select 1 from t q where q.b and q.g is not distinct from p.g and q.uid = u.id));
select distinct g from t p where (select count(*) from u where id in (select uid from t q where q.g is not distinct from p.g)) = (select count(*) from u)
-- family: some are missing
select g from t group by g having count(distinct uid) < (select count(*) from u);
select g from t group by g having count(distinct oid) < (select count(*) from u);
select g from t group by g having count(uid) < (select count(*) from u);
select g from t group by g having count(distinct uid) <> (select count(*) from u);
select g from t group by g having count(distinct uid) <= (select count(*) from u);
select distinct g from t;
select distinct g from t p where exists (select 1 from u where not exists (select 1 from t q where q.g is not distinct from p.g and q.uid = u.id));
select distinct g from t p where exists (select 1 from u where not exists (select 1 from t q where q.g = p.g and q.uid = u.id));
select distinct g from t p where exists (select 1 from u where not exists (select 1 from t q where q.g is not distinct from p.g and q.oid = u.id))
-- family: values of the same rows
select g from t group by g having count(distinct y) = (select count(distinct y) from t);
select g from t group by g having count(distinct x) = (select count(distinct x) from t);
select g from t group by g having count(distinct n) = (select count(distinct n) from t);
select g from t group by g having count(distinct y) = (select count(*) from (select distinct y from t) d);
select g from t group by g having count(distinct y) = (select count(distinct y) from t where y > 0);
select distinct g from t p where not exists (select 1 from t o where not exists (select 1 from t q where q.g is not distinct from p.g and q.y = o.y));
select distinct g from t p where not exists (select 1 from t o where y is not null and not exists (select 1 from t q where q.g is not distinct from p.g and q.y = o.y));
select distinct g from t p where not exists (select 1 from t o where not exists (select 1 from t q where q.g is not distinct from p.g and q.x = o.x));
select distinct g from t p where not exists (select 1 from t o where n is not null and not exists (select 1 from t q where q.g is not distinct from p.g and q.n = o.n));
select distinct g from t p where not exists (select 1 from t o where y > 0 and not exists (select 1 from t q where q.g is not distinct from p.g and q.y = o.y))
-- family: the least of each
select x, y from ft p where y = (select min(y) from ft q where q.x = p.x);
select x, min(y) from ft group by x;
select x, y from ft p where not exists (select 1 from ft q where q.x = p.x and q.y < p.y);
select x, y from ft p where not exists (select 1 from ft q where q.x = p.x and q.y <= p.y);
select x, y from ft p where y <= all (select y from ft q where q.x = p.x);
select p.x, p.y from ft p left join ft q on q.x = p.x and q.y < p.y where q.x is null;
select x, y from (select x, y, rank() over (partition by x order by y) r from ft) s where r = 1;
select x, y from ft p where y > 1 and y = (select min(y) from ft q where q.x = p.x);
select x, y from ft p where y > 1 and y = (select min(y) from ft q where q.x = p.x and q.y > 1);
select x, min(y) from ft where y > 1 group by x;
select x, min(y) from ft group by x having min(y) > 1;
select x, max(y) from ft group by x;
select x, y from ft p where not exists (select 1 from ft q where q.x = p.x and q.y > p.y);
select y, x from ft p where x = (select max(x) from ft q where q.y = p.y)
-- family: the least of each, nullable
select g, x from t p where x = (select min(x) from t q where q.g = p.g);
select g, min(x) from t group by g;
select g, min(x) from t where g is not null group by g;
select distinct g, x from t p where x = (select min(x) from t q where q.g = p.g);
select distinct g, x from t p where x = (select min(x) from t q where q.g is not distinct from p.g);
select distinct g, x from t p where not exists (select 1 from t q where q.g = p.g and q.x < p.x);
select distinct g, x from t p where g is not null and not exists (select 1 from t q where q.g = p.g and q.x < p.x);
select g, min(y) from t group by g;
select g, min(y) from t group by g having min(y) is not null;
select distinct g, y from t p where y = (select min(y) from t q where q.g = p.g);
select distinct g, y from t p where y = (select min(y) from t q where q.g is not distinct from p.g);
select distinct g, y from t p where not exists (select 1 from t q where q.g is not distinct from p.g and q.y < p.y);
select distinct g, d from t p where d = (select max(d) from t q where q.g is not distinct from p.g);
select g, max(d) from t group by g having max(d) is not null
-- family: unique values that may be NULL
select a, h from c p where h = (select max(h) from c q where q.a = p.a);
select a, max(h) from c group by a;
select a, max(h) from c where a is not null group by a having max(h) is not null;
select b, max(h) from c group by b;
select b, h from c p where h = (select max(h) from c q where q.b is not distinct from p.b);
select b, h from c where h is not null;
select a, h from c where a is not null and h is not null;
select g, a from c p where a = (select min(a) from c q where q.g = p.g);
select g, min(a) from c group by g having min(a) is not null;
select g, b from c p where b = (select min(b) from c q where q.g = p.g);
select g, min(b) from c group by g having min(b) is not null;
select g, b from c p where not exists (select 1 from c q where q.g = p.g and q.b < p.b);
select g, min(b) from c group by g;
select g, d from c p where d = (select min(d) from c q where q.g = p.g);
select g, min(d) from c group by g having min(d) is not null;
select g, n from c p where n = (select min(n) from c q where q.g = p.g);
select g, min(n) from c group by g having min(n) is not null;
select g, f from c p where f = (select min(f) from c q where q.g = p.g);
select g, min(f) from c group by g having min(f) is not null
-- family: values beside each other
select x, max(case when y = 1 then y end), max(case when y = 2 then x end) from ft group by x;
select s.x, p.y, q.x from (select distinct x from ft) s left join ft p on p.x = s.x and p.y = 1 left join ft q on q.x = s.x and q.y = 2;
select s.x, (select y from ft p where p.x = s.x and p.y = 1), (select x from ft p where p.x = s.x and p.y = 2) from (select distinct x from ft) s;
select distinct x, (select min(y) from ft p where p.x = s.x and p.y = 1), (select sum(x)::int from ft p where p.x = s.x and p.y = 2) from ft s;
select x, min(y) filter (where y = 1), min(x) filter (where y = 2) from ft group by x;
select x, max(case when y = 1 then y end), max(case when y > 1 then x end) from ft group by x
-- family: one value of a key
select u.id, (select max(y) from t where t.id = u.id) from u;
select u.id, (select y from t where t.id = u.id) from u;
select u.id, (select y from t where t.id = u.id and y is not null) from u;
select u.id, t.y from u left join t on t.id = u.id;
select u.id, t.y from u left join t on t.id = u.id and t.y is not null;
select u.id, (select sum(y)::int from t where t.id = u.id) from u;
select u.id, (select min(y) from t where t.uid = u.id) from u;
select u.id, (select max(y) from t where t.id = u.id and t.x > 0) from u;
select u.id, t.y from u left join t on t.id = u.id and t.x > 0;
select u.id, t.y from u join t on t.id = u.id
-- family: none outside of bounds
select g from t group by g having min(y) >= 1;
select g from t group by g having min(y) >= 1 and max(y) <= 2;
select g from t where y >= 1 except select g from t where y < 1;
select g from t where y between 1 and 2 except select g from t where y < 1 or y > 2;
select g from t where y between 1 and 2 except select g from t where y not between 1 and 2;
select distinct g from t p where not exists (select 1 from t q where q.g is not distinct from p.g and q.y < 1);
select distinct g from t p where not exists (select 1 from t q where q.g is not distinct from p.g and not q.y >= 1);
select distinct g from t p where not exists (select 1 from t q where q.g is not distinct from p.g and (q.y >= 1) is not true);
select g from t except select g from t where y < 1;
select g from t except select g from t where y < 1 or y is null;
select g from t where y is not null except select g from t where y < 1;
select distinct g from t where g not in (select g from t where y < 1);
select distinct g from t where y >= 1 and g not in (select g from t where y < 1 and g is not null);
select distinct g from t where y >= 1 and g is not null and g not in (select g from t where y < 1 and g is not null);
select g from t group by g having bool_and(y >= 1);
select g from t group by g having every(y is not null and y >= 1)
-- family: greatest sums
select g from t group by g having sum(x) = (select max(s) from (select sum(x) s from t group by g) q);
select g from t group by g having sum(x) >= all (select sum(x) from t group by g);
select g from (select g, rank() over (order by sum(x) desc) r from t group by g) q where r = 1;
select g from (select g, dense_rank() over (order by sum(x) desc) r from t group by g) q where r = 1;
select g from (select g, rank() over (order by sum(y) desc) r from t group by g) q where r = 1;
select g from (select g, rank() over (order by sum(y) desc nulls last) r from t group by g) q where r = 1;
select g from t group by g having sum(y) = (select max(s) from (select sum(y) s from t group by g) q);
select g from t group by g having sum(y) >= all (select sum(y) from t group by g);
select g from t group by g having count(*) = (select max(s) from (select count(*) s from t group by g) q);
select g from t group by g having count(*) = (select max(s) from (select count(*) s from t where g is not null group by g) q);
select g from (select g, rank() over (order by count(*) desc) r from t group by g) q where r = 1;
with q as (select g, sum(y) s from t group by g) select g from q where not exists (select 1 from q o where o.s > q.s);
with q as (select g, sum(x) s from t group by g) select g from q where not exists (select 1 from q o where o.s > q.s);
with q as (select g, sum(x) s from t group by g) select g from q where s = (select s from q order by s desc limit 1)
-- family: one of each that look alike
select id, y from t where id in (select min(id) from t group by y);
select id, y from (select id, y, row_number() over (partition by y order by id) r from t) q where r = 1;
select min(id), y from t group by y;
select id, y from t p where not exists (select 1 from t q where q.id < p.id and q.y = p.y);
select id, y from t p where not exists (select 1 from t q where q.id < p.id and q.y is not distinct from p.y);
select id, n from t where id in (select min(id) from t group by n);
select min(id), n from t group by n;
select id, y from t where (y, id) in (select y, min(id) from t group by y);
select id, y from t p where id = (select min(id) from t q where q.y is not distinct from p.y);
select id, y from t where id in (select min(id) from t where y is not null group by y)
-- family: texts with alternatives
select id from t where s ~ '(^| )a';
select id from t where s like 'a%' or s like '% a%';
select id from t where s ~ '^a|b$';
select id from t where s like 'a%' or s like '%b';
select id from t where s ~ '^(a|b)$';
select id from t where s in ('a', 'b');
select id from t where s !~ '(a|b)_';
select id from t where s not like '%a\_%' and s not like '%b\_%';
select id from t where s ~ '(a|b)';
select id from t where s ~ 'a|b';
select id from t where v ~ '^(a|)$';
select id from t where v ~ '(^|b)a'
