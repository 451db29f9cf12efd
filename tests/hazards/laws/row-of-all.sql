-- An aggregate is one row, which has no order, only where there are no groups.
-- by: parts
-- schema
create table t (id int primary key, k int, v int);
-- stands
select count(*) from t order by count(v) limit 3;
select count(*) from t;
-- falls
select count(*) from t group by k order by count(v) limit 3;
select count(*) from t group by k;
