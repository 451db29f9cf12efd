-- The current row is left out of a frame with its peers only where it has none.
-- by: parts
-- schema
create table t (id int primary key, k int, v int, w int not null, m int not null);
-- stands
select id, sum(v) over (order by id rows between unbounded preceding and unbounded following exclude current row) from t;
select id, (select sum(v) from t u where u.id <> t.id) from t;
-- falls
select id, sum(v) over (order by w range between unbounded preceding and unbounded following exclude current row) from t;
select id, (select sum(v) from t u where u.w <> t.w) from t;
