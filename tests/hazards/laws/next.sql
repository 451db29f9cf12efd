-- All beyond the current group come after the one next to it, not after the second.
-- schema
create table t (id int primary key, k int, v int, w int not null, m int not null);
-- stands
select id, sum(v) over (order by w groups between 1 following and unbounded following) from t;
select id, (select sum(v) from t u where u.w > t.w) from t;
-- falls
select id, sum(v) over (order by w groups between 2 following and unbounded following) from t;
select id, (select sum(v) from t u where u.w > t.w) from t;
