-- Another value is there when the minimum or the maximum differs, not only when the minimum does.
-- schema
create table v (id int primary key, k int, q int);
-- stands
select a.id from v a where exists (select 1 from v b where b.k = a.k and b.q <> a.q);
select a.id from v a join (select k, min(q) low, max(q) high from v group by k) g on g.k = a.k where g.low <> a.q or g.high <> a.q;
-- falls
select a.id from v a where exists (select 1 from v b where b.k = a.k and b.q <> a.q);
select a.id from v a join (select k, min(q) low, max(q) high from v group by k) g on g.k = a.k where g.low <> a.q;
