-- A key that is TRUE of NULLs puts them last where it rises, and first where it falls.
-- schema
create table t (id int primary key, n int);
-- stands
select id, rank() over (order by n is null, n desc) from t order by case when n is null then 0 else 1 end, n, id;
select id, rank() over (order by n desc nulls last) from t order by n nulls first, id;
-- falls
select id from t order by n is null, n, id;
select id from t order by n nulls first, id;
