-- A boolean sorts alike wherever NULLs go only if it is none.
-- schema
create table t (id int primary key, n int);
-- stands
select id from t order by (n > 5) is true desc nulls first, id;
select id from t order by case when n > 5 then 1 else 2 end, id;
-- falls
select id from t order by n > 5 desc nulls first, id;
select id from t order by n > 5 desc nulls last, id;
