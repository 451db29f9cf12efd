-- A recursion that takes the next greater value of fewer rows leaves values out.
-- by: parts
-- schema
create table t (id int primary key, b int, c int);
-- stands
select distinct b from t where c > 3 and b is not null;
with recursive r(b) as (select min(b) from t where c > 3 union all select (select min(t.b) from t where t.c > 3 and t.b > r.b) from r where r.b is not null) select b from r where b is not null;
-- falls
select distinct b from t where c > 3 and b is not null;
with recursive r(b) as (select min(b) from t where c > 3 union all select (select min(t.b) from t where t.c > 4 and t.b > r.b) from r where r.b is not null) select b from r where b is not null;
