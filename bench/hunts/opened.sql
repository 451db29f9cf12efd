-- family: subqueries with joins below a grouping
select v.g, sum(v.n) from (select p.g, coalesce(q.{num}, 0) as n from t p left join t q on q.id = p.x where p.y > 0) v group by v.g;
select p.g, sum(coalesce(q.{num}, 0)) from t p left join t q on q.id = p.x where p.y > 0 group by p.g;
select p.g, sum(coalesce(q.{num}, 0)) from t p left join t q on q.id = p.x and p.y > 0 group by p.g;
select p.g, sum(q.{num}) from t p left join t q on q.id = p.x where p.y > 0 group by p.g;
select p.g, sum(coalesce(v.n, 0)) from t p left join (select id, {num} as n from t where y > 0) v on v.id = p.x group by p.g;
select v.g, sum(v.n) from (select distinct p.g, coalesce(q.{num}, 0) as n from t p left join t q on q.id = p.x where p.y > 0) v group by v.g
-- family: values computed in subqueries on sides of outer joins
select p.id, v.n from t p left join (select id, coalesce({num}, 0) as n from t) v on v.id = p.x;
select p.id, coalesce(q.{num}, 0) from t p left join t q on q.id = p.x;
select p.id, case when q.id is not null then coalesce(q.{num}, 0) end from t p left join t q on q.id = p.x;
select v.i, v.n from (select p.id as i, coalesce(q.{num}, 0) as n from t p left join t q on q.id = p.x) v;
select p.id, coalesce(v.n, 0) from t p left join (select id, {num} as n from t) v on v.id = p.x
-- family: values computed beside a row
select p.g, sum(l.v) from t p cross join lateral (select p.x * 2 as v) l group by p.g;
select p.g, sum(p.x * 2) from t p group by p.g;
select v.g, sum(v.v) from (select g, x * 2 as v from t) v, (select 1) o group by v.g;
select v.g, sum(v.v) from (select q.g, q.x * 2 as v from t q, (select 1) o) v group by v.g;
select p.g, sum(l.v) from t p cross join lateral (select p.x * 2 as v where p.y > 0) l group by p.g
-- family: what may fail within subqueries
select v.g, max(v.q) from (select p.g, 10 / p.x as q from t p join t q on q.id = p.id where p.x <> 0) v group by v.g;
select p.g, max(10 / p.x) from t p join t q on q.id = p.id where p.x <> 0 group by p.g;
select v.g, max(v.q) from (select p.g, 10 / p.x as q from t p where p.x <> 0 offset 0) v group by v.g;
select v.g, max(v.q) filter (where v.x <> 0) from (select p.g, p.x, 10 / nullif(p.x, 0) as q from t p) v group by v.g
-- family: numbers of rows in an order
select p.id, row_number() over (partition by p.g order by p.x, p.id) from t p;
select p.id, count(*) over (partition by p.g order by p.x, p.id) from t p;
select p.id, rank() over (partition by p.g order by p.x, p.id) from t p;
select p.id, count(*) over (partition by p.g order by p.x, p.id rows unbounded preceding) from t p;
select p.id, count(*) over (partition by p.g order by p.x desc, p.id desc rows between current row and unbounded following) from t p;
select p.id, count(*) over (partition by p.g order by p.x nulls first, p.id rows unbounded preceding) from t p;
select p.id, count(*) over (partition by p.g order by p.x rows unbounded preceding) from t p;
select p.id, count(*) over (partition by p.g order by p.x) from t p;
select p.id, dense_rank() over (partition by p.g order by p.x) from t p;
select p.id, count(p.x) over (partition by p.g order by p.x, p.id) from t p
