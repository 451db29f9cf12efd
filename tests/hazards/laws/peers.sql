-- NULLs are sorted last and are peers: their frame is the partition, where a comparison with NULL keeps no row.
-- schema
create table v (id int primary key, k int not null, d date not null, at date, q int);
-- stands
select id, sum(q) over (partition by k order by d) s, count(*) over (partition by k order by at, id groups between unbounded preceding and 1 preceding) n from v where at is not null;
select a.id, (select sum(b.q) from v b where b.at is not null and b.k = a.k and b.d <= a.d) s, (select count(*) from v b where b.k = a.k and (b.at < a.at or b.at = a.at and b.id < a.id)) n from v a where a.at is not null;
-- falls
select id, sum(q) over (partition by k order by at) s from v;
select a.id, (select sum(b.q) from v b where b.k = a.k and b.at <= a.at) s from v a;
