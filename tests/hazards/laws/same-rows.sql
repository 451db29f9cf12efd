-- A sum is NULL where a count is 0 only if both are of the same rows; other divisions may fail though nobody reads what they give.
-- schema
create table t (id int primary key, k int, v int, w int not null, m int not null);
-- stands
with q as materialized (select m, count(*) c, sum(v)::numeric / count(v) r from t group by m) select m, c from q;
select m, count(*) from t group by m;
-- falls
with q as materialized (select m, count(*) c, sum(w)::numeric / count(v) r from t group by m) select m, c from q;
select m, count(*) from t group by m;
