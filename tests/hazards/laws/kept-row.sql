-- A cut keeps the row of an aggregate only where its number is not 0.
-- by: parts
-- schema
create table t (id int primary key, k int, v int);
-- stands
select sum(100 / v) from t order by sum(100 / v) limit 1;
select sum(100 / v) from t;
-- falls
select count(*) from t limit 0;
select count(*) from t;
