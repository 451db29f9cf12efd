-- A NULL lies at no distance from a value, and beside one a frame holds NULLs.
-- schema
create table t (id int primary key, k int, v int, w int not null, m int not null);
-- stands
select id, sum(v) over (order by w range between 5 preceding and 5 following) from t;
select id, (select sum(v) from t u where u.w::bigint between t.w::bigint - 5 and t.w::bigint + 5) from t;
-- falls
select id, sum(m) over (order by v range between 5 preceding and 5 following) from t;
select id, (select sum(m) from t u where u.v::bigint between t.v::bigint - 5 and t.v::bigint + 5) from t;
