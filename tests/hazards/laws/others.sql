-- The others are one less than all only where just one row is left out.
-- schema
create table t (id int primary key, k int, v int, w int not null, m int not null);
-- stands
select id, (select count(*) from t u where u.m = t.m and u.id <> t.id) from t;
select id, count(*) over (partition by m) - 1 from t;
-- falls
select id, (select count(*) from t u where u.m = t.m and u.w <> t.w) from t;
select id, count(*) over (partition by m) - 1 from t;
